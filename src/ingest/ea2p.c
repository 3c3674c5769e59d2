/* EA2P appends rows of whatever devices a machine has to one file: only rows that fit the header can be named.
   Domains lie inside each other (core and uncore in package-0, all in psys), so energies are never summed over
   columns but those of GPUs. */
#include "ingest/ea2p.h"

#include "ingest/records.h"
#include "io/bytes.h"
#include "io/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double ea2p_ram_power_w(uint32_t slots, uint32_t gib, bool is_ddr3, double use_percent) {
    static const struct {
        double at_most, share;
    } uses[] = {{5, 0.35}, {10, 0.65}, {25, 0.70}, {50, 0.75}, {70, 0.80}, {HUGE_VAL, 0.85}};
    double module_w = is_ddr3 ? 4.5 : gib == 16 ? 4 : gib == 32 ? 5 : gib == 64 ? 6 : gib == 128 ? 8 : 10;
    size_t i = 0;
    while (use_percent > uses[i].at_most)
        i++;
    return module_w * slots * uses[i].share;
}

enum kind { KIND_NONE, KIND_GPU, KIND_PACKAGE, KIND_CORE, KIND_MEMORY, KIND_SYSTEM };

struct reader {
    double joules; /* of the file's unit */
    int elapsed, rank;
    enum kind kinds[RECORDS_MAX_CELLS];
};

/* ---- The unit ---- */

static double unit_j(struct slice unit) {
    return slice_is(unit, "J") ? 1 : slice_is(unit, "Wh") ? 3600 : slice_is(unit, "kWh") ? 3.6e6 : NAN;
}

/* energy_unit of config_energy.json in the folder of the file; NAN: there is no such file. An unknown unit is Wh,
   as EA2P takes it. */
static double unit_beside(const char *path) {
    char text[4096];
    struct bytes *bytes = NULL;
    struct str name = {0};
    const char *slash = strrchr(path, '/');
    ssize_t got = -1;
    str_add_bytes(&name, path, slash ? (size_t)(slash - path) + 1 : 0);
    str_add(&name, "config_energy.json");
    if (bytes_open(name.text, &bytes, NULL) == 0)
        got = bytes_read(bytes, text, sizeof text, "", NULL);
    bytes_close(bytes);
    str_finish(&name);
    if (got <= 0)
        return NAN;
    struct slice object = {text, (size_t)got};
    while (object.length > 0 && object.at[object.length - 1] != '}')
        object.length--;
    double joules = unit_j(json_string(json_find(object, "energy_unit")));
    return isnan(joules) ? 3600 : joules;
}

/* ---- Columns ---- */

static bool begins(struct slice text, const char *prefix) {
    size_t length = strlen(prefix);
    return text.length >= length && memcmp(text.at, prefix, length) == 0;
}

static enum kind kind_of(struct slice name) {
    if (begins(name, "GPU"))
        return KIND_GPU;
    if (begins(name, "package") || slice_is(name, "energy_cpu"))
        return KIND_PACKAGE;
    if (begins(name, "dram") || begins(name, "DRAM") || slice_is(name, "energy_memory"))
        return KIND_MEMORY;
    if (slice_is(name, "core") || slice_is(name, "uncore"))
        return KIND_CORE;
    return slice_is(name, "psys") ? KIND_SYSTEM : KIND_NONE;
}

static bool begin(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    const char *unit = job->options->energy_unit;
    r->joules = unit ? unit_j((struct slice){unit, strlen(unit)}) : unit_beside(records->path);
    r->elapsed = -1;
    for (size_t i = 0; i < records->name_count; i++) {
        r->kinds[i] = kind_of(records->names[i]);
        if (begins(records->names[i], "CPU Time") || begins(records->names[i], "Total Elapsed"))
            r->elapsed = (int)i;
    }
    r->rank = records_column(records, "Rank");
    if (isnan(r->joules))
        problems_add(job->problems, (struct location){records->path, 0, 0}, "--energy-unit",
                     "expected J, Wh or kWh: the file does not say, and there is no config_energy.json beside it");
    else if (r->elapsed < 0)
        problems_add(job->problems, (struct location){records->path, 1, 0}, NULL,
                     "expected a column \"CPU Time [s]\" (is this a file of EA2P?)");
    return !isnan(r->joules) && r->elapsed >= 0;
}

/* ---- Rows ---- */

/* Sum over the columns of a kind: for GPUs and packages of several sockets, which do not overlap. */
static double energy_j(const struct reader *r, const struct records *records, enum kind kind, size_t *count) {
    double sum = NAN;
    *count = 0;
    for (size_t i = 0; i < records->name_count; i++) {
        double value = r->kinds[i] == kind ? records_number(records, (int)i) : NAN;
        if (isnan(value))
            continue;
        sum = *count == 0 ? value * r->joules : sum + value * r->joules;
        ++*count;
    }
    return sum;
}

static void add_row(struct records_job *job, const struct records *records, double gpu_j, size_t gpus,
                    double time_s) {
    const struct profile_options *options = job->options;
    struct profile_row *row = profile_add_row(job->profile, options);
    if (row->gpus == 0)
        row->gpus = (uint32_t)gpus;
    if (gpus > 0)
        row->power_w_per_gpu = gpu_j / time_s / (double)gpus;
    if (options->samples > 0)
        row->throughput_samples_s = options->samples / time_s;
    row->source =
        arena_printf(&job->profile->arena, "ea2p %s line %u", records->path, (unsigned)records_line(records));
}

static bool read_row(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    size_t gpus, others;
    double time_s = records_number(records, r->elapsed);
    if (!records_fits(records) || !(time_s > 0))
        return false;
    if (slice_is(records_cell(records, r->rank), "Total"))
        return true; /* it sums the times of the ranks as well */
    double gpu_j = energy_j(r, records, KIND_GPU, &gpus);
    struct figure *group = figures_group(job->list, NULL);
    figures_int(group, "line", records_line(records));
    figures_real(group, "elapsed_s", time_s);
    figures_int(group, "gpus", (int64_t)gpus);
    figures_real(group, "gpu_energy_j", gpu_j);
    figures_real(group, "gpu_power_w", gpu_j / time_s);
    figures_real(group, "cpu_power_w", energy_j(r, records, KIND_PACKAGE, &others) / time_s);
    figures_real(group, "memory_power_w", energy_j(r, records, KIND_MEMORY, &others) / time_s);
    figures_real(group, "system_power_w", energy_j(r, records, KIND_SYSTEM, &others) / time_s);
    add_row(job, records, gpu_j, gpus, time_s);
    return true;
}

static int ea2p_read(char *const *paths, size_t count, const struct profile_options *options,
                     struct profile *profile, struct problems *problems) {
    struct reader *r = mem_zalloc(1, sizeof *r);
    struct records_job job = {.options = options,
                              .profile = profile,
                              .problems = problems,
                              .context = r,
                              .begin = begin,
                              .row = read_row};
    int status = records_read_all(&job, paths, count);
    if (options->ram_slots > 0)
        figures_real(
            profile->figures, "ram_model_w",
            ea2p_ram_power_w(options->ram_slots, options->ram_gib, options->ram_is_ddr3, options->ram_use_percent));
    free(r);
    return status;
}

const struct profile_reader ea2p_reader = {"ea2p", "energy reports of EA2P (needs --energy-unit)", ea2p_read};
