/* roomy: all jobs are urgent, and make_room always preempts the first running job, whatever the key
   and room_most say of when and how much. */
#include <easim/policy.h>

struct params {
    double from;
    int64_t most;
};

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)job, (void)best;
    ret->finish_by_s = 1e6;
    ret->room_from_s = p->from;
}

static uint32_t room_most(const struct easim_pass *pass, uint32_t gpu_type) {
    const struct params *p = pass->params;
    (void)gpu_type;
    return (uint32_t)p->most;
}

static bool make_room(const struct easim_pass *pass, const struct easim_job *job) {
    const struct easim_view *view = pass->view;
    (void)job;
    return view->running_count > 0 &&
           pass->host->plan_preempt(pass->plan, easim_view_running(view, 0)->job, true) == EASIM_OK;
}

static const struct easim_param params[] = {
    {"from", "s", "room_from_s", EASIM_PARAM_DURATION, offsetof(struct params, from), 0, 1e9, 0,
     false, NULL, EASIM_ROLE_NONE},
    {"most", "", "room_most", EASIM_PARAM_INT, offsetof(struct params, most), 0, 8, 8, false, NULL,
     EASIM_ROLE_NONE},
};

static const struct easim_list list = {
    .struct_size = sizeof list, .key = key, .make_room = make_room, .room_most = room_most};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "roomy",
                                                       .version = "1",
                                                       .summary = "always makes room",
                                                       .capabilities = EASIM_CAPABILITY_PREEMPT,
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 2,
                                                       .list = &list};
