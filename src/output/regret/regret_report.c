/* The summary of `easim regret` on the terminal, and the story of a decision point. Invariant:
   every name of others is written by str_add_visible, so that it stays on its line. */
#include "base/units.h"
#include "output/regret/regret_tables.h"
#include "output/run/run_report.h"

#include <inttypes.h>
#include <math.h>

#define TOLD 10 /* of the worst decisions */

static struct report_line line_of(const struct regret *regret, enum regret_metric metric) {
    const char *name = regret_metric_name(metric, &regret->study->scenario);
    return run_report_find_line((unsigned)summary_find(name));
}

static void add_value(const struct report_line *line, double value, struct str *out) {
    run_report_add_number(out, line->scale * value, 0);
    str_addf(out, "%s%s", line->unit[0] ? " " : "", line->unit);
}

/* ---- A story ---- */

/* "2 x h100, b 64, 400 W" */
void regret_story_action(const struct regret *regret, const struct regret_row *row,
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

void regret_story_effects(const struct regret *regret, const struct regret_row *row,
                          const struct regret_row *chosen, struct str *out) {
    add_changes(regret, row, chosen, out);
    str_add(out, "; ");
    add_others(regret, row, out);
}

void regret_story(const struct regret *regret, const struct regret_point *point, struct str *out) {
    const struct regret_row *chosen = &regret->rows.at.at[point->first];
    const struct regret_row *best = &regret->rows.at.at[point->best];
    str_addf(out, "replication %" PRIu32 ", %.9g s: ", chosen->replication,
             units_s(chosen->time_ns));
    str_add_visible(out, text_places_at(&regret->rows.texts, chosen->job));
    if (chosen->model > 0) {
        str_add(out, " (");
        str_add_visible(out, text_places_at(&regret->rows.texts, chosen->model));
        str_add_char(out, ')');
    }
    str_add(out, " started on ");
    regret_story_action(regret, chosen, out);
    str_addf(out, " with %" PRIu32 " other%s waiting, %" PRIu32 " running, %" PRIu32 " GPUs free",
             chosen->waiting - 1, chosen->waiting == 2 ? "" : "s", chosen->running,
             chosen->free_gpus);
    if (best == chosen) {
        str_add(out, "; nothing would have been better\n");
        return;
    }
    str_add(out, "; better: ");
    regret_story_action(regret, best, out);
    str_add(out, "\n      ");
    regret_story_effects(regret, best, chosen, out);
    str_add_char(out, '\n');
}

/* ---- The summary ---- */

static size_t copies_of(const struct regret_output *output) {
    return output->regret->rows.at.count - output->spread->points.count;
}

static void add_title(const struct regret_output *output, struct str *out) {
    const struct regret *regret = output->regret;
    str_addf(out, "%s: policy %s, ", regret->study->scenario.name,
             regret->study->module.policy->name);
    run_report_protocol(regret->study, regret->count, out);
    if (regret->hindsight)
        str_addf(out, ": %zu decision points (of the policy's own runs %" PRIu64 "), %zu copies\n",
                 output->spread->points.count, regret->points, copies_of(output));
    else
        str_addf(out, ": %zu of %" PRIu64 " decision points, %zu copies\n",
                 output->spread->points.count, regret->points, copies_of(output));
}

static void add_spread(const struct regret_output *output, struct str *out) {
    const struct regret_spread *spread = output->spread;
    const struct report_line line = line_of(output->regret, output->regret->by);
    const struct {
        const char *name;
        double value;
    } all[] = {{"mean", spread->mean},
               {"median", spread->median},
               {"90 %", spread->p90},
               {"most", spread->most}};
    str_addf(out, "  regret of %s:", line.label);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        str_addf(out, "%s %s ", i > 0 ? "," : "", all[i].name);
        add_value(&line, all[i].value, out);
    }
    size_t count = spread->points.count;
    str_addf(
        out,
        "\n  the decision was the best there was at %zu of %zu points (%.3g %%); waiting would "
        "have been best at %zu\n",
        spread->best, count, count > 0 ? 100.0 * (double)spread->best / (double)count : 0.0,
        spread->waits);
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

static void add_groups(const struct regret_output *output, struct str *out) {
    static const char *const names[] = {"GPUs", "GPU type", "jobs waiting, itself included"};
    const struct report_line line = line_of(output->regret, output->regret->by);
    for (enum regret_grouping g = 0; g < REGRET_GROUPINGS; g++) {
        str_addf(out, "  mean by %s:", names[g]);
        for (size_t i = 0; i < output->spread->groups[g].count; i++) {
            const struct regret_group *group = &output->spread->groups[g].at[i];
            str_add(out, i > 0 ? ", " : " ");
            add_key(output->regret, g, group->key, out);
            str_add(out, ": ");
            add_value(&line, group->sum / (double)group->points, out);
            str_addf(out, " (%zu)", group->points);
        }
        str_add_char(out, '\n');
    }
}

static void add_hindsight(const struct regret_output *output, enum regret_metric metric,
                          struct str *out) {
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
    str_addf(out, "  %s: ", line.label);
    if (reason)
        str_addf(out, "no bound (%s)", reason);
    else {
        str_add(out, "bound ");
        add_value(&line, bound / (double)count, out);
    }
    str_add(out, ", hindsight ");
    add_value(&line, reached / (double)count, out);
    str_add(out, ", policy ");
    add_value(&line, own / (double)count, out);
    str_add_char(out, '\n');
}

void regret_report(const struct regret_output *output, struct str *out) {
    const struct regret *regret = output->regret;
    const struct regret_spread *spread = output->spread;
    add_title(output, out);
    add_spread(output, out);
    add_groups(output, out);
    if (output->bounds) {
        str_add(out, "  with the best action taken at each point in turn (means; the optimum of "
                     "what is regretted lies between bound and hindsight):\n");
        for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
            add_hindsight(output, m, out);
    }
    if (spread->worst.count > 0)
        str_addf(out, "  what it regrets most:\n");
    for (size_t i = 0; i < spread->worst.count && i < TOLD; i++) {
        str_addf(out, "  %2zu. ", i + 1);
        regret_story(regret, &spread->worst.at[i], out);
    }
    if (regret->failed > 0) {
        str_addf(out, "  %zu of %zu copies have no result, the first: ", regret->failed,
                 regret->rows.at.count - spread->points.count);
        str_add_visible(out, regret->failure);
        str_add_char(out, '\n');
    }
}
