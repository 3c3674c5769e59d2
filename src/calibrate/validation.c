/* Predictions of model files: see validation.h. */
#include "calibrate/validation.h"

#include "io/csv.h"

#include <math.h>
#include <stdlib.h>

static struct prediction predict_by_model(const struct gpu_model *g, struct place at) {
    struct prediction p;
    if (g->lookup.count > 0) {
        p = table_predict(&g->lookup, at);
    } else {
        p.rate = speed_rate(1, at.batch, speed_iteration_s(&g->speed, at.k, at.batch, at.span));
        p.power_w = power_training_w(&g->power, g->speed.c_s, p.rate, INFINITY);
    }
    if (g->power_form == POWER_TDP)
        p.power_w = NAN;
    return p;
}

void validation_make(struct validation *v, const struct profile_group *group,
                     const struct model_set *models) {
    *v = (struct validation){.group = group};
    points_of_group(&v->points, group);
    size_t n = v->points.at.count;
    v->predictions = mem_alloc(n * sizeof *v->predictions);
    int model = model_set_find(models, group->model);
    const struct gpu_model *g = model < 0 ? NULL : model_on_gpu(&models->models[model], group->gpu);
    for (size_t i = 0; i < n; i++)
        v->predictions[i] =
            g ? predict_by_model(g, v->points.at.at[i].at) : (struct prediction){NAN, NAN};
    v->by_table = g && g->lookup.count > 0;
    v->scores = score_all(&v->points, v->predictions);
    if (model < 0)
        v->missing = "no such model in the file";
    else if (!g)
        v->missing = "the model does not know this GPU type";
    else if (v->scores.points[THROUGHPUT] == 0)
        v->missing = "every row is outside the lookup table";
}

void validation_finish(struct validation *v) {
    points_finish(&v->points);
    free(v->predictions);
}

void points_write_header(struct str *out) {
    str_add(
        out,
        "model,gpu,k,across_nodes,batch_per_gpu,throughput_samples_s,throughput_model,power_w_per_gpu,power_model,energy_j_per_sample,energy_model,line,predicted_by\n");
}

void points_write(struct str *out, const struct profile_group *group, const struct points *points,
                  const struct prediction *predictions, bool by_table) {
    for (size_t i = 0; i < points->at.count; i++) {
        const struct point *m = &points->at.at[i];
        const struct prediction *p = &predictions[i];
        csv_add_text(out, group->model);
        csv_comma_text(out, group->gpu);
        str_addf(out, ",%u,%d,%u", m->at.k, m->at.span == EASIM_ACROSS_NODES, m->at.batch);
        csv_comma_real(out, m->rate * m->at.k);
        csv_comma_real(out, p->rate * m->at.k);
        csv_comma_real(out, m->power_w);
        csv_comma_real(out, p->power_w);
        csv_comma_real(out, m->power_w / m->rate);
        csv_comma_real(out, p->power_w / p->rate);
        str_addf(out, ",%u,%s\n", m->line, isnan(p->rate) ? "" : by_table ? "table" : "form");
    }
}
