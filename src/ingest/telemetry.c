/* Samples of power become energy and means. Invariant: a device's points are in the order of the file until they
   are reported. */
#include "ingest/telemetry.h"

#include "base/hash.h"
#include "base/units.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

void telemetry_sample_init(struct telemetry_sample *sample) {
    *sample = (struct telemetry_sample){.power_w = NAN, .energy_j = NAN};
    for (size_t i = 0; i < TELEMETRY_METRICS; i++)
        sample->metrics[i] = NAN;
}

uint32_t telemetry_device_number(struct telemetry *t, struct slice key) {
    size_t length = key.length < 256 ? key.length : 256;
    uint32_t number = intern_find(&t->keys, key.at, length);
    if (number != INTERN_NONE)
        return number;
    if (t->devices.count == TELEMETRY_MOST_DEVICES)
        return TELEMETRY_NO_DEVICE;
    array_add(&t->devices)->last_counter_j = NAN;
    return intern(&t->keys, key.at, length, NULL);
}

uint32_t telemetry_local_device(struct telemetry *t, struct slice key) {
    if (!t->many_files)
        return telemetry_device_number(t, key);
    t->key.length = 0;
    str_addf(&t->key, "%s:", t->path);
    str_add_bytes(&t->key, key.at, key.length);
    return telemetry_device_number(t, (struct slice){t->key.text, t->key.length});
}

void telemetry_name_gpu(struct telemetry *t, uint32_t device, struct slice name) {
    if (device != TELEMETRY_NO_DEVICE && !t->devices.at[device].gpu && name.length > 0)
        t->devices.at[device].gpu = arena_strndup(&t->arena, name.at, name.length < 256 ? name.length : 256);
}

static void add_metric(struct telemetry_metric_sum *sum, double value) {
    if (isnan(value))
        return;
    sum->least = sum->count == 0 || value < sum->least ? value : sum->least;
    sum->most = sum->count == 0 || value > sum->most ? value : sum->most;
    sum->sum += value;
    sum->count++;
}

/* A counter that falls was reset: what it shows then has been used since. */
static void add_counter(struct telemetry_device *device, int64_t time_ns, double energy_j) {
    if (isnan(device->last_counter_j)) {
        device->counter_first_ns = time_ns;
    } else if (energy_j < device->last_counter_j) {
        device->resets++;
        device->counter_j += energy_j;
    } else {
        device->counter_j += energy_j - device->last_counter_j;
    }
    device->last_counter_j = energy_j;
    device->counter_last_ns = time_ns;
}

/* Some files have a line for each metric: what belongs to the instant above goes there. */
static void add_activity(struct telemetry_device *device, const struct telemetry_sample *sample) {
    const double *ratios = &sample->metrics[TELEMETRY_SM_ACTIVE];
    struct telemetry_activity *last =
        device->activities.count > 0 ? &device->activities.at[device->activities.count - 1] : NULL;
    if (isnan(ratios[0]) && isnan(ratios[1]) && isnan(ratios[2]))
        return;
    if (!last || last->time_ns != sample->time_ns) {
        last = array_add(&device->activities);
        *last = (struct telemetry_activity){sample->time_ns, {NAN, NAN, NAN}};
    }
    for (size_t i = 0; i < TELEMETRY_ACTIVITIES; i++)
        if (!isnan(ratios[i]))
            last->ratios[i] = (float)ratios[i];
}

void telemetry_add(struct telemetry *t, const struct telemetry_sample *sample) {
    if (sample->device == TELEMETRY_NO_DEVICE) {
        t->crowded++;
        return;
    }
    struct telemetry_device *device = &t->devices.at[sample->device];
    add_activity(device, sample);
    for (size_t i = 0; i < TELEMETRY_METRICS; i++)
        add_metric(&device->metrics[i], sample->metrics[i]);
    if (!isnan(sample->energy_j))
        add_counter(device, sample->time_ns, sample->energy_j);
    if (isnan(sample->power_w)) {
        t->missing += sample->lacks_power;
        return;
    }
    if (device->points.count > 0 && sample->time_ns < device->points.at[device->points.count - 1].time_ns)
        t->backward++;
    array_push(&device->points, ((struct telemetry_point){sample->time_ns, sample->power_w,
                                                          (float)sample->metrics[TELEMETRY_UTILIZATION]}));
}

void telemetry_bad_row(struct telemetry *t) {
    if (t->bad_rows++ == 0) {
        t->first_bad_line = t->lines ? lines_number(t->lines) : 0;
        t->first_bad_file = t->path;
    }
}

int64_t telemetry_tick(struct telemetry *t, uint64_t tick) {
    double seconds = (double)tick * t->options->interval_s;
    t->no_times = true;
    return units_ns(seconds < TIME_MAX_S ? seconds : TIME_MAX_S);
}

int64_t telemetry_next_tick(struct telemetry *t, uint32_t device) {
    return telemetry_tick(t, device == TELEMETRY_NO_DEVICE ? 0 : t->devices.at[device].ticks++);
}

bool telemetry_is_partial(struct telemetry *t) {
    bool is_partial = lines_ended_partial(t->lines) && t->rows > 1;
    t->partial_rows += is_partial;
    return is_partial;
}

void telemetry_damaged(struct telemetry *t, const char *text) {
    if (!t->damage)
        t->damage = arena_strdup(&t->arena, text);
}

/* ---- Repeated rows ---- */

static void grow_seen(struct telemetry *t) {
    uint64_t *old = t->seen.slots;
    size_t old_count = t->seen.count;
    t->seen.count = old_count ? 2 * old_count : 1024;
    t->seen.slots = mem_zalloc(t->seen.count, sizeof *t->seen.slots);
    for (size_t i = 0; i < old_count; i++) {
        size_t slot = old[i] & (t->seen.count - 1);
        while (old[i] != 0 && t->seen.slots[slot] != 0)
            slot = (slot + 1) & (t->seen.count - 1);
        if (old[i] != 0)
            t->seen.slots[slot] = old[i];
    }
    free(old);
}

bool telemetry_is_repeated(struct telemetry *t, struct slice row) {
    uint64_t hash = hash_mix(hash_bytes(HASH_START, row.at, row.length)) | 1; /* 0 marks an empty slot */
    if (2 * t->seen.used >= t->seen.count)
        grow_seen(t);
    size_t slot = hash & (t->seen.count - 1);
    for (; t->seen.slots[slot] != 0; slot = (slot + 1) & (t->seen.count - 1))
        if (t->seen.slots[slot] == hash) {
            t->repeated_rows++;
            return true;
        }
    t->seen.slots[slot] = hash;
    t->seen.used++;
    return false;
}

/* ---- Figures ---- */

struct power {
    size_t samples, changes; /* changes: samples that differ from the one before */
    double duration_s, energy_j, mean_w, sample_mean_w, p50_w, p95_w, p99_w, max_w;
};

static int by_time(const void *a, const void *b) {
    const struct telemetry_point *x = a, *y = b;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Points without work at both ends are no part of the job. */
static void trim_idle(struct telemetry_device *device) {
    struct telemetry_point *points = device->points.at;
    size_t first = 0, count = device->points.count;
    while (first < count && points[first].utilization == 0)
        first++;
    while (count > first && points[count - 1].utilization == 0)
        count--;
    if (count > first && first > 0)
        memmove(points, points + first, (count - first) * sizeof *points);
    if (count > first)
        device->points.count = count - first;
}

static struct power power_of(const struct telemetry_device *device) {
    const struct telemetry_point *points = device->points.at;
    size_t count = device->points.count;
    struct power p = {.samples = count, .max_w = NAN};
    double *values = mem_alloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = points[i].power_w;
        p.changes += i == 0 || points[i].power_w != points[i - 1].power_w;
        if (i > 0)
            p.energy_j += (double)(points[i].time_ns - points[i - 1].time_ns) / 1e9 *
                          (points[i].power_w + points[i - 1].power_w) / 2;
    }
    if (count > 0) {
        p.duration_s = (double)(points[count - 1].time_ns - points[0].time_ns) / 1e9;
        p.sample_mean_w = gsl_stats_mean(values, 1, count);
        p.mean_w = p.duration_s > 0 ? p.energy_j / p.duration_s : p.sample_mean_w;
        gsl_sort(values, 1, count);
        p.p50_w = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.5);
        p.p95_w = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.95);
        p.p99_w = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.99);
        p.max_w = values[count - 1];
    }
    free(values);
    return p;
}

static double mean_of(const struct telemetry_metric_sum *sum) {
    return sum->count > 0 ? sum->sum / (double)sum->count : NAN;
}

static double most_of(const struct telemetry_metric_sum *sum) {
    return sum->count > 0 ? sum->most : NAN;
}

static double counter_s(const struct telemetry_device *device) {
    return (double)(device->counter_last_ns - device->counter_first_ns) / 1e9;
}

static bool has_counter(const struct telemetry_device *device) {
    return !isnan(device->last_counter_j) && counter_s(device) > 0;
}

static void add_device(struct figure *list, const char *key, const struct telemetry_device *device,
                       const struct power *p) {
    static const struct {
        const char *name;
        enum telemetry_metric metric;
        bool most;
    } metrics[] = {{"utilization_mean_%", TELEMETRY_UTILIZATION, false},
                   {"memory_used_max_mib", TELEMETRY_MEMORY_USED, true},
                   {"sm_active_mean", TELEMETRY_SM_ACTIVE, false},
                   {"tensor_active_mean", TELEMETRY_TENSOR_ACTIVE, false},
                   {"dram_active_mean", TELEMETRY_DRAM_ACTIVE, false},
                   {"power_capped_share", TELEMETRY_POWER_CAPPED, false}};
    struct figure *row = figures_group(list, NULL);
    figures_text(row, "device", key);
    figures_int(row, "samples", (int64_t)p->samples);
    figures_int(row, "changes", (int64_t)p->changes);
    figures_real(row, "duration_s", p->duration_s);
    figures_real(row, "energy_j", p->energy_j);
    figures_real(row, "counter_energy_j", has_counter(device) ? device->counter_j : NAN);
    figures_real(row, "power_mean_w", p->mean_w);
    figures_real(row, "power_sample_mean_w", p->sample_mean_w);
    figures_real(row, "power_p50_w", p->p50_w);
    figures_real(row, "power_p95_w", p->p95_w);
    figures_real(row, "power_p99_w", p->p99_w);
    figures_real(row, "power_max_w", p->max_w);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct telemetry_metric_sum *sum = &device->metrics[metrics[i].metric];
        if (sum->count > 0)
            figures_real(row, metrics[i].name, metrics[i].most ? most_of(sum) : mean_of(sum));
    }
    figures_text(row, "gpu", device->gpu);
}

/* ---- The row ---- */

static void note_count(struct profile *profile, uint64_t count, const char *what) {
    if (count > 0)
        problems_add(&profile->notes, (struct location){0}, NULL, "%llu %s", (unsigned long long)count, what);
}

static void add_notes(const struct telemetry *t, const struct profile_options *options, struct profile *profile) {
    if (t->bad_rows > 0)
        problems_add(&profile->notes, (struct location){t->first_bad_file, t->first_bad_line, 0}, NULL,
                     "%llu rows that cannot be read left out, this is the first", (unsigned long long)t->bad_rows);
    if (t->damage)
        problems_add(&profile->notes, (struct location){0}, NULL, "%s, %llu rows kept", t->damage,
                     (unsigned long long)t->rows);
    note_count(profile, t->repeated_rows, "rows that repeat an earlier one left out");
    note_count(profile, t->partial_rows, "last lines without a line end left out");
    note_count(profile, t->crowded, "samples of more than 65536 devices left out");
    note_count(profile, t->missing, "samples without power left out");
    note_count(profile, t->backward, "times before the one above: rows were sorted");
    for (size_t i = 0; i < t->devices.count; i++)
        note_count(profile, t->devices.at[i].resets, "resets of an energy counter");
    if (t->no_times)
        problems_add(&profile->notes, (struct location){0}, NULL,
                     "no times in the file: rows taken to be %g s apart (--interval)", options->interval_s);
}

/* The power sensors of A100 and H100 look at about a quarter of the time (arXiv 2312.02741): what samples say of
   phases shorter than the sampling is chance. */
static bool has_partial_sensor(const struct telemetry_device *device) {
    return device->gpu && (strstr(device->gpu, "A100") || strstr(device->gpu, "H100")) && !has_counter(device) &&
           device->points.count > 0;
}

static void note_sensors(const struct telemetry *t, struct profile *profile) {
    uint64_t count = 0;
    for (size_t i = 0; i < t->devices.count; i++)
        count += has_partial_sensor(&t->devices.at[i]);
    note_count(profile, count, "A100 or H100 without an energy counter: their sensors see about 25 % of the time");
}

/* Figures of all devices for the row. */
struct totals {
    double power_w, duration_s;
    size_t devices, counters;
    const struct telemetry_metric_sum *limit; /* of the first device */
    const char *gpu;
};

/* What the meter counted is better than what was sampled. */
static void add_total(struct totals *totals, const struct telemetry_device *device, const struct power *p) {
    if (p->samples == 0 && !has_counter(device))
        return;
    totals->devices++;
    totals->counters += has_counter(device);
    totals->power_w += has_counter(device) ? device->counter_j / counter_s(device) : p->mean_w;
    if (p->duration_s > totals->duration_s)
        totals->duration_s = p->duration_s;
    if (!totals->gpu)
        totals->gpu = device->gpu;
    if (!totals->limit)
        totals->limit = &device->metrics[TELEMETRY_POWER_LIMIT];
}

static void add_row(const struct totals *totals, const char *format, const char *path,
                    const struct profile_options *options, struct profile *profile) {
    struct profile_row *row = profile_add_row(profile, options);
    const struct telemetry_metric_sum *limit = totals->limit;
    if (row->gpus == 0)
        row->gpus = (uint32_t)totals->devices;
    if (!row->gpu && totals->gpu)
        row->gpu = arena_strdup(&profile->arena, totals->gpu);
    if (isnan(row->power_limit_w) && limit->count > 0 && limit->least == limit->most)
        row->power_limit_w = limit->most;
    row->power_w_per_gpu = totals->power_w / (double)totals->devices;
    if (options->samples > 0 && totals->duration_s > 0)
        row->throughput_samples_s = options->samples / totals->duration_s;
    row->source = arena_printf(&profile->arena, "%s %s, %s", format, path,
                               totals->counters == totals->devices ? "energy counter" : "power samples");
}

int telemetry_report(struct telemetry *t, const char *format, const struct telemetry_job *job) {
    const struct profile_options *options = job->options;
    struct profile *profile = job->profile;
    struct problems *problems = job->problems;
    struct totals totals = {0};
    profile->figures = figures_create(&profile->arena);
    figures_int(profile->figures, "rows", (int64_t)t->rows);
    figures_int(profile->figures, "bad_rows", (int64_t)t->bad_rows);
    figures_int(profile->figures, "repeated_rows", (int64_t)t->repeated_rows);
    struct figure *list = figures_list(profile->figures, "devices");
    for (size_t i = 0; t->backward > 0 && i < t->devices.count; i++)
        if (t->devices.at[i].points.count > 0)
            qsort(t->devices.at[i].points.at, t->devices.at[i].points.count, sizeof *t->devices.at[i].points.at,
                  by_time);
    telemetry_add_power_model(t, profile->figures);
    for (size_t i = 0; i < t->devices.count; i++) {
        struct telemetry_device *device = &t->devices.at[i];
        if (options->trim_idle)
            trim_idle(device);
        struct power power = power_of(device);
        add_device(list, intern_text(&t->keys, (uint32_t)i), device, &power);
        add_total(&totals, device, &power);
    }
    add_notes(t, options, profile);
    note_sensors(t, profile);
    if (totals.devices == 0) {
        problems_add(problems, (struct location){0}, NULL, "%s: no power of any GPU", job->paths[0]);
        return ERROR_INPUT;
    }
    if (options->strict && t->bad_rows > 0) {
        problems_add(problems, (struct location){t->first_bad_file, t->first_bad_line, 0}, NULL,
                     "row that cannot be read");
        return ERROR_INPUT;
    }
    if (options->strict && t->damage) {
        problems_add(problems, (struct location){0}, NULL, "%s", t->damage);
        return ERROR_INPUT;
    }
    profile->damaged = t->bad_rows > 0 || t->damage;
    add_row(&totals, format, job->paths[0], options, profile);
    return 0;
}

void telemetry_init(struct telemetry *t, const struct telemetry_job *job, void *reader) {
    *t = (struct telemetry){.options = job->options, .reader = reader, .many_files = job->count > 1};
}

void telemetry_finish(struct telemetry *t) {
    for (size_t i = 0; i < t->devices.count; i++) {
        free(t->devices.at[i].points.at);
        free(t->devices.at[i].activities.at);
    }
    free(t->devices.at);
    free(t->seen.slots);
    str_finish(&t->key);
    intern_finish(&t->keys);
    arena_finish(&t->arena);
    *t = (struct telemetry){0};
}
