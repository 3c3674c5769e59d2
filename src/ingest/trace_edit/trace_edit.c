/* For all edits: events of a file, and a file of events. Filter needs nothing else. */

#include "ingest/trace_edit/internal.h"
#include "io/atomic_file.h"
#include "io/json_text.h"

#include <string.h>

#define BUFFER_BYTES ((size_t)256 << 10)

/* --- trace_fields --- */

void trace_fields_read(struct slice text, bool all, struct kineto_fields *f) {
    struct json_cursor cursor = json_inside(text);
    struct slice key, value;
    *f = (struct kineto_fields){.category = KINETO_OTHER};
    while (json_member(&cursor, &key, &value)) {
        kineto_take_field(f, key, value);
        if (all || !f->phase.at)
            continue;
        if (slice_is(f->phase, "M"))
            return;
        if (f->duration.at && f->start.at && f->name.at && f->category_text.at &&
            f->category != KINETO_KERNEL && f->category != KINETO_COPY &&
            f->category != KINETO_CALL)
            return;
    }
}

/* --- trace_pass --- */

static int end_pass(struct trace_edit *edit, const struct trace_pass *pass,
                    const struct json_stream *stream, uint64_t records, struct error *reterr) {
    const char *truncation = json_stream_truncation(stream);
    struct json_losses losses = json_stream_losses(stream);
    uint64_t long_members = json_stream_long_members(stream);
    bool damaged =
        truncation || losses.records + losses.strangers + losses.stretches + long_members > 0;
    if (edit->strict && damaged)
        return error_set(reterr, ERROR_INPUT, "%s: %s", pass->path,
                         truncation ? truncation : "damaged events");
    if (records == 0 && !damaged)
        return error_set(reterr, ERROR_INPUT, "%s: expected events in traceEvents, got none",
                         pass->path);
    if (truncation)
        problems_say(&edit->notes, "%s: %s, %llu events read", pass->path, truncation,
                     (unsigned long long)records);
    problems_say_count(&edit->notes, pass->path, losses.records, "damaged events left out");
    problems_say_count(&edit->notes, pass->path, losses.strangers,
                       "elements that are no events left out");
    problems_say_count(&edit->notes, pass->path, losses.stretches,
                       "damaged stretches outside of events left out");
    problems_say_count(&edit->notes, pass->path, long_members, "members of over 1 MiB left out");
    edit->damaged |= damaged;
    edit->records += records;
    return 0;
}

/* A file that cannot be read is bad input. */
static int blame_input(int r, struct error *reterr) {
    if (r == ERROR_IO)
        reterr->code = r = ERROR_INPUT;
    return r;
}

static int take_event(const struct trace_pass *pass, struct json_stream *stream,
                      const struct json_item *item, struct error *reterr) {
    uint64_t next = pass->next ? pass->next(pass->context, item->offset) : item->offset;
    return next == item->offset ? pass->event(pass->context, item, reterr)
                                : json_stream_skip(stream, next, reterr);
}

int trace_pass_run(struct trace_edit *edit, const struct trace_pass *pass, bool again,
                   struct error *reterr) {
    struct json_stream *stream;
    struct json_item item;
    uint64_t records = 0;
    int r = json_stream_open(pass->path, "traceEvents", kineto_event_keys, &stream, reterr);
    if (r < 0)
        return blame_input(r, reterr);
    while (r == 0) {
        int got = json_stream_next(stream, &item, reterr);
        if (got <= 0) {
            r = blame_input(got, reterr);
            break;
        }
        if (edit->strict && !json_is_valid(item.text))
            r = error_set(reterr, ERROR_INPUT,
                          "%s: expected valid JSON, got a bad value at byte %llu", pass->path,
                          (unsigned long long)item.offset);
        else if (item.key.length == 0)
            r = take_event(pass, stream, &item, reterr);
        else if (records == 0 && slice_is(item.key, "time_ns"))
            r = error_set(
                reterr, ERROR_INPUT,
                "%s: expected a trace of the PyTorch profiler, got the trace of a simulated "
                "run: `easim timeline` writes recorded runs for Perfetto",
                pass->path);
        else if (pass->writer)
            r = trace_writer_member(pass->writer, &item, reterr);
        else if (pass->member)
            r = pass->member(pass->context, &item, reterr);
        records += item.key.length == 0;
    }
    if (r == 0 && !again)
        r = end_pass(edit, pass, stream, records, reterr);
    json_stream_close(stream);
    return r;
}

/* --- trace_writer --- */

int trace_writer_open(struct trace_writer *writer, const char *path, struct error *reterr) {
    return packed_file_open(path, packing_of(path), &writer->file, reterr);
}

static int write_buffer(struct trace_writer *writer, bool all, struct error *reterr) {
    if (writer->buffer.length < (all ? 1 : BUFFER_BYTES))
        return 0;
    int r = packed_file_write(writer->file, writer->buffer.text, writer->buffer.length, reterr);
    writer->buffer.length = 0;
    return r;
}

static void begin_member(struct trace_writer *writer, const char *key, size_t length) {
    str_add(&writer->buffer, writer->in_events ? "\n]" : "");
    str_add(&writer->buffer, writer->has_member ? ",\n\"" : "{\n\"");
    str_add_bytes(&writer->buffer, key, length);
    str_add(&writer->buffer, "\": ");
    writer->has_member = true;
    writer->in_events = false;
}

int trace_writer_member(struct trace_writer *writer, const struct json_item *item,
                        struct error *reterr) {
    begin_member(writer, item->key.at, item->key.length);
    str_add_bytes(&writer->buffer, item->text.at, item->text.length);
    return write_buffer(writer, false, reterr);
}

int trace_writer_event(struct trace_writer *writer, struct slice text, struct error *reterr) {
    if (!writer->in_events) {
        begin_member(writer, "traceEvents", strlen("traceEvents"));
        str_add(&writer->buffer, "[\n");
    } else {
        str_add(&writer->buffer, ",\n");
    }
    writer->in_events = true;
    writer->events++;
    str_add_bytes(&writer->buffer, text.at, text.length);
    return write_buffer(writer, false, reterr);
}

int trace_writer_close(struct trace_writer *writer, int result, struct error *reterr) {
    if (result == 0) {
        if (writer->events == 0) {
            begin_member(writer, "traceEvents", strlen("traceEvents"));
            str_add(&writer->buffer, "[");
            writer->in_events = true;
        }
        str_add(&writer->buffer, writer->in_events ? "\n]\n}\n" : "\n}\n");
        result = write_buffer(writer, true, reterr);
    }
    if (result == 0)
        result = packed_file_commit(writer->file, reterr);
    else
        packed_file_abort(writer->file);
    str_finish(&writer->buffer);
    return result;
}

void trace_edit_finish(struct trace_edit *edit) {
    problems_finish(&edit->notes);
}

/* --- trace_filter --- */

/* Names that mean the same, the present one first. */
static const char *const categories[][5] = {
    {"kernel", "concurrent_kernel"},
    {"gpu_memcpy", "Memcpy"},
    {"gpu_memset", "Memset"},
    {"cuda_runtime", "Runtime"},
    {"cpu_op", "Operator"},
    {"ac2g", "async", "async_cpu_to_gpu", "async_gpu"},
    {"cuda_driver"},
    {"hip_runtime"},
    {"hip_driver"},
    {"mtia_runtime"},
    {"mtia_ccp_events"},
    {"user_annotation"},
    {"gpu_user_annotation"},
    {"python_function"},
    {"cpu_instant_event"},
    {"cuda_sync"},
    {"cuda_profiler_range"},
    {"overhead"},
    {"fwdbwd"},
    {"Trace"},
};

#define CATEGORIES (sizeof categories / sizeof *categories)

static size_t category_number(struct slice name) {
    for (size_t i = 0; i < CATEGORIES; i++)
        for (size_t k = 0; k < 5 && categories[i][k]; k++)
            if (slice_is_word(name, categories[i][k]))
                return i;
    return CATEGORIES;
}

struct filter {
    struct trace_writer writer;
    bool wanted[CATEGORIES + 1];
};

static int filter_event(void *context, const struct json_item *item, struct error *reterr) {
    struct filter *filter = context;
    struct kineto_fields f;
    trace_fields_read(item->text, false, &f);
    return slice_is(f.phase, "M") || filter->wanted[category_number(f.category_text)]
               ? trace_writer_event(&filter->writer, item->text, reterr)
               : 0;
}

static int choose_categories(struct filter *filter, const char *names, struct problems *problems) {
    size_t before = problems->count;
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        struct slice name = {at, strcspn(at, ",")};
        size_t number = category_number(name);
        filter->wanted[number] = number < CATEGORIES;
        if (number < CATEGORIES)
            continue;
        struct str all = {0};
        for (size_t i = 0; i < CATEGORIES; i++)
            str_addf(&all, "%s%s", i > 0 ? ", " : "", categories[i][0]);
        problems_add_setting(problems, (struct location){0}, "category",
                             "expected some of %s, got \"%.*s\"", all.text, (int)name.length, at);
        str_finish(&all);
    }
    return problems->count > before ? ERROR_INPUT : 0;
}

int trace_filter_write(struct trace_edit *edit, const char *path, const char *names,
                       struct problems *problems, struct error *reterr) {
    struct filter filter = {0};
    const struct trace_pass pass = {path, &filter, filter_event, &filter.writer, NULL, NULL};
    if (choose_categories(&filter, names, problems) < 0)
        return ERROR_INPUT;
    int r = trace_writer_open(&filter.writer, edit->output, reterr);
    if (r < 0)
        return r;
    r = trace_pass_run(edit, &pass, false, reterr);
    edit->kept = filter.writer.events;
    return trace_writer_close(&filter.writer, r, reterr);
}
