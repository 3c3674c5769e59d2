/* easim analyze: what the rules find in a recorded run. */
#include "base/machine.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "io/atomic_file.h"
#include "io/files.h"
#include "output/recorded/recorded.h"

/* --- invest: easim analyze --invest: the part of it that runs the jobs again --- */

static int invest_run(struct options *options, const struct recorded_run *run, struct str *csv,
                      struct str *report, struct error *reterr) MUST_CHECK;

/* Appends what goes into invest.csv, and what to print. */
static int invest_run(struct options *options, const struct recorded_run *run, struct str *csv,
                      struct str *report, struct error *reterr) {
    struct investments investments = {.base_kwh = 0};
    struct again again;
    again_init(&again, options, run); /* whatever has changed since: it compares with itself */
    const struct study_loader loader = again_loader(&again);
    int r = investments_find(&investments, run, &loader, reterr);
    if (r == 0) {
        invest_csv(run, &investments, csv);
        invest_report(&investments, report);
    }
    investments_finish(&investments);
    again_finish(&again);
    return r;
}

/* --- what_if --- */

/* The whole path of the folder, so that the command runs in any other. */
static const char *whole_folder(const char *path, struct arena *arena) {
    const char *real = files_real(path, arena);
    if (!real)
        machine_end("%s: the folder was moved or removed meanwhile", path);
    return real;
}

static void add_option(struct str *line, const char *option, const char *word) {
    str_addf(line, " %s ", option);
    shell_add_word(line, word);
}

const char *what_if_command(const struct recorded_run *run, const struct insight *insight,
                            size_t number, struct arena *arena) {
    const struct insight_what_if *what_if = &insight->what_if;
    const char *folder = recorded_folder_of_policy(run->folder, run->part, arena);
    struct str line = {0};
    if (!what_if->policy && (what_if->changes.count == 0 || what_if->foreign))
        return NULL;
    str_add(&line, "easim run ");
    shell_add_word(&line, arena_printf(arena, "%s/" SCENARIO_NAME, whole_folder(folder, arena)));
    str_add(&line, " --record");
    if (what_if->policy)
        add_option(&line, "--policy", what_if->policy);
    for (size_t i = 0; i < what_if->changes.count; i++)
        add_option(&line, "--set",
                   arena_printf(arena, "%s=%s", what_if->changes.at[i].path,
                                what_if->changes.at[i].value));
    add_option(
        &line, "--out",
        arena_printf(arena, "%s-whatif-%zu", whole_folder(run->folder->path, arena), number));
    const char *command = arena_strdup(arena, line.text);
    str_finish(&line);
    return command;
}

int what_if_verify(void *context, const struct rule_run *rule_run, struct insights *insights,
                   struct error *reterr) {
    struct what_if *what_if = context;
    const enum verify_choice verify = what_if->options->verify;
    const struct replicate_options how = run_args_options(what_if->options);
    struct again again;
    if (verify != VERIFY_NONE || what_if->options->invest)
        again_init(&again, what_if->options, rule_run->run);
    else
        again_open(&again, what_if->options, rule_run->run);
    if (verify == VERIFY_NONE)
        again.reason = "by the option --verify none";
    struct trials_request request = {
        .loader = again_loader(&again),
        .how = &how,
        .reason = again.reason,
        .spent = arena_printf(
            &what_if->options->arena,
            "the budget of %d simulated events is used up (--verify all has no budget)",
            TRIALS_EVENTS),
        .most_events = verify == VERIFY_ALL ? UINT64_MAX : TRIALS_EVENTS,
        .events = what_if->events};
    run_args_catch_interrupts();
    int r = what_if->options->invest ? again_refuse_foreign(&again, reterr) : 0;
    if (r == 0)
        r = trials_run(&request, rule_run, insights, reterr);
    for (size_t i = 0; i < insights->at.count; i++)
        insights->at.at[i]->what_if.foreign = again.foreign != NULL;
    what_if->events = request.events;
    again_finish(&again);
    return r;
}

/* --- analyze --- */

/* Of one command; all of it is released by finish. */
struct analysis {
    struct options *options;
    struct rule_settings settings;
    struct recorded_args recorded;
    struct waste waste;   /* of that run */
    struct blame blame;   /* likewise */
    struct str waste_csv; /* of all that were asked for */
    struct rule_run rule_run;
    struct insights insights;
    const char **commands;
    struct str invest_csv, invest; /* with --invest: the file, and what to print */
};

/* Of every run in the folder that no option leaves out, one at a time. */
static int divide_waste(struct analysis *a, struct error *reterr) {
    const struct options *options = a->options;
    int r = 0;
    str_add(&a->waste_csv, waste_csv_header);
    for (size_t i = 0; i < a->recorded.folder.parts.count && r == 0; i++) {
        const struct recorded_part *part = &a->recorded.folder.parts.at[i];
        if ((options->policy && part->policy != a->recorded.run.part->policy) ||
            (options->replication > 0 && part->replication != a->recorded.run.part->replication))
            continue;
        if (part == a->recorded.run.part)
            waste_csv_rows(&a->recorded.run, &a->waste, &a->waste_csv);
        else
            r = waste_csv_read(&a->recorded.folder, part, &a->waste_csv, reterr);
    }
    return r;
}

/* ---- What it says ---- */

static int find_insights(struct analysis *a, struct error *reterr) {
    struct what_if what_if = {.options = a->options};
    blame_find(&a->blame, &a->recorded.run);
    rule_run_init(&a->rule_run, &a->recorded.run, &a->waste, &a->blame);
    rules_apply(&a->rule_run, &a->settings, &a->insights);
    int r = what_if_verify(&what_if, &a->rule_run, &a->insights, reterr);
    struct arena *arena = &a->insights.arena;
    a->commands = arena_alloc(arena, (a->insights.at.count + 1) * sizeof *a->commands);
    for (size_t i = 0; i < a->insights.at.count; i++)
        a->commands[i] = what_if_command(&a->recorded.run, a->insights.at.at[i], i + 1, arena);
    if (r == 0 && a->options->invest)
        r = invest_run(a->options, &a->recorded.run, &a->invest_csv, &a->invest, reterr);
    return r;
}

static int write_file(const struct analysis *a, const char *name, const struct str *text,
                      struct error *reterr) {
    const char *folder = a->options->out ? a->options->out : a->options->operands[0];
    const char *path = arena_printf(&a->options->arena, "%s/%s", folder, name);
    return atomic_file_write_alone(path, text->text, text->length, reterr);
}

/* All texts are made before the first is written. */
static int write_insights(const struct analysis *a, const struct insights_page *page,
                          struct error *reterr) {
    struct str md = {0}, json = {0};
    insights_md(page, &md);
    insights_json(page, &json);
    int r = a->options->out ? files_make_folders(a->options->out, reterr) : 0;
    if (r == 0)
        r = write_file(a, "insights.json", &json, reterr);
    if (r == 0)
        r = write_file(a, "insights.md", &md, reterr);
    if (r == 0)
        r = write_file(a, "waste.csv", &a->waste_csv, reterr);
    if (r == 0 && a->options->invest)
        r = write_file(a, "invest.csv", &a->invest_csv, reterr);
    str_finish(&md);
    str_finish(&json);
    return r;
}

static int tell_insights(struct analysis *a, struct error *reterr) {
    const struct insights_page page = {
        .run = &a->rule_run,
        .settings = &a->settings,
        .insights = &a->insights,
        .commands = a->commands,
        .replications = recorded_folder_replications(&a->recorded.folder, a->recorded.run.part)};
    struct str text = {0};
    int r = write_insights(a, &page, reterr);
    insights_report(&page, &text);
    str_add_bytes(&text, a->invest.text, a->invest.length);
    if (r == 0 && !a->options->quiet)
        r = cli_print_lines(&text, reterr);
    str_finish(&text);
    return r;
}

static void finish(struct analysis *a) {
    insights_finish(&a->insights);
    rule_run_finish(&a->rule_run);
    str_finish(&a->waste_csv);
    str_finish(&a->invest_csv);
    str_finish(&a->invest);
    waste_finish(&a->waste);
    blame_finish(&a->blame);
    recorded_args_finish(&a->recorded);
    rule_settings_finish(&a->settings);
}

int cli_analyze(struct options *options) {
    struct analysis a = {.options = options};
    struct error error = {0};
    int code = EXIT_DONE;
    if (rule_settings_init(&a.settings, options->rules.at, options->rules.count,
                           &options->problems) < 0) {
        code = cli_report_problems(&options->problems);
    } else if (recorded_args_load(&a.recorded, options, &error) < 0 ||
               waste_of_run(&a.waste, &a.recorded.run, &error) < 0 ||
               divide_waste(&a, &error) < 0 || find_insights(&a, &error) < 0 ||
               tell_insights(&a, &error) < 0) {
        code = cli_report_error(&error);
    }
    finish(&a);
    return code;
}
