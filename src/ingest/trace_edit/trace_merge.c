/* One trace of several ranks. Events of a rank follow a marker with its shift, and members of its
   file follow them, so that the reader takes the ranks apart again (kineto_trace.h). */
#include "base/intern.h"
#include "ingest/kineto/kineto_ranks.h"
#include "ingest/kineto/kineto_shares.h"
#include "ingest/trace_edit/internal.h"
#include "io/json_text.h"

#include <stdlib.h>

#define PIDS_OF_RANK 1000 /* pids are small: viewers keep 32 bits */
#define MOST_RANK    (UINT32_MAX / PIDS_OF_RANK - 1)
#define MOST_RECORD  (JSON_STREAM_MAX_BYTES - 256) /* of a member, which becomes an event */

/* A value of an event, and what takes its place. */
struct change {
    struct slice value;
    struct str text;
};

enum { PROCESS, FLOW_ID, START, NAME, CHANGES };

struct merge {
    struct trace_edit *edit;
    struct kineto_reading reading;
    struct name_pattern *communication;
    struct kineto_kinds kinds;
    struct kineto_trace *traces;
    size_t count;
    struct trace_writer writer;
    struct problems *problems;
    /* of the rank at work */
    int64_t rank, shift_ns;
    struct intern pids;
    struct change changes[CHANGES];
    struct str text, members;
    uint64_t untimed;
    bool is_long; /* a member is */
};

ORDER_BY(by_rank, struct kineto_trace, ASC(rank) TEXT_ASC(path))

/* ---- Clocks ---- */

static void read_ranks(struct merge *merge, char *const *paths) {
    for (size_t i = 0; i < merge->count; i++) {
        struct kineto_trace *trace = &merge->traces[i];
        struct kineto_streams streams;
        struct error error = {0};
        if (kineto_trace_read(paths[i], &merge->reading, trace, &error) < 0) {
            problems_say(merge->problems, "%s", error.text);
            continue;
        }
        if (trace->sections > 0)
            problems_say(merge->problems, "%s: expected a trace of one rank, got a merged one",
                         paths[i]);
        kineto_prepare(trace, &merge->reading, &streams);
        free(streams.all.at);
        kineto_trace_keep_communication(trace);
    }
}

static int check_worlds(struct merge *merge) {
    size_t before = merge->problems->count;
    const struct kineto_trace *first = &merge->traces[0];
    for (size_t i = 0; i < merge->count; i++) {
        const struct kineto_trace *trace = &merge->traces[i];
        if (trace->world_size != first->world_size)
            problems_say(merge->problems,
                         "%s: expected a world of %lld ranks as in %s, got one of %lld",
                         trace->path, (long long)first->world_size, first->path,
                         (long long)trace->world_size);
        if (trace->rank > (int64_t)MOST_RANK)
            problems_say(merge->problems, "%s: expected a rank up to %u, got %lld", trace->path,
                         MOST_RANK, (long long)trace->rank);
    }
    return merge->problems->count > before ? ERROR_INPUT : 0;
}

/* Where the clocks of the ranks agree, the shift is that of their base times alone. */
static void find_shifts(struct merge *merge, const struct kineto_ranks *ranks, int64_t *shifts) {
    struct problems *notes = &merge->edit->notes;
    int64_t first_base = 0;
    for (size_t i = 0; i < merge->count; i++) {
        const struct kineto_trace *trace = &merge->traces[i];
        int64_t time_ns = trace->events.count > 0 ? trace->events.at[0].end_ns : trace->origin_ns;
        int64_t base = kineto_base_ns(trace, time_ns), offset = 0;
        if (i == 0)
            first_base = base;
        if (ranks->corrected)
            offset = ranks->ranks[i].clock_offset_ns - ranks->ranks[0].clock_offset_ns;
        shifts[i] = base - first_base - offset;
        problems_say(notes, "rank %lld: clock ahead of that of rank %lld by %.3f us",
                     (long long)trace->rank, (long long)merge->traces[0].rank,
                     (double)offset / 1e3);
    }
    if (ranks->collectives.count == 0)
        problems_say(notes,
                     "no collective of these ranks could be matched: clocks were compared by "
                     "base time alone");
    else if (!ranks->corrected)
        problems_say(notes, "clocks agree within %.3f us: no times were changed for them",
                     (double)ranks->residual_ns / 1e3);
}

/* ---- Events of a rank ---- */

static void add_microseconds(struct str *out, int64_t time_ns) {
    uint64_t size = time_ns < 0 ? -(uint64_t)time_ns : (uint64_t)time_ns;
    str_addf(out, "%s%llu.%03u", time_ns < 0 ? "-" : "", (unsigned long long)(size / 1000),
             (unsigned)(size % 1000));
}

static void change_process(struct merge *merge, const struct kineto_fields *f) {
    struct change *change = &merge->changes[PROCESS];
    int64_t number;
    change->value = f->process;
    if (json_is_string(f->process) && !json_integer(f->process, &number)) {
        str_addf(&change->text, "\"rank %lld ", (long long)merge->rank);
        str_add_bytes(&change->text, f->process.at + 1, f->process.length - 1);
    } else if (f->process.length > 0) {
        uint32_t place = intern(&merge->pids, f->process.at, f->process.length, NULL);
        place = place < PIDS_OF_RANK ? place : PIDS_OF_RANK - 1;
        str_addf(&change->text, "%lld", (long long)merge->rank * PIDS_OF_RANK + place);
    }
}

/* Flow ids of 32 bits stay numbers, which a viewer in JavaScript holds exactly. */
static void change_flow(struct merge *merge, const struct kineto_fields *f) {
    struct change *change = &merge->changes[FLOW_ID];
    int64_t number;
    change->value = f->id;
    if (f->id.length == 0)
        return;
    if (!json_is_string(f->id) && json_integer(f->id, &number) && number >= 0 &&
        number <= UINT32_MAX && merge->rank < 1 << 20)
        str_addf(&change->text, "%lld", (long long)(merge->rank * (INT64_C(1) << 32) + number));
    else
        str_addf(&change->text, "\"%lld:%.*s\"", (long long)merge->rank,
                 (int)json_string(f->id).length, json_string(f->id).at);
}

/* Times of other events than metadata; false: unreadable, or beyond what 64 bits hold. */
static bool change_start(struct merge *merge, const struct kineto_fields *f) {
    struct change *change = &merge->changes[START];
    int64_t start_ns;
    change->value = f->start;
    if (f->start.length == 0 || merge->shift_ns == 0)
        return true;
    if (!json_microseconds(f->start, &start_ns) ||
        __builtin_add_overflow(start_ns, merge->shift_ns, &start_ns))
        return slice_is(f->phase, "M");
    add_microseconds(&change->text, start_ns);
    return true;
}

/* A process shows whose it is. */
static void change_name(struct merge *merge, const struct kineto_fields *f) {
    struct slice name = json_find(f->arguments, "name");
    if (!slice_is(f->phase, "M") || !slice_is(f->name, "process_name") || !json_is_string(name))
        return;
    struct slice process = json_string(f->process);
    merge->changes[NAME].value = name;
    str_addf(&merge->changes[NAME].text, "\"rank %lld, pid %.*s: ", (long long)merge->rank,
             (int)process.length, process.at);
    str_add_bytes(&merge->changes[NAME].text, name.at + 1, name.length - 1);
}

/* The changes in the order of the text. */
static void splice(struct merge *merge, struct slice text) {
    const char *at = text.at;
    merge->text.length = 0;
    for (;;) {
        const struct change *next = NULL;
        for (size_t i = 0; i < CHANGES; i++) {
            const struct change *change = &merge->changes[i];
            if (change->text.length > 0 && change->value.at >= at &&
                (!next || change->value.at < next->value.at))
                next = change;
        }
        const char *end = next ? next->value.at : text.at + text.length;
        str_add_bytes(&merge->text, at, (size_t)(end - at));
        if (!next)
            return;
        str_add_bytes(&merge->text, next->text.text, next->text.length);
        at = next->value.at + next->value.length;
    }
}

static int merge_event(void *context, const struct json_item *item, struct error *reterr) {
    struct merge *merge = context;
    struct kineto_fields f;
    for (size_t i = 0; i < CHANGES; i++)
        merge->changes[i].text.length = 0;
    trace_fields_read(item->text, true, &f);
    change_process(merge, &f);
    change_flow(merge, &f);
    change_name(merge, &f);
    if (!change_start(merge, &f)) {
        merge->untimed++;
        return 0;
    }
    splice(merge, item->text);
    merge->edit->kept++;
    return trace_writer_event(&merge->writer, (struct slice){merge->text.text, merge->text.length},
                              reterr);
}

/* They are written behind the events. */
static int keep_member(void *context, const struct json_item *item, struct error *reterr) {
    struct merge *merge = context;
    (void)reterr;
    if (item->key.length + item->text.length > MOST_RECORD) {
        merge->is_long = true;
        return 0;
    }
    str_addf(&merge->members, "%s,\"pid\":%lld,\"args\":{\"", KINETO_MEMBER,
             (long long)merge->rank * PIDS_OF_RANK);
    str_add_bytes(&merge->members, item->key.at, item->key.length);
    str_add(&merge->members, "\":");
    str_add_bytes(&merge->members, item->text.at, item->text.length);
    str_add_bytes(&merge->members, "}}", 3); /* and a NUL, which no record holds */
    return 0;
}

static int write_members(struct merge *merge, struct error *reterr) {
    int r = 0;
    for (size_t at = 0; r == 0 && at < merge->members.length;) {
        size_t length = strlen(merge->members.text + at);
        r = trace_writer_event(&merge->writer, (struct slice){merge->members.text + at, length},
                               reterr);
        at += length + 1;
    }
    merge->members.length = 0;
    return r;
}

static int write_rank(struct merge *merge, const struct kineto_trace *trace, int64_t shift_ns,
                      struct error *reterr) {
    const struct trace_pass pass = {trace->path, merge, merge_event, NULL, keep_member, NULL};
    merge->rank = trace->rank < 0 ? 0 : trace->rank;
    merge->shift_ns = shift_ns;
    merge->untimed = 0;
    merge->text.length = 0;
    str_addf(&merge->text, "%s,\"pid\":%lld,\"args\":{\"rank\":%lld,\"shift_ns\":%lld}}",
             KINETO_SECTION, (long long)merge->rank * PIDS_OF_RANK, (long long)merge->rank,
             (long long)shift_ns);
    int r = trace_writer_event(&merge->writer, (struct slice){merge->text.text, merge->text.length},
                               reterr);
    if (r == 0)
        r = trace_pass_run(merge->edit, &pass, false, reterr);
    if (r == 0)
        r = write_members(merge, reterr);
    problems_say_count(&merge->edit->notes, trace->path, merge->untimed,
                       "events without a readable time left out");
    if (merge->pids.entries.count > PIDS_OF_RANK)
        problems_say(&merge->edit->notes, "%s: over %d processes: the last ones have one pid",
                     trace->path, PIDS_OF_RANK);
    if (merge->is_long)
        problems_say(&merge->edit->notes, "%s: a member of about 1 MiB left out", trace->path);
    merge->edit->damaged |= merge->is_long;
    merge->is_long = false;
    intern_finish(&merge->pids);
    return r;
}

static int write_merged(struct merge *merge, const int64_t *shifts, struct error *reterr) {
    static const struct json_item version = {{"schemaVersion", 13}, {"1", 1}, 0};
    int r = trace_writer_open(&merge->writer, merge->edit->output, reterr);
    if (r < 0)
        return r;
    r = trace_writer_member(&merge->writer, &version, reterr);
    for (size_t i = 0; r == 0 && i < merge->count; i++)
        r = write_rank(merge, &merge->traces[i], shifts[i], reterr);
    return trace_writer_close(&merge->writer, r, reterr);
}

/* ---- All ranks ---- */

static void finish_merge(struct merge *merge) {
    for (size_t i = 0; i < merge->count; i++)
        kineto_trace_finish(&merge->traces[i]);
    for (size_t i = 0; i < CHANGES; i++)
        str_finish(&merge->changes[i].text);
    str_finish(&merge->text);
    str_finish(&merge->members);
    free(merge->traces);
    kineto_kinds_finish(&merge->kinds);
    name_pattern_free(merge->communication);
}

int trace_merge_write(struct trace_edit *edit, char *const *paths, size_t count,
                      struct problems *problems, struct error *reterr) {
    size_t before = problems->count;
    struct merge merge = {.edit = edit, .count = count, .problems = problems};
    int r = name_pattern_make(KINETO_COMMUNICATION_PATTERN, &merge.communication, reterr);
    if (r < 0)
        return r;
    merge.reading = (struct kineto_reading){
        .communication = merge.communication, .strict = edit->strict, .kinds = &merge.kinds};
    kineto_kinds_init(&merge.kinds);
    merge.traces = mem_zalloc(count, sizeof *merge.traces);
    read_ranks(&merge, paths);
    sort_array(merge.traces, count, by_rank);
    if (problems->count > before || kineto_ranks_check(merge.traces, count, problems) < 0 ||
        check_worlds(&merge) < 0) {
        r = ERROR_INPUT;
    } else {
        struct kineto_ranks ranks;
        int64_t *shifts = mem_alloc(count * sizeof *shifts);
        kineto_ranks_init(&ranks, &merge.kinds, merge.traces, count);
        find_shifts(&merge, &ranks, shifts);
        kineto_ranks_finish(&ranks);
        r = write_merged(&merge, shifts, reterr);
        free(shifts);
    }
    finish_merge(&merge);
    return r;
}
