/* Jobs that can start for the same reason: see groups.h. */
#include "policy/list/groups.h"

#include "model/config_speeds.h"

#include <stdlib.h>

/* --- group --- */
/* Invariant: two jobs are in one group if and only if their ways are equal. */

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

/* Whether the power cap and the policy let a job start in a way that is open in that span. */
static bool may_start(const struct groups *groups, const struct easim_pass *pass,
                      const struct easim_list *ops, const struct easim_job *job,
                      const struct group_way *way, uint32_t span) {
    const struct easim_config *config = easim_view_config(pass->view, way->config);
    return (!groups->by_power ||
            (headroom_need_w(pass->view, config, span) <= headroom_w(pass->view) &&
             headroom_suffices(pass, job, way->config))) &&
           (!ops->allow_start || ops->allow_start(pass, job, way->config));
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
            (way->config == EASIM_NONE || !ops ||
             may_start(groups, pass, ops, job, way, (uint32_t)span)))
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

/* --- group sets --- */

#define FEW 2 /* configurations: looking at them costs no more than knowing of them */

void group_sets_finish(struct group_sets *sets) {
    free(sets->at);
    free(sets->front.at);
    *sets = (struct group_sets){0};
}

static struct config_speed speed_in(const struct easim_view *view, const struct easim_config *c,
                                    uint32_t span) {
    return (struct config_speed){.goodput = c->goodput[span],
                                 .gpus = easim_config_gpus(c),
                                 .ctx_w = easim_view_gpu_type(view, c->gpu_type)->ctx_w,
                                 .power_w = c->power_w[span]};
}

/* Whether what serves a serves b, and the other way round. */
static bool needs_the_same(const struct easim_config *a, const struct easim_config *b) {
    return a->gpu_type == b->gpu_type && a->k == b->k && a->milli == b->milli;
}

/* Whether a is clearly better than b wherever b is known. */
static bool outdoes(const struct easim_view *view, const struct easim_config *a,
                    const struct easim_config *b) {
    if (a->empty_span != b->empty_span)
        return false;
    for (uint32_t span = 0; span < b->span_count; span++) {
        const struct config_speed speed_a = speed_in(view, a, span),
                                  speed_b = speed_in(view, b, span);
        if (speed_b.goodput > 0 && !config_speeds_outdo(&speed_a, &speed_b))
            return false;
    }
    return true;
}

/* Configurations that need the same follow each other. */
static bool is_outdone(const struct easim_view *view, const struct easim_job *job,
                       uint32_t config) {
    const struct easim_config *own = easim_view_config(view, config);
    uint32_t end = job->first_config + job->config_count, from = config;
    while (from > job->first_config && needs_the_same(easim_view_config(view, from - 1), own))
        from--;
    for (uint32_t c = from; c < end && needs_the_same(easim_view_config(view, c), own); c++)
        if (c != config && outdoes(view, easim_view_config(view, c), own))
            return true;
    return false;
}

/* Whether another that none of the same need outdoes is clearly better on the empty cluster. */
static bool is_outdone_when_empty(const struct group_sets *sets, const struct group_set *set,
                                  const struct easim_view *view, const struct easim_config *own) {
    const struct config_speed speed = speed_in(view, own, own->empty_span);
    for (uint32_t i = 0; i < set->count && set->count <= CONFIG_SPEEDS_MOST_COMPARED; i++) {
        const struct easim_config *c = easim_view_config(view, sets->front.at[set->first + i]);
        const struct config_speed other = speed_in(view, c, c->empty_span);
        if (config_speeds_outdo(&other, &speed))
            return true;
    }
    return false;
}

static void note_goodputs(struct group_set *set, const struct easim_config *c) {
    for (uint32_t span = 0; span < c->span_count; span++)
        if (c->goodput[span] > 0) {
            set->least_goodput = fmin(set->least_goodput, c->goodput[span]);
            set->best_goodput = fmax(set->best_goodput, c->goodput[span]);
        }
}

static void learn(struct group_sets *sets, struct group_set *set, const struct easim_view *view,
                  const struct easim_job *job) {
    *set = (struct group_set){.configs = job->config_count,
                              .first = (uint32_t)sets->front.count,
                              .group = EASIM_NONE,
                              .best = EASIM_NONE,
                              .least_goodput = INFINITY};
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        note_goodputs(set, easim_view_config(view, c));
        if (!is_outdone(view, job, c))
            array_push(&sets->front, c);
    }
    set->count = (uint32_t)sets->front.count - set->first;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t c = sets->front.at[set->first + i];
        const struct easim_config *config = easim_view_config(view, c);
        if (config->goodput[config->empty_span] > 0 &&
            !is_outdone_when_empty(sets, set, view, config))
            array_push(&sets->front, c);
    }
    set->empty_count = (uint32_t)sets->front.count - set->first - set->count;
}

struct group_set *group_sets_find(struct group_sets *sets, const struct easim_view *view,
                                  const struct easim_job *job) {
    if (job->config_count <= FEW)
        return NULL;
    if (!sets->at)
        sets->at = mem_zalloc(view->config_count, sizeof *sets->at);
    struct group_set *set = &sets->at[job->first_config];
    if (set->configs == 0)
        learn(sets, set, view, job);
    return set->configs == job->config_count ? set : NULL;
}

/* The set of a job that has enough to do for what is known of it to hold; NULL: there is none. */
static const struct group_set *find_set_of_work(struct group_sets *sets,
                                                const struct easim_view *view,
                                                const struct easim_job *job) {
    const struct group_set *set = group_sets_find(sets, view, job);
    return set && config_speeds_count(job->remaining, job->setup_s, set->best_goodput) ? set : NULL;
}

struct known_choice group_sets_front(struct group_sets *sets, const struct easim_view *view,
                                     const struct easim_job *job) {
    const struct group_set *set = find_set_of_work(sets, view, job);
    return set ? (struct known_choice){sets->front.at + set->first, EASIM_NONE, set->count}
               : group_sets_all(job);
}

struct known_choice group_sets_when_empty(struct group_sets *sets, const struct easim_view *view,
                                          const struct easim_job *job) {
    const struct group_set *set = find_set_of_work(sets, view, job);
    return set ? (struct known_choice){sets->front.at + set->first + set->count, EASIM_NONE,
                                       set->empty_count}
               : group_sets_all(job);
}
