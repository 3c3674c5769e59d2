/* A replica explained, as text and as JSON, and words that it shares with explanations of jobs: see
   explanation.h. Invariant: names stay on their line. */
#include "output/explanation/explanation.h"

#include "base/units.h"
#include "engine/services.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* --- explanation_words --- */

void explanation_add_name(struct str *out, const char *name) {
    str_add_visible(out, name);
}

/* "1 job", "2 jobs" */
void explanation_add_count(struct str *out, uint64_t count, const char *noun) {
    str_addf(out, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

/* 5 digits, or all of those before the point. */
void explanation_add_number(struct str *out, double value) {
    str_addf(out, fabs(value) >= 99999.5 ? "%.0f" : "%.5g", value);
}

#define SHORT_NS (600 * NS_PER_S) /* below that, seconds tell more than minutes */

/* "9.25 s" to the millisecond, or "4:05 h" to the minute. */
void explanation_add_length(struct str *out, int64_t time_ns) {
    int64_t ms = time_ns / 1000000 + (time_ns % 1000000 >= 500000) - (time_ns % 1000000 < -500000);
    if (time_ns > -SHORT_NS && time_ns < SHORT_NS) {
        str_add_ns(out, ms * 1000000);
        str_add(out, " s");
        return;
    }
    int64_t minutes = (llabs(time_ns) + 30 * NS_PER_S) / (60 * NS_PER_S);
    str_addf(out, "%s%" PRId64 ":%02d h", time_ns < 0 ? "-" : "", minutes / 60,
             (int)(minutes % 60));
}

void explanation_add_time(struct str *out, const struct recorded_run *run, int64_t time_ns) {
    int64_t start_ns = run->folder->scenario.start_ns;
    char text[40];
    struct tm date;
    if (start_ns == TIME_NONE_NS) {
        explanation_add_length(out, time_ns);
        return;
    }
    int64_t unix_s = (start_ns + time_ns) / NS_PER_S;
    const time_t at = (time_t)unix_s;
    strftime(text, sizeof text, unix_s % 60 == 0 ? "%Y-%m-%d %H:%M" : "%Y-%m-%d %H:%M:%S",
             gmtime_r(&at, &date));
    str_add(out, text);
}

void explanation_add_source(struct str *out, const struct recorded_run *run, const char *name) {
    str_addf(out, "\n(%s%s)\n", name,
             run->folder->scenario.start_ns == TIME_NONE_NS ? "" : "; dates in UTC");
}

/* --- replica_text --- */

static const char *unit_of(const struct replica_explanation *explanation) {
    const struct model_set *models = &explanation->run->folder->models;
    return models->models[explanation->service->spec->model].serving.unit == UNIT_OUTPUT ? "outputs"
                                                                                         : "tokens";
}

static const char *id_of(const struct replica_explanation *explanation, uint32_t job) {
    return explanation->run->workload.jobs.at[job].id;
}

/* ---- Text ---- */

static void add_title(const struct replica_explanation *explanation, struct str *out) {
    const struct service *spec = explanation->service->spec;
    str_add(out, "replica ");
    explanation_add_name(out, id_of(explanation, explanation->job));
    str_add(out, " of service ");
    explanation_add_name(out, spec->name);
    str_add(out, ", user ");
    explanation_add_name(out, spec->user);
    str_add(out, ", model ");
    explanation_add_name(out, spec->model_name);
    str_add_char(out, '\n');
}

static void add_others(const struct replica_explanation *explanation, struct str *out) {
    explanation_add_count(out, explanation->ready, "replica");
    str_add(out, explanation->ready == 1 ? " was ready" : " were ready");
    if (explanation->loading > 0)
        str_addf(out, " and %" PRIu32 " loading", explanation->loading);
    if (explanation->ready == 0) {
        str_add(out, ".\n");
        return;
    }
    str_add(out, ", and gave ");
    explanation_add_number(out, explanation->served_per_s);
    str_add(out, " of at most ");
    explanation_add_number(out, explanation->capacity_per_s);
    str_addf(out, " %s/s, %.1f %% where %.1f %% is the target%s.\n", unit_of(explanation),
             100 * explanation->served_per_s / explanation->capacity_per_s,
             100 * explanation->service->spec->scaling.target,
             explanation->served_per_s < explanation->capacity_per_s * (1 - 1e-9)
                 ? ""
                 : ": all they could, so more may have waited");
}

/* Why there had to be another one. */
static void add_reason(const struct replica_explanation *explanation, struct str *out) {
    str_add(out, "It was wanted from ");
    explanation_add_time(out, explanation->run, explanation->wanted_ns);
    str_add(out, " on");
    if (explanation->wanted_ns == 0 && explanation->ready_ns == 0) {
        str_addf(out, ", as one of the least number, %lld.\n",
                 (long long)explanation->service->spec->replicas.min);
        return;
    }
    if (explanation->failed > 0) {
        str_add(out, ", when a failed node had taken ");
        explanation_add_count(out, explanation->failed, "replica");
        str_add(out, " of its service");
    }
    str_addf(out, ", by the most demand of the %g s before. Then ",
             SERVICE_WINDOW_INTERVALS * explanation->service->spec->scaling.interval_s);
    add_others(explanation, out);
}

static void add_sources(const struct replica_explanation *explanation, struct str *out) {
    for (size_t i = 0; i < explanation->sources.count; i++) {
        const struct replica_source *source = &explanation->sources.at[i];
        str_add(out, "  ");
        explanation_add_count(out, source->gpus, "GPU");
        str_add(out, " of ");
        explanation_add_name(out, id_of(explanation, source->job));
        str_addf(out, ", which %s at ",
                 source->ended == CAUSE_PREEMPTED     ? "was preempted"
                 : source->ended == CAUSE_FINISHED    ? "finished"
                 : source->ended == CAUSE_RESIZED     ? "was resized"
                 : source->ended == CAUSE_NODE_FAILED ? "its node's failure stopped"
                 : source->ended == CAUSE_RELEASED    ? "was released"
                                                      : "gave them back");
        explanation_add_time(out, explanation->run, source->time_ns);
        str_add(out, ".\n");
    }
}

static void add_start(const struct replica_explanation *explanation, struct str *out) {
    const struct replica_config *config = replica_explanation_config(explanation);
    if (!config) {
        str_add(out, "It never had the GPUs that it needs");
        return;
    }
    if (explanation->start_ns > explanation->wanted_ns) {
        str_add(out, "It waited for GPUs for ");
        explanation_add_length(out, explanation->start_ns - explanation->wanted_ns);
        str_add(out, ", while those that came free were reserved for it. ");
    }
    str_addf(out, "It got %" PRIu32 " x ", config->k);
    explanation_add_name(out, explanation->run->folder->cluster.gpu_types[config->gpu_type].name);
    str_addf(out, " of node %" PRIu32 " at ", explanation->node);
    explanation_add_time(out, explanation->run, explanation->start_ns);
    str_add(out, explanation->sources.count > 0 ? ":\n" : ", which nobody had held before.\n");
    add_sources(explanation, out);
    if (explanation->ready_ns > explanation->start_ns) {
        str_add(out, "It loaded for ");
        explanation_add_length(out, explanation->ready_ns - explanation->start_ns);
        str_add(out, ". ");
    }
    str_add(out, explanation->ready_ns < 0 ? "It never got to serve" : "It served");
}

static void add_service(const struct replica_explanation *explanation, struct str *out) {
    const struct replica_config *config = replica_explanation_config(explanation);
    if (explanation->ready_ns >= 0) {
        str_add_char(out, ' ');
        explanation_add_number(out, explanation->tokens);
        str_addf(out, " %s in ", unit_of(explanation));
        explanation_add_number(out, explanation->serving_s);
        str_addf(out, " s, %.1f %% of what it could",
                 100 * explanation->tokens / (config->most_per_s * explanation->serving_s));
        if (explanation->tokens > 0) {
            str_add(out, ", for ");
            explanation_add_number(out, power_j(explanation->serving_energy) / explanation->tokens);
            str_add(out, " J each; in full use it takes ");
            explanation_add_number(out, replica_joules(config, 1));
        }
    }
    str_addf(out, ".\nIt %s ",
             explanation->ended == CAUSE_RELEASED      ? "was released at"
             : explanation->ended == CAUSE_NODE_FAILED ? "ended with the failure of its node at"
                                                       : "was there when the run ended at");
    explanation_add_time(out, explanation->run, explanation->end_ns);
    str_add(out, "; its GPUs drew ");
    explanation_add_number(out, power_j(explanation->run->jobs[explanation->job].energy) / 1e3);
    str_add(out, " kJ.\n");
}

void replica_text(const struct replica_explanation *explanation, struct str *out) {
    add_title(explanation, out);
    add_reason(explanation, out);
    add_start(explanation, out);
    add_service(explanation, out);
}

void displacements_text(const struct displacements *d, const struct recorded_run *run,
                        struct str *out) {
    if (d->list.count == 0 && d->started_meanwhile == 0)
        return;
    str_add(out, "\nReplicas of services\n");
    for (size_t i = 0; i < d->list.count; i++) {
        str_add(out, "  At ");
        explanation_add_time(out, run, d->list.at[i].time_ns);
        str_add(out, " it was preempted, and ");
        explanation_add_count(out, d->list.at[i].gpus, "GPU");
        str_add(out, " of its own went to replica ");
        explanation_add_name(out, run->workload.jobs.at[d->list.at[i].replica].id);
        str_add(out, ".\n");
    }
    if (d->started_meanwhile > 0) {
        str_add(out, "  While it waited for its first start ");
        explanation_add_count(out, d->started_meanwhile, "replica");
        str_add(out, " got GPUs.\n");
    }
}

/* ---- JSON ---- */

static void add_time(cJSON *object, const char *name, int64_t time_ns) {
    json_add_real(object, name, time_ns < 0 ? NAN : units_s(time_ns));
}

void replica_json(const struct replica_explanation *explanation, struct str *out) {
    const struct recorded_run *run = explanation->run;
    const struct service *spec = explanation->service->spec;
    const struct replica_config *config = replica_explanation_config(explanation);
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "replica", id_of(explanation, explanation->job));
    json_add_text(root, "service", spec->name);
    json_add_text(root, "policy", run->folder->policies.at[run->part->policy].name);
    json_add_int(root, "replication", run->part->replication);
    json_add_text(root, "user", spec->user);
    json_add_text(root, "model", spec->model_name);
    add_time(root, "wanted_s", explanation->wanted_ns);
    add_time(root, "start_s", explanation->start_ns);
    add_time(root, "ready_s", explanation->ready_ns);
    add_time(root, "end_s", explanation->end_ns);
    json_add_text(root, "ended", segment_cause_names[explanation->ended]);
    json_add_text(root, "gpu_type",
                  config ? run->folder->cluster.gpu_types[config->gpu_type].name : NULL);
    json_add_real(root, "k", config ? config->k : NAN);
    json_add_real(root, "node", config ? explanation->node : NAN);
    json_add_int(root, "others_ready", explanation->ready);
    json_add_int(root, "others_loading", explanation->loading);
    json_add_int(root, "others_failed", explanation->failed);
    json_add_real(root, "others_capacity_per_s", explanation->capacity_per_s);
    json_add_real(root, "others_served_per_s", explanation->served_per_s);
    cJSON *sources = cJSON_AddArrayToObject(root, "gpus_of");
    for (size_t i = 0; i < explanation->sources.count; i++) {
        cJSON *source = cJSON_CreateObject();
        json_add_text(source, "job", id_of(explanation, explanation->sources.at[i].job));
        json_add_int(source, "gpus", explanation->sources.at[i].gpus);
        add_time(source, "time_s", explanation->sources.at[i].time_ns);
        json_add_text(source, "ended", segment_cause_names[explanation->sources.at[i].ended]);
        cJSON_AddItemToArray(sources, source);
    }
    json_add_real(root, "tokens", explanation->tokens);
    json_add_real(root, "serving_s", explanation->serving_s);
    json_add_real(root, "energy_j", power_j(run->jobs[explanation->job].energy));
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
