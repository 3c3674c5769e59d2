/* Segments against records: see job_segments_check.h. */
#include "metrics/job_segments_check.h"

#include "engine/segments.h"
#include "metrics/job_record.h"

#include <math.h>

/* What segments add up to. */
struct sums {
    int128 held_energy, held_gpu_ps; /* set-up and checkpoints */
    int128 run_energy, run_gpu_ps;   /* lost runs too */
    int128 lost_energy, lost_gpu_ps;
    int128 queued_energy; /* 0 */
    int64_t exec_ns, lost_ns;
    uint32_t preemptions, resizes;
    double work; /* kept */
};

#define WORK_TOLERANCE 1e-9 /* of the job's work: it is added in another order */

static void sum_segment(struct sums *sums, const struct sim *sim,
                        const struct job_segment *job_segment) {
    const struct segment *segment = &job_segment->told;
    int64_t length_ns = segment->end_ns - segment->start_ns;
    sums->preemptions += segment->ended == CAUSE_PREEMPTED;
    sums->resizes += segment->ended == CAUSE_RESIZED;
    sums->work += segment->kind == SEGMENT_LOST ? 0 : job_segment->work;
    if (segment->kind == SEGMENT_QUEUED) {
        sums->queued_energy += segment->energy;
        return;
    }
    int128 gpu_ps = job_segments_gpu_ps(sim, segment);
    bool runs = segment->kind == SEGMENT_RUN || segment->kind == SEGMENT_LOST;
    *(runs ? &sums->run_energy : &sums->held_energy) += segment->energy;
    *(runs ? &sums->run_gpu_ps : &sums->held_gpu_ps) += gpu_ps;
    sums->exec_ns += length_ns;
    if (segment->kind != SEGMENT_LOST)
        return;
    sums->lost_energy += segment->energy;
    sums->lost_gpu_ps += gpu_ps;
    sums->lost_ns += length_ns;
}

/* Of one job to those of all: what the meter counts. */
static void add_sums(struct sums *total, const struct sums *sums) {
    total->held_energy += sums->held_energy;
    total->held_gpu_ps += sums->held_gpu_ps;
    total->run_energy += sums->run_energy;
    total->run_gpu_ps += sums->run_gpu_ps;
}

static bool is_joined(const struct segment *before, const struct segment *after) {
    return after->start_ns == before->end_ns && after->began == before->ended &&
           after->end_ns >= after->start_ns;
}

/* From the submission to the finish, without gaps. */
static bool segments_tile(const struct job_segment *at, size_t count, const struct sim *sim,
                          const struct job_record *record) {
    if (count == 0)
        return record->state == EASIM_JOB_REJECTED;
    bool finished = record->state == EASIM_JOB_FINISHED,
         rejected = record->state == EASIM_JOB_REJECTED;
    const struct segment *last = &at[count - 1].told;
    for (size_t i = 1; i < count; i++)
        if (!is_joined(&at[i - 1].told, &at[i].told))
            return false;
    return at->told.start_ns == record->spec->submit_ns && at->told.began == CAUSE_SUBMITTED &&
           (rejected || last->end_ns == (finished ? record->finish_ns : sim->now_ns)) &&
           last->ended == (finished   ? CAUSE_FINISHED
                           : rejected ? CAUSE_REJECTED
                                      : CAUSE_END_OF_RUN);
}

/* A job waits until its first start, and its first segment says so. */
static bool segments_start_well(const struct job_segment *at, size_t count,
                                const struct job_record *record) {
    if (count == 0)
        return record->start_ns < 0;
    return at->told.kind == SEGMENT_QUEUED &&
           (count > 1 ? at->told.end_ns == record->start_ns : record->start_ns < 0);
}

static bool sums_match(const struct sums *sums, const struct job_record *record) {
    return sums->queued_energy == 0 && sums->held_energy + sums->run_energy == record->energy &&
           sums->held_gpu_ps + sums->run_gpu_ps == record->gpu_ps &&
           sums->lost_energy == record->lost_energy && sums->lost_gpu_ps == record->lost_gpu_ps &&
           sums->exec_ns == record->exec_ns && sums->lost_ns == record->lost_ns &&
           sums->preemptions == record->preemptions && sums->resizes == record->resizes;
}

static bool work_matches(const struct sums *sums, const struct sim *sim, uint32_t job) {
    double whole = sim->workload->jobs.at[job].work;
    return fabs(sums->work - account_work_done(sim, job)) <= WORK_TOLERANCE * whole;
}

static const char *check_job_segments(const struct job_segments *segments, const struct sim *sim,
                                      uint32_t job, struct sums *total) {
    size_t count;
    const struct job_record record = job_record_of(sim, job);
    const struct job_segment *at = job_segments_of(segments, job, &count);
    struct sums sums = {0};
    for (size_t i = 0; i < count; i++)
        sum_segment(&sums, sim, &at[i]);
    add_sums(total, &sums);
    return !segments_tile(at, count, sim, &record)       ? "tile another time"
           : !segments_start_well(at, count, &record)    ? "start at another time"
           : !sums_match(&sums, &record)                 ? "add up to something else"
           : count > 0 && !work_matches(&sums, sim, job) ? "did other work"
                                                         : NULL;
}

/* Energy and GPU time of all jobs are what the meter has counted. */
static bool sums_match_meter(const struct sums *total, const struct power_meter *meter) {
    int128 held = 0, run = 0, held_gpu_ps = 0, run_gpu_ps = 0;
    for (uint32_t h = 0; h < meter->type_count; h++) {
        held += meter->types[h].setup.energy;
        held_gpu_ps += meter->types[h].setup.gpu_ps;
        run += meter->types[h].computing.energy;
        run_gpu_ps += meter->types[h].computing.gpu_ps;
    }
    return held == total->held_energy && held_gpu_ps == total->held_gpu_ps &&
           run == total->run_energy && run_gpu_ps == total->run_gpu_ps;
}

int job_segments_check(const struct job_segments *segments, const struct sim *sim,
                       struct error *reterr) {
    struct sums total = {0};
    for (uint32_t j = 0; j < sim->next_arrival; j++) {
        const char *wrong = check_job_segments(segments, sim, j, &total);
        if (wrong)
            return error_set(reterr, ERROR_RUN, "check: segments of job %s %s than its record says",
                             sim->workload->jobs.at[j].id, wrong);
    }
    if (!sums_match_meter(&total, &sim->meter))
        return error_set(reterr, ERROR_RUN,
                         "check: segments of all jobs add up to something else than the meter");
    return replica_segments_check(&segments->replicas, sim, reterr);
}
