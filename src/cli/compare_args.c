/* Options of easim compare: lists of policies, metrics and perturbations. */
#include "cli/compare_args.h"

#include "base/numfmt.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/words.h"
#include "metrics/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_REPLICATIONS 1000 /* of --until-ci, unless told */

enum {
    KEY_POLICIES = 512,
    KEY_BASELINE,
    KEY_PARETO,
    KEY_METRICS,
    KEY_UNTIL_CI,
    KEY_MOST,
    KEY_PERTURB,
    KEY_RUN_TIMEOUT
};

static const struct argp_option options[] = {
    {"policies", KEY_POLICIES, "A,B,C|all", 0,
     "policies to compare; all: every one that is found and loads", 0},
    {"baseline", KEY_BASELINE, "A", 0,
     "the policy that others are compared with (default: the first; of all, the scenario's)", 0},
    {"metrics", KEY_METRICS, "M,...", 0,
     "metrics of the printed table; compare.csv has all of them", 0},
    {"pareto", KEY_PARETO, "M,M[,M]", 0,
     "metrics of the Pareto front (default: energy_per_work_kwh,jct_restricted_mean_s)", 0},
    {"until-ci", KEY_UNTIL_CI, "[METRIC=]2%", 0,
     "add replications until the 95 % interval of METRIC (default: the first of the Pareto front) is within so much of its mean, for every policy",
     0},
    {"max-replications", KEY_MOST, "N", 0,
     "with --until-ci: but no more than so many (default: 1000)", 0},
    {"perturb", KEY_PERTURB, "arrivals=0.1,...", 0,
     "run all policies again under each perturbation: arrivals (share more), sizes (share larger), failures (of a node and day), noise (sigma of true speeds)",
     0},
    {"run-timeout", KEY_RUN_TIMEOUT, "60s", 0,
     "a replication that takes longer by the clock has failed", 0},
    {0},
};

static void parse_pareto(struct compare_args *a, const char *list, struct argp_state *state) {
    struct option_metrics asked;
    option_metrics(list, "--pareto", &asked, state);
    if (asked.count < 2 || asked.count > PARETO_MOST)
        argp_error(state, "--pareto: expected two or three metrics, got %zu", asked.count);
    for (a->pareto_count = 0; a->pareto_count < asked.count; a->pareto_count++) {
        unsigned column = asked.columns[a->pareto_count];
        if (metric_table[column].better == METRIC_NEITHER)
            argp_error(state, "--pareto: neither less nor more of %s is better",
                       summary_names[column]);
        a->pareto[a->pareto_count] = column;
    }
}

/* "2%" or "0.02". */
static bool parse_share(const char *text, double *share) {
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    double value = 0;
    if (!numfmt_parse_real(text, length - percent, &value) || !(value > 0))
        return false;
    *share = percent ? value / 100 : value;
    return true;
}

static void parse_goal(struct compare_args *a, const char *value, struct argp_state *state) {
    const char *share, *name = option_name(value, &a->run.scenario.arena, &share);
    a->goal.column = share ? option_metric(name, "--until-ci", state) : SUMMARY_COUNT;
    if (!parse_share(share ? share : value, &a->goal.relative))
        argp_error(state, "--until-ci: expected [METRIC=]2%% or a share > 0, got \"%s\"", value);
}

static error_t parse(int key, char *value, struct argp_state *state) {
    struct compare_args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->run;
        return 0;
    case KEY_POLICIES:
        a->policy_list = value;
        return 0;
    case KEY_BASELINE:
        a->baseline_name = value;
        return 0;
    case KEY_PARETO:
        parse_pareto(a, value, state);
        return 0;
    case KEY_METRICS:
        option_metrics(value, "--metrics", &a->shown, state);
        return 0;
    case KEY_UNTIL_CI:
        parse_goal(a, value, state);
        return 0;
    case KEY_MOST:
        a->goal.most = (uint32_t)option_count(value, 2, 1000000, "--max-replications", state);
        return 0;
    case KEY_PERTURB:
        a->perturb_list = value;
        return 0;
    case KEY_RUN_TIMEOUT:
        a->run.limit_s = option_duration(value, "--run-timeout", state);
        return 0;
    case ARGP_KEY_END:
        if (!a->policy_list)
            argp_error(state, "expected --policies");
        if (a->goal.most > 0 && !(a->goal.relative > 0))
            argp_error(state, "--max-replications: only with --until-ci");
        scenario_args_refuse_policy(&a->run.scenario, "--policies", state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void compare_args_parse(struct compare_args *a, int argc, char **argv) {
    static const struct option_metrics shown = {
        {SUMMARY_COLUMN(energy_per_work_kwh), SUMMARY_COLUMN(energy_kwh),
         SUMMARY_COLUMN(throughput_jobs_per_h), SUMMARY_COLUMN(jct_restricted_mean_s),
         SUMMARY_COLUMN(jct_mean_s), SUMMARY_COLUMN(edp_mean_js),
         SUMMARY_COLUMN(deadline_miss_rate), SUMMARY_COLUMN(jain_gpu_s)},
        8};
    const struct argp_child children[] = {{&run_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        options,
        parse,
        NULL,
        "Runs several policies on the same workloads and compares them.\v"
        "A manifest.json instead of CONFIG.yaml repeats what it records and compares every file.\n"
        "Exit codes are those of easim run; a policy that fails or crashes is left out, the\n"
        "others are kept. DIR is results/NAME/compare unless given.",
        children,
        NULL,
        NULL};
    a->pareto[0] = SUMMARY_COLUMN(energy_per_work_kwh);
    a->pareto[1] = SUMMARY_COLUMN(jct_restricted_mean_s);
    a->pareto_count = 2;
    a->shown = shown;
    cli_parse(&argp, argc, argv, a);
    a->words = words_of(&argp, argc, argv, &a->run.scenario.arena);
    if (a->goal.relative > 0 && a->goal.column == SUMMARY_COUNT)
        a->goal.column = a->pareto[0];
    a->goal.most = a->goal.most ? a->goal.most : MOST_REPLICATIONS;
}

/* --- what is found only by looking --- */

static void add_if_it_loads(const char *name, void *context) {
    struct compare_args *a = context;
    struct policy_module module;
    struct error error = {0};
    if (module_open(name, &module, &error) == 0)
        array_push(&a->policies, arena_strdup(&a->run.scenario.arena, name));
    else if (!a->run.quiet)
        fprintf(stderr, "easim compare: %s is left out: %s\n", name, error.text);
    module_close(&module);
}

static void find_policies(struct compare_args *a, struct problems *problems) {
    const char *list = a->policy_list;
    a->all = strcmp(list, "all") == 0;
    if (a->all) {
        module_list(add_if_it_loads, a);
        if (a->policies.count == 0)
            problems_add(problems, (struct location){0}, NULL, "--policies: no policy is found");
        return;
    }
    while (*list) {
        const char *name = option_next(&list, &a->run.scenario.arena);
        struct policy_module module;
        struct error error = {0};
        if (module_open(name, &module, &error) < 0)
            problems_add(problems, (struct location){0}, NULL, "--policies: %s", error.text);
        else
            array_push(&a->policies, name);
        module_close(&module);
    }
    if (a->policies.count == 0 && problems->count == 0)
        problems_add(problems, (struct location){0}, NULL,
                     "--policies: expected policies, got \"\"");
}

static void find_perturbation(struct compare_args *a, const char *item, struct problems *problems) {
    struct arena *arena = &a->run.scenario.arena;
    const char *names[16], *amount, *name = option_name(item, arena, &amount);
    struct asked_perturbation asked = {.kind = perturb_find(name)};
    size_t count = 0;
    for (const struct perturbation *p = perturbations; p->name; p++)
        names[count++] = p->name;
    if (!asked.kind) {
        problems_add(problems, (struct location){0}, NULL,
                     "--perturb: nothing to perturb is named \"%.80s\"%s", name,
                     str_suggestion(arena, name, names, count));
        return;
    }
    asked.amount = asked.kind->amount;
    if (amount && (!numfmt_parse_real(amount, strlen(amount), &asked.amount) ||
                   !(asked.amount > asked.kind->least && asked.amount <= asked.kind->most))) {
        problems_add(problems, (struct location){0}, NULL,
                     "--perturb: expected %s=AMOUNT > %g and <= %g, got \"%.80s\"", name,
                     asked.kind->least, asked.kind->most, item);
        return;
    }
    for (size_t i = 0; i < a->perturbations.count; i++)
        if (a->perturbations.at[i].kind == asked.kind)
            problems_add(problems, (struct location){0}, NULL, "--perturb: %s is listed twice",
                         name);
    array_push(&a->perturbations, asked);
}

/* The policy that the scenario names itself; what is wrong with the scenario is told later. */
static void find_own_policy(struct compare_args *a) {
    struct scenario scenario;
    struct problems ignored = {0};
    const struct scenario_overrides overrides = scenario_args_overrides(&a->run.scenario);
    if (scenario_load(&scenario, a->run.scenario.config, &overrides, &ignored) == 0)
        a->own_policy = arena_strdup(&a->run.scenario.arena, scenario.policy.name);
    scenario_finish(&scenario);
    problems_finish(&ignored);
}

int compare_args_resolve(struct compare_args *a, struct problems *problems) {
    find_policies(a, problems);
    if (a->perturb_list && !*a->perturb_list)
        problems_add(problems, (struct location){0}, NULL,
                     "--perturb: expected perturbations, got \"\"");
    for (const char *list = a->perturb_list; list && *list;)
        find_perturbation(a, option_next(&list, &a->run.scenario.arena), problems);
    if (problems->count > 0)
        return ERROR_INPUT;
    if (scenario_args_read(&a->run.scenario, problems) < 0)
        return ERROR_INPUT;
    if (!a->baseline_name && a->all)
        find_own_policy(a);
    return 0;
}

static const char *name_of(const struct contender *c) {
    return c->study.module.policy->name;
}

/* The one of that name or path; else, with `all`, the one the scenario names itself; else the
 * first. */
static void find_baseline(struct compare_args *a, const struct contender *contenders,
                          struct problems *problems) {
    const char *wanted = a->baseline_name ? a->baseline_name : a->own_policy;
    const char **names = arena_alloc(&a->run.scenario.arena, a->policies.count * sizeof *names);
    a->baseline = a->policies.count;
    for (size_t i = 0; wanted && i < a->policies.count; i++) {
        names[i] = name_of(&contenders[i]);
        if (strcmp(names[i], wanted) == 0 || strcmp(a->policies.at[i], wanted) == 0)
            a->baseline = i;
    }
    if (a->baseline < a->policies.count)
        return;
    a->baseline = 0;
    if (a->baseline_name)
        problems_add(problems, (struct location){0}, NULL,
                     "--baseline: \"%.80s\" is not among the policies compared%s", wanted,
                     str_suggestion(&a->run.scenario.arena, wanted, names, a->policies.count));
}

/* A name that is given twice, or two modules that have the same one. */
static void refuse_doubles(const struct compare_args *a, const struct contender *contenders,
                           struct problems *problems) {
    for (size_t i = 0; i < a->policies.count; i++) {
        size_t j = 0;
        while (strcmp(name_of(&contenders[j]), name_of(&contenders[i])) != 0)
            j++;
        const char *first = a->policies.at[j], *second = a->policies.at[i];
        if (j < i && strcmp(first, second) == 0)
            problems_add(problems, (struct location){0}, NULL,
                         "--policies: policy \"%s\" is listed twice", name_of(&contenders[i]));
        else if (j < i)
            problems_add(problems, (struct location){0}, NULL,
                         "--policies: %s and %s are both policy \"%s\"", first, second,
                         name_of(&contenders[i]));
    }
}

int compare_args_check(struct compare_args *a, const struct contender *contenders,
                       struct problems *problems) {
    refuse_doubles(a, contenders, problems);
    find_baseline(a, contenders, problems);
    int64_t replications = contenders[0].study.scenario.replications;
    if (a->goal.relative > 0 && replications > a->goal.most)
        problems_add(
            problems, (struct location){0}, NULL,
            "--max-replications: expected at least the %lld replications to begin with, got %u",
            (long long)replications, a->goal.most);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

void compare_args_finish(struct compare_args *a) {
    free(a->policies.at);
    free(a->perturbations.at);
    scenario_args_finish(&a->run.scenario);
}
