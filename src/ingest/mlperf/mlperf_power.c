/* One file after the other; of each only sums are kept, and a hash that tells repeated ones. */
#include "ingest/mlperf/internal.h"

#include "base/hash.h"
#include "io/files.h"

#include <math.h>
#include <stdlib.h>

/* --- mlperf_files --- */
/* One order of names on all file systems, for the same remarks and sums. */

bool mlperf_is_folder(const char *path) {
    struct stat status;
    return files_stat(path, &status) && S_ISDIR(status.st_mode);
}

/* node_2 before node_10: digits at one place count as a number. */
ORDER_BY(compare_files, struct mlperf_file, THEN(strverscmp(a->name, b->name)))

void mlperf_files_list(const char *folder, struct arena *arena, struct mlperf_files *files) {
    DIR *dir = files_open_folder(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        struct mlperf_file *file = array_add(files);
        file->name = arena_strndup(arena, entry->d_name, strlen(entry->d_name));
        file->path = arena_printf(arena, "%s%s%s", folder,
                                  folder[strlen(folder) - 1] == '/' ? "" : "/", file->name);
        file->is_folder = mlperf_is_folder(file->path);
    }
    if (dir)
        closedir(dir);
    sort_array(files->at, files->count, compare_files);
}

/* --- mlperf_power --- */

#define MOST_NODE_W   1e6
#define LEAST_COVERED 0.9 /* of the run, between the first and the last reading in it */

struct reading {
    double time_ms, watts;
    size_t order; /* in the file */
};

/* Readings of one meter. */
struct meter {
    const char *name; /* of the file */
    uint64_t count;   /* of readings during the run */
    uint64_t disordered, readings_hash;
    double energy; /* W ms by trapezoids, from the first reading in the run to the last */
    double first_ms, last_ms, last_w, floor_w;
};

struct reader {
    const struct profile_options *options;
    const struct mlperf_power *power;
    struct profile *profile;
    struct problems *problems;
    ARRAY_OF(struct meter) meters;
    ARRAY_OF(struct reading) readings; /* of the file at hand */
};

ORDER_BY(compare_readings, struct reading, ASC(time_ms) ASC(order))

static void add_reading(const struct mlperf_power *power, struct meter *meter,
                        const struct reading *reading) {
    double time_ms = reading->time_ms;
    meter->readings_hash = hash_bytes(meter->readings_hash, &time_ms, sizeof time_ms);
    meter->readings_hash = hash_bytes(meter->readings_hash, &reading->watts, sizeof reading->watts);
    if (time_ms > power->stop_ms)
        meter->floor_w = fmin(meter->floor_w, reading->watts);
    if (!(time_ms >= power->start_ms && time_ms <= power->stop_ms))
        return;
    if (meter->count++ == 0)
        meter->first_ms = time_ms;
    else
        meter->energy += (time_ms - meter->last_ms) * (reading->watts + meter->last_w) / 2;
    meter->last_ms = time_ms;
    meter->last_w = reading->watts;
}

/* Puts the readings in the order of their times, because the clock may have jumped. */
static void sum_up_meter(struct reader *reader, struct meter *meter) {
    struct reading *readings = reader->readings.at;
    size_t count = reader->readings.count;
    for (size_t i = 1; i < count; i++)
        meter->disordered += readings[i].time_ms < readings[i - 1].time_ms;
    if (meter->disordered > 0)
        sort_array(readings, count, compare_readings);
    for (size_t i = 0; i < count; i++)
        add_reading(reader->power, meter, &readings[i]);
}

/* In time; of readings at one instant the last. */
static double meter_mean_w(const struct meter *meter) {
    double length_ms = meter->last_ms - meter->first_ms;
    return length_ms > 0 ? meter->energy / length_ms : meter->last_w;
}

static void read_meter(struct reader *reader, const char *path, const char *name) {
    struct meter meter = {.name = name, .readings_hash = HASH_START, .floor_w = NAN};
    struct mlperf_lines lines;
    struct mlperf_record record;
    struct error error = {0};
    reader->readings.count = 0;
    int got = mlperf_lines_open(&lines, path, &error);
    while (got == 0 && (got = mlperf_lines_next(&lines, &record, &error)) > 0) {
        got = 0;
        if (!slice_is(record.key, "power_reading"))
            continue;
        double watts =
            mlperf_number(&record, record.value, "power_reading", MOST_NODE_W, reader->problems);
        if (isnan(record.time_ms))
            problems_add(reader->problems, record.where, "power_reading", "expected time_ms");
        else if (!isnan(watts))
            array_push(&reader->readings,
                       ((struct reading){record.time_ms, watts, reader->readings.count}));
    }
    mlperf_lines_close(&lines, &error, reader->options, reader->profile, reader->problems);
    sum_up_meter(reader, &meter);
    array_push(&reader->meters, meter);
}

/* ---- Notes on the files ---- */

static void note_repeats(const struct reader *reader, const char *folder) {
    for (size_t i = 0; i < reader->meters.count; i++)
        for (size_t j = 0; j < i; j++)
            if (reader->meters.at[i].readings_hash == reader->meters.at[j].readings_hash) {
                problems_add(&reader->profile->notes, (struct location){.file = folder}, NULL,
                             "%s repeats the readings of %s: both count", reader->meters.at[i].name,
                             reader->meters.at[j].name);
                break;
            }
}

/* Whether it was on during the run. */
static bool note_meter(const struct reader *reader, const char *folder, const struct meter *meter) {
    double run_ms = reader->power->stop_ms - reader->power->start_ms,
           covered = (meter->last_ms - meter->first_ms) / run_ms;
    if (meter->disordered > 0)
        problems_add(&reader->profile->notes, (struct location){.file = folder}, NULL,
                     "%s: %llu readings earlier than the one above: they were sorted", meter->name,
                     (unsigned long long)meter->disordered);
    if (meter->count == 0)
        problems_add(&reader->profile->notes, (struct location){.file = folder}, NULL,
                     "%s left out: no reading between run_start and run_stop", meter->name);
    else if (covered < LEAST_COVERED)
        problems_add(&reader->profile->notes, (struct location){.file = folder}, NULL,
                     "%s: readings over %.0f %% of the run", meter->name, 100 * covered);
    return meter->count > 0;
}

static void sum_up_meters(const struct reader *reader, const char *folder,
                          struct mlperf_power *power) {
    double sum_w = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < reader->meters.count; i++) {
        const struct meter *meter = &reader->meters.at[i];
        if (!note_meter(reader, folder, meter))
            continue;
        power->floor_w = fmin(power->floor_w, meter->floor_w); /* of NaN and a number the number */
        sum_w += meter_mean_w(meter);
        count++;
    }
    if (count > 0)
        power->mean_w = sum_w / count;
    if (power->nodes > 0 && count > 0 && count < power->nodes)
        problems_add(&reader->profile->notes, (struct location){.file = folder}, NULL,
                     "%u of %u nodes metered: their mean stands for all", count, power->nodes);
    if (power->nodes > 0 && reader->meters.count > power->nodes)
        problems_add(reader->problems, (struct location){.file = folder}, NULL,
                     "expected files of at most %u nodes, found %zu", power->nodes,
                     reader->meters.count);
}

void mlperf_power_read(const char *folder, const struct profile_options *options,
                       struct mlperf_power *power, struct profile *profile,
                       struct problems *problems) {
    struct reader r = {
        .options = options, .power = power, .profile = profile, .problems = problems};
    struct mlperf_files files = {0};
    power->mean_w = power->floor_w = NAN;
    mlperf_files_list(folder, &profile->arena, &files);
    for (size_t i = 0; i < files.count; i++) {
        const struct mlperf_file *file = &files.at[i];
        if (strncmp(file->name, "node_", 5) == 0)
            read_meter(&r, file->path, file->name);
        else if (strncmp(file->name, "sw_", 3) == 0)
            problems_add(&profile->notes, (struct location){.file = file->path}, NULL,
                         "power of a switch, whose unit is not stated: not used");
        else
            problems_add(&profile->notes, (struct location){.file = file->path}, NULL,
                         "not read: neither node_N.txt nor sw_N.txt");
    }
    note_repeats(&r, folder);
    sum_up_meters(&r, folder, power);
    free(files.at);
    free(r.meters.at);
    free(r.readings.at);
}
