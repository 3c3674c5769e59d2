/* Rows as the simulation stands: see rows.h. */
#include "metrics/rows.h"

#include "engine/sim.h"

struct power_row power_row_of(const struct sim *sim) {
    uint32_t free = sim->view.v->free_gpus + sim->services.reserved_gpus,
             failed = sim->failures.gpus;
    return (struct power_row){sim->now_ns,
                              power_meter_total_nw(&sim->meter),
                              sim->cluster->gpus - free - failed,
                              free,
                              sim->waiting,
                              failed,
                              sim->view.v->shared_free_milli,
                              sim->view.v->power_cap_w};
}
