/* Serving tables on the terminal: see survey_tables.h. */
#include "output/models/survey_tables.h"

#include <math.h>
#include <string.h>

static bool is_named(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

static bool is_wished(const struct serving *table, const struct cluster *cluster,
                      const struct survey_wishes *wishes) {
    bool found = !cluster, wanted = wishes->k.count == 0;
    for (uint32_t h = 0; cluster && h < cluster->gpu_type_count; h++)
        found |= strcmp(cluster->gpu_types[h].name, table->gpu) == 0;
    for (size_t i = 0; i < wishes->k.count; i++)
        wanted |= wishes->k.at[i] == (double)table->k;
    return found && wanted && is_named(wishes->gpus, wishes->gpu_count, table->gpu);
}

static void add_points(struct str *out, const struct serving *serving, bool tokens) {
    const struct serving_table *table = &serving->table;
    str_addf(out, "  %8s %9s %12s %9s %10s", "limit", "running", tokens ? "tokens/s" : "outputs/s",
             "W", tokens ? "J/token" : "J/output");
    str_addf(out, tokens ? " %9s %9s %9s %9s\n" : " %9s\n", tokens ? "p50 ms" : "ms", "p90 ms",
             "p95 ms", "p99 ms");
    for (size_t i = 0; i < table->count; i++) {
        const struct serving_point *p = &table->points[i];
        if (isnan(p->limit))
            str_addf(out, "  %8s", "-");
        else
            str_addf(out, "  %8.6g", p->limit);
        str_addf(out, " %9.5g %12.5g %9.5g %10.4g", p->n, p->per_s, p->power_w,
                 p->power_w / p->per_s);
        for (int q = 0; q < (tokens ? SERVING_QUANTILES : 1); q++)
            str_addf(out, " %9.4g", p->latency_ms[q]);
        str_add(out, "\n");
    }
}

size_t serving_report(const struct model_set *models, const struct cluster *cluster,
                      const struct survey_wishes *wishes, struct str *out) {
    size_t shown = 0;
    for (uint32_t m = 0; m < models->count; m++) {
        const struct model *model = &models->models[m];
        const struct serving *tables = model->serving.tables.at;
        for (size_t i = 0; i < model->serving.tables.count; i++) {
            if (!is_named(wishes->models, wishes->model_count, model->name) ||
                !is_wished(&tables[i], cluster, wishes))
                continue;
            str_addf(out, "%s%s on %s, replica of %lld GPUs: serving table, evidence %s\n",
                     out->length > 0 ? "\n" : "", model->name, tables[i].gpu,
                     (long long)tables[i].k, evidence_names[tables[i].evidence]);
            add_points(out, &tables[i], model->serving.unit == UNIT_TOKEN);
            shown++;
        }
    }
    return shown;
}
