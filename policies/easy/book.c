/* What easy keeps: see book.h. Invariants after book_update: `waiting` has the waiting jobs but
   those in `arrived`, `running` the running ones. Between updates jobs come by arrivals and by
   failures, which end a run; they leave by what easy itself does. So equal numbers are equal sets.
 */
#include "book.h"

#include <stdlib.h>

static int fail_memory(const struct easim_pass *pass) {
    pass->host->fail(pass->plan, "out of memory");
    return -1;
}

void book_finish(struct book *book) {
    for (uint32_t i = 0; i < book->kind_count; i++) {
        forest_finish(&book->kinds[i].waiting);
        free(book->kinds[i].lanes);
    }
    forest_finish(&book->running);
    forest_finish(&book->drawing);
    free(book->kinds);
    free(book->busy);
    free(book->requests);
    free(book->candidates);
    free(book->request_of);
    free(book->figures);
    free(book->ends);
    free(book->queues);
    free(book->arrived);
    *book = (struct book){0};
}

int book_init(struct book *book, const struct easim_pass *pass, size_t queue_bytes) {
    const struct easim_view *view = pass->view;
    const struct easim_power *power = book_power(pass);
    book->counts_power = power && view->cap_is_enforced;
    book->empty_nw = INT64_MAX;
    book->node_changes = 1;
    book->spans = 2;
    for (uint32_t c = 0; c < view->config_count; c++) {
        uint32_t spans = easim_view_config(view, c)->span_count;
        book->spans = spans > book->spans ? spans : book->spans;
    }
    book->ends = calloc(view->gpu_type_count + 1, sizeof *book->ends);
    book->figures =
        calloc((size_t)(view->gpu_type_count + 1) * (book->spans + 1), sizeof *book->figures);
    book->queues = calloc(view->gpu_type_count + 1, queue_bytes);
    return book->ends && book->figures && book->queues ? 0 : fail_memory(pass);
}

/* --- candidates --- */

int64_t book_start_nw(const struct book *book, const struct easim_pass *pass, uint32_t job,
                      uint32_t config) {
    return book->counts_power ? book_power(pass)->start_nw(pass->plan, job, config) : 0;
}

/* Whether a job prefers one configuration to another: least T on the empty cluster, then
   semantics 5.1. */
static bool is_better(const struct easim_view *view, const struct easim_job *job, uint32_t a,
                      uint32_t b) {
    const struct easim_config *x = easim_view_config(view, a), *y = easim_view_config(view, b);
    double x_s = easim_predict(view, job, a, x->empty_span).time_s,
           y_s = easim_predict(view, job, b, y->empty_span).time_s;
    double x_w = x->power_w[x->empty_span], y_w = y->power_w[y->empty_span];
    if (x_s != y_s)
        return x_s < y_s;
    if (x->k != y->k)
        return x->k < y->k;
    if (x_w != y_w)
        return x_w < y_w;
    return x->gpu_type != y->gpu_type ? x->gpu_type < y->gpu_type : x->batch < y->batch;
}

/* The best configuration of each GPU type that a job may have, by type; returns their number. One
   that the cap would not admit on the empty cluster is worse than all others. */
static uint32_t best_by_type(const struct book *book, const struct easim_pass *pass,
                             const struct easim_job *job, struct candidate *ret_candidates) {
    const struct easim_view *view = pass->view;
    uint32_t count = 0, gpu_type = EASIM_NONE, end = job->first_config + job->config_count;
    bool best_fits = true;
    for (uint32_t c = job->first_config; c < end; c++) {
        const struct easim_config *config = easim_view_config(view, c);
        if (!(config->goodput[config->empty_span] > 0) || config->power_limit_w < INFINITY)
            continue;
        bool fits = book_start_nw(book, pass, job->index, c) <= book->empty_nw;
        if (config->gpu_type != gpu_type)
            ret_candidates[count] = (struct candidate){c, count}, count++;
        else if (fits != best_fits ? fits
                                   : is_better(view, job, c, ret_candidates[count - 1].config))
            ret_candidates[count - 1].config = c;
        else
            continue;
        best_fits = fits;
        gpu_type = config->gpu_type;
    }
    return count;
}

/* The candidates of a job, the best first. */
static uint32_t find_candidates(const struct book *book, const struct easim_pass *pass,
                                const struct easim_job *job, struct candidate *ret_candidates) {
    const struct easim_view *view = pass->view;
    uint32_t last = job->first_config + job->config_count - 1;
    if (!book->counts_power && easim_view_config(view, job->first_config)->gpu_type ==
                                   easim_view_config(view, last)->gpu_type) {
        ret_candidates[0] = (struct candidate){job->best_config, 0};
        return 1;
    }
    uint32_t count = best_by_type(book, pass, job, ret_candidates);
    for (uint32_t i = 1; i < count; i++) {
        struct candidate moving = ret_candidates[i];
        uint32_t at = i;
        for (; at > 0 && is_better(view, job, moving.config, ret_candidates[at - 1].config); at--)
            ret_candidates[at] = ret_candidates[at - 1];
        ret_candidates[at] = moving;
    }
    return count;
}

/* --- kinds and requests --- */

static bool same_shape(const struct easim_config *a, const struct easim_config *b) {
    bool same = a->gpu_type == b->gpu_type && a->k == b->k && a->milli == b->milli;
    for (uint32_t span = 0; span < EASIM_MOST_SPANS; span++)
        same = same && (a->goodput[span] > 0) == (b->goodput[span] > 0);
    return same;
}

static bool is_of_kind(const struct easim_view *view, const struct kind *kind,
                       const struct candidate *candidates, uint32_t count) {
    bool same = kind->lane_count == count;
    for (uint32_t i = 0; i < count && same; i++)
        same = same_shape(easim_view_config(view, kind->lanes[candidates[i].lane].config),
                          easim_view_config(view, candidates[i].config));
    return same;
}

/* An array with room for `more` elements behind `count`; NULL: out of memory. */
static void *with_room(void *array, size_t size, uint32_t count, uint32_t more,
                       uint32_t *capacity) {
    if (count + more <= *capacity)
        return array;
    uint32_t room = 2 * *capacity + more + 8;
    void *moved = realloc(array, room * size);
    *capacity = moved ? room : *capacity;
    return moved;
}

static bool add_kind(struct book *book, const struct easim_view *view,
                     const struct candidate *candidates, uint32_t count) {
    uint32_t places = book->kind_capacity;
    uint32_t *busy = with_room(book->busy, sizeof *busy, book->kind_count, 1, &places);
    book->busy = busy ? busy : book->busy;
    struct kind *kinds =
        busy ? with_room(book->kinds, sizeof *kinds, book->kind_count, 1, &book->kind_capacity)
             : NULL;
    struct lane *lanes = kinds ? calloc(count, sizeof *lanes) : NULL;
    book->kinds = kinds ? kinds : book->kinds;
    if (!lanes)
        return false;
    uint32_t least_k = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const struct easim_config *config = easim_view_config(view, candidates[i].config);
        least_k = config->k < least_k ? config->k : least_k;
        lanes[candidates[i].lane] = (struct lane){
            .config = candidates[i].config, .gpu_type = config->gpu_type, .k = config->k};
    }
    book->kinds[book->kind_count++] =
        (struct kind){.waiting.columns = count * (book->spans + book->counts_power),
                      .lanes = lanes,
                      .lane_count = count,
                      .least_k = least_k};
    return true;
}

static bool add_request(struct book *book, const struct easim_view *view, uint32_t count) {
    const struct candidate *candidates = book->candidates + book->candidate_count;
    uint32_t kind = 0, *first = &book->request_of[candidates->config];
    while (kind < book->kind_count && !is_of_kind(view, &book->kinds[kind], candidates, count))
        kind++;
    if (kind == book->kind_count && !add_kind(book, view, candidates, count))
        return false;
    struct request *requests = with_room(book->requests, sizeof *requests, book->request_count, 1,
                                         &book->request_capacity);
    if (!requests)
        return false;
    book->requests = requests;
    requests[book->request_count++] = (struct request){book->candidate_count, count, kind, *first};
    *first = book->request_count;
    book->candidate_count += count;
    return true;
}

/* Room to ask about one job more; false: out of memory. The host has all configurations from the
   beginning; a test may add some. */
static bool has_room(struct book *book, const struct easim_view *view) {
    struct candidate *candidates =
        with_room(book->candidates, sizeof *candidates, book->candidate_count, view->gpu_type_count,
                  &book->candidate_capacity);
    book->candidates = candidates ? candidates : book->candidates;
    if (!candidates || book->config_count >= view->config_count)
        return candidates;
    uint32_t *request_of = realloc(book->request_of, view->config_count * sizeof *request_of);
    if (!request_of)
        return false;
    while (book->config_count < view->config_count)
        request_of[book->config_count++] = 0;
    book->request_of = request_of;
    return true;
}

static bool asks_for(const struct book *book, const struct request *request,
                     const struct candidate *candidates, uint32_t count) {
    bool same = request->count == count;
    for (uint32_t i = 0; i < count && same; i++)
        same = book->candidates[request->first + i].config == candidates[i].config;
    return same;
}

const struct request *book_find_request(struct book *book, const struct easim_pass *pass,
                                        const struct easim_job *job) {
    struct place *place = easim_job_memory(pass, job->index);
    if (!has_room(book, pass->view))
        return fail_memory(pass), NULL;
    struct candidate *candidates = book->candidates + book->candidate_count;
    uint32_t count = find_candidates(book, pass, job, candidates);
    uint32_t known = book->request_of[candidates->config];
    while (known > 0 && !asks_for(book, &book->requests[known - 1], candidates, count))
        known = book->requests[known - 1].next;
    if (known == 0 && !add_request(book, pass->view, count))
        return fail_memory(pass), NULL;
    place->asks = known > 0 ? known : book->request_count;
    return &book->requests[place->asks - 1];
}

/* --- single jobs --- */

int64_t book_time_ns(const struct easim_view *view, const struct easim_job *job, uint32_t config,
                     uint32_t span) {
    double time_s = easim_predict(view, job, config, span).time_s;
    return (int64_t)ceil(fmin(time_s, 4e9) * 1e9 - 0.001);
}

/* Of a running job; at least 0. */
static int64_t entry_nw(const struct easim_pass *pass, uint32_t job) {
    int64_t nw = easim_power_at(book_power(pass), job)->entry_nw;
    return nw > 0 ? nw : 0;
}

/* By span, from a column on. */
static void find_times(const struct book *book, const struct easim_view *view,
                       const struct easim_job *job, const struct candidate *candidate) {
    const struct easim_config *c = easim_view_config(view, candidate->config);
    int64_t *times_ns = book->figures + (size_t)candidate->lane * book->spans;
    for (uint32_t span = 0; span < book->spans; span++) {
        bool known = span < c->span_count && c->goodput[span] > 0;
        bool as_before = known && span > 0 && c->goodput[span] == c->goodput[span - 1];
        times_ns[span] = as_before ? times_ns[span - 1]
                         : known   ? book_time_ns(view, job, candidate->config, span)
                                   : INT64_MAX;
    }
}

int book_add(struct book *book, const struct easim_pass *pass, const struct easim_job *job) {
    const struct request *request = book_request(book, pass, job);
    if (!request)
        return -1;
    struct kind *kind = &book->kinds[request->kind];
    for (uint32_t i = 0; i < request->count; i++) {
        const struct candidate *candidate = &book->candidates[request->first + i];
        find_times(book, pass->view, job, candidate);
        if (book->counts_power)
            book->figures[kind->lane_count * book->spans + candidate->lane] =
                book_start_nw(book, pass, job->index, candidate->config);
    }
    const struct tree_item item = {.key = job->index, .job = job->index};
    if (kind->root == TREE_NONE) {
        kind->place = book->busy_count;
        book->busy[book->busy_count++] = request->kind;
        for (uint32_t l = 0; l < kind->lane_count; l++)
            kind->lanes[l].next = EASIM_NONE;
    }
    uint32_t node = tree_insert(&kind->waiting, &kind->root, &item, book->figures);
    if (node == TREE_NONE)
        return fail_memory(pass);
    struct place *place = easim_job_memory(pass, job->index);
    *place = (struct place){.node = node, .asks = place->asks};
    book->waiting_count++;
    return 0;
}

static int add_running(struct book *book, const struct easim_pass *pass,
                       const struct easim_job *job) {
    const struct easim_config *config = easim_view_config(pass->view, job->config);
    const struct tree_item item = {job->predicted_end_ns, job->index, config->k};
    uint32_t node = tree_insert(&book->running, &book->ends[config->gpu_type], &item, NULL);
    if (node == TREE_NONE)
        return fail_memory(pass);
    struct place place = {.node = node, .gpu_type = config->gpu_type, .runs = true};
    if (book->counts_power) {
        const struct tree_item draws = {job->predicted_end_ns, job->index,
                                        entry_nw(pass, job->index)};
        place.power = tree_insert(&book->drawing, &book->drawing_root, &draws, NULL);
        if (place.power == TREE_NONE)
            return fail_memory(pass);
    }
    *(struct place *)easim_job_memory(pass, job->index) = place;
    book->running_count++;
    return 0;
}

static void leave_busy(struct book *book, const struct kind *kind) {
    uint32_t moved = book->busy[--book->busy_count];
    book->busy[kind->place] = moved;
    book->kinds[moved].place = kind->place;
}

static void remove_job(struct book *book, struct place *place) {
    if (place->runs) {
        tree_remove(&book->running, &book->ends[place->gpu_type], place->node);
        if (book->counts_power)
            tree_remove(&book->drawing, &book->drawing_root, place->power);
        book->running_count--;
    } else {
        struct kind *kind = &book->kinds[book->requests[place->asks - 1].kind];
        tree_remove(&kind->waiting, &kind->root, place->node);
        book->waiting_count--;
        if (kind->root == TREE_NONE)
            leave_busy(book, kind);
    }
    *place = (struct place){0};
}

/* --- all jobs --- */

static bool is_complete(const struct book *book, const struct easim_view *view) {
    uint32_t arrived = book->arrived_count - book->next_arrived;
    return book->running_count == view->running_count &&
           book->waiting_count + arrived == view->waiting_count;
}

static int file_anew(struct book *book, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    forest_clear(&book->running);
    forest_clear(&book->drawing);
    book->drawing_root = TREE_NONE;
    for (uint32_t i = 0; i < book->kind_count; i++) {
        forest_clear(&book->kinds[i].waiting);
        book->kinds[i].root = TREE_NONE;
    }
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        book->ends[h] = TREE_NONE;
    book->waiting_count = book->running_count = book->busy_count = 0;
    book->arrived_count = book->next_arrived = 0;
    int r = 0;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && r == 0;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        r = book_add(book, pass, job);
    }
    for (uint32_t i = 0; i < view->running_count && r == 0; i++)
        r = add_running(book, pass, easim_view_job(view, easim_view_running(view, i)->job));
    return r;
}

static bool draws_otherwise(const struct book *book, const struct easim_pass *pass, uint32_t job) {
    const struct place *place = easim_job_memory(pass, job);
    return book->counts_power &&
           book->drawing.nodes[place->power].item.holds != entry_nw(pass, job);
}

/* The jobs of a tree that do not run as it says. */
static uint32_t find_changed(const struct book *book, const struct easim_pass *pass,
                             uint32_t gpu_type, uint32_t *ret_jobs) {
    struct forest const *f = &book->running;
    uint32_t count = 0, depth = 0;
    uint32_t *stack = pass->host->scratch(pass->plan, (book->running_count + 1) * sizeof *stack);
    if (book->ends[gpu_type] != TREE_NONE)
        stack[depth++] = book->ends[gpu_type];
    while (depth > 0) {
        const struct tree_node *n = &f->nodes[stack[--depth]];
        const struct easim_job *job = easim_view_job(pass->view, n->item.job);
        if (!job || job->state != EASIM_JOB_RUNNING || job->predicted_end_ns != n->item.key ||
            easim_view_config(pass->view, job->config)->k != n->item.holds ||
            draws_otherwise(book, pass, n->item.job))
            ret_jobs[count++] = n->item.job;
        if (n->left != TREE_NONE)
            stack[depth++] = n->left;
        if (n->right != TREE_NONE)
            stack[depth++] = n->right;
    }
    return count;
}

/* Looks at the running jobs that the book has. */
static int follow_running(struct book *book, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    uint32_t *changed =
        pass->host->scratch(pass->plan, (book->running_count + 1) * sizeof *changed);
    uint32_t count = 0;
    for (uint32_t h = 0; h < view->gpu_type_count; h++)
        count += find_changed(book, pass, h, changed + count);
    int r = 0;
    for (uint32_t i = 0; i < count && r == 0; i++) {
        const struct easim_job *job = easim_view_job(view, changed[i]);
        remove_job(book, easim_job_memory(pass, changed[i]));
        if (job && job->state == EASIM_JOB_WAITING)
            r = book_add(book, pass, job);
        else if (job && job->state == EASIM_JOB_RUNNING)
            r = add_running(book, pass, job);
    }
    book->phase_changes = view->phase_changes;
    book->power_changes = book->counts_power ? book_power(pass)->changes : 0;
    return r;
}

static bool read_events(struct book *book, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    uint32_t *arrived = with_room(book->arrived, sizeof *arrived, 0, view->event_count + 1,
                                  &book->arrived_capacity);
    if (!arrived)
        return false;
    book->arrived = arrived;
    book->arrived_count = book->next_arrived = 0;
    for (uint32_t i = 0; i < view->event_count; i++) {
        const struct easim_event *event = easim_view_event(view, i);
        struct place *place = event->job == EASIM_NONE ? NULL : easim_job_memory(pass, event->job);
        book->node_changes +=
            event->kind == EASIM_EVENT_FAILURE || event->kind == EASIM_EVENT_REPAIR;
        if (event->kind == EASIM_EVENT_FINISH && place && place->runs)
            remove_job(book, place);
        else if (event->kind == EASIM_EVENT_ARRIVAL && place && place->node == TREE_NONE &&
                 easim_view_job(view, event->job)->state == EASIM_JOB_WAITING)
            book->arrived[book->arrived_count++] = event->job;
    }
    return true;
}

/* The requests of waiting jobs depend on what the cap would leave without running jobs. True: that
   has changed, and they are to be found anew. */
static bool follow_cap(struct book *book, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (!book->counts_power)
        return false;
    int64_t empty_nw = book_power(pass)->room_nw;
    if (empty_nw < INT64_MAX)
        empty_nw += tree_holds(&book->drawing, book->drawing_root, INT64_MAX);
    if (empty_nw == book->empty_nw)
        return false;
    book->empty_nw = empty_nw;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;
         i = easim_view_job(view, i)->next_waiting)
        *(struct place *)easim_job_memory(pass, i) = (struct place){0};
    return true;
}

int book_update(struct book *book, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (!read_events(book, pass))
        return fail_memory(pass);
    if ((book->running_count != view->running_count || book->phase_changes != view->phase_changes ||
         (book->counts_power && book->power_changes != book_power(pass)->changes)) &&
        follow_running(book, pass) < 0)
        return -1;
    if (!is_complete(book, view) && file_anew(book, pass) < 0)
        return -1;
    return follow_cap(book, pass) ? file_anew(book, pass) : 0;
}

int book_note(struct book *book, const struct easim_pass *pass, const struct easim_job *job) {
    struct place *place = easim_job_memory(pass, job->index);
    if (job->state == EASIM_JOB_RUNNING) {
        if (place->node != TREE_NONE)
            remove_job(book, place);
        if (add_running(book, pass, job) < 0)
            return -1;
    } else if (place->node == TREE_NONE && book_add(book, pass, job) < 0) {
        return -1;
    }
    if (is_complete(book, pass->view))
        return 0;
    return file_anew(book, pass) < 0 ? -1 : 1;
}
