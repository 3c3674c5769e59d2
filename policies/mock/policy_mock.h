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

#include "mock_host.h"

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
    static const char *const span_names[] = {"one_node", "across_nodes"};
    *m = (struct mock){.policy = policy, .told = EASIM_NONE};
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
                                  .event_stride = sizeof *m->events,
                                  .checkpointing_stride = sizeof *m->checkpointing,
                                  .span_count = 2,
                                  .span_names = span_names,
                                  .span_nodes = m->span_nodes};
    m->forecast = (struct easim_forecast){
        .struct_size = sizeof m->forecast, .site_count = 1, .hour_stride = sizeof *m->hours};
    m->scaling = (struct easim_services){.struct_size = sizeof m->scaling,
                                         .service_stride = sizeof *m->services,
                                         .replica_config_stride = sizeof *m->replica_configs,
                                         .replica_stride = sizeof *m->replicas,
                                         .plan_scale_up = mock_plan_scale_up,
                                         .plan_scale_down = mock_plan_scale_down,
                                         .replica_figure = mock_replica_figure};
    m->power = (struct easim_power){.struct_size = sizeof m->power,
                                    .job_stride = sizeof *m->power_jobs,
                                    .plan_limit = mock_plan_limit};
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

MOCK_FUNCTION size_t mock_memory_stride(const struct mock *m) {
    return (m->policy->job_memory_size + 15) / 16 * 16;
}

/* The struct of the policy's extension at that place; NULL: this host lacks it. */
MOCK_FUNCTION const void *mock_extension(const struct mock *m, uint32_t place) {
    const struct easim_extension *row = &m->policy->extensions[place];
    bool is_forecast = row->version == 1 && strcmp(row->name, "easim.forecast") == 0,
         is_services = row->version == 1 && strcmp(row->name, "easim.services") == 0,
         is_power = row->version == 1 && strcmp(row->name, "easim.power") == 0;
    MOCK_MUST(row->optional || (!m->lacks[place] && (is_forecast || is_services || is_power)));
    return m->lacks[place] ? NULL
           : is_forecast   ? (const void *)&m->forecast
           : is_services   ? (const void *)&m->scaling
           : is_power      ? (const void *)&m->power
                           : NULL;
}

/* The arguments of a callback, e.g. for ops of a list policy that have no function below. */
MOCK_FUNCTION struct easim_pass mock_pass(struct mock *m, struct easim_plan *plan) {
    bool capped = m->policy->capabilities & EASIM_CAPABILITY_POWER_CAP;
    *plan = (struct easim_plan){m};
    m->view.fit_is_exact = !capped || m->view.power_cap_w == INFINITY;
    for (uint32_t i = 0; i < m->policy->extension_count; i++)
        m->extensions[i] = mock_extension(m, i);
    return (struct easim_pass){.struct_size = sizeof(struct easim_pass),
                               .view = &m->view,
                               .host = &mock_host,
                               .plan = plan,
                               .params = m->params,
                               .state = m->state,
                               .job_memory = m->job_memory,
                               .job_memory_stride = mock_memory_stride(m),
                               .level = m->level,
                               .told = m->told,
                               .extensions = m->extensions};
}

/* Number of a new GPU type; fill in name, idle_w, ctx_w, tdp_w, memory_gib. */
MOCK_FUNCTION uint32_t mock_gpu_type(struct mock *m, struct easim_gpu_type type) {
    MOCK_APPEND(m, gpu_types, m->view.gpu_type_count, type);
    mock_count(m);
    return m->view.gpu_type_count - 1;
}

/* What is forecast of one more hour, from the present one on: a policy that lists easim.forecast
   sees it. To go on to the next hour, set m->forecast.hour_count to 0 and fill them in again. */
MOCK_FUNCTION void mock_forecast(struct mock *m, struct easim_forecast_hour hour) {
    MOCK_MUST(mock_lists(m->policy, "easim.forecast"));
    MOCK_APPEND(m, hours, m->forecast.hour_count, hour);
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
    job.here = true;
    job.group = EASIM_NONE;
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
    uint32_t power_count = m->view.job_count;
    MOCK_APPEND(m, power_jobs, power_count, (struct easim_power_job){0});
    MOCK_APPEND(m, jobs, m->view.job_count, job);
    size_t nodes = m->view.node_count, stride = mock_memory_stride(m);
    m->held = realloc(m->held, (index + 1) * nodes * sizeof *m->held + 1);
    MOCK_MUST(m->held);
    memset(&m->held[index * nodes], 0, nodes * sizeof *m->held);
    if (stride > 0) {
        m->job_memory = realloc(m->job_memory, (index + 1) * stride);
        MOCK_MUST(m->job_memory);
        memset(m->job_memory + index * stride, 0, stride);
    }
    mock_link_waiting(m);
    struct easim_event event = {EASIM_EVENT_ARRIVAL, index, EASIM_NONE};
    MOCK_APPEND(m, events, m->view.event_count, event);
    return index;
}

MOCK_FUNCTION void mock_finish_job(struct mock *m, uint32_t job) {
    MOCK_MUST(mock_running(m, job));
    m->jobs[job].held_gpu_s = easim_job_held_gpu_s(&m->view, &m->jobs[job]);
    mock_stop(m, job);
    m->jobs[job].state = EASIM_JOB_FINISHED;
    m->jobs[job].here = false;
    struct easim_event event = {EASIM_EVENT_FINISH, job, EASIM_NONE};
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

/* Calls init, if the policy has one; 0 or negative. */
MOCK_FUNCTION int mock_start(struct mock *m) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    int r = m->policy->init ? m->policy->init(&pass) : 0;
    return MOCK_MUST(r <= 0), r;
}

/* One decision of a free policy; m->actions are then what it tried. */
MOCK_FUNCTION int mock_decide(struct mock *m) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    MOCK_MUST(m->policy->decide);
    m->action_count = 0;
    int r = m->policy->decide(&pass);
    MOCK_MUST(r <= 0);
    for (uint32_t i = 0; i < m->view.checkpointing_count; i++) {
        struct easim_job *j = &m->jobs[m->checkpointing[i].job];
        j->state = EASIM_JOB_WAITING;
        j->running_slot = EASIM_NONE;
    }
    m->view.checkpointing_count = 0;
    mock_link_waiting(m);
    while (m->scratch_count > 0)
        free(m->scratch[--m->scratch_count]);
    m->view.event_count = 0;
    return r;
}

/* What a list policy minimises, of a choice, at the level of the pass. */
MOCK_FUNCTION double mock_objective_of(const struct easim_pass *pass, const struct easim_job *job,
                                       const struct easim_choice *choice) {
    const struct easim_list *list = pass->plan->mock->policy->list;
    struct easim_objective objective;
    memset(&objective, 0, sizeof objective);
    objective.struct_size = sizeof objective;
    if (list->minimise)
        list->minimise(pass, &objective);
    if (objective.kind == EASIM_MINIMISE_OWN)
        return objective.objective(pass, job, choice);
    MOCK_MUST(objective.kind <= EASIM_MINIMISE_OWN && objective.exponent >= 0);
    return objective.kind == EASIM_MINIMISE_TIME
               ? choice->time_s
               : easim_choice_edp(choice, objective.exponent, objective.marginal);
}

/* The objective of a list policy for a job in a configuration, placed as it would be on the empty
 * cluster. */
MOCK_FUNCTION double mock_objective(struct mock *m, uint32_t job, uint32_t config) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    struct easim_choice choice =
        easim_predict(&m->view, &m->jobs[job], config, m->configs[config].empty_span);
    MOCK_MUST(m->policy->list && mock_in_range(m, job, config));
    return mock_objective_of(&pass, &m->jobs[job], &choice);
}

/* The key of a list policy for a job, with the job's least objective as `best`. */
MOCK_FUNCTION struct easim_key mock_key(struct mock *m, uint32_t job) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    double best = INFINITY;
    MOCK_MUST(m->policy->list && m->policy->list->key && job < m->view.job_count);
    for (uint32_t c = 0; c < m->jobs[job].config_count; c++)
        best = fmin(best, mock_objective(m, job, m->jobs[job].first_config + c));
    struct easim_key key = {.struct_size = sizeof key};
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
    free(m->checkpointing);
    free(m->events);
    free(m->hours);
    free(m->services);
    free(m->power_jobs);
    free(m->replica_configs);
    free(m->replicas);
    free(m->held);
    free(m->params);
    free(m->state);
    free(m->job_memory);
    free(m->actions);
}

#endif
