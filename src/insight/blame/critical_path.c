/* The chain back from the last finish: see critical_path.h. */
#include "insight/blame/critical_path.h"

#include <stdlib.h>

/* --- holdings --- */

/* For one GPU: when a job gave it back last, and which. */
struct release {
    int64_t time_ns;
    uint32_t job;
};

struct sweep {
    const struct recorded_run *run;
    struct release *gpus; /* of all nodes */
    size_t *first_gpu;    /* by node */
    uint32_t *holding_of; /* by segment: the holding that it begins, or EASIM_NONE */
};

static bool is_held(const struct recorded_segment *segment) {
    return !recorded_segment_waits(segment);
}

/* Adds those of one job. */
static void add_holdings(struct holdings *holdings, const struct recorded_run *run, uint32_t job) {
    const struct recorded_job *j = &run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(run, j);
    struct holding *open = NULL;
    int64_t waited_ns = 0;
    for (uint32_t i = 0; i < j->segment_count; i++) {
        const struct recorded_segment *s = &segments[i];
        if (!is_held(s)) {
            waited_ns = s->end_ns - s->start_ns;
            open = waited_ns > 0 ? NULL : open;
        } else if (open) {
            open->end_ns = s->end_ns;
        } else {
            open = array_add(&holdings->list);
            *open = (struct holding){.job = job,
                                     .segment = j->segments + i,
                                     .start_ns = s->start_ns,
                                     .end_ns = s->end_ns,
                                     .waited_ns = waited_ns,
                                     .behind = EASIM_NONE};
        }
    }
}

/* A job that shares its GPU goes on there over the end of a segment: nothing is given back. */
static bool gives_back(const struct recorded_run *run, uint32_t segment) {
    const struct recorded_segment *s = &run->segments.at[segment];
    const struct easim_config *config = recorded_run_config(run, s);
    bool is_last = segment + 1 == run->segments.count || s[1].job != s->job;
    return config->milli == 0 || is_last || !is_held(&s[1]);
}

/* If several come free at one instant, the first in the workload counts. */
static void note_release(struct sweep *sweep, uint32_t segment) {
    const struct recorded_segment *s = &sweep->run->segments.at[segment];
    const struct recorded_gpus *gpus = &sweep->run->gpus.at[s->gpus];
    if (!gives_back(sweep->run, segment))
        return;
    for (uint32_t i = 0; i < s->gpus_count; i++)
        for (uint32_t g = 0; g < gpus[i].count; g++) {
            struct release *r = &sweep->gpus[sweep->first_gpu[gpus[i].node] + gpus[i].first + g];
            if (r->job == EASIM_NONE || r->time_ns < s->end_ns || s->job < r->job)
                *r = (struct release){s->end_ns, s->job};
        }
}

static void find_behind(const struct sweep *sweep, struct holding *h) {
    const struct recorded_segment *s = &sweep->run->segments.at[h->segment];
    const struct recorded_gpus *gpus = &sweep->run->gpus.at[s->gpus];
    for (uint32_t i = 0; i < s->gpus_count; i++)
        for (uint32_t g = 0; g < gpus[i].count; g++) {
            const struct release *r =
                &sweep->gpus[sweep->first_gpu[gpus[i].node] + gpus[i].first + g];
            bool later = r->time_ns > h->released_ns;
            if (r->job != EASIM_NONE && (h->behind == EASIM_NONE || later ||
                                         (r->time_ns == h->released_ns && r->job < h->behind))) {
                h->behind = r->job;
                h->released_ns = r->time_ns;
            }
        }
}

static void sweep_init(struct sweep *sweep, const struct holdings *holdings) {
    const struct cluster *cluster = &sweep->run->folder->cluster;
    size_t gpus = 0, segments = sweep->run->segments.count;
    sweep->first_gpu = mem_alloc(cluster->node_count * sizeof *sweep->first_gpu);
    for (uint32_t n = 0; n < cluster->node_count; gpus += cluster->nodes[n++].gpus)
        sweep->first_gpu[n] = gpus;
    sweep->gpus = mem_alloc(gpus * sizeof *sweep->gpus);
    for (size_t g = 0; g < gpus; g++)
        sweep->gpus[g] = (struct release){-1, EASIM_NONE};
    sweep->holding_of = mem_alloc(segments * sizeof *sweep->holding_of);
    for (size_t i = 0; i < segments; i++)
        sweep->holding_of[i] = EASIM_NONE;
    for (size_t i = 0; i < holdings->list.count; i++)
        sweep->holding_of[holdings->list.at[i].segment] = (uint32_t)i;
}

static void sweep_finish(struct sweep *sweep) {
    free(sweep->first_gpu);
    free(sweep->gpus);
    free(sweep->holding_of);
}

void holdings_find(struct holdings *holdings, const struct recorded_run *run) {
    size_t jobs = run->workload.jobs.count;
    holdings->first = mem_alloc((jobs + 1) * sizeof *holdings->first);
    for (uint32_t j = 0; j < jobs; j++) {
        holdings->first[j] = holdings->list.count;
        add_holdings(holdings, run, j);
    }
    holdings->first[jobs] = holdings->list.count;
    struct sweep sweep = {.run = run};
    sweep_init(&sweep, holdings);
    for (size_t i = 0; i < run->events.count; i++) {
        const struct segment_event *e = &run->events.at[i];
        if (!is_held(&run->segments.at[e->segment]))
            continue;
        uint32_t holding = e->begins ? sweep.holding_of[e->segment] : EASIM_NONE;
        if (!e->begins)
            note_release(&sweep, e->segment);
        else if (holding != EASIM_NONE && holdings->list.at[holding].waited_ns > 0)
            find_behind(&sweep, &holdings->list.at[holding]);
    }
    sweep_finish(&sweep);
}

void holdings_finish(struct holdings *holdings) {
    free(holdings->list.at);
    free(holdings->first);
    *holdings = (struct holdings){0};
}

/* --- critical_path --- */

/* The job that finishes last, the first of them in the workload; EASIM_NONE: none does. */
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
