/* easim validate: what was measured beside what easim predicts. */
#include "base/machine.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "experiment/validate/load.h"
#include "ingest/formats.h"
#include "io/files.h"
#include "output/folders.h"
#include "output/run/run_dir.h"
#include "study/study_load.h"

#include <stdlib.h>

/* One file with its scenario, and what came of them. */
struct item {
    struct validate_case validation;
    struct study study; /* not loaded where data are missing */
    struct notes notes;
    struct job_table jobs; /* of the run */
    const char *folder;    /* of the run: a name in that of the results */
    bool done, has_results;
};

struct session {
    struct options *options;
    const char *const *files; /* NULL-terminated; none with --measured */
    struct item *items;
    struct outcome *outcomes; /* side by side with items */
    size_t count, done;
    const char *folder;
    struct inputs inputs;
    struct progress_line *progress;
    struct arena arena;
};

/* ---- What is validated ---- */

/* Of a file's scenario: a wrong value that its `set` gives is in the file. */
static int load_scenario_of(struct item *item, const struct scenario_overrides *overrides,
                            struct problems *problems) {
    const struct validate_case *v = &item->validation;
    struct problems own = {0};
    if (!v->path)
        return study_load(&item->study, v->scenario, overrides, ingest_readers, problems);
    int r = study_load(&item->study, v->scenario, overrides, ingest_readers, &own);
    problems_end(&own);
    for (size_t i = 0; i < own.kept; i++) {
        bool set = strncmp(own.texts[i], "set ", 4) == 0;
        problems_add(problems, (struct location){.file = set ? v->path : NULL}, NULL, "%s",
                     own.texts[i]);
    }
    problems_finish(&own);
    return r;
}

static int load_study_of(struct session *s, struct item *item, struct problems *problems) {
    const struct validate_case *v = &item->validation;
    const struct options *options = s->options;
    const char **sets = validate_case_set_texts(v, &s->arena);
    size_t before = problems->count;
    struct scenario_overrides overrides = {.sets = sets, .set_count = v->sets.count};
    if (!v->path)
        overrides = (struct scenario_overrides){
            .policy = options->policy, .sets = options->sets.at, .set_count = options->sets.count};
    scenario_args_trust(options, &overrides);
    if (load_scenario_of(item, &overrides, problems) < 0)
        return ERROR_INPUT;
    if ((outcome_needs_jobs(v) || v->meter.given) && item->study.scenario.replications != 1)
        problems_add(problems, (struct location){.file = v->path ? v->path : v->scenario}, NULL,
                     "expected replications: 1 in a scenario with figures of %s, got %lld",
                     v->meter.given ? "a meter" : "jobs",
                     (long long)item->study.scenario.replications);
    return problems->count > before ? ERROR_INPUT : 0;
}

static void add_inputs(struct session *s, const struct item *item) {
    const struct validate_case *v = &item->validation;
    if (v->path)
        (void)inputs_add(&s->inputs,
                         &(struct input){.key = "validation", .path = v->path, .read = &v->read});
    else
        (void)inputs_add(&s->inputs,
                         &(struct input){.key = "measured", .path = v->source, .read = &v->read});
    for (size_t i = 0; i < v->data.count; i++)
        if (v->data.at[i].path)
            (void)inputs_add(&s->inputs, &(struct input){.key = "data",
                                                         .path = v->data.at[i].path,
                                                         .read = &v->data.at[i].read});
    if (!v->missing)
        inputs_add_study(&s->inputs, &item->study);
}

static int load_item(struct session *s, size_t index, struct problems *problems) {
    struct item *item = &s->items[index];
    struct validate_case *v = &item->validation;
    const struct options *options = s->options;
    int r = s->files[0] ? validate_case_load(v, s->files[index], problems)
                        : validate_case_of_log(v, options->measured, options->scenario,
                                               options->tolerance, problems);
    if (r < 0)
        return r;
    for (size_t i = 0; i < index; i++)
        if (s->items[i].validation.name && strcmp(s->items[i].validation.name, v->name) == 0)
            return problems_add(problems, (struct location){.file = v->path}, "name",
                                "\"%.80s\" is the name of %s, too", v->name,
                                s->items[i].validation.path);
    item->folder = v->name;
    if (!v->missing && load_study_of(s, item, problems) < 0)
        return ERROR_INPUT;
    add_inputs(s, item);
    return 0;
}

static int load_items(struct session *s, struct problems *problems) {
    int result = 0;
    s->items = mem_zalloc(s->count, sizeof *s->items);
    s->outcomes = mem_zalloc(s->count, sizeof *s->outcomes);
    for (size_t i = 0; i < s->count; i++)
        if (load_item(s, i, problems) < 0)
            result = ERROR_INPUT;
    for (size_t i = 0; i < s->inputs.list.count; i++)
        s->inputs.list.at[i].inlined = false; /* there is no scenario.yaml of all of them */
    s->inputs.from_here = true;
    if (result == 0 && s->inputs.failure.code < 0)
        machine_end("%s", s->inputs.failure.text);
    return result;
}

/* ---- Runs ---- */

/* What a run wrote of its jobs. */
static int read_jobs(struct session *s, struct item *item) {
    struct problems problems = {0};
    const struct job_table_source source = {
        .path = arena_printf(&s->arena, "%s/%s/jobs.csv", s->folder, item->folder),
        .names = {[JOB_GPUS] = "k"}};
    int r = job_table_read(&item->jobs, &source, &problems);
    if (r < 0)
        (void)cli_report_problems(&problems);
    problems_finish(&problems);
    return r < 0 ? ERROR_RUN : 0;
}

/* The mean power of its intervals. */
static int read_power(struct session *s, const struct item *item, struct meter *power) {
    struct problems problems = {0};
    power->file = arena_printf(&s->arena, "%s/%s/meter.csv", s->folder, item->folder);
    int r = meter_load(power, &s->arena, &problems);
    if (r < 0)
        (void)cli_report_problems(&problems);
    problems_finish(&problems);
    return r < 0 ? ERROR_RUN : 0;
}

static bool nodes_draw(const struct cluster *cluster) {
    for (uint32_t i = 0; i < cluster->node_count; i++)
        if (cluster->nodes[i].fixed_w > 0 || cluster->nodes[i].cpu_w_per_busy_gpu > 0)
            return true;
    return false;
}

static void compare_item(struct session *s, size_t index, const struct replicate_result *result) {
    struct item *item = &s->items[index];
    struct meter power = {.file = NULL};
    const struct outcome_run run = {.summaries = result->summaries,
                                    .count = result->count,
                                    .jobs =
                                        outcome_needs_jobs(&item->validation) ? &item->jobs : NULL,
                                    .power = item->validation.meter.given ? &power : NULL,
                                    .nodes_draw = nodes_draw(&item->study.cluster)};
    if (run.jobs && read_jobs(s, item) < 0)
        outcome_fail(&s->outcomes[index], &item->validation, "its jobs.csv cannot be read");
    else if (run.power && read_power(s, item, &power) < 0)
        outcome_fail(&s->outcomes[index], &item->validation, "its meter.csv cannot be read");
    else
        outcome_compare(&s->outcomes[index], &item->validation, &run);
}

/* Negative: interrupted, or nothing can be written. A run that fails is a validation that fails. */
static int run_item(struct session *s, size_t index, struct replicate_options *how,
                    struct error *reterr) {
    struct item *item = &s->items[index];
    struct run_dir *dir = NULL;
    struct replicate_result result = {0};
    struct error failure = {0};
    const struct run_dir_options options = {
        .path = arena_printf(&s->arena, "%s/%s", s->folder, item->folder),
        .force = true,
        .within = s->folder,
        .meter = item->validation.meter.given,
        .words = (const char *const[]){NULL}};
    int r = run_dir_open(&options, &item->study, &dir, reterr);
    if (r < 0)
        return r;
    how->meter_step_ns =
        options.meter ? units_ns(validate_meter_step_s(&item->validation.meter)) : 0;
    const struct replicate_sink sink = run_dir_sink(dir);
    r = replicate_run(&item->study, how, &sink, &result, &failure);
    if (r < 0) {
        run_dir_abort(dir);
        if (r == ERROR_RUN)
            outcome_fail(&s->outcomes[index], &item->validation, failure.text);
        else
            (void)error_set(reterr, r, "%s", failure.text);
        r = r == ERROR_RUN ? 0 : r;
    } else {
        r = run_dir_commit(dir, &result, false, reterr);
        item->has_results = r == 0;
        if (r == 0) {
            compare_item(s, index, &result);
            notes_add_study(&item->notes, &item->study);
            notes_add_result(&item->notes, &item->study, &result);
        }
    }
    replicate_result_finish(&result);
    return r;
}

static int run_items(struct session *s, struct error *reterr) {
    struct replicate_options how = run_args_options(s->options);
    uint32_t replications = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!s->items[i].validation.missing)
            replications += (uint32_t)s->items[i].study.scenario.replications;
    s->progress = progress_line_start(s->options, replications, "replications", NULL, &how);
    int r = 0;
    for (; s->done < s->count && r == 0; s->done += r == 0) {
        const struct validate_case *v = &s->items[s->done].validation;
        if (v->missing)
            outcome_skip(&s->outcomes[s->done], v, v->missing);
        else
            r = run_item(s, s->done, &how, reterr);
    }
    progress_line_stop(s->progress);
    return r;
}

/* ---- Results ---- */

/* The words of the command that its manifest keeps, without the files, of which it has a list. */
static const char *const *recorded_words(struct session *s) {
    const struct options *o = s->options;
    size_t files = o->operand_count > 1 ? o->operand_count - 1 : 0;
    size_t count = o->words.count - 1 - files;
    const char **words = arena_alloc(&s->arena, (count + 1) * sizeof *words);
    memcpy(words, o->words.at, count * sizeof *words);
    words[count] = NULL;
    return words;
}

static int write_results(struct session *s, const struct validate_output *output, bool partial,
                         struct error *reterr) {
    const char **folders = arena_alloc(&s->arena, (s->count + 1) * sizeof *folders);
    size_t count = 0;
    for (size_t i = 0; i < s->done; i++) {
        partial = partial || s->outcomes[i].failure;
        if (s->items[i].has_results)
            folders[count++] = s->items[i].folder;
    }
    folders[count] = NULL;
    const struct manifest_origin origin = {
        .command = "validate", .options = recorded_words(s), .inputs = &s->inputs};
    const struct validate_dir_state state = {.origin = &origin,
                                             .files = s->files,
                                             .folders = folders,
                                             .data_folder = getenv("EASIM_DATA"),
                                             .partial = partial};
    return validate_dir_write(s->folder, output, &state, reterr);
}

static int print_results(struct session *s, const struct validate_output *output) {
    const struct options *options = s->options;
    struct report report = {0};
    bool people = options_want_report(options);
    if (options->format == FORMAT_CSV)
        validate_tables_rows(output, &report.text);
    else if (options->format == FORMAT_JSON)
        validate_tables_json(output, &report.text);
    for (size_t i = 0; i < output->count; i++) {
        if (people)
            validate_tables_report(&output->outcomes[i], &report);
        run_args_add_notes(options, &s->items[i].notes, NULL, &report);
        if (people)
            str_add_char(&report.text, '\n');
    }
    if (people) {
        validate_tables_totals(output, &report.text);
        str_addf(&report.text, "results: %s\n", s->folder);
    }
    return run_args_show(options, &report);
}

/* Also where the table is not shown. */
static int tell_unexpected(const struct session *s, const struct validate_output *output) {
    size_t unexpected = validate_tables_count(output).unexpected;
    for (size_t i = 0; i < output->count; i++)
        if (output->outcomes[i].failure)
            cli_say("easim: %s: the run failed: %s\n", output->outcomes[i].validation->name,
                    output->outcomes[i].failure);
    if (unexpected == 0)
        return EXIT_DONE;
    cli_say("easim: %zu verdict%s not as expected: %s/validation.csv\n", unexpected,
            unexpected == 1 ? " is" : "s are", s->folder);
    return EXIT_RUN_FAILED;
}

static int validate_items(struct session *s) {
    struct error error = {0};
    run_args_catch_interrupts();
    s->folder = run_args_folder(s->options, "results/validate", &error);
    if (!s->folder)
        return cli_report_error(&error);
    size_t existing = files_existing(s->folder);
    int r = run_items(s, &error), code = EXIT_DONE;
    if (r == 0)
        r = inputs_verify(&s->inputs, INPUTS_ALL, &error);
    const struct validate_output output = {s->outcomes, s->done};
    if (r == ERROR_CANCELLED)
        error_set(&error, r, "%s: %zu of %zu validations are finished and kept", error.text,
                  s->done, s->count);
    if (r < 0)
        code = cli_report_error(&error);
    if (s->done > 0 && (r == 0 || r == ERROR_CANCELLED)) {
        struct error unwritten = {0};
        int written = write_results(s, &output, r < 0, &unwritten) < 0
                          ? cli_report_error(&unwritten)
                          : print_results(s, &output);
        code = code == EXIT_DONE ? written : code;
    }
    for (size_t i = 0; i < s->count; i++)
        files_remove_empty(arena_printf(&s->arena, "%s/%s", s->folder, s->items[i].folder),
                           existing);
    files_remove_empty(s->folder, existing);
    return code == EXIT_DONE ? tell_unexpected(s, &output) : code;
}

static void finish_session(struct session *s) {
    for (size_t i = 0; s->items && i < s->count; i++) {
        outcome_finish(&s->outcomes[i]);
        job_table_finish(&s->items[i].jobs);
        notes_finish(&s->items[i].notes);
        study_finish(&s->items[i].study);
        validate_case_finish(&s->items[i].validation);
    }
    free(s->items);
    free(s->outcomes);
    inputs_finish(&s->inputs);
    arena_finish(&s->arena);
}

/* The files of the command line, else those that come with easim; with --measured none. */
static int find_files(struct session *s, struct error *reterr) {
    static const char *const none[] = {NULL};
    const struct options *o = s->options;
    s->files = o->measured ? none : (const char *const *)o->operands;
    if (!o->measured && o->operand_count == 0 && validate_find(&s->arena, &s->files, reterr) < 0)
        return ERROR_INPUT;
    while (s->files[s->count])
        s->count++;
    s->count += o->measured != NULL;
    return 0;
}

int cli_validate(struct options *options) {
    struct session session = {.options = options};
    struct error error = {0};
    if (options->measured && options->operand_count > 0)
        options_refuse(options, "--measured: not with FILE.yaml, which has its own figures");
    int code;
    if (find_files(&session, &error) < 0)
        code = cli_report_error(&error);
    else if (load_items(&session, &options->problems) < 0)
        code = cli_report_problems(&options->problems);
    else
        code = validate_items(&session);
    for (size_t i = 0; i < session.count && session.items; i++)
        if (session.items[i].study.module.policy)
            run_args_advise(options, &session.items[i].study);
    finish_session(&session);
    return code;
}
