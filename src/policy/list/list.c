/* One pass of a list policy. Invariant: the order of jobs is fixed before the first start of the
   pass. Jobs that cannot start are passed over by queues (index.h); what is decided is what a visit
   to every waiting job in order would. */
#include "policy/list/list.h"

#include "base/mem.h"
#include "policy/list/recheck.h"
#include "policy/list/shrink.h"

#include <stdlib.h>

void list_init(struct list *l, const struct policy_params *params, uint32_t job_count) {
    *l = (struct list){.ops = params->policy->list,
                       .options = &params->list,
                       .keeps_cap = params->policy->capabilities & EASIM_CAPABILITY_POWER_CAP};
    if (l->ops->key || !l->options->strict)
        index_init(&l->index, job_count);
    grow_init(&l->resize, job_count);
}

void list_finish(struct list *l) {
    index_finish(&l->index);
    free(l->heads.at);
    free(l->closed.at);
    free(l->aside.at);
    grow_finish(&l->resize);
    *l = (struct list){0};
}

void list_enter(struct list *l, uint32_t job) {
    index_enter(&l->index, job);
}

void list_leave(struct list *l, uint32_t job) {
    index_leave(&l->index, job);
}

int list_fail_as(const struct easim_pass *pass, const char *what, const struct easim_job *job,
                 const char *problem) {
    struct str text = {0};
    str_addf(&text, "the %s of job %s %s", what, job->id, problem);
    pass->host->fail(pass->plan, text.text);
    str_finish(&text);
    return -1;
}

int list_fail(const struct easim_pass *pass, const char *what, const struct easim_job *job) {
    return list_fail_as(pass, what, job, "is not a number");
}

int list_fail_objective(const struct list *l, const struct easim_pass *pass,
                        const struct easim_job *job, bool urgent) {
    return list_fail(pass, urgent && l->ops->urgent_objective ? "urgent_objective" : "objective",
                     job);
}

bool list_choice_before(const struct easim_choice *a, const struct easim_choice *b) {
    if (a->k != b->k)
        return a->k < b->k;
    if (a->power_w != b->power_w)
        return a->power_w < b->power_w;
    if (a->gpu_type != b->gpu_type)
        return a->gpu_type < b->gpu_type;
    if (a->batch != b->batch)
        return a->batch < b->batch;
    return a->power_limit_w > b->power_limit_w;
}

void list_keep_better(struct list_best *best, const struct easim_choice *choice, double objective) {
    if (objective < best->objective ||
        (objective == best->objective && best->choice.config != EASIM_NONE &&
         list_choice_before(choice, &best->choice)))
        *best = (struct list_best){*choice, objective};
}

double list_objective(const struct list *l, const struct easim_pass *pass,
                      const struct easim_job *job, const struct easim_choice *choice, bool urgent) {
    if (urgent && l->ops->urgent_objective)
        return l->ops->urgent_objective(pass, job, choice);
    return l->ops->objective ? l->ops->objective(pass, job, choice) : choice->time_s;
}

bool list_is_urgent(const struct easim_key *key) {
    return key->finish_by_s != 0;
}

bool list_admits_objective(const struct easim_key *key, double objective) {
    return objective < INFINITY && (key->objective_max == 0 || !(objective > key->objective_max));
}

bool list_admits(const struct easim_pass *pass, const struct easim_key *key,
                 const struct easim_choice *choice, double objective) {
    return list_admits_objective(key, objective) &&
           (!list_is_urgent(key) || pass->view->now_s + choice->time_s <= key->finish_by_s);
}

bool list_may_admit(struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                    const bool *ruled_out) {
    struct easim_key key;
    if (index_ask_early(l, pass, job->index, &key) < 0 || key.ask_again_s != 0)
        return true;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        if (ruled_out[c])
            continue;
        struct easim_choice choice =
            easim_predict(pass->view, job, c, easim_view_config(pass->view, c)->empty_span);
        double objective = list_objective(l, pass, job, &choice, list_is_urgent(&key));
        if (isnan(objective) || list_admits(pass, &key, &choice, objective))
            return true;
    }
    return false;
}

bool list_has_room(const struct easim_view *view) {
    return view->free_gpus > 0 || view->shared_free_milli > 0;
}

int list_try_start(struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                   const struct easim_key *key) {
    struct list_best best = LIST_BEST_NONE;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int span = easim_fit(pass->view, easim_view_config(pass->view, c));
        if (span < 0)
            continue;
        struct easim_choice choice = easim_predict(pass->view, job, c, (uint32_t)span);
        double objective = list_objective(l, pass, job, &choice, list_is_urgent(key));
        if (isnan(objective))
            return list_fail_objective(l, pass, job, list_is_urgent(key));
        if (list_admits(pass, key, &choice, objective) &&
            (!l->ops->allow || l->ops->allow(pass, job, c)))
            list_keep_better(&best, &choice, objective);
    }
    return best.choice.config != EASIM_NONE &&
           pass->host->plan_start(pass->plan, job->index, best.choice.config) == EASIM_OK;
}

/* As list_try_start; an urgent job may make room for itself, once. */
static int visit(struct list *l, const struct easim_pass *pass, const struct easim_job *job,
                 const struct easim_key *key) {
    int started = list_try_start(l, pass, job, key);
    if (started == 0 && list_is_urgent(key) && l->ops->make_room && l->ops->make_room(pass, job))
        started = list_try_start(l, pass, job, key);
    return started;
}

/* Strict and without a key: the jobs at the head of the queue, up to the first that cannot start.
 */
static int visit_in_queue_order(struct list *l, const struct easim_pass *pass) {
    static const struct easim_key none;
    const struct easim_view *view = pass->view;
    int started = 1;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && list_has_room(view) && started > 0;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        started = visit(l, pass, job, &none);
    }
    return started < 0 ? -1 : 0;
}

/* --- the order of a pass: a heap of the first jobs of queues --- */

static void sift_down(struct list *l, size_t at) {
    struct list_head *heap = l->heads.at, moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < l->heads.count; at = child) {
        if (child + 1 < l->heads.count && index_before(&heap[child + 1].rank, &heap[child].rank))
            child++;
        if (!index_before(&heap[child].rank, &moving.rank))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static void drop_head(struct list *l) {
    l->heads.at[0] = l->heads.at[--l->heads.count];
    sift_down(l, 0);
}

static void add_head(struct list *l, const struct easim_pass *pass, uint32_t queue) {
    struct list_head head = {index_first(&l->index, pass, queue), queue};
    array_push(&l->heads, head);
    size_t at = l->heads.count - 1;
    for (size_t parent;
         at > 0 && index_before(&head.rank, &l->heads.at[parent = (at - 1) / 2].rank); at = parent)
        l->heads.at[at] = l->heads.at[parent];
    l->heads.at[at] = head;
}

static const struct easim_job *any_job(const struct list *l, const struct easim_pass *pass,
                                       uint32_t queue) {
    const struct queue *jobs = &l->index.queues.at[queue].jobs;
    return easim_view_job(pass->view, jobs->entries[queue_first(jobs)].job);
}

/* Whether the jobs of a queue must be visited one by one: some of them can start now, urgent ones
   may make room, and if strict the first that cannot start counts. */
static bool is_open(struct list *l, const struct easim_pass *pass, uint32_t queue) {
    const struct index_queue *q = &l->index.queues.at[queue];
    if (l->options->strict || (q->urgent && l->ops->make_room))
        return true;
    const struct easim_job *job =
        l->ops->allow ? any_job(l, pass, queue) : NULL; /* whom to ask about */
    return groups_open(&l->index.groups, q->group, pass, l->ops, job, l->stamp);
}

static int fail_factor(const struct easim_pass *pass, uint32_t user) {
    struct str text = {0};
    str_addf(&text, "the user_factor of user %s is not a positive, finite number",
             easim_view_user(pass->view, user)->name);
    pass->host->fail(pass->plan, text.text);
    str_finish(&text);
    return -1;
}

static int gather(struct list *l, const struct easim_pass *pass) {
    struct index *x = &l->index;
    l->heads.count = l->closed.count = l->aside.count = 0;
    l->stamp++;
    for (size_t i = 0; i < x->busy.count; i++) {
        struct index_queue *q = &x->queues.at[x->busy.at[i]];
        if (q->user != EASIM_NONE)
            q->factor = l->ops->user_factor(pass, q->user);
        if (!(q->factor > 0 && q->factor < INFINITY))
            return fail_factor(pass, q->user);
        if (is_open(l, pass, x->busy.at[i]))
            add_head(l, pass, x->busy.at[i]);
        else
            array_push(&l->closed, x->busy.at[i]);
    }
    return 0;
}

static void set_aside(struct list *l, uint32_t job) {
    array_push(&l->aside, index_take(&l->index, job));
}

/* Whether a queue still has a job behind `last`; those before it were passed over while nothing of
   the queue could start, and are not visited any more. */
static bool has_more(struct list *l, const struct easim_pass *pass, uint32_t queue,
                     const struct index_rank *last) {
    while (l->index.queues.at[queue].jobs.count > 0) {
        struct index_rank first = index_first(&l->index, pass, queue);
        if (index_before(last, &first))
            return true;
        set_aside(l, first.job);
    }
    return false;
}

/* The cluster has changed: closed queues whose jobs can start now take part again from the job
 * behind `last` on. */
static void reopen(struct list *l, const struct easim_pass *pass, const struct index_rank *last) {
    size_t kept = 0;
    l->stamp++;
    for (size_t i = 0; i < l->closed.count; i++) {
        uint32_t queue = l->closed.at[i];
        if (l->index.queues.at[queue].jobs.count == 0)
            continue;
        if (!is_open(l, pass, queue))
            l->closed.at[kept++] = queue;
        else if (has_more(l, pass, queue, last))
            add_head(l, pass, queue);
    }
    l->closed.count = kept;
}

/* Whether a job of a closed queue would be next. */
static bool closed_is_next(struct list *l, const struct easim_pass *pass,
                           const struct index_rank *last, const struct index_rank *next) {
    size_t kept = 0;
    bool found = false;
    for (size_t i = 0; i < l->closed.count; i++) {
        uint32_t queue = l->closed.at[i];
        if (!has_more(l, pass, queue, last))
            continue;
        l->closed.at[kept++] = queue;
        struct index_rank first = index_first(&l->index, pass, queue);
        found = found || index_before(&first, next);
    }
    l->closed.count = kept;
    return found;
}

/* With no room only urgent jobs that may make room are visited; the first other job ends the pass.
 */
static bool is_over(struct list *l, const struct easim_pass *pass, const struct index_rank *last) {
    const struct list_head *next = &l->heads.at[0];
    return !list_has_room(pass->view) &&
           (!(l->index.queues.at[next->queue].urgent && l->ops->make_room) ||
            closed_is_next(l, pass, last, &next->rank));
}

/* The job at the top of the heap has left its queue: the next of the queue takes part. */
static void next_head(struct list *l, const struct easim_pass *pass) {
    uint32_t queue = l->heads.at[0].queue;
    drop_head(l);
    if (l->index.queues.at[queue].jobs.count > 0)
        add_head(l, pass, queue);
}

/* Visits the job at the top of the heap: as visit(). */
static int visit_head(struct list *l, const struct easim_pass *pass) {
    struct list_head head = l->heads.at[0];
    struct easim_key key;
    if ((l->recheck && recheck_job(l, pass, head.rank.job) < 0) ||
        index_ask(l, pass, head.rank.job, &key) < 0)
        return -1;
    int started = visit(l, pass, easim_view_job(pass->view, head.rank.job), &key);
    if (started <= 0 && l->index.jobs[head.rank.job].queue != EASIM_NONE)
        set_aside(l, head.rank.job);
    next_head(l, pass);
    if (started > 0 || l->ops->make_room)
        reopen(l, pass, &head.rank);
    return started;
}

/* Visits from the head of the heap on, until nothing more can start. */
static int visit_heads(struct list *l, const struct easim_pass *pass) {
    struct index_rank last = {.tier = INT32_MIN, .value = -INFINITY};
    while (l->heads.count > 0 && !is_over(l, pass, &last)) {
        struct list_head head = l->heads.at[0];
        if (l->index.jobs[head.rank.job].queue != head.queue) { /* a callback has started it */
            next_head(l, pass);
            continue;
        }
        if (!is_open(l, pass, head.queue)) {
            drop_head(l);
            array_push(&l->closed, head.queue);
            continue;
        }
        last = head.rank;
        int started = visit_head(l, pass);
        if (started < 0)
            return -1;
        if (!started && l->options->strict)
            break;
    }
    return 0;
}

static int visit_by_index(struct list *l, const struct easim_pass *pass) {
    if (index_update(l, pass) < 0 || gather(l, pass) < 0 || visit_heads(l, pass) < 0)
        return -1;
    for (size_t i = 0; i < l->aside.count; i++)
        if (easim_view_job(pass->view, l->aside.at[i].job)->state == EASIM_JOB_WAITING)
            index_put(&l->index, pass, &l->aside.at[i]);
    if (!l->recheck)
        return 0;
    bool all = l->recheck_all;
    l->recheck_all = false;
    return recheck_pass(l, pass, all);
}

/* Finds l->first_left: whoever is first of those that still wait. Negative: failed. */
static int find_first_left(struct list *l, const struct easim_pass *pass) {
    struct index *x = &l->index;
    l->first_left = (struct list_left){.job = pass->view->first_waiting};
    if (!x->jobs || x->busy.count == 0)
        return 0;
    struct index_rank first = index_first(x, pass, x->busy.at[0]);
    for (size_t i = 1; i < x->busy.count; i++) {
        struct index_rank rank = index_first(x, pass, x->busy.at[i]);
        if (index_before(&rank, &first))
            first = rank;
    }
    l->first_left.job = first.job;
    return index_ask(l, pass, first.job, &l->first_left.key);
}

int list_decide(struct list *l, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (l->ops->begin)
        l->ops->begin(pass);
    int r = 0;
    bool shrink = l->options->resize && l->options->shrink;
    if (view->waiting_count > 0 && (list_has_room(view) || l->ops->make_room || shrink))
        r = l->index.jobs ? visit_by_index(l, pass) : visit_in_queue_order(l, pass);
    if (r >= 0 && shrink && view->waiting_count > 0)
        r = find_first_left(l, pass) < 0 ? -1 : shrink_decide(l, pass);
    return r < 0 || !l->options->resize ? r : grow_decide(l, pass);
}
