/* Words of a survey's rows: see survey_columns.h. */
#include "output/models/survey_columns.h"

#include "model/batches.h"
#include "model/model_fields.h"

const char *survey_columns_unit(const struct survey_row *row) {
    return work_unit_names[row->model->serving.unit];
}

uint32_t survey_columns_phase(const struct survey_row *row) {
    return model_phase_count(row->model) > 1 ? row->phase + 1 : 0;
}

const char *survey_columns_span(const struct survey_row *row) {
    return network_span_name(&row->cluster->network, row->span);
}

const char *survey_columns_speed(const struct survey_row *row) {
    if (row->model->is_transformer)
        return "plan";
    return row->gpu_model->lookup_speed ? "lookup" : "form";
}

const char *survey_columns_power(const struct survey_row *row) {
    if (row->gpu_model->power_form == POWER_TDP)
        return "tdp";
    return row->gpu_model->lookup_power ? "lookup" : "form";
}

const char *survey_columns_scope(const struct survey_row *row) {
    return power_scope_names[row->gpu_model->power_scope];
}
