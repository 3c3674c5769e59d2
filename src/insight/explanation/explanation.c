/* The parts of an explanation. */
#include "insight/explanation/explanation.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

/* ---- Who came later and started before ---- */

/* By job, why it overtook this one; -1: not known. The caller's to free. */
static int *find_whys(const struct explanation *explanation) {
    uint32_t count = explanation->run->part->jobs_submitted;
    int *whys = mem_alloc((count + (size_t)1) * sizeof *whys);
    for (uint32_t j = 0; j < count; j++)
        whys[j] = -1;
    for (size_t i = explanation->moments ? explanation->moments->overtakers.count : 0; i-- > 0;)
        if (explanation->moments->overtakers.at[i].job < count)
            whys[explanation->moments->overtakers.at[i].job] =
                explanation->moments->overtakers.at[i].why;
    return whys;
}

ORDER_BY(overtaker_by_start, struct explanation_overtaker, ASC(start_ns) ASC(job))

static void find_overtakers(struct explanation *explanation) {
    const struct recorded_job *own = &explanation->run->jobs[explanation->job];
    int64_t until_ns = own->start_ns >= 0 ? own->start_ns : explanation->run->part->end_ns;
    if (own->segment_count == 0)
        return; /* it never waited */
    int *whys = find_whys(explanation);
    for (uint32_t j = explanation->job + 1; j < explanation->run->part->jobs_submitted; j++) {
        int64_t start_ns = explanation->run->jobs[j].start_ns;
        if (start_ns >= 0 && start_ns < until_ns)
            array_push(&explanation->overtakers,
                       ((struct explanation_overtaker){j, start_ns, whys[j]}));
    }
    free(whys);
    sort_array(explanation->overtakers.at, explanation->overtakers.count, overtaker_by_start);
}

/* ---- The deadline ---- */

/* From submission, as policies predict it (semantics 4), in its span on the empty cluster. */
static struct explanation_choice choice_at(const struct explanation *explanation, uint32_t config) {
    const struct workload *workload = &explanation->run->workload;
    const struct job_spec *spec = &workload->jobs.at[explanation->job];
    const struct easim_config *c = &workload->table.configs.at[config];
    double setup_s = workload_costs(workload, spec)->start_s;
    double computing_s = spec->predicted_work / c->goodput[c->empty_span];
    double gpus = c->milli > 0 ? (double)c->milli / WHOLE_GPU_MILLI : c->k;
    double ctx_w = explanation->run->folder->cluster.gpu_types[c->gpu_type].ctx_w;
    return (struct explanation_choice){
        config, setup_s + computing_s,
        gpus * (ctx_w * setup_s + c->power_w[c->empty_span] * computing_s)};
}

static void judge_choices(struct explanation *explanation) {
    const struct workload *workload = &explanation->run->workload;
    const struct job_spec *spec = &workload->jobs.at[explanation->job];
    const struct config_set *set = &workload->table.sets.at[spec->set];
    double left_s = units_s(spec->deadline_ns - spec->submit_ns);
    for (uint32_t c = set->first; c < set->first + set->count; c++) {
        const struct easim_config *config = &workload->table.configs.at[c];
        const struct explanation_choice choice = choice_at(explanation, c);
        if (!(config->goodput[config->empty_span] > 0))
            continue;
        explanation->choices++;
        if (explanation->fastest.config == EASIM_NONE ||
            choice.time_s < explanation->fastest.time_s)
            explanation->fastest = choice;
        if (choice.time_s > left_s)
            continue;
        explanation->meeting++;
        if (explanation->cheapest.config == EASIM_NONE ||
            choice.energy_j < explanation->cheapest.energy_j)
            explanation->cheapest = choice;
    }
}

static uint32_t first_config(const struct explanation *explanation) {
    const struct recorded_job *job = &explanation->run->jobs[explanation->job];
    const struct recorded_segment *segments = recorded_run_segments(explanation->run, job);
    for (uint32_t i = 0; i < job->segment_count; i++)
        if (segments[i].config != EASIM_NONE)
            return segments[i].config;
    return EASIM_NONE;
}

static enum explanation_deadline judge_deadline(const struct explanation *explanation) {
    const struct recorded_job *job = &explanation->run->jobs[explanation->job];
    int64_t deadline_ns = explanation->run->workload.jobs.at[explanation->job].deadline_ns;
    if (deadline_ns == TIME_NONE_NS)
        return EXPLAINED_NO_DEADLINE;
    if (job->finish_ns >= 0)
        return job->finish_ns <= deadline_ns ? EXPLAINED_MET : EXPLAINED_MISSED;
    if (job->state == EASIM_JOB_REJECTED || deadline_ns <= explanation->run->part->end_ns)
        return EXPLAINED_MISSED;
    return EXPLAINED_OPEN;
}

static void find_deadline(struct explanation *explanation) {
    int64_t deadline_ns = explanation->run->workload.jobs.at[explanation->job].deadline_ns;
    explanation->fastest.config = explanation->cheapest.config = EASIM_NONE;
    explanation->first.config = first_config(explanation);
    explanation->deadline = judge_deadline(explanation);
    if (explanation->deadline == EXPLAINED_NO_DEADLINE)
        return;
    explanation->spare_ns = deadline_ns - explanation->until_ns;
    judge_choices(explanation);
    if (explanation->first.config == EASIM_NONE)
        return;
    explanation->first = choice_at(explanation, explanation->first.config);
    explanation->latest_start_ns =
        deadline_ns - units_duration_ns(fmin(explanation->first.time_s, TIME_MAX_S));
}

void explanation_init(struct explanation *explanation, const struct recorded_run *run, uint32_t job,
                      const struct moments *moments, const char *why_not) {
    *explanation =
        (struct explanation){.run = run, .job = job, .moments = moments, .why_not = why_not};
    double late_s;
    const struct recorded_job *own = &run->jobs[job];
    explanation->until_ns = own->finish_ns >= 0                ? own->finish_ns
                            : own->state == EASIM_JOB_REJECTED ? recorded_run_rejected_ns(run, job)
                                                               : run->part->end_ns;
    blame_find(&explanation->blame, run);
    explanation->missed = miss_cause_find(run, &explanation->blame, job, &late_s);
    find_overtakers(explanation);
    displacements_find(&explanation->displacements, run, job);
    find_deadline(explanation);
}

struct moment_choice explanation_shape(const struct easim_config *config) {
    return (struct moment_choice){.gpu_type = config->gpu_type,
                                  .k = config->k,
                                  .milli = config->milli,
                                  .batch = config->batch,
                                  .power_limit_w = config->power_limit_w,
                                  .extrapolated = config->extrapolated};
}

void explanation_finish(struct explanation *explanation) {
    blame_finish(&explanation->blame);
    free(explanation->overtakers.at);
    displacements_finish(&explanation->displacements);
    *explanation = (struct explanation){0};
}
