/* EA2P appends rows of whatever devices a machine has to one file: only rows that fit the header
   can be named. Domains lie inside each other (core and uncore in package-0, all in psys), so
   energies are never summed over columns but those of GPUs. */
#include "ingest/profile_formats.h"
#include "ingest/records/records.h"
#include "io/bytes.h"
#include "io/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* EA2P's model of the power of memory modules: P = P_module * slots * f(use). gib: of one module.
 */
static double ram_power_w(uint32_t slots, uint32_t gib, bool is_ddr3, double use_percent) {
    static const struct {
        double at_most, share;
    } uses[] = {{5, 0.35}, {10, 0.65}, {25, 0.70}, {50, 0.75}, {70, 0.80}, {HUGE_VAL, 0.85}};
    double module_w = is_ddr3      ? 4.5
                      : gib == 16  ? 4
                      : gib == 32  ? 5
                      : gib == 64  ? 6
                      : gib == 128 ? 8
                                   : 10;
    size_t i = 0;
    while (use_percent > uses[i].at_most)
        i++;
    return module_w * slots * uses[i].share;
}

enum kind { KIND_NONE, KIND_GPU, KIND_PACKAGE, KIND_CORE, KIND_MEMORY, KIND_SYSTEM, KINDS };

struct reader {
    double joules;     /* of the file's unit */
    double interval_s; /* nominal, between readings; NAN: not known */
    int elapsed, rank;
    enum kind kinds[RECORDS_MAX_CELLS];
    size_t counts[KINDS]; /* of columns */
};

/* ---- The unit ---- */

/* J, Wh, kWh; WH and KWH in some versions. */
static double unit_j(struct slice unit) {
    return slice_is(unit, "J")          ? 1
           : slice_is_word(unit, "Wh")  ? 3600
           : slice_is_word(unit, "kWh") ? 3.6e6
                                        : NAN;
}

/* config_energy.json in the folder of the file; NAN: there is no such file, or it does not say. */
struct config {
    double unit_j; /* an unknown unit is Wh, as EA2P takes it */
    double interval_s;
};

/* All of a file; false: it is not there, empty or cannot be read. */
static bool read_whole(const char *path, struct str *text) {
    char part[4096];
    struct bytes *bytes = NULL;
    ssize_t got = -1;
    if (bytes_open(path, &bytes, NULL) == 0)
        while ((got = bytes_read(bytes, part, sizeof part, "", NULL)) > 0)
            str_add_bytes(text, part, (size_t)got);
    bytes_close(bytes);
    return got == 0 && text->length > 0;
}

static struct config config_in(struct slice object) {
    struct config config = {NAN, NAN};
    while (object.length > 0 && object.at[object.length - 1] != '}')
        object.length--;
    config.unit_j = unit_j(json_string(json_find(object, "energy_unit")));
    config.unit_j = isnan(config.unit_j) ? 3600 : config.unit_j;
    if (!json_real(json_find(object, "sampling_freq"), &config.interval_s) ||
        config.interval_s <= 0)
        config.interval_s = NAN;
    return config;
}

static struct config config_beside(const char *path) {
    struct config config = {NAN, NAN};
    struct str name = {0}, text = {0};
    const char *slash = strrchr(path, '/');
    str_add_bytes(&name, path, slash ? (size_t)(slash - path) + 1 : 0);
    str_add(&name, "config_energy.json");
    if (read_whole(name.text, &text))
        config = config_in((struct slice){text.text, text.length});
    str_finish(&name);
    str_finish(&text);
    return config;
}

/* ---- Columns ---- */

static enum kind kind_of(struct slice name) {
    if (slice_begins(name, "GPU"))
        return KIND_GPU;
    if (slice_begins(name, "package") || slice_is(name, "energy_cpu"))
        return KIND_PACKAGE;
    if (slice_begins(name, "dram") || slice_begins(name, "DRAM") || slice_is(name, "energy_memory"))
        return KIND_MEMORY;
    if (slice_is(name, "core") || slice_is(name, "uncore"))
        return KIND_CORE;
    return slice_is(name, "psys") ? KIND_SYSTEM : KIND_NONE;
}

/* The file has neither the number of readings nor their interval. */
static bool can_rescale(struct records_job *job, const struct records *records,
                        const struct reader *reader) {
    double measured_s = job->options->rescale_s;
    struct location where = {records->path, 0, 0};
    if (measured_s > 0 && isnan(reader->interval_s))
        problems_add_setting(
            job->problems, where, "rescale",
            "expected sampling_freq in a config_energy.json next to the file: the nominal interval is not known");
    else if (measured_s > 0 && measured_s < reader->interval_s)
        problems_add_setting(job->problems, where, "rescale",
                             "expected at least sampling_freq, %g s, got %g s", reader->interval_s,
                             measured_s);
    else
        return true;
    return false;
}

static bool begin_ea2p(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    const char *unit = job->options->energy_unit;
    const struct config config = config_beside(records->path);
    r->joules = unit ? unit_j((struct slice){unit, strlen(unit)}) : config.unit_j;
    r->interval_s = config.interval_s;
    r->elapsed = -1;
    for (size_t i = 0; i < records->name_count; i++) {
        r->kinds[i] = kind_of(records->names[i]);
        if (slice_begins(records->names[i], "CPU Time") ||
            slice_begins(records->names[i], "Total Elapsed"))
            r->elapsed = (int)i;
    }
    r->rank = records_column(records, "Rank");
    memset(r->counts, 0, sizeof r->counts);
    for (size_t i = 0; i < records->name_count; i++)
        r->counts[r->kinds[i]]++;
    if (r->elapsed < 0)
        problems_add(job->problems, (struct location){records->path, 1, 0}, NULL,
                     "expected a column \"CPU Time [s]\" (is this a file of EA2P?)");
    else if (isnan(r->joules))
        problems_add_setting(
            job->problems, (struct location){records->path, 0, 0}, "energy-unit",
            "expected J, Wh or kWh: the file does not say, and there is no config_energy.json next to it");
    if (job->options->rescale_s > 0 && r->counts[KIND_GPU] == 0)
        problems_add_setting(&job->profile->notes, (struct location){records->path, 1, 0},
                             "rescale", "no effect: no energies of GPUs");
    return !isnan(r->joules) && r->elapsed >= 0 && can_rescale(job, records, r);
}

/* ---- Rows ---- */

/* Only on the host: a locale may have made 1.234.5 of a number, which is as good as none. */
static bool is_dotted(struct slice cell) {
    const char *dot = memchr(cell.at, '.', cell.length);
    return dot && memchr(dot + 1, '.', cell.length - (size_t)(dot + 1 - cell.at));
}

/* Sum over the columns of a kind: for GPUs and packages of several sockets, which do not overlap.
   NAN if there are none, or one of them has no value. */
static double energy_j(const struct reader *reader, struct records *records, enum kind kind,
                       bool *is_bad) {
    double sum = reader->counts[kind] > 0 ? 0 : NAN;
    for (size_t i = 0; i < records->name_count; i++) {
        if (reader->kinds[i] != kind)
            continue;
        bool bad = false;
        double value = records_value(records, (int)i, TELEMETRY_PLAIN, &bad) * reader->joules;
        if (bad && kind != KIND_GPU && is_dotted(records_cell(records, (int)i)))
            records->missing[i]++;
        else
            *is_bad = *is_bad || bad || value < 0;
        sum += value;
    }
    return sum;
}

/* EA2P takes energy as the sum of readings times the nominal interval. A reading takes time of its
   own, so there are fewer; and there is one more before the first interval and one after the last.
   Time over (readings * nominal interval) gives the energy of the mean reading over the whole
   time. */
static double rescale_factor(const struct reader *reader, double measured_s, double time_s) {
    return measured_s > 0 ? time_s / ((time_s / measured_s + 2) * reader->interval_s) : 1;
}

static bool read_ea2p_row(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    const size_t gpus = r->counts[KIND_GPU];
    bool is_bad = false;
    double time_s = records_number(records, r->elapsed, TELEMETRY_S, &is_bad);
    if (!records_fits(records) || !(time_s > 0))
        return false;
    if (slice_is(records_cell(records, r->rank), "Total"))
        return true; /* it sums the times of the ranks as well */
    double factor = rescale_factor(r, job->options->rescale_s, time_s);
    double gpu_j = energy_j(r, records, KIND_GPU, &is_bad) * factor;
    double cpu_j = energy_j(r, records, KIND_PACKAGE, &is_bad);
    double memory_j = energy_j(r, records, KIND_MEMORY, &is_bad);
    double system_j = energy_j(r, records, KIND_SYSTEM, &is_bad);
    if (is_bad)
        return false;
    struct profile_row *row =
        records_add_row(job, records, records_line(records), time_s, (uint32_t)gpus);
    row->is_derived = job->options->rescale_s > 0 && gpus > 0;
    if (gpus > 0)
        row->power_w_per_gpu = gpu_j / time_s / (double)gpus;
    struct figure *group = records_add_figures(job);
    figures_int(group, "line", records_line(records));
    figures_real(group, "elapsed_s", time_s);
    figures_int(group, "gpus", (int64_t)gpus);
    figures_real(group, "gpu_energy_j", gpu_j);
    figures_real(group, "gpu_power_w", gpu_j / time_s);
    figures_real(group, "cpu_power_w", cpu_j / time_s);
    figures_real(group, "memory_power_w", memory_j / time_s);
    figures_real(group, "system_power_w", system_j / time_s);
    if (job->options->rescale_s > 0)
        figures_real(group, "gpu_rescale_factor", factor);
    return true;
}

static int ea2p_read(char *const *paths, size_t count, const struct profile_options *options,
                     struct profile *profile, struct problems *problems) {
    int status = records_read(&ea2p_reader, paths, count, options, profile, problems);
    if (options->ram_slots > 0)
        figures_real(profile->figures, "ram_model_w",
                     ram_power_w(options->ram_slots, options->ram_gib, options->ram_is_ddr3,
                                 options->ram_use_percent));
    return status;
}

const struct profile_reader ea2p_reader = {
    "ea2p", "energy reports of EA2P (needs the unit of energies)", ea2p_read,
    PROFILE_SAMPLES | PROFILE_ENERGY_UNIT | PROFILE_RAM | PROFILE_RESCALE,
    &(const struct records_format){sizeof(struct reader), false, begin_ea2p, read_ea2p_row, NULL,
                                   NULL, NULL}};
