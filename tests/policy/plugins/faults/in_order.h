/* A policy without fault, for those of this folder: each job in its fastest configuration, in order
   of submission, as long as it fits. */
#include <easim/policy.h>

__attribute__((unused)) static int start_in_order(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->best_config)) < 0 ||
            pass->host->plan_start(pass->plan, job->index, job->best_config) != EASIM_OK)
            return 0;
    }
    return 0;
}

/* The clusters of the conformance suite on which a fault shows, so that it shows in one scenario
 * only. */
__attribute__((unused)) static bool on_one_gpu(const struct easim_view *view) {
    return view->gpus == 1;
}

__attribute__((unused)) static bool on_one_gpu_type(const struct easim_view *view) {
    return view->gpu_type_count == 1 && view->gpus == 16;
}

/* Crashes by SIGSEGV. */
__attribute__((unused)) static int read_nothing(void) {
    int *volatile nowhere = (int *)8;
    return *(volatile int *)nowhere;
}

#define FAULTY(fault, ...) \
    EASIM_EXPORT const struct easim_policy easim_policy = { \
        EASIM_POLICY_ABI, .name = fault, .version = "1", .summary = "for the conformance suite", \
        __VA_ARGS__}
