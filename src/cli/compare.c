/* easim compare: policies on the same workloads, with paired differences. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "config/policy_text.h"
#include "io/files.h"
#include "output/compare/compare_tables.h"
#include "output/folders.h"
#include "study/bound_replications.h"

#include <math.h>
#include <stdlib.h>

/* A comparison while it goes. */
struct session {
    struct options *options;
    struct compare_args *args;
    const char *folder;
    struct contenders clean;
    struct contenders *perturbed; /* one for each perturbation */
    struct compare_worlds worlds;
    struct compare_series *series;
    struct comparison comparison;
    struct bounds *bounds;        /* by replication; NULL: not asked for; */
    struct config_extras bounded; /* over what some policy of the comparison may use */
    struct study plain;           /* without the policies compared */
    struct inputs inputs;         /* of all of them */
    struct record_files record;
    bool opened; /* the folder, of whose path so many bytes were there before: */
    size_t existing;
};

/* A parameter that some policy's text says itself cannot be perturbed. */
static int refuse_overruled(const struct session *s, const struct contenders *perturbed,
                            const char *name, struct problems *problems) {
    size_t before = problems->count;
    for (size_t i = 0; i < perturbed->count; i++)
        if (perturbed->at[i].study.scenario.overruled.count >
            s->clean.at[i].study.scenario.overruled.count)
            problems_say(problems, "--perturb %s: of no effect on %s, which sets it itself", name,
                         perturbed->at[i].study.policy);
    return problems->count > before ? ERROR_INPUT : 0;
}

/* The scenario with the sets of one perturbation after those of the command line. */
static int load_perturbed(struct session *s, size_t index, struct problems *problems) {
    const struct compare_args *a = s->args;
    const struct asked_perturbation *p = &a->perturbations.at[index];
    struct study *study = &s->clean.at[0].study;
    struct perturb_sets more = {.sets = {0}};
    const char *refusal = p->kind->apply(study, &p->ask, &study->arena, &more);
    struct scenario_overrides changes = compare_args_overrides(a);
    size_t given = changes.set_count, total = given + more.sets.count;
    const char **sets = mem_zalloc(total, sizeof *sets);
    for (size_t k = 0; k < total; k++)
        sets[k] = k < given ? changes.sets[k] : more.sets.at[k - given];
    changes.sets = sets;
    changes.set_count = total;
    int r = ERROR_INPUT;
    if (refusal)
        problems_say(problems, "--perturb %s: %s", p->ask.name, refusal);
    else
        r = contenders_load(&s->perturbed[index], s->options->operands[0], &changes, a->policies.at,
                            a->policies.count, problems);
    if (r == 0)
        r = refuse_overruled(s, &s->perturbed[index], p->ask.name, problems);
    free(sets);
    free(more.sets.at);
    return r;
}

static int load_contenders(struct session *s, struct problems *problems) {
    const struct compare_args *a = s->args;
    const struct scenario_overrides overrides = compare_args_overrides(a);
    if (contenders_load(&s->clean, s->options->operands[0], &overrides, a->policies.at,
                        a->policies.count, problems) < 0)
        return ERROR_INPUT;
    for (size_t i = 0; i < s->clean.count; i++)
        s->clean.at[i].asked_for = compare_args_asked_for(a, i);
    scenario_args_plain(s->options, &s->plain);
    for (size_t i = 0; i < s->clean.count; i++)
        inputs_add_study(&s->inputs, &s->clean.at[i].study);
    inputs_add_files(&s->inputs, &s->plain);
    s->perturbed = mem_zalloc(a->perturbations.count, sizeof *s->perturbed);
    int result = 0;
    for (size_t i = 0; i < a->perturbations.count; i++)
        if (load_perturbed(s, i, problems) < 0)
            result = ERROR_INPUT;
        else
            for (size_t p = 0; p < s->perturbed[i].count; p++)
                inputs_add_study(&s->inputs, &s->perturbed[i].at[p].study);
    return result;
}

static int open_folders(struct session *s, struct error *reterr) {
    const struct compare_args *a = s->args;
    struct options summary_only = *s->options;
    struct arena arena = {0};
    summary_only.summary_only = true;
    if (s->inputs.failure.code < 0)
        return *reterr = s->inputs.failure, reterr->code;
    s->folder = run_args_folder(s->options, s->folder, reterr);
    s->opened = s->folder != NULL;
    s->existing = s->folder ? files_existing(s->folder) : 0;
    s->clean.whole = s->folder;
    if (s->options->record || s->plain.scenario.record)
        s->clean.record = &s->record;
    for (size_t i = 0; i < a->perturbations.count; i++)
        s->perturbed[i].whole = s->folder;
    int r = s->folder ? contenders_open(&s->clean, s->folder, s->options, reterr) : reterr->code;
    for (size_t i = 0; i < a->perturbations.count && r == 0; i++)
        r = contenders_open(
            &s->perturbed[i],
            arena_printf(&arena, "%s/perturbed/%s", s->folder, a->perturbations.at[i].ask.name),
            &summary_only, reterr);
    arena_finish(&arena);
    return r;
}

/* The comparison of the policies that have so many replications. */
static void assemble_comparison(struct session *s, uint32_t replications) {
    const char *baseline = s->clean.at[s->args->baseline].study.policy;
    s->comparison =
        (struct comparison){.series = s->series,
                            .replications = replications,
                            .baseline = COMPARE_NOBODY,
                            .bootstrap = s->options->interval == INTERVAL_BOOTSTRAP,
                            .seed = (uint64_t)s->clean.at[0].study.scenario.seed,
                            .count = contenders_series(&s->clean, replications, s->series, NULL)};
    for (size_t i = 0; i < s->comparison.count; i++)
        if (strcmp(s->series[i].policy, baseline) == 0)
            s->comparison.baseline = i;
}

/* Before they run: those that are left out have no part in it. */
static void find_bounded(struct session *s) {
    for (size_t i = 0; i < s->clean.count; i++) {
        const struct config_extras own = params_extras(&s->clean.at[i].study.params);
        s->bounded.power_limits =
            s->bounded.power_limits || (!s->clean.at[i].failed && own.power_limits);
        s->bounded.law_limits = s->bounded.power_limits;
        s->bounded.any_limits = s->bounded.any_limits || (!s->clean.at[i].failed && own.any_limits);
        s->bounded.shares = s->bounded.shares || (!s->clean.at[i].failed && own.shares);
    }
    if (s->options->bound && s->clean.at[0].study.scenario.horizon_ns != TIME_NONE_NS)
        s->clean.bound_work = &s->bounded;
}

/* All policies, then more replications of all while the goal asks for them. */
static void run_clean(struct session *s) {
    uint32_t before = 0, count = (uint32_t)s->clean.at[0].study.scenario.replications;
    if (s->options->goal.relative > 0 && count < 2)
        count = 2; /* there is no interval of one */
    s->series = mem_zalloc(s->clean.count, sizeof *s->series);
    find_bounded(s);
    while (count > before) {
        contenders_run(&s->clean, count, s->options, s->options->goal.relative == 0);
        if (s->clean.code == EXIT_INTERRUPTED) {
            assemble_comparison(s, before > 0 ? before : count);
            return;
        }
        assemble_comparison(s, count);
        before = count;
        if (s->options->goal.relative > 0 && s->comparison.count > 0)
            count = compare_next_count(&s->comparison, &s->options->goal);
    }
}

/* The perturbed runs, beside the clean ones of the policies that did both. */
static void run_perturbed(struct session *s, struct compare_perturbed *out) {
    uint32_t replications = s->comparison.replications;
    for (size_t i = 0; i < s->args->perturbations.count && s->clean.code != EXIT_INTERRUPTED; i++) {
        struct contenders *all = &s->perturbed[i];
        const struct asked_perturbation *asked = &s->args->perturbations.at[i];
        for (size_t p = 0; p < all->count; p++)
            all->at[p].failed = all->at[p].failed || s->clean.at[p].failed;
        contenders_run(all, replications, s->options, true);
        s->clean.code = all->code != EXIT_DONE ? all->code : s->clean.code;
        struct compare_series *clean = mem_zalloc(all->count, sizeof *clean);
        struct compare_series *perturbed = mem_zalloc(all->count, sizeof *perturbed);
        size_t *places = mem_zalloc(all->count, sizeof *places);
        size_t count = contenders_series(all, replications, perturbed, places);
        for (size_t p = 0; p < count; p++)
            clean[p] =
                (struct compare_series){.policy = perturbed[p].policy,
                                        .summaries = s->clean.at[places[p]].result.summaries};
        free(places);
        struct comparison both = {
            .count = count, .replications = replications, .baseline = COMPARE_NOBODY};
        out[i] = (struct compare_perturbed){asked->ask.name, asked->ask.amount, both, both};
        out[i].clean.series = clean;
        out[i].perturbed.series = perturbed;
    }
}

/* All worlds, with the policies that were compared in the central physics. */
static void run_worlds(struct session *s) {
    size_t *places = mem_zalloc(s->clean.count, sizeof *places);
    struct compare_series *series = mem_zalloc(s->clean.count, sizeof *series);
    (void)contenders_series(&s->clean, s->comparison.replications, series, places);
    s->worlds.leave_nothing = contenders_leave_nothing(&s->clean);
    int code = compare_worlds_run(&s->worlds, s->args, &s->comparison, places);
    s->clean.code = s->clean.code == EXIT_DONE || code == EXIT_INTERRUPTED ? code : s->clean.code;
    free(series);
    free(places);
}

static int find_bounds(struct session *s, struct error *reterr) {
    uint32_t count = s->comparison.replications;
    struct replicate_options how = run_args_options(s->options);
    s->bounds = mem_zalloc(count, sizeof *s->bounds);
    return bound_replications(&s->clean.at[0].study, &s->bounded, &how, count, s->bounds, reterr);
}

/* Of one module, with equal parameters. */
static bool are_alike(const struct study *one, const struct study *other) {
    return strcmp(one->module.path, other->module.path) == 0 &&
           params_are_equal(&one->params, &other->params);
}

/* Whether every figure of every replication is the same. */
static bool are_equal(const struct contender *one, const struct contender *other) {
    return one->result.count > 0 && one->result.count == other->result.count &&
           summary_same(one->result.summaries, other->result.summaries, one->result.count);
}

/* What a policy declares that it decides by. */
enum { KEEPS_CAP = 1 << 30 };

static uint32_t uses_of(const struct contender *c) {
    uint32_t reads = params_reads(&c->study.params) & ~EASIM_READS_NOTHING;
    return reads | (c->study.module.policy->keeps & EASIM_KEEPS_CAP ? KEEPS_CAP : 0);
}

/* Those of the uses that this scenario has not. */
static void add_missing(const struct contender *c, uint32_t uses, struct str *out) {
    const struct series *signals = c->study.scenario.signals;
    const struct {
        uint32_t use;
        bool is_there;
        const char *name;
    } facts[] = {
        {KEEPS_CAP, c->study.cluster.power_cap_w < INFINITY || signals[SIGNAL_CAP].kind,
         "a power cap"},
        {EASIM_READS_CARBON, signals[SIGNAL_CARBON].kind, "a series of carbon intensity"},
        {EASIM_READS_PRICE, signals[SIGNAL_PRICE].kind, "a series of prices"},
        {EASIM_READS_FORECASTS, c->study.scenario.forecast.hours > 0, "a forecast"},
        {EASIM_READS_DEADLINES, c->result.summaries->deadline_jobs > 0, "deadlines"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (uses & facts[i].use && !facts[i].is_there)
            str_addf(out, "%s%s", out->length > 0 ? ", " : "", facts[i].name);
}

/* A policy that is another under a second name, or has the figures of one that uses less. */
static void note_alike(const struct session *s, size_t policy, struct notes *notes) {
    const struct contender *c = &s->clean.at[policy], *least = c;
    for (const struct contender *o = s->clean.at; o < s->clean.at + s->clean.count; o++) {
        int more = __builtin_popcount(uses_of(o)) - __builtin_popcount(uses_of(least));
        if (!o->left_out && (are_alike(&o->study, &c->study) || are_equal(o, c)) &&
            (more < 0 || (more == 0 && o < least)))
            least = o;
    }
    if (least == c)
        return;
    const char *name = c->study.policy, *as = least->study.policy;
    struct str text = {0}, missing = {0};
    if (params_reads(&c->study.params) && params_reads(&least->study.params)) /* 0: not declared */
        add_missing(c, uses_of(c) & ~uses_of(least), &missing);
    if (are_alike(&least->study, &c->study))
        str_addf(&text,
                 "%s is %s: every parameter has the same value, so that all results are the same",
                 name, as);
    else if (missing.length > 0)
        str_addf(&text, "%s equals %s in every figure: only %s uses %s, and this scenario has none",
                 name, as, name, missing.text);
    else
        str_addf(&text, "%s equals %s in every figure: both decided the same", name, as);
    notes_say(notes, &c->study, text.text);
    str_finish(&text);
    str_finish(&missing);
}

#define ENOUGH_REPLICATIONS 30 /* for the mean of most laws */

/* Of few values that are skewed, intervals of the mean hold too seldom. */
static void warn_of_skewness(const struct session *s, struct notes *notes) {
    const struct comparison *c = &s->comparison;
    struct str text = {0};
    double most = 0;
    bool few = c->replications < ENOUGH_REPLICATIONS && !c->bootstrap;
    for (size_t i = 0; i < s->options->metrics.count && few; i++) {
        size_t series;
        double skewness = compare_skewness(c, s->options->metrics.columns[i], &series);
        if (!(fabs(skewness) > 1))
            continue;
        str_addf(&text, "%s%s (%s %.2g)", text.length > 0 ? ", " : "skewed values: ",
                 summary_names[s->options->metrics.columns[i]], c->series[series].policy, skewness);
        most = fmax(most, fabs(skewness));
    }
    if (text.length > 0) {
        str_addf(
            &text,
            ": intervals of means contain the mean less often than 95 %%; use %.0f replications or --interval bootstrap-t",
            fmax(ENOUGH_REPLICATIONS, t_interval_count(most)));
        notes_warn(notes, text.text);
    }
    str_finish(&text);
}

/* What all policies together have to say. */
static void find_notes(const struct session *s, struct notes *notes) {
    const struct study *first = &s->clean.at[0].study;
    if (source_repeats_arrivals(&first->source))
        for (size_t i = 0; i < s->clean.count; i++)
            if (!s->clean.at[i].left_out)
                notes_say(
                    notes, &s->clean.at[i].study,
                    "all replications have the arrivals of the same log, so intervals do not cover arrivals (perturb of the workload draws other logs)");
    for (size_t i = 0; i < s->clean.count; i++) {
        const struct contender *c = &s->clean.at[i];
        if (c->left_out)
            continue;
        note_alike(s, i, notes);
        notes_add_study(notes, &c->study);
        notes_add_result(notes, &c->study, &c->result);
        if (s->worlds.worlds.count > 0)
            compare_worlds_add_notes(&s->worlds, &c->study, notes);
    }
    warn_of_skewness(s, notes);
}

static void find_assumptions(const struct session *s, struct assumptions *assumptions) {
    struct assumed_run *runs = mem_zalloc(s->clean.count, sizeof *runs);
    size_t count = 0;
    for (size_t i = 0; i < s->clean.count; i++)
        if (!s->clean.at[i].left_out)
            runs[count++] = (struct assumed_run){&s->clean.at[i].study, &s->clean.at[i].result};
    if (count > 0)
        assumptions_find(assumptions, runs, count);
    free(runs);
}

static void add_precision(const struct session *s, struct str *out) {
    if (!(s->options->goal.relative > 0) || s->comparison.count == 0)
        return;
    double precision = compare_precision(&s->comparison, s->options->goal.column);
    str_addf(out, "--until-ci: %s ", summary_names[s->options->goal.column]);
    if (isfinite(precision))
        str_addf(out, "known to %.3g %%", 100 * precision);
    else
        str_add(out, "has no relative interval for every policy");
    str_addf(out, " after %u replications%s\n", s->comparison.replications,
             precision <= s->options->goal.relative ? "" : ", less precise than requested");
}

static int print_comparison(const struct session *s, const struct compare_output *output,
                            const struct notes *notes, const struct assumptions *assumptions) {
    const struct options *options = s->options;
    struct report report = {0};
    struct str precision = {0};
    add_precision(s, &precision);
    if (options_want_report(options)) {
        compare_report(output, &report);
        str_add_char(report_lines(&report), '\n');
        run_args_add_notes(options, notes, assumptions, &report);
        str_addf(&report.text, "%sresults: %s\n", precision.length > 0 ? precision.text : "",
                 s->folder);
    } else {
        (options->format == FORMAT_JSON ? compare_json : compare_tables_metrics)(output,
                                                                                 &report.text);
        run_args_add_notes(options, notes, assumptions, &report);
        if (!options->quiet && precision.length > 0)
            cli_say_lines(&precision);
    }
    int code = run_args_show(options, &report);
    for (size_t i = 0; i < s->clean.count; i++)
        if (s->clean.at[i].result.count > 0)
            run_args_advise(options, &s->clean.at[i].study);
    str_finish(&precision);
    return code;
}

/* Those that have results, perturbed ones too. NULL-terminated, in the arena. */
static const char *const *list_folders(const struct session *s, struct arena *arena) {
    size_t count = 0, most = s->clean.count * (1 + s->args->perturbations.count);
    const char **folders = arena_alloc(arena, (most + 1) * sizeof *folders);
    for (size_t i = 0; i <= s->args->perturbations.count; i++) {
        const struct contenders *all = i == 0 ? &s->clean : &s->perturbed[i - 1];
        const char *above = i == 0 ? ""
                                   : arena_printf(arena, "perturbed/%s/",
                                                  s->args->perturbations.at[i - 1].ask.name);
        for (size_t p = 0; p < all->count; p++)
            if (all->at[p].result.count > 0)
                folders[count++] = arena_printf(arena, "%s%s", above,
                                                policy_text_folder(all->at[p].study.policy, arena));
    }
    return folders;
}

/* Policies that have failed, or those that an interruption kept from being compared.
 * NULL-terminated, in the arena.
 */
static const char *const *list_policies(const struct session *s, bool failed, struct arena *arena) {
    const char **names = arena_alloc(arena, (s->clean.count + 1) * sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < s->clean.count; i++) {
        const struct contender *c = &s->clean.at[i];
        bool missing = !c->failed && c->result.count < s->comparison.replications;
        if (failed ? c->failed && !c->left_out : missing)
            names[count++] = c->study.policy;
    }
    names[count] = NULL;
    return names;
}

/* Files and table of what could be compared. */
static int conclude_comparison(struct session *s, const struct compare_perturbed *perturbed) {
    const struct compare_args *a = s->args;
    struct compare_output output = {.study = &s->clean.at[0].study,
                                    .comparison = s->comparison,
                                    .pareto_count = (unsigned)s->options->pareto.count,
                                    .shown = s->options->metrics.columns,
                                    .shown_count = s->options->metrics.count,
                                    .perturbed = perturbed,
                                    .variance = s->worlds.run ? &s->worlds.variance : NULL,
                                    .worlds = &s->worlds.worlds};
    const struct bound_output bounds = {.study = output.study,
                                        .bounds = s->bounds,
                                        .replications = s->comparison.replications,
                                        .series = s->comparison.series,
                                        .count = s->comparison.count};
    output.bounds = s->bounds ? &bounds : NULL;
    struct error error = {0};
    struct notes notes = {.skips_outside = true};
    struct assumptions assumptions = {0};
    for (size_t i = 0; i < a->perturbations.count; i++)
        output.perturbed_count += perturbed[i].name != NULL;
    memcpy(output.pareto, s->options->pareto.columns, sizeof output.pareto);
    contenders_commit(&s->clean);
    struct arena arena = {0};
    const struct manifest_origin origin = {"compare",          s->options->words.at,
                                           &s->plain.scenario, &s->plain.model_tree,
                                           &s->inputs,         NULL};
    const struct compare_dir_state state = {
        .partial = s->clean.code != EXIT_DONE,
        .failed = list_policies(s, true, &arena),
        .missing = list_policies(s, false, &arena),
        .goal = s->options->goal.relative > 0 ? &s->options->goal : NULL,
        .folders = list_folders(s, &arena),
        .origin = &origin,
        .notes = &notes,
        .assumptions = &assumptions,
        .outcome = &s->worlds.outcome,
        .record = &s->record};
    int code = s->clean.code;
    find_notes(s, &notes);
    find_assumptions(s, &assumptions);
    if (s->comparison.count > 0) {
        /* worlds have read all of them again */
        enum inputs_scope scope = s->worlds.worlds.count > 0 ? INPUTS_ALL : INPUTS_LATE;
        int written = inputs_verify(&s->inputs, scope, &error) < 0 ||
                              compare_dir_write(s->folder, &output, &state, &error) < 0
                          ? cli_report_error(&error)
                          : print_comparison(s, &output, &notes, &assumptions);
        code = code == EXIT_DONE ? written : code;
    }
    assumptions_finish(&assumptions);
    notes_finish(&notes);
    arena_finish(&arena);
    return code;
}

static int compare_policies(struct session *s) {
    struct error error = {0};
    int64_t replications = s->clean.at[0].study.scenario.replications;
    if (s->options->interval == INTERVAL_BOOTSTRAP && replications < BOOTSTRAP_LEAST)
        options_refuse(s->options,
                       "--interval bootstrap-t: expected at least %d replications, got %lld",
                       BOOTSTRAP_LEAST, (long long)replications);
    size_t count = s->args->perturbations.count;
    if (s->options->bound && bound_replications_check(&s->clean.at[0].study, &error) < 0)
        return cli_report_error(&error);
    run_args_catch_interrupts();
    if (s->args->all_count > 0 && contenders_leave_out(&s->clean, s->args, &error) < 0)
        return cli_report_error(&error);
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < s->clean.count; p++)
            s->perturbed[i].at[p].failed = s->clean.at[p].failed;
    if (open_folders(s, &error) < 0)
        return cli_report_error(&error);
    struct compare_perturbed *perturbed = mem_zalloc(count, sizeof *perturbed);
    run_clean(s);
    if (s->comparison.count > 0)
        run_perturbed(s, perturbed);
    if (s->comparison.count > 0 && s->worlds.worlds.count > 0 && s->clean.code != EXIT_INTERRUPTED)
        run_worlds(s);
    if (s->comparison.count > 0 && s->options->bound && s->clean.code != EXIT_INTERRUPTED &&
        find_bounds(s, &error) < 0) {
        s->clean.code = cli_report_error(&error);
        free(s->bounds);
        s->bounds = NULL;
    }
    int code = conclude_comparison(s, perturbed);
    free(s->bounds);
    for (size_t i = 0; i < count; i++) {
        free((void *)perturbed[i].clean.series);
        free((void *)perturbed[i].perturbed.series);
    }
    free(perturbed);
    return code;
}

/* Removes the folders that nothing was written into. */
static void remove_empty_folders(const struct session *s) {
    struct arena arena = {0};
    for (size_t i = 0; i < s->args->perturbations.count; i++)
        files_remove_empty(arena_printf(&arena, "%s/perturbed/%s", s->folder,
                                        s->args->perturbations.at[i].ask.name),
                           s->existing);
    files_remove_empty(s->folder, s->existing);
    arena_finish(&arena);
}

static void finish_session(struct session *s) {
    compare_worlds_finish(&s->worlds);
    contenders_finish(&s->clean);
    for (size_t i = 0; s->perturbed && i < s->args->perturbations.count; i++)
        contenders_finish(&s->perturbed[i]);
    if (s->opened)
        remove_empty_folders(s);
    free(s->perturbed);
    free(s->series);
    record_files_finish(&s->record);
    inputs_finish(&s->inputs);
    study_finish(&s->plain);
}

int cli_compare(struct options *options) {
    struct compare_args args = {.options = options};
    scenario_args_refuse_policy(options, "--policies");
    if (options->goal.relative > 0 && options->goal.column == SUMMARY_COUNT)
        options->goal.column = options->pareto.columns[0];
    struct session session = {.args = &args, .options = options};
    int code = EXIT_BAD_INPUT;
    if (compare_args_resolve(&args, &options->problems) == 0 &&
        load_contenders(&session, &options->problems) == 0 &&
        compare_args_check(&args, session.clean.at, &options->problems) == 0 &&
        compare_worlds_draw(&session.worlds, &args, &session.clean, &options->problems) == 0) {
        const char *name = session.clean.at[0].study.scenario.name;
        session.folder = arena_printf(&options->arena, "results/%s/compare", name);
        code = compare_policies(&session);
    } else {
        code = cli_report_problems(&options->problems);
    }
    finish_session(&session);
    compare_args_finish(&args);
    return code;
}
