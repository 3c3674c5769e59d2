/* Communication by process group and collective. Invariant: every communication kernel of the
   window is in one row. */
#include "ingest/trace/findings.h"

#include "base/mem.h"

#include <math.h>

/* ---- Exposed time ---- */

/* Time of compute and copies before each of their merged spans. */
struct covered {
    struct trace_span span;
    int64_t before_ns;
};

struct cover {
    ARRAY_OF(struct covered) all;
};

static void find_cover(const struct trace_rank *rank, struct cover *cover) {
    int64_t sum = 0;
    for (size_t i = 0; i < rank->gpu.count; i++) {
        const struct trace_gpu *gpu = &rank->gpu.at[i];
        if (trace_class(rank, gpu) == KINETO_COMMUNICATION)
            continue;
        struct covered *last = cover->all.count > 0 ? &cover->all.at[cover->all.count - 1] : NULL;
        if (last && gpu->start_ns <= last->span.end_ns) {
            last->span.end_ns = gpu->end_ns > last->span.end_ns ? gpu->end_ns : last->span.end_ns;
            continue;
        }
        sum += last ? last->span.end_ns - last->span.start_ns : 0;
        array_push(&cover->all, ((struct covered){{gpu->start_ns, gpu->end_ns}, sum}));
    }
}

static int64_t covered_until(const struct cover *cover, int64_t time_ns) {
    const struct covered *all = cover->all.at;
    size_t low = 0;
    SEARCH(low, cover->all.count, all[at].span.start_ns <= time_ns)
    if (low == 0)
        return 0;
    const struct covered *last = &all[low - 1];
    int64_t end_ns = time_ns < last->span.end_ns ? time_ns : last->span.end_ns;
    return last->before_ns + end_ns - last->span.start_ns;
}

/* ---- Rows ---- */

static const char *group_label(const struct trace_rank *rank, const struct trace_group *group,
                               struct arena *arena) {
    if (group->description && group->description[0])
        return group->description;
    for (size_t i = 0; group->name && group->name[0] && i < rank->configured.count; i++)
        if (compare_texts(rank->configured.at[i].name, group->name) == 0 &&
            rank->configured.at[i].description && rank->configured.at[i].description[0])
            return rank->configured.at[i].description;
    if (group->ranks && group->ranks[0])
        return arena_printf(arena, "ranks %s", group->ranks);
    return group->name && group->name[0] ? arena_printf(arena, "group %s", group->name)
                                         : "not named";
}

static struct trace_traffic *row_of(struct trace_groups *groups, const char *group,
                                    const char *collective, int64_t size) {
    struct str key = {0};
    bool is_new;
    str_addf(&key, "%s\t%s\t%lld", group, collective, (long long)size);
    uint32_t number = intern(&groups->keys, key.text, key.length, &is_new);
    str_finish(&key);
    if (is_new)
        *array_add(&groups->all) =
            (struct trace_traffic){.group = arena_strdup(&groups->arena, group),
                                   .collective = arena_strdup(&groups->arena, collective),
                                   .size = size};
    return &groups->all.at[number];
}

bool trace_is_all_to_all(const char *collective) {
    char text[64];
    trace_lower(collective, text, sizeof text);
    return strstr(text, "alltoall") || strstr(text, "all_to_all");
}

/* Bytes that pass the slowest link for each byte of the message, as nccl-tests count them. */
static double bus_factor(const char *collective, int64_t size) {
    static const struct {
        const char *name;
        double of_all_reduce;
    } factors[] = {{"allreduce", 2},      {"allgather", 1}, {"reducescatter", 1},
                   {"reduce_scatter", 1}, {"alltoall", 1},  {"all_to_all", 1},
                   {"_allgather_base", 1}};
    char text[64];
    trace_lower(collective, text, sizeof text);
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (strstr(text, factors[i].name))
            return size > 0 ? factors[i].of_all_reduce * (double)(size - 1) / (double)size : NAN;
    return 1;
}

void trace_groups_add(struct trace_groups *groups, const struct trace_job *job, size_t index) {
    const struct trace_rank *rank = job->ranks[index];
    struct cover cover = {0};
    find_cover(rank, &cover);
    for (uint32_t i = 0; i < rank->gpu.count; i++) {
        const struct trace_gpu *gpu = &rank->gpu.at[i];
        if (trace_class(rank, gpu) != KINETO_COMMUNICATION || !trace_of_steps(rank, gpu))
            continue;
        const struct kineto_kind *kind = &rank->kinds->all.at[gpu->kind];
        static const struct trace_group none = {NULL, NULL, NULL};
        const struct trace_group *group =
            gpu->kind < rank->group_of_kind.count && rank->group_of_kind.at[gpu->kind] > 0
                ? &rank->groups.at[rank->group_of_kind.at[gpu->kind] - 1]
                : &none;
        struct trace_traffic *row =
            row_of(groups, group_label(rank, group, &groups->arena),
                   kind->collective ? kind->collective : kind->name, kind->group_size);
        int64_t length_ns = gpu->end_ns - gpu->start_ns;
        int64_t wait_ns = trace_job_wait_ns(job, index, i);
        row->count++;
        row->time_ns += length_ns;
        row->imbalance_ns += wait_ns;
        row->exposed_ns +=
            length_ns - (covered_until(&cover, gpu->end_ns) - covered_until(&cover, gpu->start_ns));
        if (isnan(kind->bytes))
            continue;
        row->bytes += kind->bytes;
        row->bus_bytes += kind->bytes * bus_factor(row->collective, kind->group_size);
        row->bus_ns += length_ns - wait_ns;
    }
    free(cover.all.at);
}

ORDER_BY(by_time, struct trace_traffic, DESC(time_ns) TEXT_ASC(group) TEXT_ASC(collective))

void trace_groups_rank(struct trace_groups *groups) {
    sort_array(groups->all.at, groups->all.count, by_time);
}

void trace_groups_finish(struct trace_groups *groups) {
    free(groups->all.at);
    intern_finish(&groups->keys);
    arena_finish(&groups->arena);
    *groups = (struct trace_groups){0};
}
