/* greenflow alone: its account and its choices, worked out by hand. */
#include "policy_mock.h"

#include "check.h"

static struct easim_plan plan;

/* 4 GPUs of at most 400 W. A job of 600 samples: 1 GPU takes 300 s at 200 W, 4 GPUs 150 s at 220 W
   each, 3 GPUs 200 s; another knows 3 GPUs only. 200 g/kWh now and on the mean of what is forecast:
   half of 1.6 kW are 160 g an hour, of which six hours may be saved, 960 g. */
static struct easim_pass set_up(struct mock *m, double intensity) {
    mock_init(m, &easim_policy);
    uint32_t gpu = mock_gpu_type(
        m, (struct easim_gpu_type){.name = "g", .idle_w = 50, .ctx_w = 90, .tdp_w = 400});
    mock_node(m, gpu, 4);
    uint32_t user = mock_user(m, "u", 1);
    mock_config(m, (struct easim_config){.k = 1, .goodput = {2}, .power_w = {200}});
    mock_config(m, (struct easim_config){.k = 4, .goodput = {4}, .power_w = {220}});
    mock_config(m, (struct easim_config){.k = 3, .goodput = {3}, .power_w = {200}});
    mock_job(m, (struct easim_job){.user = user, .remaining = 600, .config_count = 3});
    mock_job(m, (struct easim_job){
                    .user = user, .remaining = 600, .first_config = 2, .config_count = 1});
    m->view.carbon_g_per_kwh = intensity;
    struct easim_pass pass = mock_pass(m, &plan);
    return pass;
}

/* The level after a decision at that time, when so many kWh have been drawn since the last. */
static uint32_t level_after(struct mock *m, const struct easim_pass *pass, double now_s,
                            double kwh) {
    mock_advance(m, now_s);
    m->view.energy_j = kwh * 3.6e6;
    easim_policy.list->begin(pass);
    return easim_policy.list->level(pass);
}

static double objective_at(struct mock *m, const struct easim_pass *pass, uint32_t level,
                           uint32_t job, uint32_t config) {
    struct easim_pass own = *pass;
    struct easim_choice choice = easim_predict(&m->view, &m->jobs[job], config, EASIM_ONE_NODE);
    own.level = level;
    return mock_objective_of(&own, &m->jobs[job], &choice);
}

static void test_account(void) {
    struct mock m;
    struct easim_pass pass = set_up(&m, 200);
    mock_forecast(&m, (struct easim_forecast_hour){0, INFINITY, NAN, 200});
    mock_forecast(&m, (struct easim_forecast_hour){3600, INFINITY, NAN, 50});
    mock_forecast(&m, (struct easim_forecast_hour){7200, INFINITY, NAN, 350});
    mock_forecast(&m, (struct easim_forecast_hour){10800, INFINITY, NAN, NAN});
    CHECK(easim_policy.init(&pass) == 0 && m.counted[0] == '\0');
    CHECK(easim_policy.list->level(&pass) == 4); /* empty: debt 0.5 */
    m.view.carbon_g_per_kwh = 50; /* from now on: what has been drawn was drawn at 200 */
    /* 0 + 160 - 2 x 200 = -240 g: (960 + 240) / 1920 = 0.625 of 8 */
    CHECK(level_after(&m, &pass, 3600, 2) == 5);
    /* -240 + 160 - 1 x 50 = -130: 0.568 of 8 is 4.54; -130 - 8 x 50 + 160 = -370: 5.54 */
    CHECK(level_after(&m, &pass, 7200, 1) == 5);
    CHECK(level_after(&m, &pass, 10800, 8) == 6);
    CHECK(level_after(&m, &pass, 46800, 0) == 0);   /* + 1600: full at 960 */
    CHECK(level_after(&m, &pass, 50400, 3.2) == 0); /* 960 + 160 - 160: still */
    CHECK(level_after(&m, &pass, 54000, 6.4) == 1); /* 800: 0.083 of 8 is 0.67 */
    CHECK(level_after(&m, &pass, 57600, 99) == 8);  /* a debt of more than a window */
    mock_finish(&m);
}

/* Without an intensity a gram is a kWh: 0.8 kWh an hour, 4.8 in a window. */
static void test_energy(void) {
    struct mock m;
    struct easim_pass pass = set_up(&m, NAN);
    CHECK(easim_policy.init(&pass) == 0 && strstr(m.counted, "one of energy") != NULL);
    CHECK(level_after(&m, &pass, 3600, 0.8) == 4);
    CHECK(level_after(&m, &pass, 7200, 2.8) == 6); /* -2: 0.708 of 8 is 5.67 */
    mock_finish(&m);
}

static void test_choice(void) {
    struct mock m;
    struct easim_pass pass = set_up(&m, 200);
    CHECK(easim_policy.init(&pass) == 0);
    CHECK_REAL(mock_key(&m, 0).value, 150.0);
    CHECK_REAL(objective_at(&m, &pass, 0, 0, 0), 300.0); /* time alone */
    CHECK_REAL(objective_at(&m, &pass, 0, 0, 1), 150.0);
    CHECK_REAL(objective_at(&m, &pass, 1, 0, 1), 150 + 132000.0 / 400 / 16);
    CHECK_REAL(objective_at(&m, &pass, 5, 0, 0), 300 + 60000.0 / 400);  /* 450 */
    CHECK_REAL(objective_at(&m, &pass, 5, 0, 1), 150 + 132000.0 / 400); /* 480 */
    CHECK_REAL(objective_at(&m, &pass, 8, 0, 0), 300 + 8 * 60000.0 / 400);
    CHECK(objective_at(&m, &pass, 0, 0, 2) == INFINITY); /* three are no buddies */
    CHECK_REAL(objective_at(&m, &pass, 0, 1, 2), 200.0); /* but all that the other knows */
    mock_set_param(&m, "buddy", 0);
    CHECK_REAL(objective_at(&m, &pass, 0, 0, 2), 200.0);
    mock_finish(&m);
}

int main(void) {
    test_account();
    test_energy();
    test_choice();
    return checks_failed > 0;
}
