/* By where the fields stand in their structs: see override_effect.h. */
#include "model/override_effect.h"

#include "model/model_phase.h"

#define PHASES "phases with their own"

static bool is_of_batches(const struct field *field, size_t allowed) {
    return field->offset >= allowed && field->offset < allowed + sizeof(struct batch_choice);
}

/* Why a parameter of a model on a GPU type decides nothing there; NULL: it does. */
const char *override_hidden_on_gpu(const struct model *m, const struct gpu_model *g,
                                   const struct field *field) {
    bool of_speed = field->offset >= offsetof(struct gpu_model, speed) &&
                    field->offset < offsetof(struct gpu_model, speed) + sizeof g->speed;
    bool of_power = field->offset >= offsetof(struct gpu_model, power) &&
                    field->offset < offsetof(struct gpu_model, power) + sizeof g->power;
    bool of_plans = field->offset >= offsetof(struct gpu_model, links) &&
                    field->offset < offsetof(struct gpu_model, plan_fit) + sizeof g->plan_fit;
    if (of_plans != m->is_transformer && (of_plans || of_speed))
        return of_plans ? "forms of a model that is no transformer" : "the plans of a transformer";
    bool by_table = field->offset == offsetof(struct gpu_model, speed.c_s)
                        ? g->lookup_speed && g->lookup_power /* power asks for it, too */
                        : (of_speed && g->lookup_speed) || (of_power && g->lookup_power);
    if (by_table)
        return "a lookup table";
    if (is_of_batches(field, offsetof(struct gpu_model, allowed)) &&
        model_phases_state(m, model_phase_states_batches))
        return PHASES;
    return of_power && g->power_form == POWER_TDP ? "power: tdp" : NULL;
}

/* The same of a parameter of a model as a whole. */
const char *override_hidden_in_model(const struct model *m, const struct field *field) {
    bool of_serving = field->offset >= offsetof(struct model, serving) &&
                      field->offset < offsetof(struct model, serving) + sizeof m->serving;
    bool of_phi = field->offset == offsetof(struct model, phi);
    bool of_noise = of_phi || field->offset == offsetof(struct model, m0);
    if (!m->gpus_node && !of_serving)
        return "serving tables alone";
    if (of_noise && m->efficiency == EFFICIENCY_NONE)
        return "efficiency: none";
    bool of_batches = is_of_batches(field, offsetof(struct model, allowed));
    return (of_phi && model_phases_state(m, model_phase_states_phi)) ||
                   (of_batches && model_phases_state(m, model_phase_states_batches))
               ? PHASES
               : NULL;
}
