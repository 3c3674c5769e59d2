/* Segments of jobs: see job_segments.h. The engine tells of a loss when it has happened, by the
   job's lost_ns: at the end of the run itself, or later if the run's checkpoint was still being
   written. */
#include "metrics/job_segments.h"

#include "engine/gpus.h"
#include "engine/limits.h"
#include "engine/segments.h"
#include "metrics/job_record.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* What a run has done, drawn and lost to limits up to some time. */
struct run_sums {
    double work;
    int128 energy;
    int64_t throttled_ns; /* of the job's life, as is limit_lost_s */
    double limit_lost_s;
};

/* The last part of a run, or of a phase or step of it, was in vain: since its last checkpoint, or
   all; and so much of its sums. */
static void add_lost_run(struct job_segments *segments, const struct job_segment *run,
                         int64_t lost_ns, const struct run_sums *in_vain) {
    struct job_segment kept = *run, lost = *run;
    int64_t length_ns = run->told.end_ns - run->told.start_ns;
    if (lost_ns <= 0) {
        array_push(&segments->list, kept);
        return;
    }
    lost.told.kind = SEGMENT_LOST;
    if (lost_ns < length_ns) {
        kept.told.end_ns = lost.told.start_ns = run->told.end_ns - lost_ns;
        kept.told.ended = lost.told.began = CAUSE_SAVED;
        lost.told.energy = in_vain->energy < run->told.energy ? in_vain->energy : run->told.energy;
        kept.told.energy = run->told.energy - lost.told.energy;
        lost.work = fmin(in_vain->work, run->work);
        kept.work = run->work - lost.work;
        lost.limit.throttled_ns = in_vain->throttled_ns;
        kept.limit.throttled_ns -= in_vain->throttled_ns;
        lost.limit.lost_s = fmin(in_vain->limit_lost_s, run->limit.lost_s);
        kept.limit.lost_s -= lost.limit.lost_s;
        array_push(&segments->list, kept);
    }
    array_push(&segments->list, lost);
}

/* The end of what is kept of a run: when, and how much it had done and drawn then. */
struct run_end {
    int64_t kept_until_ns;
    struct run_sums kept, at; /* at: at the end of the part looked at */
};

/* A part of a run, of which the rest is in vain. */
static void add_part(struct job_segments *segments, const struct job_segment *part,
                     struct run_end *end) {
    bool is_any = part->told.end_ns > part->told.start_ns || part->work > 0;
    int64_t lost_ns = is_any ? part->told.end_ns - end->kept_until_ns : 0;
    struct run_sums *at = &end->at;
    const struct run_sums *kept = &end->kept;
    at->work += part->work;
    at->energy += part->told.energy;
    at->throttled_ns += part->limit.throttled_ns;
    at->limit_lost_s += part->limit.lost_s;
    const struct run_sums in_vain = {
        .work = fmax(0, at->work - kept->work),
        .energy = at->energy > kept->energy ? at->energy - kept->energy : 0,
        .throttled_ns = at->throttled_ns - kept->throttled_ns,
        .limit_lost_s = fmax(0, at->limit_lost_s - kept->limit_lost_s)};
    add_lost_run(segments, part, lost_ns, &in_vain);
}

/* A run is over, the last lost_ns of it in vain; last: its last phase. */
static void add_run(struct job_segments *segments, struct job_history *history,
                    const struct job_segment *last, int64_t lost_ns, const struct run_sums *kept) {
    struct run_end end = {.kept_until_ns = last->told.end_ns - lost_ns, .kept = *kept};
    end.at.throttled_ns = history->throttled_ns - last->limit.throttled_ns;
    end.at.limit_lost_s = history->limit_lost_s - last->limit.lost_s;
    for (size_t i = 0; i < history->phases.count; i++) {
        end.at.throttled_ns -= history->phases.at[i].limit.throttled_ns;
        end.at.limit_lost_s -= history->phases.at[i].limit.lost_s;
    }
    assert(end.kept_until_ns >=
           (history->phases.count > 0 ? history->phases.at : last)->told.start_ns);
    history->last_run = segments->list.count;
    for (size_t i = 0; i < history->phases.count; i++)
        add_part(segments, &history->phases.at[i], &end);
    add_part(segments, last, &end);
    history->last_run_end = segments->list.count;
    history->phases.count = 0;
    history->run_work = 0;
}

/* Work done in a run up to now, when a part of it has ended: all that was left if the job has. */
static double run_work(const struct sim *sim, const struct segment *segment) {
    return segment->ended == CAUSE_FINISHED
               ? sim->runs[segment->job].remaining
               : progress_work(sim, segment->job, progress_computing_ns(sim, segment->job));
}

static void note_run(struct job_segments *s, const struct sim *sim, struct job_segment *segment,
                     int64_t lost_ns) {
    struct job_history *history = &s->histories[segment->told.job];
    double work = fmax(history->run_work, run_work(sim, &segment->told));
    segment->work = work - history->run_work;
    history->run_work = work;
    if (segment_cause_goes_on(segment->told.ended)) {
        array_push(&history->phases, *segment);
        return;
    }
    uint32_t job = segment->told.job;
    int64_t kept_ns = progress_computing_ns(sim, job) - lost_ns;
    struct run_sums kept = {.work = lost_ns > 0 ? progress_work(sim, job, kept_ns) : work,
                            .energy = progress_energy(sim, job, kept_ns)};
    if (limits_have(sim, job)) {
        const struct limit_totals limits = limits_totals_at(sim, job, sim->now_ns - lost_ns);
        kept.throttled_ns = limits.throttled_ns;
        kept.limit_lost_s = limits.lost_s;
    }
    add_run(s, history, segment, lost_ns, &kept);
}

/* Of a run that has ended or goes on. */
static struct limit_share limit_share_of(struct job_history *history, const struct sim *sim,
                                         uint32_t job) {
    struct limit_share share = {.wish_nw = -1};
    if (!limits_have(sim, job))
        return share;
    const struct limit_totals totals = limits_totals_of(sim, job);
    share.wish_nw = limits_wish_nw(sim, job);
    share.throttled_ns = totals.throttled_ns - history->throttled_ns;
    share.lost_s = share.throttled_ns > 0 ? fmax(0, totals.lost_s - history->limit_lost_s) : 0;
    history->throttled_ns += share.throttled_ns;
    history->limit_lost_s += share.lost_s;
    return share;
}

static void on_segment(void *context, const struct sim *sim, const struct segment *told) {
    struct job_segments *s = context;
    if (!s->histories) {
        s->history_count = sim->workload->jobs.count;
        s->histories = mem_zalloc(s->history_count, sizeof *s->histories);
    }
    struct job_history *history = &s->histories[told->job];
    struct job_segment segment = {.told = *told, .limit = {.wish_nw = -1}};
    int64_t lost_ns = account_lost(sim, told->job).ns - history->lost_ns;
    history->lost_ns += lost_ns;
    if (s->tracker)
        segment.gpus = gpu_tracker_end_segment(s->tracker, sim, told);
    if (told->kind == SEGMENT_RUN) {
        segment.limit = limit_share_of(history, sim, told->job);
        note_run(s, sim, &segment, lost_ns);
        return;
    }
    /* What the last run did, with the checkpoint that was to keep it. */
    for (size_t i = history->last_run; lost_ns > 0 && i < history->last_run_end; i++)
        s->list.at[i].told.kind = SEGMENT_LOST;
    array_push(&s->list, segment);
}

static void on_event(void *context, const struct sim *sim, const struct event *event) {
    const struct job_segments *s = context;
    if (event_rows[event->kind].subject == OF_NODE)
        gpu_tracker_note_node(s->tracker, sim, event->payload);
}

static void on_instant(void *context, const struct sim *sim) {
    const struct job_segments *s = context;
    gpu_tracker_settle(s->tracker, sim);
}

static void on_service(void *context, const struct sim *sim, const struct service_piece *piece) {
    struct job_segments *s = context;
    replica_segments_note(&s->replicas, sim, piece);
}

static void on_replica(void *context, const struct sim *sim, uint32_t replica,
                       enum segment_cause cause) {
    struct job_segments *s = context;
    replica_segments_change(&s->replicas, sim, replica, cause);
}

void job_segments_init(struct job_segments *segments, struct gpu_tracker *tracker) {
    *segments = (struct job_segments){.tracker = tracker, .replicas = {.tracker = tracker}};
    segments->observer = (struct observer){.context = segments,
                                           .segment = on_segment,
                                           .service = on_service,
                                           .replica = on_replica,
                                           .event = tracker ? on_event : NULL,
                                           .instant = tracker ? on_instant : NULL};
}

/* By job; of one job they are in order already. */
static void sort_by_job(struct job_segments *segments, uint32_t jobs) {
    size_t first = 0, count = segments->list.count;
    segments->by_job = mem_alloc(count * sizeof *segments->by_job);
    for (size_t i = 0; i < count; i++)
        segments->histories[segments->list.at[i].told.job].count++;
    for (uint32_t j = 0; j < jobs; j++) {
        segments->histories[j].first = first;
        first += segments->histories[j].count;
        segments->histories[j].count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct job_history *history = &segments->histories[segments->list.at[i].told.job];
        segments->by_job[history->first + history->count++] = &segments->list.at[i];
    }
}

void job_segments_close(struct job_segments *segments, const struct sim *sim) {
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        if (sim->runs[j].segment != SEGMENT_NONE) {
            const struct segment last = segments_present(sim, j, CAUSE_END_OF_RUN);
            on_segment(segments, sim, &last);
        }
    replica_segments_close(&segments->replicas, sim);
    if (segments->tracker)
        gpu_tracker_close(segments->tracker, sim);
    if (segments->histories)
        sort_by_job(segments, sim->next_arrival);
}

const struct job_segment *const *job_segments_of(const struct job_segments *segments, uint32_t job,
                                                 size_t *ret_count) {
    *ret_count = segments->histories ? segments->histories[job].count : 0;
    return *ret_count > 0 ? &segments->by_job[segments->histories[job].first] : NULL;
}

void job_segments_finish(struct job_segments *segments) {
    free(segments->list.at);
    free(segments->by_job);
    for (size_t j = 0; j < segments->history_count; j++)
        free(segments->histories[j].phases.at);
    free(segments->histories);
    replica_segments_finish(&segments->replicas);
    *segments = (struct job_segments){0};
}

/* GPU time held in a segment, 1e-12 GPU s. */
static int128 job_segments_gpu_ps(const struct sim *sim, const struct segment *segment) {
    if (segment->config == EASIM_NONE)
        return 0;
    return (int128)gpus_held_milli(sim, segment->config) * (segment->end_ns - segment->start_ns);
}

/* --- job_segments_check --- */

/* What segments add up to. */
struct sums {
    int128 held_energy, held_gpu_ps; /* set-up and checkpoints */
    int128 run_energy, run_gpu_ps;   /* lost runs too */
    int128 lost_energy, lost_gpu_ps;
    int128 queued_energy; /* 0 */
    int64_t exec_ns, lost_ns;
    uint32_t preemptions, resizes;
    double work; /* kept */
    int64_t throttled_ns;
    double limit_lost_s;
};

#define WORK_TOLERANCE 1e-9 /* of the job's work: it is added in another order */

static void sum_segment(struct sums *sums, const struct sim *sim,
                        const struct job_segment *job_segment) {
    const struct segment *segment = &job_segment->told;
    int64_t length_ns = segment->end_ns - segment->start_ns;
    sums->preemptions += segment->ended == CAUSE_PREEMPTED;
    sums->resizes += segment->ended == CAUSE_RESIZED;
    sums->work += segment->kind == SEGMENT_LOST ? 0 : job_segment->work;
    sums->throttled_ns += job_segment->limit.throttled_ns;
    sums->limit_lost_s += job_segment->limit.lost_s;
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
static bool segments_tile(const struct job_segment *const *at, size_t count, const struct sim *sim,
                          const struct job_record *record) {
    if (count == 0)
        return record->state == EASIM_JOB_REJECTED;
    bool finished = record->state == EASIM_JOB_FINISHED,
         rejected = record->state == EASIM_JOB_REJECTED;
    const struct segment *last = &at[count - 1]->told;
    for (size_t i = 1; i < count; i++)
        if (!is_joined(&at[i - 1]->told, &at[i]->told))
            return false;
    return at[0]->told.start_ns == record->spec->submit_ns &&
           at[0]->told.began == CAUSE_SUBMITTED &&
           (rejected || last->end_ns == (finished ? record->finish_ns : sim->now_ns)) &&
           last->ended == (finished   ? CAUSE_FINISHED
                           : rejected ? CAUSE_REJECTED
                                      : CAUSE_END_OF_RUN);
}

/* A job waits until its first start, and its first segment says so. */
static bool segments_start_well(const struct job_segment *const *at, size_t count,
                                const struct job_record *record) {
    if (count == 0)
        return record->start_ns < 0;
    return at[0]->told.kind == SEGMENT_QUEUED &&
           (count > 1 ? at[0]->told.end_ns == record->start_ns : record->start_ns < 0);
}

static bool sums_match(const struct sums *sums, const struct job_record *record) {
    return sums->queued_energy == 0 && sums->held_energy + sums->run_energy == record->energy &&
           sums->held_gpu_ps + sums->run_gpu_ps == record->gpu_ps &&
           sums->lost_energy == record->lost_energy && sums->lost_gpu_ps == record->lost_gpu_ps &&
           sums->exec_ns == record->exec_ns && sums->lost_ns == record->lost_ns &&
           sums->preemptions == record->preemptions && sums->resizes == record->resizes &&
           sums->throttled_ns == record->throttled_ns &&
           fabs(sums->limit_lost_s - record->limit_lost_s) <=
               WORK_TOLERANCE * units_s(record->exec_ns);
}

static bool work_matches(const struct sums *sums, const struct sim *sim, uint32_t job) {
    double whole = sim->workload->jobs.at[job].work;
    return fabs(sums->work - account_work_done(sim, job)) <= WORK_TOLERANCE * whole;
}

static const char *check_job_segments(const struct job_segments *segments, const struct sim *sim,
                                      uint32_t job, struct sums *total) {
    size_t count;
    const struct job_record record = job_record_of(sim, job);
    const struct job_segment *const *at = job_segments_of(segments, job, &count);
    struct sums sums = {0};
    for (size_t i = 0; i < count; i++)
        sum_segment(&sums, sim, at[i]);
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
