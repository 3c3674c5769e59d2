/* Binding and checking of the cluster section. */
#include "cluster/cluster.h"

#include "base/units.h"
#include "config/scenario.h"

#include <math.h>
#include <string.h>

struct node_group {
    struct location where;
    int64_t count, gpus;
    const char *gpu;
    double base_w, cpu_idle_w, cpu_w_per_busy_gpu, ram_w, network_w, other_w;
    double mtbf_s, mttr_s;
    int32_t mtbf_law, mttr_law;
    double mtbf_shape, mttr_shape;
};

struct cluster_section {
    struct schema_list gpu_types, nodes, power_domains;
    const struct yaml_node *network;
    struct cap_nodes caps;
    const char *cap_events;
    double pue, slowdown_per_neighbour;
};

#define WATTS       RANGE(0, SCENARIO_MOST_W), UNIT(POWER)
#define USUAL_FLOOR 0.4 /* of tdp_w: boards of data centers take limits from 0.33 to 0.5 of it */
#define PART        WATTS, HELP("a further constant part; they add up")

/* The default first. */
static const char *const law_evidence_words[] = {"assumed", "derived", "measured", NULL};

static const struct field limit_law_fields[] = {
    {LOCATION(limit_law, where)},
    {"s", REAL(limit_law, s), DEFAULT(0.3), RANGE(0, 0.9),
     HELP("share of the power without a limit at which speed would reach 0")},
    {"m", REAL(limit_law, m), DEFAULT(0.7), RANGE(0, 1),
     HELP("share of the computing time that a limit does not lengthen")},
    {"evidence", CHOICE(limit_law, evidence, law_evidence_words),
     HELP("how s and m are known; runs list assumed ones")},
    {"source", STRING(limit_law, source), FOR_RECORD, HELP("where s and m come from")},
    FIELDS_END};

static const struct field gpu_type_fields[] = {
    {LOCATION(gpu_type, where)},
    {"name", TEXT(gpu_type, name), REQUIRED, HELP("name that nodes, models and logs refer to")},
    {"idle_w", REAL(gpu_type, idle_w), REQUIRED, WATTS, HELP("power of a GPU without a job")},
    {"ctx_w", REAL(gpu_type, ctx_w), DEFAULT(NAN), WATTS,
     HELP("power of a GPU that is held but does not compute: set-up, checkpoint (default idle_w)")},
    {"tdp_w", REAL(gpu_type, tdp_w), REQUIRED, ABOVE(0, SCENARIO_MOST_W), UNIT(POWER),
     HELP("most power of a GPU, at least idle_w and ctx_w; cuts the power of a model above it "
          "without slowing it down")},
    {"busy_w", REAL(gpu_type, busy_w), DEFAULT(NAN), WATTS,
     HELP("power of a GPU that a rigid job holds at utilization 0, from idle_w to tdp_w; no "
          "effect without rigid jobs (default idle_w)")},
    {"floor_w", REAL(gpu_type, floor_w), ABOVE(0, SCENARIO_MOST_W), UNIT(POWER),
     HELP("least power limit of a GPU, at most tdp_w; with power_limits: true or an enforced cap "
          "(default: 0.4 tdp_w, or the least measured limit of a model)")},
    {"limit_law", OBJECT(gpu_type, limit_law, limit_law_fields),
     HELP("speed under a power limit of jobs without measured limits; with power_limits: true or "
          "an enforced cap")},
    {"limit_delay_s", DURATION(gpu_type, limit_delay_s), DEFAULT(USUAL_LIMIT_DELAY_S),
     RANGE(0, 1e6), HELP("time from a change of a running job's power limit to its effect")},
    {"memory_gib", GIB(gpu_type, memory_gib), DEFAULT(INFINITY), ABOVE(0, 1e6),
     HELP("memory of a GPU (default: unlimited)")},
    {"sleep_w", REAL(gpu_type, sleep_w), DEFAULT(NAN), WATTS,
     HELP("power of a sleeping GPU, at most idle_w; needs sleep_after")},
    {"sleep_after", DURATION(gpu_type, sleep_after_s), DEFAULT(NAN), WORD("off"),
     RANGE(0, TIME_MAX_S), HELP("a GPU without a job sleeps after this time (default: off)")},
    {"wake_s", DURATION(gpu_type, wake_s), DEFAULT(NAN), RANGE(0, 1e6),
     HELP("added, at ctx_w, to the set-up of jobs that take a sleeping GPU (default: 0)")},
    {"peak_flops", REAL(gpu_type, peak_flops), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("most FLOP/s of a GPU in the precision of the models; only for easim attribute")},
    {"memory_bytes_s", REAL(gpu_type, memory_bytes_s), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("most bytes/s of a GPU's memory; for easim attribute, together with peak_flops")},
    FIELDS_END};

#define SHAPE(member) \
    REAL(node_group, member), DEFAULT(NAN), RANGE(TIME_LAW_MIN_SHAPE, TIME_LAW_MAX_SHAPE), \
        HELP("weibull: its exponent; lognormal: standard deviation of the logarithm")

static const struct field node_fields[] = {
    {LOCATION(node_group, where)},
    {"count", INT(node_group, count), DEFAULT(1), RANGE(1, 1000000), HELP("number of equal nodes")},
    {"gpu", TEXT(node_group, gpu), REQUIRED, HELP("name of a GPU type")},
    {"gpus", INT(node_group, gpus), REQUIRED, RANGE(1, CLUSTER_MAX_NODE_GPUS),
     HELP("GPUs of each node")},
    {"base_w", REAL(node_group, base_w), WATTS, HELP("constant power of a node without its GPUs")},
    {"cpu_idle_w", REAL(node_group, cpu_idle_w), PART},
    {"cpu_w_per_busy_gpu", REAL(node_group, cpu_w_per_busy_gpu), WATTS,
     HELP("added for each allocated GPU of the node")},
    {"ram_w", REAL(node_group, ram_w), PART},
    {"network_w", REAL(node_group, network_w), PART},
    {"other_w", REAL(node_group, other_w), PART},
    {"mtbf", DURATION(node_group, mtbf_s), DEFAULT(NAN), ABOVE(0, TIME_MAX_S),
     HELP("mean time from a repair to the next failure of a node; needs mttr (default: never)")},
    {"mttr", DURATION(node_group, mttr_s), DEFAULT(NAN), ABOVE(0, TIME_MAX_S),
     HELP("mean time from a failure to the repair")},
    {"mtbf_law", CHOICE(node_group, mtbf_law, time_law_names), DEFAULT(-1),
     HELP("law of the time to a failure, of that mean (default: exponential)")},
    {"mtbf_shape", SHAPE(mtbf_shape)},
    {"mttr_law", CHOICE(node_group, mttr_law, time_law_names), DEFAULT(-1),
     HELP("law of the time to repair, of that mean (default: exponential)")},
    {"mttr_shape", SHAPE(mttr_shape)},
    FIELDS_END};

static const struct field interference_fields[] = {
    {"slowdown_per_neighbour", .type = FIELD_REAL, REQUIRED, RANGE(0, 100),
     HELP("goodput of a job is divided by 1 + this x other jobs on its node")},
    FIELDS_END};

const struct field cluster_fields[] = {
    {"gpu_types", OBJECTS(cluster_section, gpu_types, gpu_type_fields, gpu_type), REQUIRED,
     HELP("GPU types, with the power of one GPU")},
    {"nodes", OBJECTS(cluster_section, nodes, node_fields, node_group), REQUIRED,
     HELP("groups of equal nodes, and the power of one; their order decides ties of placement")},
    {"power_cap_w", NODE(cluster_section, caps.plain), .forms = cap_forms,
     HELP("limit of the power of GPUs and nodes together; easim counts overshoot, and refuses "
          "starts only to policies with POWER_CAP (default: none)")},
    {"power_cap", KEYS(cluster_section, caps.cap, cap_fields),
     HELP("such a limit that easim may enforce under any policy; in place of power_cap_w")},
    {"cap_events", PATH(cluster_section, cap_events),
     HELP("CSV file of demand response events, which lower the cap for a while; needs power_cap "
          "with enforcement (default: none)")},
    {"cap_events", NODE(cluster_section, caps.events)},
    {"power_domains", OBJECTS(cluster_section, power_domains, power_domain_fields, power_domain),
     HELP("parts of the cluster with enforced caps of their own, such as racks (default: none)")},
    {"power_domains", NODE(cluster_section, caps.domains)},
    {"network", KEYS(cluster_section, network, network_fields),
     HELP("tiers of switches above the nodes (default: none)")},
    {"pue", REAL(cluster_section, pue), DEFAULT(1), RANGE(1, 10),
     HELP("power usage effectiveness; affects cost and CO2 only")},
    {"interference", OBJECT(cluster_section, slowdown_per_neighbour, interference_fields),
     HELP("slowdown of jobs that share a node (default: none)")},
    FIELDS_END};

static int check_gpu_types(struct cluster *cluster, const struct binding *binding) {
    size_t before = binding->problems->count;
    if (cluster->gpu_type_count > CLUSTER_MAX_TYPES) {
        problems_add(binding->problems, cluster->gpu_types[CLUSTER_MAX_TYPES].where,
                     "cluster.gpu_types", "expected at most %d GPU types, got %u",
                     CLUSTER_MAX_TYPES, cluster->gpu_type_count);
        return ERROR_INPUT;
    }
    for (uint32_t i = 0; i < cluster->gpu_type_count; i++) {
        struct gpu_type *type = &cluster->gpu_types[i];
        const char *path = arena_printf(binding->arena, "cluster.gpu_types[%u]", i);
        if (isnan(type->ctx_w))
            type->ctx_w = type->idle_w;
        if (type->busy_w < type->idle_w || (type->tdp_w > 0 && type->busy_w > type->tdp_w))
            problems_add(binding->problems, type->where, path,
                         "expected busy_w between idle_w (%g) and tdp_w (%g), got %g", type->idle_w,
                         type->tdp_w, type->busy_w);
        if (type->tdp_w > 0 && type->floor_w > type->tdp_w)
            problems_add(binding->problems, type->where, path,
                         "expected floor_w at most tdp_w (%g), got %g", type->tdp_w, type->floor_w);
        if (isnan(type->busy_w))
            type->busy_w = 0;
        if (type->name && cluster_find_type(cluster, type->name) != (int)i)
            problems_add(binding->problems, type->where, path, "GPU type \"%s\" is defined twice",
                         type->name);
        if (type->tdp_w > 0 && (type->idle_w > type->tdp_w || type->ctx_w > type->tdp_w))
            problems_add(binding->problems, type->where, path,
                         "expected idle_w and ctx_w at most tdp_w (%g), got %g and %g", type->tdp_w,
                         type->idle_w, type->ctx_w);
    }
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

static bool all_named(const struct cluster *cluster) {
    for (uint32_t i = 0; i < cluster->gpu_type_count; i++)
        if (!cluster->gpu_types[i].name)
            return false;
    return cluster->gpu_type_count > 0;
}

/* Of the keys of a group; absent ones say never, and exponential. */
static struct time_law law_of(double mean_s, int32_t law, double shape) {
    return (struct time_law){law < 0 ? TIME_LAW_EXPONENTIAL : (enum time_law_kind)law,
                             isnan(mean_s) ? INFINITY : mean_s, shape};
}

static int add_nodes(struct cluster *cluster, const struct schema_list *groups,
                     const struct binding *binding) {
    const struct node_group *group = groups->at;
    size_t total = 0, before = binding->problems->count;
    uint64_t gpus = 0;
    for (size_t i = 0; i < groups->count; i++) {
        total += (size_t)group[i].count;
        gpus += (uint64_t)group[i].count * (uint64_t)group[i].gpus;
    }
    if (gpus > CLUSTER_MAX_GPUS || total > UINT32_MAX / 2) {
        problems_add(binding->problems, group->where, "cluster.nodes",
                     "expected at most %u GPUs in all, got %llu", CLUSTER_MAX_GPUS,
                     (unsigned long long)gpus);
        return ERROR_INPUT;
    }
    cluster->nodes = arena_alloc(binding->arena, total * sizeof *cluster->nodes);
    for (size_t i = 0; i < groups->count; i++, group++) {
        int type = group->gpu ? cluster_find_type(cluster, group->gpu) : -1;
        if (type < 0) {
            if (group->gpu && all_named(cluster)) /* else it may be the one whose name is missing */
                problems_add(binding->problems, group->where,
                             arena_printf(binding->arena, "cluster.nodes[%zu].gpu", i),
                             "no GPU type is named \"%.80s\"%s", group->gpu,
                             cluster_suggest_type(cluster, group->gpu, binding));
            continue;
        }
        struct gpu_type *t = &cluster->gpu_types[type];
        t->gpus += (uint32_t)(group->count * group->gpus);
        t->node_gpus_max =
            group->gpus > t->node_gpus_max ? (uint32_t)group->gpus : t->node_gpus_max;
        for (int64_t n = 0; n < group->count; n++)
            cluster->nodes[cluster->node_count++] =
                (struct node){.gpu_type = (uint32_t)type,
                              .gpus = (uint32_t)group->gpus,
                              .fixed_w = group->base_w + group->cpu_idle_w + group->ram_w +
                                         group->network_w + group->other_w,
                              .part_w = {[NODE_CPU] = group->cpu_idle_w,
                                         [NODE_RAM] = group->ram_w,
                                         [NODE_NETWORK] = group->network_w,
                                         [NODE_OTHER] = group->base_w + group->other_w},
                              .cpu_w_per_busy_gpu = group->cpu_w_per_busy_gpu,
                              .up = law_of(group->mtbf_s, group->mtbf_law, group->mtbf_shape),
                              .repair = law_of(group->mttr_s, group->mttr_law, group->mttr_shape)};
    }
    cluster->gpus = (uint32_t)gpus;
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

/* GPUs of the nodes before each node, and behind the last of them all. */
static uint32_t *count_gpus_before(const struct cluster *cluster, const struct binding *binding) {
    uint32_t *before =
        arena_alloc(binding->arena, ((size_t)cluster->node_count + 1) * sizeof *before);
    before[0] = 0;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        before[n + 1] = before[n] + cluster->nodes[n].gpus;
    return before;
}

/* The most GPUs of each type below one switch of each tier. */
static void count_below_switches(struct cluster *cluster) {
    const struct network *network = &cluster->network;
    for (uint32_t t = 0; t < network->tier_count; t++)
        for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
            uint32_t gpus = 0, *most = &cluster->gpu_types[h].tier_gpus_max[t];
            for (uint32_t n = 0; n < cluster->node_count; n++) {
                bool is_first = n == 0 || network_switch_of(network, t, n) !=
                                              network_switch_of(network, t, n - 1);
                gpus = (is_first ? 0 : gpus) +
                       (cluster->nodes[n].gpu_type == h ? cluster->nodes[n].gpus : 0);
                *most = gpus > *most ? gpus : *most;
            }
        }
}

static int bind_network(struct cluster *cluster, const struct yaml_node *node, bool is_right,
                        const struct binding *binding) {
    int result = network_bind(&cluster->network, node, binding);
    if (node && is_right &&
        network_take_nodes(&cluster->network, count_gpus_before(cluster, binding),
                           cluster->node_count, binding) < 0)
        result = ERROR_INPUT;
    if (result == 0 && is_right)
        count_below_switches(cluster);
    return result;
}

static int bind_domains(struct cluster *cluster, const struct schema_list *domains,
                        const struct binding *binding) {
    double *idle_w = arena_alloc(binding->arena, cluster->node_count * sizeof *idle_w);
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct node *node = &cluster->nodes[n];
        idle_w[n] = node->fixed_w + node->gpus * cluster->gpu_types[node->gpu_type].idle_w;
    }
    cluster->power_domains = domains->at;
    cluster->power_domain_count = (uint32_t)domains->count;
    cluster->node_domain = power_domains_bind(domains, idle_w, cluster->node_count, binding);
    return cluster->node_domain ? 0 : ERROR_INPUT;
}

/* Sleep needs a power and a delay; the time to wake up is optional. */
static void check_sleep(struct gpu_type *type, const char *path, const struct binding *binding) {
    bool has_power = !isnan(type->sleep_w), has_time = !isnan(type->sleep_after_s);
    if (has_power && type->sleep_w > type->idle_w)
        problems_add(binding->problems, type->where, path,
                     "expected sleep_w at most idle_w (%g), got %g", type->idle_w, type->sleep_w);
    if (has_power && !has_time)
        problems_add(binding->problems, type->where, path, "expected sleep_after beside sleep_w");
    if (has_time && !isinf(type->sleep_after_s) && !has_power)
        problems_add(binding->problems, type->where, path, "expected sleep_w beside sleep_after");
    if (!isnan(type->wake_s) && !has_time)
        problems_add(binding->problems, type->where, path, "expected sleep_after beside wake_s");
    type->sleep_after_s = has_time ? type->sleep_after_s : INFINITY;
    type->sleep_w = has_power ? type->sleep_w : type->idle_w;
    type->wake_s = isnan(type->wake_s) ? 0 : type->wake_s;
}

/* A law is of a mean, and a shape of a law that has one. mean: "mtbf" or "mttr". */
static void check_law(const struct node_group *group, const char *mean, const char *path,
                      const struct binding *binding) {
    bool of_failures = strcmp(mean, "mtbf") == 0;
    double mean_s = of_failures ? group->mtbf_s : group->mttr_s;
    int32_t law = of_failures ? group->mtbf_law : group->mttr_law;
    bool shaped = !isnan(of_failures ? group->mtbf_shape : group->mttr_shape);
    bool needs_shape = law > TIME_LAW_EXPONENTIAL;
    if (isnan(mean_s) && (law >= 0 || shaped))
        problems_add(binding->problems, group->where, path, "expected %s beside %s_%s", mean, mean,
                     law >= 0 ? "law" : "shape");
    else if (needs_shape && !shaped)
        problems_add(binding->problems, group->where, path, "expected %s_shape beside %s_law: %s",
                     mean, mean, time_law_names[law]);
    else if (shaped && !needs_shape)
        problems_add(binding->problems, group->where, path,
                     "expected %s_law: weibull or lognormal with %s_shape", mean, mean);
}

/* Keys that need each other; only if each alone is right: a bad value is not a missing one. */
static int check_pairs(struct cluster *cluster, const struct schema_list *groups,
                       const struct binding *binding) {
    size_t before = binding->problems->count;
    const struct node_group *group = groups->at;
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        check_sleep(&cluster->gpu_types[h],
                    arena_printf(binding->arena, "cluster.gpu_types[%u]", h), binding);
    for (size_t i = 0; i < groups->count; i++) {
        const char *path = arena_printf(binding->arena, "cluster.nodes[%zu]", i);
        if (isnan(group[i].mtbf_s) != isnan(group[i].mttr_s))
            problems_add(binding->problems, group[i].where, path,
                         "expected both or neither of mtbf and mttr");
        check_law(&group[i], "mtbf", path, binding);
        check_law(&group[i], "mttr", path, binding);
    }
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

int cluster_bind(struct cluster *cluster, struct series *cap, const struct yaml_node *node,
                 const struct binding *binding) {
    struct cluster_section section = {0};
    *cluster = (struct cluster){0};
    int result = schema_bind(binding, cluster_fields, node, "cluster", &section);
    cluster->gpu_types = section.gpu_types.at;
    cluster->gpu_type_count = (uint32_t)section.gpu_types.count;
    cluster->pue = section.pue;
    cluster->slowdown_per_neighbour = section.slowdown_per_neighbour;
    if (result == 0)
        result = check_pairs(cluster, &section.nodes, binding);
    if (check_gpu_types(cluster, binding) < 0)
        result = ERROR_INPUT;
    if (add_nodes(cluster, &section.nodes, binding) < 0)
        result = ERROR_INPUT;
    if (bind_network(cluster, section.network, result == 0, binding) < 0)
        result = ERROR_INPUT;
    section.caps.contention = cluster->network.contention;
    if (caps_bind(&cluster->cap_rules, cap, &section.caps, binding) < 0)
        result = ERROR_INPUT;
    cluster->power_cap_w = cap->constant;
    cluster->cap_events.file = section.cap_events;
    if (result == 0 && section.power_domains.count > 0)
        result = bind_domains(cluster, &section.power_domains, binding);
    return result;
}

double cluster_rigid_busy_w(const struct gpu_type *type) {
    return type->busy_w > 0 ? type->busy_w : type->idle_w;
}

double cluster_floor_w(const struct gpu_type *type) {
    return type->floor_w > 0 ? type->floor_w : USUAL_FLOOR * type->tdp_w;
}

uint32_t cluster_span_gpus_max(const struct cluster *cluster, const struct gpu_type *type,
                               uint32_t span) {
    if (span == 0)
        return type->node_gpus_max;
    return span < cluster->network.tier_count ? type->tier_gpus_max[span - 1] : type->gpus;
}

uint32_t cluster_span_nodes(const struct cluster *cluster, uint32_t span) {
    if (span == 0)
        return 1;
    return span < cluster->network.tier_count ? (uint32_t)cluster->network.tiers[span - 1].nodes
                                              : cluster->node_count;
}

uint32_t cluster_empty_span(const struct cluster *cluster, const struct gpu_type *type,
                            uint32_t k) {
    uint32_t span = 0;
    while (span + 1 < network_span_count(&cluster->network) &&
           k > cluster_span_gpus_max(cluster, type, span))
        span++;
    return span;
}

int cluster_find_type(const struct cluster *cluster, const char *name) {
    for (uint32_t i = 0; i < cluster->gpu_type_count; i++)
        if (cluster->gpu_types[i].name && strcmp(cluster->gpu_types[i].name, name) == 0)
            return (int)i;
    return -1;
}

const char *cluster_suggest_type(const struct cluster *cluster, const char *name,
                                 const struct binding *binding) {
    const char **names = arena_alloc(binding->arena, cluster->gpu_type_count * sizeof *names);
    size_t count = 0;
    for (uint32_t i = 0; i < cluster->gpu_type_count; i++)
        if (cluster->gpu_types[i].name)
            names[count++] = cluster->gpu_types[i].name;
    return str_suggestion(binding->arena, name, names, count);
}
