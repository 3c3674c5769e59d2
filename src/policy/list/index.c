/* The index of waiting jobs: see index.h. */
#include "policy/list/index.h"

#include "base/mem.h"
#include "base/str.h"
#include "policy/host_job.h"

#include <stdlib.h>

/* For whom room may be made. */
enum room { ROOM_NONE, ROOM_DISPLACING, ROOM_URGENT };

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
}

void index_finish(struct index *index) {
    for (size_t i = 0; i < index->queues.count; i++)
        free(index->queues.at[i].jobs.heap.at);
    for (size_t i = 0; i < index->members.count; i++)
        queue_finish(&index->members.at[i].jobs);
    intern_finish(&index->member_names);
    free(index->members.at);
    groups_finish(&index->groups);
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
    index->jobs[job] = (struct index_job){NAN, EASIM_NONE, 0, 0, 0};
    array_push(&index->entered, job);
}

void index_leave(struct index *index, uint32_t job) {
    if (!index->jobs || index->jobs[job].queue == EASIM_NONE)
        return;
    struct index_queue *q = &index->queues.at[index->jobs[job].queue];
    queue_remove(&index->members.at[index->jobs[job].member].jobs, index->jobs[job].slot);
    crowd_sort_in(&q->jobs, index->members.at, index->jobs[job].member, false);
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
    *ret_key = (struct easim_key){0};
    if (!index->rules->ops->key)
        return 0;
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

/* Where its key admits which configuration, whatever the time, at the level of the pass. An
   objective that is not a number counts as admitted: the pass finds it when it tries the
   configuration. */
static void describe_level(struct index *index, const struct easim_pass *pass,
                           const struct easim_job *job, const struct easim_key *key) {
    bool by_config = index->rules->ops->allow != NULL;
    groups_at_level(&index->groups, pass->level);
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(pass->view, c);
        uint32_t spans = 0, asked = groups_asks(&index->groups, config, by_config);
        if (asked == 0)
            continue;
        for (uint32_t span = 0; asked >> span != 0; span++) {
            if (!(asked >> span & 1) || !(config->goodput[span] > 0))
                continue;
            struct easim_choice choice = easim_predict(pass->view, job, c, span);
            double objective =
                rules_objective(index->rules, pass, job, &choice, rules_is_urgent(key));
            if (isnan(objective) || rules_admit_objective(key, objective))
                spans |= 1u << span;
        }
        groups_add(&index->groups, pass->view, c, spans, by_config);
    }
}

static enum room room_of(const struct easim_key *key) {
    return rules_is_urgent(key) ? ROOM_URGENT : key->may_displace ? ROOM_DISPLACING : ROOM_NONE;
}

/* Whether two keys of a job put it in the same place. */
static bool same_place(const struct easim_key *a, const struct easim_key *b) {
    return a->tier == b->tier && a->value == b->value && a->ageing_s == b->ageing_s &&
           a->ask_again_s == b->ask_again_s && room_of(a) == room_of(b);
}

/* The group of a job: what its keys admit at each level. */
static int find_group(struct index *index, const struct easim_pass *pass,
                      const struct easim_job *job, const struct easim_key *key,
                      uint32_t *ret_group) {
    uint32_t count = rules_level_count(index->rules);
    struct easim_pass at = *pass;
    groups_begin(&index->groups);
    for (at.level = 0; at.level < count; at.level++) {
        struct easim_key own = *key;
        if (at.level != pass->level && index_ask(index, &at, job->index, &own) < 0)
            return -1;
        if (!same_place(&own, key))
            return rules_fail_as(pass, "key", job,
                                 "depends on the level in more than objective_max");
        describe_level(index, &at, job, &own);
    }
    *ret_group = groups_end(&index->groups);
    return 0;
}

int index_find_queue(struct index *index, const struct easim_pass *pass, uint32_t job,
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
                              .room = room_of(key),
                              .tier = key->tier};
    bool is_new;
    *ret_queue = intern(&index->names, &name, sizeof name, &is_new);
    if (is_new)
        array_push(&index->queues,
                   ((struct index_queue){.ageing_s = name.ageing_s,
                                         .group = name.group,
                                         .user = name.user,
                                         .tier = name.tier,
                                         .urgent = name.room == ROOM_URGENT,
                                         .may_displace = name.room == ROOM_DISPLACING,
                                         .factor = 1}));
    return 0;
}

/* --- users --- */

static int fail_factor(const struct easim_pass *pass, uint32_t user) {
    struct str text = {0};
    str_addf(&text, "the user_factor of user %s is not a positive, finite number",
             easim_view_user(pass->view, user)->name);
    pass->host->fail(pass->plan, text.text);
    str_finish(&text);
    return -1;
}

bool index_check_factor(struct index *index, const struct easim_pass *pass, uint32_t user,
                        double factor) {
    if (!(factor > 0 && factor < INFINITY) && fail_factor(pass, user) < 0)
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
    uint32_t name[] = {queue, any ? host_job(pass->view, job)->user : EASIM_NONE};
    uint32_t member = intern(&index->member_names, name, sizeof name, &is_new);
    if (is_new) {
        struct crowd_member *m = array_add(&index->members);
        m->jobs.ageing_s = q->ageing_s;
        m->user = name[1];
        m->jobs.factor = factor_of(index, pass, q, m->user);
    }
    return member;
}

void index_put(struct index *index, const struct easim_pass *pass,
               const struct index_place *place) {
    struct index_queue *q = &index->queues.at[place->queue];
    if (q->jobs.heap.count == 0) {
        q->place = (uint32_t)index->busy.count;
        array_push(&index->busy, place->queue);
    }
    uint32_t member = find_member(index, pass, place->queue, place->job);
    struct crowd_member *m = &index->members.at[member];
    bool was_empty = m->jobs.count == 0;
    queue_advance(&m->jobs, pass->view->now_s, m->jobs.factor);
    struct index_job *kept = &index->jobs[place->job];
    kept->queue = place->queue;
    kept->member = member;
    kept->slot =
        queue_add(&m->jobs, place->job, place->value, host_job(pass->view, place->job)->submit_s);
    crowd_sort_in(&q->jobs, index->members.at, member, was_empty);
}

double index_value(const struct index *index, uint32_t job) {
    const struct index_job *kept = &index->jobs[job];
    return index->members.at[kept->member].jobs.entries[kept->slot].value;
}

struct index_place index_take(struct index *index, uint32_t job) {
    struct index_place place = {index_value(index, job), job, index->jobs[job].queue};
    index_leave(index, job);
    return place;
}

/* --- changes --- */

/* Asks for the key of a waiting job that has none yet, or one that is due, and puts it into its
 * queue. */
static int insert_job(struct index *index, const struct easim_pass *pass, uint32_t job) {
    struct easim_key key;
    uint32_t queue;
    if (index_ask(index, pass, job, &key) < 0 ||
        index_find_queue(index, pass, job, &key, &queue) < 0)
        return -1;
    if (host_job(pass->view, job)->state != EASIM_JOB_WAITING)
        return 0; /* key has rejected it */
    index_put(index, pass, &(struct index_place){key.value, job, queue});
    if (key.ask_again_s != 0)
        timeheap_push(&index->asks, key.ask_again_s, job);
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
    if (ask_due_keys(index, pass) < 0)
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
    struct crowd_member *m = &index->members.at[member];
    if (m->stamp == index->pass)
        return false;
    m->stamp = index->pass;
    queue_advance(&m->jobs, pass->view->now_s, factor_of(index, pass, q, m->user));
    crowd_sort_in(&q->jobs, index->members.at, member, false);
    return true;
}

/* What a member was worth at an earlier look is no more than it is worth now, so the first of which
   the present worth is known is the first of all. */
struct index_rank index_first(struct index *index, const struct easim_pass *pass, uint32_t queue) {
    struct index_queue *q = &index->queues.at[queue];
    while (look_at_top(index, pass, q))
        ;
    const struct crowd_member *first = &index->members.at[q->jobs.heap.at[0]];
    return (struct index_rank){first->value, q->tier, first->job};
}

const char *index_find_fallen(struct index *index, const struct easim_pass *pass) {
    for (size_t i = 0; i < index->members.count; i++) {
        struct crowd_member *m = &index->members.at[i];
        if (m->user == EASIM_NONE || m->jobs.count == 0)
            continue;
        queue_advance(&m->jobs, pass->view->now_s, index->rules->ops->user_factor(pass, m->user));
        if (queue_value(&m->jobs, queue_first(&m->jobs)) < m->value)
            return easim_view_user(pass->view, m->user)->name;
    }
    return NULL;
}

uint32_t index_any(const struct index *index, uint32_t queue) {
    return index->members.at[index->queues.at[queue].jobs.heap.at[0]].job;
}

bool index_before(const struct index_rank *a, const struct index_rank *b) {
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if (a->value != b->value)
        return a->value < b->value;
    return a->job < b->job;
}
