/* Segments of replicas: see replica_segments.h. A service is told of before anything about it
   changes, so that each replica had one phase and one load in a piece. */
#include "metrics/replica_segments.h"

#include "engine/services.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-9 /* of tokens, relative: they are added in another order */

static const struct replica_config *config_of(const struct sim *sim,
                                              const struct replica_life *life) {
    return &services_spec(sim, life->service)->configs[life->config];
}

/* ---- Segments ---- */

/* It goes on as the one before. */
static bool goes_on(const struct replica_segment *last, const struct replica_segment *next) {
    return last->ended == CAUSE_LOAD && last->kind == next->kind && last->nw == next->nw &&
           last->running == next->running && last->end_ns == next->start_ns;
}

/* next: without its life, causes and GPUs. */
static void add_segment(struct replica_segments *s, uint32_t index,
                        const struct replica_segment *next) {
    struct replica_life *life = &s->lives.at[index];
    struct replica_segment *last = life->count > 0 ? &s->list.at[life->last] : NULL;
    if (last && goes_on(last, next)) {
        last->end_ns = next->end_ns;
        last->energy += next->energy;
        last->tokens += next->tokens;
        return;
    }
    struct replica_segment segment = *next;
    segment.life = index;
    segment.began = last ? last->ended : life->cause;
    segment.ended = CAUSE_LOAD;
    if (s->tracker && next->kind != SEGMENT_RESERVED)
        segment.gpus = gpu_tracker_held(s->tracker, life->holder);
    life->last = s->list.count;
    life->count++;
    array_push(&s->list, segment);
}

static void add_piece(struct replica_segments *s, const struct sim *sim, uint32_t replica,
                      const struct service_piece *piece) {
    const struct replica *r = &sim->services.replicas.at[replica];
    const struct service_run *run = &sim->services.runs[r->service];
    const struct replica_group *group = &run->groups[r->config];
    bool ready = r->phase == REPLICA_READY;
    struct replica_segment segment = {.kind = ready ? SEGMENT_SERVE : SEGMENT_LOADING,
                                      .start_ns = piece->from_ns,
                                      .end_ns = piece->to_ns,
                                      .nw = ready ? group->ready_nw : group->loading_nw};
    segment.energy = (int128)segment.nw * (piece->to_ns - piece->from_ns);
    if (ready) {
        double share = services_spec(sim, r->service)->configs[r->config].most_per_s;
        segment.running = group->running;
        segment.tokens = piece->served * share / run->capacity_per_s;
    }
    add_segment(s, s->life_at.at[replica], &segment);
}

void replica_segments_note(struct replica_segments *s, const struct sim *sim,
                           const struct service_piece *piece) {
    const struct service_run *run = &sim->services.runs[piece->service];
    for (size_t i = 0; i < run->replicas.count; i++) {
        uint32_t replica = run->replicas.at[i];
        uint8_t phase = sim->services.replicas.at[replica].phase;
        if (phase == REPLICA_LOADING || phase == REPLICA_READY)
            add_piece(s, sim, replica, piece);
    }
}

/* ---- Changes ---- */

static bool holds_gpus(enum segment_cause cause) {
    return cause == CAUSE_STARTED || cause == CAUSE_SET_UP;
}

static void begin_life(struct replica_segments *s, const struct sim *sim, uint32_t replica) {
    const struct replica *r = &sim->services.replicas.at[replica];
    while (s->life_at.count <= replica)
        array_push(&s->life_at, EASIM_NONE);
    s->life_at.at[replica] = (uint32_t)s->lives.count;
    array_push(&s->lives, ((struct replica_life){.service = r->service,
                                                 .number = r->number,
                                                 .config = r->config,
                                                 .holder = EASIM_NONE}));
}

/* Whether nothing was told of it since its latest change: if that is the last, an empty segment. */
static bool is_untold(const struct replica_segments *s, const struct replica_life *life) {
    return life->count == 0 || s->list.at[life->last].ended != CAUSE_LOAD;
}

/* What it has been since its latest change ends now; it may have taken no time. */
static void end_phase(struct replica_segments *s, const struct sim *sim, uint32_t index,
                      enum segment_cause cause) {
    struct replica_life *life = &s->lives.at[index];
    bool reserved = life->cause == CAUSE_RESERVED, over = !holds_gpus(cause);
    if (reserved && (over || sim->now_ns > life->since_ns))
        add_segment(s, index,
                    &(struct replica_segment){.kind = SEGMENT_RESERVED,
                                              .start_ns = life->since_ns,
                                              .end_ns = sim->now_ns});
    else if (over && !reserved && is_untold(s, life))
        add_segment(s, index,
                    &(struct replica_segment){
                        .kind = life->kind, .start_ns = life->since_ns, .end_ns = sim->now_ns});
    if (life->count > 0)
        s->list.at[life->last].ended = (uint8_t)cause;
}

void replica_segments_change(struct replica_segments *s, const struct sim *sim, uint32_t replica,
                             enum segment_cause cause) {
    const struct replica *r = &sim->services.replicas.at[replica];
    bool known = replica < s->life_at.count && s->life_at.at[replica] != EASIM_NONE;
    if (!known)
        begin_life(s, sim, replica);
    uint32_t index = s->life_at.at[replica];
    struct replica_life *life = &s->lives.at[index];
    life->config = r->config;
    if (known)
        end_phase(s, sim, index, cause);
    life->cause = (uint8_t)cause;
    life->since_ns = sim->now_ns;
    life->kind = r->phase == REPLICA_READY ? SEGMENT_SERVE : SEGMENT_LOADING;
    if (s->tracker && cause != CAUSE_SET_UP)
        life->holder =
            gpu_tracker_move_replica(s->tracker, sim, life->holder, replica, holds_gpus(cause));
    if (holds_gpus(cause) || cause == CAUSE_RESERVED)
        return;
    life->ends = true;
    s->life_at.at[replica] = EASIM_NONE;
}

/* ---- The end ---- */

static int compare_orders(const void *left, const void *right, void *context) {
    const struct replica_life *lives = context, *a = &lives[*(const uint32_t *)left],
                              *b = &lives[*(const uint32_t *)right];
    ASC(service)
    return COMPARE(a->number, b->number);
}

/* By life; of one they are in order of time already. */
static void sort_by_life(struct replica_segments *s) {
    struct replica_segment *sorted = mem_alloc(s->list.count * sizeof *sorted);
    size_t first = 0;
    for (size_t i = 0; i < s->lives.count; i++) {
        s->lives.at[i].last = first;
        first += s->lives.at[i].count;
        s->lives.at[i].count = 0;
    }
    for (size_t i = 0; i < s->list.count; i++) {
        struct replica_life *life = &s->lives.at[s->list.at[i].life];
        sorted[life->last + life->count++] = s->list.at[i];
    }
    free(s->list.at);
    s->list.at = sorted;
}

void replica_segments_close(struct replica_segments *s, const struct sim *sim) {
    if (s->lives.count == 0)
        return;
    for (uint32_t i = 0; i < s->lives.count; i++)
        if (!s->lives.at[i].ends)
            end_phase(s, sim, i, CAUSE_END_OF_RUN);
    sort_by_life(s);
    s->order = mem_alloc(s->lives.count * sizeof *s->order);
    for (uint32_t i = 0; i < s->lives.count; i++)
        s->order[i] = i;
    qsort_r(s->order, s->lives.count, sizeof *s->order, compare_orders, s->lives.at);
}

void replica_segments_finish(struct replica_segments *s) {
    free(s->lives.at);
    free(s->life_at.at);
    free(s->list.at);
    free(s->order);
    *s = (struct replica_segments){0};
}

/* ---- Checks ---- */

/* By GPU type. */
struct type_sums {
    int128 energy[2], gpu_ps[2]; /* loading, serving */
};

static bool follows(const struct replica_segment *last, const struct replica_segment *next) {
    return next->start_ns == last->end_ns && next->began == last->ended &&
           next->end_ns >= next->start_ns;
}

static const char *check_life(const struct replica_segments *s, const struct sim *sim,
                              const struct replica_life *life, struct type_sums *types,
                              double *tokens) {
    const struct replica_config *config = config_of(sim, life);
    const struct replica_segment *at = &s->list.at[life->last];
    for (size_t i = 0; i < life->count; i++) {
        if (i > 0 && !follows(&at[i - 1], &at[i]))
            return "do not follow each other";
        bool serves = at[i].kind == SEGMENT_SERVE;
        int64_t length_ns = at[i].end_ns - at[i].start_ns;
        tokens[life->service] += at[i].tokens;
        if (at[i].kind == SEGMENT_RESERVED)
            continue;
        types[config->gpu_type].energy[serves] += at[i].energy;
        types[config->gpu_type].gpu_ps[serves] += (int128)config->k * WHOLE_GPU_MILLI * length_ns;
        if (at[i].energy != (int128)at[i].nw * length_ns)
            return "have another energy than their power says";
    }
    bool at_end = !life->ends && life->count > 0;
    return at_end && at[life->count - 1].end_ns != sim->now_ns ? "end before the run" : NULL;
}

static bool match_meter(const struct power_meter *meter, const struct type_sums *types) {
    bool match = true;
    for (uint32_t h = 0; h < meter->type_count; h++) {
        const struct power_type *type = &meter->types[h];
        match = match && type->loading.energy == types[h].energy[0] &&
                type->loading.gpu_ps == types[h].gpu_ps[0] &&
                type->serving.energy == types[h].energy[1] &&
                type->serving.gpu_ps == types[h].gpu_ps[1];
    }
    return match;
}

int replica_segments_check(const struct replica_segments *s, const struct sim *sim,
                           struct error *reterr) {
    struct type_sums *types = mem_zalloc(sim->meter.type_count, sizeof *types);
    double *tokens = mem_zalloc(sim->services.count + 1, sizeof *tokens);
    int r = 0;
    for (size_t i = 0; i < s->lives.count && r == 0; i++) {
        const struct replica_life *life = &s->lives.at[i];
        const char *wrong = check_life(s, sim, life, types, tokens);
        if (wrong)
            r = error_set(reterr, ERROR_RUN, "check: segments of replica %s#%u %s",
                          services_spec(sim, life->service)->name, life->number, wrong);
    }
    for (uint32_t v = 0; v < sim->services.count && r == 0; v++) {
        double served = sim->services.runs[v].served;
        if (!(fabs(tokens[v] - served) <= TOLERANCE * (1 + served)))
            r = error_set(reterr, ERROR_RUN,
                          "check: replicas of service %s served %.17g tokens, not %.17g",
                          services_spec(sim, v)->name, tokens[v], served);
    }
    if (r == 0 && sim->services.count > 0 && !match_meter(&sim->meter, types))
        r = error_set(reterr, ERROR_RUN,
                      "check: segments of replicas add up to something else than the meter");
    free(types);
    free(tokens);
    return r;
}
