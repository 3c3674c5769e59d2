/* Claims and targets of a sweep: see findings.h. */
#include "output/sweep/findings.h"

#include "io/csv.h"
#include "output/json.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>

/* --- findings_tables --- */
/* claims.csv, targets.csv, the files of their readings, and the same as JSON. */

static const char *const verdict_names[] = {"missing", "not clear", "clearly so",
                                            "clearly opposite"};

/* ---- CSV ---- */

void findings_tables_claims(const struct findings *findings, struct str *out) {
    str_add(out, "claim,axis,value,readings,missing,as_claimed,clearly_so,clearly_opposite\n");
    for (size_t i = 0; i < findings->claims->claim_count; i++) {
        const struct claims_subject *subject = &findings->claims->claims[i].subject;
        size_t count;
        struct readings_slice *slices = findings_slices(findings->claims, i, &count);
        for (size_t s = 0; s < count; s++) {
            struct claim_tally tally = findings_tally(findings, i, &slices[s]);
            if (tally.readings == 0)
                continue;
            csv_add_text(out, subject->name);
            csv_comma_text(out, findings_slice_axis(findings->claims, &slices[s]));
            csv_comma_text(out, slices[s].label);
            csv_comma_int(out, (int64_t)tally.readings);
            csv_comma_int(out, (int64_t)tally.missing);
            csv_comma_real(out, findings_share(&tally, tally.as_claimed));
            csv_comma_real(out, findings_share(&tally, tally.clear));
            csv_comma_real(out, findings_share(&tally, tally.opposite));
            str_add_char(out, '\n');
        }
        free(slices);
    }
}

static void axis_names(const struct claims *claims, struct str *out) {
    for (size_t a = 0; a < claims->sweep->axes.count; a++)
        csv_comma_text(out, claims->sweep->axes.at[a].column);
}

/* The scope and the values of a point; those that the targets of a joint one do not share stay
 * empty. */
static void reading_cells(const struct claims *claims, const struct claims_subject *subject,
                          size_t scope, size_t point, bool joint, struct str *out) {
    csv_comma_text(out, subject->scopes[scope].label);
    for (size_t a = 0; a < claims->sweep->axes.count; a++)
        csv_comma_text(out, joint && claims_picks_axis(&subject->of, a)
                                ? NULL
                                : sweep_value(claims->sweep, point, a)->shown);
}

void findings_tables_claim_readings(const struct findings *findings, struct str *out) {
    str_add(out, "claim,metric");
    axis_names(findings->claims, out);
    str_add(out, ",n,mean,against_mean,diff,ci95,as_claimed,verdict\n");
    for (size_t i = 0; i < findings->claims->claim_count; i++)
        for (size_t j = 0; j < findings->of_claims[i].count; j++) {
            const struct claim_reading *r = &findings->of_claims[i].readings[j];
            csv_add_text(out, findings->claims->claims[i].subject.name);
            reading_cells(findings->claims, &findings->claims->claims[i].subject, r->scope,
                          r->point, false, out);
            csv_comma_int(out, (int64_t)r->n);
            csv_comma_real(out, r->mean);
            csv_comma_real(out, r->against_mean);
            csv_comma_real(out, r->diff);
            csv_comma_real(out, r->ci95);
            csv_comma_text(out, r->verdict == CLAIM_MISSING ? NULL : r->as_claimed ? "1" : "0");
            csv_comma_text(out, verdict_names[r->verdict]);
            str_add_char(out, '\n');
        }
}

void findings_tables_target_readings(const struct findings *findings, struct str *out) {
    str_add(out, "target,metric");
    axis_names(findings->claims, out);
    str_add(out, ",n,mean,ci95,deviation,within\n");
    for (size_t t = 0; t < findings->claims->target_count; t++)
        for (size_t j = 0; j < findings->of_targets[t].count; j++) {
            const struct target *target = &findings->claims->targets[t];
            const struct target_reading *r = &findings->of_targets[t].readings[j];
            csv_add_text(out, target->subject.name);
            reading_cells(findings->claims, &target->subject, r->scope, r->point,
                          target->all_count > 0, out);
            csv_comma_int(out, (int64_t)r->n);
            csv_comma_real(out, r->mean);
            csv_comma_real(out, r->ci95);
            csv_comma_real(out, r->deviation);
            csv_comma_text(out, r->missing ? NULL : r->within ? "1" : "0");
            str_add_char(out, '\n');
        }
}

void findings_tables_targets(const struct findings *findings, struct str *out) {
    str_add(out, "target,value,tolerance,readings,missing,within,nearest,deviation,metric");
    axis_names(findings->claims, out);
    str_add_char(out, '\n');
    for (size_t t = 0; t < findings->claims->target_count; t++) {
        const struct target *target = &findings->claims->targets[t];
        const struct target_reading *nearest = findings_nearest(&findings->of_targets[t]);
        size_t missing, within = findings_within(&findings->of_targets[t], &missing);
        csv_add_text(out, target->subject.name);
        csv_comma_real(out, target->value);
        csv_comma_real(out, target->within);
        csv_comma_int(out, (int64_t)findings->of_targets[t].count);
        csv_comma_int(out, (int64_t)missing);
        csv_comma_int(out, (int64_t)within);
        csv_comma_real(out, nearest ? nearest->mean : NAN);
        csv_comma_real(out, nearest ? nearest->deviation : NAN);
        if (nearest)
            reading_cells(findings->claims, &target->subject, nearest->scope, nearest->point,
                          target->all_count > 0, out);
        for (size_t a = 0; !nearest && a <= findings->claims->sweep->axes.count; a++)
            str_add_char(out, ',');
        str_add_char(out, '\n');
    }
}

void findings_csv(const struct findings *findings, struct str *out) {
    if (findings->claims->claim_count > 0)
        findings_tables_claims(findings, out);
    if (findings->claims->claim_count > 0 && findings->claims->target_count > 0)
        str_add_char(out, '\n');
    if (findings->claims->target_count > 0)
        findings_tables_targets(findings, out);
}

/* ---- JSON ---- */

static void add_claim_tally(cJSON *object, const struct claim_tally *tally) {
    json_add_int(object, "readings", (int64_t)tally->readings);
    json_add_int(object, "missing", (int64_t)tally->missing);
    json_add_real(object, "as_claimed", findings_share(tally, tally->as_claimed));
    json_add_real(object, "clearly_so", findings_share(tally, tally->clear));
    json_add_real(object, "clearly_opposite", findings_share(tally, tally->opposite));
}

static void add_claim(const struct findings *findings, size_t claim, cJSON *array) {
    size_t count;
    struct readings_slice *slices = findings_slices(findings->claims, claim, &count);
    cJSON *object = cJSON_CreateObject(), *by = NULL;
    cJSON_AddItemToArray(array, object);
    cJSON_AddStringToObject(object, "name", findings->claims->claims[claim].subject.name);
    for (size_t s = 0; s < count; s++) {
        struct claim_tally tally = findings_tally(findings, claim, &slices[s]);
        if (tally.readings == 0)
            continue;
        if (s == 0) {
            add_claim_tally(object, &tally);
            by = cJSON_AddArrayToObject(object, "by");
            continue;
        }
        cJSON *part = cJSON_CreateObject();
        cJSON_AddItemToArray(by, part);
        cJSON_AddStringToObject(part, "axis", findings_slice_axis(findings->claims, &slices[s]));
        cJSON_AddStringToObject(part, "value", slices[s].label);
        add_claim_tally(part, &tally);
    }
    free(slices);
}

static void add_nearest(const struct claims *claims, const struct target *target,
                        const struct target_reading *r, cJSON *object) {
    const struct claims_subject *subject = &target->subject;
    cJSON *nearest = cJSON_AddObjectToObject(object, "nearest");
    json_add_real(nearest, "mean", r->mean);
    json_add_real(nearest, "deviation", r->deviation);
    if (subject->scope_count > 1)
        cJSON_AddStringToObject(nearest, "metric", subject->scopes[r->scope].label);
    cJSON *reading = cJSON_AddObjectToObject(nearest, "reading");
    for (size_t a = 0; a < claims->sweep->axes.count; a++)
        if (!claims_picks_axis(&subject->of, a))
            cJSON_AddStringToObject(reading, claims->sweep->axes.at[a].column,
                                    sweep_value(claims->sweep, r->point, a)->shown);
}

static void add_target(const struct findings *findings, size_t number, cJSON *array) {
    const struct target *target = &findings->claims->targets[number];
    const struct target_reading *nearest = findings_nearest(&findings->of_targets[number]);
    size_t missing, within = findings_within(&findings->of_targets[number], &missing);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    cJSON_AddStringToObject(object, "name", target->subject.name);
    json_add_real(object, "value", target->value);
    json_add_real(object, "tolerance", target->within);
    json_add_int(object, "readings", (int64_t)findings->of_targets[number].count);
    json_add_int(object, "missing", (int64_t)missing);
    json_add_int(object, "within", (int64_t)within);
    if (nearest)
        add_nearest(findings->claims, target, nearest, object);
    else
        cJSON_AddNullToObject(object, "nearest");
}

void findings_json(const struct findings *findings, cJSON *root) {
    cJSON *claims = cJSON_AddArrayToObject(root, "claims"),
          *targets = cJSON_AddArrayToObject(root, "targets");
    for (size_t i = 0; i < findings->claims->claim_count; i++)
        add_claim(findings, i, claims);
    for (size_t t = 0; t < findings->claims->target_count; t++)
        add_target(findings, t, targets);
}

/* --- findings_report --- */

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
