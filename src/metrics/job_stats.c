/* Statistics over jobs and users. */
#include "metrics/job_stats.h"

#include "base/sort_doubles.h"
#include "base/units.h"
#include "engine/segments.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* --- fairness --- */

double fairness_jain(const double *values, size_t count) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares > 0 ? sum * sum / ((double)count * squares) : NAN;
}

double fairness_finish_time(double jct_s, double ideal_s) {
    return ideal_s > 0 ? jct_s / ideal_s : NAN;
}

/* --- job_stats --- */

#define SLOWDOWN_BOUND_S 10.0

double job_stats_slowdown(double jct_s, double exec_s) {
    double slowdown = jct_s / (exec_s > SLOWDOWN_BOUND_S ? exec_s : SLOWDOWN_BOUND_S);
    return slowdown > 1 ? slowdown : 1;
}

double job_stats_percentile(const double *sorted, size_t count, double share) {
    return count > 0 ? gsl_stats_quantile_from_sorted_data(sorted, 1, count, share) : NAN;
}

/* The completion time of a job, from 0; or, with its sign set, what tells of one that has not
   finished when it was submitted, since its spec may be gone. */
union job_end {
    double jct_s;
    int64_t not_submit_ns; /* ~submit_ns */
};

/* The sums, except totals, are over the measured jobs. */
struct job_sums {
    const struct sim *sim;
    struct summary *summary;
    struct user_row *users;
    struct type_row *types;
    uint32_t next; /* the jobs below it are in the sums */
    struct job_totals totals;
    size_t jct_count, lateness_count;
    double jct_sum, restricted, wait, slowdown, dedicated, edp, edp_exec, ftf, ftf_max,
        prediction_error;
    double submitted_s;
    int128 finished_energy;
    size_t waits, ftf_count;
    int64_t first_submit_ns, last_finish_ns;
    double *lateness, *user_finished; /* of late ones; numbers of jobs */
    double jct[];                     /* as union job_end; then of those that have finished */
};

uint32_t job_stats_fair_gpus(uint32_t gpus, int64_t life_ns, int128 jobs_ns) {
    if (jobs_ns <= life_ns) /* alone, or over at once */
        return gpus;
    int128 all_ns = (int128)gpus * life_ns;
    int128 share =
        all_ns <= INT64_MAX && jobs_ns <= INT64_MAX /* mostly, and a division of 64 bits */
            ? (int64_t)all_ns / (int64_t)jobs_ns
            : all_ns / jobs_ns;
    return share > 1 ? (uint32_t)share : 1;
}

static double start_s(const struct sim *sim, const struct job_spec *spec) {
    return workload_costs(sim->workload, spec)->start_s;
}

/* T_ideal: the time of the job alone on its share of the cluster (docs/reference/outputs.md:
   ftf_mean). */
static double ideal_s(const struct sim *sim, uint32_t job, const struct job_record *record) {
    const struct job_spec *spec = record->spec;
    uint32_t most_k =
        job_stats_fair_gpus(sim->cluster->gpus, record->jct_ns, sim->runs[job].jobs_ns);
    return config_table_best_time_within(&sim->workload->table, spec->set, spec->work,
                                         start_s(sim, spec), most_k);
}

/* T0: what the whole job would take alone on the empty cluster, by its true work. */
static double dedicated_s(const struct sim *sim, const struct job_spec *spec) {
    return config_table_best_s(&sim->workload->table, spec->set, spec->work, start_s(sim, spec));
}

static void add_fairness(struct job_sums *sums, double rho) {
    if (isnan(rho))
        return;
    sums->ftf += rho;
    sums->ftf_max = rho > sums->ftf_max ? rho : sums->ftf_max;
    sums->ftf_count++;
}

static void add_finished(struct job_sums *sums, uint32_t job, const struct job_record *record) {
    const struct job_spec *spec = record->spec;
    double jct_s = units_s(record->jct_ns), exec_s = units_s(record->exec_ns);
    double slowdown = job_stats_slowdown(jct_s, exec_s);
    sums->jct[sums->jct_count] = jct_s;
    sums->jct_sum += jct_s;
    sums->slowdown += slowdown;
    sums->dedicated += job_stats_slowdown(jct_s, dedicated_s(sums->sim, spec));
    sums->last_finish_ns =
        record->finish_ns > sums->last_finish_ns ? record->finish_ns : sums->last_finish_ns;
    sums->finished_energy += record->energy;
    sums->edp += job_record_edp_js(record);
    sums->edp_exec += record->energy_j * exec_s;
    sums->prediction_error += fabs(units_s(record->finish_ns - record->predicted_finish_ns));
    add_fairness(sums, fairness_finish_time(jct_s, ideal_s(sums->sim, job, record)));
    if (record->deadline == DEADLINE_MISSED)
        sums->lateness[sums->lateness_count++] = units_s(record->finish_ns - spec->deadline_ns);
    sums->users[spec->user].slowdown_mean += slowdown; /* the sum, up to the end */
    sums->users[spec->user].jct_mean_s += jct_s;
    sums->user_finished[spec->user]++;
    sums->types[record->config->gpu_type].jobs++;
}

static void add_user(struct user_row *user, const struct job_record *record) {
    user->jobs++;
    user->demand_gpu_s += record->spec->reference_gpu_s;
    user->gpu_s += power_gpu_s(record->gpu_ps);
    user->energy_kwh += record->energy_j / J_PER_KWH;
}

__attribute__((flatten)) static void add_measured_job(struct job_sums *sums, uint32_t job) {
    const struct job_record record = job_record_of(sums->sim, job);
    const struct job_spec *spec = record.spec;
    struct summary *s = sums->summary;
    bool finished = record.state == EASIM_JOB_FINISHED;
    if (s->jobs_submitted == 0)
        sums->first_submit_ns = spec->submit_ns;
    s->jobs_submitted++;
    s->jobs_finished += finished;
    s->jobs_rejected += record.state == EASIM_JOB_REJECTED;
    s->deadline_jobs += record.deadline_is_due;
    s->flex_broken += record.broken_ns > 0;
    s->deadline_missed += record.deadline_is_due && record.deadline == DEADLINE_MISSED;
    sums->submitted_s += spec->reference_gpu_s;
    sums->jct[sums->jct_count] = (union job_end){.not_submit_ns = ~spec->submit_ns}.jct_s;
    add_user(&sums->users[spec->user], &record);
    if (record.wait_ns >= 0) {
        sums->wait += units_s(record.wait_ns);
        sums->waits++;
    }
    if (finished)
        add_finished(sums, job, &record);
    sums->jct_count++;
}

/* Those that have not finished count up to the end of the run. Leaves only those that have. */
static void restrict_jct(struct job_sums *sums) {
    const struct sim *sim = sums->sim;
    size_t finished = 0;
    for (size_t i = 0; i < sums->jct_count; i++) {
        const union job_end end = {sums->jct[i]};
        if (!signbit(end.jct_s))
            sums->jct[finished++] = end.jct_s;
        sums->restricted +=
            signbit(end.jct_s) ? units_s(sim->now_ns - ~end.not_submit_ns) : end.jct_s;
    }
    sums->jct_count = finished;
}

/* GPU-seconds against what each user could have had: its demand, or its share if that is less. */
static double jain_gpu_s(const struct job_sums *sums) {
    const struct workload *w = sums->sim->workload;
    double weights = 0, capacity_s = sums->summary->sim_s * sums->sim->cluster->gpus;
    double *values = mem_zalloc(w->users.count, sizeof *values);
    size_t count = 0;
    for (size_t u = 0; u < w->users.count; u++)
        weights += sums->users[u].demand_gpu_s > 0 ? w->users.at[u].weight : 0;
    for (size_t u = 0; u < w->users.count; u++) {
        double share_s = capacity_s * w->users.at[u].weight / weights,
               demand_s = sums->users[u].demand_gpu_s;
        if (demand_s > 0)
            values[count++] = sums->users[u].gpu_s / fmin(demand_s, share_s);
    }
    double index = fairness_jain(values, count);
    free(values);
    return index;
}

/* Of values in any order, which it changes: all that the percentile looks at is in its place. */
static double percentile(double *values, size_t count, double share) {
    size_t at = count > 0 ? (size_t)(share * (double)(count - 1)) : 0;
    if (count > 0)
        sort_doubles_at(values, count, at);
    if (at + 1 < count)
        sort_doubles_at(values + at + 1, count - at - 1, 0);
    return job_stats_percentile(values, count, share);
}

static double mean_or_nan(double sum, double count) {
    return count > 0 ? sum / count : NAN;
}

static double finish_users(struct job_sums *sums) {
    size_t users = sums->sim->workload->users.count, count = 0;
    double *means = mem_zalloc(users, sizeof *means);
    for (size_t u = 0; u < users; u++) {
        struct user_row *row = &sums->users[u];
        row->jct_mean_s = mean_or_nan(row->jct_mean_s, sums->user_finished[u]);
        row->slowdown_mean = mean_or_nan(row->slowdown_mean, sums->user_finished[u]);
        if (sums->user_finished[u])
            means[count++] = row->slowdown_mean;
    }
    double index = fairness_jain(means, count);
    free(means);
    return index;
}

static void add_work(struct job_totals *totals, const struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    totals->submitted_s += spec->reference_gpu_s;
    if (sim_job_state(sim, job) == EASIM_JOB_REJECTED) { /* its work in samples may be unknown */
        totals->work_left_s += spec->reference_gpu_s;
    } else if (spec->work > 0) {
        double share = account_work_done(sim, job) / spec->work;
        totals->work_done_s += spec->reference_gpu_s * share;
        totals->work_left_s += spec->reference_gpu_s * (1 - share);
    }
}

void job_sums_add(struct job_sums *sums, uint32_t end) {
    const struct workload *w = sums->sim->workload;
    for (; sums->next < end; sums->next++) {
        add_work(&sums->totals, sums->sim, sums->next);
        if (w->jobs.at[sums->next].submit_ns >= w->warmup_ns)
            add_measured_job(sums, sums->next);
    }
}

void job_sums_close(struct job_sums *sums) {
    struct summary *s = sums->summary;
    job_sums_add(sums, sums->sim->next_arrival);
    double finished = s->jobs_finished;
    restrict_jct(sums);
    s->jobs_unfinished = s->jobs_submitted - finished - s->jobs_rejected;
    s->energy_finished_kwh = power_j(sums->finished_energy) / J_PER_KWH;
    s->work_submitted_gpu_h = sums->submitted_s / S_PER_H;
    s->jct_mean_s = mean_or_nan(sums->jct_sum, finished);
    s->jct_p50_s = percentile(sums->jct, sums->jct_count, 0.50);
    s->jct_p95_s = percentile(sums->jct, sums->jct_count, 0.95);
    s->jct_p99_s = percentile(sums->jct, sums->jct_count, 0.99);
    s->jct_restricted_mean_s = mean_or_nan(sums->restricted, s->jobs_submitted);
    s->wait_mean_s = mean_or_nan(sums->wait, (double)sums->waits);
    s->bsld_mean = mean_or_nan(sums->slowdown, finished);
    s->bsld_dedicated_mean = mean_or_nan(sums->dedicated, finished);
    s->makespan_s = finished > 0 ? units_s(sums->last_finish_ns - sums->first_submit_ns) : NAN;
    s->edp_mean_js = mean_or_nan(sums->edp, finished);
    s->edp_exec_mean_js = mean_or_nan(sums->edp_exec, finished);
    s->ftf_mean = mean_or_nan(sums->ftf, (double)sums->ftf_count);
    s->ftf_max = sums->ftf_count > 0 ? sums->ftf_max : NAN;
    s->deadline_miss_rate = mean_or_nan(s->deadline_missed, s->deadline_jobs);
    s->lateness_p50_s = percentile(sums->lateness, sums->lateness_count, 0.50);
    s->lateness_p95_s = percentile(sums->lateness, sums->lateness_count, 0.95);
    s->prediction_error_mean_s = mean_or_nan(sums->prediction_error, finished);
    s->jain_gpu_s = jain_gpu_s(sums);
    s->jain_slowdown = finish_users(sums);
}

struct job_totals job_sums_totals(const struct job_sums *sums) {
    const struct sim *sim = sums->sim;
    struct job_totals totals = sums->totals;
    for (uint32_t j = sums->next; j < sim->next_arrival; j++)
        add_work(&totals, sim, j);
    for (uint32_t j = 0; sim->lost && j < sim->next_arrival; j++) {
        totals.lost_energy += sim->lost[j].energy;
        totals.lost_gpu_ps += sim->lost[j].gpu_ps;
    }
    return totals;
}

struct job_sums *job_sums_new(const struct sim *sim, struct summary *summary,
                              struct user_row *users, struct type_row *types) {
    size_t jobs = sim->workload->jobs.count, user_count = sim->workload->users.count;
    struct job_sums *sums =
        mem_zalloc(1, sizeof *sums + (2 * jobs + user_count) * sizeof *sums->jct);
    *sums = (struct job_sums){.sim = sim,
                              .summary = summary,
                              .users = users,
                              .types = types,
                              .lateness = sums->jct + jobs,
                              .user_finished = sums->jct + 2 * jobs};
    return sums;
}
