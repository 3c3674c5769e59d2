/* A scenario that replays a log: see power_replay.h. A rigid job draws idle_w + utilization (tdp_w
   - idle_w), so its utilization there is its share of the most that a GPU of the type draws above
   rest. */
#include "calibrate/metered/power_replay.h"

#include "base/units.h"
#include "calibrate/writer_text.h"
#include "config/scenario.h"
#include "io/csv.h"
#include "workload/trace_file.h"

#include <math.h>

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
