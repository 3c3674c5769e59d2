/* The repetition of a recorded run. */
#include "insight/story/repetition.h"

#include "base/units.h"
#include "insight/story/watch.h"
#include "study/replicate.h"

#include <stdlib.h>

struct session {
    struct watch watch;      /* in the process of the replication */
    struct moments *moments; /* in that of the caller */
    bool is_whole;           /* what came back could be read */
};

static size_t watch_replication(void *context, uint32_t number, const struct outlet *outlet,
                                const struct observer **observers) {
    struct session *s = context;
    (void)number, (void)outlet;
    observers[0] = &s->watch.observer;
    return 1;
}

static void render_moments(void *context, const struct replication *replication, struct str *out) {
    struct session *s = context;
    watch_close(&s->watch, replication->sim);
    moments_add_bytes(&s->watch.moments, out);
}

static int take_moments(void *context, uint32_t number, const struct summary *summary,
                        struct slice rendered, struct error *reterr) {
    struct session *s = context;
    (void)number, (void)summary, (void)reterr;
    s->is_whole = moments_take_bytes(s->moments, rendered);
    return 0;
}

/* ---- The same run ---- */

static bool same_config(const struct easim_config *was, const struct moment_choice *is) {
    return was->gpu_type == is->gpu_type && was->k == is->k && was->milli == is->milli &&
           was->batch == is->batch && was->power_limit_w == is->power_limit_w;
}

static bool is_decided(const struct recorded_segment *segment) {
    return segment->began == CAUSE_STARTED || segment->began == CAUSE_RESIZED;
}

/* Times at which the job was started, resized or preempted; the caller's, free. */
static int64_t *action_times(const struct recorded_run *run, uint32_t job, size_t *count) {
    const struct recorded_job *recorded = &run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(run, recorded);
    int64_t *times = mem_alloc((recorded->segment_count + (size_t)1) * sizeof *times);
    *count = 0;
    for (uint32_t i = 0; i < recorded->segment_count; i++)
        if (is_decided(&segments[i]) || segments[i].began == CAUSE_PREEMPTED)
            times[(*count)++] = segments[i].start_ns;
    return times;
}

/* Every start and resize of the recording, and no other, at its time and in its configuration. */
static int check_same(const struct recorded_run *run, uint32_t job, const struct moments *moments,
                      struct error *reterr) {
    const struct recorded_job *recorded = &run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(run, recorded);
    size_t m = 0;
    for (uint32_t i = 0; i < recorded->segment_count; i++) {
        if (!is_decided(&segments[i]))
            continue;
        while (m < moments->at.count && moments->at.at[m].chosen == MOMENT_NO_CHOICE)
            m++;
        const struct moment *moment = m < moments->at.count ? &moments->at.at[m++] : NULL;
        if (!moment || moment->time_ns != segments[i].start_ns ||
            !same_config(recorded_run_config(run, &segments[i]),
                         &moments->choices.at[moment->first_choice + moment->chosen]))
            return error_set(reterr, ERROR_RUN,
                             "repeated, the run goes another way for this job at %.9g s",
                             units_s(segments[i].start_ns));
    }
    for (; m < moments->at.count; m++)
        if (moments->at.at[m].chosen != MOMENT_NO_CHOICE)
            return error_set(reterr, ERROR_RUN,
                             "repeated, the run goes another way for this job at %.9g s",
                             units_s(moments->at.at[m].time_ns));
    return 0;
}

int repetition_run(struct study *study, const struct recorded_run *run, uint32_t job,
                   struct moments *moments, struct error *reterr) {
    struct session session = {.moments = moments};
    uint32_t number = run->part->replication;
    /* the replications before are as good as done */
    struct replicate_result result = {.count = number - 1};
    const struct replicate_options options = {.processes = 1};
    const struct replicate_sink sink = {.context = &session,
                                        .watch = watch_replication,
                                        .render = render_moments,
                                        .emit = take_moments};
    struct error error = {0};
    size_t time_count;
    int64_t *times = action_times(run, job, &time_count);
    watch_init(&session.watch, job, times, time_count);
    study_set_replications(study, number);
    int r = replicate_run(study, &options, &sink, &result, &error);
    if (r < 0)
        r = error_set(reterr, r == ERROR_CANCELLED || r == ERROR_MACHINE ? r : ERROR_RUN, "%s",
                      error.text);
    else if (!session.is_whole)
        r = error_set(reterr, ERROR_RUN, "what the repetition has seen cannot be read");
    else
        r = check_same(run, job, moments, reterr);
    watch_finish(&session.watch);
    free(times);
    replicate_result_finish(&result);
    return r;
}
