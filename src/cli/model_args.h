/* What `easim models` looks at: the models and the GPUs of a scenario, or those of a model file. */
#ifndef EASIM_CLI_MODEL_ARGS_H
#define EASIM_CLI_MODEL_ARGS_H

#include "cli/options.h"
#include "model/survey.h"
#include "study/inputs.h"

/* Zero-initialise; release with model_args_finish. */
struct model_args {
    struct study study; /* of a model file: its models and its document alone */
    struct inputs inputs;
    struct cluster assumed; /* of a model file: as many GPUs as are asked for */
    const struct cluster *cluster;
    bool is_scenario;
    struct survey_wishes wishes;
    ARRAY_OF(const char *) notes; /* lines: what is assumed, and what is left out */
};

void model_args_note(struct model_args *args, const char *format, ...) PRINTF_LIKE(2, 3);
/* Reads the first operand and what the options say of it; negative after adding problems. */
int model_args_load(struct model_args *args, struct options *options,
                    struct problems *problems) MUST_CHECK;
void model_args_finish(struct model_args *args);

#endif
