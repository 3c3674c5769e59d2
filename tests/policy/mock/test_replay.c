/* A policy with a table alone: which actions replay asks for, and what it counts. */
#include "policy_mock.h"

#include "check.h"

static const double times[] = {100, 0, 100, 0};
static const char *const ids[] = {"b", "a", "x", "b"};
static const double gpus[] = {2, 2, 1, 1};
static const uint32_t lines[] = {2, 3, 4, 5};
static const void *const columns[] = {times, ids, gpus};
static const struct easim_table table = {
    .struct_size = sizeof table,
    .path = "r.csv",
    .row_count = 4,
    .column_count = 3,
    .lines = lines,
    .columns = columns,
};

/* Three GPUs; a (2 GPUs) and b (1 or 2) of 1000 s each are submitted at 0. */
static void set_up(struct mock *m) {
    mock_init(m, &easim_policy);
    uint32_t gpu = mock_gpu_type(
        m, (struct easim_gpu_type){.name = "g", .idle_w = 50, .ctx_w = 90, .tdp_w = 400});
    mock_node(m, gpu, 3);
    uint32_t user = mock_user(m, "u", 1);
    for (uint32_t k = 1; k <= 2; k++)
        mock_config(
            m, (struct easim_config){.k = k, .gpu_type = gpu, .goodput = {k}, .power_w = {200}});
    mock_set_table(m, "file", &table);
    mock_job(m, (struct easim_job){.id = "a",
                                   .user = user,
                                   .remaining = 2000,
                                   .first_config = 1,
                                   .config_count = 1,
                                   .preemptible = true});
    mock_job(m, (struct easim_job){.id = "b", .user = user, .remaining = 1000, .config_count = 2});
}

static bool is(const struct mock *m, uint32_t at, enum mock_kind kind, uint32_t job) {
    return at < m->action_count && m->actions[at].kind == kind && m->actions[at].job == job &&
           m->actions[at].answer == EASIM_OK;
}

int main(void) {
    struct mock m;
    set_up(&m);
    /* init takes memory for the jobs that there are. */
    CHECK(mock_start(&m) == 0 && mock_decide(&m) == 0);
    CHECK(m.action_count == 3 && is(&m, 0, MOCK_START, 0) && is(&m, 1, MOCK_START, 1));
    CHECK(m.jobs[1].config == 0 && m.actions[2].kind == MOCK_WAKE && m.actions[2].time_s == 100);
    CHECK(m.counted[0] == '\0');
    mock_advance(&m, 100); /* a has had its last row; b cannot have 2 GPUs beside it */
    CHECK(mock_decide(&m) == 0 && m.action_count == 0);
    CHECK(strcmp(m.counted, "jobs that run on after their last row, until they are done: a\n") ==
          0);
    mock_advance(&m, 200);
    mock_finish_job(&m, 0);
    CHECK(mock_decide(&m) == 0 && m.action_count == 1 && is(&m, 0, MOCK_RESIZE, 1));
    CHECK(strstr(m.counted, "because too few GPUs were free: b\n") && m.jobs[1].config == 1);
    mock_finish(&m);
    return checks_failed > 0;
}
