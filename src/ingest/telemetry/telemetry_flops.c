/* FLOP/s from the share of the time in which the pipes of a GPU were active, as DCGM and dynolog
   record it: the sum over pipes of activity x peak x SM clock / clock of the peak. Meta, whose
   profiler counts so, found that counters of instructions give up to 10 % more. */
#include "ingest/peaks.h"
#include "ingest/telemetry/telemetry.h"

#include <math.h>
#include <string.h>

#define MOST_STRETCHES 200 /* of flops_over_time */

enum pipe { PIPE_TENSOR, PIPE_FP64, PIPE_FP32, PIPE_FP16, PIPES };

static const struct {
    const char *name;
    enum telemetry_metric metric;
    enum gpu_peak peak; /* of tensor cores: in FP16 */
} pipes[PIPES] = {{"tensor", TELEMETRY_TENSOR_ACTIVE, PEAK_TENSOR_FP16},
                  {"FP64", TELEMETRY_FP64_ACTIVE, PEAK_FP64},
                  {"FP32", TELEMETRY_FP32_ACTIVE, PEAK_FP32},
                  {"FP16", TELEMETRY_FP16_ACTIVE, PEAK_FP16}};

/* A device whose FLOP are counted. */
struct counted {
    const struct telemetry_device *device;
    struct gpu_peaks peaks;
    const char *precision;     /* of tensor cores */
    double flop_s[PIPES];      /* peaks; 0: the pipe does not count */
    int64_t first_ns, last_ns; /* instants outside do not count */
    uint64_t *left_out;        /* samples without all pipes, or with impossible activity */
};

/* Sums over time. Activities are means since the sample before. */
struct flop_sums {
    double s, flop, clock_s, clock; /* clock: share of the peak's, times s; of clock_s seconds */
    uint64_t samples;
};

static bool shows(const struct telemetry_device *device, enum telemetry_metric metric) {
    return device->metrics[metric].count > 0;
}

static double seen_at(const struct telemetry_activity *seen, enum telemetry_metric metric) {
    return (double)seen->at[metric - TELEMETRY_SM_ACTIVE];
}

/* --- peaks of a device --- */

/* "fp16" or "tf32"; NULL: neither the user nor the pipes say in which one tensor cores compute. */
static const char *precision_of(const struct telemetry_device *device,
                                const struct profile_options *options) {
    static const char *const words[][2] = {
        {"fp16", "fp16"}, {"bf16", "fp16"}, {"amp", "fp16"}, {"tf32", "tf32"}, {"fp32", "tf32"}};
    const char *said = options->precision ? options->precision : "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is_word((struct slice){said, strlen(said)}, words[i][0]))
            return words[i][1];
    if (!shows(device, TELEMETRY_FP16_ACTIVE) || !shows(device, TELEMETRY_FP32_ACTIVE))
        return NULL;
    return telemetry_mean(&device->metrics[TELEMETRY_FP16_ACTIVE]) >
                   options->tensor_threshold *
                       telemetry_mean(&device->metrics[TELEMETRY_FP32_ACTIVE])
               ? "fp16"
               : "tf32";
}

/* Why a device has no FLOP/s. */
enum flops_fault {
    FLOPS_NO_TENSOR,
    FLOPS_NO_PEAKS,
    FLOPS_NO_PRECISION,
    FLOPS_NO_TENSOR_PEAK,
    FLOPS_FAULTS
};

static const struct {
    const char *setting; /* that would help; NULL: none */
    const char *text;
} faults[FLOPS_FAULTS] = {
    [FLOPS_NO_TENSOR] = {NULL, "tensor activity is not recorded"},
    [FLOPS_NO_PEAKS] = {"peaks", "the peaks of their GPU type are not known"},
    [FLOPS_NO_PRECISION] = {"precision",
                            "tensor cores may compute in FP16 or TF32, because FP16 and "
                            "FP32 activity are not recorded"},
    [FLOPS_NO_TENSOR_PEAK] = {"peaks", "the peak of tensor cores is not known"}};

/* Devices that lack something; samples left out. */
struct flops_losses {
    uint64_t faults[FLOPS_FAULTS], unrecorded[PIPES], no_peak[PIPES], samples;
};

/* FLOPS_FAULTS: none. */
static enum flops_fault find_peaks(struct counted *c, const struct profile_options *options) {
    const char *gpu = options->gpu ? options->gpu : c->device->gpu;
    const struct gpu_peaks *known = gpu ? gpu_peaks_find(gpu) : NULL;
    if (!shows(c->device, TELEMETRY_TENSOR_ACTIVE))
        return FLOPS_NO_TENSOR;
    if (!known && !options->peaks)
        return FLOPS_NO_PEAKS;
    c->peaks = known ? *known : *options->peaks;
    if (options->peaks)
        gpu_peaks_replace(&c->peaks, options->peaks);
    c->precision = precision_of(c->device, options);
    if (!c->precision)
        return FLOPS_NO_PRECISION;
    for (size_t i = 0; i < PIPES; i++)
        c->flop_s[i] = shows(c->device, pipes[i].metric) ? c->peaks.at[pipes[i].peak] : 0;
    if (strcmp(c->precision, "tf32") == 0 && !isnan(c->peaks.at[PEAK_TF32]))
        c->flop_s[PIPE_TENSOR] = c->peaks.at[PEAK_TF32];
    else
        c->precision = "fp16"; /* older tensor cores know no other */
    return isnan(c->flop_s[PIPE_TENSOR]) ? FLOPS_NO_TENSOR_PEAK : FLOPS_FAULTS;
}

/* Pipes that do not count, though they may have computed. */
static void leave_out_pipes(struct counted *c, struct flops_losses *losses) {
    for (size_t i = 0; i < PIPES; i++) {
        bool is_shown = shows(c->device, pipes[i].metric);
        losses->unrecorded[i] += !is_shown;
        losses->no_peak[i] +=
            is_shown && isnan(c->flop_s[i]) && c->device->metrics[pipes[i].metric].most > 0;
        if (isnan(c->flop_s[i]))
            c->flop_s[i] = 0;
    }
}

/* --- sums over time --- */

/* FLOP/s at an instant; NAN: it does not show all pipes, or an activity is none. */
static double flop_s_of(const struct counted *c, const struct telemetry_activity *seen) {
    double mhz = seen_at(seen, TELEMETRY_SM_CLOCK), sum = 0;
    for (size_t i = 0; i < PIPES; i++) {
        double peak_mhz = i == PIPE_TENSOR ? c->peaks.tensor_mhz : c->peaks.vector_mhz,
               clock = mhz > 0 && peak_mhz > 0 ? mhz / peak_mhz : 1;
        double share = shows(c->device, pipes[i].metric) ? seen_at(seen, pipes[i].metric) : 0;
        if (!(share >= 0 && share <= 1))
            return NAN;
        sum += share * c->flop_s[i] * clock;
    }
    return sum;
}

static void add_sample(struct flop_sums *sums, const struct counted *c,
                       const struct telemetry_activity *seen, double s) {
    double mhz = seen_at(seen, TELEMETRY_SM_CLOCK);
    sums->s += s;
    sums->flop += s * flop_s_of(c, seen);
    if (mhz > 0 && c->peaks.tensor_mhz > 0) {
        sums->clock_s += s;
        sums->clock += s * mhz / c->peaks.tensor_mhz;
    }
    sums->samples++;
}

/* The instants of power, if any are left out there; else all. */
static void find_span(struct counted *c, bool trim_idle) {
    const struct telemetry_device *device = c->device;
    c->first_ns = device->activities.at[0].time_ns;
    c->last_ns = device->activities.at[device->activities.count - 1].time_ns;
    if (trim_idle && device->points.count > 0) {
        c->first_ns = device->points.at[0].time_ns;
        c->last_ns = device->points.at[device->points.count - 1].time_ns;
    }
}

/* All samples, and those of each stretch. */
static struct flop_sums sum_up(const struct counted *c,
                               struct flop_sums stretches[MOST_STRETCHES]) {
    const struct telemetry_activity *all = c->device->activities.at, *before = NULL;
    double span_s = (double)(c->last_ns - c->first_ns) / 1e9;
    struct flop_sums sums = {0};
    for (size_t i = 0; i < c->device->activities.count; i++) {
        if (all[i].time_ns < c->first_ns || all[i].time_ns > c->last_ns)
            continue;
        if (isnan(flop_s_of(c, &all[i]))) {
            ++*c->left_out;
        } else if (before) {
            double s = (double)(all[i].time_ns - before->time_ns) / 1e9,
                   at = (double)(before->time_ns - c->first_ns) / 1e9 / span_s;
            add_sample(&sums, c, &all[i], s);
            add_sample(&stretches[(size_t)fmin(at * MOST_STRETCHES, MOST_STRETCHES - 1)], c,
                       &all[i], s);
        }
        before = &all[i];
    }
    return sums;
}

/* --- figures --- */

static void add_figures(struct figure *row, const struct counted *c, const struct flop_sums *sums,
                        double power_w) {
    double flop_s = sums->flop / sums->s;
    figures_real(row, "tflop_s", flop_s / 1e12);
    figures_real(row, "mfu", flop_s / c->flop_s[PIPE_TENSOR]);
    figures_real(row, "pj_per_flop", flop_s > 0 ? power_w / flop_s * 1e12 : NAN);
    figures_real(row, "sm_clock_share", sums->clock_s > 0 ? sums->clock / sums->clock_s : NAN);
}

/* Mean power of the device's samples in a stretch; NAN: there are none. */
static double power_of(const struct telemetry_device *device, size_t *next, int64_t end_ns) {
    double sum = 0;
    size_t first = *next;
    while (*next < device->points.count && device->points.at[*next].time_ns <= end_ns)
        sum += device->points.at[(*next)++].power_w;
    return *next > first ? sum / (double)(*next - first) : NAN;
}

static void add_stretches(struct figure *list, const char *key, const struct counted *c,
                          const struct flop_sums stretches[MOST_STRETCHES]) {
    size_t next = 0;
    for (size_t i = 0; i < MOST_STRETCHES; i++) {
        double share = (double)(i + 1) / MOST_STRETCHES;
        int64_t end_ns = c->first_ns + (int64_t)((double)(c->last_ns - c->first_ns) * share);
        double power_w = power_of(c->device, &next, end_ns);
        if (stretches[i].samples == 0)
            continue;
        struct figure *row = figures_group(list, NULL);
        figures_text(row, "device", key);
        figures_real(row, "until_s", (double)(end_ns - c->first_ns) / 1e9);
        add_figures(row, c, &stretches[i], power_w);
    }
}

static bool shows_a_pipe(const struct telemetry_device *device) {
    bool any = false;
    for (size_t i = 0; i < PIPES; i++)
        any = any || shows(device, pipes[i].metric);
    return any;
}

static void note_losses(const struct flops_losses *losses, struct problems *notes) {
    for (size_t i = 0; i < FLOPS_FAULTS; i++) {
        unsigned long long devices = losses->faults[i];
        if (devices > 0 && faults[i].setting)
            problems_add_setting(notes, (struct location){0}, faults[i].setting,
                                 "%llu devices have no FLOP/s: %s", devices, faults[i].text);
        else if (devices > 0)
            problems_say(notes, "%llu devices have no FLOP/s: %s", devices, faults[i].text);
    }
    for (size_t i = 0; i < PIPES; i++) {
        if (losses->unrecorded[i] > 0)
            problems_say(notes, "%llu devices without %s activity: its FLOP count as 0",
                         (unsigned long long)losses->unrecorded[i], pipes[i].name);
        if (losses->no_peak[i] > 0)
            problems_say(notes, "%llu devices whose %s peak is not known: its FLOP count as 0",
                         (unsigned long long)losses->no_peak[i], pipes[i].name);
    }
    if (losses->samples > 0)
        problems_say(notes,
                     "%llu samples without all pipes, or with an activity outside 0 to 1, have no "
                     "FLOP/s",
                     (unsigned long long)losses->samples);
}

/* The two lists of figures; NULL: no device has any so far. */
struct flops_lists {
    struct figure *all, *over_time;
};

static void add_device_flops(struct flops_lists *lists, struct figure *root, const char *key,
                             const struct counted *c, double power_w) {
    struct flop_sums stretches[MOST_STRETCHES] = {0}, sums = sum_up(c, stretches);
    if (!(sums.s > 0))
        return;
    if (!lists->all) {
        lists->all = figures_list(root, "flops");
        lists->over_time = figures_list(root, "flops_over_time");
        lists->over_time->json_only = true;
    }
    struct figure *row = figures_group(lists->all, NULL);
    figures_text(row, "device", key);
    figures_text(row, "peaks_of", c->peaks.name ? c->peaks.name : "given");
    figures_text(row, "tensor_precision", c->precision);
    figures_int(row, "samples", (int64_t)sums.samples);
    figures_real(row, "duration_s", sums.s);
    add_figures(row, c, &sums, power_w);
    add_stretches(lists->over_time, key, c, stretches);
}

void telemetry_add_flops(const struct telemetry *telemetry, const double *power_w,
                         const struct telemetry_job *job) {
    struct flops_losses losses = {.samples = 0};
    struct flops_lists lists = {NULL, NULL};
    for (size_t i = 0; i < telemetry->devices.count; i++) {
        struct counted c = {.device = &telemetry->devices.at[i], .left_out = &losses.samples};
        if (!shows_a_pipe(c.device))
            continue;
        enum flops_fault fault = find_peaks(&c, job->options);
        if (fault < FLOPS_FAULTS) {
            losses.faults[fault]++;
            continue;
        }
        leave_out_pipes(&c, &losses);
        find_span(&c, job->options->trim_idle);
        add_device_flops(&lists, job->profile->figures, intern_text(&telemetry->keys, (uint32_t)i),
                         &c, power_w[i]);
    }
    note_losses(&losses, &job->profile->notes);
    if (lists.all)
        problems_say(
            &job->profile->notes,
            "FLOP/s are estimates from the activity of pipes: Meta found counters up to 10 "
            "%% higher; easim has no data to check this");
}
