/* easim sweep: one scenario at many points, resumed where it was left. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/progress_line.h"
#include "cli/run_args.h"
#include "cli/sweep_engines.h"
#include "cli/words.h"
#include "ingest/logs/log_readers.h"
#include "output/sweep/findings_tables.h"
#include "output/sweep/sweep_dir.h"
#include "study/study_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MISSING 20 /* of the missing runs, on standard error */

enum engine { ENGINE_LOCAL, ENGINE_PARALLEL, ENGINE_SLURM };
static const char *const engines[] = {"local", "parallel", "slurm", NULL};

struct arguments {
    struct run_args run; /* threads, out, format, quiet */
    const char *file, *sbatch, *run_timeout;
    struct sweep_shard shard;
    unsigned tasks;
    enum engine engine;
    bool merge, list, retry_failed;
    const char *const *words; /* for the manifest */
};

enum {
    KEY_SHARD = 768,
    KEY_MERGE,
    KEY_LIST,
    KEY_ENGINE,
    KEY_TASKS,
    KEY_SBATCH,
    KEY_RETRY_FAILED,
    KEY_RUN_TIMEOUT,
    KEY_FORMAT
};

static const struct argp_option options[] = {
    {"out", 'o', "DIR", 0, "folder of the results (default: results/NAME/sweep)", 0},
    {"threads", 't', "N", 0, "run so many points at a time (default: one per core)", 0},
    {"shard", KEY_SHARD, "I/N", 0, "run the I-th of N parts of the points, and do not join", 0},
    {"merge", KEY_MERGE, NULL, 0, "run nothing: join what is there and name what is missing", 0},
    {"list", KEY_LIST, NULL, 0, "run nothing: print the points and their state as CSV", 0},
    {"retry-failed", KEY_RETRY_FAILED, NULL, 0, "run points again whose failure is recorded", 0},
    {"run-timeout", KEY_RUN_TIMEOUT, "60s", 0, "a point that takes longer by the clock has failed",
     0},
    {"engine", KEY_ENGINE, "local|parallel|slurm", 0,
     "run here, print a line for GNU parallel, or submit a Slurm job array (default: local)", 0},
    {"tasks", KEY_TASKS, "N", 0, "shards for the engines parallel and slurm (default: 8)", 0},
    {"sbatch", KEY_SBATCH, "OPTIONS", 0, "more options for sbatch, as one text", 0},
    {"format", KEY_FORMAT, "table|csv|json", 0, "how to print claims and targets (default: table)",
     0},
    {"quiet", 'q', NULL, 0, "print no totals, no tables and no progress", 0},
    {0},
};

static void parse_shard(struct arguments *a, const char *value, struct argp_state *state) {
    char rest;
    int fields = strspn(value, "0123456789/") == strlen(value)
                     ? sscanf(value, "%6u/%6u%c", &a->shard.number, &a->shard.of, &rest)
                     : 0;
    if (fields != 2 || a->shard.number < 1 || a->shard.number > a->shard.of)
        argp_error(state, "--shard: expected I/N with 1 <= I <= N, got \"%s\"", value);
}

static void check_combination(const struct arguments *a, struct argp_state *state) {
    if (!a->file)
        argp_error(state, "expected SWEEP.yaml");
    if (a->merge && (a->list || a->shard.of > 0))
        argp_error(state, "--merge: not with --list or --shard");
    if (a->engine != ENGINE_LOCAL && (a->merge || a->list || a->shard.of > 0))
        argp_error(state, "--engine: not with --merge, --list or --shard");
    if (a->run.format != FORMAT_TABLE && (a->engine != ENGINE_LOCAL || a->list || a->shard.of > 0))
        argp_error(state, "--format: not with --engine, --list or --shard");
    if (a->sbatch && a->engine != ENGINE_SLURM)
        argp_error(state, "--sbatch: only with --engine slurm");
}

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case 'o':
        a->run.out = value;
        return 0;
    case 't':
        a->run.threads = (unsigned)option_count(value, 1, 1024, "--threads", state);
        return 0;
    case 'q':
        a->run.quiet = true;
        return 0;
    case KEY_SHARD:
        parse_shard(a, value, state);
        return 0;
    case KEY_MERGE:
        a->merge = true;
        return 0;
    case KEY_LIST:
        a->list = true;
        return 0;
    case KEY_RUN_TIMEOUT:
        a->run.limit_s = option_duration(value, "--run-timeout", state);
        a->run_timeout = value;
        return 0;
    case KEY_RETRY_FAILED:
        a->retry_failed = true;
        return 0;
    case KEY_ENGINE:
        a->engine = (enum engine)option_choice(value, engines, "--engine", state);
        return 0;
    case KEY_TASKS:
        a->tasks = (unsigned)option_count(value, 1, 100000, "--tasks", state);
        return 0;
    case KEY_SBATCH:
        a->sbatch = value;
        return 0;
    case KEY_FORMAT:
        a->run.format = option_format(value, state);
        return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "expected one SWEEP.yaml, got another: %s", value);
        a->file = value;
        return 0;
    case ARGP_KEY_END:
        check_combination(a, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum sweep_state state_of(void *context, size_t point) {
    return sweep_dir_state(context, point);
}

static struct sweep_resume resume_of(const struct arguments *a, struct sweep_dir *dir) {
    return (struct sweep_resume){dir->sweep->count, a->shard, a->retry_failed, dir, state_of};
}

/* ---- What is done ---- */

static int list(const struct arguments *a, const struct sweep_dir *dir) {
    size_t *points = mem_zalloc(dir->sweep->count, sizeof *points);
    size_t count = sweep_shard_points(&a->shard, dir->sweep->count, points);
    struct str text = {0};
    struct error error = {0};
    sweep_dir_list(dir, points, count, &text);
    int code = cli_print(&text, &error) < 0 ? cli_report_error(&error) : EXIT_DONE;
    str_finish(&text);
    free(points);
    return code;
}

static void name_missing(const struct sweep_dir *dir, size_t count) {
    const struct sweep *s = dir->sweep;
    size_t named = 0;
    for (size_t p = 0; p < s->count && named < NAMED_MISSING; p++) {
        if (sweep_dir_state(dir, p) != SWEEP_MISSING)
            continue;
        fprintf(stderr, "missing: %016llx", (unsigned long long)s->points[p].id);
        for (size_t a = 0; a < s->axes.count; a++)
            fprintf(stderr, " %s=%s", s->axes.at[a].name, sweep_value(s, p, a)->shown);
        fputc('\n', stderr);
        named++;
    }
    if (count > named)
        fprintf(stderr, "missing: %zu more, see --list\n", count - named);
}

static int print(const struct arguments *a, const struct sweep_dir *dir,
                 const struct sweep_counts *counts, const struct findings *found,
                 const struct notes *notes) {
    struct str text = {0};
    struct error error = {0};
    if (a->run.format == FORMAT_TABLE && a->run.quiet)
        return EXIT_DONE;
    if (a->run.format == FORMAT_TABLE)
        str_addf(&text, "%zu points: %zu done, %zu failed, %zu missing\n", dir->sweep->count,
                 counts->done, counts->failed, counts->missing);
    run_args_add_notes(&a->run, notes, &text);
    if (a->run.format == FORMAT_JSON)
        sweep_dir_json(dir, counts, found, &text);
    else if (a->run.format == FORMAT_CSV)
        findings_csv(found, &text);
    else {
        str_addf(&text, "results: %s/sweep.csv\n", dir->path);
        findings_report(found, &text);
    }
    int code =
        text.length > 0 && cli_print(&text, &error) < 0 ? cli_report_error(&error) : EXIT_DONE;
    str_finish(&text);
    return code;
}

/* Of the base with the values of all points: those of the axes are in the tables. */
static int write_manifest(const struct arguments *a, const struct sweep_dir *dir,
                          const struct sweep_counts *counts, const struct notes *notes,
                          struct error *reterr) {
    struct study plain;
    struct problems ignored = {0}; /* an axis may set what the base does not have */
    struct arena arena = {0};
    size_t count;
    const char **sets = sweep_fixed_texts(dir->sweep, &arena, &count);
    const struct scenario_overrides overrides = {.sets = sets, .set_count = count};
    study_load_files(&plain, dir->sweep->base, &overrides, &ignored);
    const struct manifest_origin origin = {"sweep", a->words, &plain.scenario, &dir->sweep->inputs,
                                           NULL};
    int r = sweep_dir_write_manifest(dir, &origin, counts, notes, reterr);
    study_finish(&plain);
    problems_finish(&ignored);
    arena_finish(&arena);
    return r;
}

static int merge(const struct arguments *a, const struct sweep_dir *dir) {
    struct sweep_counts counts;
    struct error error = {0};
    struct figures figures;
    struct findings found = {0};
    struct notes notes = {.sources = 0};
    int code = EXIT_DONE;
    figures_init(&figures, dir->claims);
    if (sweep_dir_merge(dir, &figures, &counts, &notes, &error) == 0) {
        findings_find(&found, &figures);
        code = sweep_dir_write_findings(dir, &found, &error) == 0 &&
                       write_manifest(a, dir, &counts, &notes, &error) == 0
                   ? print(a, dir, &counts, &found, &notes)
                   : EXIT_DONE;
    }
    figures_finish(&figures);
    findings_finish(&found);
    notes_finish(&notes);
    if (error.code < 0 || code != EXIT_DONE)
        return error.code < 0 ? cli_report_error(&error) : code;
    if (counts.failed > 0)
        fprintf(stderr, "easim: %zu runs failed: %s/failures.csv says why\n", counts.failed,
                dir->path);
    name_missing(dir, counts.missing);
    return counts.failed + counts.missing > 0 ? EXIT_RUN_FAILED : EXIT_DONE;
}

/* A failure anywhere in the shard, of this run or of one before. */
static int shard_code(const struct arguments *a, const struct sweep_dir *dir) {
    for (size_t p = 0; p < dir->sweep->count; p++)
        if (sweep_shard_has(&a->shard, p) && sweep_dir_state(dir, p) == SWEEP_FAILED)
            return EXIT_RUN_FAILED;
    return EXIT_DONE;
}

static int run(const struct arguments *a, struct sweep_dir *dir) {
    size_t *points = mem_zalloc(dir->sweep->count, sizeof *points);
    const struct sweep_resume resume = resume_of(a, dir);
    size_t count = sweep_resume_points(&resume, points);
    struct error error = {0};
    struct sweep_run all = {.sweep = dir->sweep,
                            .points = points,
                            .count = count,
                            .readers = ingest_readers,
                            .how = run_args_options(&a->run),
                            .sink = sweep_dir_sink(dir)};
    all.how.record_power = false; /* summaries are kept, no rows */
    struct progress_line *progress =
        a->run.quiet ? NULL : progress_line_start((uint32_t)count, "runs", NULL, &all.how);
    int r = sweep_run(&all, &error);
    progress_line_stop(progress);
    free(points);
    if (r < 0)
        return cli_report_error(&error);
    return a->shard.of > 0 ? shard_code(a, dir) : merge(a, dir);
}

static int hand_over(const struct arguments *a, struct sweep_dir *dir) {
    struct sweep_tasks tasks = {.file = a->file,
                                .folder = dir->path,
                                .count = a->tasks,
                                .sbatch = a->sbatch,
                                .run_timeout = a->run_timeout,
                                .retry_failed = a->retry_failed};
    struct error error = {0};
    const struct sweep_resume resume = resume_of(a, dir);
    bool *wanted = mem_zalloc(a->tasks, sizeof *wanted);
    bool any = sweep_resume_shards(&resume, a->tasks, wanted);
    tasks.wanted = wanted;
    int code;
    if (!any)
        code = merge(a, dir);
    else if ((a->engine == ENGINE_SLURM ? sweep_engine_slurm : sweep_engine_parallel)(&tasks,
                                                                                      &error) < 0)
        code = cli_report_error(&error);
    else
        code = EXIT_DONE;
    free(wanted);
    return code;
}

/* ---- An unknown path or a wrong value is wrong at every point, so the first one tells ---- */

struct first {
    const struct sweep *sweep;
    struct problems *problems;
    bool announce; /* if it will not end soon */
};

static void load_first(void *context, size_t task, struct trail *trail, FILE *out) {
    const struct first *first = context;
    struct study study;
    struct problems problems = {0};
    (void)trail;
    if (sweep_study(first->sweep, task, ingest_readers, &study, &problems) < 0)
        for (size_t i = 0; i < problems.count; i++)
            fwrite(problems.texts[i], strlen(problems.texts[i]) + 1, 1, out);
    else if (first->announce)
        progress_line_announce(&study, "first point: ");
}

/* A policy that crashes when it is loaded is no problem of the input, but the failure of the runs
 * that load it. */
static int keep_problems(void *context, size_t task, struct slice result, const char *failure) {
    const struct first *first = context;
    (void)task, (void)failure;
    for (size_t at = 0; at < result.length; at += strlen(result.at + at) + 1)
        problems_add(first->problems, (struct location){0}, NULL, "%s", result.at + at);
    return 0;
}

static int check_first(const struct sweep *sweep, const struct arguments *a,
                       struct problems *problems, struct error *reterr) {
    bool runs = a->engine == ENGINE_LOCAL && !a->merge && !a->list;
    struct first first = {sweep, problems, runs && !a->run.quiet};
    const struct replicate_options how = run_args_options(&a->run);
    const struct isolated load = {.count = 1,
                                  .processes = 1,
                                  .limit_s = how.limit_s,
                                  .cancel = how.cancel,
                                  .context = &first,
                                  .work = load_first,
                                  .done = keep_problems};
    int r = isolated_run(&load, reterr);
    return problems->count > 0 ? ERROR_INPUT : r;
}

static int sweep(const struct arguments *a, const struct sweep *s, const struct claims *claims) {
    struct arena arena = {0};
    struct error error = {0};
    struct sweep_dir dir = {
        a->run.out ? a->run.out : arena_printf(&arena, "results/%s/sweep", s->name), s, claims};
    int code;
    if (a->list)
        code = list(a, &dir);
    else if (sweep_dir_open(&dir, &error) < 0)
        code = cli_report_error(&error);
    else if (a->merge)
        code = merge(a, &dir);
    else
        code = a->engine == ENGINE_LOCAL ? run(a, &dir) : hand_over(a, &dir);
    arena_finish(&arena);
    return code;
}

int cli_sweep(int argc, char **argv) {
    struct arguments a = {.tasks = 8};
    const struct argp argp = {
        options,
        parse,
        "SWEEP.yaml",
        "Runs a scenario at many points and joins the summaries in one CSV file.\v"
        "A manifest.json instead of SWEEP.yaml repeats what it records and compares every file.\n"
        "Points that are done are not run again. Exit codes: 0 done; 1 a run failed or is\n"
        "missing; 2 bad usage or bad input; 130 interrupted, what was finished is kept.",
        NULL,
        NULL,
        NULL};
    cli_parse(&argp, argc, argv, &a);
    a.words = words_of(&argp, argc, argv, &a.run.scenario.arena);
    run_args_catch_interrupts();
    struct problems problems = {0};
    struct sweep s;
    struct claims claims = {0};
    struct error error = {0};
    bool good = sweep_load(&s, a.file, &problems) == 0;
    if (good) {
        good = claims_load(&claims, &s, &problems) == 0;
        good = check_first(&s, &a, &problems, &error) == 0 && good;
    }
    int code = good                 ? sweep(&a, &s, &claims)
               : problems.count > 0 ? cli_report_problems(&problems)
                                    : cli_report_error(&error);
    claims_finish(&claims);
    sweep_finish(&s);
    problems_finish(&problems);
    scenario_args_finish(&a.run.scenario);
    return code;
}
