/* Running of several policies: see contenders.h. */
#include "cli/contenders.h"

#include "cli/cli.h"
#include "cli/progress_line.h"
#include "config/policy_text.h"
#include "ingest/logs/log_readers.h"
#include "study/study_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Moves the problems of one load over, without those that an earlier policy had too. */
static void add_new_problems(struct problems *all, struct problems *more) {
    problems_end(more);
    for (size_t i = 0; i < more->kept; i++) {
        bool known = false;
        for (size_t j = 0; j < all->kept && !known; j++)
            known = strcmp(all->texts[j], more->texts[i]) == 0;
        if (!known)
            problems_add(all, (struct location){0}, NULL, "%s", more->texts[i]);
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

static void try_policy(void *context, size_t task, struct trail *trail, struct str *out) {
    const struct study *study = &((const struct contenders *)context)->at[task].study;
    struct error error = {0};
    trail_policy(trail, &study->module);
    if (replicate_try(study, &error) < 0)
        str_add(out, error.text);
}

/* A policy that crashes here has not refused: it is run, and counts as failed when it crashes
 * there.
 */
static int keep_refusal(void *context, size_t task, struct slice result, const char *failure) {
    struct contender *c = &((struct contenders *)context)->at[task];
    if (failure || result.length == 0 || c->asked_for)
        return 0;
    c->failed = c->left_out = true;
    c->refusal = arena_strndup(&c->study.arena, result.at, result.length);
    return 0;
}

int contenders_leave_out(struct contenders *all, const struct options *options,
                         struct error *reterr) {
    const struct replicate_options how = run_args_options(options);
    const struct isolated tries = {.count = all->count,
                                   .processes = how.processes,
                                   .limit_s = how.limit_s,
                                   .cancel = how.cancel,
                                   .context = all,
                                   .work = try_policy,
                                   .done = keep_refusal};
    int r = isolated_run(&tries, reterr);
    for (size_t i = 0; i < all->count && !options->quiet; i++)
        if (all->at[i].left_out)
            cli_say("easim compare: %s is left out: %s\n", all->at[i].study.policy,
                    all->at[i].refusal);
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
            "%s: %u of %u replications of policy %s are finished and kept, as is what was finished before",
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
        options->quiet
            ? NULL
            : progress_line_start(missing, "replications",
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
