/* The chain back from the last finish: see critical_path.h. */
#include "insight/blame/critical_path.h"

#include <stdlib.h>

/* The first of the workload, of those that finish last; EASIM_NONE: none does. */
static uint32_t last_to_finish(const struct recorded_run *run) {
    uint32_t last = EASIM_NONE;
    for (uint32_t j = 0; j < run->workload.jobs.count; j++)
        if (run->jobs[j].finish_ns >= 0 &&
            (last == EASIM_NONE || run->jobs[j].finish_ns > run->jobs[last].finish_ns))
            last = j;
    return last;
}

/* The holding of the job in which that instant is, or with which it ends; NULL: there is none. */
static const struct holding *holding_at(const struct holdings *holdings, uint32_t job,
                                        int64_t time_ns) {
    for (size_t i = holdings->first[job + 1]; i > holdings->first[job]; i--)
        if (holdings->list.at[i - 1].start_ns < time_ns)
            return &holdings->list.at[i - 1];
    return NULL;
}

static void reverse(struct critical_path *path) {
    struct critical_link *links = path->links.at;
    for (size_t i = 0, j = path->links.count; i + 1 < j; i++) {
        struct critical_link link = links[--j];
        links[j] = links[i];
        links[i] = link;
    }
}

void critical_path_find(struct critical_path *path, const struct recorded_run *run,
                        const struct holdings *holdings) {
    uint32_t job = last_to_finish(run);
    if (job == EASIM_NONE)
        return;
    int64_t until_ns = run->jobs[job].finish_ns, finish_ns = until_ns;
    path->makespan_ns = finish_ns - run->workload.jobs.at[0].submit_ns;
    while (job != EASIM_NONE) {
        const struct holding *h = holding_at(holdings, job, until_ns);
        if (!h)
            break;
        path->length_ns = finish_ns - h->start_ns;
        path->held_ns += until_ns - h->start_ns;
        int64_t gap_ns = h->behind == EASIM_NONE ? 0 : h->start_ns - h->released_ns;
        array_push(&path->links, ((struct critical_link){job, h->start_ns, until_ns, gap_ns}));
        job = h->behind;
        until_ns = h->released_ns;
    }
    reverse(path);
}

void critical_path_finish(struct critical_path *path) {
    free(path->links.at);
    *path = (struct critical_path){0};
}
