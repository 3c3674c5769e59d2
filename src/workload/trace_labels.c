/* Labels of job logs: see trace_labels.h. */
#include "workload/trace_labels.h"

#include "base/numfmt.h"

#include <stdio.h>

static void look_at(struct trace_label *label, const struct csv *csv, struct slice cell) {
    double value;
    if (label->has_text || cell.length == 0 || numfmt_parse_real(cell.at, cell.length, &value))
        return;
    label->has_text = !numfmt_is_infinite(cell.at, cell.length);
    if (label->has_text || label->infinite.line > 0)
        return;
    label->infinite = csv_where(csv, label->column);
    snprintf(label->infinite_text, sizeof label->infinite_text, "%.*s",
             (int)(cell.length < 23 ? cell.length : 23), cell.at);
}

const char *const *trace_labels_read(struct trace_labels *labels, struct trace *trace,
                                     const struct csv *csv) {
    if (labels->at.count == 0)
        return NULL;
    const char **texts = arena_alloc(&trace->arena, labels->at.count * sizeof *texts);
    for (size_t i = 0; i < labels->at.count; i++) {
        struct slice cell = csv_field(csv, labels->at.at[i].column);
        const char *last = labels->at.at[i].texts.last.at;
        texts[i] = trace_text_again(trace, cell, &labels->at.at[i].texts);
        if (texts[i] != last) /* as in the row before: nothing new */
            look_at(&labels->at.at[i], csv, cell);
    }
    return texts;
}

void trace_labels_check(const struct trace_labels *labels, const struct trace *trace,
                        struct problems *problems) {
    for (size_t i = 0; i < labels->at.count; i++) {
        const struct trace_label *label = &labels->at.at[i];
        if (label->infinite.line > 0 && !label->has_text)
            problems_add(
                problems, label->infinite, trace->label_names.at[i],
                "expected a finite number or empty, as in the rest of the column, got \"%s\"",
                label->infinite_text);
    }
}
