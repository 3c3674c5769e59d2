/* The host of the mock: every action, accepted and refused, by a policy that does what the test
 * says. */
#include "policy_mock.h"

#include "check.h"

static void (*next)(
    const struct easim_pass *pass); /* one test, one thread: a static is fine here */

static int decide(const struct easim_pass *pass) {
    next(pass);
    return 0;
}

struct params {
    double limit;
};

static const struct easim_param params[] = {{"limit", "s", "for the test", EASIM_PARAM_REAL,
                                             offsetof(struct params, limit), 0, 10, 2.385, false,
                                             NULL, EASIM_ROLE_NONE}};

static const struct easim_extension extensions[] = {
    EASIM_SERVICES(false), {"easim.unheard_of", 1, 8, true}, EASIM_FORECAST(true)};

const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                          .name = "puppet",
                                          .version = "1",
                                          .summary = "does what the test says",
                                          .capabilities =
                                              EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE |
                                              EASIM_CAPABILITY_POWER_CAP | EASIM_CAPABILITY_REJECT,
                                          .params_size = sizeof(struct params),
                                          .params = params,
                                          .param_count = 1,
                                          .decide = decide,
                                          .job_memory_size = sizeof(uint32_t),
                                          .extensions = extensions,
                                          .extension_count = 3,
                                          .extension_bytes = sizeof *extensions};

/* Nodes of 2 and 3 GPUs; job 0 may have 1 or 4 GPUs, job 1 has 2. */
static void set_up(struct mock *m) {
    mock_init(m, &easim_policy);
    mock_gpu_type(m, (struct easim_gpu_type){.name = "g", .idle_w = 50, .ctx_w = 90, .tdp_w = 400});
    mock_node(m, 0, 2);
    mock_node(m, 0, 3);
    mock_user(m, "u", 1);
    mock_config(m, (struct easim_config){.k = 1, .goodput = {1}, .power_w = {300}});
    mock_config(m, (struct easim_config){.k = 4, .goodput = {4, 2.5}, .power_w = {200, 150}});
    mock_config(m, (struct easim_config){.k = 2, .goodput = {1}, .power_w = {100}});
    mock_job(
        m,
        (struct easim_job){
            .id = "a", .remaining = 100, .config_count = 2, .restart_s = 7, .preemptible = true});
    mock_job(m,
             (struct easim_job){.id = "b", .remaining = 10, .first_config = 2, .config_count = 1});
}

static int answers[8];
static double power_w;

static void start_both(const struct easim_pass *pass) {
    answers[0] = pass->host->plan_start(pass->plan, 0, 2);           /* not its configuration */
    answers[1] = pass->host->try_config(pass->plan, 0, 1, &power_w); /* 4 of 2 + 3: across nodes */
    answers[2] = pass->host->plan_start(pass->plan, 0, 1);
    answers[3] = pass->host->plan_start(pass->plan, 1, 2); /* one GPU is left */
    answers[4] = pass->host->plan_start(pass->plan, 9, 0);
    answers[5] = pass->host->plan_wake_at(pass->plan, 5); /* TICK is not declared */
}

static void resize(const struct easim_pass *pass) {
    struct easim_job_node nodes[2];
    answers[0] = pass->host->plan_resize(pass->plan, 0, 1); /* it has that: nothing happens */
    answers[4] = pass->host->job_nodes(pass->plan, 0, nodes, 1) == 2 && nodes[0].node == 0 &&
                 nodes[0].gpus == 1 && pass->host->job_nodes(pass->plan, 0, NULL, 0) == 2;
    answers[1] = pass->host->plan_resize(pass->plan, 0, 0);
    answers[2] = pass->host->plan_start(pass->plan, 1, 2);
    answers[3] = pass->host->plan_preempt(pass->plan, 1, true); /* not preemptible */
}

static void preempt(const struct easim_pass *pass) {
    answers[0] = pass->host->plan_preempt(pass->plan, 0, true);
    answers[1] = pass->host->plan_start(pass->plan, 0, 0); /* not before the decision has ended */
    answers[2] = ((char *)pass->host->scratch(pass->plan, 100))[99];
    answers[3] = pass->host->uniform(pass->plan) == 0.25;
    answers[4] = ((const struct params *)pass->params)->limit == 2.385;
    pass->host->fail(pass->plan, "2.385 is too much");
}

/* a on one GPU of the first node and b on two of the second: a moves to four GPUs, for which b must
   stop; b is not preemptible, so not. */
static void exchange(const struct easim_pass *pass) {
    struct easim_part parts[2] = {{EASIM_PART_RESIZE, 0, 1, false},
                                  {EASIM_PART_PREEMPT, 1, 0, true}};
    uint32_t part = 7;
    double tried_w = 0;
    answers[0] = easim_try_exchange(pass, parts, 2, &part, &tried_w);
    answers[2] = part == 1;
    answers[1] = easim_plan_exchange(pass, parts, 2, &part);
    answers[2] = answers[2] && part == 1;
    answers[3] = easim_plan_exchange(pass, parts, 1, &part); /* three GPUs are free for four */
    parts[1] = (struct easim_part){EASIM_PART_START, 1, 2, false};
    answers[4] = easim_plan_exchange(pass, parts, 2, NULL); /* b runs */
    answers[5] = easim_plan_exchange(pass, parts, 0, NULL);
    answers[6] = pass->host->plan_reject(pass->plan, 0, NULL); /* a runs */
    power_w = pass->view->power_w;
}

/* c takes the GPU of a, and a what is free; then d is refused for good. */
static void exchange_well(const struct easim_pass *pass) {
    const struct easim_part parts[2] = {{EASIM_PART_START, 2, 0, false},
                                        {EASIM_PART_PREEMPT, 0, 0, true}};
    uint32_t *seen = easim_job_memory(pass, 2);
    double tried_w = 0;
    answers[0] = easim_try_exchange(pass, parts, 2, NULL, &tried_w);
    answers[1] = pass->view->jobs == NULL || easim_view_job(pass->view, 2)->config == EASIM_NONE;
    answers[2] = easim_plan_exchange(pass, parts, 2, NULL);
    answers[3] = fabs(tried_w - pass->view->power_w) < 1e-9;
    answers[4] = pass->host->plan_reject(pass->plan, 3, "no room");
    answers[5] = easim_view_job(pass->view, 3)->state == EASIM_JOB_REJECTED; /* it has just come */
    answers[6] = pass->view->checkpointing_count == 1 &&
                 easim_view_checkpointing(pass->view, 0)->job == 0 && (*seen)++ == 0;
}

static void start_one(const struct easim_pass *pass) {
    answers[0] = pass->host->plan_start(pass->plan, 0, 0);
    pass->host->fail(pass->plan, NULL); /* takes back what it said */
}

static void scale(const struct easim_pass *pass) {
    const struct easim_services *host = easim_services_of(pass, 0);
    answers[0] = host->plan_scale_up(pass->plan, 1);   /* 3 GPUs of one node: there are */
    answers[1] = host->plan_scale_up(pass->plan, 1);   /* no other node has 3 */
    answers[2] = host->plan_scale_up(pass->plan, 0);   /* 650 W more than the cap allows */
    answers[3] = host->plan_scale_up(pass->plan, 7);   /* no such configuration */
    answers[4] = host->plan_scale_down(pass->plan, 9); /* no such replica */
    power_w = host->replica_figure(pass->plan, 1, 0.5, EASIM_REPLICA_POWER_W);
    answers[5] = isnan(host->replica_figure(pass->plan, 1, 1.5, EASIM_REPLICA_POWER_W));
}

static void shrink(const struct easim_pass *pass) {
    const struct easim_services *host = easim_services_of(pass, 0);
    answers[0] = host->plan_scale_down(pass->plan, 0); /* one is left, the least */
    answers[1] = host->plan_scale_down(pass->plan, 1);
    answers[2] = host->plan_scale_down(pass->plan, 0); /* gone */
}

/* One that nobody knows is NULL, and one that the test takes away. */
static void look_at_extensions(const struct easim_pass *pass) {
    const struct easim_forecast *forecast = easim_forecast_of(pass, 2);
    answers[0] = easim_services_of(pass, 0)->service_count == 0 && !pass->extensions[1];
    answers[1] = forecast ? (int)easim_forecast_at(forecast, 0, 1)->carbon_g_per_kwh : -1;
}

static void extensions_of_the_mock(void) {
    struct mock m;
    set_up(&m);
    mock_forecast(&m, (struct easim_forecast_hour){0, INFINITY, 50, 100});
    mock_forecast(&m, (struct easim_forecast_hour){3600, INFINITY, 50, 238});
    next = look_at_extensions;
    mock_decide(&m);
    CHECK(answers[0] && answers[1] == 238);
    m.lacks[2] = true;
    mock_decide(&m);
    CHECK(answers[0] && answers[1] == -1);
    mock_finish(&m);
}

static double figure(uint32_t config, double load, uint32_t which) {
    return 100 * config + 10 * which + load;
}

/* A replica of one GPU, which must stay, on nodes of 2 and 3 GPUs; one of three GPUs comes. */
static void services(void) {
    struct mock m;
    set_up(&m);
    mock_service(&m, (struct easim_service){.name = "chat", .min = 1, .max = 3, .start_s = 20});
    mock_replica_config(&m, (struct easim_replica_config){.k = 1, .most_per_s = 10, .most_w = 700});
    mock_replica_config(&m, (struct easim_replica_config){.k = 3, .most_per_s = 50, .most_w = 900});
    CHECK(mock_replica(&m, 0) == 0 && m.nodes[0].free == 1);
    CHECK_REAL(m.view.power_w, 700 + 4 * 50.0);
    m.replica_figure = figure;
    m.view.power_cap_w = 700 + 900 + 50;
    next = scale;
    mock_decide(&m);
    CHECK(answers[0] == EASIM_OK && answers[1] == EASIM_NOFIT && answers[2] == EASIM_CAP);
    CHECK(answers[3] == EASIM_INVAL && answers[4] == EASIM_INVAL && answers[5]);
    CHECK_REAL(power_w, 110.5);
    CHECK(m.services[0].ready == 1 && m.services[0].loading == 1 && m.nodes[1].free == 0);
    CHECK(m.replicas[1].number == 2 && m.replicas[1].node == 1 && m.replicas[1].ready_s == 20);
    CHECK_REAL(m.services[0].loading_per_s, 50.0);
    CHECK_REAL(m.view.power_w, m.view.power_cap_w);
    m.view.power_cap_w = INFINITY;
    mock_advance(&m, 20);
    mock_load_replicas(&m);
    CHECK(m.services[0].ready == 2 && m.services[0].loading == 0);
    CHECK_REAL(m.services[0].ready_per_s, 60.0);
    next = scale;
    mock_decide(&m); /* no node has 3 free; the third is the last */
    CHECK(answers[0] == EASIM_NOFIT && answers[1] == EASIM_NOFIT && answers[2] == EASIM_OK);
    next = shrink;
    m.services[0].min = 2;
    mock_decide(&m);
    CHECK(answers[0] == EASIM_OK && answers[1] == EASIM_INVAL && answers[2] == EASIM_INVAL);
    CHECK(m.actions[1].kind == MOCK_SCALE_DOWN && m.actions[1].config == 1 && m.nodes[0].free == 1);
    mock_finish(&m);
}

int main(void) {
    struct mock m;
    set_up(&m);
    m.uniform = 0.25;
    uint32_t more = mock_config(
        &m, (struct easim_config){.k = 1, .span_count = 3, .goodput = {1, 0, 9}, .power_w = {300}});
    CHECK(m.configs[0].span_count == 2 && m.configs[0].goodput[1] == 1);
    CHECK(m.configs[more].span_count == 3 && m.configs[more].goodput[2] == 9);
    next = start_both;
    mock_decide(&m);
    CHECK(answers[0] == EASIM_INVAL && answers[1] == EASIM_ACROSS_NODES && answers[2] == EASIM_OK);
    CHECK(answers[3] == EASIM_NOFIT && answers[4] == EASIM_INVAL && answers[5] == EASIM_INVAL);
    CHECK_REAL(power_w, 4 * 150.0 + 50); /* four at work across nodes, one idle */
    CHECK_REAL(m.view.power_w, power_w);
    CHECK(m.jobs[0].predicted_end_ns == 40000000000); /* 100 samples / 2.5 a second */
    CHECK(m.nodes[0].free == 1 && m.nodes[1].free == 0 && m.action_count == 5);
    mock_advance(&m, 10); /* 25 samples are done, the rest moves to one GPU with a set-up of 7 s */
    next = resize;
    mock_decide(&m);
    CHECK(answers[0] == EASIM_OK && answers[1] == EASIM_OK && answers[2] == EASIM_OK &&
          answers[3] == EASIM_INVAL && answers[4] && m.action_count == 3);
    CHECK_REAL(m.jobs[0].remaining, 75.0);
    CHECK(m.jobs[0].predicted_end_ns == 92000000000 && m.jobs[0].resizes == 1 &&
          m.jobs[0].resized_s == 10);
    CHECK_REAL(m.view.power_w, 300 + 2 * 100 + 2 * 50.0);
    mock_advance(&m, 27); /* 10 s of computing after the set-up, all lost */
    next = preempt;
    mock_decide(&m);
    CHECK(answers[0] == EASIM_OK && answers[1] == EASIM_INVAL && answers[2] == 0 && answers[3] &&
          answers[4]);
    CHECK_REAL(m.jobs[0].remaining, 75.0);
    CHECK(m.jobs[0].state == EASIM_JOB_WAITING && m.jobs[0].setup_s == 7 &&
          m.jobs[0].preemptions == 1);
    CHECK(m.view.first_waiting == 0 && m.view.running_count == 1 && m.running[0].job == 1);
    CHECK(m.jobs[1].running_slot == 0 && strcmp(m.failure, "2.385 is too much") == 0);
    CHECK_REAL(m.users[0].gpu_s, 4 * 10 + 3 * 17.0);
    m.view.power_cap_w = 599; /* b and three idle GPUs draw 350 W, a on one more 300 - 50 */
    next = start_one;
    mock_decide(&m);
    CHECK(answers[0] == EASIM_CAP && m.failure[0] == '\0');
    m.view.power_cap_w = 600;
    mock_decide(&m);
    CHECK(answers[0] == EASIM_OK);
    CHECK_REAL(m.view.power_w, 600.0);
    next = exchange;
    mock_decide(&m);
    CHECK(answers[0] == EASIM_INVAL && answers[1] == EASIM_INVAL && answers[2]);
    CHECK(answers[3] == EASIM_NOFIT && answers[4] == EASIM_INVAL && answers[5] == EASIM_INVAL);
    CHECK(answers[6] == EASIM_INVAL && m.view.running_count == 2 && m.view.free_gpus == 2);
    CHECK_REAL(power_w, 600.0);
    m.view.power_cap_w = INFINITY;
    for (int i = 0; i < 2; i++)
        mock_job(&m, (struct easim_job){.id = "c", .remaining = 5, .config_count = 1});
    next = exchange_well;
    mock_decide(&m);
    CHECK(answers[0] == EASIM_OK && answers[1] && answers[2] == EASIM_OK && answers[3]);
    CHECK(answers[4] == EASIM_OK && answers[5] && answers[6]);
    CHECK(m.jobs[2].state == EASIM_JOB_RUNNING && m.jobs[0].state == EASIM_JOB_WAITING);
    CHECK(m.jobs[3].state == EASIM_JOB_REJECTED && m.view.first_waiting == 0);
    mock_finish(&m);
    services();
    extensions_of_the_mock();
    return checks_failed > 0;
}
