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
    forest_finish(&book->waiting);
    forest_finish(&book->running);
    free(book->kinds);
    free(book->busy);
    free(book->kind_of);
    free(book->ends);
    *book = (struct book){0};
}

/* --- kinds --- */

static bool same_kind(const struct easim_config *a, const struct easim_config *b) {
    bool same = a->gpu_type == b->gpu_type && a->k == b->k && a->milli == b->milli;
    for (uint32_t span = 0; span < EASIM_MOST_SPANS; span++)
        same = same && (a->goodput[span] > 0) == (b->goodput[span] > 0);
    return same;
}

/* Room for one kind more; false: out of memory. */
static bool grow_kinds(struct book *book) {
    uint32_t capacity = 2 * book->kind_capacity + 8;
    struct kind *kinds = realloc(book->kinds, capacity * sizeof *kinds);
    book->kinds = kinds ? kinds : book->kinds;
    uint32_t *busy = realloc(book->busy, capacity * sizeof *busy);
    book->busy = busy ? busy : book->busy;
    book->kind_capacity = kinds && busy ? capacity : book->kind_capacity;
    return kinds && busy;
}

/* The host has all configurations from the beginning; a test may add some. */
static bool grow_kind_of(struct book *book, const struct easim_view *view) {
    uint32_t *kind_of = realloc(book->kind_of, (view->config_count + 1) * sizeof *kind_of);
    if (!kind_of)
        return false;
    while (book->config_count <= view->config_count)
        kind_of[book->config_count++] = 0;
    book->kind_of = kind_of;
    return true;
}

uint32_t book_kind(struct book *book, const struct easim_pass *pass, const struct easim_job *job) {
    const struct easim_view *view = pass->view;
    const struct easim_config *asked = easim_view_config(view, job->best_config);
    if (job->best_config >= book->config_count && !grow_kind_of(book, view))
        return (uint32_t)fail_memory(pass);
    uint32_t *known = &book->kind_of[job->best_config], kind = 0;
    if (*known > 0)
        return *known - 1;
    while (kind < book->kind_count &&
           !same_kind(easim_view_config(view, book->kinds[kind].config), asked))
        kind++;
    if (kind == book->kind_capacity && !grow_kinds(book))
        return (uint32_t)fail_memory(pass);
    if (kind == book->kind_count)
        book->kinds[book->kind_count++] =
            (struct kind){.config = job->best_config, .next = EASIM_NONE};
    *known = kind + 1;
    return kind;
}

int book_init(struct book *book, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    book->cluster_events = 1;
    book->waiting.spans = 2;
    for (uint32_t c = 0; c < view->config_count; c++) {
        uint32_t spans = easim_view_config(view, c)->span_count;
        book->waiting.spans = spans > book->waiting.spans ? spans : book->waiting.spans;
    }
    book->ends = calloc(view->gpu_type_count + 1, sizeof *book->ends);
    return book->ends && grow_kind_of(book, view) ? 0 : fail_memory(pass);
}

/* --- single jobs --- */

int64_t book_time_ns(const struct easim_view *view, const struct easim_job *job, uint32_t span) {
    double time_s = easim_predict(view, job, job->best_config, span).time_s;
    return (int64_t)ceil(fmin(time_s, 4e9) * 1e9 - 0.001);
}

static void find_times(const struct easim_view *view, const struct easim_job *job,
                       int64_t times_ns[static EASIM_MOST_SPANS]) {
    const struct easim_config *c = easim_view_config(view, job->best_config);
    for (uint32_t span = 0; span < EASIM_MOST_SPANS; span++) {
        bool known = span < c->span_count && c->goodput[span] > 0;
        bool as_before = known && span > 0 && c->goodput[span] == c->goodput[span - 1];
        times_ns[span] = as_before ? times_ns[span - 1]
                         : known   ? book_time_ns(view, job, span)
                                   : INT64_MAX;
    }
}

int book_add(struct book *book, const struct easim_pass *pass, const struct easim_job *job) {
    int64_t times_ns[EASIM_MOST_SPANS];
    uint32_t kind = book_kind(book, pass, job);
    if (kind == EASIM_NONE)
        return -1;
    find_times(pass->view, job, times_ns);
    const struct tree_item item = {.key = job->index, .job = job->index};
    if (book->kinds[kind].root == TREE_NONE) {
        book->kinds[kind].place = book->busy_count;
        book->busy[book->busy_count++] = kind;
    }
    uint32_t node = tree_insert(&book->waiting, &book->kinds[kind].root, &item, times_ns);
    if (node == TREE_NONE)
        return fail_memory(pass);
    *(struct place *)easim_job_memory(pass, job->index) = (struct place){node, kind, false};
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
    *(struct place *)easim_job_memory(pass, job->index) =
        (struct place){node, config->gpu_type, true};
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
        tree_remove(&book->running, &book->ends[place->tree], place->node);
        book->running_count--;
    } else {
        struct kind *kind = &book->kinds[place->tree];
        tree_remove(&book->waiting, &kind->root, place->node);
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
    forest_clear(&book->waiting);
    forest_clear(&book->running);
    for (uint32_t i = 0; i < book->kind_count; i++)
        book->kinds[i].root = TREE_NONE;
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
            easim_view_config(pass->view, job->config)->k != n->item.gpus)
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
    return r;
}

static void read_events(struct book *book, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    book->arrived =
        pass->host->scratch(pass->plan, (view->event_count + 1) * sizeof *book->arrived);
    book->arrived_count = book->next_arrived = 0;
    for (uint32_t i = 0; i < view->event_count; i++) {
        const struct easim_event *event = easim_view_event(view, i);
        struct place *place = event->job == EASIM_NONE ? NULL : easim_job_memory(pass, event->job);
        book->cluster_events += event->kind == EASIM_EVENT_CLUSTER;
        if (event->kind == EASIM_EVENT_FINISH && place && place->runs)
            remove_job(book, place);
        else if (event->kind == EASIM_EVENT_ARRIVAL && place && place->node == TREE_NONE &&
                 easim_view_job(view, event->job)->state == EASIM_JOB_WAITING)
            book->arrived[book->arrived_count++] = event->job;
    }
}

int book_update(struct book *book, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    read_events(book, pass);
    if ((book->running_count != view->running_count ||
         book->phase_changes != view->phase_changes) &&
        follow_running(book, pass) < 0)
        return -1;
    return is_complete(book, view) ? 0 : file_anew(book, pass);
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
