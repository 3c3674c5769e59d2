/* plain_easy: EASY backfilling as policies/easy.c has it, without a book: every decision goes
   through the whole queue and sorts the ends of all running jobs. */
#include <easim/policy.h>

/* A GPU type during one pass. */
struct queue {
    bool blocked;      /* a head has been found */
    int64_t shadow_ns; /* when the head can start, by the requested ends of running jobs */
    uint32_t extra;    /* GPUs free then that the head does not need */
};

/* The configuration a job requests: its fixed one, or that of its least time. */
static const struct easim_config *request_of(const struct easim_view *view,
                                             const struct easim_job *job) {
    return easim_view_config(view, job->best_config);
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

static void reserve(const struct easim_pass *pass, const struct easim_config *request,
                    struct queue *queue) {
    struct end *ends;
    uint32_t gpu_type = request->gpu_type, k = enough_for(pass->view, request);
    uint32_t count = collect_ends(pass, gpu_type, &ends);
    uint32_t free = easim_view_gpu_type(pass->view, gpu_type)->free;
    queue->shadow_ns = pass->view->now_ns;
    while (count > 0 && (free < k || ends[0].time_ns <= queue->shadow_ns)) {
        if (free < k)
            queue->shadow_ns = ends[0].time_ns;
        free += ends[0].k;
        ends[0] = ends[--count];
        if (count > 0)
            sift_down(ends, count, 0);
    }
    queue->extra =
        free > k ? free - k : 0; /* fewer than k: GPUs have failed, and nobody knows until when */
}

/* --- the pass --- */

static int64_t requested_end_ns(const struct easim_view *view, const struct easim_job *job,
                                uint32_t span) {
    double time_s = easim_predict(view, job, job->best_config, span).time_s;
    return view->now_ns + (int64_t)ceil(fmin(time_s, 4e9) * 1e9 - 0.001);
}

/* Whether a job behind the head may start: it ends in time, or needs only GPUs the head leaves
 * over. */
static bool may_pass(const struct easim_view *view, const struct easim_job *job, uint32_t span,
                     uint32_t k, struct queue *queue) {
    if (requested_end_ns(view, job, span) <= queue->shadow_ns)
        return true;
    if (k > queue->extra)
        return false;
    queue->extra -= k;
    return true;
}

/* A single arrival that does not fit changes nothing. */
static bool nothing_to_do(const struct easim_view *view) {
    if (view->free_gpus == 0 || view->waiting_count == 0)
        return true;
    if (view->event_count != 1 || easim_view_event(view, 0)->kind != EASIM_EVENT_ARRIVAL)
        return false;
    const struct easim_job *job = easim_view_job(view, easim_view_event(view, 0)->job);
    return easim_fit(view, request_of(view, job)) < 0;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (nothing_to_do(view))
        return 0;
    struct queue *queues = pass->host->scratch(pass->plan, view->gpu_type_count * sizeof *queues);
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && view->free_gpus > 0;) {
        const struct easim_job *job = easim_view_job(view, i);
        const struct easim_config *config = request_of(view, job);
        struct queue *queue = &queues[config->gpu_type];
        int span = easim_fit(view, config);
        i = job->next_waiting;
        if (span < 0 && !queue->blocked) {
            queue->blocked = true;
            reserve(pass, config, queue);
        } else if (span >= 0 &&
                   (!queue->blocked || may_pass(view, job, (uint32_t)span, config->k, queue))) {
            pass->host->plan_start(pass->plan, job->index, job->best_config);
        }
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "easy",
    .version = "1.0", .summary = "EASY backfilling, the whole queue at every decision",
    .decide = decide,
};
