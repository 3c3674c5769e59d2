/* Overrides of model parameters: values, products and derived ones against formulas written down
   here, in order, by model and GPU type; what they say of evidence; notes on what has no effect. */
#include "../support/temp_dir.h"
#include "model/model_file.h"
#include "model/override_values.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(model_overrides, .init = temp_dir_enter, .fini = temp_dir_leave);

/* Types g (8 GPUs in its largest node), h (4), one (1); "far" is in no node. */
static struct gpu_type types[] = {{.name = "g", .gpus = 16, .node_gpus_max = 8, .memory_gib = 80},
                                  {.name = "h", .gpus = 4, .node_gpus_max = 4, .memory_gib = 80},
                                  {.name = "one", .gpus = 2, .node_gpus_max = 1}};
static const struct cluster cluster = {.gpu_types = types, .gpu_type_count = 3};

struct result {
    struct arena arena;
    struct problems problems;
    struct yaml_doc doc;
    struct model_tree tree;
    struct model_set set;
    struct override_notes notes;
    int status;
};

static void apply(struct result *r, const char *models, const char *overrides) {
    struct binding binding = {.arena = &r->arena, .problems = &r->problems};
    struct str text = {0};
    *r = (struct result){0};
    str_addf(&text, "models: %s\noverrides: %s\n", models, overrides);
    cr_assert_eq(
        yaml_doc_parse(&r->doc, (struct slice){text.text, text.length}, "s.yaml", &r->problems), 0);
    str_finish(&text);
    cr_assert_eq(model_tree_read(&r->tree, yaml_find(r->doc.root, "models"), &binding), 0);
    const struct override_target target = {&r->tree, &cluster, &r->notes};
    r->status = model_overrides_apply(&target, yaml_find(r->doc.root, "overrides"), &binding);
    int bound = model_set_bind(&r->set, &r->tree, &binding);
    r->status = r->status < 0 ? r->status : bound;
}

static void apply_well(struct result *r, const char *models, const char *overrides) {
    apply(r, models, overrides);
    cr_assert_eq(r->status, 0, "%s: %s", overrides, r->problems.count ? r->problems.texts[0] : "");
}

static void finish(struct result *r) {
    free(r->notes.texts.at);
    problems_finish(&r->problems);
    yaml_doc_finish(&r->doc);
    arena_finish(&r->arena);
}

static const struct gpu_model *on(const struct result *r, const char *model, const char *gpu) {
    int found = model_set_find(&r->set, model);
    cr_assert_geq(found, 0);
    const struct gpu_model *g = model_on_gpu(&r->set.models[found], gpu);
    cr_assert_not_null(g);
    return g;
}

#define REST "p0_w: 110, pmax_w: 310, evidence: derived, source: here}"
#define G    "g: {a_s: 0.031, c_s: 0.0047, gamma: 1.7, alpha_s: 0.0061, " REST
#define H    "h: {a_s: 0.029, c_s: 0.0021, gamma: 2.3, alpha_s: 0.004, alpha_inter_s: 0.009, " REST
#define MODELS \
    "{models: [{name: m, m0: 640, phi: 1300, start_s: 90s, mem1_gib: 512MiB, batches: [8, 24], gpus: {" G \
    ", " H "}}, {name: n, m0: 64, phi: 0, batches: [4], gpus: {" G "}}]}"

/* Entries in order, values and factors, by name and for all; units of the file are kept out of
   products: 90 s times 1.5, half a GiB times 3. */
Test(model_overrides, order) {
    struct result r;
    apply_well(
        &r, MODELS,
        "[{set: {c_s: {times: 2}, phi: 700, batches: {times: 0.5}}},"
        " {model: m, gpu: h, set: {c_s: {times: 3}, p0_w: 0.12 kW, alpha_inter_s: {times: 2}}},"
        " {model: m, gpu: g, set: {alpha_inter_s: {times: 4}}},"
        " {model: m, set: {m0: 192, mem1_gib: {times: 3}, start_s: {times: 1.5}}}]");
    const struct model *m = &r.set.models[0], *n = &r.set.models[1];
    cr_expect_eq(on(&r, "m", "g")->speed.c_s, 0.0047 * 2);
    cr_expect_eq(on(&r, "m", "h")->speed.c_s, 0.0021 * 2 * 3);
    cr_expect_eq(on(&r, "n", "g")->speed.c_s, 0.0047 * 2);
    cr_expect(on(&r, "m", "h")->power.p0_w == 120 && on(&r, "m", "g")->power.p0_w == 110);
    cr_expect_eq(on(&r, "m", "h")->speed.alpha_s[1], 0.009 * 2);
    cr_expect_eq(on(&r, "m", "g")->speed.alpha_s[1], 0.0061 * 4, "not stated: that of alpha_s");
    cr_expect(m->m0 == 192 && n->m0 == 64 && m->phi == 700 && n->phi == 700);
    cr_expect(m->mem1_gib == 1.5 && m->costs.start_s == 135 && n->costs.start_s == 0);
    const double *b = m->allowed.batches.at;
    cr_expect(m->allowed.batches.count == 2 && b[0] == 4 && b[1] == 12);
    cr_expect_eq(r.notes.texts.count, 0);
    finish(&r);
}

/* The parameters alone: what the file says of the others stays, and the weakest word is that of the
   override. */
Test(model_overrides, evidence) {
    struct result r;
    apply_well(&r, MODELS, "[{model: m, set: {alpha_s: 0.1}}]");
    cr_expect_str_eq(yaml_find(on(&r, "m", "g")->evidence, "alpha_inter_s")->text,
                     "assumed (override)", "that of alpha_s");
    cr_expect_null(yaml_find(on(&r, "m", "h")->evidence, "alpha_inter_s"), "stated: as it was");
    finish(&r);
    apply_well(&r, MODELS,
               "[{model: m, gpu: g, set: {c_s: {times: 1}}}, {model: n, set: {m0: 65}}]");
    const struct gpu_model *g = on(&r, "m", "g");
    cr_expect_str_eq(yaml_find(g->evidence, "c_s")->text, "assumed (override)");
    cr_expect_str_eq(yaml_find(g->evidence, "others")->text, "derived");
    cr_expect_str_eq(yaml_find(g->source, "c_s")->text, "model_overrides[0].set.c_s");
    cr_expect_str_eq(yaml_find(g->source, "others")->text, "here");
    cr_expect_eq(g->weakest, EVIDENCE_OVERRIDE);
    cr_expect_eq(on(&r, "m", "h")->weakest, EVIDENCE_DERIVED);
    cr_expect_eq(on(&r, "n", "g")->weakest, EVIDENCE_OVERRIDE);
    cr_expect_str_eq(yaml_find(on(&r, "n", "g")->evidence, "m0")->text, "assumed (override)");
    finish(&r);
}

/* semantics 3.1, written down once more. */
static double iteration_s(const struct speed_params *p, double k, double batch, int span) {
    double local_s = pow(pow(p->a_s, p->gamma) + pow(p->c_s * batch, p->gamma), 1 / p->gamma) *
                     pow(k, p->scaling_exponent);
    double sync_s = k > 1 ? p->alpha_s[span] + p->beta_s[span] * (k - 2) : 0;
    return pow(pow(local_s, p->sync_gamma) + pow(sync_s, p->sync_gamma), 1 / p->sync_gamma);
}

static void expect_efficiency(const struct gpu_model *g, double k, double batch, double wanted) {
    double got = iteration_s(&g->speed, 1, batch, 0) / iteration_s(&g->speed, k, batch, 0);
    cr_expect_float_eq(got / wanted, 1, 1e-13, "%.17g, not %.17g", got, wanted);
}

/* On the GPUs of the largest node of each type, at the largest batch; across nodes by the same
   factor. */
Test(model_overrides, scaling_efficiency) {
    static const double wanted[] = {0.013, 0.5, 0.6931471805599453, 0.89, 0.987654321, 0.9999999};
    static const char *const forms[] = {"", "sync_gamma: 1.9, ", "sync_gamma: 10, ",
                                        "beta_s: 1e-10, sync_gamma: 1.2, "};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            struct result r;
            struct str models = {0}, overrides = {0};
            str_addf(
                &models,
                "{models: [{name: m, m0: 640, phi: 13, batches: [8, 24], gpus: {"
                "g: {%s"
                "a_s: 0.031, c_s: 0.0047, gamma: 1.7, alpha_s: 0.0061, " REST ", h: {%s"
                "a_s: 0.02, c_s: 0.0021, gamma: 10, alpha_s: 0.004, alpha_inter_s: 0.009, " REST
                "}}]}",
                forms[f], forms[f]);
            str_addf(&overrides, "[{set: {scaling_efficiency: %.17g}}]", wanted[i]);
            apply_well(&r, models.text, overrides.text);
            const struct gpu_model *g = on(&r, "m", "g"), *h = on(&r, "m", "h");
            expect_efficiency(g, 8, 24, wanted[i]);
            expect_efficiency(h, 4, 24, wanted[i]);
            cr_expect_eq(g->speed.alpha_s[1], g->speed.alpha_s[0]);
            cr_expect_float_eq(h->speed.alpha_s[1] / h->speed.alpha_s[0], 0.009 / 0.004, 1e-12);
            cr_expect_str_eq(yaml_find(h->evidence, "alpha_inter_s")->text, "assumed (override)");
            str_finish(&models);
            str_finish(&overrides);
            finish(&r);
        }
}

/* From 0 there is no factor: the difference across nodes stays. Without overlap alpha_s = t(1) (1/x
   - 1) - 6 beta_s; exactly the most that alpha_s = 0 allows is reached, and is what it was. */
Test(model_overrides, scaling_efficiency_from_zero) {
    struct result r;
    const char *models =
        "{models: [{name: m, m0: 640, phi: 13, batches: [16], gpus: {g: {a_s: 0.02, c_s: 0.005, gamma: 1, "
        "alpha_s: 0, beta_s: 0.0005, alpha_inter_s: 0.007, " REST "}}]}";
    apply_well(&r, models, "[{set: {scaling_efficiency: 0.8}}]");
    const struct speed_params *s = &on(&r, "m", "g")->speed;
    cr_expect_float_eq(s->alpha_s[0], 0.1 / 0.8 - 0.1 - 6 * 0.0005, 1e-15);
    cr_expect_float_eq(s->alpha_s[1], 0.007 + s->alpha_s[0], 1e-15);
    finish(&r);
    struct str most = {0};
    str_addf(&most, "[{set: {scaling_efficiency: %.17g}}]", 0.1 / (0.1 + 6 * 0.0005));
    apply_well(&r, models, most.text);
    cr_expect_eq(on(&r, "m", "g")->speed.alpha_s[0], 0);
    cr_expect_eq(on(&r, "m", "g")->speed.alpha_s[1], 0.007);
    finish(&r);
    str_finish(&most);
}

/* An iteration in steps: t(1) = 3 l(8), t(8) = 2 (l(12) + s), l(b) = 0.02 + 0.005 b; and b = B / 8
   for global batches, 96 / 8 = 12: t(1) = 0.08, s = 0.08 (1/0.9 - 1). */
Test(model_overrides, scaling_efficiency_of_other_batches) {
#define LINEAR "a_s: 0.02, c_s: 0.005, gamma: 1, alpha_s: 0.001, " REST
    struct result r;
    apply_well(
        &r,
        "{models: [{name: m, m0: 640, phi: 13, batches: [24], gpus: {g: {grad_accum: [{k: 1, batch: 24, steps: 3},"
        " {k: 8, batch: 24, steps: 2}], " LINEAR
        "}}, {name: n, m0: 640, phi: 13, global_batches: [32, 96], gpus: {g: {" LINEAR "}}]}",
        "[{set: {scaling_efficiency: 0.9}}]");
    double whole_s = 3 * 0.06 / 0.9;
    cr_expect_float_eq(on(&r, "m", "g")->speed.alpha_s[0], whole_s / 2 - 0.08, 1e-15);
    cr_expect_float_eq(on(&r, "n", "g")->speed.alpha_s[0], 0.08 / 0.9 - 0.08, 1e-15);
    finish(&r);
}

/* Of phases that all state batches the largest is theirs; of others that of the model, which some
   phase has: t(1) = 0.02 + 0.005 b. */
Test(model_overrides, scaling_efficiency_of_phases) {
#define TWO(first) \
    "phases: [{until: 0.5, " first "}, {until: 1, batches: [6]}], gpus: {g: {" LINEAR "}}"
    struct result r;
    apply_well(
        &r,
        "{models: [{name: m, m0: 640, phi: 13, " TWO(
            "batches: [2, 28]") ", {name: n, m0: 640, phi: 13, batches: [16], " TWO("phi: 3") "]}",
        "[{set: {scaling_efficiency: 0.8}}]");
    cr_expect_float_eq(on(&r, "m", "g")->speed.alpha_s[0], 0.16 / 0.8 - 0.16, 1e-15);
    cr_expect_float_eq(on(&r, "n", "g")->speed.alpha_s[0], 0.1 / 0.8 - 0.1, 1e-15);
    finish(&r);
}

/* What models and GPU types may both state: set at the GPU type that is named, else for the model
   and wherever a GPU type has its own; a factor takes what holds there. */
Test(model_overrides, keys_of_both) {
    struct result r;
    const char *models =
        "{models: [{name: m, m0: 640, phi: 13, batches: [8, 24], gpus: {" G
        ", h: {batches: [6], a_s: 0.1, c_s: 0.02, gamma: 2, alpha_s: 0.1, " REST "}}]}";
    apply_well(&r, models, "[{gpu: g, set: {batches: {times: 2}}}]");
    const struct batch_choice *own = &on(&r, "m", "g")->allowed, *whole = &r.set.models[0].allowed;
    cr_expect(own->batches.count == 2 && ((double *)own->batches.at)[1] == 48);
    cr_expect_eq(((double *)whole->batches.at)[1], 24);
    finish(&r);
    apply_well(&r, models, "[{set: {batches: [7]}}]");
    cr_expect_eq(on(&r, "m", "g")->allowed.batches.count, 0);
    cr_expect_eq(*(double *)r.set.models[0].allowed.batches.at, 7);
    cr_expect_eq(*(double *)on(&r, "m", "h")->allowed.batches.at, 7);
    finish(&r);
}

/* Derived ones follow the plain ones of their entry, wherever they stand in it. */
Test(model_overrides, derived_last) {
    struct result r;
    apply_well(&r, MODELS,
               "[{set: {scaling_efficiency: 0.9, p0_share: 0.3, pmax_w: {times: 2}, a_s: 0.05, "
               "batches: [32]}}]");
    cr_expect_float_eq(on(&r, "m", "h")->power.p0_w, 0.3 * 620, 1e-12);
    expect_efficiency(on(&r, "m", "g"), 8, 32, 0.9);
    expect_efficiency(on(&r, "m", "h"), 4, 32, 0.9);
    cr_expect_str_eq(yaml_find(on(&r, "m", "g")->evidence, "p0_w")->text, "assumed (override)");
    finish(&r);
}

#define TABLE \
    "{name: t, m0: 64, phi: 0, batches: [4], gpus: {g: {evidence: measured, source: here, lookup: [{k: 1, batch: 4, " \
    "throughput_samples_s: 40, power_w_per_gpu: 200}]}}}"
#define UNKNOWN \
    "{name: u, m0: 64, phi: 0, batches: [4], gpus: {g: {a_s: 0.1, c_s: 0.02, gamma: 2, alpha_s: 0.01, power: tdp, " \
    "evidence: derived, source: here}}}"
/* Speed by table and power by form, which asks for c_s. */
#define HALF \
    "{name: v, m0: 64, phi: 0, batches: [4], gpus: {g: {c_s: 0.02, p0_w: 100, pmax_w: 200, evidence: measured, " \
    "source: here, lookup: [{k: 1, batch: 4, throughput_samples_s: 40}]}}}"
#define PHASES \
    "{name: w, m0: 64, batches: [4], phases: [{until: 0.5, phi: 3}, {until: 1, phi: 7}], gpus: {" G \
    "}}"
/* Each phase has batches of its own. */
#define BATCHES \
    "{name: y, m0: 64, phi: 3, batches: [4], phases: [{until: 0.5, batches: [8]}, {until: 1, batches: [2]}], gpus: {" G \
    ", h: {batches: [6], a_s: 0.1, c_s: 0.02, gamma: 2, alpha_s: 0.1, " REST "}}"
#define WITH_PHASES \
    "{models: [" BATCHES ", {name: n, m0: 64, phi: 0, batches: [4], gpus: {" G "}}]}"
#define OUTPUTS "{name: x, efficiency: none, batches: [4], gpus: {" G "}}"
#define WITH_FORMS \
    "{models: [" HALF ", " PHASES ", " OUTPUTS \
    ", {name: n, m0: 64, phi: 0, batches: [4], gpus: {" G "}}]}"
#define WITH_TABLES \
    "{models: [" TABLE ", " UNKNOWN ", {name: n, m0: 64, phi: 0, batches: [4], gpus: {" G "}}]}"

static const struct {
    const char *overrides, *note, *models;
} noted[] = {
    {"[{set: {a_s: 0.5, c_s: 0.5, p0_w: 150}}]",
     "model_overrides[0].set.a_s: of no effect on v on g (a lookup table)", WITH_FORMS},
    {"[{set: {phi: 5}}]",
     "model_overrides[0].set.phi: of no effect on w (phases with their own), x (efficiency: none)",
     WITH_FORMS},
    {"[{set: {batches: [5]}}]",
     "model_overrides[0].set.batches: of no effect on y (phases with their own), y on h (phases with "
     "their own)",
     WITH_PHASES},
    {"[{set: {m0: 5}}]", "model_overrides[0].set.m0: of no effect on x (efficiency: none)",
     WITH_FORMS},
    {"[{set: {alpha_s: 0.5}}]",
     "model_overrides[0].set.alpha_s: of no effect on t on g (a lookup table)", NULL},
    {"[{gpu: g, set: {scaling_efficiency: 0.5}}]",
     "model_overrides[0].set.scaling_efficiency: of no effect on t on g (a lookup table)", NULL},
    {"[{set: {p0_w: {times: 0.7}}}]",
     "model_overrides[0].set.p0_w: of no effect on t on g (a lookup table), u on g (power: tdp)",
     NULL},
    {"[{set: {p0_share: 0.2}}]",
     "model_overrides[0].set.p0_share: of no effect on t on g (a lookup table), u on g (power: tdp)",
     NULL},
};

Test(model_overrides, notes) {
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) {
        struct result r;
        apply_well(&r, noted[i].models ? noted[i].models : WITH_TABLES, noted[i].overrides);
        cr_assert_eq(r.notes.texts.count, 1, "%s", noted[i].overrides);
        cr_expect_str_eq(r.notes.texts.at[0], noted[i].note);
        if (!noted[i].models)
            cr_expect_eq(on(&r, "t", "g")->weakest, EVIDENCE_MEASURED);
        finish(&r);
    }
}

/* A GPU type that only the model file has: of no effect, and said; with * it is passed over. */
Test(model_overrides, types_of_no_node) {
    const char *models = "{models: [{name: m, m0: 640, phi: 13, batches: [24], gpus: {" G
                         ", far: {a_s: 0.1, c_s: 0.02, gamma: 2, alpha_s: 0.25, " REST "}}]}";
    struct result r;
    apply_well(&r, models, "[{gpu: far, set: {c_s: 0.01}}, {set: {scaling_efficiency: 0.8}}]");
    cr_assert_eq(r.notes.texts.count, 1);
    cr_expect_str_eq(r.notes.texts.at[0],
                     "model_overrides[0]: of no effect, no node of the cluster "
                     "has GPUs of type far");
    cr_expect_eq(on(&r, "m", "far")->speed.alpha_s[0], 0.25);
    expect_efficiency(on(&r, "m", "g"), 8, 24, 0.8);
    finish(&r);
}

/* The tree can be merged to one file that gives the same models, from several places. */
Test(model_overrides, merged) {
    struct result r, again;
    temp_file_write_text("a.yaml", "models: [" TABLE "]\nrigid_speed: {g: 2.5}\n");
    apply_well(&r, "[a.yaml, " MODELS ", {models: [" UNKNOWN "], rigid_speed: {g: 2.5}}]",
               "[{set: {scaling_efficiency: 0.77, m0: 12}}]");
    struct binding binding = {.arena = &r.arena, .problems = &r.problems};
    const struct yaml_node *file = model_tree_merge(&r.tree, &r.arena);
    again = (struct result){0};
    cr_assert_eq(model_set_load(&again.set, file, &binding), 0, "%s",
                 r.problems.count ? r.problems.texts[0] : "");
    cr_assert_eq(again.set.count, 4);
    cr_expect_not_null(again.set.rigid_speed);
    for (uint32_t i = 0; i < 4; i++) {
        const struct model *a = &r.set.models[i], *b = &again.set.models[i];
        cr_expect_str_eq(a->name, b->name);
        cr_expect(a->m0 == 12 && b->m0 == 12 && a->gpu_count == b->gpu_count);
        cr_expect(memcmp(&a->gpus[0].speed.alpha_s, &b->gpus[0].speed.alpha_s,
                         sizeof a->gpus[0].speed.alpha_s) == 0);
        cr_expect_eq(b->gpus[0].weakest, EVIDENCE_OVERRIDE);
    }
    finish(&r);
    cr_expect_null(model_tree_merge(&again.tree, &again.arena), "no models, no file");
}
