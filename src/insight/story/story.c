/* What a story is made of. */
#include "insight/story/story.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

/* ---- Who came later and started before ---- */

/* By job, why it overtook this one; -1: not known. The caller's to free. */
static int *find_whys(const struct story *story) {
    uint32_t count = story->run->part->jobs_submitted;
    int *whys = mem_alloc((count + (size_t)1) * sizeof *whys);
    for (uint32_t j = 0; j < count; j++)
        whys[j] = -1;
    for (size_t i = story->moments ? story->moments->overtakers.count : 0; i-- > 0;)
        if (story->moments->overtakers.at[i].job < count)
            whys[story->moments->overtakers.at[i].job] = story->moments->overtakers.at[i].why;
    return whys;
}

ORDER_BY(overtaker_by_start, struct story_overtaker, ASC(start_ns) ASC(job))

static void find_overtakers(struct story *story) {
    const struct recorded_job *own = &story->run->jobs[story->job];
    int64_t until_ns = own->start_ns >= 0 ? own->start_ns : story->run->part->end_ns;
    if (own->segment_count == 0)
        return; /* it never waited */
    int *whys = find_whys(story);
    for (uint32_t j = story->job + 1; j < story->run->part->jobs_submitted; j++) {
        int64_t start_ns = story->run->jobs[j].start_ns;
        if (start_ns >= 0 && start_ns < until_ns)
            array_push(&story->overtakers, ((struct story_overtaker){j, start_ns, whys[j]}));
    }
    free(whys);
    sort_array(story->overtakers.at, story->overtakers.count, overtaker_by_start);
}

/* ---- The deadline ---- */

/* From submission, as policies predict it (semantics 4), in its span on the empty cluster. */
static struct story_choice choice_at(const struct story *story, uint32_t config) {
    const struct workload *workload = &story->run->workload;
    const struct job_spec *spec = &workload->jobs.at[story->job];
    const struct easim_config *c = &workload->table.configs.at[config];
    double setup_s = workload_costs(workload, spec)->start_s;
    double computing_s = spec->predicted_work / c->goodput[c->empty_span];
    double gpus = c->milli > 0 ? (double)c->milli / WHOLE_GPU_MILLI : c->k;
    double ctx_w = story->run->folder->cluster.gpu_types[c->gpu_type].ctx_w;
    return (struct story_choice){config, setup_s + computing_s,
                                 gpus *
                                     (ctx_w * setup_s + c->power_w[c->empty_span] * computing_s)};
}

static void judge_choices(struct story *story) {
    const struct workload *workload = &story->run->workload;
    const struct job_spec *spec = &workload->jobs.at[story->job];
    const struct config_set *set = &workload->table.sets.at[spec->set];
    double left_s = units_s(spec->deadline_ns - spec->submit_ns);
    for (uint32_t c = set->first; c < set->first + set->count; c++) {
        const struct easim_config *config = &workload->table.configs.at[c];
        const struct story_choice choice = choice_at(story, c);
        if (!(config->goodput[config->empty_span] > 0))
            continue;
        story->choices++;
        if (story->fastest.config == EASIM_NONE || choice.time_s < story->fastest.time_s)
            story->fastest = choice;
        if (choice.time_s > left_s)
            continue;
        story->meeting++;
        if (story->cheapest.config == EASIM_NONE || choice.energy_j < story->cheapest.energy_j)
            story->cheapest = choice;
    }
}

static uint32_t first_config(const struct story *story) {
    const struct recorded_job *job = &story->run->jobs[story->job];
    const struct recorded_segment *segments = recorded_run_segments(story->run, job);
    for (uint32_t i = 0; i < job->segment_count; i++)
        if (segments[i].config != EASIM_NONE)
            return segments[i].config;
    return EASIM_NONE;
}

static enum story_deadline judge_deadline(const struct story *story) {
    const struct recorded_job *job = &story->run->jobs[story->job];
    int64_t deadline_ns = story->run->workload.jobs.at[story->job].deadline_ns;
    if (deadline_ns == TIME_NONE_NS)
        return STORY_NO_DEADLINE;
    if (job->finish_ns >= 0)
        return job->finish_ns <= deadline_ns ? STORY_MET : STORY_MISSED;
    if (job->state == EASIM_JOB_REJECTED || deadline_ns <= story->run->part->end_ns)
        return STORY_MISSED;
    return STORY_OPEN;
}

static void find_deadline(struct story *story) {
    int64_t deadline_ns = story->run->workload.jobs.at[story->job].deadline_ns;
    story->fastest.config = story->cheapest.config = EASIM_NONE;
    story->first.config = first_config(story);
    story->deadline = judge_deadline(story);
    if (story->deadline == STORY_NO_DEADLINE)
        return;
    story->spare_ns = deadline_ns - story->until_ns;
    judge_choices(story);
    if (story->first.config == EASIM_NONE)
        return;
    story->first = choice_at(story, story->first.config);
    story->latest_start_ns = deadline_ns - units_duration_ns(fmin(story->first.time_s, TIME_MAX_S));
}

void story_init(struct story *story, const struct recorded_run *run, uint32_t job,
                const struct moments *moments, const char *why_not) {
    *story = (struct story){.run = run, .job = job, .moments = moments, .why_not = why_not};
    double late_s;
    const struct recorded_job *own = &run->jobs[job];
    story->until_ns = own->finish_ns >= 0                ? own->finish_ns
                      : own->state == EASIM_JOB_REJECTED ? recorded_run_rejected_ns(run, job)
                                                         : run->part->end_ns;
    blame_find(&story->blame, run);
    story->missed = miss_cause_find(run, &story->blame, job, &late_s);
    find_overtakers(story);
    displacements_find(&story->displacements, run, job);
    find_deadline(story);
}

struct moment_choice story_shape(const struct easim_config *config) {
    return (struct moment_choice){.gpu_type = config->gpu_type,
                                  .k = config->k,
                                  .milli = config->milli,
                                  .batch = config->batch,
                                  .power_limit_w = config->power_limit_w,
                                  .extrapolated = config->extrapolated};
}

void story_finish(struct story *story) {
    blame_finish(&story->blame);
    free(story->overtakers.at);
    displacements_finish(&story->displacements);
    *story = (struct story){0};
}
