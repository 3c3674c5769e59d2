/* The table of figures. A script is variables, then what all figures share, then the plotting part.
 */
#include "output/plot/kinds.h"

#include "figure_scripts.h"
#include "output/plot/makers.h"

const struct plot_kind plot_kinds[] = {
    {"pareto", "two metrics of all policies, with their front", script_pareto, plot_pareto,
     PLOT_OF_RUNS, "pareto scale policies"},
    {"jct", "share of the measured jobs that finish within a time", script_jct, plot_jct,
     PLOT_OF_RUNS, "policies"},
    {"power", "power over time, with the cap", script_power, plot_power, PLOT_OF_RUNS,
     "replication policies"},
    {"occupancy", "GPUs allocated, idle and failed over time", script_occupancy, plot_occupancy,
     PLOT_OF_RUNS, "replication policies"},
    {"queue", "jobs waiting over time", script_queue, plot_queue, PLOT_OF_RUNS,
     "replication policies"},
    {"bars", "missed deadlines and fairness", script_bars, plot_bars, PLOT_OF_RUNS,
     "metrics policies"},
    {"worlds", "differences in many worlds, and where they come from", script_worlds, plot_worlds,
     PLOT_OF_RUNS, "metrics policies"},
    {"lines", "metrics of a sweep along an axis", script_lines, plot_lines, PLOT_OF_RUNS,
     "metrics x by where"},
    {"heatmap", "a metric of a sweep over two axes", script_heatmap, plot_heatmap, PLOT_OF_RUNS,
     "metrics x y by where"},
    {"speedup", "rate over GPUs, of what models say", script_models, plot_speedup, PLOT_OF_MODELS,
     ""},
    {"energy_k", "energy per unit of work over GPUs, of what models say", script_models,
     plot_energy_over_k, PLOT_OF_MODELS, ""},
    {"energy_b", "energy per unit of work over batches, of what models say", script_models,
     plot_energy_over_b, PLOT_OF_MODELS, ""},
    {"meter", "metered and predicted power over time", script_meter, plot_meter, PLOT_OF_METERS,
     ""},
    {.name = NULL},
};

void plot_script(const struct plot_kind *kind, const struct plot_figure *figure,
                 const char *formats, struct str *out) {
    str_addf(
        out,
        "# %s: %s. Written by easim plot with %s.csv; draws the same figure again:\n#   gnuplot -d %s.gp\n\n",
        kind->name, kind->summary, kind->name, kind->name);
    str_addf(out, "figure = '%s'\nformats = '%s'\nwidth = %d\nheight = %d\n", kind->name, formats,
             figure->width, figure->height);
    str_add_bytes(out, figure->variables.text, figure->variables.length);
    str_add(out, script_begin);
    str_add(out, kind->script);
    str_add(out, script_end);
}
