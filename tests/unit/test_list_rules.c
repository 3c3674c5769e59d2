/* The rules of a list policy, at and beside each bound: objectives, what keys admit, which running
   jobs may be resized, what ends a callback. */
#include "policy/list/grow.h"
#include "policy/list/rules.h"
#include "policy/list/start.h"
#include "policy/params.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Each callback answers with a number of its own. */
static double ten_times_k(const struct easim_pass *pass, const struct easim_job *job,
                          const struct easim_choice *choice) {
    (void)pass, (void)job;
    return choice->k == 9 ? NAN : 10 * choice->k;
}

static double when_urgent(const struct easim_pass *pass, const struct easim_job *job,
                          const struct easim_choice *choice) {
    (void)pass, (void)job;
    return 100 + choice->k;
}

static void minimise_own(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = ten_times_k;
}

static void minimise_urgent(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = when_urgent;
}

static double least_of(const struct easim_pass *pass, const struct easim_job *job) {
    (void)pass;
    return job->restart_s == 99 ? NAN : 33;
}

static char said[200];

static void keep_failure(struct easim_plan *plan, const char *message) {
    (void)plan;
    snprintf(said, sizeof said, "%s", message);
}

static const struct easim_list plain = {.struct_size = sizeof plain},
                               own = {.struct_size = sizeof own, .minimise = minimise_own},
                               urgent = {.struct_size = sizeof urgent,
                                         .minimise = minimise_own,
                                         .minimise_urgent = minimise_urgent,
                                         .resize_least = least_of};
static const struct easim_host host = {.struct_size = sizeof host, .fail = keep_failure};

/* Two samples/s on one GPU, 3 on two, 4 on four (across nodes only), none on three. */
static const struct easim_config configs[] = {
    {.k = 1, .span_count = 2, .goodput = {2, 2}, .power_w = {100, 100}},
    {.k = 2, .span_count = 2, .goodput = {3, 3}, .power_w = {100, 100}},
    {.k = 3, .span_count = 2, .goodput = {0, 9}, .power_w = {100, 100}},
    {.k = 4, .span_count = 2, .empty_span = 1, .goodput = {0, 4}, .power_w = {100, 100}},
    {.k = 9, .span_count = 2, .goodput = {1, 1}, .power_w = {100, 100}},
    {.k = 1, .span_count = 2, .milli = 500, .goodput = {1, 1}, .power_w = {100, 100}}};
static const struct easim_gpu_type gpu_type = {.gpus = 9, .free = 9, .node_free_max = 9};
static const struct easim_view view = {.now_s = 50,
                                       .now_ns = 50000000000,
                                       .gpu_types = &gpu_type,
                                       .configs = configs,
                                       .gpu_type_count = 1,
                                       .config_count = 6,
                                       .gpu_type_stride = sizeof gpu_type,
                                       .config_stride = sizeof *configs};
static const struct easim_pass pass = {.view = &view, .host = &host};

/* 12 samples after 5 s of set-up. */
static struct easim_job job_with(uint32_t first, uint32_t count) {
    return (struct easim_job){.id = "j",
                              .state = EASIM_JOB_RUNNING,
                              .config = first,
                              .first_config = first,
                              .config_count = count,
                              .remaining = 12,
                              .setup_s = 5,
                              .restart_s = 7,
                              .resized_s = -INFINITY};
}

/* Rules of a policy of one level; at most as many at a time as are kept. */
static struct rules rules_of(const struct easim_list *ops, const struct list_options *options) {
    static struct minimised kept[4];
    static unsigned next;
    struct minimised *own_one = &kept[next++ % 4];
    cr_assert_eq(rules_ask_minimise(ops, &pass, own_one), 0);
    return (struct rules){.ops = ops, .options = options, .minimised = own_one};
}

/* T where nothing else is minimised; the urgent one for urgent jobs only. */
Test(list_rules, objectives) {
    const struct easim_choice choice = {.k = 2, .time_s = 9};
    const struct easim_job job = job_with(0, 1);
    const struct rules by_time = rules_of(&plain, NULL), by_own = rules_of(&own, NULL),
                       both = rules_of(&urgent, NULL);
    cr_expect_eq(rules_objective(&by_time, &pass, &job, &choice, false), 9);
    cr_expect_eq(rules_objective(&by_time, &pass, &job, &choice, true), 9);
    cr_expect_eq(rules_objective(&by_own, &pass, &job, &choice, false), 20);
    cr_expect_eq(rules_objective(&by_own, &pass, &job, &choice, true), 20);
    cr_expect_eq(rules_objective(&both, &pass, &job, &choice, false), 20);
    cr_expect_eq(rules_objective(&both, &pass, &job, &choice, true), 102);
}

/* The least over the configurations that are known where the empty cluster would place them. */
Test(list_rules, best_objective) {
    const struct rules by_own = rules_of(&own, NULL), both = rules_of(&urgent, NULL);
    struct rules by_time = rules_of(&plain, NULL);
    by_time.has_limits = true; /* else the view has it */
    struct easim_job job = job_with(0, 2);
    cr_expect_eq(rules_best_objective(&by_time, &pass, &job), 5 + 12 / 3.0);
    cr_expect_eq(rules_best_objective(&by_own, &pass, &job), 10);
    cr_expect_eq(rules_best_objective(&both, &pass, &job), 10);
    job = job_with(0, 4);
    cr_expect_eq(rules_best_objective(&by_time, &pass, &job), 5 + 12 / 4.0);
    job = job_with(1, 2);
    cr_expect_eq(rules_best_objective(&by_time, &pass, &job), 5 + 12 / 3.0);
    cr_expect_eq(rules_best_objective(&by_own, &pass, &job), 20);
    job = job_with(2, 1);
    cr_expect_eq(rules_best_objective(&by_time, &pass, &job), INFINITY);
    job = job_with(3, 2);
    cr_expect(isnan(rules_best_objective(&by_own, &pass, &job)));
    job = job_with(3, 1);
    cr_expect_eq(rules_best_objective(&by_own, &pass, &job), 40);
}

static struct easim_objective given;

static void minimise_given(const struct easim_pass *p, struct easim_objective *ret) {
    (void)p;
    cr_expect(ret->kind == EASIM_MINIMISE_TIME && ret->exponent == 0 && !ret->marginal &&
              !ret->objective);
    *ret = given;
}

static const struct easim_list by_given = {.struct_size = sizeof by_given,
                                           .minimise = minimise_given};

/* Where the view has the least objective the configurations are not looked at: T and E T alone. */
Test(list_rules, best_objective_of_the_view) {
    struct easim_job job = job_with(0, 2); /* E = 12 / 2 s at 100 W, T = 5 + 6 s; 800 J, 9 s */
    job.time_best_s = 17;
    job.edp_best_js = 19;
    given = (struct easim_objective){.kind = EASIM_MINIMISE_TIME};
    struct rules rules = rules_of(&by_given, NULL);
    cr_expect_eq(rules_best_objective(&rules, &pass, &job), 17);
    given = (struct easim_objective){.kind = EASIM_MINIMISE_EDP, .exponent = 1};
    rules = rules_of(&by_given, NULL);
    cr_expect_eq(rules_best_objective(&rules, &pass, &job), 19);
    rules.has_limits = true;
    cr_expect_eq(rules_best_objective(&rules, &pass, &job), 600 * 11);
    given.exponent = 2;
    rules = rules_of(&by_given, NULL);
    cr_expect_eq(rules_best_objective(&rules, &pass, &job), 800 * 81);
}

/* What minimise may not give, and what is said then. */
Test(list_rules, wrong_objectives) {
    static const struct {
        struct easim_objective objective;
        const char *text;
    } cases[] = {{{.kind = 3}, "minimise gives the unknown kind 3"},
                 {{.kind = EASIM_MINIMISE_OWN}, "minimise gives no objective for the kind 2"},
                 {{.kind = EASIM_MINIMISE_EDP, .exponent = -1},
                  "minimise gives an exponent that is not a finite number from 0 on: -1"},
                 {{.kind = EASIM_MINIMISE_EDP, .exponent = NAN},
                  "minimise gives an exponent that is not a finite number from 0 on: nan"},
                 {{.kind = EASIM_MINIMISE_EDP, .exponent = INFINITY},
                  "minimise gives an exponent that is not a finite number from 0 on: inf"}};
    struct minimised asked;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        given = cases[i].objective;
        cr_expect_lt(rules_ask_minimise(&by_given, &pass, &asked), 0);
        cr_expect_str_eq(said, cases[i].text);
    }
    const struct easim_list urgent_one = {.struct_size = sizeof urgent_one,
                                          .minimise_urgent = minimise_given};
    cr_expect_lt(rules_ask_minimise(&urgent_one, &pass, &asked), 0);
    cr_expect_str_eq(
        said, "minimise_urgent gives an exponent that is not a finite number from 0 on: inf");
}

/* Powers are left out where the product is certainly above the most; never where it is not. */
Test(list_rules, objective_up_to) {
    const struct easim_job job = job_with(0, 1);
    const struct easim_choice choice = {.time_s = 700, .energy_j = 3e6, .edp_js = 21e8};
    for (double exponent = 0; exponent < 4; exponent += 0.25) {
        given = (struct easim_objective){.kind = EASIM_MINIMISE_EDP, .exponent = exponent};
        const struct rules rules = rules_of(&by_given, NULL);
        double real = rules_objective(&rules, &pass, &job, &choice, false);
        cr_expect_eq(real, easim_choice_edp(&choice, exponent, false));
        cr_expect_eq(rules_objective_up_to(&rules, &pass, &job, &choice, false, real), real);
        cr_expect_eq(rules_objective_up_to(&rules, &pass, &job, &choice, false, INFINITY), real);
        double above = rules_objective_up_to(&rules, &pass, &job, &choice, false, real / 2);
        cr_expect_eq(above, exponent == 1 ? real : INFINITY, "%g", exponent);
    }
}

/* A bound is kept where it is met; 0 is none, and an infinite objective is never admitted. */
Test(list_rules, admission) {
    const struct easim_key none = {0}, bound = {.objective_max = 20}, below = {.objective_max = -2},
                           by_60 = {.finish_by_s = 60},
                           both = {.finish_by_s = 60, .objective_max = 20};
    cr_expect(rules_admit_objective(&none, 1e300) && !rules_admit_objective(&none, INFINITY));
    cr_expect(rules_admit_objective(&bound, 19) && rules_admit_objective(&bound, 20));
    cr_expect(!rules_admit_objective(&bound, nextafter(20, 21)));
    cr_expect(rules_admit_objective(&below, -2) && !rules_admit_objective(&below, -1));
    static const struct {
        double time_s, objective;
        bool none, by_60, both;
    } cases[] = {{9, 20, true, true, true},    {10, 20, true, true, true},
                 {11, 20, true, false, false}, {10, 21, true, true, false},
                 {11, 21, true, false, false}, {10, INFINITY, false, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct easim_choice choice = {.time_s = cases[i].time_s};
        cr_expect_eq(rules_admit(&pass, &none, &choice, cases[i].objective), cases[i].none, "%zu",
                     i);
        cr_expect_eq(rules_admit(&pass, &by_60, &choice, cases[i].objective), cases[i].by_60, "%zu",
                     i);
        cr_expect_eq(rules_admit(&pass, &both, &choice, cases[i].objective), cases[i].both, "%zu",
                     i);
    }
    cr_expect(!rules_is_urgent(&none) && !rules_is_urgent(&bound) && rules_is_urgent(&by_60));
}

Test(list_rules, failures) {
    const struct easim_job job = job_with(0, 1);
    const struct rules by_own = rules_of(&own, NULL), both = rules_of(&urgent, NULL);
    cr_expect_lt(rules_fail_as(&pass, "mood", &job, "is bad"), 0);
    cr_expect_str_eq(said, "the mood of job j is bad");
    cr_expect_lt(rules_fail(&pass, "mood", &job), 0);
    cr_expect_str_eq(said, "the mood of job j is not a number");
    cr_expect_lt(rules_fail_objective(&by_own, &pass, &job, true), 0);
    cr_expect_str_eq(said, "the objective of job j is not a number");
    cr_expect_lt(rules_fail_objective(&both, &pass, &job, false), 0);
    cr_expect_str_eq(said, "the objective of job j is not a number");
    cr_expect_lt(rules_fail_objective(&both, &pass, &job, true), 0);
    cr_expect_str_eq(said, "the urgent objective of job j is not a number");
}

/* What a resize must save: as resize_least says, else 0 of an own objective and restart_s of T; and
   its share of the objective as it is. */
Test(list_rules, least_saving) {
    static const struct list_options options = {.resize_gain = 0.25};
    struct easim_job job = job_with(0, 2);
    const struct rules by_time = rules_of(&plain, &options), by_own = rules_of(&own, &options),
                       both = rules_of(&urgent, &options);
    cr_expect_eq(rules_resize_least(&by_time, &pass, &job), 7);
    cr_expect_eq(rules_resize_least(&by_own, &pass, &job), 0);
    cr_expect_eq(rules_resize_least(&both, &pass, &job), 33);
    cr_expect_eq(resize_least_saving(&by_time, &pass, &job, 20), 7);
    cr_expect_eq(resize_least_saving(&by_time, &pass, &job, 40), 10);
    cr_expect_eq(resize_least_saving(&by_own, &pass, &job, 20), 5);
    cr_expect_eq(resize_least_saving(&both, &pass, &job, 20), 33);
    cr_expect_eq(resize_least_saving(&both, &pass, &job, 200), 50);
    job.restart_s = 99;
    cr_expect(isnan(resize_least_saving(&both, &pass, &job, 200)));
}

/* Running jobs with another configuration, on whole GPUs, once their interval has passed: at 50 s.
 */
Test(list_rules, who_may_be_resized) {
    static const struct list_options options = {.resize_interval_s = 20};
    const struct rules rules = {.ops = &plain, .options = &options};
    struct easim_job job = job_with(0, 2);
    cr_expect(resize_possible(&view, &job) && resize_may(&rules, &view, &job));
    cr_expect_eq(resize_due_s(&rules, &job), -INFINITY);
    static const struct {
        double resized_s;
        bool may;
    } cases[] = {{29, true}, {30, true}, {31, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        job.resized_s = cases[i].resized_s;
        cr_expect_eq(resize_due_s(&rules, &job), cases[i].resized_s + 20);
        cr_expect_eq(resize_may(&rules, &view, &job), cases[i].may, "%zu", i);
    }
    job.resized_s = 0;
    for (uint32_t state = EASIM_JOB_PENDING; state <= EASIM_JOB_REJECTED; state++) {
        job.state = state;
        cr_expect_eq(resize_possible(&view, &job), state == EASIM_JOB_RUNNING, "%u", state);
        cr_expect_eq(resize_may(&rules, &view, &job), state == EASIM_JOB_RUNNING, "%u", state);
    }
    job = job_with(0, 1);
    cr_expect(!resize_possible(&view, &job));
    job = job_with(1, 1);
    cr_expect(!resize_possible(&view, &job));
    job.config = 0; /* of the phase before: the only one of this phase is another */
    cr_expect(resize_possible(&view, &job));
    job.config = 2;
    cr_expect(resize_possible(&view, &job));
    job = job_with(5, 2); /* part of a GPU */
    cr_expect(!resize_possible(&view, &job));
}

/* Ties of the objective go by k, power, type, batch, each ascending, then by the limit, falling:
   whichever stands first. */
Test(list_rules, ties) {
    static const struct easim_choice better = {
        .config = 1, .k = 2, .power_w = 100, .gpu_type = 3, .batch = 8, .power_limit_w = 300};
    for (int member = 0; member < 5; member++) {
        struct easim_choice worse = better;
        worse.config = 2;
        /* all members behind the one that decides say the opposite */
        worse.k = member == 0 ? 3 : 2;
        worse.power_w = member < 1 ? 90 : member == 1 ? 110 : 100;
        worse.gpu_type = member < 2 ? 2 : member == 2 ? 4 : 3;
        worse.batch = member < 3 ? 4 : member == 3 ? 16 : 8;
        worse.power_limit_w = member < 4 ? 400 : 200;
        struct choice_best first = CHOICE_NONE_YET, second = CHOICE_NONE_YET;
        choice_keep_better(&first, &better, 7);
        choice_keep_better(&first, &worse, 7);
        choice_keep_better(&second, &worse, 7);
        choice_keep_better(&second, &better, 7);
        cr_expect_eq(first.choice.config, 1, "%d", member);
        cr_expect_eq(second.choice.config, 1, "%d", member);
        choice_keep_better(&second, &worse, 6);
        cr_expect(second.choice.config == 2 && second.objective == 6);
    }
}

static double factor_one(const struct easim_pass *p, uint32_t user) {
    (void)p, (void)user;
    return 1;
}

/* What the host adds to the parameters of a policy, and to which (docs/reference/scenario.md). */
Test(list_rules, host_parameters) {
    static const struct easim_list by_user = {.struct_size = sizeof by_user,
                                              .user_factor = factor_one};
    static const struct easim_param one = {"p", "",    "",   EASIM_PARAM_REAL, 0, 0, 9,
                                           1,   false, NULL, EASIM_ROLE_NONE};
    static const struct {
        const char *name;
        double min, max, default_value;
        bool may_be_off;
    } wanted[] = {{"p", 0, 9, 1, false},
                  {"strict", 0, 1, 0, false},
                  {"resize", 0, 1, 0, false},
                  {"shrink", 0, 1, 0, false},
                  {"resize_gain", 0, 1, 0.1, false},
                  {"resize_interval_s", 0, 1e9, 300, false},
                  {"round_s", 10, 1e6, EASIM_OFF, true},
                  {"half_life_s", 1e-3, 1e9, EASIM_OFF, true},
                  {"power_limits", 0, 1, 0, false}};
    struct easim_policy policy = {EASIM_POLICY_ABI, .name = "x", .params = &one, .param_count = 1};
    cr_expect_eq(params_count(&policy), 1);
    policy.list = &plain;
    cr_expect_eq(params_count(&policy), 7);
    policy.list = &by_user;
    cr_expect_eq(params_count(&policy), 8);
    policy.capabilities = EASIM_CAPABILITY_FREQUENCY;
    cr_assert_eq(params_count(&policy), sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct easim_param *p = params_at(&policy, i);
        cr_expect_str_eq(p->name, wanted[i].name);
        cr_expect(p->min == wanted[i].min && p->max == wanted[i].max, "%s: %g to %g", p->name,
                  p->min, p->max);
        cr_expect_eq(p->default_value, wanted[i].default_value, "%s", p->name);
        cr_expect_eq(p->may_be_off, wanted[i].may_be_off, "%s", p->name);
    }
}

/* What a list policy says of them takes the place of the host's own defaults; 0 says nothing. */
Test(list_rules, defaults_of_a_policy) {
    static const struct easim_list says = {.struct_size = sizeof says,
                                           .strict = true,
                                           .round_s = 60,
                                           .resize = true,
                                           .shrink = true,
                                           .resize_gain = 0.25,
                                           .resize_interval_s = 90};
    struct easim_policy policy = {EASIM_POLICY_ABI, .name = "x", .list = &says};
    struct policy_params said_so, host_s;
    params_init(&said_so, &policy);
    policy.list = &plain;
    params_init(&host_s, &policy);
    cr_expect(said_so.list.strict && said_so.list.resize && said_so.list.shrink);
    cr_expect(said_so.list.resize_gain == 0.25 && said_so.list.resize_interval_s == 90 &&
              said_so.list.round_s == 60);
    cr_expect(!host_s.list.strict && !host_s.list.resize && !host_s.list.shrink);
    cr_expect(host_s.list.resize_gain == 0.1 && host_s.list.resize_interval_s == 300 &&
              host_s.list.round_s == INFINITY);
    params_finish(&said_so);
    params_finish(&host_s);
}

static uint32_t level_of_waiting(const struct easim_pass *p) {
    return p->view->waiting_count;
}

/* One level where the policy has none, and none above its number. */
Test(list_rules, levels) {
    static const struct easim_list two = {
        .struct_size = sizeof two, .levels = 2, .level = level_of_waiting};
    const struct rules without = {.ops = &plain}, with = {.ops = &two};
    struct easim_view seen = view;
    const struct easim_pass at = {.view = &seen, .host = &host};
    struct easim_policy policy = {EASIM_POLICY_ABI, .name = "x", .list = &two};
    cr_expect(rules_level_count(&plain) == 1 && rules_level_count(&two) == 2);
    cr_expect_eq(params_count(&policy), 5, "no rounds");
    for (seen.waiting_count = 0; seen.waiting_count < 2; seen.waiting_count++) {
        cr_expect_eq(rules_level(&without, &at), 0);
        cr_expect_eq(rules_level(&with, &at), (int)seen.waiting_count);
    }
    cr_expect_eq(rules_level(&with, &at), -1);
    cr_expect_str_eq(said, "level gave 2, and the policy has 2");
}
