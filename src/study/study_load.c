/* Loading of a whole scenario: see study_load.h. */
#include "study/study_load.h"

#include "base/machine.h"
#include "io/files.h"
#include "model/override_values.h"
#include "policy/fault.h"
#include "study/internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Idle and busy power must fit the meter (POWER_MAX_W). */
static void check_power(const struct study *study, struct problems *problems) {
    double most_w = network_power_w(&study->cluster.network);
    for (uint32_t n = 0; n < study->cluster.node_count; n++) {
        const struct node *node = &study->cluster.nodes[n];
        most_w += node->fixed_w + node->gpus * (node->cpu_w_per_busy_gpu +
                                                study->cluster.gpu_types[node->gpu_type].tdp_w);
    }
    if (most_w > POWER_MAX_W)
        problems_add(problems, study->scenario.cluster->where, "cluster",
                     "expected a peak power of at most %g W, got %g", POWER_MAX_W, most_w);
}

/* Reads the files of cap, price and carbon. What is wrong with the scenario's own keys (`bound`
   false) is not said twice. */
static int load_series(struct study *study, bool bound, const struct binding *b) {
    struct series *all = study->scenario.signals;
    int result = 0;
    for (int i = SIGNALS - 1; i >= 0; i--)
        if (series_load(&all[i], study->scenario.start_ns, b) < 0 ||
            (bound && series_check_cover(&all[i], study->scenario.horizon_ns, b) < 0))
            result = ERROR_INPUT;
    return result;
}

static const struct yaml_node *policy_node(const struct study *study) {
    return yaml_find(yaml_find(study->scenario.doc.root, "policy"), "name");
}

/* Files that the policy cannot do without. */
static void check_required(const struct study *study, const struct binding *b) {
    const char *param = params_missing(&study->params);
    if (param)
        problems_add(b->problems, policy_node(study)->where, "policy.params",
                     "expected the file \"%s\", without which policy %s cannot run", param,
                     study->module.policy->name);
}

/* params_by_policy of this policy's name first, then policy.params over them. Files are named, not
   read. */
static int bind_params(struct study *study, const struct binding *b) {
    const struct easim_policy *policy = study->module.policy;
    const struct yaml_node *by_policy = study->scenario.params_by_policy;
    const struct yaml_node *own = by_policy ? yaml_find(by_policy, policy->name) : NULL;
    const char *own_path = arena_printf(b->arena, "params_by_policy.%s", policy->name);
    params_init(&study->params, policy);
    int first = params_bind(&study->params, own, own_path, b);
    int second = params_bind(&study->params, study->scenario.policy.params, "policy.params", b);
    return first < 0 ? first : second;
}

/* bound: what bind_params has returned. */
static int read_params(struct study *study, int bound, const struct binding *b) {
    struct str unused = {0};
    if (bound == 0)
        check_required(study, b);
    int r = params_read_tables(&study->params, b, &unused);
    if (unused.length > 0)
        array_push(&study->warnings, arena_strdup(b->arena, unused.text));
    str_finish(&unused);
    return bound < 0 ? bound : r;
}

/* Parameters of a policy that does not run: for one that nobody has they would be of no effect, and
   a wrong one would not be noticed before it runs. */
static void check_others_params(const struct scenario_overrides *overrides, bool apart,
                                const struct yaml_node *key, const struct yaml_node *params,
                                const struct binding *b) {
    const char *path = arena_printf(b->arena, "params_by_policy.%s", key->text);
    struct policy_module module;
    struct policy_params values;
    struct error error = {0};
    if (policy_name_open(key->text, apart, overrides->policies, overrides->policy_count, &module,
                         &error) < 0) {
        problems_add(b->problems, key->where, path, "%s", error.text);
    } else if (module.policy) {
        params_init(&values, module.policy);
        struct str unused = {0};
        int r = params_bind(&values, params, path, b);
        if (r == 0)
            r = params_read_tables(&values, b, &unused);
        (void)r; /* the problems say it */
        str_finish(&unused);
        params_finish(&values);
    }
    module_close(&module);
}

static void check_params_by_policy(const struct study *study,
                                   const struct scenario_overrides *overrides, bool apart,
                                   const struct binding *b) {
    const struct yaml_node *by_policy = study->scenario.params_by_policy;
    if (!by_policy || by_policy->kind != YAML_NODE_MAPPING)
        return; /* reported already */
    for (size_t i = 0; i < overrides->policy_count && overrides->trust == POLICY_KNOWN; i++)
        if (strchr(overrides->policies[i], '/'))
            return; /* it is refused where it is to run, and not opened for its name before */
    for (size_t i = 0; i < by_policy->count; i++)
        if (strcmp(by_policy->keys[i]->text, study->module.policy->name) != 0)
            check_others_params(overrides, apart, by_policy->keys[i], by_policy->items[i], b);
}

/* The name of the policy, or the path of its module; NULL: none, and that has been said. */
static const char *policy_path(const struct study *study, const struct binding *b) {
    const char *name = study->scenario.policy.name;
    return name && strchr(name, '/') ? schema_path(b, policy_node(study), "policy.name") : name;
}

/* If --policy FILE is the scenario's policy, as only the opened module tells, its params stay. */
static int keep_params(struct study *study, const char *path,
                       const struct scenario_overrides *overrides, struct problems *problems) {
    const struct binding binding = {&study->arena, problems, &study->scenario.uses};
    struct scenario_overrides same = *overrides;
    same.same_policy = true;
    if (!study->scenario.replaced_policy ||
        strcmp(study->scenario.replaced_policy, study->module.policy->name) != 0)
        return 0;
    scenario_finish(&study->scenario);
    return scenario_load(&study->scenario, path, &same, problems) == 0 &&
                   policy_path(study, &binding)
               ? 0
               : ERROR_INPUT;
}

/* ---- Policies that are not trusted ---- */

static int refuse_foreign(struct study *study, const struct scenario_overrides *overrides,
                          const char *would, struct problems *problems) {
    const struct easim_policy *policy = study->module.policy;
    study->foreign = would;
    return problems_say(problems, "%s: would %s%s%s%s; %s", overrides->foreign.before, would,
                        policy ? " (policy " : "", policy ? policy->name : "", policy ? ")" : "",
                        overrides->foreign.advice);
}

/* Its name, as far as it is known without a look into it, and nothing else. */
static int leave_closed(struct study *study, const struct scenario_overrides *overrides,
                        const char *path, struct problems *problems) {
    struct easim_policy *policy = arena_alloc(&study->arena, sizeof *policy);
    const char *name = files_name(path), *ending = strstr(name, ".so");
    *policy = (struct easim_policy){
        .name = arena_strndup(&study->arena, name, ending ? (size_t)(ending - name) : strlen(name)),
        .version = "",
        .summary = ""};
    study->module.policy = policy;
    params_init(&study->params, policy);
    if (overrides->trust == POLICY_NONE)
        return 0;
    if (access(path, R_OK) < 0) {
        machine_check(errno, path, "read");
        return problems_add(problems, policy_node(study)->where, "policy.name",
                            "cannot load policy: %s: %s", path, strerror(errno));
    }
    array_push(&study->warnings,
               arena_printf(&study->arena,
                            "policy.name: %s is not loaded, so its parameters are "
                            "unchecked (%s)",
                            path, overrides->foreign.advice));
    return 0;
}

static int open_policy(struct study *study, bool apart, const struct scenario_overrides *overrides,
                       struct problems *problems) {
    struct binding binding = {&study->arena, problems, &study->scenario.uses};
    struct error error = {0};
    const char *path = policy_path(study, &binding);
    if (!path)
        return ERROR_INPUT;
    if (overrides->trust == POLICY_KNOWN && strchr(path, '/')) {
        const char *real = files_real(path, &study->arena);
        return refuse_foreign(study, overrides,
                              arena_printf(&study->arena, "load %s", real ? real : path), problems);
    }
    if (overrides->trust == POLICY_NONE || (overrides->trust == POLICY_NAMED && strchr(path, '/')))
        return leave_closed(study, overrides, path, problems);
    if ((apart ? module_open_apart : module_open)(path, &study->module, &error) < 0) {
        const struct location at = policy_node(study)->where;
        if (at.line > 0)
            problems_add(problems, at, "policy.name", "%s", error.text);
        else /* from the command line */
            problems_say(problems, "easim: %s: %s", at.file, error.text);
        return ERROR_INPUT;
    }
    return 0;
}

static void name_policy(struct study *study) {
    const char *variant = study->scenario.policy.variant;
    study->policy = study->module.policy->name;
    if (study->scenario.policy.label)
        study->policy = study->scenario.policy.label;
    else if (variant)
        study->policy = arena_printf(&study->arena, "%s:%s", study->policy, variant);
    for (size_t i = 0; i < study->scenario.overruled.count; i++)
        array_push(&study->warnings,
                   arena_printf(&study->arena, "%s: of no effect on %s, which sets it itself",
                                study->scenario.overruled.at[i], study->policy));
}

/* The policy of a scenario that is loaded, or as good as. */
static int load_policy(struct study *study, bool apart, const char *path,
                       const struct scenario_overrides *overrides, int *scenario,
                       struct problems *problems) {
    struct binding binding = {&study->arena, problems, &study->scenario.uses};
    int policy = open_policy(study, apart, overrides, problems);
    if (policy == 0 && *scenario == 0)
        *scenario = keep_params(study, path, overrides, problems);
    study->scenario.uses.read = overrides->like ? &overrides->like->scenario.uses : NULL;
    if (policy == 0)
        name_policy(study);
    if (policy == 0 && study->scenario.doc.root && study->module.handle)
        policy = bind_params(study, &binding);
    if (policy == 0)
        study->effect = params_effect(&study->params, &study->arena);
    return study->effect && overrides->trust == POLICY_KNOWN
               ? refuse_foreign(study, overrides, study->effect, problems)
               : policy;
}

static int bind_outages(struct study *study, const struct binding *b) {
    return outages_bind(&study->cluster.outages, study->scenario.failures, b);
}

/* Recorded outages are all that there are: nodes that also fail by chance would be down at times
   that nobody recorded. */
static int load_outages(struct study *study, const struct binding *b) {
    struct cluster *c = &study->cluster;
    uint32_t n = 0;
    if (bind_outages(study, b) < 0 || outages_load(&c->outages, b) < 0)
        return ERROR_INPUT;
    while (n < c->node_count && !isfinite(c->nodes[n].up.mean_s))
        n++;
    if (c->outages.file && n < c->node_count)
        return problems_add(
            b->problems, c->outages.where, "failures",
            "expected recorded outages or mtbf and mttr in cluster.nodes, got both");
    outages_fit(&c->outages, c->node_count, b);
    return 0;
}

/* Nodes never change, so models of the same ones are the same. */
static bool take_models(struct study *study, const struct study *like) {
    const struct model_tree *own = &study->model_tree, *tree = like ? &like->model_tree : NULL;
    bool same = tree && tree->count > 0 && tree->count == own->count;
    for (size_t i = 0; same && i < own->count; i++)
        same = own->roots[i].node == tree->roots[i].node;
    if (!same)
        return false;
    study->models = like->models;
    for (size_t i = 0; i < like->scenario.uses.texts.count; i++)
        array_push(&study->scenario.uses.texts, like->scenario.uses.texts.at[i]);
    return true;
}

/* The models with their overrides, which ask for the nodes of the cluster. */
static int load_models(struct study *study, int cluster, const struct study *like,
                       const struct binding *b) {
    struct override_notes notes = {.texts = {0}};
    const struct override_target target = {&study->model_tree, &study->cluster, &notes};
    int r = model_tree_read(&study->model_tree, study->scenario.models, b);
    if (r == 0 && cluster == 0)
        r = model_overrides_apply(&target, study->scenario.model_overrides, b);
    for (size_t i = 0; i < notes.texts.count; i++)
        array_push(&study->warnings, notes.texts.at[i]);
    free(notes.texts.at);
    int bound = r == 0 && take_models(study, like)
                    ? 0
                    : model_set_bind(&study->models, &study->model_tree, b);
    study->models.published = study->scenario.plans == 1;
    if (r < 0 || bound < 0)
        study->model_tree.count = 0; /* nobody is to take it for models */
    return r < 0 ? r : bound;
}

/* Commands that run one physics, and worlds that cannot differ. */
static void warn_of_worlds(struct study *study, bool run) {
    const struct uncertainty *u = &study->scenario.uncertainty;
    long long worlds = u->worlds;
    if (worlds == 0 || (run && uncertainty_draws(u)))
        return;
    const char *why = "uncertainty: of no effect here, easim compare runs its worlds";
    if (run && worlds > 1)
        why = arena_printf(&study->arena,
                           "uncertainty: nothing is drawn, so all %lld worlds are the central one",
                           worlds);
    else if (run)
        why = "uncertainty: of no effect, it has one world, in which nothing is drawn";
    array_push(&study->warnings, why);
}

static void name_metrics(struct study *study) {
    const struct schema_list *services = &study->source.services;
    study->metrics =
        metric_set_of(study_metric_groups(study), services->at, services->count, &study->arena);
}

/* Jobs that wait for storage compute at a share of their rate: no limit of theirs changes. */
static int check_storage(const struct study *study, struct problems *problems) {
    const struct yaml_node *cap = yaml_find(study->scenario.cluster, "power_cap");
    if (study->cluster.storage_bytes_s == 0 || study->cluster.cap_rules.enforce == ENFORCE_NONE ||
        !cap)
        return 0;
    problems_add(problems, cap->where, "cluster.power_cap",
                 "expected enforce: none with storage, because speeds of jobs that wait for "
                 "storage do not follow from their power limits");
    return ERROR_INPUT;
}

static int load_study(struct study *study, bool apart, const char *path,
                      const struct scenario_overrides *overrides,
                      const struct trace_reader *const *readers, struct problems *problems) {
    *study = (struct study){0};
    struct binding binding = {&study->arena, problems, &study->scenario.uses};
    size_t before = problems->count;
    file_stamp_take(path, &study->stamp);
    int scenario = scenario_load(&study->scenario, path, overrides, problems);
    if (scenario < 0 && !study->scenario.doc.root)
        return ERROR_INPUT;
    int policy = load_policy(study, apart, path, overrides, &scenario, problems);
    if (study->foreign)
        return ERROR_INPUT; /* and no look at what else may be wrong */
    if (study->params.policy)
        policy = read_params(study, policy, &binding);
    if (policy == 0 && study->module.handle)
        check_params_by_policy(study, overrides, apart, &binding);
    bool shares = policy == 0 && params_extras(&study->params).shares;
    int cluster = study->scenario.cluster
                      ? cluster_bind(&study->cluster, &study->scenario.signals[SIGNAL_CAP],
                                     study->scenario.cluster, &binding)
                      : ERROR_INPUT;
    study->cluster.storage_bytes_s = study->scenario.storage.bandwidth_bytes_s;
    if (cluster == 0 && check_storage(study, problems) < 0)
        cluster = ERROR_INPUT;
    int outages = load_outages(study, &binding);
    if (cluster == 0 && cap_events_load(&study->cluster.cap_events, &binding) < 0)
        outages = ERROR_INPUT;
    int models = load_models(study, cluster, overrides->like, &binding);
    int source = study->scenario.workload ? source_bind(&study->source, &study->scenario, &binding)
                                          : ERROR_INPUT;
    if (cluster == 0 && models == 0 && source == 0)
        source = source_load(&study->source, &study->cluster, &study->models, readers, &binding);
    if (source == 0 && !shares && study->module.handle)
        source_note_whole_gpus(&study->source);
    int series = load_series(study, scenario == 0, &binding);
    if (cluster == 0)
        check_power(study, problems);
    if (source == 0 && study->source.warmup_ns >= study->scenario.horizon_ns)
        problems_add(problems, study->scenario.workload->where, study->source.warmup_path,
                     "expected less than the horizon");
    name_metrics(study);
    warn_of_worlds(study, overrides->worlds);
    if (study->scenario.record && !overrides->records)
        array_push(&study->warnings,
                   "record: of no effect here, easim run and easim compare record their runs");
    if (problems->count == before && series == 0 && outages == 0)
        warnings_find(study, problems);
    return policy < 0 || problems->count > before ? ERROR_INPUT : 0;
}

int study_load(struct study *study, const char *path, const struct scenario_overrides *overrides,
               const struct trace_reader *const *readers, struct problems *problems) {
    return load_study(study, false, path, overrides, readers, problems);
}

int study_load_apart(struct study *study, const char *path,
                     const struct scenario_overrides *overrides,
                     const struct trace_reader *const *readers, struct problems *problems) {
    return load_study(study, true, path, overrides, readers, problems);
}

int study_load_policy(struct study *study, bool apart, const char *path,
                      const struct scenario_overrides *overrides, struct problems *problems) {
    *study = (struct study){0};
    int scenario = scenario_load(&study->scenario, path, overrides, problems);
    if (scenario < 0 && !study->scenario.doc.root)
        return ERROR_INPUT;
    int policy = load_policy(study, apart, path, overrides, &scenario, problems);
    return scenario < 0 ? scenario : policy;
}

void study_load_files(struct study *study, const char *path,
                      const struct scenario_overrides *overrides, struct problems *problems) {
    *study = (struct study){0};
    const struct binding binding = {&study->arena, problems, &study->scenario.uses};
    file_stamp_take(path, &study->stamp);
    int r = scenario_load(&study->scenario, path, overrides, problems);
    if (r < 0 && !study->scenario.doc.root)
        return;
    if (study->scenario.policy.name && !policy_path(study, &binding))
        r = ERROR_INPUT;
    int cluster = study->scenario.cluster
                      ? cluster_bind(&study->cluster, &study->scenario.signals[SIGNAL_CAP],
                                     study->scenario.cluster, &binding)
                      : ERROR_INPUT;
    if (bind_outages(study, &binding) < 0 || load_models(study, cluster, NULL, &binding) < 0)
        r = ERROR_INPUT;
    if (study->scenario.workload && source_bind(&study->source, &study->scenario, &binding) < 0)
        r = ERROR_INPUT;
    name_metrics(study);
    (void)r; /* the problems say it */
}
