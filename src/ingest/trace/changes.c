/* Gains of changes: replays of the job with other lengths; and the verdict. */
#include "ingest/trace/findings.h"

#include "base/mem.h"
#include "base/numfmt.h"

#include <math.h>

const char *const trace_class_names[CLASS_COUNT] = {TRACE_CLASSES(NAME_OF)};

static const struct replay_changes unchanged = {.by = {1, 1, 1, 1, 1, 1, 1, 1, 1}};

static const enum trace_class_of class_of_part[PART_COUNT] = {
    [PART_KERNELS] = CLASS_KERNELS,    [PART_COMMUNICATION] = CLASS_COMMUNICATION,
    [PART_COPIES] = CLASS_COPIES,      [PART_INPUT] = CLASS_INPUT,
    [PART_HOST] = CLASS_HOST,          [PART_DISPATCH] = CLASS_HOST,
    [PART_BLOCKED] = CLASS_BLOCKED,    [PART_UNKNOWN] = CLASS_BLOCKED,
    [PART_IMBALANCE] = CLASS_IMBALANCE};

/* ---- Factors of kernels by name ---- */

static double **make_factors(const struct trace_job *job, double factor) {
    double **names = mem_alloc(job->count * sizeof *names);
    for (size_t r = 0; r < job->count; r++) {
        size_t count = job->ranks[r]->names.entries.count;
        names[r] = mem_alloc((count + 1) * sizeof **names);
        for (size_t i = 0; i < count; i++)
            names[r][i] = factor;
    }
    return names;
}

static void free_factors(const struct trace_job *job, double **names) {
    for (size_t r = 0; names && r < job->count; r++)
        free(names[r]);
    free(names);
}

/* ---- Wishes ---- */

struct wish {
    struct replay_changes changes;
    double **names; /* of changes */
};

/* "2x", "1.5x", "0": by what a length is divided. */
static bool read_factor(struct slice text, double *factor) {
    if (text.length > 1 && text.at[text.length - 1] == 'x')
        text.length--;
    return text.length > 0 && numfmt_parse_real(text.at, text.length, factor) && *factor >= 0 &&
           isfinite(*factor);
}

/* Kernels whose names match; how many names did. */
static int change_kernels(const struct trace_job *job, struct slice regex, double factor,
                          struct wish *wish, struct error *reterr) {
    struct name_pattern *pattern;
    size_t matches = 0;
    struct str text = {0};
    str_add_bytes(&text, regex.at, regex.length);
    int status = name_pattern_make(text.text, &pattern, reterr);
    str_finish(&text);
    if (status < 0)
        return status;
    if (!wish->names)
        wish->names = make_factors(job, wish->changes.by[PART_KERNELS]);
    for (size_t r = 0; r < job->count; r++) {
        const struct trace_rank *rank = job->ranks[r];
        bool *runs = mem_zalloc(rank->names.entries.count + 1, sizeof *runs);
        for (size_t i = 0; i < rank->gpu.count; i++)
            runs[rank->gpu.at[i].name] |= trace_class(rank, &rank->gpu.at[i]) == KINETO_COMPUTE;
        for (size_t i = 0; i < rank->names.entries.count; i++) {
            const struct intern_entry *entry = &rank->names.entries.at[i];
            if (!runs[i] ||
                name_pattern_matches(pattern, (struct slice){entry->key, entry->length}) <= 0)
                continue;
            wish->names[r][i] = factor;
            matches++;
        }
        free(runs);
    }
    name_pattern_free(pattern);
    return matches > 0 ? 0
                       : error_set(reterr, ERROR_INPUT,
                                   "expected the name of a kernel, but no "
                                   "kernel matches \"%.*s\"",
                                   (int)regex.length, regex.at);
}

static int change_one(const struct trace_job *job, struct slice item, struct wish *wish,
                      struct error *reterr) {
    const char *equals = memrchr(item.at, '=', item.length);
    double factor = 1;
    struct slice key = {item.at, equals ? (size_t)(equals - item.at) : 0};
    if (!equals || !read_factor((struct slice){equals + 1, item.length - key.length - 1}, &factor))
        return error_set(reterr, ERROR_INPUT,
                         "expected KEY=FACTOR, such as communication=2x or input=0, got \"%.*s\"",
                         (int)item.length, item.at);
    if (slice_begins(key, "kernel:"))
        return change_kernels(job, (struct slice){key.at + 7, key.length - 7}, factor, wish,
                              reterr);
    for (enum trace_part part = 0; part < PART_COUNT; part++)
        if (part != PART_UNKNOWN && slice_is(key, trace_part_names[part])) {
            if (part == PART_IMBALANCE && factor != 0 && factor != 1)
                return error_set(reterr, ERROR_INPUT, "expected imbalance=0, got \"%.*s\"",
                                 (int)item.length, item.at);
            wish->changes.by[part] = factor;
            return 0;
        }
    return error_set(reterr, ERROR_INPUT,
                     "expected kernel:REGEX, kernels, communication, copies, input, host, "
                     "dispatch, blocked or imbalance, got \"%.*s\"",
                     (int)key.length, key.at);
}

int trace_what_if(const struct trace_job *job, const char *text, int64_t *ret_length_ns,
                  struct error *reterr) {
    struct wish wish = {unchanged, NULL};
    int r = 0;
    for (const char *at = text; r == 0;) {
        size_t length = strcspn(at, ",");
        r = change_one(job, (struct slice){at, length}, &wish, reterr);
        if (!at[length])
            break;
        at += length + 1;
    }
    for (size_t k = 0; r == 0 && wish.names && k < job->count; k++)
        for (size_t i = 0; i < job->ranks[k]->names.entries.count; i++)
            if (wish.names[k][i] == 1)
                wish.names[k][i] = wish.changes.by[PART_KERNELS];
    wish.changes.names = wish.names;
    if (r == 0)
        *ret_length_ns = trace_replay(job, &wish.changes);
    free_factors(job, wish.names);
    return r;
}

/* ---- Without each of them ---- */

int64_t trace_without(const struct trace_job *job, enum trace_class_of class) {
    struct replay_changes changes = unchanged;
    for (size_t p = 0; p < PART_COUNT; p++)
        if (class_of_part[p] == class)
            changes.by[p] = 0;
    return trace_replay(job, &changes);
}

int64_t trace_without_kernel(const struct trace_job *job, const char *name) {
    struct replay_changes changes = unchanged;
    double **names = make_factors(job, 1);
    for (size_t r = 0; r < job->count; r++) {
        uint32_t number = intern_find(&job->ranks[r]->names, name, strlen(name));
        if (number != INTERN_NONE)
            names[r][number] = 0;
    }
    changes.names = names;
    int64_t length_ns = trace_replay(job, &changes);
    free_factors(job, names);
    return length_ns;
}

/* ---- Verdict ---- */

#define CLEAR_RATIO 1.3

void trace_classes(const int64_t parts[PART_COUNT], int64_t ret_classes[CLASS_COUNT]) {
    memset(ret_classes, 0, CLASS_COUNT * sizeof *ret_classes);
    for (size_t p = 0; p < PART_COUNT; p++)
        ret_classes[class_of_part[p]] += parts[p];
}

struct trace_verdict trace_judge(const int64_t classes[CLASS_COUNT]) {
    struct trace_verdict v = {0};
    for (enum trace_class_of c = 0; c < CLASS_COUNT; c++)
        if (classes[c] > classes[v.first])
            v.first = c;
    v.second = v.first == 0;
    for (enum trace_class_of c = 0; c < CLASS_COUNT; c++)
        if (c != v.first && classes[c] > classes[v.second])
            v.second = c;
    v.mixed = (double)classes[v.first] < CLEAR_RATIO * (double)classes[v.second];
    return v;
}

/* ---- Evidence ---- */

static void say_kernels(const struct trace_result *result, struct str *out) {
    if (result->effect_count > 0)
        str_addf(out, "the kernel longest on the path is %.60s, %.1f %% of it",
                 result->effects[0].kernel,
                 100 * (double)result->effects[0].path_ns / (double)result->window_ns);
}

static void say_communication(const struct trace_result *result, struct str *out) {
    if (result->groups.all.count == 0)
        return;
    const struct trace_traffic *t = &result->groups.all.at[0];
    str_addf(out, "%.60s of %.60s takes longest: %.3f ms, of which %.1f %% are exposed",
             t->collective, t->group, (double)t->time_ns / 1e6,
             t->time_ns > 0 ? 100 * (double)t->exposed_ns / (double)t->time_ns : 0);
}

static void say_imbalance(const struct trace_result *result, struct str *out) {
    const struct trace_job *job = result->job;
    size_t *last = mem_zalloc(job->count, sizeof *last), most = 0;
    for (size_t i = 0; i < job->collectives.count; i++)
        last[job->collectives.at[i].last_rank]++;
    for (size_t r = 0; r < job->count; r++)
        most = last[r] > last[most] ? r : most;
    if (job->collectives.count > 0)
        str_addf(out, "rank %lld is the last one to begin %zu of %zu collectives",
                 (long long)result->read->traces[most].rank, last[most], job->collectives.count);
    free(last);
}

static void say_input(const struct trace_result *result, struct str *out) {
    const char *longest = NULL;
    int64_t most_ns = 0;
    size_t count = 0;
    for (size_t r = 0; r < result->job->count; r++) {
        const struct trace_rank *rank = result->job->ranks[r];
        for (size_t i = 0; i < rank->ops.count; i++) {
            const struct trace_op *op = &rank->ops.at[i];
            if (!op->is_loading || op->start_ns < rank->window.start_ns ||
                op->start_ns >= rank->steps_end_ns)
                continue;
            count++;
            if (op->end_ns - op->start_ns > most_ns) {
                most_ns = op->end_ns - op->start_ns;
                longest = intern_text(&rank->names, op->name);
            }
        }
    }
    if (longest)
        str_addf(out, "%zu ranges load data, the longest one takes %.3f ms: %.60s", count,
                 (double)most_ns / 1e6, longest);
}

static void say_host(const struct trace_result *result, struct str *out) {
    size_t launches = 0;
    int64_t launch_ns = 0, sync_ns = 0;
    for (size_t r = 0; r < result->job->count; r++) {
        const struct trace_rank *rank = result->job->ranks[r];
        for (size_t i = 0; i < rank->calls.count; i++) {
            const struct trace_call *call = &rank->calls.at[i];
            if (call->nested || call->start_ns < rank->window.start_ns ||
                call->start_ns >= rank->steps_end_ns)
                continue;
            launches += call->correlation != 0;
            launch_ns += call->correlation != 0 ? call->end_ns - call->start_ns : 0;
            sync_ns += call->type == CALL_SYNC ? call->end_ns - call->start_ns : 0;
        }
    }
    if (launches > 0)
        str_addf(out,
                 "%zu launches take %.2f us each on average, and the host is inside synchronize "
                 "calls for %.1f %% of the time",
                 launches, (double)launch_ns / 1000 / (double)launches,
                 100 * (double)sync_ns / (double)result->window_ns);
    else
        str_add(out, "the trace has no launches");
}

void trace_evidence(const struct trace_result *result, enum trace_class_of class, struct str *out) {
    void (*const say[CLASS_COUNT])(const struct trace_result *,
                                   struct str *) = {[CLASS_KERNELS] = say_kernels,
                                                    [CLASS_COMMUNICATION] = say_communication,
                                                    [CLASS_IMBALANCE] = say_imbalance,
                                                    [CLASS_INPUT] = say_input,
                                                    [CLASS_HOST] = say_host};
    if (say[class])
        say[class](result, out);
    else
        str_addf(out, "%s: %.1f %% of the time by the state of the GPU",
                 class == CLASS_COPIES ? "copies" : "blocked",
                 100 *
                     (double)(class == CLASS_COPIES
                                  ? result->states[STATE_COPY]
                                  : result->states[STATE_BLOCKED] + result->states[STATE_UNKNOWN]) /
                     (double)result->window_ns);
}
