/* Reading of all ranks of a job. Invariant: figures of a rank are those of its whole trace, or of
   the chosen steps; of its events only communication stays. */
#include "ingest/kineto/kineto_job.h"

#include "base/mem.h"
#include "ingest/kineto/kineto_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_STEPS 16384 /* of all ranks */

static int compile_pattern(struct kineto_job *job, const char *setting, const char *text,
                           struct name_pattern **ret_pattern) {
    struct error error = {0};
    if (name_pattern_make(text, ret_pattern, &error) == 0)
        return 0;
    return problems_add_setting(job->problems, (struct location){0}, setting,
                                "expected a regular expression, got \"%s\": %s", text, error.text);
}

static int compile_patterns(struct kineto_job *job) {
    const char *communication = job->options->communication_pattern;
    const char *iteration = job->options->iteration_pattern;
    int r = compile_pattern(job, "communication",
                            communication ? communication : KINETO_COMMUNICATION_PATTERN,
                            &job->communication);
    if (r == 0 && iteration)
        r = compile_pattern(job, "iteration", iteration, &job->iteration);
    job->reading.communication = job->communication;
    job->reading.iteration = job->iteration;
    return r;
}

/* ---- One file ---- */

static void note_input(struct kineto_job *job, const struct kineto_trace *trace) {
    struct problems *notes = job->notes;
    size_t length = strlen(trace->path);
    if (trace->truncation)
        problems_say(notes, "%s: %s, %llu events kept", trace->path, trace->truncation,
                     (unsigned long long)trace->records);
    job->damaged |= trace->truncation || kineto_trace_damages(trace) > 0;
    if (length > 4 && strcmp(trace->path + length - 4, ".tmp") == 0)
        problems_say(notes, "%s: ends in .tmp: an export that was not finished", trace->path);
    problems_say_count(notes, trace->path, trace->losses.records, "damaged events left out");
    problems_say_count(
        notes, trace->path, trace->losses.strangers,
        "elements of the list of events that are no events (text, numbers, null) left out");
    problems_say_count(notes, trace->path, trace->losses.stretches,
                       "damaged stretches outside of events left out");
    problems_say_count(notes, trace->path, trace->no_duration,
                       "events without start or duration left out");
    problems_say_count(notes, trace->path, trace->negative,
                       "events with a negative duration left out");
    problems_say_count(notes, trace->path, trace->unreadable,
                       "events with an unreadable start or duration left out");
    problems_say_count(notes, trace->path, trace->more_steps, "steps too many: left out");
    problems_say_count(notes, trace->path, trace->unlaunched,
                       "launches too many or too far off: their kernels count as without one");
    problems_say_count(
        notes, trace->path, trace->crowded,
        "GPU events of too many messages or streams: in the sums, but not told apart");
    problems_say_count(notes, trace->path, trace->unjudged,
                       "names that a pattern has too many ways to match: taken for others");
    problems_say_count(
        notes, trace->path, trace->gpus.others.events,
        "slices of too many GPUs: their energy is in the sum, their busy time is not");
    problems_say_count(notes, trace->path, trace->gpus.without_energy, "slices without energy_j");
    if (trace->gpus.all.count > 0)
        problems_say(notes,
                     "%s: a timeline of easim: its times and energies are simulated, not measured",
                     trace->path);
}

/* Without work on a GPU and without steps, all figures of a trace would be 0. If the trace is
   damaged, a note about it has been added already. */
static bool has_work(const struct kineto_job *job, const struct kineto_trace *trace) {
    bool has = trace->events.count > 0 || trace->steps.count > 0 || trace->truncation ||
               trace->spans > 0 || kineto_trace_damages(trace) > 0;
    if (!has)
        problems_say(job->problems,
                     "%s: expected work on a GPU, got none in %llu events: is it a trace of the "
                     "PyTorch profiler with ProfilerActivity.CUDA?",
                     trace->path, (unsigned long long)trace->records);
    return has;
}

/* A trace of one rank, or that rank of a merged one; returns how many ranks the file has. */
static uint32_t read_rank(struct kineto_job *job, const char *path, uint32_t section) {
    size_t index = job->count++;
    job->traces = mem_realloc(job->traces, job->count, sizeof *job->traces);
    job->figures = mem_realloc(job->figures, job->count, sizeof *job->figures);
    struct kineto_trace *trace = &job->traces[index];
    const struct profile_options *options = job->options;
    struct error error = {0};
    *trace =
        (struct kineto_trace){.watcher = job->add_watcher ? job->add_watcher(job->watch) : NULL};
    job->figures[index] = (struct kineto_rank_figures){0};
    job->reading.section = section;
    if (kineto_trace_read(path, &job->reading, trace, &error) < 0) {
        problems_say(job->problems, "%s", error.text);
        return 1;
    }
    note_input(job, trace);
    bool works = has_work(job, trace);
    struct kineto_streams streams;
    kineto_simulated_close(trace);
    kineto_prepare(trace, &job->reading, &streams);
    if (works && options->has_steps && trace->steps.count == 0)
        problems_add_setting(job->problems, (struct location){0}, "steps", "%s: no step %lld..%lld",
                             path, (long long)options->first_step, (long long)options->last_step);
    kineto_rank_figures_init(&job->figures[index], trace, &streams, job->steps_left);
    job->steps_left -= trace->steps.count;
    kineto_trace_keep_communication(trace);
    return trace->sections;
}

/* ---- Ranks ---- */

struct keyed {
    struct kineto_trace trace;
    struct kineto_rank_figures figures;
};

/* Equal ranks by name: messages do not depend on the order of the files. */
ORDER_BY(trace_by_rank, struct keyed, ASC(trace.rank) TEXT_ASC(trace.path))

/* Orders the traces by rank, their figures along. */
static void sort_ranks(struct kineto_job *job) {
    struct keyed *keyed = mem_alloc(job->count * sizeof *keyed);
    for (size_t i = 0; i < job->count; i++)
        keyed[i] = (struct keyed){job->traces[i], job->figures[i]};
    qsort(keyed, job->count, sizeof *keyed, trace_by_rank);
    for (size_t i = 0; i < job->count; i++) {
        job->traces[i] = keyed[i].trace;
        job->figures[i] = keyed[i].figures;
    }
    free(keyed);
}

/* "4-7, 9" of the ranks that the world has and no file; at most a few of them. */
static void note_missing_ranks(const struct kineto_job *job) {
    int64_t world = job->traces[0].world_size, next = 0, missing = 0;
    struct str list = {0};
    for (size_t i = 0; i <= job->count && job->count > 1; i++) {
        int64_t rank = i < job->count ? job->traces[i].rank : world;
        if (rank > next && list.length < 60)
            str_addf(&list, rank - next > 1 ? "%s%lld-%lld" : "%s%lld", list.length ? ", " : "",
                     (long long)next, (long long)(rank - 1));
        missing += rank > next ? rank - next : 0;
        next = rank >= next ? rank + 1 : next;
    }
    if (missing > 0)
        problems_say(job->notes, "%lld of %lld ranks have no file: %s", (long long)missing,
                     (long long)world, list.text);
    str_finish(&list);
}

/* ---- All files ---- */

void kineto_job_note_ranks(const struct kineto_job *job, const struct kineto_ranks *ranks) {
    if (ranks->too_many)
        problems_add_setting(
            job->notes, (struct location){0}, "steps",
            "%llu communication kernels are too many to match (at most %d): choose fewer",
            (unsigned long long)ranks->unmatched, KINETO_MOST_PARTS);
    note_missing_ranks(job);
}

void kineto_job_init(struct kineto_job *job, const struct profile_options *options,
                     struct problems *notes, struct problems *problems) {
    *job = (struct kineto_job){
        .options = options, .steps_left = LISTED_STEPS, .notes = notes, .problems = problems};
    kineto_kinds_init(&job->kinds);
    job->reading = (struct kineto_reading){.strict = options->strict,
                                           .has_steps = options->has_steps,
                                           .first_step = options->first_step,
                                           .last_step = options->last_step,
                                           .kernel_delay_ns =
                                               llround(fmin(options->kernel_delay_us, 1e12) * 1000),
                                           .kinds = &job->kinds};
}

int kineto_job_read(struct kineto_job *job, char *const *paths, size_t count) {
    size_t before = job->problems->count;
    if (compile_patterns(job) < 0)
        return ERROR_INPUT;
    for (size_t i = 0; i < count; i++) {
        uint32_t sections = read_rank(job, paths[i], 0);
        for (uint32_t section = 1; section < sections; section++)
            (void)read_rank(job, paths[i], section);
    }
    if (job->problems->count > before)
        return ERROR_INPUT;
    sort_ranks(job);
    return kineto_ranks_check(job->traces, job->count, job->problems);
}

void kineto_job_finish(struct kineto_job *job) {
    for (size_t i = 0; i < job->count; i++) {
        kineto_rank_figures_finish(&job->figures[i]);
        kineto_trace_finish(&job->traces[i]);
    }
    free(job->figures);
    free(job->traces);
    kineto_kinds_finish(&job->kinds);
    name_pattern_free(job->communication);
    name_pattern_free(job->iteration);
}
