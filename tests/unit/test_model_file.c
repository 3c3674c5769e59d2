/* Model files: the shipped one against the figures typed into support/reference.c; defaults; and
   every problem with its place. */
#include "../support/reference.h"
#include "../support/temp_dir.h"
#include "model/model_file.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(model_file, .init = temp_dir_enter, .fini = temp_dir_leave);

struct loaded {
    struct arena arena;
    struct problems problems;
    struct yaml_doc doc;
    struct model_set set;
    int status;
};

/* `models` is the value of that key in a scenario: a file or a list of files. */
static void load(struct loaded *l, const char *models) {
    struct binding binding = {.arena = &l->arena, .problems = &l->problems};
    *l = (struct loaded){0};
    cr_assert_eq(yaml_doc_parse(&l->doc, (struct slice){models, strlen(models)}, "scenario.yaml",
                                &l->problems),
                 0);
    l->status = model_set_load(&l->set, l->doc.root, &binding);
}

static void unload(struct loaded *l) {
    problems_finish(&l->problems);
    yaml_doc_finish(&l->doc);
    arena_finish(&l->arena);
}

Test(model_file, shipped) {
    struct loaded l;
    load(&l, "\"${EASIM_SOURCE}/configs/models/eas-sim.yaml\"");
    cr_assert_eq(l.status, 0, "%s", l.problems.count ? l.problems.texts[0] : "");
    for (int i = 0; i < REFERENCE_MODELS; i++) {
        const struct reference_model *r = &reference_models[i];
        int found = model_set_find(&l.set, r->name);
        cr_assert_geq(found, 0, "%s", r->name);
        const struct model *m = &l.set.models[found];
        cr_expect(m->m0 == r->m0 && m->phi == r->phi && m->costs.start_s == r->start_s &&
                      m->mem0_gib == r->mem0_gib && m->mem1_gib == r->mem1_gib,
                  "%s", r->name);
        size_t batches = 0;
        while (batches < REFERENCE_BATCHES && r->batches[batches] > 0)
            batches++;
        cr_assert_eq(m->allowed.batches.count, batches);
        cr_assert(memcmp(m->allowed.batches.at, r->batches, batches * sizeof *r->batches) == 0);
        for (int h = 0; h < 2; h++) {
            const struct gpu_model *g = model_on_gpu(m, reference_types[h].name);
            cr_assert_not_null(g);
            const struct reference_gpu *e = &r->gpus[h];
            cr_expect(g->speed.a_s == e->a_s && g->speed.c_s == e->c_s &&
                          g->speed.gamma == e->gamma && g->speed.alpha_s[0] == e->alpha_s &&
                          g->speed.alpha_s[1] == e->alpha_s && g->speed.beta_s[0] == 0 &&
                          g->speed.beta_s[1] == 0 && g->power.p0_w == e->p0_w &&
                          g->power.pmax_w == e->pmax_w,
                      "%s on %s", r->name, reference_types[h].name);
            cr_expect_eq(g->weakest, EVIDENCE_ASSUMED);
            cr_expect(g->source && g->lookup.count == 0);
        }
        cr_expect_null(model_on_gpu(m, "v100"));
    }
    cr_expect_eq(model_set_find(&l.set, "nothing"), -1);
    unload(&l);
}

#define GOOD \
    "a_s: 0.1, c_s: 0.01, gamma: 2, alpha_s: 0.005, p0_w: 100, pmax_w: 200, evidence: measured, source: here"

Test(model_file, defaults) {
    struct loaded l;
    temp_file_write_text("m.yaml", "models: [{name: m, m0: 64, phi: 0, batches: 8, gpus: {g: {" GOOD
                                   "}, h: {" GOOD
                                   ", beta_s: 0.001, alpha_inter_s: 0.5, range_k: [1, 8]}}}]\n");
    temp_file_write_text(
        "n.yaml",
        "models: [{name: n, m0: 1.5, phi: 7, batches: [2, 4], start_s: 1.5min, mem0_gib: 512MiB, gpus: {g: {evidence: {k: derived, b: measured}, source: {k: here}, lookup: [{k: 2, batch: 1, throughput_samples_s: 9, power_w_per_gpu: 70}, {k: 1, batch: 1, throughput_samples_s: 5, power_w_per_gpu: 60}]}}}]\n"
        "rigid_speed: {g: 2}\n");
    load(&l, "[m.yaml, n.yaml]");
    cr_assert_eq(l.status, 0, "%s", l.problems.count ? l.problems.texts[0] : "");
    cr_assert_eq(l.set.count, 2);
    const struct model *m = &l.set.models[0], *n = &l.set.models[1];
    cr_expect(m->costs.start_s == 0 && m->costs.restart_s == 0 && m->costs.checkpoint_s == 0 &&
              m->costs.checkpoint_interval_s == 0 && m->mem0_gib == 0 && m->mem1_gib == 0);
    cr_expect(isnan(m->flops_per_sample) && isnan(m->bytes_per_sample) &&
              m->allowed.batches.count == 1);
    const struct gpu_model *g = model_on_gpu(m, "g"), *h = model_on_gpu(m, "h"),
                           *table = model_on_gpu(n, "g");
    cr_expect(g->speed.alpha_s[1] == 0.005 && g->speed.beta_s[0] == 0 && g->speed.beta_s[1] == 0);
    cr_expect(isnan(g->mape_in_sample) && g->range_k.count == 0 && g->weakest == EVIDENCE_MEASURED);
    cr_expect(h->speed.alpha_s[1] == 0.5 && h->speed.beta_s[1] == 0.001 && h->range_k.count == 2);
    cr_expect(n->costs.start_s == 90 && n->mem0_gib == 0.5 && table->weakest == EVIDENCE_DERIVED);
    cr_assert_eq(table->lookup.count, 2);
    cr_expect(table->lookup.points[0].k == 1 && table->lookup.points[1].k == 2); /* sorted */
    cr_expect_not_null(l.set.rigid_speed);
    unload(&l);
}

/* What calibrate writes beside the parameters: extensions of the forms, a power that was not
 * measured, records. */
Test(model_file, calibrated) {
    struct loaded l;
    temp_file_write_text(
        "m.yaml",
        "models: [{name: m, m0: 64, phi: 0, batches: 8, gpus: {g: {a_s: 0.1, c_s: 0.01, gamma: 2, alpha_s: 0.005, sync_gamma: 2.5, scaling_exponent: 0.125, power: tdp, evidence: measured, source: here, fit: {any: [1, {b: 2}]}, power_limits: {energy_optimal_w: 175, levels: [{power_limit_w: 175, time_ratio: 1.25, power_ratio: 0.5, energy_ratio: 0.625, configurations: 3}], points: [{power_limit_w: 175, k: 2, batch: 8, iteration_s: 0.5, power_w_per_gpu: 150, across_nodes: true}]}}, h: {lookup: [{k: 1, batch: 8, throughput_samples_s: 5}], power: tdp, evidence: measured, source: here}, i: {" GOOD
        "}}}]\n");
    load(&l, "m.yaml");
    cr_assert_eq(l.status, 0, "%s", l.problems.count ? l.problems.texts[0] : "");
    const struct model *m = &l.set.models[0];
    const struct gpu_model *g = model_on_gpu(m, "g"), *h = model_on_gpu(m, "h"),
                           *i = model_on_gpu(m, "i");
    cr_expect(g->speed.sync_gamma == 2.5 && g->speed.scaling_exponent == 0.125);
    cr_expect(i->speed.sync_gamma == 1 && i->speed.scaling_exponent == 0 &&
              i->power_form == POWER_LINEAR);
    /* whatever the rate, the limit of the GPU is what is drawn */
    cr_expect_eq(power_training_w(&g->power, g->speed.c_s, 0, 400), 400);
    cr_expect_eq(power_training_w(&g->power, g->speed.c_s, 100, 400), 400);
    cr_expect(h->lookup.count == 1 && h->lookup.points[0].power_w_per_gpu == POWER_UNKNOWN_W);
    const struct power_level *level = g->power_limits.levels.at;
    const struct power_level_point *point = g->power_limits.points.at;
    cr_assert(g->power_limits.levels.count == 1 && g->power_limits.points.count == 1);
    cr_expect(g->power_limits.energy_optimal_w == 175 && level->energy_ratio == 0.625 &&
              level->configurations == 3);
    cr_expect(point->k == 2 && point->iteration_s == 0.5 && point->across_nodes);
    cr_expect(isnan(i->power_limits.energy_optimal_w) && i->power_limits.levels.count == 0 &&
              !i->fit);
    unload(&l);
}

/* Rates 10, 30, 20 are pooled to 10, 25, 25; outputs have their latency in each place. */
Test(model_file, serving) {
    struct loaded l;
    temp_file_write_text(
        "m.yaml",
        "models:\n"
        "  - name: chat\n"
        "    unit: token\n"
        "    prompt: {output_equivalents: 0.031}\n"
        "    serving:\n"
        "      - gpu: g\n"
        "        k: 2\n"
        "        evidence: derived\n"
        "        source: here\n"
        "        points:\n"
        "          - {n: 1, per_s: 10, power_w: 500, itl_ms: {p50: 1, p90: 2, p95: 3, p99: 4}}\n"
        "          - {n: 2, per_s: 30, power_w: 400, itl_ms: {p50: 1, p90: 2, p95: 3, p99: 4}}\n"
        "          - {limit: 4, n: 3, per_s: 20, power_w: 0.45kW, itl_ms: {p50: 2, p90: 2, p95: 3, p99: 4}}\n"
        "  - {name: images, unit: output, m0: 1, phi: 0, batches: 1, gpus: {g: {" GOOD
        "}}, serving: [{gpu: h, k: 1,"
        " loaded_w: 90, evidence: measured, source: x, points: [{n: 1, per_s: 2, power_w: 3, latency_ms: 7}]}]}\n");
    load(&l, "m.yaml");
    cr_assert_eq(l.status, 0, "%s", l.problems.count ? l.problems.texts[0] : "");
    const struct model *chat = &l.set.models[0], *images = &l.set.models[1];
    cr_expect(chat->gpu_count == 0 && chat->serving.unit == UNIT_TOKEN &&
              chat->serving.prompt.output_equivalents == 0.031 && !chat->serving.prompt.included);
    const struct serving *tokens = chat->serving.tables.at, *outputs = images->serving.tables.at;
    cr_assert(chat->serving.tables.count == 1 && tokens->table.count == 3);
    cr_expect(strcmp(tokens->gpu, "g") == 0 && tokens->k == 2 && isnan(tokens->loaded_w) &&
              tokens->evidence == EVIDENCE_DERIVED);
    cr_expect(tokens->table.points[1].per_s == 25 && tokens->table.points[2].per_s == 25);
    cr_expect(tokens->table.points[2].power_w == 450 && tokens->table.points[2].limit == 4 &&
              isnan(tokens->table.points[0].limit));
    cr_expect(tokens->table.points[2].latency_ms[SERVING_P50] == 2 &&
              tokens->table.points[0].latency_ms[SERVING_P99] == 4);
    cr_assert(images->gpu_count == 1 && images->serving.tables.count == 1);
    cr_expect(outputs->loaded_w == 90 && outputs->table.points[0].latency_ms[SERVING_P50] == 7 &&
              outputs->table.points[0].latency_ms[SERVING_P99] == 7);
    unload(&l);
}

/* Whether some problem is at `where` and has all the words of `expected` after the first `|`, which
   also separates them: messages may be reworded, places and names may not. */
static bool has_problem(const struct problems *problems, const char *expected) {
    char parts[256];
    snprintf(parts, sizeof parts, "%s", expected);
    for (size_t i = 0; i < problems->count; i++) {
        char copy[256], *rest = copy;
        memcpy(copy, parts, sizeof copy);
        bool all = true;
        for (char *part; (part = strsep(&rest, "|")) != NULL;)
            all = all && strstr(problems->texts[i], part);
        if (all)
            return true;
    }
    return false;
}

/* Each text has the listed problems and no others. */
Test(model_file, problems) {
    static const struct {
        const char *text;
        const char *expected[6];
    } cases[] = {
        {"", {"m.yaml: |no models"}},
        {"models: []\n", {"m.yaml:1:9: models: "}},
        {"modles: []\n",
         {"m.yaml:1:1: |unknown key \"modles\"|\"models\"?", "m.yaml:1:1: |\"models\" is missing"}},
        {"models: [{name: m, m0: 0, phi: -1, batches: [1, 0], gpus: {g: {" GOOD "}}}]\n",
         {"m.yaml:1:24: models[0].m0: |> 0", "m.yaml:1:32: models[0].phi: |\"-1\"",
          "m.yaml:1:49: models[0].batches[1]: |\"0\""}},
        {"models: [{name: m, m0: 1, batches: 1, gpus: {g: {" GOOD "}}}]\n",
         {"m.yaml:1:10: models[0]: |\"phi\" is missing"}},
        {"models: [{name: m, m0: 1, batches: 1, phases: [{until: 0.5, phi: 1}, {until: 1}], gpus: {g: {" GOOD
         "}}}]\n",
         {"m.yaml:1:70: models[0].phases[1]: |\"phi\" is missing"}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, phases: [{until: 0.5}, {until: 0.4, m0: 3}, {until: 0, batches: [0]}, {until: 1.5}], gpus: {g: {" GOOD
         "}}}]\n",
         {"m.yaml:1:70: models[0].phases[1].until: |0.5|0.4", "models[0].phases[1]|\"m0\"",
          "m.yaml:1:99: models[0].phases[2].until: |\"0\"", "models[0].phases[2].batches[0]|\"0\"",
          "models[0].phases[3].until|\"1.5\""}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, phases: [{until: 0.5}, {until: 0.9}], gpus: {g: {" GOOD
         "}}}]\n",
         {"m.yaml:1:70: models[0].phases[1].until: |expected 1|0.9"}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, phases: {until: 1}, gpus: {g: {" GOOD
         "}}}]\n",
         {"m.yaml:1:55: models[0].phases: |list"}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, phases: [{phi: -1}], gpus: {g: {" GOOD
         "}}}]\n",
         {"m.yaml:1:56: models[0].phases[0]|\"until\" is missing",
          "models[0].phases[0].phi|\"-1\""}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, gpus: {}}]\n",
         {"m.yaml:1:53: models[0].gpus: "}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, gpus: {g: {evidence: guessed, source: x, a_s: 1, c_s: 1, gamma: 1, alpha_s: 0, p0_w: 9, pmax_w: 8}}}]\n",
         {"m.yaml:1:57: models[0].gpus.g: |p0_w|pmax_w",
          "m.yaml:1:68: models[0].gpus.g.evidence: |\"guessed\""}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, gpus: {g: {evidence: measured, source: x, a_s: 1, c_s: 1, gamma: 0.5, alpha_s: 0, p0_w: 1, pmax_w: 8}}}]\n",
         {"m.yaml:1:112: models[0].gpus.g.gamma: |1..10|\"0.5\""}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, gpus: {g: {evidence: measured, source: x, a_s: 1}}}]\n",
         {"m.yaml:1:57: models[0].gpus.g: |\"c_s\" is missing",
          "m.yaml:1:57: models[0].gpus.g: |\"gamma\" is missing",
          "m.yaml:1:57: models[0].gpus.g: |\"alpha_s\"", "m.yaml:1:57: models[0].gpus.g: |\"p0_w\"",
          "m.yaml:1:57: models[0].gpus.g: |\"pmax_w\""}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, gpus: {g: {" GOOD ", range_k: [8, 1]}}}]\n",
         {"m.yaml:1:57: models[0].gpus.g|range_k|[least, most]"}},
        {"models: [{name: m, m0: 1, phi: 1, batches: 1, gpus: {g: {evidence: measured, source: x, lookup: [{k: 1, batch: 2, throughput_samples_s: 1, power_w_per_gpu: 1}, {k: 1, batch: 2, throughput_samples_s: 2, power_w_per_gpu: 1}]}}}]\n",
         {"m.yaml:1:57: models[0].gpus.g|lookup|k 1, batch 2|twice"}},
        {"models:\n  - {name: m, m0: 1, phi: 1, batches: 1, gpus: {g: {" GOOD "}}}\n"
         "  - {name: m, m0: 1, phi: 1, batches: 1, gpus: {g: {" GOOD "}}}\n",
         {"m.yaml:3:5: models[1]|\"m\"|twice"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded l;
        size_t expected = 0;
        temp_file_write_text("m.yaml", cases[i].text);
        load(&l, "m.yaml");
        cr_assert_lt(l.status, 0, "case %zu", i);
        for (; expected < 6 && cases[i].expected[expected]; expected++)
            cr_expect(has_problem(&l.problems, cases[i].expected[expected]),
                      "case %zu: no problem %s; the first is %s", i, cases[i].expected[expected],
                      l.problems.texts[0]);
        cr_expect_eq(l.problems.count, expected, "case %zu: %zu problems", i, l.problems.count);
        unload(&l);
    }
}
