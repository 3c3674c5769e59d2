/* A fit of power in words: see power_text.h. */
#include "calibrate/metered/power_text.h"

#include "base/units.h"
#include "calibrate/fit_record.h"
#include "config/scenario.h"
#include "io/csv.h"
#include "workload/trace_file.h"

#include <math.h>
#include <stdlib.h>

#define MOST_NAMED 6

/* ---- Names ---- */

/* " of TYPE, GROUP", as far as there are several. */
static void add_name(const struct power_text *text, uint32_t column, struct str *out) {
    const struct load_column *c = &text->fit->plan.load->columns.at[column];
    static const char *const kinds[] = {"at rest", "busy GPU", "GPU of a use that is not recorded",
                                        "use of a GPU"};
    str_add(out, kinds[c->kind]);
    if (text->jobs->types.count > 1 && c->kind != LOAD_CONSTANT)
        str_addf(out, ", %s", text->jobs->types.at[c->type]);
    if (text->jobs->groups.count > 1 && c->kind == LOAD_BUSY)
        str_addf(out, ", %s", text->jobs->groups.at[c->group]);
}

/* ---- Values ---- */

static void add_line(struct str *out, const char *name, struct power_value v, const char *note) {
    str_addf(out, "  %-34s %9.4g", name, v.value);
    if (!isnan(v.low))
        str_addf(out, "  %9.4g to %.4g", v.low, v.high);
    else if (note[0])
        str_addf(out, "  %s", note);
    str_add_char(out, '\n');
}

static bool is_held(const struct power_fit *fit, uint32_t column) {
    const struct power_column *c = &fit->plan.columns[column];
    bool held = c->part_count > 0;
    for (uint32_t p = 0; p < c->part_count; p++)
        held &= !fit->free[c->parts[p]];
    return held;
}

static const char *note_of(const struct power_fit *fit, uint32_t column) {
    return is_held(fit, column)  ? "held at its bound"
           : !fit->has_intervals ? "no interval: too few readings"
                                 : "";
}

/* Power at rest is of the whole; a GPU's or a node's follows by what of it is known. */
static void add_rest(const struct power_text *text, double *factors, struct str *out) {
    const struct metered_cluster *c = text->cluster;
    bool of_nodes = !isnan(c->idle_w);
    double units = of_nodes ? c->nodes : c->gpus;
    double known_w = metered_cluster_floor_w(c) / units;
    factors[0] = 1 / units;
    struct power_value v = power_fit_value(text->fit, factors);
    v.value -= known_w;
    v.low -= known_w;
    v.high -= known_w;
    add_line(out, of_nodes ? "base power of a node" : "idle power of a GPU", v,
             note_of(text->fit, 0));
    factors[0] = 0;
}

/* The use at which GPUs of unrecorded use draw what they draw. */
static void add_unrecorded(const struct power_text *text, uint32_t column, struct str *out) {
    const struct load *load = text->fit->plan.load;
    uint32_t use = load_find(load, LOAD_USE, load->columns.at[column].type, 0);
    double by_use_w = text->fit->plan.columns[use].value;
    struct str name = {0};
    add_name(text, column, &name);
    str_addf(out, "  %-34s ", name.text);
    if (by_use_w > 0)
        str_addf(out, "as at a use of %.3g\n", text->fit->plan.columns[column].value / by_use_w);
    else
        str_add(out, "as any other: use adds no power\n");
    str_finish(&name);
}

/* Of a GPU of the type at a use of 1, in the group that draws most. */
static void add_highest(const struct power_text *text, uint32_t type, double *factors,
                        struct str *out) {
    const struct load *load = text->fit->plan.load;
    uint32_t use = load_find(load, LOAD_USE, type, 0), best = LOAD_NONE;
    double most = -1;
    for (uint32_t c = 0; c < load->columns.count; c++) {
        const struct load_column *column = &load->columns.at[c];
        if (column->kind != LOAD_BUSY || column->type != type)
            continue;
        double power_w = text->fit->plan.columns[c].value +
                         (column->has_use ? text->fit->plan.columns[use].value : 0);
        best = power_w > most ? c : best;
        most = fmax(most, power_w);
    }
    double idle_w = metered_cluster_idle_w(text->cluster, text->fit->plan.columns[0].value);
    bool idle_known = !isnan(text->cluster->idle_w);
    factors[0] = idle_known ? 0 : 1 / text->cluster->gpus;
    factors[best] = 1;
    if (load->columns.at[best].has_use)
        factors[use] = 1;
    struct power_value v = power_fit_value(text->fit, factors);
    double more_w = idle_w - (idle_known ? 0 : text->fit->plan.columns[0].value * factors[0]);
    struct str name = {0};
    str_add(&name, "highest of a GPU");
    if (text->jobs->types.count > 1)
        str_addf(&name, ", %s", text->jobs->types.at[type]);
    add_line(out, name.text,
             (struct power_value){v.value + more_w, v.low + more_w, v.high + more_w},
             text->fit->has_intervals ? "held at its bound" : "");
    str_finish(&name);
    memset(factors, 0, load->columns.count * sizeof *factors);
}

void power_text_values(const struct power_text *text, struct str *out) {
    const struct load *load = text->fit->plan.load;
    double *factors = mem_zalloc(load->columns.count, sizeof *factors);
    str_addf(out, "  %-34s %9s  %s\n", "power (W), busy and use above idle", "fitted", "95 %");
    add_rest(text, factors, out);
    for (uint32_t c = 1; c < load->columns.count; c++) {
        if (load->columns.at[c].kind == LOAD_UNRECORDED) {
            add_unrecorded(text, c, out);
            continue;
        }
        if (text->fit->plan.columns[c].source == POWER_AS_OTHER ||
            text->fit->plan.columns[c].source == POWER_NOT_TOLD)
            continue;
        struct str name = {0};
        add_name(text, c, &name);
        factors[c] = 1;
        add_line(out, name.text, power_fit_value(text->fit, factors), note_of(text->fit, c));
        factors[c] = 0;
        str_finish(&name);
    }
    for (uint32_t t = 0; t < text->jobs->types.count; t++)
        add_highest(text, t, factors, out);
    free(factors);
}

/* ---- What is not told ---- */

static void add_split(const struct power_text *text, struct str *out) {
    const struct metered_cluster *c = text->cluster;
    if (!isnan(c->idle_w) || !isnan(c->base_w))
        return;
    str_addf(out,
             "idle power of %.9g GPUs and base power of %.9g nodes: only their sum of %.6g W is "
             "told; base power is taken as 0\n",
             c->gpus, c->nodes, text->fit->plan.columns[0].value);
    if (text->jobs->types.count > 1)
        str_add(out, "idle power by GPU type: only the sum is known; all types get the same\n");
}

/* Columns that have the power of another one, or none. */
static void add_merged(const struct power_text *text, uint32_t column, struct str *out) {
    const struct power_plan *plan = &text->fit->plan;
    const struct power_column *c = &plan->columns[column];
    add_name(text, column, out);
    if (c->source == POWER_NOT_TOLD) {
        str_addf(out, ": %s; its own power is taken as 0\n",
                 plan->sums[column] > 0 ? "follows from the others, which rise and fall with it"
                                        : "none in the time of the fit");
        return;
    }
    double busy = 0;
    for (size_t i = 0; i < plan->load->columns.count; i++)
        busy += plan->load->columns.at[i].kind == LOAD_BUSY ? plan->sums[i] : 0;
    str_addf(out, ": %s; taken as ",
             plan->sums[column] <= 0                         ? "none in the time of the fit"
             : plan->sums[column] < POWER_LEAST_SHARE * busy ? "less than 1 % of the GPU time"
                                                             : "always used together");
    add_name(text, c->as, out);
    str_add_char(out, '\n');
}

/* Groups that share one power. */
static void add_pooled(const struct power_text *text, struct str *out) {
    const struct power_plan *plan = &text->fit->plan;
    size_t count = 0;
    struct str names = {0};
    for (uint32_t c = 0; c < plan->load->columns.count; c++)
        if (plan->columns[c].source == POWER_POOLED && count++ < MOST_NAMED) {
            str_add(&names, count > 1 ? "; " : "");
            add_name(text, c, &names);
        }
    if (count > 0)
        str_addf(out,
                 "%s%s: %zu groups, each with less than 1 %% of the GPU time: one power by type\n",
                 names.text, count > MOST_NAMED ? "; ..." : "", count);
    str_finish(&names);
}

static void add_hardly(const struct power_text *text, struct str *out) {
    const struct power_fit *fit = text->fit;
    for (uint32_t p = 1; p < fit->plan.size; p++) {
        uint32_t c = power_plan_column(&fit->plan, p);
        if (fit->rest[p] >= POWER_HARDLY_TOLD || c == LOAD_NONE)
            continue;
        add_name(text, c, out);
        str_addf(out, ": hardly told apart from the others, which leave %.2g %% of its changes\n",
                 100 * fit->rest[p]);
    }
}

void power_text_untold(const struct power_text *text, struct str *out) {
    const struct power_plan *plan = &text->fit->plan;
    add_split(text, out);
    for (uint32_t c = 1; c < plan->load->columns.count; c++) {
        enum power_source source = plan->columns[c].source;
        if (plan->load->columns.at[c].kind != LOAD_UNRECORDED &&
            (source == POWER_AS_OTHER || source == POWER_NOT_TOLD))
            add_merged(text, c, out);
    }
    add_pooled(text, out);
    add_hardly(text, out);
}

/* --- power_replay --- */
/* A rigid job draws idle_w + utilization (tdp_w - idle_w), so its utilization is its share of the
   most that a GPU of the type draws above rest. */

static double column_w(const struct power_fit *fit, uint32_t column) {
    return column == LOAD_NONE ? 0 : fit->plan.columns[column].value;
}

/* What a GPU of the job draws above rest at a use, NAN: not recorded. */
static double above_rest_w(const struct power_fit *fit, const struct metered_job *job, double use) {
    const struct load *load = fit->plan.load;
    uint32_t busy = load_find(load, LOAD_BUSY, job->type, job->group);
    double power_w = column_w(fit, busy);
    if (!isnan(use))
        power_w += use * column_w(fit, load_find(load, LOAD_USE, job->type, 0));
    else if (load->columns.at[busy].has_use)
        power_w += column_w(fit, load_find(load, LOAD_UNRECORDED, job->type, 0));
    return power_w;
}

/* The most of any group of the type. */
static double most_above_rest_w(const struct power_fit *fit, uint32_t type) {
    const struct load *load = fit->plan.load;
    double most_w = 0;
    for (uint32_t c = 0; c < load->columns.count; c++) {
        const struct load_column *column = &load->columns.at[c];
        if (column->kind == LOAD_BUSY && column->type == type)
            most_w =
                fmax(most_w,
                     column_w(fit, c) +
                         (column->has_use ? column_w(fit, load_find(load, LOAD_USE, type, 0)) : 0));
    }
    return most_w;
}

static double share_of_most(const struct power_fit *fit, const struct metered_job *job,
                            double use) {
    double most_w = most_above_rest_w(fit, job->type);
    return most_w > 0 ? fmin(1, above_rest_w(fit, job, use) / most_w) : 0;
}

/* ---- The scenario ---- */

int power_replay_check(const struct power_text *text, struct error *reterr) {
    const struct metered_cluster *c = text->cluster;
    double rest_w = column_w(text->fit, 0), base_w = metered_cluster_base_w(c, rest_w);
    if (base_w > SCENARIO_MOST_W)
        return error_set(reterr, ERROR_RUN, "no scenario takes %.6g W as base power of a node",
                         base_w);
    for (uint32_t t = 0; t < c->type_count; t++) {
        double most_w = metered_cluster_idle_w(c, rest_w) + most_above_rest_w(text->fit, t);
        if (!(most_w > 0 && most_w <= SCENARIO_MOST_W))
            return error_set(reterr, ERROR_RUN, "no scenario takes %.6g W as tdp_w of GPU type %s",
                             most_w, c->types[t].name);
    }
    return 0;
}

static void add_types(const struct power_text *text, struct str *out) {
    const struct metered_cluster *c = text->cluster;
    double rest_w = column_w(text->fit, 0), idle_w = metered_cluster_idle_w(c, rest_w);
    str_add(out, "  gpu_types:\n");
    for (uint32_t t = 0; t < c->type_count; t++) {
        str_add(out, "    - {");
        writer_item_text(out, "name", c->types[t].name);
        writer_item(out, "idle_w", idle_w);
        writer_item(out, "tdp_w", idle_w + most_above_rest_w(text->fit, t));
        str_add(out, "}\n");
    }
    str_add(out, "  nodes:\n");
    for (uint32_t t = 0; t < c->type_count; t++) {
        str_add(out, "    - {");
        writer_item(out, "count", c->types[t].nodes);
        writer_item_text(out, "gpu", c->types[t].name);
        writer_item(out, "gpus", c->types[t].gpus_of_node);
        writer_item(out, "base_w", metered_cluster_base_w(c, rest_w));
        str_add(out, "}\n");
    }
}

void power_replay_scenario(const struct power_text *text, const char *name, bool has_steps,
                           struct str *out) {
    const struct power_fit *fit = text->fit;
    str_addf(
        out,
        "# Power fitted to a meter from %.9g h to %.9g h; utilization in jobs.csv is the share\n",
        fit->from_s / S_PER_H, fit->to_s / S_PER_H);
    str_add(out, "# of what a GPU draws above idle_w at most. Written by easim calibrate power.\n");
    writer_text(out, "name", name);
    str_add(out, "horizon: drain\n\ncluster:\n");
    add_types(text, out);
    str_add(out, "\nworkload:\n  kind: trace\n  file: jobs.csv\n");
    str_add(out, has_steps ? "  utilization_file: utilization.csv\n" : "");
    str_add(out, "\npolicy: {name: fcfs}\n");
}

/* ---- Jobs ---- */

void power_replay_jobs(const struct power_text *text, struct trace *trace, struct str *out) {
    for (size_t i = 0; i < text->jobs->at.count; i++) {
        const struct metered_job *job = &text->jobs->at.at[i];
        trace->rows.at[job->row].utilization = share_of_most(text->fit, job, job->use);
    }
    trace_file_write(trace, out);
}

void power_replay_steps(const struct power_text *text, const struct trace *trace, struct str *out) {
    for (size_t i = 0; i < text->jobs->at.count; i++) {
        const struct metered_job *job = &text->jobs->at.at[i];
        str_add(out, out->length == 0 && job->steps ? "job_id,from_s,utilization\n" : "");
        double now = share_of_most(text->fit, job, job->use);
        for (uint32_t s = 0; job->steps && s < job->steps->count; s++) {
            double share = share_of_most(text->fit, job, metered_job_use(job, s));
            if (share == now)
                continue;
            now = share;
            csv_add_text(out, trace->rows.at[job->row].id);
            csv_comma_real(out, job->steps->at[s].from_s);
            csv_comma_real(out, share);
            str_add_char(out, '\n');
        }
    }
}
