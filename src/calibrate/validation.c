/* Predictions of model files: see validation.h. */
#include "calibrate/validation.h"

#include "io/csv.h"
#include "model/gpu_value.h"

#include <math.h>
#include <stdlib.h>

static struct prediction predict_by_model(const struct gpu_model *gpu_model, struct place at) {
    struct interpolation_value value;
    if (!gpu_value_find(gpu_model, at.k, at.batch, form_nodes(at), &value))
        return (struct prediction){NAN, NAN};
    return (struct prediction){speed_rate(1, at.batch, value.iteration_s),
                               gpu_model->power_form == POWER_TDP ? NAN : value.power_w};
}

void validation_make(struct validation *validation, const struct profile_group *group,
                     const struct model_set *models) {
    *validation = (struct validation){.group = group};
    points_of_group(&validation->points, group);
    size_t n = validation->points.at.count;
    validation->predictions = mem_alloc(n * sizeof *validation->predictions);
    int model = model_set_find(models, group->model);
    const struct gpu_model *g = model < 0 ? NULL : model_on_gpu(&models->models[model], group->gpu);
    for (size_t i = 0; i < n; i++)
        validation->predictions[i] =
            g ? predict_by_model(g, validation->points.at.at[i].at) : (struct prediction){NAN, NAN};
    validation->by_table = g && g->lookup_speed;
    validation->scores = score_all(&validation->points, validation->predictions);
    if (model < 0)
        validation->missing = "no such model in the file";
    else if (!g)
        validation->missing = "the model does not know this GPU type";
    else if (validation->scores.points[THROUGHPUT] == 0)
        validation->missing = "every row is outside the lookup table";
}

void validation_finish(struct validation *validation) {
    points_finish(&validation->points);
    free(validation->predictions);
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
        str_addf(out, ",%u,%d", m->at.k, m->at.span == EASIM_ACROSS_NODES);
        csv_comma_real(out, m->at.batch);
        csv_comma_real(out, m->rate * m->at.k);
        csv_comma_real(out, p->rate * m->at.k);
        csv_comma_real(out, m->power_w);
        csv_comma_real(out, p->power_w);
        csv_comma_real(out, m->power_w / m->rate);
        csv_comma_real(out, p->power_w / p->rate);
        str_addf(out, ",%u,%s\n", m->row->line, isnan(p->rate) ? "" : by_table ? "table" : "form");
    }
}
