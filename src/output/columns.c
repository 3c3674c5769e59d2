/* Columns of tables: see columns.h. */
#include "output/columns.h"

#include "metrics/metric_table.h"
#include "model/batches.h"
#include "model/model_fields.h"

#include <math.h>
#include <string.h>

/* --- run_columns --- */

void columns_drop_comma(struct str *out, size_t begin) {
    out->length--;
    memmove(out->text + begin, out->text + begin + 1, out->length - begin + 1);
}

void columns_end_row(struct str *out, size_t begin) {
    columns_drop_comma(out, begin);
    str_add_char(out, '\n');
}

void run_columns_begin(const char *policy, uint32_t number, struct str *out) {
    csv_add_text(out, policy);
    csv_comma_int(out, number);
}

void run_columns_begin_row(const struct replication *replication, struct str *out) {
    run_columns_begin(replication->policy, replication->number, out);
}

#define ENERGY_PER_J 1000000000000000000 /* 1e-18 J in one */

void csv_comma_energy(struct str *out, int128 energy) {
    int64_t whole_j = (int64_t)(energy / ENERGY_PER_J), rest = (int64_t)(energy % ENERGY_PER_J);
    str_add_char(out, ',');
    if (energy < 0)
        str_add_char(out, '-');
    str_add_int(out, whole_j < 0 ? -whole_j : whole_j);
    if (rest == 0) {
        str_add(out, ".0");
        return;
    }
    /* a leading 1 keeps the zeros of the fraction */
    size_t at = out->length;
    str_add_int(out, ENERGY_PER_J + (rest < 0 ? -rest : rest));
    out->text[at] = '.';
    while (out->text[out->length - 1] == '0')
        out->text[--out->length] = '\0';
}

void run_columns_gpus(struct str *out, uint32_t first, uint32_t count) {
    str_add_int(out, first);
    if (count < 2)
        return;
    str_add_char(out, '-');
    str_add_int(out, (int64_t)first + count - 1);
}

void csv_comma_deadline(struct str *out, int64_t deadline_ns) {
    if (deadline_ns < 0) /* before the first submission */
        csv_comma_real(out, units_s(deadline_ns));
    else
        csv_comma_seconds(out, deadline_ns);
}

void run_columns_label_names(const struct workload *workload, struct str *out) {
    for (size_t i = 0; i < workload->label_names.count; i++) {
        struct str name = {0};
        str_addf(&name, "label.%s", workload->label_names.at[i]);
        csv_comma_text(out, name.text);
        str_finish(&name);
    }
}

void csv_comma_gpu_ps(struct str *out, int128 gpu_ps) {
    const int64_t ps = (int64_t)gpu_ps;
    if (ps == gpu_ps && ps % 1000 == 0) /* mostly, and divisions of 64 bits */
        csv_comma_seconds(out, ps / 1000);
    else if (gpu_ps % 1000 == 0 && gpu_ps / 1000 < INT64_MAX)
        csv_comma_seconds(out, (int64_t)(gpu_ps / 1000));
    else
        csv_comma_real(out, power_gpu_s(gpu_ps));
}

void csv_comma_limit(struct str *out, double limit) {
    csv_comma_real(out, isfinite(limit) ? limit : NAN);
}

void csv_comma_metric(struct str *out, unsigned column, double value) {
    if (metric_of(column)->type == METRIC_INT && isfinite(value))
        csv_comma_int(out, (int64_t)value);
    else
        csv_comma_real(out, value);
}

/* --- survey_columns --- */

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
