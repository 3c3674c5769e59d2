/* Writes what every GPU did in a recorded run, for the timeline of the page. */
#include "output/html/internal.h"

#include "base/mem.h"
#include "base/sort_doubles.h"
#include "base/units.h"
#include "insight/network_use.h"

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
#define MOST_SEGMENTS     300000u /* of all policies together */

/* The part of a run that is shown. */
struct choice {
    const struct recorded_run *run;
    const struct gpu_lanes *lanes;
    struct packed *packed;
    uint32_t *segments; /* indices, in order */
    size_t count, all;
    uint32_t jobs; /* that the page has; replicas come after them */
};

/* The place on the page of a job that is there. */
static uint32_t place_of(const struct choice *c, uint32_t job) {
    return recorded_run_is_replica(c->run, job) ? c->jobs + (job - c->run->first_replica) : job;
}

/* The GPU time from which on a segment is shown. */
static double find_threshold(const struct recorded_run *run, size_t all, size_t most) {
    if (all <= most)
        return -1;
    double *areas = mem_alloc(all * sizeof *areas);
    size_t count = 0;
    for (size_t i = 0; i < run->segments.count; i++)
        if (run->segments.at[i].config != EASIM_NONE)
            areas[count++] = power_gpu_s(recorded_run_gpu_ps(run, &run->segments.at[i]));
    sort_doubles(areas, count);
    double threshold = areas[count - 1 - most];
    free(areas);
    return threshold;
}

static void choose(struct choice *c, size_t most) {
    const struct recorded_run *run = c->run;
    for (size_t i = 0; i < run->segments.count; i++)
        c->all += run->segments.at[i].config != EASIM_NONE;
    double threshold = find_threshold(run, c->all, most);
    c->segments = mem_alloc((c->all < most ? c->all : most) * sizeof *c->segments);
    for (size_t i = 0; i < run->segments.count && c->count < most; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->config != EASIM_NONE && (s->job < c->jobs || recorded_run_is_replica(run, s->job)) &&
            power_gpu_s(recorded_run_gpu_ps(run, s)) > threshold)
            c->segments[c->count++] = (uint32_t)i;
    }
}

/* ---- Jobs ---- */

/* Replicas of services, as the jobs of jobs.csv. */
static void add_replicas(struct str *out, const struct choice *c) {
    const struct recorded_run *run = c->run;
    const struct job_spec *specs = run->workload.jobs.at + run->first_replica;
    const struct recorded_job *jobs = run->jobs + run->first_replica;
    size_t count = run->replicas.count;
    json_out_member_open(out, "replicas", '{');
    ADD_COLUMN(out, "id", count, i, json_out_text(out, specs[i].id));
    ADD_COLUMN(out, "user", count, i,
               json_out_text(out, run->workload.users.at[specs[i].user].name));
    ADD_COLUMN(out, "model", count, i,
               json_out_text(out, run->folder->models.models[specs[i].model].name));
    ADD_PACKED(out, c->packed, "submit_ms", count, i, packed_ms(0, specs[i].submit_ns));
    ADD_PACKED(out, c->packed, "wait_ms", count, i,
               packed_ms(specs[i].submit_ns, jobs[i].start_ns));
    ADD_PACKED(out, c->packed, "rest_ms", count, i, packed_ms(jobs[i].start_ns, jobs[i].finish_ns));
    json_out_close(out, '}');
}

/* A column of labels, with values numbered in the order in which they come; of a column with too
   many of them, which identify rather than group, nothing. */
static void add_label(struct str *out, const struct choice *c, size_t label) {
    const struct job_spec *specs = c->run->workload.jobs.at;
    size_t count = c->jobs + c->run->replicas.count;
    struct intern values = {0};
    uint32_t *numbers = mem_alloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; i < count && values.entries.count <= MOST_LABEL_VALUES; i++) {
        size_t job = i < c->jobs ? i : c->run->first_replica + (i - c->jobs);
        const char *const *labels = specs[job].labels;
        const char *text = labels && labels[label] ? labels[label] : "";
        numbers[i] = intern(&values, text, strlen(text), NULL);
    }
    if (values.entries.count <= MOST_LABEL_VALUES) {
        json_out_open(out, '{');
        json_out_member_text(out, "key", c->run->workload.label_names.at[label]);
        ADD_COLUMN(out, "values", values.entries.count, i,
                   json_out_text(out, intern_text(&values, (uint32_t)i)));
        ADD_PACKED(out, c->packed, "job", count, i, numbers[i]);
        json_out_close(out, '}');
    }
    free(numbers);
    intern_finish(&values);
}

static void add_labels(struct str *out, const struct choice *c) {
    json_out_member_open(out, "labels", '[');
    for (size_t l = 0; l < c->run->workload.label_names.count && l < MOST_LABELS; l++)
        add_label(out, c, l);
    json_out_close(out, ']');
}

/* ---- Segments ---- */

static const struct recorded_segment *segment_at(const struct choice *c, size_t i) {
    return &c->run->segments.at[c->segments[i]];
}

/* From the end of the segment before of the job, or from the start of the job. */
static int64_t start_ms(const struct choice *c, size_t i) {
    const struct recorded_segment *s = segment_at(c, i);
    bool first = i == 0 || segment_at(c, i - 1)->job != s->job;
    return packed_ms(first ? c->run->jobs[s->job].start_ns : segment_at(c, i - 1)->end_ns,
                     s->start_ns);
}

/* From its start to its end; of the last one of a job, from the end of the job, or the run. */
static int64_t length_ms(const struct choice *c, size_t i) {
    const struct recorded_segment *s = segment_at(c, i);
    int64_t finish_ns = c->run->jobs[s->job].finish_ns;
    bool last = i + 1 == c->count || segment_at(c, i + 1)->job != s->job;
    return packed_ms(!last            ? s->start_ns
                     : finish_ns >= 0 ? finish_ns
                                      : c->run->part->end_ns,
                     s->end_ns);
}

/* Runs of GPUs: of each segment how many, then their first lanes, then how many GPUs they have. */
static void add_gpus(struct str *out, const struct choice *c) {
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += segment_at(c, i)->gpus_count;
    ADD_PACKED(out, c->packed, "runs", c->count, i, segment_at(c, i)->gpus_count);
    for (int widths = 0; widths < 2; widths++) {
        int64_t *to = packed_room(c->packed, count);
        for (size_t i = 0; i < c->count; i++)
            for (uint32_t g = 0; g < segment_at(c, i)->gpus_count; g++) {
                const struct recorded_gpus *gpus = &c->run->gpus.at[segment_at(c, i)->gpus + g];
                *to++ = widths ? gpus->count : c->lanes->first[gpus->node] + gpus->first;
            }
        packed_add(out, c->packed, widths ? "widths" : "firsts", count);
    }
}

static void add_segments(struct str *out, const struct choice *c) {
    struct packed *packed = c->packed;
    json_out_member_int(out, "segments_all", (int64_t)c->all);
    ADD_PACKED(out, packed, "job", c->count, i, place_of(c, segment_at(c, i)->job));
    ADD_PACKED(out, packed, "start_ms", c->count, i, start_ms(c, i));
    ADD_PACKED(out, packed, "length_ms", c->count, i, length_ms(c, i));
    ADD_PACKED(out, packed, "kind", c->count, i, segment_at(c, i)->kind - SEGMENT_SETUP);
    ADD_PACKED(out, packed, "type", c->count, i,
               recorded_run_config(c->run, segment_at(c, i))->gpu_type);
    ADD_PACKED(out, packed, "power_real", c->count, i,
               packed_real(rule_run_power_w(segment_at(c, i))));
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
    ADD_PACKED(out, c->packed, "plan", c->count, i, numbers[i]);
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
        ADD_PACKED(out, c->packed, "tier", c->count, i, segment_at(c, i)->span);
    }
    if (plans)
        add_plans(out, c);
    if (plans || network->tier_count > 0)
        ADD_PACKED(out, c->packed, "sync_real", c->count, i, packed_real(sync_share_of(c, i)));
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
    ADD_PACKED(out, c->packed, "first", count, i,
               c->lanes->first[rests[shown[i]].node] + rests[shown[i]].first);
    ADD_PACKED(out, c->packed, "count", count, i, rests[shown[i]].count);
    ADD_PACKED(out, c->packed, "start_ms", count, i, packed_ms(0, rests[shown[i]].start_ns));
    ADD_PACKED(out, c->packed, "length_ms", count, i,
               packed_ms(rests[shown[i]].start_ns, rests[shown[i]].end_ns));
    ADD_PACKED(out, c->packed, "state", count, i, rests[shown[i]].state);
    json_out_close(out, '}');
    free(shown);
}

void lanes_json_add(struct str *out, struct packed *packed, const struct recorded_run *run,
                    const struct gpu_lanes *lanes, size_t policies) {
    size_t most = MOST_JOBS / policies, jobs = run->part->jobs_submitted;
    struct choice c = {.run = run,
                       .lanes = lanes,
                       .packed = packed,
                       .jobs = (uint32_t)(jobs < most ? jobs : most)};
    choose(&c, MOST_SEGMENTS / policies);
    json_out_member_open(out, "lanes", '{');
    json_out_member_real(out, "end_s", units_s(run->part->end_ns));
    gpu_lanes_add(out, lanes);
    add_labels(out, &c);
    add_replicas(out, &c);
    add_segments(out, &c);
    add_teams(out, &c);
    add_rests(out, &c);
    json_out_close(out, '}');
    free(c.segments);
}
