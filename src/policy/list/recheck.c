/* Answers asked for again: see recheck.h. */
#include "policy/list/recheck.h"

#include "policy/interface.h"

#include <stdio.h>

/* Instead of the engine's plan while a policy is asked again: does nothing, and notes its draws. */
struct again {
    const struct easim_pass *pass; /* the real one */
    struct easim_host host;
    bool drew;
    char failure[RECHECK_BYTES];
};

static struct again *again_of(struct easim_plan *plan) {
    return (struct again *)(void *)plan; /* as given out by ask_again() */
}

static int pass_on_try_config(struct easim_plan *plan, uint32_t job, uint32_t config,
                              double *power_w) {
    const struct easim_pass *pass = again_of(plan)->pass;
    return pass->host->try_config(pass->plan, job, config, power_w);
}

static uint32_t pass_on_job_nodes(struct easim_plan *plan, uint32_t job, struct easim_job_node *ret,
                                  uint32_t most) {
    const struct easim_pass *pass = again_of(plan)->pass;
    return pass->host->job_nodes(pass->plan, job, ret, most);
}

static void *pass_on_scratch(struct easim_plan *plan, size_t bytes) {
    const struct easim_pass *pass = again_of(plan)->pass;
    return pass->host->scratch(pass->plan, bytes);
}

static double note_uniform(struct easim_plan *plan) {
    again_of(plan)->drew = true;
    return 0.5;
}

static void note_failure(struct easim_plan *plan, const char *message) {
    snprintf(again_of(plan)->failure, RECHECK_BYTES, "%s", message);
}

/* The pass to ask with. */
static struct easim_pass asking_pass(struct again *again) {
    struct easim_pass pass = *again->pass;
    again->host = (struct easim_host){.struct_size = sizeof again->host,
                                      .try_config = pass_on_try_config,
                                      .job_nodes = pass_on_job_nodes,
                                      .scratch = pass_on_scratch,
                                      .uniform = note_uniform,
                                      .fail = note_failure};
    refusing_host_set(&again->host);
    pass.host = &again->host;
    pass.plan = (struct easim_plan *)(void *)again;
    return pass;
}

/* What of the key is another one; NULL: nothing. */
static const char *changed_member(const struct index_queue *q, double value,
                                  const struct easim_key *key) {
    return key->tier != q->tier                                 ? "tier"
           : key->value != value                                ? "value"
           : key->ageing_s != q->ageing_s                       ? "ageing_s"
           : rules_is_urgent(key) != q->urgent                  ? "finish_by_s"
           : !q->urgent && key->may_displace != q->may_displace ? "may_displace"
                                                                : NULL;
}

/* Whether two jobs of one queue are allowed the same. */
static bool allowed_alike(const struct index *index, const struct easim_pass *pass,
                          const struct easim_job *job, const struct easim_job *other) {
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++)
        if (easim_fit(pass->view, easim_view_config(pass->view, c)) >= 0 &&
            rules_allow(index->rules, pass, job, c) != rules_allow(index->rules, pass, other, c))
            return false;
    return true;
}

/* Whether a job admits what the jobs of its queue do; an urgent one in line less and less. */
static bool admits_alike(const struct index *index, const struct easim_pass *pass,
                         const struct easim_job *job, uint32_t queue) {
    const struct index_queue *own = &index->queues.at[queue],
                             *kept = &index->queues.at[index->jobs[job->index].queue];
    bool narrows = kept->in_line && kept->urgent && own->asks == kept->asks;
    const struct easim_list *ops = index->rules->ops;
    return own == kept ||
           (narrows && (!groups_open_now(&index->groups, own->group, pass, ops, job) ||
                        groups_open_now(&index->groups, kept->group, pass, ops, job)));
}

/* Compares; fills in what does not hold. False if something does not. */
static bool compare_answers(struct index *index, const struct easim_pass *pass, uint32_t job,
                            char text[static RECHECK_BYTES]) {
    struct index_job *kept = &index->jobs[job];
    const struct easim_job *waiting = host_job(pass->view, job);
    const struct index_job before = *kept;
    const struct rules *rules = index->rules;
    struct rules doubting = *rules;
    struct easim_key key;
    uint32_t queue;
    doubting.asks_all = true;
    index->rules = &doubting;
    kept->best = NAN; /* so that it is found again */
    int asked = index_ask(index, pass, job, &key);
    bool same_best = before.level != pass->level || kept->best == before.best;
    int found = asked < 0 ? -1 : index_find_queue(index, pass, job, &key, &queue);
    *kept = before;
    index->rules = rules;
    if (found < 0)
        return false; /* host->fail has said why */
    const struct index_queue *q = &index->queues.at[kept->queue];
    double value = index_value(index, job);
    const char *member = index->rules->ops->key ? changed_member(q, value, &key) : NULL;
    if (index->rules->ops->key && !same_best)
        snprintf(
            text, RECHECK_BYTES,
            "the objective of job %.60s is not what it was when the job was queued: it may depend on the parameters, the job and the choice, not on the queue or the cluster",
            waiting->id);
    else if (member)
        snprintf(
            text, RECHECK_BYTES,
            "the %s of the key of job %.60s is not what it was when it was asked for: a key may depend on the parameters, the job, and by ask_again_s the time, not on the queue or the cluster",
            member, waiting->id);
    else if (!admits_alike(index, pass, waiting, queue))
        snprintf(
            text, RECHECK_BYTES,
            "what the objective and objective_max admit of job %.60s is not what it was when the job was queued: they may not depend on the queue or the cluster",
            waiting->id);
    else if (index->rules->ops->allow_start &&
             !allowed_alike(index, pass, waiting,
                            host_job(pass->view, index_any(index, kept->queue))))
        snprintf(
            text, RECHECK_BYTES,
            "allow_start answers otherwise of job %.60s than of a job that waits for the same: of a waiting job only configuration and cluster may matter",
            waiting->id);
    return text[0] == '\0';
}

static bool answers_hold(struct index *index, const struct easim_pass *pass, uint32_t job,
                         char text[static RECHECK_BYTES]) {
    struct again again = {.pass = pass};
    const struct easim_pass own = asking_pass(&again);
    text[0] = '\0';
    if (!index->jobs || index->jobs[job].queue == EASIM_NONE ||
        compare_answers(index, &own, job, text) || again.drew)
        return true;
    if (text[0] == '\0')
        memcpy(text, again.failure, RECHECK_BYTES);
    return false;
}

int recheck_job(struct index *index, const struct easim_pass *pass, uint32_t job) {
    char text[RECHECK_BYTES];
    if (answers_hold(index, pass, job, text))
        return 0;
    pass->host->fail(pass->plan, text);
    return -1;
}

/* That values of users only grow, where the policy says so. */
static int recheck_users(struct index *index, const struct easim_pass *pass) {
    const char *fallen = index_find_fallen(index, pass);
    char text[RECHECK_BYTES];
    if (!fallen)
        return 0;
    snprintf(
        text, sizeof text,
        "the user_factor of user %.60s makes values fall with more usage, against factor_grows",
        fallen);
    pass->host->fail(pass->plan, text);
    return -1;
}

/* That the first job of a queue is where it is expected without a look at it. */
static int recheck_bound(struct index *index, const struct easim_pass *pass, uint32_t queue) {
    bool exact;
    const struct index_rank bound = index_bound(index, pass, queue, &exact),
                            first = index_first(index, pass, queue);
    if (!index_before(&first, &bound) && !(exact && index_before(&bound, &first)))
        return 0;
    pass->host->fail(pass->plan, "check: the first job of a queue is before what bounds it");
    return -1;
}

int recheck_pass(struct index *index, const struct easim_pass *pass, bool all) {
    const struct easim_view *view = pass->view;
    int r = recheck_users(index, pass);
    for (uint32_t i = 0; i < view->event_count && r == 0; i++) {
        uint32_t job = easim_view_event(view, i)->job;
        r = job == EASIM_NONE ? 0 : recheck_job(index, pass, job);
    }
    for (size_t i = 0; i < index->busy.count && r == 0; i++) {
        r = recheck_bound(index, pass, index->busy.at[i]);
        r = r == 0 ? recheck_job(index, pass, index_any(index, index->busy.at[i])) : r;
    }
    struct index_rank first;
    uint32_t queue;
    if (r == 0 && index_next_in_line(index, NULL, NULL, &first, &queue))
        r = recheck_job(index, pass, first.job);
    for (uint32_t i = view->first_waiting; all && i != EASIM_NONE && r == 0;
         i = host_job(view, i)->next_waiting)
        r = recheck_job(index, pass, i);
    return r;
}

bool recheck_at_end(struct index *index, const struct easim_pass *pass,
                    char text[static RECHECK_BYTES]) {
    const struct easim_view *view = pass->view;
    struct again again = {.pass = pass};
    const struct easim_pass own = asking_pass(&again);
    text[0] = '\0';
    if (!index->jobs)
        return false;
    if (index_update(index, &own) < 0) {
        memcpy(text, again.failure, RECHECK_BYTES);
        return true;
    }
    for (uint32_t i = view->first_waiting; i != EASIM_NONE; i = host_job(view, i)->next_waiting)
        if (!answers_hold(index, pass, i, text))
            return true;
    return false;
}
