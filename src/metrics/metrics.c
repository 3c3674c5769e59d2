/* The observer: time integrals and extremes of a run. */
#include "metrics/metrics.h"

#include "base/units.h"
#include "engine/limits.h"

#include <math.h>
#include <stdlib.h>

/* --- queue_slope --- */
/* The number of waiting jobs is constant between instants, so the integral is exact: slope = 12 /
   D^3 * integral of (t - middle) w(t) dt over a time of length D. */

static double length_h(const struct sim *sim) {
    return (units_s(sim->options.horizon_ns) - units_s(sim->workload->warmup_ns)) / S_PER_H;
}

static double from_middle_h(const struct sim *sim, int64_t time_ns) {
    return (units_s(time_ns) - units_s(sim->workload->warmup_ns)) / S_PER_H - length_h(sim) / 2;
}

/* The moment up to to_ns: as many wait as after the last instant. */
static double moment_at(const struct queue_slope *slope, const struct sim *sim, int64_t to_ns) {
    int64_t from_ns =
        slope->since_ns > sim->workload->warmup_ns ? slope->since_ns : sim->workload->warmup_ns;
    if (to_ns <= from_ns)
        return slope->moment;
    double from_h = from_middle_h(sim, from_ns), to_h = from_middle_h(sim, to_ns);
    return slope->moment + slope->waiting * (to_h * to_h - from_h * from_h) / 2;
}

/* After each instant at which something changed. Does nothing where there is no horizon. */
static void queue_slope_note(struct queue_slope *slope, const struct sim *sim) {
    if (sim->options.horizon_ns == TIME_NONE_NS)
        return;
    slope->moment = moment_at(slope, sim, sim->now_ns);
    slope->since_ns = sim->now_ns;
    slope->waiting = sim->waiting;
}

double queue_slope_per_h(const struct queue_slope *slope, const struct sim *sim) {
    if (sim->options.horizon_ns == TIME_NONE_NS)
        return NAN;
    double hours = length_h(sim);
    return 12 * moment_at(slope, sim, sim->options.horizon_ns) / (hours * hours * hours);
}

/* --- metrics --- */

static void copy_meter(struct power_meter *to, const struct power_meter *from) {
    *to = *from;
    to->cpu_milli_nw = NULL;
    to->types = mem_zalloc(from->type_count, sizeof *to->types);
    memcpy(to->types, from->types, from->type_count * sizeof *to->types);
}

static struct job_sums *job_sums_of(struct metrics *metrics, const struct sim *sim) {
    if (metrics->job_sums)
        return metrics->job_sums;
    metrics->users = mem_zalloc(sim->workload->users.count, sizeof *metrics->users);
    metrics->types = mem_zalloc(sim->cluster->gpu_type_count, sizeof *metrics->types);
    return metrics->job_sums = job_sums_new(sim, &metrics->summary, metrics->users, metrics->types);
}

static void on_past(void *context, const struct sim *sim, uint32_t end) {
    job_sums_add(job_sums_of(context, sim), end);
}

/* Measuring starts anew: what came before the end of the warm-up does not count. */
static void on_measure(void *context, const struct sim *sim) {
    struct metrics *metrics = context;
    free(metrics->at_start.types);
    copy_meter(&metrics->at_start, &sim->meter);
    metrics->start_ns = sim->now_ns;
    metrics->jobs_at_start = job_sums_totals(job_sums_of(metrics, sim));
    metrics->power_max_nw = 0;
    metrics->frag_gpu_ps = metrics->over.energy = 0;
    metrics->over.ns = 0;
    domain_stats_measure(&metrics->domains, sim);
    metrics->capped = false;
    metrics->extent = (struct queue_extent){.jobs_ns = -sim->jobs_ns, .most_since_ns = sim->now_ns};
    metrics->co2 = metrics->cost = (struct priced){0};
    metrics->throttled_gpu_ps = 0;
    metrics->preemptions = metrics->resizes = metrics->job_failures = metrics->capped_starts = 0;
    metrics->node_failures_at_start = sim->failures.count;
    service_stats_begin(&metrics->service_stats, sim);
}

static void on_service(void *context, const struct sim *sim, const struct service_piece *piece) {
    struct metrics *metrics = context;
    service_stats_note(&metrics->service_stats, sim, piece);
}

/* What the energy at the present value comes to: kWh, times pue, times the value. */
static double present_share(const struct priced *priced, double pue) {
    return power_j(priced->energy) / J_PER_KWH * pue * priced->value;
}

/* Adds energy while the price or intensity is `value`; a new value closes the sum of the
   last one. */
static void add_priced(struct priced *priced, double value, double pue, int128 energy) {
    if (isnan(value)) { /* nothing says it, so there is no sum; NaN would be new each time */
        priced->sum = priced->value = value;
        return;
    }
    if (value != priced->value) {
        priced->sum += priced->energy > 0 ? present_share(priced, pue) : 0;
        priced->energy = 0;
        priced->value = value;
    }
    priced->energy += energy;
}

/* Thousandths of free GPUs of the types that a waiting job could use. */
static int64_t wanted_milli(const struct sim *sim) {
    int64_t milli = 0;
    for (uint32_t h = 0; sim->waiting > 0 && h < sim->cluster->gpu_type_count; h++) {
        const struct easim_gpu_type *type = &sim->view.gpu_types[h];
        if (sim->waiting_for[h] > 0)
            milli += type->free * (int64_t)WHOLE_GPU_MILLI + (int64_t)type->shared_free_milli;
    }
    return milli;
}

/* Of a stretch above the cap, what exceeds the grace of an enforced one. */
static void add_violation(struct metrics *metrics, const struct sim *sim, int64_t from_ns,
                          int64_t to_ns) {
    double cap_w = sim->view.v->power_cap_w;
    const struct cap_rules *rules = &sim->cluster->cap_rules;
    int64_t over_nw = isfinite(cap_w) ? sim->meter.advanced_nw - power_nw(cap_w) : 0;
    metrics->capped = metrics->capped || isfinite(cap_w);
    int64_t grace_ns =
        over_nw <= 0 || rules->enforce == ENFORCE_NONE ? 0 : units_ns(rules->grace_s);
    cap_excess_add(&metrics->over, over_nw, grace_ns, from_ns, to_ns);
}

static void on_advance(void *context, const struct sim *sim, int64_t from_ns, int64_t to_ns) {
    struct metrics *metrics = context;
    int64_t duration_ns = to_ns - from_ns, power = sim->meter.advanced_nw;
    if (power > metrics->power_max_nw)
        metrics->power_max_nw = power;
    struct queue_extent *extent = &metrics->extent;
    extent->waiting_ns += (int128)(int64_t)sim->waiting * duration_ns;
    if (sim->waiting > extent->most) {
        extent->most = sim->waiting;
        extent->most_since_ns = from_ns;
    }
    metrics->frag_gpu_ps += (int128)wanted_milli(sim) * duration_ns;
    if (sim->limits)
        metrics->throttled_gpu_ps +=
            (int128)sim->limits->throttled_gpus * WHOLE_GPU_MILLI * duration_ns;
    add_violation(metrics, sim, from_ns, to_ns);
    domain_stats_advance(&metrics->domains, sim, from_ns, to_ns);
    cap_event_stats_advance(&metrics->cap_events, sim, from_ns);
    double pue = sim->cluster->pue;
    add_priced(&metrics->co2, sim->view.v->carbon_g_per_kwh, pue, (int128)power * duration_ns);
    add_priced(&metrics->cost, sim->view.v->price_per_mwh, pue, (int128)power * duration_ns);
}

static void on_instant(void *context, const struct sim *sim) {
    struct metrics *metrics = context;
    queue_slope_note(&metrics->queue, sim);
    cap_event_stats_instant(&metrics->cap_events, sim);
}

static void note_action(void *context, const struct sim *sim, const struct action_record *action) {
    struct metrics *metrics = context;
    metrics->capped_starts += action->kind == ACTION_START && action->refusal == REFUSED_CAP;
    if (metrics->record_decisions)
        array_push(&metrics->decision_rows, ((struct decision_row){sim->now_ns, *action}));
}

static void count_change(void *context, const struct sim *sim, uint32_t job,
                         enum job_change change) {
    struct metrics *metrics = context;
    if (change == JOB_REJECTED && sim->runs[job].cause != CAUSE_REJECTED) /* not by the policy */
        note_action(
            metrics, sim,
            &(struct action_record){
                .kind = ACTION_REJECT, .refusal = REFUSED_NOT, .job = job, .config = EASIM_NONE});
    if (change == JOB_STOPPED)
        metrics->preemptions++;
    if (change == JOB_RESIZED)
        metrics->resizes++;
    if (change == JOB_FAILED)
        metrics->job_failures++;
}

void metrics_init(struct metrics *metrics, bool record_decisions) {
    *metrics = (struct metrics){.record_decisions = record_decisions, .over = {.since_ns = -1}};
    metrics->observer = (struct observer){.context = metrics,
                                          .advance = on_advance,
                                          .instant = on_instant,
                                          .job = count_change,
                                          .service = on_service,
                                          .action = note_action,
                                          .past = on_past,
                                          .measure = on_measure};
}

void metrics_finish(struct metrics *metrics) {
    free(metrics->decision_rows.at);
    free(metrics->domains.of);
    free(metrics->at_start.types);
    free(metrics->job_sums);
    free(metrics->users);
    free(metrics->types);
    free(metrics->summary.services);
    service_stats_finish(&metrics->service_stats);
    cap_event_stats_finish(&metrics->cap_events);
    *metrics = (struct metrics){0};
}

/* Energy and GPU time of the measured part, by type and in all. */
static void sum_up_energy(struct metrics *metrics, const struct sim *sim) {
    struct summary *s = &metrics->summary;
    int128 idle = 0, setup = 0, computing = 0, setup_gpu_ps = 0, computing_gpu_ps = 0,
           sleep_gpu_ps = 0;
    int128 limited_gpu_ps = 0, service = 0, loading_gpu_ps = 0, serving_gpu_ps = 0;
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++) {
        static const struct power_type zero;
        const struct power_type *now = &sim->meter.types[h],
                                *then =
                                    metrics->at_start.types ? &metrics->at_start.types[h] : &zero;
        int128 type_setup = now->setup.energy - then->setup.energy;
        int128 type_computing = now->computing.energy - then->computing.energy;
        int128 type_idle = now->idle_energy - then->idle_energy;
        int128 type_setup_ps = now->setup.gpu_ps - then->setup.gpu_ps;
        int128 type_computing_ps = now->computing.gpu_ps - then->computing.gpu_ps;
        int128 type_service =
            now->loading.energy + now->serving.energy - then->loading.energy - then->serving.energy;
        int128 type_loading_ps = now->loading.gpu_ps - then->loading.gpu_ps;
        int128 type_serving_ps = now->serving.gpu_ps - then->serving.gpu_ps;
        int128 type_busy_ps = type_computing_ps + type_serving_ps;
        metrics->types[h].alloc_gpu_h =
            power_gpu_s(type_setup_ps + type_loading_ps + type_busy_ps) / S_PER_H;
        metrics->types[h].compute_gpu_h = power_gpu_s(type_busy_ps) / S_PER_H;
        metrics->types[h].energy_kwh =
            power_j(type_setup + type_computing + type_service + type_idle) / J_PER_KWH;
        service += type_service;
        loading_gpu_ps += type_loading_ps;
        serving_gpu_ps += type_serving_ps;
        idle += type_idle;
        setup += type_setup;
        computing += type_computing;
        setup_gpu_ps += type_setup_ps;
        computing_gpu_ps += type_computing_ps;
        limited_gpu_ps += now->limited_gpu_ps - then->limited_gpu_ps;
        sleep_gpu_ps += now->sleep_gpu_ps - then->sleep_gpu_ps;
    }
    int128 base = sim->meter.base_energy - metrics->at_start.base_energy;
    double capacity_s = s->sim_s * sim->cluster->gpus;
    int128 all = base + idle + setup + computing + service;
    int128 busy_gpu_ps = computing_gpu_ps + serving_gpu_ps;
    s->energy_kwh = power_j(all) / J_PER_KWH;
    s->energy_service_kwh = power_j(service) / J_PER_KWH;
    s->energy_job_kwh = power_j(setup + computing) / J_PER_KWH;
    s->energy_idle_kwh = power_j(idle) / J_PER_KWH;
    s->energy_setup_kwh = power_j(setup) / J_PER_KWH;
    s->energy_base_kwh = power_j(base) / J_PER_KWH;
    s->energy_network_kwh = power_w(sim->meter.network_nw) * s->sim_s / J_PER_KWH;
    s->limited_gpu_h = power_gpu_s(limited_gpu_ps) / S_PER_H;
    s->sleep_gpu_h = power_gpu_s(sleep_gpu_ps) / S_PER_H;
    s->setup_gpu_h = power_gpu_s(setup_gpu_ps) / S_PER_H;
    s->util_alloc = capacity_s > 0
                        ? power_gpu_s(setup_gpu_ps + loading_gpu_ps + busy_gpu_ps) / capacity_s
                        : NAN;
    s->util_compute = capacity_s > 0 ? power_gpu_s(busy_gpu_ps) / capacity_s : NAN;
    s->power_mean_w = s->sim_s > 0 ? power_j(all) / s->sim_s : NAN;
}

/* Grams to kg, or price per MWh to per kWh. `value` is that of the end. */
static double priced_total(struct priced *priced, double value, double pue) {
    add_priced(priced, value, pue, 0);
    return (priced->sum + present_share(priced, pue)) / 1000;
}

static void sum_up_prices(struct metrics *metrics, const struct sim *sim) {
    const struct easim_view *v = sim->view.v;
    metrics->summary.co2_kg = priced_total(&metrics->co2, v->carbon_g_per_kwh, sim->cluster->pue);
    metrics->summary.cost = priced_total(&metrics->cost, v->price_per_mwh, sim->cluster->pue);
    metrics->summary.water_l = metrics->summary.energy_kwh * sim->options.wue_l_per_kwh;
}

/* Of all jobs, measured or not. */
static void sum_up_totals(struct metrics *metrics) {
    struct summary *s = &metrics->summary;
    const struct job_totals now = job_sums_totals(metrics->job_sums),
                            *then = &metrics->jobs_at_start;
    metrics->submitted_gpu_s = now.submitted_s;
    s->work_done_gpu_h = (now.work_done_s - then->work_done_s) / S_PER_H;
    s->work_unfinished_gpu_h = now.work_left_s / S_PER_H;
    s->energy_lost_kwh = power_j(now.lost_energy - then->lost_energy) / J_PER_KWH;
    s->lost_gpu_h = power_gpu_s(now.lost_gpu_ps - then->lost_gpu_ps) / S_PER_H;
}

void metrics_sum_up(struct metrics *metrics, const struct sim *sim) {
    struct summary *s = &metrics->summary;
    if (sim->now_ns <
        sim->workload->warmup_ns) /* the run was over before the warm-up: nothing is measured */
        on_measure(metrics, sim);
    cap_event_stats_close(&metrics->cap_events, sim);
    bool capped = metrics->capped || isfinite(sim->cluster->power_cap_w);
    s->sim_s = units_s(sim->now_ns - metrics->start_ns);
    metrics->extent.jobs_ns += sim->jobs_ns;
    struct job_sums *job_sums = job_sums_of(metrics, sim);
    sum_up_energy(metrics, sim);
    job_sums_close(job_sums);
    sum_up_totals(metrics);
    sum_up_prices(metrics, sim);
    s->throughput_jobs_per_h = summary_ratio(s->jobs_finished, s->sim_s / S_PER_H);
    s->energy_per_job_kwh = summary_ratio(s->energy_kwh, s->jobs_finished);
    double without_services = s->energy_kwh - s->energy_service_kwh;
    s->energy_per_work_kwh = summary_ratio(without_services, s->work_done_gpu_h);
    s->energy_all_per_work_kwh = summary_ratio(s->energy_kwh, s->work_done_gpu_h);
    service_stats_sum_up(&metrics->service_stats, sim, s);
    s->frag_gpu_h = power_gpu_s(metrics->frag_gpu_ps) / S_PER_H;
    s->interruptions_per_job =
        summary_ratio((double)(metrics->preemptions + metrics->resizes + metrics->job_failures),
                      s->jobs_submitted);
    s->preemptions = (double)metrics->preemptions;
    s->resizes = (double)metrics->resizes;
    s->capped_starts = (double)metrics->capped_starts;
    s->throttled_gpu_h = power_gpu_s(metrics->throttled_gpu_ps) / S_PER_H;
    s->job_failures = (double)metrics->job_failures;
    s->node_failures = (double)(sim->failures.count - metrics->node_failures_at_start);
    s->power_max_w = power_w(metrics->power_max_nw);
    s->cap_violation_s = capped ? units_s(metrics->over.ns) : NAN;
    s->cap_violation_j = capped ? power_j(metrics->over.energy) : NAN;
    s->events = (double)sim->event_total;
    s->decisions = (double)sim->decision_total;
    s->extrapolated_starts = (double)sim->extrapolated_starts;
    for (int i = 0; i < REFUSAL_COUNT; i++)
        s->refused_actions += (double)sim->refused[i];
}

/* --- power_means --- */
/* Invariant: at_nw holds the past intervals, energy is of the present one up to now_ns. */

#define POWER_MEANS_MOST 10000000

/* Power is never negative, so this rounds to the nearest. */
static int64_t mean_nw(int128 energy, int64_t duration_ns) {
    return (int64_t)((energy + duration_ns / 2) / duration_ns);
}

static void end_interval(struct power_means *means, int64_t duration_ns) {
    array_push(&means->at_nw, mean_nw(means->energy, duration_ns));
    means->energy = 0;
}

static void power_means_on_advance(void *context, const struct sim *sim, int64_t from_ns,
                                   int64_t to_ns) {
    struct power_means *means = context;
    int64_t power_nw = power_meter_total_nw(&sim->meter);
    means->now_ns = to_ns;
    while (from_ns < to_ns && means->at_nw.count <= POWER_MEANS_MOST) {
        int64_t left_ns = means->step_ns - from_ns % means->step_ns,
                part_ns = left_ns < to_ns - from_ns ? left_ns : to_ns - from_ns;
        means->energy += (int128)power_nw * part_ns;
        from_ns += part_ns;
        if (part_ns == left_ns)
            end_interval(means, means->step_ns);
    }
}

void power_means_init(struct power_means *means, int64_t step_ns) {
    *means = (struct power_means){
        .step_ns = step_ns, .observer = {.context = means, .advance = power_means_on_advance}};
}

int power_means_close(struct power_means *means, struct error *reterr) {
    int64_t rest_ns = means->now_ns % means->step_ns;
    int64_t count = means->now_ns / means->step_ns + (rest_ns > 0);
    if (count > POWER_MEANS_MOST)
        return error_set(reterr, ERROR_INPUT,
                         "mean power: expected at most %d intervals in a run, got %lld of %.9g s",
                         POWER_MEANS_MOST, (long long)count, units_s(means->step_ns));
    if (rest_ns > 0)
        end_interval(means, rest_ns);
    return 0;
}

int64_t power_means_end_ns(const struct power_means *means, size_t i) {
    int64_t begin_ns = (int64_t)i * means->step_ns;
    return means->now_ns - begin_ns < means->step_ns ? means->now_ns : begin_ns + means->step_ns;
}

void power_means_finish(struct power_means *means) {
    free(means->at_nw.at);
    *means = (struct power_means){0};
}
