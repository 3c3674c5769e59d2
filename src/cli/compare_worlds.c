/* Draws the worlds of `easim compare` before any run, and runs them after the central physics. */
#include "cli/internal.h"

#include "cli/cli.h"
#include "experiment/worlds/worlds.h"
#include "ingest/formats.h"

#include <stdlib.h>

int compare_worlds_draw(struct compare_worlds *w, const struct compare_args *args,
                        const struct contenders *clean, struct problems *problems) {
    const struct study *central = &clean->at[args->baseline].study;
    if (worlds_are_plain(&central->scenario.uncertainty))
        return 0;
    w->worlds.central = central;
    w->worlds.source = (struct world_source){args->options->operands[0],
                                             compare_args_overrides(args), ingest_readers};
    w->worlds.source.overrides.policy = args->policies.at[args->baseline];
    return worlds_draw(&w->worlds, problems);
}

/* Failures by policy and reason, one line each; an interruption with how many worlds are whole. */
static int report_worlds(const struct compare_worlds *w, const struct error *error) {
    struct error line = {0};
    struct str text = {0};
    int code = EXIT_DONE;
    for (size_t i = 0; i < w->outcome.failures.entries.count; i++) {
        const struct tally_entry *e = &w->outcome.failures.entries.at[i];
        error_set(&line, ERROR_RUN, "in %llu world%s, policy %s", (unsigned long long)e->count,
                  e->count > 1 ? "s" : "", e->reason);
        code = cli_report_error(&line);
    }
    if (error->code == 0)
        return code;
    str_addf(&text, "%s: %u of %u worlds are finished and kept", error->text, w->outcome.finished,
             w->results.worlds);
    if (w->results.sets > 1)
        str_addf(&text, ", and %zu of %zu for the shares of the groups", w->outcome.changed,
                 (w->results.sets - 1) * w->results.worlds);
    error_set(&line, error->code, "%s", text.text);
    str_finish(&text);
    return cli_report_error(&line);
}

int compare_worlds_run(struct compare_worlds *w, const struct compare_args *args,
                       const struct comparison *comparison, const size_t *places) {
    const struct options *options = args->options;
    const struct study *central = w->worlds.central;
    size_t count = comparison->count;
    w->names = mem_zalloc(count, sizeof *w->names);
    w->policies = mem_zalloc(count, sizeof *w->policies);
    for (size_t i = 0; i < count; i++) {
        w->names[i] = comparison->series[i].policy;
        w->policies[i] = args->policies.at[places[i]];
    }
    w->results = (struct world_results){.sets = w->worlds.sets,
                                        .groups = central->scenario.uncertainty.groups,
                                        .worlds = w->worlds.count,
                                        .replications = comparison->replications,
                                        .policies = count,
                                        .policy_names = w->names,
                                        .baseline = comparison->baseline};
    world_results_init(&w->results);
    struct world_run_plan plan = {&w->worlds, w->policies, run_args_options(options)};
    plan.how.alone |= !w->leave_nothing;
    struct error error = {0};
    size_t runs = w->results.sets * w->results.worlds * count * w->results.replications;
    struct progress_line *progress =
        progress_line_start(options, (uint32_t)runs, "runs", NULL, &plan.how);
    int r = world_run(&plan, &w->results, &w->outcome, &error);
    (void)r; /* the error says it */
    progress_line_stop(progress);
    w->run = true;
    variance_table_init(&w->variance, &w->results, (uint64_t)central->scenario.seed);
    return report_worlds(w, &error);
}

/* ---- Notes ---- */

static void say(struct notes *notes, const struct study *study, struct str *text) {
    notes_say(notes, study, text->text);
    text->length = 0;
}

static void add_draw_notes(const struct worlds *worlds, const struct study *study,
                           struct notes *notes) {
    struct str text = {0};
    for (size_t u = 0; u < worlds->units.count; u++) {
        const struct world_unit *unit = &worlds->units.at[u];
        if (unit->redrawn == 0)
            continue;
        str_addf(&text, "uncertainty: %llu draws of %s were outside of its bounds and drawn again",
                 (unsigned long long)unit->redrawn, unit->name);
        if (unit->why)
            str_addf(&text, "; first: %s", unit->why);
        say(notes, study, &text);
    }
    if (worlds->unreached > 0) {
        str_addf(&text, "uncertainty: %llu worlds could not be run and were drawn again; first: %s",
                 (unsigned long long)worlds->unreached, worlds->why_unreached);
        say(notes, study, &text);
    }
    for (size_t i = 0; i < worlds->blocks.without.count; i++)
        str_addf(&text, "%s%s",
                 i > 0 ? ", "
                       : "uncertainty: calibration: without a covariance, nothing is drawn for ",
                 worlds->blocks.without.at[i]);
    if (worlds->central->scenario.uncertainty.calibration && worlds->blocks.at.count == 0 &&
        worlds->blocks.without.count == 0)
        str_add(&text, "uncertainty.calibration: of no effect, no job has a model");
    if (text.length > 0)
        say(notes, study, &text);
    str_finish(&text);
}

/* Jobs that the central physics runs and a world cannot. */
static uint32_t count_rejecting(const struct world_results *results) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < results->worlds; w++) {
        struct world_run run = {.world = w};
        bool any = false;
        for (; run.replication < results->replications; run.replication++)
            for (run.policy = 0; run.policy < results->policies; run.policy++)
                any = any || world_results_value(results, run, SUMMARY_COLUMN(jobs_rejected)) > 0;
        count += any;
    }
    return count;
}

void compare_worlds_add_notes(const struct compare_worlds *w, const struct study *study,
                              struct notes *notes) {
    struct str text = {0};
    uint32_t rejecting = w->run ? count_rejecting(&w->results) : 0;
    add_draw_notes(&w->worlds, study, notes);
    for (size_t i = 0; i < w->outcome.warnings.count; i++) {
        const struct world_remark *remark = &w->outcome.warnings.at[i];
        str_addf(&text, "in %zu of %u worlds: %s", remark->worlds, w->worlds.count, remark->text);
        say(notes, study, &text);
    }
    if (rejecting > 0) {
        str_addf(&text, "in %u of %u worlds some jobs are rejected", rejecting, w->worlds.count);
        say(notes, study, &text);
    }
    str_finish(&text);
}

void compare_worlds_finish(struct compare_worlds *w) {
    if (w->run)
        variance_table_finish(&w->variance);
    world_results_finish(&w->results);
    world_outcome_finish(&w->outcome);
    worlds_finish(&w->worlds);
    free(w->names);
    free(w->policies);
}
