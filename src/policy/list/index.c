/* The index of waiting jobs: see index.h. */
#include "policy/list/index.h"

#include "base/mem.h"
#include "base/str.h"
#include "policy/interface.h"

#include <stdlib.h>

/* For whom room may be made. */
enum room { ROOM_NONE, ROOM_DISPLACING, ROOM_URGENT, ROOM_LATER };

/* What the jobs of a queue have in common, without padding. */
struct queue_name {
    double ageing_s;
    uint32_t group, user, room; /* room: enum room */
    int32_t tier;
};

void index_init(struct index *index, const struct rules *rules, uint32_t job_count) {
    *index = (struct index){.rules = rules};
    if (rules->ops->key || !rules->options->strict)
        index->jobs = mem_zalloc(job_count, sizeof *index->jobs);
    index->has_line = !rules->ops->user_factor && !rules_limit_starts(rules);
    index->groups.by_power = rules->keeps_cap;
    index->groups.least_w = INFINITY;
    if (rules_level_count(rules->ops) == 1) { /* level 0 is all there is */
        array_push(&index->levels, 0u);
        index->known_levels = 1;
    }
}

void index_finish(struct index *index) {
    for (size_t i = 0; i < index->queues.count; i++)
        free(index->queues.at[i].jobs.heap.at);
    for (size_t i = 0; i < index->members.count; i++)
        queue_finish(&index->members.at[i].jobs);
    intern_finish(&index->member_names);
    free(index->members.at);
    groups_finish(&index->groups);
    order_waits_finish(&index->waits);
    static_order_finish(&index->line);
    free(index->levels.at);
    intern_finish(&index->names);
    free(index->jobs);
    free(index->queues.at);
    free(index->busy.at);
    free(index->entered.at);
    timeheap_finish(&index->asks);
    free(index->due.at);
    *index = (struct index){0};
}

void index_enter(struct index *index, uint32_t job) {
    if (!index->jobs)
        return;
    index->jobs[job] = (struct index_job){.best = NAN, .queue = EASIM_NONE};
    array_push(&index->entered, job);
}

void index_leave(struct index *index, uint32_t job) {
    if (!index->jobs || index->jobs[job].queue == EASIM_NONE)
        return;
    struct index_queue *q = &index->queues.at[index->jobs[job].queue];
    if (q->in_line) {
        static_order_remove(&index->line,
                            &(struct index_rank){index->jobs[job].value, q->tier, job});
        index->jobs[job].queue = EASIM_NONE;
        return;
    }
    queue_remove(&index->members.at[index->jobs[job].member].jobs, index->jobs[job].slot);
    user_heap_sort_in(&q->jobs, index->members.at, index->jobs[job].member, false);
    index->jobs[job].queue = EASIM_NONE;
    if (q->jobs.heap.count > 0)
        return;
    uint32_t moved = index->busy.at[--index->busy.count];
    index->busy.at[q->place] = moved;
    index->queues.at[moved].place = q->place;
}

/* --- keys --- */

/* Asked for once, and again where the level has changed. */
static int find_best_objective(struct index *index, const struct easim_pass *pass,
                               const struct easim_job *job) {
    struct index_job *known = &index->jobs[job->index];
    if (isnan(known->best) || known->level != pass->level)
        known->best = rules_best_objective(index->rules, pass, job);
    known->level = pass->level;
    return isnan(known->best) ? rules_fail_objective(index->rules, pass, job, false) : 0;
}

int index_ask(struct index *index, const struct easim_pass *pass, uint32_t job,
              struct easim_key *ret_key) {
    const struct easim_job *waiting = host_job(pass->view, job);
    if (!index->rules->ops->key) {
        *ret_key = (struct easim_key){0};
        return 0;
    }
    if (find_best_objective(index, pass, waiting) < 0)
        return -1;
    return rules_key(index->rules, pass, waiting, index->jobs[job].best, ret_key);
}

int index_ask_early(struct index *index, const struct easim_pass *pass, uint32_t job,
                    struct easim_key *ret_key) {
    if (index->jobs)
        index->jobs[job].best = NAN; /* not known yet */
    return index_ask(index, pass, job, ret_key);
}

/* --- jobs in queues --- */

/* Whether a job with that key stands in line. */
static bool is_for_line(const struct index *index, const struct easim_key *key) {
    return index->has_line && key->ageing_s == 0;
}

/* Who asks what is admitted. Quotient and sum round monotonically: what is as fast as one in time
   is in time, and what is as slow as one that is late is late. */
struct asking {
    const struct index *index;
    const struct easim_pass *pass;
    const struct easim_job *job;
    const struct easim_key *key;
    double in_time, late; /* goodputs that were seen to be so */
    bool by_figures;      /* a span matters by goodput and power alone */
};

/* As rules_admit has it of what easim_predict says. */
static bool ends_in_time(struct asking *asking, double goodput) {
    const struct easim_job *job = asking->job;
    if (goodput >= asking->in_time || goodput <= asking->late)
        return goodput >= asking->in_time;
    double time_s = job->setup_s + job->remaining / goodput;
    bool in_time = asking->pass->view->now_s + time_s <= asking->key->finish_by_s;
    *(in_time ? &asking->in_time : &asking->late) = goodput;
    return in_time;
}

/* Whether a configuration counts as admitted in a span. An objective that is not a number does: the
   pass finds it when it tries the configuration. Of a job in line those that end too late do not:
   they will at no later time either. */
static bool is_admitted(struct asking *asking, uint32_t config, uint32_t span) {
    const struct rules *rules = asking->index->rules;
    const struct easim_pass *pass = asking->pass;
    const struct easim_key *key = asking->key;
    bool urgent = rules_is_urgent(key), in_line = is_for_line(asking->index, key);
    if (rules_admit_all(rules, pass, key))
        return !urgent || !in_line ||
               ends_in_time(asking, easim_view_config(pass->view, config)->goodput[span]);
    struct easim_choice choice = easim_predict(pass->view, asking->job, config, span);
    double most = key->objective_max == 0 ? INFINITY : key->objective_max;
    double objective = rules_objective_up_to(rules, pass, asking->job, &choice, urgent, most);
    return isnan(objective) || (in_line ? rules_admit(pass, key, &choice, objective)
                                        : rules_admit_objective(key, objective));
}

/* Those of the spans in which a configuration is known and admitted. */
static uint32_t admitted_spans(struct asking *asking, uint32_t config, uint32_t asked) {
    const struct easim_config *c = easim_view_config(asking->pass->view, config);
    uint32_t spans = 0, last = EASIM_NONE;
    for (uint32_t span = 0; asked >> span != 0; span++) {
        if (!(asked >> span & 1) || !(c->goodput[span] > 0))
            continue;
        bool as_last = asking->by_figures && last != EASIM_NONE &&
                       c->goodput[span] == c->goodput[last] && c->power_w[span] == c->power_w[last];
        if (as_last ? spans >> last & 1 : is_admitted(asking, config, span))
            spans |= 1u << span;
        last = span;
    }
    return spans;
}

/* Where its key admits which configuration at the level of the pass, so far as that matters: where
   only GPUs do, one that is outdone is admitted nowhere where that which outdoes it is not. */
static void describe_level(struct index *index, const struct easim_pass *pass,
                           const struct easim_job *job, const struct easim_key *key) {
    bool by_config = rules_limit_starts(index->rules);
    const struct known_choice front =
        by_config ? group_sets_all(job)
                  : rules_front(index->rules, pass, job, rules_is_urgent(key));
    struct asking asking = {index, pass, job, key, INFINITY, 0, front.front != NULL};
    groups_at_level(&index->groups, pass->level);
    for (uint32_t i = 0; i < front.count; i++) {
        uint32_t c = known_choice_at(&front, i);
        const struct easim_config *config = easim_view_config(pass->view, c);
        uint32_t asked = groups_asks(&index->groups, config, by_config);
        if (asked != 0)
            groups_add(&index->groups, pass->view, c, admitted_spans(&asking, c, asked), by_config);
    }
}

static enum room room_of(const struct easim_pass *pass, const struct easim_key *key) {
    if (!rules_is_urgent(key))
        return key->may_displace ? ROOM_DISPLACING : ROOM_NONE;
    return rules_may_ask(pass, key) ? ROOM_URGENT : ROOM_LATER;
}

/* Whether two keys of a job put it in the same place. */
static bool same_place(const struct easim_key *a, const struct easim_key *b) {
    return a->tier == b->tier && a->value == b->value && a->ageing_s == b->ageing_s &&
           a->ask_again_s == b->ask_again_s && rules_is_urgent(a) == rules_is_urgent(b) &&
           a->room_from_s == b->room_from_s &&
           (rules_is_urgent(a) || a->may_displace == b->may_displace);
}

/* Asks for the key of a job at the level of `at`, for the place of its key at that of the pass. */
static int ask_at_level(struct index *index, const struct easim_pass *pass,
                        const struct easim_pass *at, const struct easim_job *job,
                        const struct easim_key *key, struct easim_key *ret) {
    *ret = *key;
    if (at->level != pass->level && index_ask(index, at, job->index, ret) < 0)
        return -1;
    return same_place(ret, key)
               ? 0
               : rules_fail_as(pass, "key", job, "depends on the level in more than objective_max");
}

/* Whether the key of a job has one place at all levels, also those that the run may never see:
   asked of its first job only, since each level asks for a least objective. */
static int compare_levels(struct index *index, const struct easim_pass *pass,
                          const struct easim_job *job, const struct easim_key *key) {
    struct easim_pass at = *pass;
    index->has_compared_levels = true;
    for (at.level = 0; at.level < rules_level_count(index->rules->ops); at.level++) {
        struct easim_key own;
        if (ask_at_level(index, pass, &at, job, key, &own) < 0)
            return -1;
    }
    return 0;
}

/* The set of a job that admits each of it wherever it is known, at all times; NULL: it may not. */
static struct group_set *set_admitted_whole(const struct index *index,
                                            const struct easim_pass *pass,
                                            const struct easim_job *job,
                                            const struct easim_key *key) {
    const struct rules *rules = index->rules;
    if (!rules_admit_all(rules, pass, key) || rules_is_urgent(key) ||
        rules_level_count(rules->ops) > 1 || !rules->sets)
        return NULL;
    struct group_set *set = group_sets_find(rules->sets, pass->view, job);
    return set && job->setup_s + job->remaining / set->least_goodput < INFINITY ? set : NULL;
}

/* The group of a job: what its keys admit at each level that has been seen. */
static int find_group(struct index *index, const struct easim_pass *pass,
                      const struct easim_job *job, const struct easim_key *key,
                      uint32_t *ret_group) {
    struct easim_pass at = *pass;
    if (!index->has_compared_levels && compare_levels(index, pass, job, key) < 0)
        return -1;
    struct group_set *set = set_admitted_whole(index, pass, job, key);
    if (set && set->group != EASIM_NONE) {
        *ret_group = set->group;
        return 0;
    }
    groups_begin(&index->groups);
    for (size_t i = 0; i < index->known_levels; i++) {
        struct easim_key own;
        at.level = index->levels.at[i];
        if (ask_at_level(index, pass, &at, job, key, &own) < 0)
            return -1;
        describe_level(index, &at, job, &own);
    }
    *ret_group = groups_end(&index->groups);
    if (set)
        set->group = *ret_group;
    return 0;
}

static void add_queue(struct index *index, const struct queue_name *name) {
    static const uint32_t stands[] = {[ROOM_NONE] = TRAIT_ORDINARY,
                                      [ROOM_DISPLACING] = TRAIT_DISPLACES,
                                      [ROOM_URGENT] = TRAIT_ASKS,
                                      [ROOM_LATER] = TRAIT_COUNT};
    array_push(&index->queues, ((struct index_queue){
                                   .ageing_s = name->ageing_s,
                                   .group = name->group,
                                   .user = name->user,
                                   .tier = name->tier,
                                   .alone = EASIM_NONE,
                                   .urgent = name->room == ROOM_URGENT || name->room == ROOM_LATER,
                                   .may_displace = name->room == ROOM_DISPLACING,
                                   .asks = name->room == ROOM_URGENT,
                                   .in_line = index->has_line && name->ageing_s == 0,
                                   .factor = 1}));
    if (index->has_line)
        order_waits_add_kind(&index->waits, &index->line, &index->groups, name->group,
                             stands[name->room]);
}

/* The queue in which a waiting job with that key belongs. Negative after host->fail: it has another
   key at another level. */
static int find_queue(struct index *index, const struct easim_pass *pass, uint32_t job,
                      const struct easim_key *key, uint32_t *ret_queue) {
    const struct easim_job *waiting = host_job(pass->view, job);
    uint32_t group = 0;
    if (find_group(index, pass, waiting, key, &group) < 0)
        return -1;
    bool apart = index->rules->ops->key && index->rules->ops->user_factor &&
                 !(rules_factor_grows(index->rules) && key->ageing_s == 0);
    struct queue_name name = {.ageing_s = key->ageing_s > 0 ? key->ageing_s : 0,
                              .group = group,
                              .user = apart ? waiting->user : EASIM_NONE,
                              .room = room_of(pass, key),
                              .tier = key->tier};
    bool is_new;
    *ret_queue = intern(&index->names, &name, sizeof name, &is_new);
    if (is_new)
        add_queue(index, &name);
    return 0;
}

/* --- users --- */

bool index_check_factor(struct index *index, const struct easim_pass *pass, uint32_t user,
                        double factor) {
    if (rules_check_factor(pass, user, factor) < 0)
        index->failed = true;
    return !index->failed;
}

/* The factor with which a pass looks at the jobs of a member. */
static double factor_of(struct index *index, const struct easim_pass *pass,
                        const struct index_queue *q, uint32_t user) {
    if (q->user != EASIM_NONE || user == EASIM_NONE)
        return q->factor;
    double factor = index->rules->ops->user_factor(pass, user);
    return index_check_factor(index, pass, user, factor) ? factor : 1;
}

/* The member of a queue to which a job belongs. */
static uint32_t find_member(struct index *index, const struct easim_pass *pass, uint32_t queue,
                            uint32_t job) {
    const struct index_queue *q = &index->queues.at[queue];
    bool any = rules_factor_grows(index->rules) && q->user == EASIM_NONE, is_new;
    if (!any && q->alone != EASIM_NONE)
        return q->alone;
    uint32_t name[] = {queue, any ? host_job(pass->view, job)->user : EASIM_NONE};
    uint32_t member = intern(&index->member_names, name, sizeof name, &is_new);
    if (is_new) {
        struct user_queue *m = array_add(&index->members);
        m->jobs.ageing_s = q->ageing_s;
        m->user = name[1];
        m->jobs.factor = factor_of(index, pass, q, m->user);
    }
    index->queues.at[queue].alone = any ? EASIM_NONE : member;
    return member;
}

void index_put(struct index *index, const struct easim_pass *pass,
               const struct index_place *place) {
    struct index_queue *q = &index->queues.at[place->queue];
    struct index_job *kept = &index->jobs[place->job];
    kept->queue = place->queue;
    if (q->in_line) {
        kept->value = place->value;
        static_order_add(&index->line, &(struct index_rank){place->value, q->tier, place->job},
                         place->queue);
        return;
    }
    if (q->jobs.heap.count == 0) {
        q->place = (uint32_t)index->busy.count;
        array_push(&index->busy, place->queue);
    }
    uint32_t member = find_member(index, pass, place->queue, place->job);
    struct user_queue *m = &index->members.at[member];
    bool was_empty = m->jobs.count == 0;
    queue_advance(&m->jobs, pass->view->now_s, m->jobs.factor);
    kept->member = member;
    kept->slot =
        queue_add(&m->jobs, place->job, place->value, host_job(pass->view, place->job)->submit_s);
    user_heap_sort_in(&q->jobs, index->members.at, member, was_empty);
}

/* The value that the key of a job in a queue has. */
static double value_of(const struct index *index, uint32_t job) {
    const struct index_job *kept = &index->jobs[job];
    if (index->queues.at[kept->queue].in_line)
        return kept->value;
    return index->members.at[kept->member].jobs.entries[kept->slot].value;
}

struct index_place index_take(struct index *index, uint32_t job) {
    struct index_place place = {value_of(index, job), job, index->jobs[job].queue};
    index_leave(index, job);
    return place;
}

/* --- changes --- */

/* Asks for a waiting job's key if it has none yet or a due one, and puts it into its queue. */
static int insert_job(struct index *index, const struct easim_pass *pass, uint32_t job) {
    struct easim_key key;
    uint32_t queue;
    if (index_ask(index, pass, job, &key) < 0 || find_queue(index, pass, job, &key, &queue) < 0)
        return -1;
    if (host_job(pass->view, job)->state != EASIM_JOB_WAITING)
        return 0; /* key has rejected it */
    index_put(index, pass, &(struct index_place){key.value, job, queue});
    bool asks_later = rules_is_urgent(&key) && !rules_may_ask(pass, &key);
    if (key.ask_again_s != 0 && !(asks_later && key.room_from_s < key.ask_again_s))
        timeheap_push(&index->asks, key.ask_again_s, job);
    else if (asks_later)
        timeheap_push(&index->asks, key.room_from_s, job);
    return 0;
}

int index_narrow(struct index *index, const struct easim_pass *pass, uint32_t job) {
    struct index_job *kept = &index->jobs[job];
    const struct index_queue *q = &index->queues.at[kept->queue];
    const struct index_rank rank = {kept->value, q->tier, job};
    struct easim_key key;
    uint32_t queue;
    if (!q->urgent)
        return 0;
    if (index_ask(index, pass, job, &key) < 0 || find_queue(index, pass, job, &key, &queue) < 0)
        return -1;
    if (queue != kept->queue)
        static_order_change(&index->line, &rank, queue);
    kept->queue = queue;
    return 0;
}

bool index_knows_level(struct index *index, uint32_t level) {
    size_t i = 0;
    while (i < index->levels.count && index->levels.at[i] != level)
        i++;
    if (i == index->levels.count)
        array_push(&index->levels, level);
    return i < index->known_levels;
}

/* Levels are there that no job has been asked about: all that wait are. */
static int add_levels(struct index *index, const struct easim_pass *pass) {
    index->known_levels = index->levels.count;
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;
         i = host_job(pass->view, i)->next_waiting) {
        struct easim_key key;
        if (index->jobs[i].queue == EASIM_NONE)
            continue;
        struct index_place place = index_take(index, i);
        if (index_ask(index, pass, i, &key) < 0 ||
            find_queue(index, pass, i, &key, &place.queue) < 0)
            return -1;
        if (host_job(pass->view, i)->state == EASIM_JOB_WAITING) /* key has not rejected it */
            index_put(index, pass, &place);
    }
    return 0;
}

static int ask_due_keys(struct index *index, const struct easim_pass *pass) {
    uint32_t job;
    for (index->due.count = 0; timeheap_pop_due(&index->asks, pass->view->now_s, &job);)
        array_push(&index->due, job);
    for (size_t i = 0; i < index->due.count; i++) {
        job = index->due.at[i];
        if (index->jobs[job].queue == EASIM_NONE)
            continue; /* started since, or it has just come back and is asked anyway */
        index_leave(index, job);
        if (insert_job(index, pass, job) < 0)
            return -1;
    }
    return 0;
}

int index_update(struct index *index, const struct easim_pass *pass) {
    index->pass++;
    if ((!index_knows_level(index, pass->level) && add_levels(index, pass) < 0) ||
        ask_due_keys(index, pass) < 0)
        return -1;
    for (size_t i = 0; i < index->entered.count; i++) {
        uint32_t job = index->entered.at[i];
        if (host_job(pass->view, job)->state == EASIM_JOB_WAITING &&
            index->jobs[job].queue == EASIM_NONE && insert_job(index, pass, job) < 0)
            return -1;
    }
    index->entered.count = 0;
    return 0;
}

/* --- order --- */

/* Looks at the jobs of the first member as of this pass. False: it was that of the pass already. */
static bool look_at_top(struct index *index, const struct easim_pass *pass, struct index_queue *q) {
    uint32_t member = q->jobs.heap.at[0];
    struct user_queue *m = &index->members.at[member];
    if (m->stamp == index->pass)
        return false;
    m->stamp = index->pass;
    queue_advance(&m->jobs, pass->view->now_s, factor_of(index, pass, q, m->user));
    user_heap_sort_in(&q->jobs, index->members.at, member, false);
    return true;
}

/* What a member was worth at an earlier look is no more than it is worth now, so the first of which
   the present worth is known is the first of all. */
struct index_rank index_first(struct index *index, const struct easim_pass *pass, uint32_t queue) {
    struct index_queue *q = &index->queues.at[queue];
    while (look_at_top(index, pass, q))
        ;
    const struct user_queue *first = &index->members.at[q->jobs.heap.at[0]];
    return (struct index_rank){first->value, q->tier, first->job};
}

#define BOUND 1e-9 /* a share of a value, more than what rounding does to it */

/* Where users do not matter the jobs of a queue are of one member. While its winner is certain
   nothing but time has passed. Else, in the time since the last look at them, the ageing of none
   has grown by a larger factor than that of one that was new. */
struct index_rank index_bound(struct index *index, const struct easim_pass *pass, uint32_t queue,
                              bool *ret_exact) {
    const struct index_queue *q = &index->queues.at[queue];
    const struct user_queue *m = &index->members.at[q->jobs.heap.at[0]];
    double value;
    *ret_exact = index->rules->ops->user_factor || m->stamp == index->pass;
    if (*ret_exact)
        return index_first(index, pass, queue);
    *ret_exact = queue_foresee(&m->jobs, pass->view->now_s, &value);
    if (*ret_exact)
        return (struct index_rank){value, q->tier, m->job};
    value = m->value;
    if (q->ageing_s > 0)
        value *= (1 - BOUND) / (1 + (pass->view->now_s - m->jobs.now_s) / q->ageing_s);
    return (struct index_rank){value, q->tier, 0};
}

bool index_check_grown(struct index *index, const struct easim_pass *pass) {
    struct str text = {0};
    for (size_t i = 0; i < index->members.count; i++) {
        struct user_queue *m = &index->members.at[i];
        if (m->user == EASIM_NONE || m->jobs.count == 0)
            continue;
        queue_advance(&m->jobs, pass->view->now_s, index->rules->ops->user_factor(pass, m->user));
        if (!(queue_value(&m->jobs, queue_first(&m->jobs)) < m->value))
            continue;
        str_addf(
            &text,
            "the user_factor of user %.60s makes values fall with more usage, but factor_grows is declared",
            easim_view_user(pass->view, m->user)->name);
        pass->host->fail(pass->plan, text.text);
        str_finish(&text);
        index->failed = true;
        break;
    }
    return !index->failed;
}

uint32_t index_any(const struct index *index, uint32_t queue) {
    return index->members.at[index->queues.at[queue].jobs.heap.at[0]].job;
}

bool index_next_in_line(const struct index *index, const struct index_rank *after,
                        const uint64_t *mask, struct index_rank *ret_rank, uint32_t *ret_queue) {
    struct order_place place;
    if (!static_order_next(&index->line, after, mask, &place))
        return false;
    *ret_rank = place.rank;
    *ret_queue = place.kind;
    return true;
}
