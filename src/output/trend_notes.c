/* Warnings of a run: growing queues, censored work, equal replications. The same for a point of
   many, which has them in its row. */
#include "output/notes.h"

#include "base/units.h"

#include <math.h>

#define SMALL_SHARE 0.05 /* of jobs or work: less is no reason to warn */

/* One replication has no interval: then a rise that is no small part of the jobs counts. */
static bool queue_grows(const struct study *study, const struct estimate *slope, double jobs) {
    double hours = units_s(study->scenario.horizon_ns) / S_PER_H;
    return isnan(slope->ci95) ? slope->mean * hours > fmax(2, SMALL_SHARE * jobs)
                              : slope->mean - slope->ci95 > 0;
}

static void add_queue(struct notes *notes, const struct study *study,
                      const struct compare_trend *trend, double jobs) {
    struct str text = {0};
    if (trend->queue_per_h.n == 0 || !queue_grows(study, &trend->queue_per_h, jobs))
        return;
    str_addf(&text, "not stationary, the queue grows by %.3g", trend->queue_per_h.mean);
    if (!isnan(trend->queue_per_h.ci95))
        str_addf(&text, " +- %.3g", trend->queue_per_h.ci95);
    str_addf(&text, " waiting jobs an hour%s",
             isnan(trend->queue_per_h.ci95) ? " (one replication: no interval)" : "");
    notes_add_kind(notes, study, NOTE_WARNING, text.text);
    str_finish(&text);
}

static void add_censored(struct notes *notes, const struct study *study,
                         const struct compare_trend *trend) {
    struct str text = {0};
    bool much =
        trend->work_unfinished.mean > SMALL_SHARE || trend->jobs_unfinished.mean > SMALL_SHARE;
    if (trend->jobs_unfinished.n == 0 || !(trend->jobs_unfinished.mean > 0))
        return;
    str_add(&text, "the end leaves ");
    if (trend->work_unfinished.n > 0)
        str_addf(&text, "%.1f %% of the work and ", 100 * trend->work_unfinished.mean);
    str_addf(&text, "%.1f %% of the jobs unfinished", 100 * trend->jobs_unfinished.mean);
    if (much)
        str_add(&text, ": means over finished jobs miss the large ones");
    notes_add_kind(notes, study, much ? NOTE_WARNING : NOTE_SAID, text.text);
    str_finish(&text);
}

void notes_add_trends(struct notes *notes, const struct study *study,
                      const struct compare_series *series, uint32_t count) {
    const struct comparison alone = {
        .series = series, .count = 1, .replications = count, .baseline = COMPARE_NOBODY};
    if (count == 0)
        return;
    const struct compare_trend t = compare_trend(&alone, 0);
    add_queue(notes, study, &t,
              t_interval_of_column(series->summaries, count, SUMMARY_COLUMN(jobs_submitted)).mean);
    add_censored(notes, study, &t);
    if (summary_all_equal(series->summaries, count))
        notes_add_kind(
            notes, study, NOTE_WARNING,
            "all replications are equal, nothing in the scenario is random: intervals mean nothing");
}

void notes_add_point(struct notes *notes, const struct study *study,
                     const struct compare_series *series, uint32_t count) {
    struct notes own = {.sources = 0};
    for (size_t i = 0; i < study->warnings.count; i++)
        notes_add_kind(&own, study, NOTE_WARNING, study->warnings.at[i]);
    notes_add_trends(&own, study, series, count);
    for (size_t i = 0; i < own.at.count; i++)
        if (own.at.at[i].kind == NOTE_WARNING)
            notes_add_kind(notes, study, NOTE_POINT, own.at.at[i].text);
    notes_finish(&own);
}

static void add_point_warnings(const struct notes *notes, struct str *out) {
    for (size_t i = 0; i < notes->at.count; i++)
        if (notes->at.at[i].kind == NOTE_POINT)
            str_addf(out, "%s%s", out->length > 0 ? "; " : "", notes->at.at[i].text);
}

void notes_point_text(const struct study *study, const struct summary *summaries,
                      const struct trend *trends, uint32_t count, struct str *out) {
    struct notes notes = {.sources = 0};
    const struct compare_series series = {.summaries = summaries, .trends = trends};
    notes_add_point(&notes, study, &series, count);
    add_point_warnings(&notes, out);
    notes_finish(&notes);
}
