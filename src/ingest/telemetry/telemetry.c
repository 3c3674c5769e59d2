/* Samples as they come. Invariant: a device's points are in file order until they are reported. */
#include "ingest/telemetry/telemetry.h"

#include "base/hash.h"
#include "base/units.h"

#include <stdlib.h>

void telemetry_sample_init(struct telemetry_sample *sample) {
    *sample = (struct telemetry_sample){.power_w = NAN, .energy_j = NAN};
    for (size_t i = 0; i < TELEMETRY_METRICS; i++)
        sample->metrics[i] = NAN;
}

void telemetry_put(struct telemetry_sample *sample, enum telemetry_metric metric, double value) {
    sample->metrics[metric] = value;
    sample->lacks[metric] = isnan(value);
}

uint32_t telemetry_device_number(struct telemetry *telemetry, struct slice key) {
    size_t length = key.length < 256 ? key.length : 256;
    uint32_t number = intern_find(&telemetry->keys, key.at, length);
    if (number != INTERN_NONE)
        return number;
    if (telemetry->devices.count == TELEMETRY_MOST_DEVICES)
        return TELEMETRY_NO_DEVICE;
    array_add(&telemetry->devices)->last_counter_j = NAN;
    return intern(&telemetry->keys, key.at, length, NULL);
}

uint32_t telemetry_local_device(struct telemetry *telemetry, struct slice key) {
    if (!telemetry->many_files)
        return telemetry_device_number(telemetry, key);
    telemetry->key.length = 0;
    str_addf(&telemetry->key, "%s:", telemetry->path);
    str_add_bytes(&telemetry->key, key.at, key.length);
    return telemetry_device_number(telemetry,
                                   (struct slice){telemetry->key.text, telemetry->key.length});
}

void telemetry_name_gpu(struct telemetry *telemetry, uint32_t device, struct slice name) {
    if (device != TELEMETRY_NO_DEVICE && !telemetry->devices.at[device].gpu && name.length > 0)
        telemetry->devices.at[device].gpu =
            arena_strndup(&telemetry->arena, name.at, name.length < 256 ? name.length : 256);
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
    const double *metrics = &sample->metrics[TELEMETRY_SM_ACTIVE];
    bool any = false;
    struct telemetry_activity *last =
        device->activities.count > 0 ? &device->activities.at[device->activities.count - 1] : NULL;
    for (size_t i = 0; i < TELEMETRY_ACTIVITIES; i++)
        any = any || !isnan(metrics[i]);
    if (!any)
        return;
    if (!last || last->time_ns != sample->time_ns) {
        last = array_add(&device->activities);
        last->time_ns = sample->time_ns;
        for (size_t i = 0; i < TELEMETRY_ACTIVITIES; i++)
            last->at[i] = NAN;
    }
    for (size_t i = 0; i < TELEMETRY_ACTIVITIES; i++)
        if (!isnan(metrics[i]))
            last->at[i] = (float)metrics[i];
}

void telemetry_add(struct telemetry *telemetry, const struct telemetry_sample *sample) {
    if (sample->device == TELEMETRY_NO_DEVICE) {
        telemetry->crowded++;
        return;
    }
    struct telemetry_device *device = &telemetry->devices.at[sample->device];
    add_activity(device, sample);
    for (size_t i = 0; i < TELEMETRY_METRICS; i++) {
        add_metric(&device->metrics[i], sample->metrics[i]);
        telemetry->missing_metrics[i] += sample->lacks[i];
    }
    telemetry->missing_energies += sample->lacks_energy;
    if (!isnan(sample->energy_j))
        add_counter(device, sample->time_ns, sample->energy_j);
    if (isnan(sample->power_w)) {
        telemetry->missing += sample->lacks_power;
        return;
    }
    if (device->points.count > 0 &&
        sample->time_ns < device->points.at[device->points.count - 1].time_ns)
        telemetry->backward++;
    array_push(&device->points,
               ((struct telemetry_point){sample->time_ns, sample->power_w,
                                         (float)sample->metrics[TELEMETRY_UTILIZATION]}));
}

void telemetry_bad_row(struct telemetry *telemetry) {
    if (telemetry->bad_rows++ == 0) {
        telemetry->first_bad_line = telemetry->lines ? lines_number(telemetry->lines) : 0;
        telemetry->first_bad_file = telemetry->path;
    }
}

int64_t telemetry_tick(struct telemetry *telemetry, uint64_t tick) {
    double seconds = (double)tick * telemetry->options->interval_s;
    telemetry->no_times = true;
    return units_ns(seconds < TIME_MAX_S ? seconds : TIME_MAX_S);
}

int64_t telemetry_next_tick(struct telemetry *telemetry, uint32_t device) {
    return telemetry_tick(
        telemetry, device == TELEMETRY_NO_DEVICE ? 0 : telemetry->devices.at[device].ticks++);
}

bool telemetry_is_partial(struct telemetry *telemetry) {
    bool is_partial = lines_ended_partial(telemetry->lines) && telemetry->rows > 1;
    telemetry->partial_rows += is_partial;
    return is_partial;
}

void telemetry_damaged(struct telemetry *telemetry, const char *text) {
    if (!telemetry->damage)
        telemetry->damage = arena_strdup(&telemetry->arena, text);
}

/* ---- Repeated rows ---- */

static void grow_seen(struct telemetry *telemetry) {
    uint64_t *old = telemetry->seen.slots;
    size_t old_count = telemetry->seen.count;
    telemetry->seen.count = old_count ? 2 * old_count : 1024;
    telemetry->seen.slots = mem_zalloc(telemetry->seen.count, sizeof *telemetry->seen.slots);
    for (size_t i = 0; i < old_count; i++) {
        size_t slot = old[i] & (telemetry->seen.count - 1);
        while (old[i] != 0 && telemetry->seen.slots[slot] != 0)
            slot = (slot + 1) & (telemetry->seen.count - 1);
        if (old[i] != 0)
            telemetry->seen.slots[slot] = old[i];
    }
    free(old);
}

bool telemetry_is_repeated(struct telemetry *telemetry, struct slice row) {
    uint64_t hash =
        hash_mix(hash_bytes(HASH_START, row.at, row.length)) | 1; /* 0 marks an empty slot */
    if (2 * telemetry->seen.used >= telemetry->seen.count)
        grow_seen(telemetry);
    size_t slot = hash & (telemetry->seen.count - 1);
    for (; telemetry->seen.slots[slot] != 0; slot = (slot + 1) & (telemetry->seen.count - 1))
        if (telemetry->seen.slots[slot] == hash) {
            telemetry->repeated_rows++;
            return true;
        }
    telemetry->seen.slots[slot] = hash;
    telemetry->seen.used++;
    return false;
}

void telemetry_init(struct telemetry *telemetry, const struct telemetry_job *job, void *reader) {
    *telemetry =
        (struct telemetry){.options = job->options, .reader = reader, .many_files = job->count > 1};
}

void telemetry_finish(struct telemetry *telemetry) {
    for (size_t i = 0; i < telemetry->devices.count; i++) {
        free(telemetry->devices.at[i].points.at);
        free(telemetry->devices.at[i].activities.at);
    }
    free(telemetry->devices.at);
    free(telemetry->seen.slots);
    str_finish(&telemetry->key);
    intern_finish(&telemetry->keys);
    arena_finish(&telemetry->arena);
    *telemetry = (struct telemetry){0};
}
