/* Attribution and blame of a recorded run: see recorded.h. */
#include "output/recorded/recorded.h"

#include "base/units.h"
#include "output/columns.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- attribution_csv --- */

/* The data of a row after its place in the tree. */
struct line {
    const struct attribution_row *row;
    const struct attribution_sums *sums;
    const bool *has_part;              /* by enum node_part: some node of the scenario has it */
    const struct recorded_step *given; /* NAN in it: not given at any time */
};

static double kwh(double joules) {
    return joules / J_PER_KWH;
}

static double part_kwh(const struct line *line, enum node_part part) {
    return line->has_part[part] ? kwh(line->sums->part_j[part]) : NAN;
}

static double co2_kg(const struct line *line) {
    return isnan(line->given->carbon_g_per_kwh) ? NAN : line->sums->step.co2_kg;
}

static double cost(const struct line *line) {
    return isnan(line->given->price_per_mwh) ? NAN : line->sums->step.cost;
}

static double gpus_kwh(const struct attribution_sums *sums) {
    return kwh(power_j(sums->energy) + sums->idle_j);
}

/* clang-format off */
#define ATTRIBUTION_COLUMNS_LEVEL(X) \
    X(level, int, "", NEITHER, row->level)
#define ATTRIBUTION_COLUMNS(X) \
    X(nobody, flag, "", NEITHER, line->row->nobody) \
    X(jobs, int, "", NEITHER, line->row->jobs) \
    X(gpu_h, real, "GPU h", NEITHER, power_gpu_s(line->sums->used_ps) / S_PER_H) \
    X(idle_gpu_h, real, "GPU h", NEITHER, line->sums->idle_gpu_s / S_PER_H) \
    X(failed_gpu_h, real, "GPU h", NEITHER, line->sums->failed_gpu_s / S_PER_H) \
    X(energy_kwh, real, "kWh", NEITHER, kwh(attribution_energy_j(line->sums))) \
    X(energy_job_kwh, real, "kWh", NEITHER, kwh(power_j(line->sums->energy))) \
    X(energy_idle_kwh, real, "kWh", NEITHER, kwh(line->sums->idle_j)) \
    X(energy_base_kwh, real, "kWh", NEITHER, kwh(attribution_base_j(line->sums))) \
    X(energy_gpu_kwh, real, "kWh", NEITHER, gpus_kwh(line->sums)) \
    X(energy_cpu_kwh, real, "kWh", NEITHER, part_kwh(line, NODE_CPU)) \
    X(energy_ram_kwh, real, "kWh", NEITHER, part_kwh(line, NODE_RAM)) \
    X(energy_network_kwh, real, "kWh", NEITHER, part_kwh(line, NODE_NETWORK)) \
    X(energy_other_kwh, real, "kWh", NEITHER, part_kwh(line, NODE_OTHER)) \
    X(co2_kg, real, "kg", NEITHER, co2_kg(line)) \
    X(cost, real, METRIC_CURRENCY, NEITHER, cost(line)) \
    X(flops_s_per_gpu, real, "FLOP/s", NEITHER, model_counts_flops_s(counts)) \
    X(utilization, real, METRIC_SHARE, NEITHER, model_counts_utilization(counts)) \
    X(roofline_flops_s_per_gpu, real, "FLOP/s", NEITHER, model_counts_roofline(counts)) \
    X(memory_bound_share, real, METRIC_SHARE, NEITHER, model_counts_memory_bound(counts)) \
    X(gpu_h_per_byte, real, "GPU h/byte", NEITHER, model_counts_gpu_h_per_byte(counts))
/* Columns after these, if the cluster has a network. */
#define ATTRIBUTION_COLUMNS_FABRIC(X) \
    X(energy_fabric_kwh, real, "kWh", NEITHER, kwh(line->sums->fabric_j))
/* clang-format on */

static const char *column_name(const struct path_element *element) {
    return element->kind == PATH_JOB    ? "job_id"
           : element->kind == PATH_TIME ? "from_s"
                                        : element->name;
}

void attribution_csv_header(const struct cluster *cluster, const struct attribution_path *path,
                            struct str *out) {
    str_add(out, RUN_HEADER(ATTRIBUTION_COLUMNS_LEVEL));
    for (size_t i = 0; i < path->count; i++)
        csv_comma_text(out, column_name(&path->at[i]));
    str_add(out, ATTRIBUTION_COLUMNS(COLUMN_NAME));
    str_add(out, cluster->network.tier_count > 0 ? ATTRIBUTION_COLUMNS_FABRIC(COLUMN_NAME) : "");
    str_add_char(out, '\n');
}

static void add_place(const struct attribution *attribution, const struct attribution_row *row,
                      struct str *out) {
    const struct attribution_path *path = &attribution->request.path;
    ATTRIBUTION_COLUMNS_LEVEL(COLUMN_CELL)
    for (size_t i = 0; i < path->count; i++) {
        bool is_time = path->at[i].kind == PATH_TIME;
        if (is_time && i < row->level)
            csv_comma_seconds(out, attribution_from_ns(attribution, row->values[i]));
        else if (i >= row->level || row->values[i] == ATTRIBUTION_NOBODY || is_time)
            str_add_char(out, ',');
        else
            csv_comma_text(out, attribution_text(attribution, i, row->values[i]));
    }
}

/* Finds the parts of the nodes' power that the scenario has. */
static void find_parts(const struct cluster *cluster, bool has_part[NODE_PARTS]) {
    memset(has_part, 0, NODE_PARTS * sizeof *has_part);
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        for (int p = 0; p < NODE_PARTS; p++)
            has_part[p] |= cluster->nodes[n].part_w[p] > 0;
        has_part[NODE_CPU] |= cluster->nodes[n].cpu_w_per_busy_gpu > 0;
    }
}

void attribution_csv_rows(const struct attribution *attribution, struct str *out) {
    const struct recorded_run *run = attribution->run;
    bool has_part[NODE_PARTS];
    find_parts(&run->folder->cluster, has_part);
    for (size_t i = 0; i < attribution->rows.count; i++) {
        const struct attribution_row *row = &attribution->rows.at[i];
        const struct line *line = &(struct line){row, row->sums, has_part, run->folder->steps.at};
        const struct model_counts *counts = &line->sums->counts;
        recorded_begin_row(run, out);
        add_place(attribution, row, out);
        ATTRIBUTION_COLUMNS(COLUMN_CELL)
        if (run->folder->cluster.network.tier_count > 0)
            ATTRIBUTION_COLUMNS_FABRIC(COLUMN_CELL)
        str_add_char(out, '\n');
    }
}

/* --- attribution_report --- */

#define MOST_ROWS 30

static const char *const idle_words[] = {
    [IDLE_NONE] = "kept apart",
    [IDLE_BY_USE] = "by use",
    [IDLE_BY_ENTITLEMENT] = "by entitlement",
};

/* ---- Which rows ---- */

struct rank {
    double energy_j;
    size_t row;
};

ORDER_BY(by_energy, struct rank, DESC(energy_j) ASC(row))

ORDER_BY(by_row, struct rank, ASC(row))

/* A row never has more than the one above it, so what is chosen is a tree. */
static struct rank *choose_rows(const struct attribution *attribution, size_t *ret_count) {
    size_t count = attribution->rows.count;
    struct rank *ranks = mem_alloc(count * sizeof *ranks);
    for (size_t i = 0; i < count; i++)
        ranks[i] = (struct rank){attribution_energy_j(attribution->rows.at[i].sums), i};
    sort_array(ranks, count, by_energy);
    *ret_count = count < MOST_ROWS ? count : MOST_ROWS;
    sort_array(ranks, *ret_count, by_row);
    return ranks;
}

/* ---- Lines ---- */

/* Set in by its level. */
static void add_name(const struct attribution *attribution, const struct attribution_row *row,
                     struct str *out) {
    const uint32_t level = row->level;
    uint32_t value = level > 0 ? row->values[level - 1] : 0;
    for (uint32_t i = 0; i < level; i++)
        str_add(out, "  ");
    if (level == 0)
        str_add(out, "all");
    else if (value == ATTRIBUTION_NOBODY)
        str_add(out, "(nobody)");
    else if (attribution->request.path.at[level - 1].kind == PATH_TIME) {
        str_add(out, "from ");
        run_report_add_time(out, units_s(attribution_from_ns(attribution, value)));
    } else if (value == ATTRIBUTION_RIGID)
        str_add(out, "(rigid)");
    else if (!*attribution_text(attribution, level - 1, value))
        str_add(out, "(none)");
    else
        str_add_visible(out, attribution_text(attribution, level - 1, value));
}

static void add_row(const struct attribution *attribution, const struct attribution_row *row,
                    bool counts, struct report *report) {
    const struct attribution_sums *s = row->sums;
    const struct recorded_step *first = &attribution->run->folder->steps.at[0];
    double energy_j = attribution_energy_j(s),
           all_j = attribution_energy_j(attribution->rows.at[0].sums);
    add_name(attribution, row, report_row(report));
    run_report_add_number(report_cell(report), power_gpu_s(s->used_ps) / S_PER_H);
    run_report_add_number(report_cell(report), energy_j / J_PER_KWH);
    run_report_add_percent(report_cell(report), all_j > 0 ? energy_j / all_j : NAN, false);
    if (!isnan(first->carbon_g_per_kwh))
        run_report_add_number(report_cell(report), s->step.co2_kg);
    if (!isnan(first->price_per_mwh))
        run_report_add_number(report_cell(report), s->step.cost);
    if (counts) {
        run_report_add_number(report_cell(report), model_counts_flops_s(&s->counts) / 1e12);
        run_report_add_percent(report_cell(report), model_counts_utilization(&s->counts), false);
    }
}

static void add_header(const struct attribution *attribution, bool counts, struct report *report) {
    const struct recorded_step *first = &attribution->run->folder->steps.at[0];
    report_table(report, "|>GPU h|>kWh|>%");
    if (!isnan(first->carbon_g_per_kwh))
        str_add(report_column(report, true), "kg CO2");
    if (!isnan(first->price_per_mwh))
        str_add(report_column(report, true), "cost");
    if (counts) {
        str_add(report_column(report, true), "TFLOP/s");
        str_add(report_column(report, true), "% of peak");
    }
}

static void add_path(const struct attribution_path *path, struct str *out) {
    for (size_t i = 0; i < path->count; i++) {
        str_add(out, i > 0 ? "/" : "");
        str_add_visible(out, path->at[i].name);
    }
}

/* FLOP/s and bytes are easy to raise without doing anything useful. */
static void add_note(const struct attribution *attribution, struct str *out) {
    const struct model_counts *all = &attribution->rows.at[0].sums->counts;
    if (all->flops_gpu_s > 0 || all->bytes_gpu_s > 0)
        str_add(out,
                "note: a topline metric (FLOP/s of a GPU, utilization, GPU-hours per byte) creates "
                "bad incentives. It is\n  better for more operations or bytes, not for more "
                "results. Judge by energy and time of the work done\n");
    if (all->peaked_flops > all->peak)
        str_add(out, "note: more operations than the peak of the GPUs allows: flops_per_sample or "
                     "peak_flops is not\n  of what the models were measured on\n");
}

/* The rows' share of the cluster's network, which the rule divides as it does nodes. */
static void add_network(const struct attribution *attribution, struct str *out) {
    const struct attribution_sums *all = attribution->rows.at[0].sums;
    if (all->fabric_j > 0)
        str_addf(out, "network: %.5g kWh of them, %.2f %% (switches and optics)\n",
                 all->fabric_j / J_PER_KWH, 100 * all->fabric_j / attribution_energy_j(all));
}

void attribution_report(const struct attribution *attribution, struct report *report) {
    struct str *out = report_lines(report);
    size_t count;
    struct rank *ranks = choose_rows(attribution, &count);
    bool counts = attribution->rows.at[0].sums->counts.flops_gpu_s > 0;
    str_add(out, "by ");
    add_path(&attribution->request.path, out);
    str_addf(out, ", energy of idle GPUs and nodes %s\n", idle_words[attribution->request.idle]);
    add_header(attribution, counts, report);
    for (size_t i = 0; i < count; i++)
        add_row(attribution, &attribution->rows.at[ranks[i].row], counts, report);
    report_lines(report);
    if (count < attribution->rows.count)
        str_addf(out, "and %zu rows with less energy: attribution.csv\n",
                 attribution->rows.count - count);
    add_network(attribution, out);
    add_note(attribution, out);
    free(ranks);
}

/* --- blame_report --- */

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
    str_add(out, recorded_folder_enforces(page->run->folder)
                     ? "; queued has waits for the enforced cap, too\n"
                     : "\n");
}

static void blame_report_add_path(const struct blame_page *page, struct str *out) {
    const struct critical_path *path = page->path;
    if (path->links.count == 0)
        return;
    str_add(out, "chain back from the last finish: ");
    run_report_add_time(out, units_s(path->length_ns));
    str_addf(out, ", %.3g %% of the makespan%s, %zu link%s, %.3g s of gaps:",
             per_cent(units_s(path->length_ns), units_s(path->makespan_ns)),
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
    blame_report_add_path(page, out);
    add_misses(page, out);
    add_nodes(page, out);
}
