/* GPU memory over time, what holds it at its peak, and whether it leaks. Invariant: allocations are
   known by their address; without addresses only levels are. */
#include "ingest/trace/findings.h"

#include "base/mem.h"

#include <math.h>

#define LEAK_STEPS  6
#define LEAK_SHARE  0.005 /* of the peak, each step */
#define LEAK_ERRORS 4

/* ---- Levels ---- */

/* The device with most events. */
static uint16_t main_device(const struct trace_rank *rank) {
    uint16_t device = 0;
    size_t most = 0;
    for (uint16_t d = 0; d < 64; d++) {
        size_t count = 0;
        for (size_t i = 0; i < rank->memory.count; i++)
            count += rank->memory.at[i].device == d;
        if (count > most) {
            most = count;
            device = d;
        }
    }
    return device;
}

/* Allocated after each event: as the trace says, or the running sum. */
static int64_t level_after(const struct trace_memory *event, int64_t level) {
    int64_t sum;
    if (event->allocated >= 0)
        return event->allocated;
    return __builtin_add_overflow(level, event->bytes, &sum) ? level : sum;
}

static void add_point(struct trace_memory_use *use, const struct trace_rank *rank,
                      const struct trace_memory *event, int64_t level) {
    int64_t length = rank->window.end_ns - rank->window.start_ns;
    int64_t since = event->time_ns - rank->window.start_ns;
    size_t bin = length > 0 ? (size_t)((double)since / (double)length * TRACE_MEMORY_BINS) : 0;
    struct trace_memory_bin *at = &use->bins[bin < TRACE_MEMORY_BINS ? bin : TRACE_MEMORY_BINS - 1];
    if (at->events++ == 0 || level > at->most)
        at->most = level;
    if (at->events == 1 || level < at->least)
        at->least = level;
    at->last = level;
    at->reserved = event->reserved > at->reserved ? event->reserved : at->reserved;
}

/* Only events inside of the window count, so that a part of a trace gives what its whole gives. */
static void keep_events(struct trace_rank *rank, uint16_t device) {
    size_t kept = 0;
    for (size_t i = 0; i < rank->memory.count; i++) {
        const struct trace_memory *m = &rank->memory.at[i];
        if (m->device == device && m->time_ns >= rank->window.start_ns &&
            m->time_ns < rank->window.end_ns)
            rank->memory.at[kept++] = *m;
    }
    rank->memory.count = kept;
}

/* Least levels of steps: that at their begin, or a lower one inside. */
static void find_minima(const struct trace_rank *rank, struct trace_memory_use *use,
                        int64_t *minima) {
    const struct kineto_step *steps = rank->trace->steps.at;
    size_t count = rank->trace->steps.count, next = 0;
    int64_t level = use->start_level;
    for (size_t i = 0; i < rank->memory.count; i++) {
        const struct trace_memory *m = &rank->memory.at[i];
        for (; next < count && steps[next].start_ns <= m->time_ns; next++)
            minima[next] = level;
        level = level_after(m, level);
        if (next > 0 && m->time_ns < steps[next - 1].end_ns && level < minima[next - 1])
            minima[next - 1] = level;
    }
    for (; next < count; next++)
        minima[next] = level;
}

/* Least squares over the minima of all steps. */
static void judge_leak(const struct trace_rank *rank, struct trace_memory_use *use) {
    size_t n = rank->trace->steps.count;
    if (n < LEAK_STEPS)
        return;
    int64_t *minima = mem_alloc(n * sizeof *minima);
    find_minima(rank, use, minima);
    double x = (double)(n - 1) / 2, y = 0, xx = 0, xy = 0, residual = 0;
    for (size_t i = 0; i < n; i++)
        y += (double)minima[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        xx += ((double)i - x) * ((double)i - x);
        xy += ((double)i - x) * ((double)minima[i] - y);
    }
    use->growth_per_step = xy / xx;
    for (size_t i = 0; i < n; i++) {
        double off = (double)minima[i] - y - use->growth_per_step * ((double)i - x);
        residual += off * off;
    }
    use->growth_error = sqrt(residual / (double)(n - 2) / xx);
    use->judged = true;
    use->leaks = use->growth_per_step > LEAK_SHARE * (double)use->peak &&
                 use->growth_per_step > LEAK_ERRORS * use->growth_error;
    free(minima);
}

/* ---- What is alive ---- */

struct alive {
    struct intern addresses;
    ARRAY_OF(uint32_t)
    events; /* by number of the address: 1 + the event that allocated it; 0: freed */
};

static void follow(struct alive *alive, struct trace_memory_use *use, const struct trace_memory *m,
                   uint32_t index) {
    bool is_new;
    uint32_t number = intern(&alive->addresses, &m->address, sizeof m->address, &is_new);
    if (is_new)
        array_push(&alive->events, 0);
    uint32_t *known = &alive->events.at[number];
    if (m->bytes > 0) {
        use->allocated_twice += *known != 0;
        *known = index + 1;
    } else {
        use->freed_twice += *known == 0 && !is_new;
        use->never_allocated += is_new;
        *known = 0;
    }
}

static const char *holder_name(const struct trace_rank *rank, uint32_t op,
                               enum trace_holder holder) {
    const char *module = "nn.Module: ";
    for (; op != TRACE_NONE; op = rank->ops.at[op].parent) {
        const struct trace_op *at = &rank->ops.at[op];
        const char *name = intern_text(&rank->names, at->name);
        bool is_module = strncmp(name, module, strlen(module) - 1) == 0;
        if ((holder == HOLDER_OPERATOR && at->category == KINETO_OPERATOR) ||
            (holder == HOLDER_MODULE && is_module) ||
            (holder == HOLDER_STACK && at->category == KINETO_FRAME))
            return name;
    }
    return NULL;
}

ORDER_BY(by_bytes, struct trace_held, DESC(bytes) TEXT_ASC(name))

static void add_held(struct trace_rank *rank, struct trace_held_list *list,
                     const struct trace_memory *m, enum trace_holder holder) {
    const char *name = holder_name(rank, trace_op_at(rank, m->thread, m->time_ns), holder);
    size_t i = 0;
    while (i < list->count && list->at[i].name != name)
        i++;
    if (i == list->count)
        array_push(list, ((struct trace_held){name, 0, 0}));
    list->at[i].bytes += m->bytes;
    list->at[i].count++;
}

/* steps_end_ns: only what was allocated before; INT64_MAX: all. */
static void list_alive(struct trace_rank *rank, const struct alive *alive,
                       struct trace_held_list lists[HOLDER_COUNT], int64_t before_ns) {
    for (size_t i = 0; i < alive->events.count; i++) {
        if (alive->events.at[i] == 0)
            continue;
        const struct trace_memory *m = &rank->memory.at[alive->events.at[i] - 1];
        for (enum trace_holder h = 0; m->time_ns < before_ns && h < HOLDER_COUNT; h++)
            add_held(rank, &lists[h], m, h);
    }
    for (enum trace_holder h = 0; h < HOLDER_COUNT; h++)
        sort_array(lists[h].at, lists[h].count, by_bytes);
}

static int64_t alive_bytes(const struct trace_rank *rank, const struct alive *alive) {
    int64_t sum = 0;
    for (size_t i = 0; i < alive->events.count; i++)
        if (alive->events.at[i] != 0)
            sum += rank->memory.at[alive->events.at[i] - 1].bytes;
    return sum;
}

static void find_holders(struct trace_rank *rank, struct trace_memory_use *use) {
    struct alive alive = {0};
    const struct kineto_trace *trace = rank->trace;
    for (uint32_t i = 0; i < rank->memory.count; i++) {
        follow(&alive, use, &rank->memory.at[i], i);
        if (i == use->peak_event) {
            list_alive(rank, &alive, use->holders, INT64_MAX);
            use->before_window = use->peak - alive_bytes(rank, &alive);
        }
    }
    if (use->leaks)
        list_alive(rank, &alive, use->leaking, trace->steps.at[trace->steps.count - 1].start_ns);
    free(alive.events.at);
    intern_finish(&alive.addresses);
}

/* ---- All of it ---- */

void trace_memory_find(struct trace_rank *rank, struct trace_memory_use *ret_use) {
    struct trace_memory_use *use = ret_use;
    *use = (struct trace_memory_use){
        .peak = INT64_MIN, .peak_reserved = -1, .device = main_device(rank), .has_addresses = true};
    keep_events(rank, use->device);
    use->events = rank->memory.count;
    if (use->events == 0)
        return;
    const struct trace_memory *first = &rank->memory.at[0];
    use->has_totals = first->allocated >= 0;
    use->start_level = use->has_totals ? first->allocated - first->bytes : 0;
    int64_t level = use->start_level;
    for (uint32_t i = 0; i < use->events; i++) {
        const struct trace_memory *m = &rank->memory.at[i];
        level = level_after(m, level);
        use->has_addresses = use->has_addresses && m->address != 0;
        add_point(use, rank, m, level);
        if (level > use->peak) {
            use->peak = level;
            use->peak_event = i;
            use->reserved_at_peak = m->reserved;
            use->peak_at_ns = m->time_ns - rank->window.start_ns;
        }
        use->peak_reserved = m->reserved > use->peak_reserved ? m->reserved : use->peak_reserved;
    }
    judge_leak(rank, use);
    if (use->has_addresses)
        find_holders(rank, use);
}

void trace_memory_finish(struct trace_memory_use *use) {
    for (size_t h = 0; h < HOLDER_COUNT; h++) {
        free(use->holders[h].at);
        free(use->leaking[h].at);
    }
    *use = (struct trace_memory_use){0};
}
