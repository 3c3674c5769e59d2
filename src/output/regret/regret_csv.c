/* regret.csv and hindsight.csv: see regret_tables.h. */
#include "output/regret/regret_tables.h"
#include "output/run/run_columns.h"

#include <math.h>

/* ---- regret.csv ---- */

#define REGRET_HEADER \
    "replication,point,decision,time_s,job_id,model,user,waiting,running,free_gpus,action,taken," \
    "gpu_type,k,batch_per_gpu,gpu_share,power_limit_w,predicted_time_s,predicted_energy_j," \
    "energy_kwh,jct_s,deadline_missed,energy_change_kwh,jct_change_s,deadline_missed_change," \
    "own_change_s,sooner,most_sooner_s,most_sooner_job,later,most_later_s,most_later_job,regret," \
    "failure\n"

static void add_place(const struct regret *regret, const struct regret_row *row, struct str *out) {
    str_add_int(out, row->replication);
    csv_comma_int(out, row->point);
    csv_comma_int(out, (int64_t)row->decision);
    run_columns_ns(out, row->time_ns);
    csv_comma_text(out, text_places_at(&regret->rows.texts, row->job));
    csv_comma_text(out, text_places_at(&regret->rows.texts, row->model));
    csv_comma_text(out, text_places_at(&regret->rows.texts, row->user));
    csv_comma_int(out, row->waiting);
    csv_comma_int(out, row->running);
    csv_comma_int(out, row->free_gpus);
}

static void add_action(const struct regret *regret, const struct regret_row *row, struct str *out) {
    bool starts = row->config != EASIM_NONE;
    run_columns_word(out, regret_action_names[row->action]);
    csv_comma_int(out, row->taken);
    csv_comma_text(out, starts ? regret->study->cluster.gpu_types[row->gpu_type].name : NULL);
    csv_comma_count(out, row->k);
    csv_comma_positive(out, row->batch);
    csv_comma_real(out, row->milli > 0 ? (double)row->milli / WHOLE_GPU_MILLI : NAN);
    run_columns_limit(out, starts ? row->power_limit_w : INFINITY);
    csv_comma_real(out, row->time_s);
    csv_comma_real(out, row->energy_j);
}

static void add_effects(const struct regret *regret, const struct regret_row *row,
                        const struct regret_row *chosen, struct str *out) {
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
        csv_comma_real(out, row->known ? row->of[m] : NAN);
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
        csv_comma_real(out, row->known ? row->of[m] - chosen->of[m] : NAN);
    if (!row->known || row == chosen) {
        str_add(out, ",,,,,,,");
        return;
    }
    const struct regret_others *others = &row->others;
    csv_comma_real(out, others->own_s);
    csv_comma_int(out, others->sooner);
    csv_comma_positive(out, others->most_sooner_s);
    csv_comma_text(out, text_places_at(&regret->rows.texts, row->most_sooner));
    csv_comma_int(out, others->later);
    csv_comma_positive(out, others->most_later_s);
    csv_comma_text(out, text_places_at(&regret->rows.texts, row->most_later));
}

void regret_tables_csv(const struct regret_output *output, struct str *out) {
    const struct regret *regret = output->regret;
    const struct regret_row *rows = regret->rows.at.at;
    str_add(out, REGRET_HEADER);
    for (size_t p = 0; p < output->spread->points.count; p++) {
        const struct regret_point *point = &output->spread->points.at[p];
        for (size_t i = point->first; i < point->first + point->count; i++) {
            add_place(regret, &rows[i], out);
            add_action(regret, &rows[i], out);
            add_effects(regret, &rows[i], &rows[point->first], out);
            csv_comma_real(out, i == point->first ? point->regret : NAN);
            csv_comma_text(out, text_places_at(&regret->rows.texts, rows[i].failure));
            str_add_char(out, '\n');
        }
    }
}

/* ---- hindsight.csv ---- */

struct bound regret_tables_bound(const struct regret_output *output, enum regret_metric metric,
                                 uint32_t replication) {
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
    str_add(out, regret_metric_name(metric, &regret->study->scenario));
    csv_comma_int(out, replication + 1);
    csv_comma_text(out, regret->study->module.policy->name);
    csv_comma_real(out, bound.value);
    csv_comma_real(out, r->end.reached.of[metric]);
    csv_comma_real(out, r->own.of[metric]);
    csv_comma_text(out, bound.reason ? bound.reason : "");
    str_add_char(out, '\n');
}

void regret_tables_hindsight(const struct regret_output *output, struct str *out) {
    if (!output->bounds)
        return;
    str_add(out, "metric,replication,policy,bound,hindsight,value,reason\n");
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
        for (uint32_t r = 0; r < output->regret->count; r++)
            if (output->regret->replications[r].end.points > 0)
                add_hindsight_row(output, m, r, out);
}
