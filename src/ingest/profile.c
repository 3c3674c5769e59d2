/* The rows of the profile CSV that readers fill. */
#include "ingest/profile.h"

#include "io/csv.h"

#include <math.h>
#include <stdlib.h>

struct profile_row *profile_add_row(struct profile *profile,
                                    const struct profile_options *options) {
    struct profile_row *row = array_add(&profile->rows);
    *row = (struct profile_row){.model = options->model,
                                .precision = options->precision,
                                .gpu = options->gpu,
                                .gpus = options->gpus,
                                .batch = options->batch,
                                .power_limit_w = options->power_limit_w,
                                .throughput_samples_s = NAN,
                                .power_w_per_gpu = NAN};
    return row;
}

int profile_check_columns(struct profile *profile, struct problems *problems) {
    size_t gpu = 0, model = 0, gpus = 0, batch = 0, count = profile->rows.count;
    for (size_t i = 0; i < count; i++) {
        const struct profile_row *row = &profile->rows.at[i];
        gpu += !row->gpu;
        model += !row->model;
        gpus += row->gpus == 0;
        batch += row->batch == 0;
    }
    const struct {
        const char *column, *setting;
        size_t empty;
    } columns[] = {
        {"model", "model", model}, {"k", "gpus", gpus}, {"batch_per_gpu", "batch", batch}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].empty > 0)
            problems_add_setting(&profile->notes, (struct location){0}, columns[i].setting,
                                 "%zu of %zu rows have no %s", columns[i].empty, count,
                                 columns[i].column);
    if (gpu == 0)
        return 0;
    problems_add_setting(
        problems, (struct location){0}, "gpu",
        "expected the GPU type: the input does not name it, and %zu of %zu profile rows need it",
        gpu, count);
    return ERROR_INPUT;
}

void profile_write_csv(const struct profile *profile, struct str *out) {
    str_add(
        out,
        "model,precision,gpu,k,batch_per_gpu,power_limit_w,throughput_samples_s,power_w_per_gpu,evidence,source\n");
    for (size_t i = 0; i < profile->rows.count; i++) {
        const struct profile_row *row = &profile->rows.at[i];
        csv_add_text(out, row->model);
        csv_comma_text(out, row->precision);
        csv_comma_text(out, row->gpu);
        csv_comma_count(out, row->gpus);
        csv_comma_positive(out, row->batch);
        csv_comma_real(out, row->power_limit_w);
        csv_comma_real(out, row->throughput_samples_s);
        csv_comma_real(out, row->power_w_per_gpu);
        bool has_figures = !isnan(row->throughput_samples_s) || !isnan(row->power_w_per_gpu);
        csv_comma_text(out, !has_figures ? NULL : row->is_derived ? "derived" : "measured");
        csv_comma_text(out, row->source);
        str_add_char(out, '\n');
    }
}

void profile_finish(struct profile *profile) {
    free(profile->rows.at);
    problems_finish(&profile->notes);
    arena_finish(&profile->arena);
    *profile = (struct profile){0};
}
