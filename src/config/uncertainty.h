/* The section `uncertainty` of a scenario: which values are uncertain, by which law, and in how
   many worlds (draws of all of them) policies are compared (semantics 17). */
#ifndef EASIM_CONFIG_UNCERTAINTY_H
#define EASIM_CONFIG_UNCERTAINTY_H

#include "config/schema.h"

#include <gsl/gsl_rng.h>

/* --- value_law --- */
/* The law by which a number, or one of several values, is drawn (semantics 17.1). */

enum value_law_kind { LAW_UNIFORM, LAW_LOGUNIFORM, LAW_NORMAL, LAW_LOGNORMAL, LAW_CHOICE };

struct value_law {
    enum value_law_kind kind;
    double at[2]; /* low and high; mean and standard deviation; median and sigma of the logarithm */
    const struct yaml_node *values; /* of a choice: a list, or a mapping from names */
    struct schema_list numbers;     /* double; of a choice that is bound as positive, else none */
};

/* The same of numbers above 0. node may be such a number. A normal law's mean is above 0. */
int value_law_bind_positive(struct value_law *law, const struct yaml_node *node, const char *path,
                            const struct binding *binding) MUST_CHECK;
/* A number; not of a choice. */
double value_law_draw(const struct value_law *law, gsl_rng *rng);
/* Of a law that is bound as positive: what a normal law gives up to 0 is drawn again. */
double value_law_draw_positive(const struct value_law *law, gsl_rng *rng);
/* Such a law as YAML: 2, {uniform: [1, 3]}. */
void value_law_write_positive(const struct value_law *law, struct str *out);
/* An index in law->values. */
size_t value_law_choose(const struct value_law *law, gsl_rng *rng);

/* --- uncertainty --- */

#define UNCERTAINTY_OVERRIDES "model_overrides" /* the path of choices that add entries to it */

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

extern const struct field uncertainty_fields[], value_laws[];
#endif
