/* Blame: see blame.h. */
#include "insight/blame/blame.h"

#include "insight/blame/internal.h"

#include <math.h>
#include <stdlib.h>

const char *const blame_part_names[] = {
    [BLAME_QUEUED] = "queued",   [BLAME_CAPPED] = "capped",
    [BLAME_SETUP] = "setup",     [BLAME_RUN] = "run",
    [BLAME_SLOWED] = "slowed",   [BLAME_LOST] = "lost",
    [BLAME_RESIZED] = "resized", [BLAME_PREEMPTED] = "preempted",
    [BLAME_FAILED] = "failed",   [BLAME_THROTTLED] = "throttled"};

/* Data of all segments. */
struct findings {
    const struct recorded_run *run;
    struct neighbours neighbours;
    int64_t *capped_ns; /* by segment, or NULL */
};

/* The part for a wait or a set-up with this reason; `before` if the reason does not say. */
static enum blame_part part_since(enum segment_cause began, enum blame_part before) {
    switch (began) {
    case CAUSE_PREEMPTED:
    case CAUSE_SAVED:
        return BLAME_PREEMPTED;
    case CAUSE_NODE_FAILED:
        return BLAME_FAILED;
    default:
        return before;
    }
}

/* For a lost segment: the event that took the work, which ends the last of those in a row. */
static enum segment_cause cause_of_loss(const struct recorded_segment *segment, uint32_t rest) {
    while (rest > 1 && segment[1].kind == SEGMENT_LOST && segment_cause_goes_on(segment->ended)) {
        segment++;
        rest--;
    }
    return segment->ended;
}

static void add_wait(struct job_blame *blame, enum blame_part part, int64_t duration_ns,
                     int64_t capped_ns) {
    blame->part_ns[part] += duration_ns - capped_ns;
    blame->part_ns[BLAME_CAPPED] += capped_ns;
}

/* duration_ns > 0. */
static void add_run(struct job_blame *blame, const struct recorded_segment *segment,
                    double slowed_s, double throttled_s) {
    int64_t duration_ns = segment->end_ns - segment->start_ns;
    int64_t throttled_ns = llround(throttled_s * 1e9);
    throttled_ns = throttled_ns < duration_ns ? throttled_ns : duration_ns;
    double rest = 1 - (double)throttled_ns / (double)duration_ns; /* neighbours slow only that */
    int64_t slowed_ns = llround(slowed_s * rest * 1e9);
    slowed_ns = slowed_ns < duration_ns - throttled_ns ? slowed_ns : duration_ns - throttled_ns;
    blame->part_ns[BLAME_RUN] += duration_ns - slowed_ns - throttled_ns;
    blame->part_ns[BLAME_SLOWED] += slowed_ns;
    blame->part_ns[BLAME_THROTTLED] += throttled_ns;
    blame->slowed_j += power_j(segment->energy) * ((double)slowed_ns / (double)duration_ns);
}

static void add_lost(struct job_blame *blame, const struct recorded_segment *segment,
                     uint32_t rest) {
    int64_t duration_ns = segment->end_ns - segment->start_ns;
    enum blame_part part = part_since(cause_of_loss(segment, rest), BLAME_LOST);
    blame->part_ns[BLAME_LOST] += duration_ns;
    blame->lost_preempted_ns += part == BLAME_PREEMPTED ? duration_ns : 0;
    blame->lost_failed_ns += part == BLAME_FAILED ? duration_ns : 0;
}

static void add_job(struct job_blame *blame, const struct findings *findings, uint32_t job) {
    const struct recorded_job *j = &findings->run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(findings->run, j);
    enum blame_part interruption = BLAME_QUEUED; /* none */
    for (uint32_t i = 0; i < j->segment_count; i++) {
        const struct recorded_segment *s = &segments[i];
        size_t place = j->segments + i;
        int64_t duration_ns = s->end_ns - s->start_ns;
        interruption = part_since(s->began, interruption);
        if (duration_ns == 0)
            continue;
        switch ((enum segment_kind)s->kind) {
        case SEGMENT_QUEUED:
        case SEGMENT_RESERVED:
            add_wait(blame, interruption, duration_ns,
                     findings->capped_ns ? findings->capped_ns[place] : 0);
            break;
        case SEGMENT_SETUP:
        case SEGMENT_LOADING:
            blame->part_ns[s->began == CAUSE_RESIZED      ? BLAME_RESIZED
                           : interruption == BLAME_QUEUED ? BLAME_SETUP
                                                          : interruption] += duration_ns;
            break;
        case SEGMENT_CHECKPOINT:
            blame->part_ns[BLAME_PREEMPTED] += duration_ns;
            break;
        case SEGMENT_RUN:
        case SEGMENT_SERVE:
            add_run(blame, s,
                    findings->neighbours.slowed_s ? findings->neighbours.slowed_s[place] : 0,
                    recorded_run_limit(findings->run, s).lost_s);
            break;
        case SEGMENT_LOST:
            add_lost(blame, s, j->segment_count - i);
            break;
        case SEGMENT_NONE:
            break;
        }
    }
}

void blame_find(struct blame *blame, const struct recorded_run *run) {
    size_t jobs = run->workload.jobs.count;
    struct findings findings = {.run = run};
    *blame = (struct blame){.jobs = mem_zalloc(jobs, sizeof *blame->jobs)};
    neighbours_find(&findings.neighbours, run);
    findings.capped_ns = capped_waits_find(run);
    holdings_find(&blame->holdings, run);
    for (uint32_t j = 0; j < jobs; j++)
        add_job(&blame->jobs[j], &findings, j);
    blame->node_slowed_j = findings.neighbours.node_slowed_j;
    findings.neighbours.node_slowed_j = NULL;
    neighbours_finish(&findings.neighbours);
    free(findings.capped_ns);
}

void blame_finish(struct blame *blame) {
    free(blame->jobs);
    free(blame->node_slowed_j);
    holdings_finish(&blame->holdings);
    *blame = (struct blame){0};
}

const struct holding *blame_first_holding(const struct blame *blame, uint32_t job) {
    const struct holdings *h = &blame->holdings;
    return h->first[job] < h->first[job + 1] ? &h->list.at[h->first[job]] : NULL;
}
