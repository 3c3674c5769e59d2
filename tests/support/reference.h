/* The models of configs/models/eas-sim.yaml once more, typed in, and the formulas of semantics 3
   and 4 written down directly: what tests compare easim with. Nothing here calls src/model. */
#ifndef EASIM_TESTS_REFERENCE_H
#define EASIM_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#define REFERENCE_BATCHES 6

struct reference_gpu {
    double a_s, c_s, gamma, alpha_s, p0_w, pmax_w; /* beta_s is 0 throughout, inter as within */
};

struct reference_model {
    const char *name;
    double m0, phi, start_s, mem0_gib, mem1_gib;
    double batches[REFERENCE_BATCHES]; /* 0: no more */
    struct reference_gpu gpus[2];      /* a100, h100 */
};

#define REFERENCE_MODELS 4
extern const struct reference_model reference_models[REFERENCE_MODELS];

/* The two GPU types of configs/eas-sim.yaml. */
struct reference_type {
    const char *name;
    double idle_w, ctx_w, tdp_w, memory_gib;
};
extern const struct reference_type reference_types[2];
#define REFERENCE_TYPES \
    "  gpu_types:\n" \
    "    - {name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}\n" \
    "    - {name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}\n"

/* One configuration of a job with work R: everything semantics 3 and 4 say of it. */
struct reference_run {
    double goodput, power_w, setup_s, time_s, energy_j, edp_js;
    int64_t k;
    double batch;
    int type;
};

struct reference_run reference_run(const struct reference_model *model, int type, int64_t k,
                                   double batch, double work);
/* Best of all feasible configurations of types mask (bit per type) by T or by EDP, ties as in
 * semantics 5.1. */
struct reference_run reference_best(const struct reference_model *model, int mask, double work,
                                    bool by_edp);

#endif
