/* Replicas explained: see replica_explanation.h. A replica stays on the GPUs that it got. */
#include "insight/explanation/replica_explanation.h"

#include "base/units.h"

#include <stdlib.h>

static const struct recorded_segment *segments_of(const struct recorded_run *run, uint32_t job) {
    return recorded_run_segments(run, &run->jobs[job]);
}

/* Its first segment on GPUs; NULL: there is none. */
static const struct recorded_segment *first_on_gpus(const struct recorded_run *run, uint32_t job) {
    const struct recorded_segment *all = segments_of(run, job);
    uint32_t i = 0, count = run->jobs[job].segment_count;
    while (i < count && (recorded_segment_waits(&all[i]) || all[i].gpus_count == 0))
        i++;
    return i < count ? &all[i] : NULL;
}

static bool holds(const struct recorded_run *run, const struct recorded_segment *s, uint32_t node,
                  uint32_t gpu) {
    for (uint32_t i = 0; i < s->gpus_count; i++) {
        const struct recorded_gpus *g = &run->gpus.at[s->gpus + i];
        if (g->node == node && gpu >= g->first && gpu < g->first + g->count)
            return true;
    }
    return false;
}

/* Number of GPUs that both hold. */
static uint32_t common_gpus(const struct recorded_run *run, const struct recorded_segment *a,
                            const struct recorded_segment *b) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->gpus_count; i++) {
        const struct recorded_gpus *g = &run->gpus.at[a->gpus + i];
        for (uint32_t gpu = g->first; gpu < g->first + g->count; gpu++)
            count += holds(run, b, g->node, gpu);
    }
    return count;
}

/* ---- Where its GPUs came from ---- */

ORDER_BY(by_time, struct replica_source, ASC(time_ns) ASC(job))

/* The segment that held a GPU last before then; NULL: none did. */
static const struct recorded_segment *last_holder(const struct recorded_run *run, uint32_t node,
                                                  uint32_t gpu, int64_t before_ns) {
    const struct recorded_segment *last = NULL;
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->end_ns <= before_ns && s->end_ns > s->start_ns &&
            (!last || s->end_ns > last->end_ns) && holds(run, s, node, gpu))
            last = s;
    }
    return last;
}

static void add_source(struct replica_explanation *explanation,
                       const struct recorded_segment *from) {
    for (size_t i = 0; i < explanation->sources.count; i++)
        if (explanation->sources.at[i].job == from->job) {
            explanation->sources.at[i].gpus++;
            return;
        }
    array_push(&explanation->sources,
               ((struct replica_source){from->job, 1, from->end_ns, from->ended}));
}

static void find_sources(struct replica_explanation *explanation,
                         const struct recorded_segment *first) {
    const struct recorded_run *run = explanation->run;
    for (uint32_t i = 0; i < first->gpus_count; i++) {
        const struct recorded_gpus *g = &run->gpus.at[first->gpus + i];
        for (uint32_t gpu = g->first; gpu < g->first + g->count; gpu++) {
            const struct recorded_segment *from = last_holder(run, g->node, gpu, first->start_ns);
            if (from)
                add_source(explanation, from);
        }
    }
    sort_array(explanation->sources.at, explanation->sources.count, by_time);
}

/* ---- Its service before it ---- */

static void add_other(struct replica_explanation *explanation, const struct recorded_segment *s) {
    if (s->kind == SEGMENT_LOADING) {
        explanation->loading++;
        return;
    }
    explanation->ready++;
    explanation->capacity_per_s +=
        recorded_run_config(explanation->run, s)->goodput[EASIM_ONE_NODE];
    explanation->served_per_s += s->work / units_s(s->end_ns - s->start_ns);
}

static void find_others(struct replica_explanation *explanation) {
    const struct recorded_run *run = explanation->run;
    uint32_t service = run->replicas.at[explanation->job - run->first_replica].service;
    for (uint32_t r = 0; r < run->replicas.count; r++) {
        uint32_t job = run->first_replica + r;
        const struct recorded_segment *all = segments_of(run, job);
        for (uint32_t i = 0; i < run->jobs[job].segment_count; i++) {
            if (run->replicas.at[r].service != service || recorded_segment_waits(&all[i]))
                continue;
            if (all[i].start_ns < explanation->wanted_ns && all[i].end_ns >= explanation->wanted_ns)
                add_other(explanation, &all[i]);
            explanation->failed +=
                all[i].ended == CAUSE_NODE_FAILED && all[i].end_ns == explanation->wanted_ns;
        }
    }
}

/* ---- All ---- */

void replica_explanation_init(struct replica_explanation *explanation,
                              const struct recorded_run *run, uint32_t job) {
    const struct recorded_segment *all = segments_of(run, job), *first = first_on_gpus(run, job);
    uint32_t count = run->jobs[job].segment_count;
    *explanation = (struct replica_explanation){
        .run = run,
        .job = job,
        .service = &run->services[run->replicas.at[job - run->first_replica].service],
        .wanted_ns = all[0].start_ns,
        .start_ns = first ? first->start_ns : -1,
        .ready_ns = -1,
        .end_ns = all[count - 1].end_ns,
        .ended = all[count - 1].ended,
        .node = first ? run->gpus.at[first->gpus].node : EASIM_NONE};
    for (uint32_t i = 0; i < count; i++) {
        if (all[i].kind != SEGMENT_SERVE)
            continue;
        explanation->ready_ns = explanation->ready_ns < 0 ? all[i].start_ns : explanation->ready_ns;
        explanation->tokens += all[i].work;
        explanation->serving_s += units_s(all[i].end_ns - all[i].start_ns);
        explanation->serving_energy += all[i].energy;
    }
    find_others(explanation);
    if (first)
        find_sources(explanation, first);
}

void replica_explanation_finish(struct replica_explanation *explanation) {
    free(explanation->sources.at);
    *explanation = (struct replica_explanation){0};
}

const struct replica_config *
replica_explanation_config(const struct replica_explanation *explanation) {
    const struct recorded_segment *first = first_on_gpus(explanation->run, explanation->job);
    uint32_t begin = explanation->run->workload.table.sets.at[explanation->service->set].first;
    return first ? &explanation->service->spec->configs[first->config - begin] : NULL;
}

/* ---- What happened to jobs ---- */

/* Whether a replica got GPUs at that instant, or was reserving them then. */
static bool takes_at(const struct recorded_run *run, uint32_t replica,
                     const struct recorded_segment *first, int64_t time_ns) {
    const struct recorded_segment *all = segments_of(run, replica);
    return first->start_ns == time_ns || (all[0].kind == SEGMENT_RESERVED &&
                                          all[0].start_ns <= time_ns && first->start_ns >= time_ns);
}

static void add_displacements(struct displacements *d, const struct recorded_run *run,
                              const struct recorded_segment *stopped) {
    for (uint32_t r = 0; r < run->replicas.count; r++) {
        uint32_t replica = run->first_replica + r;
        const struct recorded_segment *first = first_on_gpus(run, replica);
        if (!first || !takes_at(run, replica, first, stopped->end_ns))
            continue;
        uint32_t gpus = common_gpus(run, stopped, first);
        if (gpus > 0)
            array_push(&d->list, ((struct displacement){stopped->end_ns, replica, gpus}));
    }
}

void displacements_find(struct displacements *d, const struct recorded_run *run, uint32_t job) {
    const struct recorded_job *j = &run->jobs[job];
    const struct recorded_segment *all = segments_of(run, job);
    for (uint32_t i = 0; i < j->segment_count; i++)
        if (all[i].ended == CAUSE_PREEMPTED && !recorded_segment_waits(&all[i]))
            add_displacements(d, run, &all[i]);
    for (uint32_t r = 0; j->segment_count > 0 && r < run->replicas.count; r++) {
        const struct recorded_segment *first = first_on_gpus(run, run->first_replica + r);
        d->started_meanwhile +=
            first && first->start_ns >= all[0].start_ns && first->start_ns < all[0].end_ns;
    }
}

void displacements_finish(struct displacements *displacements) {
    free(displacements->list.at);
    *displacements = (struct displacements){0};
}
