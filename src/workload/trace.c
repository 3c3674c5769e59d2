/* Recorded job logs in memory: their order, begin and notes; readers make the rows. See trace.h. */
#include "workload/trace.h"

#include "base/mem.h"
#include "base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- order --- */

struct key {
    int64_t time_ns;
    uint32_t place;
};

ORDER_BY(compare_timed_keys, struct key, ASC(time_ns) ASC(place))

static int64_t time_at(const int64_t *first_ns, size_t stride, size_t i) {
    return *(const int64_t *)((const char *)first_ns + i * stride);
}

static bool are_in_order(const int64_t *first_ns, size_t stride, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (time_at(first_ns, stride, i - 1) > time_at(first_ns, stride, i))
            return false;
    return true;
}

uint32_t *order_by_time(const int64_t *first_ns, size_t stride, size_t count) {
    if (are_in_order(first_ns, stride, count))
        return NULL;
    struct key *keys = mem_realloc(NULL, count, sizeof *keys);
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct key){time_at(first_ns, stride, i), (uint32_t)i};
    sort_array(keys, count, compare_timed_keys);
    uint32_t *order = mem_realloc(NULL, count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = keys[i].place;
    free(keys);
    return order;
}

void *order_sorted_by_time(const void *records, size_t size, size_t time_offset, size_t count) {
    const char *at = records;
    uint32_t *order =
        count > 0 ? order_by_time((const int64_t *)(at + time_offset), size, count) : NULL;
    if (!order)
        return NULL;
    char *sorted = mem_realloc(NULL, count, size);
    for (size_t i = 0; i < count; i++)
        memcpy(sorted + i * size, at + order[i] * size, size);
    free(order);
    return sorted;
}

/* --- trace --- */

void trace_finish(struct trace *trace) {
    free(trace->rows.at);
    free(trace->label_names.at);
    free(trace->notes.at);
    intern_finish(&trace->texts);
    arena_finish(&trace->arena);
    *trace = (struct trace){0};
}

enum trace_option trace_option_unused(const struct trace_reader *reader,
                                      const struct trace_options *options) {
    unsigned given = (options->models ? TRACE_OPTION_MODELS : 0) |
                     (options->time_zone ? TRACE_OPTION_TIME_ZONE : 0) |
                     (options->work_count > 0 ? TRACE_OPTION_WORK : 0);
    unsigned unused = given & ~reader->options;
    return (enum trace_option)(unused & -unused);
}

struct trace_row trace_row_absent(uint32_t line) {
    static const struct trace_row absent = {.deadline_s = NAN,
                                            .work_samples = NAN,
                                            .duration_s = NAN,
                                            .requested_s = NAN,
                                            .utilization = NAN,
                                            .flex = NAN};
    struct trace_row row = absent;
    row.line = line;
    return row;
}

void trace_note(struct trace *trace, bool dropped, const char *reason, uint32_t line) {
    for (size_t i = 0; i < trace->notes.count; i++)
        if (strcmp(trace->notes.at[i].reason, reason) == 0) {
            trace->notes.at[i].rows++;
            return;
        }
    array_push(&trace->notes, ((struct trace_note){reason, 1, line, dropped}));
}

void trace_write_notes(const struct trace *trace, const char *file, const char *prefix,
                       struct str *out) {
    for (size_t i = 0; i < trace->notes.count; i++) {
        const struct trace_note *note = &trace->notes.at[i];
        str_addf(out, "%s%s: %llu rows %s: %s (first: line %u)\n", prefix, file,
                 (unsigned long long)note->rows, note->dropped ? "dropped" : "changed",
                 note->reason, note->first_line);
    }
}

const char *trace_text(struct trace *trace, struct slice text) {
    return text.length == 0
               ? NULL
               : intern_text(&trace->texts, intern(&trace->texts, text.at, text.length, NULL));
}

/* Whether so many texts of the column were new that a search is not worth its time and memory. */
static bool is_hardly_known(const struct trace_text_cache *cache) {
    return cache->looked_up >= 4096 && cache->found < cache->looked_up / 4;
}

const char *trace_text_again(struct trace *trace, struct slice text,
                             struct trace_text_cache *cache) {
    if (text.length == 0)
        return NULL;
    if (text.length == cache->last.length && memcmp(text.at, cache->last.at, text.length) == 0)
        return cache->last.at;
    cache->last.length = text.length;
    if (is_hardly_known(cache))
        return cache->last.at = arena_strndup(&trace->arena, text.at, text.length);
    bool is_new;
    uint32_t number = intern(&trace->texts, text.at, text.length, &is_new);
    cache->looked_up++;
    cache->found += !is_new;
    return cache->last.at = intern_text(&trace->texts, number);
}

void trace_sort(struct trace *trace, bool shift) {
    size_t count = trace->rows.count;
    struct trace_row *sorted =
        trace->ordered == count
            ? NULL
            : order_sorted_by_time(trace->rows.at, sizeof *trace->rows.at,
                                   offsetof(struct trace_row, submit_ns), count);
    trace->ordered = 0; /* what is changed from here on may be in any order */
    if (sorted) {
        free(trace->rows.at);
        trace->rows.at = sorted;
        trace->rows.capacity = count;
    }
    if (shift && count > 0)
        trace_shift(trace, trace->rows.at[0].submit_ns);
}

void trace_shift(struct trace *trace, int64_t zero_ns) {
    double zero_s = units_s(zero_ns);
    if (zero_ns == 0)
        return;
    trace->offset_s += zero_s;
    for (size_t i = 0; i < trace->rows.count; i++) {
        trace->rows.at[i].submit_ns -= zero_ns;
        trace->rows.at[i].deadline_s -= zero_s;
    }
}

/* The columns of the whole for the labels of a part; new ones are added. */
static uint32_t *label_places(struct trace *trace, struct intern *names, const struct trace *part) {
    uint32_t *places = arena_alloc(&trace->arena, part->label_names.count * sizeof *places);
    for (size_t i = 0; i < part->label_names.count; i++) {
        const char *name = part->label_names.at[i];
        bool is_new;
        places[i] = intern(names, name, strlen(name), &is_new);
        if (is_new)
            array_push(&trace->label_names, name);
    }
    return places;
}

static void add_part(struct trace *trace, struct trace *part, const uint32_t *places,
                     size_t number) {
    for (size_t i = 0; i < part->rows.count; i++) {
        struct trace_row row = part->rows.at[i];
        const char **labels = arena_alloc(&trace->arena, trace->label_names.count * sizeof *labels);
        for (size_t l = 0; l < part->label_names.count && row.labels; l++)
            labels[places[l]] = row.labels[l];
        row.labels = labels;
        row.id = arena_printf(&trace->arena, "%zu-%s", number, row.id);
        row.submit_ns += units_ns(part->offset_s);
        row.deadline_s += part->offset_s;
        array_push(&trace->rows, row);
    }
    trace->rows_read += part->rows_read;
    arena_adopt(&trace->arena, &part->arena);
    arena_adopt(&trace->arena, &part->texts.arena);
    intern_finish(&part->texts);
    part->rows.count = part->label_names.count = 0;
}

void trace_join(struct trace *trace, struct trace *parts, size_t count) {
    struct intern names = {0};
    uint32_t **places = mem_zalloc(count, sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = label_places(trace, &names, &parts[i]);
    for (size_t i = 0; i < count; i++)
        add_part(trace, &parts[i], places[i], i + 1);
    free(places);
    intern_finish(&names);
}
