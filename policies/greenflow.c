/* greenflow: after GreenFlow (Gu et al., "GreenFlow: A Carbon-Efficient Scheduler for Deep Learning
   Workloads", IEEE TPDS 36(2), 2025) and its predecessor PowerFlow (Gu et al., "Energy-Efficient
   GPU Clusters Scheduling for Deep Learning", arXiv 2304.06381, 2023), of which only the abstracts
   were at hand.

   From the papers: the least average completion time under a budget of emissions (PowerFlow: of
   energy); models of throughput and energy of jobs by configuration, with the carbon intensity of
   the grid; GPUs, GPU-level and job-level configurations (clocks, batches) chosen with them; jobs
   packed into nodes, numbers of GPUs as in buddy allocation.
   Our reading: the budget is an account that fills at a constant rate; its balance sets the weight
   of energy against time, the price that a budget has in the Lagrangian of that problem. Shortest
   job first, the order of least average completion time. Buddy allocation: powers of two; power
   limits in place of clocks; the host packs.
   Left out: whatever the papers say beyond their abstracts; jobs that run stay as they are unless
   resize is set; no job is held back, so that the budget may be missed. */
#include <easim/forecast.h>

#define LEVELS       9u /* 0: time alone counts */
#define LEVEL_OF_ONE 5  /* at which energy weighs as much as time at reference power */
#define J_PER_KWH    3.6e6
#define S_PER_H      3600

struct params {
    double tau, budget, window;
    bool buddy;
};

/* Emissions in g; where the scenario has no carbon intensity, energy in kWh. */
struct state {
    double intensity;        /* since the last decision */
    double since_s;          /* when that was */
    double rate_per_s, most; /* at which the account fills; where it is full */
    double balance;          /* of the account */
    double reference_w;      /* mean tdp_w of the GPUs */
};

/* --- the budget --- */

static double intensity_now(const struct easim_view *view) {
    return isnan(view->carbon_g_per_kwh) ? 1 : view->carbon_g_per_kwh;
}

/* Mean of the hours that are forecast at the beginning; without a forecast that of the beginning.
 */
static double reference_intensity(const struct easim_pass *pass) {
    const struct easim_forecast *forecast = easim_forecast_of(pass, 0);
    double sum = 0;
    uint32_t count = 0;
    for (; count < forecast->hour_count; count++) {
        double intensity = easim_forecast_at(forecast, 0, count)->carbon_g_per_kwh;
        if (isnan(intensity))
            break;
        sum += intensity;
    }
    return count > 0 ? sum / count : intensity_now(pass->view);
}

static int init(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    struct state *s = pass->state;
    double peak_w = 0;
    for (uint32_t i = 0; i < view->gpu_type_count; i++) {
        const struct easim_gpu_type *type = easim_view_gpu_type(view, i);
        peak_w += type->gpus * type->tdp_w;
    }
    s->reference_w = peak_w / view->gpus;
    s->rate_per_s = p->budget * peak_w / J_PER_KWH * reference_intensity(pass);
    s->most = s->rate_per_s * p->window;
    s->intensity = intensity_now(view);
    if (isnan(view->carbon_g_per_kwh))
        pass->host->count(pass->plan,
                          "runs without a carbon intensity: the budget is one of energy", NULL);
    return 0;
}

/* What has been drawn since the last decision was drawn at the intensity of then: a change of it is
   an event. */
static void begin(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    struct state *s = pass->state;
    double spent = view->energy_j / J_PER_KWH * s->intensity;
    s->balance += s->rate_per_s * (view->now_s - s->since_s) - spent;
    s->balance = fmin(s->balance, s->most);
    s->since_s = view->now_s;
    s->intensity = intensity_now(view);
}

/* 0 with a full account, the highest with a debt of as much. */
static uint32_t level(const struct easim_pass *pass) {
    const struct state *s = pass->state;
    double debt = s->most > 0 ? (s->most - s->balance) / (2 * s->most) : s->balance < 0;
    return (uint32_t)lround((LEVELS - 1) * fmin(fmax(debt, 0), 1));
}

/* --- the choice --- */

static bool is_power_of_two(uint32_t k) {
    return (k & (k - 1)) == 0;
}

/* Whether a buddy system hands out that many GPUs: a power of two, or the job knows none. */
static bool is_buddy(const struct easim_view *view, const struct easim_job *job, uint32_t k) {
    bool found = is_power_of_two(k);
    for (uint32_t i = 0; !found && i < job->config_count; i++)
        if (is_power_of_two(easim_view_config(view, job->first_config + i)->k))
            return false;
    return true;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)best; /* of a level; the order has none */
    ret->value = job->time_best_s;
    ret->ageing_s = ((const struct params *)pass->params)->tau;
}

/* T + w E / reference_w. */
static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    const struct state *s = pass->state;
    if (((const struct params *)pass->params)->buddy && !is_buddy(pass->view, job, choice->k))
        return INFINITY;
    double weight = pass->level > 0 ? ldexp(1, (int)pass->level - LEVEL_OF_ONE) : 0;
    return choice->time_s + weight * choice->energy_j / s->reference_w;
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = objective;
}

static double resize_least(const struct easim_pass *pass, const struct easim_job *job) {
    (void)pass;
    return job->restart_s;
}

/* --- the module --- */

static const struct easim_param params[] = {
    {"tau", "s", "ageing time constant: A = 1 + age/tau", EASIM_PARAM_DURATION,
     offsetof(struct params, tau), 1e-3, 1e9, 3600, false, NULL, EASIM_ROLE_NONE},
    {"budget", "", "emissions allowed, as a share of those of all GPUs at tdp_w", EASIM_PARAM_REAL,
     offsetof(struct params, budget), 0, 10, 0.5, false, NULL, EASIM_ROLE_NONE},
    {"window", "s", "how long of the budget may be saved up", EASIM_PARAM_DURATION,
     offsetof(struct params, window), 0, 1e9, 21600, false, NULL, EASIM_ROLE_NONE},
    {"buddy", "", "numbers of GPUs that are powers of two only, where a job has some",
     EASIM_PARAM_BOOL, offsetof(struct params, buddy), 0, 1, 1, false, NULL, EASIM_ROLE_NONE},
};

static const struct easim_extension extensions[] = {EASIM_FORECAST(false)};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .minimise = minimise,
    .begin = begin,
    .resize_least = resize_least,
    .levels = LEVELS,
    .level = level,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "greenflow",
    .version = "1.0",
    .summary = "shortest job first under a budget of emissions, which weighs energy against time",
    .help =
        "After GreenFlow (Gu et al., IEEE TPDS 36(2), 2025) and PowerFlow (Gu et al., arXiv 2304.06381), of which only\n"
        "the abstracts were at hand.\n"
        "From the papers: least average completion time under a budget of carbon emissions (PowerFlow: of energy), by\n"
        "models of throughput and energy of each configuration; GPUs, GPU-level and job-level configurations are\n"
        "chosen; jobs are packed, numbers of GPUs follow a buddy allocation.\n"
        "Our reading: an account fills with budget x (tdp_w of all GPUs) x (mean carbon intensity of the hours forecast\n"
        "at t = 0, else that of t = 0, else 1: a budget of energy), up to what comes in a window, and pays for all that\n"
        "the cluster draws. Jobs by T* / A, A = 1 + age/tau, each in the configuration of least\n"
        "T + w E / (mean tdp_w) that fits: w is 0 with a full account and 2^(l - 5) at level l, up to 8 at l = 8, which\n"
        "is a debt of a window. k is a power of two where the job has such configurations (buddy). power_limits: true\n"
        "gives the GPU-level choice.\n"
        "Left out: what the papers say beyond their abstracts; running jobs stay as they are without resize: true; no\n"
        "job is held back, so that the budget may be missed.",
    .capabilities = EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_FRACTIONAL_GPU,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .init = init,
    .extensions = extensions,
    .extension_count = 1,
    .extension_bytes = sizeof *extensions,
    .reads = EASIM_READS_CARBON | EASIM_READS_FORECASTS | EASIM_READS_RUN_TIMES,
};
