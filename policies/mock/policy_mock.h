/* policy_mock.h: a host for unit tests of one policy, without easim. Compile the policy, a test
   that includes this header, and nothing else:  cc -Iinclude -Ipolicies/mock -o test_sjf test_sjf.c
   sjf.c -lm

   A mock is a view made of plain arrays and a host that records what the policy asks for. An
   accepted action changes the view at once as easim does: GPUs, placement, states of jobs, power.
   There are no events but those that the test brings about (mock_job, mock_finish_job,
   mock_advance), no energy, and checkpoints take no time. Of a list policy the test asks for keys
   and objectives; the pass over the queue is easim's own and not here. `easim policies --test` is
   for the rest.

   All functions abort on misuse (a job before its user, memory that runs out). */
#ifndef EASIM_POLICY_MOCK_H
#define EASIM_POLICY_MOCK_H

#include <easim/policy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mock_kind { MOCK_START, MOCK_PREEMPT, MOCK_RESIZE, MOCK_WAKE };

/* An action that the policy tried in the last mock_decide. */
struct mock_action {
    enum mock_kind kind;
    int answer;           /* enum easim_answer */
    uint32_t job, config; /* EASIM_NONE where there is none */
    bool at_once;
    double time_s; /* of a wake-up */
};

struct mock {
    const struct easim_policy *policy;
    struct easim_view view;
    struct easim_gpu_type *gpu_types;
    struct easim_node *nodes;
    struct easim_user *users;
    struct easim_config *configs;
    struct easim_job *jobs;
    struct easim_running *running;
    struct easim_event *events;
    uint32_t *held; /* GPUs of each node, by job: held[job * node_count + node] */
    void *params, *state;
    struct mock_action *actions;
    uint32_t action_count;
    double uniform;    /* what host->uniform answers */
    char failure[256]; /* from host->fail */
    char counted[512]; /* from host->count, "what: name", one a line */
    void *scratch[64];
    int scratch_count;
};

/* The host's half of a decision, as easim has one of its own. */
struct easim_plan {
    struct mock *mock;
};

#define MOCK_FUNCTION        __attribute__((unused)) static
#define MOCK_MUST(condition) ((condition) ? (void)0 : mock_abort(__func__, #condition))

_Noreturn MOCK_FUNCTION void mock_abort(const char *function, const char *condition) {
    fprintf(stderr, "policy_mock: %s: expected %s\n", function, condition);
    abort();
}

/* One more element behind `count`; the views of the policy follow. */
#define MOCK_APPEND(m, array, count, value) \
    do { \
        (m)->array = realloc((m)->array, ((count) + 1) * sizeof *(m)->array); \
        MOCK_MUST((m)->array); \
        (m)->array[(count)++] = (value); \
        mock_point(m); \
    } while (0)

MOCK_FUNCTION void mock_point(struct mock *m) {
    m->view.gpu_types = m->gpu_types;
    m->view.nodes = m->nodes;
    m->view.users = m->users;
    m->view.configs = m->configs;
    m->view.jobs = m->jobs;
    m->view.running = m->running;
    m->view.events = m->events;
}

/* --- GPUs --- */

/* Counts free GPUs again, and power with every held GPU at the higher of ctx_w and its computing
 * power. */
MOCK_FUNCTION void mock_count(struct mock *m) {
    m->view.gpus = m->view.free_gpus = 0;
    m->view.power_w = 0;
    for (uint32_t t = 0; t < m->view.gpu_type_count; t++) {
        struct easim_gpu_type *type = &m->gpu_types[t];
        type->gpus = type->free = type->node_gpus_max = type->node_free_max = 0;
        for (uint32_t n = 0; n < m->view.node_count; n++) {
            const struct easim_node *node = &m->nodes[n];
            if (node->gpu_type != t)
                continue;
            type->gpus += node->gpus;
            type->free += node->free;
            type->node_gpus_max =
                node->gpus > type->node_gpus_max ? node->gpus : type->node_gpus_max;
            type->node_free_max =
                node->free > type->node_free_max ? node->free : type->node_free_max;
        }
        m->view.gpus += type->gpus;
        m->view.free_gpus += type->free;
        m->view.power_w += type->free * type->idle_w;
    }
    for (uint32_t j = 0; j < m->view.job_count; j++) {
        const struct easim_job *job = &m->jobs[j];
        const struct easim_config *c = job->config == EASIM_NONE ? NULL : &m->configs[job->config];
        if (c)
            m->view.power_w += c->k * fmax(m->gpu_types[c->gpu_type].ctx_w, c->power_w[job->span]);
    }
}

/* The node of a type with the fewest free GPUs that has k free; k = 0: with the most. EASIM_NONE if
 * there is none.
 */
MOCK_FUNCTION uint32_t mock_choose_node(const struct mock *m, uint32_t gpu_type, uint32_t k) {
    uint32_t best = EASIM_NONE;
    for (uint32_t n = 0; n < m->view.node_count; n++) {
        if (m->nodes[n].gpu_type != gpu_type || m->nodes[n].free < k)
            continue;
        if (best == EASIM_NONE || (k > 0 ? m->nodes[n].free < m->nodes[best].free
                                         : m->nodes[n].free > m->nodes[best].free))
            best = n;
    }
    return best;
}

/* The placement of easim: into one node if possible, else the emptiest nodes first. */
MOCK_FUNCTION void mock_take(struct mock *m, uint32_t job, uint32_t gpu_type, uint32_t k) {
    uint32_t *held = &m->held[(size_t)job * m->view.node_count],
             node = mock_choose_node(m, gpu_type, k);
    while (k > 0) {
        node = node == EASIM_NONE ? mock_choose_node(m, gpu_type, 0) : node;
        uint32_t taken = m->nodes[node].free < k ? m->nodes[node].free : k;
        m->nodes[node].free -= taken;
        held[node] += taken;
        k -= taken;
        node = EASIM_NONE;
    }
    mock_count(m);
}

MOCK_FUNCTION void mock_give_back(struct mock *m, uint32_t job) {
    for (uint32_t n = 0; n < m->view.node_count; n++) {
        uint32_t *held = &m->held[(size_t)job * m->view.node_count + n];
        m->nodes[n].free += *held;
        *held = 0;
    }
    mock_count(m);
}

MOCK_FUNCTION void mock_user_gpus(struct mock *m, uint32_t user, int64_t change) {
    struct easim_user *u = &m->users[user];
    u->gpu_s = easim_user_usage_s(&m->view, user);
    u->as_of_s = m->view.now_s;
    u->allocated_gpus = (uint32_t)(u->allocated_gpus + change);
}

/* --- jobs --- */

MOCK_FUNCTION void mock_link_waiting(struct mock *m) {
    uint32_t next = EASIM_NONE;
    m->view.waiting_count = 0;
    for (uint32_t j = m->view.job_count; j-- > 0;) {
        m->jobs[j].next_waiting = next;
        if (m->jobs[j].state != EASIM_JOB_WAITING)
            continue;
        next = j;
        m->view.waiting_count++;
    }
    m->view.first_waiting = next;
}

MOCK_FUNCTION void mock_run_in(struct mock *m, uint32_t job, uint32_t config, uint32_t span,
                               double setup_s) {
    struct easim_job *j = &m->jobs[job];
    const struct easim_config *c = &m->configs[config];
    j->state = EASIM_JOB_RUNNING;
    j->config = config;
    j->span = span;
    j->setup_s = setup_s;
    j->start_s = m->view.now_s;
    double end_s = m->view.now_s + easim_predict(&m->view, j, config, span).time_s;
    j->predicted_end_ns = (int64_t)ceil(fmin(end_s, 4e9) * 1e9 - 0.001);
    if (j->running_slot == EASIM_NONE) {
        j->running_slot = m->view.running_count;
        MOCK_APPEND(m, running, m->view.running_count, (struct easim_running){0});
    }
    m->running[j->running_slot] = (struct easim_running){
        .job = job, .gpu_type = c->gpu_type, .k = c->k, .predicted_end_ns = j->predicted_end_ns};
    mock_take(m, job, c->gpu_type, c->k);
    mock_user_gpus(m, j->user, c->k);
    mock_link_waiting(m);
}

/* Takes a job's GPUs away; it is in no list then. */
MOCK_FUNCTION void mock_stop(struct mock *m, uint32_t job) {
    struct easim_job *j = &m->jobs[job];
    struct easim_running *last = &m->running[--m->view.running_count];
    mock_user_gpus(m, j->user, -(int64_t)m->configs[j->config].k);
    m->jobs[last->job].running_slot = j->running_slot;
    m->running[j->running_slot] = *last;
    j->running_slot = j->config = j->span = EASIM_NONE;
    mock_give_back(m, job);
}

/* --- the host --- */

MOCK_FUNCTION int mock_answer(struct mock *m, struct mock_action action) {
    MOCK_APPEND(m, actions, m->action_count, action);
    return action.answer;
}

MOCK_FUNCTION bool mock_in_range(const struct mock *m, uint32_t job, uint32_t config) {
    return job < m->view.job_count &&
           config - m->jobs[job].first_config < m->jobs[job].config_count;
}

MOCK_FUNCTION bool mock_running(const struct mock *m, uint32_t job) {
    return job < m->view.job_count && m->jobs[job].state == EASIM_JOB_RUNNING;
}

/* Span and power if job got config now; a running one gives its GPUs back for the question. */
MOCK_FUNCTION int mock_try(struct easim_plan *plan, uint32_t job, uint32_t config,
                           double *power_w) {
    struct mock *m = plan->mock;
    if (!mock_in_range(m, job, config) ||
        (!mock_running(m, job) && m->jobs[job].state != EASIM_JOB_WAITING))
        return EASIM_NOFIT;
    const struct easim_config *c = &m->configs[config];
    const struct easim_gpu_type *type = &m->gpu_types[c->gpu_type];
    struct easim_job before = m->jobs[job];
    const struct easim_config *own =
        before.config == EASIM_NONE ? NULL : &m->configs[before.config];
    double freed_w =
        own ? own->k * (m->gpu_types[own->gpu_type].idle_w -
                        fmax(m->gpu_types[own->gpu_type].ctx_w, own->power_w[before.span]))
            : 0;
    uint32_t free = 0, node_free_max = 0;
    for (uint32_t n = 0; n < m->view.node_count; n++) {
        uint32_t here = m->nodes[n].free + m->held[(size_t)job * m->view.node_count + n];
        if (m->nodes[n].gpu_type != c->gpu_type)
            continue;
        free += here;
        node_free_max = here > node_free_max ? here : node_free_max;
    }
    int span = c->k <= node_free_max ? (int)EASIM_ONE_NODE
               : c->k <= free        ? (int)EASIM_ACROSS_NODES
                                     : (int)EASIM_NOFIT;
    if (power_w && span >= 0)
        *power_w =
            m->view.power_w + freed_w + c->k * (fmax(type->ctx_w, c->power_w[span]) - type->idle_w);
    return span;
}

/* What a start or resize is answered that is otherwise in order; its span or the refusal. */
MOCK_FUNCTION int mock_admit(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct mock *m = plan->mock;
    double power_w = 0;
    int span = mock_try(plan, job, config, &power_w);
    bool capped = m->policy->capabilities & EASIM_CAPABILITY_POWER_CAP;
    return span >= 0 && capped && power_w > m->view.power_cap_w ? (int)EASIM_CAP : span;
}

MOCK_FUNCTION int mock_plan_start(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct mock *m = plan->mock;
    bool valid = mock_in_range(m, job, config) && m->jobs[job].state == EASIM_JOB_WAITING;
    int span = valid ? mock_admit(plan, job, config) : (int)EASIM_INVAL;
    if (span >= 0)
        mock_run_in(m, job, config, (uint32_t)span, m->jobs[job].setup_s);
    return mock_answer(
        m, (struct mock_action){MOCK_START, span < 0 ? span : EASIM_OK, job, config, false, 0});
}

MOCK_FUNCTION int mock_plan_preempt(struct easim_plan *plan, uint32_t job, bool at_once) {
    struct mock *m = plan->mock;
    bool may = m->policy->capabilities & EASIM_CAPABILITY_PREEMPT;
    bool valid = may && mock_running(m, job) && m->jobs[job].preemptible;
    if (valid) {
        struct easim_job *j = &m->jobs[job];
        const struct easim_config *c = &m->configs[j->config];
        double lost = easim_job_lost_s(&m->view, j, at_once) * c->goodput[j->span];
        j->remaining = fmin(j->remaining, easim_job_remaining(&m->view, j) + lost);
        mock_stop(m, job);
        j->state = EASIM_JOB_CHECKPOINTING; /* back in the queue when the decision ends */
        m->view.checkpointing_count++;
        j->started_before = true;
        j->setup_s = j->restart_s;
        j->preemptions++;
    }
    int answer = valid ? (int)EASIM_OK : (int)EASIM_INVAL;
    return mock_answer(m, (struct mock_action){MOCK_PREEMPT, answer, job, EASIM_NONE, at_once, 0});
}

MOCK_FUNCTION int mock_plan_resize(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct mock *m = plan->mock;
    bool may = m->policy->list || (m->policy->capabilities & EASIM_CAPABILITY_RESIZE);
    bool valid = may && mock_running(m, job) && mock_in_range(m, job, config) &&
                 m->jobs[job].config != config;
    int span = valid ? mock_admit(plan, job, config) : (int)EASIM_INVAL;
    if (span >= 0) {
        struct easim_job *j = &m->jobs[job];
        struct easim_choice moved = easim_predict_resized(&m->view, j, config, (uint32_t)span);
        j->remaining = (moved.time_s - moved.setup_s) * m->configs[config].goodput[span];
        mock_stop(m, job);
        mock_run_in(m, job, config, (uint32_t)span, moved.setup_s);
        j->resized_s = m->view.now_s;
        j->resizes++;
    }
    return mock_answer(
        m, (struct mock_action){MOCK_RESIZE, span < 0 ? span : EASIM_OK, job, config, false, 0});
}

MOCK_FUNCTION int mock_plan_wake_at(struct easim_plan *plan, double time_s) {
    struct mock *m = plan->mock;
    bool valid = (m->policy->capabilities & EASIM_CAPABILITY_TICK) && time_s > m->view.now_s;
    return mock_answer(m, (struct mock_action){MOCK_WAKE, valid ? EASIM_OK : EASIM_INVAL,
                                               EASIM_NONE, EASIM_NONE, false, time_s});
}

MOCK_FUNCTION void *mock_scratch(struct easim_plan *plan, size_t bytes) {
    struct mock *m = plan->mock;
    void *memory = calloc(1, bytes + 1);
    MOCK_MUST(memory && m->scratch_count < 64);
    m->scratch[m->scratch_count++] = memory;
    return memory;
}

MOCK_FUNCTION double mock_uniform(struct easim_plan *plan) {
    return plan->mock->uniform;
}

MOCK_FUNCTION void mock_fail(struct easim_plan *plan, const char *message) {
    snprintf(plan->mock->failure, sizeof plan->mock->failure, "%s", message ? message : "");
}

MOCK_FUNCTION void mock_host_count(struct easim_plan *plan, const char *what, const char *name) {
    size_t length = strlen(plan->mock->counted);
    snprintf(plan->mock->counted + length, sizeof plan->mock->counted - length, "%s: %s\n", what,
             name ? name : "");
}

__attribute__((unused)) static const struct easim_host mock_host = {
    .struct_size = sizeof mock_host,
    .plan_start = mock_plan_start,
    .plan_preempt = mock_plan_preempt,
    .plan_resize = mock_plan_resize,
    .try_config = mock_try,
    .plan_wake_at = mock_plan_wake_at,
    .scratch = mock_scratch,
    .uniform = mock_uniform,
    .fail = mock_fail,
    .count = mock_host_count};

/* --- what a test calls --- */

MOCK_FUNCTION void mock_put_number(const struct easim_param *param, void *at, double value) {
    if (param->type == EASIM_PARAM_INT)
        *(int64_t *)at = (int64_t)value;
    else if (param->type == EASIM_PARAM_BOOL)
        *(bool *)at = value != 0;
    else if (param->type == EASIM_PARAM_CHOICE)
        *(int32_t *)at = (int32_t)value;
    else
        *(double *)at = value;
}

/* An empty cluster at t = 0 and the policy's parameters at their defaults. Release with
 * mock_finish. */
MOCK_FUNCTION void mock_init(struct mock *m, const struct easim_policy *policy) {
    *m = (struct mock){.policy = policy};
    m->view = (struct easim_view){.struct_size = sizeof m->view,
                                  .power_cap_w = INFINITY,
                                  .price_per_mwh = NAN,
                                  .carbon_g_per_kwh = NAN,
                                  .usage_half_life_s = INFINITY,
                                  .first_waiting = EASIM_NONE,
                                  .gpu_type_stride = sizeof *m->gpu_types,
                                  .node_stride = sizeof *m->nodes,
                                  .user_stride = sizeof *m->users,
                                  .config_stride = sizeof *m->configs,
                                  .job_stride = sizeof *m->jobs,
                                  .running_stride = sizeof *m->running,
                                  .event_stride = sizeof *m->events};
    m->params = calloc(1, policy->params_size + 1);
    m->state = calloc(1, policy->state_size + 1);
    MOCK_MUST(m->params && m->state);
    for (uint32_t i = 0; i < policy->param_count; i++) {
        const struct easim_param *p = &policy->params[i];
        void *at = (char *)m->params + p->offset;
        if (p->type == EASIM_PARAM_TEXT)
            *(const char **)at = "";
        else if (p->type != EASIM_PARAM_TABLE)
            mock_put_number(p, at, p->default_value);
    }
}

/* The arguments of a callback, e.g. for ops of a list policy that have no function below. */
MOCK_FUNCTION struct easim_pass mock_pass(struct mock *m, struct easim_plan *plan) {
    *plan = (struct easim_plan){m};
    return (struct easim_pass){&m->view, &mock_host, plan, m->params, m->state};
}

/* Number of a new GPU type; fill in name, idle_w, ctx_w, tdp_w, memory_gib. */
MOCK_FUNCTION uint32_t mock_gpu_type(struct mock *m, struct easim_gpu_type type) {
    MOCK_APPEND(m, gpu_types, m->view.gpu_type_count, type);
    mock_count(m);
    return m->view.gpu_type_count - 1;
}

/* All nodes before the first job. */
MOCK_FUNCTION uint32_t mock_node(struct mock *m, uint32_t gpu_type, uint32_t gpus) {
    MOCK_MUST(gpu_type < m->view.gpu_type_count && m->view.job_count == 0);
    struct easim_node node = {.gpu_type = gpu_type, .gpus = gpus, .free = gpus};
    MOCK_APPEND(m, nodes, m->view.node_count, node);
    mock_count(m);
    return m->view.node_count - 1;
}

MOCK_FUNCTION uint32_t mock_user(struct mock *m, const char *name, double weight) {
    struct easim_user user = {.name = name, .weight = weight};
    MOCK_APPEND(m, users, m->view.user_count, user);
    return m->view.user_count - 1;
}

/* Fill in k, batch, gpu_type, goodput and power_w; across nodes they are as inside one where they
   are 0. span_count is 2 unless it says more, as in later versions of easim; nothing is placed in
   those spans. */
MOCK_FUNCTION uint32_t mock_config(struct mock *m, struct easim_config config) {
    MOCK_MUST(config.gpu_type < m->view.gpu_type_count && config.k >= 1 && config.goodput[0] > 0);
    MOCK_MUST(config.milli == 0); /* GPUs of the mock are whole ones */
    config.span_count = config.span_count > 2 ? config.span_count : 2;
    MOCK_MUST(config.span_count <= EASIM_MOST_SPANS);
    for (uint32_t span = config.span_count; span < EASIM_MOST_SPANS; span++)
        MOCK_MUST(config.goodput[span] == 0 && config.power_w[span] == 0);
    config.goodput[1] = config.goodput[1] > 0 ? config.goodput[1] : config.goodput[0];
    config.power_w[1] = config.power_w[1] > 0 ? config.power_w[1] : config.power_w[0];
    config.power_limit_w = config.power_limit_w > 0 ? config.power_limit_w : INFINITY;
    config.empty_span = config.k <= m->gpu_types[config.gpu_type].node_gpus_max
                            ? EASIM_ONE_NODE
                            : EASIM_ACROSS_NODES;
    MOCK_APPEND(m, configs, m->view.config_count, config);
    return m->view.config_count - 1;
}

/* A job that is submitted now. Fill in id, user, remaining, first_config, config_count and what the
   policy looks at: deadline_s (0: none), setup_s, restart_s, checkpoint_s, checkpoint_interval_s,
   preemptible, sla. */
MOCK_FUNCTION uint32_t mock_job(struct mock *m, struct easim_job job) {
    MOCK_MUST(job.user < m->view.user_count && job.config_count > 0);
    MOCK_MUST(job.first_config + job.config_count <= m->view.config_count);
    uint32_t index = m->view.job_count;
    job.index = index;
    job.state = EASIM_JOB_WAITING;
    job.config = job.span = job.running_slot = EASIM_NONE;
    job.submit_ns = m->view.now_ns;
    job.submit_s = m->view.now_s;
    job.deadline_s = job.deadline_s > 0 ? job.deadline_s : INFINITY;
    job.resized_s = -INFINITY;
    job.true_time_s = NAN;
    job.time_best_s = job.edp_best_js = INFINITY;
    for (uint32_t c = job.first_config; c < job.first_config + job.config_count; c++) {
        struct easim_choice choice = easim_predict(&m->view, &job, c, m->configs[c].empty_span);
        if (choice.power_limit_w < INFINITY)
            continue;
        if (choice.time_s < job.time_best_s)
            job.best_config = c;
        job.time_best_s = fmin(job.time_best_s, choice.time_s);
        job.edp_best_js = fmin(job.edp_best_js, choice.edp_js);
    }
    MOCK_APPEND(m, jobs, m->view.job_count, job);
    size_t nodes = m->view.node_count;
    m->held = realloc(m->held, (index + 1) * nodes * sizeof *m->held + 1);
    MOCK_MUST(m->held);
    memset(&m->held[index * nodes], 0, nodes * sizeof *m->held);
    mock_link_waiting(m);
    struct easim_event event = {EASIM_EVENT_ARRIVAL, index};
    MOCK_APPEND(m, events, m->view.event_count, event);
    return index;
}

MOCK_FUNCTION void mock_finish_job(struct mock *m, uint32_t job) {
    MOCK_MUST(mock_running(m, job));
    mock_stop(m, job);
    m->jobs[job].state = EASIM_JOB_FINISHED;
    struct easim_event event = {EASIM_EVENT_FINISH, job};
    MOCK_APPEND(m, events, m->view.event_count, event);
}

MOCK_FUNCTION void mock_advance(struct mock *m, double now_s) {
    MOCK_MUST(now_s >= m->view.now_s);
    m->view.now_s = now_s;
    m->view.now_ns = (int64_t)llround(now_s * 1e9);
}

MOCK_FUNCTION const struct easim_param *mock_param(const struct mock *m, const char *name) {
    const struct easim_param *p = m->policy->params, *end = p + m->policy->param_count;
    while (p < end && strcmp(p->name, name) != 0)
        p++;
    return MOCK_MUST(p < end), p;
}

/* Sets a parameter by its name: numbers, true and false as 1 and 0, choices by index. */
MOCK_FUNCTION void mock_set_param(struct mock *m, const char *name, double value) {
    const struct easim_param *param = mock_param(m, name);
    MOCK_MUST(param->type != EASIM_PARAM_TEXT && param->type != EASIM_PARAM_TABLE);
    mock_put_number(param, (char *)m->params + param->offset, value);
}

/* Sets one that is a table, which must live as long as the mock. */
MOCK_FUNCTION void mock_set_table(struct mock *m, const char *name,
                                  const struct easim_table *table) {
    MOCK_MUST(mock_param(m, name)->type == EASIM_PARAM_TABLE);
    memcpy((char *)m->params + mock_param(m, name)->offset, &table, sizeof table);
}

/* Calls init, if the policy has one. */
MOCK_FUNCTION int mock_start(struct mock *m) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    return m->policy->init ? m->policy->init(&pass) : 0;
}

/* One decision of a free policy; m->actions are then what it tried. */
MOCK_FUNCTION int mock_decide(struct mock *m) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    MOCK_MUST(m->policy->decide);
    m->action_count = 0;
    int r = m->policy->decide(&pass);
    for (uint32_t j = 0; j < m->view.job_count; j++)
        if (m->jobs[j].state == EASIM_JOB_CHECKPOINTING)
            m->jobs[j].state = EASIM_JOB_WAITING;
    m->view.checkpointing_count = 0;
    mock_link_waiting(m);
    while (m->scratch_count > 0)
        free(m->scratch[--m->scratch_count]);
    m->view.event_count = 0;
    return r;
}

/* The objective of a list policy for a job in a configuration, placed as it would be on the empty
 * cluster. */
MOCK_FUNCTION double mock_objective(struct mock *m, uint32_t job, uint32_t config) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    struct easim_choice choice =
        easim_predict(&m->view, &m->jobs[job], config, m->configs[config].empty_span);
    MOCK_MUST(m->policy->list && mock_in_range(m, job, config));
    return m->policy->list->objective ? m->policy->list->objective(&pass, &m->jobs[job], &choice)
                                      : choice.time_s;
}

/* The key of a list policy for a job, with the job's least objective as `best`. */
MOCK_FUNCTION struct easim_key mock_key(struct mock *m, uint32_t job) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    double best = INFINITY;
    MOCK_MUST(m->policy->list && m->policy->list->key && job < m->view.job_count);
    for (uint32_t c = 0; c < m->jobs[job].config_count; c++)
        best = fmin(best, mock_objective(m, job, m->jobs[job].first_config + c));
    struct easim_key key = {0};
    m->policy->list->key(&pass, &m->jobs[job], best, &key);
    return key;
}

MOCK_FUNCTION double mock_user_factor(struct mock *m, uint32_t user) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    MOCK_MUST(m->policy->list && m->policy->list->user_factor);
    return m->policy->list->user_factor(&pass, user);
}

/* Calls finish, if the policy has one, and frees everything. */
MOCK_FUNCTION void mock_finish(struct mock *m) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    if (m->policy->finish)
        m->policy->finish(&pass);
    while (m->scratch_count > 0)
        free(m->scratch[--m->scratch_count]);
    free(m->gpu_types);
    free(m->nodes);
    free(m->users);
    free(m->configs);
    free(m->jobs);
    free(m->running);
    free(m->events);
    free(m->held);
    free(m->params);
    free(m->state);
    free(m->actions);
}

#endif
