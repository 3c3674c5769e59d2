/* GPUs in the order of the page: see gpu_lanes.h. */
#include "output/html/gpu_lanes.h"

#include "base/mem.h"
#include "output/html/json_out.h"

#include <stdlib.h>

void gpu_lanes_init(struct gpu_lanes *lanes, const struct cluster *cluster) {
    size_t placed = 0;
    *lanes = (struct gpu_lanes){.cluster = cluster};
    lanes->first = mem_zalloc(cluster->node_count, sizeof *lanes->first);
    lanes->nodes = mem_zalloc(cluster->node_count, sizeof *lanes->nodes);
    for (uint32_t type = 0; type < cluster->gpu_type_count; type++)
        for (uint32_t n = 0; n < cluster->node_count; n++)
            if (cluster->nodes[n].gpu_type == type) {
                lanes->first[n] = lanes->count;
                lanes->nodes[placed++] = n;
                lanes->count += cluster->nodes[n].gpus;
            }
}

void gpu_lanes_finish(struct gpu_lanes *lanes) {
    free(lanes->first);
    free(lanes->nodes);
}

void gpu_lanes_add(struct str *out, const struct gpu_lanes *lanes) {
    const struct cluster *cluster = lanes->cluster;
    json_out_member_int(out, "count", lanes->count);
    json_out_key(out, "types");
    json_out_open(out, '[');
    for (uint32_t t = 0; t < cluster->gpu_type_count; t++)
        json_out_text(out, cluster->gpu_types[t].name);
    json_out_close(out, ']');
    json_out_key(out, "nodes");
    json_out_open(out, '[');
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        uint32_t node = lanes->nodes[i];
        json_out_open(out, '[');
        json_out_int(out, lanes->first[node]);
        json_out_int(out, cluster->nodes[node].gpus);
        json_out_int(out, cluster->nodes[node].gpu_type);
        json_out_int(out, node);
        json_out_close(out, ']');
    }
    json_out_close(out, ']');
}
