/* Looks at the view: see look.h. */
#include "engine/look.h"

void look_begins(struct sim *sim) {
    view_look_begins(&sim->view);
}

void look_ends(struct sim *sim, bool all) {
    char place[VIEW_PLACE_BYTES];
    if (view_look_ends(&sim->view, all))
        return;
    view_damage(&sim->view, place);
    sim_fail(sim, ERROR_RUN, "policy %s " LOOK_DAMAGE ": %s", sim->module->policy->name, place);
}
