/* The findings as figures (trace.json, tables, the page) and as one screen. Times are
   microseconds, as in the files. */
#include "ingest/trace/findings.h"

#include <math.h>

#define LISTED_KERNELS  1000
#define LISTED_HOLDERS  20
#define SHOWN_ROWS      6
#define TIMELINE_EVENTS 4000 /* of one step */

static double us(int64_t time_ns) {
    return (double)time_ns / 1000;
}

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : NAN;
}

/* ---- Figures ---- */

static void add_share(struct figure *row, const char *name, int64_t time_ns, int64_t window_ns) {
    figures_text(row, "name", name);
    figures_real(row, "us", us(time_ns));
    figures_real(row, "percent", percent((double)time_ns, (double)window_ns));
}

static void add_shares(struct figure *parent, const char *name, const int64_t *times,
                       const char *const *names, size_t count, int64_t window_ns) {
    struct figure *list = figures_list(parent, name);
    for (size_t i = 0; i < count; i++)
        add_share(figures_group(list, NULL), names[i], times[i], window_ns);
}

static const char *kernels_bound(const struct trace_result *result) {
    enum trace_bound most = 0;
    for (enum trace_bound b = 0; b < BOUND_COUNT; b++)
        if (result->kernels.bound_path_ns[b] > result->kernels.bound_path_ns[most])
            most = b;
    return trace_bound_names[most];
}

static double job_ns(const struct trace_result *result) {
    return (double)(result->job->end_ns - result->job->start_ns);
}

static void add_verdict(const struct trace_result *result, struct figure *root) {
    const struct trace_verdict *v = &result->verdict;
    struct figure *group = figures_group(root, "verdict");
    double window = (double)result->window_ns;
    if (result->window_ns == 0) {
        figures_none(group, "bound");
        return;
    }
    figures_text(group, "bound", v->mixed ? "mixed" : trace_class_names[v->first]);
    figures_text(group, "largest", trace_class_names[v->first]);
    figures_real(group, "largest_percent", percent((double)result->classes[v->first], window));
    figures_text(group, "next", trace_class_names[v->second]);
    figures_real(group, "next_percent", percent((double)result->classes[v->second], window));
    figures_real(group, "saved_if_removed_percent",
                 percent((double)result->saved_ns[v->first], job_ns(result)));
    if (v->first == CLASS_KERNELS || (v->mixed && v->second == CLASS_KERNELS))
        figures_text(group, "kernels_bound", kernels_bound(result));
    struct str text = {0};
    struct figure *evidence = figures_list(group, "evidence");
    for (int i = 0; i < 1 + v->mixed; i++) {
        text.length = 0;
        trace_evidence(result, i == 0 ? v->first : v->second, &text);
        if (text.length > 0)
            figures_text(evidence, NULL, text.text);
    }
    str_finish(&text);
    struct figure *list = figures_list(root, "classes");
    for (size_t c = 0; c < CLASS_COUNT; c++) {
        struct figure *row = figures_group(list, NULL);
        figures_text(row, "name", trace_class_names[c]);
        figures_real(row, "path_percent", percent((double)result->classes[c], window));
        figures_real(row, "saved_if_removed_us", us(result->saved_ns[c]));
        figures_real(row, "saved_if_removed_percent",
                     percent((double)result->saved_ns[c], job_ns(result)));
    }
}

static void add_window(const struct trace_result *result, struct figure *root) {
    struct figure *group = figures_group(root, "window");
    const struct kineto_trace *first = &result->read->traces[0];
    figures_int(group, "ranks", (int64_t)result->job->count);
    figures_text(group, "gpu", first->gpu);
    figures_real(group, "length_us", job_ns(result) / 1000);
    if (first->steps.count > 0) {
        figures_int(group, "first_step", first->steps.at[0].number);
        figures_int(group, "last_step", first->steps.at[first->steps.count - 1].number);
    }
    figures_real(group, "step_median_us", result->read->figures[0].iteration.median_us);
}

static void add_effects(const struct trace_result *result, struct figure *root) {
    struct figure *list = figures_list(root, "kernels_removed");
    for (size_t i = 0; i < result->effect_count; i++) {
        struct figure *row = figures_group(list, NULL);
        figures_text(row, "kernel", result->effects[i].kernel);
        figures_real(row, "saved_if_removed_us", us(result->effects[i].saved_ns));
        figures_real(row, "saved_if_removed_percent",
                     percent((double)result->effects[i].saved_ns, job_ns(result)));
    }
    if (!result->what_if)
        return;
    struct figure *group = figures_group(root, "what_if");
    figures_text(group, "change", result->what_if);
    figures_real(group, "length_us", us(result->what_if_ns));
    figures_real(group, "saved_us", job_ns(result) / 1000 - us(result->what_if_ns));
    figures_real(group, "saved_percent",
                 percent(job_ns(result) - (double)result->what_if_ns, job_ns(result)));
    figures_real(group, "speedup", job_ns(result) / (double)result->what_if_ns);
}

static void add_families(const struct trace_result *result, struct figure *root) {
    const struct trace_kernels *k = &result->kernels;
    struct figure *list = figures_list(root, "families");
    for (size_t f = 0; f < FAMILY_COUNT; f++) {
        if (k->family_count[f] == 0)
            continue;
        struct figure *row = figures_group(list, NULL);
        figures_text(row, "family", trace_family_names[f]);
        figures_int(row, "count", (int64_t)k->family_count[f]);
        figures_real(row, "total_us", us(k->family_ns[f]));
        figures_real(row, "share_percent", percent((double)k->family_ns[f], (double)k->total_ns));
        figures_real(row, "path_us", us(k->family_path_ns[f]));
        figures_real(row, "flop", k->family_flop[f] > 0 ? k->family_flop[f] : NAN);
    }
}

static void add_kernel(const struct trace_result *result, const struct trace_kernel *kernel,
                       struct figure *list) {
    const struct trace_kernels *k = &result->kernels;
    struct figure *row = figures_group(list, NULL);
    figures_text(row, "name", kernel->name);
    figures_text(row, "family", trace_family_names[kernel->family]);
    figures_int(row, "count", (int64_t)kernel->count);
    figures_real(row, "total_us", us(kernel->total_ns));
    figures_real(row, "share_percent", percent((double)kernel->total_ns, (double)k->total_ns));
    figures_real(row, "path_us", us(kernel->path_ns));
    figures_real(row, "mean_us",
                 kernel->count > 0 ? us(kernel->total_ns) / (double)kernel->count : NAN);
    figures_real(row, "p50_us", us(kernel->p50_ns));
    figures_real(row, "p99_us", us(kernel->p99_ns));
    figures_real(row, "flop", kernel->flop);
    figures_real(row, "flop_s", kernel->flop / ((double)kernel->flop_ns / 1e9));
    figures_real(row, "bytes_s", kernel->bytes / ((double)kernel->bytes_ns / 1e9));
    figures_text(row, "precision",
                 kernel->precision < PRECISION_COUNT ? trace_precision_names[kernel->precision]
                                                     : NULL);
    figures_real(row, "roofline_percent", 100 * kernel->roofline);
    figures_text(row, "bound", trace_bound_names[kernel->bound]);
    if (!result->has_before)
        return;
    double by = k->steps > 0 ? k->steps : (double)k->ranks;
    figures_real(row, "per_step_us", us(kernel->total_ns) / by);
    figures_real(row, "before_per_step_us", kernel->before_ns / 1000);
    figures_bool(row, "changed", kernel->changed);
}

static void add_kernels(const struct trace_result *result, struct figure *root) {
    const struct trace_kernels *k = &result->kernels;
    struct figure *peaks = figures_group(root, "peaks");
    figures_text(peaks, "gpu", k->peaks.name);
    figures_real(peaks, "fp64", k->peaks.at[PEAK_FP64]);
    figures_real(peaks, "fp32", k->peaks.at[PEAK_FP32]);
    figures_real(peaks, "tf32", k->peaks.at[PEAK_TF32]);
    figures_real(peaks, "fp16", k->peaks.at[PEAK_TENSOR_FP16]);
    figures_real(peaks, "fp8", k->peaks.at[PEAK_TENSOR_FP8]);
    figures_real(peaks, "memory", k->peaks.at[PEAK_MEMORY]);
    figures_int(root, "kernel_names", (int64_t)k->all.count);
    struct figure *list = figures_list(root, "kernels");
    for (size_t i = 0; i < k->all.count && i < LISTED_KERNELS; i++)
        add_kernel(result, &k->all.at[i], list);
}

static void add_groups(const struct trace_result *result, struct figure *root) {
    struct figure *list = figures_list(root, "communication");
    for (size_t i = 0; i < result->groups.all.count; i++) {
        const struct trace_traffic *t = &result->groups.all.at[i];
        struct figure *row = figures_group(list, NULL);
        figures_text(row, "group", t->group);
        figures_text(row, "collective", t->collective);
        figures_number(row, "size", t->size > 0 ? t->size : -1);
        figures_int(row, "count", (int64_t)t->count);
        figures_real(row, "bytes", t->bus_ns > 0 ? t->bytes : NAN);
        figures_real(row, "total_us", us(t->time_ns));
        figures_real(row, "bus_bytes_s",
                     t->bus_ns > 0 ? t->bus_bytes / ((double)t->bus_ns / 1e9) : NAN);
        figures_real(row, "exposed_percent", percent((double)t->exposed_ns, (double)t->time_ns));
        figures_real(row, "imbalance_percent",
                     result->job->collectives.count > 0
                         ? percent((double)t->imbalance_ns, (double)t->time_ns)
                         : NAN);
    }
    if (result->job->count < 2)
        return;
    struct figure *matched = figures_group(root, "matching");
    figures_int(matched, "collectives", (int64_t)result->job->collectives.count);
    figures_int(matched, "unmatched_kernels", (int64_t)result->job->matched.unmatched);
    figures_int(matched, "unclear_collectives", (int64_t)result->job->unclear);
    figures_bool(matched, "clocks_corrected", result->job->matched.corrected);
}

static void add_memory(const struct trace_memory_use *m, struct figure *rank) {
    struct figure *group = figures_group(rank, "memory");
    figures_int(group, "events", (int64_t)m->events);
    if (m->events == 0)
        return;
    figures_int(group, "device", m->device);
    figures_bool(group, "level_at_start_known", m->has_totals);
    figures_int(group, "peak_allocated_bytes", m->peak);
    figures_real(group, "peak_at_us", us(m->peak_at_ns));
    figures_real(group, "peak_reserved_bytes",
                 m->peak_reserved >= 0 ? (double)m->peak_reserved : NAN);
    figures_real(group, "fragmentation",
                 m->reserved_at_peak > 0 ? 1 - (double)m->peak / (double)m->reserved_at_peak : NAN);
    figures_bool(group, "leak_judged", m->judged);
    figures_bool(group, "leaks", m->leaks);
    figures_real(group, "growth_per_step_bytes", m->judged ? m->growth_per_step : NAN);
    figures_bool(group, "holders_known", m->has_addresses);
    if (!m->has_addresses)
        return;
    figures_int(group, "before_window_bytes", m->before_window);
    figures_int(group, "freed_twice", (int64_t)m->freed_twice);
    figures_int(group, "allocated_twice", (int64_t)m->allocated_twice);
    figures_int(group, "freed_but_allocated_before", (int64_t)m->never_allocated);
}

static void add_memory_timeline(const struct trace_result *result, struct figure *root) {
    struct figure *list = figures_list(root, "memory_timeline");
    list->json_only = true;
    for (size_t r = 0; r < result->job->count; r++) {
        const struct trace_span w = result->job->ranks[r]->window;
        for (size_t b = 0; b < TRACE_MEMORY_BINS; b++) {
            const struct trace_memory_bin *bin = &result->ranks[r].memory.bins[b];
            if (bin->events == 0)
                continue;
            struct figure *row = figures_group(list, NULL);
            figures_number(row, "rank", result->read->traces[r].rank);
            figures_real(row, "at_us", us(w.end_ns - w.start_ns) * (double)b / TRACE_MEMORY_BINS);
            figures_int(row, "most_bytes", bin->most);
            figures_int(row, "least_bytes", bin->least);
            figures_int(row, "last_bytes", bin->last);
            figures_real(row, "reserved_bytes", bin->reserved > 0 ? (double)bin->reserved : NAN);
        }
    }
}

static void add_holders(const struct trace_result *result, struct figure *root) {
    static const char *const names[HOLDER_COUNT] = {"operator", "module", "stack"};
    struct figure *list = figures_list(root, "memory_holders");
    list->json_only = true;
    for (size_t r = 0; r < result->job->count; r++)
        for (size_t l = 0; l < 2 * HOLDER_COUNT; l++) {
            const struct trace_memory_use *m = &result->ranks[r].memory;
            bool leaking = l >= HOLDER_COUNT;
            const struct trace_held_list *held =
                leaking ? &m->leaking[l - HOLDER_COUNT] : &m->holders[l];
            for (size_t i = 0; i < held->count && i < LISTED_HOLDERS; i++) {
                struct figure *row = figures_group(list, NULL);
                figures_number(row, "rank", result->read->traces[r].rank);
                figures_text(row, "alive", leaking ? "after its step" : "at the peak");
                figures_text(row, "by", names[l % HOLDER_COUNT]);
                figures_text(row, "name", held->at[i].name);
                figures_int(row, "bytes", held->at[i].bytes);
                figures_int(row, "count", (int64_t)held->at[i].count);
            }
        }
}

/* A row for each rank and state or part of the path. */
static void add_time(const struct trace_result *result, struct figure *root) {
    struct figure *list = figures_list(root, "time");
    list->json_only = true;
    for (size_t r = 0; r < result->job->count; r++) {
        const struct trace_rank_result *own = &result->ranks[r];
        const struct trace_span w = result->job->ranks[r]->window;
        for (size_t i = 0; i < (size_t)STATE_COUNT + PART_COUNT; i++) {
            bool is_state = i < STATE_COUNT;
            size_t p = i - STATE_COUNT;
            struct figure *row = figures_group(list, NULL);
            figures_number(row, "rank", result->read->traces[r].rank);
            figures_text(row, "of", is_state ? "GPU state" : "critical path");
            add_share(row, is_state ? trace_state_names[i] : trace_part_names[p],
                      is_state ? own->states[i] : own->path.parts[p], w.end_ns - w.start_ns);
        }
    }
}

/* Gaps of streams by HTA's rule, as in the profile. */
static void add_streams(const struct trace_result *result, size_t rank, struct figure *parent) {
    const struct kineto_streams *streams = &result->read->figures[rank].streams;
    struct figure *list = figures_list(parent, "idle_by_stream");
    for (size_t i = 0; i < streams->all.count; i++) {
        const struct kineto_stream *s = &streams->all.at[i];
        struct figure *row = figures_group(list, NULL);
        figures_int(row, "device", s->track.device);
        figures_int(row, "stream", s->track.stream);
        figures_real(row, "idle_us", us(s->idle));
        figures_real(row, "host_wait_us", us(s->host_wait));
        figures_real(row, "kernel_wait_us", us(s->kernel_wait));
    }
}

static void add_ranks(const struct trace_result *result, struct figure *root) {
    struct figure *list = figures_list(root, "ranks");
    list->json_only = true;
    for (size_t r = 0; r < result->job->count; r++) {
        const struct trace_rank *rank = result->job->ranks[r];
        const struct trace_rank_result *own = &result->ranks[r];
        const struct kineto_trace *trace = rank->trace;
        int64_t window_ns = rank->window.end_ns - rank->window.start_ns;
        int64_t classes[CLASS_COUNT];
        struct figure *row = figures_group(list, NULL);
        figures_text(row, "file", trace->path);
        figures_number(row, "rank", result->read->traces[r].rank);
        figures_int(row, "records", (int64_t)trace->records);
        figures_real(row, "window_us", us(window_ns));
        trace_classes(own->path.parts, classes);
        struct trace_verdict verdict = trace_judge(classes);
        figures_text(row, "bound",
                     window_ns == 0  ? NULL
                     : verdict.mixed ? "mixed"
                                     : trace_class_names[verdict.first]);
        add_shares(row, "states", own->states, trace_state_names, STATE_COUNT, window_ns);
        add_shares(row, "path", own->path.parts, trace_part_names, PART_COUNT, window_ns);
        figures_int(row, "path_segments", (int64_t)own->path.segments);
        figures_real(row, "path_across_us", us(result->across.ranks[r]));
        add_memory(&own->memory, row);
        add_streams(result, r, row);
    }
}

/* GPU events of the step nearest to the median, for a picture. */
static void add_timeline(const struct trace_result *result, struct figure *root) {
    const struct trace_rank *rank = result->job->ranks[0];
    const struct kineto_trace *trace = rank->trace;
    struct trace_span span = rank->window;
    struct figure *group = figures_group(root, "timeline");
    double median_us = result->read->figures[0].iteration.median_us, nearest = INFINITY,
           number = NAN;
    group->json_only = true;
    for (size_t i = 0; i < trace->steps.count; i++) {
        const struct kineto_step *step = &trace->steps.at[i];
        double off = fabs(us(step->end_ns - step->start_ns) - median_us);
        if (off < nearest) {
            nearest = off;
            span = (struct trace_span){step->start_ns, step->end_ns};
            number = (double)step->number;
        }
    }
    figures_number(group, "rank", trace->rank);
    figures_real(group, "step", number);
    figures_real(group, "length_us", us(span.end_ns - span.start_ns));
    struct figure *list = figures_list(group, "events");
    size_t listed = 0, count = 0;
    for (size_t i = 0; i < rank->gpu.count; i++) {
        const struct trace_gpu *gpu = &rank->gpu.at[i];
        if (gpu->end_ns <= span.start_ns || gpu->start_ns >= span.end_ns)
            continue;
        if (++count > TIMELINE_EVENTS)
            continue;
        listed++;
        uint32_t track = rank->kinds->all.at[gpu->kind].track;
        struct figure *row = figures_group(list, NULL);
        figures_text(row, "name", intern_text(&rank->names, gpu->name));
        figures_int(row, "stream",
                    track == KINETO_NONE ? -1 : rank->kinds->tracks.at[track].stream);
        figures_int(row, "class", (int64_t)trace_class(rank, gpu));
        figures_real(row, "at_us", us(gpu->start_ns - span.start_ns));
        figures_real(row, "us", us(gpu->end_ns - gpu->start_ns));
    }
    figures_int(group, "not_listed", (int64_t)(count - listed));
}

void trace_report_figures(const struct trace_result *result, struct figure *root) {
    add_window(result, root);
    add_verdict(result, root);
    add_shares(root, "states", result->states, trace_state_names, STATE_COUNT, result->window_ns);
    add_shares(root, "path", result->parts, trace_part_names, PART_COUNT, result->window_ns);
    if (result->job->count > 1)
        add_shares(root, "path_across_ranks", result->across.parts, trace_part_names, PART_COUNT,
                   result->across.length_ns);
    add_effects(result, root);
    add_families(result, root);
    add_kernels(result, root);
    add_groups(result, root);
    trace_patterns_figures(result, root);
    add_ranks(result, root);
    add_time(result, root);
    add_memory_timeline(result, root);
    add_holders(result, root);
    add_timeline(result, root);
}

/* ---- Screen ---- */

static void show_verdict(const struct trace_result *result, struct str *out) {
    const struct trace_verdict *v = &result->verdict;
    double window = (double)result->window_ns;
    if (result->window_ns == 0) {
        str_add(out, "verdict: none, the window is empty\n");
        return;
    }
    double first = percent((double)result->classes[v->first], window);
    double second = percent((double)result->classes[v->second], window);
    if (v->mixed)
        str_addf(out, "verdict: mixed: %s %.1f %% and %s %.1f %% of the critical path\n",
                 trace_class_names[v->first], first, trace_class_names[v->second], second);
    else
        str_addf(out, "verdict: %s, %.1f %% of the critical path (next: %s %.1f %%)\n",
                 trace_class_names[v->first], first, trace_class_names[v->second], second);
    if (v->first == CLASS_KERNELS || (v->mixed && v->second == CLASS_KERNELS))
        str_addf(out, "  most kernel time on the path is bound by: %s\n", kernels_bound(result));
    str_addf(out, "  without %s the window would be %.1f %% shorter", trace_class_names[v->first],
             percent((double)result->saved_ns[v->first], job_ns(result)));
    for (int i = 0; i < 1 + v->mixed; i++) {
        size_t length = out->length;
        str_add(out, "\n  ");
        trace_evidence(result, i == 0 ? v->first : v->second, out);
        if (out->length == length + 3)
            out->length = length;
    }
    str_add_char(out, '\n');
}

struct line {
    const char *name;
    int state, part, class; /* -1: none */
};

static void show_cell(struct str *out, int width, int decimals, double value) {
    if (isfinite(value))
        str_addf(out, " %*.*f", width, decimals, value);
    else
        str_addf(out, " %*s", width, "");
}

static void show_time(const struct trace_result *result, struct str *out) {
    static const struct line lines[] = {
        {"kernels", STATE_COMPUTE, PART_KERNELS, CLASS_KERNELS},
        {"communication", STATE_COMMUNICATION, PART_COMMUNICATION, CLASS_COMMUNICATION},
        {"imbalance", -1, PART_IMBALANCE, CLASS_IMBALANCE},
        {"copies", STATE_COPY, PART_COPIES, CLASS_COPIES},
        {"input", STATE_INPUT, PART_INPUT, CLASS_INPUT},
        {"sync", STATE_SYNC, -1, -1},
        {"host", STATE_HOST, PART_HOST, CLASS_HOST},
        {"dispatch", STATE_DISPATCH, PART_DISPATCH, -1},
        {"blocked", STATE_BLOCKED, PART_BLOCKED, CLASS_BLOCKED},
        {"unknown", STATE_UNKNOWN, PART_UNKNOWN, -1}};
    double window = (double)result->window_ns;
    str_addf(out, "\n%-14s %14s %14s %14s\n", "% of time", "GPU state", "critical path",
             "saved without");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct line *l = &lines[i];
        if (l->part == PART_IMBALANCE && result->job->count < 2)
            continue;
        str_addf(out, "%-14s", l->name);
        show_cell(out, 14, 1,
                  l->state < 0 ? NAN : percent((double)result->states[l->state], window));
        show_cell(out, 14, 1, l->part < 0 ? NAN : percent((double)result->parts[l->part], window));
        if (l->class >= 0)
            show_cell(out, 14, 1, percent((double)result->saved_ns[l->class], job_ns(result)));
        while (out->length > 0 && out->text[out->length - 1] == ' ')
            out->text[--out->length] = '\0';
        str_add_char(out, '\n');
    }
    if (result->what_if)
        str_addf(out, "what if %s: %.3f ms, %.1f %% shorter\n", result->what_if,
                 (double)result->what_if_ns / 1e6,
                 percent(job_ns(result) - (double)result->what_if_ns, job_ns(result)));
}

/* At most `most` bytes of a name. */
static void show_name(struct str *out, const char *name, size_t most) {
    size_t length = strlen(name);
    while (length > most && ((unsigned char)name[most] & 0xc0) == 0x80)
        most--;
    str_add_bytes(out, name, length < most ? length : most);
    str_add_char(out, '\n');
}

static void show_kernels(const struct trace_result *result, struct str *out) {
    const struct trace_kernels *k = &result->kernels;
    if (k->all.count == 0)
        return;
    str_addf(out, "\n%7s %8s %9s %8s %9s  %s\n", "total %", "count", "mean us", "TFLOP/s",
             "of peak %", "kernel");
    for (size_t i = 0; i < k->all.count && i < SHOWN_ROWS; i++) {
        const struct trace_kernel *kernel = &k->all.at[i];
        str_addf(out, "%7.1f %8llu %9.2f", percent((double)kernel->total_ns, (double)k->total_ns),
                 (unsigned long long)kernel->count,
                 kernel->count > 0 ? us(kernel->total_ns) / (double)kernel->count : 0);
        show_cell(out, 8, 2, kernel->flop / ((double)kernel->flop_ns / 1e9) / 1e12);
        show_cell(out, 9, 1, 100 * kernel->roofline);
        str_add(out, "  ");
        show_name(out, kernel->name, 40);
    }
    size_t changed = 0;
    for (size_t i = 0; i < k->all.count; i++)
        changed += k->all.at[i].changed;
    if (result->has_before)
        str_addf(out, "%zu kernels changed by over 10 %% and over 1 %% of the window\n", changed);
}

static void show_groups(const struct trace_result *result, struct str *out) {
    if (result->groups.all.count == 0)
        return;
    str_addf(out, "\n%9s %7s %10s %10s %11s  %s\n", "total ms", "count", "bus GB/s", "exposed %",
             "imbalance %", "collective and group");
    for (size_t i = 0; i < result->groups.all.count && i < SHOWN_ROWS; i++) {
        const struct trace_traffic *t = &result->groups.all.at[i];
        str_addf(out, "%9.3f %7llu", (double)t->time_ns / 1e6, (unsigned long long)t->count);
        show_cell(out, 10, 2, t->bus_ns > 0 ? t->bus_bytes / (double)t->bus_ns : NAN);
        show_cell(out, 10, 1, percent((double)t->exposed_ns, (double)t->time_ns));
        show_cell(out, 11, 1,
                  result->job->collectives.count > 0
                      ? percent((double)t->imbalance_ns, (double)t->time_ns)
                      : NAN);
        str_addf(out, "  %s, ", t->collective);
        show_name(out, t->group, 30);
    }
}

static void show_memory(const struct trace_result *result, struct str *out) {
    const struct trace_memory_use *most = NULL;
    size_t of_rank = 0;
    for (size_t r = 0; r < result->job->count; r++) {
        const struct trace_memory_use *m = &result->ranks[r].memory;
        if (m->events > 0 && (!most || m->peak > most->peak)) {
            most = m;
            of_rank = r;
        }
    }
    if (!most)
        return;
    str_addf(out, "\nmemory: peak %s%lld bytes allocated", most->has_totals ? "" : "start + ",
             (long long)most->peak);
    if (result->job->count > 1)
        str_addf(out, " (rank %lld)", (long long)result->read->traces[of_rank].rank);
    if (most->reserved_at_peak > 0)
        str_addf(out, ", %.1f %% of the reserved is not used then",
                 100 - percent((double)most->peak, (double)most->reserved_at_peak));
    str_add(out, most->leaks    ? "; it leaks\n"
                 : most->judged ? "; no leak\n"
                                : "; under 6 steps: leaks not judged\n");
    if (!most->has_addresses)
        str_add(out, "  the trace has no addresses: what holds it is not known\n");
    else
        str_addf(out, "  alive then: %lld bytes from before the window\n",
                 (long long)most->before_window);
    const struct trace_held_list *list = &most->holders[HOLDER_OPERATOR];
    for (size_t i = 0; i < list->count && i < 3; i++)
        str_addf(out, "  %lld bytes by %s\n", (long long)list->at[i].bytes,
                 list->at[i].name ? list->at[i].name : "no operator");
    if (most->leaks)
        str_addf(out, "  it grows by %.0f bytes a step\n", most->growth_per_step);
}

void trace_report_screen(const struct trace_result *result, struct str *out) {
    const struct kineto_trace *first = &result->read->traces[0];
    str_addf(out, "%zu rank%s", result->job->count, result->job->count > 1 ? "s" : "");
    if (first->gpu)
        str_addf(out, " of %s", first->gpu);
    if (first->steps.count > 0)
        str_addf(out, ", steps %lld to %lld", (long long)first->steps.at[0].number,
                 (long long)first->steps.at[first->steps.count - 1].number);
    str_addf(out, ", window %.3f ms\n", job_ns(result) / 1e6);
    show_verdict(result, out);
    if (result->window_ns == 0)
        return;
    show_time(result, out);
    show_kernels(result, out);
    show_groups(result, out);
    show_memory(result, out);
    trace_patterns_screen(result, out);
}
