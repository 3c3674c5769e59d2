/* xoshiro256** 1.0 (Blackman, Vigna, "Scrambled linear pseudorandom number generators", 2018),
   seeded by SplitMix64 as its authors advise. GSL's own mt19937 would cut seeds to 32 bits. */
#include "base/rng.h"

#include "base/hash.h"
#include "base/mem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

_Static_assert(ULONG_MAX == UINT64_MAX, "gsl_rng_get hands out unsigned long as 64 bits");

struct xoshiro {
    uint64_t s[4]; /* never all zero */
};

static uint64_t rotate_left(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

/* The first four numbers of SplitMix64 from `seed`. It is a bijection of its counter, so at most
   one of the four is zero. */
static void xoshiro_set(void *state, unsigned long seed) {
    struct xoshiro *generator = state;
    for (uint64_t i = 0; i < 4; i++)
        generator->s[i] = hash_mix(seed + i * 0x9e3779b97f4a7c15ULL);
}

static unsigned long xoshiro_get(void *state) {
    uint64_t *s = ((struct xoshiro *)state)->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

static double xoshiro_get_double(void *state) {
    return (double)(xoshiro_get(state) >> 11) * 0x1p-53; /* [0, 1) in steps of 2^-53 */
}

static const gsl_rng_type xoshiro_type = {
    .name = "xoshiro256**",
    .max = ULONG_MAX,
    .min = 0,
    .size = sizeof(struct xoshiro),
    .set = xoshiro_set,
    .get = xoshiro_get,
    .get_double = xoshiro_get_double,
};

gsl_rng *rng_create(uint64_t seed, uint32_t replication, const char *name) {
    uint64_t mixed = hash_mix(hash_mix(seed) + replication);
    mixed = hash_mix(mixed ^ hash_bytes(HASH_START, name, strlen(name)));
    /* Not gsl_rng_alloc: it returns NULL without memory and first seeds from a global variable. */
    gsl_rng *rng = mem_alloc(sizeof *rng);
    rng->type = &xoshiro_type;
    rng->state = mem_alloc(xoshiro_type.size);
    gsl_rng_set(rng, mixed);
    return rng;
}

/* --- time_law --- */

const char *const time_law_names[] = {
    [TIME_LAW_EXPONENTIAL] = "exponential",
    [TIME_LAW_WEIBULL] = "weibull",
    [TIME_LAW_LOGNORMAL] = "lognormal",
    [TIME_LAW_COUNT] = NULL,
};

double time_law_mean_over_scale(enum time_law_kind kind, double shape) {
    return kind == TIME_LAW_WEIBULL     ? tgamma(1 + 1 / shape)
           : kind == TIME_LAW_LOGNORMAL ? exp(shape * shape / 2)
                                        : 1;
}

static double law_scale_s(const struct time_law *law) {
    return law->mean_s / time_law_mean_over_scale(law->kind, law->shape);
}

double time_law_draw(const struct time_law *law, gsl_rng *rng) {
    if (law->kind == TIME_LAW_WEIBULL)
        return law_scale_s(law) * pow(-log1p(-gsl_rng_uniform(rng)), 1 / law->shape);
    if (law->kind == TIME_LAW_LOGNORMAL)
        return law_scale_s(law) *
               exp(law->shape * gsl_cdf_ugaussian_Pinv(gsl_rng_uniform_pos(rng)));
    return gsl_ran_exponential(rng, law->mean_s);
}

/* Of Weibull's law, (time / scale)^k with chances by length has the law Gamma(1 + 1/k); of the
   lognormal, the logarithm moves by sigma^2. */
double time_law_draw_rest(const struct time_law *law, gsl_rng *rng) {
    if (law->kind == TIME_LAW_EXPONENTIAL)
        return time_law_draw(law, rng);
    double part = gsl_rng_uniform_pos(rng), u = gsl_rng_uniform_pos(rng), k = law->shape;
    if (law->kind == TIME_LAW_WEIBULL)
        return part * law_scale_s(law) * pow(gsl_cdf_gamma_Pinv(u, 1 + 1 / k, 1), 1 / k);
    return part * law_scale_s(law) * exp(k * k + k * gsl_cdf_ugaussian_Pinv(u));
}
