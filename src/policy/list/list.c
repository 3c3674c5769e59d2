/* One pass of a list policy. Invariant: the order of jobs is fixed before the first start of the
   pass. Jobs that cannot start are passed over by queues (index.h); what is decided is what a visit
   to every waiting job in order would. */
#include "policy/list/list.h"

#include "base/timeheap.h"
#include "base/units.h"
#include "policy/list/start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void list_init(struct list *list, const struct policy_params *params, uint32_t job_count,
               bool plain, const struct easim_power *cap) {
    *list =
        (struct list){.rules = {.ops = params->policy->list,
                                .options = &params->list,
                                .cap = cap,
                                .keeps_cap = cap || params_have(params, EASIM_CAPABILITY_POWER_CAP),
                                .has_limits = params_have(params, EASIM_CAPABILITY_FREQUENCY),
                                .plain = plain,
                                .sets = plain ? NULL : &list->sets}};
    list->rules.minimised =
        mem_zalloc(rules_level_count(list->rules.ops), sizeof *list->rules.minimised);
    if (plain)
        plain_init(&list->plain, &list->rules, job_count);
    else
        index_init(&list->index, &list->rules, job_count);
    grow_init(&list->grow, &list->rules, job_count);
    shrink_init(&list->shrink, &list->rules, job_count);
    rounds_init(&list->rounds, &list->rules);
    list->may_idle = !plain && !params->list.resize && !list->rules.ops->begin &&
                     !list->rules.ops->end && !list_in_rounds(list) &&
                     rules_level_count(list->rules.ops) == 1;
    list->by_head = list->may_idle && !list->index.jobs && !rules_make_room(list->rules.ops);
    list->asks_nothing = list->by_head && !list->rules.ops->minimise &&
                         !list->rules.ops->minimise_urgent && !list->rules.ops->allow_start;
}

void list_finish(struct list *list) {
    index_finish(&list->index);
    plain_finish(&list->plain);
    group_sets_finish(&list->sets);
    free(list->heads.at);
    free(list->closed.at);
    free(list->aside.at);
    grow_finish(&list->grow);
    shrink_finish(&list->shrink);
    rounds_finish(&list->rounds);
    free(list->rules.minimised);
    *list = (struct list){0};
}

static int ask_minimise(struct list *list, const struct easim_pass *pass) {
    if ((!list->has_asked || list->rules.plain) &&
        rules_ask_minimise(list->rules.ops, pass, list->rules.minimised) < 0)
        return -1;
    list->has_asked = true;
    return 0;
}

void list_enter(struct list *list, uint32_t job) {
    if (!list_in_rounds(list))
        index_enter(&list->index, job);
}

void list_leave(struct list *list, uint32_t job) {
    if (!list_in_rounds(list))
        index_leave(&list->index, job);
}

void list_note_start(struct list *list, uint32_t job) {
    if (!list_in_rounds(list) && !list->rules.plain)
        grow_note_start(&list->grow, job);
    shrink_note(&list->shrink, job);
}

void list_note_change(struct list *list, uint32_t job) {
    shrink_note(&list->shrink, job);
}

/* The key of a waiting job, checked. Negative after host->fail. */
static int ask_key(struct list *list, const struct easim_pass *pass, uint32_t job,
                   struct easim_key *ret_key) {
    return list->rules.plain ? plain_ask(&list->plain, pass, job, ret_key)
                             : index_ask(&list->index, pass, job, ret_key);
}

/* list_may_admit at the level of the pass. */
static bool may_admit_at_level(struct list *list, const struct easim_pass *pass,
                               const struct easim_job *job, const bool *ruled_out) {
    struct easim_key key;
    int asked = list->rules.plain ? plain_ask(&list->plain, pass, job->index, &key)
                                  : index_ask_early(&list->index, pass, job->index, &key);
    if (asked < 0 || key.ask_again_s != 0)
        return true;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        if (ruled_out[c])
            continue;
        struct easim_choice choice =
            easim_predict(pass->view, job, c, easim_view_config(pass->view, c)->empty_span);
        double objective = rules_objective(&list->rules, pass, job, &choice, rules_is_urgent(&key));
        if (isnan(objective) || rules_admit(pass, &key, &choice, objective))
            return true;
    }
    return false;
}

bool list_may_admit(struct list *list, const struct easim_pass *pass, const struct easim_job *job,
                    const bool *ruled_out) {
    struct easim_pass at = *pass;
    uint32_t count = rules_level_count(list->rules.ops);
    if (ask_minimise(list, pass) < 0)
        return true; /* the first decision finds it, too */
    while (at.level < count && !may_admit_at_level(list, &at, job, ruled_out))
        at.level++;
    return at.level < count;
}

/* Whether make_room is asked for a job that finds nothing; asks: it is urgent, and may by now. */
static bool may_ask_for_room(const struct list *list, bool asks, bool may_displace) {
    return rules_make_room(list->rules.ops) && (asks || (may_displace && !list->room_refused));
}

/* The cluster or the queue may have changed. */
static int update_level(struct list *list) {
    if (list->index.levels.count > 0 && rules_level_count(list->rules.ops) == 1)
        return 0; /* pass.level is 0, and visit_by_index has set knows_level */
    int level = rules_level(&list->rules, &list->pass);
    list->pass.level = level < 0 ? 0 : (uint32_t)level;
    list->knows_level = list->rules.plain || index_knows_level(&list->index, list->pass.level);
    return level < 0 ? -1 : 0;
}

/* Whether a job admits a configuration in time, wherever it is placed. */
static bool admits(const struct list *list, const struct easim_pass *pass,
                   const struct easim_job *job, const struct easim_key *key, uint32_t config) {
    const struct easim_config *c = easim_view_config(pass->view, config);
    bool all = rules_admit_all(&list->rules, pass, key), found = false;
    for (uint32_t span = 0; span < c->span_count && !found; span++) {
        if (!(c->goodput[span] > 0))
            continue;
        struct easim_choice choice = easim_predict(pass->view, job, config, span);
        double objective =
            all ? 0 : rules_objective(&list->rules, pass, job, &choice, rules_is_urgent(key));
        found = isnan(objective) || rules_admit(pass, key, &choice, objective);
    }
    return found;
}

/* Whether room_most leaves make_room anything to be asked for: a configuration that the job admits.
 */
static bool may_be_given_room(const struct list *list, const struct easim_pass *pass,
                              const struct easim_job *job, const struct easim_key *key) {
    const struct easim_list *ops = list->rules.ops;
    uint32_t gpu_type = EASIM_NONE, most = 0, c = job->first_config, end = c + job->config_count;
    for (; ops->room_most && c < end; c++) {
        const struct easim_config *config = easim_view_config(pass->view, c);
        if (config->gpu_type != gpu_type)
            most = ops->room_most(pass, gpu_type = config->gpu_type);
        if (config->k <= most && admits(list, pass, job, key, c))
            break;
    }
    return !ops->room_most || c < end;
}

/* Room is made for a job that found nothing: as start_try. */
static int start_in_room(struct list *list, const struct easim_pass *pass,
                         const struct easim_job *job, const struct easim_key *key) {
    struct easim_key own = *key;
    uint32_t level = pass->level;
    int room =
        !list->rules.ops->make_room
            ? displace_for(&list->displace, &list->rules, pass, job, key)
            : may_be_given_room(list, pass, job, key) && list->rules.ops->make_room(pass, job);
    int started = 0;
    if (room < 0)
        return -1;
    if (room > 0) {
        if (update_level(list) < 0 ||
            (pass->level != level && ask_key(list, pass, job->index, &own) < 0))
            return -1;
        started = start_try(&list->rules, pass, job, &own, NULL);
    }
    list->room_refused = list->room_refused || (started == 0 && !rules_is_urgent(key));
    return started;
}

/* As start_try; a job that may displace others may make room for itself, once. */
static int visit_job(struct list *list, const struct easim_pass *pass, const struct easim_job *job,
                     const struct easim_key *key) {
    int started = start_try(&list->rules, pass, job, key, NULL);
    bool urgent = rules_is_urgent(key), asks = urgent && rules_may_ask(pass, key);
    if (started == 0 && may_ask_for_room(list, asks, !urgent && key->may_displace))
        started = start_in_room(list, pass, job, key);
    bool levels = rules_level_count(list->rules.ops) > 1;
    return started < 0 || (levels && update_level(list) < 0) ? -1 : started;
}

/* Strict and without a key: the head of the queue, up to the first job that cannot start. */
static int visit_in_queue_order(struct list *list, const struct easim_pass *pass) {
    static const struct easim_key none;
    const struct easim_view *view = pass->view;
    int started = 1;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && list_has_room(view) && started > 0;) {
        const struct easim_job *job = host_job(view, i);
        i = job->next_waiting;
        started = visit_job(list, pass, job, &none);
    }
    return started < 0 ? -1 : 0;
}

/* Every waiting job in order. With no room only those that may make some are visited, urgent ones
   that may not yet in vain; the first other job ends the pass. */
static int visit_plainly(struct list *list, const struct easim_pass *pass) {
    if (plain_sort(&list->plain, pass) < 0)
        return -1;
    for (size_t i = 0; i < list->plain.order.count; i++) {
        const struct easim_job *job = host_job(pass->view, list->plain.order.at[i].job);
        struct easim_key key;
        if (job->state != EASIM_JOB_WAITING)
            continue;
        if (ask_key(list, pass, job->index, &key) < 0)
            return -1;
        bool urgent = rules_is_urgent(&key), makes_room = rules_make_room(list->rules.ops);
        if (!list_has_room(pass->view) && !(makes_room && urgent) &&
            !may_ask_for_room(list, false, key.may_displace))
            break;
        int started = job->state == EASIM_JOB_WAITING ? visit_job(list, pass, job, &key) : 0;
        if (started < 0)
            return -1;
        if (!started && list->rules.options->strict)
            break;
    }
    return 0;
}

/* --- the order of a pass: a heap of the first jobs of queues --- */

#define BEFORE(a, b)     index_before(&(a).rank, &(b).rank)
#define PUT(place, head) list->heads.at[place] = (head)

static void sift_down(struct list *list, size_t at) {
    struct list_head moving = list->heads.at[at];
    HEAP_DOWN(list->heads.at, list->heads.count, at, moving, BEFORE, PUT);
}

static void drop_head(struct list *list) {
    list->heads.at[0] = list->heads.at[--list->heads.count];
    sift_down(list, 0);
}

static void push_head(struct list *list, const struct list_head head) {
    array_push(&list->heads, head);
    HEAP_UP(list->heads.at, list->heads.count - 1, head, BEFORE, PUT);
}

static void add_head(struct list *list, const struct easim_pass *pass, uint32_t queue) {
    push_head(list, (struct list_head){index_first(&list->index, pass, queue), queue, false});
}

/* The same, before there is a heap, if the first job need not be known until it may be the next. */
static void gather_head(struct list *list, const struct easim_pass *pass, uint32_t queue) {
    bool exact;
    struct index_rank rank = index_bound(&list->index, pass, queue, &exact);
    array_push(&list->heads, ((struct list_head){rank, queue, !exact}));
}

static void make_heap(struct list *list) {
    for (size_t i = list->heads.count / 2; i-- > 0;)
        sift_down(list, i);
}

static const struct easim_job *any_job(const struct list *list, const struct easim_pass *pass,
                                       uint32_t queue) {
    return host_job(pass->view, index_any(&list->index, queue));
}

/* Whether the next job of a queue must be visited even if nothing that is free serves it. */
static bool queue_asks_for_room(const struct list *list, uint32_t queue) {
    const struct index_queue *q = &list->index.queues.at[queue];
    return may_ask_for_room(list, q->asks, q->may_displace);
}

/* The traits of the jobs in line that must be visited; NULL: all of them. As queue_is_open. */
static const uint64_t *open_traits(struct list *list, const struct easim_pass *pass) {
    struct index *index = &list->index;
    if (list->rules.options->strict || !list->knows_level)
        return NULL;
    if (index->waits.stamp != list->stamp || index->waits.open.count <= index->line.words)
        order_waits_find_open(&index->waits, &index->line, pass, list->rules.ops,
                              may_ask_for_room(list, true, false),
                              may_ask_for_room(list, false, true));
    index->waits.stamp = list->stamp;
    return index->waits.open.at;
}

/* Whether the jobs of a queue must be visited one by one: some of them can start now, or may make
   room, and if strict the first that cannot start counts. */
static bool queue_is_open(struct list *list, const struct easim_pass *pass, uint32_t queue) {
    const struct index_queue *q = &list->index.queues.at[queue];
    if (list->rules.options->strict || !list->knows_level || queue_asks_for_room(list, queue))
        return true;
    const struct easim_job *job = /* whom to ask about */
        rules_limit_starts(&list->rules) ? any_job(list, pass, queue) : NULL;
    return groups_open(&list->index.groups, q->group, pass, list->rules.ops, job, list->stamp);
}

/* Whether a queue may be open: where ways go by power, the cap and allow_start are asked only once
   one of its jobs is next. */
static bool may_be_open(struct list *list, const struct easim_pass *pass, uint32_t queue) {
    const struct index *index = &list->index;
    if (!index->groups.by_power || list->rules.options->strict || !list->knows_level ||
        queue_asks_for_room(list, queue))
        return queue_is_open(list, pass, queue);
    return groups_open_now(&index->groups, index->queues.at[queue].group, pass, NULL, NULL);
}

/* Whether nothing can start any more, whoever is asked, as the power cap forbids it. */
static bool is_out_of_power(const struct list *list, const struct easim_pass *pass) {
    return list->knows_level && !rules_make_room(list->rules.ops) &&
           !list->rules.ops->user_factor && groups_power_is_out(&list->index.groups, pass->view);
}

static int gather_queues(struct list *list, const struct easim_pass *pass) {
    struct index *index = &list->index;
    list->heads.count = list->closed.count = list->aside.count = 0;
    list->stamp++;
    for (size_t i = 0; i < index->busy.count && !is_out_of_power(list, pass); i++) {
        struct index_queue *q = &index->queues.at[index->busy.at[i]];
        if (q->user != EASIM_NONE)
            q->factor = list->rules.ops->user_factor(pass, q->user);
        if (q->user != EASIM_NONE && !index_check_factor(index, pass, q->user, q->factor))
            return -1;
        if (may_be_open(list, pass, index->busy.at[i]))
            gather_head(list, pass, index->busy.at[i]);
        else
            array_push(&list->closed, index->busy.at[i]);
    }
    make_heap(list);
    return 0;
}

static void set_aside(struct list *list, uint32_t job) {
    array_push(&list->aside, index_take(&list->index, job));
}

/* Whether a queue still has a job behind `last`; those before it were passed over while nothing of
   the queue could start, and are not visited any more. */
static bool has_more(struct list *list, const struct easim_pass *pass, uint32_t queue,
                     const struct index_rank *last) {
    while (!index_is_empty(&list->index, queue)) {
        struct index_rank first = index_first(&list->index, pass, queue);
        if (index_before(last, &first))
            return true;
        set_aside(list, first.job);
    }
    return false;
}

/* The cluster has changed: closed queues with jobs that can start now are back, behind `last`. */
static void reopen(struct list *list, const struct easim_pass *pass,
                   const struct index_rank *last) {
    size_t kept = 0;
    list->stamp++;
    for (size_t i = 0; i < list->closed.count; i++) {
        uint32_t queue = list->closed.at[i];
        if (index_is_empty(&list->index, queue))
            continue;
        if (!queue_is_open(list, pass, queue))
            list->closed.at[kept++] = queue;
        else if (has_more(list, pass, queue, last))
            add_head(list, pass, queue);
    }
    list->closed.count = kept;
}

/* Whether the first job behind `last` for which no room is made is before the next one: of a closed
   queue, or in line. */
static bool another_is_next(struct list *list, const struct easim_pass *pass,
                            const struct index_rank *last, const struct index_rank *next) {
    struct index *index = &list->index;
    const uint64_t *enders =
        order_waits_enders(&index->waits, &index->line, may_ask_for_room(list, false, true));
    struct index_rank ender;
    uint32_t kind;
    size_t kept = 0;
    bool found =
        index_next_in_line(index, last, enders, &ender, &kind) && index_before(&ender, next);
    for (size_t i = 0; i < list->closed.count; i++) {
        uint32_t queue = list->closed.at[i];
        if (!has_more(list, pass, queue, last))
            continue;
        list->closed.at[kept++] = queue;
        struct index_rank first = index_first(&list->index, pass, queue);
        found = found || (!index->queues.at[queue].urgent && index_before(&first, next));
    }
    list->closed.count = kept;
    return found;
}

/* With no room only jobs that may make room are visited, urgent ones that may not yet in vain; the
   first other job ends the pass. */
static bool pass_is_over(struct list *list, const struct easim_pass *pass,
                         const struct index_rank *last, const struct list_head *next) {
    bool passes = rules_make_room(list->rules.ops) && list->index.queues.at[next->queue].urgent;
    if (is_out_of_power(list, pass))
        return true;
    return !list_has_room(pass->view) && ((!passes && !queue_asks_for_room(list, next->queue)) ||
                                          another_is_next(list, pass, last, &next->rank));
}

/* The top job of the heap has left its queue, or was none: the first of the queue takes part. */
static void next_head(struct list *list, const struct easim_pass *pass) {
    uint32_t queue = list->heads.at[0].queue;
    if (index_is_empty(&list->index, queue)) {
        drop_head(list);
        return;
    }
    list->heads.at[0] = (struct list_head){index_first(&list->index, pass, queue), queue, false};
    sift_down(list, 0);
}

/* The first job of all queues that take part is at the top. */
static void settle_top(struct list *list, const struct easim_pass *pass) {
    while (list->heads.count > 0 && list->heads.at[0].is_bound)
        next_head(list, pass);
}

/* The next to visit: the first that must be of those in line, or of the queues that take part. */
static bool find_next(struct list *list, const struct easim_pass *pass,
                      const struct index_rank *last, struct list_head *ret) {
    struct index *index = &list->index;
    bool found = index->line.count > 0 &&
                 index_next_in_line(index, last, open_traits(list, pass), &ret->rank, &ret->queue);
    settle_top(list, pass);
    if (list->heads.count == 0 || (found && !index_before(&list->heads.at[0].rank, &ret->rank)))
        return found;
    *ret = list->heads.at[0];
    return true;
}

/* Visits the next job: as visit_job(). */
static int visit_next(struct list *list, const struct easim_pass *pass,
                      const struct list_head *next) {
    struct easim_key key;
    if (index_ask(&list->index, pass, next->rank.job, &key) < 0)
        return -1;
    const struct easim_job *job = host_job(pass->view, next->rank.job);
    int started = job->state == EASIM_JOB_WAITING ? visit_job(list, pass, job, &key) : 0;
    bool waits = started <= 0 && list->index.jobs[next->rank.job].queue != EASIM_NONE;
    if (!list->index.queues.at[next->queue].in_line) {
        if (waits)
            set_aside(list, next->rank.job);
        next_head(list, pass);
    } else if (waits && started == 0 && index_narrow(&list->index, pass, next->rank.job) < 0) {
        return -1;
    }
    if (started > 0 || rules_make_room(list->rules.ops))
        reopen(list, pass, &next->rank);
    return started;
}

/* Visits in the order of the pass, until nothing more can start. */
static int visit_in_order(struct list *list, const struct easim_pass *pass) {
    struct index_rank last = {.tier = INT32_MIN, .value = -INFINITY};
    struct list_head next;
    while (find_next(list, pass, &last, &next) && !pass_is_over(list, pass, &last, &next)) {
        bool in_line = list->index.queues.at[next.queue].in_line;
        if (!in_line && list->index.jobs[next.rank.job].queue != next.queue) {
            next_head(list, pass); /* a callback has started it */
            continue;
        }
        if (!in_line && !queue_is_open(list, pass, next.queue)) {
            drop_head(list);
            array_push(&list->closed, next.queue);
            continue;
        }
        last = next.rank;
        int started = visit_next(list, pass, &next);
        if (started < 0)
            return -1;
        if (!started && list->rules.options->strict)
            break;
    }
    return 0;
}

static int visit_by_index(struct list *list, const struct easim_pass *pass) {
    if (index_update(&list->index, pass) < 0)
        return -1;
    list->knows_level = true;
    if (gather_queues(list, pass) < 0 || visit_in_order(list, pass) < 0)
        return -1;
    for (size_t i = 0; i < list->aside.count; i++)
        if (host_job(pass->view, list->aside.at[i].job)->state == EASIM_JOB_WAITING)
            index_put(&list->index, pass, &list->aside.at[i]);
    return list->check && !index_check_grown(&list->index, pass) ? -1 : 0;
}

/* The first of the waiting jobs in the order of the pass. */
static uint32_t find_first_left(struct list *list, const struct easim_pass *pass) {
    struct index *index = &list->index;
    struct index_rank first;
    uint32_t queue;
    if (list->rules.plain)
        return plain_first_left(&list->plain, pass);
    bool found = index->jobs && index_next_in_line(index, NULL, NULL, &first, &queue);
    for (size_t i = 0; i < index->busy.count; i++) {
        struct index_rank rank = index_first(index, pass, index->busy.at[i]);
        if (!found || index_before(&rank, &first))
            first = rank;
        found = true;
    }
    return found ? first.job : pass->view->first_waiting;
}

/* Lets a running job give GPUs back to the first of those that wait, and starts that one. */
static int shrink_for_first(struct list *list, const struct easim_pass *pass) {
    struct easim_key key;
    uint32_t first = find_first_left(list, pass), shrunk;
    if (ask_key(list, pass, first, &key) < 0)
        return -1;
    const struct easim_job *job = host_job(pass->view, first);
    if (job->state != EASIM_JOB_WAITING)
        return 0; /* key has rejected it */
    int r = shrink_decide(&list->shrink, pass, job, &key, &shrunk);
    if (r <= 0)
        return r;
    if (!list->rules.plain)
        grow_note_start(&list->grow, shrunk);
    return start_try(&list->rules, pass, job, &key, NULL) < 0 ? -1 : 0;
}

/* Why the job whose story is told waits on after a pass: the order, or the tests of the policy. */
static void tell(struct list *list, const struct easim_pass *pass) {
    const struct easim_job *job = easim_told_waiting(pass);
    char text[200] = "";
    if (!job)
        return;
    uint32_t first = list->rules.options->strict && !list_in_rounds(list)
                         ? find_first_left(list, pass)
                         : job->index;
    if (list->rounds.asked > list->rounds.number)
        snprintf(text, sizeof text, "GPUs are given out in rounds, the next one at [%.9g s]",
                 units_s(list->rounds.asked * list->rounds.round_ns));
    else if (first != job->index)
        snprintf(text, sizeof text, "job %.99s comes first, cannot start, and no job passes it",
                 host_job(pass->view, first)->id);
    else if (!list_in_rounds(list)) {
        rules_tell(&list->rules, pass, job);
        return;
    }
    pass->host->reason(pass->plan, job->index, text);
}

static int decide_now(struct list *list, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct easim_list *ops = list->rules.ops;
    const struct list_options *options = list->rules.options;
    bool shrink = options->resize && options->shrink;
    if (ops->begin)
        ops->begin(pass);
    list->draws = true;
    int r = update_level(list);
    if (r >= 0 && view->waiting_count > 0 &&
        (list_has_room(view) || rules_make_room(ops) || shrink))
        r = list->rules.plain  ? visit_plainly(list, pass)
            : list->index.jobs ? visit_by_index(list, pass)
                               : visit_in_queue_order(list, pass);
    if (r >= 0 && shrink && view->waiting_count > 0)
        r = shrink_for_first(list, pass);
    if (r >= 0 && pass->host->reason)
        tell(list, pass);
    r = list->index.failed ? -1 : r;
    list->pass.level = 0;
    if (r >= 0 && options->resize)
        r = list->rules.plain ? grow_plainly(&list->grow, pass) : grow_decide(&list->grow, pass);
    list->draws = false;
    return r;
}

int list_decide(struct list *list, const struct easim_pass *pass) {
    list->pass = *pass;
    list->room_refused = false;
    if (ask_minimise(list, pass) < 0)
        return -1;
    int r =
        list_in_rounds(list) ? rounds_decide(&list->rounds, pass) : decide_now(list, &list->pass);
    if (r >= 0 && list_in_rounds(list) && pass->host->reason)
        tell(list, pass);
    if (r >= 0 && list->rules.ops->end)
        list->rules.ops->end(&list->pass);
    return r;
}
