/* The index of waiting jobs: see index.h. */
#include "policy/list/index.h"

#include "base/mem.h"
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
        queue_finish(&index->queues.at[i].jobs);
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
    index->jobs[job] = (struct index_job){NAN, EASIM_NONE, 0, 0};
    array_push(&index->entered, job);
}

void index_leave(struct index *index, uint32_t job) {
    if (!index->jobs || index->jobs[job].queue == EASIM_NONE)
        return;
    struct index_queue *q = &index->queues.at[index->jobs[job].queue];
    queue_remove(&q->jobs, index->jobs[job].slot);
    index->jobs[job].queue = EASIM_NONE;
    if (q->jobs.count > 0)
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
    groups_at_level(&index->groups, pass->level);
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(pass->view, c);
        uint32_t spans = 0;
        for (uint32_t span = 0; span < config->span_count; span++) {
            if (!(config->goodput[span] > 0))
                continue;
            struct easim_choice choice = easim_predict(pass->view, job, c, span);
            double objective =
                rules_objective(index->rules, pass, job, &choice, rules_is_urgent(key));
            if (isnan(objective) || rules_admit_objective(key, objective))
                spans |= 1u << span;
        }
        groups_add(&index->groups, pass->view, c, spans, index->rules->ops->allow != NULL);
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
    struct queue_name name = {.ageing_s = key->ageing_s > 0 ? key->ageing_s : 0,
                              .group = group,
                              .user = index->rules->ops->key && index->rules->ops->user_factor
                                          ? waiting->user
                                          : EASIM_NONE,
                              .room = room_of(key),
                              .tier = key->tier};
    bool is_new;
    *ret_queue = intern(&index->names, &name, sizeof name, &is_new);
    if (is_new)
        array_push(&index->queues,
                   ((struct index_queue){.jobs = {.ageing_s = name.ageing_s, .factor = 1},
                                         .group = name.group,
                                         .user = name.user,
                                         .tier = name.tier,
                                         .urgent = name.room == ROOM_URGENT,
                                         .may_displace = name.room == ROOM_DISPLACING,
                                         .factor = 1}));
    return 0;
}

void index_put(struct index *index, const struct easim_pass *pass,
               const struct index_place *place) {
    struct index_queue *q = &index->queues.at[place->queue];
    if (q->jobs.count == 0) {
        q->place = (uint32_t)index->busy.count;
        array_push(&index->busy, place->queue);
    }
    queue_advance(&q->jobs, pass->view->now_s, q->jobs.factor);
    index->jobs[place->job].queue = place->queue;
    index->jobs[place->job].slot =
        queue_add(&q->jobs, place->job, place->value, host_job(pass->view, place->job)->submit_s);
}

struct index_place index_take(struct index *index, uint32_t job) {
    uint32_t queue = index->jobs[job].queue;
    struct index_place place = {index->queues.at[queue].jobs.entries[index->jobs[job].slot].value,
                                job, queue};
    index_leave(index, job);
    return place;
}

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

struct index_rank index_first(struct index *index, const struct easim_pass *pass, uint32_t queue) {
    struct index_queue *q = &index->queues.at[queue];
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
