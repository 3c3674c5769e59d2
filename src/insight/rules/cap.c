/* Rules of the power cap: what it costs, where it binds for nothing, where it is broken. */
#include "base/units.h"
#include "cluster/power_meter.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>

/* When the cap alone kept a job from starting: free GPUs fitted it, but not the cap. */
struct bound {
    double time_s, free_gpu_s;
    double headroom_j, power_j, cap_j; /* integrals over that time: cap - committed, power, cap */
    struct top_list intervals;         /* by length */
    int64_t first_ns, last_ns;
};

static bool cap_binds(const struct queue_replay *replay) {
    for (size_t i = 0; i < replay->active.count; i++) {
        struct queue_fit fit = queue_replay_fit(replay, replay->active.at[i]);
        if (fit.gpus && !fit.power)
            return true;
    }
    return false;
}

static void look_at_interval(const struct rule_run *rule_run, const struct queue_replay *replay,
                             struct bound *bound) {
    double s = rule_run_overlap_s(rule_run, replay->from_ns, replay->to_ns);
    if (s <= 0 || !isfinite(replay->cap_w) || !cap_binds(replay))
        return;
    double headroom_w = replay->cap_w - power_w(replay->drawn.committed_nw);
    bound->first_ns = bound->time_s > 0 ? bound->first_ns : replay->from_ns;
    bound->last_ns = replay->to_ns;
    bound->time_s += s;
    bound->headroom_j += s * (headroom_w > 0 ? headroom_w : 0);
    bound->power_j += s * power_w(replay->drawn.nw);
    bound->cap_j += s * replay->cap_w;
    for (uint32_t h = 0; h < replay->run->folder->cluster.gpu_type_count; h++)
        bound->free_gpu_s +=
            s * (double)room_free_milli(&replay->instants.room, h) / WHOLE_GPU_MILLI;
    top_list_add(&bound->intervals, (struct top_entry){s, 0, replay->from_ns, replay->to_ns});
}

/* With a policy that does not keep the cap, no job waits for it. Of an enforced one the record does
   not tell the draws at which the host admits. */
static struct bound find_bound(const struct rule_run *rule_run) {
    struct bound bound = {0};
    struct queue_replay replay;
    if (!policy_facts_can(&rule_run->facts, "POWER_CAP") ||
        recorded_folder_enforces(rule_run->folder))
        return bound;
    queue_replay_init(&replay, rule_run, &rule_run->power);
    while (queue_replay_next(&replay))
        look_at_interval(rule_run, &replay, &bound);
    queue_replay_finish(&replay);
    return bound;
}

static void add_intervals(struct insight *insight, const struct top_list *intervals,
                          const char *note) {
    for (size_t i = 0; i < intervals->count; i++)
        insight_evidence(insight, EVIDENCE_INTERVAL, "", units_s(intervals->at[i].from_ns),
                         units_s(intervals->at[i].to_ns), "%s", note);
    insight->evidence_count = intervals->total;
}

/* ---- POWER-CAP ---- */

/* Whether the cap falls at that instant. */
static bool cap_falls_at(const struct recorded_folder *folder, int64_t time_ns) {
    size_t low = 1;
    SEARCH(low, folder->steps.count, folder->steps.at[at].time_ns < time_ns)
    return low < folder->steps.count && folder->steps.at[low].time_ns == time_ns &&
           folder->steps.at[low].cap_w < folder->steps.at[low - 1].cap_w;
}

struct delayed {
    struct top_list jobs; /* by delay */
    double delay_s, preempted;
};

static struct delayed find_delayed(const struct rule_run *rule_run) {
    struct delayed delayed = {0};
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        const struct recorded_job *job = &rule_run->run->jobs[j];
        const struct recorded_segment *segments = recorded_run_segments(rule_run->run, job);
        double s = units_s(rule_run->blame->jobs[j].part_ns[BLAME_CAPPED]);
        if (s > 0 && recorded_run_measures(rule_run->run, j)) {
            delayed.delay_s += s;
            top_list_add(&delayed.jobs,
                         (struct top_entry){s, j, rule_run->run->workload.jobs.at[j].submit_ns,
                                            job->start_ns < 0 ? rule_run->to_ns : job->start_ns});
        }
        for (uint32_t i = 0; i < job->segment_count; i++)
            delayed.preempted += segments[i].ended == CAUSE_PREEMPTED &&
                                 segments[i].end_ns >= rule_run->from_ns &&
                                 cap_falls_at(rule_run->folder, segments[i].end_ns);
    }
    return delayed;
}

static void report_power_cap(const struct rule_run *rule_run, const struct bound *bound,
                             const struct delayed *delayed, struct insights *insights) {
    struct insight *insight =
        insights_add(insights, bound->time_s > 0 ? units_s(bound->first_ns) : rule_run->from_s,
                     bound->time_s > 0 ? units_s(bound->last_ns) : rule_run->to_s);
    double share = bound->time_s / (rule_run->to_s - rule_run->from_s);
    insight_find(insight,
                 "the power cap kept jobs from starting in %.1f %% of the time, %.4g s of delay "
                 "for %zu jobs, and preempted %.0f",
                 100 * share, delayed->delay_s, delayed->jobs.total, delayed->preempted);
    SHOW(insight, power_cap, .time_share = share, .time = bound->time_s,
         .free_meanwhile = bound->free_gpu_s / S_PER_H, .delay = delayed->delay_s,
         .jobs_delayed = (double)delayed->jobs.total, .jobs_preempted = delayed->preempted,
         .headroom_unused = bound->time_s > 0 ? bound->headroom_j / bound->time_s : NAN);
    for (size_t i = 0; i < delayed->jobs.count; i++) {
        const struct top_entry *e = &delayed->jobs.at[i];
        job_evidence_add(insight, e, "%.4g s for the cap alone", e->weight);
    }
    insight->evidence_count = delayed->jobs.total;
    insight->recommendation = "power limits of GPUs";
    if (!proposal_power_limits(insight))
        proposal_free_cap(insight);
    insight_weigh(insight, bound->free_gpu_s, rule_run->gpu_s);
}

void find_power_cap(const struct rule_run *rule_run, const void *thresholds,
                    struct insights *insights) {
    const struct power_cap_thresholds *t = thresholds;
    struct bound bound = find_bound(rule_run);
    struct delayed delayed = find_delayed(rule_run);
    if (bound.time_s > t->least_share * (rule_run->to_s - rule_run->from_s) ||
        delayed.preempted > 0)
        report_power_cap(rule_run, &bound, &delayed, insights);
}

/* ---- CAP-SLACK ---- */

void find_cap_slack(const struct rule_run *rule_run, const void *thresholds,
                    struct insights *insights) {
    const struct cap_slack_thresholds *t = thresholds;
    struct bound bound = find_bound(rule_run);
    if (bound.time_s <= 0 || bound.power_j >= t->power_share * bound.cap_j)
        return;
    struct insight *insight =
        insights_add(insights, units_s(bound.first_ns), units_s(bound.last_ns));
    double slack_j = bound.cap_j - bound.power_j;
    insight_find(insight, "while the cap kept jobs from starting the cluster drew %.4g W of %.4g W",
                 bound.power_j / bound.time_s, bound.cap_j / bound.time_s);
    SHOW(insight, cap_slack, .slack = slack_j / bound.time_s, .time = bound.time_s,
         .mean_power = bound.power_j / bound.time_s, .mean_cap = bound.cap_j / bound.time_s,
         .energy_unused = slack_j / J_PER_KWH);
    add_intervals(insight, &bound.intervals, "the cap keeps a job from starting");
    insight->recommendation = "smaller jobs, or power limits of GPUs";
    if (!proposal_power_limits(insight) && !proposal_smaller_k(insight))
        proposal_free_cap(insight);
    insight_weigh(insight, slack_j, rule_run->energy_j);
}

/* ---- CAP-BREACH ---- */

struct breach {
    double most_w, time_s, over_j;
    struct top_list intervals; /* by power */
    int64_t first_ns, last_ns;
};

static void add_breach(const struct rule_run *rule_run, struct breach *breach, int64_t from_ns,
                       int64_t to_ns, double over_w) {
    double s = rule_run_overlap_s(rule_run, from_ns, to_ns);
    if (s <= 0)
        return;
    breach->first_ns = breach->time_s > 0 ? breach->first_ns : from_ns;
    breach->last_ns = to_ns;
    breach->time_s += s;
    breach->over_j += s * over_w;
    breach->most_w = over_w > breach->most_w ? over_w : breach->most_w;
    top_list_add(&breach->intervals, (struct top_entry){over_w, 0, from_ns, to_ns});
}

/* Power and cap are both constant between two of their changes. */
static struct breach find_breach(const struct rule_run *rule_run, double most_w) {
    const struct recorded_folder *folder = rule_run->folder;
    const struct power_steps *power = &rule_run->power;
    struct breach breach = {0};
    for (size_t p = 0, c = 0; p < power->at.count && c < folder->steps.count;) {
        int64_t power_end = p + 1 < power->at.count ? power->at.at[p + 1].time_ns : rule_run->to_ns;
        int64_t cap_end =
            c + 1 < folder->steps.count ? folder->steps.at[c + 1].time_ns : rule_run->to_ns;
        int64_t from_ns = power->at.at[p].time_ns > folder->steps.at[c].time_ns
                              ? power->at.at[p].time_ns
                              : folder->steps.at[c].time_ns;
        double over_w = power_w(power->at.at[p].nw) - folder->steps.at[c].cap_w;
        if (over_w > most_w)
            add_breach(rule_run, &breach, from_ns, power_end < cap_end ? power_end : cap_end,
                       over_w);
        if (power_end < cap_end)
            p++;
        else
            c += 1, p += power_end == cap_end;
    }
    return breach;
}

void find_cap_breach(const struct rule_run *rule_run, const void *thresholds,
                     struct insights *insights) {
    const struct cap_breach_thresholds *t = thresholds;
    struct breach breach = find_breach(rule_run, t->most_w);
    if (breach.time_s <= 0 || recorded_folder_enforces(rule_run->folder)) /* known as means only */
        return;
    struct insight *insight =
        insights_add(insights, units_s(breach.first_ns), units_s(breach.last_ns));
    insight_find(insight, "the cluster drew up to %.4g W more than the cap, for %.4g s",
                 breach.most_w, breach.time_s);
    SHOW(insight, cap_breach, .most_over = breach.most_w, .time = breach.time_s,
         .energy_over = breach.over_j);
    add_intervals(insight, &breach.intervals, "power above the cap");
    insight->recommendation = "a policy that keeps the cap";
    proposal_policies(insight, 0, EASIM_KEEPS_CAP);
    insight_weigh(insight, breach.over_j, rule_run->energy_j);
}
