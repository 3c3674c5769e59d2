/* Fits of laws of times: see time_fit.h. The parameters are the logarithms of mean and shape; a
   time seen from the middle has density S(t) / mean and, not ended, the chance of S integrated from
   t on over the mean (Cox, Renewal Theory, 1962, 5.4). */
#include "calibrate/time_fit.h"

#include "base/units.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>

#define IMPOSSIBLE    1e300 /* minus the log-likelihood of what cannot be */
#define MOST_SHAPE    30
#define STEP          1e-3 /* of the curvature */
#define NORMAL_95     1.959963984540054
#define MAX_STEPS     2000
#define ENOUGH        1e-6 /* of the logarithms: their errors are a thousand times as large */
#define HIGH_QUANTILE 0.9

/* Of a time: the logarithm of its density, */
static double log_density(const struct time_law *law, double scale_s, double t_s) {
    if (law->kind == TIME_LAW_EXPONENTIAL)
        return -t_s / law->mean_s - log(law->mean_s);
    double log_ratio = log(t_s / scale_s);
    if (law->kind == TIME_LAW_WEIBULL)
        return log(law->shape / scale_s) + (law->shape - 1) * log_ratio -
               exp(law->shape * log_ratio);
    double u = log_ratio / law->shape;
    return -u * u / 2 - log(law->shape * t_s * sqrt(2 * M_PI));
}

/* of the chance that it is longer, */
static double log_longer(const struct time_law *law, double scale_s, double t_s) {
    if (law->kind == TIME_LAW_EXPONENTIAL)
        return -t_s / law->mean_s;
    double log_ratio = log(t_s / scale_s);
    return law->kind == TIME_LAW_WEIBULL
               ? -exp(law->shape * log_ratio)
               : gsl_sf_log_erfc(log_ratio / law->shape / M_SQRT2) - M_LN2;
}

/* and of the chance that the rest of one is longer. */
static double log_rest_longer(const struct time_law *law, double scale_s, double t_s) {
    double rest, sigma = law->shape, longer = log_longer(law, scale_s, t_s);
    gsl_sf_result found;
    if (law->kind == TIME_LAW_EXPONENTIAL)
        return longer;
    if (law->kind == TIME_LAW_WEIBULL) {
        rest = gsl_sf_gamma_inc_Q_e(1 / law->shape, -longer, &found) == 0 ? found.val : 0;
    } else {
        double u = log(t_s / scale_s) / sigma;
        rest = exp(gsl_sf_log_erfc((u - sigma) / M_SQRT2) - M_LN2) -
               exp(sigma * u - sigma * sigma / 2 + longer);
    }
    return rest > 0 ? log(rest) : -HUGE_VAL;
}

/* -HUGE_VAL where it cannot be. */
static double log_likelihood_of(const struct time_law *law, const struct seen_times *times) {
    const double scale_s = law->mean_s / time_law_mean_over_scale(law->kind, law->shape);
    const double log_mean = log(law->mean_s);
    double sum = 0;
    for (size_t i = 0; i < times->at.count; i++) {
        const struct seen_time *seen = &times->at.at[i];
        if (!seen->ended)
            sum += seen->from_middle ? log_rest_longer(law, scale_s, seen->time_s)
                                     : log_longer(law, scale_s, seen->time_s);
        else
            sum += seen->from_middle ? log_longer(law, scale_s, seen->time_s) - log_mean
                                     : log_density(law, scale_s, seen->time_s);
    }
    return isfinite(sum) ? sum : -HUGE_VAL;
}

struct search {
    enum time_law_kind kind;
    const struct seen_times *times;
    double unit_s; /* of the mean */
};

static struct time_law law_at(const struct search *search, double log_mean, double log_shape) {
    return (struct time_law){search->kind, search->unit_s * exp(log_mean), exp(log_shape)};
}

static double minus_at(const struct search *search, double log_mean, double log_shape) {
    if (fabs(log_shape) > log(MOST_SHAPE) || fabs(log_mean) > 100)
        return IMPOSSIBLE;
    const struct time_law law = law_at(search, log_mean, log_shape);
    double value = -log_likelihood_of(&law, search->times);
    return value < IMPOSSIBLE ? value : IMPOSSIBLE;
}

static double minus_log_likelihood(const gsl_vector *at, void *context) {
    return minus_at(context, gsl_vector_get(at, 0), gsl_vector_get(at, 1));
}

/* Nelder and Mead's search; false where it does not end. */
static bool search_shape(struct search *search, double at[static 2]) {
    gsl_multimin_function function = {minus_log_likelihood, 2, search};
    gsl_multimin_fminimizer *m =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, 2);
    gsl_vector *start = gsl_vector_calloc(2), *steps = gsl_vector_alloc(2);
    gsl_vector_set_all(steps, 0.5);
    bool ended = false;
    int r = gsl_multimin_fminimizer_set(m, &function, start, steps);
    for (int i = 0; i < MAX_STEPS && r == 0 && !ended; i++) {
        r = gsl_multimin_fminimizer_iterate(m);
        ended = gsl_multimin_fminimizer_size(m) < ENOUGH;
    }
    for (size_t i = 0; i < 2; i++)
        at[i] = gsl_vector_get(m->x, i);
    ended = ended && m->fval < IMPOSSIBLE;
    gsl_vector_free(start);
    gsl_vector_free(steps);
    gsl_multimin_fminimizer_free(m);
    return ended;
}

/* Standard errors of the logarithms, from the second differences; NAN where they tell none. */
static void find_errors(const struct search *s, const double at[static 2],
                        double errors[static 2]) {
    double x = at[0], y = at[1], h = STEP, here = minus_at(s, x, y);
    double xx = (minus_at(s, x + h, y) - 2 * here + minus_at(s, x - h, y)) / (h * h);
    double yy = (minus_at(s, x, y + h) - 2 * here + minus_at(s, x, y - h)) / (h * h);
    double xy = (minus_at(s, x + h, y + h) - minus_at(s, x + h, y - h) - minus_at(s, x - h, y + h) +
                 minus_at(s, x - h, y - h)) /
                (4 * h * h);
    double determinant = xx * yy - xy * xy;
    bool told = xx > 0 && determinant > 0 && isfinite(determinant);
    errors[0] = told ? sqrt(yy / determinant) : NAN;
    errors[1] = told ? sqrt(xx / determinant) : NAN;
}

static double law_quantile_s(const struct time_law *law, double share) {
    double scale_s = law->mean_s / time_law_mean_over_scale(law->kind, law->shape);
    if (law->kind == TIME_LAW_LOGNORMAL)
        return scale_s * exp(law->shape * gsl_cdf_ugaussian_Pinv(share));
    return scale_s * pow(-log1p(-share), law->kind == TIME_LAW_WEIBULL ? 1 / law->shape : 1);
}

struct time_fit time_fit_law(enum time_law_kind kind, const struct seen_times *times) {
    double total_s = 0, at[2] = {0}, errors[2];
    for (size_t i = 0; i < times->at.count; i++)
        total_s += times->at.at[i].time_s;
    struct search search = {kind, times, total_s / (double)times->ended};
    bool shaped = kind != TIME_LAW_EXPONENTIAL; /* else the mean is total over ended */
    struct time_fit fit = {.ok = !shaped || search_shape(&search, at)};
    if (!fit.ok)
        return fit;
    if (shaped)
        find_errors(&search, at, errors);
    else
        errors[0] = 1 / sqrt((double)times->ended);
    fit.law = law_at(&search, at[0], at[1]);
    fit.mean_low_s = fit.law.mean_s * exp(-NORMAL_95 * errors[0]);
    fit.mean_high_s = fit.law.mean_s * exp(NORMAL_95 * errors[0]);
    fit.law.shape = shaped ? fit.law.shape : NAN;
    fit.shape_low = shaped ? fit.law.shape * exp(-NORMAL_95 * errors[1]) : NAN;
    fit.shape_high = shaped ? fit.law.shape * exp(NORMAL_95 * errors[1]) : NAN;
    fit.log_likelihood = log_likelihood_of(&fit.law, times);
    fit.aic = 2 * (shaped ? 2 : 1) - 2 * fit.log_likelihood;
    fit.median_s = law_quantile_s(&fit.law, 0.5);
    fit.high_s = law_quantile_s(&fit.law, HIGH_QUANTILE);
    return fit;
}

/* --- outage_times --- */

static void add_time(struct seen_times *times, double time_s, bool ended, bool from_middle) {
    array_push(&times->at, ((struct seen_time){time_s, ended, from_middle}));
    times->ended += ended;
}

static double last_time_s(const struct outages *outages) {
    int64_t last_ns = 0;
    for (size_t i = 0; i < outages->count; i++) {
        const struct outage *o = &outages->at[i];
        int64_t at_ns = o->end_ns == TIME_NONE_NS ? o->start_ns : o->end_ns;
        last_ns = at_ns > last_ns ? at_ns : last_ns;
    }
    return units_s(last_ns);
}

/* How far a node's record has been read. */
struct node_record {
    double up_since_s;
    bool fresh; /* up since a repair; else since before the record */
    bool down;  /* not repaired in the record */
    bool failed;
};

static void end_up_time(struct outage_times *times, const struct node_record *record, double at_s,
                        bool failed) {
    if (at_s > record->up_since_s)
        add_time(&times->up, at_s - record->up_since_s, failed, !record->fresh);
}

static void take_outage(struct outage_times *times, const struct outage *o,
                        struct node_record *record) {
    double start_s = units_s(o->start_ns);
    double end_s = o->end_ns == TIME_NONE_NS ? INFINITY : units_s(o->end_ns);
    if (end_s <= 0 || start_s >= times->until_s) {
        times->outside++;
        return;
    }
    bool ended = end_s <= times->until_s;
    record->failed = true;
    record->down = !ended;
    if (start_s > 0)
        end_up_time(times, record, start_s, true);
    if (start_s <= 0)
        times->running++;
    else if (end_s == start_s)
        times->at_once++;
    else
        add_time(&times->repair, fmin(end_s, times->until_s) - start_s, ended, false);
    record->up_since_s = end_s;
    record->fresh = true;
}

void outage_times_find(struct outage_times *times, const struct outages *outages, uint32_t nodes,
                       double until_s) {
    *times = (struct outage_times){.until_s = isnan(until_s) ? last_time_s(outages) : until_s};
    size_t next = 0;
    for (size_t i = 0; i < outages->count && nodes == 0; i++)
        times->nodes += i == 0 || outages->at[i].node != outages->at[i - 1].node;
    times->nodes = nodes > 0 ? nodes : times->nodes;
    for (uint32_t n = 0; n < times->nodes; n++) {
        struct node_record record = {0};
        uint32_t node = nodes > 0 ? n : outages->at[next].node;
        for (; next < outages->count && outages->at[next].node == node; next++)
            take_outage(times, &outages->at[next], &record);
        if (!record.down)
            end_up_time(times, &record, times->until_s, false);
        times->failed_nodes += record.failed;
    }
}

void outage_times_finish(struct outage_times *times) {
    free(times->up.at.at);
    free(times->repair.at.at);
}
