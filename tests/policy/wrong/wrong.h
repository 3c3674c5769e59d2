/* What the plug-ins of this folder share. Each has one fault; without it, it starts each job in its
   fastest configuration, in order of submission, as long as it fits. */
#ifndef WRONG_H
#define WRONG_H

#include <easim/policy.h>

#define MAYBE_UNUSED __attribute__((unused))

/* The first waiting job; NULL: none. */
MAYBE_UNUSED static const struct easim_job *first_waiting(const struct easim_pass *pass) {
    return pass->view->waiting_count > 0 ? easim_view_job(pass->view, pass->view->first_waiting)
                                         : NULL;
}

/* Some running job; NULL: none. */
MAYBE_UNUSED static const struct easim_job *some_running(const struct easim_pass *pass) {
    return pass->view->running_count > 0
               ? easim_view_job(pass->view, easim_view_running(pass->view, 0)->job)
               : NULL;
}

MAYBE_UNUSED static int start_in_order(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        uint32_t config = job->best_config;
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, config)) < 0 ||
            pass->host->plan_start(pass->plan, job->index, config) != EASIM_OK)
            return 0;
    }
    return 0;
}

#define POLICY(...) \
    EASIM_EXPORT const struct easim_policy easim_policy = { \
        EASIM_POLICY_ABI, .name = "wrong", .version = "1", .summary = "has one fault", \
        __VA_ARGS__}

/* That uses these extensions. */
#define WITH(EXTENSIONS, ...) \
    POLICY(.extensions = (EXTENSIONS), \
           .extension_count = sizeof(EXTENSIONS) / sizeof *(EXTENSIONS), \
           .extension_bytes = sizeof *(EXTENSIONS), __VA_ARGS__)

/* A list policy that has these rules. */
#define LIST(...) \
    static const struct easim_list list = {.struct_size = sizeof(struct easim_list), __VA_ARGS__}; \
    POLICY(.list = &list)
#define LIST_THAT(CAPABILITIES, ...) \
    static const struct easim_list list = {.struct_size = sizeof(struct easim_list), __VA_ARGS__}; \
    POLICY(.list = &list, .capabilities = CAPABILITIES)

#endif
