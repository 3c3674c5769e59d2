/* The figures of stragglers as JSON has them, with the names of the source where it has them, and
   the heat map. */
#include "ingest/stragglers/stragglers.h"

#include <math.h>

/* ---- Figures ---- */

static const char *number_name(struct figure *parent, uint32_t number) {
    return arena_printf(parent->arena, "%u", number);
}

static void add_steps(const struct stragglers *s, struct figure *root, const char *name,
                      const double *above, const double *below) {
    struct figure *group = figures_group(root, name);
    group->json_only = true;
    for (size_t i = 0; i < s->operations.steps.count; i++)
        figures_real(group, number_name(root, s->operations.steps.at[i]),
                     below ? above[i] / below[i] : above[i]);
}

static const char *replay_name(struct figure *parent, const struct straggler_replay *replays,
                               uint32_t i) {
    return replays[i].name ? replays[i].name : number_name(parent, i);
}

/* Slowdowns of one kind: over all steps, and in each of them. */
static void add_slowdowns(const struct stragglers *s, struct figure *root, const char *kind,
                          const struct straggler_replay *replays, uint32_t count) {
    struct figure *all =
        figures_group(root, arena_printf(root->arena, "blocking_decompose_by_%s", kind));
    struct figure *steps =
        figures_group(root, arena_printf(root->arena, "blocking_decompose_by_%s_per_step", kind));
    all->json_only = steps->json_only = true;
    for (uint32_t i = 0; i < count; i++)
        figures_real(all, replay_name(root, replays, i), replays[i].slowdown);
    for (size_t step = 0; step < s->operations.steps.count; step++) {
        struct figure *one = figures_group(steps, number_name(root, s->operations.steps.at[step]));
        for (uint32_t i = 0; i < count; i++)
            figures_real(one, replay_name(root, replays, i),
                         replays[i].steps_s[step] / s->ideal.steps_s[step]);
    }
}

static void add_workers(const struct stragglers *s, struct figure *root) {
    const struct operations *o = &s->operations;
    struct figure *slowest = figures_list(root, "slowest_workers");
    struct figure *list = figures_list(root, "workers");
    for (size_t i = 0; i < s->slowest.count; i++)
        figures_int(slowest, NULL, o->ranks[s->slowest.at[i]]);
    for (uint32_t w = 0; w < o->stage_count * o->dp_count; w++) {
        struct figure *worker = figures_group(list, NULL);
        figures_int(worker, "rank", o->ranks[w]);
        figures_int(worker, "dp_rank", w % o->dp_count);
        figures_int(worker, "stage", w / o->dp_count);
        figures_real(worker, "slowdown", s->worker_slowdowns[w]);
    }
}

struct figure *stragglers_figures(const struct stragglers *s, struct arena *arena) {
    struct figure *root = figures_create(arena);
    figures_real(root, "blocking_slowdown", s->own.slowdown);
    figures_real(root, "launch_slowdown", s->launch_slowdown);
    figures_text(root, "cause", straggler_cause_text(s->cause));
    figures_real(root, "m_w", s->workers_share);
    figures_real(root, "m_s", s->last_stage_share);
    figures_real(root, "c_fb", s->compute_correlation);
    figures_real(root, "cv", s->compute_cv);
    figures_real(root, "gpus", s->gpus);
    figures_real(root, "lost_gpu_hours", s->lost_gpu_hours);
    figures_real(root, "lost_share", 1 - 1 / s->own.slowdown);
    add_workers(s, root);
    add_steps(s, root, "step_t_base", s->base_s, NULL);
    add_steps(s, root, "step_t_nodelay", s->own.steps_s, NULL);
    add_steps(s, root, "step_t_noblk", s->ideal.steps_s, NULL);
    add_steps(s, root, "blocking_step_slowdown", s->own.steps_s, s->ideal.steps_s);
    add_steps(s, root, "launch_step_slowdown", s->base_s, s->own.steps_s);
    add_slowdowns(s, root, "optype", s->types.at, (uint32_t)s->types.count);
    add_slowdowns(s, root, "dp_rank", s->dp_ranks.at, (uint32_t)s->dp_ranks.count);
    add_slowdowns(s, root, "stage", s->stages.at, (uint32_t)s->stages.count);
    return root;
}

/* ---- The heat map ---- */

#define CELL_PIXELS  22
#define LEFT_PIXELS  64
#define TOP_PIXELS   44
#define LEAST_PIXELS 360 /* of the width: room for the title */

/* viridis, from dark to light */
static const unsigned palette[] = {0x440154, 0x472C7A, 0x3B518B, 0x2C718E, 0x21908D,
                                   0x27AD81, 0x5CC863, 0xAADC32, 0xFDE725};

static unsigned color_of(double share) {
    const double place = share * (sizeof palette / sizeof *palette - 1);
    size_t low = (size_t)fmin(place, sizeof palette / sizeof *palette - 2);
    unsigned color = 0;
    for (unsigned shift = 0; shift <= 16; shift += 8) {
        double from = palette[low] >> shift & 255, to = palette[low + 1] >> shift & 255;
        color |= (unsigned)lround(from + (to - from) * (place - (double)low)) << shift;
    }
    return color;
}

static void add_labels(struct str *out, uint32_t count, bool right) {
    uint32_t every = right && count > 20 ? 4 : 1;
    for (uint32_t i = 0; i < count; i += every) {
        unsigned place = i * CELL_PIXELS + CELL_PIXELS / 2;
        str_addf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"%s\">%u</text>\n",
                 right ? LEFT_PIXELS + place : LEFT_PIXELS - 8,
                 right ? TOP_PIXELS - 6 : TOP_PIXELS + place + 4, right ? "middle" : "end", i);
    }
}

void stragglers_write_svg(const struct stragglers *s, struct str *out) {
    const struct operations *o = &s->operations;
    const uint32_t workers = o->stage_count * o->dp_count;
    unsigned width = LEFT_PIXELS + o->dp_count * CELL_PIXELS + 16;
    unsigned height = TOP_PIXELS + o->stage_count * CELL_PIXELS + 36;
    double least = INFINITY, most = -INFINITY;
    for (uint32_t w = 0; w < workers; w++) {
        least = fmin(least, s->worker_slowdowns[w]);
        most = fmax(most, s->worker_slowdowns[w]);
    }
    str_addf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
        "height=\"%u\" style=\"max-width:100%%;height:auto\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
        "<text x=\"8\" y=\"16\" font-size=\"13\">Slowdown by stragglers of each worker</text>\n"
        "<text x=\"8\" y=\"%u\">dp rank</text>\n",
        width > LEAST_PIXELS ? width : LEAST_PIXELS, height,
        width > LEAST_PIXELS ? width : LEAST_PIXELS, height, TOP_PIXELS - 6);
    add_labels(out, o->dp_count, true);
    add_labels(out, o->stage_count, false);
    for (uint32_t w = 0; w < workers; w++)
        str_addf(
            out,
            "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"#%06x\"><title>rank %u: "
            "dp rank %u, stage %u: %.4f</title></rect>\n",
            LEFT_PIXELS + w % o->dp_count * CELL_PIXELS, TOP_PIXELS + w / o->dp_count * CELL_PIXELS,
            CELL_PIXELS - 1, CELL_PIXELS - 1,
            color_of(most > least ? (s->worker_slowdowns[w] - least) / (most - least) : 0),
            o->ranks[w], w % o->dp_count, w / o->dp_count, s->worker_slowdowns[w]);
    str_addf(out,
             "<text x=\"8\" y=\"%u\">Rows are stages. Dark: %.4f, light: %.4f; 1 is the ideal "
             "job.</text>\n</svg>\n",
             height - 12, least, most);
}
