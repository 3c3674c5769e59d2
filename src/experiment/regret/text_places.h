/* Texts one behind the other, known by their places: they go from one process to another as they
   are. */
#ifndef EASIM_EXPERIMENT_REGRET_TEXT_PLACES_H
#define EASIM_EXPERIMENT_REGRET_TEXT_PLACES_H

#include "base/str.h"

/* A text's place; 0 of none. */
size_t text_places_add(struct str *texts, const char *text);
/* NULL of none. */
const char *text_places_at(const struct str *texts, size_t place);
/* The places of texts that now stand behind `by` bytes of others. */
void text_places_move(size_t *const *places, size_t count, size_t by);

#endif
