/* The rule of hogs: who takes most of the cluster. */
#include "base/units.h"
#include "insight/rules/families.h"
#include "insight/rules/proposal.h"
#include "insight/rules/rule_run.h"

#include <math.h>
#include <stdlib.h>

/* ---- HOG ---- */

struct hog_thresholds {
    double least_share, of_equal;
};

static const struct field hog_fields[] = {
    {.key = "least_share",
     .type = FIELD_REAL,
     .offset = offsetof(struct hog_thresholds, least_share),
     .min = 0,
     .max = 1,
     .default_value = 0.5,
     .help = "a user or model with more than this share of the GPU-hours or of the energy that "
             "jobs took"},
    {.key = "of_equal",
     .type = FIELD_REAL,
     .offset = offsetof(struct hog_thresholds, of_equal),
     .min = 0,
     .max = 1e6,
     .default_value = 1.5,
     .help =
         "times an equal share of all users, or models, with jobs, which it has to exceed, too"},
    FIELDS_END};

/* What jobs took in the measured time, by user or model. */
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
                       const struct taken *taken, struct insights *insights,
                       struct insight *insight) {
    double gpu_share = share_of(taken->gpu_s, takers->total.gpu_s);
    double energy_share = share_of(taken->energy_j, takers->total.energy_j);
    const struct job_spec *job = &rule_run->run->workload.jobs.at[taken->heaviest];
    insight_find(insights, insight,
                 "%.0f %% of the GPU-hours and %.0f %% of the energy of all jobs", 100 * gpu_share,
                 100 * energy_share);
    insight_figure(insight, "share_of_job_gpu_hours", "", gpu_share);
    insight_figure(insight, "share_of_job_energy", "", energy_share);
    insight_figure(insight, "gpu_hours", "GPU h", taken->gpu_s / S_PER_H);
    insight_figure(insight, "energy", "kWh", taken->energy_j / J_PER_KWH);
    insight->recommendation =
        insight->entity == ENTITY_USER
            ? "an order that looks at what users have had, a quota or a weight of its own"
            : "make this model faster first";
    insight_evidence(insights, insight,
                     &(struct insight_evidence){
                         .kind = EVIDENCE_JOB,
                         .name = job->id,
                         .from_s = units_s(job->submit_ns),
                         .to_s = rule_run->to_s,
                         .note = arena_printf(&insights->arena, "%.4g kWh, the most of one job",
                                              taken->heaviest_j / J_PER_KWH)});
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
        struct insight *insight = insights_add(insights, &rule_hog);
        insight->entity = entity;
        insight->name = entity == ENTITY_USER ? rule_run->run->workload.users.at[i].name
                                              : rule_run->folder->models.models[i].name;
        insight->from_s = rule_run->from_s;
        insight->to_s = rule_run->to_s;
        report_hog(rule_run, &takers, taken, insights, insight);
    }
    free(takers.at);
}

static void find_hog(const struct rule_run *rule_run, const void *thresholds,
                     struct insights *insights) {
    find_hogs(rule_run, thresholds, ENTITY_USER, insights);
    find_hogs(rule_run, thresholds, ENTITY_MODEL, insights);
}

const struct rule rule_hog = {
    .id = "HOG",
    .title = "one user or model takes most of the cluster",
    .trigger =
        "a user or a model has more than least_share, and than of_equal equal shares, of the "
        "GPU-hours or of the energy of all jobs",
    .recommends = "policies that read users",
    .measure = SHARE_OF_ENERGY,
    .betters = SUMMARY_COLUMN(jain_gpu_s),
    .thresholds = hog_fields,
    .thresholds_size = sizeof(struct hog_thresholds),
    .find = find_hog,
};
