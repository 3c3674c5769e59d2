/* easim explain: what became of one job, and why. */
#include "base/units.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "insight/explanation/repetition.h"
#include "output/explanation/explanation.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* The run once more, or why that cannot be. */
struct repeated_run {
    struct again again;
    struct study study;
    struct moments moments;
    struct regret what_if;
    struct decision_wish wish;
    uint32_t job;
};

/* Fills in the moments, or the reason. Negative: the machine failed, which is no reason. */
static int repeat_run(struct repeated_run *a, const struct recorded_args *args, uint32_t job,
                      struct error *reterr) {
    struct arena *arena = &a->again.options->arena;
    const struct scenario_overrides as_it_was = {.policy = NULL};
    const struct study_loader loader = again_loader(&a->again);
    struct problems problems = CLI_PROBLEMS;
    struct error error = {0};
    const char **reason = &a->again.reason;
    if (!*reason && loader.load(loader.context, &as_it_was, &a->study, &problems) < 0)
        *reason = arena_printf(arena, "its scenario cannot be loaded: %s",
                               problems.count > 0 ? problems.texts[0] : "it has problems");
    if (!*reason && repetition_run(&a->study, &args->run, job, &a->moments, &error) < 0)
        *reason = arena_strdup(arena, error.text);
    if (*reason && !a->again.foreign)
        *reason = arena_printf(arena, "%c%s.", toupper((unsigned char)**reason), *reason + 1);
    problems_finish(&problems);
    return error.code == ERROR_MACHINE ? error_set(reterr, error.code, "%s", error.text) : 0;
}

/* ---- What if ---- */

/* "4 h100": k and the GPU type. */
static bool find_wish(struct repeated_run *a, const char *text) {
    const struct cluster *cluster = &a->study.cluster;
    char *end;
    unsigned long k = strtoul(text, &end, 10);
    uint32_t h = 0;
    if (end == text || k == 0 || k > UINT32_MAX || *end != ' ')
        return false;
    while (h < cluster->gpu_type_count && strcmp(cluster->gpu_types[h].name, end + 1) != 0)
        h++;
    a->wish = (struct decision_wish){.k = (uint32_t)k, .gpu_type = h};
    return h < cluster->gpu_type_count;
}

static int read_wish(struct repeated_run *a, struct error *reterr) {
    const char *text = a->again.options->what_if;
    if (strcmp(text, "all") == 0)
        return 0;
    a->what_if.wish = &a->wish;
    a->wish.waits = strcmp(text, "wait") == 0;
    if (a->wish.waits || find_wish(a, text))
        return 0;
    return error_set(
        reterr, ERROR_INPUT,
        "--what-if: expected all, wait, or a number of GPUs and their type, as \"4 %s\", "
        "got \"%.80s\"",
        a->study.cluster.gpu_types[0].name, text);
}

/* Of the run that could be repeated. */
static int ask_what_if(struct repeated_run *a, const struct recorded_args *args,
                       struct error *reterr) {
    const struct replicate_options how = run_args_options(a->again.options);
    a->what_if = (struct regret){.study = &a->study,
                                 .how = &how,
                                 .by = REGRET_JCT,
                                 .job = args->run.workload.jobs.at[a->job].id,
                                 .only = args->run.part->replication};
    int r = read_wish(a, reterr);
    if (r == 0) {
        run_args_catch_interrupts();
        r = regret_run(&a->what_if, reterr);
    }
    a->what_if.how = NULL;
    return r;
}

/* ---- The explanation ---- */

static int refuse_job(const struct recorded_args *args, struct options *options,
                      struct error *reterr) {
    const struct recorded_run *run = &args->run;
    const char **names = mem_alloc((run->workload.jobs.count + 1) * sizeof *names);
    const char *id = options->operands[1];
    size_t count = 0;
    for (uint32_t j = 0; j < run->workload.jobs.count; j++)
        if (j < run->part->jobs_submitted || recorded_run_is_replica(run, j))
            names[count++] = run->workload.jobs.at[j].id;
    const char *suggestion = str_suggestion(&options->arena, id, names, count);
    int r = error_set(reterr, ERROR_INPUT, "%s: no job \"%s\" was submitted (%s)%s",
                      args->folder.path, id, recorded_args_name(args, &options->arena), suggestion);
    free(names);
    return r;
}

/* Of a submitted job; NAN: it has none. */
static double figure_of(const struct recorded_run *run, uint32_t job, enum explained by) {
    const struct recorded_job *j = &run->jobs[job];
    const struct job_spec *spec = &run->workload.jobs.at[job];
    int64_t end_ns = j->finish_ns >= 0 ? j->finish_ns : run->part->end_ns;
    if (by == EXPLAIN_WAIT)
        return j->segment_count == 0
                   ? NAN
                   : units_s((j->start_ns >= 0 ? j->start_ns : end_ns) - spec->submit_ns);
    if (by == EXPLAIN_LATENESS)
        return spec->deadline_ns == TIME_NONE_NS ? NAN : units_s(end_ns - spec->deadline_ns);
    return by == EXPLAIN_ENERGY ? power_j(j->energy) : j->preemptions;
}

/* Of equals the one that was submitted first; EASIM_NONE: no job has more than nothing of it. */
static uint32_t choose_job(const struct recorded_run *run, enum explained by) {
    uint32_t best = EASIM_NONE;
    double most = 0;
    for (uint32_t j = 0; j < run->part->jobs_submitted; j++) {
        double figure = figure_of(run, j, by);
        if (figure > most) {
            most = figure;
            best = j;
        }
    }
    return best;
}

/* The job by its id, or by an option; EASIM_NONE: it was not submitted. Negative: refused. */
static int find_job(const struct recorded_args *args, struct options *options, uint32_t *ret_job,
                    struct error *reterr) {
    static const char *const nothing[] = {"no job waited", "no job drew energy",
                                          "no job missed a deadline", "no job was preempted"};
    int by = 0;
    while (by < EXPLAINED && !options->explained_by[by])
        by++;
    if (by == EXPLAINED) {
        *ret_job = recorded_run_find_job(&args->run, options->operands[1]);
        return 0;
    }
    *ret_job = choose_job(&args->run, (enum explained)by);
    return *ret_job != EASIM_NONE
               ? 0
               : error_set(reterr, ERROR_INPUT, "%s: %s (%s)", args->folder.path, nothing[by],
                           recorded_args_name(args, &options->arena));
}

/* Nobody but its service decides on a replica: the record alone tells. */
static int explain_replica(struct options *options, const struct recorded_args *args, uint32_t job,
                           struct error *reterr) {
    struct replica_explanation explanation;
    struct str text = {0};
    int r;
    if (options->what_if)
        return error_set(reterr, ERROR_INPUT,
                         "--what-if: %s is a replica of a service: no policy decided on it",
                         options->operands[1]);
    replica_explanation_init(&explanation, &args->run, job);
    if (options->explanation_format == EXPLAIN_JSON) {
        replica_json(&explanation, &text);
        r = cli_print(&text, reterr);
    } else {
        replica_text(&explanation, &text);
        explanation_add_source(&text, &args->run, recorded_args_name(args, &options->arena));
        r = cli_print_lines(&text, reterr);
    }
    replica_explanation_finish(&explanation);
    str_finish(&text);
    return r;
}

static int print_explanation(struct options *options, const struct recorded_args *args,
                             const struct explanation *explanation, struct error *reterr) {
    struct str text = {0};
    int r;
    if (options->explanation_format == EXPLAIN_JSON) {
        explanation_json(explanation, &text);
        r = cli_print(&text, reterr);
    } else {
        explanation_text(explanation, &text);
        explanation_add_source(&text, &args->run, recorded_args_name(args, &options->arena));
        r = cli_print_lines(&text, reterr);
    }
    str_finish(&text);
    return r;
}

static int explain_job(struct options *options, const struct recorded_args *args,
                       struct error *reterr) {
    uint32_t job;
    if (find_job(args, options, &job, reterr) < 0)
        return ERROR_INPUT;
    if (job != EASIM_NONE && recorded_run_is_replica(&args->run, job))
        return explain_replica(options, args, job, reterr);
    if (job == EASIM_NONE || job >= args->run.part->jobs_submitted)
        return refuse_job(args, options, reterr);
    struct repeated_run again = {.study = {.drawn = NULL}, .job = job};
    struct explanation explanation;
    again_init(&again.again, options, &args->run);
    int r = repeat_run(&again, args, job, reterr);
    if (r == 0 && options->what_if && again.again.foreign)
        r = again_refuse_foreign(&again.again, reterr);
    else if (r == 0 && options->what_if && !again.again.reason)
        r = ask_what_if(&again, args, reterr);
    else if (r == 0 && options->what_if)
        r = error_set(reterr, ERROR_INPUT,
                      "--what-if: the run cannot be repeated, so nothing else can be tried: %s",
                      again.again.reason);
    if (r == 0) {
        explanation_init(&explanation, &args->run, job, again.again.reason ? NULL : &again.moments,
                         again.again.reason);
        explanation.may_be_repeated = again.again.foreign != NULL;
        explanation.what_if = options->what_if ? &again.what_if : NULL;
        r = print_explanation(options, args, &explanation, reterr);
        explanation_finish(&explanation);
    }
    regret_finish(&again.what_if);
    moments_finish(&again.moments);
    study_finish(&again.study);
    again_finish(&again.again);
    return r;
}

int cli_explain(struct options *options) {
    struct recorded_args args = {.folder = {0}};
    struct error error = {0};
    bool by_figure = false;
    for (int by = 0; by < EXPLAINED; by++)
        by_figure = by_figure || options->explained_by[by];
    if (by_figure == (options->operand_count > 1))
        options_refuse(options, "expected either JOB or one of --longest-wait, --most-energy, "
                                "--latest, --most-preempted");
    int r = recorded_args_load(&args, options, &error);
    if (r == 0)
        r = explain_job(options, &args, &error);
    recorded_args_finish(&args);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}
