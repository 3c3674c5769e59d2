/* A list policy alone: keys and objectives of zeus, worked out by hand. */
#include "policy_mock.h"

#include "check.h"

/* One job of 600 samples on GPUs that draw 50 W idle: 1 GPU takes 300 s at 200 W, 2 GPUs 200 s at
 * 180 W each. */
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
}

int main(void) {
    struct mock m;
    set_up(&m);
    CHECK_REAL(mock_objective(&m, 0, 0), 60000.0 * 300); /* E = 200 W x 300 s */
    CHECK_REAL(mock_objective(&m, 0, 1), 72000.0 * 200); /* E = 2 x 180 W x 200 s */
    CHECK_REAL(mock_key(&m, 0).value, sqrt(72000.0 * 200));
    CHECK(mock_key(&m, 0).ageing_s == 3600 &&
          mock_key(&m, 0).objective_max == 0); /* edp_slack is off */
    mock_set_param(&m, "edp_exponent", 0);     /* energy alone: one GPU is best */
    CHECK_REAL(mock_key(&m, 0).value, sqrt(60000.0));
    mock_set_param(&m, "edp_slack", 1.5);
    CHECK_REAL(mock_key(&m, 0).objective_max, 90000.0);
    mock_set_param(&m, "power_basis", 1); /* 50 W idle do not count */
    CHECK_REAL(mock_objective(&m, 0, 0), 150.0 * 300);
    CHECK_REAL(mock_objective(&m, 0, 1), 2 * 130.0 * 200);
    mock_finish(&m);
    return checks_failed > 0;
}
