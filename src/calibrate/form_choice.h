/* The choice among competing forms for a model on a GPU type, and all there is to say of it. */
#ifndef EASIM_CALIBRATE_FORM_CHOICE_H
#define EASIM_CALIBRATE_FORM_CHOICE_H

#include "calibrate/choice.h"
#include "calibrate/node_power.h"

struct choice_options {
    const char *file;        /* name of the profile, for messages */
    double max_form_error;   /* a form whose mean error in sample is above gives way to the table */
    struct node_floor floor; /* of the GPU type */
};

/* Fits, scores and chooses, the speed and the power apart. All memory but what form_choice_finish
   releases is in the arena. */
void form_choice_make(struct form_choice *choice, const struct profile_group *group,
                      const struct choice_options *options, struct arena *arena);
void form_choice_finish(struct form_choice *choice);

#endif
