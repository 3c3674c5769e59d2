/* The law by which a number, or one of several values, is drawn (semantics 17.1). */
#ifndef EASIM_CONFIG_VALUE_LAW_H
#define EASIM_CONFIG_VALUE_LAW_H

#include "config/schema.h"

#include <gsl/gsl_rng.h>

enum value_law_kind { LAW_UNIFORM, LAW_LOGUNIFORM, LAW_NORMAL, LAW_LOGNORMAL, LAW_CHOICE };

struct value_law {
    enum value_law_kind kind;
    double at[2]; /* low and high; mean and standard deviation; median and sigma of the logarithm */
    const struct yaml_node *values; /* of a choice: a list, or a mapping from names */
    struct schema_list numbers;     /* double; of a choice that is bound as positive, else none */
};

/* node: a mapping of one key, {uniform: [low, high]}. Negative after adding problems. The values of
   a choice are any; that there are some is checked. */
int value_law_bind(struct value_law *law, const struct yaml_node *node, const char *path,
                   const struct binding *binding) MUST_CHECK;
/* The same of numbers above 0. node may also be such a number. Of a normal law the mean is above 0.
 */
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

#endif
