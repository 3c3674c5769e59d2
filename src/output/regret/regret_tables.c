/* Tables and report of a regret: see regret_tables.h. */
#include "output/regret/regret_tables.h"

#include "base/units.h"
#include "output/columns.h"
#include "output/run/run_report.h"

#include <inttypes.h>
#include <math.h>

/* --- regret_csv --- */

/* ---- regret.csv ---- */

#define TEXT_AT(member) text_places_at(&regret->rows.texts, row->member)
/* clang-format off */
#define REGRET_POINT(X) \
    X(replication, int, "", NEITHER, row->replication) \
    X(point, int, "", NEITHER, row->point)
#define REGRET_DECISION(X) \
    X(decision, int, "", NEITHER, (int64_t)row->decision)
#define REGRET_TIME(X) \
    X(time_s, seconds, "s", NEITHER, row->time_ns)
#define REGRET_ACTION(X) \
    X(action, text, "", NEITHER, regret_action_names[row->action]) \
    X(taken, csv(flag), "", NEITHER, row->taken) \
    X(gpu_type, text, "", NEITHER, type) \
    X(k, count, "GPUs", NEITHER, row->k) \
    X(batch_per_gpu, positive, "samples", NEITHER, row->batch) \
    X(gpu_share, real, "GPUs", NEITHER, row->milli > 0 ? (double)row->milli / WHOLE_GPU_MILLI : NAN) \
    X(power_limit_w, limit, "W", NEITHER, starts ? row->power_limit_w : INFINITY)
#define REGRET_OTHERS(X) \
    X(own_change_s, real, "s", NEITHER, others ? others->own_s : NAN) \
    X(sooner, natural, "", NEITHER, others ? (int64_t)others->sooner : -1) \
    X(most_sooner_s, csv(positive), "s", NEITHER, others ? others->most_sooner_s : 0) \
    X(most_sooner_job, csv(text), "", NEITHER, others ? TEXT_AT(most_sooner) : NULL) \
    X(later, natural, "", NEITHER, others ? (int64_t)others->later : -1) \
    X(most_later_s, csv(positive), "s", NEITHER, others ? others->most_later_s : 0) \
    X(most_later_job, csv(text), "", NEITHER, others ? TEXT_AT(most_later) : NULL)
#define REGRET_VALUE(X) \
    X(regret, real, OF_METRIC, NEITHER, row == chosen ? point->regret : NAN)
#define REGRET_FAILURE(X) \
    X(failure, text, "", NEITHER, TEXT_AT(failure))
#define REGRET_COLUMNS(X) \
    REGRET_POINT(X) \
    REGRET_DECISION(X) \
    REGRET_TIME(X) \
    X(job_id, text, "", NEITHER, TEXT_AT(job)) \
    X(model, text, "", NEITHER, TEXT_AT(model)) \
    X(user, text, "", NEITHER, TEXT_AT(user)) \
    X(waiting, int, "", NEITHER, row->waiting) \
    X(running, int, "", NEITHER, row->running) \
    X(free_gpus, int, "", NEITHER, row->free_gpus) \
    REGRET_ACTION(X) \
    X(predicted_time_s, real, "s", NEITHER, row->time_s) \
    X(predicted_energy_j, real, "J", NEITHER, row->energy_j) \
    X(energy_kwh, real, "kWh", NEITHER, reached[REGRET_ENERGY]) \
    X(jct_s, real, "s", NEITHER, reached[REGRET_JCT]) \
    X(deadline_missed, real, "", NEITHER, reached[REGRET_MISSES]) \
    X(energy_change_kwh, real, "kWh", NEITHER, change[REGRET_ENERGY]) \
    X(jct_change_s, real, "s", NEITHER, change[REGRET_JCT]) \
    X(deadline_missed_change, real, "", NEITHER, change[REGRET_MISSES]) \
    REGRET_OTHERS(X) \
    REGRET_VALUE(X) \
    REGRET_FAILURE(X)
#define HINDSIGHT_COLUMNS(X) \
    X(metric, text, "", NEITHER, regret_metric_name(metric, &regret->study->scenario)) \
    X(replication, int, "", NEITHER, replication + 1) \
    X(policy, csv(text), "", NEITHER, regret->study->policy) \
    X(bound, real, OF_METRIC, NEITHER, bound.value) \
    X(hindsight, real, OF_METRIC, NEITHER, r->end.reached.of[metric]) \
    X(value, real, OF_METRIC, NEITHER, r->own.of[metric]) \
    X(reason, text, "", NEITHER, bound.reason)
/* clang-format on */

static void add_regret_row(const struct regret *regret, const struct regret_point *point,
                           const struct regret_row *row, struct str *out) {
    const struct regret_row *chosen = &regret->rows.at.at[point->first];
    const struct regret_others *others = row->known && row != chosen ? &row->others : NULL;
    bool starts = row->config != EASIM_NONE;
    const char *type = starts ? regret->study->cluster.gpu_types[row->gpu_type].name : NULL;
    double reached[REGRET_METRICS], change[REGRET_METRICS];
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++) {
        reached[m] = row->known ? row->of[m] : NAN;
        change[m] = reached[m] - chosen->of[m];
    }
    TABLE_ROW(REGRET_COLUMNS);
}

void regret_tables_csv(const struct regret_output *output, struct str *out) {
    str_add(out, TABLE_HEADER(REGRET_COLUMNS));
    for (size_t p = 0; p < output->summary->points.count; p++) {
        const struct regret_point *point = &output->summary->points.at[p];
        for (size_t i = point->first; i < point->first + point->count; i++)
            add_regret_row(output->regret, point, &output->regret->rows.at.at[i], out);
    }
}

/* ---- hindsight.csv ---- */

/* The bound for schedules of all jobs; with the reason if there is none. */
static struct bound regret_tables_bound(const struct regret_output *output,
                                        enum regret_metric metric, uint32_t replication) {
    const struct bounds *bounds = &output->bounds[replication];
    if (metric == REGRET_MISSES)
        return (struct bound){NAN, "missed deadlines are not bounded"};
    if (output->regret->replications[replication].own.rejected > (double)bounds->impossible)
        return (struct bound){NAN, "the policy rejected jobs"};
    return bounds->of[metric == REGRET_ENERGY ? BOUND_ENERGY : BOUND_TIME];
}

static void add_hindsight_row(const struct regret_output *output, enum regret_metric metric,
                              uint32_t replication, struct str *out) {
    const struct regret *regret = output->regret;
    const struct regret_replication *r = &regret->replications[replication];
    const struct bound bound = regret_tables_bound(output, metric, replication);
    TABLE_ROW(HINDSIGHT_COLUMNS);
}

void regret_tables_hindsight(const struct regret_output *output, struct str *out) {
    if (!output->bounds)
        return;
    str_add(out, TABLE_HEADER(HINDSIGHT_COLUMNS));
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
        for (uint32_t r = 0; r < output->regret->count; r++)
            if (output->regret->replications[r].end.points > 0)
                add_hindsight_row(output, m, r, out);
}

/* --- regret_report --- */
/* Invariant: every name of others is written by str_add_visible, so that it stays on its line. */

#define TOLD 10 /* of the worst decisions */

static struct report_line line_of(const struct regret *regret, enum regret_metric metric) {
    const char *name = regret_metric_name(metric, &regret->study->scenario);
    return run_report_find_line((unsigned)summary_find(name));
}

static void add_value(const struct report_line *of, double value, struct str *out) {
    struct report_line own = *of, *line = &own;
    run_report_scale_time(line, value);
    run_report_add_number(out, line->scale * value);
    str_addf(out, "%s%s", line->unit[0] ? " " : "", line->unit);
}

/* ---- A point explained ---- */

/* An action, "2 x h100, b 64" or "waiting"; and what it would have done against the chosen one.
   "2 x h100, b 64, 400 W". */
static void regret_explanation_action(const struct regret *regret, const struct regret_row *row,
                                      struct str *out) {
    if (row->config == EASIM_NONE) {
        str_add(out, "waiting");
        return;
    }
    if (row->milli > 0)
        str_addf(out, "%g of one ", (double)row->milli / WHOLE_GPU_MILLI);
    else
        str_addf(out, "%" PRIu32 " x ", row->k);
    str_add_visible(out, regret->study->cluster.gpu_types[row->gpu_type].name);
    if (row->batch > 0)
        str_addf(out, ", b %g", row->batch);
    if (isfinite(row->power_limit_w))
        str_addf(out, ", %g W", row->power_limit_w);
}

/* "energy -1.2 kWh, completion time, mean +3 s" */
static void add_changes(const struct regret *regret, const struct regret_row *row,
                        const struct regret_row *chosen, struct str *out) {
    const char *between = "";
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++) {
        const struct report_line line = line_of(regret, m);
        double change = row->of[m] - chosen->of[m];
        if (change == 0)
            continue;
        str_addf(out, "%s%s %s", between, line.label, change > 0 ? "+" : "-");
        add_value(&line, fabs(change), out);
        between = "; ";
    }
    if (between[0] == '\0')
        str_add(out, "nothing would have changed");
}

static void add_job(const struct regret *regret, size_t job, double by_s, struct str *out) {
    if (job == 0)
        return;
    str_add(out, " (");
    str_add_visible(out, text_places_at(&regret->rows.texts, job));
    str_addf(out, " by %.5g s)", by_s);
}

static void add_others(const struct regret *regret, const struct regret_row *row, struct str *out) {
    const struct regret_others *others = &row->others;
    if (others->own_s == 0)
        str_add(out, "it would have ended when it did");
    else
        str_addf(out, "it would have ended %.5g s %s", fabs(others->own_s),
                 others->own_s < 0 ? "sooner" : "later");
    str_addf(out, ", %" PRIu32 " others sooner", others->sooner);
    add_job(regret, row->most_sooner, others->most_sooner_s, out);
    str_addf(out, ", %" PRIu32 " later", others->later);
    add_job(regret, row->most_later, others->most_later_s, out);
}

static void regret_explanation_effects(const struct regret *regret, const struct regret_row *row,
                                       const struct regret_row *chosen, struct str *out) {
    add_changes(regret, row, chosen, out);
    str_add(out, "; ");
    add_others(regret, row, out);
}

/* One point told in a paragraph. */
static void regret_explanation(const struct regret *regret, const struct regret_point *point,
                               struct str *out) {
    const struct regret_row *chosen = &regret->rows.at.at[point->first];
    const struct regret_row *best = &regret->rows.at.at[point->best];
    str_addf(out, "replication %" PRIu32 ", ", chosen->replication);
    run_report_add_time(out, units_s(chosen->time_ns));
    str_add(out, ": ");
    str_add_visible(out, text_places_at(&regret->rows.texts, chosen->job));
    if (chosen->model > 0) {
        str_add(out, " (");
        str_add_visible(out, text_places_at(&regret->rows.texts, chosen->model));
        str_add_char(out, ')');
    }
    str_add(out, " started on ");
    regret_explanation_action(regret, chosen, out);
    str_addf(out, " with %" PRIu32 " other%s waiting, %" PRIu32 " running, %" PRIu32 " GPUs free",
             chosen->waiting - 1, chosen->waiting == 2 ? "" : "s", chosen->running,
             chosen->free_gpus);
    if (best == chosen) {
        str_add(out, "; nothing would have been better\n");
        return;
    }
    str_add(out, "; better: ");
    regret_explanation_action(regret, best, out);
    str_add(out, "\n      ");
    regret_explanation_effects(regret, best, chosen, out);
    str_add_char(out, '\n');
}

/* ---- The summary ---- */

static size_t copies_of(const struct regret_output *output) {
    return output->regret->rows.at.count - output->summary->points.count;
}

static void add_title(const struct regret_output *output, struct str *out) {
    const struct regret *regret = output->regret;
    str_addf(out, "%s: policy %s, ", regret->study->scenario.name, regret->study->policy);
    run_report_protocol(regret->study, regret->count, out);
    if (regret->hindsight)
        str_addf(out, ": %zu decision points (of the policy's own runs %" PRIu64 "), %zu copies\n",
                 output->summary->points.count, regret->points, copies_of(output));
    else
        str_addf(out, ": %zu of %" PRIu64 " decision points, %zu copies\n",
                 output->summary->points.count, regret->points, copies_of(output));
}

static void regret_report_add_summary(const struct regret_output *output, struct str *out) {
    const struct regret_summary *summary = output->summary;
    const struct report_line line = line_of(output->regret, output->regret->by);
    const struct {
        const char *name;
        double value;
    } all[] = {{"mean", summary->mean},
               {"median", summary->median},
               {"90 %", summary->p90},
               {"most", summary->most}};
    str_addf(out, "  regret of %s:", line.label);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        str_addf(out, "%s %s ", i > 0 ? "," : "", all[i].name);
        add_value(&line, all[i].value, out);
    }
    size_t count = summary->points.count;
    str_addf(
        out,
        "\n  the decision was the best there was at %zu of %zu points (%.3g %%); waiting would "
        "have been best at %zu\n",
        summary->best, count, count > 0 ? 100.0 * (double)summary->best / (double)count : 0.0,
        summary->waits);
}

static void add_key(const struct regret *regret, enum regret_grouping grouping, uint64_t key,
                    struct str *out) {
    if (grouping == REGRET_BY_TYPE)
        str_add_visible(out, regret->study->cluster.gpu_types[key].name);
    else if (grouping == REGRET_BY_K && key == 0)
        str_add(out, "part of one");
    else if (grouping == REGRET_BY_WAITING && key > 1)
        str_addf(out, "%" PRIu64 "-%" PRIu64, key, 2 * key - 1);
    else
        str_addf(out, "%" PRIu64, key);
}

static void regret_report_add_groups(const struct regret_output *output, struct report *report) {
    static const char *const names[] = {"GPUs", "GPU type", "jobs waiting, itself included"};
    const struct report_line line = line_of(output->regret, output->regret->by);
    report_table(report, "by||>mean|>points");
    for (enum regret_grouping g = 0; g < REGRET_GROUPINGS; g++)
        for (size_t i = 0; i < output->summary->groups[g].count; i++) {
            const struct regret_group *group = &output->summary->groups[g].at[i];
            report_row_of(report, names[g]);
            add_key(output->regret, g, group->key, report_cell(report));
            add_value(&line, group->sum / (double)group->points, report_cell(report));
            str_addf(report_cell(report), "%zu", group->points);
        }
}

static void regret_report_add_hindsight(const struct regret_output *output,
                                        enum regret_metric metric, struct report *report) {
    const struct regret *regret = output->regret;
    const struct report_line line = line_of(regret, metric);
    double bound = 0, reached = 0, own = 0;
    size_t count = 0;
    const char *reason = NULL;
    for (uint32_t r = 0; r < regret->count; r++) {
        if (regret->replications[r].end.points == 0)
            continue;
        const struct bound of = regret_tables_bound(output, metric, r);
        reason = reason ? reason : of.reason;
        bound += of.value;
        reached += regret->replications[r].end.reached.of[metric];
        own += regret->replications[r].own.of[metric];
        count++;
    }
    report_row_of(report, line.label);
    if (reason)
        str_addf(report_cell(report), "none: %s", reason);
    else
        add_value(&line, bound / (double)count, report_cell(report));
    add_value(&line, reached / (double)count, report_cell(report));
    add_value(&line, own / (double)count, report_cell(report));
}

void regret_report(const struct regret_output *output, struct report *report) {
    struct str *out = report_lines(report);
    const struct regret *regret = output->regret;
    const struct regret_summary *summary = output->summary;
    add_title(output, out);
    regret_report_add_summary(output, out);
    regret_report_add_groups(output, report);
    if (output->bounds) {
        str_add(report_lines(report),
                "  with the best action taken at each point in turn (means; the optimum of "
                "what is regretted lies between bound and hindsight):\n");
        report_table(report, "metric|>bound|>hindsight|>policy");
        for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
            regret_report_add_hindsight(output, m, report);
    }
    report_lines(report);
    if (summary->worst.count > 0)
        str_addf(out, "  what it regrets most:\n");
    for (size_t i = 0; i < summary->worst.count && i < TOLD; i++) {
        str_addf(out, "  %2zu. ", i + 1);
        regret_explanation(regret, &summary->worst.at[i], out);
    }
    if (regret->failed > 0) {
        str_addf(out, "  %zu of %zu copies have no result, the first: ", regret->failed,
                 regret->rows.at.count - summary->points.count);
        str_add_visible(out, regret->failure);
        str_add_char(out, '\n');
    }
}

/* --- regret_json --- */

static void add_summary(const struct regret_summary *summary, cJSON *root) {
    cJSON *object = cJSON_AddObjectToObject(root, "regret");
    json_add_int(object, "points", (int64_t)summary->points.count);
    json_add_int(object, "best", (int64_t)summary->best);
    json_add_int(object, "waits", (int64_t)summary->waits);
    json_add_real(object, "mean", summary->mean);
    json_add_real(object, "median", summary->median);
    json_add_real(object, "p90", summary->p90);
    json_add_real(object, "most", summary->most);
}

static void add_groups(const struct regret_output *output, cJSON *root) {
    static const char *const names[] = {"by_k", "by_gpu_type", "by_waiting"};
    for (enum regret_grouping g = 0; g < REGRET_GROUPINGS; g++) {
        cJSON *list = cJSON_AddArrayToObject(root, names[g]);
        for (size_t i = 0; i < output->summary->groups[g].count; i++) {
            const struct regret_group *group = &output->summary->groups[g].at[i];
            cJSON *object = json_append_object(list);
            if (g == REGRET_BY_TYPE)
                json_add_text(object, "gpu_type",
                              output->regret->study->cluster.gpu_types[group->key].name);
            else
                json_add_int(object, g == REGRET_BY_K ? "k" : "waiting_from", (int64_t)group->key);
            json_add_int(object, "points", (int64_t)group->points);
            json_add_int(object, "best", (int64_t)group->best);
            json_add_real(object, "mean", group->sum / (double)group->points);
        }
    }
}

static cJSON *regret_action_json(const struct regret *regret, const struct regret_row *row) {
    cJSON *object = cJSON_CreateObject();
    bool starts = row->config != EASIM_NONE;
    const char *type = starts ? regret->study->cluster.gpu_types[row->gpu_type].name : NULL;
    REGRET_ACTION(COLUMN_MEMBER)
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
        json_add_real(object, regret_metric_name(m, &regret->study->scenario), row->of[m]);
    return object;
}

static void add_worst(const struct regret_output *output, cJSON *root) {
    const struct regret *regret = output->regret;
    cJSON *list = cJSON_AddArrayToObject(root, "worst");
    for (size_t i = 0; i < output->summary->worst.count && i < 10; i++) {
        const struct regret_point *point = &output->summary->worst.at[i];
        const struct regret_row *row = &regret->rows.at.at[point->first], *chosen = row;
        cJSON *object = json_append_object(list);
        struct str explanation = {0};
        REGRET_POINT(COLUMN_MEMBER)
        REGRET_TIME(COLUMN_MEMBER)
        json_add_text(object, "job", TEXT_AT(job));
        REGRET_VALUE(COLUMN_MEMBER)
        cJSON_AddItemToObject(object, "chosen", regret_action_json(regret, row));
        cJSON_AddItemToObject(object, "best",
                              regret_action_json(regret, &regret->rows.at.at[point->best]));
        regret_explanation(regret, point, &explanation);
        json_add_text(object, "story", explanation.text);
        str_finish(&explanation);
    }
}

static void add_hindsight(const struct regret_output *output, cJSON *root) {
    const struct regret *regret = output->regret;
    cJSON *list = output->bounds ? cJSON_AddArrayToObject(root, "hindsight") : NULL;
    for (enum regret_metric metric = 0; list && metric < REGRET_METRICS; metric++)
        for (uint32_t replication = 0; replication < regret->count; replication++) {
            const struct regret_replication *r = &regret->replications[replication];
            const struct bound bound = regret_tables_bound(output, metric, replication);
            if (r->end.points == 0)
                continue;
            cJSON *object = json_append_object(list);
            HINDSIGHT_COLUMNS(COLUMN_MEMBER)
        }
}

void regret_tables_json(const struct regret_output *output, struct str *out) {
    const struct regret *regret = output->regret;
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "scenario", regret->study->scenario.name);
    json_add_text(root, "policy", regret->study->policy);
    json_add_text(root, "metric", regret_metric_name(regret->by, &regret->study->scenario));
    json_add_int(root, "replications", regret->count);
    json_add_int(root, "decision_points", (int64_t)regret->points);
    json_add_int(root, "failed", (int64_t)regret->failed);
    add_summary(output->summary, root);
    add_groups(output, root);
    add_hindsight(output, root);
    add_worst(output, root);
    json_print(root, out);
}

/* --- what_if --- */

static void add_start(const struct regret *regret, const struct regret_row *chosen,
                      struct str *out) {
    str_add(out, "  at ");
    str_add_ns(out, chosen->time_ns);
    str_add(out, " s, in place of ");
    regret_explanation_action(regret, chosen, out);
    str_add(out, ":\n");
}

void regret_what_if(const struct regret *regret, struct str *out) {
    const struct regret_row *rows = regret->rows.at.at, *chosen = NULL;
    str_add(out,
            "\nWhat if? Simulated to the end of the run, by the same policy with the same random "
            "numbers\n");
    if (regret->rows.at.count == 0)
        str_add(out, "  It was never started, so there is no decision to replace.\n");
    for (size_t i = 0; i < regret->rows.at.count; i++) {
        if (rows[i].action == REGRET_CHOSEN) {
            chosen = &rows[i];
            add_start(regret, chosen, out);
            if (i + 1 == regret->rows.at.count || rows[i + 1].action == REGRET_CHOSEN)
                str_add(out, "      that could not be had then\n");
            continue;
        }
        str_add(out, "      ");
        regret_explanation_action(regret, &rows[i], out);
        str_add(out, ": ");
        if (rows[i].known)
            regret_explanation_effects(regret, &rows[i], chosen, out);
        else
            str_add_visible(out, text_places_at(&regret->rows.texts, rows[i].failure));
        str_add_char(out, '\n');
    }
}

cJSON *regret_what_if_json(const struct regret *regret) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < regret->rows.at.count; i++) {
        const struct regret_row *row = &regret->rows.at.at[i];
        const struct regret_others *others = &row->others;
        cJSON *object = regret_action_json(regret, row);
        REGRET_TIME(COLUMN_MEMBER)
        REGRET_DECISION(COLUMN_MEMBER)
        if (row->known && row->action != REGRET_CHOSEN) {
            REGRET_OTHERS(COLUMN_MEMBER)
        }
        REGRET_FAILURE(COLUMN_MEMBER)
        cJSON_AddItemToArray(list, object);
    }
    return list;
}
