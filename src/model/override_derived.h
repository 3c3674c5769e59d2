/* scaling_efficiency and p0_share of an entry (semantics 3.7). */
#ifndef EASIM_MODEL_OVERRIDE_DERIVED_H
#define EASIM_MODEL_OVERRIDE_DERIVED_H

#include "model/override_entry.h"

/* For override_each_place, by GPU type, once the plain values are made. */
void override_derive(const struct override *o, const struct override_place *place);
/* A GPU type of which the cluster has nodes; NULL: it has none. */
const struct gpu_type *override_type_in_use(const struct cluster *cluster, const char *gpu);

#endif
