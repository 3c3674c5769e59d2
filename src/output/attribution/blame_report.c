/* What easim attribute prints of time: see attribution_report.h. */
#include "output/attribution/attribution_report.h"

#include "base/units.h"

#include <math.h>

#define MOST_LINKS 8
#define MOST_NODES 3

static double per_cent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

static void add_parts(const struct blame_page *page, struct str *out) {
    double part_s[BLAME_PARTS] = {0}, all_s = 0;
    for (uint32_t j = 0; j < page->run->workload.jobs.count; j++)
        for (int p = 0; p < BLAME_PARTS && recorded_run_measures(page->run, j); p++) {
            part_s[p] += units_s(page->blame->jobs[j].part_ns[p]);
            all_s += units_s(page->blame->jobs[j].part_ns[p]);
        }
    str_addf(out,
             "time of all %sjobs, %.6g h:", page->run->workload.warmup_ns > 0 ? "measured " : "",
             all_s / S_PER_H);
    for (int p = 0; p < BLAME_PARTS; p++)
        if (part_s[p] > 0)
            str_addf(out, " %s %.3g %%", blame_part_names[p], per_cent(part_s[p], all_s));
    str_add_char(out, '\n');
}

static void add_path(const struct blame_page *page, struct str *out) {
    const struct critical_path *path = page->path;
    if (path->links.count == 0)
        return;
    str_addf(
        out,
        "chain back from the last finish: %.6g s, %.3g %% of the makespan%s, %zu link%s, %.3g s "
        "of gaps:",
        units_s(path->length_ns), per_cent(units_s(path->length_ns), units_s(path->makespan_ns)),
        page->run->workload.warmup_ns > 0 ? " with the warm-up" : "", path->links.count,
        path->links.count == 1 ? "" : "s", units_s(path->length_ns - path->held_ns));
    size_t first = path->links.count > MOST_LINKS ? path->links.count - MOST_LINKS : 0;
    str_add(out, first > 0 ? " ... >" : "");
    for (size_t i = first; i < path->links.count; i++) {
        str_add(out, i > first ? " > " : " ");
        str_add_visible(out, page->run->workload.jobs.at[path->links.at[i].job].id);
    }
    str_add_char(out, '\n');
}

static void add_misses(const struct blame_page *page, struct str *out) {
    uint32_t causes[MISS_CAUSES] = {0}, all = 0;
    double late_s;
    for (uint32_t j = 0; j < page->run->workload.jobs.count; j++)
        if (recorded_run_measures(page->run, j))
            causes[miss_cause_find(page->run, page->blame, j, &late_s)]++;
    for (int c = MISS_NOT + 1; c < MISS_CAUSES; c++)
        all += causes[c];
    if (all == 0)
        return;
    str_addf(out, "deadlines missed: %u, by first cause:", all);
    for (int c = MISS_NOT + 1; c < MISS_CAUSES; c++)
        if (causes[c] > 0)
            str_addf(out, " %s %u", miss_cause_names[c], causes[c]);
    str_add_char(out, '\n');
}

/* The nodes that cost most by one figure; those that were named are NAN. */
static void add_worst(double *costs, uint32_t count, const char *unit, struct str *out) {
    for (int n = 0; n < MOST_NODES; n++) {
        uint32_t worst = 0;
        for (uint32_t i = 1; i < count; i++)
            if (costs[i] > costs[worst] || isnan(costs[worst]))
                worst = i;
        if (!(costs[worst] > 0))
            break;
        str_addf(out, "%s node %u %.4g %s", n > 0 ? "," : "", worst, costs[worst], unit);
        costs[worst] = NAN;
    }
    str_add_char(out, '\n');
}

static void add_nodes(const struct blame_page *page, struct str *out) {
    uint32_t count = page->run->folder->cluster.node_count;
    struct arena arena = {0};
    double *lost = arena_alloc(&arena, count * sizeof *lost),
           *slowed = arena_alloc(&arena, count * sizeof *slowed), all_lost = 0, all_slowed = 0;
    for (uint32_t n = 0; n < count; n++) {
        const struct node_blame *b = &page->nodes[n];
        lost[n] = power_gpu_s(b->down_gpu_ps + b->lost_gpu_ps) / S_PER_H;
        slowed[n] = b->slowed_j;
        all_lost += lost[n];
        all_slowed += slowed[n];
    }
    if (all_lost > 0) {
        str_addf(out, "lost to failures: %.4g GPU h, most at", all_lost);
        add_worst(lost, count, "GPU h", out);
    }
    if (all_slowed > 0) {
        str_addf(out, "drawn while slowed by neighbours: %.4g J, most at", all_slowed);
        add_worst(slowed, count, "J", out);
    }
    arena_finish(&arena);
}

void blame_report(const struct blame_page *page, struct str *out) {
    add_parts(page, out);
    add_path(page, out);
    add_misses(page, out);
    add_nodes(page, out);
}
