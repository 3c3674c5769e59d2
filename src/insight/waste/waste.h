/* The energy and the GPU time of a recorded run, divided into the classes of semantics 24. Exact in
   time: every interval is that of the run, in whole nanoseconds. */
#ifndef EASIM_INSIGHT_WASTE_WASTE_H
#define EASIM_INSIGHT_WASTE_WASTE_H

#include "insight/recorded_run.h"
#include "insight/waste/classes.h"
#include "insight/waste/instants.h"

/* Energy of one job in some of the classes. */
struct waste_job {
    double reconfigured_j, failed_j, useful_j;
};

/* Free GPUs of a type that were of one class (held back, fragmented, idle) from one instant to
   another. The next window of the type is of another class, or some time later. */
struct waste_window {
    int64_t start_ns, end_ns;
    uint32_t gpu_type;
    enum waste_class class;
    double gpu_s;
    double energy_j;
};

/* Zero-initialise; release with waste_finish. */
struct waste {
    struct waste_amount of[WASTE_CLASSES];       /* in the measured time: after the warm-up */
    struct waste_amount total;                   /* of all of them */
    struct waste_amount (*types)[WASTE_CLASSES]; /* by GPU type: its nodes, its GPUs, their jobs */
    struct waste_job *jobs;                      /* by index in run->workload.jobs */
    ARRAY_OF(struct waste_window) windows;       /* in order of end_ns, measured time only */
    struct instant_events instants;              /* of the run */
    bool throttles;                              /* a cap is enforced */
};

/* ERROR_INPUT: the run holds GPUs that its nodes have not, or the sum is not that of its summary.
   Memory: of the jobs, and of the segments while it computes; time: n log n of the segments. */
int waste_of_run(struct waste *waste, const struct recorded_run *run,
                 struct error *reterr) MUST_CHECK;
void waste_finish(struct waste *waste);

static inline void waste_amount_add(struct waste_amount *sum, struct waste_amount amount) {
    sum->energy_j += amount.energy_j;
    sum->gpu_s += amount.gpu_s;
}
/* Whether tables list a class: not that of the network where it draws nothing, nor that of
   throttled jobs unless a cap is enforced. */
static inline bool waste_lists(const struct waste *waste, enum waste_class class) {
    return class == WASTE_NETWORK     ? waste->of[class].energy_j > 0
           : class == WASTE_THROTTLED ? waste->throttles
                                      : true;
}
/* For all classes of a group. */
struct waste_amount waste_of_group(const struct waste *waste, enum waste_group group);

#endif
