/* A mixture that takes everything from one side decides as that policy does, whoever the other side
 * is. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "policy/list/hybrid.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const char *const policies[] = {"fcfs",  "pollux",      "themis", "chronos", "zeus",
                                       "hades", "aurachronos", "charon", "parts"};

#define COUNT (sizeof policies / sizeof *policies)

/* Overload with deadlines, classes that may be displaced and a cap, so that every callback has
 * something to do. */
static const char yaml[] =
    "name: t\n"
    "horizon: 20h\n"
    "seed: 5\n"
    "replications: 1\n"
    "cluster:\n"
    "  gpu_types: [{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80},\n"
    "              {name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}]\n"
    "  nodes: [{gpu: a100, gpus: 8}, {gpu: h100, gpus: 4}]\n"
    "  power_cap_w: 4000\n"
    "models: %s/configs/models/eas-sim.yaml\n"
    "workload:\n"
    "  kind: poisson\n"
    "  rate_per_s: 0.002\n"
    "  mix: [{model: vit-base-fp32}, {model: resnet50-fp32}]\n"
    "  sizes: {law: lognormal, mean: 3h, cv: 1.5}\n"
    "  k: [1, 2, 4]\n"
    "  users: 4\n"
    "  deadlines: {share: 0.5, slack: [1.5, 4]}\n"
    "policy: {name: %s, params: {resize: true, strict: %s}}\n";

static void load_with(struct trial *trial, const struct trial_options *options, const char *policy,
                      const char *strict) {
    struct str text = {0};
    str_addf(&text, yaml, getenv("EASIM_SOURCE"), policy, strict);
    trial_load(trial, options, text.text);
    cr_assert_eq(trial->status, 0, "%s: %s", policy, trial->failure);
    str_finish(&text);
}

static void load(struct trial *trial, const struct trial_options *options, const char *policy) {
    load_with(trial, options, policy, strcmp(policy, "fcfs") == 0 ? "true" : "false");
}

static void all_of_one_side(const char *wanted, const char *other, unsigned second_mask) {
    const struct trial_options options = {.decisions = true, .models = NULL};
    struct trial plain, mixed, guest;
    struct hybrid hybrid;
    load(&plain, &options, wanted);
    load(&mixed, &options, wanted);
    load(&guest, &options, other);
    const struct policy_params own = mixed.study.params;
    const struct easim_policy *policy = mixed.study.module.policy;
    bool second = second_mask != 0;
    hybrid_init(&hybrid, second ? &guest.study.params : &own, second ? &own : &guest.study.params,
                second_mask);
    hybrid.policy.name = policy->name; /* which stands in the files */
    mixed.study.module.policy = &hybrid.policy;
    mixed.study.params = hybrid.params;
    trial_execute(&plain);
    trial_execute(&mixed);
    mixed.study.module.policy = policy;
    mixed.study.params = own;
    trial_must_succeed(&plain);
    trial_must_succeed(&mixed);
    cr_assert(plain.decisions_csv.length > 1000, "%s decides something", wanted);
    cr_assert_str_eq(plain.decisions_csv.text, mixed.decisions_csv.text, "%s beside %s", wanted,
                     other);
    cr_assert_str_eq(plain.jobs_csv.text, mixed.jobs_csv.text, "%s beside %s", wanted, other);
    trial_finish(&plain);
    trial_finish(&mixed);
    trial_finish(&guest);
}

Test(hybrid, all_of_one_side) {
    temp_dir_enter();
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++) {
            all_of_one_side(policies[i], policies[j], 0);
            all_of_one_side(policies[i], policies[j], (1u << COMPONENT_COUNT) - 1);
        }
    temp_dir_leave();
}

/* A policy is like itself in everything; policies without a callback between them are alike in its
 * component. */
Test(hybrid, same) {
    const struct trial_options options = {.models = NULL};
    struct trial a, b;
    temp_dir_enter();
    load(&a, &options, "pollux");
    load(&b, &options, "themis");
    for (int c = 0; c < COMPONENT_COUNT; c++) {
        cr_assert(hybrid_same(&a.study.params, &a.study.params, (enum component)c));
        bool differ = c == COMPONENT_KEY || c == COMPONENT_ADMISSION || c == COMPONENT_AGEING;
        cr_assert_eq(hybrid_same(&a.study.params, &b.study.params, (enum component)c), !differ,
                     "%s", component_names[c]);
    }
    trial_finish(&a);
    trial_finish(&b);
    temp_dir_leave();
}

/* A side whose key or objective is not a number fails a mixture that takes the component from it,
   whatever the rest of the mixture, and no other. */
Test(hybrid, not_a_number) {
    static const struct {
        const char *where, *text;
        unsigned mask;
    } cases[] = {{"key", "value of the key", 1u << COMPONENT_KEY},
                 {"ageing", "ageing_s of the key", 1u << COMPONENT_AGEING},
                 {"maximum", "objective_max of the key", 1u << COMPONENT_ADMISSION},
                 {"finish_by", "finish_by_s of the key", 1u << COMPONENT_ADMISSION},
                 {"ask_again", "ask_again_s of the key", 1u << COMPONENT_KEY},
                 {"objective", "objective_max of the key", 1u << COMPONENT_ADMISSION},
                 {"objective", "objective of job", 1u << COMPONENT_OBJECTIVE},
                 {"maximum", NULL, 1u << COMPONENT_OBJECTIVE},
                 {"objective", NULL, 1u << COMPONENT_RESIZE}};
    temp_dir_enter();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct trial_options options = {.models = NULL};
        struct trial mixed, guest;
        struct hybrid hybrid;
        char strict[64];
        snprintf(strict, sizeof strict, "false, where: %s", cases[i].where);
        load(&mixed, &options, "pollux");
        load_with(&guest, &options, "not_a_number", strict);
        const struct policy_params own = mixed.study.params;
        const struct easim_policy *policy = mixed.study.module.policy;
        hybrid_init(&hybrid, &own, &guest.study.params, cases[i].mask);
        mixed.study.module.policy = &hybrid.policy;
        mixed.study.params = hybrid.params;
        trial_execute(&mixed);
        mixed.study.module.policy = policy;
        mixed.study.params = own;
        cr_expect_eq(mixed.status, cases[i].text ? ERROR_RUN : 0, "%zu: %s", i, mixed.failure);
        cr_expect(!cases[i].text || (strstr(mixed.failure, cases[i].text) &&
                                     strstr(mixed.failure, "is not a number")),
                  "%zu: %s", i, mixed.failure);
        trial_finish(&mixed);
        trial_finish(&guest);
    }
    temp_dir_leave();
}
