/* Writes the heat map of the page: GPUs by time as a picture, as fine as the page shows it. */
#include "output/html/internal.h"

#include "cluster/power_meter.h"

#include <math.h>
#include <stdlib.h>

#define MOST_ROWS     96u
#define LEAST_COLUMNS 240u
#define REFINEMENT    4u /* columns of a level in one of the level before */
#define LEVELS        3
#define CELL          4095 /* the largest value */

enum measure { OCCUPANCY, POWER, USEFUL, MEASURES };

static const char *const heat_json_measure_names[MEASURES] = {"occupancy", "power_w", "useful_w"};

struct heat_row {
    uint32_t first, count, gpu_type;
};

struct heat {
    const struct recorded_run *run;
    const struct gpu_lanes *lanes;
    const double *useful_frac;
    ARRAY_OF(struct heat_row) rows;
    uint32_t *row_of; /* by lane */
    size_t columns;   /* of the finest level */
    double step_s, end_s;
    double *cells[MEASURES]; /* sums over GPUs x time, by row then column */
};

static void make_rows(struct heat *heat) {
    const struct cluster *cluster = heat->lanes->cluster;
    uint32_t most = (heat->lanes->count + MOST_ROWS - 1) / MOST_ROWS, lane = 0;
    heat->row_of = mem_alloc((heat->lanes->count + 1) * sizeof *heat->row_of);
    for (uint32_t t = 0; t < cluster->gpu_type_count; t++)
        for (uint32_t left = cluster->gpu_types[t].gpus; left > 0;) {
            uint32_t count = left < most ? left : most;
            for (uint32_t i = 0; i < count; i++)
                heat->row_of[lane + i] = (uint32_t)heat->rows.count;
            array_push(&heat->rows, ((struct heat_row){lane, count, t}));
            lane += count;
            left -= count;
        }
}

/* Adds rate x time to the cells of a row from one instant to another. */
static void spread(struct heat *heat, uint32_t row, double from_s, double to_s,
                   const double rates[static MEASURES]) {
    size_t last = heat->columns - 1;
    size_t begin = (size_t)fmin((double)last, fmax(0, from_s / heat->step_s));
    for (size_t c = begin; c <= last && (double)c * heat->step_s < to_s; c++) {
        double length_s =
            fmin(to_s, (double)(c + 1) * heat->step_s) - fmax(from_s, (double)c * heat->step_s);
        if (length_s <= 0)
            continue;
        for (int m = 0; m < MEASURES; m++)
            if (rates[m] != 0)
                heat->cells[m][row * heat->columns + c] += rates[m] * length_s;
    }
}

/* The same of count GPUs from a lane on, a run of GPUs of one row at a time. */
static void spread_lanes(struct heat *heat, uint32_t lane, uint32_t count, const int64_t *span_ns,
                         const double rates[static MEASURES]) {
    for (uint32_t end = lane + count; lane < end;) {
        const struct heat_row *row = &heat->rows.at[heat->row_of[lane]];
        uint32_t part = row->first + row->count - lane;
        double of_part[MEASURES];
        part = part < end - lane ? part : end - lane;
        for (int m = 0; m < MEASURES; m++)
            of_part[m] = rates[m] * part;
        spread(heat, heat->row_of[lane], (double)span_ns[0] / NS_PER_S,
               (double)span_ns[1] / NS_PER_S, of_part);
        lane += part;
    }
}

static void add_held(struct heat *heat, const struct recorded_segment *s) {
    const struct recorded_run *run = heat->run;
    const struct easim_config *config = recorded_run_config(run, s);
    double length_s = (double)(s->end_ns - s->start_ns) / NS_PER_S;
    if (!config || length_s <= 0)
        return;
    double of_gpu_w = power_j(s->energy) / length_s / config->k;
    bool kept = heat->useful_frac && s->kind == SEGMENT_RUN;
    double rates[MEASURES] = {config->milli > 0 ? config->milli / 1000.0 : 1, of_gpu_w,
                              kept ? of_gpu_w * heat->useful_frac[s->job] : 0};
    for (uint32_t g = 0; g < s->gpus_count; g++) {
        const struct recorded_gpus *gpus = &run->gpus.at[s->gpus + g];
        spread_lanes(heat, heat->lanes->first[gpus->node] + gpus->first, gpus->count,
                     (int64_t[]){s->start_ns, s->end_ns}, rates);
    }
}

static void add_rest(struct heat *heat, const struct recorded_rest *rest) {
    const struct cluster *cluster = heat->lanes->cluster;
    const struct gpu_type *type = &cluster->gpu_types[cluster->nodes[rest->node].gpu_type];
    double w = rest->state == RECORDED_FAILED   ? 0
               : rest->state == RECORDED_ASLEEP ? type->sleep_w
                                                : type->idle_w;
    spread_lanes(heat, heat->lanes->first[rest->node] + rest->first, rest->count,
                 (int64_t[]){rest->start_ns, rest->end_ns}, (double[MEASURES]){0, w, 0});
}

/* As many columns as there are segments for, and room. */
static size_t choose_columns(const struct heat *heat, size_t most) {
    size_t columns = LEAST_COLUMNS;
    for (int l = 1; l < LEVELS; l++) {
        size_t finer = columns * REFINEMENT;
        if (finer > 8 * heat->run->segments.count ||
            finer * heat->rows.count * (heat->useful_frac ? MEASURES : MEASURES - 1) > most)
            break;
        columns = finer;
    }
    return columns;
}

/* The mean of a cell as a share of the largest one. */
static int64_t share_of(const struct heat *heat, size_t cell, int m, double most) {
    uint32_t gpus = heat->rows.at[cell / heat->columns].count;
    double mean = heat->cells[m][cell] / (gpus * heat->step_s);
    return most > 0 ? lround(CELL * fmax(0, fmin(1, mean / most))) : 0;
}

/* The value of the strongest colour. Both powers have the same, unless noise makes more of the
   energy useful than there is. */
static void find_most(const struct heat *heat, double most[static MEASURES]) {
    most[OCCUPANCY] = 1;
    most[POWER] = most[USEFUL] = 0;
    for (size_t i = 0; i < heat->columns * heat->rows.count; i++) {
        double gpu_s = heat->rows.at[i / heat->columns].count * heat->step_s;
        most[POWER] = fmax(most[POWER], heat->cells[POWER][i] / gpu_s);
        most[USEFUL] = fmax(most[USEFUL], heat->cells[USEFUL][i] / gpu_s);
    }
    most[USEFUL] = fmax(most[USEFUL], most[POWER]);
}

static void add_heat(struct str *out, struct packed *packed, const struct heat *heat) {
    double most[MEASURES];
    find_most(heat, most);
    json_out_member_open(out, "heat", '{');
    json_out_member_real(out, "end_s", heat->end_s);
    gpu_lanes_add(out, heat->lanes);
    json_out_member_open(out, "rows", '[');
    for (size_t r = 0; r < heat->rows.count; r++) {
        json_out_open(out, '[');
        json_out_int(out, heat->rows.at[r].first);
        json_out_int(out, heat->rows.at[r].count);
        json_out_int(out, heat->rows.at[r].gpu_type);
        json_out_close(out, ']');
    }
    json_out_close(out, ']');
    json_out_member_open(out, "most", '{');
    for (int m = 0; m < MEASURES; m++)
        json_out_member_real(out, heat_json_measure_names[m], most[m]);
    json_out_close(out, '}');
    json_out_member_int(out, "columns", (int64_t)heat->columns);
    for (int m = 0; m < (heat->useful_frac ? MEASURES : USEFUL); m++)
        ADD_PACKED(out, packed, heat_json_measure_names[m], heat->columns * heat->rows.count, i,
                   share_of(heat, i, m, most[m]));
    json_out_close(out, '}');
}

void heat_json_add(struct str *out, struct packed *packed, const struct recorded_run *run,
                   const struct gpu_lanes *lanes, const double *useful_frac, size_t most) {
    struct heat heat = {.run = run, .lanes = lanes, .useful_frac = useful_frac};
    heat.end_s = (double)run->part->end_ns / NS_PER_S;
    make_rows(&heat);
    heat.columns = choose_columns(&heat, most);
    heat.step_s = heat.end_s / (double)heat.columns;
    for (int m = 0; m < MEASURES; m++)
        heat.cells[m] = mem_zalloc(heat.columns * heat.rows.count, sizeof(double));
    for (size_t i = 0; i < run->segments.count; i++)
        add_held(&heat, &run->segments.at[i]);
    for (size_t i = 0; i < run->rests.count; i++)
        add_rest(&heat, &run->rests.at[i]);
    add_heat(out, packed, &heat);
    for (int m = 0; m < MEASURES; m++)
        free(heat.cells[m]);
    free(heat.row_of);
    free(heat.rows.at);
}
