/* One machine: see one_machine.h. */
#include "bounds/one_machine.h"

#include "base/idset.h"
#include "base/mem.h"
#include "base/timeheap.h"

#include <math.h>
#include <stdlib.h>

/* How long a job was in the system in the time that counts. */
static double stay_s(const struct machine_job *job, double from_s, double until_s) {
    return fmax(0, until_s - fmax(job->release_s, from_s));
}

double one_machine_srpt_s(const struct machine_job *jobs, size_t count, double from_s,
                          double end_s) {
    struct timeheap waiting = {0}; /* by what remains */
    double now_s = 0, sum_s = 0;
    uint32_t job;
    for (size_t next = 0; next < count || waiting.entries.count > 0;) {
        if (waiting.entries.count == 0)
            now_s = fmax(now_s, jobs[next].release_s);
        for (; next < count && jobs[next].release_s <= now_s; next++)
            timeheap_push(&waiting, jobs[next].size_s, (uint32_t)next);
        double remaining_s = waiting.entries.at[0].time_s;
        double until_s = next < count ? jobs[next].release_s : end_s;
        (void)timeheap_pop_due(&waiting, INFINITY, &job);
        if (now_s + remaining_s <= until_s) {
            now_s += remaining_s;
            sum_s += stay_s(&jobs[job], from_s, now_s);
        } else if (next == count) { /* it is not done by the end, nor are the others */
            now_s = end_s;
            sum_s += stay_s(&jobs[job], from_s, end_s);
        } else {
            timeheap_push(&waiting, remaining_s - (until_s - now_s), job);
            now_s = until_s;
        }
    }
    timeheap_finish(&waiting);
    return sum_s;
}

struct ranked {
    double key; /* size / weight: the least first */
    uint32_t job;
};

ORDER_BY(compare_ranked, struct ranked, ASC(key) ASC(job))

/* A job in the order of its rank: what is still to do, and the integral of time over what is done.
 */
struct turn {
    uint32_t job;
    double remaining_s, busy_s2;
};

struct machine {
    const struct machine_job *jobs;
    size_t count, next; /* next: to be released */
    double now_s;
    struct turn *turns; /* by rank */
    uint32_t *ranks;    /* by job */
    struct idset there; /* ranks of those released and not done */
};

static void rank_jobs(struct machine *machine) {
    struct ranked *order = mem_alloc(machine->count * sizeof *order);
    for (size_t j = 0; j < machine->count; j++) {
        const struct machine_job *job = &machine->jobs[j];
        order[j] =
            (struct ranked){job->weight > 0 ? job->size_s / job->weight : INFINITY, (uint32_t)j};
    }
    sort_array(order, machine->count, compare_ranked);
    for (size_t r = 0; r < machine->count; r++) {
        machine->ranks[order[r].job] = (uint32_t)r;
        machine->turns[r] = (struct turn){order[r].job, machine->jobs[order[r].job].size_s, 0};
    }
    free(order);
}

/* Works on the first in rank until it is done or the next job comes; false: all is done. */
static bool work_on_first(struct machine *machine, double *ret_busy_s) {
    const struct machine_job *jobs = machine->jobs;
    uint64_t rank = idset_next(&machine->there, 0);
    double until_s = machine->next < machine->count ? jobs[machine->next].release_s : INFINITY;
    if (rank != IDSET_NONE) {
        struct turn *turn = &machine->turns[rank];
        bool ends = machine->now_s + turn->remaining_s <= until_s;
        double to_s = ends ? machine->now_s + turn->remaining_s : until_s;
        turn->busy_s2 += (to_s - machine->now_s) * (to_s + machine->now_s) / 2;
        turn->remaining_s -= to_s - machine->now_s;
        machine->now_s = to_s;
        if (ends) {
            idset_remove(&machine->there, rank);
            ret_busy_s[turn->job] = turn->busy_s2 / jobs[turn->job].size_s;
        }
        return true;
    }
    if (machine->next < machine->count)
        machine->now_s = until_s;
    return machine->next < machine->count;
}

void one_machine_busy(const struct machine_job *jobs, size_t count, double *ret_busy_s) {
    struct machine machine = {.jobs = jobs,
                              .count = count,
                              .turns = mem_alloc(count * sizeof *machine.turns),
                              .ranks = mem_alloc(count * sizeof *machine.ranks)};
    idset_init(&machine.there, count);
    rank_jobs(&machine);
    do {
        for (; machine.next < count && jobs[machine.next].release_s <= machine.now_s;
             machine.next++) {
            ret_busy_s[machine.next] = jobs[machine.next].release_s;
            if (jobs[machine.next].size_s > 0)
                idset_insert(&machine.there, machine.ranks[machine.next]);
        }
    } while (work_on_first(&machine, ret_busy_s));
    idset_finish(&machine.there);
    free(machine.ranks);
    free(machine.turns);
}
