/* SHORT: jobs that compute hardly longer than they take to begin. */
#include "base/units.h"
#include "insight/rules/families.h"
#include "insight/rules/gathered.h"

#include <math.h>

struct short_thresholds {
    double set_ups;
};

static const struct field short_fields[] = {
    {.key = "set_ups",
     .type = FIELD_REAL,
     .offset = offsetof(struct short_thresholds, set_ups),
     .min = 0,
     .max = 1e6,
     .default_value = 3,
     .help = "a job is short that computes less than so many times its set-ups"},
    FIELDS_END};

/* Of one job, in the measured time; computing as a whole. */
struct spent {
    double setup_s, setup_j, setup_gpu_s, computed_s;
};

static struct spent spent_by(const struct rule_run *rule_run, uint32_t job) {
    const struct recorded_job *recorded = &rule_run->run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(rule_run->run, recorded);
    struct spent spent = {0};
    for (uint32_t i = 0; i < recorded->segment_count; i++) {
        const struct recorded_segment *s = &segments[i];
        double length_s = units_s(s->end_ns - s->start_ns);
        if (s->kind == SEGMENT_RUN || s->kind == SEGMENT_LOST)
            spent.computed_s += length_s;
        if (s->kind != SEGMENT_SETUP)
            continue;
        spent.setup_s += length_s;
        spent.setup_j += rule_run_energy_j(rule_run, s);
        spent.setup_gpu_s += rule_run_gpu_s(rule_run, s);
    }
    return spent;
}

static void report_short(const struct rule_run *rule_run, struct gathered *g,
                         struct insights *insights) {
    gathered_end(g);
    struct insight *insight =
        gathered_report(rule_run, g, &rule_short, "kWh of set-ups", 1 / J_PER_KWH, insights);
    insight_find(insights, insight,
                 "%u jobs compute hardly longer than they take to begin: %.4g kWh of "
                 "set-ups, %.1f %% of all energy",
                 g->jobs, g->lost_j / J_PER_KWH,
                 rule_run->energy_j > 0 ? 100 * g->lost_j / rule_run->energy_j : 0);
    insight_figure(insight, "jobs", "", g->jobs);
    insight_figure(insight, "set_up_energy", "kWh", g->lost_j / J_PER_KWH);
    insight_figure(insight, "set_up", "GPU h", g->lost_gpu_s / S_PER_H);
    insight_figure(insight, "set_up_time", "s", g->s);
    insight_figure(insight, "overhead", "", g->s / (g->s + g->gained_s));
    insight->recommendation = "let one job do the work of several: a set-up for all of them";
    insight->what_if.note = "the scenario does not tell which jobs belong together";
    insight_weigh(insight, g->lost_j, rule_run->energy_j);
}

static void find_short(const struct rule_run *rule_run, const void *thresholds,
                       struct insights *insights) {
    const struct short_thresholds *t = thresholds;
    struct gathered_list list = {0};
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        const struct recorded_job *job = &rule_run->run->jobs[j];
        if (!rule_run_counts(rule_run, j) || job->finish_ns < 0)
            continue;
        struct spent spent = spent_by(rule_run, j);
        if (spent.setup_s <= 0 || spent.computed_s >= t->set_ups * spent.setup_s)
            continue;
        struct gathered *g = gathered_find(&list, EASIM_NONE, EASIM_NONE, EASIM_NONE);
        g->lost_j += spent.setup_j;
        g->lost_gpu_s += spent.setup_gpu_s;
        g->s += spent.setup_s;
        g->gained_s += spent.computed_s;
        gathered_add(g, j, rule_run->run->workload.jobs.at[j].submit_ns, job->finish_ns,
                     spent.setup_j);
    }
    for (size_t i = 0; i < list.at.count; i++)
        report_short(rule_run, &list.at.at[i], insights);
    gathered_list_finish(&list);
}

const struct rule rule_short = {
    .id = "SHORT",
    .title = "jobs that are hardly longer than their set-ups",
    .trigger = "finished jobs that compute for less than set_ups times the time of their set-ups",
    .recommends = "one job for several",
    .measure = SHARE_OF_ENERGY,
    .thresholds = short_fields,
    .thresholds_size = sizeof(struct short_thresholds),
    .find = find_short,
};
