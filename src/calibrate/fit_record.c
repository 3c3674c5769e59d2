/* Records of fits: see fit_record.h. */
#include "calibrate/fit_record.h"

#include "calibrate/choice_text.h"
#include "calibrate/writer_text.h"
#include "io/yaml_node.h"

#include <math.h>
#include <stdlib.h>

static void write_mape(struct str *out, const char *key, const struct scores *in,
                       const struct scores *left_out) {
    str_addf(out, "          %s:\n", key);
    for (int q = 0; q < QUANTITIES; q++) {
        if (in->points[q] == 0)
            continue;
        str_addf(out, "            %s: {", quantity_names[q]);
        writer_item(out, "in_sample", in->mape[q]);
        writer_item(out, "leave_one_out", left_out->mape[q]);
        writer_item(out, "rows", (double)in->points[q]);
        writer_item(out, "rows_left_out", (double)left_out->points[q]);
        str_add(out, "}\n");
    }
}

/* By size: the medians of the rows of each. */
static void write_sizes(struct str *out, const struct form_choice *choice) {
    if (!choice->points.by_size)
        return;
    str_add(out, "          sizes: # medians of the throughput errors of the rows of a k\n");
    for (size_t i = 0; i < choice->size_count; i++) {
        const struct size_errors *size = &choice->sizes[i];
        str_add(out, "            - {");
        writer_item(out, "k", size->k);
        writer_item(out, "rows", (double)size->rows);
        writer_item(out, "in_sample", size->in_sample);
        writer_item(out, "left_out", size->left_out);
        str_add(out, "}\n");
    }
}

static void write_levels(struct str *out, const struct form_choice *choice) {
    const struct points *points = &choice->points;
    if (!points->by_size)
        return;
    str_add(out, "          rounds: # speed of their software over that of the model\n");
    for (uint32_t i = 0; i < points->round_count; i++) {
        str_add(out, "            - {");
        writer_item_text(out, "round", points->rounds[i]);
        writer_item(out, "rows", points->round_rows[i]);
        writer_item(out, "level", choice->fit.levels[i]);
        str_add(out, "}\n");
    }
}

/* Metered nodes against the power that the model gives them. */
static void write_metered(struct str *out, const struct form_choice *choice) {
    if (choice->points.scope == PROFILE_SCOPE_GPU)
        return;
    str_add(
        out,
        "          metered: # whole nodes; the fewest GPUs are what the rest is derived from\n");
    for (size_t i = 0; i < choice->points.at.count; i++) {
        const struct point *point = &choice->points.at.at[i];
        double gpus = (double)point->row->k / point->row->nodes;
        if (isnan(point->power_w))
            continue;
        str_add(out, "            - {");
        writer_item(out, "k", point->at.k);
        writer_item(out, "batch", point->at.batch);
        writer_item_text(out, "round", point->row->round);
        writer_item(out, "node_power_w", point->power_w * gpus);
        writer_item(out, "model_w", choice->predictions[i].power_w * gpus);
        writer_item(out, "run_s", point->row->run_s);
        str_add(out, "}\n");
    }
}

static void write_covariance(struct str *out, const struct form_choice *choice) {
    const struct covariance *v = &choice->covariance;
    str_add(out, "          parameters: {");
    for (size_t i = 0; i < v->count; i++)
        writer_item(out, parameter_names[v->free[i]], choice->fit.values[v->free[i]]);
    str_add(out, "}\n          standard_errors: {");
    for (size_t i = 0; i < v->count; i++)
        writer_item(out, parameter_names[v->free[i]], covariance_error(v, i));
    str_add(out, "}\n");
    if (v->singular || isnan(v->matrix[0][0]))
        return;
    str_add(out, "          covariance: # by the order of standard_errors\n");
    for (size_t i = 0; i < v->count; i++) {
        str_add(out, "            - [");
        writer_list(out, v->matrix[i], v->count);
        str_add(out, "]\n");
    }
}

static void write_contest(struct str *out, const struct form_choice *choice,
                          const struct contest *contest) {
    for (size_t i = 0; i < contest->count; i++) {
        const struct candidate *one = &contest->candidates[i];
        str_add(out, "            - {");
        writer_item_text(out, "form", choice_form_text(&one->form, choice->arena));
        str_addf(out, ", of: %s", quantity_names[contest->quantity]);
        writer_item(out, "parameters", (double)one->parameters);
        if (one->refused) {
            writer_item_text(out, "refused", one->refused);
        } else {
            writer_item(out, "in_sample", one->in_sample);
            writer_item(out, "leave_one_out", one->left_out);
            writer_item(out, "above_best", one->against_best.mean);
            writer_item(out, "standard_error", one->against_best.standard_error);
        }
        str_add(out, (int)i == contest->chosen ? ", chosen: true}\n" : "}\n");
    }
}

static void write_limit_errors(struct str *out, const struct limits *limits) {
    static const char *const names[] = {"time", "power", "energy"};
    if (limits->levels.count > 0)
        str_add(out,
                "          power_limit_errors: # each configuration by the mean of the others\n");
    for (size_t i = 0; i < limits->levels.count; i++) {
        str_add(out, "            - {");
        writer_item(out, "power_limit_w", limits->levels.at[i].power_limit_w);
        for (int q = 0; q < LIMIT_QUANTITIES; q++)
            writer_item(out, names[q], limits->errors.at[i].left_out[q]);
        str_add(out, "}\n");
    }
}

void fit_record_write(struct str *out, const struct form_choice *choice,
                      const struct limits *limits) {
    str_addf(out, "        fit:\n          rows: %zu\n          configurations: %u\n",
             choice->points.at.count, choice->points.configurations);
    writer_text(out, "          choice", choice->why);
    if (choice->speed.chosen >= 0) {
        writer_text(out, "          form", choice_form_text(&choice->form, choice->arena));
        write_covariance(out, choice);
        write_mape(out, "form_error", &choice->form_in_sample, &choice->form_left_out);
    }
    write_mape(out, "error", &choice->in_sample, &choice->left_out);
    write_sizes(out, choice);
    write_levels(out, choice);
    write_metered(out, choice);
    write_limit_errors(out, limits);
    if (choice->speed.count + choice->power.count > 0)
        str_add(out, "          contest:\n");
    write_contest(out, choice, &choice->speed);
    write_contest(out, choice, &choice->power);
    if (choice->warnings.count > 0)
        str_add(out, "          warnings:\n");
    for (size_t i = 0; i < choice->warnings.count; i++) {
        str_add(out, "            - ");
        yaml_add_quoted(out, choice->warnings.at[i]);
        str_add_char(out, '\n');
    }
}

static void write_errors(struct str *out, const char *key, struct convergence_errors errors) {
    str_addf(out, "      %s: {", key);
    writer_item(out, "worst_batch", errors.most);
    writer_item(out, "at", errors.worst_batch);
    writer_item(out, "row_median", errors.row_median);
    str_add(out, "}\n");
}

void fit_record_convergence(struct str *out, const struct convergence *c,
                            const struct target_runs *runs) {
    str_addf(out, "    fit: # of samples_to_target, m0 and phi\n      rows: %zu\n", runs->at.count);
    str_add(out, "      standard_errors: {");
    for (int p = 0; p < CONVERGENCE_ALL; p++)
        writer_item(out, convergence_parameter_names[p], sqrt(c->covariance[p][p]));
    str_add(out, "}\n");
    if (!isnan(c->covariance[0][0]))
        str_add(out, "      covariance: # by the order of standard_errors\n");
    for (int a = 0; a < CONVERGENCE_ALL; a++) {
        double row[CONVERGENCE_ALL];
        size_t count = 0;
        for (int b = 0; b < CONVERGENCE_ALL && !isnan(c->covariance[a][a]); b++)
            if (!isnan(c->covariance[b][b]))
                row[count++] = c->covariance[a][b];
        if (count == 0)
            continue;
        str_add(out, "        - [");
        writer_list(out, row, count);
        str_add(out, "]\n");
    }
    writer_number(out, "      deviation_of_ln", c->deviation);
    write_errors(out, "error", convergence_score(c, runs));
    writer_number(out, "      constant", convergence_constant(runs));
    write_errors(out, "constant_error", convergence_score(NULL, runs));
    str_add(out, "      batches:\n");
    for (size_t i = 0; i < runs->batches.count; i++) {
        const struct target_batch *b = &runs->batches.at[i];
        str_add(out, "        - {");
        writer_item(out, "global_batch", b->global_batch);
        writer_item(out, "rows", (double)b->rows);
        writer_item(out, "samples", b->samples);
        writer_item(out, "model", convergence_samples(c, b->global_batch));
        str_add(out, "}\n");
    }
}
