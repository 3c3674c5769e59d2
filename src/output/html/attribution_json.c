/* Writes who caused how much, for the icicle of the page, where the time of each job went, and the
   classes of waste and insights that are found in a recorded run. */
#include "output/html/internal.h"

#include "base/units.h"
#include "cluster/power_meter.h"
#include "insight/attribution/attribution.h"
#include "insight/blame/misses.h"
#include "insight/waste/waste.h"
#include "output/recorded/recorded.h"

#include <math.h>
#include <stdlib.h>

#define NOBODY "no job: idle GPUs and nodes"

enum measure { ENERGY, GPU_TIME, CO2, COST, MEASURES };

static const char *const attribution_json_measure_names[MEASURES] = {"energy_j", "gpu_s", "co2_kg",
                                                                     "cost"};
/* Nodes of each level kept below one of the level above; deeper levels are as the last. */
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
                                attribution_energy_j(a->rows.at[i].sums)};
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
    node.of[ENERGY] = attribution_energy_j(r->sums);
    node.of[GPU_TIME] = power_gpu_s(r->sums->used_ps) + r->sums->idle_gpu_s;
    node.of[CO2] = r->sums->step.co2_kg;
    node.of[COST] = r->sums->step.cost;
    return node;
}

/* A node without a job has no parts to show. */
static void add_below(struct tree *tree, size_t place) {
    size_t row = tree->nodes.at[place].row;
    if (row == SIZE_MAX || tree->attribution->rows.at[row].nobody)
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
    json_out_member_open(out, "nodes", '{');
    ADD_COLUMN(out, "name", tree->nodes.count, i, json_out_text(out, tree->nodes.at[i].name));
    ADD_COLUMN(out, "parent", tree->nodes.count, i,
               json_out_int(out, (int64_t)tree->nodes.at[i].parent));
    for (int m = 0; m < MEASURES; m++) {
        if (isnan(tree->nodes.at[0].of[m]))
            continue;
        ADD_COLUMN(out, attribution_json_measure_names[m], tree->nodes.count, i,
                   json_out_short(out, tree->nodes.at[i].of[m], 6));
    }
    json_out_close(out, '}');
}

static void add_tree(struct str *out, const struct attribution *attribution) {
    const struct attribution_path *path = &attribution->request.path;
    struct tree tree = {.attribution = attribution};
    build_tree(&tree);
    json_out_member_open(out, "attribution", '{');
    ADD_COLUMN(out, "path", path->count, i, json_out_text(out, path->at[i].name));
    json_out_member_text(out, "nobody", NOBODY);
    json_out_member_text(
        out, "note",
        "Only the measured time; GPUs without a job and the rest of the nodes have rows of their own. easim attribute has other paths and rules.");
    add_nodes(out, &tree);
    json_out_close(out, '}');
    free(tree.children);
    free(tree.first);
    free(tree.nodes.at);
}

/* User, the first label if jobs have any, model and job. */
static struct attribution_path path_of(const struct workload *workload, struct arena *arena) {
    struct attribution_path path = {0};
    path.at[path.count++] = (struct path_element){.kind = PATH_USER, .name = "user"};
    if (workload->label_names.count > 0)
        path.at[path.count++] = (struct path_element){
            .kind = PATH_LABEL,
            .name = arena_printf(arena, "label.%s", workload->label_names.at[0])};
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

/* --- blame_json --- */

/* Of a job that has finished it follows from its deadline: -1. */
static int64_t late_ms(const struct recorded_run *run, const struct blame *blame, size_t job) {
    double late_s = NAN;
    if (run->jobs[job].finish_ns < 0)
        (void)miss_cause_find(run, blame, (uint32_t)job, &late_s);
    return isnan(late_s) ? -1 : llround(late_s * 1000);
}

/* Of the queue, what differs from the wait for the start. */
static int64_t part_ms(const struct recorded_run *run, size_t job, const int64_t *part_ns,
                       int part) {
    int64_t start_ns = run->jobs[job].start_ns, ms = packed_ms(0, part_ns[part]);
    return part == BLAME_QUEUED && start_ns >= 0
               ? ms - packed_ms(run->workload.jobs.at[job].submit_ns, start_ns)
               : ms;
}

void blame_json_add(struct str *out, struct packed *packed, const struct recorded_run *run,
                    const struct blame *blame, size_t most) {
    uint32_t all = run->part->jobs_submitted, shown = all < most ? all : (uint32_t)most;
    int64_t sums_ns[BLAME_PARTS] = {0};
    uint32_t parts = blame_parts(run);
    for (uint32_t j = 0; j < all; j++)
        for (uint32_t p = 0; p < parts; p++)
            sums_ns[p] += blame->jobs[j].part_ns[p];
    json_out_member_open(out, "blame", '{');
    ADD_COLUMN(out, "parts", parts, p, json_out_text(out, blame_part_names[p]));
    ADD_COLUMN(out, "sums_s", parts, p, json_out_short(out, units_s(sums_ns[p]), 7));
    json_out_member_open(out, "of_ms", '{');
    for (uint32_t p = 0; p < parts; p++)
        if (p != BLAME_RUN)
            ADD_PACKED(out, packed, blame_part_names[p], shown, j,
                       part_ms(run, j, blame->jobs[j].part_ns, p));
    json_out_close(out, '}');
    ADD_COLUMN(out, "causes", MISS_CAUSES, c, json_out_text(out, miss_cause_names[c]));
    ADD_PACKED(out, packed, "cause", shown, j,
               miss_cause_find(run, blame, (uint32_t)j, &(double){0}));
    ADD_PACKED(out, packed, "late_ms", shown, j, late_ms(run, blame, j));
    json_out_close(out, '}');
}

/* --- insight_json --- */

static void add_classes(struct str *out, const struct waste *waste) {
    json_out_member_open(out, "waste", '[');
    for (enum waste_class c = 0; c < WASTE_CLASSES; c++) {
        enum waste_group group = waste_class_group(c);
        if (waste->of[c].energy_j == 0 && waste->of[c].gpu_s == 0)
            continue;
        json_out_open(out, '{');
        json_out_member_text(out, "name", waste_class_names[c]);
        json_out_member_text(out, "group", group < WASTE_GROUPS ? waste_group_names[group] : "");
        json_out_member_real(out, "j", waste->of[c].energy_j);
        json_out_member_real(out, "gpu_s", waste->of[c].gpu_s);
        json_out_close(out, '}');
    }
    json_out_close(out, ']');
}

/* The part of a segment's energy that is after the warm-up. */
static double measured_j(const struct recorded_run *run, const struct recorded_segment *s) {
    int64_t begin_ns =
        run->workload.warmup_ns > s->start_ns ? run->workload.warmup_ns : s->start_ns;
    int64_t length_ns = s->end_ns - s->start_ns;
    return begin_ns >= s->end_ns || length_ns == 0
               ? 0
               : power_j(s->energy) * ((double)(s->end_ns - begin_ns) / (double)length_ns);
}

static double *useful_by_job(const struct waste *waste, const struct recorded_run *run) {
    double *share = mem_zalloc(run->workload.jobs.count + 1, sizeof *share);
    for (size_t i = 0; i < run->segments.count; i++)
        if (run->segments.at[i].kind == SEGMENT_RUN)
            share[run->segments.at[i].job] += measured_j(run, &run->segments.at[i]);
    for (uint32_t j = 0; j < run->workload.jobs.count; j++)
        if (share[j] > 0)
            share[j] = fmax(0, waste->jobs[j].useful_j / share[j]);
    return share;
}

static int add_insights(struct str *out, const struct rule_run *rule_run,
                        const struct rule_settings *settings, const struct insight_hooks *hooks,
                        struct error *reterr) {
    const struct recorded_folder *folder = rule_run->folder;
    struct insights insights = {0};
    struct str text = {0};
    rules_apply(rule_run, settings, &insights);
    int r = hooks->verify(hooks->context, rule_run, &insights, reterr);
    const char **commands =
        arena_alloc(&insights.arena, (insights.at.count + 1) * sizeof *commands);
    for (size_t i = 0; i < insights.at.count; i++)
        commands[i] = hooks->command(rule_run->run, insights.at.at[i], i + 1, &insights.arena);
    insights_json(&(struct insights_page){.run = rule_run,
                                          .settings = settings,
                                          .insights = &insights,
                                          .commands = commands,
                                          .replications = recorded_folder_replications(
                                              folder, rule_run->run->part)},
                  &text);
    json_out_key(out, "insights");
    json_out_raw(out, text.text, text.length);
    str_finish(&text);
    insights_finish(&insights);
    return r;
}

/* The rules with their usual thresholds, of a run whose waste is known. */
static int apply_rules(struct str *out, const struct recorded_run *run, const struct waste *waste,
                       const struct blame *blame, const struct insight_hooks *hooks,
                       struct error *reterr) {
    struct rule_settings settings = {0};
    struct rule_run rule_run = {0};
    struct problems problems = {0};
    int r = rule_settings_init(&settings, NULL, 0, &problems);
    if (r < 0)
        r = error_set(reterr, ERROR_INPUT, "%s", problems.count > 0 ? problems.texts[0] : "rules");
    if (r == 0) {
        rule_run_init(&rule_run, run, waste, blame);
        r = add_insights(out, &rule_run, &settings, hooks, reterr);
        rule_run_finish(&rule_run);
    }
    rule_settings_finish(&settings);
    problems_finish(&problems);
    return r;
}

int insight_json_add(struct str *out, const struct recorded_run *run, const struct blame *blame,
                     const struct insight_hooks *hooks, double **ret_useful_frac,
                     struct error *reterr) {
    struct waste waste = {0};
    int r = waste_of_run(&waste, run, reterr);
    if (r == 0) {
        add_classes(out, &waste);
        r = apply_rules(out, run, &waste, blame, hooks, reterr);
    }
    if (r == 0)
        *ret_useful_frac = useful_by_job(&waste, run);
    waste_finish(&waste);
    return r;
}
