/* Claims and targets of a sweep: see findings.h. */
#include "output/sweep/findings.h"

#include "output/columns.h"
#include "output/json.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>

/* --- findings_tables --- */
/* claims.csv, targets.csv, the files of their readings, and the same as JSON. */

static const char *const verdict_names[] = {"missing", "not clear", "clearly so",
                                            "clearly opposite"};

/* ---- CSV ---- */

/* clang-format off */
#define CLAIMS_TALLY(X) \
    X(readings, int, "", NEITHER, (int64_t)tally->readings) \
    X(missing, int, "", NEITHER, (int64_t)tally->missing) \
    X(as_claimed, real, METRIC_SHARE, NEITHER, findings_share(tally, tally->as_claimed)) \
    X(clearly_so, real, METRIC_SHARE, NEITHER, findings_share(tally, tally->clear)) \
    X(clearly_opposite, real, METRIC_SHARE, NEITHER, findings_share(tally, tally->opposite))
#define CLAIMS_COLUMNS(X) \
    X(claim, text, "", NEITHER, subject->name) \
    X(axis, text, "", NEITHER, findings_slice_axis(findings->claims, &slices[s])) \
    X(value, text, "", NEITHER, slices[s].label) \
    CLAIMS_TALLY(X)
/* Between these two, of both kinds of readings: the axes. */
#define CLAIM_READINGS_COLUMNS(X) \
    X(claim, text, "", NEITHER, subject->name) \
    X(metric, text, "", NEITHER, subject->scopes[r->scope].label)
#define CLAIM_READINGS_COLUMNS_FIGURES(X) \
    X(n, int, "", NEITHER, (int64_t)r->n) \
    X(mean, real, OF_METRIC, NEITHER, r->mean) \
    X(against_mean, real, OF_METRIC, NEITHER, r->against_mean) \
    X(diff, real, OF_METRIC, NEITHER, r->diff) \
    X(ci95, real, OF_METRIC, NEITHER, r->ci95) \
    X(as_claimed, natural, "", NEITHER, r->verdict == CLAIM_MISSING ? -1 : r->as_claimed) \
    X(verdict, text, "", NEITHER, verdict_names[r->verdict])
#define TARGET_READINGS_COLUMNS(X) \
    X(target, text, "", NEITHER, target->subject.name) \
    X(metric, text, "", NEITHER, target->subject.scopes[r->scope].label)
#define TARGET_READINGS_COLUMNS_FIGURES(X) \
    X(n, int, "", NEITHER, (int64_t)r->n) \
    X(mean, real, OF_METRIC, NEITHER, r->mean) \
    X(ci95, real, OF_METRIC, NEITHER, r->ci95) \
    X(deviation, real, "", NEITHER, r->deviation) \
    X(within, natural, "", NEITHER, r->missing ? -1 : r->within)
/* Then the axes. */
#define TARGETS_COLUMNS(X) \
    X(target, csv(text), "", NEITHER, target->subject.name) \
    X(value, real, OF_METRIC, NEITHER, target->value) \
    X(tolerance, real, "", NEITHER, target->within) \
    X(readings, int, "", NEITHER, (int64_t)findings->of_targets[t].count) \
    X(missing, int, "", NEITHER, (int64_t)missing) \
    X(within, int, "", NEITHER, (int64_t)within) \
    X(nearest, csv(real), OF_METRIC, NEITHER, nearest ? nearest->mean : NAN) \
    X(deviation, csv(real), "", NEITHER, nearest ? nearest->deviation : NAN) \
    X(metric, csv(text), "", NEITHER, nearest ? target->subject.scopes[nearest->scope].label : NULL)
/* clang-format on */

void findings_tables_claims(const struct findings *findings, struct str *out) {
    str_add(out, TABLE_HEADER(CLAIMS_COLUMNS));
    for (size_t i = 0; i < findings->claims->claim_count; i++) {
        const struct claims_subject *subject = &findings->claims->claims[i].subject;
        size_t count;
        struct readings_slice *slices = findings_slices(findings->claims, i, &count);
        for (size_t s = 0; s < count; s++) {
            const struct claim_tally of = findings_tally(findings, i, &slices[s]), *tally = &of;
            if (tally->readings > 0)
                TABLE_ROW(CLAIMS_COLUMNS);
        }
        free(slices);
    }
}

static void axis_names(const struct claims *claims, struct str *out) {
    for (size_t a = 0; a < claims->sweep->axes.count; a++)
        csv_comma_text(out, claims->sweep->axes.at[a].column);
}

/* The values of a point; those that the targets of a joint one do not share stay
 * empty. */
static void reading_cells(const struct claims *claims, const struct claims_subject *subject,
                          size_t point, bool joint, struct str *out) {
    for (size_t a = 0; a < claims->sweep->axes.count; a++)
        csv_comma_text(out, joint && claims_picks_axis(&subject->of, a)
                                ? NULL
                                : sweep_value(claims->sweep, point, a)->shown);
}

void findings_tables_claim_readings(const struct findings *findings, struct str *out) {
    str_add(out, &CLAIM_READINGS_COLUMNS(COLUMN_NAME)[1]);
    axis_names(findings->claims, out);
    str_add(out, CLAIM_READINGS_COLUMNS_FIGURES(COLUMN_NAME) "\n");
    for (size_t i = 0; i < findings->claims->claim_count; i++)
        for (size_t j = 0; j < findings->of_claims[i].count; j++) {
            const struct claim_reading *r = &findings->of_claims[i].readings[j];
            const struct claims_subject *subject = &findings->claims->claims[i].subject;
            size_t begin = out->length;
            CLAIM_READINGS_COLUMNS(COLUMN_CELL)
            reading_cells(findings->claims, subject, r->point, false, out);
            CLAIM_READINGS_COLUMNS_FIGURES(COLUMN_CELL)
            columns_end_row(out, begin);
        }
}

void findings_tables_target_readings(const struct findings *findings, struct str *out) {
    str_add(out, &TARGET_READINGS_COLUMNS(COLUMN_NAME)[1]);
    axis_names(findings->claims, out);
    str_add(out, TARGET_READINGS_COLUMNS_FIGURES(COLUMN_NAME) "\n");
    for (size_t t = 0; t < findings->claims->target_count; t++)
        for (size_t j = 0; j < findings->of_targets[t].count; j++) {
            const struct target *target = &findings->claims->targets[t];
            const struct target_reading *r = &findings->of_targets[t].readings[j];
            size_t begin = out->length;
            TARGET_READINGS_COLUMNS(COLUMN_CELL)
            reading_cells(findings->claims, &target->subject, r->point, target->all_count > 0, out);
            TARGET_READINGS_COLUMNS_FIGURES(COLUMN_CELL)
            columns_end_row(out, begin);
        }
}

void findings_tables_targets(const struct findings *findings, struct str *out) {
    str_add(out, &TARGETS_COLUMNS(COLUMN_NAME)[1]);
    axis_names(findings->claims, out);
    str_add_char(out, '\n');
    for (size_t t = 0; t < findings->claims->target_count; t++) {
        const struct target *target = &findings->claims->targets[t];
        const struct target_reading *nearest = findings_nearest(&findings->of_targets[t]);
        size_t missing, within = findings_within(&findings->of_targets[t], &missing);
        size_t begin = out->length;
        TARGETS_COLUMNS(COLUMN_CELL)
        if (nearest)
            reading_cells(findings->claims, &target->subject, nearest->point, target->all_count > 0,
                          out);
        for (size_t a = 0; !nearest && a < findings->claims->sweep->axes.count; a++)
            str_add_char(out, ',');
        columns_end_row(out, begin);
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
    CLAIMS_TALLY(COLUMN_MEMBER)
}

static void add_claim(const struct findings *findings, size_t claim, cJSON *array) {
    size_t count;
    struct readings_slice *slices = findings_slices(findings->claims, claim, &count);
    cJSON *object = json_append_object(array), *by = NULL;
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
        cJSON *part = json_append_object(by);
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

static void add_target(const struct findings *findings, size_t t, cJSON *array) {
    const struct target *target = &findings->claims->targets[t];
    const struct target_reading *nearest = findings_nearest(&findings->of_targets[t]);
    size_t missing, within = findings_within(&findings->of_targets[t], &missing);
    cJSON *object = json_append_object(array);
    cJSON_AddStringToObject(object, "name", target->subject.name);
    TARGETS_COLUMNS(COLUMN_MEMBER)
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

#define MOST_ROWS 60 /* of the break-down; longer ones are for claims.csv */

static void claims_table(const struct findings *findings, struct report *report) {
    const struct claims *c = findings->claims;
    const struct readings_slice all = {SLICE_ALL, NULL};
    str_add_char(report_lines(report), '\n');
    report_table(report,
                 ">|claim|>readings|>missing|>as claimed %|>clearly so %|>clearly opposite %");
    for (size_t i = 0; i < c->claim_count; i++) {
        struct claim_tally tally = findings_tally(findings, i, &all);
        const size_t counts[] = {tally.as_claimed, tally.clear, tally.opposite};
        str_addf(report_row(report), "%zu", i + 1);
        report_cell_of(report, c->claims[i].subject.name);
        str_addf(report_cell(report), "%zu", tally.readings);
        str_addf(report_cell(report), "%zu", tally.missing);
        for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
            double share = findings_share(&tally, counts[n]);
            if (isnan(share))
                report_cell_of(report, "-");
            else
                str_addf(report_cell(report), "%.0f", 100 * share);
        }
    }
}

/* ---- By reading: a row per slice, a column per claim ---- */

struct rows {
    ARRAY_OF(struct readings_slice) slices;
};

static void note_slice(struct rows *rows, const struct readings_slice *slice) {
    for (size_t i = 0; i < rows->slices.count; i++)
        if (rows->slices.at[i].axis == slice->axis &&
            strcmp(rows->slices.at[i].label, slice->label) == 0)
            return;
    array_push(&rows->slices, *slice);
}

/* The slices of any claim: metrics first, then axis by axis. */
static void collect_rows(const struct claims *claims, struct rows *rows) {
    for (size_t a = 0; a <= claims->sweep->axes.count; a++)
        for (size_t i = 0; i < claims->claim_count; i++) {
            size_t count;
            struct readings_slice *slices = findings_slices(claims, i, &count);
            for (size_t s = 1; s < count; s++)
                if (slices[s].axis == (a == 0 ? SLICE_METRIC : a - 1))
                    note_slice(rows, &slices[s]);
            free(slices);
        }
}

static void add_clear_cell(const struct claim_tally *tally, struct str *out) {
    if (tally->readings > tally->missing)
        str_addf(out, "%.0f/%.0f", 100 * findings_share(tally, tally->clear),
                 100 * findings_share(tally, tally->opposite));
    else
        str_add_char(out, '-');
}

static void break_down(const struct findings *findings, struct report *report) {
    struct rows rows = {0};
    collect_rows(findings->claims, &rows);
    if (rows.slices.count > 0 && rows.slices.count <= MOST_ROWS) {
        str_add_char(report_lines(report), '\n');
        report_table(report, "clearly so/opposite (%)|");
        for (size_t i = 0; i < findings->claims->claim_count; i++)
            str_addf(report_column(report, true), "%zu", i + 1);
        for (size_t r = 0; r < rows.slices.count; r++) {
            const struct readings_slice *row = &rows.slices.at[r];
            report_row_of(report, findings_slice_axis(findings->claims, row));
            report_cell_of(report, row->label);
            for (size_t i = 0; i < findings->claims->claim_count; i++) {
                struct claim_tally tally = findings_tally(findings, i, row);
                add_clear_cell(&tally, report_cell(report));
            }
        }
    }
    free(rows.slices.at);
}

/* ---- Targets ---- */

static void add_reading(const struct claims *claims, const struct claims_subject *subject,
                        const struct target_reading *reading, struct str *out) {
    const char *separator = "";
    if (subject->scope_count > 1) {
        str_add(out, subject->scopes[reading->scope].label);
        separator = "; ";
    }
    for (size_t a = 0; a < claims->sweep->axes.count; a++)
        if (!claims_picks_axis(&subject->of, a)) {
            str_addf(out, "%s%s", separator, sweep_value(claims->sweep, reading->point, a)->shown);
            separator = "; ";
        }
}

static void targets_table(const struct findings *findings, struct report *report) {
    const struct claims *c = findings->claims;
    str_add_char(report_lines(report), '\n');
    report_table(report,
                 "target|>within|>readings|>missing|>nearest|>off %|reading of the nearest");
    for (size_t t = 0; t < c->target_count; t++) {
        const struct target_reading *nearest = findings_nearest(&findings->of_targets[t]);
        size_t missing, within = findings_within(&findings->of_targets[t], &missing);
        report_row_of(report, c->targets[t].subject.name);
        str_addf(report_cell(report), "%zu", within);
        str_addf(report_cell(report), "%zu", findings->of_targets[t].count);
        str_addf(report_cell(report), "%zu", missing);
        if (!nearest)
            continue;
        run_report_add_number(report_cell(report), nearest->mean);
        run_report_add_percent(report_cell(report), nearest->deviation, false);
        add_reading(c, &c->targets[t].subject, nearest, report_cell(report));
    }
}

void findings_report(const struct findings *findings, struct report *report) {
    if (findings->claims->claim_count > 0) {
        claims_table(findings, report);
        break_down(findings, report);
    }
    if (findings->claims->target_count > 0)
        targets_table(findings, report);
}
