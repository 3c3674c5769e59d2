/* A Kineto trace, one event at a time; where an event is cut from the next, in damaged files too,
   is in io/json_stream.c (take_value). Invariant: memory grows with GPU events and their launches
   only, never with the file; all else is bounded. */
#include "ingest/kineto/kineto_trace.h"

#include "base/hash.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEN_NAMES        4096
#define MOST_DEVICES      64
#define MOST_DURATION_NS  INT64_C(1000000000000000000)
#define EARLY_LAUNCHES    2097152 /* kept beyond the number of GPU events so far */
#define MOST_LAUNCH_SHIFT 12      /* 4 us, and launches up to 2.4 hours from the first */

enum verdict { UNKNOWN, MATCHES, DIFFERS };

/* Answers of a regular expression by the hash of the name: names repeat for thousands of events. */
struct seen_name {
    uint64_t hash;
    enum verdict verdict;
};

struct device {
    int64_t id;
    double memory_bytes;
    char name[KINETO_NAME_BYTES + 1];
};

struct reader {
    const struct kineto_reading *reading;
    struct kineto_trace *trace;
    struct device devices[MOST_DEVICES]; /* of the header */
    size_t device_count;
    uint32_t section; /* at hand, of a merged trace */
    int64_t shift_ns; /* by which its times are later than those of the rank's own file */
    struct seen_name communication[SEEN_NAMES], iteration[SEEN_NAMES];
};

/* ---- Names ---- */

static bool matches_pattern(struct reader *reader, const struct name_pattern *pattern,
                            struct seen_name *seen, struct slice name) {
    uint64_t hash = hash_bytes(HASH_START, name.at, name.length);
    struct seen_name *slot = &seen[hash_mix(hash) % SEEN_NAMES];
    if (slot->verdict != UNKNOWN && slot->hash == hash)
        return slot->verdict == MATCHES;
    int matches = name_pattern_matches(pattern, name);
    slot->hash = hash;
    slot->verdict = matches > 0 ? MATCHES : DIFFERS;
    reader->trace->unjudged += matches < 0;
    return slot->verdict == MATCHES;
}

/* Case and names differ with the age of the writer. */
enum kineto_category kineto_category_of(struct slice text) {
    static const struct {
        struct slice name;
        enum kineto_category category;
    } categories[] = {
        {{"kernel", 6}, KINETO_KERNEL},
        {{"cpu_op", 6}, KINETO_OPERATOR},
        {{"cuda_runtime", 12}, KINETO_CALL},
        {{"gpu_memcpy", 10}, KINETO_COPY},
        {{"gpu_memset", 10}, KINETO_COPY},
        {{"user_annotation", 15}, KINETO_ANNOTATION},
        {{"cuda_driver", 11}, KINETO_CALL},
        {{"hip_runtime", 11}, KINETO_CALL},
        {{"hip_driver", 10}, KINETO_CALL},
        {{"Runtime", 7}, KINETO_CALL},
        {{"Memcpy", 6}, KINETO_COPY},
        {{"Memset", 6}, KINETO_COPY},
        {{"mtia_runtime", 12}, KINETO_CALL},
        {{"Operator", 8}, KINETO_OPERATOR},
        {{"mtia_ccp_events", 15}, KINETO_KERNEL},
        {{"concurrent_kernel", 17}, KINETO_KERNEL},
        {{"cpu_instant_event", 17}, KINETO_INSTANT},
        {{"python_function", 15}, KINETO_FRAME},
    };
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (text.length == categories[i].name.length && slice_is_word(text, categories[i].name.at))
            return categories[i].category;
    return slice_begins(text, "easim.") ? KINETO_SIMULATED : KINETO_OTHER;
}

/* The name up to its arguments or templates: "ncclKernel_AllReduce(...)". */
static struct slice short_name(struct slice name) {
    size_t length = 0;
    while (length < name.length && length < KINETO_NAME_BYTES && name.at[length] != '(' &&
           name.at[length] != '<')
        length++;
    while (length > 0 && name.at[length - 1] == ' ')
        length--;
    return (struct slice){name.at, length};
}

/* ---- One event ---- */

struct message {
    struct slice type, grid; /* grid: of the kernel */
    int64_t in, out;         /* elements */
};

static double bytes_of_type(struct slice type) {
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"Float", 4},        {"BFloat16", 2},      {"Half", 2},
                 {"Double", 8},       {"Long", 8},          {"Int", 4},
                 {"Short", 2},        {"Byte", 1},          {"Char", 1},
                 {"Bool", 1},         {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1},
                 {"ComplexFloat", 8}, {"ComplexDouble", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_is(type, types[i].name))
            return types[i].bytes;
    return NAN;
}

static void add_copy(struct reader *reader, struct slice name, double bytes) {
    bool is_new;
    if (slice_begins(name, "Memcpy"))
        name = short_name(name);
    name.length = name.length < KINETO_NAME_BYTES ? name.length : KINETO_NAME_BYTES;
    if (reader->trace->copies.count >= 256) /* a dozen names are usual */
        name = (struct slice){"others", 6};
    uint32_t number = intern(&reader->trace->copy_names, name.at, name.length, &is_new);
    if (is_new)
        array_add(&reader->trace->copies);
    reader->trace->copies.at[number].bytes += bytes;
    reader->trace->copies.at[number].count++;
}

static void read_arguments(struct slice text, struct kineto_description *description,
                           int64_t *correlation, double *copied, struct message *message) {
    struct json_cursor cursor = json_inside(text);
    struct slice key, value;
    while (json_member(&cursor, &key, &value)) {
        if (slice_is(key, "stream"))
            (void)json_integer(value, &description->stream);
        else if (slice_is(key, "device"))
            (void)json_integer(value, &description->device);
        else if (slice_is(key, "correlation"))
            (void)json_integer(value, correlation);
        else if (slice_is(key, "bytes"))
            (void)json_real(value, copied);
        else if (slice_is(key, "grid"))
            message->grid = value;
        else if (slice_is(key, "Collective name"))
            description->collective = json_string(value);
        else if (slice_is(key, "In msg nelems"))
            (void)json_integer(value, &message->in);
        else if (slice_is(key, "Out msg nelems"))
            (void)json_integer(value, &message->out);
        else if (slice_is(key, "Group size"))
            (void)json_integer(value, &description->group_size);
        else if (slice_is(key, "dtype"))
            message->type = json_string(value);
        else if (slice_is(key, "Process Group Name"))
            description->group = json_string(value);
        else if (slice_is(key, "Process Group Ranks"))
            description->ranks = json_string(value);
    }
}

/* Shows the watch an event with the texts of its fields. */
static void show_span(struct reader *reader, const struct kineto_fields *fields,
                      struct kineto_span *span) {
    if (!reader->reading->watch)
        return;
    span->name = fields->name;
    span->process = fields->process;
    span->thread = fields->thread;
    span->arguments = fields->arguments;
    reader->trace->spans++;
    reader->reading->watch->span(reader->trace->watcher, span);
}

static void add_gpu_event(struct reader *reader, const struct kineto_fields *fields,
                          enum kineto_category category, int64_t start_ns, int64_t duration_ns) {
    struct kineto_description d = {
        .class = KINETO_MEMORY, .device = -1, .stream = -1, .bytes = NAN};
    struct message message = {.in = -1, .out = -1};
    int64_t correlation = 0;
    double copied = NAN;
    if (category == KINETO_KERNEL)
        d.class = matches_pattern(reader, reader->reading->communication, reader->communication,
                                  fields->name)
                      ? KINETO_COMMUNICATION
                      : KINETO_COMPUTE;
    (void)json_integer(fields->thread,
                       &d.stream); /* the thread takes the place of a missing stream */
    read_arguments(fields->arguments, &d, &correlation, &copied, &message);
    if (category == KINETO_COPY)
        add_copy(reader, fields->name, isnan(copied) ? 0 : copied);
    if (d.class == KINETO_COMMUNICATION) {
        int64_t elements = message.in > message.out ? message.in : message.out;
        d.bytes = elements >= 0 ? (double)elements * bytes_of_type(message.type) : NAN;
        d.name = short_name(fields->name);
    }
    struct kineto_event *event = array_add(&reader->trace->events);
    event->start_ns = start_ns;
    event->end_ns = start_ns + duration_ns;
    event->correlation = correlation > 0 && correlation <= UINT32_MAX ? (uint32_t)correlation : 0;
    event->kind = kineto_kinds_number(reader->reading->kinds, &d);
    reader->trace->crowded += !kineto_kinds_is_known(reader->reading->kinds, event->kind);
    show_span(reader, fields,
              &(struct kineto_span){.category = category,
                                    .class = d.class,
                                    .grid = message.grid,
                                    .bytes = copied,
                                    .start_ns = start_ns,
                                    .end_ns = start_ns + duration_ns,
                                    .kind = event->kind,
                                    .correlation = event->correlation});
}

/* A slice of a timeline of easim (docs/howto/publish.md): a job on one GPU. Its name is that of a
   job, and may be that of a kernel. */
static void add_simulated(struct reader *reader, const struct kineto_fields *fields,
                          int64_t start_ns, int64_t duration_ns) {
    struct kineto_description d = {
        .class = KINETO_MEMORY, .device = -1, .stream = -1, .bytes = NAN};
    struct kineto_event *event = array_add(&reader->trace->events);
    struct json_cursor cursor = json_inside(fields->arguments);
    struct slice key, value;
    int64_t node = -1, gpu = -1;
    double energy_j = NAN;
    if (slice_is(fields->category_text, "easim.run") ||
        slice_is(fields->category_text, "easim.lost") ||
        slice_is(fields->category_text, "easim.serve") ||
        slice_is(fields->category_text, "easim.joined"))
        d.class = KINETO_COMPUTE;
    (void)json_integer(fields->process, &node);
    while (json_member(&cursor, &key, &value)) {
        if (slice_is(key, "gpu"))
            (void)json_integer(value, &gpu);
        else if (slice_is(key, "energy_j"))
            (void)json_real(value, &energy_j);
    }
    event->start_ns = start_ns;
    event->end_ns = start_ns + duration_ns;
    event->correlation = 1 + kineto_gpus_add(&reader->trace->gpus, node, gpu, energy_j);
    event->kind = kineto_kinds_number(reader->reading->kinds, &d);
}

/* Launches come before, between or after the kernels. Their times are as fine as 32 bits allow: in
   a trace of up to 2 s whole nanoseconds. */
static void keep_launch(struct kineto_trace *trace, uint32_t correlation, int64_t start_ns) {
    if (trace->launches.count == 0)
        trace->origin_ns = start_ns;
    int64_t since_ns = start_ns - trace->origin_ns;
    unsigned shift = trace->launch_shift;
    while (shift <= MOST_LAUNCH_SHIFT &&
           (since_ns >> shift < INT32_MIN || since_ns >> shift > INT32_MAX))
        shift++;
    if (shift > MOST_LAUNCH_SHIFT ||
        trace->launches.count >= EARLY_LAUNCHES + trace->events.count) {
        trace->unlaunched++;
        return;
    }
    for (size_t i = 0; shift > trace->launch_shift && i < trace->launches.count; i++)
        trace->launches.at[i].at >>= shift - trace->launch_shift;
    trace->launch_shift = shift;
    array_push(&trace->launches,
               ((struct kineto_launch){correlation, (int32_t)(since_ns >> shift)}));
}

bool kineto_is_launch(struct slice name) {
    return slice_find(name, "aunch") || slice_find(name, "emcpy") || slice_find(name, "emset");
}

/* The number of the launch, 0 if the call launches nothing. */
static uint32_t add_launch(struct reader *reader, const struct kineto_fields *fields,
                           int64_t start_ns) {
    int64_t correlation = 0;
    if (!kineto_is_launch(fields->name) ||
        !json_integer(json_find(fields->arguments, "correlation"), &correlation) ||
        correlation <= 0 || correlation > UINT32_MAX)
        return 0;
    keep_launch(reader->trace, (uint32_t)correlation, start_ns);
    return (uint32_t)correlation;
}

bool kineto_step_number(struct slice name, int64_t *number) {
    static const char prefix[] = "ProfilerStep#";
    const size_t length = sizeof prefix - 1;
    return slice_begins(name, prefix) &&
           json_integer((struct slice){name.at + length, name.length - length}, number);
}

/* ProfilerStep#N, or a name the user's pattern knows. */
static bool is_step(struct reader *reader, struct slice name, int64_t *number) {
    if (reader->reading->iteration) {
        *number = (int64_t)reader->trace->steps.count;
        return matches_pattern(reader, reader->reading->iteration, reader->iteration, name);
    }
    return kineto_step_number(name, number);
}

/* A time as it is in the rank's own file. */
static bool read_time(const struct reader *reader, struct slice text, int64_t *ret_ns) {
    return json_microseconds(text, ret_ns) &&
           !__builtin_sub_overflow(*ret_ns, reader->shift_ns, ret_ns);
}

static void show_memory(struct reader *reader, const struct kineto_fields *fields) {
    struct kineto_span span = {.category = KINETO_INSTANT};
    if (!read_time(reader, fields->start, &span.start_ns)) {
        reader->trace->unreadable++;
        return;
    }
    span.end_ns = span.start_ns;
    show_span(reader, fields, &span);
}

static void add_memory(struct reader *reader, const struct kineto_fields *fields) {
    int64_t type = 0;
    double bytes = 0;
    if (!slice_is(fields->name, "[memory]"))
        return;
    if (reader->reading->watch)
        show_memory(reader, fields);
    if (!json_integer(json_find(fields->arguments, "Device Type"), &type) || type != 1)
        return;
    if (json_real(json_find(fields->arguments, "Total Allocated"), &bytes) &&
        bytes > reader->trace->peak_allocated_bytes)
        reader->trace->peak_allocated_bytes = bytes;
    if (json_real(json_find(fields->arguments, "Total Reserved"), &bytes) &&
        bytes > reader->trace->peak_reserved_bytes)
        reader->trace->peak_reserved_bytes = bytes;
}

bool kineto_may_be_step(enum kineto_category category) {
    return category == KINETO_ANNOTATION || category == KINETO_OPERATOR;
}

/* Collects what is needed, and stops as soon as the event is known to be of no use. */
static enum kineto_category read_fields(struct reader *reader, struct slice text,
                                        struct kineto_fields *fields) {
    struct json_cursor cursor = json_inside(text);
    struct slice key, value;
    const bool all = reader->reading->watch != NULL;
    int64_t number;
    while (json_member(&cursor, &key, &value)) {
        kineto_take_field(fields, key, value);
        if (fields->category_text.at && fields->category == KINETO_OTHER)
            return KINETO_OTHER;
        if (fields->phase.at && !slice_is(fields->phase, "X") && !slice_is(fields->phase, "i"))
            return KINETO_OTHER;
        if (!all && (fields->category == KINETO_FRAME ||
                     (kineto_may_be_step(fields->category) && fields->name.at &&
                      !is_step(reader, fields->name, &number))))
            return KINETO_OTHER;
    }
    if (!fields->category_text.at && slice_is(fields->phase, "i"))
        return KINETO_INSTANT; /* traces of 2021 */
    return fields->phase.at ? fields->category : KINETO_OTHER;
}

static void add_step(struct reader *reader, int64_t number, int64_t start_ns, int64_t end_ns) {
    uint32_t order = (uint32_t)reader->trace->steps.count;
    if (order < KINETO_MOST_STEPS)
        array_push(&reader->trace->steps, ((struct kineto_step){number, start_ns, end_ns, order}));
    else
        reader->trace->more_steps++;
}

static void add_span(struct reader *reader, const struct kineto_fields *fields,
                     enum kineto_category category, int64_t start_ns, int64_t duration_ns) {
    struct kineto_span span = {
        .category = category, .start_ns = start_ns, .end_ns = start_ns + duration_ns};
    int64_t number = 0;
    if (category == KINETO_SIMULATED) {
        add_simulated(reader, fields, start_ns, duration_ns);
    } else if (category == KINETO_KERNEL || category == KINETO_COPY) {
        add_gpu_event(reader, fields, category, start_ns, duration_ns);
    } else {
        if (category == KINETO_CALL)
            span.correlation = add_launch(reader, fields, start_ns);
        else if (kineto_may_be_step(category) && is_step(reader, fields->name, &number))
            add_step(reader, number, start_ns, span.end_ns);
        show_span(reader, fields, &span);
    }
}

static void read_trace_member(struct reader *reader, struct slice key, struct slice text);

/* What merging has added before and behind the events of a rank. */
static void read_section(struct reader *reader, struct slice text) {
    struct slice arguments = json_find(text, "args"), key, value;
    struct json_cursor cursor = json_inside(arguments);
    if (slice_begins(text, KINETO_SECTION)) {
        reader->section = reader->trace->sections++;
        (void)json_integer(json_find(arguments, "shift_ns"), &reader->shift_ns);
    } else if (reader->section == reader->reading->section) {
        while (json_member(&cursor, &key, &value))
            read_trace_member(reader, key, value);
    }
}

static void read_event(struct reader *reader, struct slice text) {
    struct kineto_fields f = {0};
    int64_t start_ns = 0, duration_ns = 0;
    if (slice_begins(text, KINETO_MERGED)) {
        read_section(reader, text);
        return;
    }
    if (reader->section != reader->reading->section)
        return;
    reader->trace->records++;
    enum kineto_category category = read_fields(reader, text, &f);
    if (category == KINETO_INSTANT)
        add_memory(reader, &f);
    if (category == KINETO_OTHER || category == KINETO_INSTANT || !slice_is(f.phase, "X"))
        return;
    if (f.duration.length == 0 || f.start.length == 0)
        reader->trace->no_duration++;
    else if (!read_time(reader, f.start, &start_ns) ||
             !json_microseconds(f.duration, &duration_ns) || duration_ns > MOST_DURATION_NS)
        reader->trace->unreadable++;
    else if (duration_ns < 0)
        reader->trace->negative++;
    else
        add_span(reader, &f, category, start_ns, duration_ns);
}

/* ---- The rest of the file ---- */

static const char *kept_text(struct kineto_trace *trace, struct slice text) {
    return arena_strndup(&trace->arena, text.at,
                         text.length < KINETO_NAME_BYTES ? text.length : KINETO_NAME_BYTES);
}

static void read_devices(struct reader *reader, struct slice text) {
    struct json_cursor cursor = json_inside(text);
    struct slice device;
    for (reader->device_count = 0;
         reader->device_count < MOST_DEVICES && json_element(&cursor, &device);
         reader->device_count++) {
        struct device *d = &reader->devices[reader->device_count];
        struct slice name = json_string(json_find(device, "name"));
        *d = (struct device){.id = -1, .memory_bytes = NAN};
        (void)json_integer(json_find(device, "id"), &d->id);
        (void)json_real(json_find(device, "totalGlobalMem"), &d->memory_bytes);
        snprintf(d->name, sizeof d->name, "%.*s",
                 (int)(name.length < KINETO_NAME_BYTES ? name.length : KINETO_NAME_BYTES), name.at);
    }
}

static void read_distributed(struct reader *reader, struct slice text) {
    (void)json_integer(json_find(text, "rank"), &reader->trace->rank);
    (void)json_integer(json_find(text, "world_size"), &reader->trace->world_size);
    struct slice backend = json_string(json_find(text, "backend"));
    if (backend.length > 0 && !reader->trace->backend)
        reader->trace->backend = kept_text(reader->trace, backend);
}

static void read_trace_member(struct reader *reader, struct slice key, struct slice text) {
    if (reader->reading->watch)
        reader->reading->watch->member(reader->trace->watcher, key, text);
    if (slice_is(key, "distributedInfo"))
        read_distributed(reader, text);
    else if (slice_is(key, "deviceProperties"))
        read_devices(reader, text);
    else if (slice_is(key, "baseTimeNanoseconds"))
        reader->trace->has_base = json_integer(text, &reader->trace->base_ns);
}

/* The device that did the work; the first one where none is named. */
static void choose_device(const struct reader *reader) {
    struct kineto_trace *trace = reader->trace;
    uint32_t track = trace->events.count > 0 ? trace->kinds->all.at[trace->events.at[0].kind].track
                                             : KINETO_NONE;
    const struct device *chosen = NULL;
    for (const struct device *d = reader->devices; d < reader->devices + reader->device_count; d++)
        if (!chosen || (track != KINETO_NONE && d->id == trace->kinds->tracks.at[track].device))
            chosen = d;
    if (!chosen)
        return;
    trace->gpu_memory_bytes = chosen->memory_bytes;
    if (chosen->name[0])
        trace->gpu = arena_strdup(&trace->arena, chosen->name);
}

static int read_trace_items(struct reader *reader, struct json_stream *stream,
                            struct error *reterr) {
    struct json_item item;
    int got;
    while ((got = json_stream_next(stream, &item, reterr)) > 0) {
        if (reader->reading->strict && !json_is_valid(item.text))
            return error_set(reterr, ERROR_INPUT,
                             "%s: expected valid JSON, got a bad value at byte %llu",
                             reader->trace->path, (unsigned long long)item.offset);
        if (item.key.length > 0)
            read_trace_member(reader, item.key, item.text);
        else
            read_event(reader, item.text);
    }
    return got;
}

uint64_t kineto_trace_damages(const struct kineto_trace *trace) {
    return trace->losses.records + trace->losses.strangers + trace->losses.stretches +
           trace->negative + trace->unreadable;
}

static int check_trace_end(struct reader *reader, struct json_stream *stream,
                           struct error *reterr) {
    struct kineto_trace *trace = reader->trace;
    const char *truncation = json_stream_truncation(stream);
    trace->bytes = json_stream_byte_count(stream);
    trace->losses = json_stream_losses(stream);
    if (truncation)
        trace->truncation = arena_strdup(&trace->arena, truncation);
    if (!reader->reading->strict || (!truncation && kineto_trace_damages(trace) == 0))
        return 0;
    return error_set(reterr, ERROR_INPUT, "%s: %s", trace->path,
                     truncation ? truncation : "damaged events");
}

/* First keys of events of Chrome traces: all have a phase. */
const char *const kineto_event_keys[] = {"ph", "name", "cat", "ts",    "pid", "tid", "dur",
                                         "id", "args", "s",   "cname", "bp",  "sf",  NULL};

int kineto_trace_read(const char *path, const struct kineto_reading *reading,
                      struct kineto_trace *trace, struct error *reterr) {
    struct json_stream *stream = NULL;
    trace->path = path;
    trace->rank = trace->world_size = -1;
    trace->gpu_memory_bytes = NAN;
    trace->kinds = reading->kinds;
    int status = json_stream_open(path, "traceEvents", kineto_event_keys, &stream, reterr);
    if (status < 0)
        return status;
    struct reader *r = mem_zalloc(1, sizeof *r);
    r->reading = reading;
    r->trace = trace;
    status = read_trace_items(r, stream, reterr);
    if (status == 0)
        status = check_trace_end(r, stream, reterr);
    choose_device(r);
    free(r);
    json_stream_close(stream);
    return status;
}

void kineto_trace_keep_communication(struct kineto_trace *trace) {
    size_t kept = 0;
    for (size_t i = 0; i < trace->events.count; i++)
        if (trace->kinds->all.at[trace->events.at[i].kind].class == KINETO_COMMUNICATION)
            trace->events.at[kept++] = trace->events.at[i];
    trace->events.count = trace->events.capacity = kept;
    trace->events.at = mem_realloc(trace->events.at, kept + 1, sizeof *trace->events.at);
}

void kineto_trace_finish(struct kineto_trace *trace) {
    free(trace->events.at);
    free(trace->steps.at);
    free(trace->launches.at);
    free(trace->copies.at);
    kineto_gpus_finish(&trace->gpus);
    intern_finish(&trace->copy_names);
    arena_finish(&trace->arena);
    *trace = (struct kineto_trace){0};
}
