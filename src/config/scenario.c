/* Loading of scenario files: the file, then --policy, then --set; later ones win. */
#include "config/scenario.h"

#include "base/datetime.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/units.h"
#include "config/outages.h"
#include "config/policy_text.h"
#include "io/yaml_doc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- forecast --- */

static int forecast_bind(struct forecast_options *options, const struct yaml_node *node,
                         const struct binding *binding) MUST_CHECK;

#define MOST_HOURS 720 /* 30 days */

static const struct field error_fields[] = {
    {"sigma", REAL(forecast_error, sigma), REQUIRED, RANGE(0, 2),
     HELP("sigma of the lognormal factor on the forecast of an hour far ahead; 0: exact")},
    {"correlation", REAL(forecast_error, correlation), BELOW(0, 1),
     HELP("correlation of the errors of one hour and the next; no effect if sigma is 0")},
    FIELDS_END};

static const struct field forecast_fields[] = {
    {LOCATION(forecast_options, where)},
    {"hours", INT(forecast_options, hours), DEFAULT(24), RANGE(1, MOST_HOURS),
     HELP("clock hours that policies see, the present one included")},
    {"error", OBJECT(forecast_options, error, error_fields),
     HELP("error of the forecasts (default: exact)")},
    FIELDS_END};

/* node: the section or NULL. Negative after adding problems. */
static int forecast_bind(struct forecast_options *options, const struct yaml_node *node,
                         const struct binding *binding) {
    *options = (struct forecast_options){.hours = 0};
    if (!node)
        return 0;
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(binding, node, "forecast", "a mapping such as {hours: 24}");
    return schema_bind(binding, forecast_fields, node, "forecast", options);
}

/* --- scenario --- */

static const char *const equal_time_names[] = {"finishes_first", "arrivals_first", NULL};
static const char *const plans_names[] = {"best", "published", NULL};

static const struct field engine_fields[] = {
    {"coalesce", BOOL(engine_options, coalesce), DEFAULT(1),
     HELP("apply all events of an instant, then decide once; false: decide after every event")},
    {"equal_time", CHOICE(engine_options, equal_time, equal_time_names),
     HELP("which of the two easim applies first at one instant")},
    FIELDS_END};

static const struct field policy_fields[] = {
    {"name", STRING(scenario_policy, name), REQUIRED,
     HELP("policy, or path of a module, which has a slash; parameters may follow, and a label "
          "may precede it: old=./a/x.so:tau=1h")},
    {"label", TEXT(scenario_policy, label),
     HELP("name of the policy in results; a label in front of the policy's name is stored here")},
    {"variant", TEXT(scenario_policy, variant),
     HELP("results call the policy NAME:VARIANT (default: the parameters that follow the name)")},
    {"params", OPEN(scenario_policy, params),
     HELP("parameters of the policy: easim policies NAME")},
    FIELDS_END};

static const struct field user_fields[] = {
    {LOCATION(scenario_user, where)},
    {"name", TEXT(scenario_user, name), REQUIRED, HELP("name of the user")},
    {"weight", REAL(scenario_user, weight), DEFAULT(1), ABOVE(0, 1e9),
     HELP("share of the cluster relative to other users; users whom only a log names have 1")},
    FIELDS_END,
};

static const struct field noise_fields[] = {
    {"speed_sigma", REAL(model_noise, speed_sigma), REQUIRED, RANGE(0, 2),
     HELP("sigma of a job's lognormal factor of mean 1: true goodput / predicted goodput")},
    FIELDS_END};

static const struct field storage_fields[] = {
    {"bandwidth", REAL(storage_options, bandwidth_bytes_s), REQUIRED, ABOVE(0, 1e30),
     UNIT(BANDWIDTH), HELP("most that all jobs together read, bytes/s")},
    FIELDS_END};

static const struct field horizon_forms[] = {
    {"", .type = FIELD_DURATION, WORD("drain"), ABOVE(0, TIME_MAX_S)}, FIELDS_END};
static const struct field carbon_forms[] = {
    {"", .type = FIELD_REAL, DEFAULT(NAN), RANGE(0, 1e6), UNIT(CARBON)},
    {"", OBJECT_FORM(series_fields)},
    FIELDS_END};
static const struct field price_forms[] = {
    {"", .type = FIELD_REAL, DEFAULT(NAN), RANGE(-1e6, 1e6), UNIT(PRICE)},
    {"", OBJECT_FORM(series_fields)},
    FIELDS_END};

const struct field scenario_fields[] = {
    {"name", TEXT(scenario, name), REQUIRED, HELP("name of the run and of its results folder")},
    {"about", TEXT(scenario, about),
     HELP("purpose in a sentence; easim run prints it above its table if no option sets a value")},
    {"horizon", NODE(scenario, horizon), REQUIRED, .forms = horizon_forms,
     HELP("end of the run; drain: when the last job is done")},
    {"seed", INT(scenario, seed), DEFAULT(1), RANGE(0, 9007199254740992),
     HELP("master seed of all random streams")},
    {"replications", INT(scenario, replications), DEFAULT(1), RANGE(1, 1000000),
     HELP("runs of the scenario, each with random numbers of its own; tables show their mean")},
    {"record", BOOL(scenario, record),
     HELP("easim run and compare also write what each job and GPU did; others ignore it")},
    {"engine", OBJECT(scenario, engine, engine_fields), HELP("order of events at one instant")},
    {"cluster", NODE(scenario, cluster), REQUIRED, HELP("GPU types, nodes, power cap and network")},
    {"storage", OBJECT(scenario, storage, storage_fields),
     HELP("storage from which jobs of models with bytes_per_sample read (default: none)")},
    {"models", NODE(scenario, models),
     HELP("model files, or their content in place; not needed if all jobs are rigid")},
    {"model_overrides", NODE(scenario, model_overrides),
     HELP("changes of parameters of the models, in this order (default: none)")},
    {"plans", CHOICE(scenario, plans, plans_names),
     HELP("plans of trainings of transformers: those of least time, or those of published runs")},
    {"users", OBJECTS(scenario, users, user_fields, scenario_user),
     HELP("users and their weights (default: one user, default)")},
    {"workload", NODE(scenario, workload), REQUIRED,
     HELP("one stream of jobs, or several under streams")},
    {"policy", OBJECT(scenario, policy, policy_fields), REQUIRED, HELP("policy of the run")},
    {"params_by_policy", NODE(scenario, params_by_policy),
     ONE_OF({"", MAPPING_TO({"", .type = FIELD_MAPPING})}),
     HELP("parameters by policy, applied to whichever runs; policy.params take precedence. An "
          "unknown policy or parameter is an error")},
    {"start_time", STRING(scenario, start_time),
     HELP("date-time of t = 0, which series of date-times need")},
    {"carbon_g_per_kwh", NODE(scenario, carbon), .forms = carbon_forms,
     HELP("carbon intensity; gives the metric co2_kg")},
    {"price_per_mwh", NODE(scenario, price), .forms = price_forms,
     HELP("price of energy; gives the metric cost")},
    {"wue_l_per_kwh", REAL(scenario, wue_l_per_kwh), DEFAULT(NAN), RANGE(0, 1e6), UNIT(WATER),
     HELP("water use effectiveness; gives the metric water_l")},
    {"failures", KEYS(scenario, failures, outages_fields),
     HELP("recorded outages of nodes, in place of mtbf and mttr (default: none)")},
    {"noise", OBJECT(scenario, noise, noise_fields),
     HELP("difference between true and predicted speeds (default: none)")},
    {"forecast", KEYS(scenario, forecast_node, forecast_fields),
     HELP("forecasts of carbon, price and cap, if policies list easim.forecast (default: none)")},
    {"uncertainty", KEYS(scenario, uncertainty_node, uncertainty_fields),
     HELP("uncertain physics, for easim compare; other commands ignore it (default: none)")},
    FIELDS_END};

static const struct series_kind carbon_kind = {
    .path = "carbon_g_per_kwh", .column = "carbon_g_per_kwh", .value = carbon_forms};
static const struct series_kind price_kind = {
    .path = "price_per_mwh", .column = "price_per_mwh", .value = price_forms};

static int bind_prices(struct scenario *scenario, const struct binding *binding) {
    struct series *all = scenario->signals;
    int carbon = series_bind(&all[SIGNAL_CARBON], &carbon_kind, scenario->carbon, binding);
    int price = series_bind(&all[SIGNAL_PRICE], &price_kind, scenario->price, binding);
    return carbon < 0 ? carbon : price;
}

static int bind_start_time(struct scenario *scenario, const struct binding *binding) {
    scenario->start_ns = TIME_NONE_NS;
    if (!scenario->start_time ||
        datetime_parse(scenario->start_time, strlen(scenario->start_time), &scenario->start_ns))
        return 0;
    scenario->start_ns = 0; /* not "none given", which would be a second problem */
    return schema_wrong(binding, yaml_find(scenario->doc.root, "start_time"), "start_time",
                        "a date-time such as 2022-01-01T00:00Z");
}

static int bind_horizon(struct scenario *scenario, const struct binding *binding) {
    double seconds = 0;
    const struct yaml_node *node = scenario->horizon;
    scenario->horizon_ns =
        units_ns(TIME_MAX_S); /* not `drain`, which would need more keys: a second problem */
    if (!node)
        return 0; /* reported already */
    if (node->kind == YAML_NODE_SCALAR && strcmp(node->text, horizon_forms->word) == 0) {
        scenario->horizon_ns = TIME_NONE_NS;
        return 0;
    }
    if (node->kind != YAML_NODE_SCALAR ||
        !units_parse_duration(node->text, node->length, &seconds) ||
        !schema_takes(horizon_forms, seconds))
        return schema_wrong(binding, node, "horizon",
                            !units_parse(DIMENSION_TIME, node->text, node->length, &seconds) &&
                                    units_is_other(node->text, node->length)
                                ? "drain or a duration > 0 and <= 4e9 s (units: " TIME_UNITS ")"
                                : "drain or a duration > 0 and <= 4e9 s");
    scenario->horizon_ns = units_ns(seconds);
    return 0;
}

/* Results go to results/NAME unless --out says otherwise. */
static int check_name(const struct scenario *scenario, const struct binding *binding) {
    if (!scenario->name || (!strchr(scenario->name, '/') && strcmp(scenario->name, ".") != 0 &&
                            strcmp(scenario->name, "..") != 0))
        return 0;
    return schema_wrong(binding, yaml_find(scenario->doc.root, "name"), "name",
                        "text that can name a folder (no /)");
}

static int apply_set(struct scenario *scenario, const char *text, struct problems *problems) {
    struct arena *arena = &scenario->doc.arena;
    struct yaml_path path;
    const char *value;
    struct error error = {0};
    if (yaml_path_parse_set(text, arena, &path, &value, &error) < 0)
        return problems_add_setting(problems, (struct location){0}, "set", "%s", error.text);
    array_push(&scenario->overrides,
               arena_printf(arena, "%s=%s", yaml_path_text(&path, arena), value));
    return yaml_doc_set(&scenario->doc, &path, value, problems);
}

static int apply_sets(struct scenario *scenario, const struct scenario_overrides *overrides,
                      struct problems *problems) {
    int result = 0;
    for (size_t i = 0; i < overrides->set_count; i++)
        if (apply_set(scenario, overrides->sets[i], problems) < 0)
            result = ERROR_INPUT;
    return result;
}

/* Whether what policy.KEY of the file says of `what` may not hold any more: something of that is
   set, and no policy.KEY with it. */
static bool is_outdated(const char *key, const char *what,
                        const struct scenario_overrides *overrides, struct arena *arena) {
    const char *path_of_key = arena_printf(arena, "policy.%s", key);
    bool outdated = false;
    for (size_t i = 0; i < overrides->set_count; i++) {
        struct yaml_path path;
        const char *value;
        if (yaml_path_parse_set(overrides->sets[i], arena, &path, &value, NULL) < 0)
            continue;
        const char *text = yaml_path_text(&path, arena);
        if (yaml_paths_overlap(text, path_of_key))
            return false;
        outdated = outdated || yaml_paths_overlap(text, what);
    }
    return outdated;
}

/* Sets of parameters that the policy's text has the last word of. */
static void find_overruled(struct scenario *scenario, const struct policy_text *text) {
    struct arena *arena = &scenario->doc.arena;
    for (size_t i = 0; i < scenario->overrides.count; i++)
        for (size_t k = 0; k < text->count; k++) {
            struct yaml_path path;
            const char *value, *param = policy_doc_param(text->settings[k].name, arena);
            if (yaml_path_parse_set(scenario->overrides.at[i], arena, &path, &value, NULL) == 0 &&
                yaml_paths_overlap(yaml_path_text(&path, arena), param))
                array_push(&scenario->overruled, param);
        }
}

/* The policy's parameters last: that text is what results are called by. *ret_readable: whether
   there is a policy's name then. */
static int change_scenario(struct scenario *scenario, const struct scenario_overrides *overrides,
                           bool *ret_readable, struct problems *problems) {
    struct yaml_doc *doc = &scenario->doc;
    struct policy_text text = {.name = NULL};
    int result = 0;
    *ret_readable = false;
    if (policy_doc_expand(doc, problems) < 0)
        return ERROR_INPUT;
    if (overrides->policy) {
        const struct policy_change change = {overrides->policy, overrides->same_policy, &text,
                                             &scenario->replaced_policy};
        if (policy_doc_replace(doc, &change, problems) < 0)
            return ERROR_INPUT;
    }
    if (apply_sets(scenario, overrides, problems) < 0)
        result = ERROR_INPUT;
    if (is_outdated("variant", "policy", overrides, &doc->arena))
        policy_doc_drop(doc, "variant");
    if (is_outdated("label", "policy.name", overrides, &doc->arena))
        policy_doc_drop(doc, "label");
    *ret_readable = policy_doc_expand(doc, problems) == 0;
    if (!*ret_readable)
        result = ERROR_INPUT;
    if (text.count > 0 || text.label) {
        find_overruled(scenario, &text);
        struct location where =
            policy_doc_place(doc, overrides->policy_option, overrides->policy, problems);
        if (policy_doc_apply(doc, &text, where, problems) < 0)
            result = ERROR_INPUT;
    }
    return result;
}

/* It stands in tables, and names a folder. */
static int check_variant(const struct scenario *scenario, const struct binding *binding) {
    const char *variant = scenario->policy.variant;
    if (!variant || (utf8_is_printable(variant, false) &&
                     strlen(policy_text_folder(variant, binding->arena)) <=
                         POLICY_FOLDER_MOST_BYTES - POLICY_NAME_MOST_BYTES))
        return 0;
    const struct yaml_node *policy = yaml_find(scenario->doc.root, "policy");
    return schema_wrong(
        binding, yaml_find(policy, "variant"), "policy.variant",
        "printable text of at most 176 bytes, of which all except a-z, A-Z, 0-9 and "
        "_-=+. count three times, because it names a folder");
}

static int check_label(const struct scenario *scenario, const struct binding *binding) {
    const char *label = scenario->policy.label;
    if (!label || policy_label_is_valid(label))
        return 0;
    const struct yaml_node *policy = yaml_find(scenario->doc.root, "policy");
    return schema_wrong(binding, yaml_find(policy, "label"), "policy.label", POLICY_LABEL_HELP);
}

static int check_users(const struct scenario *scenario, const struct binding *binding) {
    const struct scenario_user *users = scenario->users.at;
    struct intern names = {0};
    int result = 0;
    for (size_t i = 0; i < scenario->users.count; i++) {
        bool is_new = true;
        if (users[i].name)
            intern(&names, users[i].name, strlen(users[i].name), &is_new);
        if (is_new)
            continue;
        result = problems_add(binding->problems, users[i].where,
                              arena_printf(binding->arena, "users[%zu]", i),
                              "user \"%.80s\" is listed twice", users[i].name);
    }
    intern_finish(&names);
    return result;
}

/* Taken for a scenario, a sweep file would give an error for each of its keys. */
static bool is_sweep(const struct yaml_node *root) {
    return root->kind == YAML_NODE_MAPPING && yaml_find(root, "base") &&
           !yaml_find(root, "workload");
}

int scenario_load(struct scenario *scenario, const char *path,
                  const struct scenario_overrides *overrides, struct problems *problems) {
    *scenario = (struct scenario){.file = path};
    int read = 0;
    if (overrides->doc)
        scenario->doc =
            (struct yaml_doc){.file = overrides->doc->file, .root = overrides->doc->root};
    else if (overrides->text.at)
        read = yaml_doc_parse(&scenario->doc, overrides->text, YAML_STDIN_NAME, problems);
    else
        read = yaml_doc_load(&scenario->doc, path, problems);
    if (read < 0)
        return ERROR_INPUT;
    if (!scenario->doc.root)
        return problems_add(problems, (struct location){.file = scenario->doc.file}, NULL,
                            "the file holds no scenario");
    int result = 0;
    bool is_readable = true;
    if (scenario->doc.root->kind == YAML_NODE_MAPPING) {
        if (overrides->policy)
            scenario->policy_override = arena_strdup(&scenario->doc.arena, overrides->policy);
        if (change_scenario(scenario, overrides, &is_readable, problems) < 0)
            result = ERROR_INPUT;
    }
    struct binding binding = {&scenario->doc.arena, problems, &scenario->uses};
    if (is_sweep(scenario->doc.root))
        return problems_add(
            problems, scenario->doc.root->where, NULL,
            "expected a scenario, got a sweep (easim sweep runs it; its base is one)");
    if (schema_bind(&binding, scenario_fields, scenario->doc.root, "", scenario) < 0)
        result = ERROR_INPUT;
    if (!is_readable)
        scenario->policy.name = NULL; /* what is wrong with it has been said */
    if (bind_horizon(scenario, &binding) < 0)
        result = ERROR_INPUT;
    if (bind_start_time(scenario, &binding) < 0)
        result = ERROR_INPUT;
    if (bind_prices(scenario, &binding) < 0)
        result = ERROR_INPUT;
    if (forecast_bind(&scenario->forecast, scenario->forecast_node, &binding) < 0)
        result = ERROR_INPUT;
    if (check_users(scenario, &binding) < 0)
        result = ERROR_INPUT;
    if (uncertainty_bind(&scenario->uncertainty, scenario->uncertainty_node, scenario->doc.root,
                         &binding) < 0)
        result = ERROR_INPUT;
    if (check_name(scenario, &binding) < 0 || check_variant(scenario, &binding) < 0 ||
        check_label(scenario, &binding) < 0)
        result = ERROR_INPUT;
    if (scenario->params_by_policy && scenario->params_by_policy->kind != YAML_NODE_MAPPING)
        result = schema_wrong(&binding, scenario->params_by_policy, "params_by_policy",
                              "a mapping from policies to parameters");
    return result;
}

void scenario_finish(struct scenario *scenario) {
    schema_uses_finish(&scenario->uses);
    free(scenario->overrides.at);
    free(scenario->overruled.at);
    yaml_doc_finish(&scenario->doc);
}

uint64_t scenario_hash(const struct scenario *scenario) {
    struct str text = {0};
    yaml_canonical_write(scenario->doc.root, &text);
    uint64_t hash = hash_bytes(HASH_START, text.text, text.length);
    str_finish(&text);
    return hash;
}
