/* Verdicts on claims and targets: see findings.h. */
#include "experiment/sweep/findings.h"

#include "base/numfmt.h"
#include "experiment/statistics.h"

#include <math.h>
#include <stdlib.h>

void figures_init(struct figures *figures, const struct claims *claims) {
    figures->claims = claims;
    figures->points = mem_zalloc(claims->sweep->count, sizeof *figures->points);
}

void figures_finish(struct figures *figures) {
    for (size_t p = 0; figures->points && p < figures->claims->sweep->count; p++)
        free(figures->points[p].values.at);
    free(figures->points);
    *figures = (struct figures){0};
}

static double value_of(const struct csv *row, const char *name) {
    const struct slice cell = csv_field(row, csv_column(row, name));
    double value = NAN; /* of an empty cell, or none */
    (void)numfmt_parse_real(cell.at, cell.length, &value);
    return value;
}

void figures_add(struct figures *figures, size_t point, const struct csv *row) {
    for (size_t m = 0; m < figures->claims->metrics.count; m++) {
        const struct claims_metric *metric = &figures->claims->metrics.at[m];
        double value = value_of(row, metric->name);
        double divisor = metric->divisor ? value_of(row, metric->divisor) : 1;
        array_push(&figures->points[point].values, divisor != 0 ? value / divisor : NAN);
    }
}

/* A metric of all replications of a point; the caller frees it. */
static double *reading_values(const struct figures *figures, size_t point, size_t metric,
                              size_t *ret_count) {
    size_t metrics = figures->claims->metrics.count,
           count = figures->points[point].values.count / metrics;
    double *values = mem_zalloc(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = figures->points[point].values.at[i * metrics + metric];
    *ret_count = count;
    return values;
}

static size_t count_subject_points(const struct claims *claims,
                                   const struct claims_subject *subject) {
    size_t count = 0;
    for (size_t p = claims_next_point(claims, subject, 0); p < claims->sweep->count;
         p = claims_next_point(claims, subject, p + 1))
        count++;
    return count;
}

/* ---- Claims ---- */

static void judge_reading(struct claim_reading *reading, int32_t sign, const double *values,
                          const double *against, size_t count) {
    bool up = sign == CLAIM_MORE || sign == CLAIM_NO_LESS;
    struct paired pairs = paired_test(values, against, count);
    struct ratio means = ratio_estimate(values, against, count);
    /* differences that vary about 0 by no more than rounding count as 0; see paired_test */
    double diff = pairs.p_value == 1 ? 0 : pairs.diff.mean, towards = up ? diff : -diff;
    reading->n = pairs.diff.n;
    reading->mean = means.mean;
    reading->against_mean = means.base_mean;
    reading->diff = pairs.diff.mean;
    reading->ci95 = pairs.diff.ci95;
    if (reading->n == 0)
        return;
    reading->as_claimed = sign == CLAIM_LESS || sign == CLAIM_MORE ? towards > 0 : towards >= 0;
    reading->verdict = towards > reading->ci95    ? CLAIM_CLEAR
                       : -towards > reading->ci95 ? CLAIM_OPPOSITE
                                                  : CLAIM_UNCLEAR;
}

static void find_claim(struct claim_finding *finding, const struct figures *figures,
                       const struct claim *claim) {
    const struct claims *c = figures->claims;
    const struct claims_subject *s = &claim->subject;
    finding->readings =
        mem_zalloc(s->scope_count * count_subject_points(c, s), sizeof *finding->readings);
    for (size_t scope = 0; scope < s->scope_count; scope++)
        for (size_t p = claims_next_point(c, s, 0); p < c->sweep->count;
             p = claims_next_point(c, s, p + 1)) {
            struct claim_reading *r = &finding->readings[finding->count++];
            size_t metric = s->scopes[scope].metric, counts[2];
            double *values = reading_values(figures, p, metric, &counts[0]);
            double *against = reading_values(figures, claims_counterpart(c, p, &claim->against),
                                             metric, &counts[1]);
            *r = (struct claim_reading){.scope = scope, .point = p};
            judge_reading(r, claim->sign, values, against,
                          counts[0] < counts[1] ? counts[0] : counts[1]);
            free(values);
            free(against);
        }
}

/* ---- Targets ---- */

static void measure_reading(struct target_reading *reading, const struct figures *figures,
                            const struct target *target) {
    size_t count;
    double *values = reading_values(figures, reading->point,
                                    target->subject.scopes[reading->scope].metric, &count);
    struct estimate e = t_interval_of(values, count);
    reading->n = e.n;
    reading->mean = e.mean;
    reading->ci95 = e.ci95;
    reading->deviation = fabs(e.mean / target->value - 1);
    reading->missing = e.n == 0;
    reading->within = reading->deviation <= target->within;
    free(values);
}

ORDER_BY(compare_readings, struct target_reading, ASC(scope) ASC(point))

/* The reading of a part of a joint target at the reading of the target: the same metric and the
   same point, except for the part's own values under `of`. NULL if the part has no such reading. */
static const struct target_reading *part_of(const struct target_reading *reading,
                                            const struct claims *claims, const struct target *part,
                                            const struct target_finding *finding) {
    struct target_reading key = {.scope = part->subject.scope_count > 1 ? reading->scope : 0,
                                 .point =
                                     claims_counterpart(claims, reading->point, &part->subject.of)};
    if (finding->count == 0)
        return NULL;
    return bsearch(&key, finding->readings, finding->count, sizeof key, compare_readings);
}

/* A joint target at one reading: met if all its parts are. False if a part has no such reading. */
static bool join_parts(struct target_reading *reading, const struct claims *claims,
                       const struct target *joint, const struct target_finding *findings) {
    reading->mean = reading->ci95 = NAN;
    reading->within = true;
    for (size_t i = 0; i < joint->all_count; i++) {
        size_t part = joint->all[i];
        const struct target_reading *one =
            part_of(reading, claims, &claims->targets[part], &findings[part]);
        if (!one)
            return false;
        reading->n = i == 0 || one->n < reading->n ? one->n : reading->n;
        reading->missing = reading->missing || one->missing;
        reading->within = reading->within && one->within;
        reading->deviation = fmax(reading->deviation, one->deviation);
    }
    if (reading->missing)
        reading->deviation = NAN;
    return true;
}

static void find_target_readings(struct target_finding *finding, const struct figures *figures,
                                 const struct target *target, const struct target_finding *others) {
    const struct claims *c = figures->claims;
    const struct claims_subject *s = &target->subject;
    finding->readings =
        mem_zalloc(s->scope_count * count_subject_points(c, s), sizeof *finding->readings);
    for (size_t scope = 0; scope < s->scope_count; scope++)
        for (size_t p = claims_next_point(c, s, 0); p < c->sweep->count;
             p = claims_next_point(c, s, p + 1)) {
            struct target_reading *r = &finding->readings[finding->count];
            *r = (struct target_reading){.scope = scope, .point = p};
            if (target->all_count == 0)
                measure_reading(r, figures, target);
            else if (!join_parts(r, c, target, others))
                continue;
            finding->count++;
        }
}

size_t findings_within(const struct target_finding *finding, size_t *ret_missing) {
    size_t within = 0;
    *ret_missing = 0;
    for (size_t i = 0; i < finding->count; i++) {
        within += finding->readings[i].within;
        *ret_missing += finding->readings[i].missing;
    }
    return within;
}

const struct target_reading *findings_nearest(const struct target_finding *finding) {
    const struct target_reading *nearest = NULL;
    for (size_t i = 0; i < finding->count; i++) {
        const struct target_reading *r = &finding->readings[i];
        if (!r->missing && (!nearest || r->deviation < nearest->deviation))
            nearest = r;
    }
    return nearest;
}

/* ---- Slices ---- */

static bool is_first_like(const struct sweep_axis *axis, size_t place) {
    for (size_t v = 0; v < place; v++)
        if (strcmp(axis->values.at[v].shown, axis->values.at[place].shown) == 0)
            return false;
    return true;
}

struct readings_slice *findings_slices(const struct claims *claims, size_t claim,
                                       size_t *ret_count) {
    const struct claims_subject *subject = &claims->claims[claim].subject;
    ARRAY_OF(struct readings_slice) slices = {0};
    array_push(&slices, ((struct readings_slice){SLICE_ALL, NULL}));
    for (size_t i = 0; subject->scope_count > 1 && i < subject->scope_count; i++)
        array_push(&slices, ((struct readings_slice){SLICE_METRIC, subject->scopes[i].label}));
    for (size_t a = 0; a < claims->sweep->axes.count; a++) {
        const struct sweep_axis *axis = &claims->sweep->axes.at[a];
        for (size_t v = 0;
             v < axis->values.count && !axis->sampled && !claims_picks_axis(&subject->of, a); v++)
            if (is_first_like(axis, v))
                array_push(&slices, ((struct readings_slice){a, axis->values.at[v].shown}));
    }
    *ret_count = slices.count;
    return slices.at;
}

const char *findings_slice_axis(const struct claims *claims, const struct readings_slice *slice) {
    return slice->axis == SLICE_ALL      ? NULL
           : slice->axis == SLICE_METRIC ? "metric"
                                         : claims->sweep->axes.at[slice->axis].column;
}

static bool in_slice(const struct claims *claims, const struct claims_subject *subject,
                     const struct claim_reading *reading, const struct readings_slice *slice) {
    if (slice->axis == SLICE_ALL)
        return true;
    if (slice->axis == SLICE_METRIC)
        return subject->scope_count > 1 &&
               strcmp(subject->scopes[reading->scope].label, slice->label) == 0;
    return !claims_picks_axis(&subject->of, slice->axis) &&
           strcmp(sweep_value(claims->sweep, reading->point, slice->axis)->shown, slice->label) ==
               0;
}

struct claim_tally findings_tally(const struct findings *findings, size_t claim,
                                  const struct readings_slice *slice) {
    const struct claim_finding *finding = &findings->of_claims[claim];
    struct claim_tally tally = {0};
    for (size_t i = 0; i < finding->count; i++) {
        const struct claim_reading *r = &finding->readings[i];
        if (!in_slice(findings->claims, &findings->claims->claims[claim].subject, r, slice))
            continue;
        tally.readings++;
        tally.missing += r->verdict == CLAIM_MISSING;
        tally.as_claimed += r->as_claimed;
        tally.clear += r->verdict == CLAIM_CLEAR;
        tally.opposite += r->verdict == CLAIM_OPPOSITE;
    }
    return tally;
}

double findings_share(const struct claim_tally *tally, size_t part) {
    size_t known = tally->readings - tally->missing;
    return known > 0 ? (double)part / (double)known : NAN;
}

/* ---- All ---- */

void findings_find(struct findings *findings, const struct figures *figures) {
    const struct claims *c = figures->claims;
    *findings = (struct findings){.claims = c};
    findings->of_claims = mem_zalloc(c->claim_count, sizeof *findings->of_claims);
    findings->of_targets = mem_zalloc(c->target_count, sizeof *findings->of_targets);
    for (size_t i = 0; i < c->claim_count; i++)
        find_claim(&findings->of_claims[i], figures, &c->claims[i]);
    for (size_t t = 0; t < c->target_count; t++)
        find_target_readings(&findings->of_targets[t], figures, &c->targets[t],
                             findings->of_targets);
}

void findings_finish(struct findings *findings) {
    for (size_t i = 0; findings->claims && i < findings->claims->claim_count; i++)
        free(findings->of_claims[i].readings);
    for (size_t t = 0; findings->claims && t < findings->claims->target_count; t++)
        free(findings->of_targets[t].readings);
    free(findings->of_claims);
    free(findings->of_targets);
    *findings = (struct findings){0};
}
