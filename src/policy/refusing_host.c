/* Actions that are refused. */
#include "policy/refusing_host.h"

static int refuse_config(struct easim_plan *plan, uint32_t job, uint32_t config) {
    (void)plan, (void)job, (void)config;
    return EASIM_INVAL;
}

static int refuse_preempt(struct easim_plan *plan, uint32_t job, bool at_once) {
    (void)plan, (void)job, (void)at_once;
    return EASIM_INVAL;
}

static int refuse_wake(struct easim_plan *plan, double time_s) {
    (void)plan, (void)time_s;
    return EASIM_INVAL;
}

static int refuse_reject(struct easim_plan *plan, uint32_t job, const char *reason) {
    (void)plan, (void)job, (void)reason;
    return EASIM_INVAL;
}

static int refuse_exchange(struct easim_plan *plan, const struct easim_part *parts, uint32_t count,
                           size_t part_bytes, uint32_t *ret_part) {
    (void)plan, (void)parts, (void)count, (void)part_bytes;
    if (ret_part)
        *ret_part = EASIM_NONE;
    return EASIM_INVAL;
}

static int refuse_scaling(struct easim_plan *plan, uint32_t which) {
    (void)plan, (void)which;
    return EASIM_INVAL;
}

void refusing_host_set(struct easim_host *host) {
    host->plan_start = host->plan_resize = refuse_config;
    host->plan_preempt = refuse_preempt;
    host->plan_wake_at = refuse_wake;
    host->plan_reject = refuse_reject;
    host->plan_exchange = refuse_exchange;
    host->plan_scale_up = host->plan_scale_down = refuse_scaling;
}
