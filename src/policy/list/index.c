/* The index of waiting jobs: see index.h. */
#include "policy/list/index.h"

#include "policy/list/list.h"

#include <stdlib.h>

/* What the jobs of a queue have in common, without padding. */
struct queue_name {
    double ageing_s;
    uint32_t group, user, urgent;
    int32_t tier;
};

void index_init(struct index *x, uint32_t job_count) {
    *x = (struct index){.jobs = mem_zalloc(job_count, sizeof *x->jobs)};
}

void index_finish(struct index *x) {
    for (size_t i = 0; i < x->queues.count; i++)
        queue_finish(&x->queues.at[i].jobs);
    groups_finish(&x->groups);
    intern_finish(&x->names);
    free(x->jobs);
    free(x->queues.at);
    free(x->busy.at);
    free(x->entered.at);
    free(x->asks.at);
    free(x->due.at);
    *x = (struct index){0};
}

void index_enter(struct index *x, uint32_t job) {
    if (!x->jobs)
        return;
    x->jobs[job] = (struct index_job){NAN, EASIM_NONE, 0};
    array_push(&x->entered, job);
}

void index_leave(struct index *x, uint32_t job) {
    if (!x->jobs || x->jobs[job].queue == EASIM_NONE)
        return;
    struct index_queue *q = &x->queues.at[x->jobs[job].queue];
    queue_remove(&q->jobs, x->jobs[job].slot);
    x->jobs[job].queue = EASIM_NONE;
    if (q->jobs.count > 0)
        return;
    uint32_t moved = x->busy.at[--x->busy.count];
    x->busy.at[q->place] = moved;
    x->queues.at[moved].place = q->place;
}

/* --- keys --- */

/* Least objective over all configurations on the empty cluster. */
static int find_best(struct list *l, const struct easim_pass *pass, const struct easim_job *job) {
    double best = INFINITY;
    if (!isnan(l->index.jobs[job->index].best))
        return 0;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(pass->view, c);
        if (!(config->goodput[config->empty_span] > 0))
            continue;
        struct easim_choice choice = easim_predict(pass->view, job, c, config->empty_span);
        double objective = list_objective(l, pass, job, &choice, false);
        if (isnan(objective))
            return list_fail_objective(l, pass, job, false);
        best = objective < best ? objective : best;
    }
    l->index.jobs[job->index].best = best;
    return 0;
}

/* A member that is not a number would compare as false everywhere, and so be passed over. */
static int check_key(const struct easim_pass *pass, const struct easim_job *job,
                     const struct easim_key *key) {
    const struct {
        const char *what;
        double value;
    } members[] = {{"value of the key", key->value},
                   {"ageing_s of the key", key->ageing_s},
                   {"ask_again_s of the key", key->ask_again_s},
                   {"finish_by_s of the key", key->finish_by_s},
                   {"objective_max of the key", key->objective_max}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (isnan(members[i].value))
            return list_fail(pass, members[i].what, job);
    if (key->ageing_s < 0)
        return list_fail_as(pass, "ageing_s of the key", job, "is negative");
    if (key->ageing_s > 0 && key->value < 0)
        return list_fail_as(pass, "value of the key", job, "ages and is negative");
    return 0;
}

int index_ask(struct list *l, const struct easim_pass *pass, uint32_t job,
              struct easim_key *ret_key) {
    const struct easim_job *j = easim_view_job(pass->view, job);
    *ret_key = (struct easim_key){0};
    if (!l->ops->key)
        return 0;
    if (find_best(l, pass, j) < 0)
        return -1;
    *ret_key = l->ops->key(pass, j, l->index.jobs[job].best);
    return check_key(pass, j, ret_key);
}

int index_ask_early(struct list *l, const struct easim_pass *pass, uint32_t job,
                    struct easim_key *ret_key) {
    if (l->index.jobs)
        l->index.jobs[job].best = NAN; /* not known yet */
    return index_ask(l, pass, job, ret_key);
}

/* --- jobs in queues --- */

/* The group of a job: where its key admits which configuration, whatever the time. An objective
   that is not a number counts as admitted: the pass finds it when it tries the configuration. */
static uint32_t group_of(struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                         const struct easim_key *key) {
    groups_begin(&l->index.groups);
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        uint32_t spans = 0;
        for (uint32_t span = EASIM_ONE_NODE; span <= EASIM_ACROSS_NODES; span++) {
            if (!(easim_view_config(pass->view, c)->goodput[span] > 0))
                continue;
            struct easim_choice choice = easim_predict(pass->view, job, c, span);
            double objective = list_objective(l, pass, job, &choice, list_is_urgent(key));
            if (isnan(objective) || list_admits_objective(key, objective))
                spans |= 1u << span;
        }
        groups_add(&l->index.groups, pass->view, c, spans, l->ops->allow != NULL);
    }
    return groups_end(&l->index.groups);
}

uint32_t index_queue_of(struct list *l, const struct easim_pass *pass, uint32_t job_index,
                        const struct easim_key *key) {
    const struct easim_job *job = easim_view_job(pass->view, job_index);
    struct index *x = &l->index;
    struct queue_name name = {.ageing_s = key->ageing_s > 0 ? key->ageing_s : 0,
                              .group = group_of(l, pass, job, key),
                              .user = l->ops->key && l->ops->user_factor ? job->user : EASIM_NONE,
                              .urgent = list_is_urgent(key),
                              .tier = key->tier};
    bool is_new;
    uint32_t number = intern(&x->names, &name, sizeof name, &is_new);
    if (is_new)
        array_push(&x->queues,
                   ((struct index_queue){.jobs = {.ageing_s = name.ageing_s, .factor = 1},
                                         .group = name.group,
                                         .user = name.user,
                                         .tier = name.tier,
                                         .urgent = name.urgent,
                                         .factor = 1}));
    return number;
}

/* When the key of a job is asked again; times first in the heap. */
static void ask_again(struct index *x, double time_s, uint32_t job) {
    array_push(&x->asks, ((struct index_ask){time_s, job}));
    size_t at = x->asks.count - 1;
    for (size_t parent; at > 0 && time_s < x->asks.at[parent = (at - 1) / 2].time_s; at = parent)
        x->asks.at[at] = x->asks.at[parent];
    x->asks.at[at] = (struct index_ask){time_s, job};
}

static void pop_ask(struct index *x) {
    struct index_ask moving = x->asks.at[--x->asks.count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < x->asks.count; at = child) {
        if (child + 1 < x->asks.count && x->asks.at[child + 1].time_s < x->asks.at[child].time_s)
            child++;
        if (moving.time_s <= x->asks.at[child].time_s)
            break;
        x->asks.at[at] = x->asks.at[child];
    }
    x->asks.at[at] = moving;
}

void index_put(struct index *x, const struct easim_pass *pass, const struct index_place *place) {
    struct index_queue *q = &x->queues.at[place->queue];
    if (q->jobs.count == 0) {
        q->place = (uint32_t)x->busy.count;
        array_push(&x->busy, place->queue);
    }
    queue_advance(&q->jobs, pass->view->now_s, q->jobs.factor);
    x->jobs[place->job].queue = place->queue;
    x->jobs[place->job].slot = queue_add(&q->jobs, place->job, place->value,
                                         easim_view_job(pass->view, place->job)->submit_s);
}

struct index_place index_take(struct index *x, uint32_t job) {
    uint32_t queue = x->jobs[job].queue;
    struct index_place place = {x->queues.at[queue].jobs.entries[x->jobs[job].slot].value, job,
                                queue};
    index_leave(x, job);
    return place;
}

/* Asks for the key of a waiting job that has none yet, or one that is due, and puts it into its
 * queue. */
static int insert(struct list *l, const struct easim_pass *pass, uint32_t job) {
    struct easim_key key;
    if (index_ask(l, pass, job, &key) < 0)
        return -1;
    uint32_t queue = index_queue_of(l, pass, job, &key);
    index_put(&l->index, pass, &(struct index_place){key.value, job, queue});
    if (key.ask_again_s != 0)
        ask_again(&l->index, key.ask_again_s, job);
    return 0;
}

static int ask_due(struct list *l, const struct easim_pass *pass) {
    struct index *x = &l->index;
    for (x->due.count = 0; x->asks.count > 0 && x->asks.at[0].time_s <= pass->view->now_s;
         pop_ask(x))
        array_push(&x->due, x->asks.at[0].job);
    for (size_t i = 0; i < x->due.count; i++) {
        uint32_t job = x->due.at[i];
        if (x->jobs[job].queue == EASIM_NONE)
            continue; /* started since, or it has just come back and is asked anyway */
        index_leave(x, job);
        if (insert(l, pass, job) < 0)
            return -1;
    }
    return 0;
}

int index_update(struct list *l, const struct easim_pass *pass) {
    struct index *x = &l->index;
    if (ask_due(l, pass) < 0)
        return -1;
    for (size_t i = 0; i < x->entered.count; i++) {
        uint32_t job = x->entered.at[i];
        if (easim_view_job(pass->view, job)->state == EASIM_JOB_WAITING &&
            x->jobs[job].queue == EASIM_NONE && insert(l, pass, job) < 0)
            return -1;
    }
    x->entered.count = 0;
    return 0;
}

/* --- order --- */

struct index_rank index_first(struct index *x, const struct easim_pass *pass, uint32_t queue) {
    struct index_queue *q = &x->queues.at[queue];
    queue_advance(&q->jobs, pass->view->now_s, q->factor);
    uint32_t slot = queue_first(&q->jobs);
    return (struct index_rank){queue_value(&q->jobs, slot), q->tier, q->jobs.entries[slot].job};
}

bool index_before(const struct index_rank *a, const struct index_rank *b) {
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if (a->value != b->value)
        return a->value < b->value;
    return a->job < b->job;
}
