/* Samples as they come. Invariant: a device's points are in the order of the file until they are
 * reported. */
#include "ingest/telemetry/telemetry.h"

#include "base/hash.h"
#include "base/units.h"

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
        t->devices.at[device].gpu =
            arena_strndup(&t->arena, name.at, name.length < 256 ? name.length : 256);
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
    if (device->points.count > 0 &&
        sample->time_ns < device->points.at[device->points.count - 1].time_ns)
        t->backward++;
    array_push(&device->points,
               ((struct telemetry_point){sample->time_ns, sample->power_w,
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
    uint64_t hash =
        hash_mix(hash_bytes(HASH_START, row.at, row.length)) | 1; /* 0 marks an empty slot */
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

void telemetry_init(struct telemetry *t, const struct telemetry_job *job, void *reader) {
    *t =
        (struct telemetry){.options = job->options, .reader = reader, .many_files = job->count > 1};
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
