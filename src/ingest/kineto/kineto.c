/* From Kineto traces to a profile row and figures. Figures of a rank are those of its whole trace,
   or of the chosen steps. */
#include "base/mem.h"
#include "ingest/kineto/kineto_figures.h"
#include "ingest/kineto/kineto_ranks.h"
#include "ingest/kineto/kineto_shares.h"
#include "ingest/profile_formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names of NCCL of all versions, RCCL and HCCL. */
#define COMMUNICATION_PATTERN "^nccl|ncclKernel|ncclDevKernel|^rccl|^hccl"

#define LISTED_STEPS 16384 /* of all ranks */

struct session {
    const struct profile_options *options;
    struct kineto_reading reading;
    struct name_pattern *communication, *iteration;
    struct kineto_kinds kinds;
    struct kineto_trace *traces;
    struct kineto_rank_figures *figures; /* of each trace */
    size_t count;
    size_t steps_left; /* to be listed */
    struct profile *profile;
    struct problems *problems;
};

static int compile_pattern(struct session *session, const char *setting, const char *text,
                           struct name_pattern **ret_pattern) {
    struct error error = {0};
    if (name_pattern_make(text, ret_pattern, &error) == 0)
        return 0;
    return problems_add_setting(session->problems, (struct location){0}, setting,
                                "expected a regular expression, got \"%s\": %s", text, error.text);
}

static int compile_patterns(struct session *session) {
    const char *communication = session->options->communication_pattern;
    const char *iteration = session->options->iteration_pattern;
    int r = compile_pattern(session, "communication",
                            communication ? communication : COMMUNICATION_PATTERN,
                            &session->communication);
    if (r == 0 && iteration)
        r = compile_pattern(session, "iteration", iteration, &session->iteration);
    session->reading.communication = session->communication;
    session->reading.iteration = session->iteration;
    return r;
}

static void free_patterns(struct session *session) {
    name_pattern_free(session->communication);
    name_pattern_free(session->iteration);
}

/* ---- One file ---- */

static void note_trace_count(struct session *session, const struct kineto_trace *trace,
                             uint64_t count, const char *what) {
    if (count > 0)
        problems_say(&session->profile->notes, "%s: %llu %s", trace->path,
                     (unsigned long long)count, what);
}

static void note_input(struct session *session, const struct kineto_trace *trace) {
    struct problems *notes = &session->profile->notes;
    size_t length = strlen(trace->path);
    if (trace->truncation)
        problems_say(notes, "%s: %s, %llu events kept", trace->path, trace->truncation,
                     (unsigned long long)trace->records);
    session->profile->damaged |= trace->truncation || kineto_trace_damages(trace) > 0;
    if (length > 4 && strcmp(trace->path + length - 4, ".tmp") == 0)
        problems_say(notes, "%s: ends in .tmp: an export that was not finished", trace->path);
    note_trace_count(session, trace, trace->losses.records, "damaged events left out");
    note_trace_count(
        session, trace, trace->losses.strangers,
        "elements of the list of events that are no events (text, numbers, null) left out");
    note_trace_count(session, trace, trace->losses.stretches,
                     "damaged stretches outside of events left out");
    note_trace_count(session, trace, trace->no_duration,
                     "events without start or duration left out");
    note_trace_count(session, trace, trace->negative, "events with a negative duration left out");
    note_trace_count(session, trace, trace->unreadable,
                     "events with an unreadable start or duration left out");
    note_trace_count(session, trace, trace->more_steps, "steps too many: left out");
    note_trace_count(session, trace, trace->unlaunched,
                     "launches too many or too far off: their kernels count as without one");
    note_trace_count(session, trace, trace->crowded,
                     "GPU events of too many messages or streams: in the sums, but not told apart");
    note_trace_count(session, trace, trace->unjudged,
                     "names that a pattern has too many ways to match: taken for others");
    note_trace_count(session, trace, trace->gpus.others.events,
                     "slices of too many GPUs: their energy is in the sum, their busy time is not");
    note_trace_count(session, trace, trace->gpus.without_energy, "slices without energy_j");
    if (trace->gpus.all.count > 0)
        problems_say(notes,
                     "%s: a timeline of easim: its times and energies are simulated, not measured",
                     trace->path);
}

/* Without work on a GPU and without steps, all figures of a trace would be 0. If the trace is
   damaged, a note about it has been added already. */
static bool has_work(const struct session *session, const struct kineto_trace *trace) {
    bool has = trace->events.count > 0 || trace->steps.count > 0 || trace->truncation ||
               kineto_trace_damages(trace) > 0;
    if (!has)
        problems_say(session->problems,
                     "%s: expected work on a GPU, got none in %llu events: is it a trace of the "
                     "PyTorch profiler with ProfilerActivity.CUDA?",
                     trace->path, (unsigned long long)trace->records);
    return has;
}

/* Only communication is needed once a rank's own figures are there. */
static void keep_communication(const struct session *session, struct kineto_trace *trace) {
    size_t kept = 0;
    for (size_t i = 0; i < trace->events.count; i++)
        if (session->kinds.all.at[trace->events.at[i].kind].class == KINETO_COMMUNICATION)
            trace->events.at[kept++] = trace->events.at[i];
    trace->events.count = trace->events.capacity = kept;
    trace->events.at = mem_realloc(trace->events.at, kept + 1, sizeof *trace->events.at);
}

static void read_rank_file(struct session *session, size_t index, const char *path) {
    struct kineto_trace *trace = &session->traces[index];
    const struct profile_options *options = session->options;
    struct error error = {0};
    if (kineto_trace_read(path, &session->reading, trace, &error) < 0) {
        problems_say(session->problems, "%s", error.text);
        return;
    }
    note_input(session, trace);
    bool works = has_work(session, trace);
    struct kineto_streams streams;
    kineto_simulated_close(trace);
    kineto_prepare(trace, &session->reading, &streams);
    if (works && options->has_steps && trace->steps.count == 0)
        problems_add_setting(session->problems, (struct location){0}, "steps",
                             "%s: no step %lld..%lld", path, (long long)options->first_step,
                             (long long)options->last_step);
    kineto_rank_figures_init(&session->figures[index], trace, &streams, session->steps_left);
    session->steps_left -= trace->steps.count;
    keep_communication(session, trace);
}

/* ---- Ranks ---- */

struct keyed {
    struct kineto_trace trace;
    struct kineto_rank_figures figures;
};

/* Equal ranks by name: messages do not depend on the order of the files. */
ORDER_BY(trace_by_rank, struct keyed, ASC(trace.rank) TEXT_ASC(trace.path))

/* Orders the traces by rank, their figures along. */
static void sort_ranks(struct session *session) {
    struct keyed *keyed = mem_alloc(session->count * sizeof *keyed);
    for (size_t i = 0; i < session->count; i++)
        keyed[i] = (struct keyed){session->traces[i], session->figures[i]};
    qsort(keyed, session->count, sizeof *keyed, trace_by_rank);
    for (size_t i = 0; i < session->count; i++) {
        session->traces[i] = keyed[i].trace;
        session->figures[i] = keyed[i].figures;
    }
    free(keyed);
}

static int check_ranks(struct session *session) {
    size_t before = session->problems->count;
    for (size_t i = 0; session->count > 1 && i < session->count; i++)
        if (session->traces[i].rank < 0)
            problems_say(session->problems,
                         "%s: no distributedInfo.rank, which each of several files needs",
                         session->traces[i].path);
    for (size_t i = 1; i < session->count; i++)
        if (session->traces[i].rank >= 0 && session->traces[i].rank == session->traces[i - 1].rank)
            problems_say(session->problems, "rank %lld is in two files: %s and %s",
                         (long long)session->traces[i].rank, session->traces[i - 1].path,
                         session->traces[i].path);
    return session->problems->count > before ? ERROR_INPUT : 0;
}

/* "4-7, 9" of the ranks that the world has and no file; at most a few of them. */
static void note_missing_steps(struct session *session) {
    int64_t world = session->traces[0].world_size, next = 0, missing = 0;
    struct str list = {0};
    for (size_t i = 0; i <= session->count && session->count > 1; i++) {
        int64_t rank = i < session->count ? session->traces[i].rank : world;
        if (rank > next && list.length < 60)
            str_addf(&list, rank - next > 1 ? "%s%lld-%lld" : "%s%lld", list.length ? ", " : "",
                     (long long)next, (long long)(rank - 1));
        missing += rank > next ? rank - next : 0;
        next = rank >= next ? rank + 1 : next;
    }
    if (missing > 0)
        problems_say(&session->profile->notes, "%lld of %lld ranks have no file: %s",
                     (long long)missing, (long long)world, list.text);
    str_finish(&list);
}

/* ---- The profile row ---- */

/* The slowest rank holds up all others. */
static double slowest_median_s(const struct session *session) {
    double slowest = NAN;
    for (size_t i = 0; i < session->count; i++)
        if (!(session->figures[i].iteration.median_us <= slowest * 1e6))
            slowest = session->figures[i].iteration.median_us / 1e6;
    return slowest;
}

static void add_kineto_row(struct session *session) {
    struct profile_row *row = profile_add_row(session->profile, session->options);
    const struct kineto_trace *first = &session->traces[0];
    double iteration_s = slowest_median_s(session);
    struct arena *arena = &session->profile->arena;
    if (row->gpus == 0 && first->world_size > 0 && first->world_size <= UINT32_MAX)
        row->gpus = (uint32_t)first->world_size;
    if (!row->gpu && first->gpu)
        row->gpu = arena_strdup(arena, first->gpu);
    if (row->gpus > 0 && row->batch > 0 && iteration_s > 0)
        row->throughput_samples_s = (double)row->gpus * row->batch / iteration_s;
    row->source = arena_printf(arena, "kineto %s%s", first->path,
                               session->count > 1 ? " and other ranks" : "");
    if (first->gpus.all.count > 0)
        return; /* a simulation of many jobs is no measurement of one */
    if (!(iteration_s > 0))
        problems_add_setting(
            &session->profile->notes, (struct location){0}, "iteration",
            "no iteration is marked: no throughput; a pattern names the annotation that begins one");
    if (iteration_s > 0 && row->gpus == 0)
        problems_add_setting(&session->profile->notes, (struct location){0}, "gpus",
                             "there is no throughput without it");
    if (iteration_s > 0 && row->batch == 0)
        problems_add_setting(&session->profile->notes, (struct location){0}, "batch",
                             "there is no throughput without it");
}

/* ---- All files ---- */

static void report_figures(struct session *session) {
    struct kineto_ranks ranks;
    struct kineto_costs costs;
    session->profile->figures = figures_create(&session->profile->arena);
    kineto_ranks_init(&ranks, &session->kinds, session->traces, session->count);
    kineto_costs_init(&costs, &ranks);
    if (ranks.too_many)
        problems_add_setting(
            &session->profile->notes, (struct location){0}, "steps",
            "%llu communication kernels are too many to match (at most %d): choose fewer",
            (unsigned long long)ranks.unmatched, KINETO_MOST_PARTS);
    kineto_figures_add_ranks(session->profile->figures, session->traces, session->figures,
                             session->count);
    if (session->count > 1)
        kineto_figures_add_collectives(session->profile->figures, &ranks);
    kineto_figures_add_costs(session->profile->figures, &costs);
    kineto_costs_finish(&costs);
    kineto_ranks_finish(&ranks);
    note_missing_steps(session);
    add_kineto_row(session);
}

static int kineto_read(char *const *paths, size_t count, const struct profile_options *options,
                       struct profile *profile, struct problems *problems) {
    size_t before = problems->count;
    struct session s = {.options = options,
                        .count = count,
                        .steps_left = LISTED_STEPS,
                        .profile = profile,
                        .problems = problems};
    s.reading = (struct kineto_reading){.strict = options->strict,
                                        .has_steps = options->has_steps,
                                        .first_step = options->first_step,
                                        .last_step = options->last_step,
                                        .kernel_delay_ns =
                                            llround(fmin(options->kernel_delay_us, 1e12) * 1000),
                                        .kinds = &s.kinds};
    if (compile_patterns(&s) < 0) {
        free_patterns(&s);
        return ERROR_INPUT;
    }
    kineto_kinds_init(&s.kinds);
    s.traces = mem_zalloc(count, sizeof *s.traces);
    s.figures = mem_zalloc(count, sizeof *s.figures);
    for (size_t i = 0; i < count; i++)
        read_rank_file(&s, i, paths[i]);
    if (problems->count == before) {
        sort_ranks(&s);
        if (check_ranks(&s) == 0)
            report_figures(&s);
    }
    for (size_t i = 0; i < count; i++) {
        kineto_rank_figures_finish(&s.figures[i]);
        kineto_trace_finish(&s.traces[i]);
    }
    free(s.figures);
    free(s.traces);
    kineto_kinds_finish(&s.kinds);
    free_patterns(&s);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct profile_reader kineto_reader = {
    "kineto", "PyTorch-profiler (Kineto) traces, one rank or all", kineto_read,
    PROFILE_STEPS | PROFILE_ITERATION | PROFILE_COMMUNICATION | PROFILE_KERNEL_DELAY, NULL};
