/* Integrals of step functions: see step_integral.h. */
#include "insight/attribution/step_integral.h"

#include "base/units.h"

#include <stdlib.h>

static struct step_sum sum_of(struct step_sum a, struct step_sum b) {
    return (struct step_sum){a.co2_kg + b.co2_kg, a.cost + b.cost};
}

struct step_sum step_integral_of_step(const struct recorded_folder *folder, size_t step,
                                      int64_t duration_ns) {
    const struct recorded_step *s = &folder->steps.at[step];
    double kwh = units_s(duration_ns) / J_PER_KWH * folder->cluster.pue;
    return (struct step_sum){kwh * s->carbon_g_per_kwh / 1000, kwh * s->price_per_mwh / 1000};
}

void step_integral_init(struct step_integral *integral, const struct recorded_folder *folder) {
    size_t count = folder->steps.count;
    *integral = (struct step_integral){folder, mem_zalloc(count, sizeof *integral->before)};
    for (size_t i = 1; i < count; i++)
        integral->before[i] = sum_of(
            integral->before[i - 1],
            step_integral_of_step(folder, i - 1,
                                  folder->steps.at[i].time_ns - folder->steps.at[i - 1].time_ns));
}

void step_integral_finish(struct step_integral *integral) {
    free(integral->before);
    *integral = (struct step_integral){0};
}

static size_t step_at(const struct recorded_folder *folder, int64_t time_ns) {
    size_t next = 1;
    SEARCH(next, folder->steps.count, folder->steps.at[at].time_ns <= time_ns)
    return next - 1;
}

/* What lies in one step has no rounding of what was before it. */
struct step_sum step_integral_find(const struct step_integral *integral, int64_t from_ns,
                                   int64_t to_ns) {
    const struct recorded_folder *f = integral->folder;
    size_t first = step_at(f, from_ns);
    if (first + 1 == f->steps.count || to_ns <= f->steps.at[first + 1].time_ns)
        return step_integral_of_step(f, first, to_ns - from_ns);
    size_t last = step_at(f, to_ns);
    const struct step_sum *before = integral->before;
    const struct step_sum whole = {before[last].co2_kg - before[first + 1].co2_kg,
                                   before[last].cost - before[first + 1].cost};
    struct step_sum head =
        step_integral_of_step(f, first, f->steps.at[first + 1].time_ns - from_ns);
    return sum_of(sum_of(head, whole),
                  step_integral_of_step(f, last, to_ns - f->steps.at[last].time_ns));
}
