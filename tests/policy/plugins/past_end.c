/* past_end: reads the entry behind the last one of an array of the view, and starts jobs in order.
 */
#include "faults/in_order.h"

#include <string.h>

static const char *const arrays[] = {"nothing", "view", "gpu_types", "nodes",  "users",
                                     "configs", "jobs", "running",   "events", NULL};

struct params {
    int32_t array;
};

/* running and events have places for as many as there may be: of jobs, and of two a job and 64. */
static const char *end_of(const struct easim_view *v, const char *array) {
    const struct {
        const char *name, *at;
        size_t count, stride;
    } ends[] = {{"view", (const char *)v, 1, sizeof *v},
                {"gpu_types", v->gpu_types, v->gpu_type_count, v->gpu_type_stride},
                {"nodes", v->nodes, v->node_count, v->node_stride},
                {"users", v->users, v->user_count, v->user_stride},
                {"configs", v->configs, v->config_count, v->config_stride},
                {"jobs", v->jobs, v->job_count, v->job_stride},
                {"running", v->running, v->job_count, v->running_stride},
                {"events", v->events, 2 * v->job_count + 64, v->event_stride}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(array, ends[i].name) == 0)
            return ends[i].at + ends[i].count * ends[i].stride;
    return (const char *)v;
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    const volatile char *end = end_of(pass->view, arrays[p->array]);
    if (p->array > 0)
        (void)end[-1]; /* may be read */
    (void)*end;
    return start_in_order(pass);
}

static const struct easim_param params[] = {
    {"array", "", "which array", EASIM_PARAM_CHOICE, offsetof(struct params, array), 0,
     sizeof arrays / sizeof *arrays - 2, 0, false, arrays, EASIM_ROLE_NONE},
};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "past_end",
                                                       .version = "1",
                                                       .summary =
                                                           "reads behind the end of an array",
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 1,
                                                       .decide = decide};
