/* The laws of a model, as pure functions: speed, power, efficiency, scaling_efficiency,
   interpolation of measured points, and evidence. */
#ifndef EASIM_MODEL_LAWS_H
#define EASIM_MODEL_LAWS_H

#include "base/error.h"
#include "cluster/cluster.h"
#include "easim/policy.h"

#define BATCH_MOST 1e9 /* b, samples per GPU and iteration: a real in (0, BATCH_MOST] */
/* Batches are the same up to this ratio: B / k is written by one program, computed by another. */
#define BATCH_EQUAL (1 + 1e-9)

/* t(k, b) = (a_s^gamma + (c_s*b)^gamma)^(1/gamma) + s(k): Pollux's overlap form (OSDI'21, eq. 10)
   with a launch floor in place of its fixed gradient time; s(1) = 0, s(k) = alpha + beta*(k - 2).
   Extensions, off by default: the compute time may grow as k^scaling_exponent, s may overlap with
   it by a norm of its own, sync_gamma, and across n nodes s may be alpha + beta*log2(n). */
enum sync_law { SYNC_LAW_LINEAR, SYNC_LAW_LOG2 };

struct speed_params {
    double a_s;                   /* launch floor of one iteration, > 0 */
    double c_s;                   /* seconds per sample at saturation, > 0 */
    double gamma;                 /* 1 (no overlap) .. 10 (max) */
    double alpha_s[2], beta_s[2]; /* synchronization, by enum easim_span */
    double sync_gamma;            /* 1 (compute and synchronization add up) .. 10 (max) */
    double scaling_exponent;      /* 0 .. 1 */
    int32_t sync_inter;           /* enum sync_law of s across nodes */
};

/* Seconds per iteration of k GPUs with `batch` samples each, on so many nodes. */
/* s(k) alone: what synchronization takes, whatever of it compute hides. */
double speed_sync_s(const struct speed_params *params, uint32_t k, uint32_t nodes);
double speed_iteration_s(const struct speed_params *params, uint32_t k, double batch,
                         uint32_t nodes);
/* The nodes that a job of a span counts as, whatever it got: 1, or in all spans across nodes, of
   node_gpus GPUs (the largest there are), max(2, ceil(k/node_gpus)). */
uint32_t speed_nodes(uint32_t k, uint32_t node_gpus, uint32_t span);
/* r = k*b/t, samples/s of all k GPUs together. */
double speed_rate(uint32_t k, double batch, double iteration_s);

/* --- power: of one GPU (semantics 3.3) --- */

struct power_params {
    double p0_w;   /* computing, but at no samples/s */
    double pmax_w; /* at saturation, 1/c_s samples/s */
};

/* Instead of a power never measured: above the tdp_w of every GPU, so that the limit counts. */
#define POWER_UNKNOWN_W 1e9

/* P = min(tdp_w, p0 + (pmax - p0)*c_s * rate_per_gpu): linear in the samples/s of one GPU. */
double power_training_w(const struct power_params *params, double c_s, double rate_per_gpu,
                        double tdp_w);
/* A job known only by its run time: busy + utilization*(tdp - busy), utilization in 0..1. */
double power_rigid_w(double busy_w, double tdp_w, double utilization);

/* --- efficiency --- */
/* Statistical efficiency of large batches (Pollux, OSDI'21, eq. 6, phi: noise scale). */

/* Useful share of each sample at global batch B relative to the reference batch m0: (phi + m0)/(phi
   + B) for B > m0, else 1. All in samples; phi >= 0, m0 > 0. */
double efficiency_of_batch(double m0, double phi, double batch);

/* --- scaling_efficiency: synchronization from how well a model scales (semantics 3.7) --- */

/* k >= 2 GPUs of one node against one, each with the same batch. */
struct scaling {
    struct speed_params params;
    uint32_t k;
    double batch;
    double steps_alone,
        steps; /* in which one GPU, and each of k, computes it (grad_accum); else 1 */
};

/* r(k)/(k r(1)) */
double scaling_efficiency(const struct scaling *scaling);
/* The alpha_s that gives it, all else kept; negative: it is above what alpha_s = 0 gives. 0 <
   efficiency <= 1. */
double scaling_alpha_s(const struct scaling *scaling, double efficiency);
/* Sets alpha_s within a node, and across nodes in proportion, or, from 0, by the same amount. */
void scaling_set_alpha_s(struct speed_params *params, double alpha_s);

/* --- interpolation --- */
/* Measured points instead of a formula: the time of an iteration, not the rate, and the power are
   interpolated inside their range, never extrapolated. Time is nearly linear in k and batch, its
   inverse is not. */

struct interpolation_point {
    int64_t k;
    double batch;                /* per GPU */
    double throughput_samples_s; /* of all k GPUs; NAN in all points: speed is by formula */
    double power_w_per_gpu;      /* likewise */
    bool across_nodes;
    struct location where;
};

struct interpolation {
    struct interpolation_point *points; /* sorted by interpolation_sort */
    size_t count;
    bool by_energy; /* over the batch not power is linear, but power x time of an iteration */
};

struct interpolation_value {
    double iteration_s;
    double power_w;
};

/* Whether a point was measured at (k, batch) in that span: interpolation_find gives it as it is. */
bool interpolation_has(const struct interpolation *table, uint32_t k, double batch,
                       enum easim_span span);

/* Orders points by span, k, batch. The index of a point at its predecessor's place, or -1. */
int interpolation_sort(struct interpolation *table);

/* Iteration time and power (or energy, see by_energy) at (k, batch): linear in batch at the
   measured k below and above, then time and power linear in k. Without any points across nodes,
   those within a node stand for both. False outside the measured range of the span.
 */
bool interpolation_find(const struct interpolation *table, uint32_t k, double batch,
                        enum easim_span span, struct interpolation_value *value);
/* Across nodes, with the points in one node for each k that was not measured across: for nodes too
   small for k, where there is nothing better. */
bool interpolation_stand_in(const struct interpolation *table, uint32_t k, double batch,
                            struct interpolation_value *value);

/* --- limit_law: rho = 1 / (m + (1 - m)(1 - s)/(p - s)) --- */
/* Speed of a GPU under a power limit (semantics 3.4). P and r are power and rate without a limit; a
   draw p is a share of P, a speed rho one of r, both in (0, 1]. */
/* Time is a share m that no limit slows down, of memory and links, and a rest that goes with the
   power above s P. Fitted to the A40 and V100 of Zeus (You et al., NSDI'23) and to a B300. */

/* The law holds from p = s + 0.1 up; a lower limit draws that. */
#define LIMIT_LAW_ABOVE_S 0.1

double limit_law_least(const struct limit_law *law);
/* rho at p; below the least draw that of the least, above 1 it is 1. */
double limit_law_speed(const struct limit_law *law, double draw);
/* The inverse, p = s + (1 - m)(1 - s)/(1/rho - m): the least draw at which rho, in (0, 1], is
   reached. */
double limit_law_draw(const struct limit_law *law, double speed);
/* d_eff: of least energy per work, p = s + sqrt(s (1 - m)(1 - s)/m), within the law's range. */
double limit_law_best(const struct limit_law *law);

/* --- limit_table: what was measured instead --- */

struct limit_point {
    double limit_w, draw, speed;
};

/* Points by ascending limit: makes draw and speed monotone by pooling adjacent violators, each
   point with weight 1 (Barlow et al., 1972). */
void limit_table_settle(struct limit_point *points, size_t count);
/* At a limit: linear in L between neighbours, the ends' values outside. count > 0. */
struct limit_point limit_table_at(const struct limit_point *points, size_t count, double limit_w);

/* --- evidence: how a figure of a model is known --- */

/* From strong to weak; OVERRIDE: set by model_overrides of a scenario. */
enum evidence { EVIDENCE_MEASURED, EVIDENCE_DERIVED, EVIDENCE_ASSUMED, EVIDENCE_OVERRIDE };

extern const char *const evidence_names[]; /* by enum evidence; NULL-terminated */

#define EVIDENCE_OTHERS "others" /* of a mapping by parameter: those that it does not name */

#endif
