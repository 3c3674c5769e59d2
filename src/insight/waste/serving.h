/* How the energy of replicas is divided (semantics 24.2, 24.3). */
#ifndef EASIM_INSIGHT_WASTE_SERVING_H
#define EASIM_INSIGHT_WASTE_SERVING_H

#include "insight/recorded_run.h"
#include "insight/waste/waste_class.h"

/* Of a serve segment, or a part of it: what it spent, and what it served. */
struct serving_parts {
    struct waste_amount underused, misplaced, useful;
};

struct serving_parts serving_divide(const struct recorded_run *run,
                                    const struct recorded_segment *segment,
                                    struct waste_amount spent, double tokens);
/* Sets the classes (enum waste_class) of those replicas to WASTE_FAILED that load in place of
   others which a node failure has ended. classes: by job. */
void serving_find_replacements(const struct recorded_run *run, uint8_t *classes);

#endif
