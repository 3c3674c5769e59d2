/* Rules of users: fairness, and the hog. */
#include "base/sort_doubles.h"
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"
#include "metrics/job_stats.h"

#include <math.h>
#include <stdlib.h>

/* --- fairness: jobs that starve, and users who get less than they may --- */

/* ---- STARVE ---- */

static double p99_wait_s(const struct rule_run *rule_run) {
    double *waits = mem_zalloc(rule_run_jobs(rule_run) + 1, sizeof *waits);
    size_t count = 0;
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++)
        if (recorded_run_measures(rule_run->run, j) && rule_run->run->jobs[j].segment_count > 0)
            waits[count++] = rule_run_wait_s(rule_run, j);
    sort_doubles(waits, count);
    double p99 = count > 0 ? job_stats_percentile(waits, count, 0.99) : 0;
    free(waits);
    return p99;
}

static double run_time_s(const struct rule_run *rule_run, uint32_t job) {
    const struct workload *workload = &rule_run->run->workload;
    const struct job_spec *spec = &workload->jobs.at[job];
    const struct recorded_job *recorded = &rule_run->run->jobs[job];
    if (recorded->finish_ns >= 0)
        return units_s(recorded->exec_ns);
    return config_table_best_s(&workload->table, spec->set, spec->work,
                               workload_costs(workload, spec)->start_s);
}

static int64_t start_of(const struct rule_run *rule_run, uint32_t job) {
    int64_t start_ns = rule_run->run->jobs[job].start_ns;
    return start_ns < 0 ? rule_run->to_ns : start_ns;
}

struct start_order {
    int64_t start_ns;
    uint32_t job;
};

ORDER_BY(compare_starts, struct start_order, ASC(start_ns) ASC(job))

/* By job, how many submitted after it started before it: in the order of starts, a tree of counts
   over the order of submission (Fenwick 1994). */
static uint32_t *count_overtakers(const struct rule_run *rule_run) {
    uint32_t jobs = rule_run_jobs(rule_run);
    struct start_order *order = mem_zalloc(jobs + 1, sizeof *order);
    uint32_t *tree = mem_zalloc((size_t)jobs + 1, sizeof *tree);
    uint32_t *overtakers = mem_zalloc((size_t)jobs + 1, sizeof *overtakers), started = 0;
    for (uint32_t j = 0; j < jobs; j++)
        order[j] = (struct start_order){start_of(rule_run, j), j};
    sort_array_by(order, jobs, start_ns, compare_starts);
    for (uint32_t i = 0; i < jobs; i++) {
        uint32_t job = order[i].job, before = 0;
        for (uint32_t n = job + 1; n > 0; n &= n - 1)
            before += tree[n];
        overtakers[job] = started - before;
        if (rule_run->run->jobs[job].start_ns < 0)
            continue;
        started++;
        for (uint32_t n = job + 1; n <= jobs; n += n & -n)
            tree[n]++;
    }
    free(order);
    free(tree);
    return overtakers;
}

static void report_starve(const struct rule_run *rule_run, const struct top_list *worst,
                          const uint32_t *overtakers, double p99_s, struct insights *insights) {
    const struct top_entry *first = &worst->at[0];
    struct insight *insight =
        insights_add(insights, units_s(first->from_ns), units_s(first->to_ns));
    insight_find(insight,
                 "%zu of %.0f jobs starved; one waited %.4g s while %u that came later started",
                 worst->total, rule_run->jobs, first->weight, overtakers[first->index]);
    SHOW(insight, starve, .jobs = (double)worst->total, .wait_max = first->weight,
         .wait_p99 = p99_s, .overtaken_by = overtakers[first->index]);
    for (size_t i = 0; i < worst->count; i++) {
        const struct top_entry *e = &worst->at[i];
        job_evidence_add(insight, e, "waits %.4g s, overtaken by %u", e->weight,
                         overtakers[e->index]);
    }
    insight->evidence_count = worst->total;
    insight->recommendation = "ageing: who has waited for long goes first";
    if (!proposal_duration(insight, "ageing", 1.0 / 60, 3600) &&
        !proposal_param(insight, "strict", "true"))
        proposal_none(insight, "the policy has no parameter for it");
    insight_weigh(insight, (double)worst->total, rule_run->jobs);
}

void find_starve(const struct rule_run *rule_run, const void *thresholds,
                 struct insights *insights) {
    const struct starve_thresholds *t = thresholds;
    double p99_s = p99_wait_s(rule_run);
    uint32_t *overtakers = count_overtakers(rule_run);
    struct top_list worst = {0};
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        double wait_s = rule_run_wait_s(rule_run, j);
        if (!recorded_run_measures(rule_run->run, j) || rule_run->run->jobs[j].segment_count == 0 ||
            overtakers[j] == 0 || wait_s <= t->of_p99 * p99_s ||
            wait_s <= t->of_run_time * run_time_s(rule_run, j))
            continue;
        top_list_add(&worst,
                     (struct top_entry){wait_s, j, rule_run->run->workload.jobs.at[j].submit_ns,
                                        start_of(rule_run, j)});
    }
    if (worst.total > 0)
        report_starve(rule_run, &worst, overtakers, p99_s, insights);
    free(overtakers);
}

/* ---- UNFAIR ---- */

/* A user as the metrics see it: measured jobs only. */
struct served {
    double jobs, finished, slowdown_sum, gpu_s, demand_s, entitled_s;
    bool waited;
};

struct served_all {
    struct served *users;
    uint32_t count;
    double with_demand, slowdown_mean, slowdown_worst;
    uint32_t worst; /* by slowdown */
};

static void serve_job(const struct rule_run *rule_run, uint32_t job, struct served *user) {
    const struct recorded_job *recorded = &rule_run->run->jobs[job];
    const struct job_spec *spec = &rule_run->run->workload.jobs.at[job];
    const struct recorded_segment *segments = recorded_run_segments(rule_run->run, recorded);
    user->jobs++;
    user->demand_s += spec->reference_gpu_s;
    user->waited = user->waited || rule_run_wait_s(rule_run, job) > 0 || recorded->finish_ns < 0;
    for (uint32_t i = 0; i < recorded->segment_count; i++)
        user->gpu_s += rule_run_gpu_s(rule_run, &segments[i]);
    if (recorded->finish_ns >= 0) {
        double jct_s = units_s(recorded->finish_ns - spec->submit_ns);
        user->finished++;
        user->slowdown_sum += fmax(1, jct_s / fmax(units_s(recorded->exec_ns), 10));
    }
}

static double slowdown_of(const struct served *user) {
    return user->finished > 0 ? user->slowdown_sum / user->finished : 0;
}

static struct served_all serve_users(const struct rule_run *rule_run) {
    const struct workload *workload = &rule_run->run->workload;
    struct served_all all = {.count = (uint32_t)workload->users.count};
    double weights = 0, finished = 0, slowdowns = 0;
    all.users = mem_zalloc(all.count + 1, sizeof *all.users);
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++)
        if (recorded_run_measures(rule_run->run, j))
            serve_job(rule_run, j, &all.users[workload->jobs.at[j].user]);
    for (uint32_t u = 0; u < all.count; u++)
        weights += all.users[u].demand_s > 0 ? workload->users.at[u].weight : 0;
    for (uint32_t u = 0; u < all.count; u++) {
        struct served *user = &all.users[u];
        all.with_demand += user->demand_s > 0;
        user->entitled_s =
            weights > 0 ? rule_run->gpu_s * workload->users.at[u].weight / weights : 0;
        finished += user->finished;
        slowdowns += user->slowdown_sum;
        if (slowdown_of(user) > slowdown_of(&all.users[all.worst]))
            all.worst = u;
    }
    all.slowdown_mean = finished > 0 ? slowdowns / finished : 0;
    all.slowdown_worst = all.count > 0 ? slowdown_of(&all.users[all.worst]) : 0;
    return all;
}

/* GPU-seconds that users who waited got less than they asked for and were entitled to. */
static double lacking_s(const struct served_all *all, struct top_list *worst) {
    double sum = 0;
    for (uint32_t u = 0; u < all->count; u++) {
        const struct served *user = &all->users[u];
        double lack = fmax(0, fmin(user->demand_s, user->entitled_s) - user->gpu_s);
        if (user->demand_s > 0)
            top_list_add(worst, (struct top_entry){user->waited ? lack : 0, u, 0, 0});
        sum += user->waited ? lack : 0;
    }
    return sum;
}

static void add_users(const struct rule_run *rule_run, const struct served_all *all,
                      const struct top_list *worst, struct insight *insight) {
    for (size_t i = 0; i < worst->count; i++) {
        uint32_t u = worst->at[i].index;
        const struct served *user = &all->users[u];
        insight_evidence(insight, EVIDENCE_USER, rule_run->run->workload.users.at[u].name,
                         rule_run->from_s, rule_run->to_s,
                         "%.4g GPU h, %.1f %% of the cluster, entitled to %.1f %%, slowdown %.4g",
                         user->gpu_s / S_PER_H, 100 * user->gpu_s / rule_run->gpu_s,
                         100 * user->entitled_s / rule_run->gpu_s, slowdown_of(user));
    }
    insight->evidence_count = worst->total;
}

static void report_unfair(const struct rule_run *rule_run, const struct served_all *all,
                          double least_jain, bool by_slowdown, struct insights *insights) {
    struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
    struct top_list worst = {0};
    double lacking = lacking_s(all, &worst), jain = rule_run->run->summary.jain_gpu_s;
    if (by_slowdown) {
        insight->entity = ENTITY_USER;
        insight->name = rule_run->run->workload.users.at[all->worst].name;
    }
    insight_find(insight,
                 "Jain index of GPU time %.3f; the worst slowdown of a user is %.4g, the mean %.4g",
                 jain, all->slowdown_worst, all->slowdown_mean);
    SHOW(insight, unfair, .jain_index = jain, .slowdown_worst_user = all->slowdown_worst,
         .slowdown_mean = all->slowdown_mean, .lacking = lacking / S_PER_H);
    add_users(rule_run, all, &worst, insight);
    insight->recommendation = "an order that looks at what users have had, or weights of users";
    insight->column =
        jain < least_jain ? SUMMARY_COLUMN(jain_gpu_s) : SUMMARY_COLUMN(jain_slowdown);
    proposal_policies(insight, EASIM_READS_USERS, 0);
    insight_weigh(insight, lacking, rule_run->gpu_s);
}

void find_unfair(const struct rule_run *rule_run, const void *thresholds,
                 struct insights *insights) {
    const struct unfair_thresholds *t = thresholds;
    struct served_all all = serve_users(rule_run);
    bool by_slowdown = all.slowdown_worst > t->most_slowdown * all.slowdown_mean;
    if (all.with_demand > 1 && (rule_run->run->summary.jain_gpu_s < t->least_jain || by_slowdown))
        report_unfair(rule_run, &all, t->least_jain, by_slowdown, insights);
    free(all.users);
}

/* --- hog: the user who takes most of the cluster --- */

/* ---- HOG ---- */

/* Use by jobs in the measured time, by user or model. */
struct taken {
    double gpu_s, energy_j;
    uint32_t heaviest; /* its job of most energy */
    double heaviest_j;
};

struct takers {
    struct taken *at, total;
    uint32_t count;
};

static void add_job(const struct rule_run *rule_run, uint32_t job, struct taken *taken) {
    const struct recorded_job *recorded = &rule_run->run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(rule_run->run, recorded);
    double energy_j = 0;
    for (uint32_t i = 0; i < recorded->segment_count; i++) {
        energy_j += rule_run_energy_j(rule_run, &segments[i]);
        taken->gpu_s += rule_run_gpu_s(rule_run, &segments[i]);
    }
    taken->energy_j += energy_j;
    if (energy_j > taken->heaviest_j) {
        taken->heaviest_j = energy_j;
        taken->heaviest = job;
    }
}

static struct takers count_takers(const struct rule_run *rule_run, enum insight_entity entity) {
    const struct workload *workload = &rule_run->run->workload;
    struct takers takers = {0};
    takers.count =
        entity == ENTITY_USER ? (uint32_t)workload->users.count : rule_run->folder->models.count;
    takers.at = mem_zalloc(takers.count + 1, sizeof *takers.at);
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        const struct job_spec *spec = &workload->jobs.at[j];
        uint32_t owner = entity == ENTITY_USER ? spec->user : spec->model;
        add_job(rule_run, j, &takers.at[owner < takers.count ? owner : takers.count]);
    }
    for (uint32_t i = 0; i <= takers.count; i++) {
        takers.total.gpu_s += takers.at[i].gpu_s;
        takers.total.energy_j += takers.at[i].energy_j;
    }
    return takers;
}

static double share_of(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

static void report_hog(const struct rule_run *rule_run, const struct takers *takers,
                       const struct taken *taken, struct insight *insight) {
    double gpu_share = share_of(taken->gpu_s, takers->total.gpu_s);
    double energy_share = share_of(taken->energy_j, takers->total.energy_j);
    const struct job_spec *job = &rule_run->run->workload.jobs.at[taken->heaviest];
    insight_find(insight, "%.0f %% of the GPU-hours and %.0f %% of the energy of all jobs",
                 100 * gpu_share, 100 * energy_share);
    SHOW(insight, hog, .share_of_job_gpu_hours = gpu_share, .share_of_job_energy = energy_share,
         .gpu_hours = taken->gpu_s / S_PER_H, .energy = taken->energy_j / J_PER_KWH);
    insight->recommendation =
        insight->entity == ENTITY_USER
            ? "an order that looks at what users have had, a quota or a weight of its own"
            : "make this model faster first";
    insight_evidence(insight, EVIDENCE_JOB, job->id, units_s(job->submit_ns), rule_run->to_s,
                     "%.4g kWh, the most of one job", taken->heaviest_j / J_PER_KWH);
    if (insight->entity == ENTITY_USER)
        proposal_policies(insight, EASIM_READS_USERS, 0);
    else
        proposal_none(insight, "invest.csv ranks what faster models would save");
    insight_weigh(insight, taken->energy_j, rule_run->energy_j);
}

static void find_hogs(const struct rule_run *rule_run, const struct hog_thresholds *thresholds,
                      enum insight_entity entity, struct insights *insights) {
    struct takers takers = count_takers(rule_run, entity);
    double with_jobs = 0;
    for (uint32_t i = 0; i < takers.count; i++)
        with_jobs += takers.at[i].gpu_s > 0;
    double least = fmax(thresholds->least_share, thresholds->of_equal / with_jobs);
    for (uint32_t i = 0; i < takers.count; i++) {
        const struct taken *taken = &takers.at[i];
        if (share_of(taken->gpu_s, takers.total.gpu_s) <= least &&
            share_of(taken->energy_j, takers.total.energy_j) <= least)
            continue;
        struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
        insight->entity = entity;
        insight->name = entity == ENTITY_USER ? rule_run->run->workload.users.at[i].name
                                              : rule_run->folder->models.models[i].name;
        report_hog(rule_run, &takers, taken, insight);
    }
    free(takers.at);
}

void find_hog(const struct rule_run *rule_run, const void *thresholds, struct insights *insights) {
    find_hogs(rule_run, thresholds, ENTITY_USER, insights);
    find_hogs(rule_run, thresholds, ENTITY_MODEL, insights);
}
