/* Semantics 3 and 4 once more: see reference.h. */
#include "reference.h"

#include <math.h>

const struct reference_model reference_models[REFERENCE_MODELS] = {
    {"vit-base-fp32",
     4096,
     15000,
     30,
     2.0,
     0.107,
     {8, 16, 32, 64, 128},
     {{0.04, 0.006666666666666667, 2, 0.0061, 120, 317},
      {0.032, 0.002325581395348837, 2, 0.003, 222, 555}}},
    {"vit-base-tf32",
     4096,
     15000,
     30,
     2.0,
     0.107,
     {8, 16, 32, 64, 128, 256},
     {{0.04, 0.0013986013986013986, 2, 0.0061, 137, 360},
      {0.032, 0.0007462686567164179, 2, 0.003, 252, 630}}},
    {"albert-v2-bf16",
     4096,
     4096,
     30,
     1.0,
     0.4,
     {4, 8, 16, 32, 64, 128},
     {{0.02, 0.0051, 2, 0.0015, 134, 352}, {0.016, 0.00262, 2, 0.0008, 246, 616}}},
    {"resnet50-fp32",
     8192,
     15000,
     30,
     2.0,
     0.1,
     {16, 32, 64, 128, 256, 512},
     {{0.035, 0.0009174311926605505, 1.5, 0.0055, 122, 320},
      {0.03, 0.0005194805194805195, 1.5, 0.0026, 224, 560}}},
};

const struct reference_type reference_types[2] = {{"a100", 60, 98, 400, 80},
                                                  {"h100", 70, 110, 700, 80}};

struct reference_run reference_run(const struct reference_model *m, int type, int64_t k,
                                   double batch, double work) {
    const struct reference_gpu *g = &m->gpus[type];
    const struct reference_type *h = &reference_types[type];
    double samples = (double)k * batch;
    double t = pow(pow(g->a_s, g->gamma) + pow(g->c_s * batch, g->gamma), 1 / g->gamma);
    t += k > 1 ? g->alpha_s : 0;
    double r = samples / t, eff = samples > m->m0 ? (m->phi + m->m0) / (m->phi + samples) : 1;
    struct reference_run run = {
        .k = k, .batch = batch, .type = type, .goodput = r * eff, .setup_s = m->start_s};
    run.power_w = fmin(h->tdp_w, g->p0_w + (g->pmax_w - g->p0_w) * g->c_s * (r / (double)k));
    run.time_s = run.setup_s + work / run.goodput;
    run.energy_j = (double)k * (h->ctx_w * run.setup_s + run.power_w * (work / run.goodput));
    run.edp_js = run.energy_j * run.time_s;
    return run;
}

/* Walks by type, k, batch, so that the first of equals is the one of the earlier type and smaller
 * batch. */
struct reference_run reference_best(const struct reference_model *m, int mask, double work,
                                    bool by_edp) {
    struct reference_run best = {0};
    double best_value = INFINITY;
    for (int type = 0; type < 2; type++)
        for (int64_t k = 1; k <= 8 && (mask >> type & 1); k *= 2)
            for (int i = 0; i < REFERENCE_BATCHES && m->batches[i] > 0; i++) {
                struct reference_run run = reference_run(m, type, k, m->batches[i], work);
                double value = by_edp ? run.edp_js : run.time_s;
                bool tie = value == best_value &&
                           (k < best.k || (k == best.k && run.power_w * (double)k <
                                                              best.power_w * (double)best.k));
                if (m->mem0_gib + m->mem1_gib * m->batches[i] > reference_types[type].memory_gib)
                    continue;
                if (value < best_value || tie) {
                    best = run;
                    best_value = value;
                }
            }
    return best;
}
