/* Claims and targets of a sweep for a person. */
#include "output/sweep/findings_tables.h"

#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>

#define MOST_ROWS  60 /* of the break-down; longer ones are for claims.csv */
#define CELL_WIDTH 8

static const char break_down_title[] = "clearly so/opposite (%)";

/* "61 %", of the readings that are there; "-" if none is. */
static void add_share_cell(struct str *out, double share, int width) {
    if (isnan(share))
        str_addf(out, "%*s", width, "-");
    else
        str_addf(out, "%*.0f %%", width - 2, 100 * share);
}

static int subject_width(size_t count, const void *first, size_t size) {
    int width = 6;
    for (size_t i = 0; i < count; i++) {
        const struct claims_subject *subject = (const void *)((const char *)first + i * size);
        int length = (int)strlen(subject->name);
        width = length > width ? length : width;
    }
    return width;
}

static void claims_table(const struct findings *findings, struct str *out) {
    const struct claims *c = findings->claims;
    const struct readings_slice all = {SLICE_ALL, NULL};
    int width = subject_width(c->claim_count, c->claims, sizeof *c->claims);
    str_addf(out, "\n   %-*s  readings  missing  as claimed  clearly so  clearly opposite\n", width,
             "claim");
    for (size_t i = 0; i < c->claim_count; i++) {
        struct claim_tally tally = findings_tally(findings, i, &all);
        str_addf(out, "%2zu %-*s  %8zu  %7zu", i + 1, width, c->claims[i].subject.name,
                 tally.readings, tally.missing);
        add_share_cell(out, findings_share(&tally, tally.as_claimed), 12);
        add_share_cell(out, findings_share(&tally, tally.clear), 12);
        add_share_cell(out, findings_share(&tally, tally.opposite), 18);
        str_add_char(out, '\n');
    }
}

/* ---- By reading: a row per slice, a column per claim ---- */

struct rows {
    ARRAY_OF(struct readings_slice) slices;
    int axis_width, label_width;
};

static void note_slice(const struct claims *claims, struct rows *rows,
                       const struct readings_slice *slice) {
    for (size_t i = 0; i < rows->slices.count; i++)
        if (rows->slices.at[i].axis == slice->axis &&
            strcmp(rows->slices.at[i].label, slice->label) == 0)
            return;
    array_push(&rows->slices, *slice);
    int axis = (int)strlen(findings_slice_axis(claims, slice)), label = (int)strlen(slice->label);
    rows->axis_width = axis > rows->axis_width ? axis : rows->axis_width;
    rows->label_width = label > rows->label_width ? label : rows->label_width;
}

/* The slices of any claim: metrics first, then axis by axis. */
static void collect_rows(const struct claims *claims, struct rows *rows) {
    for (size_t a = 0; a <= claims->sweep->axes.count; a++)
        for (size_t i = 0; i < claims->claim_count; i++) {
            size_t count;
            struct readings_slice *slices = findings_slices(claims, i, &count);
            for (size_t s = 1; s < count; s++)
                if (slices[s].axis == (a == 0 ? SLICE_METRIC : a - 1))
                    note_slice(claims, rows, &slices[s]);
            free(slices);
        }
}

static void add_clear_cell(const struct claim_tally *tally, struct str *out) {
    char cell[CELL_WIDTH + 1] = "-";
    if (tally->readings > tally->missing)
        snprintf(cell, sizeof cell, "%.0f/%.0f", 100 * findings_share(tally, tally->clear),
                 100 * findings_share(tally, tally->opposite));
    str_addf(out, "%*s", CELL_WIDTH, cell);
}

static void break_down(const struct findings *findings, struct str *out) {
    struct rows rows = {0};
    collect_rows(findings->claims, &rows);
    if (rows.slices.count > 0 && rows.slices.count <= MOST_ROWS) {
        int title = (int)strlen(break_down_title) - rows.axis_width - 2;
        rows.label_width = rows.label_width > title ? rows.label_width : title;
        str_addf(out, "\n%-*s", rows.axis_width + 2 + rows.label_width, break_down_title);
        for (size_t i = 0; i < findings->claims->claim_count; i++)
            str_addf(out, "%*zu", CELL_WIDTH, i + 1);
        str_add_char(out, '\n');
        for (size_t r = 0; r < rows.slices.count; r++) {
            const struct readings_slice *row = &rows.slices.at[r];
            str_addf(out, "%-*s  %-*s", rows.axis_width, findings_slice_axis(findings->claims, row),
                     rows.label_width, row->label);
            for (size_t i = 0; i < findings->claims->claim_count; i++) {
                struct claim_tally tally = findings_tally(findings, i, row);
                add_clear_cell(&tally, out);
            }
            str_add_char(out, '\n');
        }
    }
    free(rows.slices.at);
}

/* ---- Targets ---- */

static void add_reading(const struct claims *claims, const struct claims_subject *subject,
                        const struct target_reading *reading, struct str *out) {
    const char *separator = "  ";
    if (subject->scope_count > 1) {
        str_addf(out, "%s%s", separator, subject->scopes[reading->scope].label);
        separator = "; ";
    }
    for (size_t a = 0; a < claims->sweep->axes.count; a++)
        if (!claims_picks_axis(&subject->of, a)) {
            str_addf(out, "%s%s", separator, sweep_value(claims->sweep, reading->point, a)->shown);
            separator = "; ";
        }
}

static void targets_table(const struct findings *findings, struct str *out) {
    const struct claims *c = findings->claims;
    int width = subject_width(c->target_count, c->targets, sizeof *c->targets);
    str_addf(out, "\n%-*s  within  readings  missing   nearest    off  reading of the nearest\n",
             width, "target");
    for (size_t t = 0; t < c->target_count; t++) {
        const struct target_reading *nearest = findings_nearest(&findings->of_targets[t]);
        size_t missing, within = findings_within(&findings->of_targets[t], &missing);
        str_addf(out, "%-*s  %6zu  %8zu  %7zu", width, c->targets[t].subject.name, within,
                 findings->of_targets[t].count, missing);
        if (nearest) {
            if (isnan(nearest->mean))
                str_addf(out, "%10s", "");
            else
                run_report_add_number(out, nearest->mean, 10);
            str_addf(out, "%5.1f %%", 100 * nearest->deviation);
            add_reading(c, &c->targets[t].subject, nearest, out);
        }
        str_add_char(out, '\n');
    }
}

void findings_report(const struct findings *findings, struct str *out) {
    if (findings->claims->claim_count > 0) {
        claims_table(findings, out);
        break_down(findings, out);
    }
    if (findings->claims->target_count > 0)
        targets_table(findings, out);
}
