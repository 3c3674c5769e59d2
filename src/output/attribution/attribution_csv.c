/* attribution.csv: see attribution_csv.h. */
#include "output/attribution/attribution_csv.h"

#include "base/units.h"
#include "io/csv.h"

#include <math.h>
#include <string.h>

/* What of a row stands behind its place in the tree. */
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
#define COLUMNS(X) \
    X(nobody, csv_comma_int(out, line->row->nobody)) \
    X(jobs, csv_comma_int(out, line->row->jobs)) \
    X(gpu_h, csv_comma_real(out, power_gpu_s(line->sums->used_ps) / S_PER_H)) \
    X(idle_gpu_h, csv_comma_real(out, line->sums->idle_gpu_s / S_PER_H)) \
    X(failed_gpu_h, csv_comma_real(out, line->sums->failed_gpu_s / S_PER_H)) \
    X(energy_kwh, csv_comma_real(out, kwh(attribution_energy_j(line->sums)))) \
    X(energy_job_kwh, csv_comma_real(out, kwh(power_j(line->sums->energy)))) \
    X(energy_idle_kwh, csv_comma_real(out, kwh(line->sums->idle_j))) \
    X(energy_base_kwh, csv_comma_real(out, kwh(attribution_base_j(line->sums)))) \
    X(energy_gpu_kwh, csv_comma_real(out, gpus_kwh(line->sums))) \
    X(energy_cpu_kwh, csv_comma_real(out, part_kwh(line, NODE_CPU))) \
    X(energy_ram_kwh, csv_comma_real(out, part_kwh(line, NODE_RAM))) \
    X(energy_network_kwh, csv_comma_real(out, part_kwh(line, NODE_NETWORK))) \
    X(energy_other_kwh, csv_comma_real(out, part_kwh(line, NODE_OTHER))) \
    X(co2_kg, csv_comma_real(out, co2_kg(line))) \
    X(cost, csv_comma_real(out, cost(line))) \
    X(flops_s_per_gpu, csv_comma_real(out, model_counts_flops_s(&line->sums->counts))) \
    X(utilization, csv_comma_real(out, model_counts_utilization(&line->sums->counts))) \
    X(roofline_flops_s_per_gpu, csv_comma_real(out, model_counts_roofline(&line->sums->counts))) \
    X(memory_bound_share, csv_comma_real(out, model_counts_memory_bound(&line->sums->counts))) \
    X(gpu_h_per_byte, csv_comma_real(out, model_counts_gpu_h_per_byte(&line->sums->counts)))
/* Behind them, where the cluster has a network. */
#define FABRIC_COLUMNS(X) \
    X(energy_fabric_kwh, csv_comma_real(out, kwh(line->sums->fabric_j)))
/* clang-format on */

#define HEADER(name, cell) "," #name
#define CELL(name, cell)   cell;

static const char *column_name(const struct path_element *element) {
    return element->kind == PATH_JOB    ? "job_id"
           : element->kind == PATH_TIME ? "from_s"
                                        : element->name;
}

void attribution_csv_header(const struct cluster *cluster, const struct attribution_path *path,
                            struct str *out) {
    str_add(out, "policy,replication,level");
    for (size_t i = 0; i < path->count; i++)
        csv_comma_text(out, column_name(&path->at[i]));
    str_add(out, COLUMNS(HEADER));
    str_add(out, cluster->network.tier_count > 0 ? FABRIC_COLUMNS(HEADER) "\n" : "\n");
}

static void add_place(const struct attribution *attribution, const struct attribution_row *row,
                      struct str *out) {
    const struct attribution_path *path = &attribution->request.path;
    csv_comma_int(out, row->level);
    for (size_t i = 0; i < path->count; i++) {
        bool is_time = path->at[i].kind == PATH_TIME;
        if (i >= row->level || row->values[i] == ATTRIBUTION_NOBODY || is_time)
            str_add_char(out, ',');
        else
            csv_comma_text(out, attribution_text(attribution, i, row->values[i]));
        if (is_time && i < row->level)
            str_add_ns(out, attribution_from_ns(attribution, row->values[i]));
    }
}

/* Of which part of the nodes' power the scenario says anything. */
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
        const struct line *line = &(struct line){row, &row->sums, has_part, run->folder->steps.at};
        csv_add_text(out, run->folder->policies.at[run->part->policy].name);
        csv_comma_int(out, run->part->replication);
        add_place(attribution, row, out);
        COLUMNS(CELL)
        if (run->folder->cluster.network.tier_count > 0)
            FABRIC_COLUMNS(CELL)
        str_add_char(out, '\n');
    }
}
