/* The order of plain decisions: see plain.h. */
#include "policy/list/plain.h"

#include "base/mem.h"
#include "policy/interface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void plain_init(struct plain *plain, const struct rules *rules, uint32_t job_count) {
    *plain = (struct plain){.rules = rules};
    plain->jobs = mem_zalloc((size_t)job_count + 1, sizeof *plain->jobs);
}

void plain_finish(struct plain *plain) {
    free(plain->jobs);
    free(plain->order.at);
    *plain = (struct plain){0};
}

/* --- keys --- */

/* Of the job with the work that it has, at the level of the pass. */
static double best_of(struct plain *plain, const struct easim_pass *pass,
                      const struct easim_job *job) {
    const struct easim_objective *objective = rules_minimised(plain->rules, pass, false);
    struct plain_job *known = &plain->jobs[job->index];
    bool is_same = known->is_known && known->kind == objective->kind &&
                   known->exponent == objective->exponent &&
                   known->marginal == objective->marginal && known->remaining == job->remaining &&
                   known->setup_s == job->setup_s && known->first_config == job->first_config;
    if (objective->kind == EASIM_MINIMISE_OWN)
        return rules_best_objective(plain->rules, pass, job);
    if (!is_same)
        *known = (struct plain_job){.best = rules_best_objective(plain->rules, pass, job),
                                    .remaining = job->remaining,
                                    .setup_s = job->setup_s,
                                    .exponent = objective->exponent,
                                    .kind = objective->kind,
                                    .first_config = job->first_config,
                                    .marginal = objective->marginal,
                                    .is_known = true};
    return known->best;
}

int plain_ask(struct plain *plain, const struct easim_pass *pass, uint32_t job,
              struct easim_key *ret_key) {
    const struct easim_job *waiting = host_job(pass->view, job);
    double best = plain->rules->ops->key ? best_of(plain, pass, waiting) : 0;
    *ret_key = (struct easim_key){0};
    return isnan(best) ? rules_fail_objective(plain->rules, pass, waiting, false)
                       : rules_key(plain->rules, pass, waiting, best, ret_key);
}

/* --- order --- */

/* value / (1 + age / ageing_s) * user_factor, as kinetic_queue.c has it. */
static int find_rank(struct plain *plain, const struct easim_pass *pass,
                     const struct easim_job *job, struct index_rank *ret) {
    const struct easim_list *ops = plain->rules->ops;
    struct easim_key key;
    if (plain_ask(plain, pass, job->index, &key) < 0)
        return -1;
    *ret = (struct index_rank){key.value, key.tier, job->index};
    if (key.ageing_s > 0)
        ret->value /= 1 + easim_job_age_s(pass->view, job) / key.ageing_s;
    if (!ops->key || !ops->user_factor)
        return 0;
    double factor = ops->user_factor(pass, job->user);
    ret->value *= factor;
    return rules_check_factor(pass, job->user, factor);
}

ORDER_BY(compare_ranks, struct index_rank, THEN(index_before(b, a) - index_before(a, b)))

/* Waiting jobs, first those of the last order: few of them change places from pass to pass. */
static void list_waiting(struct plain *plain, const struct easim_view *view) {
    size_t kept = 0;
    for (size_t i = 0; i < plain->order.count; i++) {
        uint32_t job = plain->order.at[i].job;
        plain->jobs[job].is_listed = host_job(view, job)->state == EASIM_JOB_WAITING;
        if (plain->jobs[job].is_listed)
            plain->order.at[kept++].job = job;
    }
    plain->order.count = kept;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE; i = host_job(view, i)->next_waiting) {
        if (!plain->jobs[i].is_listed)
            array_push(&plain->order, (struct index_rank){.job = i});
        plain->jobs[i].is_listed = true;
    }
}

#define MOST_MOVES 8 /* one by one, in an order that is nearly right; beyond them it is sorted */

static void sort_ranks(struct index_rank *at, size_t count) {
    for (size_t i = 1, moves = 0; i < count; i++) {
        const struct index_rank moved = at[i];
        size_t from = 0;
        if (compare_ranks(&at[i - 1], &moved) <= 0)
            continue;
        if (++moves > MOST_MOVES) {
            sort_array(at, count, compare_ranks);
            return;
        }
        for (size_t to = i; from < to;) {
            size_t middle = (from + to) / 2;
            if (compare_ranks(&at[middle], &moved) > 0)
                to = middle;
            else
                from = middle + 1;
        }
        memmove(&at[from + 1], &at[from], (i - from) * sizeof *at);
        at[from] = moved;
    }
}

int plain_sort(struct plain *plain, const struct easim_pass *pass) {
    size_t count = 0;
    list_waiting(plain, pass->view);
    for (size_t i = 0; i < plain->order.count; i++) {
        const struct easim_job *job = host_job(pass->view, plain->order.at[i].job);
        struct index_rank rank;
        if (find_rank(plain, pass, job, &rank) < 0)
            return -1;
        plain->jobs[rank.job].is_listed = job->state == EASIM_JOB_WAITING;
        if (plain->jobs[rank.job].is_listed) /* its key may have rejected it */
            plain->order.at[count++] = rank;
    }
    plain->order.count = count;
    sort_ranks(plain->order.at, count);
    return 0;
}

uint32_t plain_first_left(const struct plain *plain, const struct easim_pass *pass) {
    for (size_t i = 0; i < plain->order.count; i++)
        if (host_job(pass->view, plain->order.at[i].job)->state == EASIM_JOB_WAITING)
            return plain->order.at[i].job;
    return pass->view->first_waiting;
}
