/* A replica explained, as text and as JSON, and words that it shares with explanations of jobs: see
   explanation.h. Invariant: names stay on their line. */
#include "output/explanation/explanation.h"

#include "base/units.h"
#include "engine/services.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* --- prose --- */

void tell(struct prose *prose, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    str_addv(prose->out, format, arguments);
    va_end(arguments);
}

/* Moves a text to the arena. */
static const char *keep(struct prose *prose, struct str *text) {
    const char *kept = arena_strndup(&prose->words, text->text, text->length);
    str_finish(text);
    return kept;
}

const char *prose_name(struct prose *prose, const char *name) {
    struct str text = {0};
    str_add(&text, "");
    str_add_visible(&text, name);
    return keep(prose, &text);
}

const char *prose_job(struct prose *prose, uint32_t job) {
    return prose_name(prose, prose->run->workload.jobs.at[job].id);
}

const char *prose_type(struct prose *prose, uint32_t gpu_type) {
    return prose_name(prose, prose->run->folder->cluster.gpu_types[gpu_type].name);
}

const char *prose_count(struct prose *prose, uint64_t count, const char *noun) {
    return arena_printf(&prose->words, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

/* 5 digits, or all of those before the point. */
const char *prose_number(struct prose *prose, double value) {
    return arena_printf(&prose->words, fabs(value) >= 99999.5 ? "%.0f" : "%.5g", value);
}

#define SHORT_NS (600 * NS_PER_S) /* below that, seconds tell more than minutes */

/* "9.25 s" to the millisecond, or "4:05 h" to the minute. */
const char *prose_length(struct prose *prose, int64_t time_ns) {
    int64_t ms = time_ns / 1000000 + (time_ns % 1000000 >= 500000) - (time_ns % 1000000 < -500000);
    if (time_ns > -SHORT_NS && time_ns < SHORT_NS) {
        struct str text = {0};
        str_add_ns(&text, ms * 1000000);
        str_add(&text, " s");
        return keep(prose, &text);
    }
    int64_t minutes = (llabs(time_ns) + 30 * NS_PER_S) / (60 * NS_PER_S);
    return arena_printf(&prose->words, "%s%" PRId64 ":%02d h", time_ns < 0 ? "-" : "", minutes / 60,
                        (int)(minutes % 60));
}

const char *prose_time(struct prose *prose, int64_t time_ns) {
    int64_t start_ns = prose->run->folder->scenario.start_ns;
    char text[40];
    struct tm date;
    if (start_ns == TIME_NONE_NS)
        return prose_length(prose, time_ns);
    int64_t unix_s = (start_ns + time_ns) / NS_PER_S;
    const time_t at = (time_t)unix_s;
    strftime(text, sizeof text, unix_s % 60 == 0 ? "%Y-%m-%d %H:%M" : "%Y-%m-%d %H:%M:%S",
             gmtime_r(&at, &date));
    return arena_strdup(&prose->words, text);
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

/* ---- Text ---- */

static void tell_title(struct prose *prose, const struct replica_explanation *explanation) {
    const struct service *spec = explanation->service->spec;
    tell(prose, "replica %s of service %s, user %s, model %s\n", prose_job(prose, explanation->job),
         prose_name(prose, spec->name), prose_name(prose, spec->user),
         prose_name(prose, spec->model_name));
}

static void tell_others(struct prose *prose, const struct replica_explanation *explanation) {
    tell(prose, "%s %s ready", prose_count(prose, explanation->ready, "replica"),
         explanation->ready == 1 ? "was" : "were");
    if (explanation->loading > 0)
        tell(prose, " and %" PRIu32 " loading", explanation->loading);
    if (explanation->ready == 0) {
        tell(prose, ".\n");
        return;
    }
    tell(prose, ", and gave %s of at most %s %s/s, %.1f %% where %.1f %% is the target%s.\n",
         prose_number(prose, explanation->served_per_s),
         prose_number(prose, explanation->capacity_per_s), unit_of(explanation),
         100 * explanation->served_per_s / explanation->capacity_per_s,
         100 * explanation->service->spec->scaling.target,
         explanation->served_per_s < explanation->capacity_per_s * (1 - 1e-9)
             ? ""
             : ": all they could, so more may have waited");
}

/* Why there had to be another one. */
static void tell_reason(struct prose *prose, const struct replica_explanation *explanation) {
    const struct service *spec = explanation->service->spec;
    tell(prose, "It was wanted from %s on", prose_time(prose, explanation->wanted_ns));
    if (explanation->wanted_ns == 0 && explanation->ready_ns == 0) {
        tell(prose, ", as one of the least number, %lld.\n", (long long)spec->replicas.min);
        return;
    }
    if (explanation->failed > 0)
        tell(prose, ", when a failed node had taken %s of its service",
             prose_count(prose, explanation->failed, "replica"));
    tell(prose, ", by the most demand of the %g s before. Then ",
         SERVICE_WINDOW_INTERVALS * spec->scaling.interval_s);
    tell_others(prose, explanation);
}

static void tell_sources(struct prose *prose, const struct replica_explanation *explanation) {
    for (size_t i = 0; i < explanation->sources.count; i++) {
        const struct replica_source *source = &explanation->sources.at[i];
        tell(prose, "  %s of %s, which %s at %s.\n", prose_count(prose, source->gpus, "GPU"),
             prose_job(prose, source->job),
             source->ended == CAUSE_PREEMPTED     ? "was preempted"
             : source->ended == CAUSE_FINISHED    ? "finished"
             : source->ended == CAUSE_RESIZED     ? "was resized"
             : source->ended == CAUSE_NODE_FAILED ? "its node's failure stopped"
             : source->ended == CAUSE_RELEASED    ? "was released"
                                                  : "gave them back",
             prose_time(prose, source->time_ns));
    }
}

static void tell_start(struct prose *prose, const struct replica_explanation *explanation) {
    const struct replica_config *config = replica_explanation_config(explanation);
    if (!config) {
        tell(prose, "It never had the GPUs that it needs");
        return;
    }
    if (explanation->start_ns > explanation->wanted_ns)
        tell(prose, "It waited for GPUs for %s, while those that came free were reserved for it. ",
             prose_length(prose, explanation->start_ns - explanation->wanted_ns));
    tell(prose, "It got %" PRIu32 " x %s of node %" PRIu32 " at %s%s\n", config->k,
         prose_type(prose, config->gpu_type), explanation->node,
         prose_time(prose, explanation->start_ns),
         explanation->sources.count > 0 ? ":" : ", which were free before.");
    tell_sources(prose, explanation);
    if (explanation->ready_ns > explanation->start_ns)
        tell(prose, "It loaded for %s. ",
             prose_length(prose, explanation->ready_ns - explanation->start_ns));
    tell(prose, explanation->ready_ns < 0 ? "It never got to serve" : "It served");
}

static void tell_service(struct prose *prose, const struct replica_explanation *explanation) {
    const struct replica_config *config = replica_explanation_config(explanation);
    if (explanation->ready_ns >= 0) {
        tell(prose, " %s %s in %s s, %.1f %% of what it could",
             prose_number(prose, explanation->tokens), unit_of(explanation),
             prose_number(prose, explanation->serving_s),
             100 * explanation->tokens / (config->most_per_s * explanation->serving_s));
        if (explanation->tokens > 0)
            tell(prose, ", for %s J each; in full use it takes %s",
                 prose_number(prose, power_j(explanation->serving_energy) / explanation->tokens),
                 prose_number(prose, replica_joules(config, 1)));
    }
    tell(prose, ".\nIt %s %s; its GPUs drew %s kJ.\n",
         explanation->ended == CAUSE_RELEASED      ? "was released at"
         : explanation->ended == CAUSE_NODE_FAILED ? "ended with the failure of its node at"
                                                   : "was there when the run ended at",
         prose_time(prose, explanation->end_ns),
         prose_number(prose, power_j(explanation->run->jobs[explanation->job].energy) / 1e3));
}

void replica_text(const struct replica_explanation *explanation, struct str *out) {
    struct prose prose = {.out = out, .run = explanation->run};
    tell_title(&prose, explanation);
    tell_reason(&prose, explanation);
    tell_start(&prose, explanation);
    tell_service(&prose, explanation);
    arena_finish(&prose.words);
}

void displacements_text(struct prose *prose, const struct displacements *d) {
    if (d->list.count == 0 && d->started_meanwhile == 0)
        return;
    tell(prose, "\nReplicas of services\n");
    for (size_t i = 0; i < d->list.count; i++)
        tell(prose, "  At %s it was preempted, and %s of its own went to replica %s.\n",
             prose_time(prose, d->list.at[i].time_ns),
             prose_count(prose, d->list.at[i].gpus, "GPU"),
             prose_job(prose, d->list.at[i].replica));
    if (d->started_meanwhile > 0)
        tell(prose, "  While it waited for its first start %s got GPUs.\n",
             prose_count(prose, d->started_meanwhile, "replica"));
}

/* ---- JSON ---- */

void replica_json(const struct replica_explanation *explanation, struct str *out) {
    const struct recorded_run *run = explanation->run;
    const struct service *spec = explanation->service->spec;
    const struct replica_config *config = replica_explanation_config(explanation);
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "replica", run->workload.jobs.at[explanation->job].id);
    json_add_text(root, "service", spec->name);
    json_add_text(root, "policy", run->folder->policies.at[run->part->policy].name);
    json_add_int(root, "replication", run->part->replication);
    json_add_text(root, "user", spec->user);
    json_add_text(root, "model", spec->model_name);
    json_add_seconds(root, "wanted_s", explanation->wanted_ns);
    json_add_seconds(root, "start_s", explanation->start_ns);
    json_add_seconds(root, "ready_s", explanation->ready_ns);
    json_add_seconds(root, "end_s", explanation->end_ns);
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
        const struct replica_source *of = &explanation->sources.at[i];
        cJSON *source = json_append_object(sources);
        json_add_text(source, "job", run->workload.jobs.at[of->job].id);
        json_add_int(source, "gpus", of->gpus);
        json_add_seconds(source, "time_s", of->time_ns);
        json_add_text(source, "ended", segment_cause_names[of->ended]);
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
        cJSON *row = json_append_object(list);
        json_add_seconds(row, "time_s", d->list.at[i].time_ns);
        json_add_text(row, "replica", run->workload.jobs.at[d->list.at[i].replica].id);
        json_add_int(row, "gpus", d->list.at[i].gpus);
    }
    json_add_int(object, "replicas_started_while_it_waited", d->started_meanwhile);
}
