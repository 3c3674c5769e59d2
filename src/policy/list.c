/* One pass of a list policy. Invariant: the order of jobs is fixed before the first start of the pass. */
#include "policy/list.h"

#include "base/mem.h"
#include "policy/shrink.h"

#include <stdio.h>
#include <stdlib.h>

void list_init(struct list *l, const struct policy_params *params, uint32_t job_count) {
    *l = (struct list){.ops = params->policy->list, .options = &params->list};
    resize_init(&l->resize, job_count);
    if (!l->ops->key)
        return; /* nobody asks for the best objective */
    l->best = mem_zalloc(job_count, sizeof *l->best);
    for (uint32_t i = 0; i < job_count; i++)
        l->best[i] = NAN;
}

void list_finish(struct list *l) {
    free(l->best);
    free(l->ranks);
    resize_finish(&l->resize);
    *l = (struct list){0};
}

void list_forget(struct list *l, uint32_t job) {
    if (l->best)
        l->best[job] = NAN;
}

int list_fail(const struct easim_pass *pass, const char *what, const struct easim_job *job) {
    char text[128];
    snprintf(text, sizeof text, "the %s of job %.60s is not a number", what, job->id);
    pass->host->fail(pass->plan, text);
    return -1;
}

bool list_choice_before(const struct easim_choice *a, const struct easim_choice *b) {
    if (a->k != b->k)
        return a->k < b->k;
    if (a->power_w != b->power_w)
        return a->power_w < b->power_w;
    if (a->gpu_type != b->gpu_type)
        return a->gpu_type < b->gpu_type;
    return a->batch < b->batch;
}

double list_objective(const struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                      const struct easim_choice *choice, bool urgent) {
    if (urgent && l->ops->urgent_objective)
        return l->ops->urgent_objective(pass, job, choice);
    return l->ops->objective ? l->ops->objective(pass, job, choice) : choice->time_s;
}

/* Least objective over all configurations on the empty cluster. */
static int find_best(struct list *l, const struct easim_pass *pass, const struct easim_job *job) {
    double best = INFINITY;
    if (!isnan(l->best[job->index]))
        return 0;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        struct easim_choice choice =
            easim_predict(pass->view, job, c, easim_view_config(pass->view, c)->empty_span);
        double objective = list_objective(l, pass, job, &choice, false);
        if (isnan(objective))
            return list_fail(pass, "objective", job);
        best = objective < best ? objective : best;
    }
    l->best[job->index] = best;
    return 0;
}

bool list_is_urgent(const struct easim_key *key) {
    return key->finish_by_s != 0;
}

bool list_admits(const struct easim_pass *pass, const struct easim_key *key, const struct easim_choice *choice,
                 double objective) {
    return objective < INFINITY && (key->objective_max == 0 || !(objective > key->objective_max)) &&
           (!list_is_urgent(key) || pass->view->now_s + choice->time_s <= key->finish_by_s);
}

int list_try_start(struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                   const struct easim_key *key) {
    struct easim_choice best = {.config = EASIM_NONE};
    double best_objective = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = easim_fit(pass->view, easim_view_config(pass->view, c));
        if (span < 0)
            continue;
        struct easim_choice choice = easim_predict(pass->view, job, c, (uint32_t)span);
        double objective = list_objective(l, pass, job, &choice, list_is_urgent(key));
        if (isnan(objective))
            return list_fail(pass, "objective", job);
        if (list_admits(pass, key, &choice, objective) && (!l->ops->allow || l->ops->allow(pass, job, c)) &&
            (best.config == EASIM_NONE || objective < best_objective ||
             (objective == best_objective && list_choice_before(&choice, &best)))) {
            best = choice;
            best_objective = objective;
        }
    }
    return best.config != EASIM_NONE && pass->host->plan_start(pass->plan, job->index, best.config) == EASIM_OK;
}

static void note_left(struct list *l, const struct list_rank *rank) {
    if (l->first_left.job == EASIM_NONE)
        l->first_left = *rank;
}

/* As list_try_start; an urgent job may make room for itself, once. */
static int visit(struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                 const struct easim_key *key) {
    int started = list_try_start(l, pass, job, key);
    if (started == 0 && list_is_urgent(key) && l->ops->make_room && l->ops->make_room(pass, job))
        started = list_try_start(l, pass, job, key);
    if (started == 0)
        note_left(l, &(struct list_rank){.key = *key, .job = job->index});
    return started;
}

static int visit_in_queue_order(struct list *l, const struct easim_pass *pass) {
    static const struct easim_key none;
    const struct easim_view *view = pass->view;
    uint32_t i = view->first_waiting;
    while (i != EASIM_NONE && view->free_gpus > 0) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        int started = visit(l, pass, job, &none);
        if (started < 0)
            return -1;
        if (!started && l->options->strict)
            return 0;
    }
    if (i != EASIM_NONE)
        note_left(l, &(struct list_rank){.job = i});
    return 0;
}

static bool before(const struct list_rank *a, const struct list_rank *b) {
    if (a->key.tier != b->key.tier)
        return a->key.tier < b->key.tier;
    if (a->value != b->value)
        return a->value < b->value;
    return a->job < b->job;
}

static void sift_down(struct list_rank *heap, size_t count, size_t at) {
    struct list_rank moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &moving))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static double rank_value(const struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                         const struct easim_key *key) {
    double value = key->value;
    if (key->ageing_s > 0)
        value /= 1 + easim_job_age_s(pass->view, job) / key->ageing_s;
    return l->ops->user_factor ? value * l->ops->user_factor(pass, job->user) : value;
}

/* Fills l->ranks with all waiting jobs and makes it a heap; negative if a key is NaN. */
static int rank_jobs(struct list *l, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (l->rank_capacity < view->waiting_count) {
        l->rank_capacity = 2 * (size_t)view->waiting_count;
        l->ranks = mem_realloc(l->ranks, l->rank_capacity, sizeof *l->ranks);
    }
    size_t count = 0;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE; count++) {
        const struct easim_job *job = easim_view_job(view, i);
        if (find_best(l, pass, job) < 0)
            return -1;
        struct easim_key key = l->ops->key(pass, job, l->best[i]);
        l->ranks[count] = (struct list_rank){key, rank_value(l, pass, job, &key), i};
        if (isnan(l->ranks[count].value))
            return list_fail(pass, "key", job);
        i = job->next_waiting;
    }
    for (size_t i = count / 2; i-- > 0;)
        sift_down(l->ranks, count, i);
    return 0;
}

static int visit_by_key(struct list *l, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (rank_jobs(l, pass) < 0)
        return -1;
    for (size_t count = view->waiting_count; count > 0;) {
        struct list_rank next = l->ranks[0];
        if (view->free_gpus == 0 && !(list_is_urgent(&next.key) && l->ops->make_room)) {
            note_left(l, &next);
            return 0;
        }
        l->ranks[0] = l->ranks[--count];
        sift_down(l->ranks, count, 0);
        int started = visit(l, pass, easim_view_job(view, next.job), &next.key);
        if (started < 0)
            return -1;
        if (!started && l->options->strict)
            return 0;
    }
    return 0;
}

int list_decide(struct list *l, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (l->ops->begin)
        l->ops->begin(pass);
    int r = 0;
    bool shrink = l->options->resize && l->options->shrink;
    l->first_left.job = EASIM_NONE;
    if (view->waiting_count > 0 && (view->free_gpus > 0 || l->ops->make_room || shrink))
        r = l->ops->key ? visit_by_key(l, pass) : visit_in_queue_order(l, pass);
    if (r >= 0 && shrink && l->first_left.job != EASIM_NONE)
        r = shrink_decide(l, pass);
    return r < 0 || !l->options->resize ? r : resize_decide(l, pass);
}
