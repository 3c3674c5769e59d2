/* A free policy with resizes and wake-ups alone: goodput on two GPU types, worked out by hand. */
#include "policy_mock.h"

#include "check.h"

/* A job of one GPU that makes 1 sample/s on type g and `fast` on type h; it restarts in no time. */
static uint32_t add_job(struct mock *m, double fast) {
    uint32_t config = mock_config(
        m, (struct easim_config){.k = 1, .gpu_type = 0, .goodput = {1}, .power_w = {100}});
    mock_config(m,
                (struct easim_config){.k = 1, .gpu_type = 1, .goodput = {fast}, .power_w = {100}});
    return mock_job(m, (struct easim_job){.id = "j",
                                          .remaining = 1e4,
                                          .first_config = config,
                                          .config_count = 2,
                                          .preemptible = true});
}

static bool did(const struct mock *m, uint32_t action, enum mock_kind kind, uint32_t job,
                uint32_t gpu_type) {
    const struct mock_action *a = &m->actions[action];
    return action < m->action_count && a->kind == kind && a->job == job && a->answer == EASIM_OK &&
           m->configs[a->config].gpu_type == gpu_type;
}

int main(void) {
    struct mock m;
    mock_init(&m, &easim_policy);
    mock_gpu_type(&m,
                  (struct easim_gpu_type){.name = "g", .idle_w = 50, .ctx_w = 90, .tdp_w = 400});
    mock_gpu_type(&m,
                  (struct easim_gpu_type){.name = "h", .idle_w = 50, .ctx_w = 90, .tdp_w = 400});
    mock_node(&m, 0, 1);
    mock_node(&m, 1, 1);
    mock_user(&m, "u", 1);
    CHECK_REAL(easim_policy.params[0].default_value, -1.0); /* Pollux (OSDI 2021): p = -1 */
    CHECK(mock_start(&m) == 0);
    CHECK(mock_decide(&m) == 0 && m.action_count == 0); /* nobody there, no round asked for */
    mock_advance(&m, 70);
    /* b alone has the faster GPU at once; the next round is at 120 */
    uint32_t b = add_job(&m, 1.2);
    CHECK(mock_decide(&m) == 0 && m.action_count == 2 && did(&m, 0, MOCK_START, b, 1));
    CHECK(m.actions[1].kind == MOCK_WAKE && m.actions[1].answer == EASIM_OK);
    CHECK_REAL(m.actions[1].time_s, 120.0);
    /* a comes between two rounds, and waits though g is free */
    mock_advance(&m, 90);
    uint32_t a = add_job(&m, 2);
    CHECK(mock_decide(&m) == 0 && m.action_count == 0);
    /* Speedups against h, the best on a share of one GPU: a on h and b on g 1 and 1 / 1.2, sum of
       1 / (s + 0.001) 2.197; a on g and b on h 1 / 2 and 1, 2.995. b moves first. */
    mock_advance(&m, 120);
    CHECK(mock_decide(&m) == 0 && m.action_count == 3);
    CHECK(did(&m, 0, MOCK_RESIZE, b, 0) && did(&m, 1, MOCK_START, a, 1));
    CHECK_REAL(m.actions[2].time_s, 180.0);
    /* c makes 1 on both: speedup 1 on g, where b's is 1 / 1.2. One of the three has nothing, 1000
       and 0 for its restart: least are a or b on h and c on g, and b was submitted first. */
    mock_advance(&m, 150);
    uint32_t c = add_job(&m, 1);
    mock_advance(&m, 180);
    CHECK(mock_decide(&m) == 0 && m.actions[0].kind == MOCK_PREEMPT && m.actions[0].job == a);
    CHECK(did(&m, 1, MOCK_RESIZE, b, 1) && did(&m, 2, MOCK_START, c, 0));
    /* a would gain nothing by b's place, and waits until that is free. */
    mock_advance(&m, 240);
    CHECK(mock_decide(&m) == 0 && m.action_count == 1 && m.actions[0].kind == MOCK_WAKE);
    mock_finish_job(&m, b);
    mock_advance(&m, 300);
    CHECK(mock_decide(&m) == 0 && did(&m, 0, MOCK_START, a, 1));
    CHECK(m.failure[0] == '\0' && m.counted[0] == '\0');
    mock_finish(&m);
    return checks_failed > 0;
}
