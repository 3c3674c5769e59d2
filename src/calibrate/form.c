/* Forms and their gradients: see form.h. */
#include "calibrate/form.h"

#include <math.h>
#include <string.h>

const char *const compute_form_names[] = {"proportional", "affine", "roofline", "p-norm"};
const char *const sync_form_names[] = {SYNC_FORM_ROWS(NAME_OF)};
const char *const power_law_names[] = {"no power", "constant power", "linear power",
                                       "power over the floor of a node"};
const char *const parameter_names[] = {PARAMETERS(NAME_OF)};

size_t form_parameters(const struct form *form, enum parameter free[static PARAM_COUNT]) {
    bool norm = form->sync == SYNC_NORM, further = norm || form->sync == SYNC_ADDITIVE;
    bool some = further || form->sync == SYNC_CONSTANT;
    bool in_node = form->one_node && !form->no_single;
    bool across = form->across_nodes && (form->one_node || !form->no_single);
    const bool is_free[PARAM_COUNT] = {
        [PARAM_A] = form->compute != COMPUTE_PROPORTIONAL,
        [PARAM_C] = true,
        [PARAM_GAMMA] = form->compute == COMPUTE_NORM,
        [PARAM_ALPHA] = some && in_node,
        [PARAM_BETA] = further && form->one_node,
        [PARAM_ALPHA_INTER] = some && across,
        [PARAM_BETA_INTER] = (further || form->sync == SYNC_DOUBLING) && form->across_nodes,
        [PARAM_SYNC_GAMMA] = norm,
        [PARAM_EXPONENT] = form->sync == SYNC_EXPONENT,
        [PARAM_P0] = form->power == POWER_LAW_CONSTANT || form->power == POWER_LAW_LINEAR,
        [PARAM_PMAX] = form->power == POWER_LAW_LINEAR,
    };
    size_t count = 0;
    for (int p = 0; p < PARAM_COUNT; p++)
        if (is_free[p])
            free[count++] = (enum parameter)p;
    return count;
}

void form_settle(const struct form *form, double v[static PARAM_COUNT]) {
    const double fixed[PARAM_COUNT] = {[PARAM_A] = FLOOR_NONE_S,
                                       [PARAM_GAMMA] =
                                           form->compute == COMPUTE_ROOFLINE ? GAMMA_MOST : 1,
                                       [PARAM_SYNC_GAMMA] = 1};
    enum parameter free[PARAM_COUNT];
    size_t count = form_parameters(form, free), next = 0;
    for (int p = 0; p < PARAM_COUNT; p++) {
        if (next < count && free[next] == (enum parameter)p)
            next++;
        else
            v[p] = fixed[p];
    }
    if (form->power == POWER_LAW_CONSTANT)
        v[PARAM_PMAX] = v[PARAM_P0];
    /* What was measured on one span only stands for both; but one law is no other. */
    if (form->log2 && !form->one_node) {
        v[PARAM_ALPHA] = v[PARAM_ALPHA_INTER];
    } else if (!form->across_nodes) {
        v[PARAM_ALPHA_INTER] = v[PARAM_ALPHA];
        v[PARAM_BETA_INTER] = v[PARAM_BETA];
    } else if (!form->one_node) {
        v[PARAM_ALPHA] = v[PARAM_ALPHA_INTER];
        v[PARAM_BETA] = v[PARAM_BETA_INTER];
    }
}

struct speed_params form_speed(const double v[static PARAM_COUNT]) {
    return (struct speed_params){.a_s = v[PARAM_A],
                                 .c_s = v[PARAM_C],
                                 .gamma = v[PARAM_GAMMA],
                                 .alpha_s = {v[PARAM_ALPHA], v[PARAM_ALPHA_INTER]},
                                 .beta_s = {v[PARAM_BETA], v[PARAM_BETA_INTER]},
                                 .sync_gamma = v[PARAM_SYNC_GAMMA],
                                 .scaling_exponent = v[PARAM_EXPONENT]};
}

struct power_params form_power(const double v[static PARAM_COUNT]) {
    return (struct power_params){v[PARAM_P0], v[PARAM_PMAX]};
}

#define AT_BOUND 1e-6 /* of a gamma, from its bound */

bool form_is_simpler(const struct form *form, const double v[static PARAM_COUNT]) {
    if (form->power != POWER_LAW_NONE)
        return form->power == POWER_LAW_LINEAR && v[PARAM_PMAX] == v[PARAM_P0];
    double alpha =
        (form->one_node ? v[PARAM_ALPHA] : 0) + (form->across_nodes ? v[PARAM_ALPHA_INTER] : 0);
    double beta =
        (form->one_node ? v[PARAM_BETA] : 0) + (form->across_nodes ? v[PARAM_BETA_INTER] : 0);
    bool compute = (form->compute != COMPUTE_PROPORTIONAL && v[PARAM_A] <= FLOOR_NONE_S) ||
                   (form->compute == COMPUTE_NORM &&
                    (v[PARAM_GAMMA] < 1 + AT_BOUND || v[PARAM_GAMMA] > GAMMA_MOST - AT_BOUND));
    bool sync =
        (form->sync == SYNC_CONSTANT && alpha == 0) || (form->sync == SYNC_DOUBLING && beta == 0) ||
        (form->sync == SYNC_EXPONENT && v[PARAM_EXPONENT] == 0) ||
        (form->sync == SYNC_ADDITIVE && beta == 0) ||
        (form->sync == SYNC_NORM && (alpha + beta == 0 || v[PARAM_SYNC_GAMMA] < 1 + AT_BOUND));
    return compute || sync;
}

/* ---- Coordinates ---- */

enum bound { ABOVE_ZERO, FROM_ZERO, BETWEEN };

static enum bound bound_of(enum parameter p, double *least, double *most) {
    *least = p == PARAM_EXPONENT ? 0 : GAMMA_LEAST;
    *most = p == PARAM_EXPONENT ? 1 : GAMMA_MOST;
    if (p == PARAM_GAMMA || p == PARAM_SYNC_GAMMA || p == PARAM_EXPONENT)
        return BETWEEN;
    return p == PARAM_A || p == PARAM_C || p == PARAM_P0 ? ABOVE_ZERO : FROM_ZERO;
}

double form_coordinate(enum parameter p, const double v[static PARAM_COUNT]) {
    double least, most, value = p == PARAM_PMAX ? v[p] - v[PARAM_P0] : v[p];
    switch (bound_of(p, &least, &most)) {
    case ABOVE_ZERO:
        return log(value);
    case FROM_ZERO:
        return sqrt(fmax(value, 0));
    default:
        return asin(fmin(fmax(2 * (value - least) / (most - least) - 1, -1), 1));
    }
}

double form_value(enum parameter p, double u, double p0_w, double *slope) {
    double least, most, value, by_u;
    switch (bound_of(p, &least, &most)) {
    case ABOVE_ZERO:
        value = by_u = exp(u);
        break;
    case FROM_ZERO:
        value = u * u + (p == PARAM_PMAX ? p0_w : 0);
        by_u = 2 * u;
        break;
    default:
        value = least + (most - least) * (sin(u) + 1) / 2;
        by_u = (most - least) * cos(u) / 2;
    }
    if (slope)
        *slope = by_u;
    return value;
}

/* ---- Gradients ---- */

struct norm_gradient {
    double value, by_x, by_y, by_gamma;
};

/* (x^g + y^g)^(1/g) and its derivatives for x > 0, y >= 0, in a scale where the larger one is 1. At
   g = 1, where g is fixed or at its bound, its own derivative is not needed. */
static struct norm_gradient norm_with_gradient(double x, double y, double g) {
    if (g == 1)
        return (struct norm_gradient){.value = x + y, .by_x = 1, .by_y = 1};
    double scale = fmax(x, y);
    double xs = x < scale ? pow(x / scale, g) : 1, ys = y < scale ? pow(y / scale, g) : 1,
           sum = xs + ys;
    double unit = pow(sum, 1 / g);
    double smaller = fmin(xs, ys), logs = smaller > 0 ? smaller * log(smaller) / g : 0;
    return (struct norm_gradient){.value = scale * unit,
                                  .by_x = xs > 0 ? unit / sum * xs * scale / x : 0,
                                  .by_y = ys > 0 ? unit / sum * ys * scale / y : 0,
                                  .by_gamma =
                                      scale * unit * (logs / (g * sum) - log(sum) / (g * g))};
}

uint32_t form_nodes(struct place at) {
    return at.log2_nodes > 2 ? at.log2_nodes : 1 + at.span;
}

double form_iteration_s(const double v[static PARAM_COUNT], struct place at) {
    struct speed_params speed = form_speed(v);
    double steps = at.steps > 0 ? at.steps : 1;
    speed.sync_inter = at.log2_nodes > 0 ? SYNC_LAW_LOG2 : SYNC_LAW_LINEAR;
    return steps * speed_iteration_s(&speed, at.k, at.batch / steps, form_nodes(at));
}

double form_rate(const double v[static PARAM_COUNT], struct place at,
                 double gradient[static PARAM_COUNT]) {
    const struct speed_params speed = form_speed(v);
    double k = at.k, steps = at.steps > 0 ? at.steps : 1, batch = at.batch / steps;
    struct norm_gradient compute = norm_with_gradient(speed.a_s, speed.c_s * batch, speed.gamma);
    double grown = speed.scaling_exponent == 0 ? 1 : pow(k, speed.scaling_exponent),
           local_s = compute.value * grown;
    double growth =
        at.log2_nodes > 0 ? log2(fmax(2, at.log2_nodes)) : k - 2; /* of the synchronization */
    double sync_s = at.k == 1 ? 0 : speed.alpha_s[at.span] + speed.beta_s[at.span] * growth;
    struct norm_gradient whole = norm_with_gradient(local_s, sync_s, speed.sync_gamma);
    double time_s = whole.value; /* speed_iteration_s to the last digits */
    bool across = at.span == EASIM_ACROSS_NODES;
    double by_local = whole.by_x * grown, by_sync = at.k == 1 ? 0 : whole.by_y;
    memset(gradient, 0, PARAM_COUNT * sizeof *gradient);
    gradient[PARAM_A] = by_local * compute.by_x;
    gradient[PARAM_C] = by_local * compute.by_y * batch;
    gradient[PARAM_GAMMA] = by_local * compute.by_gamma;
    gradient[PARAM_EXPONENT] = whole.by_x * local_s * log(k);
    gradient[PARAM_SYNC_GAMMA] = whole.by_gamma;
    gradient[across ? PARAM_ALPHA_INTER : PARAM_ALPHA] = by_sync;
    gradient[across ? PARAM_BETA_INTER : PARAM_BETA] = by_sync * growth;
    double rate = speed_rate(1, batch, time_s); /* micro-steps take as long as each other */
    for (int p = 0; p < PARAM_COUNT; p++)
        gradient[p] *= -rate / time_s;
    return rate;
}

double form_power_w(const double v[static PARAM_COUNT], double rate) {
    return v[PARAM_P0] + (v[PARAM_PMAX] - v[PARAM_P0]) * v[PARAM_C] * rate;
}

double form_watts(const double v[static PARAM_COUNT], double rate,
                  const double rate_gradient[static PARAM_COUNT],
                  double gradient[static PARAM_COUNT]) {
    const struct power_params power = form_power(v);
    double excess = power.pmax_w - power.p0_w;
    for (int p = 0; p < PARAM_COUNT; p++)
        gradient[p] = excess * v[PARAM_C] * rate_gradient[p];
    gradient[PARAM_C] += excess * rate;
    gradient[PARAM_P0] = 1;
    gradient[PARAM_PMAX] = v[PARAM_C] * rate; /* of the excess */
    return power_training_w(&power, v[PARAM_C], rate, INFINITY);
}
