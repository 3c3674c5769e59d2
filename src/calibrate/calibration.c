/* Calibration of all models of a profile: see calibration.h. */
#include "calibrate/calibration.h"

#include <math.h>
#include <stdlib.h>

static void make_model(struct calibration *calibration, const struct profile_table *profile,
                       struct calibrated_model *model) {
    size_t most = profile->groups.count;
    model->choices = mem_zalloc(most, sizeof *model->choices);
    model->limits = mem_zalloc(most, sizeof *model->limits);
    for (size_t i = 0; i < most; i++) {
        const struct profile_group *group = &profile->groups.at[i];
        if (group->model != model->name ||
            group->unwanted) /* interned: equal texts have one address */
            continue;
        const struct choice_options how = {profile->file, calibration->options.max_form_error,
                                           node_floor_of(profile, group->gpu)};
        form_choice_make(&model->choices[model->count], group, &how, &calibration->arena);
        limits_of_group(&model->limits[model->count++], group);
    }
    target_runs_of_model(&model->runs, profile, model->name);
    if (model->runs.at.count > 0)
        model->convergence = convergence_of(&model->runs);
    model->measured_efficiency = model->runs.at.count > 0 && isnan(calibration->options.m0);
}

void calibration_make(struct calibration *calibration, const struct profile_table *profile,
                      const struct calibration_options *options) {
    calibration->options = *options;
    calibration->profile = profile->file;
    calibration->models = mem_zalloc(profile->groups.count, sizeof *calibration->models);
    for (size_t i = 0; i < profile->groups.count; i++) {
        const char *name = profile->groups.at[i].model;
        size_t known = 0;
        while (known < calibration->count && calibration->models[known].name != name)
            known++;
        if (known < calibration->count || profile->groups.at[i].unwanted)
            continue;
        struct calibrated_model *model = &calibration->models[calibration->count++];
        model->name = name;
        make_model(calibration, profile, model);
    }
}

void calibration_finish(struct calibration *calibration) {
    for (size_t m = 0; m < calibration->count; m++) {
        struct calibrated_model *model = &calibration->models[m];
        for (size_t i = 0; i < model->count; i++) {
            form_choice_finish(&model->choices[i]);
            limits_finish(&model->limits[i]);
        }
        target_runs_finish(&model->runs);
        free(model->choices);
        free(model->limits);
    }
    free(calibration->models);
    arena_finish(&calibration->arena);
}
