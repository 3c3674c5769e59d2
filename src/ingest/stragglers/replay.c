/* The rules of the replay are numbered as in docs/reference/stragglers.md. Invariant: operations of
   a group have no edge among them, so that a group is a node of the order of the replay. */
#include "ingest/stragglers/operations.h"

#include "base/intern.h"
#include "base/sort_doubles.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_OWN_S -0.01 /* an earlier end is an error of clocks, and counts as 0 */

struct planner {
    struct replay *replay;
    const struct operations *operations;
    uint32_t *order;    /* operations by start in the first step of rank 0 */
    uint32_t *by_stage; /* the same, stage by stage */
    bool *grouped;      /* operations that are in a group */
    const char *path;
    struct problems *problems;
};

/* ---- Operations of a stage in their order ---- */

/* A walk through those of a stage and of the types, which are bits. */
struct walk {
    const struct planner *planner;
    uint32_t stage;
    unsigned types;
    size_t next; /* place in by_stage */
};

#define BIT(type) (1u << (type))
#define COMPUTE   (BIT(FORWARD_COMPUTE) | BIT(BACKWARD_COMPUTE))

static struct walk walk_from(const struct planner *planner, uint32_t stage, unsigned types) {
    size_t first = 0;
    SEARCH(first, planner->operations->all.count, planner->operations->all.at[at].stage < stage)
    return (struct walk){planner, stage, types, first};
}

static bool walk_on(struct walk *walk, uint32_t *ret_operation) {
    const struct operations *o = walk->planner->operations;
    while (walk->next < o->all.count) {
        uint32_t operation = walk->planner->by_stage[walk->next];
        const struct operation *at = &o->all.at[operation];
        if (at->stage != walk->stage)
            return false;
        walk->next++;
        *ret_operation = operation;
        if (walk->types & BIT(at->type))
            return true;
    }
    return false;
}

/* In the first step of rank 0. */
static const struct operation_cell *first_cell(const struct planner *planner, uint32_t operation) {
    return &planner->operations->cells[operation * planner->operations->lanes];
}

static double first_end(const struct planner *planner, uint32_t operation) {
    const struct operation_cell *cell = first_cell(planner, operation);
    return cell->start_s + cell->duration_s;
}

struct placed {
    double start_s;
    uint32_t seq, type, stage, operation;
};

ORDER_BY(by_place, struct placed, ASC(start_s) ASC(seq) ASC(type) ASC(operation))
ORDER_BY(by_stage_place, struct placed, ASC(stage) THEN(by_place(a, b)))

static void order_operations(struct planner *planner) {
    size_t count = planner->operations->all.count;
    struct placed *placed = mem_alloc(count * sizeof *placed);
    for (uint32_t i = 0; i < count; i++) {
        const struct operation *at = &planner->operations->all.at[i];
        placed[i] =
            (struct placed){first_cell(planner, i)->start_s, at->seq, at->type, at->stage, i};
    }
    sort_array(placed, count, by_place);
    for (size_t i = 0; i < count; i++)
        planner->order[i] = placed[i].operation;
    sort_array(placed, count, by_stage_place);
    for (size_t i = 0; i < count; i++)
        planner->by_stage[i] = placed[i].operation;
    free(placed);
}

/* ---- Edges ---- */

static void add_edge(struct planner *planner, size_t before, size_t after) {
    if (before != SIZE_MAX && after != SIZE_MAX)
        array_push(&planner->replay->edges,
                   ((struct replay_edge){(uint32_t)before, (uint32_t)after}));
}

/* Each after the one before it; returns the last, or `last` if there is none. */
static size_t add_chain(struct planner *planner, uint32_t stage, unsigned types, size_t last) {
    struct walk walk = walk_from(planner, stage, types);
    for (uint32_t operation; walk_on(&walk, &operation); last = operation)
        add_edge(planner, last, operation);
    return last;
}

static size_t same_seq(const struct planner *planner, uint32_t operation, uint32_t type,
                       uint32_t back) {
    const struct operation *at = &planner->operations->all.at[operation];
    return at->seq < back ? SIZE_MAX
                          : operations_find(planner->operations, at->stage, type, at->seq - back);
}

/* Rule 2. */
static void join_compute(struct planner *planner, uint32_t operation) {
    const struct operation *at = &planner->operations->all.at[operation];
    bool forward = at->type == FORWARD_SEND || at->type == FORWARD_RECV;
    uint32_t compute = forward ? FORWARD_COMPUTE : BACKWARD_COMPUTE;
    size_t same = same_seq(planner, operation, compute, 0);
    if (same == SIZE_MAX) {
        problems_say(planner->problems, "%s: expected %s %u in stage %u for %s, got none",
                     planner->path, operation_type_names[compute], at->seq, at->stage,
                     operation_name(at).text);
    } else if (at->type == FORWARD_SEND || at->type == BACKWARD_SEND) {
        add_edge(planner, same, operation);
    } else {
        add_edge(planner, operation, same);
        add_edge(planner, same_seq(planner, operation, compute, 1), operation);
    }
}

/* Rule 3: the two operations before the first backward-compute. */
static void delay_first_backward(struct planner *planner, uint32_t stage) {
    struct walk walk = walk_from(planner, stage, COMPUTE);
    size_t last = SIZE_MAX, second = SIZE_MAX;
    for (uint32_t operation; walk_on(&walk, &operation);) {
        if (planner->operations->all.at[operation].type == BACKWARD_COMPUTE) {
            add_edge(planner, second,
                     operations_find(planner->operations, stage, BACKWARD_SEND, 0));
            add_edge(planner, second,
                     operations_find(planner->operations, stage, BACKWARD_RECV, 0));
            return;
        }
        second = last;
        last = operation;
    }
}

/* Rule 4: the last all-gather of a chunk comes before the first forward-compute of it. */
static void join_gathers(struct planner *planner, uint32_t stage) {
    struct walk gathers = walk_from(planner, stage, BIT(ALL_GATHER));
    struct walk computes = walk_from(planner, stage, BIT(FORWARD_COMPUTE));
    struct intern chunks = {0};
    ARRAY_OF(size_t) last = {0}; /* gather of each chunk; SIZE_MAX once it is joined */
    for (uint32_t operation; walk_on(&gathers, &operation);) {
        bool is_new;
        int32_t chunk = first_cell(planner, operation)->chunk;
        uint32_t number = intern(&chunks, &chunk, sizeof chunk, &is_new);
        if (is_new)
            array_push(&last, operation);
        last.at[number] = operation;
    }
    for (uint32_t operation; walk_on(&computes, &operation);) {
        int32_t chunk = first_cell(planner, operation)->chunk;
        uint32_t number = intern_find(&chunks, &chunk, sizeof chunk);
        if (number == INTERN_NONE)
            continue;
        add_edge(planner, last.at[number], operation);
        last.at[number] = SIZE_MAX;
    }
    free(last.at);
    intern_finish(&chunks);
}

/* Rule 5. */
static void join_end(struct planner *planner, uint32_t stage) {
    static const uint32_t ends[] = {
        GC, LAYERNORM_GRADS, EMBEDDING_GRADS, REDUCE_SCATTER, OPTIMIZER_CLIP, OPTIMIZER};
    struct walk walk = walk_from(planner, stage, COMPUTE);
    size_t last = SIZE_MAX;
    for (uint32_t operation; walk_on(&walk, &operation);)
        if (last == SIZE_MAX || first_end(planner, operation) > first_end(planner, (uint32_t)last))
            last = operation;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        last = add_chain(planner, stage, BIT(ends[i]), last);
}

static void add_edges(struct planner *planner) {
    static const uint32_t chains[] = {BIT(FORWARD_SEND), BIT(FORWARD_RECV), BIT(BACKWARD_SEND),
                                      BIT(BACKWARD_RECV), BIT(ALL_GATHER) | BIT(REDUCE_SCATTER)};
    const unsigned transfers =
        BIT(FORWARD_SEND) | BIT(FORWARD_RECV) | BIT(BACKWARD_SEND) | BIT(BACKWARD_RECV);
    for (uint32_t stage = 0; stage < planner->operations->stage_count; stage++) {
        add_chain(planner, stage, COMPUTE, SIZE_MAX);
        for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
            add_chain(planner, stage, chains[i], SIZE_MAX);
        struct walk walk = walk_from(planner, stage, transfers);
        for (uint32_t operation; walk_on(&walk, &operation);)
            join_compute(planner, operation);
        delay_first_backward(planner, stage);
        join_gathers(planner, stage);
        join_end(planner, stage);
    }
}

/* ---- Groups: rule 6 ---- */

static void add_group(struct planner *planner, bool has_partners, bool over_ranks) {
    array_push(&planner->replay->groups, ((struct replay_group){planner->replay->members.count, 0,
                                                                has_partners, over_ranks}));
}

static void add_member(struct planner *planner, size_t operation) {
    struct replay *replay = planner->replay;
    if (operation == SIZE_MAX)
        return;
    array_push(&replay->members, (uint32_t)operation);
    planner->grouped[operation] = true;
    replay->groups.at[replay->groups.count - 1].count++;
}

/* A send and its receive. */
static void add_pair(struct planner *planner, uint32_t operation) {
    static const uint32_t others[OPERATION_TYPE_COUNT] = {[FORWARD_SEND] = FORWARD_RECV,
                                                          [FORWARD_RECV] = FORWARD_SEND,
                                                          [BACKWARD_SEND] = BACKWARD_RECV,
                                                          [BACKWARD_RECV] = BACKWARD_SEND};
    const struct operations *o = planner->operations;
    const struct operation *at = &o->all.at[operation];
    bool up = at->type == FORWARD_SEND || at->type == BACKWARD_RECV;
    size_t other = SIZE_MAX;
    if (up || at->stage > 0)
        other = operations_find(o, up ? at->stage + 1 : at->stage - 1, others[at->type], at->seq);
    if (other == SIZE_MAX) {
        problems_say(planner->problems,
                     "%s: expected %s %u in the stage %s stage %u as the partner of %s, got none",
                     planner->path, operation_type_names[others[at->type]], at->seq,
                     up ? "after" : "before", at->stage, operation_name(at).text);
    } else {
        add_group(planner, true, false);
        add_member(planner, operation);
        add_member(planner, other);
    }
}

/* Those of a type and number in stages first, first + step, ... up to the last one. */
static void add_stages(struct planner *planner, uint32_t operation, uint32_t step) {
    const struct operations *o = planner->operations;
    const struct operation *at = &o->all.at[operation];
    add_group(planner, true, at->type == OPTIMIZER_CLIP);
    for (uint32_t stage = 0; stage < o->stage_count; stage += step)
        add_member(planner, operations_find(o, stage, at->type, at->seq));
}

/* From the last operation on, as order_groups needs them. */
static void add_groups(struct planner *planner) {
    const struct operations *o = planner->operations;
    const uint32_t last = o->stage_count - 1;
    for (size_t k = o->all.count; k-- > 0;) {
        uint32_t i = planner->order[k];
        const struct operation *at = &o->all.at[i];
        if (planner->grouped[i])
            continue;
        if (operation_is_transfer(at->type)) {
            add_pair(planner, i);
        } else if (at->type == OPTIMIZER_CLIP) {
            add_stages(planner, i, 1);
        } else if (at->type == EMBEDDING_GRADS) {
            if (at->stage > 0 && at->stage < last)
                problems_say(planner->problems,
                             "%s: expected %s in the first and the last stage only, got it in "
                             "stage %u",
                             planner->path, operation_type_names[at->type], at->stage);
            else
                add_stages(planner, i, last > 0 ? last : 1);
        } else {
            bool over_ranks = at->type == ALL_GATHER || at->type == REDUCE_SCATTER;
            add_group(planner, over_ranks, over_ranks);
            add_member(planner, i);
        }
    }
}

/* ---- The order of the groups ---- */

ORDER_BY(by_after, struct replay_edge, ASC(after) ASC(before))

static void index_edges(struct replay *replay) {
    size_t count = replay->operations->all.count;
    sort_array(replay->edges.at, replay->edges.count, by_after);
    replay->first_edge = mem_zalloc(count + 1, sizeof *replay->first_edge);
    for (size_t i = 0; i < replay->edges.count; i++)
        replay->first_edge[replay->edges.at[i].after + 1]++;
    for (size_t i = 0; i < count; i++)
        replay->first_edge[i + 1] += replay->first_edge[i];
}

/* The group waits for none that is not done. */
static bool is_ready(const struct replay *replay, const struct replay_group *group,
                     const bool *done) {
    for (size_t m = group->first; m < group->first + group->count; m++)
        for (size_t e = replay->first_edge[replay->members.at[m]];
             e < replay->first_edge[replay->members.at[m] + 1]; e++)
            if (!done[replay->edges.at[e].before])
                return false;
    return true;
}

/* Rounds over the groups that are left, by the start of their last member: few are needed. */
static int order_groups(struct planner *planner) {
    struct replay *replay = planner->replay;
    size_t count = replay->groups.count, placed = 0, before = SIZE_MAX;
    struct replay_group *ordered = mem_alloc(count * sizeof *ordered);
    bool *done = mem_zalloc(planner->operations->all.count, sizeof *done);
    bool *taken = mem_zalloc(count, sizeof *taken);
    while (placed < count && placed != before) {
        before = placed;
        for (size_t g = count; g-- > 0;) {
            const struct replay_group *group = &replay->groups.at[g];
            if (taken[g] || !is_ready(replay, group, done))
                continue;
            taken[g] = true;
            ordered[placed++] = *group;
            for (size_t m = group->first; m < group->first + group->count; m++)
                done[replay->members.at[m]] = true;
        }
    }
    int r = 0;
    if (placed < count) {
        size_t left = 0;
        while (taken[left])
            left++;
        uint32_t first = replay->members.at[replay->groups.at[left].first];
        r = problems_say(planner->problems,
                         "%s: operations wait for each other in a circle, as seq_id, start_ts and "
                         "mc have it: %s never starts",
                         planner->path, operation_name(&planner->operations->all.at[first]).text);
    } else {
        memcpy(replay->groups.at, ordered, count * sizeof *ordered);
    }
    free(ordered);
    free(done);
    free(taken);
    return r;
}

/* ---- Own and ideal times ---- */

/* latest[]: of each lane, the latest of the starts of a group. */
static void latest_of_ranks(const struct operations *operations, double *latest) {
    size_t steps = operations->steps.count;
    for (size_t lane = steps; lane < operations->lanes; lane++)
        latest[lane % steps] = fmax(latest[lane % steps], latest[lane]);
    for (size_t lane = steps; lane < operations->lanes; lane++)
        latest[lane] = latest[lane % steps];
}

static void find_own(struct replay *replay) {
    const struct operations *o = replay->operations;
    double *latest = mem_alloc(o->lanes * sizeof *latest);
    for (size_t g = 0; g < replay->groups.count; g++) {
        const struct replay_group *group = &replay->groups.at[g];
        for (size_t lane = 0; lane < o->lanes; lane++)
            latest[lane] = -INFINITY;
        for (size_t m = group->first; m < group->first + group->count; m++)
            for (size_t lane = 0; lane < o->lanes; lane++)
                latest[lane] =
                    fmax(latest[lane], o->cells[replay->members.at[m] * o->lanes + lane].start_s);
        if (group->over_ranks)
            latest_of_ranks(o, latest);
        for (size_t m = group->first; m < group->first + group->count; m++)
            for (size_t lane = 0; lane < o->lanes; lane++) {
                size_t at = replay->members.at[m] * o->lanes + lane;
                const struct operation_cell *cell = &o->cells[at];
                double own = cell->start_s + cell->duration_s - latest[lane];
                replay->own_s[at] = !group->has_partners ? cell->duration_s
                                    : own < LEAST_OWN_S  ? 0
                                                         : own;
            }
    }
    free(latest);
}

/* Of a type, over all workers and steps: the mean of computing, optimizer and gc, else the
   median. */
static void find_ideal(struct replay *replay) {
    const struct operations *o = replay->operations;
    double *values = mem_alloc(o->all.count * o->lanes * sizeof *values);
    for (uint32_t type = 0; type < OPERATION_TYPE_COUNT; type++) {
        size_t count = 0;
        double sum = 0;
        for (size_t i = 0; i < o->all.count; i++)
            for (size_t lane = 0; o->all.at[i].type == type && lane < o->lanes; lane++)
                sum += values[count++] = replay->own_s[i * o->lanes + lane];
        bool by_mean =
            type == FORWARD_COMPUTE || type == BACKWARD_COMPUTE || type == OPTIMIZER || type == GC;
        if (!by_mean)
            sort_doubles(values, count);
        if (count == 0)
            replay->ideal_s[type] = NAN;
        else
            replay->ideal_s[type] =
                by_mean ? sum / (double)count : (values[(count - 1) / 2] + values[count / 2]) / 2;
    }
    free(values);
}

int replay_prepare(struct replay *replay, const struct operations *operations, const char *path,
                   struct problems *problems) {
    size_t before = problems->count, cells = operations->all.count * operations->lanes;
    struct planner planner = {
        .replay = replay, .operations = operations, .path = path, .problems = problems};
    replay->operations = operations;
    planner.order = mem_alloc(operations->all.count * sizeof *planner.order);
    planner.by_stage = mem_alloc(operations->all.count * sizeof *planner.by_stage);
    planner.grouped = mem_zalloc(operations->all.count, sizeof *planner.grouped);
    order_operations(&planner);
    add_edges(&planner);
    add_groups(&planner);
    index_edges(replay);
    int r = problems->count > before ? ERROR_INPUT : order_groups(&planner);
    free(planner.order);
    free(planner.by_stage);
    free(planner.grouped);
    replay->own_s = mem_alloc(cells * sizeof *replay->own_s);
    replay->starts_s = mem_alloc(cells * sizeof *replay->starts_s);
    replay->ends_s = mem_alloc(cells * sizeof *replay->ends_s);
    if (r == 0) {
        find_own(replay);
        find_ideal(replay);
    }
    return r;
}

/* ---- The replay ---- */

static void start_operation(struct replay *replay, uint32_t operation) {
    const size_t lanes = replay->operations->lanes;
    double *starts = replay->starts_s + operation * lanes;
    memset(starts, 0, lanes * sizeof *starts);
    for (size_t e = replay->first_edge[operation]; e < replay->first_edge[operation + 1]; e++) {
        const double *ends = replay->ends_s + replay->edges.at[e].before * lanes;
        bool is_first = e == replay->first_edge[operation];
        for (size_t lane = 0; lane < lanes; lane++)
            starts[lane] = is_first || ends[lane] > starts[lane] ? ends[lane] : starts[lane];
    }
}

/* Adds times of the choice to the starts. */
static void end_operation(struct replay *replay, uint32_t operation, const double *starts,
                          const struct replay_choice *choice) {
    const struct operations *o = replay->operations;
    const struct operation *at = &o->all.at[operation];
    const size_t steps = o->steps.count;
    for (size_t dp = 0; dp < o->dp_count; dp++) {
        bool own = choice->types[at->type] && choice->workers[at->stage * o->dp_count + dp];
        const double *times = replay->own_s + operation * o->lanes;
        double *ends = replay->ends_s + operation * o->lanes;
        for (size_t lane = dp * steps; lane < (dp + 1) * steps; lane++)
            ends[lane] = starts[lane] + (own ? times[lane] : replay->ideal_s[at->type]);
    }
}

static void run_group(struct replay *replay, const struct replay_group *group,
                      const struct replay_choice *choice) {
    const size_t lanes = replay->operations->lanes;
    const uint32_t *members = replay->members.at + group->first;
    double *latest = replay->starts_s + members[0] * lanes;
    for (size_t m = 0; m < group->count; m++)
        start_operation(replay, members[m]);
    for (size_t m = 1; m < group->count; m++) {
        const double *starts = replay->starts_s + members[m] * lanes;
        for (size_t lane = 0; lane < lanes; lane++)
            latest[lane] = starts[lane] > latest[lane] ? starts[lane] : latest[lane];
    }
    if (group->over_ranks)
        latest_of_ranks(replay->operations, latest);
    for (size_t m = 0; m < group->count; m++)
        end_operation(replay, members[m], latest, choice);
}

void replay_run(struct replay *replay, const struct replay_choice *choice, double *ret_steps_s) {
    const struct operations *o = replay->operations;
    for (size_t g = 0; g < replay->groups.count; g++)
        run_group(replay, &replay->groups.at[g], choice);
    for (size_t step = 0; step < o->steps.count; step++)
        ret_steps_s[step] = -INFINITY;
    for (size_t i = 0; i < o->all.count; i++)
        for (size_t dp = 0; dp < o->dp_count; dp++)
            for (size_t step = 0; step < o->steps.count; step++) {
                double end = replay->ends_s[i * o->lanes + dp * o->steps.count + step];
                ret_steps_s[step] = end > ret_steps_s[step] ? end : ret_steps_s[step];
            }
}

void replay_finish(struct replay *replay) {
    free(replay->edges.at);
    free(replay->first_edge);
    free(replay->groups.at);
    free(replay->members.at);
    free(replay->own_s);
    free(replay->starts_s);
    free(replay->ends_s);
    *replay = (struct replay){0};
}
