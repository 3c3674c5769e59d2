/* The tables of a survey are lists of columns as those of a run (output/run/run_columns.h), without
   the two columns that those begin with. */
#ifndef EASIM_OUTPUT_MODELS_SURVEY_COLUMNS_H
#define EASIM_OUTPUT_MODELS_SURVEY_COLUMNS_H

#include "io/csv.h"
#include "model/survey.h"

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
