/* Power of whole nodes over the number of GPUs: measured at one size, derived at the others. */
#ifndef EASIM_CALIBRATE_NODE_POWER_H
#define EASIM_CALIBRATE_NODE_POWER_H

#include "calibrate/score.h"

/* What the whole profile says of the nodes of a GPU type. */
struct node_floor {
    double floor_w;  /* lowest power of a node after a run: what it draws at rest; NAN: not known */
    const char *gpu; /* on which it was read: another GPU type where it was read on others only */
    double most_w;   /* highest metered share of a GPU of this type, of any model; NAN: none */
};

struct node_floor node_floor_of(const struct profile_table *profile, const char *gpu);

/* The fewest GPUs with power; 0: none. */
uint32_t node_power_size(const struct points *points);

/* P(k) = f + (P(k0) - f) r(k)/r(k0) of a node, f its floor, k0 the fewest GPUs metered, r the speed
   of a GPU: linear in r, and so p0_w and pmax_w of the form, whose speed is fitted already. It is
   that of the software of the model at any level, as P(k0) is. */
void node_power_settle(const struct points *points, struct node_floor floor, struct form *form,
                       struct fit *fit);
/* Whether pmax_w of a settled form is implausible, above what any metered GPU of the type drew (the
   line meets it at 1/c_s samples/s, which large models never come near), and the places are few
   enough for a table. */
bool node_power_needs_grid(const struct points *points, struct node_floor floor,
                           const struct fit *fit);
/* The same power as a table, at most most_w: each k measured with each global batch measured whose
   steps are not larger than measured ones, in one node and across. Release table->points. */
void node_power_grid(const struct points *points, struct node_floor floor, const struct fit *fit,
                     struct interpolation *table);
/* The same for the points of a table that have none; the speeds are the table's. */
void node_power_fill(const struct points *points, struct node_floor floor,
                     struct interpolation *table);

#endif
