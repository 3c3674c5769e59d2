/* What there is to say about a choice of forms, in words. */
#ifndef EASIM_CALIBRATE_CHOICE_TEXT_H
#define EASIM_CALIBRATE_CHOICE_TEXT_H

#include "calibrate/choice.h"
#include "calibrate/node_power.h"

/* "affine, additive sync, linear power". */
const char *choice_form_text(const struct form *form, struct arena *arena);
/* Which form of a contest was chosen and against what. */
const char *choice_contest_text(const struct form_choice *choice, const struct contest *contest);
/* What a derived power stands on. */
const char *choice_floor_text(const struct form_choice *choice, struct node_floor floor);
/* Fills in choice->statements. */
void choice_state(struct form_choice *choice, struct node_floor floor);
/* "" or "s". */
const char *choice_plural(size_t count);

/* Adds to choice->warnings. */
void choice_warn(struct form_choice *choice, const char *format, ...) PRINTF_LIKE(2, 3);
/* Parameters that the points hardly tell, and rows of `file` far from the form. */
void choice_warn_of_form(struct form_choice *choice, const char *file);
/* What the rows of `file` do not tell, and those that are not used. */
void choice_warn_of_points(struct form_choice *choice, const char *file);

#endif
