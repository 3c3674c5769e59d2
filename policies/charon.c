/* charon: zeus or pollux within a power cap, as the EAS-Sim study describes Charon: allocates only
   within a global budget. When the cap falls, jobs give their GPUs back at once until it holds. */
#include "edp/edp.h"

enum { BASE_ZEUS, BASE_POLLUX };

#define SOON_S 1e-6 /* the earliest time that differs from now whatever the rounding */

struct params {
    struct edp edp;
    double tau, time_slack;
    int32_t base;
};

static bool is_pollux(const struct easim_pass *pass) {
    return ((const struct params *)pass->params)->base == BASE_POLLUX;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)job;
    double slack = is_pollux(pass) ? p->time_slack : p->edp.slack;
    ret->value = is_pollux(pass) ? best : sqrt(best);
    ret->ageing_s = p->tau;
    ret->objective_max = slack < EASIM_OFF ? slack * best : 0;
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    const struct params *p = pass->params;
    if (!is_pollux(pass))
        *ret = edp_objective(&p->edp);
}

/* --- a cap that has fallen --- */

/* What a running job counts against the cap. */
static double power_of(const struct easim_view *view, const struct easim_job *job) {
    const struct easim_config *config = easim_view_config(view, job->config);
    return easim_config_gpus(config) *
           fmax(easim_view_gpu_type(view, config->gpu_type)->ctx_w, config->power_w[job->span]);
}

/* Whether a is to go before b: best-effort before sla, most power, latest start, last submitted. */
static bool goes_before(const struct easim_view *view, const struct easim_job *a,
                        const struct easim_job *b) {
    double power_a_w = power_of(view, a), power_b_w = power_of(view, b);
    if (a->sla != b->sla)
        return !a->sla;
    if (power_a_w != power_b_w)
        return power_a_w > power_b_w;
    if (a->start_s != b->start_s)
        return a->start_s > b->start_s;
    return a->index > b->index;
}

/* Who may be preempted, as a heap: who goes first is at the top. */
struct goers {
    const struct easim_job **at;
    uint32_t count;
};

static void sift_down(const struct easim_view *view, struct goers *goers, uint32_t at) {
    const struct easim_job *moving = goers->at[at];
    for (uint32_t child; (child = 2 * at + 1) < goers->count; at = child) {
        if (child + 1 < goers->count && goes_before(view, goers->at[child + 1], goers->at[child]))
            child++;
        if (!goes_before(view, goers->at[child], moving))
            break;
        goers->at[at] = goers->at[child];
    }
    goers->at[at] = moving;
}

static struct goers find_goers(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    struct goers goers = {
        pass->host->scratch(pass->plan, (view->running_count + 1) * sizeof(void *)), 0};
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_job *job = easim_view_job(view, easim_view_running(view, i)->job);
        if (job->preemptible)
            goers.at[goers.count++] = job;
    }
    for (uint32_t i = goers.count / 2; i-- > 0;)
        sift_down(view, &goers, i);
    return goers;
}

/* Takes out the first, which no longer runs. */
static void drop_first(const struct easim_view *view, struct goers *goers) {
    goers->at[0] = goers->at[--goers->count];
    if (goers->count > 0)
        sift_down(view, goers, 0);
}

/* GPUs that come free are no event, and what was preempted may start again smaller: asks for a
 * decision soon. */
static void begin(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (!(view->power_w > view->power_cap_w))
        return;
    struct goers goers = find_goers(pass);
    bool preempted = false;
    while (view->power_w > view->power_cap_w && goers.count > 0) {
        uint32_t job = goers.at[0]->index;
        drop_first(view, &goers);
        if (pass->host->plan_preempt(pass->plan, job, true) != EASIM_OK)
            break;
        preempted = true;
    }
    if (preempted)
        pass->host->plan_wake_at(pass->plan, view->now_s + SOON_S);
}

/* --- the module --- */

static const char *const base_policies[] = {"zeus", "pollux", NULL};

static const struct easim_param params[] = {
    {"base", "", "whose order and objective: zeus, or pollux", EASIM_PARAM_CHOICE,
     offsetof(struct params, base), 0, 1, BASE_ZEUS, false, base_policies, EASIM_ROLE_NONE},
    TAU_PARAM(""),
    {"time_slack", "", "base pollux: admit only configurations with T <= time_slack * T*",
     EASIM_PARAM_REAL, offsetof(struct params, time_slack), 1, 1e9, EASIM_OFF, true, NULL,
     EASIM_ROLE_NONE},
    EDP_PARAMS("base zeus: ", "base zeus: "),
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .minimise = minimise,
    .begin = begin,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "charon",
    .version = "1.0",
    .summary = "zeus or pollux within a power cap",
    .help =
        "Order and objective as zeus, or with base: pollux as pollux, T* and EDP* without regard to the cap. "
        "Admits\n"
        "a configuration only if the power after its start is at most the cap, every allocated GPU counted at the\n"
        "higher of ctx_w and its computing power, free ones at idle_w, nodes included; "
        "else it goes on to the next\n"
        "job. "
        "When the cap falls, preemptible jobs are preempted at once, without time for a checkpoint, until it\n"
        "holds: best-effort before sla, then most power, then latest start, then last submitted. "
        "With power_limits a\n"
        "job may start under a limit of the model file that the cap allows; "
        "EDP* and T* range over them too. Under a\n"
        "constant cap a job that no configuration serves, edp_slack and time_slack considered, is rejected at submission.",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_POWER_CAP | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .reads = EASIM_READS_DEADLINES | EASIM_READS_RUN_TIMES,
    .keeps = EASIM_KEEPS_CAP,
};
