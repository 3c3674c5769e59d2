/* Run columns, survey columns. */
#ifndef EASIM_OUTPUT_COLUMNS_H
#define EASIM_OUTPUT_COLUMNS_H

#include "base/units.h"
#include "io/csv.h"
#include "model/survey.h"
#include "study/replicate.h"

#define RUN_HEADER(COLUMNS)                       "policy,replication" COLUMNS(RUN_COLUMN_NAME)
#define RUN_COLUMN_NAME(name, unit, better, cell) "," #name
#define RUN_COLUMN_CELL(name, unit, better, cell) cell;

/* The cells of policy and replication. */
void run_columns_begin(const char *policy, uint32_t number, struct str *out);
void run_columns_begin_row(const struct replication *replication, struct str *out);
/* Cells behind a comma. Times and powers are exact decimals; a negative time, or TIME_NONE_NS, is
   an empty cell. */
static inline void run_columns_ns(struct str *out, int64_t time_ns) {
    str_add_char(out, ',');
    if (time_ns >= 0 && time_ns != TIME_NONE_NS)
        str_add_ns(out, time_ns);
}
/* Nanowatts print as watts as nanoseconds print as seconds. */
static inline void run_columns_nw(struct str *out, int64_t power_nw) {
    run_columns_ns(out, power_nw);
}
/* Thousandths as a decimal: an integer where there are no parts. */
static inline void run_columns_milli(struct str *out, int64_t milli) {
    run_columns_ns(out, milli * (NS_PER_S / 1000));
}
/* A word that needs no quotes. */
static inline void run_columns_word(struct str *out, const char *word) {
    str_add_char(out, ',');
    str_add(out, word);
}
/* Energy of 1e-18 J in J, every digit kept. */
void run_columns_energy(struct str *out, int128 energy);
/* GPUs of a node, without a comma: "3", or "0-3". */
void run_columns_gpus(struct str *out, uint32_t first, uint32_t count);
/* May be before 0; TIME_NONE_NS: an empty cell. */
void run_columns_deadline(struct str *out, int64_t deadline_ns);
/* ",label.NAME" of every label. */
void run_columns_label_names(const struct workload *workload, struct str *out);
/* GPU time in GPU-seconds: exact up to 292 GPU-years, then the nearest double. */
void run_columns_gpu_ps(struct str *out, int128 gpu_ps);
/* INFINITY is an empty cell. */
void run_columns_limit(struct str *out, double limit);

/* --- survey_columns --- */
/* The tables of a survey are lists of columns as those of a run (output/columns.h), without
   the two columns that those begin with. */

#define SURVEY_COLUMN_NAME(name, unit, better, cell) "," #name
#define SURVEY_COLUMN_CELL(name, unit, better, cell) cell;
/* Without the comma in front. */
#define SURVEY_HEADER(COLUMNS) (&(COLUMNS(SURVEY_COLUMN_NAME) "\n")[1])

/* Words of a row: what its work is counted in, and what its speed and power come from. */
const char *survey_columns_unit(const struct survey_row *row);
uint32_t survey_columns_phase(const struct survey_row *row); /* from 1; 0: the model has one */
const char *survey_columns_span(const struct survey_row *row);
const char *survey_columns_speed(const struct survey_row *row);
const char *survey_columns_power(const struct survey_row *row);
const char *survey_columns_scope(const struct survey_row *row); /* what the power is of */

#endif
