/* Tables of a run over time: see run_tables.h. */
#include "output/run/run_tables.h"

#include "base/units.h"
#include "engine/power_cap.h"
#include "engine/services.h"
#include "io/csv.h"
#include "metrics/job_record.h"
#include "output/columns.h"

#include <math.h>
#include <stdlib.h>

/* --- power_csv --- */

/* clang-format off */
#define POWER_COLUMNS(X) \
    X(time_s, seconds, "s", NEITHER, row->time_ns) \
    X(power_w, watts, "W", LESS, row->power_nw) \
    X(alloc_gpus, milli, "GPUs", NEITHER, whole_milli(row->allocated) - shared_free) \
    X(idle_gpus, milli, "GPUs", NEITHER, whole_milli(row->idle) + shared_free) \
    X(waiting, int, "", LESS, row->waiting) \
    X(cap_w, limit, "W", NEITHER, row->cap_w) \
    X(failed_gpus, int, "GPUs", NEITHER, row->failed)
/* Where a power cap is enforced. */
#define POWER_COLUMNS_LIMITS(X) \
    X(throttled_gpus, int, "GPUs", LESS, (int64_t)row->throttled)
/* clang-format on */

static int64_t whole_milli(uint32_t gpus) {
    return (int64_t)gpus * WHOLE_GPU_MILLI;
}

static bool is_enforced(const struct cluster *cluster) {
    return cluster->cap_rules.enforce != ENFORCE_NONE;
}

void power_csv_header(const struct cluster *cluster, struct str *out) {
    str_add(out, RUN_HEADER(POWER_COLUMNS));
    str_add(out, is_enforced(cluster) ? POWER_COLUMNS_LIMITS(COLUMN_NAME) "\n" : "\n");
}

static void add_row(void *context, const struct sim *sim) {
    const struct rows_csv *csv = context;
    const struct power_row now = power_row_of(sim), *row = &now;
    int64_t shared_free = (int64_t)row->shared_free_milli;
    struct str *out = pieces_row(csv->pieces);
    str_add_bytes(out, csv->begin.text, csv->begin.length);
    POWER_COLUMNS(COLUMN_CELL)
    if (is_enforced(sim->cluster))
        POWER_COLUMNS_LIMITS(COLUMN_CELL)
    str_add_char(out, '\n');
}

const struct observer power_csv_rows = {.instant = add_row};

/* --- caps_csv --- */

/* clang-format off */
#define CAPS_COLUMNS(X) \
    X(time_s, seconds, "s", NEITHER, sim->now_ns) \
    X(domain, text, "", NEITHER, domain) \
    X(stage, int, "", NEITHER, stage + 1) \
    X(x, real, "", NEITHER, share->x[stage]) \
    X(power_w, watts, "W", LESS, share->nw)
/* clang-format on */

const char caps_csv_header[] = RUN_HEADER(CAPS_COLUMNS) "\n";

static void add_share_rows(struct caps_csv *csv, const struct sim *sim, uint32_t d) {
    const struct cap_share *share = &csv->now[d], *last = csv->last ? &csv->last[d] : NULL;
    const char *domain = d == 0 ? "cluster" : sim->cluster->power_domains[d - 1].name;
    for (int stage = 0; stage < power_cap_stages(sim); stage++) {
        if (last && share->nw == last->nw && share->x[stage] == last->x[stage])
            continue;
        struct str *out = pieces_row(csv->pieces);
        RUN_ROW(str_add_bytes(out, csv->begin.text, csv->begin.length), CAPS_COLUMNS);
    }
}

static void note_caps(void *context, const struct sim *sim) {
    struct caps_csv *csv = context;
    const struct cap_state *cap = sim->cap;
    if (!cap || (csv->last && csv->settled == cap->settled))
        return;
    csv->settled = cap->settled;
    if (!csv->now)
        csv->now = mem_alloc(cap->domain_count * sizeof *csv->now);
    power_cap_survey(sim, csv->now);
    for (uint32_t d = 0; d < cap->domain_count; d++)
        add_share_rows(csv, sim, d);
    struct cap_share *written = csv->now;
    csv->now = csv->last;
    csv->last = written;
}

void caps_csv_watch(struct caps_csv *csv, const char *policy, uint32_t number,
                    struct pieces *pieces) {
    caps_csv_finish(csv);
    run_columns_begin(policy, number, &csv->begin);
    csv->pieces = pieces;
    csv->observer = (struct observer){.context = csv, .instant = note_caps};
}

void caps_csv_finish(struct caps_csv *csv) {
    str_finish(&csv->begin);
    free(csv->last);
    free(csv->now);
    *csv = (struct caps_csv){0};
}

/* --- cap_events_csv --- */

/* clang-format off */
#define CAP_EVENTS_COLUMNS(X) \
    X(event, int, "", NEITHER, e + 1) \
    X(start_s, seconds, "s", NEITHER, event->start_ns) \
    X(end_s, seconds, "s", NEITHER, row->end_ns) \
    X(baseline_w, real, "W", NEITHER, row->baseline_w) \
    X(target_w, real, "W", NEITHER, row->target_w) \
    X(held_share, real, METRIC_SHARE, MORE, cap_event_held_share(row)) \
    X(reached_s, seconds, "s", LESS, row->reached_ns) \
    X(shortfall_w, watts, "W", LESS, has_begun ? row->worst_nw : -1) \
    X(shifted_kwh, real, "kWh", MORE, cap_event_shifted_kwh(row, event)) \
    X(lost_gpu_h, real, "GPU h", LESS, has_begun ? row->lost_gpu_s / S_PER_H : NAN) \
    X(flex_broken, natural, "", LESS, has_begun ? (int64_t)row->broken_jobs : -1) \
    X(flex_broken_s, seconds, "s", LESS, has_begun ? row->broken_ns : -1) \
    X(flex_reduction_w, real, "W", MORE, has_begun ? row->baseline_w - power_w(row->flex_nw) : NAN) \
    X(rebound_w, watts, "W", LESS, row->rebound_nw) \
    X(penalty, real, METRIC_CURRENCY, LESS, cap_event_penalty(row, event))
/* clang-format on */

const char cap_events_csv_header[] = RUN_HEADER(CAP_EVENTS_COLUMNS) "\n";

void cap_events_csv_rows(const struct replication *replication, struct pieces *pieces) {
    const struct cap_events *events = &replication->sim->cluster->cap_events;
    for (uint32_t e = 0; e < events->count; e++) {
        const struct cap_event *event = &events->at[e];
        const struct cap_event_row *row = &replication->metrics->cap_events.rows[e];
        bool has_begun = row->end_ns >= 0;
        struct str *out = pieces_row(pieces);
        RUN_ROW(run_columns_begin_row(replication, out), CAP_EVENTS_COLUMNS);
    }
}

/* --- meter_csv --- */

/* clang-format off */
#define METER_COLUMNS(X) \
    X(time_s, seconds, "s", NEITHER, power_means_end_ns(means, i)) \
    X(power_w, watts, "W", LESS, means->at_nw.at[i])
/* clang-format on */

const char meter_csv_header[] = RUN_HEADER(METER_COLUMNS) "\n";

void meter_csv_rows(const struct replication *replication, struct pieces *pieces) {
    const struct power_means *means = replication->means;
    for (size_t i = 0; i < means->at_nw.count; i++) {
        struct str *out = pieces_row(pieces);
        RUN_ROW(run_columns_begin_row(replication, out), METER_COLUMNS);
    }
}

/* --- series_csv --- */

/* clang-format off */
#define SERIES_COLUMNS(X) \
    X(time_s, seconds, "s", NEITHER, time_ns) \
    X(cap_w, limit, "W", NEITHER, cursors[SIGNAL_CAP].value) \
    X(price_per_mwh, limit, METRIC_CURRENCY, NEITHER, cursors[SIGNAL_PRICE].value) \
    X(carbon_g_per_kwh, limit, "g", NEITHER, cursors[SIGNAL_CARBON].value)
/* clang-format on */

static void series_csv_add_row(const struct series_cursor *cursors, int64_t time_ns,
                               struct str *out) {
    TABLE_ROW(SERIES_COLUMNS);
}

/* The next change of any, which they pass; TIME_NONE_NS: none. */
static int64_t pass_next(struct series_cursor *cursors) {
    int64_t next_ns = TIME_NONE_NS;
    for (int i = 0; i < SIGNALS; i++)
        if (series_next_ns(&cursors[i]) < next_ns)
            next_ns = series_next_ns(&cursors[i]);
    for (int i = 0; i < SIGNALS && next_ns != TIME_NONE_NS; i++)
        while (series_next_ns(&cursors[i]) == next_ns)
            series_pass(&cursors[i]);
    return next_ns;
}

void series_csv(const struct study *study, int64_t end_ns, struct str *out) {
    struct series_cursor cursors[SIGNALS];
    for (int i = 0; i < SIGNALS; i++)
        series_start(&cursors[i], &study->scenario.signals[i]);
    str_add(out, TABLE_HEADER(SERIES_COLUMNS));
    for (int64_t time_ns = 0; time_ns <= end_ns && time_ns != TIME_NONE_NS;
         time_ns = pass_next(cursors))
        series_csv_add_row(cursors, time_ns, out);
}

/* --- gpus_csv --- */

/* clang-format off */
#define GPUS_COLUMNS(X) \
    X(node, int, "", NEITHER, rest->node) \
    X(gpu, own_text, "", NEITHER, add_gpus(rest, out)) \
    X(state, word, "", NEITHER, recorded_state_names[rest->state]) \
    X(start_s, seconds, "s", NEITHER, rest->start_ns) \
    X(end_s, seconds, "s", NEITHER, rest->end_ns)
/* clang-format on */

static void add_gpus(const struct recorded_rest *rest, struct str *out) {
    str_add_char(out, ',');
    run_columns_gpus(out, rest->first, rest->count);
}

const char gpus_csv_header[] = RUN_HEADER(GPUS_COLUMNS) "\n";

void gpus_csv_rows(const struct replication *replication, struct pieces *pieces) {
    const struct gpu_tracker *tracker = replication->segments->tracker;
    struct str begin = {0};
    run_columns_begin_row(replication, &begin);
    for (size_t i = 0; i < tracker->rests.count; i++) {
        const struct recorded_rest *rest = &tracker->rests.at[i];
        struct str *out = pieces_row(pieces);
        RUN_ROW(str_add_bytes(out, begin.text, begin.length), GPUS_COLUMNS);
    }
    str_finish(&begin);
}

/* --- decisions_csv --- */

/* clang-format off */
#define DECISIONS_COLUMNS(X) \
    X(time_s, seconds, "s", NEITHER, row->time_ns) \
    X(action, text, "", NEITHER, action_names[row->action.kind]) \
    X(job_id, text, "", NEITHER, who.text) \
    X(gpu_type, text, "", NEITHER, gpu_type_name(sim, c, replica)) \
    X(k, count, "GPUs", NEITHER, c ? c->k : replica ? replica->k : 0) \
    X(b, positive, "samples", NEITHER, c ? c->batch : most_requests(replica)) \
    X(answer, text, "", NEITHER, answer_text(sim, &row->action)) \
    X(power_limit_w, limit, "W", NEITHER, power_limit_w(&row->action, c))
/* clang-format on */

/* Whether it scales a service that exists. */
static bool is_scaling(const struct action_record *action) {
    return (action->kind == ACTION_SCALE_UP || action->kind == ACTION_SCALE_DOWN) &&
           action->scaled.service != EASIM_NONE;
}

/* A job, a replica, or a service that does not get one. */
static void add_who(const struct sim *sim, const struct action_record *action, struct str *who) {
    who->length = 0;
    str_add(who,
            action->job < sim->workload->jobs.count ? sim->workload->jobs.at[action->job].id : "");
    if (!is_scaling(action))
        return;
    str_add(who, services_spec(sim, action->scaled.service)->name);
    if (action->scaled.number > 0)
        str_addf(who, "#%u", action->scaled.number);
}

/* For a replica, in the place of a batch; 0: as many as were measured. */
static double most_requests(const struct replica_config *replica) {
    return replica && isfinite(replica->limit) ? replica->limit : 0;
}

static const char *answer_text(const struct sim *sim, const struct action_record *action) {
    return action->kind == ACTION_REJECT && action->refusal == REFUSED_NOT
               ? sim->reject_reasons[action->job]
               : refusal_names[action->refusal];
}

/* What was asked for in an action, brought into the range if it was accepted. */
static double power_limit_w(const struct action_record *action, const struct easim_config *config) {
    if (action->kind == ACTION_LIMIT)
        return isfinite(action->limit_w) ? action->limit_w : INFINITY;
    return config ? config->power_limit_w : INFINITY;
}

static const char *gpu_type_name(const struct sim *sim, const struct easim_config *config,
                                 const struct replica_config *replica) {
    const struct gpu_type *types = sim->cluster->gpu_types;
    return config ? types[config->gpu_type].name : replica ? types[replica->gpu_type].name : NULL;
}

const char decisions_csv_header[] = RUN_HEADER(DECISIONS_COLUMNS) "\n";

void decisions_csv_rows(const struct replication *replication, struct pieces *pieces) {
    const struct sim *sim = replication->sim;
    struct str who = {0};
    for (size_t i = 0; i < replication->metrics->decision_rows.count; i++) {
        const struct decision_row *row = &replication->metrics->decision_rows.at[i];
        uint32_t config = row->action.config;
        const struct easim_config *c =
            config < sim->view.v->config_count ? &sim->view.configs[config] : NULL;
        const struct replica_config *replica = is_scaling(&row->action)
                                                   ? &services_spec(sim, row->action.scaled.service)
                                                          ->configs[row->action.scaled.config]
                                                   : NULL;
        add_who(sim, &row->action, &who);
        struct str *out = pieces_row(pieces);
        RUN_ROW(run_columns_begin_row(replication, out), DECISIONS_COLUMNS);
    }
    str_finish(&who);
}
