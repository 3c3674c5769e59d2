/* The power cap: see power_cap.h. Invariant: the sums of a domain are those of all jobs with a
   group; sim->committed_nw has the wishes of all. */
#include "engine/power_cap.h"

#include "base/units.h"

#include <stdlib.h>

/* --- set-up --- */

/* The first part of a group's key; the leaves follow. */
struct group_key {
    uint32_t kind; /* enum group_kind */
    uint32_t count;
};

/* A domain in which a job has GPUs, and how many; 0: all that it has. */
struct leaf {
    uint32_t domain, gpus;
};

/* The domain of a node in struct cap_state, from inside to outside; 0 is the last. */
static uint32_t domain_of(const struct sim *sim, uint32_t node) {
    uint32_t d = sim->cluster->node_domain ? sim->cluster->node_domain[node] : EASIM_NONE;
    return d == EASIM_NONE ? 0 : d + 1;
}

static uint32_t parent_of(const struct sim *sim, uint32_t domain) {
    uint32_t parent = sim->cluster->power_domains[domain - 1].parent;
    return parent == EASIM_NONE ? 0 : parent + 1;
}

/* In the domains below the cluster that hold the node; tries: for a trial. */
static void tally_others(struct sim *sim, uint32_t node, int64_t more_nw, bool tries) {
    for (uint32_t d = domain_of(sim, node); d > 0; d = parent_of(sim, d)) {
        sim->cap->is_filled = false;
        sim->cap->domains[d].others_nw += more_nw;
        sim->cap->domains[d].trial_nw += tries ? more_nw : 0;
    }
}

void power_cap_init(struct sim *sim) {
    const struct cluster *cluster = sim->cluster;
    view_power(&sim->view, 0)->room_nw = INT64_MAX;
    if (cluster->cap_rules.enforce != ENFORCE_NONE && sim->limits) {
        struct cap_state *cap = sim->cap = mem_zalloc(1, sizeof *cap);
        cap->domain_count = 1 + cluster->power_domain_count;
        cap->fill = mem_zalloc(cap->domain_count, sizeof *cap->fill);
        cap->domains = mem_zalloc(cap->domain_count, sizeof *cap->domains);
        cap->entry_nw = mem_zalloc(sim->workload->jobs.count, sizeof *cap->entry_nw);
        cap->cap_w = NAN;
        cap->tried_job = EASIM_NONE;
        for (uint32_t d = 1; d < cap->domain_count; d++)
            cap->fill[d].cap_nw = power_nw(cluster->power_domains[d - 1].cap_w);
        for (uint32_t n = 0; n < cluster->node_count; n++)
            tally_others(sim, n, power_meter_idle_node_nw(&sim->meter, &cluster->nodes[n]), false);
    }
}

void power_cap_finish(struct sim *sim) {
    struct cap_state *cap = sim->cap;
    if (!cap)
        return;
    for (size_t g = 0; g < cap->groups.count; g++) {
        free(cap->groups.at[g].parts);
        free(cap->groups.at[g].gpus);
    }
    intern_finish(&cap->keys);
    void *const all[] = {cap->fill,      cap->domains,  cap->entry_nw, cap->groups.at,
                         cap->filled.at, cap->trial.at, cap->changed,  cap};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* --- the cap --- */

static int64_t cap_nw(const struct sim *sim) {
    double cap_w = sim->view.v->power_cap_w;
    return isfinite(cap_w) ? power_nw(cap_w) : FILL_NO_CAP;
}

bool power_cap_binds_members(const struct sim *sim) {
    return cap_nw(sim) != FILL_NO_CAP || sim->cap->domain_count > 1;
}

static int64_t domain_cap_nw(const struct sim *sim, uint32_t domain) {
    return domain == 0 ? cap_nw(sim) : sim->cap->fill[domain].cap_nw;
}

/* All but members; committed_nw: of the cluster, at the wishes. */
static int64_t others_nw(const struct sim *sim, uint32_t domain, int64_t committed_nw) {
    const struct cap_domain *at = &sim->cap->domains[domain];
    return domain == 0 ? committed_nw - at->want_nw : at->others_nw;
}

static bool domain_is_over(const struct sim *sim, uint32_t domain) {
    return others_nw(sim, domain, sim->committed_nw) + sim->cap->domains[domain].lo_nw >
           domain_cap_nw(sim, domain);
}

bool power_cap_is_over(const struct sim *sim) {
    if (!sim->cap)
        return power_cap_binds(sim) && sim->committed_nw > cap_nw(sim);
    for (uint32_t d = 0; d < sim->cap->domain_count; d++)
        if (domain_is_over(sim, d))
            return true;
    return false;
}

/* Members at entry draws, and all else in a domain; committed_nw: of the cluster, at the wishes. */
static int64_t entry_sum_nw(const struct sim *sim, uint32_t domain, int64_t committed_nw) {
    return others_nw(sim, domain, committed_nw) + sim->cap->domains[domain].entry_nw;
}

/* Whether members at their entry draws, and more_nw, are above the cap of a domain. */
static bool entry_is_over(const struct sim *sim, uint32_t domain, int64_t committed_nw,
                          int64_t more_nw) {
    return entry_sum_nw(sim, domain, committed_nw) + more_nw > domain_cap_nw(sim, domain);
}

bool power_cap_forbids_more(const struct sim *sim, uint32_t node, int64_t more_nw) {
    if (!sim->cap)
        return power_cap_binds(sim) && sim->committed_nw + more_nw > cap_nw(sim);
    uint32_t d = domain_of(sim, node);
    while (d > 0 && !entry_is_over(sim, d, sim->committed_nw, more_nw))
        d = parent_of(sim, d);
    return entry_is_over(sim, d, sim->committed_nw, more_nw);
}

/* --- filling --- */

/* Whether all groups stay at their step: the only one does, which has one range. */
static bool keeps_step(struct cap_state *cap, uint32_t steps) {
    const struct cap_group *group = cap->groups.at;
    return cap->domain_count == 1 && cap->groups.count == 1 && group->ranges == 1 && steps > 0 &&
           power_fill_keeps(cap->fill, cap->filled.at, group->stage[0], group->steps[0], steps);
}

/* The x of all groups, by steps if there are such, and the power of the cluster then.
   committed_nw: at the wishes. */
static int64_t fill(struct sim *sim, int64_t committed_nw) {
    struct cap_state *cap = sim->cap;
    uint32_t groups = (uint32_t)cap->groups.count, steps = sim->limits->classes.steps;
    cap->tried_job = EASIM_NONE;
    if (cap->is_filled && cap->filled_for_nw == committed_nw && cap->fill[0].cap_nw == cap_nw(sim))
        return cap->filled_nw;
    cap->is_filled = true;
    cap->filled_for_nw = committed_nw;
    for (uint32_t d = 0; d < cap->domain_count; d++) {
        cap->fill[d].cap_nw = domain_cap_nw(sim, d);
        cap->fill[d].fixed_nw = others_nw(sim, d, committed_nw);
    }
    bool keeps = keeps_step(cap, steps);
    if (!keeps)
        power_fill(cap->fill, cap->domain_count, cap->filled.at, groups);
    for (uint32_t g = 0; g < groups && steps > 0 && !keeps; g++) {
        const struct cap_group *group = &cap->groups.at[g];
        for (uint32_t r = 0; r < group->ranges; r++) {
            double *x = &cap->filled.at[g].x[group->stage[r]];
            *x = (double)power_fill_step(group->steps[r], *x, steps) / steps;
        }
    }
    return cap->filled_nw = power_fill_total_nw(cap->fill, 0, cap->filled.at, groups);
}

void power_cap_show(struct sim *sim) {
    int64_t nw = sim->cap ? fill(sim, sim->committed_nw) : sim->committed_nw;
    view_header(&sim->view)->power_w = power_w(nw);
    if (!sim->cap)
        return;
    int64_t most_nw = cap_nw(sim), entry_nw = entry_sum_nw(sim, 0, sim->committed_nw);
    sim->cap->room_nw = most_nw == FILL_NO_CAP ? INT64_MAX : most_nw - entry_nw;
    if (sim->view.shows_power)
        view_power(&sim->view, 0)->room_nw = sim->cap->room_nw;
}

static void commit(struct sim *sim, int64_t more_nw) {
    sim->committed_nw += more_nw;
    if (sim->cap)
        sim->cap->is_dirty = true;
    power_cap_show(sim);
}

void power_cap_note(struct sim *sim, uint32_t node, int64_t more_nw) {
    if (sim->cap)
        tally_others(sim, node, more_nw, false);
    commit(sim, more_nw);
}

/* --- members --- */

static enum group_kind kind_of(const struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    switch (sim->cluster->cap_rules.order) {
    case CAP_ORDER_BY_CLASS:
        return spec->sla ? GROUP_SLA : GROUP_OTHERS;
    case CAP_ORDER_BY_FLEX:
        return spec->flex > 0 ? GROUP_FLEX : GROUP_RIGID;
    default:
        return GROUP_ALL;
    }
}

/* The GPUs of an allocation by innermost domain, ascending; their number. */
static uint32_t find_leaves(const struct sim *sim, const struct allocation *allocation,
                            struct leaf *leaves) {
    const struct piece *pieces = allocation_pieces(allocation);
    uint32_t count = 0;
    for (uint32_t i = 0; i < allocation->count; i++) {
        uint32_t domain = domain_of(sim, pieces[i].node), at = 0;
        while (at < count && leaves[at].domain < domain)
            at++;
        if (at == count || leaves[at].domain != domain) {
            memmove(&leaves[at + 1], &leaves[at], (count++ - at) * sizeof *leaves);
            leaves[at] = (struct leaf){domain, 0};
        }
        leaves[at].gpus += pieces[i].gpus;
    }
    if (count == 1)
        leaves[0].gpus = 0;
    return count;
}

/* A part in the domain and in all around it. */
static void add_leaf(const struct sim *sim, struct cap_group *group, uint32_t *count,
                     struct leaf leaf) {
    for (uint32_t d = leaf.domain;; d = parent_of(sim, d)) {
        uint32_t at = 0;
        while (at < *count && group->parts[at].domain != d)
            at++;
        if (at == *count)
            group->parts[(*count)++] = (struct fill_part){.domain = d};
        group->gpus[at] += leaf.gpus;
        if (d == 0)
            return;
    }
}

/* Gives a group its parts; their number. */
static uint32_t add_parts(const struct sim *sim, struct cap_group *group, const struct leaf *leaves,
                          uint32_t leaf_count) {
    uint32_t count = 0;
    group->parts = mem_zalloc(sim->cap->domain_count, sizeof *group->parts);
    group->gpus = mem_zalloc(sim->cap->domain_count, sizeof *group->gpus);
    for (uint32_t i = 0; i < leaf_count; i++)
        add_leaf(sim, group, &count, leaves[i]);
    return count;
}

static void make_group(struct sim *sim, enum group_kind kind, const struct leaf *leaves,
                       uint32_t leaf_count) {
    static const struct cap_group kinds[] = {[GROUP_ALL] = {.stage = {0}, .ranges = 1},
                                             [GROUP_SLA] = {.stage = {0}, .ranges = 1},
                                             [GROUP_OTHERS] = {.stage = {1}, .ranges = 1},
                                             [GROUP_RIGID] = {.stage = {0}, .ranges = 1},
                                             [GROUP_FLEX] = {.stage = {1, 2}, .ranges = 2}};
    struct cap_state *cap = sim->cap;
    struct cap_group group = kinds[kind];
    uint32_t count = add_parts(sim, &group, leaves, leaf_count);
    group.steps[0] = group.steps[1] = sim->limits->classes.steps;
    array_push(&cap->groups, group);
    array_push(&cap->filled,
               ((struct fill_group){.parts = group.parts, .part_count = count, .x = {1, 1, 1}}));
    array_push(&sim->limits->places,
               ((struct limit_place){.x = {1, 1},
                                     .step = kinds[kind].ranges * sim->limits->classes.steps}));
    cap->changed = mem_realloc(cap->changed, cap->groups.count, sizeof *cap->changed);
    cap->changed[cap->groups.count - 1] = false;
}

static uint32_t group_of(struct sim *sim, uint32_t job, const struct allocation *allocation) {
    enum group_kind kind = kind_of(sim, job);
    uint32_t most = allocation->count, *plain = &sim->cap->plain[kind];
    if (*plain > 0)
        return *plain - 1;
    char *bytes = mem_zalloc(1, sizeof(struct group_key) + (most + 1) * sizeof(struct leaf));
    struct leaf *leaves = (struct leaf *)(void *)(bytes + sizeof(struct group_key));
    bool is_new;
    struct group_key key = {.kind = kind, .count = find_leaves(sim, allocation, leaves)};
    memcpy(bytes, &key, sizeof key);
    uint32_t group =
        intern(&sim->cap->keys, bytes, sizeof key + key.count * sizeof *leaves, &is_new);
    if (is_new)
        make_group(sim, kind, leaves, key.count);
    free(bytes);
    *plain = sim->cap->domain_count == 1 ? group + 1 : 0;
    return group;
}

/* A member of a class comes into a group, sign 1, or goes, -1. */
static void add_member(struct sim *sim, uint32_t class, uint32_t group, int sign) {
    struct cap_state *cap = sim->cap;
    const struct limit_class *c = &sim->limits->classes.at.at[class];
    const struct cap_group *g = &cap->groups.at[group];
    cap->is_filled = false;
    for (uint32_t i = 0; i < cap->filled.at[group].part_count; i++) {
        struct fill_part *part = &g->parts[i];
        struct cap_domain *domain = &cap->domains[part->domain];
        int64_t gpus = sign * (int64_t)(g->gpus[i] > 0 ? g->gpus[i] : c->k), from_nw = c->lo_nw;
        part->lo_nw += gpus * c->lo_nw;
        for (uint32_t r = 0; r < g->ranges; r++) {
            part->rise_nw[g->stage[r]] += gpus * (c->top_nw[r] - from_nw);
            from_nw = c->top_nw[r];
        }
        domain->lo_nw += gpus * c->lo_nw;
        domain->want_nw += gpus * from_nw;
        domain->entry_nw += gpus * c->entry_nw;
    }
}

/* Power that whole GPUs add to what they draw; tries: for a trial. */
static int64_t add_pieces(struct sim *sim, uint32_t h, const struct allocation *allocation,
                          int sign, bool tries) {
    const struct piece *pieces = allocation_pieces(allocation);
    int64_t sum_nw = 0;
    for (uint32_t i = 0; i < allocation->count; i++) {
        int64_t nw = sign * (int64_t)pieces[i].gpus * WHOLE_GPU_MILLI *
                     (sim->meter.cpu_milli_nw[pieces[i].node] - sim->meter.types[h].idle_milli_nw);
        sum_nw += nw;
        if (sim->cap)
            tally_others(sim, pieces[i].node, nw, tries);
    }
    return sum_nw;
}

/* All that an allocation of a job counts comes, or goes: what that adds to the committed power. */
static int64_t add_all(struct sim *sim, const struct cap_trial *of, uint32_t config,
                       const struct allocation *allocation, int64_t added_nw, bool tries) {
    if (of->class == EASIM_NONE) {
        if (sim->cap)
            tally_others(sim, allocation->first.node, of->sign * added_nw, tries);
        return of->sign * added_nw;
    }
    if (sim->cap)
        add_member(sim, of->class, of->group, of->sign);
    return of->sign * limits_want_nw(sim, of->class) +
           add_pieces(sim, sim->view.configs[config].gpu_type, allocation, of->sign, tries);
}

/* The class and group that a job would have. */
static struct cap_trial place_of(struct sim *sim, uint32_t job, uint32_t config,
                                 const struct allocation *allocation) {
    struct cap_trial place = {EASIM_NONE, EASIM_NONE, 1};
    if (!sim->limits || allocation->milli > 0 || job == EASIM_NONE)
        return place;
    place.class = limits_class(sim, job, config, allocation->span, INFINITY);
    place.group = sim->cap ? group_of(sim, job, allocation) : EASIM_NONE;
    return place;
}

/* Where it is. */
static struct cap_trial place_held(const struct sim *sim, uint32_t job) {
    const struct limits *l = sim->limits;
    return l ? (struct cap_trial){l->class_of[job], l->group_of[job], -1}
             : (struct cap_trial){EASIM_NONE, EASIM_NONE, -1};
}

/* Power of a member at its wish, above its entry draw. */
static int64_t over_entry_nw(const struct sim *sim, uint32_t class) {
    return class == EASIM_NONE ? 0 : limits_want_nw(sim, class) - limits_entry_nw(sim, class);
}

void power_cap_charge_member(struct sim *sim, uint32_t job, uint32_t config,
                             const struct allocation *allocation, int64_t added_nw) {
    const struct cap_trial place = place_of(sim, job, config, allocation);
    sim->limits->class_of[job] = place.class;
    sim->limits->group_of[job] = place.group;
    int64_t more_nw = add_all(sim, &place, config, allocation, added_nw, false);
    if (sim->cap)
        sim->cap->entry_nw[job] = more_nw - over_entry_nw(sim, place.class);
    commit(sim, more_nw);
}

void power_cap_discharge_member(struct sim *sim, uint32_t job, uint32_t config,
                                const struct allocation *allocation, int64_t added_nw) {
    const struct cap_trial place = place_held(sim, job);
    if (sim->cap)
        sim->cap->entry_nw[job] = 0;
    commit(sim, add_all(sim, &place, config, allocation, added_nw, false));
    sim->limits->class_of[job] = sim->limits->group_of[job] = EASIM_NONE;
}

static void change_entry(struct sim *sim, uint32_t job, int64_t more_nw) {
    sim->cap->entry_nw[job] += more_nw;
    if (more_nw == 0 || !sim->view.shows_power || sim->view.jobs[job].state != EASIM_JOB_RUNNING)
        return;
    view_power_job(&sim->view, job)->entry_nw = sim->cap->entry_nw[job];
    view_power(&sim->view, 0)->changes++;
}

void power_cap_recharge(struct sim *sim, uint32_t job, uint32_t class) {
    struct limits *l = sim->limits;
    uint32_t before = l->class_of[job];
    int64_t more_nw = limits_want_nw(sim, class) - limits_want_nw(sim, before);
    if (sim->cap) {
        add_member(sim, before, l->group_of[job], -1);
        add_member(sim, class, l->group_of[job], 1);
        change_entry(sim, job, more_nw + over_entry_nw(sim, before) - over_entry_nw(sim, class));
    }
    limits_set_class(sim, job, class);
    commit(sim, more_nw);
}

/* --- trials --- */

static int64_t try(struct sim *sim, struct cap_trial place, uint32_t config,
                   const struct allocation *allocation, int64_t added_nw) {
    struct cap_state *cap = sim->cap;
    if (cap && place.class != EASIM_NONE)
        array_push(&cap->trial, place);
    return add_all(sim, &place, config, allocation, added_nw, true);
}

int64_t power_cap_try(struct sim *sim, uint32_t job, uint32_t config,
                      const struct allocation *allocation, int64_t added_nw) {
    return try(sim, place_of(sim, job, config, allocation), config, allocation, added_nw);
}

int64_t power_cap_try_without(struct sim *sim, uint32_t job, int64_t added_nw) {
    const struct job_run *run = &sim->runs[job];
    return try(sim, place_held(sim, job), run->config, &run->allocation, added_nw);
}

bool power_cap_end_trial(struct sim *sim, int64_t *committed_nw, bool tells_power) {
    struct cap_state *cap = sim->cap;
    bool is_over = false;
    if (!cap)
        return power_cap_binds(sim) && *committed_nw > cap_nw(sim);
    for (uint32_t d = 0; d < cap->domain_count; d++)
        cap->domains[d].tried_nw = entry_sum_nw(sim, d, *committed_nw);
    if (tells_power)
        *committed_nw = fill(sim, *committed_nw);
    for (; cap->trial.count > 0; cap->trial.count--) {
        const struct cap_trial *last = &cap->trial.at[cap->trial.count - 1];
        add_member(sim, last->class, last->group, -last->sign);
    }
    for (uint32_t d = 0; d < cap->domain_count; d++) {
        struct cap_domain *domain = &cap->domains[d];
        domain->others_nw -= domain->trial_nw;
        cap->is_filled = cap->is_filled && domain->trial_nw == 0;
        domain->trial_nw = 0;
        is_over = is_over || (domain->tried_nw > domain_cap_nw(sim, d) &&
                              domain->tried_nw > entry_sum_nw(sim, d, sim->committed_nw));
    }
    return is_over;
}

/* --- admission --- */

int64_t power_cap_most_entry_nw(struct sim *sim, uint32_t config,
                                const struct allocation *allocation) {
    const struct easim_config *c = &sim->view.configs[config];
    double cap_w = sim->cluster->power_cap_w; /* INFINITY: none, or one that changes */
    int64_t more_nw = add_pieces(sim, c->gpu_type, allocation, 1, false), least_nw = FILL_NO_CAP;
    struct leaf *leaves = mem_zalloc(allocation->count + 1, sizeof *leaves);
    struct cap_group group = {.ranges = 0};
    uint32_t parts = add_parts(sim, &group, leaves, find_leaves(sim, allocation, leaves));
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t d = group.parts[i].domain;
        int64_t most_nw = d > 0             ? sim->cap->fill[d].cap_nw
                          : isfinite(cap_w) ? power_nw(cap_w)
                                            : FILL_NO_CAP;
        int64_t room_nw = most_nw - others_nw(sim, d, sim->committed_nw + more_nw),
                gpus = group.gpus[i] > 0 ? group.gpus[i] : c->k;
        least_nw = room_nw / gpus < least_nw ? room_nw / gpus : least_nw;
    }
    free(group.parts);
    free(group.gpus);
    free(leaves);
    (void)add_pieces(sim, c->gpu_type, allocation, -1, false);
    return least_nw;
}

bool power_cap_forbids_job(struct sim *sim, uint32_t job) {
    const struct config_set *set = &sim->workload->table.sets.at[sim->workload->jobs.at[job].set];
    bool over = true;
    for (uint32_t c = set->first; c < set->first + set->count; c++) {
        const struct easim_config *config = &sim->view.configs[c];
        if (sim->most_entry_nw && config->milli == 0) {
            uint32_t class = limits_class(sim, job, c, config->empty_span, INFINITY);
            sim->over_cap[c] = sim->limits->classes.at.at[class].entry_nw > sim->most_entry_nw[c];
        }
        over = over && sim->over_cap[c];
    }
    return over;
}

/* --- enforcement --- */

void power_cap_settle(struct sim *sim) {
    struct cap_state *cap = sim->cap;
    bool any = false;
    if (!cap || (!cap->is_dirty && cap->cap_w == sim->view.v->power_cap_w))
        return;
    fill(sim, sim->committed_nw);
    for (size_t g = 0; g < cap->groups.count; g++) {
        struct cap_group *group = &cap->groups.at[g];
        struct limit_place *place = &sim->limits->places.at[g];
        cap->changed[g] = false;
        cap->is_filled = cap->is_filled && group->parts[0].lo_nw > 0; /* else steps change */
        place->step_before = place->step;
        place->step = 0;
        for (uint32_t r = 0; r < group->ranges; r++) {
            double x = cap->filled.at[g].x[group->stage[r]];
            cap->changed[g] = cap->changed[g] || x != place->x[r];
            place->x[r] = x;
            uint32_t steps = sim->limits->classes.steps, step = (uint32_t)lrint(x * steps);
            place->step += step;
            group->steps[r] = group->parts[0].lo_nw == 0 ? steps : step;
        }
        any = any || cap->changed[g];
    }
    cap->is_dirty = false;
    cap->settled++;
    cap->cap_w = sim->view.v->power_cap_w;
    if (any)
        limits_ask_groups(sim, cap->changed);
}

static void add_share(const struct sim *sim, size_t group, const struct fill_part *part,
                      struct cap_share *share) {
    const struct cap_group *g = &sim->cap->groups.at[group];
    const struct limit_place *place = &sim->limits->places.at[group];
    if (part->lo_nw == 0)
        return;
    share->nw += part->lo_nw;
    for (uint32_t r = 0; r < g->ranges; r++) {
        double *x = &share->x[g->stage[r]];
        *x = fmax(*x, place->x[r]);
        share->nw += power_fill_rise_nw(part->rise_nw[g->stage[r]], place->x[r]);
    }
}

void power_cap_survey(const struct sim *sim, struct cap_share *shares) {
    const struct cap_state *cap = sim->cap;
    for (uint32_t d = 0; d < cap->domain_count; d++)
        shares[d] = (struct cap_share){{-1, -1, -1}, others_nw(sim, d, sim->committed_nw)};
    for (size_t g = 0; g < cap->groups.count; g++)
        for (uint32_t p = 0; p < cap->filled.at[g].part_count; p++)
            add_share(sim, g, &cap->groups.at[g].parts[p],
                      &shares[cap->groups.at[g].parts[p].domain]);
    for (uint32_t d = 0; d < cap->domain_count; d++)
        for (int stage = 0; stage < FILL_STAGES; stage++)
            shares[d].x[stage] = shares[d].x[stage] < 0 ? 1 : shares[d].x[stage];
}

int64_t power_cap_flex_nw(const struct sim *sim) {
    const struct limits *l = sim->limits;
    int64_t nw = others_nw(sim, 0, sim->committed_nw);
    for (size_t i = 0; i < l->jobs.count; i++) {
        const struct limit_class *c = &l->classes.at.at[l->wanted.at[i]];
        int64_t lo_nw = c->k * c->lo_nw;
        nw += lo_nw > c->broken_nw ? lo_nw : c->broken_nw;
    }
    return nw;
}

/* Whether a job has GPUs in a domain. */
static bool is_in(const struct sim *sim, uint32_t job, uint32_t domain) {
    uint32_t group = sim->limits->group_of[job], i = 0;
    if (domain == 0 || group == EASIM_NONE)
        return domain == 0;
    const struct fill_group *g = &sim->cap->filled.at[group];
    while (i < g->part_count && g->parts[i].domain != domain)
        i++;
    return i < g->part_count;
}

/* Power of a job at its wish that counts against the cap. */
static double job_w(const struct sim *sim, const struct easim_job *job) {
    const struct easim_config *c = &sim->view.configs[job->config];
    return easim_config_gpus(c) *
           fmax(sim->view.gpu_types[c->gpu_type].ctx_w, c->power_w[job->span]);
}

bool power_cap_goes_before(const struct sim *sim, uint32_t job, uint32_t other) {
    const struct easim_job *a = &sim->view.jobs[job], *b = &sim->view.jobs[other];
    double a_w = job_w(sim, a), b_w = job_w(sim, b);
    if (a->sla != b->sla)
        return b->sla;
    if (a_w != b_w)
        return a_w > b_w;
    return a->start_s != b->start_s ? a->start_s > b->start_s : a->index > b->index;
}

uint32_t power_cap_next_victim(const struct sim *sim) {
    uint32_t first = EASIM_NONE;
    if (!sim->cap || !power_cap_preempts(sim) || !power_cap_is_over(sim))
        return EASIM_NONE;
    for (uint32_t d = sim->cap->domain_count; d-- > 0 && first == EASIM_NONE;)
        for (uint32_t i = 0; i < sim->view.v->running_count && domain_is_over(sim, d); i++) {
            uint32_t job = sim->view.running[i].job;
            if (sim->view.jobs[job].preemptible && is_in(sim, job, d) &&
                (first == EASIM_NONE || power_cap_goes_before(sim, job, first)))
                first = job;
        }
    return first;
}
