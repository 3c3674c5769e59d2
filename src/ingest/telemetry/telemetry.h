/* Power and use of GPUs over time, from readers of telemetry; the same follows for all. */
#ifndef EASIM_INGEST_TELEMETRY_TELEMETRY_H
#define EASIM_INGEST_TELEMETRY_TELEMETRY_H

#include "base/intern.h"
#include "ingest/profile.h"
#include "io/lines.h"

#include <math.h>

enum telemetry_metric { /* except power; mean and maximum of the samples are kept */
                        TELEMETRY_UTILIZATION, /* percent */
                        TELEMETRY_MEMORY_USED, /* MiB */
                        TELEMETRY_SM_ACTIVE,   /* ratios 0..1, like those of pipes */
                        TELEMETRY_TENSOR_ACTIVE,
                        TELEMETRY_DRAM_ACTIVE,
                        TELEMETRY_FP64_ACTIVE,
                        TELEMETRY_FP32_ACTIVE,
                        TELEMETRY_FP16_ACTIVE,
                        TELEMETRY_SM_CLOCK,     /* MHz */
                        TELEMETRY_POWER_CAPPED, /* 1 where a power cap slowed the GPU */
                        TELEMETRY_POWER_LIMIT,  /* W */
                        TELEMETRY_METRICS
};

struct telemetry_point { /* 24 bytes */
    int64_t time_ns;
    double power_w;
    float utilization; /* percent; NAN: unknown */
};

#define TELEMETRY_MOST_DEVICES 65536
#define TELEMETRY_NO_DEVICE    UINT32_MAX
#define TELEMETRY_ACTIVITIES   7 /* from SM activity to SM clock */

struct telemetry_activity { /* what was seen of one instant; NAN: nothing */
    int64_t time_ns;
    float at[TELEMETRY_ACTIVITIES];
};

struct telemetry_metric_sum {
    uint64_t count;
    double sum, least, most;
};

struct telemetry_device {
    const char *gpu;   /* NULL: not given */
    const char *index; /* of the GPU in its host; NULL: it is the key */
    ARRAY_OF(struct telemetry_point) points;
    ARRAY_OF(struct telemetry_activity) activities;
    struct telemetry_metric_sum metrics[TELEMETRY_METRICS];
    double counter_j, last_counter_j; /* of an energy counter; last: NAN before the first */
    int64_t counter_first_ns, counter_last_ns;
    uint64_t resets; /* of the counter */
    uint64_t ticks;  /* rows so far, of a file without times */
};

/* Set up by telemetry_read or telemetry_init. */
struct telemetry {
    const struct profile_options *options;
    void *reader;        /* state of the format */
    const char *path;    /* of the file being read, borrowed */
    struct lines *lines; /* of that file; NULL: it is not read by lines */
    bool many_files;
    struct str key; /* scratch */
    struct arena arena;
    struct intern keys; /* of devices, in order of appearance */
    ARRAY_OF(struct telemetry_device) devices;
    uint64_t rows, bad_rows, repeated_rows, partial_rows, backward, missing, crowded;
    uint64_t missing_metrics[TELEMETRY_METRICS], missing_energies;
    uint32_t first_bad_line;
    const char *first_bad_file; /* borrowed */
    const char *damage;         /* the first file that ended early, and where; NULL: none did */
    bool no_times;              /* rows were taken to be --interval apart */
    struct {
        uint64_t *slots;
        size_t count, used;
    } seen; /* hashes of rows with a time */
};

/* One device's samples of one instant. */
struct telemetry_sample {
    uint32_t device;
    int64_t time_ns;
    double power_w;                    /* NAN: none */
    bool lacks_power;                  /* and should have one */
    double energy_j;                   /* counter; NAN: none */
    bool lacks_energy;                 /* and should have one */
    double metrics[TELEMETRY_METRICS]; /* NAN: none */
    bool lacks[TELEMETRY_METRICS];     /* and should have one */
};

/* A format that is read line by line. Rows that cannot be read: telemetry_bad_row. */
struct telemetry_format {
    const char *name;
    int (*begin)(struct telemetry *telemetry,
                 struct error *reterr); /* of a file; may be NULL, like end */
    int (*line)(struct telemetry *telemetry, struct slice line,
                struct error *reterr); /* never an empty one */
    int (*end)(struct telemetry *telemetry, struct error *reterr);
};

/* The input of a reader, as in struct profile_reader. */
struct telemetry_job {
    char *const *paths;
    size_t count;
    const struct profile_options *options;
    struct profile *profile;
    struct problems *problems;
};

/* All files, and the report. */
int telemetry_read(const struct telemetry_format *format, const struct telemetry_job *job,
                   void *reader);

void telemetry_sample_init(struct telemetry_sample *sample);
/* Index of the device; TELEMETRY_NO_DEVICE if too many: then the functions below only count. */
uint32_t telemetry_device_number(struct telemetry *telemetry, struct slice key);
/* A device whose key means another one in each file. */
uint32_t telemetry_local_device(struct telemetry *telemetry, struct slice key);
void telemetry_name_gpu(struct telemetry *telemetry, uint32_t device,
                        struct slice name); /* the first name counts */
/* The time of row number `tick` where the file has none; the second: of a device's next row. */
int64_t telemetry_tick(struct telemetry *telemetry, uint64_t tick);
int64_t telemetry_next_tick(struct telemetry *telemetry, uint32_t device);
/* Puts the value of a metric that a row should have: NAN is counted as missing. */
void telemetry_put(struct telemetry_sample *sample, enum telemetry_metric metric, double value);
void telemetry_add(struct telemetry *telemetry, const struct telemetry_sample *sample);
/* Whether a row with the same bytes was there before. */
bool telemetry_is_repeated(struct telemetry *telemetry, struct slice row);
/* Whether this is a last line without a line end, whose last number may be cut: it is counted. */
bool telemetry_is_partial(struct telemetry *telemetry);
/* Notes that a file ended early; what came before counts. */
void telemetry_damaged(struct telemetry *telemetry, const char *text);
void telemetry_bad_row(struct telemetry *telemetry); /* the one at hand */
void telemetry_init(struct telemetry *telemetry, const struct telemetry_job *job, void *reader);
static inline double telemetry_mean(const struct telemetry_metric_sum *sum) {
    return sum->count > 0 ? sum->sum / (double)sum->count : NAN;
}

/* --- telemetry_flops --- */

/* FLOP/s, MFU and J per FLOP of each device, from the activity of its pipes, all in order of time:
   figures flops and flops_over_time, and notes. power_w: mean by device. */
void telemetry_add_flops(const struct telemetry *telemetry, const double *power_w,
                         const struct telemetry_job *job);

/* --- telemetry_report --- */

/* Figures, notes and the profile row. Negative if there is no power at all. */
int telemetry_report(struct telemetry *telemetry, const char *format,
                     const struct telemetry_job *job);
void telemetry_finish(struct telemetry *telemetry);

/* ---- What cells hold ---- */

enum telemetry_unit { /* what a number comes back in, and a cell without a unit has */
                      TELEMETRY_PLAIN, /* no unit */
                      TELEMETRY_PERCENT,
                      TELEMETRY_S,
                      TELEMETRY_W,
                      TELEMETRY_J,
                      TELEMETRY_KWH,
                      TELEMETRY_J_OF_MJ, /* J; a cell without a unit, or with mJ, has millijoules */
                      TELEMETRY_MIB,
};

/* A number, perhaps with a unit after it ("631.95 W", "0.2 kW"); NAN for every way of saying that
   there is none. *is_bad (may be NULL) is set if the text is neither, has a unit of something else,
   or power or energy is negative: NAN as well. */
double telemetry_number(struct slice cell, enum telemetry_unit unit, bool *is_bad);
/* Whether a number in a cell has a unit after it: then that of the header does not count. */
bool telemetry_has_unit(struct slice cell);
/* The factor for cells without a unit if the header names one (empty: none named, 1). False: no
   unit of this kind. */
bool telemetry_header_factor(struct slice header_unit, enum telemetry_unit unit, double *factor);
const char *telemetry_units_accepted(enum telemetry_unit unit); /* "W, kW, MW": for messages */
/* Seconds or milliseconds since 1970, or a date and time with / or -; without zone UTC. */
bool telemetry_time(struct slice cell, int64_t *time_ns);
/* The same at blanks; all quotes stay. */
size_t telemetry_split_blanks(struct slice line, struct slice *fields, size_t most);
/* Splits at separators outside of quotes, trims, takes quotes away; returns how many there are, of
   which at most `most` are stored. */
size_t telemetry_split(struct slice line, char separator, struct slice *fields, size_t most);

#endif
