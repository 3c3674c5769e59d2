/* Allowed batches and accumulation: see batches.h. */
#include "model/batches.h"

#include "model/laws.h"

#include <math.h>
#include <string.h>

static bool is_stated(const struct batch_choice *choice) {
    return choice->batches.count + choice->global_batches.count > 0;
}

const struct batch_choice *batches_on(const struct model *model,
                                      const struct gpu_model *gpu_model) {
    return is_stated(&gpu_model->allowed) ? &gpu_model->allowed : &model->allowed;
}

size_t batches_count(const struct batch_choice *choice) {
    return choice->batches.count + choice->global_batches.count;
}

double batches_at(const struct batch_choice *choice, size_t i, uint32_t k) {
    const double *own = choice->batches.at, *global = choice->global_batches.at;
    return choice->batches.count > 0 ? own[i] : global[i] / k;
}

static bool are_equal(double a, double b) {
    return a <= b * BATCH_EQUAL && b <= a * BATCH_EQUAL;
}

double batches_steps(const struct gpu_model *gpu_model, uint32_t k, double batch) {
    const struct grad_accum *stated = gpu_model->grad_accum.at;
    for (size_t i = 0; i < gpu_model->grad_accum.count; i++)
        if (stated[i].k == k && are_equal(stated[i].batch, batch))
            return (double)stated[i].steps;
    return 1;
}

double batches_memory_gib(const struct model *model, const struct gpu_model *gpu_model, uint32_t k,
                          double batch) {
    return model->mem0_gib + model->mem1_gib * (batch / batches_steps(gpu_model, k, batch));
}

bool batches_too_large(const struct gpu_model *gpu_model, uint32_t k, double batch) {
    return batch / batches_steps(gpu_model, k, batch) > gpu_model->most_batch * BATCH_EQUAL;
}

static void settle_choice(struct batch_choice *choice, struct location where, const char *path,
                          const struct binding *binding) {
    schema_sort_reals(&choice->batches);
    schema_sort_reals(&choice->global_batches);
    if (choice->batches.count > 0 && choice->global_batches.count > 0)
        problems_add(binding->problems, where, path,
                     "expected one of batches and global_batches, got both");
}

static void check_steps(const struct gpu_model *gpu_model, const char *path,
                        const struct binding *binding) {
    const struct grad_accum *stated = gpu_model->grad_accum.at;
    for (size_t i = 1; i < gpu_model->grad_accum.count; i++)
        for (size_t j = 0; j < i; j++)
            if (stated[i].k == stated[j].k && are_equal(stated[i].batch, stated[j].batch)) {
                problems_add(binding->problems, gpu_model->where, path,
                             "grad_accum: k %lld, batch %.9g is listed twice",
                             (long long)stated[i].k, stated[i].batch);
                break;
            }
}

bool batches_all_own(const struct model *model) {
    for (uint32_t i = 0; i < model->gpu_count; i++)
        if (!is_stated(&model->gpus[i].allowed))
            return false;
    return model->gpu_count > 0;
}

void batches_check(struct model *model, const char *path, const struct binding *binding) {
    settle_choice(&model->allowed, model->where, path, binding);
    for (uint32_t i = 0; i < model->gpu_count; i++) {
        struct gpu_model *g = &model->gpus[i];
        const char *gpu_path = arena_printf(binding->arena, "%s.gpus.%s", path, g->gpu);
        settle_choice(&g->allowed, g->where, gpu_path, binding);
        check_steps(g, gpu_path, binding);
    }
}

/* --- phase_batch --- */

uint32_t phase_batch_find(const struct easim_config *configs, uint32_t first, uint32_t count,
                          const struct easim_config *now, uint32_t span) {
    uint32_t below = EASIM_NONE;
    for (uint32_t i = first; i < first + count; i++) {
        const struct easim_config *c = &configs[i];
        if (c->gpu_type != now->gpu_type || c->k != now->k || c->milli != now->milli ||
            c->power_limit_w != now->power_limit_w || !(c->goodput[span] > 0))
            continue;
        if (c->batch * BATCH_EQUAL >= now->batch)
            return i; /* they come by ascending batch */
        below = i;
    }
    return below;
}

/* --- model_phase --- */

#define MODEL_MAX_PHASES 64

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
                         "expected no phi with efficiency: none");
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
