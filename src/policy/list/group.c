/* Groups of waiting jobs: see group.h. Invariant: two jobs are in one group if and only if their
 * ways are equal. */
#include "policy/list/group.h"

#include "policy/list/headroom.h"

#include <stdlib.h>

void groups_finish(struct groups *groups) {
    intern_finish(&groups->ways);
    free(groups->groups.at);
    free(groups->building.at);
    *groups = (struct groups){0};
}

void groups_begin(struct groups *groups) {
    groups->building.count = 0;
    groups_at_level(groups, 0);
}

void groups_at_level(struct groups *groups, uint32_t level) {
    groups->level = level;
    groups->gpu_type = EASIM_NONE;
}

static struct group_way *last_way(struct groups *groups, uint32_t gpu_type, uint32_t k) {
    struct group_way *last =
        groups->building.count > 0 ? &groups->building.at[groups->building.count - 1] : NULL;
    bool same = last && last->level == groups->level && last->gpu_type == gpu_type;
    return same && last->k == k ? last : NULL;
}

/* Those of the spans from the lowest up to the first that is not among them. */
static uint32_t spans_from_lowest(uint32_t spans) {
    return spans & ~(spans + 1);
}

/* Only the number of GPUs matters here, so configurations of equal k are one way. (Those of one job
   take all the same part of a GPU, or all whole GPUs.) They come by ascending k. A larger k is left
   out in a span where it can only be free if a smaller one is too: once some smaller k is admitted
   in that span and it, or a still smaller one, in each lower one, since wherever that k is then
   placed, one of them is free. */
static void add_gpus(struct groups *groups, const struct easim_config *c, uint32_t spans) {
    uint32_t gpu_type = c->gpu_type, k = c->k;
    if (gpu_type != groups->gpu_type) {
        groups->gpu_type = gpu_type;
        groups->covered = 0;
    }
    spans &= ~groups->covered;
    if (spans == 0)
        return;
    struct group_way *way = last_way(groups, gpu_type, k);
    if (!way)
        array_push(&groups->building,
                   ((struct group_way){EASIM_NONE, gpu_type, k, c->milli, 0, groups->level, 0}));
    way = &groups->building.at[groups->building.count - 1];
    way->spans |= spans;
    groups->covered = spans_from_lowest(groups->covered | way->spans);
}

static double least_added_w(const struct easim_view *view, const struct easim_config *c,
                            uint32_t spans) {
    double least_w = INFINITY;
    for (uint32_t span = 0; span < c->span_count; span++)
        if (spans >> span & 1)
            least_w = fmin(least_w, headroom_need_w(view, c, span));
    return least_w;
}

void groups_add(struct groups *groups, const struct easim_view *view, uint32_t config,
                uint32_t spans, bool by_config) {
    const struct easim_config *c = easim_view_config(view, config);
    if (!by_config)
        add_gpus(groups, c, spans);
    else if (spans != 0)
        array_push(&groups->building,
                   ((struct group_way){config, c->gpu_type, c->k, c->milli, spans, groups->level,
                                       groups->by_power ? least_added_w(view, c, spans) : 0}));
}

ORDER_BY(compare_power, struct group_way, ASC(added_w) ASC(level) ASC(config))

uint32_t groups_end(struct groups *groups) {
    bool is_new;
    if (groups->by_power)
        sort_array(groups->building.at, groups->building.count, compare_power);
    uint32_t group = intern(&groups->ways, groups->building.at,
                            groups->building.count * sizeof *groups->building.at, &is_new);
    if (is_new)
        array_push(&groups->groups, (struct group){0});
    if (is_new && groups->building.count > 0)
        groups->least_w = fmin(groups->least_w, groups->building.at[0].added_w);
    return group;
}

const struct group_way *groups_ways(const struct groups *groups, uint32_t group,
                                    size_t *ret_count) {
    const struct intern_entry *ways = &groups->ways.entries.at[group];
    *ret_count = ways->length / sizeof(struct group_way);
    return ways->key;
}

bool groups_power_is_out(const struct groups *groups, const struct easim_view *view) {
    return groups->by_power && groups->least_w > headroom_w(view);
}

bool groups_open_now(const struct groups *groups, uint32_t group, const struct easim_pass *pass,
                     const struct easim_list *ops, const struct easim_job *job) {
    size_t count; /* the spans of a way are those in which it is known */
    const struct group_way *way = groups_ways(groups, group, &count);
    double most_w = groups->by_power ? headroom_w(pass->view) : INFINITY;
    for (const struct group_way *end = way + count; way < end && way->added_w <= most_w; way++) {
        if (way->level != pass->level)
            continue;
        int span = easim_room(pass->view, way->gpu_type, way->k, way->milli);
        if (span >= 0 && (way->spans >> span & 1) &&
            (way->config == EASIM_NONE || !ops || ops->allow(pass, job, way->config)))
            return true;
    }
    return false;
}

bool groups_open(struct groups *groups, uint32_t group, const struct easim_pass *pass,
                 const struct easim_list *ops, const struct easim_job *job, uint64_t stamp) {
    struct group *known = &groups->groups.at[group];
    if (known->stamp != stamp)
        *known = (struct group){stamp, groups_open_now(groups, group, pass, ops, job)};
    return known->open;
}
