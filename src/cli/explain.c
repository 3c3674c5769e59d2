/* easim explain: one job's story. */
#include "cli/cli.h"
#include "cli/recorded_args.h"
#include "cli/run_args.h"
#include "easim_version.h"
#include "ingest/logs/log_readers.h"
#include "insight/story/repetition.h"
#include "io/sha256.h"
#include "output/manifest.h"
#include "output/story/replica_text.h"
#include "output/story/story_json.h"
#include "output/story/story_text.h"
#include "study/recorded.h"
#include "study/study_load.h"

#include <stdlib.h>
#include <string.h>

/* What it takes to repeat the run of a folder, or why that cannot be. */
struct again {
    struct options *options;
    struct recorded recorded;
    struct study study;
    struct moments moments;
    const char *reason; /* why not; NULL so far */
    struct regret what_if;
    struct trunk_wish wish;
};

/* ---- The inputs ---- */

static bool is_same_file(const char *path, const char *sha256) {
    char now[SHA256_TEXT];
    uint64_t bytes;
    struct error ignored = {0};
    return sha256 && sha256_file(path, now, &bytes, &ignored) == 0 && strcmp(now, sha256) == 0;
}

/* The policy where it was, else where one of its name is found now. */
static bool find_policy(struct again *a, const struct recorded_file *file) {
    struct str found = {0};
    const char *path = file->path;
    if (!is_same_file(path, file->sha256) && module_find(file->policy, &found))
        path = arena_strdup(&a->options->arena, found.text);
    str_finish(&found);
    const char *slash = strrchr(path, '/'), *usual = getenv("EASIM_POLICY_PATH");
    if (!is_same_file(path, file->sha256))
        return false;
    const char *folders =
        arena_printf(&a->options->arena, "%.*s%s%s", slash ? (int)(slash - path) : 1,
                     slash ? path : ".", usual ? ":" : "", usual ? usual : "");
    return setenv("EASIM_POLICY_PATH", folders, 1) == 0;
}

/* scenario.yaml holds the rest, and was checked with the folder. */
static void check_inputs(struct again *a) {
    for (const struct recorded_file *file = a->recorded.inputs; file->name && !a->reason; file++)
        if (!file->in_scenario &&
            !(file->policy ? find_policy(a, file) : is_same_file(file->path, file->sha256)))
            a->reason = arena_printf(&a->options->arena,
                                     "Its input %s is missing, or is not what it was.", file->path);
}

static void check_version(struct again *a) {
    const struct recorded *recorded = &a->recorded;
    if (strcmp(recorded->version, EASIM_VERSION) != 0 ||
        strcmp(recorded->commit, EASIM_COMMIT) != 0)
        a->reason = arena_printf(&a->options->arena,
                                 "It was recorded by easim %s (%s), and this is %s (%s).",
                                 recorded->version, recorded->commit, EASIM_VERSION, EASIM_COMMIT);
}

/* ---- The repetition ---- */

static void load_study(struct again *a, const char *folder) {
    struct problems problems = CLI_PROBLEMS;
    const struct scenario_overrides overrides = {.policy = NULL};
    if (a->recorded.data_folder)
        setenv("EASIM_DATA", a->recorded.data_folder, 1);
    if (study_load(&a->study, arena_printf(&a->options->arena, "%s/" SCENARIO_NAME, folder),
                   &overrides, ingest_readers, &problems) < 0)
        a->reason = arena_printf(&a->options->arena, "Its scenario cannot be loaded: %s.",
                                 problems.count > 0 ? problems.texts[0] : "it has problems");
    problems_finish(&problems);
}

/* Fills in the moments, or the reason. */
static void repeat_run(struct again *a, const struct recorded_args *args, uint32_t job) {
    struct arena *arena = &a->options->arena;
    const char *folder = recorded_folder_of_policy(&args->folder, args->run.part, arena);
    struct error error = {0};
    if (recorded_load(&a->recorded, arena_printf(arena, "%s/" MANIFEST_NAME, folder), &error) < 0)
        a->reason = arena_printf(arena, "%s.", error.text);
    if (!a->reason)
        check_version(a);
    if (!a->reason)
        check_inputs(a);
    if (!a->reason)
        load_study(a, folder);
    if (!a->reason && repetition_run(&a->study, &args->run, job, &a->moments, &error) < 0)
        a->reason = arena_printf(arena, "%s.", error.text);
}

/* ---- What if ---- */

/* "4 h100": k and the GPU type. */
static bool find_wish(struct again *a, const char *text) {
    const struct cluster *cluster = &a->study.cluster;
    char *end;
    unsigned long k = strtoul(text, &end, 10);
    uint32_t h = 0;
    if (end == text || k == 0 || k > UINT32_MAX || *end != ' ')
        return false;
    while (h < cluster->gpu_type_count && strcmp(cluster->gpu_types[h].name, end + 1) != 0)
        h++;
    a->wish = (struct trunk_wish){.k = (uint32_t)k, .gpu_type = h};
    return h < cluster->gpu_type_count;
}

static int read_wish(struct again *a, struct error *reterr) {
    const char *text = a->options->what_if;
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
static int ask_what_if(struct again *a, const struct recorded_args *args, struct error *reterr) {
    const struct replicate_options how = run_args_options(a->options);
    a->what_if = (struct regret){.study = &a->study,
                                 .how = &how,
                                 .by = REGRET_JCT,
                                 .job = a->options->operands[1],
                                 .only = args->run.part->replication};
    int r = read_wish(a, reterr);
    if (r == 0) {
        run_args_catch_interrupts();
        r = regret_run(&a->what_if, reterr);
    }
    a->what_if.how = NULL;
    return r;
}

/* ---- The story ---- */

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

/* Nobody but its service decides on a replica: the record alone tells. */
static int explain_replica(struct options *options, const struct recorded_args *args, uint32_t job,
                           struct error *reterr) {
    struct replica_story story;
    struct str text = {0};
    int r;
    if (options->what_if)
        return error_set(reterr, ERROR_INPUT,
                         "--what-if: %s is a replica of a service: no policy decided on it",
                         options->operands[1]);
    replica_story_init(&story, &args->run, job);
    if (options->story_format == STORY_JSON) {
        replica_json(&story, &text);
        r = cli_print(&text, reterr);
    } else {
        replica_text(&story, &text);
        str_addf(&text, "\n(%s)\n", recorded_args_name(args, &options->arena));
        r = cli_print_lines(&text, reterr);
    }
    replica_story_finish(&story);
    str_finish(&text);
    return r;
}

static int print_story(struct options *options, const struct recorded_args *args,
                       const struct story *story, struct error *reterr) {
    struct str text = {0};
    int r;
    if (options->story_format == STORY_JSON) {
        story_json(story, &text);
        r = cli_print(&text, reterr);
    } else {
        story_text(story, &text);
        str_addf(&text, "\n(%s)\n", recorded_args_name(args, &options->arena));
        r = cli_print_lines(&text, reterr);
    }
    str_finish(&text);
    return r;
}

static int explain_job(struct options *options, const struct recorded_args *args,
                       struct error *reterr) {
    uint32_t job = recorded_run_find_job(&args->run, options->operands[1]);
    if (job != EASIM_NONE && recorded_run_is_replica(&args->run, job))
        return explain_replica(options, args, job, reterr);
    if (job == EASIM_NONE || job >= args->run.part->jobs_submitted)
        return refuse_job(args, options, reterr);
    struct again again = {.options = options};
    struct story story;
    int r = 0;
    repeat_run(&again, args, job);
    if (options->what_if && !again.reason)
        r = ask_what_if(&again, args, reterr);
    else if (options->what_if)
        r = error_set(reterr, ERROR_INPUT,
                      "--what-if: the run cannot be repeated, so nothing else can be tried: %s",
                      again.reason);
    if (r == 0) {
        story_init(&story, &args->run, job, again.reason ? NULL : &again.moments, again.reason);
        story.what_if = options->what_if ? &again.what_if : NULL;
        r = print_story(options, args, &story, reterr);
        story_finish(&story);
    }
    regret_finish(&again.what_if);
    moments_finish(&again.moments);
    study_finish(&again.study);
    recorded_finish(&again.recorded);
    return r;
}

int cli_explain(struct options *options) {
    struct recorded_args args = {.folder = {0}};
    struct error error = {0};
    int r = recorded_args_load(&args, options, &error);
    if (r == 0)
        r = explain_job(options, &args, &error);
    recorded_args_finish(&args);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}
