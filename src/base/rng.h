/* Named, independent random streams: xoshiro256** behind gsl_rng_type. */
#ifndef EASIM_BASE_RNG_H
#define EASIM_BASE_RNG_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* A generator for stream `name` of replication `replication` under master seed `seed`; any of the
   three changed gives an unrelated stream. Release with gsl_rng_free. */
gsl_rng *rng_create(uint64_t seed, uint32_t replication, const char *name);

/* --- time_law: laws of times to a failure and of repairs, by their mean --- */

#define TIME_LAW_MIN_SHAPE 0.1
#define TIME_LAW_MAX_SHAPE 10.0

enum time_law_kind {
    TIME_LAW_EXPONENTIAL,
    TIME_LAW_WEIBULL,   /* shape k: the rate is as time^(k - 1) */
    TIME_LAW_LOGNORMAL, /* shape sigma: standard deviation of the logarithm */
    TIME_LAW_COUNT
};
extern const char *const time_law_names[]; /* by kind, NULL-terminated */

struct time_law {
    enum time_law_kind kind;
    double mean_s;
    double shape; /* TIME_LAW_MIN_SHAPE..TIME_LAW_MAX_SHAPE; nothing to the exponential */
};

/* Mean over scale, where scale is that of Weibull's law, or exp(mu) of the lognormal. */
double time_law_mean_over_scale(enum time_law_kind kind, double shape);
/* A time by inversion, of one uniform number. */
double time_law_draw(const struct time_law *law, gsl_rng *rng);
/* What is left of such a time at an ordinary moment of it: the same law for the exponential, else a
   uniform part of a time drawn with a chance that grows with its length, of two uniform numbers
   (Cox, Renewal Theory, 1962, 5.4). */
double time_law_draw_rest(const struct time_law *law, gsl_rng *rng);

#endif
