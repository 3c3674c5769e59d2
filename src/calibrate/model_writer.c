/* Writing of calibrated model files: see model_writer.h. */
#include "calibrate/model_writer.h"

#include "io/yaml_text.h"

#include <math.h>
#include <stdlib.h>

/* Every sample counts in full as long as the global batch is not above m0 (semantics 3.2). */
#define M0_UNKNOWN 1e12

#define MAPE_MOST 100 /* of a model file; the record of the fit holds any */

/* ---- Pieces of YAML ---- */

/* "INDENTkey: value" on a line of its own, or nothing for a NAN. */
static void write_number(struct str *out, const char *indent_key, double value) {
    if (!isfinite(value))
        return;
    str_addf(out, "%s: ", indent_key);
    yaml_add_real(out, value);
    str_add_char(out, '\n');
}

/* ", key: value" inside braces; the first one without a comma. NAN: nothing. */
static void write_item(struct str *out, const char *key, double value) {
    if (!isfinite(value))
        return;
    str_addf(out, "%s%s: ", out->text[out->length - 1] == '{' ? "" : ", ", key);
    yaml_add_real(out, value);
}

/* ---- One model on one GPU type ---- */

static void write_parameters(struct str *out, const struct form_choice *choice) {
    static const enum parameter always[] = {PARAM_A, PARAM_C, PARAM_GAMMA, PARAM_ALPHA, PARAM_BETA};
    const double *v = choice->fit.values;
    if (choice->table.count > 0)
        return;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        write_number(out, arena_printf(choice->arena, "        %s", parameter_names[always[i]]),
                     v[always[i]]);
    if (choice->form.across_nodes) {
        write_number(out, "        alpha_inter_s", v[PARAM_ALPHA_INTER]);
        write_number(out, "        beta_inter_s", v[PARAM_BETA_INTER]);
    }
    if (v[PARAM_SYNC_GAMMA] != 1)
        write_number(out, "        sync_gamma", v[PARAM_SYNC_GAMMA]);
    if (v[PARAM_EXPONENT] != 0)
        write_number(out, "        scaling_exponent", v[PARAM_EXPONENT]);
    if (choice->form.power != POWER_LAW_NONE) {
        write_number(out, "        p0_w", v[PARAM_P0]);
        write_number(out, "        pmax_w", v[PARAM_PMAX]);
    }
}

static void write_table(struct str *out, const struct form_choice *choice) {
    if (choice->table.count == 0)
        return;
    str_add(out, "        lookup:\n");
    for (size_t i = 0; i < choice->table.count; i++) {
        const struct interpolation_point *p = &choice->table.points[i];
        str_addf(out, "          - {k: %lld", (long long)p->k);
        write_item(out, "batch", p->batch);
        write_item(out, "throughput_samples_s", p->throughput_samples_s);
        write_item(out, "power_w_per_gpu", p->power_w_per_gpu);
        str_add(out, p->across_nodes ? ", across_nodes: true}\n" : "}\n");
    }
}

/* Measured, but for what the rows cannot tell. */
static void write_evidence(struct str *out, const struct form_choice *choice, const char *profile) {
    bool form = choice->table.count == 0, no_power = choice->points.powers == 0;
    bool no_floor = form && choice->form.compute == COMPUTE_PROPORTIONAL;
    bool no_sync = form && !choice->points.one_node && !choice->points.across_nodes;
    str_addf(out, "        evidence: {points: %s", evidence_names[choice->evidence]);
    str_addf(out, "%s%s%s}\n", no_power ? ", power: assumed" : "", no_floor ? ", a_s: assumed" : "",
             no_sync ? ", alpha_s: assumed, beta_s: assumed" : "");
    str_add(out, "        source:\n          points: ");
    yaml_add_quoted(out, arena_printf(choice->arena, "easim calibrate, %zu rows of %s",
                                      choice->points.at.count, profile));
    str_add_char(out, '\n');
    const char *last = NULL;
    for (size_t i = 0, named = 0; i < choice->group->base_count && named < 5; i++) {
        const char *source =
            choice->group->rows[i].source; /* interned: equal texts have one address */
        if (source == last || !source[0])
            continue;
        last = source;
        str_addf(out, "          rows_%zu: ", ++named);
        yaml_add_quoted(out, source);
        str_add_char(out, '\n');
    }
    if (no_power)
        str_add(
            out,
            "          power: \"not in the profile: the tdp_w of the GPU type stands for it\"\n");
    if (no_floor)
        str_add(out, "          a_s: \"none in this form: one nanosecond\"\n");
    if (no_sync)
        str_add(out, "          alpha_s: \"no row has more than one GPU\"\n");
}

static void write_range(struct str *out, const struct form_choice *choice) {
    uint32_t least_k = UINT32_MAX, most_k = 0;
    double least_batch = INFINITY, most_batch = 0;
    for (size_t i = 0; i < choice->points.at.count; i++) {
        struct place at = choice->points.at.at[i].at;
        least_k = at.k < least_k ? at.k : least_k;
        most_k = at.k > most_k ? at.k : most_k;
        least_batch = fmin(least_batch, at.batch);
        most_batch = fmax(most_batch, at.batch);
    }
    str_addf(out, "        range_k: [%u, %u]\n        range_batch: [", least_k, most_k);
    yaml_add_real(out, least_batch);
    str_add(out, ", ");
    yaml_add_real(out, most_batch);
    str_add(out, "]\n");
    const double in_sample = choice->in_sample.mape[THROUGHPUT],
                 left_out = choice->left_out.mape[THROUGHPUT];
    write_number(out, "        mape_in_sample", in_sample <= MAPE_MOST ? in_sample : NAN);
    write_number(out, "        mape_leave_one_out", left_out <= MAPE_MOST ? left_out : NAN);
}

/* ---- The record of the fit ---- */

static void write_mape(struct str *out, const char *key, const struct scores *in,
                       const struct scores *left_out) {
    str_addf(out, "          %s:\n", key);
    for (int q = 0; q < QUANTITIES; q++) {
        if (in->points[q] == 0)
            continue;
        str_addf(out, "            %s: {", quantity_names[q]);
        write_item(out, "in_sample", in->mape[q]);
        write_item(out, "leave_one_out", left_out->mape[q]);
        write_item(out, "rows", (double)in->points[q]);
        write_item(out, "rows_left_out", (double)left_out->points[q]);
        str_add(out, "}\n");
    }
}

static void write_covariance(struct str *out, const struct form_choice *choice) {
    const struct covariance *v = &choice->covariance;
    str_add(out, "          parameters: {");
    for (size_t i = 0; i < v->count; i++)
        write_item(out, parameter_names[v->free[i]], choice->fit.values[v->free[i]]);
    str_add(out, "}\n          standard_errors: {");
    for (size_t i = 0; i < v->count; i++)
        write_item(out, parameter_names[v->free[i]], covariance_error(v, i));
    str_add(out, "}\n");
    if (v->singular || isnan(v->matrix[0][0]))
        return;
    str_add(out, "          covariance: # by the order of standard_errors\n");
    for (size_t i = 0; i < v->count; i++) {
        str_add(out, "            - [");
        for (size_t j = 0; j < v->count; j++) {
            str_add(out, j ? ", " : "");
            yaml_add_real(out, v->matrix[i][j]);
        }
        str_add(out, "]\n");
    }
}

static void write_contest(struct str *out, const struct form_choice *choice,
                          const struct contest *contest) {
    for (size_t i = 0; i < contest->count; i++) {
        const struct candidate *one = &contest->candidates[i];
        str_add(out, "            - {form: ");
        yaml_add_quoted(out, form_choice_form_text(&one->form, choice->arena));
        str_addf(out, ", of: %s", quantity_names[contest->quantity]);
        write_item(out, "parameters", (double)one->parameters);
        if (one->refused) {
            str_add(out, ", refused: ");
            yaml_add_quoted(out, one->refused);
        } else {
            write_item(out, "in_sample", one->in_sample);
            write_item(out, "leave_one_out", one->left_out);
            write_item(out, "above_best", one->against_best.mean);
            write_item(out, "standard_error", one->against_best.standard_error);
        }
        str_add(out, (int)i == contest->chosen ? ", chosen: true}\n" : "}\n");
    }
}

static void write_fit(struct str *out, const struct form_choice *choice) {
    str_addf(out,
             "        fit:\n          rows: %zu\n          configurations: %u\n          choice: ",
             choice->points.at.count, choice->points.configurations);
    yaml_add_quoted(out, choice->why);
    str_add_char(out, '\n');
    if (choice->speed.chosen >= 0) {
        str_add(out, "          form: ");
        yaml_add_quoted(out, form_choice_form_text(&choice->form, choice->arena));
        str_add_char(out, '\n');
        write_covariance(out, choice);
        write_mape(out, "form_error", &choice->form_in_sample, &choice->form_left_out);
    }
    write_mape(out, "error", &choice->in_sample, &choice->left_out);
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

static void write_limits(struct str *out, const struct limits *limits) {
    if (limits->levels.count == 0)
        return;
    str_add(out, "        power_limits:\n");
    write_number(out, "          energy_optimal_w", limits->energy_optimal_w);
    str_add(out, "          levels:\n");
    for (size_t i = 0; i < limits->levels.count; i++) {
        const struct power_level *level = &limits->levels.at[i];
        str_add(out, "            - {");
        write_item(out, "power_limit_w", level->power_limit_w);
        write_item(out, "time_ratio", level->time_ratio);
        write_item(out, "power_ratio", level->power_ratio);
        write_item(out, "energy_ratio", level->energy_ratio);
        write_item(out, "configurations", (double)level->configurations);
        str_add(out, "}\n");
    }
    str_add(out, "          points:\n");
    for (size_t i = 0; i < limits->points.count; i++) {
        const struct power_level_point *p = &limits->points.at[i];
        str_add(out, "            - {");
        write_item(out, "power_limit_w", p->power_limit_w);
        write_item(out, "k", (double)p->k);
        write_item(out, "batch", p->batch);
        write_item(out, "iteration_s", p->iteration_s);
        write_item(out, "power_w_per_gpu", p->power_w_per_gpu);
        write_item(out, "time_ratio", p->time_ratio);
        write_item(out, "power_ratio", p->power_ratio);
        str_add(out, p->across_nodes ? ", across_nodes: true}\n" : "}\n");
    }
}

/* ---- The file ---- */

static int compare_batches(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* All batches of the model, on any GPU type. */
static void write_batches(struct str *out, const struct form_choice *choices, size_t count,
                          const char *model) {
    ARRAY_OF(double) batches = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; choices[i].group->model == model && p < choices[i].points.at.count; p++)
            array_push(&batches, choices[i].points.at.at[p].at.batch);
    qsort(batches.at, batches.count, sizeof *batches.at, compare_batches);
    str_add(out, "    batches: [");
    for (size_t i = 0; i < batches.count; i++)
        if (i == 0 || batches.at[i] != batches.at[i - 1]) {
            str_add(out, i ? ", " : "");
            yaml_add_real(out, batches.at[i]);
        }
    str_add(out, "] # the measured ones\n");
    free(batches.at);
}

static void write_model(struct str *out, const struct form_choice *choices, size_t count,
                        const char *model, const struct writer_options *o) {
    str_add(out, "  - name: ");
    yaml_add_quoted(out, model);
    write_number(out, "\n    m0", isnan(o->m0) ? M0_UNKNOWN : o->m0);
    write_number(out, "    phi", isnan(o->phi) ? 0 : o->phi);
    write_batches(out, choices, count, model);
    str_add(out, "    gpus:\n");
}

void model_writer_write(struct str *out, const struct form_choice *choices,
                        const struct limits *limits, size_t count, const struct writer_options *o) {
    str_addf(out, "# Written by easim calibrate. Keys: docs/calibration.md.\n%smodels:\n",
             isnan(o->m0) && count > 0
                 ? "# m0 and phi are not known from a profile: every sample counts in full.\n"
                 : "");
    for (size_t first = 0; first < count; first++) {
        const char *model = choices[first].group->model;
        bool done = false;
        for (size_t i = 0; i < first; i++)
            done |= choices[i].group->model == model;
        if (done)
            continue;
        write_model(out, choices, count, model, o);
        for (size_t i = first; i < count; i++) {
            const struct form_choice *c = &choices[i];
            if (c->group->model != model)
                continue;
            str_add(out, "      ");
            yaml_add_quoted(out, c->group->gpu);
            str_add(out, ":\n");
            if (c->points.powers == 0)
                str_add(out, "        power: tdp\n");
            write_parameters(out, c);
            write_table(out, c);
            write_evidence(out, c, o->profile);
            write_range(out, c);
            write_fit(out, c);
            write_limits(out, &limits[i]);
        }
    }
}
