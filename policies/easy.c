/* easy: EASY backfilling (Lifka 1995; Mu'alem, Feitelson 2001) on several GPU types. A job that
   does not fit becomes the head of one type and gets a reservation there; later jobs may pass it if
   they do not delay it. A job may start on each type that its request allows (easy/book.h:
   candidates).

   If a cap is enforced, power is a second resource, which all types share: a head needs what a
   start adds to the power at entry draws, and later jobs leave it to the heads of all types. The
   cap is the present one.
 */
#include "easy/book.h"

#include <inttypes.h>
#include <stdio.h>

/* A GPU type during one pass. */
struct queue {
    bool has_head;
    bool never;        /* its head does not even fit once all running jobs have ended */
    int64_t shadow_ns; /* when the head can start, by the requested ends of running jobs */
    uint32_t extra;    /* GPUs free then that the head does not need */
    uint32_t head;
    /* Power that the head needs, and that is left then by it and the heads before it. */
    int64_t need_nw, extra_nw;
};

/* GPU types of which others may start next. */
#define ALL_TYPES EASIM_NONE
#define NO_TYPE   (EASIM_NONE - 1)

/* One pass. */
struct visit {
    const struct easim_pass *pass;
    struct book *book;
    struct queue *queues; /* by GPU type */
    uint32_t heads;       /* so far */
    int64_t heads_nw;     /* power that they need */
    uint32_t next;        /* with heads: the least `next` of all kinds */
};

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
static uint32_t enough_in_lane(const struct visit *v, struct lane *lane) {
    if (lane->enough_at != v->book->node_changes) {
        lane->enough = enough_for(v->pass->view, easim_view_config(v->pass->view, lane->config));
        lane->enough_at = v->book->node_changes;
    }
    return lane->enough;
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

static int64_t room_nw(const struct visit *v) {
    return v->book->counts_power ? book_power(v->pass)->room_nw : INT64_MAX;
}

/* Likewise for power; negative: running jobs hold too little. */
static int64_t powered_at_ns(const struct visit *v, int64_t missing_nw) {
    const struct forest *drawing = &v->book->drawing;
    uint32_t end = tree_reaching(drawing, v->book->drawing_root, missing_nw);
    return end == TREE_NONE ? -1
                            : easim_predicted_end_ns(v->pass->view, drawing->nodes[end].item.key);
}

/* What the GPU type would be with a head that needs k GPUs and so much power. No head: the cap does
   not leave it that power, besides what other heads need, when all running jobs have ended. */
static struct queue reserve(const struct visit *v, uint32_t gpu_type, uint32_t k, int64_t need_nw) {
    const struct easim_view *view = v->pass->view;
    uint64_t free = easim_view_gpu_type(view, gpu_type)->free;
    struct queue queue = {.has_head = true, .shadow_ns = view->now_ns, .extra_nw = INT64_MAX};
    int64_t room = room_nw(v), all_nw = v->heads_nw + need_nw, powered_ns = view->now_ns;
    if (room < all_nw)
        powered_ns = powered_at_ns(v, all_nw - room);
    if (powered_ns < 0)
        return (struct queue){0};
    if (free < k)
        queue.shadow_ns = free_at_ns(v, gpu_type, k - (uint32_t)free);
    if (queue.shadow_ns < powered_ns)
        queue.shadow_ns = powered_ns;
    if (queue.shadow_ns > view->now_ns)
        free += (uint64_t)tree_holds(&v->book->running, v->book->ends[gpu_type], queue.shadow_ns);
    queue.never = free < k; /* GPUs have failed, or services hold them: nobody knows until when */
    queue.extra = queue.never ? 0 : (uint32_t)(free - k);
    if (room == INT64_MAX || queue.never)
        return queue;
    queue.need_nw = need_nw;
    queue.extra_nw = room - all_nw;
    if (queue.shadow_ns > view->now_ns)
        queue.extra_nw += tree_holds(&v->book->drawing, v->book->drawing_root, queue.shadow_ns);
    return queue;
}

/* Makes a job the head of that one of its GPU types without a head where it can start first.
   Returns the type; NO_TYPE: all have heads, or the cap leaves it no power. */
static uint32_t become_head(struct visit *v, const struct request *request, uint32_t job) {
    struct lane *lanes = v->book->kinds[request->kind].lanes;
    struct queue best = {0};
    uint32_t best_type = NO_TYPE;
    for (uint32_t i = 0; i < request->count; i++) {
        const struct candidate *c = &v->book->candidates[request->first + i];
        uint32_t gpu_type = easim_view_config(v->pass->view, c->config)->gpu_type;
        if (v->queues[gpu_type].has_head)
            continue;
        struct queue queue = reserve(v, gpu_type, enough_in_lane(v, &lanes[c->lane]),
                                     book_start_nw(v->book, v->pass, job, c->config));
        if (!queue.has_head)
            continue;
        if (best_type == NO_TYPE || queue.never < best.never ||
            (queue.never == best.never && queue.shadow_ns < best.shadow_ns)) {
            best = queue;
            best_type = gpu_type;
        }
    }
    if (best_type != NO_TYPE) {
        v->queues[best_type] = best;
        v->queues[best_type].head = job;
        v->heads++;
        v->heads_nw += best.need_nw;
    }
    return best_type;
}

/* --- the story of a job --- */

#define TEXT_BYTES 300

/* "job X, the head of TYPE" */
static void name_head(const struct visit *v, uint32_t gpu_type, char text[static TEXT_BYTES]) {
    snprintf(text, TEXT_BYTES, "job %.99s, the head of %.49s",
             easim_view_job(v->pass->view, v->queues[gpu_type].head)->id,
             easim_view_gpu_type(v->pass->view, gpu_type)->name);
}

/* How a job that is started could pass the head, if there is one. */
static void tell_start(const struct visit *v, uint32_t job, uint32_t gpu_type, bool ends_before) {
    char head[TEXT_BYTES], text[2 * TEXT_BYTES];
    if (!v->queues[gpu_type].has_head)
        return;
    name_head(v, gpu_type, head);
    snprintf(text, sizeof text, "passes %s: %s", head,
             ends_before             ? "ends before its reservation"
             : v->book->counts_power ? "needs only GPUs and power that it leaves free"
                                     : "needs only GPUs that it leaves free");
    v->pass->host->reason(v->pass->plan, job, text);
}

/* Its own reservation, as the head of a type. */
static void tell_head(const struct visit *v, uint32_t job, uint32_t gpu_type) {
    const struct queue *queue = &v->queues[gpu_type];
    const char *type = easim_view_gpu_type(v->pass->view, gpu_type)->name;
    char text[TEXT_BYTES];
    if (queue->never)
        snprintf(text, sizeof text,
                 "it is the head of %.49s; running jobs hold too few GPUs for it", type);
    else
        snprintf(text, sizeof text, "it is the head of %.49s, reserved for [%.9g s]", type,
                 (double)queue->shadow_ns / 1e9);
    v->pass->host->reason(v->pass->plan, job, text);
}

/* Why it may not pass the head of the type of its first candidate that fits, or of its first. */
static void tell_passing(const struct visit *v, const struct easim_job *job,
                         const struct request *request) {
    const struct easim_view *view = v->pass->view;
    char head[TEXT_BYTES], when[64] = "", why[160] = "", text[2 * TEXT_BYTES];
    uint32_t chosen = 0;
    for (uint32_t i = request->count; i-- > 0;)
        if (easim_fit(view,
                      easim_view_config(view, v->book->candidates[request->first + i].config)) >= 0)
            chosen = i;
    const struct easim_config *config =
        easim_view_config(view, v->book->candidates[request->first + chosen].config);
    const struct queue *queue = &v->queues[config->gpu_type];
    if (!queue->has_head) {
        v->pass->host->reason(v->pass->plan, job->index,
                              "the power cap leaves it too little, even without the running jobs");
        return;
    }
    if (!queue->never)
        snprintf(when, sizeof when, ", is reserved for [%.9g s]", (double)queue->shadow_ns / 1e9);
    if (easim_fit(view, config) >= 0 && v->book->counts_power)
        snprintf(why, sizeof why,
                 "; this job would end later and needs more than the %" PRIu32
                 " GPUs or the power that are left then, or the power cap refuses it now",
                 queue->extra);
    else if (easim_fit(view, config) >= 0)
        snprintf(why, sizeof why,
                 "; this job would end later and needs more than the %" PRIu32
                 " GPUs that are left then",
                 queue->extra);
    name_head(v, config->gpu_type, head);
    snprintf(text, sizeof text, "%s%s%s", head, when[0] ? when : " waits, nobody knows how long",
             why);
    v->pass->host->reason(v->pass->plan, job->index, text);
}

/* Nothing can start any more: the waiting jobs become heads, in their order, up to the one whose
   story is told. */
static void tell_waiting(const struct easim_pass *pass, struct book *book,
                         const struct easim_job *told) {
    const struct easim_view *view = pass->view;
    struct visit v = {
        pass, book, pass->host->scratch(pass->plan, view->gpu_type_count * sizeof(struct queue)),
        0,    0,    EASIM_NONE};
    for (uint32_t i = view->first_waiting; i < told->index && v.heads < view->gpu_type_count;) {
        const struct easim_job *job = easim_view_job(view, i);
        const struct request *request = book_request(book, pass, job);
        if (request)
            become_head(&v, request, i);
        i = job->next_waiting;
    }
    const struct request *request = book_request(book, pass, told);
    if (!request || request->count == 0)
        return;
    uint32_t gpu_type = become_head(&v, request, told->index);
    if (gpu_type != NO_TYPE)
        tell_head(&v, told->index, gpu_type);
    else
        tell_passing(&v, told, request);
}

/* --- the pass --- */

/* A start that is looked at. */
struct passing {
    uint32_t gpu_type, k;
    int64_t nw, end_ns;
};

/* Whether a job may pass the heads, if there are any: it ends in time, or needs only what they
   leave over: GPUs, of that of its type, and power. */
static bool may_pass(const struct visit *v, const struct passing *p) {
    const struct queue *own = &v->queues[p->gpu_type];
    if (v->heads > 0 && p->nw > room_nw(v))
        return false;
    if (own->has_head && p->end_ns > own->shadow_ns && p->k > own->extra)
        return false;
    for (uint32_t h = 0; v->book->counts_power && h < v->pass->view->gpu_type_count; h++) {
        const struct queue *queue = &v->queues[h];
        if (queue->has_head && p->end_ns > queue->shadow_ns && p->nw > queue->extra_nw)
            return false;
    }
    return true;
}

/* Takes what a job that passes needs of what the heads leave; sign -1: gives it back. */
static void take_extra(const struct visit *v, const struct passing *p, int sign) {
    struct queue *own = &v->queues[p->gpu_type];
    if (own->has_head && p->end_ns > own->shadow_ns)
        own->extra -= (uint32_t)sign * p->k; /* wraps as wanted */
    for (uint32_t h = 0; v->book->counts_power && h < v->pass->view->gpu_type_count; h++) {
        struct queue *queue = &v->queues[h];
        if (queue->has_head && p->end_ns > queue->shadow_ns && queue->extra_nw < INT64_MAX)
            queue->extra_nw -= sign * p->nw;
    }
}

static uint32_t job_within(const struct kind *kind, uint32_t from, const struct tree_bound *bounds,
                           uint32_t count) {
    uint32_t node = tree_first(&kind->waiting, kind->root, from, bounds, count);
    return node == TREE_NONE ? EASIM_NONE : kind->waiting.nodes[node].item.job;
}

/* Likewise on a type without a head, if other types have some: it may pass them, or become a head
   with the power that they leave when all running jobs have ended. */
static uint32_t first_beside_heads(const struct visit *v, const struct kind *kind,
                                   const struct lane *lane, struct tree_bound bounds[static 2],
                                   uint32_t from) {
    int span = easim_fit(v->pass->view, easim_view_config(v->pass->view, lane->config));
    int64_t in_time_ns = INT64_MAX, extra_nw = 0, room = room_nw(v),
            all_nw = room + tree_holds(&v->book->drawing, v->book->drawing_root, INT64_MAX);
    for (uint32_t h = 0; h < v->pass->view->gpu_type_count; h++) {
        const struct queue *queue = &v->queues[h];
        if (!queue->has_head)
            continue;
        in_time_ns = queue->shadow_ns < in_time_ns ? queue->shadow_ns : in_time_ns;
        extra_nw = queue->extra_nw > extra_nw ? queue->extra_nw : extra_nw;
    }
    bounds[0].column += (uint32_t)(span > 0 ? span : 0);
    bounds[0].most = in_time_ns - v->pass->view->now_ns;
    uint32_t in_time = span < 0 ? EASIM_NONE : job_within(kind, from, bounds, 2);
    extra_nw = extra_nw < room ? extra_nw : room;
    bounds[1].most = all_nw - v->heads_nw;
    if (span >= 0 && extra_nw > bounds[1].most)
        bounds[1].most = extra_nw;
    uint32_t extra_or_head = job_within(kind, from, &bounds[1], 1);
    return extra_or_head < in_time ? extra_or_head : in_time;
}

/* The first job of a kind from `from` on that may start on a GPU type now, or become its head.
   Heads of other types may keep their power from it. */
static uint32_t first_in_lane(const struct visit *v, const struct kind *kind, uint32_t lane,
                              uint32_t from) {
    const struct easim_view *view = v->pass->view;
    const struct lane *l = &kind->lanes[lane];
    const struct queue *queue = &v->queues[l->gpu_type];
    int span = queue->has_head ? easim_fit(view, easim_view_config(view, l->config)) : 0;
    if (span < 0)
        return EASIM_NONE;
    bool is_extra = !queue->has_head || l->k <= queue->extra;
    struct tree_bound bounds[] = {{lane * v->book->spans + (uint32_t)span,
                                   is_extra ? INT64_MAX : queue->shadow_ns - view->now_ns},
                                  {kind->lane_count * v->book->spans + lane, room_nw(v)}};
    if (room_nw(v) == INT64_MAX || v->heads == 0)
        return job_within(kind, from, bounds, 1);
    if (!queue->has_head)
        return first_beside_heads(v, kind, l, bounds, from);
    if (!is_extra || bounds[1].most <= queue->extra_nw)
        return job_within(kind, from, bounds, 2);
    bounds[0].most = queue->shadow_ns - view->now_ns;
    uint32_t in_time = job_within(kind, from, bounds, 2);
    bounds[1].most = queue->extra_nw;
    uint32_t extra = job_within(kind, from, &bounds[1], 1);
    return extra < in_time ? extra : in_time;
}

/* Who of each kind may start next, from `from` on: on a GPU type (ALL_TYPES, NO_TYPE), on others
   only if that was somebody before `from`. */
static void find_next(struct visit *v, uint32_t gpu_type, uint32_t from) {
    const uint32_t free = v->pass->view->free_gpus; /* in a pass it only falls */
    bool all_have_heads = v->heads == v->pass->view->gpu_type_count;
    v->next = EASIM_NONE;
    for (uint32_t i = 0; i < v->book->busy_count; i++) {
        struct kind *kind = &v->book->kinds[v->book->busy[i]];
        uint32_t next = EASIM_NONE;
        if (all_have_heads && kind->least_k > free)
            continue;
        for (uint32_t l = 0; l < kind->lane_count; l++) {
            struct lane *lane = &kind->lanes[l];
            if (lane->gpu_type == gpu_type || gpu_type == ALL_TYPES || lane->next < from)
                lane->next = first_in_lane(v, kind, l, from);
            next = lane->next < next ? lane->next : next;
        }
        v->next = next < v->next ? next : v->next;
    }
}

/* Who is to be visited next, in the order of submission; EASIM_NONE: nobody. */
static uint32_t next_job(const struct visit *v) {
    const struct book *book = v->book;
    uint32_t job =
        book->next_arrived < book->arrived_count ? book->arrived[book->next_arrived] : EASIM_NONE;
    return v->next < job ? v->next : job;
}

/* Starts a job in its first candidate that fits and may start, or makes it a head. Returns the GPU
   type on which others may not start as before. */
static uint32_t start_or_wait(struct visit *v, const struct easim_job *job,
                              const struct request *request) {
    const struct easim_view *view = v->pass->view;
    uint32_t tried = NO_TYPE;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t c = v->book->candidates[request->first + i].config;
        const struct easim_config *config = easim_view_config(view, c);
        const struct queue *queue = &v->queues[config->gpu_type];
        int span = easim_fit(view, config);
        if (span < 0)
            continue;
        struct passing passing = {.gpu_type = config->gpu_type, .k = config->k};
        if (v->heads > 0) {
            passing.nw = book_start_nw(v->book, v->pass, job->index, c);
            passing.end_ns = view->now_ns + book_time_ns(view, job, c, (uint32_t)span);
        }
        if (!may_pass(v, &passing))
            continue;
        bool ends_before = passing.end_ns <= queue->shadow_ns;
        take_extra(v, &passing, 1);
        int answer = v->pass->host->plan_start(v->pass->plan, job->index, c);
        if (answer == EASIM_CAP && v->book->counts_power) {
            take_extra(v, &passing, -1);
            continue;
        }
        tried = config->gpu_type;
        if (answer != EASIM_OK)
            continue;
        if (easim_told(v->pass, job->index))
            tell_start(v, job->index, tried, ends_before);
        break;
    }
    return tried != NO_TYPE ? tried : become_head(v, request, job->index);
}

/* Negative: failed. */
static int visit_job(struct visit *v, const struct easim_job *job) {
    const struct request *request = book_request(v->book, v->pass, job);
    if (!request)
        return -1;
    bool all = v->heads == 0; /* nobody has been looked for yet */
    uint32_t changed = start_or_wait(v, job, request);
    int filed = book_note(v->book, v->pass, job);
    if (v->heads > 0 && v->pass->view->free_gpus > 0)
        find_next(v, all || filed > 0 ? ALL_TYPES : changed, job->index + 1);
    return filed;
}

/* Until there is a head, every job has its turn. */
static int visit_jobs(struct visit *v) {
    const struct easim_view *view = v->pass->view;
    struct book *book = v->book;
    uint32_t next = view->first_waiting;
    while (view->free_gpus > 0 && next != EASIM_NONE) {
        const struct easim_job *job = easim_view_job(view, next);
        uint32_t after = job->next_waiting;
        if (book->next_arrived < book->arrived_count && next == book->arrived[book->next_arrived])
            book->next_arrived++;
        if (visit_job(v, job) < 0)
            return -1;
        next = v->heads > 0 ? next_job(v) : after;
    }
    return 0;
}

static bool fits_somewhere(const struct book *book, const struct easim_view *view,
                           const struct request *request) {
    bool fits = false;
    for (uint32_t i = 0; i < request->count && !fits; i++) {
        uint32_t config = book->candidates[request->first + i].config;
        fits = easim_fit(view, easim_view_config(view, config)) >= 0;
    }
    return fits;
}

/* Whether a waiting job may fit: none needs fewer GPUs than its kind. */
static bool some_may_fit(const struct book *book, const struct easim_view *view) {
    uint32_t i = 0;
    while (i < book->busy_count && book->kinds[book->busy[i]].least_k > view->free_gpus)
        i++;
    return i < book->busy_count;
}

/* A single arrival that does not fit changes nothing, and without arrivals nothing changes if none
   fits. Negative: failed. */
static int has_to_do(struct book *book, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (view->free_gpus == 0 || view->waiting_count == 0)
        return 0;
    if (book->arrived_count == 0)
        return some_may_fit(book, view);
    if (view->event_count != 1)
        return 1;
    const struct easim_job *job = easim_view_job(view, easim_view_event(view, 0)->job);
    const struct request *request = book_request(book, pass, job);
    return request ? fits_somewhere(book, view, request) : -1;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    struct book *book = pass->state;
    int to_do = book_update(book, pass) < 0 ? -1 : has_to_do(book, pass);
    if (to_do > 0) {
        struct visit v = {pass, book, book->queues, 0, 0, EASIM_NONE};
        for (uint32_t h = 0; h < view->gpu_type_count; h++)
            v.queues[h] = (struct queue){0};
        to_do = visit_jobs(&v);
    }
    while (to_do >= 0 && book->next_arrived < book->arrived_count)
        to_do = book_add(book, pass, easim_view_job(view, book->arrived[book->next_arrived++]));
    const struct easim_job *told = easim_told_waiting(pass);
    if (told && to_do >= 0)
        tell_waiting(pass, book, told);
    return to_do < 0 ? -1 : 0;
}

static int init(const struct easim_pass *pass) {
    return book_init(pass->state, pass, sizeof(struct queue));
}

static void finish(const struct easim_pass *pass) {
    book_finish(pass->state);
}

/* Without it, or without an enforced cap, GPUs alone count. */
static const struct easim_extension extensions[] = {EASIM_POWER(true)};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "easy",
    .version = "2.0",
    .summary = "EASY backfilling from requested run times",
    .help = "Jobs start in the order of submission while they fit. "
            "The first that does not fit becomes the head and gets\n"
            "a reservation at the shadow time, the earliest requested end at which it fits; "
            "a later job may start now if\n"
            "its requested end is not after the shadow time, or if it needs only extra GPUs, "
            "those that the head leaves\n"
            "free then (Lifka 1995; Mu'alem, Feitelson 2001).\n\n"
            "Each GPU type has at most one head, with its own shadow time and extra GPUs. "
            "On each type that its request\n"
            "(GPUs, batch, GPU type) allows, a job has one candidate, "
            "the configuration of least T there on the empty\n"
            "cluster. It starts in its first candidate by T that fits now and may start there: "
            "the type has no head, or\n"
            "the job may pass it. If there is none, it becomes the head of the type, "
            "of those without one, that has the\n"
            "earliest shadow time for it.\n\n"
            "If the host enforces a power cap, power counts like GPUs: "
            "a head waits until both suffice under the present\n"
            "cap, and a later job ends before that or leaves both to it.",
    .state_size = sizeof(struct book),
    .job_memory_size = sizeof(struct place),
    .decide = decide,
    .init = init,
    .finish = finish,
    .reads = EASIM_READS_RUN_TIMES,
    .extensions = extensions,
    .extension_count = 1,
    .extension_bytes = sizeof *extensions,
};
