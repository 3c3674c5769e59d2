/* lean alone: its objective at each level, its key, and who gives way, worked out by hand. */
#include "policy_mock.h"

#include "check.h"

/* One job of 600 samples on GPUs that draw 50 W idle: 1 GPU takes 300 s at 200 W, 2 GPUs 200 s at
 * 180 W each. A second job is due at 1000 s. */
static void set_up(struct mock *m) {
    mock_init(m, &easim_policy);
    uint32_t gpu = mock_gpu_type(
        m, (struct easim_gpu_type){.name = "g", .idle_w = 50, .ctx_w = 90, .tdp_w = 400});
    mock_node(m, gpu, 4);
    uint32_t user = mock_user(m, "u", 1);
    mock_config(m,
                (struct easim_config){.k = 1, .gpu_type = gpu, .goodput = {2}, .power_w = {200}});
    mock_config(m,
                (struct easim_config){.k = 2, .gpu_type = gpu, .goodput = {3}, .power_w = {180}});
    mock_job(m, (struct easim_job){.id = "1", .user = user, .remaining = 600, .config_count = 2});
    mock_job(m,
             (struct easim_job){
                 .id = "2", .user = user, .remaining = 600, .config_count = 2, .deadline_s = 1000});
}

/* Levels 0 to 3: more others wait; from 4 on energy is twice as dear, from 8 on half. */
static void check_levels(struct mock *m) {
    static const double exponents[] = {6, 5, 4, 3, 3, 2.5, 2, 1.5, 12, 10, 8, 6}; /* of 12 */
    for (m->level = 0; m->level < 12; m->level++) {
        double exponent = exponents[m->level] / 12;
        CHECK_REAL(mock_objective(m, 0, 0), 60000 * pow(300, exponent)); /* E = 200 W x 300 s */
        CHECK_REAL(mock_objective(m, 0, 1), 72000 * pow(200, exponent));
    }
    m->level = 0;
}

/* With live limits only a job for which no other waits may start below full power. */
static void check_limits(struct mock *m) {
    mock_set_param(m, "limits", 1);
    m->configs[0].power_limit_w = 250;
    for (m->level = 0; m->level < 12; m->level++)
        CHECK((mock_objective(m, 0, 0) == INFINITY) == (m->level % 4 > 0) &&
              mock_objective(m, 0, 1) < INFINITY);
    m->configs[0].power_limit_w = INFINITY;
    mock_set_param(m, "limits", 0);
    m->level = 0;
}

static uint32_t level_with(struct mock *m, uint32_t waiting) {
    struct easim_plan plan;
    struct easim_pass pass = mock_pass(m, &plan);
    struct easim_view view = *pass.view;
    view.waiting_count = waiting;
    pass.view = &view;
    return m->policy->list->level(&pass);
}

int main(void) {
    struct mock m;
    set_up(&m);
    CHECK(mock_start(&m) == 0);
    check_levels(&m);
    check_limits(&m);
    struct easim_key key = mock_key(&m, 0);
    CHECK_REAL(key.value, 200.0);
    CHECK_REAL(key.objective_max, 2 * 72000 * sqrt(200)); /* 1.018e6, on 1 GPU 1.039e6 */
    CHECK(key.tier == 1 && key.may_displace && key.finish_by_s == 0);
    mock_set_param(&m, "deadlines", true);
    key = mock_key(&m, 1);
    CHECK(key.tier == 0 && key.value == 1000 && key.finish_by_s == 1000 && !key.may_displace);
    CHECK(level_with(&m, 0) == 0 && level_with(&m, 1) == 0 && level_with(&m, 2) == 1 &&
          level_with(&m, 4) == 3 && level_with(&m, 400) == 3);
    mock_set_param(&m, "busy_jobs", 100);
    CHECK(level_with(&m, 2) == 0 && level_with(&m, 90) == 3);
    mock_set_param(&m, "limits", 1);
    CHECK(level_with(&m, 1) == 0 && level_with(&m, 2) == 1 && level_with(&m, 90) == 3);
    mock_set_param(&m, "limits", 0);
    mock_set_param(&m, "busy_jobs", 3);
    mock_set_param(&m, "price_series", true);
    m.view.price_per_mwh = 142; /* a little more than 0.1 x sqrt 2 a kWh */
    CHECK(level_with(&m, 1) == 4);
    m.view.price_per_mwh = 141;
    CHECK(level_with(&m, 1) == 0);
    m.view.price_per_mwh = 70;
    CHECK(level_with(&m, 3) == 10);
    mock_finish(&m);
    return checks_failed > 0;
}
