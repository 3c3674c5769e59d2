/* The events of one rank that the analysis needs, about 50 bytes for each. Invariant: texts are
   kept once each, and their number is bounded. */
#include "ingest/trace/internal.h"

#include "base/mem.h"
#include "io/json_text.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NAME_BYTES  ((size_t)64 << 20) /* of all */
#define MOST_SHAPES      65536
#define MOST_SHAPE_BYTES ((size_t)16 << 20) /* of all */
#define MOST_THREADS     65535

/* ---- Reading ---- */

static uint32_t text_number(struct trace_rank *rank, struct intern *table, struct slice text,
                            size_t most) {
    uint32_t number = intern_find(table, text.at, text.length);
    if (number == INTERN_NONE && table->entries.count < most)
        number = intern(table, text.at, text.length, NULL);
    rank->crowded += number == INTERN_NONE;
    return number;
}

static uint32_t name_number(struct trace_rank *rank, struct slice name) {
    const size_t count = rank->names.entries.count;
    const bool fits = rank->name_bytes + name.length < MOST_NAME_BYTES;
    uint32_t number = text_number(rank, &rank->names, name, fits ? TRACE_MOST_NAMES : 0);
    rank->name_bytes += rank->names.entries.count > count ? name.length : 0;
    return number == INTERN_NONE ? 0 : number; /* the first name is "others" */
}

static uint16_t thread_number(struct trace_rank *rank, const struct kineto_span *span) {
    char key[128];
    struct slice process = json_string(span->process), thread = json_string(span->thread);
    size_t first = process.length < 60 ? process.length : 60;
    size_t second = thread.length < 60 ? thread.length : 60;
    if (first > 0)
        memcpy(key, process.at, first);
    key[first] = ' ';
    if (second > 0)
        memcpy(key + first + 1, thread.at, second);
    uint32_t number =
        text_number(rank, &rank->threads, (struct slice){key, first + 1 + second}, MOST_THREADS);
    return number == INTERN_NONE ? MOST_THREADS : (uint16_t)number;
}

static bool ends_with(struct slice text, const char *end) {
    size_t length = strlen(end);
    return text.length >= length && memcmp(text.at + text.length - length, end, length) == 0;
}

/* Names of CUDA and HIP, which begin with cuda, cu or hip. */
static enum trace_call_type call_type(struct slice name) {
    if (slice_find(name, "Synchronize"))
        return CALL_SYNC;
    if (slice_find(name, "StreamWaitEvent"))
        return CALL_WAIT_EVENT;
    if (slice_find(name, "Launch"))
        return CALL_LAUNCH;
    if (slice_find(name, "Memcpy"))
        return slice_find(name, "Async") ? CALL_COPY : CALL_BLOCKING;
    if (slice_find(name, "Memset"))
        return CALL_COPY;
    if (ends_with(name, "aMalloc") || ends_with(name, "pMalloc"))
        return CALL_ALLOCATE;
    return ends_with(name, "aFree") || ends_with(name, "pFree") ? CALL_FREE : CALL_OTHER;
}

static bool has_digit(struct slice text) {
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] >= '0' && text.at[i] <= '9')
            return true;
    return false;
}

/* Sizes, types and values of the inputs as they are written. */
static uint32_t shape_number(struct trace_rank *rank, struct slice arguments) {
    struct json_cursor cursor = json_inside(arguments);
    struct slice key, value, sizes = {0}, types = {0}, values = {0};
    while (json_member(&cursor, &key, &value)) {
        if (slice_is_word(key, "Input Dims"))
            sizes = value;
        else if (slice_is_word(key, "Input type"))
            types = value;
        else if (slice_is(key, "Concrete Inputs"))
            values = value;
    }
    if (!has_digit(sizes) || sizes.length + types.length + values.length > 8192)
        return TRACE_NONE;
    struct str text = {0};
    str_add_bytes(&text, sizes.at, sizes.length);
    str_add_char(&text, TRACE_SHAPE_END);
    str_add_bytes(&text, types.at, types.length);
    str_add_char(&text, TRACE_SHAPE_END);
    str_add_bytes(&text, values.at, values.length);
    uint32_t number = intern_find(&rank->shapes, text.text, text.length);
    if (number == INTERN_NONE && rank->shapes.entries.count < MOST_SHAPES &&
        rank->shape_bytes + text.length < MOST_SHAPE_BYTES) {
        rank->shape_bytes += text.length;
        number = intern(&rank->shapes, text.text, text.length, NULL);
    }
    rank->crowded += number == INTERN_NONE;
    str_finish(&text);
    return number;
}

static bool is_loading(struct trace_rank *rank, uint32_t name) {
    while (rank->loads.count <= name)
        array_push(&rank->loads, 0);
    uint8_t *known = &rank->loads.at[name];
    if (*known == 0) {
        const struct intern_entry *entry = &rank->names.entries.at[name];
        int matches =
            name_pattern_matches(rank->loading, (struct slice){entry->key, entry->length});
        *known = matches > 0 ? 1 : 2;
    }
    return *known == 1;
}

static void add_op(struct trace_rank *rank, const struct kineto_span *span) {
    uint32_t name = name_number(rank, span->name);
    array_push(&rank->ops, ((struct trace_op){.start_ns = span->start_ns,
                                              .end_ns = span->end_ns,
                                              .name = name,
                                              .shape = span->category == KINETO_OPERATOR
                                                           ? shape_number(rank, span->arguments)
                                                           : TRACE_NONE,
                                              .parent = TRACE_NONE,
                                              .thread = thread_number(rank, span),
                                              .category = (uint8_t)span->category,
                                              .is_loading = is_loading(rank, name)}));
}

static void add_memory(struct trace_rank *rank, const struct kineto_span *span) {
    struct trace_memory m = {.time_ns = span->start_ns,
                             .allocated = -1,
                             .reserved = -1,
                             .order = (uint32_t)rank->memory.count};
    struct json_cursor cursor = json_inside(span->arguments);
    struct slice key, value;
    int64_t type = 0, device = 0, address = 0;
    bool has_bytes = false;
    while (json_member(&cursor, &key, &value)) {
        if (slice_is(key, "Device Type"))
            (void)json_integer(value, &type);
        else if (slice_is(key, "Device Id"))
            (void)json_integer(value, &device);
        else if (slice_is(key, "Bytes"))
            has_bytes = json_integer(value, &m.bytes);
        else if (slice_is(key, "Addr"))
            (void)json_integer(value, &address);
        else if (slice_is(key, "Total Allocated"))
            (void)json_integer(value, &m.allocated);
        else if (slice_is(key, "Total Reserved"))
            (void)json_integer(value, &m.reserved);
    }
    if (type == 0 || !has_bytes)
        return;
    m.address = (uint64_t)address;
    m.device = device >= 0 && device < UINT16_MAX ? (uint16_t)device : UINT16_MAX;
    m.thread = thread_number(rank, span);
    array_push(&rank->memory, m);
}

static char *text_of(struct slice value) {
    struct str text = {0};
    str_add_bytes(&text, json_string(value).at, json_string(value).length);
    return text.text;
}

/* The process group of a kind of communication, from the first of its kernels. */
static void see_kind(struct trace_rank *rank, const struct kineto_span *span) {
    while (rank->group_of_kind.count <= span->kind)
        array_push(&rank->group_of_kind, 0);
    if (rank->group_of_kind.at[span->kind] > 0)
        return;
    array_push(&rank->groups, ((struct trace_group){
                                  text_of(json_find(span->arguments, "Process Group Name")),
                                  text_of(json_find(span->arguments, "Process Group Description")),
                                  text_of(json_find(span->arguments, "Process Group Ranks"))}));
    rank->group_of_kind.at[span->kind] = (uint32_t)rank->groups.count;
}

/* Blocks of a kernel, "[4, 1, 1]", or the number of the size of a copy. */
static uint32_t extent_of(struct trace_rank *rank, const struct kineto_span *span) {
    if (span->category == KINETO_COPY && span->bytes >= 0 && span->bytes < 9e18) {
        const int64_t bytes = (int64_t)span->bytes;
        return 1 + text_number(rank, &rank->copy_sizes,
                               (struct slice){(const char *)&bytes, sizeof bytes},
                               TRACE_MOST_EXTENT);
    }
    struct json_cursor cursor = json_inside(span->grid);
    struct slice text;
    int64_t blocks = 0, size;
    while (json_element(&cursor, &text) && json_integer(text, &size) && size > 0)
        if (__builtin_mul_overflow(blocks == 0 ? 1 : blocks, size, &blocks) ||
            blocks > TRACE_MOST_EXTENT)
            blocks = TRACE_MOST_EXTENT;
    return (uint32_t)blocks;
}

static void see_device(struct trace_rank *rank, struct slice arguments) {
    int64_t device;
    if (rank->many_devices || !json_integer(json_find(arguments, "device"), &device) || device < 0)
        return;
    rank->many_devices = rank->device >= 0 && rank->device != device;
    rank->device = rank->device < 0 ? device : rank->device;
}

static void see_span(void *watcher, const struct kineto_span *span) {
    struct trace_rank *rank = watcher;
    if (rank->names.entries.count == 0)
        intern(&rank->names, "others", 6, NULL);
    if (span->category == KINETO_KERNEL && span->class == KINETO_COMMUNICATION)
        see_kind(rank, span);
    if (span->category == KINETO_KERNEL || span->category == KINETO_COPY) {
        see_device(rank, span->arguments);
        array_push(
            &rank->gpu,
            ((struct trace_gpu){span->start_ns, span->end_ns, name_number(rank, span->name),
                                extent_of(rank, span), span->kind, span->correlation, TRACE_NONE}));
    } else if (span->category == KINETO_CALL)
        array_push(&rank->calls,
                   ((struct trace_call){span->start_ns, span->end_ns, span->correlation,
                                        thread_number(rank, span), call_type(span->name), false}));
    else if (span->category == KINETO_INSTANT)
        add_memory(rank, span);
    else
        add_op(rank, span);
}

static void see_groups(struct trace_rank *rank, struct slice distributed) {
    struct json_cursor cursor = json_inside(json_find(distributed, "pg_config"));
    struct slice group;
    while (rank->configured.count < 4096 && json_element(&cursor, &group))
        array_push(&rank->configured, ((struct trace_group){text_of(json_find(group, "pg_name")),
                                                            text_of(json_find(group, "pg_desc")),
                                                            text_of(json_find(group, "ranks"))}));
}

static void see_member(void *watcher, struct slice key, struct slice text) {
    struct trace_rank *rank = watcher;
    struct slice device = {0};
    struct json_cursor cursor = json_inside(text);
    if (slice_is(key, "distributedInfo"))
        see_groups(rank, text);
    else if (slice_is(key, "nodes"))
        rank->is_chakra = true;
    else if (slice_is(key, "deviceProperties") && json_element(&cursor, &device)) {
        free(rank->device_name);
        rank->device_name = text_of(json_find(device, "name"));
        (void)json_integer(json_find(device, "numSms"), &rank->multiprocessors);
    }
}

const struct kineto_watch trace_watch = {see_span, see_member};

/* ---- Joining ---- */

ORDER_BY(gpu_by_start, struct trace_gpu, ASC(start_ns) ASC(end_ns))
ORDER_BY(call_by_start, struct trace_call, ASC(start_ns) DESC(end_ns))
ORDER_BY(op_by_start, struct trace_op, ASC(thread) ASC(start_ns) DESC(end_ns))
ORDER_BY(memory_by_time, struct trace_memory, ASC(time_ns) ASC(order))

struct numbered {
    uint32_t correlation, call;
};

ORDER_BY(by_correlation, struct numbered, ASC(correlation) ASC(call))

static void mark_nested(struct trace_rank *rank) {
    int64_t *until = mem_alloc((rank->threads.entries.count + 1) * sizeof *until);
    for (size_t i = 0; i <= rank->threads.entries.count; i++)
        until[i] = INT64_MIN;
    for (size_t i = 0; i < rank->calls.count; i++) {
        struct trace_call *call = &rank->calls.at[i];
        size_t thread =
            call->thread < rank->threads.entries.count ? call->thread : rank->threads.entries.count;
        call->nested = call->start_ns < until[thread];
        if (!call->nested)
            until[thread] = call->end_ns;
    }
    free(until);
}

static void find_parents(struct trace_rank *rank) {
    struct trace_op *ops = rank->ops.at;
    for (size_t i = 1; i < rank->ops.count; i++) {
        uint32_t around = (uint32_t)i - 1;
        if (ops[around].thread != ops[i].thread)
            continue;
        while (around != TRACE_NONE && ops[around].end_ns <= ops[i].start_ns)
            around = ops[around].parent;
        ops[i].parent = around;
    }
}

uint32_t trace_op_at(const struct trace_rank *rank, uint16_t thread, int64_t time_ns) {
    const struct trace_op *ops = rank->ops.at;
    size_t low = 0;
    SEARCH(low, rank->ops.count,
           ops[at].thread < thread || (ops[at].thread == thread && ops[at].start_ns <= time_ns))
    if (low == 0 || ops[low - 1].thread != thread)
        return TRACE_NONE;
    uint32_t found = (uint32_t)low - 1;
    while (found != TRACE_NONE && ops[found].end_ns < time_ns)
        found = ops[found].parent;
    return found;
}

int64_t trace_loading_ns(const struct trace_rank *rank, uint16_t thread, struct trace_span span) {
    const struct trace_op *ops = rank->ops.at;
    int64_t sum = 0, until = span.start_ns;
    if (span.end_ns <= span.start_ns)
        return 0;
    size_t low = 0;
    SEARCH(low, rank->ops.count,
           ops[at].thread < thread || (ops[at].thread == thread && ops[at].start_ns <= until))
    uint32_t around = low > 0 && ops[low - 1].thread == thread ? (uint32_t)low - 1 : TRACE_NONE;
    int64_t last = until;
    for (; around != TRACE_NONE; around = ops[around].parent)
        if (ops[around].is_loading && ops[around].end_ns > last)
            last = ops[around].end_ns;
    last = last < span.end_ns ? last : span.end_ns;
    sum = last - until;
    until = last;
    for (; low < rank->ops.count && ops[low].thread == thread && ops[low].start_ns < span.end_ns;
         low++) {
        int64_t end_ns = ops[low].end_ns < span.end_ns ? ops[low].end_ns : span.end_ns;
        if (ops[low].is_loading)
            sum += trace_cover(&until, ops[low].start_ns, end_ns);
    }
    return sum;
}

#define EARLY \
    (TRACE_NONE - 1) /* the call of GPU work that begins before it, until it is counted \
                      */

static void join_launches(struct trace_rank *rank) {
    ARRAY_OF(struct numbered) launches = {0};
    for (size_t i = 0; i < rank->calls.count; i++)
        if (rank->calls.at[i].correlation != 0)
            array_push(&launches, ((struct numbered){rank->calls.at[i].correlation, (uint32_t)i}));
    sort_array(launches.at, launches.count, by_correlation);
    for (size_t i = 1; i < launches.count; i++)
        rank->doubled += launches.at[i].correlation == launches.at[i - 1].correlation;
    for (size_t i = 0; i < rank->gpu.count; i++) {
        struct trace_gpu *gpu = &rank->gpu.at[i];
        uint32_t wanted = gpu->call;
        size_t low = 0;
        SEARCH(low, launches.count, launches.at[at].correlation < wanted)
        bool found = wanted != 0 && low < launches.count && launches.at[low].correlation == wanted;
        gpu->call = found ? launches.at[low].call : TRACE_NONE;
        rank->unlaunched.file += !found;
        if (found && rank->calls.at[gpu->call].start_ns > gpu->start_ns) {
            rank->early.file++;
            gpu->call = EARLY;
        }
        if (gpu->call < EARLY) {
            const struct trace_call *call = &rank->calls.at[gpu->call];
            gpu->op = trace_op_at(rank, call->thread, call->start_ns);
        }
    }
    free(launches.at);
}

/* When the GPU event was launched; without a launch, when it began. */
static int64_t launch_ns(const struct trace_rank *rank, const struct trace_gpu *gpu) {
    return gpu->call >= EARLY ? gpu->start_ns : rank->calls.at[gpu->call].start_ns;
}

bool trace_in_window(const struct trace_rank *rank, const struct trace_gpu *gpu) {
    return gpu->start_ns < rank->window.end_ns && launch_ns(rank, gpu) < rank->steps_end_ns;
}

bool trace_of_steps(const struct trace_rank *rank, const struct trace_gpu *gpu) {
    int64_t launched = launch_ns(rank, gpu);
    return launched >= rank->window.start_ns && launched < rank->steps_end_ns;
}

#define WIDEN(w, array) \
    for (size_t i = 0; i < (array).count; i++) { \
        (w).start_ns = \
            (array).at[i].start_ns < (w).start_ns ? (array).at[i].start_ns : (w).start_ns; \
        (w).end_ns = (array).at[i].end_ns > (w).end_ns ? (array).at[i].end_ns : (w).end_ns; \
    }

/* The steps with all GPU work that they launched; without steps, all events. */
static void find_window(struct trace_rank *rank) {
    struct trace_span w = {INT64_MAX, INT64_MIN};
    WIDEN(w, rank->trace->steps)
    if (rank->trace->steps.count == 0) {
        WIDEN(w, rank->gpu)
        WIDEN(w, rank->calls)
        WIDEN(w, rank->ops)
    }
    rank->steps_end_ns = w.end_ns;
    for (size_t i = 0; i < rank->gpu.count; i++) {
        const struct trace_gpu *gpu = &rank->gpu.at[i];
        int64_t launched = launch_ns(rank, gpu);
        if (launched >= w.start_ns && launched < rank->steps_end_ns && gpu->end_ns > w.end_ns)
            w.end_ns = gpu->end_ns;
    }
    rank->window = w.end_ns > w.start_ns ? w : (struct trace_span){0, 0};
}

/* GPU work that later steps launch, or that ended before, is no part of the steps. */
static void keep_gpu_of_window(struct trace_rank *rank) {
    size_t kept = 0;
    for (size_t i = 0; i < rank->gpu.count && rank->trace->steps.count > 0; i++)
        if (trace_in_window(rank, &rank->gpu.at[i]) &&
            rank->gpu.at[i].end_ns > rank->window.start_ns)
            rank->gpu.at[kept++] = rank->gpu.at[i];
    rank->gpu.count = rank->trace->steps.count > 0 ? kept : rank->gpu.count;
    for (size_t i = 0; i < rank->gpu.count; i++) {
        struct trace_gpu *gpu = &rank->gpu.at[i];
        rank->unlaunched.window += gpu->call == TRACE_NONE;
        rank->early.window += gpu->call == EARLY;
        gpu->call = gpu->call == EARLY ? TRACE_NONE : gpu->call;
    }
}

void trace_rank_join(struct trace_rank *rank, const struct kineto_trace *trace) {
    rank->trace = trace;
    sort_array(rank->gpu.at, rank->gpu.count, gpu_by_start);
    sort_array(rank->calls.at, rank->calls.count, call_by_start);
    sort_array(rank->ops.at, rank->ops.count, op_by_start);
    sort_array(rank->memory.at, rank->memory.count, memory_by_time);
    mark_nested(rank);
    find_parents(rank);
    join_launches(rank);
    find_window(rank);
    keep_gpu_of_window(rank);
}

enum kineto_class trace_class(const struct trace_rank *rank, const struct trace_gpu *gpu) {
    return rank->kinds->all.at[gpu->kind].class;
}

uint32_t trace_track(const struct trace_rank *rank, const struct trace_gpu *gpu) {
    uint32_t track = rank->kinds->all.at[gpu->kind].track;
    return track == KINETO_NONE ? KINETO_MOST_TRACKS : track;
}

static void finish_groups(struct trace_group *groups, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(groups[i].name);
        free(groups[i].description);
        free(groups[i].ranks);
    }
    free(groups);
}

void trace_rank_finish(struct trace_rank *rank) {
    finish_groups(rank->groups.at, rank->groups.count);
    finish_groups(rank->configured.at, rank->configured.count);
    free(rank->group_of_kind.at);
    free(rank->gpu.at);
    free(rank->calls.at);
    free(rank->ops.at);
    free(rank->memory.at);
    free(rank->loads.at);
    free(rank->device_name);
    intern_finish(&rank->names);
    intern_finish(&rank->shapes);
    intern_finish(&rank->threads);
    intern_finish(&rank->copy_sizes);
    free(rank->gpu_before);
    free(rank->gpu_other);
    free(rank->call_before);
    free(rank->call_wait);
    free(rank->gpu_by_end);
    free(rank->calls_by_end);
    *rank = (struct trace_rank){0};
}
