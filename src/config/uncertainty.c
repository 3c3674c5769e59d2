/* What is uncertain in a scenario: see uncertainty.h. */
#include "config/uncertainty.h"

#include "base/numfmt.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

/* --- value_law --- */

static int value_law_bind(struct value_law *law, const struct yaml_node *node, const char *path,
                          const struct binding *binding) MUST_CHECK;

/* Of a choice: a number, or entries of model_overrides. */
static const struct field chosen[] = {
    {"", .type = FIELD_REAL}, {"", .type = FIELD_LIST, .may_be_empty = true}, FIELDS_END};

/* By enum value_law_kind; the help says what is expected. */
const struct field value_laws[] = {
    {"uniform", .type = FIELD_REALS, HELP("[low, high] with low < high")},
    {"loguniform", .type = FIELD_REALS, HELP("[low, high] with 0 < low < high")},
    {"normal", .type = FIELD_REALS, HELP("[mean, standard deviation] with a deviation > 0")},
    {"lognormal", .type = FIELD_REALS, HELP("[median, sigma of the logarithm], both > 0")},
    {"choice", .type = FIELD_NODE,
     ONE_OF({"", .type = FIELD_LIST, .forms = chosen},
            {"", .type = FIELD_MAPPING, .forms = chosen}),
     HELP("a list of values, or a mapping from names to values")},
    FIELDS_END};

#define LAW_COUNT (sizeof value_laws / sizeof *value_laws - 1)

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
        return schema_wrong(binding, values, path, value_laws[LAW_CHOICE].help);
    law->values = values;
    return 0;
}

static int bind_numbers(struct value_law *law, const struct yaml_node *values, const char *path,
                        const struct binding *binding) {
    static const struct field number = {.type = FIELD_REAL};
    size_t before = binding->problems->count;
    if (values->kind != YAML_NODE_SEQUENCE || values->count != 2)
        return schema_wrong(binding, values, path, value_laws[law->kind].help);
    for (size_t i = 0; i < 2; i++) {
        int r = schema_bind_value(binding, &number, values->items[i],
                                  arena_printf(binding->arena, "%s[%zu]", path, i), &law->at[i]);
        (void)r; /* the problems say it */
    }
    if (binding->problems->count == before && !law_takes(law))
        problems_add(binding->problems, values->where, path, "expected %s, got [%.9g, %.9g]",
                     value_laws[law->kind].help, law->at[0], law->at[1]);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

/* node: a mapping of one key, {uniform: [low, high]}. Negative after adding problems. The values of
   a choice are any; that there are some is checked. */
static int value_law_bind(struct value_law *law, const struct yaml_node *node, const char *path,
                          const struct binding *binding) {
    const char *names[LAW_COUNT];
    *law = (struct value_law){0};
    if (node->kind != YAML_NODE_MAPPING || node->count != 1)
        return schema_wrong(binding, node, path, "a mapping of one law, as {uniform: [low, high]}");
    for (size_t i = 0; i < LAW_COUNT; i++)
        names[i] = value_laws[i].key;
    const char *name = node->keys[0]->text;
    const char *own_path = arena_printf(binding->arena, "%s.%s", path, name);
    for (size_t i = 0; i < LAW_COUNT; i++)
        if (strcmp(value_laws[i].key, name) == 0) {
            law->kind = (enum value_law_kind)i;
            return i == LAW_CHOICE ? bind_choice(law, node->items[0], own_path, binding)
                                   : bind_numbers(law, node->items[0], own_path, binding);
        }
    return problems_add(
        binding->problems, node->keys[0]->where, path,
        "expected one of uniform | loguniform | normal | lognormal | choice, got \"%.80s\"%s", name,
        str_suggestion(binding->arena, name, names, LAW_COUNT));
}

static int bind_positive_values(struct value_law *law, const struct yaml_node *const *nodes,
                                size_t count, const char *path, const struct binding *binding) {
    static const struct field positive = {.type = FIELD_REAL, ABOVE(0, 1e9)};
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
    path = arena_printf(binding->arena, "%s.%s", path, value_laws[law->kind].key);
    if (law->kind == LAW_CHOICE)
        return bind_positive_values(law, (const struct yaml_node *const *)values->items,
                                    values->count, path, binding);
    if (law->at[0] > 0)
        return 0;
    return problems_add(binding->problems, values->where, path, "expected %s above 0, got %.9g",
                        law->kind == LAW_UNIFORM ? "low" : "mean", law->at[0]);
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
        str_addf(out, "{%s: [", value_laws[law->kind].key);
    for (size_t i = 0; i < (chooses ? law->numbers.count : 2); i++) {
        str_add(out, i > 0 ? ", " : "");
        str_add_real(out, numbers[i]);
    }
    str_add(out, constant ? "" : "]}");
}

size_t value_law_choose(const struct value_law *law, gsl_rng *rng) {
    return gsl_rng_uniform_int(rng, law->values->count);
}

/* --- uncertainty --- */

#define UNCERTAINTY_CALIBRATION "calibration" /* the group of all fitted parameters */

#define MOST_WORLDS 100000

static const struct field uncertain_parameter_fields[] = {
    {LOCATION(uncertain_parameter, where)},
    {"group", TEXT(uncertain_parameter, group), REQUIRED,
     HELP("share of the variance it adds to; not calibration, physics, workload or residual")},
    {"path", TEXT(uncertain_parameter, path), REQUIRED,
     HELP("path of a number in cluster, storage, models, model_overrides, noise, failures, "
          "forecast or a price; or model_overrides itself")},
    {"law", NODE(uncertain_parameter, law_node), REQUIRED,
     ONE_OF({"", OBJECT_FORM(value_laws), .max = 1}),
     HELP("law from which each world draws the value")},
    {"bounds", REALS(uncertain_parameter, bounds),
     HELP("[least, most]: draw others again, and count them (default: what the key accepts)")},
    FIELDS_END};

const struct field uncertainty_fields[] = {
    {LOCATION(uncertainty, where)},
    {"worlds", INT(uncertainty, worlds), REQUIRED, RANGE(1, MOST_WORLDS),
     HELP("number of worlds; each draws a value of everything that is uncertain")},
    {"calibration", BOOL(uncertainty, calibration),
     HELP("also draw all fitted parameters from the covariance that easim calibrate wrote")},
    {"shares", BOOL(uncertainty, shares), DEFAULT(1),
     HELP("run all worlds again for each group, with only its draws, for its share of variance")},
    {"parameters",
     OBJECTS(uncertainty, parameters, uncertain_parameter_fields, uncertain_parameter),
     .may_be_empty = true, HELP("uncertain numbers and their laws")},
    FIELDS_END};

bool uncertainty_adds_overrides(const struct uncertain_parameter *parameter) {
    return strcmp(parameter->path, UNCERTAINTY_OVERRIDES) == 0;
}

bool uncertainty_draws(const struct uncertainty *uncertainty) {
    return uncertainty->calibration || uncertainty->parameters.count > 0;
}

/* One parameter while it is checked. */
struct check {
    struct uncertain_parameter *parameter;
    const struct yaml_node *node; /* of its mapping */
    const char *path;             /* uncertainty.parameters[0] */
    struct yaml_node *root;
    const struct binding *binding;
};

static const char *own_path(const struct check *c, const char *key) {
    return arena_printf(c->binding->arena, "%s.%s", c->path, key);
}

/* Other sources of variance have these names in budget.csv. */
static int check_group(const struct check *c) {
    static const char *const reserved[] = {UNCERTAINTY_CALIBRATION, "physics", "workload",
                                           "residual"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(c->parameter->group, reserved[i]) == 0)
            return problems_add(
                c->binding->problems, yaml_find(c->node, "group")->where, own_path(c, "group"),
                "expected another name than %s, which budget.csv uses itself", reserved[i]);
    return 0;
}

/* ---- The value that it stands for ---- */

/* The sections in which worlds differ; all else is the workload, or the experiment. */
static bool is_physics(const char *section) {
    static const char *const sections[] = {
        "cluster", "models",           "model_overrides", "noise",         "failures",
        "storage", "carbon_g_per_kwh", "price_per_mwh",   "wue_l_per_kwh", "forecast"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strcmp(sections[i], section) == 0)
            return true;
    return false;
}

/* Why the scenario has nothing at a path, at its first step that leads nowhere. */
static const char *say_missing(const struct check *c, const struct yaml_path *path) {
    struct arena *arena = c->binding->arena;
    struct yaml_path part = *path;
    const struct yaml_node *node = c->root;
    for (part.count = 1; part.count <= path->count; part.count++) {
        const struct yaml_node *inside = yaml_path_find(c->root, &part);
        const struct yaml_step *step = &path->steps[part.count - 1];
        if (inside) {
            node = inside;
            continue;
        }
        if (!step->name || node->kind != YAML_NODE_MAPPING)
            return arena_printf(arena, "it has no %s", yaml_path_text(&part, arena));
        const char **names = arena_alloc(arena, node->count * sizeof *names);
        for (size_t i = 0; i < node->count; i++)
            names[i] = node->keys[i]->text;
        return arena_printf(arena, "it has no %s%s", yaml_path_text(&part, arena),
                            str_suggestion(arena, step->name, names, node->count));
    }
    return "";
}

/* The unit behind a number; NULL: there is none. A key without a value has room for one. */
static const char *number_unit(const struct yaml_node *node, struct arena *arena) {
    double number;
    if (yaml_is_null(node))
        return "";
    if (node->kind != YAML_NODE_SCALAR)
        return NULL;
    size_t length = numfmt_prefix(node->text, &number);
    return length > 0 ? arena_strdup(arena, node->text + length) : NULL;
}

static int check_path(const struct check *c) {
    struct uncertain_parameter *p = c->parameter;
    const struct yaml_node *node = yaml_find(c->node, "path");
    const struct binding *b = c->binding;
    const char *where = own_path(c, "path");
    struct yaml_path path;
    struct error error = {0};
    if (yaml_path_parse(p->path, b->arena, &path, &error) < 0)
        return problems_add(b->problems, node->where, where, "%s", error.text);
    p->path = yaml_path_text(&path, b->arena);
    p->unit = "";
    if (uncertainty_adds_overrides(p) && p->law.kind == LAW_CHOICE)
        return 0;
    const struct yaml_node *value = yaml_path_find(c->root, &path);
    p->unit = value ? number_unit(value, b->arena) : NULL;
    if (path.steps[0].name && yaml_find(c->root, path.steps[0].name) &&
        !is_physics(path.steps[0].name))
        problems_add(b->problems, node->where, where,
                     "expected a value of the physics: %s is the same in all worlds",
                     path.steps[0].name);
    else if (!value)
        problems_add(b->problems, node->where, where,
                     "expected the path of a number of this scenario: %s", say_missing(c, &path));
    else if (!p->unit)
        problems_add(b->problems, node->where, where,
                     "expected the path of a number of this scenario, %s is %s", p->path,
                     value->kind == YAML_NODE_SCALAR ? "text" : "a list or mapping");
    else
        return 0;
    return ERROR_INPUT;
}

/* ---- Its law ---- */

static int check_value(const struct check *c, const struct yaml_node *value, const char *path) {
    static const struct field number = {.type = FIELD_REAL};
    double ignored;
    if (!uncertainty_adds_overrides(c->parameter))
        return schema_bind_value(c->binding, &number, value, path, &ignored);
    if (value->kind != YAML_NODE_SEQUENCE)
        return schema_wrong(c->binding, value, path, "a list of entries of model_overrides");
    for (size_t i = 0; i < value->count; i++)
        if (value->items[i]->kind != YAML_NODE_MAPPING)
            return schema_wrong(c->binding, value->items[i], path, "an entry of model_overrides");
    return 0;
}

static int check_law(const struct check *c) {
    struct uncertain_parameter *p = c->parameter;
    int result = value_law_bind(&p->law, p->law_node, own_path(c, "law"), c->binding);
    const struct yaml_node *values = p->law.values;
    for (size_t i = 0; result == 0 && p->law.kind == LAW_CHOICE && i < values->count; i++)
        if (check_value(c, values->items[i], own_path(c, "law.choice")) < 0)
            result = ERROR_INPUT;
    const double *bounds = p->bounds.at;
    if (p->bounds.count == 0)
        return result;
    if (uncertainty_adds_overrides(p) || p->bounds.count != 2 || !(bounds[0] < bounds[1]))
        result = problems_add(c->binding->problems, yaml_find(c->node, "bounds")->where,
                              own_path(c, "bounds"), "expected %s",
                              uncertainty_adds_overrides(p) ? "none: its values are lists"
                                                            : "[least, most] with least < most");
    return result;
}

/* ---- All together ---- */

/* Lists of entries are added one after the other; of numbers only one could count. */
static int check_overlap(const struct check *c, const struct uncertainty *uncertainty) {
    const struct uncertain_parameter *all = uncertainty->parameters.at;
    struct uncertain_parameter *p = c->parameter;
    for (const struct uncertain_parameter *other = all; other < p; other++) {
        if (!other->path || !other->group)
            continue; /* said already */
        p->place += strcmp(other->path, p->path) == 0 && strcmp(other->group, p->group) == 0;
        if (uncertainty_adds_overrides(p) || uncertainty_adds_overrides(other) ||
            !yaml_paths_overlap(p->path, other->path))
            continue;
        return problems_add(c->binding->problems, yaml_find(c->node, "path")->where,
                            own_path(c, "path"),
                            "%s is drawn twice: here, and as %s by parameters[%zu]", p->path,
                            other->path, (size_t)(other - all));
    }
    return 0;
}

static void add_group(struct uncertainty *uncertainty, struct uncertain_parameter *parameter) {
    size_t i = 0;
    while (i < uncertainty->group_count && strcmp(uncertainty->groups[i], parameter->group) != 0)
        i++;
    if (i == uncertainty->group_count)
        uncertainty->groups[uncertainty->group_count++] = parameter->group;
    parameter->group_index = i;
}

static void bind_parameter(struct uncertainty *uncertainty, struct check *c) {
    if (!c->parameter->group || !c->parameter->path || !c->parameter->law_node)
        return; /* said already */
    int group = check_group(c), law = check_law(c), path = check_path(c);
    int overlap = path == 0 ? check_overlap(c, uncertainty) : ERROR_INPUT;
    if (group == 0 && law == 0 && overlap == 0)
        add_group(uncertainty, c->parameter);
}

int uncertainty_bind(struct uncertainty *uncertainty, const struct yaml_node *node,
                     struct yaml_node *root, const struct binding *binding) {
    size_t before = binding->problems->count;
    *uncertainty = (struct uncertainty){0};
    if (!node)
        return 0;
    int r = schema_bind(binding, uncertainty_fields, node, "uncertainty", uncertainty);
    (void)r; /* the problems say it, and some parameters may be whole */
    const size_t count = uncertainty->parameters.count;
    const struct yaml_node *list =
        node->kind == YAML_NODE_MAPPING ? yaml_find(node, "parameters") : NULL;
    uncertainty->groups = arena_alloc(binding->arena, (count + 1) * sizeof *uncertainty->groups);
    for (size_t i = 0; i < count; i++) {
        struct check c = {
            &((struct uncertain_parameter *)uncertainty->parameters.at)[i], list->items[i],
            arena_printf(binding->arena, "uncertainty.parameters[%zu]", i), root, binding};
        bind_parameter(uncertainty, &c);
    }
    if (uncertainty->calibration)
        uncertainty->groups[uncertainty->group_count++] = UNCERTAINTY_CALIBRATION;
    return binding->problems->count > before ? ERROR_INPUT : 0;
}
