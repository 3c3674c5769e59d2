/* easim profile: measurements of real jobs as a profile CSV, with the figures behind it. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "ingest/formats.h"
#include "io/atomic_file.h"

#define TABLE_ROWS 20

static int print_profile(const struct options *options, const struct profile *profile,
                         const struct str *csv, struct error *reterr) {
    struct str text = {0};
    if (options->profile_format == PROFILE_CSV)
        str_add_bytes(&text, csv->text, csv->length);
    else if (options->profile_format == PROFILE_JSON)
        figures_write_json(profile->figures, &text);
    else
        figures_write_table(profile->figures, TABLE_ROWS, &text);
    int r = cli_print(&text, reterr);
    str_finish(&text);
    return r;
}

static int write_profile(const struct options *options, const struct profile *profile,
                         struct error *reterr) {
    struct str csv = {0};
    int r = 0;
    profile_write_csv(profile, &csv);
    if (options->output)
        r = atomic_file_write_alone(options->output, csv.text, csv.length, reterr);
    if (r == 0)
        r = print_profile(options, profile, &csv, reterr);
    str_finish(&csv);
    return r;
}

/* Notes come last, where they are seen. */
static int conclude_profile(const struct options *options, const struct profile *profile) {
    struct error error = {0};
    if (write_profile(options, profile, &error) < 0)
        return cli_report_error(&error);
    for (size_t i = 0; i < profile->notes.count; i++)
        cli_say("%s\n", profile->notes.texts[i]);
    return profile->damaged ? EXIT_RECOVERED : EXIT_DONE;
}

static bool writes_csv(const struct options *options) {
    return options->output || options->profile_format == PROFILE_CSV;
}

int cli_profile(struct options *options) {
    size_t count = 0;
    while (profile_readers[count])
        count++;
    struct format_use *formats = arena_alloc(&options->arena, count * sizeof *formats);
    for (size_t i = 0; i < count; i++)
        formats[i] = (struct format_use){profile_readers[i]->name, profile_readers[i]->uses};
    struct profile profile = {.notes = {.dashes = "--", .every = true}};
    size_t chosen = formats_choose(options, formats, count, &options->problems);
    int r = EXIT_BAD_INPUT;
    if (chosen < count && option_given(options, "interval"))
        options->profile.given |= PROFILE_INTERVAL;
    if (chosen == count ||
        profile_read(profile_readers[chosen], options->operands + 1, options->operand_count - 1,
                     &options->profile, &profile, &options->problems) < 0 ||
        (writes_csv(options) && profile_check_columns(&profile, &options->problems) < 0))
        cli_report_problems(&options->problems);
    else
        r = conclude_profile(options, &profile);
    profile_finish(&profile);
    return r;
}
