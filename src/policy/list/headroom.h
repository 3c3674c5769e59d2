/* What a power cap leaves for a start, as far as that is certain without a try (semantics 6). */
#ifndef EASIM_POLICY_LIST_HEADROOM_H
#define EASIM_POLICY_LIST_HEADROOM_H

#include "easim/policy.h"

#define HEADROOM_MARGIN 1e-6 /* of a power, and in watts: far more than what rounding does */

/* The most that a start may add to the power. */
static inline double headroom_w(const struct easim_view *view) {
    return view->power_cap_w * (1 + HEADROOM_MARGIN) + HEADROOM_MARGIN - view->power_w;
}

/* The least that a start in a span adds: on whole GPUs; nodes that come to life, and GPUs that wake
   up, add to this. */
static inline double headroom_need_w(const struct easim_view *view, const struct easim_config *c,
                                     uint32_t span) {
    const struct easim_gpu_type *type = easim_view_gpu_type(view, c->gpu_type);
    double busy_w = type->ctx_w > c->power_w[span] ? type->ctx_w : c->power_w[span];
    return c->milli ? -INFINITY : c->k * (busy_w - type->idle_w);
}

#endif
