/* A replica's story: see story.h. Invariant: names stay on their line. */
#include "output/story/story.h"

#include "base/units.h"
#include "engine/services.h"

#include <inttypes.h>
#include <math.h>

/* --- story_words --- */

void story_add_name(struct str *out, const char *name) {
    str_add_visible(out, name);
}

/* "1 job", "2 jobs" */
void story_add_count(struct str *out, uint64_t count, const char *noun) {
    str_addf(out, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

/* 5 digits, or all of those before the point. */
void story_add_number(struct str *out, double value) {
    str_addf(out, fabs(value) >= 99999.5 ? "%.0f" : "%.5g", value);
}

/* A point in time or a length: seconds to the millisecond. */
void story_add_seconds(struct str *out, int64_t time_ns) {
    int64_t ms = time_ns / 1000000 + (time_ns % 1000000 >= 500000) - (time_ns % 1000000 < -500000);
    str_add_ns(out, ms * 1000000);
    str_add(out, " s");
}

/* --- replica_text --- */

static const char *unit_of(const struct replica_story *story) {
    const struct model_set *models = &story->run->folder->models;
    return models->models[story->service->spec->model].serving.unit == UNIT_OUTPUT ? "outputs"
                                                                                   : "tokens";
}

static const char *id_of(const struct replica_story *story, uint32_t job) {
    return story->run->workload.jobs.at[job].id;
}

/* ---- Text ---- */

static void add_title(const struct replica_story *story, struct str *out) {
    const struct service *spec = story->service->spec;
    str_add(out, "replica ");
    story_add_name(out, id_of(story, story->job));
    str_add(out, " of service ");
    story_add_name(out, spec->name);
    str_add(out, ", user ");
    story_add_name(out, spec->user);
    str_add(out, ", model ");
    story_add_name(out, spec->model_name);
    str_add_char(out, '\n');
}

static void add_others(const struct replica_story *story, struct str *out) {
    story_add_count(out, story->ready, "replica");
    str_add(out, story->ready == 1 ? " was ready" : " were ready");
    if (story->loading > 0)
        str_addf(out, " and %" PRIu32 " loading", story->loading);
    if (story->ready == 0) {
        str_add(out, ".\n");
        return;
    }
    str_add(out, ", and gave ");
    story_add_number(out, story->served_per_s);
    str_add(out, " of at most ");
    story_add_number(out, story->capacity_per_s);
    str_addf(out, " %s/s, %.1f %% where %.1f %% is the target%s.\n", unit_of(story),
             100 * story->served_per_s / story->capacity_per_s,
             100 * story->service->spec->scaling.target,
             story->served_per_s < story->capacity_per_s * (1 - 1e-9)
                 ? ""
                 : ": all they could, so more may have waited");
}

/* Why there had to be another one. */
static void add_reason(const struct replica_story *story, struct str *out) {
    str_add(out, "It was wanted from ");
    story_add_seconds(out, story->wanted_ns);
    str_add(out, " on");
    if (story->wanted_ns == 0 && story->ready_ns == 0) {
        str_addf(out, ", as one of the least number, %lld.\n",
                 (long long)story->service->spec->replicas.min);
        return;
    }
    if (story->failed > 0) {
        str_add(out, ", when a failed node had taken ");
        story_add_count(out, story->failed, "replica");
        str_add(out, " of its service");
    }
    str_addf(out, ", by the most demand of the %g s before. Then ",
             SERVICE_WINDOW_INTERVALS * story->service->spec->scaling.interval_s);
    add_others(story, out);
}

static void add_sources(const struct replica_story *story, struct str *out) {
    for (size_t i = 0; i < story->sources.count; i++) {
        const struct replica_source *source = &story->sources.at[i];
        str_add(out, "  ");
        story_add_count(out, source->gpus, "GPU");
        str_add(out, " of ");
        story_add_name(out, id_of(story, source->job));
        str_addf(out, ", which %s at ",
                 source->ended == CAUSE_PREEMPTED     ? "was preempted"
                 : source->ended == CAUSE_FINISHED    ? "finished"
                 : source->ended == CAUSE_RESIZED     ? "was resized"
                 : source->ended == CAUSE_NODE_FAILED ? "its node's failure stopped"
                 : source->ended == CAUSE_RELEASED    ? "was released"
                                                      : "gave them back");
        story_add_seconds(out, source->time_ns);
        str_add(out, ".\n");
    }
}

static void add_start(const struct replica_story *story, struct str *out) {
    const struct replica_config *config = replica_story_config(story);
    if (!config) {
        str_add(out, "It never had the GPUs that it needs");
        return;
    }
    if (story->start_ns > story->wanted_ns) {
        str_add(out, "It waited for GPUs for ");
        story_add_seconds(out, story->start_ns - story->wanted_ns);
        str_add(out, ", while those that came free were reserved for it. ");
    }
    str_addf(out, "It got %" PRIu32 " x ", config->k);
    story_add_name(out, story->run->folder->cluster.gpu_types[config->gpu_type].name);
    str_addf(out, " of node %" PRIu32 " at ", story->node);
    story_add_seconds(out, story->start_ns);
    str_add(out, story->sources.count > 0 ? ":\n" : ", which nobody had held before.\n");
    add_sources(story, out);
    if (story->ready_ns > story->start_ns) {
        str_add(out, "It loaded for ");
        story_add_seconds(out, story->ready_ns - story->start_ns);
        str_add(out, ". ");
    }
    str_add(out, story->ready_ns < 0 ? "It never got to serve" : "It served");
}

static void add_service(const struct replica_story *story, struct str *out) {
    const struct replica_config *config = replica_story_config(story);
    if (story->ready_ns >= 0) {
        str_add_char(out, ' ');
        story_add_number(out, story->tokens);
        str_addf(out, " %s in ", unit_of(story));
        story_add_number(out, story->serving_s);
        str_addf(out, " s, %.1f %% of what it could",
                 100 * story->tokens / (config->most_per_s * story->serving_s));
        if (story->tokens > 0) {
            str_add(out, ", for ");
            story_add_number(out, power_j(story->serving_energy) / story->tokens);
            str_add(out, " J each; in full use it takes ");
            story_add_number(out, replica_joules(config, 1));
        }
    }
    str_addf(out, ".\nIt %s ",
             story->ended == CAUSE_RELEASED      ? "was released at"
             : story->ended == CAUSE_NODE_FAILED ? "ended with the failure of its node at"
                                                 : "was there when the run ended at");
    story_add_seconds(out, story->end_ns);
    str_add(out, "; its GPUs drew ");
    story_add_number(out, power_j(story->run->jobs[story->job].energy) / 1e3);
    str_add(out, " kJ.\n");
}

void replica_text(const struct replica_story *story, struct str *out) {
    add_title(story, out);
    add_reason(story, out);
    add_start(story, out);
    add_service(story, out);
}

void displacements_text(const struct displacements *d, const struct recorded_run *run,
                        struct str *out) {
    if (d->list.count == 0 && d->started_meanwhile == 0)
        return;
    str_add(out, "\nReplicas of services\n");
    for (size_t i = 0; i < d->list.count; i++) {
        str_add(out, "  At ");
        story_add_seconds(out, d->list.at[i].time_ns);
        str_add(out, " it was preempted, and ");
        story_add_count(out, d->list.at[i].gpus, "GPU");
        str_add(out, " of its own went to replica ");
        story_add_name(out, run->workload.jobs.at[d->list.at[i].replica].id);
        str_add(out, ".\n");
    }
    if (d->started_meanwhile > 0) {
        str_add(out, "  While it waited for its first start ");
        story_add_count(out, d->started_meanwhile, "replica");
        str_add(out, " got GPUs.\n");
    }
}

/* ---- JSON ---- */

static void add_time(cJSON *object, const char *name, int64_t time_ns) {
    json_add_real(object, name, time_ns < 0 ? NAN : units_s(time_ns));
}

void replica_json(const struct replica_story *story, struct str *out) {
    const struct recorded_run *run = story->run;
    const struct service *spec = story->service->spec;
    const struct replica_config *config = replica_story_config(story);
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "replica", id_of(story, story->job));
    json_add_text(root, "service", spec->name);
    json_add_text(root, "policy", run->folder->policies.at[run->part->policy].name);
    json_add_int(root, "replication", run->part->replication);
    json_add_text(root, "user", spec->user);
    json_add_text(root, "model", spec->model_name);
    add_time(root, "wanted_s", story->wanted_ns);
    add_time(root, "start_s", story->start_ns);
    add_time(root, "ready_s", story->ready_ns);
    add_time(root, "end_s", story->end_ns);
    json_add_text(root, "ended", segment_cause_names[story->ended]);
    json_add_text(root, "gpu_type",
                  config ? run->folder->cluster.gpu_types[config->gpu_type].name : NULL);
    json_add_real(root, "k", config ? config->k : NAN);
    json_add_real(root, "node", config ? story->node : NAN);
    json_add_int(root, "others_ready", story->ready);
    json_add_int(root, "others_loading", story->loading);
    json_add_int(root, "others_failed", story->failed);
    json_add_real(root, "others_capacity_per_s", story->capacity_per_s);
    json_add_real(root, "others_served_per_s", story->served_per_s);
    cJSON *sources = cJSON_AddArrayToObject(root, "gpus_of");
    for (size_t i = 0; i < story->sources.count; i++) {
        cJSON *source = cJSON_CreateObject();
        json_add_text(source, "job", id_of(story, story->sources.at[i].job));
        json_add_int(source, "gpus", story->sources.at[i].gpus);
        add_time(source, "time_s", story->sources.at[i].time_ns);
        json_add_text(source, "ended", segment_cause_names[story->sources.at[i].ended]);
        cJSON_AddItemToArray(sources, source);
    }
    json_add_real(root, "tokens", story->tokens);
    json_add_real(root, "serving_s", story->serving_s);
    json_add_real(root, "energy_j", power_j(run->jobs[story->job].energy));
    json_print(root, out);
}

void displacements_json(const struct displacements *d, const struct recorded_run *run,
                        cJSON *object) {
    cJSON *list = cJSON_AddArrayToObject(object, "displaced_by");
    for (size_t i = 0; i < d->list.count; i++) {
        cJSON *row = cJSON_CreateObject();
        add_time(row, "time_s", d->list.at[i].time_ns);
        json_add_text(row, "replica", run->workload.jobs.at[d->list.at[i].replica].id);
        json_add_int(row, "gpus", d->list.at[i].gpus);
        cJSON_AddItemToArray(list, row);
    }
    json_add_int(object, "replicas_started_while_it_waited", d->started_meanwhile);
}
