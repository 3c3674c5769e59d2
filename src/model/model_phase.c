/* Phases of a model: see model_phase.h. */
#include "model/model_phase.h"

#include <math.h>
#include <string.h>

static const struct model_phase *phase_at(const struct model *model, uint32_t phase) {
    return model->phases.count > 0 ? &((const struct model_phase *)model->phases.at)[phase] : NULL;
}

void model_phases_check(const struct model *model, bool phi_is_given, const char *path,
                        const struct binding *binding) {
    struct model_phase *phases = model->phases.at;
    size_t count = model->phases.count;
    double before = 0;
    if (count > MODEL_MAX_PHASES)
        problems_add(binding->problems, phases[MODEL_MAX_PHASES].where,
                     arena_printf(binding->arena, "%s.phases", path),
                     "expected at most %d phases, got %zu", MODEL_MAX_PHASES, count);
    for (size_t i = 0; i < count; i++) {
        schema_sort_reals(&phases[i].batches);
        const char *at = arena_printf(binding->arena, "%s.phases[%zu]", path, i);
        bool known = phases[i].until > 0; /* else that has been said already */
        if (known && !(phases[i].until > before))
            problems_add(binding->problems, phases[i].where,
                         arena_printf(binding->arena, "%s.until", at),
                         "expected more than the %.16g of the phase before, got %.16g", before,
                         phases[i].until);
        if (!isnan(phases[i].phi) && model->efficiency == EFFICIENCY_NONE)
            problems_add(binding->problems, phases[i].where,
                         arena_printf(binding->arena, "%s.phi", at),
                         "expected no phi beside efficiency: none");
        if (isnan(phases[i].phi) && !phi_is_given && model->efficiency != EFFICIENCY_NONE)
            problems_add(binding->problems, phases[i].where, at,
                         "key \"phi\" is missing (the model has none either)");
        if (phases[i].batches.count > MODEL_MAX_BATCHES)
            problems_add(binding->problems, phases[i].where,
                         arena_printf(binding->arena, "%s.batches", at),
                         "expected at most %d different values, got %zu", MODEL_MAX_BATCHES,
                         phases[i].batches.count);
        before = known ? phases[i].until : before;
    }
    if (count > 0 && phases[count - 1].until > 0 && phases[count - 1].until != 1)
        problems_add(binding->problems, phases[count - 1].where,
                     arena_printf(binding->arena, "%s.phases[%zu].until", path, count - 1),
                     "expected 1, the end of the work, for the last phase, got %.16g",
                     phases[count - 1].until);
}

uint32_t model_phase_count(const struct model *model) {
    return model->phases.count > 0 ? (uint32_t)model->phases.count : 1;
}

double model_phase_until(const struct model *model, uint32_t phase) {
    const struct model_phase *p = phase_at(model, phase);
    return p ? p->until : 1;
}

bool model_phase_states_phi(const struct model *model, uint32_t phase) {
    const struct model_phase *p = phase_at(model, phase);
    return p && !isnan(p->phi);
}

bool model_phase_states_batches(const struct model *model, uint32_t phase) {
    const struct model_phase *p = phase_at(model, phase);
    return p && p->batches.count > 0;
}

bool model_phases_state(const struct model *model,
                        bool (*phase_states)(const struct model *model, uint32_t phase)) {
    for (uint32_t p = 0; p < model_phase_count(model); p++)
        if (!phase_states(model, p))
            return false;
    return true;
}

double model_phase_phi(const struct model *model, uint32_t phase) {
    return model_phase_states_phi(model, phase) ? phase_at(model, phase)->phi : model->phi;
}

const struct schema_list *model_phase_batches(const struct model *model, uint32_t phase) {
    static const struct schema_list none = {0};
    const struct model_phase *p = phase_at(model, phase);
    return p ? &p->batches : &none;
}

bool model_phases_equal(const struct model *model, uint32_t phase, uint32_t other) {
    const struct schema_list *a = model_phase_batches(model, phase),
                             *b = model_phase_batches(model, other);
    return model_phase_phi(model, phase) == model_phase_phi(model, other) && a->count == b->count &&
           (a->count == 0 || memcmp(a->at, b->at, a->count * sizeof(double)) == 0);
}
