/* Writes what every GPU did in a recorded run, for the timeline of the page. */
#include "output/html/internal.h"

#include "base/mem.h"
#include "cluster/power_meter.h"
#include "insight/network_use.h"
#include "output/json.h"

#include <stdlib.h>

/* --- gpu_lanes --- */

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
    ADD_COLUMN(out, "types", cluster->gpu_type_count, t,
               json_out_text(out, cluster->gpu_types[t].name));
    json_out_member_open(out, "nodes", '[');
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

/* --- lanes_json --- */

#define MOST_LABELS       8   /* columns */
#define MOST_LABEL_VALUES 200 /* of a column that can be filtered by */
#define MOST_RESTS        100000

/* The part of a run that is shown. */
struct choice {
    const struct recorded_run *run;
    const struct gpu_lanes *lanes;
    uint32_t *segments; /* indices, in order */
    size_t count, all;
    uint32_t *places; /* of jobs among those shown, or EASIM_NONE */
    uint32_t *jobs;   /* shown ones */
    size_t job_count;
};

static int falling(const void *a, const void *b) {
    return by_real(b, a);
}

/* The GPU time from which on a segment is shown. */
static double find_threshold(const struct recorded_run *run, size_t all, size_t most) {
    if (all <= most)
        return 0;
    double *areas = mem_alloc(all * sizeof *areas);
    size_t count = 0;
    for (size_t i = 0; i < run->segments.count; i++)
        if (run->segments.at[i].config != EASIM_NONE)
            areas[count++] = power_gpu_s(recorded_run_gpu_ps(run, &run->segments.at[i]));
    qsort(areas, count, sizeof *areas, falling);
    double threshold = areas[most];
    free(areas);
    return threshold;
}

static void choose(struct choice *c, size_t most) {
    const struct recorded_run *run = c->run;
    for (size_t i = 0; i < run->segments.count; i++)
        c->all += run->segments.at[i].config != EASIM_NONE;
    double threshold = find_threshold(run, c->all, most);
    c->segments = mem_alloc((c->all < most ? c->all : most) * sizeof *c->segments);
    c->places = mem_alloc(run->workload.jobs.count * sizeof *c->places);
    c->jobs = mem_alloc(run->workload.jobs.count * sizeof *c->jobs);
    memset(c->places, 0xff, run->workload.jobs.count * sizeof *c->places);
    for (size_t i = 0; i < run->segments.count && c->count < most; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->config == EASIM_NONE ||
            (c->all > most && power_gpu_s(recorded_run_gpu_ps(run, s)) <= threshold))
            continue;
        c->segments[c->count++] = (uint32_t)i;
        if (c->places[s->job] == EASIM_NONE) {
            c->places[s->job] = (uint32_t)c->job_count;
            c->jobs[c->job_count++] = s->job;
        }
    }
}

/* ---- Jobs ---- */

static void add_since(struct str *out, int64_t time_ns, int64_t since_ns) {
    if (time_ns < 0)
        json_out_text(out, NULL);
    else
        json_out_time(out, time_ns - since_ns);
}

static bool is_rigid(const struct job_spec *spec) {
    return spec->kind == JOB_KIND_RIGID;
}

static void add_jobs(struct str *out, const struct choice *c) {
    const struct job_spec *specs = c->run->workload.jobs.at;
    const struct recorded_job *jobs = c->run->jobs;
    uint32_t rigid = c->run->folder->models.count; /* the name after those of the models is "" */
    json_out_member_open(out, "jobs", '{');
    ADD_COLUMN(out, "id", c->job_count, i, json_out_text(out, specs[c->jobs[i]].id));
    ADD_COLUMN(out, "user", c->job_count, i, json_out_int(out, specs[c->jobs[i]].user));
    ADD_COLUMN(out, "model", c->job_count, i,
               json_out_int(out, is_rigid(&specs[c->jobs[i]]) ? rigid : specs[c->jobs[i]].model));
    ADD_COLUMN(out, "submit_s", c->job_count, i, json_out_time(out, specs[c->jobs[i]].submit_ns));
    ADD_COLUMN(out, "wait_s", c->job_count, i,
               add_since(out, jobs[c->jobs[i]].start_ns, specs[c->jobs[i]].submit_ns));
    ADD_COLUMN(out, "jct_s", c->job_count, i,
               add_since(out, jobs[c->jobs[i]].finish_ns, specs[c->jobs[i]].submit_ns));
    json_out_close(out, '}');
}

/* A column of labels, with values numbered in the order in which they come; of a column with too
   many of them, which identify rather than group, nothing. */
static void add_label(struct str *out, const struct choice *c, size_t label) {
    const struct job_spec *specs = c->run->workload.jobs.at;
    struct intern values = {0};
    uint32_t *numbers = mem_alloc((c->job_count + 1) * sizeof *numbers);
    for (size_t i = 0; i < c->job_count && values.entries.count <= MOST_LABEL_VALUES; i++) {
        const char *const *labels = specs[c->jobs[i]].labels;
        const char *text = labels && labels[label] ? labels[label] : "";
        numbers[i] = intern(&values, text, strlen(text), NULL);
    }
    if (values.entries.count <= MOST_LABEL_VALUES) {
        json_out_open(out, '{');
        json_out_member_text(out, "key", c->run->workload.label_names.at[label]);
        ADD_COLUMN(out, "values", values.entries.count, i,
                   json_out_text(out, intern_text(&values, (uint32_t)i)));
        ADD_COLUMN(out, "job", c->job_count, i, json_out_int(out, numbers[i]));
        json_out_close(out, '}');
    }
    free(numbers);
    intern_finish(&values);
}

static void add_names(struct str *out, const struct choice *c) {
    const struct workload *workload = &c->run->workload;
    const struct model_set *models = &c->run->folder->models;
    ADD_COLUMN(out, "users", workload->users.count, i,
               json_out_text(out, workload->users.at[i].name));
    json_out_member_open(out, "models", '[');
    for (size_t i = 0; i < models->count; i++)
        json_out_text(out, models->models[i].name);
    json_out_text(out, "");
    json_out_close(out, ']');
    json_out_member_open(out, "labels", '[');
    for (size_t l = 0; l < workload->label_names.count && l < MOST_LABELS; l++)
        add_label(out, c, l);
    json_out_close(out, ']');
}

/* ---- Segments ---- */

static const struct recorded_segment *segment_at(const struct choice *c, size_t i) {
    return &c->run->segments.at[c->segments[i]];
}

static void add_gpus(struct str *out, const struct choice *c) {
    int64_t place = 0;
    json_out_member_open(out, "place", '[');
    json_out_int(out, 0);
    for (size_t i = 0; i < c->count; i++)
        json_out_int(out, place += 2 * (int64_t)segment_at(c, i)->gpus_count);
    json_out_close(out, ']');
    json_out_member_open(out, "gpus", '[');
    for (size_t i = 0; i < c->count; i++)
        for (uint32_t g = 0; g < segment_at(c, i)->gpus_count; g++) {
            const struct recorded_gpus *gpus = &c->run->gpus.at[segment_at(c, i)->gpus + g];
            json_out_int(out, c->lanes->first[gpus->node] + gpus->first);
            json_out_int(out, gpus->count);
        }
    json_out_close(out, ']');
}

static void add_segments(struct str *out, const struct choice *c) {
    json_out_member_int(out, "segments_all", (int64_t)c->all);
    ADD_COLUMN(out, "job", c->count, i, json_out_int(out, c->places[segment_at(c, i)->job]));
    ADD_COLUMN(out, "start_s", c->count, i, json_out_time(out, segment_at(c, i)->start_ns));
    ADD_COLUMN(out, "length_s", c->count, i,
               json_out_time(out, segment_at(c, i)->end_ns - segment_at(c, i)->start_ns));
    ADD_COLUMN(out, "kind", c->count, i, json_out_int(out, segment_at(c, i)->kind - SEGMENT_SETUP));
    ADD_COLUMN(out, "type", c->count, i,
               json_out_int(out, recorded_run_config(c->run, segment_at(c, i))->gpu_type));
    ADD_COLUMN(out, "energy_j", c->count, i,
               json_out_short(out, power_j(segment_at(c, i)->energy), 5));
    add_gpus(out, c);
}

/* The texts that segments name by number, -1: none. */
static void add_plans(struct str *out, const struct choice *c) {
    struct intern texts = {0};
    int64_t *numbers = mem_alloc((c->count + 1) * sizeof *numbers);
    for (size_t i = 0; i < c->count; i++) {
        char text[PLAN_TEXT_BYTES];
        const char *plan = team_plan(c->run, segment_at(c, i), text);
        numbers[i] = plan ? (int64_t)intern(&texts, plan, strlen(plan), NULL) : -1;
    }
    ADD_COLUMN(out, "plans", texts.entries.count, i,
               json_out_text(out, intern_text(&texts, (uint32_t)i)));
    ADD_COLUMN(out, "plan", c->count, i, json_out_int(out, numbers[i]));
    free(numbers);
    intern_finish(&texts);
}

static double sync_share_of(const struct choice *c, size_t i) {
    const struct recorded_segment *s = segment_at(c, i);
    return team_sync_share(c->run, s->job, recorded_run_config(c->run, s), s->span);
}

/* The cooperation of the GPUs of segments, if there is a network or there are plans. */
static void add_teams(struct str *out, const struct choice *c) {
    const struct network *network = &c->run->folder->cluster.network;
    bool plans = c->run->workload.table.has_plans;
    if (network->tier_count > 0) {
        ADD_COLUMN(out, "tiers", network_span_count(network), i,
                   json_out_text(out, network_span_name(network, (uint32_t)i)));
        ADD_COLUMN(out, "tier", c->count, i, json_out_int(out, segment_at(c, i)->span));
    }
    if (plans)
        add_plans(out, c);
    if (plans || network->tier_count > 0)
        ADD_COLUMN(out, "sync_share", c->count, i, json_out_short(out, sync_share_of(c, i), 3));
}

/* States of GPUs without a job. Free is not stored, because it is the rest. */
static void add_rests(struct str *out, const struct choice *c) {
    const struct recorded_run *run = c->run;
    uint32_t *shown = mem_alloc((run->rests.count + 1) * sizeof *shown);
    size_t count = 0;
    for (size_t i = 0; i < run->rests.count && count < MOST_RESTS; i++)
        if (run->rests.at[i].state != RECORDED_FREE)
            shown[count++] = (uint32_t)i;
    const struct recorded_rest *rests = run->rests.at;
    json_out_member_open(out, "rest", '{');
    ADD_COLUMN(out, "first", count, i,
               json_out_int(out, c->lanes->first[rests[shown[i]].node] + rests[shown[i]].first));
    ADD_COLUMN(out, "count", count, i, json_out_int(out, rests[shown[i]].count));
    ADD_COLUMN(out, "start_s", count, i, json_out_time(out, rests[shown[i]].start_ns));
    ADD_COLUMN(out, "length_s", count, i,
               json_out_time(out, rests[shown[i]].end_ns - rests[shown[i]].start_ns));
    ADD_COLUMN(out, "state", count, i, json_out_int(out, rests[shown[i]].state));
    json_out_close(out, '}');
    free(shown);
}

void lanes_json_add(struct str *out, const struct recorded_run *run, const struct gpu_lanes *lanes,
                    size_t most) {
    struct choice c = {.run = run, .lanes = lanes};
    choose(&c, most);
    json_out_member_open(out, "lanes", '{');
    json_out_key(out, "end_s");
    json_out_time(out, run->part->end_ns);
    gpu_lanes_add(out, lanes);
    add_names(out, &c);
    add_jobs(out, &c);
    add_segments(out, &c);
    add_teams(out, &c);
    add_rests(out, &c);
    json_out_close(out, '}');
    free(c.segments);
    free(c.places);
    free(c.jobs);
}
