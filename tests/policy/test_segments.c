/* Segments of jobs' lives as an observer hears of them: by hand, and what holds of all of them.
   Model m makes 1, 1.6 and 2 samples/s on 1, 2 and 4 GPUs of 100 W (its configurations 0, 1, 2); a
   GPU in set-up or checkpoint draws 90 W. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "base/units.h"
#include "engine/segments.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(segments, .init = temp_dir_enter, .fini = temp_dir_leave);

#define MODELS(phases) \
    "models: [{name: m, " phases \
    "m0: 9, phi: 1, batches: [1], start_s: 3, restart_s: 5, checkpoint_s: 2, gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}, {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100}, {k: 4, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100}]}}}]\n"
static const char models[] = MODELS("");

struct ears {
    struct observer observer;
    ARRAY_OF(struct segment) heard;
    uint32_t kinds[SEGMENT_CHECKPOINT + 1], ends[CAUSE_FINISHED + 1]; /* how many */
};

static void hear(void *context, const struct sim *sim, const struct segment *segment) {
    struct ears *ears = context;
    cr_assert_eq(segment->end_ns, sim->now_ns);
    array_push(&ears->heard, *segment);
    ears->kinds[segment->kind]++;
    ears->ends[segment->ended]++;
}

static struct ears open_ears(void) {
    return (struct ears){.observer = {.segment = hear}};
}

static int128 joules(double j) {
    return (int128)llround(j * 1e9) * 1000000000;
}

struct expected {
    enum segment_kind kind;
    enum segment_cause began, ended;
    double start_s, end_s, energy_j;
    uint32_t config;
};

#define QUEUED EASIM_NONE

static void expect_segments(const char *script, const struct expected *expected, size_t count) {
    struct ears ears = open_ears();
    struct trial t;
    ears.observer.context = &ears;
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,model,work_samples\na,0,m,100\n",
                                .models = models,
                                .strict = true,
                                .watch = &ears.observer},
        "name: n\nhorizon: drain\nmodels: models.yaml\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 100}], nodes: [{gpu: g, gpus: 4}]}\n"
        "policy: {name: script, params: {actions: \"%s\"}}\n" TRIAL_JOBS,
        script);
    trial_must_succeed(&t);
    cr_assert_eq(ears.heard.count, count, "%s: %zu segments", script, ears.heard.count);
    for (size_t i = 0; i < count; i++) {
        const struct segment *s = &ears.heard.at[i];
        const struct expected *e = &expected[i];
        cr_expect(s->job == 0 && s->kind == e->kind && s->began == e->began &&
                      s->ended == e->ended && s->config == e->config &&
                      s->nodes == (e->config != QUEUED),
                  "%s: segment %zu: kind %d, began %d, ended %d, config %u, nodes %u", script, i,
                  s->kind, s->began, s->ended, s->config, s->nodes);
        cr_expect(s->start_ns == units_ns(e->start_s) && s->end_ns == units_ns(e->end_s),
                  "%s: segment %zu: %.9f to %.9f s", script, i, units_s(s->start_ns),
                  units_s(s->end_ns));
        cr_expect(s->energy == joules(e->energy_j), "%s: segment %zu: %g J, not %g", script, i,
                  power_j(s->energy), e->energy_j);
    }
    free(ears.heard.at);
    trial_finish(&t);
}

/* Set-up 3 s, 20.385 samples on one GPU, then on two: the checkpoint of the resize, 2 s, is part of
   their set-up. Stopped when it is written, in set-up: nothing to write. 5 + 79.615 s on one. */
Test(segments, of_a_job_that_is_resized_and_preempted) {
    static const struct expected expected[] = {
        {SEGMENT_QUEUED, CAUSE_SUBMITTED, CAUSE_STARTED, 0, 0, 0, QUEUED},
        {SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP, 0, 3, 3 * 90, 0},
        {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_RESIZED, 3, 23.385, 20.385 * 100, 0},
        {SEGMENT_SETUP, CAUSE_RESIZED, CAUSE_PREEMPTED, 23.385, 27, 3.615 * 2 * 90, 1},
        {SEGMENT_QUEUED, CAUSE_PREEMPTED, CAUSE_STARTED, 27, 28, 0, QUEUED},
        {SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP, 28, 33, 5 * 90, 0},
        {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_FINISHED, 33, 112.615, 79.615 * 100, 0}};
    expect_segments("0 start 0 0, 23.385 resize 0 1, 27 stop 0, 28 start 0 0", expected,
                    sizeof expected / sizeof *expected);
}

/* With time for its checkpoint, and without: then the 20.385 samples are to be done again. */
Test(segments, of_a_job_that_is_preempted_while_it_runs) {
    static const struct expected saved[] = {
        {SEGMENT_QUEUED, CAUSE_SUBMITTED, CAUSE_STARTED, 0, 0, 0, QUEUED},
        {SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP, 0, 3, 3 * 90, 0},
        {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_PREEMPTED, 3, 23.385, 20.385 * 100, 0},
        {SEGMENT_CHECKPOINT, CAUSE_PREEMPTED, CAUSE_SAVED, 23.385, 25.385, 2 * 90, 0},
        {SEGMENT_QUEUED, CAUSE_SAVED, CAUSE_STARTED, 25.385, 30, 0, QUEUED},
        {SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP, 30, 35, 5 * 90, 0},
        {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_FINISHED, 35, 114.615, 79.615 * 100, 0}};
    static const struct expected killed[] = {
        {SEGMENT_QUEUED, CAUSE_SUBMITTED, CAUSE_STARTED, 0, 0, 0, QUEUED},
        {SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP, 0, 3, 3 * 90, 0},
        {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_PREEMPTED, 3, 23.385, 20.385 * 100, 0},
        {SEGMENT_QUEUED, CAUSE_PREEMPTED, CAUSE_STARTED, 23.385, 30, 0, QUEUED},
        {SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP, 30, 35, 5 * 90, 0},
        {SEGMENT_RUN, CAUSE_SET_UP, CAUSE_FINISHED, 35, 135, 100 * 100, 0}};
    expect_segments("0 start 0 0, 23.385 stop 0, 30 start 0 0", saved,
                    sizeof saved / sizeof *saved);
    expect_segments("0 start 0 0, 23.385 kill 0, 30 start 0 0", killed,
                    sizeof killed / sizeof *killed);
}

/* What a job's segments come to, up to now. */
struct sums {
    int64_t since_ns, held_ns; /* when the last one heard ended; with GPUs */
    int128 energy;
    enum segment_cause cause; /* of that end */
    uint32_t stops, resizes;
};

static void add_to_sums(struct sums *sums, const struct segment *s) {
    bool holds = s->kind != SEGMENT_QUEUED;
    cr_assert(s->start_ns == sums->since_ns && s->began == sums->cause,
              "job %u: a segment begins at %.9f s, cause %d, not %.9f, %d", s->job,
              units_s(s->start_ns), s->began, units_s(sums->since_ns), sums->cause);
    sums->since_ns = s->end_ns;
    sums->cause = s->ended;
    sums->held_ns += holds ? s->end_ns - s->start_ns : 0;
    sums->energy += s->energy;
    sums->stops += s->ended == CAUSE_PREEMPTED;
    sums->resizes += s->ended == CAUSE_RESIZED;
}

/* The segments of each job, those that are open at the end included, follow each other from its
   submission on, and come to what the engine says of the job. */
static void compare_with_jobs(void *context, const struct replication *r) {
    struct ears *ears = context;
    const struct sim *sim = r->sim;
    struct sums *sums = mem_zalloc(sim->next_arrival, sizeof *sums);
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        sums[j].since_ns = sim->workload->jobs.at[j].submit_ns;
    for (size_t i = 0; i < ears->heard.count; i++)
        add_to_sums(&sums[ears->heard.at[i].job], &ears->heard.at[i]);
    for (uint32_t j = 0; j < sim->next_arrival; j++) {
        bool over = sim->view.jobs[j].state == EASIM_JOB_FINISHED;
        const struct segment open = segments_present(sim, j, CAUSE_FINISHED);
        cr_expect_eq(over, open.kind == SEGMENT_NONE, "job %u", j);
        if (!over)
            add_to_sums(&sums[j], &open);
        cr_expect_eq(sums[j].since_ns, over ? sim->runs[j].finish_ns : sim->now_ns, "job %u", j);
        cr_expect_eq(sums[j].held_ns, account_held_ns(sim, j), "job %u", j);
        cr_expect(sums[j].energy == account_energy(sim, j), "job %u", j);
        cr_expect_eq(sums[j].stops, sim->view.jobs[j].preemptions, "job %u", j);
        cr_expect_eq(sums[j].resizes, sim->view.jobs[j].resizes, "job %u", j);
    }
    free(sums);
}

/* Nodes fail, GPUs sleep, neighbours slow each other down, jobs are displaced for urgent ones and
   grow, in three phases or with a utilization that changes, and wait for storage: every kind and
   every cause there is, and jobs in all states at the horizon. */
Test(segments, of_all_jobs_follow_each_other) {
    struct ears ears = open_ears();
    struct trial t;
    ears.observer.context = &ears;
    temp_file_write_text("use.csv", "job_id,from_s,utilization\na,0,1\na,70,0.25\nb,1.5,0\n");
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,gpus,duration_s\na,50,2,900\nb,60,1,30\n",
            .models = MODELS(
                "bytes_per_sample: 1, phases: [{until: 0.3}, {until: 0.3001, phi: 2}, {until: 1, phi: 7}], "),
            .watch = &ears.observer,
            .look = compare_with_jobs,
            .context = &ears},
        "name: n\nhorizon: 3h\nseed: 7\nmodels: models.yaml\n"
        "cluster:\n"
        "  gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 100, sleep_w: 8, sleep_after: 10, wake_s: 6}]\n"
        "  nodes: [{count: 4, gpu: g, gpus: 4, mtbf: 20min, mttr: 3min}]\n"
        "  interference: {slowdown_per_neighbour: 0.1}\n"
        "storage: {bandwidth: 8B/s}\n"
        "policy: {name: aurachronos, params: {resize: true}}\n"
        "workload:\n"
        "  streams:\n"
        "    - {kind: poisson, rate_per_s: 0.05, mix: [{model: m}], sizes: {law: exponential, mean: 200},\n"
        "       until: {jobs: 1000}, deadlines: {share: 0.4, slack: [1.1, 2]}}\n"
        "    - {kind: trace, file: jobs.csv, utilization_file: use.csv}\n");
    trial_must_succeed(&t);
    for (int kind = SEGMENT_QUEUED; kind <= SEGMENT_CHECKPOINT; kind++)
        cr_expect(ears.kinds[kind] > 0, "no segment of kind %d", kind);
    for (int cause = CAUSE_STARTED; cause <= CAUSE_FINISHED; cause++)
        cr_expect(cause == CAUSE_LIMIT || cause == CAUSE_ACCOUNT || ears.ends[cause] > 0,
                  "no segment ended for cause %d", cause); /* limits do not go with storage */
    free(ears.heard.at);
    trial_finish(&t);
}
