/* Alibaba's GPU clusters: openb of 2023, and PAI of 2020 in the form of its simulator. */
#include "ingest/logs/formats.h"

#include "base/units.h"
#include "ingest/logs/log_table.h"
#include "io/yaml_node.h"

#include <math.h>
#include <stdlib.h>

/* --- alibaba_gpu_2023 --- */
/* Openb (ATC 2023, "Beware of Fragmentation"): pods as jobs, nodes as a cluster. */

#define GPU_2023_COLUMNS(X) \
    X(ID, "name"), X(GPUS, "num_gpu"), X(MILLI, "gpu_milli"), X(SUBMIT, "creation_time"), \
        X(END, "deletion_time"), X(START, "scheduled_time"), X(TYPE, "gpu_spec"), \
        X(PHASE, "pod_phase")
enum column { GPU_2023_COLUMNS(ENUM_OF), COLUMN_COUNT, REQUIRED_COUNT = TYPE };

static const char *const gpu_2023_column_names[COLUMN_COUNT] = {GPU_2023_COLUMNS(NAME_OF)};

/* The snapshot ended at the latest deletion; pods that ran then have it as theirs. */
struct snapshot {
    double end_s;
    uint64_t rows;
    uint32_t first_line;
};

static void note_end(struct snapshot *snapshot, double end_s, bool running, uint32_t line) {
    if (end_s > snapshot->end_s)
        *snapshot = (struct snapshot){.end_s = end_s};
    if (end_s < snapshot->end_s || !running)
        return;
    if (snapshot->rows++ == 0)
        snapshot->first_line = line;
}

static const char *read_pod(struct table *table, struct trace_row *row) {
    double submit_s = table_seconds(table, SUBMIT, 0);
    uint32_t milli = table_is_absent(table, MILLI) ? 0 : table_whole(table, MILLI, 0);
    row->submit_ns = units_ns(submit_s);
    row->gpus = table_whole(table, GPUS, 0);
    row->gpu_type = table_text(table, TYPE);
    if (table_is_absent(table, START))
        return "never scheduled (no scheduled_time)";
    if (row->gpus == 0)
        return "no GPUs";
    if (milli == 0 || milli > WHOLE_GPU_MILLI)
        table_bad(table, MILLI, "expected integer 1..1000, got", "");
    double start_s = table_seconds(table, START, 0), end_s = table_seconds(table, END, 0);
    row->duration_s = end_s - start_s;
    const char *reason = table_reason(row);
    if (reason)
        return reason;
    note_end(table->state, end_s, slice_is(table_field(table, PHASE), "Running"), row->line);
    if (milli < WHOLE_GPU_MILLI && row->gpus == 1) {
        row->gpu_milli = milli;
        table_note(table, "part of a GPU (gpu_milli below 1000): gpu_share", row);
    } else if (milli < WHOLE_GPU_MILLI) {
        table_note(table, "part of each of several GPUs (gpu_milli below 1000): whole ones", row);
    }
    return NULL;
}

static int pods_read(const char *path, const struct trace_options *options, struct trace *trace,
                     struct problems *problems) {
    static const struct table_format format = {.columns = gpu_2023_column_names,
                                               .count = COLUMN_COUNT,
                                               .required = REQUIRED_COUNT,
                                               .models_from = COLUMN_COUNT,
                                               .id = ID,
                                               .labels_too = 1u << MILLI | 1u << START |
                                                             1u << TYPE | 1u << PHASE,
                                               .read_row = read_pod};
    struct snapshot snapshot = {.end_s = -1};
    int r = table_read(path, &format, options, trace, problems, &snapshot);
    for (uint64_t i = 0; i < snapshot.rows; i++)
        trace_note(trace, false, "running when the log ended: run time up to then",
                   snapshot.first_line);
    return r;
}

const struct trace_reader alibaba_gpu_2023_reader = {
    "alibaba-gpu-2023", "Alibaba openb pods and nodes (CSV)", pods_read, TRACE_OPTION_NODES};

/* --- nodes --- */

enum node_column { NODE_ID, NODE_GPUS, NODE_TYPE, NODE_COLUMN_COUNT };

static const char *const node_column_names[NODE_COLUMN_COUNT] = {"sn", "gpu", "model"};

/* Whether YAML can have the name without quotes. */
static bool is_printable(const char *name) {
    while (*name >= ' ' && *name <= '~')
        name++;
    return *name == '\0';
}

/* Nodes are read like jobs, because only their GPUs and their GPU type count. */
static const char *read_node(struct table *table, struct trace_row *row) {
    row->gpus = table_whole(table, NODE_GPUS, 0);
    row->gpu_type = table_text(table, NODE_TYPE);
    if (row->gpus == 0)
        return "nodes without GPUs";
    if (!row->gpu_type || !is_printable(row->gpu_type))
        table_bad(table, NODE_TYPE, "expected the model of the GPUs in printable ASCII, got", "");
    return NULL;
}

struct node_group {
    uint32_t type; /* in order of appearance */
    uint32_t gpus, count;
};

static void write_cluster(const struct trace *nodes, const char *path, struct str *out) {
    struct intern types = {0}, groups = {0};
    uint32_t *counts = mem_zalloc(nodes->rows.count + 1, sizeof *counts);
    for (size_t i = 0; i < nodes->rows.count; i++) {
        const struct trace_row *row = &nodes->rows.at[i];
        struct node_group group = {intern(&types, row->gpu_type, strlen(row->gpu_type), NULL),
                                   row->gpus, 0};
        counts[intern(&groups, &group, sizeof group, NULL)]++;
    }
    str_addf(out, "# Nodes of %s. Power is not in the list: add idle_w and tdp_w of each type.\n",
             path);
    str_add(out, "cluster:\n  gpu_types:\n");
    for (uint32_t i = 0; i < types.entries.count; i++) {
        str_add(out, "    - {name: ");
        yaml_add_quoted(out, intern_text(&types, i));
        str_add(out, "}\n");
    }
    str_add(out, "  nodes:\n");
    for (uint32_t i = 0; i < groups.entries.count; i++) {
        struct node_group group;
        memcpy(&group, groups.entries.at[i].key, sizeof group);
        str_addf(out, "    - {count: %u, gpu: ", counts[i]);
        yaml_add_quoted(out, intern_text(&types, group.type));
        str_addf(out, ", gpus: %u}\n", group.gpus);
    }
    free(counts);
    intern_finish(&types);
    intern_finish(&groups);
}

int alibaba_nodes_read(const char *path, struct str *out, struct trace *notes,
                       struct problems *problems) {
    static const struct table_format format = {.columns = node_column_names,
                                               .count = NODE_COLUMN_COUNT,
                                               .required = NODE_COLUMN_COUNT,
                                               .models_from = NODE_COLUMN_COUNT,
                                               .id = NODE_ID,
                                               .read_row = read_node};
    if (table_read(path, &format, NULL, notes, problems, NULL) < 0)
        return ERROR_INPUT;
    if (notes->rows.count == 0)
        return problems_add(problems, (struct location){.file = path}, NULL,
                            "the list holds no node with GPUs");
    write_cluster(notes, path, out);
    return 0;
}

/* --- alibaba_pai_2020 --- */
/* PAI (NSDI 2022, "MLaaS in the Wild"), July to August 2020, as the simulator of its authors reads
   it. Times are in seconds. num_gpu, or plan_gpu in percent of a GPU, is for each of num_inst
   instances, which run together (scheduler.py of the simulator: num_inst * num_gpu). */

#define PAI_COLUMNS(X) \
    X(PAI_SUBMIT, "submit_time"), X(PAI_DURATION, "duration"), X(PAI_GPUS, "num_gpu"), \
        X(PAI_PLAN, "plan_gpu"), X(PAI_INSTANCES, "num_inst|inst_num"), \
        X(PAI_ID, "job_id|jobid|job_name|name"), X(PAI_USER, "user"), \
        X(PAI_TYPE, "gpu_type_spec|gpu_type")
enum pai_column { PAI_COLUMNS(ENUM_OF), PAI_COLUMN_COUNT, PAI_REQUIRED_COUNT = PAI_GPUS };

static const char *const pai_column_names[PAI_COLUMN_COUNT] = {PAI_COLUMNS(NAME_OF)};

/* GPUs of one instance. */
static double gpus_of_instance(struct table *table) {
    if (!table_is_absent(table, PAI_GPUS))
        return table_real(table, PAI_GPUS, 0, 1 << 30, "expected GPUs 0..2^30, got");
    return table_is_absent(table, PAI_PLAN)
               ? 0
               : table_real(table, PAI_PLAN, 0, 1 << 30, "expected percent of a GPU, got") / 100;
}

static double gpus_of_task(struct table *table) {
    double instances =
        table_is_absent(table, PAI_INSTANCES) ? 1 : table_whole(table, PAI_INSTANCES, 0);
    double all = gpus_of_instance(table) * instances, whole = round(all);
    if (all <= 1 << 30)
        return fabs(all - whole) < 1e-9 * whole ? whole : all; /* 0.07 x 100 is a bit more than 7 */
    table_bad(table, PAI_INSTANCES, "expected at most 2^30 GPUs of all instances, got", "");
    return 0;
}

/* Whole GPUs, or part of one in thousandths; NULL, or what is not as the log has it. */
static const char *set_gpus(struct trace_row *row, double gpus) {
    row->gpus = (uint32_t)ceil(gpus);
    if (row->gpus == gpus)
        return NULL;
    if (row->gpus > 1)
        return "part of several GPUs: whole ones";
    row->gpu_milli = (uint32_t)ceil(gpus * WHOLE_GPU_MILLI);
    bool exact = (double)row->gpu_milli / WHOLE_GPU_MILLI == gpus;
    return exact ? "part of a GPU: gpu_share"
                 : "part of a GPU, rounded up to thousandths: gpu_share";
}

static const char *read_pai_task(struct table *table, struct trace_row *row) {
    row->submit_ns = units_ns(table_seconds(table, PAI_SUBMIT, 0));
    row->duration_s = table_is_absent(table, PAI_DURATION)
                          ? NAN
                          : table_seconds(table, PAI_DURATION, -TIME_MAX_S);
    row->user = table_text(table, PAI_USER);
    row->gpu_type = table_text(table, PAI_TYPE);
    const char *note = set_gpus(row, gpus_of_task(table)), *reason = table_reason(row);
    if (!reason && note)
        table_note(table, note, row);
    return reason;
}

static int pai_read(const char *path, const struct trace_options *options, struct trace *trace,
                    struct problems *problems) {
    static const struct table_format format = {.columns = pai_column_names,
                                               .count = PAI_COLUMN_COUNT,
                                               .required = PAI_REQUIRED_COUNT,
                                               .models_from = PAI_COLUMN_COUNT,
                                               .id = PAI_ID,
                                               .labels_too = 1u << PAI_GPUS | 1u << PAI_PLAN |
                                                             1u << PAI_INSTANCES,
                                               .read_row = read_pai_task};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader alibaba_pai_2020_reader = {
    "alibaba-pai-2020", "Alibaba PAI, simulator form (CSV)", pai_read, 0};
