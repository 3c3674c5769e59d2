/* easim trace: the analysis of all ranks of a job, part by part. */
#include "ingest/trace/trace.h"

#include "base/mem.h"
#include "ingest/trace/findings.h"
#include "io/bytes.h"

#include <math.h>
#include <stdlib.h>

/* Names of ranges in which a thread gets the next batch. */
#define LOADING_PATTERN "(?i)dataloader|data_loader|_next_data|next_batch"

/* The traces of one job, read and joined. Zero-initialise; release with finish_reading. */
struct reading {
    struct kineto_job read;
    struct name_pattern *loading;
    ARRAY_OF(struct trace_rank *) ranks; /* as read, at last as the job orders them */
    struct trace_job job;
    bool has_job;
};

/* Events outside the window change no figure. */
static void note_tally(struct problems *notes, const char *path, struct trace_tally tally,
                       const char *what) {
    struct str text = {0};
    if (tally.file > tally.window)
        str_addf(&text, " (%llu in the whole file)", (unsigned long long)tally.file);
    if (tally.window > 0)
        problems_say(notes, "%s: %llu GPU events of the window%s %s", path,
                     (unsigned long long)tally.window, text.length > 0 ? text.text : "", what);
    str_finish(&text);
}

static void note_rank(struct problems *notes, const struct trace_rank *rank) {
    const char *path = rank->trace->path;
    problems_say_count(notes, path, rank->crowded,
                       "events of the file have names, sizes or threads too many to tell apart");
    problems_say_count(notes, path, rank->doubled,
                       "correlation ids of the file are of two launches: the first one counts");
    note_tally(notes, path, rank->early, "begin before their launch: they count as without one");
    problems_say_count(notes, path, rank->overlapping,
                       "GPU events of the window begin before the event before them in their "
                       "stream has ended");
    note_tally(notes, path, rank->unlaunched,
               "have no launch in the trace: what they waited for is unknown");
    bool has_frames = false, has_addresses = false;
    for (size_t i = 0; i < rank->ops.count && !has_frames; i++)
        has_frames = rank->ops.at[i].category == KINETO_FRAME;
    for (size_t i = 0; i < rank->memory.count && !has_addresses; i++)
        has_addresses = rank->memory.at[i].address != 0;
    if (has_addresses && !has_frames)
        problems_say(notes, "%s: no Python stacks: what holds memory is known by operator alone",
                     path);
    if (rank->trace->steps.count == 0)
        problems_say(notes, "%s: no steps are marked: the window is the whole trace", path);
}

static void *add_rank(void *context) {
    struct reading *reading = context;
    struct trace_rank *rank = mem_alloc(sizeof *rank);
    *rank = (struct trace_rank){
        .loading = reading->loading, .kinds = &reading->read.kinds, .device = -1};
    array_push(&reading->ranks, rank);
    return rank;
}

static int prepare_watch(struct reading *reading, const char *pattern, struct problems *problems) {
    struct error error = {0};
    reading->read.reading.watch = &trace_watch;
    reading->read.add_watcher = add_rank;
    reading->read.watch = reading;
    if (name_pattern_make(pattern ? pattern : LOADING_PATTERN, &reading->loading, &error) < 0)
        return problems_add_setting(problems, (struct location){0}, "loading",
                                    "expected a regular expression, got \"%s\": %s", pattern,
                                    error.text);
    return 0;
}

/* Whether the file is something else that easim knows; then a problem names the command. */
static bool refuse_other(const char *path, struct problems *problems) {
    char begin[512];
    struct bytes *bytes;
    struct error error = {0};
    if (strcmp(path, "-") == 0 || bytes_open(path, &bytes, &error) < 0)
        return false; /* standard input is read once; of others the reader says why */
    ssize_t count = bytes_read(bytes, begin, sizeof begin - 1, "", &error);
    bytes_close(bytes);
    if (count <= 0)
        return false;
    begin[count] = '\0';
    if (strncmp(begin, "job_id,", 7) == 0)
        problems_say(problems,
                     "%s: expected a trace of the PyTorch profiler, got a workload CSV: easim run "
                     "replays it in a scenario",
                     path);
    else if (strncmp(begin, "{\"time_ns\":", 11) == 0)
        problems_say(problems,
                     "%s: expected a trace of the PyTorch profiler, got the events of a simulated "
                     "run: easim analyze and easim explain read its folder",
                     path);
    else
        return false;
    return true;
}

static int check_files(const struct reading *reading, struct problems *problems) {
    size_t before = problems->count;
    int64_t world = -1;
    for (size_t i = 0; i < reading->read.count; i++) {
        const struct kineto_trace *trace = &reading->read.traces[i];
        if (trace->gpus.all.count > 0)
            problems_say(problems,
                         "%s: expected a trace of the PyTorch profiler, got a timeline of easim: "
                         "easim analyze explains a recorded run",
                         trace->path);
        if (world >= 0 && trace->world_size >= 0 && trace->world_size != world)
            problems_say(problems,
                         "%s: expected a rank of the same job of %lld ranks, got one of %lld",
                         trace->path, (long long)world, (long long)trace->world_size);
        world = world < 0 ? trace->world_size : world;
    }
    return problems->count > before ? ERROR_INPUT : 0;
}

static int read_job(struct reading *reading, char *const *paths, size_t count,
                    const struct trace_request *request, struct trace_report *report,
                    struct problems *problems) {
    size_t refused = 0;
    kineto_job_init(&reading->read, &request->reading, &report->notes, problems);
    struct kineto_reading *how = &reading->read.reading;
    if (!how->has_steps) { /* without a choice, the work of all steps */
        how->has_steps = true;
        how->first_step = INT64_MIN;
        how->last_step = INT64_MAX;
    }
    int r = prepare_watch(reading, request->loading_pattern, problems);
    for (size_t i = 0; r == 0 && i < count; i++)
        refused += refuse_other(paths[i], problems);
    if (refused > 0)
        r = ERROR_INPUT;
    if (r == 0)
        r = kineto_job_read(&reading->read, paths, count);
    for (size_t i = 0; i < reading->read.count; i++)
        if (((const struct trace_rank *)reading->read.traces[i].watcher)->is_chakra)
            r = problems_say(problems,
                             "%s: expected a trace of the PyTorch profiler, got a Chakra execution "
                             "trace, which has no GPU times",
                             reading->read.traces[i].path);
    if (r == 0)
        r = check_files(reading, problems);
    report->damaged |= reading->read.damaged;
    if (r < 0)
        return r;
    for (size_t i = 0; i < reading->read.count; i++) {
        struct trace_rank *rank = reading->ranks.at[i] = reading->read.traces[i].watcher;
        trace_rank_join(rank, &reading->read.traces[i]);
        trace_links_init(rank);
        note_rank(&report->notes, rank);
        if (reading->read.figures[i].step_count > rank->trace->steps.count)
            problems_say(&report->notes, "%s: steps after the first %zu are not in the window",
                         rank->trace->path, rank->trace->steps.count);
    }
    trace_job_init(&reading->job, &reading->read, reading->ranks.at);
    reading->has_job = true;
    kineto_job_note_ranks(&reading->read, &reading->job.matched);
    if (reading->job.unclear > 0)
        problems_say(&report->notes,
                     "%llu collectives end on one rank before they begin on another: the clocks "
                     "differ, so they count as not matched",
                     (unsigned long long)reading->job.unclear);
    return 0;
}

static void finish_reading(struct reading *reading) {
    if (reading->has_job)
        trace_job_finish(&reading->job);
    for (size_t i = 0; i < reading->ranks.count; i++) {
        trace_rank_finish(reading->ranks.at[i]);
        free(reading->ranks.at[i]);
    }
    free(reading->ranks.at);
    name_pattern_free(reading->loading);
    kineto_job_finish(&reading->read);
}

/* ---- Parts of the analysis ---- */

static void find_paths(struct trace_result *result) {
    const struct trace_job *job = result->job;
    result->ranks = mem_zalloc(job->count, sizeof *result->ranks);
    for (size_t r = 0; r < job->count; r++) {
        struct trace_rank_result *own = &result->ranks[r];
        struct trace_rank *rank = job->ranks[r];
        trace_states(rank, own->states);
        trace_path_of_rank(job, r, &own->path);
        trace_memory_find(rank, &own->memory);
        for (size_t s = 0; s < STATE_COUNT; s++)
            result->states[s] += own->states[s];
        for (size_t p = 0; p < PART_COUNT; p++)
            result->parts[p] += own->path.parts[p];
        result->window_ns += rank->window.end_ns - rank->window.start_ns;
        trace_groups_add(&result->groups, job, r);
        trace_kernels_add(&result->kernels, rank, own->path.kernels[r]);
    }
    trace_path_of_job(job, &result->across);
    trace_groups_rank(&result->groups);
    trace_classes(result->parts, result->classes);
    result->verdict = trace_judge(result->classes);
}

ORDER_BY(longest_on_path, struct trace_kernel, DESC(path_ns) DESC(total_ns) TEXT_ASC(name))

static void find_effects(struct trace_result *result) {
    const struct trace_kernels *kernels = &result->kernels;
    int64_t length_ns = result->job->end_ns - result->job->start_ns;
    for (enum trace_class_of c = 0; c < CLASS_COUNT; c++)
        result->saved_ns[c] =
            result->classes[c] > 0 ? length_ns - trace_without(result->job, c) : 0;
    size_t count = kernels->all.count;
    struct trace_kernel *all = mem_alloc((count + 1) * sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = kernels->all.at[i];
    sort_array(all, count, longest_on_path);
    for (size_t i = 0; i < count && i < TRACE_EFFECTS && all[i].path_ns > 0; i++)
        result->effects[result->effect_count++] =
            (struct trace_effect){all[i].name, all[i].path_ns,
                                  length_ns - trace_without_kernel(result->job, all[i].name)};
    free(all);
}

static void find_kernels(struct trace_result *result, const struct trace_request *request) {
    struct gpu_peaks *peaks = &result->kernels.peaks;
    const char *device = result->read->traces[0].gpu;
    const struct gpu_peaks *known = device ? gpu_peaks_find(device) : NULL;
    *peaks = known ? *known : (struct gpu_peaks){.at = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
    if (request->reading.peaks) {
        gpu_peaks_replace(peaks, request->reading.peaks);
        peaks->name = "given";
    }
    if (!peaks->name && result->kernels.all.count > 0)
        problems_add_setting(result->read->notes, (struct location){0}, "peaks",
                             "the peaks of %s%s%s are not known: no shares of them",
                             device ? "\"" : "the GPU", device ? device : "", device ? "\"" : "");
    trace_kernels_rank(&result->kernels);
    if (result->kernels.wrong > 0)
        problems_say(result->read->notes,
                     "%llu kernels are of operators whose sizes do not fit or whose operations "
                     "exceed 2^63: their work is unknown",
                     (unsigned long long)result->kernels.wrong);
}

static int compare_before(struct trace_result *result, const struct trace_request *request,
                          struct trace_report *report, struct problems *problems) {
    struct reading other = {.has_job = false};
    struct trace_kernels before = {.ranks = 0};
    struct trace_request plain = *request;
    plain.reading.has_steps = false;
    int r = read_job(&other, request->before, request->before_count, &plain, report, problems);
    if (r == 0) {
        for (size_t i = 0; i < other.job.count; i++)
            trace_kernels_add(&before, other.job.ranks[i], NULL);
        before.peaks = result->kernels.peaks;
        trace_kernels_rank(&before);
        trace_kernels_compare(&result->kernels, &before);
        result->has_before = true;
    }
    trace_kernels_finish(&before);
    finish_reading(&other);
    return r;
}

/* The row of the profile, and that of the step time which the changes would give. */
static void add_rows(const struct trace_result *result, struct profile *profile) {
    const struct trace_verdict *v = &result->verdict;
    struct profile_row *row = kineto_job_add_row(result->read, profile);
    double peak = 0, window_ns = (double)(result->job->end_ns - result->job->start_ns);
    struct str text = {0};
    for (size_t r = 0; r < result->job->count; r++) {
        const struct trace_memory_use *memory = &result->ranks[r].memory;
        if (memory->events > 0 && memory->has_totals && (double)memory->peak > peak)
            peak = (double)memory->peak;
    }
    str_addf(&text, "%s; bound by %s%s%s", row->source, trace_class_names[v->first],
             v->mixed ? " and " : "", v->mixed ? trace_class_names[v->second] : "");
    if (result->groups.all.count > 0)
        str_addf(&text, "; exposed communication %.1f %%",
                 100 * (double)result->states[STATE_COMMUNICATION] / (double)result->window_ns);
    if (peak > 0)
        str_addf(&text, "; peak memory %.0f bytes", peak);
    row->source = arena_strdup(&profile->arena, text.text);
    if (result->what_if && result->what_if_ns > 0) {
        struct profile_row changed = *row;
        changed.is_derived = true;
        changed.throughput_samples_s *= window_ns / (double)result->what_if_ns;
        if (row->model)
            changed.model = arena_printf(&profile->arena, "%s-what-if", row->model);
        changed.source =
            arena_printf(&profile->arena, "%s; what if %s", row->source, result->what_if);
        array_push(&profile->rows, changed);
    } else if (result->what_if && result->what_if_ns == 0) {
        problems_say(result->read->notes, "the changed window is empty: no second row of it");
    }
    str_finish(&text);
}

static void finish_result(struct trace_result *result) {
    for (size_t r = 0; result->ranks && r < result->job->count; r++) {
        trace_path_finish(&result->ranks[r].path);
        trace_memory_finish(&result->ranks[r].memory);
    }
    free(result->ranks);
    trace_path_finish(&result->across);
    trace_kernels_finish(&result->kernels);
    trace_groups_finish(&result->groups);
}

static int analyze(struct reading *reading, const struct trace_request *request,
                   struct trace_report *report, struct problems *problems) {
    struct error error = {0};
    struct trace_result result = {
        .read = &reading->read, .job = &reading->job, .what_if = request->what_if};
    find_paths(&result);
    int r = 0;
    find_kernels(&result, request);
    if (request->telemetry)
        r = trace_clock_find(&result, request->telemetry, &report->damaged, problems);
    result.has_clock = request->telemetry != NULL;
    trace_patterns_find(&result);
    if (request->what_if &&
        trace_what_if(result.job, request->what_if, &result.what_if_ns, &error) < 0)
        r = problems_add_setting(problems, (struct location){0}, "what-if", "%s", error.text);
    if (r == 0)
        find_effects(&result);
    if (r == 0 && request->before_count > 0)
        r = compare_before(&result, request, report, problems);
    if (r == 0) {
        report->figures = figures_create(&report->arena);
        trace_report_figures(&result, report->figures);
        trace_report_screen(&result, &report->screen);
    }
    if (r == 0 && report->profile && result.window_ns > 0)
        add_rows(&result, report->profile);
    else if (r == 0 && report->profile)
        r = problems_add_setting(problems, (struct location){0}, "profile",
                                 "expected a window with events, got an empty one");
    finish_result(&result);
    return r;
}

int trace_analyze(char *const *paths, size_t count, const struct trace_request *request,
                  struct trace_report *report, struct problems *problems) {
    struct reading reading = {.has_job = false};
    int r = read_job(&reading, paths, count, request, report, problems);
    if (r == 0)
        r = analyze(&reading, request, report, problems);
    finish_reading(&reading);
    return r;
}

void trace_report_finish(struct trace_report *report) {
    arena_finish(&report->arena);
    str_finish(&report->screen);
    problems_finish(&report->notes);
}
