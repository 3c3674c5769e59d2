/* Anti-patterns: known causes of lost time, each a row of one table, judged in the window of each
   rank. Invariant: a rule whose inputs the trace lacks is not judged, and what is missing is named.
 */
#include "ingest/trace/findings.h"

#include "base/mem.h"

#include <math.h>
#include <stddef.h>

#define SMALL_KERNEL_NS  10000
#define SMALL_READ       64                /* bytes */
#define SMALL_COLLECTIVE ((double)1048576) /* bytes */

/* What rules need of a rank. */
#define INPUTS(X) \
    X(IN_WINDOW, "window"), X(IN_GPU, "GPU work"), X(IN_KERNELS, "compute kernels"), \
        X(IN_CALLS, "calls of the runtime"), X(IN_STEPS, "marked steps"), \
        X(IN_MULTIPROCESSORS, "SM count (numSms)"), X(IN_GRIDS, "grids of kernels"), \
        X(IN_SIZES, "sizes of copies"), X(IN_PINNED, "names of copies that tell pinned memory"), \
        X(IN_COMMUNICATION, "communication"), X(IN_MESSAGES, "sizes of messages"), \
        X(IN_MATCHED, "matched collectives of several ranks"), \
        X(IN_EXPERTS, "all-to-all of several ranks with sizes"), \
        X(IN_RANGES, "operators or ranges"), X(IN_FRAMES, "Python frames"), \
        X(IN_ALLOCATOR, "calls with marked steps, nor reserved memory"), \
        X(IN_CLOCK, "telemetry of its GPU")
enum input { INPUTS(ENUM_OF), INPUT_COUNT };
static const char *const input_names[INPUT_COUNT] = {INPUTS(NAME_OF)};

/* Sums over what belongs to the window of one rank. */
struct seen {
    unsigned has; /* bits of inputs */
    double window_ns, steps;
    double ranks, windows_ns, imbalance_percent;                     /* of all ranks: sums */
    double experts_mean, experts_wait_ns;                            /* of all ranks */
    double path_host_ns, path_input_ns, exposed_copy_ns, exposed_ns; /* exposed: communication */
    double kernels, small_kernels, kernel_ns, small_kernel_ns, sized_ns, few_blocks_ns;
    double small_reads, host_bytes, pageable_bytes, pageable_ns;
    double communication_ns; /* of the window in which some runs */
    double messages, small_messages, message_ns, small_message_ns;
    double expert_bytes, expert_wait_ns;
    double sync_ns, gc_ns, clock_ns, low_clock_ns;
    double allocations, unused_bytes, reserved_bytes; /* NAN: not known */
};

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

/* ---- Looking ---- */

static bool has_input(const struct seen *s, enum input input) {
    return s->has >> input & 1;
}

static void set_input(struct seen *s, enum input input, bool has) {
    s->has = has ? s->has | 1u << input : s->has & ~(1u << input);
}

static void see_kernel(struct seen *s, const struct trace_rank *rank, const struct trace_gpu *gpu) {
    double length_ns = (double)(gpu->end_ns - gpu->start_ns);
    bool is_small = gpu->end_ns - gpu->start_ns < SMALL_KERNEL_NS;
    set_input(s, IN_KERNELS, true);
    s->kernels++;
    s->small_kernels += is_small;
    s->kernel_ns += length_ns;
    s->small_kernel_ns += is_small ? length_ns : 0;
    if (gpu->extent == 0)
        return;
    set_input(s, IN_GRIDS, true);
    s->sized_ns += length_ns;
    s->few_blocks_ns += gpu->extent < rank->multiprocessors ? length_ns : 0;
}

static void see_copy(struct seen *s, const struct trace_rank *rank, const struct trace_gpu *gpu) {
    const char *name = intern_text(&rank->names, gpu->name);
    bool to_host = strstr(name, "DtoH") || strstr(name, "DeviceToHost");
    if (!to_host && !strstr(name, "HtoD") && !strstr(name, "HostToDevice"))
        return;
    bool pageable = strstr(name, "Pageable") != NULL;
    if (!pageable && !strstr(name, "Pinned"))
        set_input(s, IN_PINNED, false);
    if (gpu->extent == 0) {
        set_input(s, IN_SIZES, false);
        return;
    }
    int64_t bytes;
    memcpy(&bytes, rank->copy_sizes.entries.at[gpu->extent - 1].key, sizeof bytes);
    s->small_reads += to_host && bytes <= SMALL_READ;
    s->host_bytes += (double)bytes;
    s->pageable_bytes += pageable ? (double)bytes : 0;
    s->pageable_ns += pageable ? (double)(gpu->end_ns - gpu->start_ns) : 0;
}

static void see_message(struct seen *s, const struct trace_job *job, size_t r, uint32_t index) {
    const struct trace_gpu *gpu = &job->ranks[r]->gpu.at[index];
    const struct kineto_kind *kind = &job->ranks[r]->kinds->all.at[gpu->kind];
    double length_ns = (double)(gpu->end_ns - gpu->start_ns);
    if (isnan(kind->bytes))
        return;
    bool is_small = kind->bytes < SMALL_COLLECTIVE;
    set_input(s, IN_MESSAGES, true);
    s->messages++;
    s->small_messages += is_small;
    s->message_ns += length_ns;
    s->small_message_ns += is_small ? length_ns : 0;
    if (trace_is_all_to_all(kind->collective ? kind->collective : kind->name)) {
        s->expert_bytes += kind->bytes;
        s->expert_wait_ns += (double)trace_job_wait_ns(job, r, index);
    }
}

static void see_gpu(struct seen *s, const struct trace_job *job, size_t r) {
    const struct trace_rank *rank = job->ranks[r];
    int64_t until = rank->window.start_ns; /* of the communication so far */
    for (uint32_t i = 0; i < rank->gpu.count; i++) {
        const struct trace_gpu *gpu = &rank->gpu.at[i];
        enum kineto_class class = trace_class(rank, gpu);
        int64_t end_ns = gpu->end_ns < rank->window.end_ns ? gpu->end_ns : rank->window.end_ns;
        if (class == KINETO_COMMUNICATION)
            s->communication_ns += (double)trace_cover(&until, gpu->start_ns, end_ns);
        if (gpu->start_ns < rank->window.start_ns || !trace_in_window(rank, gpu))
            continue;
        set_input(s, IN_GPU, true);
        if (class == KINETO_COMPUTE)
            see_kernel(s, rank, gpu);
        else if (class == KINETO_COMMUNICATION)
            see_message(s, job, r, i);
        else
            see_copy(s, rank, gpu);
    }
    set_input(s, IN_COMMUNICATION, s->communication_ns > 0);
}

static void see_calls(struct seen *s, const struct trace_rank *rank) {
    int64_t until = rank->window.start_ns;
    for (size_t i = 0; i < rank->calls.count; i++) {
        const struct trace_call *call = &rank->calls.at[i];
        if (call->start_ns < rank->window.start_ns || call->start_ns >= rank->steps_end_ns)
            continue;
        set_input(s, IN_CALLS, true);
        s->allocations += call->type == CALL_ALLOCATE || call->type == CALL_FREE;
        int64_t to = call->end_ns < rank->window.end_ns ? call->end_ns : rank->window.end_ns;
        if (call->type == CALL_SYNC)
            s->sync_ns += (double)trace_cover(&until, call->start_ns, to);
    }
}

static bool is_word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The word gc in any case, in the name of a range or the function of a frame, "FILE(LINE): NAME".
 */
static bool is_gc(const char *name) {
    const char *function = strstr(name, "): ");
    name = function ? function + 3 : name;
    for (const char *at = name; *at; at++)
        if ((at[0] == 'g' || at[0] == 'G') && (at[1] == 'c' || at[1] == 'C') &&
            !is_word_byte(at[2]) && (at == name || !is_word_byte(at[-1])))
            return true;
    return strcmp(name, "<built-in function collect>") == 0;
}

static void see_ranges(struct seen *s, const struct trace_rank *rank) {
    bool *gc = mem_zalloc(rank->names.entries.count + 1, sizeof *gc);
    int64_t until = INT64_MIN;
    for (uint32_t name = 0; name < rank->names.entries.count; name++)
        gc[name] = is_gc(intern_text(&rank->names, name));
    for (size_t i = 0; i < rank->ops.count; i++) {
        const struct trace_op *op = &rank->ops.at[i];
        if (i == 0 || op->thread != rank->ops.at[i - 1].thread)
            until = INT64_MIN;
        if (op->start_ns < rank->window.start_ns || op->start_ns >= rank->steps_end_ns)
            continue;
        set_input(s, IN_RANGES, true);
        if (op->category == KINETO_FRAME || gc[op->name])
            set_input(s, IN_FRAMES, true);
        if (!gc[op->name] || op->start_ns < until)
            continue;
        until = op->end_ns < rank->window.end_ns ? op->end_ns : rank->window.end_ns;
        s->gc_ns += (double)(until - op->start_ns);
    }
    free(gc);
}

static void see_rank(struct seen *s, const struct trace_result *result, size_t r) {
    const struct trace_rank *rank = result->job->ranks[r];
    const struct trace_rank_result *own = &result->ranks[r];
    const struct trace_memory_use *memory = &own->memory;
    const int64_t *parts = own->path.parts;
    *s = (struct seen){.has = 1u << IN_SIZES | 1u << IN_PINNED,
                       .window_ns = (double)(rank->window.end_ns - rank->window.start_ns),
                       .steps = (double)rank->trace->steps.count,
                       .path_host_ns = (double)(parts[PART_HOST] + parts[PART_DISPATCH]),
                       .path_input_ns = (double)parts[PART_INPUT],
                       .exposed_copy_ns = (double)own->states[STATE_COPY],
                       .exposed_ns = (double)own->states[STATE_COMMUNICATION],
                       .clock_ns = own->clock.judged_ns,
                       .low_clock_ns = own->clock.low_ns,
                       .unused_bytes = NAN};
    set_input(s, IN_WINDOW, s->window_ns > 0);
    set_input(s, IN_STEPS, s->steps > 0);
    set_input(s, IN_MULTIPROCESSORS, rank->multiprocessors > 0);
    set_input(s, IN_CLOCK, own->clock.samples > 0);
    set_input(s, IN_MATCHED, result->job->collectives.count > 0);
    see_gpu(s, result->job, r);
    see_calls(s, rank);
    see_ranges(s, rank);
    if (memory->events > 0 && memory->reserved_at_peak > 0) {
        s->reserved_bytes = (double)memory->reserved_at_peak;
        s->unused_bytes = s->reserved_bytes - (double)memory->peak;
    }
    if (!has_input(s, IN_CALLS) || !has_input(s, IN_STEPS))
        s->allocations = NAN;
    set_input(s, IN_ALLOCATOR, !isnan(s->allocations) || !isnan(s->unused_bytes));
}

/* Figures of all ranks side by side. */
static void see_job(const struct trace_result *result, struct seen *all, size_t count) {
    struct seen job = {.ranks = (double)count};
    double experts = 0;
    for (size_t r = 0; r < count; r++) {
        job.imbalance_percent +=
            percent((double)result->ranks[r].path.parts[PART_IMBALANCE], all[r].window_ns);
        job.expert_bytes += all[r].expert_bytes;
        experts += all[r].expert_bytes > 0;
        job.experts_wait_ns += all[r].expert_wait_ns;
        job.windows_ns += all[r].window_ns;
    }
    for (size_t r = 0; r < count; r++) {
        all[r].ranks = job.ranks;
        all[r].imbalance_percent = job.imbalance_percent;
        all[r].experts_mean = job.expert_bytes / experts;
        all[r].experts_wait_ns = job.experts_wait_ns;
        all[r].windows_ns = job.windows_ns;
        set_input(&all[r], IN_EXPERTS, experts > 1 && has_input(&all[r], IN_MATCHED));
    }
}

/* ---- Rules ---- */

/* A share of two figures, and the threshold that it must exceed. */
struct measure {
    const char *what;   /* NULL: there is no second one */
    size_t part, whole; /* offsets of doubles in struct seen */
    double scale, above;
};

enum { RULE_ANY = 1, RULE_OF_JOB = 2 }; /* OF_JOB: one value for all ranks */

#define AT(field) offsetof(struct seen, field)

/* Found if its first value is above the threshold; with a second one, if both are, or any. */
/* clang-format off */
static const struct rule {
    const char *name, *remedy;
    unsigned needs, flags; /* bits of inputs; of rules */
    struct measure of[2];
} rules[TRACE_PATTERNS] = {
    {"launch-bound", "CUDA graphs, compilation, a larger batch", 1u << IN_GPU | 1u << IN_CALLS, 0,
     {{"host and dispatch, % of the path", AT(path_host_ns), AT(window_ns), 100, 30}}},
    {"small kernels", "fuse kernels", 1u << IN_KERNELS, 0,
     {{"kernels under 10 us, % of their number", AT(small_kernels), AT(kernels), 100, 50},
      {"% of kernel time", AT(small_kernel_ns), AT(kernel_ns), 100, 10}}},
    {"few blocks", "a larger batch, fused kernels", 1u << IN_MULTIPROCESSORS | 1u << IN_GRIDS, 0,
     {{"fewer blocks than SMs, % of kernel time", AT(few_blocks_ns), AT(sized_ns), 100, 20}}},
    {"synchronizing calls", "remove them, wait for events instead", 1u << IN_CALLS, 0,
     {{"host inside synchronize calls, % of time", AT(sync_ns), AT(window_ns), 100, 5}}},
    {"small reads", "no .item() in the loop", 1u << IN_GPU | 1u << IN_STEPS | 1u << IN_SIZES, 0,
     {{"copies of at most 64 bytes to the host, a step", AT(small_reads), AT(steps), 1, 10}}},
    {"pageable copies", "pin memory", 1u << IN_GPU | 1u << IN_SIZES | 1u << IN_PINNED, 0,
     {{"pageable, % of bytes between host and GPU", AT(pageable_bytes), AT(host_bytes), 100, 50},
      {"% of time", AT(pageable_ns), AT(window_ns), 100, 1}}},
    {"exposed copies", "prefetch, copy in another stream", 1u << IN_GPU, 0,
     {{"exposed copies, % of time", AT(exposed_copy_ns), AT(window_ns), 100, 5}}},
    {"no overlap", "overlap it with compute, use buckets", 1u << IN_COMMUNICATION, 0,
     {{"exposed, % of communication", AT(exposed_ns), AT(communication_ns), 100, 50},
      {"% of time", AT(exposed_ns), AT(window_ns), 100, 10}}},
    {"small collectives", "larger buckets", 1u << IN_COMMUNICATION | 1u << IN_MESSAGES, 0,
     {{"messages under 1 MiB, % of their number", AT(small_messages), AT(messages), 100, 50},
      {"% of communication", AT(small_message_ns), AT(message_ns), 100, 20}}},
    {"imbalance", "find the late rank and its cause", 1u << IN_MATCHED, RULE_OF_JOB,
     {{"mean over ranks, % of the path", AT(imbalance_percent), AT(ranks), 1, 5}}},
    {"unbalanced experts", "another capacity or placement of experts", 1u << IN_EXPERTS, 0,
     {{"bytes of all-to-all, times the mean", AT(expert_bytes), AT(experts_mean), 1, 1.2},
      {"waiting in all-to-all, % of time", AT(experts_wait_ns), AT(windows_ns), 100, 2}}},
    {"data loading", "more workers, prefetch", 1u << IN_RANGES, 0,
     {{"input, % of the path", AT(path_input_ns), AT(window_ns), 100, 5}}},
    {"gc pauses", "gc.freeze(), gc.disable() in the loop", 1u << IN_FRAMES, 0,
     {{"garbage collection of Python, % of time", AT(gc_ns), AT(window_ns), 100, 1}}},
    {"allocator", "expandable segments", 1u << IN_ALLOCATOR, RULE_ANY,
     {{"allocations and frees by the runtime, a step", AT(allocations), AT(steps), 1, 1},
      {"fragmentation, %", AT(unused_bytes), AT(reserved_bytes), 100, 30}}},
    {"clock", "power cap, cooling", 1u << IN_CLOCK, 0,
     {{"SM clock under 90 % of its maximum, % of time", AT(low_clock_ns), AT(clock_ns), 100, 5}}},
};
/* clang-format on */

static double measured(const struct measure *of, const struct seen *s) {
    double part, whole;
    memcpy(&part, (const char *)s + of->part, sizeof part);
    memcpy(&whole, (const char *)s + of->whole, sizeof whole);
    return !of->what || isnan(part) ? NAN : whole > 0 ? of->scale * part / whole : 0;
}

/* ---- Judging ---- */

/* How far the values are from their thresholds: over 1, it is found. */
static double score_of(const struct rule *rule, const double values[2]) {
    double first = values[0] / rule->of[0].above, second = values[1] / rule->of[1].above;
    if (!rule->of[1].what)
        return first;
    return rule->flags & RULE_ANY ? fmax(first, second) : fmin(first, second);
}

static void judge(struct trace_pattern *pattern, const struct rule *rule, const struct seen *all,
                  size_t count) {
    double worst = -1;
    for (size_t r = 0; r < count; r++) {
        unsigned missing = (rule->needs | 1u << IN_WINDOW) & ~all[r].has;
        for (size_t input = 0; missing != 0 && !pattern->missing; input++)
            pattern->missing = missing >> input & 1 ? input_names[input] : NULL;
        if (missing != 0)
            continue;
        pattern->judged++;
        const double values[2] = {measured(&rule->of[0], &all[r]), measured(&rule->of[1], &all[r])};
        double score = score_of(rule, values);
        if (score <= worst)
            continue;
        worst = score;
        bool first = values[0] > rule->of[0].above, second = values[1] > rule->of[1].above;
        pattern->found = !rule->of[1].what        ? first
                         : rule->flags & RULE_ANY ? first || second
                                                  : first && second;
        pattern->rank = r;
        memcpy(pattern->values, values, sizeof values);
    }
}

void trace_patterns_find(struct trace_result *result) {
    size_t count = result->job->count;
    struct seen *all = mem_alloc(count * sizeof *all);
    for (size_t r = 0; r < count; r++)
        see_rank(&all[r], result, r);
    see_job(result, all, count);
    for (size_t p = 0; p < TRACE_PATTERNS; p++)
        judge(&result->patterns[p], &rules[p], all, count);
    free(all);
}

/* ---- Showing ---- */

static const char *what_of(const struct trace_result *result, size_t p) {
    return result->clock_of_file && rules[p].needs >> IN_CLOCK & 1
               ? "SM clock under 90 % of its maximum, % of the whole telemetry file"
               : rules[p].of[0].what;
}

static int64_t rank_of(const struct trace_result *result, size_t p) {
    return rules[p].flags & RULE_OF_JOB ? -1 : result->read->traces[result->patterns[p].rank].rank;
}

void trace_patterns_figures(const struct trace_result *result, struct figure *root) {
    struct figure *list = figures_list(root, "patterns");
    for (size_t p = 0; p < TRACE_PATTERNS; p++) {
        const struct trace_pattern *pattern = &result->patterns[p];
        const struct rule *rule = &rules[p];
        struct figure *row = figures_group(list, NULL);
        figures_text(row, "name", rule->name);
        if (pattern->judged > 0)
            figures_bool(row, "found", pattern->found);
        else
            figures_none(row, "found");
        figures_number(row, "rank", pattern->judged > 0 ? rank_of(result, p) : -1);
        figures_text(row, "what", what_of(result, p));
        figures_real(row, "value", pattern->judged > 0 ? pattern->values[0] : NAN);
        figures_real(row, "above", rule->of[0].above);
        figures_text(row, "combined",
                     !rule->of[1].what        ? NULL
                     : rule->flags & RULE_ANY ? "or"
                                              : "and");
        figures_text(row, "second_what", rule->of[1].what);
        figures_real(row, "second_value", pattern->judged > 0 ? pattern->values[1] : NAN);
        figures_real(row, "second_above", rule->of[1].what ? rule->of[1].above : NAN);
        figures_text(row, "remedy", rule->remedy);
        figures_int(row, "ranks_judged", (int64_t)pattern->judged);
        figures_text(row, "missing", pattern->missing);
    }
    if (result->has_clock)
        trace_clock_figures(result, root);
}

void trace_patterns_screen(const struct trace_result *result, struct str *out) {
    size_t found = 0, unjudged = 0;
    for (size_t p = 0; p < TRACE_PATTERNS; p++) {
        found += result->patterns[p].found;
        unjudged += result->patterns[p].judged == 0;
    }
    str_addf(out, "\nanti-patterns: %zu found, %zu of %d not judged\n", found, unjudged,
             TRACE_PATTERNS);
    for (size_t p = 0; p < TRACE_PATTERNS; p++) {
        const struct rule *rule = &rules[p];
        const double *values = result->patterns[p].values;
        if (!result->patterns[p].found)
            continue;
        str_addf(out, "  %s", rule->name);
        if (result->job->count > 1 && rank_of(result, p) >= 0)
            str_addf(out, " (rank %lld)", (long long)rank_of(result, p));
        for (size_t v = 0; v < 2 && rule->of[v].what; v++)
            if (values[v] > rule->of[v].above)
                str_addf(out, "; %s: %.1f > %g", v == 0 ? what_of(result, p) : rule->of[v].what,
                         values[v], rule->of[v].above);
        str_addf(out, "\n    try: %s\n", rule->remedy);
    }
    for (size_t p = 0, listed = 0; p < TRACE_PATTERNS; p++)
        if (result->patterns[p].judged == 0)
            str_addf(out, "%s%s (no %s)", listed++ == 0 ? "  not judged: " : ", ", rules[p].name,
                     result->patterns[p].missing);
    str_add_char(out, '\n');
}
