/* The values of an entry, made where they belong: plain ones, then those that follow from others.
 */
#ifndef EASIM_MODEL_OVERRIDE_VALUES_H
#define EASIM_MODEL_OVERRIDE_VALUES_H

#include "model/override_entry.h"

/* Each for override_each_place: what a model says for all its GPU types, and for one. */
void override_assign_to_model(const struct override *o, const struct override_place *place);
void override_assign_to_gpu(const struct override *o, const struct override_place *place);

#endif
