/* easim profile: measurements of real jobs as a profile CSV, with the figures behind it. */
#include "base/numfmt.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "ingest/profile_readers.h"
#include "io/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TABLE_ROWS 20

struct arguments {
    const char *format, *output;
    char **files;
    size_t file_count;
    enum format print;
    struct profile_options options;
};

enum {
    OPTION_MODEL = 256,
    OPTION_PRECISION,
    OPTION_GPU,
    OPTION_GPUS,
    OPTION_BATCH,
    OPTION_POWER_LIMIT,
    OPTION_STEPS,
    OPTION_ITERATION,
    OPTION_COMMUNICATION,
    OPTION_KERNEL_DELAY,
    OPTION_FORMAT,
    OPTION_STRICT,
    OPTION_INTERVAL,
    OPTION_SAMPLES,
    OPTION_COLUMNS,
    OPTION_TRIM_IDLE,
    OPTION_ENERGY_UNIT,
    OPTION_RAM,
    OPTION_RESCALE,
    OPTION_DATASET
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "profile CSV to write", 0},
    {"format", OPTION_FORMAT, "table|csv|json", 0,
     "what to print on standard output (default: table)", 0},
    {"strict", OPTION_STRICT, NULL, 0, "refuse damaged and truncated files", 0},
    {0, 0, NULL, 0, "What the files do not say:", 1},
    {"model", OPTION_MODEL, "NAME", 0, "model that was trained", 1},
    {"precision", OPTION_PRECISION, "NAME", 0, "as FP16", 1},
    {"gpu", OPTION_GPU, "NAME", 0, "GPU type (default: the file's)", 1},
    {"gpus", OPTION_GPUS, "K", 0, "GPUs of the job (default: the file's)", 1},
    {"batch", OPTION_BATCH, "B", 0, "samples per GPU and iteration", 1},
    {"power-limit", OPTION_POWER_LIMIT, "W", 0, "power limit of each GPU", 1},
    {"samples", OPTION_SAMPLES, "N", 0, "samples trained in the recorded time (not kineto)", 1},
    {"interval", OPTION_INTERVAL, "S", 0,
     "seconds between rows where a file has no times (default: 1)", 1},
    {"columns", OPTION_COLUMNS, "NAMES", 0, "columns of a file without a header, with commas", 1},
    {"trim-idle", OPTION_TRIM_IDLE, NULL, 0, "leave out both ends where utilization is 0", 1},
    {"dataset", OPTION_DATASET, "NAME", 0, "zeus: only the rows of a sweep with this dataset", 1},
    {0, 0, NULL, 0, "ea2p:", 2},
    {"energy-unit", OPTION_ENERGY_UNIT, "J|Wh|kWh", 0,
     "unit of energies (default: config_energy.json beside the file)", 2},
    {"ram", OPTION_RAM, "SLOTSxGIB[:ddr3]:USE", 0,
     "print EA2P's modelled power of memory modules, as 8x32:40 (% used)", 2},
    {"rescale", OPTION_RESCALE, "S", 0,
     "seconds between readings as measured, for GPU energies (nominal: config_energy.json)", 2},
    {0, 0, NULL, 0, "kineto:", 3},
    {"steps", OPTION_STEPS, "FIRST:LAST", 0, "only these steps, both included", 3},
    {"iteration", OPTION_ITERATION, "PATTERN", 0,
     "annotation that begins an iteration (default: ProfilerStep#N)", 3},
    {"communication", OPTION_COMMUNICATION, "PATTERN", 0, "names of communication kernels", 3},
    {"kernel-delay", OPTION_KERNEL_DELAY, "US", 0,
     "longest gap of a stream that counts as kernel_wait (default: 30)", 3},
    {0},
};

/* Options that only some formats have a use for. */
static const struct {
    int key;
    enum profile_use use;
    const char *name;
} special_options[] = {{OPTION_STEPS, PROFILE_STEPS, "--steps"},
                       {OPTION_ITERATION, PROFILE_ITERATION, "--iteration"},
                       {OPTION_COMMUNICATION, PROFILE_COMMUNICATION, "--communication"},
                       {OPTION_KERNEL_DELAY, PROFILE_KERNEL_DELAY, "--kernel-delay"},
                       {OPTION_SAMPLES, PROFILE_SAMPLES, "--samples"},
                       {OPTION_INTERVAL, PROFILE_INTERVAL, "--interval"},
                       {OPTION_COLUMNS, PROFILE_COLUMNS, "--columns"},
                       {OPTION_TRIM_IDLE, PROFILE_TRIM_IDLE, "--trim-idle"},
                       {OPTION_DATASET, PROFILE_DATASET, "--dataset"},
                       {OPTION_ENERGY_UNIT, PROFILE_ENERGY_UNIT, "--energy-unit"},
                       {OPTION_RAM, PROFILE_RAM, "--ram"},
                       {OPTION_RESCALE, PROFILE_RESCALE, "--rescale"}};

#define SPECIAL_OPTIONS (sizeof special_options / sizeof *special_options)

static void note_special(struct arguments *a, int key) {
    for (size_t i = 0; i < SPECIAL_OPTIONS; i++)
        if (special_options[i].key == key)
            a->options.given |= special_options[i].use;
}

static void parse_steps(struct arguments *a, const char *text, struct argp_state *state) {
    const char *colon = strchr(text, ':');
    int64_t first = 0, last = 0;
    if (!colon || !numfmt_parse_int(text, (size_t)(colon - text), &first) ||
        !numfmt_parse_int(colon + 1, strlen(colon + 1), &last) || last < first)
        argp_error(state, "--steps: expected FIRST:LAST, got \"%s\"", text);
    a->options.has_steps = true;
    a->options.first_step = first;
    a->options.last_step = last;
}

/* "8x32:40", "4x16:ddr3:5" */
static void parse_ram(struct arguments *a, const char *text, struct argp_state *state) {
    const char *times = strchr(text, 'x'), *colon = times ? strchr(times, ':') : NULL;
    int64_t slots = 0, gib = 0;
    double use = -1;
    if (colon && numfmt_parse_int(text, (size_t)(times - text), &slots) &&
        numfmt_parse_int(times + 1, (size_t)(colon - times - 1), &gib)) {
        a->options.ram_is_ddr3 = strncmp(colon, ":ddr3:", 6) == 0;
        colon += a->options.ram_is_ddr3 ? 6 : 1;
        if (!numfmt_parse_real(colon, strlen(colon), &use))
            use = -1;
    }
    if (slots < 1 || slots > 1024 || gib < 1 || gib > 65536 || use < 0 || use > 100)
        argp_error(state, "--ram: expected SLOTSxGIB:USE as 8x32:40, got \"%s\"", text);
    a->options.ram_slots = (uint32_t)slots;
    a->options.ram_gib = (uint32_t)gib;
    a->options.ram_use_percent = use;
}

static const char *const energy_units[] = {"J", "Wh", "kWh", NULL};

/* A bare number is microseconds, as ever; with a unit a time. */
static double option_microseconds(char *text, const char *option, struct argp_state *state) {
    if (!units_is_other(text, strlen(text)))
        return option_real(text, 1e-9, 1e15, option, state);
    return option_dimension(text, DIMENSION_TIME, 1e-15, 1e9, option, state) * 1e6;
}

/* What was measured, and which part of it. */
static error_t parse_measure(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case OPTION_SAMPLES:
        a->options.samples = option_real(value, 1e-9, 1e15, "--samples", state);
        return 0;
    case OPTION_INTERVAL:
        a->options.interval_s =
            option_dimension(value, DIMENSION_TIME, 1e-9, 1e15, "--interval", state);
        return 0;
    case OPTION_COLUMNS:
        a->options.columns = value;
        return 0;
    case OPTION_ENERGY_UNIT:
        a->options.energy_unit =
            energy_units[option_choice(value, energy_units, "--energy-unit", state)];
        return 0;
    case OPTION_DATASET:
        a->options.dataset = value;
        return 0;
    case OPTION_RAM:
        parse_ram(a, value, state);
        return 0;
    case OPTION_TRIM_IDLE:
        a->options.trim_idle = true;
        return 0;
    case OPTION_STEPS:
        parse_steps(a, value, state);
        return 0;
    case OPTION_ITERATION:
        a->options.iteration_pattern = value;
        return 0;
    case OPTION_COMMUNICATION:
        a->options.communication_pattern = value;
        return 0;
    case OPTION_RESCALE:
        a->options.rescale_s =
            option_dimension(value, DIMENSION_TIME, 1e-9, 1e15, "--rescale", state);
        return 0;
    case OPTION_KERNEL_DELAY:
        a->options.kernel_delay_us = option_microseconds(value, "--kernel-delay", state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    note_special(a, key);
    switch (key) {
    case 'o':
        a->output = value;
        return 0;
    case OPTION_FORMAT:
        a->print = option_format(value, state);
        return 0;
    case OPTION_STRICT:
        a->options.strict = true;
        return 0;
    case OPTION_MODEL:
        a->options.model = value;
        return 0;
    case OPTION_PRECISION:
        a->options.precision = value;
        return 0;
    case OPTION_GPU:
        a->options.gpu = value;
        return 0;
    case OPTION_GPUS:
        a->options.gpus = (uint32_t)option_count(value, 1, 1 << 20, "--gpus", state);
        return 0;
    case OPTION_BATCH:
        a->options.batch = (uint32_t)option_count(value, 1, 1 << 30, "--batch", state);
        return 0;
    case OPTION_POWER_LIMIT:
        a->options.power_limit_w =
            option_dimension(value, DIMENSION_POWER, 1e-9, 1e15, "--power-limit", state);
        return 0;
    case ARGP_KEY_ARGS:
        a->format = state->argv[state->next];
        a->files = state->argv + state->next + 1;
        a->file_count = (size_t)(state->argc - state->next) - 1;
        return 0;
    case ARGP_KEY_END:
        if (a->file_count == 0)
            argp_error(state, "expected FORMAT FILE...");
        return 0;
    default:
        return parse_measure(key, value, state);
    }
}

static int print_profile(const struct arguments *a, const struct profile *profile,
                         const struct str *csv, struct error *reterr) {
    struct str text = {0};
    if (a->print == FORMAT_CSV)
        str_add_bytes(&text, csv->text, csv->length);
    else if (a->print == FORMAT_JSON)
        figures_write_json(profile->figures, &text);
    else
        figures_write_table(profile->figures, TABLE_ROWS, &text);
    int r = cli_print(&text, reterr);
    str_finish(&text);
    return r;
}

static int write_outputs(const struct arguments *a, const struct profile *profile,
                         struct error *reterr) {
    struct str csv = {0};
    int r = 0;
    profile_write_csv(profile, &csv);
    if (a->output)
        r = atomic_file_write_whole(a->output, csv.text, csv.length, reterr);
    if (r == 0)
        r = print_profile(a, profile, &csv, reterr);
    str_finish(&csv);
    return r;
}

/* Notes come last, where they are seen. */
static int finish(const struct arguments *a, const struct profile *profile) {
    struct error error = {0};
    if (write_outputs(a, profile, &error) < 0)
        return cli_report_error(&error);
    for (size_t i = 0; i < profile->notes.count; i++)
        fprintf(stderr, "%s\n", profile->notes.texts[i]);
    return profile->damaged ? EXIT_RECOVERED : EXIT_DONE;
}

static int unknown_format(const char *name) {
    fprintf(stderr, "easim profile: no format is named \"%s\" (", name);
    for (size_t i = 0; profile_readers[i]; i++)
        fprintf(stderr, "%s%s", i > 0 ? ", " : "", profile_readers[i]->name);
    fprintf(stderr, ")\n");
    return EXIT_BAD_INPUT;
}

/* Options that the format has no use for, and the formats that have. */
static int refuse_unused(const struct profile_reader *reader, unsigned given,
                         struct problems *problems) {
    for (size_t i = 0; i < SPECIAL_OPTIONS; i++) {
        struct str formats = {0};
        if (!(given & special_options[i].use & ~reader->uses))
            continue;
        for (size_t r = 0; profile_readers[r]; r++)
            if (profile_readers[r]->uses & special_options[i].use)
                str_addf(&formats, "%s%s", formats.length > 0 ? ", " : "",
                         profile_readers[r]->name);
        problems_add(problems, (struct location){0}, special_options[i].name,
                     "no option of format %s: expected it with %s only", reader->name,
                     formats.text);
        str_finish(&formats);
    }
    return problems->count > 0 ? ERROR_INPUT : 0;
}

static bool writes_csv(const struct arguments *a) {
    return a->output || a->print == FORMAT_CSV;
}

int cli_profile(int argc, char **argv) {
    struct arguments a = {
        .options = {.power_limit_w = NAN, .interval_s = 1, .kernel_delay_us = 30}};
    struct str help = {0};
    str_add(
        &help,
        "Reads measurements of a real job (plain, gz or zst) and writes them as a profile CSV.\vFormats:\n");
    for (size_t i = 0; profile_readers[i]; i++)
        str_addf(&help, "  %-18s %s\n", profile_readers[i]->name, profile_readers[i]->summary);
    str_add(
        &help,
        "\nExit status: 0 done, 1 no output, 2 bad input, 3 done with what damaged files hold.");
    const struct argp argp = {options, parse, "FORMAT FILE...", help.text, NULL, NULL, NULL};
    cli_parse(&argp, argc, argv, &a);
    str_finish(&help);
    const struct profile_reader *reader = profile_find_reader(a.format);
    if (!reader)
        return unknown_format(a.format);
    struct profile profile = {0};
    struct problems problems = {0};
    int r = EXIT_BAD_INPUT;
    if (refuse_unused(reader, a.options.given, &problems) < 0 ||
        reader->read(a.files, a.file_count, &a.options, &profile, &problems) < 0 ||
        (writes_csv(&a) && profile_check_columns(&profile, &problems) < 0))
        cli_report_problems(&problems);
    else
        r = finish(&a, &profile);
    profile_finish(&profile);
    problems_finish(&problems);
    return r;
}
