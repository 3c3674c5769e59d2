/* Named, independent random streams: xoshiro256** (Blackman, Vigna 2018) behind gsl_rng_type. */
#ifndef EASIM_BASE_RNG_H
#define EASIM_BASE_RNG_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* A generator for stream `name` of replication `replication` under master seed `seed`; any of the
   three changed gives an unrelated stream. Release with gsl_rng_free. */
gsl_rng *rng_create(uint64_t seed, uint32_t replication, const char *name);

#endif
