/* Tables as lists of columns: of runs, after policy and replication, and of surveys. */
#ifndef EASIM_OUTPUT_COLUMNS_H
#define EASIM_OUTPUT_COLUMNS_H

#include "base/units.h"
#include "io/csv.h"
#include "model/survey.h"
#include "output/json.h"
#include "study/replicate.h"

/* A table is a list of rows X(name, type, unit, better, value) in the order of its columns. The
   list of NAME.csv is NAME_COLUMNS; columns that only some files have are in NAME_COLUMNS_WHICH. It
   makes header, cells and members of JSON, and tools/check_tables.py compares documents with it. A
   type names the functions that add the cell after a comma, csv_comma_TYPE (below and in io/csv.h),
   and the member, json_add_TYPE: text, int, flag (0 or 1), natural (an int, absent below 0), count
   (absent if 0), word, estimate (in the CSV only its mean), csv(TYPE) (no member of JSON of this
   name). All others are reals (csv_add_real). own_text, own_int, own_real: the value itself adds
   the cell. */
#define COLUMN_NAME(name, type, unit, better, value)   "," #name
#define COLUMN_CELL(name, type, unit, better, value)   csv_comma_##type(out, value);
#define COLUMN_MEMBER(name, type, unit, better, value) json_add_##type(object, #name, value);
#define OF_METRIC                                      "of the metric" /* a unit */
/* The header of a table of runs, which policy and replication begin; of any other. */
#define RUN_HEADER(COLUMNS)   "policy,replication" COLUMNS(COLUMN_NAME)
#define TABLE_HEADER(COLUMNS) (&(COLUMNS(COLUMN_NAME) "\n")[1])
/* A row of a table that nothing else begins. */
#define TABLE_ROW(COLUMNS) \
    do { \
        size_t row_begin = out->length; \
        COLUMNS(COLUMN_CELL) \
        columns_end_row(out, row_begin); \
    } while (0)
/* Removes the comma at the begin of a row; the second adds the line end, too. */
void columns_drop_comma(struct str *out, size_t begin);
void columns_end_row(struct str *out, size_t begin);

#define csv_comma_csv(type)                csv_comma_##type
#define json_add_csv(type)                 json_add_nothing
#define json_add_nothing(out, name, value) /* no member */
#define json_add_word                      json_add_text
#define json_add_limit                     json_add_real
#define json_add_seconds(to, name, ns)     json_add_real(to, name, units_s(ns))
#define json_add_count(to, name, n)        json_add_natural(to, name, (n) ? (int64_t)(n) : -1)
#define json_add_positive(to, name, value) json_add_real(to, name, (value) > 0 ? (value) : NAN)
#define csv_comma_estimate(out, estimate)  csv_comma_real(out, (estimate)->mean)

/* A row of a table of runs: the cells that `begin` adds (policy and replication), then COLUMNS. */
#define RUN_ROW(begin, COLUMNS) \
    do { \
        begin; \
        COLUMNS(COLUMN_CELL) \
        str_add_char(out, '\n'); \
    } while (0)

/* The cells of policy and replication. */
void run_columns_begin(const char *policy, uint32_t number, struct str *out);
void run_columns_begin_row(const struct replication *replication, struct str *out);
#define csv_comma_own_text(out, call) call
#define csv_comma_own_int             csv_comma_own_text
#define csv_comma_own_real            csv_comma_own_text
#define csv_comma_flag                csv_comma_int
static inline void csv_comma_natural(struct str *out, int64_t value) {
    str_add_char(out, ',');
    if (value >= 0)
        str_add_int(out, value);
}
/* Times and powers are exact decimals; a negative time, or TIME_NONE_NS, is an empty cell. */
static inline void csv_comma_seconds(struct str *out, int64_t time_ns) {
    str_add_char(out, ',');
    if (time_ns >= 0 && time_ns != TIME_NONE_NS)
        csv_add_ns(out, time_ns);
}
/* Nanowatts print as watts as nanoseconds print as seconds. */
static inline void csv_comma_watts(struct str *out, int64_t power_nw) {
    csv_comma_seconds(out, power_nw);
}
/* Thousandths as a decimal. */
static inline void csv_comma_milli(struct str *out, int64_t milli) {
    csv_comma_seconds(out, milli * (NS_PER_S / 1000));
}
/* Needs no quotes. */
static inline void csv_comma_word(struct str *out, const char *word) {
    str_add_char(out, ',');
    str_add(out, word);
}
/* Energy of 1e-18 J in J, every digit kept. */
void csv_comma_energy(struct str *out, int128 energy);
/* GPUs of a node, without a comma: "3", or "0-3". */
void run_columns_gpus(struct str *out, uint32_t first, uint32_t count);
/* May be before 0; TIME_NONE_NS: an empty cell. */
void csv_comma_deadline(struct str *out, int64_t deadline_ns);
/* ",label.NAME" of every label. */
void run_columns_label_names(const struct workload *workload, struct str *out);
/* GPU time in GPU-seconds: exact up to 292 GPU-years, then the nearest double. */
void csv_comma_gpu_ps(struct str *out, int128 gpu_ps);
/* INFINITY is an empty cell. */
void csv_comma_limit(struct str *out, double limit);
/* The value of one run (not a mean) in that column of the summary, which may count something. */
void csv_comma_metric(struct str *out, unsigned column, double value);

/* --- survey_columns --- */
/* Tables of a survey, as those of a run but without its two first columns. */

/* Words of a row: what its work is counted in, and what its speed and power come from. */
const char *survey_columns_unit(const struct survey_row *row);
uint32_t survey_columns_phase(const struct survey_row *row); /* from 1; 0: the model has one */
const char *survey_columns_span(const struct survey_row *row);
const char *survey_columns_speed(const struct survey_row *row);
const char *survey_columns_power(const struct survey_row *row);
const char *survey_columns_scope(const struct survey_row *row); /* what the power is of */

#endif
