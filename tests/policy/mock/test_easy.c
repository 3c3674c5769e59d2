/* A free policy alone: EASY backfilling on four GPUs, worked out by hand. */
#include "policy_mock.h"

#include "check.h"

/* Rigid jobs: their work is their time on k GPUs. */
static uint32_t add_job(struct mock *m, uint32_t k, double time_s) {
    uint32_t config =
        mock_config(m, (struct easim_config){.k = k, .goodput = {1}, .power_w = {300}});
    return mock_job(m, (struct easim_job){.id = "j",
                                          .remaining = time_s,
                                          .first_config = config,
                                          .config_count = 1,
                                          .model = EASIM_NONE});
}

static bool started(const struct mock *m, uint32_t action, uint32_t job) {
    return action < m->action_count && m->actions[action].kind == MOCK_START &&
           m->actions[action].job == job && m->actions[action].answer == EASIM_OK;
}

int main(void) {
    struct mock m;
    mock_init(&m, &easim_policy);
    mock_gpu_type(&m,
                  (struct easim_gpu_type){.name = "g", .idle_w = 50, .ctx_w = 90, .tdp_w = 400});
    mock_node(&m, 0, 4);
    mock_user(&m, "u", 1);
    uint32_t first = add_job(&m, 3, 100), head = add_job(&m, 4, 10), late = add_job(&m, 1, 200),
             in_time = add_job(&m, 1, 100);
    CHECK(mock_start(&m) == 0);
    CHECK(mock_decide(&m) == 0);
    /* the head waits until 100 s; a job of 200 s on the last GPU would delay it, one of 100 s does
     * not */
    CHECK(m.action_count == 2 && started(&m, 0, first) && started(&m, 1, in_time));
    CHECK(m.view.free_gpus == 0 && m.view.running_count == 2 && m.view.waiting_count == 2);
    CHECK(m.view.first_waiting == head && m.jobs[head].next_waiting == late);
    CHECK_REAL(m.view.power_w, 4 * 300.0);
    mock_advance(&m, 60); /* in_time is over early: a job of 40 s would fit, none is there */
    mock_finish_job(&m, in_time);
    CHECK(mock_decide(&m) == 0 && m.action_count == 0);
    CHECK_REAL(m.users[0].gpu_s, 4 * 60.0);
    uint32_t shorter = add_job(&m, 1, 40);
    CHECK(mock_decide(&m) == 0 && m.action_count == 1 && started(&m, 0, shorter));
    mock_advance(&m, 100);
    mock_finish_job(&m, first);
    mock_finish_job(&m, shorter);
    CHECK(mock_decide(&m) == 0 && m.action_count == 1 && started(&m, 0, head));
    CHECK(m.failure[0] == '\0');
    mock_finish(&m);
    return checks_failed > 0;
}
