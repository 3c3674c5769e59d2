/* easim sweep: one scenario at many points, resumed where it was left. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "ingest/formats.h"
#include "io/leftovers.h"
#include "output/sweep/findings.h"
#include "output/sweep/sweep_dir.h"
#include "study/study_load.h"

#include <stdlib.h>

#define JOIN_WAIT_S 60 /* for another sweep that joins its points in the same folder */

#define NAMED_MISSING 20 /* of the missing runs, on standard error */

static enum sweep_state state_of_point(void *context, size_t point) {
    return sweep_dir_state(context, point);
}

static struct sweep_resume resume_of(const struct options *options, struct sweep_dir *dir) {
    return (struct sweep_resume){dir->sweep->count, options->shard, options->retry_failed, dir,
                                 state_of_point};
}

/* ---- What is done ---- */

static int list_points(const struct options *options, const struct sweep_dir *dir) {
    size_t *points = mem_zalloc(dir->sweep->count, sizeof *points);
    size_t count = sweep_shard_points(&options->shard, dir->sweep->count, points);
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
        cli_say("missing: %016llx", (unsigned long long)s->points[p].id);
        for (size_t a = 0; a < s->axes.count; a++)
            cli_say(" %s=%s", s->axes.at[a].name, sweep_value(s, p, a)->shown);
        cli_say("\n");
        named++;
    }
    if (count > named)
        cli_say("missing: %zu more, see --list\n", count - named);
}

static int print_totals(const struct options *options, const struct sweep_dir *dir,
                        const struct sweep_counts *counts, const struct findings *found,
                        const struct notes *notes, const cJSON *warnings) {
    struct report report = {0};
    bool people = options_want_report(options);
    if (options->format == FORMAT_TABLE && options->quiet)
        return EXIT_DONE;
    if (people)
        str_addf(report_lines(&report), "%zu points: %zu done, %zu failed, %zu missing\n",
                 dir->sweep->count, counts->done, counts->failed, counts->missing);
    run_args_add_notes(options, notes, NULL, &report);
    if (people) {
        str_addf(&report.text, "results: %s/sweep.csv\n", dir->path);
        findings_report(found, &report);
    } else if (options->format == FORMAT_JSON) {
        sweep_dir_json(dir, counts, found, warnings, &report.text);
    } else {
        findings_csv(found, &report.text);
    }
    return run_args_show(options, &report);
}

/* Whether all points have the base's models: what overrides do may depend on the nodes. */
static bool has_same_models(const struct sweep *sweep, const struct scenario *base) {
    return !sweep_changes(sweep, "models") && !sweep_changes(sweep, "model_overrides") &&
           !(base->model_overrides && sweep_changes(sweep, "cluster"));
}

/* Its scenario.yaml is the base with the values that all points share; the tables have the axes. */
static int write_sweep_manifest(const struct options *options, const struct sweep_dir *dir,
                                const struct sweep_counts *counts, const struct notes *notes,
                                struct error *reterr) {
    struct study plain;
    struct problems ignored = {0}; /* an axis may set what the base does not have */
    struct arena arena = {0};
    size_t count;
    const char **sets = sweep_fixed_texts(dir->sweep, &arena, &count);
    const struct scenario_overrides overrides = {.sets = sets, .set_count = count};
    study_load_files(&plain, dir->sweep->base, &overrides, &ignored);
    struct inputs now = {.against = &dir->sweep->inputs};
    inputs_add_files(&now, &plain);
    bool same_models = has_same_models(dir->sweep, &plain.scenario);
    const struct manifest_origin origin = {"sweep",
                                           options->words.at,
                                           &plain.scenario,
                                           same_models ? &plain.model_tree : NULL,
                                           &dir->sweep->inputs,
                                           NULL};
    int r = now.failure.code;
    if (r < 0)
        *reterr = now.failure;
    else
        r = sweep_dir_write_manifest(dir, &origin, counts, notes, reterr);
    inputs_finish(&now);
    study_finish(&plain);
    problems_finish(&ignored);
    arena_finish(&arena);
    return r;
}

static int tabulate_points(const struct options *options, struct sweep_dir *dir) {
    struct sweep_counts counts;
    struct error error = {0};
    struct figures figures;
    struct findings found = {0};
    struct notes notes = {.sources = 0};
    cJSON *warnings = cJSON_CreateArray();
    int code = EXIT_DONE;
    figures_init(&figures, dir->claims);
    if (sweep_dir_look(dir, &error) == 0 &&
        sweep_dir_merge(dir, &figures, &counts, &notes, warnings, &error) == 0) {
        findings_find(&found, &figures);
        code = sweep_dir_write_findings(dir, &found, &error) == 0 &&
                       write_sweep_manifest(options, dir, &counts, &notes, &error) == 0
                   ? print_totals(options, dir, &counts, &found, &notes, warnings)
                   : EXIT_DONE;
    }
    figures_finish(&figures);
    findings_finish(&found);
    notes_finish(&notes);
    cJSON_Delete(warnings);
    if (error.code < 0 || code != EXIT_DONE)
        return error.code < 0 ? cli_report_error(&error) : code;
    if (counts.failed > 0)
        cli_say("easim: %zu runs failed: %s/failures.csv says why\n", counts.failed, dir->path);
    name_missing(dir, counts.missing);
    return counts.failed + counts.missing > 0 ? EXIT_RUN_FAILED : EXIT_DONE;
}

/* One after the other: sweeps that share a folder may differ. */
static int join_points(const struct options *options, struct sweep_dir *dir) {
    struct folder_lock *lock = NULL;
    struct error error = {0};
    if (folder_lock_take(dir->path, JOIN_WAIT_S, &lock, &error) < 0)
        return cli_report_error(&error);
    int code = tabulate_points(options, dir);
    folder_lock_release(lock);
    return code;
}

/* The exit code of a shard: whether a point of it has failed, now or when it was run before. */
static int shard_code(const struct options *options, struct sweep_dir *dir) {
    struct error error = {0};
    if (sweep_dir_look(dir, &error) < 0)
        return cli_report_error(&error);
    for (size_t p = 0; p < dir->sweep->count; p++)
        if (sweep_shard_has(&options->shard, p) && sweep_dir_state(dir, p) == SWEEP_FAILED)
            return EXIT_RUN_FAILED;
    return EXIT_DONE;
}

/* No failure of the point, which the next call runs again. */
static void tell_lost_point(void *context, size_t point, const char *failure) {
    const struct sweep_dir *dir = context;
    cli_say("easim: run %016llx, tried twice: %s\n",
            (unsigned long long)dir->sweep->points[point].id, failure);
}

static int run_points(const struct options *options, struct sweep_dir *dir) {
    size_t *points = mem_zalloc(dir->sweep->count, sizeof *points);
    const struct sweep_resume resume = resume_of(options, dir);
    size_t count = sweep_resume_points(&resume, points);
    struct error error = {0};
    if (count > 0)
        sweep_dir_forget(dir);
    struct sweep_run all = {.sweep = dir->sweep,
                            .points = points,
                            .count = count,
                            .readers = ingest_readers,
                            .how = run_args_options(options),
                            .sink = sweep_dir_sink(dir),
                            .lost = tell_lost_point};
    struct progress_line *progress =
        progress_line_start(options, (uint32_t)count, "runs", NULL, &all.how);
    int r = sweep_run(&all, &error);
    progress_line_stop(progress);
    free(points);
    if (r < 0)
        return cli_report_error(&error);
    return options->shard.of > 0 ? shard_code(options, dir) : join_points(options, dir);
}

static int hand_over_points(const struct options *options, struct sweep_dir *dir) {
    struct sweep_tasks tasks = {.file = options->operands[0],
                                .folder = dir->path,
                                .count = options->tasks,
                                .sbatch = options->sbatch,
                                .run_timeout = option_given(options, "run-timeout"),
                                .decision_timeout = option_given(options, "decision-timeout"),
                                .retry_failed = options->retry_failed};
    struct error error = {0};
    const struct sweep_resume resume = resume_of(options, dir);
    bool *wanted = mem_zalloc(options->tasks, sizeof *wanted);
    bool any = sweep_resume_shards(&resume, options->tasks, wanted);
    tasks.wanted = wanted;
    int code;
    if (!any)
        code = join_points(options, dir);
    else if ((options->engine == ENGINE_SLURM ? sweep_engine_slurm
                                              : sweep_engine_parallel)(&tasks, &error) < 0)
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
    bool announce; /* say how long it will take, if it will not end soon */
};

static void load_first(void *context, size_t task, struct crash_context *crash, struct str *out) {
    const struct first *first = context;
    struct study study = {.drawn = NULL};
    struct problems problems = {0};
    (void)crash;
    if (sweep_is_foreign(first->sweep, &problems) ||
        sweep_study(first->sweep, task, ingest_readers, &study, &problems) < 0) {
        problems_end(&problems);
        for (size_t i = 0; i < problems.kept; i++)
            str_add_bytes(out, problems.texts[i], strlen(problems.texts[i]) + 1);
    } else if (first->announce)
        progress_line_announce(&study, "first point: ");
}

/* A policy that crashes when it is loaded is no problem of the input, but the failure of the runs
 * that load it. */
static int keep_problems(void *context, size_t task, struct slice result, const char *failure) {
    const struct first *first = context;
    (void)task, (void)failure;
    for (size_t at = 0; at < result.length; at += strlen(result.at + at) + 1)
        problems_say(first->problems, "%s", result.at + at);
    return 0;
}

static int check_first(const struct sweep *sweep, const struct options *options,
                       struct problems *problems, struct error *reterr) {
    bool runs = options->engine == ENGINE_LOCAL && !options->merge && !options->list;
    struct first first = {sweep, problems, runs && !options->quiet};
    const struct replicate_options how = run_args_options(options);
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

static int sweep_points(const struct options *options, const struct sweep *s,
                        const struct claims *claims) {
    struct arena arena = {0};
    struct error error = {0};
    struct sweep_dir dir = {
        .path = options->out ? options->out : arena_printf(&arena, "results/%s/sweep", s->name),
        .sweep = s,
        .claims = claims};
    int code;
    dir.writer.folder = dir.runs = arena_printf(&arena, "%s/runs", dir.path);
    if ((!options->list && sweep_dir_open(&dir, &error) < 0) ||
        (options->force && sweep_dir_clear(&dir, &error) < 0) || sweep_dir_look(&dir, &error) < 0)
        code = cli_report_error(&error);
    else if (options->list)
        code = list_points(options, &dir);
    else if (options->merge)
        code = join_points(options, &dir);
    else
        code = options->engine == ENGINE_LOCAL ? run_points(options, &dir)
                                               : hand_over_points(options, &dir);
    sweep_dir_finish(&dir);
    arena_finish(&arena);
    return code;
}

int cli_sweep(struct options *options) {
    struct problems problems = {0};
    struct sweep s = {0};
    struct claims claims = {0};
    struct error error = {0};
    run_args_catch_interrupts();
    bool good = sweep_load(&s, options->operands[0], &problems) == 0;
    struct scenario_overrides overrides = {.policy = NULL};
    scenario_args_trust(options, &overrides);
    s.trust = overrides.trust;
    s.foreign = overrides.foreign;
    if (good) {
        good = claims_load(&claims, &s, &problems) == 0;
        good = check_first(&s, options, &problems, &error) == 0 && good;
    }
    int code = good                 ? sweep_points(options, &s, &claims)
               : problems.count > 0 ? cli_report_problems(&problems)
                                    : cli_report_error(&error);
    for (size_t i = 0; good && !options->merge && !options->list && i < s.policies.count; i++)
        if (!module_is_own(s.policies.at[i]))
            run_args_advise_on(options,
                               arena_printf(&options->arena, "policy %s", s.policies.at[i]));
    claims_finish(&claims);
    sweep_finish(&s);
    problems_finish(&problems);
    return code;
}
