/* The events of some steps. The file is read twice: which events of the GPU were launched before
   the steps ended, and which flows have both ends there, is known at its end only. Memory grows
   with GPU events, launches and flows, by 12, 13 and 4 bytes. */
#include "base/hash.h"
#include "ingest/trace_edit/internal.h"
#include "io/json_text.h"

#include <stdlib.h>

#define MOST_DURATION_NS INT64_C(1000000000000000000)

struct stamped { /* 12 bytes: an int64_t would make it 16 */
    uint32_t correlation;
    int32_t high; /* of the time */
    uint32_t low;
};

/* Events of the file one after the other, which the second pass reads if one of them may be kept.
 */
struct block {
    uint64_t offset;
    int64_t first_ns, last_ns; /* from the first start to the last end */
    bool is_read; /* metadata and calls of StreamWaitEvent are kept from outside, too */
};

#define BLOCK_EVENTS 256

enum { OF_KEPT = 1, HAS_START = 2, HAS_END = 4 }; /* a launch: GPU event kept, ends of its flow */

/* One end of a flow that is not from a launch to its GPU event. */
struct flow_end {
    uint64_t key;
    int64_t time_ns;
    bool is_start;
};

struct cut {
    struct trace_edit *edit;
    const char *path;
    int64_t first, last; /* steps */
    ARRAY_OF(struct kineto_step) steps;
    int64_t least, most; /* numbers of the steps that are there */
    int64_t begin_ns, end_ns;
    ARRAY_OF(struct stamped) launches; /* by correlation once the first pass is over */
    ARRAY_OF(struct stamped) gpu;      /* ends */
    ARRAY_OF(uint32_t) starts, ends;   /* of flows, their ids */
    ARRAY_OF(struct flow_end) others;  /* at last one of each kept flow */
    uint8_t *marks;                    /* of launches */
    ARRAY_OF(struct block) blocks;
    size_t block; /* that the second pass has come to */
    uint64_t events, last_offset, untimed;
    int64_t first_ns, last_ns; /* from the first start to the last end of what is kept */
    struct trace_writer writer;
};

static struct stamped stamp(uint32_t correlation, int64_t time_ns) {
    uint64_t bits = (uint64_t)time_ns;
    return (struct stamped){correlation, (int32_t)(bits >> 32), (uint32_t)bits};
}

static int64_t time_of(const struct stamped *stamped) {
    return (int64_t)((uint64_t)(uint32_t)stamped->high << 32 | stamped->low);
}

/* The earlier launch of a correlation that comes twice. */
ORDER_BY(by_correlation, struct stamped, ASC(correlation) ASC(high) ASC(low))
ORDER_BY(by_key, struct flow_end, ASC(key))

/* Place of the launch, or SIZE_MAX. */
static size_t find_launch(const struct cut *cut, uint32_t correlation) {
    size_t low = 0;
    SEARCH(low, cut->launches.count, cut->launches.at[at].correlation < correlation)
    return correlation > 0 && low < cut->launches.count &&
                   cut->launches.at[low].correlation == correlation
               ? low
               : SIZE_MAX;
}

static bool is_inside(const struct cut *cut, int64_t time_ns) {
    return cut->begin_ns <= time_ns && time_ns < cut->end_ns;
}

/* ---- Events ---- */

enum sort { UNTIMED, METADATA, HOST, LAUNCH, STREAM_WAIT, GPU, GPU_ANNOTATION, LAUNCH_FLOW, FLOW };

struct timed {
    enum sort sort;
    int64_t start_ns, end_ns;
    uint32_t correlation; /* of a launch flow its id; 0: none */
    struct kineto_fields fields;
};

static uint32_t correlation_in(struct slice value) {
    int64_t number = 0;
    return json_integer(value, &number) && number > 0 && number <= UINT32_MAX ? (uint32_t)number
                                                                              : 0;
}

static bool is_launch_flow(struct slice category) {
    return slice_is(category, "ac2g") || slice_begins(category, "async");
}

static struct timed read_timed(struct slice text) {
    struct timed t = {0};
    int64_t duration_ns = 0;
    trace_fields_read(text, false, &t.fields);
    const struct kineto_fields *f = &t.fields;
    char phase = f->phase.length == 1 ? f->phase.at[0] : 0;
    if (phase == 'M') {
        t.sort = METADATA;
        return t;
    }
    if (!json_microseconds(f->start, &t.start_ns) ||
        (phase == 'X' && (!json_microseconds(f->duration, &duration_ns) || duration_ns < 0 ||
                          duration_ns > MOST_DURATION_NS)))
        return t;
    t.sort = HOST;
    t.end_ns = t.start_ns + duration_ns;
    if (phase == 's' || phase == 'f' || phase == 't') {
        t.correlation = is_launch_flow(f->category_text) ? correlation_in(f->id) : 0;
        t.sort = t.correlation > 0 ? LAUNCH_FLOW : FLOW;
    } else if (phase == 'X') {
        if (f->category == KINETO_KERNEL || f->category == KINETO_COPY)
            t.sort = GPU;
        else if (f->category == KINETO_CALL && kineto_is_launch(f->name))
            t.sort = LAUNCH;
        else if (f->category == KINETO_CALL && slice_find(f->name, "StreamWaitEvent"))
            t.sort = STREAM_WAIT;
        else if (slice_is(f->category_text, "gpu_user_annotation"))
            t.sort = GPU_ANNOTATION;
        if (t.sort == GPU || t.sort == LAUNCH)
            t.correlation = correlation_in(json_find(f->arguments, "correlation"));
    }
    return t;
}

static uint64_t flow_key(const struct kineto_fields *f) {
    return hash_bytes(hash_bytes(HASH_START, f->category_text.at, f->category_text.length),
                      f->id.at, f->id.length);
}

/* ---- The first pass ---- */

static void add_step(struct cut *cut, const struct timed *t) {
    int64_t number;
    if (!kineto_may_be_step(t->fields.category) || !kineto_step_number(t->fields.name, &number))
        return;
    bool is_first = cut->least > cut->most;
    cut->least = is_first || number < cut->least ? number : cut->least;
    cut->most = is_first || number > cut->most ? number : cut->most;
    if (number < cut->first || number > cut->last)
        return;
    for (size_t i = 0; i < cut->steps.count && cut->steps.count < KINETO_MOST_STEPS; i++)
        if (cut->steps.at[i].number == number)
            return; /* as in the reader, the first one counts */
    array_push(&cut->steps, ((struct kineto_step){number, t->start_ns, t->end_ns, 0}));
}

static void add_to_block(struct cut *cut, uint64_t offset, const struct timed *t) {
    if (cut->events++ % BLOCK_EVENTS == 0)
        array_push(&cut->blocks, ((struct block){offset, INT64_MAX, INT64_MIN, false}));
    struct block *block = &cut->blocks.at[cut->blocks.count - 1];
    cut->last_offset = offset;
    block->is_read |= t->sort == METADATA || t->sort == STREAM_WAIT;
    cut->untimed += t->sort == UNTIMED;
    if (t->sort == METADATA || t->sort == UNTIMED)
        return;
    block->first_ns = t->start_ns < block->first_ns ? t->start_ns : block->first_ns;
    block->last_ns = t->end_ns > block->last_ns ? t->end_ns : block->last_ns;
}

static int look_at_event(void *context, const struct json_item *item, struct error *reterr) {
    struct cut *cut = context;
    struct timed t = read_timed(item->text);
    if (slice_begins(item->text, KINETO_SECTION))
        return error_set(reterr, ERROR_INPUT,
                         "%s: expected a trace of one rank, got a merged one: cut the files of the "
                         "ranks, then merge them",
                         cut->path);
    add_to_block(cut, item->offset, &t);
    char phase = t.fields.phase.length > 0 ? t.fields.phase.at[0] : 0;
    switch (t.sort) {
    case HOST:
        if (phase == 'X')
            add_step(cut, &t);
        break;
    case LAUNCH:
        if (t.correlation > 0)
            array_push(&cut->launches, stamp(t.correlation, t.start_ns));
        break;
    case GPU:
        if (t.correlation > 0)
            array_push(&cut->gpu, stamp(t.correlation, t.end_ns));
        break;
    case LAUNCH_FLOW:
        if (phase == 's')
            array_push(&cut->starts, t.correlation);
        else
            array_push(&cut->ends, t.correlation);
        break;
    case FLOW:
        if (phase != 't')
            array_push(&cut->others,
                       ((struct flow_end){flow_key(&t.fields), t.start_ns, phase == 's'}));
        break;
    default:
        break;
    }
    return 0;
}

static bool keeps_gpu(const struct cut *cut, int64_t launch_ns, int64_t end_ns) {
    return launch_ns < cut->end_ns && end_ns > cut->begin_ns;
}

static void mark_flows(struct cut *cut, const uint32_t *ids, size_t count, uint8_t mark) {
    for (size_t i = 0; i < count; i++) {
        size_t launch = find_launch(cut, ids[i]);
        if (launch != SIZE_MAX)
            cut->marks[launch] |= mark;
    }
}

/* Other flows: those with both ends in the steps. */
static void keep_flows(struct cut *cut) {
    size_t kept = 0;
    sort_array(cut->others.at, cut->others.count, by_key);
    for (size_t i = 0, end; i < cut->others.count; i = end) {
        bool starts = false, ends = false;
        uint64_t key = cut->others.at[i].key;
        for (end = i; end < cut->others.count && cut->others.at[end].key == key; end++) {
            bool inside = is_inside(cut, cut->others.at[end].time_ns);
            starts |= inside && cut->others.at[end].is_start;
            ends |= inside && !cut->others.at[end].is_start;
        }
        if (starts && ends)
            cut->others.at[kept++].key = key;
    }
    cut->others.count = kept;
}

static int choose(struct cut *cut, const char *path, struct problems *problems) {
    if (cut->steps.count == 0 && cut->least > cut->most)
        return problems_add_setting(problems, (struct location){0}, "steps",
                                    "%s: expected annotations ProfilerStep#N, got none", path);
    if (cut->steps.count == 0)
        return problems_add_setting(problems, (struct location){0}, "steps",
                                    "%s: no step %lld..%lld: the file has steps from %lld to %lld",
                                    path, (long long)cut->first, (long long)cut->last,
                                    (long long)cut->least, (long long)cut->most);
    cut->begin_ns = INT64_MAX;
    cut->end_ns = INT64_MIN;
    for (size_t i = 0; i < cut->steps.count; i++) {
        const struct kineto_step *step = &cut->steps.at[i];
        cut->begin_ns = step->start_ns < cut->begin_ns ? step->start_ns : cut->begin_ns;
        cut->end_ns = step->end_ns > cut->end_ns ? step->end_ns : cut->end_ns;
    }
    sort_array(cut->launches.at, cut->launches.count, by_correlation);
    cut->marks = mem_zalloc(cut->launches.count + 1, sizeof *cut->marks);
    cut->first_ns = cut->begin_ns;
    cut->last_ns = cut->end_ns;
    for (size_t i = 0; i < cut->gpu.count; i++) {
        size_t launch = find_launch(cut, cut->gpu.at[i].correlation);
        if (launch == SIZE_MAX)
            continue;
        int64_t launch_ns = time_of(&cut->launches.at[launch]), end_ns = time_of(&cut->gpu.at[i]);
        if (!keeps_gpu(cut, launch_ns, end_ns))
            continue;
        cut->marks[launch] |= OF_KEPT;
        cut->first_ns = launch_ns < cut->first_ns ? launch_ns : cut->first_ns;
        cut->last_ns = end_ns > cut->last_ns ? end_ns : cut->last_ns;
    }
    mark_flows(cut, cut->starts.at, cut->starts.count, HAS_START);
    mark_flows(cut, cut->ends.at, cut->ends.count, HAS_END);
    keep_flows(cut);
    return 0;
}

/* ---- The second pass ---- */

static bool is_kept(struct cut *cut, const struct timed *t) {
    size_t launch = t->sort == LAUNCH || t->sort == GPU || t->sort == LAUNCH_FLOW
                        ? find_launch(cut, t->correlation)
                        : SIZE_MAX;
    struct flow_end wanted = {0};
    switch (t->sort) {
    case METADATA:
        return true;
    case GPU:
        return keeps_gpu(cut, launch == SIZE_MAX ? t->start_ns : time_of(&cut->launches.at[launch]),
                         t->end_ns);
    case GPU_ANNOTATION:
        return keeps_gpu(cut, t->start_ns, t->end_ns);
    case LAUNCH:
        return is_inside(cut, t->start_ns) || (launch != SIZE_MAX && cut->marks[launch] & OF_KEPT &&
                                               t->start_ns == time_of(&cut->launches.at[launch]));
    case STREAM_WAIT: /* kept GPU events that were launched before the steps may follow from it */
        return t->start_ns < cut->end_ns;
    case LAUNCH_FLOW:
        return launch != SIZE_MAX && cut->marks[launch] == (OF_KEPT | HAS_START | HAS_END);
    case FLOW:
        wanted.key = flow_key(&t->fields);
        return is_inside(cut, t->start_ns) && cut->others.count > 0 &&
               bsearch(&wanted, cut->others.at, cut->others.count, sizeof wanted, by_key);
    case HOST:
        return is_inside(cut, t->start_ns);
    default:
        return false;
    }
}

static int write_event(void *context, const struct json_item *item, struct error *reterr) {
    struct cut *cut = context;
    struct timed t = read_timed(item->text);
    return is_kept(cut, &t) ? trace_writer_event(&cut->writer, item->text, reterr) : 0;
}

/* Behind the last block that is wanted the last event is, from which members of the file follow. */
static uint64_t next_wanted(void *context, uint64_t offset) {
    struct cut *cut = context;
    const struct block *blocks = cut->blocks.at;
    while (cut->block < cut->blocks.count && blocks[cut->block].offset < offset)
        cut->block++;
    if (cut->block == cut->blocks.count || blocks[cut->block].offset != offset)
        return offset; /* within a block */
    while (
        cut->block < cut->blocks.count && !blocks[cut->block].is_read &&
        (blocks[cut->block].first_ns > cut->last_ns || blocks[cut->block].last_ns < cut->first_ns))
        cut->block++;
    return cut->block < cut->blocks.count ? blocks[cut->block].offset : cut->last_offset;
}

static int write_cut(struct cut *cut, const char *path, struct error *reterr) {
    const struct trace_pass second = {path, cut, write_event, &cut->writer, NULL, next_wanted};
    int r = trace_writer_open(&cut->writer, cut->edit->output, reterr);
    if (r < 0)
        return r;
    r = trace_pass_run(cut->edit, &second, true, reterr);
    cut->edit->kept = cut->writer.events;
    problems_say_count(&cut->edit->notes, path, cut->untimed,
                       "events without a readable time left out");
    return trace_writer_close(&cut->writer, r, reterr);
}

int trace_cut_write(struct trace_edit *edit, const char *path, int64_t first, int64_t last,
                    struct problems *problems, struct error *reterr) {
    struct cut cut = {.edit = edit, .path = path, .first = first, .last = last, .least = 1};
    const struct trace_pass pass = {path, &cut, look_at_event, NULL, NULL, NULL};
    int r = trace_pass_run(edit, &pass, false, reterr);
    if (r == 0)
        r = choose(&cut, path, problems);
    free(cut.gpu.at);
    free(cut.starts.at);
    free(cut.ends.at);
    if (r == 0)
        r = write_cut(&cut, path, reterr);
    free(cut.steps.at);
    free(cut.launches.at);
    free(cut.others.at);
    free(cut.marks);
    free(cut.blocks.at);
    return r;
}
