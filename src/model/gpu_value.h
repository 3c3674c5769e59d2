/* What a model says of k GPUs of a type with a batch: iteration time, power, whether measured. */
#ifndef EASIM_MODEL_GPU_VALUE_H
#define EASIM_MODEL_GPU_VALUE_H

#include "cluster/cluster.h"
#include "easim/policy.h"
#include "model/model.h"
#include "model/model_file.h"

/* Time of a whole iteration, all its steps, and power of one GPU, not cut at any limit; by
   formulas, the lookup table, or one each. nodes: as speed_nodes. False where a lookup table does
   not reach it. */
bool gpu_value_find(const struct gpu_model *gpu_model, uint32_t k, double batch, uint32_t nodes,
                    struct interpolation_value *value);
/* The same across nodes that are too small for k, by interpolation_stand_in. */
bool gpu_value_stand_in(const struct gpu_model *gpu_model, uint32_t k, double batch, uint32_t nodes,
                        struct interpolation_value *value);

/* Outside the measured range of k and b; without a range everything is. */
bool gpu_value_is_outside(const struct gpu_model *gpu_model, uint32_t k, double batch);
/* Of k alone: where a plan chooses the batch. */
bool gpu_value_is_outside_k(const struct gpu_model *gpu_model, uint32_t k);

/* The same where synchronization across nodes takes `factor` times as long (semantics 32.3): s, and
   what plans send to other nodes. Tables hold no s: they stay. */
struct gpu_model gpu_value_slowed(const struct gpu_model *gpu_model, double factor);

/* The most that it may draw on one GPU: tdp_w where its power was not measured. */
double gpu_value_most_w(const struct gpu_model *gpu_model, double tdp_w);

/* --- span_value --- */
/* What a model says of a configuration in each span of a cluster (semantics 32.3). */

/* Whether a span is as the one below it, whatever the model says: one GPU has nobody to wait for,
   and tiers may be slowed alike. */
bool span_value_is_as_below(const struct network *network, const struct gpu_model *gpu_model,
                            uint32_t k, uint32_t span);

/* Time of an iteration and power of one GPU: as gpu_value_find, for k, batch and GPU type of a
   configuration. False: the model does not know it there. *stands_in is set if points in one node
   had to stand for those across nodes. */
bool span_value_find(const struct cluster *cluster, const struct gpu_model *gpu_model,
                     const struct easim_config *config, uint32_t span, bool *stands_in,
                     struct interpolation_value *value);

/* --- level: a configuration under a power limit; pure functions --- */

/* Limits from the lowest to no limit are choices at even steps of speed. */
#define LIMIT_CHOICES 4

/* The limits in W that a job without measured ones may have on GPUs of a type, ascending, below
   tdp_w: at even steps of the speed of a GPU that draws tdp_w, from that at the lowest limit to 1.
   Returns how many: fewer where they would be equal. */
size_t limit_law_choices(const struct gpu_type *type, double limits_w[static LIMIT_CHOICES]);
/* The configuration under a limit: d = min(P, L), at least that of the least draw, in each span. */
struct easim_config limit_law_apply(const struct gpu_type *type, double limit_w,
                                    const struct easim_config *unlimited);

/* Draw and speed at a limit of the table of a configuration in a span: of each level below tdp_w
   the place measured nearest to it, at tdp_w no limit; made monotone, then never faster and never
   more power. */
struct limit_point level_point(const struct power_limits *limits, double tdp_w, double limit_w,
                               const struct easim_config *config, uint32_t span);
/* The configuration under a limit: by its table, or if none was measured (limits NULL or without
   levels) by the law of the GPU type. A draw measured above the limit stays. */
struct easim_config level_apply(const struct power_limits *limits, const struct gpu_type *type,
                                double limit_w, const struct easim_config *unlimited);

/* --- limit_curve: speed of one GPU over its draw, in one configuration and span --- */

struct limit_curve {
    double unlimited_w; /* P: its draw without a limit, at most tdp_w */
    double least_limit_w, most_limit_w;
    struct limit_law law;       /* if nothing was measured */
    struct limit_point *points; /* as level_point has them, no limit last; owned */
    uint32_t count;             /* 0: by the law */
};

/* limits: as for level_apply. Limits go from the least measured one, but at least a stated floor_w,
   or cluster_floor_w if none was measured, to tdp_w. */
void limit_curve_init(struct limit_curve *curve, const struct power_limits *limits,
                      const struct gpu_type *type, const struct easim_config *unlimited,
                      uint32_t span);
void limit_curve_finish(struct limit_curve *curve);
/* The draw at a limit, which is brought into the range: the power that level_apply gives. */
double limit_curve_draw_w(const struct limit_curve *curve, double limit_w);
/* The draw at the least limit. */
double limit_curve_least_w(const struct limit_curve *curve);
/* rho in (0, 1] at a draw, brought into [least, P]: of the highest limit that draws no more. At the
   draw of a limit it is the speed that level_apply gives, except where higher limits draw as much
   and are faster. */
double limit_curve_speed(const struct limit_curve *curve, double draw_w);
/* The least draw, within [least, P], at which rho, in (0, 1], is reached. */
double limit_curve_draw_at_speed_w(const struct limit_curve *curve, double speed);
/* d_eff, the draw of least energy per work: of the law, or of the measured points the best, of
   equal ones that of least draw; then brought into [least, most_w]. */
double limit_curve_best_w(const struct limit_curve *curve, double most_w);

#endif
