/* deferral: zeus, but jobs of best effort wait for hours of low carbon intensity, or of low price,
   as long as the forecasts promise that this pays and their slack lasts. As jobs that are shifted
   whole in Wiesner et al., "Let's wait awhile" (Middleware 2021), but asked anew each hour. */
#include <easim/forecast.h>
#include <float.h>
#include <stdio.h>

enum { FORECAST }; /* places of extensions */
enum { SIGNAL_CARBON, SIGNAL_PRICE };

struct params {
    double tau, slack, gain;
    int32_t signal;
};

struct state {
    double woken_s; /* the hour of the last wake-up that was asked for */
};

static uint32_t hours_ahead(const struct easim_pass *pass) {
    return easim_forecast_of(pass, FORECAST)->hour_count;
}

static const struct easim_forecast_hour *hour_at(const struct easim_pass *pass, uint32_t hour) {
    return easim_forecast_at(easim_forecast_of(pass, FORECAST), 0, hour);
}

static double forecast_of(const struct easim_pass *pass, uint32_t hour) {
    const struct easim_forecast_hour *f = hour_at(pass, hour);
    const struct params *p = pass->params;
    return p->signal == SIGNAL_PRICE ? f->price_per_mwh : f->carbon_g_per_kwh;
}

/* What the signal sums up to in the hours of a run that begins with the given one. */
static double sum_from(const struct easim_pass *pass, uint32_t first, uint32_t hours) {
    double sum = 0;
    for (uint32_t i = first; i < first + hours; i++)
        sum += forecast_of(pass, i);
    return sum;
}

/* The hour from which on it pays for the job to wait, the first of the best; 0: it does not. It may
   begin at any full hour up to submission + slack, and runs for T* in full hours, as many of them
   as are forecast. Hours that are not known (NAN) never win. *ret_saved: as a share of now. */
static uint32_t begin_after(const struct easim_pass *pass, const struct easim_job *job,
                            double *ret_saved) {
    const struct params *p = pass->params;
    uint32_t ahead = hours_ahead(pass), best = 0;
    if (job->sla || ahead == 0)
        return 0;
    uint32_t hours = (uint32_t)fmin(fmax(1, ceil(job->time_best_s / 3600)), ahead);
    double now = sum_from(pass, 0, hours), least = now, last_s = job->submit_s + p->slack;
    for (uint32_t first = 1; first + hours <= ahead; first++) {
        double sum = sum_from(pass, first, hours);
        if (hour_at(pass, first)->from_s <= last_s && sum < least) {
            least = sum;
            best = first;
        }
    }
    *ret_saved = (now - least) / fabs(now);
    return least < now - p->gain * fabs(now) ? best : 0;
}

/* The story of a job that waits for a better hour. */
static void tell_deferred(const struct easim_pass *pass, const struct easim_job *job, uint32_t hour,
                          double saved) {
    const struct params *p = pass->params;
    char text[160];
    snprintf(text, sizeof text,
             "waits for [%.9g s]: from then on the %s of its run is forecast %.3g %% lower",
             hour_at(pass, hour)->from_s, p->signal == SIGNAL_PRICE ? "price" : "carbon intensity",
             100 * saved);
    pass->host->reason(pass->plan, job->index, text);
}

/* Asked for again at the next full hour, when there are new forecasts: within an hour the answer
   stays. */
static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    ret->value = sqrt(best);
    ret->ageing_s = p->tau;
    if (hours_ahead(pass) < 2)
        return;
    double next_s = hour_at(pass, 1)->from_s;
    if (next_s <= job->submit_s + p->slack)
        ret->ask_again_s = next_s;
    double saved;
    uint32_t hour = begin_after(pass, job, &saved);
    if (hour == 0)
        return;
    if (easim_told(pass, job->index))
        tell_deferred(pass, job, hour, saved);
    ret->objective_max = DBL_MIN; /* admits nothing */
    if (s->woken_s < next_s && pass->host->plan_wake_at(pass->plan, next_s) == EASIM_OK)
        s->woken_s = next_s;
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_EDP;
    ret->exponent = 1;
}

static int init(const struct easim_pass *pass) {
    if (hours_ahead(pass) < 2 || isnan(forecast_of(pass, 0)))
        pass->host->count(pass->plan, "runs without a forecast of the signal: no job waits", NULL);
    return 0;
}

static const char *const signals[] = {"carbon", "price", NULL};

static const struct easim_param params[] = {
    {"tau", "s", "ageing time constant: A = 1 + age/tau", EASIM_PARAM_DURATION,
     offsetof(struct params, tau), 1e-3, 1e9, 3600, false, NULL, EASIM_ROLE_AGEING},
    {"slack", "s", "a job of best effort waits at most so long after its submission",
     EASIM_PARAM_DURATION, offsetof(struct params, slack), 0, 1e9, 43200, false, NULL,
     EASIM_ROLE_NONE},
    {"gain", "", "it waits only if that saves more than this share", EASIM_PARAM_REAL,
     offsetof(struct params, gain), 0, 1, 0.02, false, NULL, EASIM_ROLE_NONE},
    {"signal", "", "what is to be low", EASIM_PARAM_CHOICE, offsetof(struct params, signal), 0, 1,
     SIGNAL_CARBON, false, signals, EASIM_ROLE_NONE},
};

static const struct easim_extension extensions[] = {EASIM_FORECAST(false)};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list), .key = key, .minimise = minimise};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "deferral",
    .version = "1.0",
    .summary = "zeus, and jobs of best effort wait for low carbon intensity or price",
    .help =
        "Order and configuration as zeus: least sqrt(EDP*) / A, each in the configuration of least energy-delay\n"
        "product. A job of best effort is not started while a later begin pays: of the beginnings at full hours,\n"
        "from the present one on and not after submission + slack, whose run of T* (in full hours, at most those\n"
        "that are forecast) is forecast as a whole, one has a sum of the signal over its hours that is less than\n"
        "that of the present hour by more than gain. It is asked for anew at every full hour, with the forecasts\n"
        "of then. Jobs of class sla never wait; without a forecast nobody does, and all is as with zeus.",
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
    .reads = EASIM_READS_CARBON | EASIM_READS_PRICE | EASIM_READS_DEADLINES |
             EASIM_READS_FORECASTS | EASIM_READS_RUN_TIMES,
};
