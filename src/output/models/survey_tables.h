/* A survey as files and on the terminal, each in the file of its name. */
#ifndef EASIM_OUTPUT_MODELS_SURVEY_TABLES_H
#define EASIM_OUTPUT_MODELS_SURVEY_TABLES_H

#include "base/str.h"
#include "model/survey.h"
#include "output/report_text.h"

/* Every configuration of the models, with what they say of it. */
void models_csv(const struct survey *survey, struct str *out);
/* Measured points, and predictions for the same configurations; empty if there is no point. */
void measured_csv(const struct survey *survey, struct str *out);
/* All plans of transformers, by model, GPU type, k and ascending time. */
void plans_csv(const struct survey *survey, struct str *out);

/* ---- For a person ---- */

/* A table for each model on each GPU type, and why some of its configurations are not feasible. */
void models_report(const struct survey *survey, struct report *report);
/* The parameters of the models of the chosen pairs: those of each model and of each GPU type, with
   the evidence of each. */
void parameters_report(const struct survey *survey, struct str *out);
/* For every model, GPU type and k of the survey: the fastest plans that fit the memory, with the
   parts of an iteration under each, and the number of the others. */
void plans_report(const struct survey *survey, struct report *report);
/* Appends the serving tables of the models, GPU types and k that are wished for, on GPU types of
   the cluster (NULL: on all): of each point rate and latency as pooled, power, energy per token or
   output. Returns how many tables there are. */
size_t serving_report(const struct model_set *models, const struct cluster *cluster,
                      const struct survey_wishes *wishes, struct report *report);

#endif
