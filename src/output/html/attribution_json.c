/* The tree of attribution: see attribution_json.h. */
#include "output/html/attribution_json.h"

#include "cluster/power_meter.h"
#include "insight/attribution/attribution.h"
#include "output/html/json_out.h"

#include <math.h>
#include <stdlib.h>

#define NOBODY "no job: idle GPUs and nodes"

enum measure { ENERGY, GPU_TIME, CO2, COST, MEASURES };

static const char *const measure_names[MEASURES] = {"energy_j", "gpu_s", "co2_kg", "cost"};
/* Nodes of each level that are kept below one of the level above; of deeper levels as many as of
   the last. */
static const size_t most_below[] = {0, 60, 40, 12};

/* A node of the page: a row, or all those of a parent that are not shown by themselves. */
struct tree_node {
    const char *name;
    size_t parent; /* node */
    size_t row;    /* SIZE_MAX: several */
    double of[MEASURES];
};

struct tree {
    const struct attribution *attribution;
    size_t *children; /* rows by parent, the largest first: those of a row from first[row] on */
    size_t *first;
    ARRAY_OF(struct tree_node) nodes;
};

/* ---- Rows by parent ---- */

struct child {
    size_t parent, row;
    double energy_j;
};

ORDER_BY(by_parent_then_size, struct child, ASC(parent) DESC(energy_j) ASC(row))

static void sort_children(struct tree *tree) {
    const struct attribution *a = tree->attribution;
    size_t count = a->rows.count;
    struct child *all = mem_alloc((count + 1) * sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = (struct child){i == 0 ? SIZE_MAX : a->rows.at[i].parent, i,
                                attribution_energy_j(&a->rows.at[i].sums)};
    sort_array(all, count, by_parent_then_size);
    tree->children = mem_alloc((count + 1) * sizeof *tree->children);
    tree->first = mem_zalloc(count + 1, sizeof *tree->first);
    for (size_t i = 0; i < count; i++) {
        tree->children[i] = all[i].row;
        if (all[i].parent != SIZE_MAX)
            tree->first[all[i].parent + 1] = i + 1;
    }
    for (size_t i = 1; i <= count; i++) /* rows without children begin where the one before ends */
        tree->first[i] = tree->first[i] > tree->first[i - 1] ? tree->first[i] : tree->first[i - 1];
    free(all);
}

/* ---- Nodes ---- */

static struct tree_node node_of(const struct tree *tree, size_t row, size_t parent) {
    const struct attribution_row *r = &tree->attribution->rows.at[row];
    uint32_t value = r->level > 0 ? r->values[r->level - 1] : 0;
    struct tree_node node = {.parent = parent, .row = row};
    node.name = r->level == 0 ? "all"
                : value == ATTRIBUTION_NOBODY
                    ? NOBODY
                    : attribution_text(tree->attribution, r->level - 1, value);
    node.of[ENERGY] = attribution_energy_j(&r->sums);
    node.of[GPU_TIME] = power_gpu_s(r->sums.used_ps) + r->sums.idle_gpu_s;
    node.of[CO2] = r->sums.step.co2_kg;
    node.of[COST] = r->sums.step.cost;
    return node;
}

static bool is_nobody(const struct tree *tree, size_t row) {
    return tree->attribution->rows.at[row].nobody;
}

/* Below a node of nobody there is nothing to tell apart. */
static void add_below(struct tree *tree, size_t place) {
    size_t row = tree->nodes.at[place].row;
    if (row == SIZE_MAX || is_nobody(tree, row))
        return;
    size_t begin = tree->first[row], end = tree->first[row + 1];
    uint32_t level = tree->attribution->rows.at[row].level + 1;
    size_t most = most_below[level < 3 ? level : 3];
    struct tree_node others = {.parent = place, .row = SIZE_MAX, .name = "all others"};
    for (size_t i = begin; i < end; i++) {
        struct tree_node node = node_of(tree, tree->children[i], place);
        if (i - begin < most || end - begin == most + 1)
            array_push(&tree->nodes, node);
        else
            for (int m = 0; m < MEASURES; m++)
                others.of[m] += node.of[m];
    }
    if (end - begin > most + 1)
        array_push(&tree->nodes, others);
}

static void build_tree(struct tree *tree) {
    sort_children(tree);
    array_push(&tree->nodes, node_of(tree, 0, 0));
    for (size_t i = 0; i < tree->nodes.count; i++)
        add_below(tree, i);
}

/* ---- JSON ---- */

static void add_nodes(struct str *out, const struct tree *tree) {
    json_out_key(out, "nodes");
    json_out_open(out, '{');
    json_out_key(out, "name");
    json_out_open(out, '[');
    for (size_t i = 0; i < tree->nodes.count; i++)
        json_out_text(out, tree->nodes.at[i].name);
    json_out_close(out, ']');
    json_out_key(out, "parent");
    json_out_open(out, '[');
    for (size_t i = 0; i < tree->nodes.count; i++)
        json_out_int(out, (int64_t)tree->nodes.at[i].parent);
    json_out_close(out, ']');
    for (int m = 0; m < MEASURES; m++) {
        if (isnan(tree->nodes.at[0].of[m]))
            continue;
        json_out_key(out, measure_names[m]);
        json_out_open(out, '[');
        for (size_t i = 0; i < tree->nodes.count; i++)
            json_out_short(out, tree->nodes.at[i].of[m], 6);
        json_out_close(out, ']');
    }
    json_out_close(out, '}');
}

static void add_tree(struct str *out, const struct attribution *attribution) {
    const struct attribution_path *path = &attribution->request.path;
    struct tree tree = {.attribution = attribution};
    build_tree(&tree);
    json_out_key(out, "attribution");
    json_out_open(out, '{');
    json_out_key(out, "path");
    json_out_open(out, '[');
    for (size_t i = 0; i < path->count; i++)
        json_out_text(out, path->at[i].name);
    json_out_close(out, ']');
    json_out_member_text(out, "nobody", NOBODY);
    json_out_member_text(out, "note",
                         "Of the measured time; what no job held (idle GPUs, nodes beside their "
                         "GPUs) is kept apart. easim attribute has other paths and rules.");
    add_nodes(out, &tree);
    json_out_close(out, '}');
    free(tree.children);
    free(tree.first);
    free(tree.nodes.at);
}

/* The first label, if jobs have any, then user, model and job. */
static struct attribution_path path_of(const struct workload *workload, struct arena *arena) {
    struct attribution_path path = {0};
    if (workload->label_names.count > 0)
        path.at[path.count++] = (struct path_element){
            .kind = PATH_LABEL,
            .name = arena_printf(arena, "label.%s", workload->label_names.at[0])};
    path.at[path.count++] = (struct path_element){.kind = PATH_USER, .name = "user"};
    path.at[path.count++] = (struct path_element){.kind = PATH_MODEL, .name = "model"};
    path.at[path.count++] = (struct path_element){.kind = PATH_JOB, .name = "job"};
    return path;
}

int attribution_json_add(struct str *out, const struct recorded_run *run, struct error *reterr) {
    struct attribution attribution = {0};
    struct arena arena = {0};
    const struct attribution_request request = {
        .path = path_of(&run->workload, &arena), .idle = IDLE_NONE, .bucket_ns = INT64_MAX};
    int r = attribution_find(&attribution, run, &request, reterr);
    if (r == 0) {
        add_tree(out, &attribution);
        attribution_finish(&attribution);
    }
    arena_finish(&arena);
    return r;
}
