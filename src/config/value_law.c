/* Laws of uncertain values: see value_law.h. */
#include "config/value_law.h"

#include <gsl/gsl_randist.h>
#include <math.h>

/* By enum value_law_kind. */
static const struct law_form {
    const char *name, *expected;
} forms[] = {
    {"uniform", "[low, high] with low < high"},
    {"loguniform", "[low, high] with 0 < low < high"},
    {"normal", "[mean, standard deviation] with a deviation > 0"},
    {"lognormal", "[median, sigma of the logarithm], both > 0"},
    {"choice", "a list of values, or a mapping from names to values"},
};

#define FORM_COUNT (sizeof forms / sizeof *forms)

static bool law_takes(const struct value_law *law) {
    switch (law->kind) {
    case LAW_UNIFORM:
        return law->at[0] < law->at[1];
    case LAW_LOGUNIFORM:
        return law->at[0] > 0 && law->at[0] < law->at[1];
    case LAW_NORMAL:
        return law->at[1] > 0;
    default:
        return law->at[0] > 0 && law->at[1] > 0;
    }
}

static int bind_choice(struct value_law *law, const struct yaml_node *values, const char *path,
                       const struct binding *binding) {
    if (values->kind == YAML_NODE_SCALAR || values->count == 0)
        return schema_wrong(binding, values, path, forms[LAW_CHOICE].expected);
    law->values = values;
    return 0;
}

static int bind_numbers(struct value_law *law, const struct yaml_node *values, const char *path,
                        const struct binding *binding) {
    static const struct field number = {.type = FIELD_REAL};
    size_t before = binding->problems->count;
    if (values->kind != YAML_NODE_SEQUENCE || values->count != 2)
        return schema_wrong(binding, values, path, forms[law->kind].expected);
    for (size_t i = 0; i < 2; i++) {
        int r = schema_bind_value(binding, &number, values->items[i],
                                  arena_printf(binding->arena, "%s[%zu]", path, i), &law->at[i]);
        (void)r; /* the problems say it */
    }
    if (binding->problems->count == before && !law_takes(law))
        problems_add(binding->problems, values->where, path, "expected %s, got [%.9g, %.9g]",
                     forms[law->kind].expected, law->at[0], law->at[1]);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

int value_law_bind(struct value_law *law, const struct yaml_node *node, const char *path,
                   const struct binding *binding) {
    const char *names[FORM_COUNT];
    *law = (struct value_law){0};
    if (node->kind != YAML_NODE_MAPPING || node->count != 1)
        return schema_wrong(binding, node, path, "a mapping of one law, as {uniform: [low, high]}");
    for (size_t i = 0; i < FORM_COUNT; i++)
        names[i] = forms[i].name;
    const char *name = node->keys[0]->text;
    const char *own_path = arena_printf(binding->arena, "%s.%s", path, name);
    for (size_t i = 0; i < FORM_COUNT; i++)
        if (strcmp(forms[i].name, name) == 0) {
            law->kind = (enum value_law_kind)i;
            return i == LAW_CHOICE ? bind_choice(law, node->items[0], own_path, binding)
                                   : bind_numbers(law, node->items[0], own_path, binding);
        }
    problems_add(
        binding->problems, node->keys[0]->where, path,
        "expected one of uniform | loguniform | normal | lognormal | choice, got \"%.80s\"%s", name,
        str_suggestion(binding->arena, name, names, FORM_COUNT));
    return ERROR_INPUT;
}

static int bind_positive_values(struct value_law *law, const struct yaml_node *const *nodes,
                                size_t count, const char *path, const struct binding *binding) {
    static const struct field positive = {.type = FIELD_REAL, .above_min = true, .max = 1e9};
    double *numbers = arena_alloc(binding->arena, count * sizeof *numbers);
    int result = 0;
    law->numbers = (struct schema_list){numbers, count};
    for (size_t i = 0; i < count; i++)
        if (schema_bind_value(binding, &positive, nodes[i], path, &numbers[i]) < 0)
            result = ERROR_INPUT;
    return result;
}

int value_law_bind_positive(struct value_law *law, const struct yaml_node *node, const char *path,
                            const struct binding *binding) {
    *law = (struct value_law){.kind = LAW_CHOICE};
    if (node->kind == YAML_NODE_SCALAR)
        return bind_positive_values(law, &node, 1, path, binding);
    if (value_law_bind(law, node, path, binding) < 0)
        return ERROR_INPUT;
    const struct yaml_node *values = node->items[0];
    path = arena_printf(binding->arena, "%s.%s", path, forms[law->kind].name);
    if (law->kind == LAW_CHOICE)
        return bind_positive_values(law, (const struct yaml_node *const *)values->items,
                                    values->count, path, binding);
    if (law->at[0] > 0)
        return 0;
    problems_add(binding->problems, values->where, path, "expected %s above 0, got %.9g",
                 law->kind == LAW_UNIFORM ? "low" : "mean", law->at[0]);
    return ERROR_INPUT;
}

double value_law_draw(const struct value_law *law, gsl_rng *rng) {
    switch (law->kind) {
    case LAW_UNIFORM:
        return gsl_ran_flat(rng, law->at[0], law->at[1]);
    case LAW_LOGUNIFORM:
        return exp(gsl_ran_flat(rng, log(law->at[0]), log(law->at[1])));
    case LAW_NORMAL:
        return law->at[0] + gsl_ran_gaussian(rng, law->at[1]);
    default:
        return gsl_ran_lognormal(rng, log(law->at[0]), law->at[1]);
    }
}

double value_law_draw_positive(const struct value_law *law, gsl_rng *rng) {
    const double *numbers = law->numbers.at;
    if (law->kind == LAW_CHOICE)
        return numbers[gsl_rng_uniform_int(rng, law->numbers.count)];
    double value = value_law_draw(law, rng);
    while (!(value > 0))
        value = value_law_draw(law, rng);
    return value;
}

void value_law_write_positive(const struct value_law *law, struct str *out) {
    bool chooses = law->kind == LAW_CHOICE, constant = chooses && law->numbers.count == 1;
    const double *numbers = chooses ? law->numbers.at : law->at;
    if (!constant)
        str_addf(out, "{%s: [", forms[law->kind].name);
    for (size_t i = 0; i < (chooses ? law->numbers.count : 2); i++) {
        str_add(out, i > 0 ? ", " : "");
        str_add_real(out, numbers[i]);
    }
    str_add(out, constant ? "" : "]}");
}

size_t value_law_choose(const struct value_law *law, gsl_rng *rng) {
    return gsl_rng_uniform_int(rng, law->values->count);
}
