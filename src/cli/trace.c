/* easim trace: what traces of the PyTorch profiler tell. A subcommand is a word in place of the
   first file. */
#include "ingest/trace/trace.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "ingest/trace_edit/trace_edit.h"
#include "io/atomic_file.h"
#include "io/files.h"
#include "output/folders.h"
#include "output/html/report.h"

#include <inttypes.h>

/* --- files of a job --- */

static bool is_trace_name(const char *name) {
    static const char *const ends[] = {".json", ".json.gz", ".json.zst"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length > strlen(ends[i]) && strcmp(name + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

/* The traces of a folder, by name. */
static int add_folder(struct options *options, const char *folder, struct texts *paths) {
    DIR *directory = files_open_folder(folder);
    size_t first = paths->count;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (is_trace_name(entry->d_name))
            array_push(paths, arena_printf(&options->arena, "%s/%s", folder, entry->d_name));
    if (directory)
        closedir(directory);
    if (paths->count == first)
        return problems_say(&options->problems,
                            "%s: expected a folder with traces (.json, .json.gz, .json.zst), got "
                            "none in it",
                            folder);
    sort_array(paths->at + first, paths->count - first, by_text);
    return 0;
}

/* Files as they are, folders as their traces. The caller frees ret_paths->at. */
static int expand(struct options *options, const char *const *given, size_t count,
                  struct texts *ret_paths) {
    int r = 0;
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        if (!files_stat(given[i], &status) || !S_ISDIR(status.st_mode))
            array_push(ret_paths, given[i]);
        else if (add_folder(options, given[i], ret_paths) < 0)
            r = ERROR_INPUT;
    }
    return r;
}

/* --- results --- */

/* Lists of trace.json that are also tables. */
static const char *const tables[][2] = {{"classes.csv", "classes"},
                                        {"time.csv", "time"},
                                        {"kernels.csv", "kernels"},
                                        {"families.csv", "families"},
                                        {"communication.csv", "communication"},
                                        {"patterns.csv", "patterns"},
                                        {"memory_timeline.csv", "memory_timeline"},
                                        {"memory_holders.csv", "memory_holders"}};

#define TABLES (sizeof tables / sizeof *tables)

static int write_folder(const struct options *options, const struct trace_report *report,
                        struct error *reterr) {
    struct text_file files[TABLES + 2] = {{.name = "trace.html"}};
    struct str json = {0};
    figures_write_json(report->figures, &json);
    trace_page(&json, &files[0].text);
    for (size_t i = 0; i < TABLES; i++) {
        const struct figure *list = figures_find(report->figures, tables[i][1]);
        files[i + 1].name = tables[i][0];
        if (list)
            figures_write_csv(list, &files[i + 1].text);
    }
    files[TABLES + 1] = (struct text_file){"trace.json", json};
    return text_files_write(options->out, files, TABLES + 2, reterr);
}

static int write_rows(const char *path, const struct profile *profile, struct error *reterr) {
    struct str csv = {0};
    profile_write_csv(profile, &csv);
    int r = atomic_file_write_alone(path, csv.text, csv.length, reterr);
    str_finish(&csv);
    return r;
}

static int conclude(const struct options *options, const struct trace_report *report) {
    struct error error = {0};
    int r = 0;
    if (report->profile)
        r = write_rows(options->traced.profile, report->profile, &error);
    if (r == 0 && options->out)
        r = write_folder(options, report, &error);
    if (r == 0 && options->profile_format == PROFILE_JSON) {
        struct str json = {0};
        figures_write_json(report->figures, &json);
        r = cli_print(&json, &error);
        str_finish(&json);
    } else if (r == 0) {
        r = cli_print_lines(&report->screen, &error);
    }
    if (r < 0)
        return cli_report_error(&error);
    for (size_t i = 0; i < report->notes.count; i++)
        cli_say("%s\n", report->notes.texts[i]);
    for (size_t i = 0; report->profile && i < report->profile->notes.count; i++)
        cli_say("%s\n", report->profile->notes.texts[i]);
    return report->damaged ? EXIT_RECOVERED : EXIT_DONE;
}

static int analyze(struct options *options) {
    struct profile profile = {.notes = {.dashes = "--", .every = true}};
    struct trace_report report = {.notes = {.dashes = "--", .every = true},
                                  .profile = options->traced.profile ? &profile : NULL};
    struct texts paths = {0}, before = {0};
    int code = EXIT_BAD_INPUT;
    int r = expand(options, (const char *const *)options->operands, options->operand_count, &paths);
    if (expand(options, options->traced.before.at, options->traced.before.count, &before) < 0)
        r = ERROR_INPUT;
    const struct trace_request request = {.reading = options->profile,
                                          .loading_pattern = options->traced.loading_pattern,
                                          .what_if = options->traced.what_if,
                                          .telemetry = options->traced.telemetry,
                                          .before = (char *const *)before.at,
                                          .before_count = before.count};
    if (r == 0)
        r = trace_analyze((char *const *)paths.at, paths.count, &request, &report,
                          &options->problems);
    if (r == 0 && report.profile)
        r = profile_check_columns(&profile, &options->problems);
    if (r < 0)
        cli_report_problems(&options->problems);
    else
        code = conclude(options, &report);
    trace_report_finish(&report);
    profile_finish(&profile);
    free(paths.at);
    free(before.at);
    return code;
}

/* --- traces made of traces --- */

/* cut, filter and merge. */
static int edit_trace(struct options *options) {
    struct trace_edit edit = {.output = options->out,
                              .strict = options->profile.strict,
                              .notes = {.dashes = "--", .every = true}};
    struct error error = {0};
    const char *word = options->operands[0];
    char *const *files = options->operands + 1;
    int r, code = EXIT_DONE;
    if (strcmp(word, "cut") == 0)
        r = trace_cut_write(&edit, files[0], options->profile.first_step,
                            options->profile.last_step, &options->problems, &error);
    else if (strcmp(word, "filter") == 0)
        r = trace_filter_write(&edit, files[0], options->traced.category, &options->problems,
                               &error);
    else
        r = trace_merge_write(&edit, files, options->operand_count - 1, &options->problems, &error);
    if (r < 0)
        code = options->problems.count > 0 ? cli_report_problems(&options->problems)
                                           : cli_report_error(&error);
    else
        cli_show("trace: %s: %" PRIu64 " of %" PRIu64 " events\n", edit.output, edit.kept,
                 edit.records);
    if (r == 0 && edit.damaged)
        code = EXIT_RECOVERED;
    for (size_t i = 0; i < edit.notes.count; i++)
        cli_say("%s\n", edit.notes.texts[i]);
    trace_edit_finish(&edit);
    return code;
}

/* --- the choice of the subcommand --- */

/* Subcommands, with their options; those of `needed` must be given. */
static const struct word {
    const char *name;
    int (*run)(struct options *options);
    bool takes_one; /* file; else two or more */
    const char *needed[3], *optional[3];
} words[] = {
    {"cut", edit_trace, true, {"out", "steps"}, {"strict"}},
    {"filter", edit_trace, true, {"out", "category"}, {"strict"}},
    {"merge", edit_trace, false, {"out"}, {"strict"}},
    {"stragglers", trace_stragglers, true, {NULL}, {"format", "svg", "gpus"}},
};

#define WORDS (sizeof words / sizeof *words)

static bool has_name(const char *const *names, const char *name) {
    for (size_t i = 0; i < 3 && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void check_options(const struct options *options, const struct word *word) {
    for (const struct option_row *row = option_rows; row->name; row++) {
        bool needed = has_name(word->needed, row->name);
        if (!option_belongs(row, COMMAND_TRACE))
            continue;
        if (option_given(options, row->name) && !needed && !has_name(word->optional, row->name))
            options_refuse(options, "--%s does not belong to %s", row->name, word->name);
        if (needed && !option_given(options, row->name))
            options_refuse(options, "%s needs --%s", word->name, row->name);
    }
}

static void check_files(const struct options *options, const struct word *word) {
    if (word->takes_one && options->operand_count != 2)
        options_refuse(options, "%s takes one file", word->name);
    if (!word->takes_one && options->operand_count < 3)
        options_refuse(options, "%s takes the files of two or more ranks", word->name);
    for (size_t i = 1; i < options->operand_count && word->run != trace_stragglers; i++)
        if (strcmp(options->operands[i], "-") == 0)
            options_refuse(options, "%s reads files, not standard input", word->name);
}

int cli_trace(struct options *options) {
    size_t word = 0;
    while (word < WORDS && strcmp(words[word].name, options->operands[0]) != 0)
        word++;
    if (word == WORDS) {
        if (option_given(options, "svg") || option_given(options, "category"))
            options_refuse(options, "--svg belongs to stragglers, --category to filter");
        if (options->profile_format == PROFILE_CSV)
            options_refuse(options, "--format csv belongs to stragglers: expected table or json");
        return analyze(options);
    }
    check_options(options, &words[word]);
    check_files(options, &words[word]);
    return words[word].run(options);
}
