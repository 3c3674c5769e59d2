/* mock_view.h: the view of the mock, made of plain arrays: GPUs and where jobs go, jobs that wait,
   run and stop. Part of policy_mock.h. */
#ifndef EASIM_MOCK_VIEW_H
#define EASIM_MOCK_VIEW_H

#include <easim/forecast.h>
#include <easim/power.h>
#include <easim/services.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mock_kind {
    MOCK_START,
    MOCK_PREEMPT,
    MOCK_RESIZE,
    MOCK_WAKE,
    MOCK_REJECT,
    MOCK_SCALE_UP,   /* config: in replica_configs */
    MOCK_SCALE_DOWN, /* config: the place in replicas */
    MOCK_WAKE_CLEAR,
    MOCK_LIMIT
};

/* An action that the policy tried in the last mock_decide. */
struct mock_action {
    enum mock_kind kind;
    int answer;           /* enum easim_answer */
    uint32_t job, config; /* EASIM_NONE where there is none */
    bool at_once;
    double time_s; /* of a wake-up; of a limit: its W */
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
    struct easim_checkpointing *checkpointing;
    struct easim_event *events;
    /* Extensions, by their place in the policy's table; `lacks`, which a test sets: an optional one
       that this host is to lack. */
    const void *extensions[EASIM_MOST_EXTENSIONS];
    bool lacks[EASIM_MOST_EXTENSIONS];
    struct easim_forecast forecast;
    struct easim_forecast_hour *hours;
    struct easim_power power;
    struct easim_power_job *power_jobs; /* by job */
    struct easim_services scaling;
    struct easim_service *services;
    struct easim_replica_config *replica_configs;
    struct easim_replica *replicas;
    /* What replica_figure answers; NULL: NAN. */
    double (*replica_figure)(uint32_t replica_config, double load, uint32_t figure);
    uint32_t span_nodes[2];
    uint32_t *held; /* GPUs of each node, by job: held[job * node_count + node] */
    void *params, *state;
    uint32_t level;   /* of a list policy with levels: as the test sets it */
    char *job_memory; /* job_memory_size bytes of each job, rounded up */
    struct mock_action *actions;
    uint32_t action_count;
    double uniform;    /* what host->uniform answers */
    char failure[256]; /* from host->fail */
    char counted[512]; /* from host->count, "what: name", one a line */
    uint32_t told;     /* the job whose story the test asks for; EASIM_NONE: of none */
    char reason[512];  /* from host->reason, the last of that job */
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
    m->view.checkpointing = m->checkpointing;
    m->view.events = m->events;
    m->forecast.hours = m->hours;
    m->power.jobs = m->power_jobs;
    m->scaling.services = m->services;
    m->scaling.replica_configs = m->replica_configs;
    m->scaling.replicas = m->replicas;
}

/* --- GPUs --- */

/* Counts free GPUs again, and power with every held GPU at the higher of ctx_w and its computing
 * power. */
MOCK_FUNCTION void mock_count(struct mock *m) {
    m->view.gpus = m->view.free_gpus = 0;
    m->span_nodes[EASIM_ONE_NODE] = 1;
    m->span_nodes[EASIM_ACROSS_NODES] = m->view.node_count;
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
        type->span_gpus_max[EASIM_ONE_NODE] = type->node_gpus_max;
        type->span_free_max[EASIM_ONE_NODE] = type->node_free_max;
        type->span_gpus_max[EASIM_ACROSS_NODES] = type->gpus;
        type->span_free_max[EASIM_ACROSS_NODES] = type->free;
        m->view.gpus += type->gpus;
        m->view.free_gpus += type->free;
        m->view.power_w += type->free * type->idle_w;
    }
    for (uint32_t j = 0; j < m->view.job_count; j++) {
        const struct easim_job *job = &m->jobs[j];
        const struct easim_config *c = job->config == EASIM_NONE ? NULL : &m->configs[job->config];
        if (c)
            m->view.power_w += c->k * fmax(m->gpu_types[c->gpu_type].ctx_w, job->power_now_w);
    }
    for (uint32_t r = 0; r < m->scaling.replica_count; r++)
        if (m->replicas[r].state != EASIM_REPLICA_NONE)
            m->view.power_w += m->replica_configs[m->replicas[r].config].most_w;
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
    j->goodput_now = c->goodput[span];
    j->power_now_w = c->power_w[span];
    double end_s = m->view.now_s + easim_predict(&m->view, j, config, span).time_s;
    j->predicted_end_ns = (int64_t)ceil(fmin(end_s, 4e9) * 1e9 - 0.001);
    if (j->running_slot == EASIM_NONE) {
        j->running_slot = m->view.running_count;
        MOCK_APPEND(m, running, m->view.running_count, (struct easim_running){0});
    }
    m->running[j->running_slot] = (struct easim_running){
        .job = job, .gpu_type = c->gpu_type, .k = c->k, .predicted_end_ns = j->predicted_end_ns};
    const struct easim_gpu_type *type = &m->gpu_types[c->gpu_type];
    m->power_jobs[job] = (struct easim_power_job){.wish_w = c->power_limit_w,
                                                  .draw_w = c->power_w[span],
                                                  .speed = 1,
                                                  .least_w = 0.4 * type->tdp_w,
                                                  .most_w = type->tdp_w};
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
    j->goodput_now = j->power_now_w = 0;
    m->power_jobs[job] = (struct easim_power_job){0};
    mock_give_back(m, job);
}

#endif
