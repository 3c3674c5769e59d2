/* Waste of a recorded run: see recorded.h. */
#include "output/recorded/recorded.h"

#include "base/units.h"
#include "output/columns.h"

#include <math.h>

/* --- waste_csv --- */

/* clang-format off */
#define WASTE_COLUMNS(X) \
    X(class, text, "", NEITHER, waste_class_names[i]) \
    X(energy_j, real, "J", NEITHER, amount->energy_j) \
    X(energy_kwh, real, "kWh", NEITHER, amount->energy_j / J_PER_KWH) \
    X(share, real, METRIC_SHARE, NEITHER, share_of(amount->energy_j, total->energy_j)) \
    X(gpu_h, real, "GPU h", NEITHER, amount->gpu_s / S_PER_H) \
    X(gpu_share, real, METRIC_SHARE, NEITHER, share_of(amount->gpu_s, total->gpu_s))
/* clang-format on */

const char waste_csv_header[] = RUN_HEADER(WASTE_COLUMNS) "\n";

/* NAN, an empty cell, of nothing. */
static double share_of(double part, double total) {
    return total > 0 ? part / total : NAN;
}

void waste_csv_rows(const struct recorded_run *run, const struct waste *waste, struct str *out) {
    const struct waste_amount *total = &waste->total;
    for (int i = 0; i < WASTE_CLASSES; i++) {
        const struct waste_amount *amount = &waste->of[i];
        if (!waste_lists(waste, (enum waste_class)i))
            continue;
        RUN_ROW(recorded_begin_row(run, out), WASTE_COLUMNS);
    }
}

int waste_csv_read(const struct recorded_folder *folder, const struct recorded_part *part,
                   struct str *out, struct error *reterr) {
    struct recorded_run run = {0};
    struct waste waste = {0};
    int r = recorded_run_load(&run, folder, part, reterr);
    if (r == 0)
        r = waste_of_run(&waste, &run, reterr);
    if (r == 0)
        waste_csv_rows(&run, &waste, out);
    waste_finish(&waste);
    recorded_run_finish(&run);
    return r;
}

/* --- waste_line --- */

void waste_line_add(const double groups_j[static WASTE_GROUPS], struct str *out) {
    double total_j = 0;
    for (int g = 0; g < WASTE_GROUPS; g++)
        total_j += groups_j[g];
    for (int g = 0; g < WASTE_GROUPS && total_j > 0; g++) {
        double percent = 100 * groups_j[g] / total_j;
        if (g == WASTE_GROUP_THROTTLED && groups_j[g] == 0)
            continue; /* no cap held anybody below the wish */
        str_addf(out, "%s%s %.1f %%", g == 0 ? "  energy went into: " : ", ", waste_group_names[g],
                 percent > -0.05 && percent < 0 ? 0 : percent); /* no -0.0 of rounding */
    }
    str_add(out, total_j > 0 ? "\n" : "");
}

static int add_part(const struct recorded_folder *folder, const struct recorded_part *part,
                    double groups_j[static WASTE_GROUPS], struct error *reterr) {
    struct recorded_run run = {0};
    struct waste waste = {0};
    int r = recorded_run_load(&run, folder, part, reterr);
    if (r == 0)
        r = waste_of_run(&waste, &run, reterr);
    for (int g = 0; g < WASTE_GROUPS && r == 0; g++)
        groups_j[g] += waste_of_group(&waste, (enum waste_group)g).energy_j;
    waste_finish(&waste);
    recorded_run_finish(&run);
    return r;
}

int waste_line_read(const char *path, struct str *out, struct error *reterr) {
    struct recorded_folder folder = {0};
    double groups_j[WASTE_GROUPS] = {0};
    int r = recorded_folder_open(&folder, path, reterr);
    for (size_t i = 0; i < folder.parts.count && r == 0; i++)
        r = add_part(&folder, &folder.parts.at[i], groups_j, reterr);
    if (r == 0)
        waste_line_add(groups_j, out);
    recorded_folder_finish(&folder);
    return r;
}

/* --- invest_csv --- */

#define MOST_ROWS 12

/* clang-format off */
#define INVEST_COLUMNS(X) \
    X(rank, int, "", NEITHER, (int64_t)i + 1) \
    X(model, text, "", NEITHER, v->model) \
    X(parameter, text, "", NEITHER, v->parameter) \
    X(base_kwh, real, "kWh", NEITHER, base_kwh) \
    X(kwh, real, "kWh", NEITHER, v->kwh) \
    X(saved_kwh, real, "kWh", NEITHER, base_kwh - v->kwh) \
    X(saved_share, real, METRIC_SHARE, NEITHER, share_of(base_kwh - v->kwh, base_kwh)) \
    X(reason, text, "", NEITHER, v->reason)
/* clang-format on */

void invest_csv(const struct recorded_run *run, const struct investments *investments,
                struct str *out) {
    double base_kwh = investments->base_kwh;
    str_add(out, RUN_HEADER(INVEST_COLUMNS) "\n");
    for (size_t i = 0; i < investments->at.count; i++) {
        const struct investment *v = &investments->at.at[i];
        RUN_ROW(recorded_begin_row(run, out), INVEST_COLUMNS);
    }
}

void invest_report(const struct investments *investments, struct str *out) {
    str_addf(out,
             "\nwhere to invest: the same jobs, drained, take %.6g kWh; with one parameter of one "
             "model / %.3g:\n",
             investments->base_kwh, INVESTMENT_FACTOR);
    for (size_t i = 0; i < investments->at.count && i < MOST_ROWS; i++) {
        const struct investment *v = &investments->at.at[i];
        str_addf(out, "  %2zu. %-8s of ", i + 1, v->parameter);
        str_add_visible(out, v->model);
        if (v->reason) {
            str_add(out, ": not run: ");
            str_add_visible(out, v->reason);
        } else {
            str_addf(out, ": %.6g kWh, %+.3g %%", v->kwh,
                     100 * (v->kwh / investments->base_kwh - 1));
        }
        str_add_char(out, '\n');
    }
    if (investments->at.count > MOST_ROWS)
        str_addf(out, "  and %zu more: invest.csv\n", investments->at.count - MOST_ROWS);
    if (investments->at.count == 0)
        str_add(out, "  no job has a model\n");
}
