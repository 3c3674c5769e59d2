/* Policies, perturbations and the baseline: see compare_args.h. */
#include "cli/compare_args.h"

#include "base/numfmt.h"
#include "cli/cli.h"
#include "cli/option_values.h"
#include "cli/scenario_args.h"
#include "config/policy_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_policy(struct compare_args *args, const char *text, const char *module) {
    array_push(&args->policies, text);
    array_push(&args->modules, module);
}

static void add_if_it_loads(const char *name, void *context) {
    struct compare_args *args = context;
    struct policy_module module;
    struct error error = {0};
    const char *kept = arena_strdup(&args->options->arena, name);
    int r = module_open(name, &module, &error);
    if (r == 0 && (module.policy->capabilities & EASIM_CAPABILITY_RECORDED))
        r = error_set(&error, ERROR_INPUT, "it repeats a record (RECORDED) and decides nothing");
    if (r == 0)
        add_policy(args, kept, kept);
    else if (!args->options->quiet)
        cli_say("easim compare: %s is left out: %s\n", name, error.text);
    module_close(&module);
}

static void find_all(struct compare_args *args, struct problems *problems) {
    if (args->all_count > 0) {
        problems_add(problems, (struct location){0}, NULL, "--policies: all is listed twice");
        return;
    }
    args->all_at = args->policies.count;
    module_list(add_if_it_loads, args);
    args->all_count = args->policies.count - args->all_at;
    if (args->all_count == 0)
        problems_add(problems, (struct location){0}, NULL, "--policies: no policy is found");
}

static void find_policy(struct compare_args *args, const char *text, struct problems *problems) {
    struct policy_text policy;
    struct policy_module module = {0};
    struct error error = {0};
    int r = policy_text_parse(text, &args->options->arena, &policy, &error);
    if (r == 0 && strcmp(policy.name, "all") == 0 && policy.count > 0)
        r = error_set(&error, ERROR_INPUT,
                      "expected parameters of one policy, not of all, got \"%.80s\"", text);
    if (r == 0 && !(args->options->results && strchr(policy.name, '/'))) /* refused later */
        r = module_open(policy.name, &module, &error);
    if (r == 0)
        add_policy(args, text, policy.name);
    else
        problems_add(problems, (struct location){0}, NULL, "--policies: %s", error.text);
    module_close(&module);
}

static void find_policies(struct compare_args *args, struct problems *problems) {
    for (const char *list = args->options->policies; *list;) {
        const char *text = policy_text_next(&list, &args->options->arena);
        if (strcmp(text, "all") == 0)
            find_all(args, problems);
        else
            find_policy(args, text, problems);
    }
    if (args->policies.count == 0 && problems->count == 0)
        problems_add(problems, (struct location){0}, NULL,
                     "--policies: expected policies, got \"\"");
}

bool compare_args_asked_for(const struct compare_args *args, size_t policy) {
    return policy < args->all_at || policy >= args->all_at + args->all_count;
}

struct scenario_overrides compare_args_overrides(const struct compare_args *args) {
    struct scenario_overrides overrides = scenario_args_overrides(args->options);
    overrides.policy_option = "policies";
    overrides.policies = args->modules.at;
    overrides.policy_count = args->modules.count;
    return overrides;
}

static void find_perturbation(struct compare_args *args, const char *item,
                              struct problems *problems) {
    struct arena *arena = &args->options->arena;
    const char *names[16], *amount, *name = option_name(item, arena, &amount);
    bool is_path = perturb_is_path(name);
    struct asked_perturbation asked = {is_path ? &perturb_path : perturb_find(name), {name, 0}};
    size_t count = 0;
    for (const struct perturbation *p = perturbations; p->name; p++)
        names[count++] = p->name;
    if (!asked.kind) {
        problems_add(problems, (struct location){0}, NULL,
                     "--perturb: nothing to perturb is named \"%.80s\"%s", name,
                     str_suggestion(arena, name, names, count));
        return;
    }
    if (strchr(name, '/'))
        problems_add(problems, (struct location){0}, NULL,
                     "--perturb: %.80s: expected a path without /, since it names a folder of the "
                     "results",
                     name);
    asked.ask.amount = asked.kind->amount;
    if (amount &&
        (!numfmt_parse_real(amount, strlen(amount), &asked.ask.amount) ||
         !(asked.ask.amount > asked.kind->least && asked.ask.amount <= asked.kind->most))) {
        problems_add(problems, (struct location){0}, NULL,
                     "--perturb: expected %s=AMOUNT > %g and <= %g, got \"%.80s\"", name,
                     asked.kind->least, asked.kind->most, item);
        return;
    }
    for (size_t i = 0; i < args->perturbations.count; i++)
        if (strcmp(args->perturbations.at[i].ask.name, name) == 0)
            problems_add(problems, (struct location){0}, NULL, "--perturb: %s is listed twice",
                         name);
    array_push(&args->perturbations, asked);
}

/* The policy that the scenario names itself; what is wrong with the scenario is told later. */
static void find_own_policy(struct compare_args *args) {
    struct scenario scenario;
    struct problems ignored = CLI_PROBLEMS;
    const struct scenario_overrides overrides = scenario_args_overrides(args->options);
    if (scenario_load(&scenario, args->options->operands[0], &overrides, &ignored) == 0)
        args->own_policy = arena_strdup(&args->options->arena, scenario.policy.name);
    scenario_finish(&scenario);
    problems_finish(&ignored);
}

int compare_args_resolve(struct compare_args *args, struct problems *problems) {
    find_policies(args, problems);
    if (args->options->perturb && !*args->options->perturb)
        problems_add(problems, (struct location){0}, NULL,
                     "--perturb: expected perturbations, got \"\"");
    for (const char *list = args->options->perturb; list && *list;)
        find_perturbation(args, option_next(&list, &args->options->arena), problems);
    if (problems->count > 0)
        return ERROR_INPUT;
    if (scenario_args_read(args->options, problems) < 0)
        return ERROR_INPUT;
    if (!args->options->baseline && args->all_count > 0)
        find_own_policy(args);
    return 0;
}

/* The one of that name or path; else, with `all`, the one the scenario names itself; else the
 * first. */
static void find_baseline(struct compare_args *args, const struct contender *contenders,
                          struct problems *problems) {
    const char *wanted = args->options->baseline ? args->options->baseline : args->own_policy;
    const char **names = arena_alloc(&args->options->arena, args->policies.count * sizeof *names);
    args->baseline = args->policies.count;
    for (size_t i = 0; wanted && i < args->policies.count; i++) {
        names[i] = contenders[i].study.policy;
        if (strcmp(names[i], wanted) == 0 || strcmp(args->policies.at[i], wanted) == 0)
            args->baseline = i;
    }
    if (args->baseline < args->policies.count)
        return;
    args->baseline = 0;
    if (args->options->baseline)
        problems_add(problems, (struct location){0}, NULL,
                     "--baseline: \"%.80s\" is not among the policies compared%s", wanted,
                     str_suggestion(&args->options->arena, wanted, names, args->policies.count));
}

/* A name that is given twice, or two modules that have the same one. */
static void refuse_doubles(const struct compare_args *args, const struct contender *contenders,
                           struct problems *problems) {
    for (size_t i = 0; i < args->policies.count; i++) {
        size_t j = 0;
        while (strcmp(contenders[j].study.policy, contenders[i].study.policy) != 0)
            j++;
        const char *first = args->policies.at[j], *second = args->policies.at[i];
        if (j < i && strcmp(first, second) == 0)
            problems_add(problems, (struct location){0}, NULL,
                         "--policies: policy \"%s\" is listed twice", contenders[i].study.policy);
        else if (j < i)
            problems_add(problems, (struct location){0}, NULL,
                         "--policies: %s and %s are both policy \"%s\"", first, second,
                         contenders[i].study.policy);
    }
}

int compare_args_check(struct compare_args *args, const struct contender *contenders,
                       struct problems *problems) {
    refuse_doubles(args, contenders, problems);
    find_baseline(args, contenders, problems);
    int64_t replications = contenders[0].study.scenario.replications;
    if (args->options->goal.relative > 0 && replications > args->options->goal.most)
        problems_add(
            problems, (struct location){0}, NULL,
            "--max-replications: expected at least the %lld replications to begin with, got %u",
            (long long)replications, args->options->goal.most);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

void compare_args_finish(struct compare_args *args) {
    free(args->policies.at);
    free(args->modules.at);
    free(args->perturbations.at);
}
