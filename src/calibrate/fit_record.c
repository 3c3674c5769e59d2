/* Records of fits: see fit_record.h. */
#include "calibrate/fit_record.h"

#include "io/yaml_node.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

/* --- writer_text --- */

/* "INDENTkey: value" on a line of its own, or nothing for a NAN. */
static void writer_number(struct str *out, const char *indent_key, double value) {
    if (!isfinite(value))
        return;
    str_addf(out, "%s: ", indent_key);
    yaml_add_real(out, value);
    str_add_char(out, '\n');
}

void writer_text(struct str *out, const char *indent_key, const char *text) {
    str_addf(out, "%s: ", indent_key);
    yaml_add_quoted(out, text);
    str_add_char(out, '\n');
}

static void add_key(struct str *out, const char *key) {
    str_addf(out, "%s%s: ", out->text[out->length - 1] == '{' ? "" : ", ", key);
}

void writer_item(struct str *out, const char *key, double value) {
    if (!isfinite(value))
        return;
    add_key(out, key);
    yaml_add_real(out, value);
}

void writer_item_text(struct str *out, const char *key, const char *text) {
    add_key(out, key);
    yaml_add_quoted(out, text);
}

void writer_list(struct str *out, const double *at, size_t count) {
    for (size_t i = 0; i < count; i++) {
        str_add(out, i ? ", " : "");
        yaml_add_real(out, at[i]);
    }
}

/* --- fit_record --- */

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
    str_add(out, "          metered: # whole nodes; the rest is derived from the fewest GPUs\n");
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

/* Key `fit` of a model on a GPU type. */
static void fit_record_write(struct str *out, const struct form_choice *choice,
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

/* Key `fit` of a model: its convergence. */
static void fit_record_convergence(struct str *out, const struct convergence *c,
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

/* --- model_writer --- */

/* Every sample counts in full as long as the global batch is not above m0 (semantics 3.2). */
#define M0_UNKNOWN 1e12

#define MAPE_MOST 100 /* of a model file; the record of the fit holds any */

/* ---- Batches ---- */

struct batches {
    ARRAY_OF(double) at;
};

static void sort_batches(struct batches *batches) {
    size_t kept = 0;
    gsl_sort(batches->at.at, 1, batches->at.count);
    for (size_t i = 0; i < batches->at.count; i++)
        if (kept == 0 || batches->at.at[i] > batches->at.at[kept - 1] * BATCH_EQUAL)
            batches->at.at[kept++] = batches->at.at[i];
    batches->at.count = kept;
}

static void add_batches(struct batches *batches, const struct points *points) {
    for (size_t i = 0; i < points->at.count; i++) {
        struct place at = points->at.at[i].at;
        array_push(&batches->at, points->by_size ? at.k * at.batch : at.batch);
    }
}

static void write_batch_list(struct str *out, const char *key, struct batches *batches) {
    sort_batches(batches);
    str_addf(out, "%s: [", key);
    writer_list(out, batches->at.at, batches->at.count);
    str_add(out, "] # the measured ones\n");
    free(batches->at.at);
}

/* Steps of the newest round at each place where they are not 1: most_batch is of one step. */
static void write_steps(struct str *out, const struct form_choice *choice) {
    const struct points *points = &choice->points;
    bool some = false;
    for (size_t i = 0; i < points->at.count;) {
        const struct point *first = &points->at.at[i], *newest = first;
        for (; i < points->at.count && points->at.at[i].configuration == first->configuration; i++)
            if (points->at.at[i].round > newest->round)
                newest = &points->at.at[i];
        if (newest->at.steps <= 1)
            continue;
        str_addf(out, "%s          - {k: %u", some ? "" : "        grad_accum:\n", newest->at.k);
        writer_item(out, "batch", newest->at.batch);
        writer_item(out, "steps", newest->at.steps);
        str_add(out, "}\n");
        some = true;
    }
}

/* The batches of one GPU type, and the largest of a step, above which nothing was measured. */
static void write_own_batches(struct str *out, const struct form_choice *choice) {
    const struct points *points = &choice->points;
    struct batches batches = {0};
    add_batches(&batches, points);
    write_batch_list(out, points->by_size ? "        global_batches" : "        batches", &batches);
    if (points->by_size)
        writer_number(out, "        most_batch", points_most_step(points));
    write_steps(out, choice);
}

/* ---- One model on one GPU type ---- */

static void write_parameter(struct str *out, const struct form_choice *choice, enum parameter p) {
    writer_number(out, arena_printf(choice->arena, "        %s", parameter_names[p]),
                  choice->fit.values[p]);
}

static void write_synchronization(struct str *out, const struct form_choice *choice) {
    const double *v = choice->fit.values;
    write_parameter(out, choice, PARAM_ALPHA);
    write_parameter(out, choice, PARAM_BETA);
    if (choice->form.across_nodes) {
        write_parameter(out, choice, PARAM_ALPHA_INTER);
        write_parameter(out, choice, PARAM_BETA_INTER);
    }
    if (choice->form.log2)
        str_add(out, "        sync_inter: log2\n");
    if (v[PARAM_SYNC_GAMMA] != 1)
        write_parameter(out, choice, PARAM_SYNC_GAMMA);
    if (v[PARAM_EXPONENT] != 0)
        write_parameter(out, choice, PARAM_EXPONENT);
}

static void write_parameters(struct str *out, const struct form_choice *choice) {
    bool power = choice->form.power != POWER_LAW_NONE && !choice->power_by_table,
         speed = !choice->speed_by_table;
    if (speed)
        write_parameter(out, choice, PARAM_A);
    if (speed || power)
        write_parameter(out, choice, PARAM_C);
    if (speed) {
        write_parameter(out, choice, PARAM_GAMMA);
        write_synchronization(out, choice);
    }
    if (choice->points.by_size)
        writer_number(out, "        gpus_per_node", choice->points.gpus_per_node);
    if (power) {
        write_parameter(out, choice, PARAM_P0);
        write_parameter(out, choice, PARAM_PMAX);
    }
}

static void write_power_scope(struct str *out, const struct form_choice *choice) {
    if (choice->points.powers == 0)
        str_add(out, "        power: tdp\n");
    else if (choice->points.scope != PROFILE_SCOPE_GPU)
        str_addf(out, "        power_scope: %s\n", profile_scope_names[choice->points.scope]);
}

static void write_table(struct str *out, const struct form_choice *choice) {
    if (choice->table.count == 0)
        return;
    str_add(out, "        lookup:\n");
    for (size_t i = 0; i < choice->table.count; i++) {
        const struct interpolation_point *p = &choice->table.points[i];
        str_addf(out, "          - {k: %lld", (long long)p->k);
        writer_item(out, "batch", p->batch);
        if (choice->speed_by_table)
            writer_item(out, "throughput_samples_s", p->throughput_samples_s);
        if (choice->power_by_table)
            writer_item(out, "power_w_per_gpu", p->power_w_per_gpu);
        str_add(out, p->across_nodes ? ", across_nodes: true}\n" : "}\n");
    }
}

static bool is_key(const struct statement *statement) {
    return strcmp(statement->key, "memory") != 0;
}

static void write_sources(struct str *out, const struct form_choice *choice, const char *profile) {
    writer_text(out, "        source:\n          points",
                arena_printf(choice->arena, "easim calibrate, %zu rows of %s",
                             choice->points.at.count, profile));
    const char *last = NULL;
    for (size_t i = 0, named = 0; i < choice->group->base_count && named < 5; i++) {
        const char *source =
            choice->group->rows[i].source; /* interned: equal texts have one address */
        if (source == last || !source[0])
            continue;
        last = source;
        writer_text(out, arena_printf(choice->arena, "          rows_%zu", ++named), source);
    }
    for (size_t i = 0; i < choice->statements.count; i++)
        if (is_key(&choice->statements.at[i]))
            writer_text(out,
                        arena_printf(choice->arena, "          %s", choice->statements.at[i].key),
                        choice->statements.at[i].text);
}

/* Measured, but for what the rows cannot tell. */
static void write_evidence(struct str *out, const struct form_choice *choice,
                           const struct calibrated_model *model) {
    str_addf(out, "        evidence: {points: %s", evidence_names[choice->evidence]);
    for (size_t i = 0; i < choice->statements.count; i++)
        if (is_key(&choice->statements.at[i]))
            str_addf(out, ", %s: %s", choice->statements.at[i].key,
                     evidence_names[choice->statements.at[i].word]);
    if (model->measured_efficiency)
        str_addf(
            out, ", m0: %s, phi: %s",
            evidence_names[model->convergence.m0_told ? EVIDENCE_MEASURED : EVIDENCE_ASSUMED],
            evidence_names[model->convergence.phi_told ? EVIDENCE_MEASURED : EVIDENCE_ASSUMED]);
    str_add(out, "}\n");
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
    writer_list(out, (const double[]){least_batch, most_batch}, 2);
    str_add(out, "]\n");
    const double in_sample = choice->in_sample.mape[THROUGHPUT],
                 left_out = choice->left_out.mape[THROUGHPUT];
    writer_number(out, "        mape_in_sample", in_sample <= MAPE_MOST ? in_sample : NAN);
    writer_number(out, "        mape_leave_one_out", left_out <= MAPE_MOST ? left_out : NAN);
}

static void write_limits(struct str *out, const struct limits *limits) {
    if (limits->levels.count == 0)
        return;
    str_add(out, "        power_limits:\n");
    writer_number(out, "          energy_optimal_w", limits->energy_optimal_w);
    str_add(out, "          levels:\n");
    for (size_t i = 0; i < limits->levels.count; i++) {
        const struct power_level *level = &limits->levels.at[i];
        str_add(out, "            - {");
        writer_item(out, "power_limit_w", level->power_limit_w);
        writer_item(out, "time_ratio", level->time_ratio);
        writer_item(out, "power_ratio", level->power_ratio);
        writer_item(out, "energy_ratio", level->energy_ratio);
        writer_item(out, "configurations", (double)level->configurations);
        str_add(out, "}\n");
    }
    str_add(out, "          points:\n");
    for (size_t i = 0; i < limits->points.count; i++) {
        const struct power_level_point *p = &limits->points.at[i];
        str_add(out, "            - {");
        writer_item(out, "power_limit_w", p->power_limit_w);
        writer_item(out, "k", (double)p->k);
        writer_item(out, "batch", p->batch);
        writer_item(out, "iteration_s", p->iteration_s);
        writer_item(out, "power_w_per_gpu", p->power_w_per_gpu);
        writer_item(out, "time_ratio", p->time_ratio);
        writer_item(out, "power_ratio", p->power_ratio);
        str_add(out, p->across_nodes ? ", across_nodes: true}\n" : "}\n");
    }
}

/* ---- The file ---- */

static void write_efficiency(struct str *out, const struct calibrated_model *model,
                             const struct calibration_options *o) {
    const double *v = model->convergence.values;
    if (!model->measured_efficiency) {
        writer_number(out, "    m0", isnan(o->m0) ? M0_UNKNOWN : o->m0);
        writer_number(out, "    phi", isnan(o->phi) ? 0 : o->phi);
        return;
    }
    writer_number(out, "    m0", v[CONVERGENCE_M0]);
    writer_number(out, "    phi", v[CONVERGENCE_PHI]);
    writer_number(out, "    samples_to_target", v[CONVERGENCE_SAMPLES]);
    fit_record_convergence(out, &model->convergence, &model->runs);
}

static void write_gpu(struct str *out, const struct calibration *calibration,
                      const struct calibrated_model *model, size_t i, bool own_batches) {
    const struct form_choice *c = &model->choices[i];
    str_add(out, "      ");
    yaml_add_quoted(out, c->group->gpu);
    str_add(out, ":\n");
    if (own_batches)
        write_own_batches(out, c);
    write_power_scope(out, c);
    write_parameters(out, c);
    write_table(out, c);
    write_evidence(out, c, model);
    write_sources(out, c, calibration->profile);
    write_range(out, c);
    fit_record_write(out, c, &model->limits[i]);
    write_limits(out, &model->limits[i]);
}

/* Batches of a single GPU type are those of the model. */
static void write_model(struct str *out, const struct calibration *calibration,
                        const struct calibrated_model *model) {
    bool own_batches = model->count > 1 || model->choices[0].points.by_size;
    str_add(out, "  - name: ");
    yaml_add_quoted(out, model->name);
    str_add_char(out, '\n');
    write_efficiency(out, model, &calibration->options);
    if (!own_batches) {
        struct batches batches = {0};
        add_batches(&batches, &model->choices[0].points);
        write_batch_list(out, "    batches", &batches);
    }
    str_add(out, "    gpus:\n");
    for (size_t i = 0; i < model->count; i++)
        write_gpu(out, calibration, model, i, own_batches);
}

void model_writer_write(struct str *out, const struct calibration *calibration) {
    bool unknown = false; /* of some model with rows of samples */
    for (size_t i = 0; i < calibration->count; i++)
        unknown |= !calibration->models[i].measured_efficiency;
    str_addf(
        out, "# Written by easim calibrate. Keys: docs/explanation/calibration.md.\n%smodels:\n",
        unknown && isnan(calibration->options.m0)
            ? "# m0 and phi are not known from a profile without samples_to_target: every sample counts in full.\n"
            : "");
    for (size_t i = 0; i < calibration->count; i++)
        write_model(out, calibration, &calibration->models[i]);
}
