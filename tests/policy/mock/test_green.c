/* green alone: its levels, the capacity of an hour and its choices, worked out by hand. */
#include "policy_mock.h"

#include "check.h"

/* 8 GPUs. A job of 600 samples: 1 GPU takes 300 s at 200 W, 4 GPUs 150 s at 200 W each. */
static void set_up(struct mock *m) {
    mock_init(m, &easim_policy);
    uint32_t gpu = mock_gpu_type(
        m, (struct easim_gpu_type){.name = "g", .idle_w = 50, .ctx_w = 90, .tdp_w = 400});
    mock_node(m, gpu, 8);
    uint32_t user = mock_user(m, "u", 1);
    mock_config(m, (struct easim_config){.k = 1, .goodput = {2}, .power_w = {200}});
    mock_config(m, (struct easim_config){.k = 4, .goodput = {4}, .power_w = {200}});
    mock_config(m, (struct easim_config){.k = 2, .goodput = {3}, .power_w = {200}});
    for (int i = 0; i < 2; i++)
        mock_job(m, (struct easim_job){.user = user, .remaining = 600, .config_count = 2});
}

/* The hours of the day 100, 300, 200, 400 g/kWh (mean 250), from this one on. */
static void set_hour(struct mock *m, uint32_t first) {
    static const double day[] = {100, 300, 200, 400};
    m->forecast.hour_count = 0;
    for (uint32_t i = 0; i < 4; i++)
        mock_forecast(m, (struct easim_forecast_hour){3600.0 * (first + i), INFINITY, NAN,
                                                      day[(first + i) % 4]});
}

static uint32_t level_of(struct mock *m) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    return easim_policy.list->level(&pass);
}

static bool allowed(struct mock *m, uint32_t job, uint32_t config) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    return easim_policy.list->allow_start(&pass, &m->jobs[job], config);
}

static double objective_at(struct mock *m, uint32_t level, uint32_t config) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    struct easim_choice choice = easim_predict(&m->view, &m->jobs[1], config, EASIM_ONE_NODE);
    pass.level = level;
    return mock_objective_of(&pass, &m->jobs[1], &choice);
}

/* Most GPUs that may be held: the first job holds 4, the second asks for one, two or four more. */
static void check_capacity(struct mock *m) {
    static const struct {
        uint32_t level;
        bool one, two, four;
    } hours[] = {
        {0, true, true, true},   /* 0.85 + 0.15 (250 - 100) / 150 = 1.00: 8 GPUs */
        {5, true, true, false},  /* 0.80: 6.4; 8 (300 - 100) / 300 = 5.3 */
        {3, true, true, false},  /* 0.90: 7.2; 2.7 */
        {8, true, false, false}, /* 0.70: 5.6 */
    };
    for (uint32_t hour = 0; hour < 4; hour++) {
        set_hour(m, hour);
        CHECK(level_of(m) == hours[hour].level);
        CHECK(allowed(m, 1, 0) == hours[hour].one && allowed(m, 1, 2) == hours[hour].two);
        CHECK(allowed(m, 1, 1) == hours[hour].four);
    }
}

int main(void) {
    struct mock m;
    struct easim_plan plan;
    set_up(&m);
    struct easim_pass pass = mock_pass(&m, &plan);
    CHECK(easim_policy.init(&pass) == 0 && strstr(m.counted, "no hour is cleaner") != NULL);
    CHECK(level_of(&m) == 4 && allowed(&m, 0, 1)); /* nothing is forecast */
    CHECK_REAL(mock_key(&m, 0).value, 150.0);
    CHECK(mock_key(&m, 0).ageing_s == 3600 && mock_key(&m, 0).objective_max == 0);
    /* n = 1.5, 1 and 0.5: four GPUs in a clean hour, one in a dirty one */
    CHECK_REAL(objective_at(&m, 0, 0), 60000 * pow(300, 1.5));
    CHECK_REAL(objective_at(&m, 0, 1), 120000 * pow(150, 1.5));
    CHECK(objective_at(&m, 0, 1) < objective_at(&m, 0, 0));
    CHECK_REAL(objective_at(&m, 4, 0), 60000.0 * 300);
    CHECK_REAL(objective_at(&m, 8, 0), 60000 * sqrt(300));
    CHECK_REAL(objective_at(&m, 8, 1), 120000 * sqrt(150));
    CHECK(objective_at(&m, 8, 1) > objective_at(&m, 8, 0));
    set_hour(&m, 3);
    CHECK(allowed(&m, 0, 1)); /* the cluster is empty */
    mock_set_param(&m, "capacity", 0.5);
    CHECK(allowed(&m, 0, 1));
    mock_set_param(&m, "capacity", 0.85);
    mock_host.plan_start(&plan, 0, 1);
    check_capacity(&m);
    mock_set_param(&m, "capacity", 1);
    CHECK(allowed(&m, 1, 1));
    m.action_count = 0;
    easim_policy.list->begin(&pass); /* job 1 waits: wakes at the next full hour, once */
    easim_policy.list->begin(&pass);
    CHECK(m.action_count == 1 && m.actions[0].kind == MOCK_WAKE);
    CHECK(m.actions[0].time_s == 4 * 3600);
    mock_finish(&m);
    return checks_failed > 0;
}
