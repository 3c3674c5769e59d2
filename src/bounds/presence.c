/* Jobs in the system: see presence.h. At t let A be the jobs with release + alone <= t: the others
   that have come are there for certain. Of A as few are left as if the machine had worked for them
   alone, shortest remaining time first; it forgets everything when all that has come would be done,
   so each busy period stands for itself. */
#include "bounds/presence.h"

#include "base/array.h"
#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MOST_STEPS 500000.0 /* jobs of A, summed over the changes of A: a few 0.01 s */

struct departure {
    double earliest_s; /* release + alone */
    size_t job;
};

ORDER_BY(compare_departures, struct departure, ASC(earliest_s) ASC(job))

/* Of a busy period: what A leaves, integrated. With many jobs A grows in steps of several, and is
   smaller than it could be in between. */
static double left_behind_s(const struct machine_job *jobs, const double *alone_s, size_t count,
                            double end_s) {
    struct departure *departures = mem_alloc(count * sizeof *departures);
    struct machine_job *chosen = mem_alloc(count * sizeof *chosen);
    bool *is_chosen = mem_zalloc(count, sizeof *is_chosen);
    size_t step = 1 + (size_t)((double)count * (double)count / 2 / MOST_STEPS);
    double sum_s = 0;
    for (size_t j = 0; j < count; j++)
        departures[j] = (struct departure){jobs[j].release_s + alone_s[j], j};
    sort_array(departures, count, compare_departures);
    for (size_t d = 0; d < count; d += step) {
        size_t next = d + step < count ? d + step : count, chosen_count = 0;
        double from_s = departures[next - 1].earliest_s;
        double to_s = next < count
                          ? departures[next + step < count ? next + step - 1 : count - 1].earliest_s
                          : end_s;
        for (size_t i = d; i < next; i++)
            is_chosen[departures[i].job] = true;
        for (size_t j = 0; j < count; j++)
            if (is_chosen[j])
                chosen[chosen_count++] = jobs[j];
        if (to_s > from_s)
            sum_s += one_machine_srpt_s(chosen, chosen_count, from_s, to_s);
    }
    free(is_chosen);
    free(chosen);
    free(departures);
    return sum_s;
}

double presence_s(const struct machine_job *jobs, const double *alone_s, size_t count,
                  double end_s) {
    double sum_s = 0;
    for (size_t first = 0, next; first < count; first = next) {
        double idle_s = jobs[first].release_s;
        for (next = first; next < count && (next == first || jobs[next].release_s < idle_s); next++)
            idle_s += jobs[next].size_s;
        sum_s += left_behind_s(&jobs[first], &alone_s[first], next - first, end_s);
    }
    for (size_t j = 0; j < count; j++)
        sum_s += alone_s[j];
    return sum_s;
}
