/* Busy time and energy of a timeline's GPUs. Invariant: until the trace is closed the correlation
   of an event is 1 + the number of its GPU. */
#include "ingest/kineto/kineto_simulated.h"

#define LISTED_GPUS 16384

ORDER_BY(event_by_gpu, struct kineto_event, ASC(correlation) ASC(start_ns))

void kineto_simulated_close(struct kineto_trace *trace) {
    struct kineto_gpus *gpus = &trace->gpus;
    uint32_t present = 0;
    int64_t until_ns = 0;
    if (gpus->all.count == 0)
        return;
    sort_array(trace->events.at, trace->events.count, event_by_gpu);
    for (struct kineto_event *e = trace->events.at; e < trace->events.at + trace->events.count;
         e++) {
        bool next = e->correlation != present;
        present = e->correlation;
        e->correlation = 0;
        if (present == 0 || present > gpus->all.count)
            continue; /* no slice of easim's, or of too many GPUs */
        int64_t from_ns = next || e->start_ns > until_ns ? e->start_ns : until_ns;
        if (next || e->end_ns > until_ns)
            until_ns = e->end_ns;
        gpus->all.at[present - 1].busy_ns += until_ns > from_ns ? until_ns - from_ns : 0;
    }
}

void kineto_simulated_add_figures(struct figure *root, const struct kineto_trace *trace) {
    const struct kineto_gpus *gpus = &trace->gpus;
    size_t listed = gpus->all.count < LISTED_GPUS ? gpus->all.count : LISTED_GPUS;
    double energy_j = gpus->others.energy_j;
    int64_t busy_ns = 0;
    if (gpus->all.count == 0)
        return;
    for (size_t i = 0; i < gpus->all.count; i++) {
        busy_ns += gpus->all.at[i].busy_ns;
        energy_j += gpus->all.at[i].energy_j;
    }
    figures_real(root, "simulated_busy_us", (double)busy_ns / 1000);
    figures_real(root, "simulated_energy_j", energy_j);
    if (listed < gpus->all.count)
        figures_int(root, "simulated_gpus_not_listed", (int64_t)(gpus->all.count - listed));
    struct figure *list = figures_list(root, "simulated_gpus");
    for (const struct kineto_gpu *gpu = gpus->all.at; gpu < gpus->all.at + listed; gpu++) {
        struct figure *row = figures_group(list, NULL);
        figures_int(row, "node", gpu->node);
        figures_int(row, "gpu", gpu->gpu);
        figures_int(row, "slices", (int64_t)gpu->events);
        figures_real(row, "busy_us", (double)gpu->busy_ns / 1000);
        figures_real(row, "energy_j", gpu->energy_j);
    }
}
