/* Perturbations as overrides. Random streams are named, so the same draws are used: each job is the
   clean run's job, earlier, larger or slower. */
#include "experiment/perturb.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "io/yaml_path.h"

#include <math.h>

#define DAY_S (24 * S_PER_H)

static void set_real(struct perturb_sets *out, struct arena *arena, const char *path,
                     double value) {
    char text[NUMFMT_BYTES];
    numfmt_real(text, value);
    array_push(&out->sets, arena_printf(arena, "%s=%s", path, text));
}

static const char *stream_path(const struct study *study, size_t index, const char *key,
                               struct arena *arena) {
    const struct stream *streams = study->source.streams.at;
    return arena_printf(arena, "%s.%s", streams[index].path, key);
}

/* Every generated stream sends 1 + amount times as many jobs. */
static const char *more_arrivals(const struct study *study, const struct perturb_ask *ask,
                                 struct arena *arena, struct perturb_sets *out) {
    const struct stream *streams = study->source.streams.at;
    for (size_t i = 0; i < study->source.streams.count; i++) {
        const struct stream *s = &streams[i];
        if (s->kind == STREAM_TRACE)
            return "a recorded workload has no rate of arrivals";
        if (s->kind == STREAM_PERIODIC)
            set_real(out, arena, stream_path(study, i, "period", arena),
                     s->period_s / (1 + ask->amount));
        else if (isnan(s->load))
            set_real(out, arena, stream_path(study, i, "rate_per_s", arena),
                     s->rate_per_s * (1 + ask->amount));
        else
            set_real(out, arena, stream_path(study, i, "load", arena), s->load * (1 + ask->amount));
    }
    return NULL;
}

/* Every job is 1 + amount times as large; a rate given as a load grows with it. */
static const char *larger_sizes(const struct study *study, const struct perturb_ask *ask,
                                struct arena *arena, struct perturb_sets *out) {
    const struct stream *streams = study->source.streams.at;
    for (size_t i = 0; i < study->source.streams.count; i++) {
        const struct stream *s = &streams[i];
        if (s->kind == STREAM_TRACE)
            return "a recorded workload has no law of sizes";
        if (sizes_are_targets(&s->sizes))
            return "the models determine the sizes (mean: target)";
        set_real(out, arena, stream_path(study, i, "sizes.mean", arena),
                 s->sizes.mean_s * (1 + ask->amount));
        if (!isnan(s->load))
            set_real(out, arena, stream_path(study, i, "load", arena), s->load * (1 + ask->amount));
    }
    return NULL;
}

/* Nodes that never fail do so AMOUNT times a day, and are back after an hour. */
static const char *node_failures(const struct study *study, const struct perturb_ask *ask,
                                 struct arena *arena, struct perturb_sets *out) {
    const struct yaml_node *groups = yaml_find(study->scenario.cluster, "nodes");
    if (study->cluster.outages.file)
        return "the outages of the scenario are recorded";
    for (uint32_t n = 0; n < study->cluster.node_count; n++)
        if (isfinite(study->cluster.nodes[n].up.mean_s))
            return "the nodes of the scenario fail already";
    for (size_t i = 0; i < groups->count; i++) {
        set_real(out, arena, arena_printf(arena, "cluster.nodes[%zu].mtbf", i),
                 DAY_S / ask->amount);
        set_real(out, arena, arena_printf(arena, "cluster.nodes[%zu].mttr", i), S_PER_H);
    }
    return NULL;
}

/* A further lognormal factor on true speeds: variances of logarithms add. */
static const char *model_noise(const struct study *study, const struct perturb_ask *ask,
                               struct arena *arena, struct perturb_sets *out) {
    set_real(out, arena, "noise.speed_sigma",
             hypot(study->scenario.noise.speed_sigma, ask->amount));
    return NULL;
}

/* The number may have a unit, which stays. */
static const char *scaled_number(const struct study *study, const struct perturb_ask *ask,
                                 struct arena *arena, struct perturb_sets *out) {
    struct yaml_path path;
    struct error error = {0};
    double number;
    if (yaml_path_parse(ask->name, arena, &path, &error) < 0)
        return arena_strdup(arena, error.text);
    const struct yaml_node *node = yaml_path_find(study->scenario.doc.root, &path);
    size_t length = node && node->kind == YAML_NODE_SCALAR ? numfmt_prefix(node->text, &number) : 0;
    if (length == 0)
        return "the scenario has no number there";
    char text[NUMFMT_BYTES];
    numfmt_real(text, number * (1 + ask->amount));
    array_push(&out->sets, arena_printf(arena, "%s=%s%s", yaml_path_text(&path, arena), text,
                                        node->text + length));
    return NULL;
}

const struct perturbation perturb_path = {"PATH", 0.1, -1, 1000, scaled_number};

bool perturb_is_path(const char *name) {
    return strpbrk(name, ".[\"") != NULL;
}

const struct perturbation perturbations[] = {
    {"arrivals", 0.1, -1, 1000, more_arrivals},
    {"sizes", 0.1, -1, 1000, larger_sizes},
    {"failures", 1, 0, 1000, node_failures},
    {"noise", 0.2, 0, 1, model_noise},
    {NULL, 0, 0, 0, NULL},
};

const struct perturbation *perturb_find(const char *name) {
    for (const struct perturbation *p = perturbations; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}
