/* plain_easy: EASY backfilling as policies/easy.c has it, without a book: every decision goes
   through the whole queue and sorts the ends of all running jobs. */
#include <easim/policy.h>

/* A GPU type during one pass. */
struct queue {
    bool has_head;
    bool never;        /* its head does not fit once all running jobs have ended */
    int64_t shadow_ns; /* when the head can start, by the requested ends of running jobs */
    uint32_t extra;    /* GPUs free then that the head does not need */
};

/* --- what a job may start in --- */

/* T on the empty cluster; INFINITY: it has no place there. */
static double time_when_empty_s(const struct easim_view *view, const struct easim_job *job,
                                uint32_t config) {
    const struct easim_config *c = easim_view_config(view, config);
    if (!(c->goodput[c->empty_span] > 0) || c->power_limit_w < INFINITY)
        return INFINITY;
    return easim_predict(view, job, config, c->empty_span).time_s;
}

/* Least T, then semantics 5.1. */
static bool is_better(const struct easim_view *view, const struct easim_job *job, uint32_t a,
                      uint32_t b) {
    const struct easim_config *x = easim_view_config(view, a), *y = easim_view_config(view, b);
    double x_s = time_when_empty_s(view, job, a), y_s = time_when_empty_s(view, job, b);
    if (x_s != y_s)
        return x_s < y_s;
    if (x->k != y->k)
        return x->k < y->k;
    if (x->power_w[x->empty_span] != y->power_w[y->empty_span])
        return x->power_w[x->empty_span] < y->power_w[y->empty_span];
    return x->gpu_type != y->gpu_type ? x->gpu_type < y->gpu_type : x->batch < y->batch;
}

enum { MOST_TYPES = 8 };

/* The best configuration of each GPU type, the best first. */
struct candidates {
    uint32_t configs[MOST_TYPES], count;
};

static struct candidates find_candidates(const struct easim_view *view,
                                         const struct easim_job *job) {
    struct candidates c = {{0}, 0};
    uint32_t best[MOST_TYPES];
    for (uint32_t h = 0; h < MOST_TYPES; h++)
        best[h] = EASIM_NONE;
    for (uint32_t i = job->first_config; i < job->first_config + job->config_count; i++) {
        uint32_t *of_type = &best[easim_view_config(view, i)->gpu_type];
        if (time_when_empty_s(view, job, i) < INFINITY &&
            (*of_type == EASIM_NONE || is_better(view, job, i, *of_type)))
            *of_type = i;
    }
    for (;;) {
        uint32_t next = MOST_TYPES;
        for (uint32_t h = 0; h < MOST_TYPES; h++)
            if (best[h] != EASIM_NONE &&
                (next == MOST_TYPES || is_better(view, job, best[h], best[next])))
                next = h;
        if (next == MOST_TYPES)
            return c;
        c.configs[c.count++] = best[next];
        best[next] = EASIM_NONE;
    }
}

/* --- the reservation of the head --- */

struct end {
    int64_t time_ns;
    uint32_t k;
};

static void sift_down(struct end *heap, uint32_t count, uint32_t at) {
    struct end moving = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].time_ns < heap[child].time_ns)
            child++;
        if (heap[child].time_ns >= moving.time_ns)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

/* Requested ends of all running jobs of a type as a heap; returns their number. */
static uint32_t collect_ends(const struct easim_pass *pass, uint32_t gpu_type,
                             struct end **ret_ends) {
    const struct easim_view *view = pass->view;
    struct end *ends = pass->host->scratch(pass->plan, (view->running_count + 1) * sizeof *ends);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_running *running = easim_view_running(view, i);
        if (running->gpu_type == gpu_type)
            ends[count++] =
                (struct end){easim_predicted_end_ns(view, running->predicted_end_ns), running->k};
    }
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(ends, count, i);
    *ret_ends = ends;
    return count;
}

/* Free GPUs with which a request surely fits: its k; if it is known in one node only, as many as
   leave some node k free however they are spread. */
static uint32_t enough_for(const struct easim_view *view, const struct easim_config *request) {
    uint32_t most_in_vain = 0;
    if (request->goodput[EASIM_ACROSS_NODES] > 0)
        return request->k;
    for (uint32_t n = 0; n < view->node_count; n++) {
        const struct easim_node *node = easim_view_node(view, n);
        if (node->gpu_type == request->gpu_type && !node->failed)
            most_in_vain += node->gpus < request->k ? node->gpus : request->k - 1;
    }
    return most_in_vain + 1;
}

static struct queue reserve(const struct easim_pass *pass, const struct easim_config *request) {
    struct queue queue = {.has_head = true, .shadow_ns = pass->view->now_ns};
    struct end *ends;
    uint32_t gpu_type = request->gpu_type, k = enough_for(pass->view, request);
    uint32_t count = collect_ends(pass, gpu_type, &ends);
    uint32_t free = easim_view_gpu_type(pass->view, gpu_type)->free;
    while (count > 0 && (free < k || ends[0].time_ns <= queue.shadow_ns)) {
        if (free < k)
            queue.shadow_ns = ends[0].time_ns;
        free += ends[0].k;
        ends[0] = ends[--count];
        if (count > 0)
            sift_down(ends, count, 0);
    }
    queue.never = free < k; /* GPUs have failed, and nobody knows until when */
    queue.extra = free > k ? free - k : 0;
    return queue;
}

static void become_head(const struct easim_pass *pass, const struct candidates *candidates,
                        struct queue *queues) {
    struct queue best = {0};
    uint32_t best_type = EASIM_NONE;
    for (uint32_t i = 0; i < candidates->count; i++) {
        const struct easim_config *config = easim_view_config(pass->view, candidates->configs[i]);
        if (queues[config->gpu_type].has_head)
            continue;
        struct queue queue = reserve(pass, config);
        if (best_type == EASIM_NONE || (best.never && !queue.never) ||
            (best.never == queue.never && queue.shadow_ns < best.shadow_ns)) {
            best = queue;
            best_type = config->gpu_type;
        }
    }
    if (best_type != EASIM_NONE)
        queues[best_type] = best;
}

/* --- the pass --- */

static int64_t requested_end_ns(const struct easim_view *view, const struct easim_job *job,
                                uint32_t config, uint32_t span) {
    double time_s = easim_predict(view, job, config, span).time_s;
    return view->now_ns + (int64_t)ceil(fmin(time_s, 4e9) * 1e9 - 0.001);
}

/* Whether a job may start beside the head: it ends in time, or needs only GPUs the head leaves
 * over. */
static bool may_start(const struct easim_view *view, const struct easim_job *job, uint32_t config,
                      uint32_t span, struct queue *queue) {
    uint32_t k = easim_view_config(view, config)->k;
    if (!queue->has_head || requested_end_ns(view, job, config, span) <= queue->shadow_ns)
        return true;
    if (k > queue->extra)
        return false;
    queue->extra -= k;
    return true;
}

static void visit(const struct easim_pass *pass, const struct easim_job *job,
                  struct queue *queues) {
    const struct candidates candidates = find_candidates(pass->view, job);
    bool tried = false;
    for (uint32_t i = 0; i < candidates.count; i++) {
        uint32_t c = candidates.configs[i];
        const struct easim_config *config = easim_view_config(pass->view, c);
        int span = easim_fit(pass->view, config);
        if (span < 0 || !may_start(pass->view, job, c, (uint32_t)span, &queues[config->gpu_type]))
            continue;
        tried = true;
        if (pass->host->plan_start(pass->plan, job->index, c) == EASIM_OK)
            break;
    }
    if (!tried)
        become_head(pass, &candidates, queues);
}

/* A single arrival that does not fit changes nothing. */
static bool nothing_to_do(const struct easim_view *view) {
    if (view->free_gpus == 0 || view->waiting_count == 0)
        return true;
    if (view->event_count != 1 || easim_view_event(view, 0)->kind != EASIM_EVENT_ARRIVAL)
        return false;
    const struct easim_job *job = easim_view_job(view, easim_view_event(view, 0)->job);
    const struct candidates candidates = find_candidates(view, job);
    bool fits = false;
    for (uint32_t i = 0; i < candidates.count; i++)
        fits = fits || easim_fit(view, easim_view_config(view, candidates.configs[i])) >= 0;
    return !fits;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (nothing_to_do(view))
        return 0;
    struct queue *queues = pass->host->scratch(pass->plan, view->gpu_type_count * sizeof *queues);
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && view->free_gpus > 0;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        visit(pass, job, queues);
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "easy",
    .version = "1.0", .summary = "EASY backfilling, the whole queue at every decision",
    .decide = decide,
};
