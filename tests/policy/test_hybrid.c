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

/* Each side is shown its own extensions: parts lists one that there is not, and deferral one that
   there is. */
Test(hybrid, extensions_of_each_side) {
    const unsigned all = (1u << COMPONENT_COUNT) - 1;
    temp_dir_enter();
    all_of_one_side("parts", "deferral", 0);
    all_of_one_side("parts", "deferral", all);
    all_of_one_side("deferral", "parts", 0);
    all_of_one_side("deferral", "parts", all);
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

/* --- made-up sides, asked as the host would --- */

/* What a side answers, and what it was asked. */
struct side {
    struct easim_key key;
    double objective;
    int init_result;
    struct asked {
        int inits, finishes;
        void *state;
    } * asked;
};

static void side_key(const struct easim_pass *pass, const struct easim_job *job, double best,
                     struct easim_key *ret) {
    (void)job, (void)best;
    *ret = ((const struct side *)pass->params)->key;
}

static double side_objective(const struct easim_pass *pass, const struct easim_job *job,
                             const struct easim_choice *choice) {
    (void)job, (void)choice;
    return ((const struct side *)pass->params)->objective;
}

static void side_minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = side_objective;
}

static int side_init(const struct easim_pass *pass) {
    const struct side *side = pass->params;
    side->asked->inits++;
    side->asked->state = pass->state;
    return side->init_result;
}

static void side_finish(const struct easim_pass *pass) {
    const struct side *side = pass->params;
    side->asked->finishes++;
    cr_expect(side->asked->inits == 0 || side->asked->state == pass->state);
}

static const struct easim_list side_list = {
    .struct_size = sizeof side_list, .key = side_key, .minimise = side_minimise};
static const struct easim_policy side_policy = {EASIM_POLICY_ABI,
                                                .name = "side",
                                                .list = &side_list,
                                                .state_size = sizeof(int),
                                                .init = side_init,
                                                .finish = side_finish,
                                                .version = "1",
                                                .summary = "made up",
                                                .params_size = sizeof(struct side)};

/* A mixture of two of them with one job, one configuration and one GPU. */
struct mixture {
    struct side sides[2];
    struct asked asked[2];
    struct policy_params params[2];
    struct hybrid hybrid;
    struct easim_gpu_type gpu_type;
    struct easim_config config;
    struct easim_job job;
    struct easim_view view;
    struct easim_pass pass;
};

static void mixture_init(struct mixture *m, const struct side *first, const struct side *second,
                         unsigned second_mask) {
    *m = (struct mixture){.sides = {*first, *second},
                          .gpu_type = {.name = "g", .gpus = 1, .free = 1},
                          .config = {.k = 1, .goodput = {1, 1}, .power_w = {100, 100}},
                          .job = {.state = EASIM_JOB_WAITING, .config_count = 1, .remaining = 1}};
    for (int i = 0; i < 2; i++) {
        m->sides[i].asked = &m->asked[i];
        m->params[i] = (struct policy_params){.policy = &side_policy, .own = &m->sides[i]};
    }
    m->view = (struct easim_view){.struct_size = sizeof m->view,
                                  .gpu_types = &m->gpu_type,
                                  .configs = &m->config,
                                  .jobs = &m->job,
                                  .gpu_type_count = 1,
                                  .config_count = 1,
                                  .job_count = 1};
    hybrid_init(&m->hybrid, &m->params[0], &m->params[1], second_mask);
    m->pass = (struct easim_pass){
        .view = &m->view, .params = &m->hybrid, .state = calloc(1, m->hybrid.policy.state_size)};
}

static int mixture_begin(struct mixture *m) {
    return m->hybrid.policy.init(&m->pass);
}

static void mixture_finish(struct mixture *m) {
    m->hybrid.policy.finish(&m->pass);
    free(m->pass.state);
}

/* Both sides begin and end, once, each with a state of its own. */
Test(hybrid, begins_and_ends_with_both) {
    struct mixture m;
    mixture_init(&m, &(struct side){.objective = 1}, &(struct side){.objective = 1}, 1);
    cr_assert_eq(mixture_begin(&m), 0);
    cr_expect(m.asked[0].inits == 1 && m.asked[1].inits == 1);
    cr_expect_neq(m.asked[0].state, m.asked[1].state);
    cr_expect(m.asked[0].finishes == 0 && m.asked[1].finishes == 0);
    mixture_finish(&m);
    cr_expect(m.asked[0].finishes == 1 && m.asked[1].finishes == 1);
}

/* A side that refuses to run is a mixture that does. */
Test(hybrid, either_side_may_refuse) {
    for (int refusing = 0; refusing < 2; refusing++) {
        const struct side sides[2] = {{.init_result = refusing == 0 ? -1 : 0},
                                      {.init_result = refusing == 1 ? -1 : 0}};
        struct mixture m;
        mixture_init(&m, &sides[0], &sides[1], 1);
        cr_expect_lt(mixture_begin(&m), 0);
        mixture_finish(&m);
    }
}

/* The key is due when that of either side is: 0 is never, a time before the start at once. */
Test(hybrid, asks_again_for_the_earlier) {
    static const double cases[][3] = {{2, 1, 1}, {1, 2, 1},      {0, 7, 7},     {3, 0, 3},
                                      {0, 0, 0}, {-5, 1000, -5}, {1000, -5, -5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mixture m;
        mixture_init(&m, &(struct side){.key.ask_again_s = cases[i][0]},
                     &(struct side){.key.ask_again_s = cases[i][1]}, 1u << COMPONENT_AGEING);
        cr_assert_eq(mixture_begin(&m), 0);
        struct easim_key key = {0};
        m.hybrid.list.key(&m.pass, &m.job, 1, &key);
        cr_expect_eq(key.ask_again_s, cases[i][2], "%zu: %g", i, key.ask_again_s);
        mixture_finish(&m);
    }
}

/* The bound of the side that admits holds for waiting jobs, in its own objective; a running one
   may be resized to what the other side likes best. */
Test(hybrid, bounds_waiting_jobs_only) {
    struct mixture m;
    const struct side chooses = {.objective = 1},
                      admits = {.objective = 11, .key.objective_max = 10};
    const struct easim_choice choice = {.k = 1};
    mixture_init(&m, &chooses, &admits, 1u << COMPONENT_ADMISSION);
    cr_assert_eq(mixture_begin(&m), 0);
    struct easim_key key = {0};
    m.hybrid.list.key(&m.pass, &m.job, 1, &key);
    cr_expect_eq(key.objective_max, 0);
    struct easim_objective mixed = {0};
    m.hybrid.list.minimise(&m.pass, &mixed);
    cr_assert(mixed.kind == EASIM_MINIMISE_OWN && mixed.objective);
    cr_expect_eq(mixed.objective(&m.pass, &m.job, &choice), INFINITY);
    m.job.state = EASIM_JOB_RUNNING;
    cr_expect_eq(mixed.objective(&m.pass, &m.job, &choice), 1);
    mixture_finish(&m);
}

/* Whether the pass ends at the first job that cannot start is of the side that admits. */
Test(hybrid, is_strict_as_who_admits) {
    const struct policy_params first = {.policy = &side_policy},
                               second = {.policy = &side_policy, .list.strict = true};
    for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
        struct hybrid hybrid;
        hybrid_init(&hybrid, &first, &second, 1u << c);
        cr_expect_eq(hybrid.params.list.strict, c == COMPONENT_ADMISSION, "component %u", c);
        cr_expect_eq(hybrid.list.strict, c == COMPONENT_ADMISSION, "component %u", c);
    }
}
