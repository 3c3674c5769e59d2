/* Predicted and measured figures, for programs and for people: see validate.h. */
#include "output/validate.h"

#include "output/columns.h"
#include "output/run/run_report.h"

#include <math.h>
#include <string.h>

static const char *expectation(const struct outcome_row *row) {
    return isnan(row->measure->tolerance) ? "" : row->measure->expect == 1 ? "fail" : "pass";
}

static const char *expected_word(const struct outcome *o, const struct outcome_row *row) {
    if (row->verdict == VERDICT_NONE || row->verdict == VERDICT_SKIPPED)
        return "";
    return outcome_is_expected(o, row) ? "yes" : "no";
}

/* Why there is no verdict, or none that counts; else the reason in the file. */
static const char *reason_of(const struct outcome *o, const struct outcome_row *row,
                             struct arena *arena) {
    if (o->skipped)
        return arena_printf(arena, "%s is missing", o->skipped);
    return o->failure ? o->failure : row->measure->reason;
}

/* ---- CSV ---- */

/* clang-format off */
#define VALIDATION_FIGURES(X) \
    X(metric, text, "", NEITHER, row->measure->metric) \
    X(of, text, "", NEITHER, outcome_of(row, &arena)) \
    X(unit, text, "", NEITHER, outcome_unit(row->measure)) \
    X(predicted, real, OF_METRIC, NEITHER, row->predicted) \
    X(measured, real, OF_METRIC, NEITHER, row->measured) \
    X(error, real, "", NEITHER, row->error) \
    X(tolerance, real, "", NEITHER, row->measure->tolerance) \
    X(verdict, text, "", NEITHER, verdict_names[row->verdict]) \
    X(expect, text, "", NEITHER, expectation(row))
#define VALIDATION_COLUMNS(X) \
    X(validation, text, "", NEITHER, o->validation->name) \
    X(kind, text, "", NEITHER, validate_kinds[o->validation->kind]) \
    X(against, text, "", NEITHER, validate_againsts[o->validation->against]) \
    VALIDATION_FIGURES(X) \
    X(as_expected, text, "", NEITHER, expected_word(o, row)) \
    X(reason, text, "", NEITHER, reason_of(o, row, &arena))
#define VALIDATION_JOBS_COLUMNS(X) \
    X(validation, text, "", NEITHER, o->validation->name) \
    X(job_id, text, "", NEITHER, job->id) \
    X(metric, text, "", NEITHER, job_column_names[c]) \
    X(predicted, real, OF_METRIC, NEITHER, job->predicted ? job->predicted->values[c] : NAN) \
    X(measured, real, OF_METRIC, NEITHER, job->measured.values[c]) \
    X(error, real, "", NEITHER, outcome_job_error(job, c))
/* First in the file of `easim validate`. */
#define CURVES_COLUMNS_VALIDATION(X) \
    X(validation, text, "", NEITHER, validation)
#define CURVES_COLUMNS(X) \
    X(time_s, real, "s", NEITHER, curves->at[i].end_s) \
    X(duration_s, real, "s", NEITHER, meter_reading_s(&curves->at[i])) \
    X(measured_w, real, "W", NEITHER, curves->at[i].power_w) \
    X(predicted_w, real, "W", NEITHER, curves->predicted_w[i])
/* clang-format on */

static void add_row(const struct outcome *o, const struct outcome_row *row, struct str *out) {
    struct arena arena = {0};
    TABLE_ROW(VALIDATION_COLUMNS);
    arena_finish(&arena);
}

void validate_tables_rows(const struct validate_output *output, struct str *out) {
    str_add(out, TABLE_HEADER(VALIDATION_COLUMNS));
    for (size_t i = 0; i < output->count; i++)
        for (size_t r = 0; r < output->outcomes[i].validation->measure_count; r++)
            add_row(&output->outcomes[i], &output->outcomes[i].rows[r], out);
}

static void add_job(const struct outcome *o, const struct outcome_job *job, struct str *out) {
    for (enum job_column c = JOB_START; c < JOB_GPUS; c++)
        if (!isnan(job->measured.values[c]) && job_table_tells(&o->validation->jobs, c))
            TABLE_ROW(VALIDATION_JOBS_COLUMNS);
}

void validate_tables_jobs(const struct validate_output *output, struct str *out) {
    for (size_t i = 0; i < output->count; i++)
        for (size_t j = 0; j < output->outcomes[i].jobs.count; j++) {
            if (out->length == 0)
                str_add(out, TABLE_HEADER(VALIDATION_JOBS_COLUMNS));
            add_job(&output->outcomes[i], &output->outcomes[i].jobs.at[j], out);
        }
}

void validate_curves_csv(const struct meter_curves *curves, const char *validation,
                         struct str *out) {
    if (out->length == 0)
        str_add(out, validation ? &CURVES_COLUMNS_VALIDATION(COLUMN_NAME)
                                      CURVES_COLUMNS(COLUMN_NAME) "\n"[1]
                                : TABLE_HEADER(CURVES_COLUMNS));
    for (size_t i = 0; i < curves->count; i++) {
        size_t begin = out->length;
        if (validation) {
            CURVES_COLUMNS_VALIDATION(COLUMN_CELL)
        }
        CURVES_COLUMNS(COLUMN_CELL)
        columns_end_row(out, begin);
    }
}

void validate_tables_curves(const struct validate_output *output, struct str *out) {
    for (size_t i = 0; i < output->count; i++)
        if (output->outcomes[i].power.curves.count > 0)
            validate_curves_csv(&output->outcomes[i].power.curves,
                                output->outcomes[i].validation->name, out);
}

/* ---- JSON ---- */

static void add_row_object(const struct outcome *o, const struct outcome_row *row, cJSON *list) {
    struct arena arena = {0};
    cJSON *object = json_append_object(list);
    VALIDATION_FIGURES(COLUMN_MEMBER)
    cJSON_AddBoolToObject(object, "as_expected", outcome_is_expected(o, row));
    json_add_text(object, "reason", row->measure->reason);
    arena_finish(&arena);
}

void validate_tables_add_counts(const struct validate_output *output, cJSON *root) {
    struct outcome_counts counts = validate_tables_count(output);
    json_add_int(root, "passed", (int64_t)counts.passed);
    json_add_int(root, "failed_as_expected", (int64_t)counts.failed_as_expected);
    json_add_int(root, "unexpected", (int64_t)counts.unexpected);
    json_add_int(root, "without_verdict", (int64_t)counts.without_verdict);
    json_add_int(root, "skipped", (int64_t)counts.skipped);
}

void validate_tables_json(const struct validate_output *output, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(root, "validations");
    for (size_t i = 0; i < output->count; i++) {
        const struct outcome *o = &output->outcomes[i];
        cJSON *object = json_append_object(list);
        cJSON_AddStringToObject(object, "name", o->validation->name);
        cJSON_AddStringToObject(object, "kind", validate_kinds[o->validation->kind]);
        cJSON_AddStringToObject(object, "against", validate_againsts[o->validation->against]);
        cJSON_AddStringToObject(object, "source", o->validation->source);
        cJSON_AddStringToObject(object, "physics", o->validation->physics);
        json_add_text(object, "missing", o->skipped);
        json_add_text(object, "failure", o->failure);
        cJSON *notes = cJSON_AddArrayToObject(object, "notes");
        for (size_t n = 0; n < o->notes.count; n++)
            cJSON_AddItemToArray(notes, cJSON_CreateString(o->notes.at[n]));
        cJSON *rows = cJSON_AddArrayToObject(object, "rows");
        for (size_t r = 0; r < o->validation->measure_count; r++)
            add_row_object(o, &o->rows[r], rows);
    }
    validate_tables_add_counts(output, root);
    json_print(root, out);
}

/* ---- For people ---- */

static void add_report_row(const struct outcome *o, const struct outcome_row *row,
                           struct report *report) {
    struct arena arena = {0};
    const char *unit = outcome_unit(row->measure);
    struct report_line line = {.unit = unit ? unit : "", .scale = 1};
    run_report_scale_time(&line, fmax(fabs(row->predicted), fabs(row->measured)));
    report_row_of(report, row->measure->metric);
    report_cell_of(report, outcome_of(row, &arena));
    run_report_add_number(report_cell(report), line.scale * row->predicted);
    run_report_add_number(report_cell(report), line.scale * row->measured);
    report_cell_of(report, line.unit);
    run_report_add_percent(report_cell(report), row->error, !isnan(row->measured));
    run_report_add_percent(report_cell(report), row->measure->tolerance, false);
    report_cell_of(report, row->verdict == VERDICT_NONE ? "-" : verdict_names[row->verdict]);
    if (row->verdict != VERDICT_NONE && row->verdict != VERDICT_SKIPPED)
        str_add(&report->text, !outcome_is_expected(o, row) ? ", unexpected"
                               : row->measure->expect == 1  ? ", as expected"
                                                            : "");
    if (row->measure->reason)
        str_addf(&report->text, " (%s)", row->measure->reason);
    arena_finish(&arena);
}

void validate_tables_report(const struct outcome *o, struct report *report) {
    const struct validate_case *v = o->validation;
    str_addf(report_lines(report), "%s: %s, against %s\n", v->name, validate_kinds[v->kind],
             validate_againsts[v->against]);
    if (o->skipped) {
        str_addf(&report->text, "  skipped: %s is missing\n", o->skipped);
    } else {
        report_table(report, "metric|of|>predicted|>measured|unit|>error %|>tolerance %|verdict");
        for (size_t r = 0; r < v->measure_count; r++)
            add_report_row(o, &o->rows[r], report);
    }
    struct str *out = report_lines(report);
    if (o->failure)
        str_addf(out, "  the run failed: %s\n", o->failure);
    for (size_t n = 0; n < o->notes.count; n++)
        str_addf(out, "  %s\n", o->notes.at[n]);
}

struct outcome_counts validate_tables_count(const struct validate_output *output) {
    struct outcome_counts counts = {0};
    for (size_t i = 0; i < output->count; i++)
        outcome_count(&output->outcomes[i], &counts);
    return counts;
}

/* A control that is hardly farther off than what it is to control; and, told at the first, three or
   more predictions of a kind and metric that all miss to the same side. */
static void add_weak_point(const struct validate_output *output, const struct outcome *o,
                           const struct outcome_row *row, struct str *out) {
    const char *metric = row->measure->metric, *control_of = o->validation->control_of;
    struct arena arena = {0};
    size_t count = 0, first = 0;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < output->count; i++)
        for (size_t r = 0; r < output->outcomes[i].validation->measure_count; r++) {
            const struct validate_case *v = output->outcomes[i].validation;
            const struct outcome_row *other = &output->outcomes[i].rows[r];
            const char *of = outcome_of(other, &arena);
            if (strcmp(other->measure->metric, metric) != 0)
                continue;
            if (control_of && strcmp(v->name, control_of) == 0 &&
                strcmp(of, outcome_of(row, &arena)) == 0 &&
                fabs(row->error) < 1.1 * fabs(other->error))
                str_addf(out, "weak: %s, %s%s%s: %.1f %%, its control %.1f %%\n", v->name, metric,
                         of[0] ? " " : "", of, 100 * fabs(other->error), 100 * fabs(row->error));
            if (v->kind != o->validation->kind || v->against != 0 || v->control_of ||
                !isfinite(other->predicted + other->error))
                continue;
            first += count++ == 0 && other == row;
            least = fmin(least, other->error);
            most = fmax(most, other->error);
        }
    if (first && count >= 3 && least * most > 0)
        str_addf(out, "weak: all %zu %s (%s) are predicted too %s: %+.1f to %+.1f %%\n", count,
                 metric, validate_kinds[o->validation->kind], most < 0 ? "low" : "high",
                 100 * least, 100 * most);
    arena_finish(&arena);
}

static bool has_validation(const struct validate_output *output, const char *name) {
    for (size_t i = 0; i < output->count; i++)
        if (strcmp(output->outcomes[i].validation->name, name) == 0)
            return true;
    return false;
}

void validate_tables_totals(const struct validate_output *output, struct str *out) {
    struct outcome_counts counts = validate_tables_count(output);
    str_addf(out, "%zu passed, %zu failed as expected, %zu unexpected, %zu skipped", counts.passed,
             counts.failed_as_expected, counts.unexpected, counts.skipped);
    if (counts.without_verdict > 0)
        str_addf(out, ", %zu without a tolerance", counts.without_verdict);
    for (size_t i = 0, named = 0; i < output->count; i++)
        if (output->outcomes[i].skipped)
            str_addf(out, "%s%s", named++ == 0 ? " (" : ", ", output->outcomes[i].validation->name);
    str_add(out, counts.skipped_files > 0 ? ")\n" : "\n");
    for (size_t i = 0; i < output->count; i++) {
        const struct validate_case *v = output->outcomes[i].validation;
        if (v->control_of && !has_validation(output, v->control_of))
            str_addf(out, "note: %s is a control of %s, which is not among these validations\n",
                     v->name, v->control_of);
        for (size_t r = 0; r < v->measure_count; r++)
            add_weak_point(output, &output->outcomes[i], &output->outcomes[i].rows[r], out);
    }
}
