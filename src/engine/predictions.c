/* T* and EDP* in the view: see predictions.h. */
#include "engine/predictions.h"

void predictions_update(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    uint32_t set = sim->workload->jobs.at[job].set + sim->runs[job].phase;
    struct config_best best =
        config_table_best(&sim->workload->table, set, j->remaining, j->setup_s);
    j->best_config = best.config;
    j->time_best_s = best.time_s;
    j->edp_best_js = best.edp_js;
}
