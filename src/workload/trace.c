/* Recorded job logs: see trace.h. */
#include "workload/trace.h"

#include "base/units.h"
#include "workload/order.h"

#include <math.h>
#include <stdlib.h>

void trace_finish(struct trace *t) {
    free(t->rows.at);
    free(t->label_names.at);
    free(t->notes.at);
    intern_finish(&t->texts);
    arena_finish(&t->arena);
    *t = (struct trace){0};
}

void trace_note(struct trace *t, bool dropped, const char *reason, uint32_t line) {
    for (size_t i = 0; i < t->notes.count; i++)
        if (strcmp(t->notes.at[i].reason, reason) == 0) {
            t->notes.at[i].rows++;
            return;
        }
    array_push(&t->notes, ((struct trace_note){reason, 1, line, dropped}));
}

void trace_write_notes(const struct trace *t, const char *file, const char *prefix, struct str *out) {
    for (size_t i = 0; i < t->notes.count; i++) {
        const struct trace_note *note = &t->notes.at[i];
        str_addf(out, "%s%s: %llu rows %s: %s (first: line %u)\n", prefix, file, (unsigned long long)note->rows,
                 note->dropped ? "dropped" : "changed", note->reason, note->first_line);
    }
}

const char *trace_text(struct trace *t, struct slice text) {
    return text.length == 0 ? NULL : intern_text(&t->texts, intern(&t->texts, text.at, text.length, NULL));
}

void trace_sort(struct trace *t, bool shift) {
    size_t count = t->rows.count;
    uint32_t *order = count > 0 ? order_by_time(&t->rows.at->submit_ns, sizeof *t->rows.at, count) : NULL;
    if (order) {
        struct trace_row *rows = mem_zalloc(count, sizeof *rows);
        for (size_t i = 0; i < count; i++)
            rows[i] = t->rows.at[order[i]];
        free(t->rows.at);
        t->rows.at = rows;
        t->rows.capacity = count;
        free(order);
    }
    if (!shift || count == 0)
        return;
    int64_t first_ns = t->rows.at[0].submit_ns;
    t->offset_s = units_s(first_ns);
    for (size_t i = 0; i < count; i++) {
        t->rows.at[i].submit_ns -= first_ns;
        t->rows.at[i].deadline_s -= t->offset_s;
    }
}
