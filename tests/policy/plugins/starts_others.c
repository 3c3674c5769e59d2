/* starts_others: visits jobs by size, the largest first, all of them urgent; to make room for one
   it starts every other job that can start, which the pass was still to come to. */
#include <easim/policy.h>

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)best;
    ret->value = -(double)easim_view_config(pass->view, job->first_config)->k;
    ret->finish_by_s = 1e9;
}

static bool make_room(const struct easim_pass *pass, const struct easim_job *job) {
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *other = easim_view_job(pass->view, i);
        i = other->next_waiting;
        if (other != job &&
            easim_fit(pass->view, easim_view_config(pass->view, other->first_config)) >= 0)
            pass->host->plan_start(pass->plan, other->index, other->first_config);
    }
    return true;
}

static const struct easim_list list = {
    .struct_size = sizeof list, .key = key, .make_room = make_room};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "starts_others", .version = "1",
    .summary = "starts others to make room", .list = &list};
