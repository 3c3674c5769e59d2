/* green: after GREEN (Xu et al., "GREEN: Carbon-efficient Resource Scheduling for Machine Learning
   Clusters", NSDI'25), of which only the abstract was at hand.

   From the paper: a scheduler of ML jobs that is to be both time-efficient and carbon-efficient; an
   order and allocation that are aware of carbon and cost little completion time; work shifted to
   hours of low carbon intensity while the capacity of the day as a whole stays what it is.
   Our reading: shortest job first; the energy-delay product E T^n, n falling with the carbon
   intensity of the hour; a share of the GPUs that follows the forecast and has a fixed mean.
   Left out: whatever the paper says beyond its abstract, such as its queues and how it measures
   jobs; running jobs are neither preempted nor made smaller when an hour turns dirty. */
#include <easim/forecast.h>

enum { FORECAST }; /* places of extensions */

#define LEVELS 9u /* 0: the cleanest of the hours that are forecast */

struct params {
    double tau, clean_exponent, dirty_exponent, capacity;
};

struct state {
    double woken_s; /* the hour of the last wake-up that was asked for */
};

/* Carbon intensity of the present hour, and of all that are forecast. */
struct outlook {
    double now, least, most, mean;
};

/* False: nothing is forecast, or all hours are alike. */
static bool look_ahead(const struct easim_pass *pass, struct outlook *ret) {
    const struct easim_forecast *forecast = easim_forecast_of(pass, FORECAST);
    double least = INFINITY, most = -INFINITY, sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < forecast->hour_count; i++) {
        double intensity = easim_forecast_at(forecast, 0, i)->carbon_g_per_kwh;
        if (isnan(intensity))
            break;
        least = fmin(least, intensity);
        most = fmax(most, intensity);
        sum += intensity;
        count++;
    }
    if (!(most > least))
        return false;
    *ret = (struct outlook){easim_forecast_at(forecast, 0, 0)->carbon_g_per_kwh, least, most,
                            sum / count};
    return true;
}

static uint32_t level(const struct easim_pass *pass) {
    struct outlook ahead;
    if (!look_ahead(pass, &ahead))
        return LEVELS / 2;
    return (uint32_t)lround((LEVELS - 1) * (ahead.now - ahead.least) / (ahead.most - ahead.least));
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)best; /* of a level; the order has none */
    ret->value = job->time_best_s;
    ret->ageing_s = ((const struct params *)pass->params)->tau;
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    const struct params *p = pass->params;
    double dirt = (double)pass->level / (LEVELS - 1);
    ret->kind = EASIM_MINIMISE_EDP;
    ret->exponent = p->clean_exponent + dirt * (p->dirty_exponent - p->clean_exponent);
}

/* --- the capacity of the hour --- */

static double gpus_held(const struct easim_view *view) {
    double held = 0;
    for (uint32_t i = 0; i < view->gpu_type_count; i++) {
        const struct easim_gpu_type *type = easim_view_gpu_type(view, i);
        held += (double)type->gpus - type->free - type->failed;
    }
    return held;
}

/* capacity + (1 - capacity) (mean - now) / (greatest distance from the mean): its mean over the
   hours is capacity, and it is at most 1. */
static double capacity_share(const struct easim_pass *pass) {
    double capacity = ((const struct params *)pass->params)->capacity;
    struct outlook ahead;
    if (!look_ahead(pass, &ahead))
        return 1;
    double reach = fmax(ahead.mean - ahead.least, ahead.most - ahead.mean);
    return capacity + (1 - capacity) * (ahead.mean - ahead.now) / reach;
}

/* Whatever the hour, a job may have the empty cluster, so that none waits for ever. */
static bool allow(const struct easim_pass *pass, const struct easim_job *job, uint32_t config) {
    const struct easim_view *view = pass->view;
    double held = gpus_held(view), wanted = easim_config_gpus(easim_view_config(view, config));
    (void)job;
    return held == 0 || held + wanted <= capacity_share(pass) * view->gpus;
}

/* Another hour has another capacity. */
static void begin(const struct easim_pass *pass) {
    const struct easim_forecast *forecast = easim_forecast_of(pass, FORECAST);
    struct state *s = pass->state;
    if (pass->view->waiting_count == 0 || forecast->hour_count < 2)
        return;
    double next_s = easim_forecast_at(forecast, 0, 1)->from_s;
    if (s->woken_s < next_s && pass->host->plan_wake_at(pass->plan, next_s) == EASIM_OK)
        s->woken_s = next_s;
}

static int init(const struct easim_pass *pass) {
    struct outlook ahead;
    if (!look_ahead(pass, &ahead))
        pass->host->count(pass->plan,
                          "runs without a forecast of carbon intensity that changes: no hour is "
                          "cleaner than another",
                          NULL);
    return 0;
}

/* --- the module --- */

static const struct easim_param params[] = {
    {"tau", "s", "ageing time constant: A = 1 + age/tau", EASIM_PARAM_DURATION,
     offsetof(struct params, tau), 1e-3, 1e9, 3600, false, NULL, EASIM_ROLE_AGEING},
    {"clean_exponent", "", "n of the energy-delay product E * T^n in the cleanest hour",
     EASIM_PARAM_REAL, offsetof(struct params, clean_exponent), 0, 10, 1.5, false, NULL,
     EASIM_ROLE_NONE},
    {"dirty_exponent", "", "n in the hour of most carbon", EASIM_PARAM_REAL,
     offsetof(struct params, dirty_exponent), 0, 10, 0.5, false, NULL, EASIM_ROLE_NONE},
    {"capacity", "", "mean share of the GPUs that jobs get over the hours forecast",
     EASIM_PARAM_REAL, offsetof(struct params, capacity), 0.5, 1, 0.85, false, NULL,
     EASIM_ROLE_NONE},
};

static const struct easim_extension extensions[] = {EASIM_FORECAST(false)};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .minimise = minimise,
    .allow_start = allow,
    .allow_resize = allow,
    .begin = begin,
    .levels = LEVELS,
    .level = level,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "green",
    .version = "1.0",
    .summary = "shortest job first; energy and GPUs follow the carbon intensity of the hour",
    .help =
        "After GREEN (Xu et al., NSDI 2025), of which only the abstract was at hand.\n"
        "From the paper: time-efficient and carbon-efficient at once; carbon saved at little cost in completion\n"
        "time; work shifted to hours of low carbon intensity, the capacity of the day as a whole kept.\n"
        "Our reading: jobs by T* / A, A = 1 + age/tau, each in the configuration of least E * T^n that fits, n from\n"
        "clean_exponent in the cleanest of the hours forecast to dirty_exponent in the hour of most carbon, in nine\n"
        "levels; without a forecast the middle. A job starts only if the GPUs held are then at most the share\n"
        "s = capacity + (1 - capacity) (m - x) / d of the cluster, or nothing is held: x is the carbon intensity of\n"
        "the present hour, m the mean and d the greatest distance from it of the hours forecast. So s has the mean\n"
        "capacity over them and is 1 at most.\n"
        "Left out: what the paper says beyond its abstract; running jobs stay as they are when an hour turns dirty.",
    .capabilities =
        EASIM_CAPABILITY_TICK | EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_FRACTIONAL_GPU,
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
