/* preempt.c: a list policy that preempts (PREEMPT). Shortest job first; a job that finds no room
   displaces those that have at least four times its own time left. */
#include <easim/policy.h>

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)job;
    ret->value = best;
    ret->may_displace = true;
}

/* How gladly `other`, which runs, gives way: by what it has left; 0: not at all. */
static double displace(const struct easim_pass *pass, const struct easim_job *job,
                       const struct easim_job *other) {
    double left_s = easim_predict_running(pass->view, other).time_s;
    return left_s >= 4 * job->time_best_s ? left_s : 0;
}

static const struct easim_list list = {
    .struct_size = sizeof list, .key = key, .displace = displace};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "preempt",
    .version = "1.0",
    .summary = "shortest job first, displaces long ones",
    .capabilities = EASIM_CAPABILITY_PREEMPT,
    .reads = EASIM_READS_RUN_TIMES,
    .list = &list};
