/* What is known of sets: see known_sets.h. */
#include "policy/list/known_sets.h"

#include "model/config_speeds.h"

#include <stdlib.h>

#define FEW 2 /* configurations: looking at them costs no more than knowing of them */

void known_sets_finish(struct known_sets *sets) {
    free(sets->at);
    free(sets->front.at);
    *sets = (struct known_sets){0};
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

/* Whether another one of those that no other of the same need outdoes is clearly better on the
   empty cluster. */
static bool is_outdone_when_empty(const struct known_sets *sets, const struct known_set *set,
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

static void note_goodputs(struct known_set *set, const struct easim_config *c) {
    for (uint32_t span = 0; span < c->span_count; span++)
        if (c->goodput[span] > 0) {
            set->least_goodput = fmin(set->least_goodput, c->goodput[span]);
            set->best_goodput = fmax(set->best_goodput, c->goodput[span]);
        }
}

static void learn(struct known_sets *sets, struct known_set *set, const struct easim_view *view,
                  const struct easim_job *job) {
    *set = (struct known_set){.configs = job->config_count,
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

struct known_set *known_sets_find(struct known_sets *sets, const struct easim_view *view,
                                  const struct easim_job *job) {
    if (job->config_count <= FEW)
        return NULL;
    if (!sets->at)
        sets->at = mem_zalloc(view->config_count, sizeof *sets->at);
    struct known_set *set = &sets->at[job->first_config];
    if (set->configs == 0)
        learn(sets, set, view, job);
    return set->configs == job->config_count ? set : NULL;
}

/* The set of a job that has enough to do for what is known of it to hold; NULL: there is none. */
static const struct known_set *find_set_of_work(struct known_sets *sets,
                                                const struct easim_view *view,
                                                const struct easim_job *job) {
    const struct known_set *set = known_sets_find(sets, view, job);
    return set && config_speeds_count(job->remaining, job->setup_s, set->best_goodput) ? set : NULL;
}

struct known_choice known_sets_front(struct known_sets *sets, const struct easim_view *view,
                                     const struct easim_job *job) {
    const struct known_set *set = find_set_of_work(sets, view, job);
    return set ? (struct known_choice){sets->front.at + set->first, EASIM_NONE, set->count}
               : known_sets_all(job);
}

struct known_choice known_sets_when_empty(struct known_sets *sets, const struct easim_view *view,
                                          const struct easim_job *job) {
    const struct known_set *set = find_set_of_work(sets, view, job);
    return set ? (struct known_choice){sets->front.at + set->first + set->count, EASIM_NONE,
                                       set->empty_count}
               : known_sets_all(job);
}
