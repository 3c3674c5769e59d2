/* The lean engine: the functions of a run's events and decisions compiled once more, without the
   features that SIM_HAS asks for (sim.h). Most runs have none of them (is_lean), and so take fewer
   instructions, of which more stay in the processor's cache. Invariant: for such a run both engines
   do the same, and they share its data: each may call the other. */
#define HAS_FEATURES false
#define FUSED        __attribute__((flatten))
#include "engine/lean_names.h"

#include "engine/gpus.c"
#include "engine/jobs.c"
#include "engine/loop.c"
#include "engine/policy_calls.c"
#include "engine/segments.c"
#include "engine/view.c"

#include "engine/actions.c" /* last: it has a `host`, of which others have their own */

/* Has nothing that SIM_HAS asks for, no view that is checked, and no job with a part of a GPU. */
static bool is_lean(const struct sim *sim) {
    const struct config_table *table = &sim->workload->table;
    return !sim->limits && !sim->contention && !sim->progress && !sim->uses && !sim->cap &&
           !sim->over_cap && !sim->nodes.jobs && !sim->node_batches.nodes &&
           !sim->nodes.sleep.nodes && sim->services.count == 0 && !table->has_phases &&
           !table->has_shares && !sim->options.check && !sim->options.grown &&
           !sim->options.changer;
}

/* Tests name the engine by EASIM_ENGINE in the environment. */
void lean_choose(struct sim *sim) {
    const char *asked = getenv("EASIM_ENGINE");
    bool may = is_lean(sim);
    sim->is_lean = may && !(asked && strcmp(asked, "whole") == 0);
    if (asked && sim->error.code >= 0 && strcmp(asked, sim->is_lean ? "lean" : "whole") != 0)
        error_set(&sim->error, ERROR_INPUT, "EASIM_ENGINE: expected %s, got \"%s\"",
                  may ? "lean or whole" : "whole, as the lean engine lacks what this run needs",
                  asked);
}
