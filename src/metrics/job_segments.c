/* Segments of jobs: see job_segments.h. The engine tells of a loss when it has happened, by the
   job's lost_ns: at the end of the run itself, or later if the run's checkpoint was still being
   written. */
#include "metrics/job_segments.h"

#include "engine/gpus.h"
#include "engine/segments.h"

#include <assert.h>
#include <stdlib.h>

/* The last part of a run, or of a phase or step of it, was in vain: since its last checkpoint, or
 * all. */
static void add_lost_run(struct job_segments *segments, const struct segment *run,
                         int64_t lost_ns) {
    struct segment kept = *run, lost = *run;
    int64_t length_ns = run->end_ns - run->start_ns;
    if (lost_ns <= 0) {
        array_push(&segments->list, kept);
        return;
    }
    lost.kind = SEGMENT_LOST;
    if (lost_ns < length_ns) {
        kept.end_ns = lost.start_ns = run->end_ns - lost_ns;
        kept.ended = lost.began = CAUSE_SAVED;
        lost.energy = run->energy / length_ns * lost_ns; /* power is constant: exact */
        kept.energy = run->energy - lost.energy;
        array_push(&segments->list, kept);
    }
    array_push(&segments->list, lost);
}

/* A part of a run of which all after kept_until_ns was in vain. */
static void add_part(struct job_segments *segments, const struct segment *part,
                     int64_t kept_until_ns) {
    int64_t lost_ns = part->end_ns - kept_until_ns, length_ns = part->end_ns - part->start_ns;
    add_lost_run(segments, part, lost_ns < length_ns ? lost_ns : length_ns);
}

/* A run is over, the last lost_ns of it in vain; last: its last phase. */
static void add_run(struct job_segments *segments, struct job_trail *trail,
                    const struct segment *last, int64_t lost_ns) {
    int64_t kept_until_ns = last->end_ns - lost_ns;
    assert(kept_until_ns >= (trail->phases.count > 0 ? trail->phases.at : last)->start_ns);
    trail->last_run = segments->list.count;
    for (size_t i = 0; i < trail->phases.count; i++)
        add_part(segments, &trail->phases.at[i], kept_until_ns);
    add_part(segments, last, kept_until_ns);
    trail->last_run_end = segments->list.count;
    trail->phases.count = 0;
}

static void on_segment(void *context, const struct sim *sim, const struct segment *segment) {
    struct job_segments *s = context;
    if (!s->trails) {
        s->trail_count = sim->workload->jobs.count;
        s->trails = mem_zalloc(s->trail_count, sizeof *s->trails);
    }
    struct job_trail *trail = &s->trails[segment->job];
    int64_t lost_ns = sim->runs[segment->job].lost_ns - trail->lost_ns;
    trail->lost_ns += lost_ns;
    if (segment->kind == SEGMENT_RUN &&
        (segment->ended == CAUSE_PHASE || segment->ended == CAUSE_UTILIZATION)) {
        array_push(&trail->phases, *segment);
        return;
    }
    if (segment->kind == SEGMENT_RUN) {
        add_run(s, trail, segment, lost_ns);
        return;
    }
    /* What the last run did, with the checkpoint that was to keep it. */
    for (size_t i = trail->last_run; lost_ns > 0 && i < trail->last_run_end; i++)
        s->list.at[i].kind = SEGMENT_LOST;
    array_push(&s->list, *segment);
}

void job_segments_init(struct job_segments *segments) {
    *segments = (struct job_segments){0};
    segments->observer = (struct observer){.context = segments, .segment = on_segment};
}

/* By job; of one job they are in order already. */
static void sort_by_job(struct job_segments *segments, uint32_t jobs) {
    size_t first = 0, count = segments->list.count;
    struct segment *sorted = mem_alloc(count * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        segments->trails[segments->list.at[i].job].count++;
    for (uint32_t j = 0; j < jobs; j++) {
        segments->trails[j].first = first;
        first += segments->trails[j].count;
        segments->trails[j].count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct job_trail *trail = &segments->trails[segments->list.at[i].job];
        sorted[trail->first + trail->count++] = segments->list.at[i];
    }
    free(segments->list.at);
    segments->list.at = sorted;
}

void job_segments_close(struct job_segments *segments, const struct sim *sim) {
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        if (sim->runs[j].segment != SEGMENT_NONE) {
            const struct segment last = segments_present(sim, j, CAUSE_END_OF_RUN);
            on_segment(segments, sim, &last);
        }
    if (segments->trails)
        sort_by_job(segments, sim->next_arrival);
}

const struct segment *job_segments_of(const struct job_segments *segments, uint32_t job,
                                      size_t *ret_count) {
    *ret_count = segments->trails ? segments->trails[job].count : 0;
    return *ret_count > 0 ? &segments->list.at[segments->trails[job].first] : NULL;
}

void job_segments_finish(struct job_segments *segments) {
    free(segments->list.at);
    for (size_t j = 0; j < segments->trail_count; j++)
        free(segments->trails[j].phases.at);
    free(segments->trails);
    *segments = (struct job_segments){0};
}

int128 job_segments_gpu_ps(const struct sim *sim, const struct segment *segment) {
    if (segment->config == EASIM_NONE)
        return 0;
    return (int128)gpus_held_milli(sim, segment->config) * (segment->end_ns - segment->start_ns);
}
