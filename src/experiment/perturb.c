/* Perturbations as overrides. Random streams are named, so the same draws are used: each job is the clean run's
   job, earlier, larger or slower. */
#include "experiment/perturb.h"

#include "base/numfmt.h"

#include <math.h>

static void set_real(struct perturb_sets *out, struct arena *arena, const char *path, double value) {
    char text[NUMFMT_BYTES];
    numfmt_real(text, value);
    array_push(&out->sets, arena_printf(arena, "%s=%s", path, text));
}

static const char *stream_path(const struct study *study, size_t index, const char *key, struct arena *arena) {
    return study->source.single ? arena_printf(arena, "workload.%s", key)
                                : arena_printf(arena, "workload.streams[%zu].%s", index, key);
}

/* Every generated stream sends 1 + amount times as many jobs. */
static const char *more_arrivals(const struct study *study, double amount, struct arena *arena,
                                 struct perturb_sets *out) {
    const struct stream *streams = study->source.streams.at;
    for (size_t i = 0; i < study->source.streams.count; i++) {
        const struct stream *s = &streams[i];
        if (s->kind == STREAM_TRACE)
            return "a recorded workload has no rate of arrivals";
        if (s->kind == STREAM_PERIODIC)
            set_real(out, arena, stream_path(study, i, "period", arena), s->period_s / (1 + amount));
        else if (isnan(s->load))
            set_real(out, arena, stream_path(study, i, "rate_per_s", arena), s->rate_per_s * (1 + amount));
        else
            set_real(out, arena, stream_path(study, i, "load", arena), s->load * (1 + amount));
    }
    return NULL;
}

/* Every job is 1 + amount times as large; where the rate is given as a load, the load grows with it. */
static const char *larger_sizes(const struct study *study, double amount, struct arena *arena,
                                struct perturb_sets *out) {
    const struct stream *streams = study->source.streams.at;
    for (size_t i = 0; i < study->source.streams.count; i++) {
        const struct stream *s = &streams[i];
        if (s->kind == STREAM_TRACE)
            return "a recorded workload has no law of sizes";
        set_real(out, arena, stream_path(study, i, "sizes.mean", arena), s->sizes.mean_s * (1 + amount));
        if (!isnan(s->load))
            set_real(out, arena, stream_path(study, i, "load", arena), s->load * (1 + amount));
    }
    return NULL;
}

const struct perturbation perturbations[] = {
    {"arrivals", "1 + AMOUNT times as many jobs per second", -1, more_arrivals},
    {"sizes", "jobs 1 + AMOUNT times as large", -1, larger_sizes},
    {NULL, NULL, 0, NULL},
};

const struct perturbation *perturb_find(const char *name) {
    for (const struct perturbation *p = perturbations; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}
