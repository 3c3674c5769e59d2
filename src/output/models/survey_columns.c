/* Words of a survey's rows: see survey_columns.h. */
#include "output/models/survey_columns.h"

const char *survey_columns_unit(const struct survey_row *row) {
    return work_unit_names[row->model->serving.unit];
}

const char *survey_columns_speed(const struct survey_row *row) {
    return row->gpu_model->lookup_speed ? "lookup" : "form";
}

const char *survey_columns_power(const struct survey_row *row) {
    if (row->gpu_model->power_form == POWER_TDP)
        return "tdp";
    return row->gpu_model->lookup_power ? "lookup" : "form";
}
