/* Segments as they are kept: what was lost is told apart from what was kept, by hand, and the check
   against the records of jobs notices what it is there for. That it holds for scenarios of
   everything at once is part of --check, and so of most tests. Model m makes 1 and 1.6 samples/s on
   1 and 2 GPUs of 100 W (its configurations 0 and 1); a GPU in set-up or checkpoint draws 90 W. */
#include "metrics/job_segments.h"

#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "base/units.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(job_segments, .init = temp_dir_enter, .fini = temp_dir_leave);

#define MODELS(costs) \
    "models: [{name: m, m0: 9, phi: 1, batches: [1], start_s: 3, restart_s: 5, checkpoint_s: 2" costs \
    ", gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}, {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100}]}}}]\n"

struct expected {
    enum segment_kind kind;
    enum segment_cause began, ended;
    double start_s, end_s, energy_j;
};

struct course {
    const char *name, *models, *script, *horizon;
    struct expected expected[10];
};

struct looker {
    const struct course *course;
    struct job_segments segments;
};

static void expect_segments(const struct course *c, const struct job_segment *const *list,
                            size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct expected *e = &c->expected[i];
        const struct segment *at = &list[i]->told;
        cr_expect(at->kind == e->kind && at->began == e->began && at->ended == e->ended,
                  "%s: segment %zu: kind %d, began %d, ended %d", c->name, i, at->kind, at->began,
                  at->ended);
        cr_expect(at->start_ns == units_ns(e->start_s) && at->end_ns == units_ns(e->end_s),
                  "%s: segment %zu: %.9f to %.9f s", c->name, i, units_s(at->start_ns),
                  units_s(at->end_ns));
        /* in these courses it computes on one GPU alone: 1 sample/s at 100 W */
        bool computes = e->kind == SEGMENT_RUN || e->kind == SEGMENT_LOST;
        cr_expect(fabs(list[i]->work - (computes ? e->energy_j / 100 : 0)) < 1e-9,
                  "%s: segment %zu: %g samples", c->name, i, list[i]->work);
        cr_expect(at->energy == (int128)llround(e->energy_j * 1e9) * 1000000000,
                  "%s: segment %zu: %g J", c->name, i, power_j(at->energy));
    }
}

static void look_at_segments(void *context, const struct replication *replication) {
    struct looker *looker = context;
    size_t count, expected = 0;
    job_segments_close(&looker->segments, replication->sim);
    const struct job_segment *const *at = job_segments_of(&looker->segments, 0, &count);
    while (looker->course->expected[expected].kind != SEGMENT_NONE)
        expected++;
    cr_assert_eq(count, expected, "%s: %zu segments", looker->course->name, count);
    expect_segments(looker->course, at, count);
}

static void run_course(const struct course *c) {
    struct looker looker = {.course = c};
    struct trial t;
    job_segments_init(&looker.segments, NULL);
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,model,work_samples\na,0,m,100\n",
                                .models = c->models,
                                .strict = true,
                                .watch = &looker.segments.observer,
                                .look = look_at_segments,
                                .context = &looker},
        "name: n\nhorizon: %s\nmodels: models.yaml\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 100}], nodes: [{gpu: g, gpus: 2}]}\n"
        "policy: {name: script, params: {actions: \"%s\"}}\n" TRIAL_JOBS,
        c->horizon, c->script);
    trial_must_succeed(&t);
    job_segments_finish(&looker.segments);
    trial_finish(&t);
}

#define QUEUED(began, start_s, end_s) \
    { SEGMENT_QUEUED, began, CAUSE_STARTED, start_s, end_s, 0 }
/* Started at start_s: `setup_s` of set-up at 90 W. */
#define SET_UP(start_s, setup_s) \
    { SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP, start_s, (start_s) + (setup_s), 90 * (setup_s) }
#define BEGIN QUEUED(CAUSE_SUBMITTED, 0, 0), SET_UP(0, 3)

Test(job_segments, tell_what_was_lost) {
    static const struct course courses[] = {
        /* every 8 s of computing: 16 of the 20.385 s are kept */
        {"periodic checkpoints",
         MODELS(", checkpoint_interval_s: 8"),
         "0 start 0 0, 23.385 stop 0, 30 start 0 0",
         "drain",
         {BEGIN,
          {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_SAVED, 3, 19, 1600},
          {SEGMENT_LOST, CAUSE_SAVED, CAUSE_PREEMPTED, 19, 23.385, 438.5},
          QUEUED(CAUSE_PREEMPTED, 23.385, 30),
          SET_UP(30, 5),
          {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_FINISHED, 35, 119, 8400}}},
        {"a stop just at a checkpoint",
         MODELS(", checkpoint_interval_s: 8"),
         "0 start 0 0, 19 stop 0, 90 start 0 0",
         "20",
         {BEGIN,
          {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_PREEMPTED, 3, 19, 1600},
          {SEGMENT_QUEUED, CAUSE_PREEMPTED, CAUSE_END_OF_RUN, 19, 20, 0}}},
        {"no time for a checkpoint",
         MODELS(""),
         "0 start 0 0, 23.385 kill 0, 30 start 0 0",
         "40",
         {BEGIN,
          {SEGMENT_LOST, CAUSE_SET_UP, CAUSE_PREEMPTED, 3, 23.385, 2038.5},
          QUEUED(CAUSE_PREEMPTED, 23.385, 30),
          SET_UP(30, 5),
          {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_END_OF_RUN, 35, 40, 500}}},
        /* the run before the resize is lost with the checkpoint, 2 s, that was to keep it */
        {"killed while a resize writes its checkpoint",
         MODELS(""),
         "0 start 0 0, 23.385 resize 0 1, 23.885 kill 0, 90 start 0 0",
         "24",
         {BEGIN,
          {SEGMENT_LOST, CAUSE_SET_UP, CAUSE_RESIZED, 3, 23.385, 2038.5},
          {SEGMENT_SETUP, CAUSE_RESIZED, CAUSE_PREEMPTED, 23.385, 23.885, 0.5 * 2 * 90},
          {SEGMENT_QUEUED, CAUSE_PREEMPTED, CAUSE_END_OF_RUN, 23.885, 24, 0}}},
        {"killed when it is written",
         MODELS(""),
         "0 start 0 0, 23.385 resize 0 1, 25.385 kill 0, 90 start 0 0",
         "26",
         {BEGIN,
          {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_RESIZED, 3, 23.385, 2038.5},
          {SEGMENT_SETUP, CAUSE_RESIZED, CAUSE_PREEMPTED, 23.385, 25.385, 2 * 2 * 90},
          {SEGMENT_QUEUED, CAUSE_PREEMPTED, CAUSE_END_OF_RUN, 25.385, 26, 0}}}};
    for (size_t i = 0; i < sizeof courses / sizeof *courses; i++)
        run_course(&courses[i]);
}

/* What the meter has counted in all, of either kind, is one more or less. */
static void damage_meter(const struct job_segments *s, struct sim *sim) {
    struct power_meter *meter = &sim->meter;
    int128 *const sums[] = {&meter->types[0].setup.energy, &meter->types[0].setup.gpu_ps,
                            &meter->types[0].computing.energy, &meter->types[0].computing.gpu_ps};
    struct error error = {0};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        for (int by = -1; by <= 1; by++) {
            *sums[i] += by;
            int r = job_segments_check(s, sim, &error);
            cr_expect_eq(r < 0, by != 0, "sum %zu, off by %d: %d", i, by, r);
            cr_expect(by == 0 || strstr(error.text, "something else than the meter"), "%s",
                      error.text);
            *sums[i] -= by;
        }
}

/* Jobs that never ran are said to have started, from the first instant on. */
static void damage_starts(const struct job_segments *s, struct sim *sim) {
    int damaged = 0;
    for (uint32_t j = 0; j < sim->next_arrival; j++) {
        int64_t *start_ns = &sim->runs[j].first_start_ns, kept = *start_ns;
        if (kept >= 0)
            continue;
        for (*start_ns = 0; *start_ns < 2; ++*start_ns) {
            struct error error = {0};
            cr_expect(job_segments_check(s, sim, &error) < 0 &&
                          strstr(error.text, "start at another time"),
                      "job %u: %s", j, error.text);
        }
        *start_ns = kept;
        damaged++;
    }
    cr_expect_eq(damaged, 2, "%d jobs", damaged);
}

/* What a job is said to have held and lost is a nanosecond more or less. */
static void damage_times(const struct job_segments *s, struct sim *sim) {
    for (uint32_t j = 0; j < sim->next_arrival; j++) {
        int64_t *const times[] = {&sim->runs[j].held_ns, &sim->lost[j].ns};
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            for (int by = -1; by <= 1; by += 2) {
                struct error error = {0};
                *times[i] += by;
                cr_expect(job_segments_check(s, sim, &error) < 0 &&
                              strstr(error.text, "add up to something else than its record"),
                          "job %u, time %zu, off by %d: %s", j, i, by, error.text);
                *times[i] -= by;
            }
    }
}

/* One segment in turn is damaged, each number of it by as little as can be. */
static void damage_and_check(void *context, const struct replication *replication) {
    struct job_segments *s = context;
    struct error error = {0};
    job_segments_close(s, replication->sim);
    cr_assert_eq(job_segments_check(s, replication->sim, &error), 0, "%s", error.text);
    cr_assert_gt(s->list.count, 10);
    damage_meter(s, (struct sim *)replication->sim);
    damage_starts(s, (struct sim *)replication->sim);
    damage_times(s, (struct sim *)replication->sim);
    for (size_t i = 0; i < s->list.count; i++) {
        struct segment *at = &s->list.at[i].told, kept = *at;
        struct segment damaged[] = {kept, kept, kept, kept, kept, kept, kept};
        damaged[0].energy++;
        damaged[1].start_ns++;
        damaged[2].end_ns--;
        damaged[3].began = CAUSE_END_OF_RUN;
        damaged[4].ended = CAUSE_SUBMITTED;
        damaged[5].kind = kept.kind == SEGMENT_LOST ? SEGMENT_RUN : SEGMENT_LOST;
        damaged[6].end_ns++;
        for (size_t d = 0; d < sizeof damaged / sizeof *damaged; d++) {
            *at = damaged[d];
            cr_expect_lt(job_segments_check(s, replication->sim, &error), 0,
                         "damage %zu to segment %zu is not noticed", d, i);
        }
        *at = kept;
        double *work = &s->list.at[i].work, done = *work;
        *work += 1e-6;
        cr_expect_eq(job_segments_check(s, replication->sim, &error) < 0, kept.kind != SEGMENT_LOST,
                     "work of segment %zu: %s", i, error.text);
        *work = done;
    }
}

Test(job_segments, are_checked) {
    struct job_segments segments;
    struct gpu_tracker tracker = {0};
    struct trial t;
    job_segments_init(&segments, &tracker); /* GPUs with numbers change nothing */
    trial_run(
        &t,
        &(struct trial_options){
            .jobs =
                "job_id,submit_s,gpus,duration_s\na,0,2,30\nb,5,1,20\nc,6,3,4\nd,7,4,1\ne,58,3,9\nf,59,1,9\n",
            .watch = &segments.observer,
            .look = damage_and_check,
            .context = &segments},
        "name: n\nhorizon: 60\npolicy: {name: preempt_at, params: {at: 11, pause: 2}}\n" TRIAL_CLUSTER(
            3) "workload: {kind: trace, file: jobs.csv, rigid_costs: {start_s: 1, restart_s: 2, checkpoint_interval_s: 3}}\n");
    trial_must_succeed(&t);
    job_segments_finish(&segments);
    gpu_tracker_finish(&tracker);
    trial_finish(&t);
}

static void expect_wrong(const struct replica_segments *s, const struct sim *sim, const char *text,
                         const char *what) {
    struct error error = {0};
    int r = replica_segments_check(s, sim, &error);
    cr_expect(text ? r < 0 && strstr(error.text, text) : r == 0, "%s: \"%s\" for \"%s\"", what,
              r < 0 ? error.text : "", text ? text : "");
}

#define DAMAGE(figure, change, text) \
    do { \
        __typeof__(figure) kept_ = (figure); \
        (figure) change; \
        expect_wrong(s, sim, text, #figure " " #change); \
        (figure) = kept_; \
    } while (0)

static void damage_replica(struct replica_segments *s, const struct sim *sim,
                           struct replica_segment *at, bool is_first, bool is_last) {
    bool serves = at->kind == SEGMENT_SERVE;
    DAMAGE(at->tokens, += 0.01, "tokens, not");
    if (!is_first) {
        DAMAGE(at->start_ns, += 1, "chat#");
        DAMAGE(at->start_ns, += 1, "do not follow each other");
        DAMAGE(at->start_ns, -= 1, "do not follow each other");
        DAMAGE(at->began, = CAUSE_SUBMITTED, "do not follow each other");
    }
    if (at->kind == SEGMENT_RESERVED)
        return;
    DAMAGE(at->energy, += 1, "have another energy than their power says");
    DAMAGE(at->nw, += 1, "have another energy than their power says");
    DAMAGE(at->kind, = serves ? SEGMENT_LOADING : SEGMENT_SERVE, "something else than the meter");
    if (is_last && at->end_ns == sim->now_ns) {
        at->energy -= at->nw;
        DAMAGE(at->end_ns, -= 1, "end before the run");
        at->energy += at->nw;
    }
}

/* Of a service that has served nothing a billionth of a token is within rounding, and not more. */
static void damage_few_tokens(struct replica_segments *s, struct sim *sim) {
    for (size_t i = 0; i < s->list.count; i++)
        s->list.at[i].tokens = 0;
    sim->services.runs[0].served = 0;
    DAMAGE(s->list.at[0].tokens, = 0.9e-9, NULL);
    DAMAGE(s->list.at[0].tokens, = 1.1e-9, "tokens, not");
}

static void damage_replicas(void *context, const struct replication *replication) {
    struct job_segments *segments = context;
    struct replica_segments *s = &segments->replicas;
    struct sim *sim = (struct sim *)replication->sim;
    struct power_type *type = &sim->meter.types[0];
    int kinds = 0;
    job_segments_close(segments, sim);
    expect_wrong(s, sim, NULL, "untouched");
    for (size_t l = 0; l < s->lives.count; l++) {
        const struct replica_life *life = &s->lives.at[l];
        for (size_t i = 0; i < life->count; i++) {
            damage_replica(s, sim, &s->list.at[life->last + i], i == 0, i + 1 == life->count);
            kinds |= 1 << s->list.at[life->last + i].kind;
        }
    }
    cr_expect_eq(kinds, 1 << SEGMENT_RESERVED | 1 << SEGMENT_LOADING | 1 << SEGMENT_SERVE);
    int128 *const sums[] = {&type->loading.energy, &type->loading.gpu_ps, &type->serving.energy,
                            &type->serving.gpu_ps};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        DAMAGE(*sums[i], += 1, "something else than the meter");
        DAMAGE(*sums[i], -= 1, "something else than the meter");
    }
    expect_wrong(s, sim, NULL, "as it was");
    damage_few_tokens(s, sim);
}

/* One replica serves from the start, the second one loads from 10 s to 30 s, the third one has one
   GPU of two until job a is over at 40 s. */
Test(job_segments, of_replicas_are_checked) {
    struct job_segments segments;
    struct trial t;
    job_segments_init(&segments, NULL);
    temp_file_write_text("demand.csv", "time_s,tokens_per_s\n0,1000\n5,9000\n");
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,gpus,duration_s\na,0,3,40\n",
            .models =
                "models: [{name: m, unit: token, prompt: {included: true}, serving: [{gpu: g, k: 2, evidence: assumed, source: by hand, points: [{limit: 64, n: 10, per_s: 1000, power_w: 400, itl_ms: {p50: 5, p90: 8, p95: 9, p99: 10}}, {limit: 128, n: 30, per_s: 2000, power_w: 600, itl_ms: {p50: 9, p90: 15, p95: 18, p99: 20}}]}]}]\n",
            .watch = &segments.observer,
            .look = damage_replicas,
            .context = &segments},
        "name: n\nhorizon: 50\nmodels: models.yaml\npolicy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 60, ctx_w: 90, tdp_w: 700}], nodes: [{count: 2, "
        "gpu: g, gpus: 4}]}\n"
        "workload: {streams: [{kind: trace, file: jobs.csv, preemptible: false}, {kind: service, "
        "name: chat, model: m, demand: {file: demand.csv}, slo: {itl_ms: 60, wait_s: 100}, replicas: "
        "{min: 1, max: 3}, start_s: 20, scaling: {interval: 5}}]}\n");
    trial_must_succeed(&t);
    job_segments_finish(&segments);
    trial_finish(&t);
}
