/* easim init: a folder with a small study that runs, of an example or of the person's own profile
   and log. Models come from easim calibrate itself. */
#include "calibrate/profile_table.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "init_texts.h"
#include "io/atomic_file.h"
#include "io/csv.h"
#include "io/files.h"
#include "io/json_text.h"
#include "output/run/run_dir.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#define MOST_K     16 /* GPUs of the cluster, of each type */
#define MOST_BYTES ((size_t)1 << 30)

/* Jobs of the example take 71 % of 16 GPUs. That without work is rigid: 4 GPUs for 3 hours. */
enum { JOB_COUNT = 20 };
static const int submit_tenths_h[JOB_COUNT] = {0,  2,  4,  6,  8,  10, 13,  16,  50,  52,
                                               54, 56, 58, 60, 63, 66, 120, 123, 126, 130};
static const int gpu_h[JOB_COUNT] = {9,  3, 12, 5, 2, 14, 6,  4, 0, 8,
                                     10, 3, 16, 5, 7, 2,  11, 6, 9, 4};
static const int deadline_h[JOB_COUNT] = {
    [2] = 9,  [4] = 3,  [7] = 5, [10] = 8,
    [13] = 6, [15] = 2, [17] = 7}; /* after the submission; 0: none */

static void write_jobs(const struct profile_table *profile, struct str *out) {
    str_add(out, "job_id,submit_s,user,model,work_samples,gpus,duration_s,deadline_s\n");
    for (int i = 0; i < JOB_COUNT; i++) {
        const int submit_s = submit_tenths_h[i] * 360;
        const struct profile_point *p = profile->groups.at[(size_t)i % profile->groups.count].rows;
        str_addf(out, "%d,%d,user%d,", i + 1, submit_s, i % 3 + 1);
        if (gpu_h[i] > 0)
            csv_add_text(out, p->model);
        if (gpu_h[i] > 0)
            str_addf(out, ",%.0f,,,", ceil(gpu_h[i] * 3600 * p->throughput_samples_s / p->k));
        else
            str_add(out, ",,4,10800,");
        if (deadline_h[i] > 0)
            str_addf(out, "%d", submit_s + deadline_h[i] * 3600);
        str_add_char(out, '\n');
    }
}

/* The k at which all groups were measured, so that no start is outside. */
static void list_k(const struct profile_table *profile, struct str *out) {
    for (uint32_t k = 1; k <= MOST_K; k++) {
        size_t groups = 0;
        for (size_t g = 0; g < profile->groups.count; g++) {
            const struct profile_group *group = &profile->groups.at[g];
            size_t i = 0;
            while (i < group->count && group->rows[i].k != k)
                i++;
            groups += i < group->count;
        }
        if (groups > 0 && groups == profile->groups.count)
            str_addf(out, "%s%u", out->length > 0 ? ", " : "", k);
    }
}

static void write_scenario(const struct profile_table *profile, struct str *out) {
    struct str nodes = {0}, name = {0}, ks = {0};
    list_k(profile, &ks);
    str_add(out, TEXT_INIT_BEGIN);
    str_add(&nodes, "  nodes:\n");
    for (size_t g = 0; g < profile->groups.count; g++) {
        const char *gpu = profile->groups.at[g].gpu;
        double most_w = 0;
        size_t first = profile->groups.count;
        for (size_t i = profile->groups.count; i-- > 0;)
            first = strcmp(profile->groups.at[i].gpu, gpu) == 0 ? i : first;
        for (size_t i = 0; i < profile->rows.count; i++)
            if (strcmp(profile->rows.at[i].gpu, gpu) == 0)
                most_w =
                    fmax(most_w, fmax(profile->rows.at[i].limit_w, profile->rows.at[i].power_w));
        most_w = most_w > 0 ? ceil(most_w) : 400;
        name.length = 0;
        json_write_text(&name, gpu);
        if (first == g)
            str_addf(out, "    - {name: %s, idle_w: %.0f, tdp_w: %.0f}\n", name.text, most_w / 8,
                     most_w);
        if (first == g)
            str_addf(&nodes, "    - {count: 2, gpu: %s, gpus: 8, base_w: 400}\n", name.text);
    }
    str_addf(out, "%s" TEXT_INIT_END, nodes.text, ks.text, ks.text);
    str_finish(&nodes);
    str_finish(&name);
    str_finish(&ks);
}

/* Another command of easim, in the folder. Returns an exit code. */
static int run_here(enum command command, int (*run)(struct options *options), int count,
                    char **words) {
    struct options options;
    options_parse(&options, command, count, words);
    options.quiet = true;
    int code = run(&options);
    options_finish(&options);
    return code;
}

static int write_here(const char *name, const struct str *text, struct error *reterr) {
    return atomic_file_write_alone(name, text->text, text->length, reterr);
}

/* What the person has; the log may be empty. Negative after a problem or an error. */
static int read_own(const struct options *options, struct profile_table *profile, struct str *text,
                    struct str *log, struct problems *problems, struct error *reterr) {
    struct str ks = {0};
    if (options->jobs && files_read(options->jobs, MOST_BYTES, log, reterr) < 0)
        return reterr->code;
    if (!options->from) {
        str_add(text, TEXT_INIT_PROFILE);
        return 0;
    }
    if (files_read(options->from, MOST_BYTES, text, reterr) < 0 ||
        profile_table_load(profile, options->from, problems) < 0)
        return ERROR_INPUT;
    list_k(profile, &ks);
    int r = ks.length > 0 ? 0 : ERROR_INPUT;
    str_finish(&ks);
    return r == 0 ? 0
                  : error_set(reterr, r,
                              "%s: expected a k of 1..%d at which the throughput of every "
                              "model was measured on each of its GPU types, got none",
                              options->from, MOST_K);
}

/* In the folder. Models come last, of what is there. */
static int write_files(const struct options *options, struct profile_table *profile,
                       struct str *text, struct str *log, struct problems *problems,
                       struct error *reterr) {
    struct str scenario = {0}, readme = {0};
    int r = write_here("profile.csv", text, reterr);
    if (r == 0 && !options->from)
        r = profile_table_load(profile, "profile.csv", problems);
    if (r == 0 && !options->jobs)
        write_jobs(profile, log);
    if (r == 0) {
        write_scenario(profile, &scenario);
        str_add(&readme, "# A first study\n\n" TEXT_INIT_COMMANDS TEXT_INIT_README);
        r = write_here("jobs.csv", log, reterr);
    }
    if (r == 0)
        r = write_here("scenario.yaml", &scenario, reterr);
    if (r == 0)
        r = write_here("README.md", &readme, reterr);
    str_finish(&scenario);
    str_finish(&readme);
    return r;
}

int cli_init(struct options *options) {
    const char *folder = options->operand_count > 0 ? options->operands[0] : "easim-study";
    struct profile_table profile = {0};
    struct str text = {0}, log = {0}, shown = {0};
    struct error error = {0};
    int code = EXIT_DONE, r = run_dir_is_empty(folder, &error);
    if (r == 0)
        r = error_set(&error, ERROR_INPUT, "%s: the folder is not empty", folder);
    else if (r > 0)
        r = read_own(options, &profile, &text, &log, &options->problems, &error);
    if (r == 0)
        r = files_make_folders(folder, &error);
    if (r == 0 && chdir(folder) < 0)
        r = error_set(&error, ERROR_IO, "%s: %s", folder, strerror(errno));
    if (r == 0)
        r = write_files(options, &profile, &text, &log, &options->problems, &error);
    if (r < 0)
        code = error.code < 0 ? cli_report_error(&error) : cli_report_problems(&options->problems);
    if (r == 0)
        code = run_here(COMMAND_CALIBRATE, cli_calibrate, 3,
                        (char *[]){"easim calibrate", "profile.csv", "--output=models.yaml", NULL});
    if (code == EXIT_DONE)
        code =
            run_here(COMMAND_CHECK, cli_check, 2, (char *[]){"easim check", "scenario.yaml", NULL});
    str_addf(&shown, "\nIn %s:\n\n" TEXT_INIT_COMMANDS, folder);
    if (code == EXIT_DONE)
        cli_show_lines(&shown);
    str_finish(&shown);
    str_finish(&text);
    str_finish(&log);
    profile_table_finish(&profile);
    return code;
}
