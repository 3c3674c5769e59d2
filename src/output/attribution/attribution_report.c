/* What easim attribute prints of energy: see attribution_report.h. */
#include "output/attribution/attribution_report.h"

#include "base/units.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>

#define MOST_ROWS  30
#define NAME_WIDTH 32
#define WIDTH      11

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
        ranks[i] = (struct rank){attribution_energy_j(&attribution->rows.at[i].sums), i};
    sort_array(ranks, count, by_energy);
    *ret_count = count < MOST_ROWS ? count : MOST_ROWS;
    sort_array(ranks, *ret_count, by_row);
    return ranks;
}

/* ---- Lines ---- */

/* Padded, or cut off, to NAME_WIDTH columns; letters count as one. */
static void add_name(const struct attribution *attribution, const struct attribution_row *row,
                     struct str *out) {
    struct str name = {0};
    const uint32_t level = row->level;
    uint32_t value = level > 0 ? row->values[level - 1] : 0;
    if (level == 0)
        str_add(&name, "all");
    else if (value == ATTRIBUTION_NOBODY)
        str_add(&name, "(nobody)");
    else if (attribution->request.path.at[level - 1].kind == PATH_TIME)
        str_addf(&name, "from %.9g s", units_s(attribution_from_ns(attribution, value)));
    else if (value == ATTRIBUTION_RIGID)
        str_add(&name, "(rigid)");
    else if (!*attribution_text(attribution, level - 1, value))
        str_add(&name, "(none)");
    else
        str_add_visible(&name, attribution_text(attribution, level - 1, value));
    size_t at = 0, columns = 2 * level;
    str_addf(out, "%*s", (int)columns, "");
    for (; at < name.length && columns < NAME_WIDTH; columns++)
        do
            str_add_char(out, name.text[at++]);
        while (at < name.length && (name.text[at] & 0xc0) == 0x80);
    str_addf(out, "%*s", columns < NAME_WIDTH ? (int)(NAME_WIDTH - columns) : 0, "");
    str_finish(&name);
}

static void add_row(const struct attribution *attribution, const struct attribution_row *row,
                    bool counts, struct str *out) {
    const struct attribution_sums *s = &row->sums;
    const struct recorded_step *first = &attribution->run->folder->steps.at[0];
    double energy_j = attribution_energy_j(s),
           all_j = attribution_energy_j(&attribution->rows.at[0].sums);
    add_name(attribution, row, out);
    run_report_add_number(out, power_gpu_s(s->used_ps) / S_PER_H, WIDTH);
    run_report_add_number(out, energy_j / J_PER_KWH, WIDTH);
    run_report_add_number(out, all_j > 0 ? 100 * energy_j / all_j : NAN, WIDTH);
    if (!isnan(first->carbon_g_per_kwh))
        run_report_add_number(out, s->step.co2_kg, WIDTH);
    if (!isnan(first->price_per_mwh))
        run_report_add_number(out, s->step.cost, WIDTH);
    if (counts) {
        run_report_add_number(out, model_counts_flops_s(&s->counts) / 1e12, WIDTH);
        run_report_add_number(out, 100 * model_counts_utilization(&s->counts), WIDTH);
    }
    str_add_char(out, '\n');
}

static void add_header(const struct attribution *attribution, bool counts, struct str *out) {
    const struct recorded_step *first = &attribution->run->folder->steps.at[0];
    str_addf(out, "%*s%*s%*s%*s", NAME_WIDTH, "", WIDTH, "GPU h", WIDTH, "kWh", WIDTH, "%");
    if (!isnan(first->carbon_g_per_kwh))
        str_addf(out, "%*s", WIDTH, "kg CO2");
    if (!isnan(first->price_per_mwh))
        str_addf(out, "%*s", WIDTH, "cost");
    if (counts)
        str_addf(out, "%*s%*s", WIDTH, "TFLOP/s", WIDTH, "% of peak");
    str_add_char(out, '\n');
}

static void add_path(const struct attribution_path *path, struct str *out) {
    for (size_t i = 0; i < path->count; i++) {
        str_add(out, i > 0 ? "/" : "");
        str_add_visible(out, path->at[i].name);
    }
}

/* FLOP/s and bytes are easy to raise without doing anything useful. */
static void add_note(const struct attribution *attribution, struct str *out) {
    const struct model_counts *all = &attribution->rows.at[0].sums.counts;
    if (all->flops_gpu_s > 0 || all->bytes_gpu_s > 0)
        str_add(out,
                "note: a topline metric (FLOP/s of a GPU, utilisation, GPU-hours per byte) creates "
                "bad incentives: it is\n  better for more operations or bytes, not for more "
                "results; judge by energy and time of the work done\n");
    if (all->peaked_flops > all->peak)
        str_add(out, "note: more operations than the peak of the GPUs allows: flops_per_sample or "
                     "peak_flops is not\n  of what the models were measured on\n");
}

/* What the rows have of the cluster's network, which the rule divides as it does nodes. */
static void add_network(const struct attribution *attribution, struct str *out) {
    const struct attribution_sums *all = &attribution->rows.at[0].sums;
    if (all->fabric_j > 0)
        str_addf(out, "network: %.5g kWh of them, %.2f %% (switches and optics)\n",
                 all->fabric_j / J_PER_KWH, 100 * all->fabric_j / attribution_energy_j(all));
}

void attribution_report(const struct attribution *attribution, struct str *out) {
    size_t count;
    struct rank *ranks = choose_rows(attribution, &count);
    bool counts = attribution->rows.at[0].sums.counts.flops_gpu_s > 0;
    str_add(out, "by ");
    add_path(&attribution->request.path, out);
    str_addf(out, ", energy of idle GPUs and nodes %s\n", idle_words[attribution->request.idle]);
    add_header(attribution, counts, out);
    for (size_t i = 0; i < count; i++)
        add_row(attribution, &attribution->rows.at[ranks[i].row], counts, out);
    if (count < attribution->rows.count)
        str_addf(out, "and %zu rows with less energy: attribution.csv\n",
                 attribution->rows.count - count);
    add_network(attribution, out);
    add_note(attribution, out);
    free(ranks);
}
