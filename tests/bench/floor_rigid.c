/* The floor under a rigid replay: the least that a C program has to do to replay the same file.
   Reads a workload CSV of rigid jobs (make_jobs.py), then starts them in the order of submission,
   each on the first nodes that have its GPUs free, as soon as they have. No energy, no metrics, no
   records, nothing printed: the mean wait in milliseconds is compared with an expected one.
   Usage: floor_rigid FILE NODES GPUS_PER_NODE [WAIT_MS]. Ends with 1 if the mean wait is another.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBMIT = 1, DURATION = 5, GPUS = 7, COLUMNS = 8, NODES_OF_JOB = 64 };

struct job {
    int64_t submit_ns, duration_ns;
    uint32_t gpus, pieces, first; /* where it runs: in `places`, from `first` on */
};

struct place {
    uint32_t node, gpus;
};

struct end {
    int64_t time_ns;
    uint32_t job;
};

struct replay {
    struct job *jobs;
    size_t count, capacity;
    uint32_t *free; /* by node */
    uint32_t nodes, free_gpus;
    struct end *heap;
    size_t running;
    struct place *places;
    size_t place_count, place_capacity;
};

static void *grown(void *at, size_t *capacity, size_t size) {
    *capacity = *capacity ? 2 * *capacity : 1024;
    at = realloc(at, *capacity * size);
    if (!at)
        exit(2);
    return at;
}

static int64_t nanoseconds(double seconds) {
    return (int64_t)llround(seconds * 1e9);
}

static void read_jobs(struct replay *replay, FILE *file) {
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, file) < 0) /* the names of the columns */
        exit(2);
    while (getline(&line, &room, file) > 0) {
        char *cells[COLUMNS], *rest = line;
        for (int i = 0; i < COLUMNS; i++)
            cells[i] = strsep(&rest, ",");
        if (!cells[COLUMNS - 1])
            exit(2);
        if (replay->count == replay->capacity)
            replay->jobs = grown(replay->jobs, &replay->capacity, sizeof *replay->jobs);
        replay->jobs[replay->count++] =
            (struct job){.submit_ns = nanoseconds(strtod(cells[SUBMIT], NULL)),
                         .duration_ns = nanoseconds(strtod(cells[DURATION], NULL)),
                         .gpus = (uint32_t)strtoul(cells[GPUS], NULL, 10)};
    }
    free(line);
}

/* --- ends of running jobs --- */

static void push_end(struct replay *replay, struct end end) {
    size_t at = replay->running++;
    for (size_t parent; at > 0 && end.time_ns < replay->heap[parent = (at - 1) / 2].time_ns;
         at = parent)
        replay->heap[at] = replay->heap[parent];
    replay->heap[at] = end;
}

static struct end pop_end(struct replay *replay) {
    struct end first = replay->heap[0], last = replay->heap[--replay->running];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < replay->running; at = child) {
        if (child + 1 < replay->running &&
            replay->heap[child + 1].time_ns < replay->heap[child].time_ns)
            child++;
        if (last.time_ns <= replay->heap[child].time_ns)
            break;
        replay->heap[at] = replay->heap[child];
    }
    replay->heap[at] = last;
    return first;
}

/* --- GPUs --- */

static void start_job(struct replay *replay, uint32_t number, int64_t now_ns) {
    struct job *job = &replay->jobs[number];
    uint32_t left = job->gpus;
    job->first = (uint32_t)replay->place_count;
    for (uint32_t node = 0; left > 0; node++) {
        uint32_t taken = replay->free[node] < left ? replay->free[node] : left;
        if (taken == 0)
            continue;
        if (replay->place_count == replay->place_capacity)
            replay->places = grown(replay->places, &replay->place_capacity, sizeof *replay->places);
        replay->places[replay->place_count++] = (struct place){node, taken};
        replay->free[node] -= taken;
        left -= taken;
        job->pieces++;
    }
    replay->free_gpus -= job->gpus;
    push_end(replay, (struct end){now_ns + job->duration_ns, number});
}

static void end_job(struct replay *replay) {
    const struct job *job = &replay->jobs[pop_end(replay).job];
    for (uint32_t i = job->first; i < job->first + job->pieces; i++)
        replay->free[replay->places[i].node] += replay->places[i].gpus;
    replay->free_gpus += job->gpus;
}

/* The mean wait in ms. */
static double replay_jobs(struct replay *replay) {
    size_t next = 0, arrived = 0;
    double waits_s = 0;
    while (next < replay->count) {
        int64_t end_ns = replay->running > 0 ? replay->heap[0].time_ns : INT64_MAX;
        int64_t submit_ns = arrived < replay->count ? replay->jobs[arrived].submit_ns : INT64_MAX;
        int64_t now_ns = end_ns <= submit_ns ? end_ns : submit_ns;
        if (now_ns == end_ns)
            end_job(replay);
        else
            arrived++;
        for (; next < arrived && replay->jobs[next].gpus <= replay->free_gpus; next++) {
            waits_s += (double)(now_ns - replay->jobs[next].submit_ns) / 1e9;
            start_job(replay, (uint32_t)next, now_ns);
        }
        if (now_ns == INT64_MAX)
            exit(2); /* a job asks for more than there is */
    }
    while (replay->running > 0)
        end_job(replay);
    return replay->count > 0 ? 1e3 * waits_s / (double)replay->count : 0;
}

int main(int count, char **words) {
    FILE *file = count > 3 ? fopen(words[1], "r") : NULL;
    struct replay replay = {0};
    if (!file)
        return 2;
    replay.nodes = (uint32_t)strtoul(words[2], NULL, 10);
    uint32_t gpus = (uint32_t)strtoul(words[3], NULL, 10);
    replay.free_gpus = replay.nodes * gpus;
    replay.free = calloc(replay.nodes, sizeof *replay.free);
    read_jobs(&replay, file);
    fclose(file);
    replay.heap = malloc((replay.count + 1) * sizeof *replay.heap);
    if (!replay.free || !replay.heap)
        return 2;
    for (uint32_t n = 0; n < replay.nodes; n++)
        replay.free[n] = gpus;
    double wait_ms = replay_jobs(&replay);
    return count > 4 && fabs(wait_ms - strtod(words[4], NULL)) > 1e-6;
}
