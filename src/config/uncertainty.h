/* The section `uncertainty` of a scenario: which of its values are uncertain, by which law, and in
   how many draws of all of them, the worlds, policies are compared (semantics 17). */
#ifndef EASIM_CONFIG_UNCERTAINTY_H
#define EASIM_CONFIG_UNCERTAINTY_H

#include "config/value_law.h"

#define UNCERTAINTY_CALIBRATION "calibration"     /* the group of all fitted parameters */
#define UNCERTAINTY_OVERRIDES   "model_overrides" /* the path of choices that add entries to it */

struct uncertain_parameter {
    struct location where;
    const char *group;
    const char *path; /* of a number of the scenario, as yaml_path_text writes it; or
                         UNCERTAINTY_OVERRIDES */
    const struct yaml_node *law_node;
    struct value_law law;
    struct schema_list bounds; /* double [least, most]; empty: what the scenario takes */
    const char *unit;          /* that stands behind the number in the scenario, "" if none */
    size_t group_index;
    size_t place; /* how many parameters of the same group and path are before it */
};

/* All memory is in the binding's arena. */
struct uncertainty {
    struct location where;
    int64_t worlds; /* 0: the scenario has no such section */
    bool calibration, shares;
    struct schema_list parameters; /* struct uncertain_parameter */
    const char **groups; /* in the order of their first parameters; then UNCERTAINTY_CALIBRATION */
    size_t group_count;
};

/* node: the section or NULL; root: the scenario as a whole, whose values the paths name. Negative
   after adding problems. */
int uncertainty_bind(struct uncertainty *uncertainty, const struct yaml_node *node,
                     struct yaml_node *root, const struct binding *binding) MUST_CHECK;
/* Whether its worlds can differ at all. */
bool uncertainty_draws(const struct uncertainty *uncertainty);
/* Whether the values of the parameter are lists of entries that are added to model_overrides. */
bool uncertainty_adds_overrides(const struct uncertain_parameter *parameter);

#endif
