/* The SM clock of the GPUs of a job, from telemetry of the same time. Invariant: a sample holds
   until the next one, the last as long as the one before it; all other time is not judged. */
#include "ingest/profile_formats.h"
#include "ingest/telemetry/telemetry.h"
#include "ingest/trace/findings.h"
#include "io/bytes.h"

#include <stdio.h>
#include <time.h>

#define LOW_CLOCK     0.9                          /* of the maximum */
#define WALL_FROM_NS  INT64_C(1000000000000000000) /* September 2001: earlier times are no dates */
#define MOST_OF_BEGIN 65536

struct clocks {
    struct trace_result *result;
    const char *path;
    const struct telemetry *telemetry;
    struct problems *notes, *problems;
};

/* ---- The file ---- */

/* The reader of the first format whose mark is in the begin of the file; NULL: none. */
static const struct profile_reader *reader_of(const char *path, struct error *reterr) {
    static const struct {
        const char *mark;
        const struct profile_reader *reader;
    } formats[] = {{"#Entity", &dcgm_reader},
                   {"\"status\"", &prometheus_reader},
                   {"DCGM_FI_", &dcgm_exporter_reader},
                   {"data = {", &dynolog_reader},
                   {"\"gpu_frequency_mhz\"", &dynolog_reader},
                   {"\"gpu_power_draw\"", &dynolog_reader}};
    char begin[MOST_OF_BEGIN];
    struct slice read = {begin, 0};
    struct bytes *bytes;
    ssize_t got = 1;
    if (strcmp(path, "-") == 0)
        error_set(reterr, ERROR_INPUT, "expected a file, got standard input: it is read twice");
    if (strcmp(path, "-") == 0 || bytes_open(path, &bytes, reterr) < 0)
        return NULL;
    while (got > 0 && read.length < sizeof begin) {
        got = bytes_read(bytes, begin + read.length, sizeof begin - read.length, "", reterr);
        read.length += got > 0 ? (size_t)got : 0;
    }
    bool is_damaged = bytes_is_damaged(bytes);
    bytes_close(bytes);
    if (got < 0 && !is_damaged)
        return NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (slice_find(read, formats[i].mark))
            return formats[i].reader;
    error_set(
        reterr, ERROR_INPUT,
        "%s: expected telemetry of dcgm, dcgm-exporter, prometheus or dynolog, got none of it "
        "in the first %zu bytes",
        path, read.length);
    return NULL;
}

static const char *name_of(const struct clocks *c, size_t rank) {
    return c->result->read->traces[rank].path;
}

static const char *id_of(const struct telemetry *telemetry, size_t device) {
    const char *index = telemetry->devices.at[device].index;
    return index ? index : intern_text(&telemetry->keys, (uint32_t)device);
}

/* The samples of the GPU on which a rank ran, or NULL with a problem. */
static const struct telemetry_device *device_of(const struct clocks *c, size_t rank) {
    const struct telemetry *t = c->telemetry;
    const struct telemetry_device *found = NULL;
    char wanted[24];
    struct str got = {0};
    size_t count = 0;
    snprintf(wanted, sizeof wanted, "%lld", (long long)c->result->job->ranks[rank]->device);
    for (size_t i = 0; i < t->devices.count; i++) {
        bool is_wanted = strcmp(id_of(t, i), wanted) == 0;
        found = is_wanted ? &t->devices.at[i] : found;
        count += is_wanted;
        str_addf(&got, "%s%s", i > 0 ? ", " : "", id_of(t, i));
    }
    if (count == 0)
        problems_say(c->problems,
                     "%s: expected GPU %s, on which %s ran, got %s%s "
                     "(CUDA_VISIBLE_DEVICES gives GPUs other numbers)",
                     c->path, wanted, name_of(c, rank), got.length > 0 ? "GPU " : "none",
                     got.length > 0 ? got.text : "");
    else if (count > 1)
        problems_say(c->problems, "%s: expected the GPUs of one host, got GPU %s of %zu", c->path,
                     wanted, count);
    str_finish(&got);
    return count == 1 ? found : NULL;
}

/* ---- Judging ---- */

static double mhz_at(const struct telemetry_device *device, size_t i) {
    return (double)device->activities.at[i].at[TELEMETRY_SM_CLOCK - TELEMETRY_SM_ACTIVE];
}

/* Adds the samples that hold in the span; ret_all: the time that samples of the file hold in. */
static void judge_span(const struct telemetry_device *device, struct trace_span span,
                       struct trace_clock *clock, struct trace_span *ret_all) {
    size_t count = device->activities.count, next;
    int64_t hold_ns = 0;
    *ret_all = (struct trace_span){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < count; i = next) {
        int64_t start_ns = device->activities.at[i].time_ns;
        for (next = i + 1; next < count && isnan(mhz_at(device, next));)
            next++;
        if (isnan(mhz_at(device, i)))
            continue;
        hold_ns = next < count ? device->activities.at[next].time_ns - start_ns : hold_ns;
        int64_t end_ns = start_ns + hold_ns;
        int64_t from = start_ns > span.start_ns ? start_ns : span.start_ns;
        int64_t to = end_ns < span.end_ns ? end_ns : span.end_ns;
        ret_all->start_ns = ret_all->start_ns < start_ns ? ret_all->start_ns : start_ns;
        ret_all->end_ns = end_ns;
        if (to <= from)
            continue;
        clock->samples++;
        clock->judged_ns += (double)(to - from);
        if (mhz_at(device, i) < LOW_CLOCK * clock->maximum_mhz)
            clock->low_ns += (double)(to - from);
    }
}

/* "2025-11-20 09:00:00.141" */
static void add_date(struct str *out, int64_t time_ns) {
    char text[32] = "";
    struct tm date;
    time_t at = (time_t)(time_ns / 1000000000);
    if (gmtime_r(&at, &date))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &date);
    str_addf(out, "%s.%03d", text, (int)(time_ns % 1000000000 / 1000000));
}

static void refuse_times(const struct clocks *c, size_t rank, struct trace_span window,
                         struct trace_span samples) {
    struct str text = {0};
    str_addf(&text, "%s: expected samples in the window of %s, ", c->path, name_of(c, rank));
    add_date(&text, window.start_ns);
    str_add(&text, " to ");
    add_date(&text, window.end_ns);
    str_add(&text, " UTC, got them from ");
    add_date(&text, samples.start_ns);
    str_add(&text, " to ");
    add_date(&text, samples.end_ns);
    problems_say(c->problems, "%s", text.text);
    str_finish(&text);
}

/* The window on the clock of the world; false: the trace does not have it. */
static bool wall_window(const struct trace_rank *rank, struct trace_span *ret_window) {
    int64_t base_ns = kineto_base_ns(rank->trace, rank->window.end_ns);
    *ret_window =
        (struct trace_span){rank->window.start_ns + base_ns, rank->window.end_ns + base_ns};
    return ret_window->start_ns >= WALL_FROM_NS;
}

static void judge_rank(const struct clocks *c, size_t r) {
    const struct trace_rank *rank = c->result->job->ranks[r];
    struct trace_clock *clock = &c->result->ranks[r].clock;
    const struct telemetry_device *device = device_of(c, r);
    struct trace_span window, all;
    if (!device)
        return;
    const double most = device->metrics[TELEMETRY_SM_CLOCK].most;
    clock->maximum_mhz = fmax(most, c->result->kernels.peaks.vector_mhz);
    if (rank->many_devices)
        problems_say(c->notes, "%s: %s ran on several GPUs: only the clock of GPU %lld is judged",
                     c->path, name_of(c, r), (long long)rank->device);
    if (!(c->result->kernels.peaks.vector_mhz > 0))
        problems_add_setting(c->notes, (struct location){0}, "peaks",
                             "the maximum of the SM clock is not known: for %s the highest "
                             "one in %s counts, %g MHz; clock=MHZ gives it",
                             name_of(c, r), c->path, most);
    (void)wall_window(rank, &window);
    if (c->result->clock_of_file)
        window = (struct trace_span){INT64_MIN, INT64_MAX};
    judge_span(device, window, clock, &all);
    if (all.end_ns <= all.start_ns)
        problems_say(c->problems,
                     "%s: expected two or more samples of the SM clock of GPU %lld (SM_CLOCK or "
                     "SMCLK of DCGM, gpu_frequency_mhz of dynolog), got %llu",
                     c->path, (long long)rank->device,
                     (unsigned long long)device->metrics[TELEMETRY_SM_CLOCK].count);
    else if (clock->judged_ns == 0)
        refuse_times(c, r, window, all);
    else if (!c->result->clock_of_file &&
             (all.start_ns > window.start_ns || all.end_ns < window.end_ns))
        problems_say(c->notes,
                     "%s: its samples cover %.1f %% of the window of %s: the clock is "
                     "judged in this part",
                     c->path, 100 * clock->judged_ns / (double)(window.end_ns - window.start_ns),
                     name_of(c, r));
}

/* Two ranks on GPUs of the same number are of two hosts, or see only some of the GPUs. */
static bool are_on_one_host(const struct clocks *c) {
    const struct trace_job *job = c->result->job;
    for (size_t r = 0; r < job->count; r++)
        for (size_t other = 0; other < r && job->ranks[r]->device >= 0; other++)
            if (job->ranks[r]->device == job->ranks[other]->device) {
                problems_say(c->problems,
                             "%s: expected the ranks of one host, each on its own GPU, got %s "
                             "and %s on GPU %lld",
                             c->path, name_of(c, other), name_of(c, r),
                             (long long)job->ranks[r]->device);
                return false;
            }
    return true;
}

static void see_telemetry(void *watcher, const struct telemetry *telemetry) {
    struct clocks *c = watcher;
    const struct trace_job *job = c->result->job;
    const char *lacks = telemetry->no_times ? c->path : NULL;
    struct trace_span window;
    size_t judged = 0, before = c->problems->count;
    c->telemetry = telemetry;
    for (size_t r = 0; r < job->count && !lacks; r++)
        if (job->ranks[r]->device >= 0 && !wall_window(job->ranks[r], &window))
            lacks = job->ranks[r]->trace->path;
    if (lacks)
        problems_say(c->notes,
                     "%s has no wall-clock times: the clock is judged over the whole file %s, not "
                     "in the window of the trace",
                     lacks, c->path);
    c->result->clock_of_file = lacks != NULL;
    if (!are_on_one_host(c))
        return;
    for (size_t r = 0; r < job->count; r++) {
        judged += job->ranks[r]->device >= 0;
        if (job->ranks[r]->device >= 0)
            judge_rank(c, r);
    }
    if (judged == 0 && c->problems->count == before)
        problems_say(c->problems,
                     "%s: expected GPU events with the number of their GPU, got none in the traces",
                     c->path);
}

int trace_clock_find(struct trace_result *result, const char *path, bool *damaged,
                     struct problems *problems) {
    struct error error = {0};
    struct profile profile = {.notes = *result->read->notes};
    struct clocks clocks = {result, path, NULL, &profile.notes, problems};
    const struct telemetry_watch watch = {see_telemetry, &clocks};
    const struct profile_options options = {.strict = result->read->options->strict,
                                            .interval_s = 1,
                                            .power_limit_w = NAN,
                                            .watch = &watch};
    const struct profile_reader *reader = reader_of(path, &error);
    if (!reader)
        return problems_add_setting(problems, (struct location){0}, "telemetry", "%s", error.text);
    int r = reader->read((char *[]){(char *)path}, 1, &options, &profile, problems);
    *result->read->notes = profile.notes;
    *damaged |= profile.damaged;
    profile.notes = (struct problems){0};
    profile_finish(&profile);
    return r;
}

void trace_clock_figures(const struct trace_result *result, struct figure *root) {
    struct figure *list = figures_list(root, "clocks");
    for (size_t r = 0; r < result->job->count; r++) {
        const struct trace_clock *clock = &result->ranks[r].clock;
        struct figure *row = figures_group(list, NULL);
        figures_number(row, "rank", result->read->traces[r].rank);
        figures_number(row, "gpu", result->job->ranks[r]->device);
        figures_bool(row, "whole_file", result->clock_of_file);
        figures_int(row, "samples", (int64_t)clock->samples);
        figures_real(row, "maximum_mhz", clock->maximum_mhz);
        figures_real(row, "judged_us", clock->judged_ns / 1e3);
        figures_real(row, "low_us", clock->low_ns / 1e3);
    }
}
