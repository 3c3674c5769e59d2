/* easy: EASY backfilling (Lifka 1995; Mu'alem, Feitelson 2001) with one queue for every GPU type.
   The first job that does not fit is the head and gets a reservation; later jobs may pass it if
   they do not delay it. */
#include "easy/book.h"

/* A GPU type during one pass. */
struct queue {
    bool blocked;      /* a head has been found */
    int64_t shadow_ns; /* when the head can start, by the requested ends of running jobs */
    uint32_t extra;    /* GPUs free then that the head does not need */
};

/* One pass. */
struct visit {
    const struct easim_pass *pass;
    struct book *book;
    struct queue *queues; /* by GPU type */
};

/* The configuration a job requests: its fixed one, or that of its least time. */
static const struct easim_config *request_of(const struct easim_view *view,
                                             const struct easim_job *job) {
    return easim_view_config(view, job->best_config);
}

/* --- the reservation of the head --- */

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

/* The same, asked once until a node fails or is repaired. */
static uint32_t enough_for_kind(const struct visit *v, struct kind *kind) {
    if (kind->enough_at != v->book->cluster_events) {
        kind->enough = enough_for(v->pass->view, easim_view_config(v->pass->view, kind->config));
        kind->enough_at = v->book->cluster_events;
    }
    return kind->enough;
}

/* The earliest requested end at which `missing` (> 0) more GPUs are free, or if that is never, the
   last one; now: nobody runs. */
static int64_t free_at_ns(const struct visit *v, uint32_t gpu_type, uint32_t missing) {
    const struct forest *running = &v->book->running;
    uint32_t root = v->book->ends[gpu_type], end = tree_reaching(running, root, missing);
    end = end != TREE_NONE ? end : tree_last(running, root);
    return end == TREE_NONE ? v->pass->view->now_ns
                            : easim_predicted_end_ns(v->pass->view, running->nodes[end].item.key);
}

static void reserve(const struct visit *v, struct kind *kind, uint32_t gpu_type) {
    struct queue *queue = &v->queues[gpu_type];
    uint32_t k = enough_for_kind(v, kind);
    uint64_t free = easim_view_gpu_type(v->pass->view, gpu_type)->free;
    queue->shadow_ns = v->pass->view->now_ns;
    if (free < k) {
        queue->shadow_ns = free_at_ns(v, gpu_type, k - (uint32_t)free);
        free += tree_gpus(&v->book->running, v->book->ends[gpu_type], queue->shadow_ns);
    }
    queue->extra = free > k ? (uint32_t)(free - k)
                            : 0; /* fewer than k: GPUs have failed, and nobody knows until when */
}

/* --- the pass --- */

/* Whether a job behind the head may start: it ends in time, or needs only GPUs the head leaves
 * over. */
static bool may_pass(const struct easim_view *view, const struct easim_job *job, uint32_t span,
                     uint32_t k, struct queue *queue) {
    if (view->now_ns + book_time_ns(view, job, span) <= queue->shadow_ns)
        return true;
    if (k > queue->extra)
        return false;
    queue->extra -= k;
    return true;
}

/* The first job of a kind from `from` on that is the head of its GPU type, or may start now. */
static uint32_t first_of_kind(const struct visit *v, const struct kind *kind,
                              const struct easim_config *config, uint32_t from) {
    const struct easim_view *view = v->pass->view;
    const struct queue *queue = &v->queues[config->gpu_type];
    const struct forest *waiting = &v->book->waiting;
    int span = queue->blocked ? easim_fit(view, config) : 0;
    int64_t most_ns =
        queue->blocked && config->k > queue->extra ? queue->shadow_ns - view->now_ns : INT64_MAX;
    uint32_t node =
        span < 0 ? TREE_NONE : tree_first(waiting, kind->root, from, (uint32_t)span, most_ns);
    return node == TREE_NONE ? EASIM_NONE : waiting->nodes[node].item.job;
}

/* Of the kinds of one GPU type, or EASIM_NONE: all. */
static void find_next(const struct visit *v, uint32_t gpu_type, uint32_t from) {
    for (uint32_t i = 0; i < v->book->busy_count; i++) {
        struct kind *kind = &v->book->kinds[v->book->busy[i]];
        const struct easim_config *config = easim_view_config(v->pass->view, kind->config);
        if (gpu_type == EASIM_NONE || config->gpu_type == gpu_type)
            kind->next = first_of_kind(v, kind, config, from);
    }
}

/* Who is to be visited next, in the order of submission; EASIM_NONE: nobody. */
static uint32_t next_job(const struct book *book) {
    uint32_t job =
        book->next_arrived < book->arrived_count ? book->arrived[book->next_arrived] : EASIM_NONE;
    for (uint32_t i = 0; i < book->busy_count; i++) {
        uint32_t next = book->kinds[book->busy[i]].next;
        job = next < job ? next : job;
    }
    return job;
}

/* The head of a GPU type, or a job that may start. Negative: failed. */
static int visit_job(const struct visit *v, const struct easim_job *job) {
    const struct easim_view *view = v->pass->view;
    uint32_t kind = book_kind(v->book, v->pass, job);
    if (kind == EASIM_NONE)
        return -1;
    const struct easim_config *config = request_of(view, job);
    struct queue *queue = &v->queues[config->gpu_type];
    int span = easim_fit(view, config), filed = 0;
    if (span < 0 && !queue->blocked) {
        queue->blocked = true;
        reserve(v, &v->book->kinds[kind], config->gpu_type);
    } else if (span >= 0 &&
               (!queue->blocked || may_pass(view, job, (uint32_t)span, config->k, queue))) {
        v->pass->host->plan_start(v->pass->plan, job->index, job->best_config);
    }
    filed = book_note(v->book, v->pass, job);
    find_next(v, filed > 0 ? EASIM_NONE : config->gpu_type, job->index + 1);
    return filed;
}

static int visit_jobs(const struct visit *v) {
    const struct easim_view *view = v->pass->view;
    struct book *book = v->book;
    uint32_t next;
    find_next(v, EASIM_NONE, 0);
    while (view->free_gpus > 0 && (next = next_job(book)) != EASIM_NONE) {
        if (book->next_arrived < book->arrived_count && next == book->arrived[book->next_arrived])
            book->next_arrived++;
        if (visit_job(v, easim_view_job(view, next)) < 0)
            return -1;
    }
    return 0;
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
    struct book *book = pass->state;
    if (book_update(book, pass) < 0)
        return -1;
    if (!nothing_to_do(view)) {
        size_t bytes = view->gpu_type_count * sizeof(struct queue);
        const struct visit v = {pass, book, pass->host->scratch(pass->plan, bytes)};
        if (visit_jobs(&v) < 0)
            return -1;
    }
    while (book->next_arrived < book->arrived_count)
        if (book_add(book, pass, easim_view_job(view, book->arrived[book->next_arrived++])) < 0)
            return -1;
    return 0;
}

static int init(const struct easim_pass *pass) {
    return book_init(pass->state, pass);
}

static void finish(const struct easim_pass *pass) {
    book_finish(pass->state);
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "easy",
    .version = "1.0",
    .summary = "EASY backfilling from requested run times",
    .help =
        "Jobs start in the order of submission while they fit. "
        "The first that does not fit gets a reservation at\n"
        "the shadow time, the earliest requested end at which it fits; "
        "a later job may start now if its requested\n"
        "end is not after the shadow time, or if it needs only GPUs that the head leaves free then. "
        "Each GPU type\n"
        "has its own head, shadow time and extra GPUs. "
        "A job without a fixed request asks for the configuration of\n"
        "its least completion time (Lifka 1995; Mu'alem, Feitelson 2001).",
    .state_size = sizeof(struct book),
    .job_memory_size = sizeof(struct place),
    .decide = decide,
    .init = init,
    .finish = finish,
    .reads = EASIM_READS_RUN_TIMES,
};
