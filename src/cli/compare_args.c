/* Policies, perturbations and the baseline: see compare_args.h. */
#include "cli/compare_args.h"

#include "base/numfmt.h"
#include "cli/cli.h"
#include "cli/option_values.h"
#include "cli/scenario_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_if_it_loads(const char *name, void *context) {
    struct compare_args *a = context;
    struct policy_module module;
    struct error error = {0};
    if (module_open(name, &module, &error) == 0)
        array_push(&a->policies, arena_strdup(&a->options->arena, name));
    else if (!a->options->quiet)
        fprintf(stderr, "easim compare: %s is left out: %s\n", name, error.text);
    module_close(&module);
}

static void find_policies(struct compare_args *a, struct problems *problems) {
    const char *list = a->options->policies;
    a->all = strcmp(list, "all") == 0;
    if (a->all) {
        module_list(add_if_it_loads, a);
        if (a->policies.count == 0)
            problems_add(problems, (struct location){0}, NULL, "--policies: no policy is found");
        return;
    }
    while (*list) {
        const char *name = option_next(&list, &a->options->arena);
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
    struct arena *arena = &a->options->arena;
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
    struct problems ignored = CLI_PROBLEMS;
    const struct scenario_overrides overrides = scenario_args_overrides(a->options);
    if (scenario_load(&scenario, a->options->operands[0], &overrides, &ignored) == 0)
        a->own_policy = arena_strdup(&a->options->arena, scenario.policy.name);
    scenario_finish(&scenario);
    problems_finish(&ignored);
}

int compare_args_resolve(struct compare_args *a, struct problems *problems) {
    find_policies(a, problems);
    if (a->options->perturb && !*a->options->perturb)
        problems_add(problems, (struct location){0}, NULL,
                     "--perturb: expected perturbations, got \"\"");
    for (const char *list = a->options->perturb; list && *list;)
        find_perturbation(a, option_next(&list, &a->options->arena), problems);
    if (problems->count > 0)
        return ERROR_INPUT;
    if (scenario_args_read(a->options, problems) < 0)
        return ERROR_INPUT;
    if (!a->options->baseline && a->all)
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
    const char *wanted = a->options->baseline ? a->options->baseline : a->own_policy;
    const char **names = arena_alloc(&a->options->arena, a->policies.count * sizeof *names);
    a->baseline = a->policies.count;
    for (size_t i = 0; wanted && i < a->policies.count; i++) {
        names[i] = name_of(&contenders[i]);
        if (strcmp(names[i], wanted) == 0 || strcmp(a->policies.at[i], wanted) == 0)
            a->baseline = i;
    }
    if (a->baseline < a->policies.count)
        return;
    a->baseline = 0;
    if (a->options->baseline)
        problems_add(problems, (struct location){0}, NULL,
                     "--baseline: \"%.80s\" is not among the policies compared%s", wanted,
                     str_suggestion(&a->options->arena, wanted, names, a->policies.count));
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
    if (a->options->goal.relative > 0 && replications > a->options->goal.most)
        problems_add(
            problems, (struct location){0}, NULL,
            "--max-replications: expected at least the %lld replications to begin with, got %u",
            (long long)replications, a->options->goal.most);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

void compare_args_finish(struct compare_args *a) {
    free(a->policies.at);
    free(a->perturbations.at);
}
