/* Why a job waited: see waits.h. Invariant: the view is looked at before the policy acts. */
#include "insight/explanation/waits.h"

#include "base/units.h"
#include "engine/gpus.h"

const char *const wait_why_names[] = {WAIT_REASONS(NAME_OF)};

void waits_finish(struct waits *waits) {
    free(waits->at.at);
    free(waits->holders.at);
    str_finish(&waits->texts);
    *waits = (struct waits){0};
}

/* ---- Who holds the GPUs that it needs ---- */

/* The end of a job, by prediction, or of a checkpoint. */
struct release {
    int64_t end_ns;
    uint32_t job;
};

ORDER_BY(release_by_end, struct release, ASC(end_ns) ASC(job))

typedef ARRAY_OF(struct release) releases_of_type;

/* The widest span in which a configuration is known: 0 is one node. */
static uint32_t widest_span(const struct easim_view *view, const struct easim_config *config) {
    uint32_t span = view->span_count - 1;
    while (span > 0 && !(config->goodput[span] > 0))
        span--;
    return span;
}

/* The configuration of a GPU type that needs least, of those in the widest span; false: none. */
static bool find_need(const struct easim_view *view, const struct easim_job *job, uint32_t gpu_type,
                      struct wait *need) {
    bool found = false;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(view, c);
        uint32_t span = widest_span(view, config);
        uint32_t milli = config->milli ? config->milli : WHOLE_GPU_MILLI * config->k,
                 least = need->milli ? need->milli : WHOLE_GPU_MILLI * need->k;
        if (config->gpu_type != gpu_type ||
            (found && (milli > least || (milli == least && span <= need->span))))
            continue;
        found = true;
        need->gpu_type = gpu_type;
        need->k = config->k;
        need->milli = config->milli;
        need->span = span;
    }
    return found;
}

/* Fills in GPUs free by place of a span: the most of them. */
static uint32_t count_free(const struct easim_view *view, const struct wait *need, uint32_t *free) {
    uint32_t most = 0;
    for (uint32_t n = 0; n < view->node_count; n++) {
        const struct easim_node *node = easim_view_node(view, n);
        uint32_t *place = &free[n / view->span_nodes[need->span]];
        *place += node->gpu_type == need->gpu_type ? node->free : 0;
        most = *place > most ? *place : most;
    }
    return most;
}

/* Adds the GPUs that an allocation frees; returns the place that then has enough, or EASIM_NONE.
   For a share, a GPU that comes free as a whole is enough, or the room on the shared one. */
static uint32_t add_freed(const struct sim *sim, const struct wait *need, uint32_t job,
                          uint32_t *free) {
    const struct allocation *held = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(held);
    uint32_t enough = EASIM_NONE;
    if (held->milli > 0 && need->milli > 0 &&
        placement_shared_gpu(&sim->placement, held)->free_milli + held->milli >= need->milli)
        return pieces[0].node / sim->view.v->span_nodes[need->span];
    for (uint32_t i = 0; i < held->count && held->milli == 0; i++) {
        uint32_t place = pieces[i].node / sim->view.v->span_nodes[need->span];
        free[place] += pieces[i].gpus;
        if (free[place] >= need->k && enough == EASIM_NONE)
            enough = place;
    }
    return enough;
}

static bool is_in_place(const struct sim *sim, uint32_t job, uint32_t span, uint32_t place) {
    const struct allocation *held = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(held);
    uint32_t i = 0;
    while (i < held->count && pieces[i].node / sim->view.v->span_nodes[span] != place)
        i++;
    return i < held->count;
}

static void find_releases(const struct easim_view *view, uint32_t gpu_type,
                          releases_of_type *releases) {
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_running *r = easim_view_running(view, i);
        if (r->gpu_type == gpu_type)
            array_push(releases, ((struct release){
                                     easim_predicted_end_ns(view, r->predicted_end_ns), r->job}));
    }
    for (uint32_t i = 0; i < view->checkpointing_count; i++) {
        const struct easim_checkpointing *c = easim_view_checkpointing(view, i);
        if (c->gpu_type == gpu_type)
            array_push(releases, ((struct release){c->end_ns, c->job}));
    }
    sort_array(releases->at, releases->count, release_by_end);
}

static void add_holders(struct waits *waits, const struct sim *sim, const struct wait *need,
                        const releases_of_type *releases, size_t count, uint32_t place) {
    waits->holders.count = waits->now.first_holder;
    for (size_t i = 0; i < count; i++) {
        uint32_t job = releases->at[i].job;
        bool helps = place == EASIM_NONE || (is_in_place(sim, job, need->span, place) &&
                                             (need->milli == 0 || i + 1 == count));
        if (helps)
            array_push(&waits->holders, ((struct wait_holder){job, sim->runs[job].start}));
    }
    waits->now.holder_count = (uint32_t)(waits->holders.count - waits->now.first_holder);
}

/* When it would fit on a GPU type, and who holds what it needs; kept if that is sooner. */
static void look_at_type(struct waits *waits, const struct sim *sim, const struct wait *need) {
    const struct easim_view *view = sim->view.v;
    uint32_t *free_by_place = mem_zalloc(view->node_count, sizeof *free_by_place);
    uint32_t place = EASIM_NONE;
    struct wait *now = &waits->now;
    struct wait found = *need;
    releases_of_type releases = {0};
    size_t count = 0;
    found.free = count_free(view, need, free_by_place);
    found.failed = easim_view_gpu_type(view, need->gpu_type)->failed;
    find_releases(view, need->gpu_type, &releases);
    while (count < releases.count && place == EASIM_NONE)
        place = add_freed(sim, need, releases.at[count++].job, free_by_place);
    found.until_ns = place == EASIM_NONE ? -1 : releases.at[count - 1].end_ns;
    bool is_sooner = now->k == 0 ||
                     (found.until_ns >= 0 && (now->until_ns < 0 || found.until_ns < now->until_ns));
    if (is_sooner) {
        found.first_holder = now->first_holder;
        *now = found;
        add_holders(waits, sim, need, &releases, count, place);
    }
    free(free_by_place);
    free(releases.at);
}

static void find_what_lacks(struct waits *waits, const struct sim *sim, uint32_t job) {
    const struct easim_view *view = sim->view.v;
    waits->now.first_holder = waits->holders.count;
    for (uint32_t h = 0; h < view->gpu_type_count; h++) {
        struct wait need = waits->now;
        need.k = need.milli = 0;
        if (find_need(view, &sim->view.jobs[job], h, &need))
            look_at_type(waits, sim, &need);
    }
}

/* Whether all who held what it needs when the last interval began hold it still. */
static bool still_held(const struct waits *waits, const struct sim *sim) {
    const struct wait *last = &waits->at.at[waits->at.count - 1];
    bool holds = last->holder_count > 0;
    for (uint32_t i = 0; i < last->holder_count && holds; i++) {
        const struct wait_holder *holder = &waits->holders.at[last->first_holder + i];
        uint32_t state = sim->view.jobs[holder->job].state;
        holds = (state == EASIM_JOB_RUNNING || state == EASIM_JOB_CHECKPOINTING) &&
                sim->runs[holder->job].start == holder->start;
    }
    return holds;
}

/* ---- A decision ---- */

/* Whether any configuration fits, and one of them under the cap; else the least power. */
static void see_room(struct waits *waits, const struct sim *sim, const struct easim_job *job) {
    const struct easim_view *view = sim->view.v;
    int64_t least_nw = INT64_MAX;
    waits->now.why = WAIT_NO_ROOM;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        if (easim_fit(view, easim_view_config(view, c)) < 0)
            continue;
        const struct gpus_trial trial = gpus_try_config((struct sim *)sim, job->index, c, true);
        if (!trial.is_over_cap) {
            waits->now.why = WAIT_NOTHING_STARTED; /* so far */
            return;
        }
        waits->now.why = WAIT_CAP;
        if (trial.span >= 0 && trial.committed_nw < least_nw)
            least_nw = trial.committed_nw;
    }
    if (waits->now.why == WAIT_CAP) {
        waits->now.power_w = power_w(least_nw);
        waits->now.cap_w = view->power_cap_w;
    }
}

static bool has_same_text(const struct waits *waits, const struct wait *a, const struct wait *b) {
    return a->text_length == b->text_length &&
           (a->text_length == 0 ||
            memcmp(waits->texts.text + a->text, waits->texts.text + b->text, a->text_length) == 0);
}

/* Whether the last interval goes on. One without room does as long as those hold their GPUs who
   are named in it: then no others have been looked for. */
static bool goes_on(const struct waits *waits) {
    if (waits->at.count == 0)
        return false;
    const struct wait *last = &waits->at.at[waits->at.count - 1], *now = &waits->now;
    return last->to_ns == now->from_ns && last->why == now->why && last->started == now->started &&
           (now->why != WAIT_NO_ROOM ||
            (now->first_holder == last->first_holder && now->holder_count == last->holder_count &&
             now->gpu_type == last->gpu_type && now->k == last->k)) &&
           (now->why != WAIT_CAP || last->cap_w == now->cap_w) && has_same_text(waits, last, now);
}

/* The present interval ends. An empty one leaves nothing. */
static void close_present(struct waits *waits, int64_t now_ns) {
    struct wait *now = &waits->now;
    if (!waits->is_open)
        return;
    waits->is_open = false;
    now->to_ns = now_ns;
    if (now->from_ns < now_ns && goes_on(waits)) {
        waits->at.at[waits->at.count - 1].to_ns = now_ns;
        waits->at.at[waits->at.count - 1].decisions++;
    } else if (now->from_ns < now_ns) {
        array_push(&waits->at, *now);
        return;
    }
    const struct wait *last =
        waits->at.count > 0 ? &waits->at.at[waits->at.count - 1] : &(const struct wait){0};
    waits->holders.count = last->first_holder + last->holder_count;
    waits->texts.length = now->text;
}

void waits_decide(struct waits *waits, const struct sim *sim, uint32_t job) {
    const struct easim_job *j = &sim->view.jobs[job];
    int64_t from_ns = sim->runs[job].segment_start_ns;
    close_present(waits, sim->now_ns);
    if (waits->at.count > 0 && waits->at.at[waits->at.count - 1].to_ns > from_ns)
        from_ns = waits->at.at[waits->at.count - 1].to_ns;
    if (from_ns < sim->now_ns)
        array_push(&waits->at, ((struct wait){.from_ns = from_ns,
                                              .to_ns = sim->now_ns,
                                              .why = WAIT_UNASKED,
                                              .started = EASIM_NONE,
                                              .first_holder = waits->holders.count,
                                              .text = waits->texts.length}));
    const struct wait *last = waits->at.count > 0 ? &waits->at.at[waits->at.count - 1] : NULL;
    waits->now = (struct wait){.from_ns = sim->now_ns,
                               .decision = sim->decision_total + 1,
                               .decisions = 1,
                               .started = EASIM_NONE,
                               .until_ns = -1,
                               .first_holder = waits->holders.count,
                               .text = waits->texts.length};
    waits->is_open = true;
    see_room(waits, sim, j);
    if (waits->now.why != WAIT_NO_ROOM)
        return;
    if (last && last->why == WAIT_NO_ROOM && last->to_ns == sim->now_ns && still_held(waits, sim)) {
        const struct wait now = waits->now;
        waits->now = *last;
        waits->now.from_ns = now.from_ns;
        waits->now.decision = now.decision;
        waits->now.decisions = 1;
        waits->now.text = now.text;
        waits->now.text_length = 0;
        return;
    }
    find_what_lacks(waits, sim, job);
}

void waits_note_start(struct waits *waits, uint32_t job) {
    if (waits->is_open && waits->now.why == WAIT_NOTHING_STARTED) {
        waits->now.why = WAIT_OTHER_STARTED;
        waits->now.started = job;
    }
}

void waits_note_reason(struct waits *waits, const char *text) {
    waits->texts.length = waits->now.text;
    str_add(&waits->texts, text);
    waits->now.text_length = waits->texts.length - waits->now.text;
}

void waits_end(struct waits *waits, int64_t now_ns) {
    close_present(waits, now_ns);
}
