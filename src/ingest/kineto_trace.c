/* A Kineto trace, one event at a time. Invariant: memory grows with GPU events, launches, steps and different
   messages only, never with the file. */
#include "ingest/kineto_trace.h"

#include "base/hash.h"
#include "io/json_stream.h"
#include "io/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_KINDS       1000000
#define NAME_BYTES       200 /* of a kernel's name that are kept */
#define SEEN_NAMES       4096
#define MOST_DURATION_NS INT64_C(1000000000000000000)

enum verdict { UNKNOWN, MATCHES, DIFFERS };

/* Answers of a regular expression by the hash of the name: names repeat for thousands of events. */
struct seen_name {
    uint64_t hash;
    enum verdict verdict;
};

struct reader {
    const struct kineto_patterns *patterns;
    struct kineto_trace *trace;
    struct slice devices; /* of the header, copied */
    struct str key, text;
    struct seen_name communication[SEEN_NAMES], iteration[SEEN_NAMES];
};

/* ---- Names ---- */

/* As slice_is, inline: lengths of literals are known then, and this runs for every member of every event. */
static inline bool is(struct slice key, const char *name) {
    return key.length == strlen(name) && memcmp(key.at, name, key.length) == 0;
}

static bool matches(struct reader *r, const regex_t *pattern, struct seen_name *seen, struct slice name) {
    uint64_t hash = hash_bytes(HASH_START, name.at, name.length);
    struct seen_name *slot = &seen[hash_mix(hash) % SEEN_NAMES];
    if (slot->verdict != UNKNOWN && slot->hash == hash)
        return slot->verdict == MATCHES;
    r->text.length = 0;
    str_add_bytes(&r->text, name.at, name.length);
    slot->hash = hash;
    slot->verdict = regexec(pattern, r->text.text, 0, NULL, 0) == 0 ? MATCHES : DIFFERS;
    return slot->verdict == MATCHES;
}

enum category { OTHER, KERNEL, COPY, LAUNCH, ANNOTATION, INSTANT };

/* Case and names differ with the age of the writer. */
static enum category category_of(struct slice text) {
    static const struct {
        const char *name;
        enum category category;
    } categories[] = {
        {"kernel", KERNEL},
        {"cpu_op", ANNOTATION},
        {"cuda_runtime", LAUNCH},
        {"gpu_memcpy", COPY},
        {"gpu_memset", COPY},
        {"user_annotation", ANNOTATION},
        {"cuda_driver", LAUNCH},
        {"hip_runtime", LAUNCH},
        {"hip_driver", LAUNCH},
        {"Runtime", LAUNCH},
        {"Memcpy", COPY},
        {"Memset", COPY},
        {"mtia_runtime", LAUNCH},
        {"Operator", ANNOTATION},
        {"mtia_ccp_events", KERNEL},
        {"concurrent_kernel", KERNEL},
        {"cpu_instant_event", INSTANT},
    };
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (strlen(categories[i].name) == text.length && strncasecmp(categories[i].name, text.at, text.length) == 0)
            return categories[i].category;
    return OTHER;
}

static bool begins_with(struct slice text, const char *prefix) {
    size_t length = strlen(prefix);
    return text.length >= length && memcmp(text.at, prefix, length) == 0;
}

/* The name up to its arguments or templates: "ncclKernel_AllReduce(...)". */
static struct slice short_name(struct slice name) {
    size_t length = 0;
    while (length < name.length && length < NAME_BYTES && name.at[length] != '(' && name.at[length] != '<')
        length++;
    while (length > 0 && name.at[length - 1] == ' ')
        length--;
    return (struct slice){name.at, length};
}

static char *keep(struct reader *r, struct slice text) {
    return arena_strndup(&r->trace->arena, text.at, text.length);
}

/* ---- One event ---- */

struct fields {
    struct slice name, category, phase, start, duration, track, arguments;
};

struct message {
    struct slice collective, group, ranks, type;
    int64_t in, out, group_size; /* elements */
};

static double bytes_of_type(struct slice type) {
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"Float", 4},         {"BFloat16", 2},    {"Half", 2},         {"Double", 8},        {"Long", 8},
                 {"Int", 4},           {"Short", 2},       {"Byte", 1},         {"Char", 1},          {"Bool", 1},
                 {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}, {"ComplexFloat", 8}, {"ComplexDouble", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_is(type, types[i].name))
            return types[i].bytes;
    return NAN;
}

static void add_key(struct reader *r, const void *bytes, size_t length) {
    str_add_bytes(&r->key, bytes, length);
    str_add_char(&r->key, '\0');
}

/* A name alone may mean another group on another rank. */
static uint32_t group_number(struct reader *r, const struct message *message) {
    r->key.length = 0;
    str_add_bytes(&r->key, message->group.at, message->group.length);
    str_add_char(&r->key, ' ');
    str_add_bytes(&r->key, message->ranks.at, message->ranks.length);
    return intern(&r->trace->groups, r->key.text, r->key.length, NULL);
}

/* The number of that kind, which is new if none is like it. */
static uint32_t kind_number(struct reader *r, const struct kineto_kind *kind, struct slice name,
                            const struct message *message) {
    bool is_new;
    uint32_t group = kind->class == KINETO_COMMUNICATION ? group_number(r, message) : 0;
    r->key.length = 0;
    add_key(r, &kind->class, sizeof kind->class);
    add_key(r, &kind->device, sizeof kind->device);
    add_key(r, &kind->stream, sizeof kind->stream);
    if (kind->class == KINETO_COMMUNICATION) {
        add_key(r, name.at, name.length);
        add_key(r, message->collective.at, message->collective.length);
        add_key(r, &group, sizeof group);
        add_key(r, &kind->bytes, sizeof kind->bytes);
        add_key(r, &kind->group_size, sizeof kind->group_size);
    }
    uint32_t number = intern(&r->trace->kind_keys, r->key.text, r->key.length, &is_new);
    if (!is_new)
        return number;
    struct kineto_kind *added = array_add(&r->trace->kinds);
    *added = *kind;
    if (kind->class == KINETO_COMMUNICATION) {
        added->name = keep(r, name);
        added->collective = message->collective.length > 0 ? keep(r, message->collective) : NULL;
        added->group = intern_text(&r->trace->groups, group);
    }
    return number;
}

static void add_copy(struct reader *r, struct slice name, double bytes) {
    bool is_new;
    if (begins_with(name, "Memcpy"))
        name = short_name(name);
    name.length = name.length < NAME_BYTES ? name.length : NAME_BYTES;
    if (r->trace->copies.count >= 256) /* a dozen names are usual */
        name = (struct slice){"others", 6};
    uint32_t number = intern(&r->trace->copy_names, name.at, name.length, &is_new);
    if (is_new)
        array_add(&r->trace->copies);
    r->trace->copies.at[number].bytes += bytes;
    r->trace->copies.at[number].count++;
}

static void read_arguments(struct slice text, struct kineto_kind *kind, int64_t *correlation, double *copied,
                           struct message *m) {
    struct json_cursor cursor = json_inside(text);
    struct slice key, value;
    while (json_member(&cursor, &key, &value)) {
        if (is(key, "stream"))
            (void)json_integer(value, &kind->stream);
        else if (is(key, "device"))
            (void)json_integer(value, &kind->device);
        else if (is(key, "correlation"))
            (void)json_integer(value, correlation);
        else if (is(key, "bytes"))
            (void)json_real(value, copied);
        else if (is(key, "Collective name"))
            m->collective = json_string(value);
        else if (is(key, "In msg nelems"))
            (void)json_integer(value, &m->in);
        else if (is(key, "Out msg nelems"))
            (void)json_integer(value, &m->out);
        else if (is(key, "Group size"))
            (void)json_integer(value, &m->group_size);
        else if (is(key, "dtype"))
            m->type = json_string(value);
        else if (is(key, "Process Group Name"))
            m->group = json_string(value);
        else if (is(key, "Process Group Ranks"))
            m->ranks = json_string(value);
    }
}

static struct slice cut(struct slice text, size_t length) {
    return (struct slice){text.at, text.length < length ? text.length : length};
}

static void add_gpu_event(struct reader *r, const struct fields *f, enum category category, int64_t start_ns,
                          int64_t duration_ns) {
    struct kineto_kind kind = {.class = KINETO_MEMORY, .device = -1, .stream = -1, .bytes = NAN};
    struct message message = {.in = -1, .out = -1};
    int64_t correlation = 0;
    double copied = 0;
    if (category == KERNEL)
        kind.class = matches(r, &r->patterns->communication, r->communication, f->name) ? KINETO_COMMUNICATION
                                                                                        : KINETO_COMPUTE;
    (void)json_integer(f->track, &kind.stream); /* the thread stands for the stream where there is none */
    read_arguments(f->arguments, &kind, &correlation, &copied, &message);
    if (category == COPY)
        add_copy(r, f->name, copied);
    if (kind.class == KINETO_COMMUNICATION) {
        int64_t elements = message.in > message.out ? message.in : message.out;
        kind.bytes = elements >= 0 ? (double)elements * bytes_of_type(message.type) : NAN;
        kind.group_size = message.group_size;
        message.collective = cut(message.collective, NAME_BYTES);
        message.group = cut(message.group, NAME_BYTES);
    }
    struct kineto_event *event = array_add(&r->trace->events);
    event->start_ns = start_ns;
    event->end_ns = start_ns + duration_ns;
    event->correlation = correlation > 0 && correlation <= UINT32_MAX ? (uint32_t)correlation : 0;
    event->kind = kind_number(r, &kind, short_name(f->name), &message);
}

static void add_launch(struct reader *r, const struct fields *f, int64_t start_ns) {
    struct kineto_trace *trace = r->trace;
    int64_t correlation = 0;
    if (!memmem(f->name.at, f->name.length, "aunch", 5) && !memmem(f->name.at, f->name.length, "emcpy", 5) &&
        !memmem(f->name.at, f->name.length, "emset", 5))
        return;
    if (!json_integer(json_find(f->arguments, "correlation"), &correlation) || correlation <= 0 ||
        correlation > UINT32_MAX)
        return;
    if (trace->launches.count == 0)
        trace->origin_ns = start_ns;
    int64_t at_us = (start_ns - trace->origin_ns) / 1000;
    if (at_us < INT32_MIN || at_us > INT32_MAX)
        return; /* over 35 minutes away: the kernel's own start has to do */
    array_push(&trace->launches, ((struct kineto_launch){(uint32_t)correlation, (int32_t)at_us}));
}

/* ProfilerStep#N, or a name the user's pattern knows. */
static bool is_step(struct reader *r, struct slice name, int64_t *number) {
    static const char prefix[] = "ProfilerStep#";
    if (r->patterns->has_iteration) {
        *number = (int64_t)r->trace->steps.count;
        return matches(r, &r->patterns->iteration, r->iteration, name);
    }
    if (!begins_with(name, prefix))
        return false;
    return json_integer((struct slice){name.at + sizeof prefix - 1, name.length - (sizeof prefix - 1)}, number);
}

static void add_memory(struct reader *r, const struct fields *f) {
    int64_t type = 0;
    double bytes = 0;
    if (!slice_is(f->name, "[memory]") || !json_integer(json_find(f->arguments, "Device Type"), &type) || type != 1)
        return;
    if (json_real(json_find(f->arguments, "Total Allocated"), &bytes) && bytes > r->trace->peak_allocated_bytes)
        r->trace->peak_allocated_bytes = bytes;
    if (json_real(json_find(f->arguments, "Total Reserved"), &bytes) && bytes > r->trace->peak_reserved_bytes)
        r->trace->peak_reserved_bytes = bytes;
}

/* Collects what is needed, and stops as soon as the event is known to be of no use. */
static enum category read_fields(struct reader *r, struct slice text, struct fields *f) {
    struct json_cursor cursor = json_inside(text);
    struct slice key, value;
    enum category category = OTHER;
    int64_t number;
    while (json_member(&cursor, &key, &value)) {
        if (is(key, "ph"))
            f->phase = json_string(value);
        else if (is(key, "cat"))
            f->category = json_string(value), category = category_of(f->category);
        else if (is(key, "name"))
            f->name = json_string(value);
        else if (is(key, "ts"))
            f->start = value;
        else if (is(key, "dur"))
            f->duration = value;
        else if (is(key, "tid"))
            f->track = value;
        else if (is(key, "args"))
            f->arguments = value;
        if (f->category.at && category == OTHER)
            return OTHER;
        if (f->phase.at && !is(f->phase, "X") && !is(f->phase, "i"))
            return OTHER;
        if (category == ANNOTATION && f->name.at && !is_step(r, f->name, &number))
            return OTHER;
    }
    return f->phase.at ? category : OTHER;
}

static void read_event(struct reader *r, struct slice text) {
    struct fields f = {0};
    int64_t start_ns = 0, duration_ns = 0, number = 0;
    r->trace->records++;
    enum category category = read_fields(r, text, &f);
    if (category == INSTANT)
        add_memory(r, &f);
    if (category == OTHER || category == INSTANT || !slice_is(f.phase, "X"))
        return;
    if (f.duration.length == 0 || f.start.length == 0) {
        r->trace->no_duration++;
    } else if (!json_microseconds(f.start, &start_ns) || !json_microseconds(f.duration, &duration_ns) ||
               duration_ns > MOST_DURATION_NS) {
        r->trace->unreadable++;
    } else if (duration_ns < 0) {
        r->trace->negative++;
    } else if (category == LAUNCH) {
        add_launch(r, &f, start_ns);
    } else if (category != ANNOTATION) {
        add_gpu_event(r, &f, category, start_ns, duration_ns);
    } else if (is_step(r, f.name, &number)) {
        uint32_t order = (uint32_t)r->trace->steps.count;
        array_push(&r->trace->steps, ((struct kineto_step){number, start_ns, start_ns + duration_ns, order}));
    }
}

/* ---- The rest of the file ---- */

static void read_distributed(struct reader *r, struct slice text) {
    (void)json_integer(json_find(text, "rank"), &r->trace->rank);
    (void)json_integer(json_find(text, "world_size"), &r->trace->world_size);
    struct slice backend = json_string(json_find(text, "backend"));
    if (backend.length > 0)
        r->trace->backend = keep(r, cut(backend, NAME_BYTES));
}

static void read_member(struct reader *r, const struct json_item *item) {
    if (slice_is(item->key, "distributedInfo")) {
        read_distributed(r, item->text);
    } else if (slice_is(item->key, "deviceProperties")) {
        r->devices = (struct slice){keep(r, item->text), item->text.length};
    } else if (slice_is(item->key, "baseTimeNanoseconds")) {
        r->trace->has_base = json_integer(item->text, &r->trace->base_ns);
    }
}

/* The device that did the work; the first one where none is named. */
static void choose_device(struct reader *r) {
    struct kineto_trace *trace = r->trace;
    int64_t wanted = trace->kinds.count > 0 ? trace->kinds.at[0].device : -1, id;
    struct json_cursor cursor = json_inside(r->devices);
    struct slice device;
    while (json_element(&cursor, &device)) {
        struct slice name = json_string(json_find(device, "name"));
        if (trace->gpu && !(json_integer(json_find(device, "id"), &id) && id == wanted))
            continue;
        if (name.length > 0)
            trace->gpu = keep(r, cut(name, NAME_BYTES));
        (void)json_real(json_find(device, "totalGlobalMem"), &trace->gpu_memory_bytes);
    }
}

static int read_items(struct reader *r, struct json_stream *stream, struct error *reterr) {
    struct json_item item;
    int got;
    while ((got = json_stream_next(stream, &item, reterr)) > 0) {
        if (r->patterns->strict && !json_is_valid(item.text))
            return error_set(reterr, ERROR_INPUT, "%s: expected valid JSON, got a bad value at byte %llu",
                             r->trace->path, (unsigned long long)item.offset);
        if (item.key.length > 0)
            read_member(r, &item);
        else
            read_event(r, item.text);
        if (r->trace->kinds.count > MOST_KINDS)
            return error_set(reterr, ERROR_INPUT, "%s: more than %d different messages and streams", r->trace->path,
                             MOST_KINDS);
    }
    return got;
}

static int check_end(struct reader *r, struct json_stream *stream, struct error *reterr) {
    struct kineto_trace *trace = r->trace;
    const char *truncation = json_stream_truncation(stream);
    trace->bytes = json_stream_byte_count(stream);
    trace->repairs = json_stream_repairs(stream);
    if (truncation)
        trace->truncation = arena_strdup(&trace->arena, truncation);
    if (!r->patterns->strict || (!truncation && trace->repairs == 0))
        return 0;
    return error_set(reterr, ERROR_INPUT, "%s: %s", trace->path, truncation ? truncation : "damaged events");
}

int kineto_trace_read(const char *path, const struct kineto_patterns *patterns, struct kineto_trace *trace,
                      struct error *reterr) {
    struct json_stream *stream = NULL;
    trace->path = path;
    trace->rank = trace->world_size = -1;
    trace->gpu_memory_bytes = NAN;
    int status = json_stream_open(path, "traceEvents", &stream, reterr);
    if (status < 0)
        return status;
    struct reader *r = mem_zalloc(1, sizeof *r);
    r->patterns = patterns;
    r->trace = trace;
    json_stream_resume_at(stream, "\"ph\"");
    status = read_items(r, stream, reterr);
    if (status == 0)
        status = check_end(r, stream, reterr);
    choose_device(r);
    str_finish(&r->key);
    str_finish(&r->text);
    free(r);
    json_stream_close(stream);
    return status;
}

void kineto_trace_finish(struct kineto_trace *trace) {
    free(trace->events.at);
    free(trace->kinds.at);
    free(trace->steps.at);
    free(trace->launches.at);
    free(trace->copies.at);
    intern_finish(&trace->kind_keys);
    intern_finish(&trace->groups);
    intern_finish(&trace->copy_names);
    arena_finish(&trace->arena);
    *trace = (struct kineto_trace){0};
}
