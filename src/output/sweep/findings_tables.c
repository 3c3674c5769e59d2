/* claims.csv, targets.csv, the files of their readings, and the same as JSON. */
#include "output/sweep/findings_tables.h"

#include "io/csv.h"
#include "output/json.h"

#include <math.h>
#include <stdlib.h>

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
