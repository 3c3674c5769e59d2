/* Running of several policies: see contenders.h. */

#include "base/numfmt.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "config/policy_text.h"
#include "ingest/formats.h"
#include "study/study_load.h"

#include <stdlib.h>

/* Moves the problems of one load over, without those that an earlier policy had too. */
static void add_new_problems(struct problems *all, struct problems *more) {
    problems_end(more);
    for (size_t i = 0; i < more->kept; i++) {
        bool known = false;
        for (size_t j = 0; j < all->kept && !known; j++)
            known = strcmp(all->texts[j], more->texts[i]) == 0;
        if (!known)
            problems_say(all, "%s", more->texts[i]);
    }
}

int contenders_load(struct contenders *all, const char *config,
                    const struct scenario_overrides *changes, const char *const *texts,
                    size_t count, struct problems *problems) {
    size_t before = problems->count;
    struct scenario_overrides overrides = *changes;
    overrides.policy_count = count;
    all->at = mem_zalloc(count, sizeof *all->at);
    for (; all->count < count; all->count++) {
        struct problems own = CLI_PROBLEMS;
        overrides.policy = texts[all->count];
        if (study_load(&all->at[all->count].study, config, &overrides, ingest_readers, &own) < 0)
            add_new_problems(problems, &own);
        problems_finish(&own);
    }
    return problems->count > before ? ERROR_INPUT : 0;
}

static void try_policy(void *context, size_t task, struct crash_context *crash, struct str *out) {
    const struct study *study = &((const struct contenders *)context)->at[task].study;
    struct error error = {0};
    crash_context_policy(crash, &study->module);
    if (replicate_try(study, &error) < 0)
        str_add(out, error.text);
}

static void add_left_out(struct str *list, const char *policy, const char *why) {
    str_addf(list, "%s%s (%s)", list->length > 0 ? ", " : "", policy, why);
}

/* A policy that crashes here has not refused: it is run, and fails if it crashes there. */
static int keep_refusal(void *context, size_t task, struct slice result, const char *failure) {
    struct contender *c = &((struct contenders *)context)->at[task];
    if (failure || result.length == 0 || c->asked_for)
        return 0;
    c->failed = c->left_out = true;
    c->refusal = arena_strndup(&c->study.arena, result.at, result.length);
    return 0;
}

bool contenders_leave_nothing(const struct contenders *all) {
    size_t i = 0;
    while (i < all->count && module_leaves_nothing(&all->at[i].study.module))
        i++;
    return i == all->count;
}

int contenders_leave_out(struct contenders *all, struct compare_args *args, struct error *reterr) {
    const struct replicate_options how = run_args_options(args->options);
    const struct isolated tries = {.count = all->count,
                                   .processes = how.processes,
                                   .limit_s = how.limit_s,
                                   .cancel = how.cancel,
                                   .context = all,
                                   .work = try_policy,
                                   .done = keep_refusal,
                                   .shares = !how.alone && contenders_leave_nothing(all)};
    int r = isolated_run(&tries, reterr);
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].left_out)
            add_left_out(&args->left_out, all->at[i].study.policy, all->at[i].refusal);
    if (args->left_out.length > 0 && !args->options->quiet)
        cli_say("easim compare: note: not compared: %s\n", args->left_out.text);
    return r;
}

int contenders_open(struct contenders *all, const char *folder, const struct options *options,
                    struct error *reterr) {
    static const char *const words[] = {"--summary-only", NULL};
    struct arena arena = {0};
    int r = 0;
    for (size_t i = 0; i < all->count && r == 0; i++) {
        struct contender *c = &all->at[i];
        const struct run_dir_options folder_options = {
            .path =
                arena_printf(&arena, "%s/%s", folder, policy_text_folder(c->study.policy, &arena)),
            .within = all->whole,
            .force = options->force,
            .summary_only = options->summary_only,
            .record = all->record != NULL,
            .record_into = all->record,
            .words = options->summary_only ? words : words + 1};
        if (!c->failed)
            r = run_dir_open(&folder_options, &c->study, &c->dir, reterr);
    }
    arena_finish(&arena);
    return r;
}

/* What was finished of a failed or interrupted run is kept and marked partial, as by `easim run`.
 */
static void fail_contender(struct contenders *all, struct contender *c, const struct error *error) {
    struct error second = {0};
    struct error whole = *error;
    if (error->code == ERROR_CANCELLED)
        error_set(
            &whole, error->code,
            "%s: %u of %u replications of policy %s are finished and kept, and so are results that were finished before",
            error->text, c->result.count, (unsigned)c->study.scenario.replications,
            c->study.policy);
    int code = cli_report_error(&whole);
    if (c->result.count == 0)
        run_dir_abort(c->dir);
    else if (run_dir_commit(c->dir, &c->result, true, &second) < 0)
        (void)cli_report_error(&second);
    c->dir = NULL;
    c->failed = error->code != ERROR_CANCELLED;
    if (all->code == EXIT_DONE || code == EXIT_INTERRUPTED)
        all->code = code;
}

static void commit_contender(struct contenders *all, struct contender *c) {
    struct error error = {0};
    if (!c->dir || c->result.count == 0)
        return;
    bool partial = c->result.count < (uint32_t)c->study.scenario.replications;
    if (run_dir_commit(c->dir, &c->result, partial, &error) < 0) {
        int code = cli_report_error(&error);
        all->code = all->code == EXIT_DONE ? code : all->code;
        c->failed = true;
        c->result.count = 0; /* there is nothing to compare */
    }
    c->dir = NULL;
}

void contenders_run(struct contenders *all, uint32_t replications, const struct options *options,
                    bool last) {
    uint32_t missing = 0;
    for (size_t i = 0; i < all->count; i++)
        if (!all->at[i].failed)
            missing += replications - all->at[i].result.count;
    struct replicate_options how = run_args_options(options);
    how.record = all->record != NULL;
    how.bound_work = all->bound_work;
    struct progress_line *progress =
        progress_line_start(options, missing, "replications",
                            all->at[0].result.count == 0 ? &all->at[0].study : NULL, &how);
    for (size_t i = 0; i < all->count && all->code != EXIT_INTERRUPTED; i++) {
        struct contender *c = &all->at[i];
        struct error error = {0};
        if (c->failed)
            continue;
        struct replicate_sink sink = run_dir_sink(c->dir);
        study_set_replications(&c->study, replications);
        if (replicate_run(&c->study, &how, &sink, &c->result, &error) < 0) {
            progress_line_stop(progress); /* before a message goes to the same place */
            progress = NULL;
            how.done = NULL;
            how.events = NULL;
            fail_contender(all, c, &error);
        } else if (last) {
            commit_contender(all, c);
        }
    }
    progress_line_stop(progress);
}

void contenders_commit(struct contenders *all) {
    for (size_t i = 0; i < all->count; i++)
        commit_contender(all, &all->at[i]);
}

void contenders_finish(struct contenders *all) {
    for (size_t i = 0; i < all->count; i++) {
        struct contender *c = &all->at[i];
        run_dir_abort(c->dir);
        replicate_result_finish(&c->result);
        study_finish(&c->study);
    }
    free(all->at);
}

size_t contenders_series(const struct contenders *all, uint32_t replications,
                         struct compare_series *series, size_t *places) {
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct contender *c = &all->at[i];
        if (c->result.count < replications)
            continue;
        if (places)
            places[count] = i;
        series[count++] = (struct compare_series){.policy = c->study.policy,
                                                  .summaries = c->result.summaries,
                                                  .trends = c->result.trends,
                                                  .bounds = c->result.bounds};
    }
    return count;
}

/* --- compare_args --- */

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
        r = error_set(&error, ERROR_INPUT, "it repeats a recorded schedule");
    if (r == 0)
        add_policy(args, kept, kept);
    else
        add_left_out(&args->left_out, name, error.text);
    module_close(&module);
}

static void find_all(struct compare_args *args, struct problems *problems) {
    if (args->all_count > 0) {
        problems_say(problems, "--policies: all is listed twice");
        return;
    }
    args->all_at = args->policies.count;
    module_list(add_if_it_loads, args);
    args->all_count = args->policies.count - args->all_at;
    if (args->all_count == 0)
        problems_say(problems, "--policies: no policy is found");
}

static void find_policy(struct compare_args *args, const char *text, struct problems *problems) {
    struct policy_text policy;
    struct policy_module module = {0};
    struct error error = {0};
    int r = policy_text_parse(text, &args->options->arena, &policy, &error);
    const char *who = "";
    if (r == 0 && strcmp(policy.name, "all") == 0 && policy.count > 0)
        r = error_set(&error, ERROR_INPUT,
                      "expected parameters of one policy, not of all, got \"%.80s\"", text);
    if (r == 0 && !(args->options->results && strchr(policy.name, '/'))) /* refused later */
        r = module_open((who = "easim: ", policy.name), &module, &error);
    if (r == 0)
        add_policy(args, text, policy.name);
    else
        problems_say(problems, "%s--policies: %s", who, error.text);
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
        problems_say(problems, "--policies: expected policies, got \"\"");
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
        problems_say(problems, "--perturb: no perturbation is named \"%.80s\"%s", name,
                     str_suggestion(arena, name, names, count));
        return;
    }
    if (strchr(name, '/'))
        problems_say(problems,
                     "--perturb: %.80s: expected a path without /, since it names a folder of the "
                     "results",
                     name);
    asked.ask.amount = asked.kind->amount;
    if (amount &&
        (!numfmt_parse_real(amount, strlen(amount), &asked.ask.amount) ||
         !(asked.ask.amount > asked.kind->least && asked.ask.amount <= asked.kind->most))) {
        problems_say(problems, "--perturb: expected %s=AMOUNT > %g and <= %g, got \"%.80s\"", name,
                     asked.kind->least, asked.kind->most, item);
        return;
    }
    for (size_t i = 0; i < args->perturbations.count; i++)
        if (strcmp(args->perturbations.at[i].ask.name, name) == 0)
            problems_say(problems, "--perturb: %s is listed twice", name);
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
        problems_say(problems, "--perturb: expected perturbations, got \"\"");
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

/* The one of that name or path; else, with `all`, the scenario's own; else the first. */
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
        problems_say(problems, "--baseline: \"%.80s\" is not among the policies compared%s", wanted,
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
        const char *old = policy_text_behind_label(first), *new = policy_text_behind_label(second);
        if (j < i && strcmp(first, second) == 0)
            problems_say(problems, "--policies: policy \"%s\" is listed twice",
                         contenders[i].study.policy);
        else if (j < i)
            problems_say(problems,
                         "--policies: %s and %s are both policy \"%s\": expected a label for each, "
                         "such as old=%s,new=%s",
                         first, second, contenders[i].study.policy, old, new);
    }
}

int compare_args_check(struct compare_args *args, const struct contender *contenders,
                       struct problems *problems) {
    refuse_doubles(args, contenders, problems);
    find_baseline(args, contenders, problems);
    int64_t replications = contenders[0].study.scenario.replications;
    if (args->options->goal.relative > 0 && replications > args->options->goal.most)
        problems_say(
            problems,
            "--max-replications: expected at least the %lld replications to begin with, got %u",
            (long long)replications, args->options->goal.most);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

void compare_args_finish(struct compare_args *args) {
    free(args->policies.at);
    free(args->modules.at);
    free(args->perturbations.at);
    str_finish(&args->left_out);
}
