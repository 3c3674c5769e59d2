/* One pass of a list policy. Invariant: the order of jobs is fixed before the first start of the pass. */
#include "policy/list.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

void list_init(struct list *l, const struct easim_policy *policy, const void *params, uint32_t job_count) {
    *l = (struct list){.ops = policy->list};
    l->options = (const void *)((const char *)params + policy->list->options_offset);
    if (!l->ops->key && !l->ops->admit)
        return; /* nobody asks for the best objective */
    l->best = mem_zalloc(job_count, sizeof *l->best);
    for (uint32_t i = 0; i < job_count; i++)
        l->best[i] = NAN;
}

void list_finish(struct list *l) {
    free(l->best);
    free(l->ranks);
    *l = (struct list){0};
}

void list_forget(struct list *l, uint32_t job) {
    if (l->best)
        l->best[job] = NAN;
}

static int fail(const struct easim_pass *pass, const char *what, const struct easim_job *job) {
    char text[128];
    snprintf(text, sizeof text, "the %s of job %.60s is not a number", what, job->id);
    pass->host->fail(pass->plan, text);
    return -1;
}

/* Least objective over all configurations on the empty cluster. */
static int find_best(struct list *l, const struct easim_pass *pass, const struct easim_job *job) {
    double best = INFINITY;
    if (!l->best || !isnan(l->best[job->index]))
        return 0;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        struct easim_choice choice =
            easim_predict(pass->view, job, c, easim_view_config(pass->view, c)->empty_span);
        double objective = l->ops->objective(pass, job, &choice);
        if (isnan(objective))
            return fail(pass, "objective", job);
        best = objective < best ? objective : best;
    }
    l->best[job->index] = best;
    return 0;
}

/* 1: started; 0: nothing that fits is admitted; negative: failed. */
static int try_start(struct list *l, const struct easim_pass *pass, const struct easim_job *job) {
    struct easim_choice best = {.config = EASIM_NONE};
    double best_objective = INFINITY;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = easim_fit(pass->view, easim_view_config(pass->view, c));
        if (span < 0)
            continue;
        struct easim_choice choice = easim_predict(pass->view, job, c, (uint32_t)span);
        double objective = l->ops->objective(pass, job, &choice);
        if (isnan(objective))
            return fail(pass, "objective", job);
        if (l->ops->admit && !l->ops->admit(pass, job, &choice, objective, l->best[job->index]))
            continue;
        if (best.config == EASIM_NONE || objective < best_objective ||
            (objective == best_objective && easim_choice_before(&choice, &best))) {
            best = choice;
            best_objective = objective;
        }
    }
    return best.config != EASIM_NONE && pass->host->plan_start(pass->plan, job->index, best.config) == EASIM_OK;
}

static int visit_in_queue_order(struct list *l, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && view->free_gpus > 0;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        int started = find_best(l, pass, job) < 0 ? -1 : try_start(l, pass, job);
        if (started < 0)
            return -1;
        if (!started && l->options->strict)
            return 0;
    }
    return 0;
}

static bool before(const struct list_rank *a, const struct list_rank *b) {
    if (a->key.tier != b->key.tier)
        return a->key.tier < b->key.tier;
    if (a->key.value != b->key.value)
        return a->key.value < b->key.value;
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
        l->ranks[count] = (struct list_rank){l->ops->key(pass, job, l->best[i]), i};
        if (isnan(l->ranks[count].key.value))
            return fail(pass, "key", job);
        i = job->next_waiting;
    }
    for (size_t i = count / 2; i-- > 0;)
        sift_down(l->ranks, count, i);
    return 0;
}

int list_decide(struct list *l, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (view->free_gpus == 0 || view->waiting_count == 0)
        return 0;
    if (!l->ops->key)
        return visit_in_queue_order(l, pass);
    if (rank_jobs(l, pass) < 0)
        return -1;
    for (size_t count = view->waiting_count; count > 0 && view->free_gpus > 0;) {
        uint32_t next = l->ranks[0].job;
        l->ranks[0] = l->ranks[--count];
        sift_down(l->ranks, count, 0);
        int started = try_start(l, pass, easim_view_job(view, next));
        if (started < 0)
            return -1;
        if (!started && l->options->strict)
            return 0;
    }
    return 0;
}
