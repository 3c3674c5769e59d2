/* Assumptions: see assumptions.h. Invariant: each is one row of a table, which says its text where
   it applies and nothing where it does not. */
#include "output/assumptions.h"

#include "io/yaml_path.h"
#include "output/notes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct subject {
    const struct study *study; /* the first: of the scenario, which all share */
    const struct assumed_run *runs;
    size_t count;
};

static bool is_given(const struct study *study, const char *path, struct arena *arena) {
    struct yaml_path parsed;
    return yaml_path_parse(path, arena, &parsed, NULL) == 0 &&
           yaml_path_find(study->scenario.doc.root, &parsed) != NULL;
}

/* ---- Rigid jobs ---- */

/* Rigid jobs of a stream, and those of which nothing says the utilization. */
struct rigid_count {
    size_t all, unknown;
};

static struct rigid_count count_rigid(const struct stream *stream) {
    struct rigid_count count = {0};
    for (size_t i = 0; i < stream->trace.rows.count; i++) {
        const struct trace_row *row = &stream->trace.rows.at[i];
        if (row->model || stream->assign.models.count > 0)
            continue;
        count.all++;
        count.unknown += isnan(row->utilization) && !row->steps;
    }
    return count;
}

/* The key is that of the first stream that has such jobs. */
static void say_utilization(const struct subject *s, struct str *text, struct str *key) {
    const struct stream *streams = s->study->source.streams.at;
    struct rigid_count sum = {0};
    struct arena arena = {0};
    bool generated = false;
    for (size_t i = 0; i < s->study->source.streams.count; i++) {
        const char *path = arena_printf(&arena, "%s.utilization", streams[i].path);
        struct rigid_count count = count_rigid(&streams[i]);
        bool unknown = count.unknown > 0 || streams[i].rigid.node;
        sum.all += count.all;
        if (!unknown || is_given(s->study, path, &arena))
            continue;
        sum.unknown += count.unknown;
        generated = generated || streams[i].rigid.node;
        if (key->length == 0)
            str_add(key, path);
    }
    if (key->length > 0) {
        if (!generated && sum.unknown < sum.all)
            str_addf(text, "%zu of %zu ", sum.unknown, sum.all);
        str_add(text, "rigid jobs draw tdp_w, because their utilization is not known");
    }
    arena_finish(&arena);
}

/* Speeds of types that the cluster does not have are of no effect. */
static bool has_rigid_speed(const struct study *study) {
    const struct yaml_node *speeds = study->models.rigid_speed;
    for (size_t i = 0; speeds && i < speeds->count; i++)
        if (cluster_find_type(&study->cluster, speeds->keys[i]->text) >= 0)
            return true;
    return false;
}

static void say_rigid_speed(const struct subject *s, struct str *text, struct str *key) {
    uint64_t types = s->study->rigid.types;
    if ((types & (types - 1)) == 0 || has_rigid_speed(s->study))
        return;
    str_add(text, "rigid jobs are equally fast on all GPU types");
    str_add(key, "models: rigid_speed");
}

static void add_run_readers(const struct subject *s, struct str *text) {
    static const char *const words[] = {"read by", "not read by", "not declared whether read by"};
    struct str names[3] = {{0}};
    for (size_t i = 0; i < s->count; i++) {
        uint32_t reads = params_reads(&s->runs[i].study->params);
        struct str *group = &names[reads == 0 ? 2 : !(reads & EASIM_READS_RUN_TIMES)];
        str_addf(group, "%s%s", group->length > 0 ? ", " : " ", s->runs[i].study->policy);
    }
    for (int i = 0; i < 3; i++) {
        if (names[i].length > 0)
            str_addf(text, "; %s%s", words[i], names[i].text);
        str_finish(&names[i]);
    }
}

static void say_run_times(const struct subject *s, struct str *text, struct str *key) {
    const struct stream *streams = s->study->source.streams.at;
    for (size_t i = 0; i < s->study->source.streams.count; i++) {
        struct estimate_facts facts = stream_estimate_facts(&streams[i]);
        if (facts.rigid && !facts.differ && key->length == 0)
            str_addf(key, "%s.estimate", streams[i].path);
    }
    if (key->length == 0)
        return;
    str_add(text, "policies know run times of rigid jobs exactly");
    add_run_readers(s, text);
}

/* ---- Models ---- */

static bool is_used(const struct study *study, uint32_t model) {
    return study->used_models && study->used_models[model].any;
}

static void say_noise(const struct subject *s, struct str *text, struct str *key) {
    bool any = false;
    for (uint32_t m = 0; m < s->study->models.count; m++)
        any = any || is_used(s->study, m);
    if (!any || s->study->scenario.noise.speed_sigma > 0)
        return;
    str_add(text, "jobs with a model run exactly as it predicts");
    str_add(key, "noise.speed_sigma");
}

static void say_m0(const struct subject *s, struct str *text, struct str *key) {
    unsigned unfitted = 0, all = 0;
    for (uint32_t m = 0; m < s->study->models.count; m++) {
        const struct model *model = &s->study->models.models[m];
        if (!is_used(s->study, m) || isnan(model->m0))
            continue;
        all++;
        unfitted += !model->fit;
    }
    if (unfitted == 0)
        return;
    str_addf(text, "m0 of %u of %u models is not fitted to training runs", unfitted, all);
    str_add(key, "models: m0, phi");
}

static void say_outside(const struct subject *s, struct str *text, struct str *key) {
    struct notes notes = {.sources = 0};
    for (size_t i = 0; i < s->count; i++)
        notes_add_result(&notes, s->runs[i].study, s->runs[i].result);
    if (notes_write_outside(&notes, text))
        str_add(key, "models: range_k, range_batch");
    notes_finish(&notes);
}

static bool is_served(const struct study *study, uint32_t model) {
    const struct service *services = study->source.services.at;
    for (size_t i = 0; i < study->source.services.count; i++)
        if (services[i].model == model)
            return true;
    return false;
}

static void count_tables(const struct study *study, const struct model *model, unsigned *counts) {
    const struct serving *tables = model->serving.tables.at;
    for (size_t i = 0; i < model->serving.tables.count; i++)
        counts[tables[i].evidence] += cluster_find_type(&study->cluster, tables[i].gpu) >= 0;
}

/* Of what jobs may use on the GPU types of the cluster, and of tables of services there. */
static void say_evidence(const struct subject *s, struct str *text, struct str *key) {
    unsigned counts[EVIDENCE_OVERRIDE + 1] = {0};
    const char *separator = "evidence of models on GPU types, by the weakest parameter: ";
    for (uint32_t m = 0; m < s->study->models.count; m++) {
        const struct model *model = &s->study->models.models[m];
        for (uint32_t g = 0; g < model->gpu_count && is_used(s->study, m); g++) {
            int type = cluster_find_type(&s->study->cluster, model->gpus[g].gpu);
            if (type >= 0 && (s->study->used_models[m].types >> type & 1))
                counts[model->gpus[g].weakest]++;
        }
        if (is_served(s->study, m))
            count_tables(s->study, model, counts);
    }
    for (size_t e = 0; e < sizeof counts / sizeof *counts; e++) {
        if (counts[e] == 0)
            continue;
        str_addf(text, "%s%u %s", separator, counts[e], evidence_names[e]);
        separator = ", ";
    }
    if (text->length > 0)
        str_add(key, "models: evidence");
}

/* ---- Prices ---- */

static bool is_priced(const struct series *series, double value) {
    return series->kind || !isnan(value);
}

static void say_pue(const struct subject *s, struct str *text, struct str *key) {
    const struct energy_prices *p = &s->study->scenario.prices;
    bool carbon = is_priced(&p->carbon, p->carbon_g_per_kwh),
         price = is_priced(&p->price, p->price_per_mwh);
    if (!carbon && !price)
        return;
    str_addf(text, "PUE %.9g multiplies %s; energies are without it", s->study->cluster.pue,
             carbon && price ? "CO2 and cost"
             : carbon        ? "CO2"
                             : "cost");
    str_add(key, "cluster.pue");
}

static void say_prices(const struct subject *s, struct str *text, struct str *key) {
    const struct energy_prices *p = &s->study->scenario.prices;
    bool carbon = is_priced(&p->carbon, p->carbon_g_per_kwh),
         price = is_priced(&p->price, p->price_per_mwh);
    if (carbon && price)
        return;
    str_add(text, !carbon && !price ? "no carbon intensity and no price, so no CO2 and no cost"
                  : price           ? "no carbon intensity, so no CO2"
                                    : "no price, so no cost");
    str_addf(key, "%s%s%s", carbon ? "" : "carbon_g_per_kwh", carbon || price ? "" : ", ",
             price ? "" : "price_per_mwh");
}

/* ---- All ---- */

static void (*const rows[])(const struct subject *s, struct str *text, struct str *key) = {
    say_utilization, say_rigid_speed, say_run_times, say_noise, say_m0,
    say_outside,     say_evidence,    say_pue,       say_prices};

void assumptions_find(struct assumptions *assumptions, const struct assumed_run *runs,
                      size_t count) {
    const struct subject subject = {runs[0].study, runs, count};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str text = {0}, key = {0};
        rows[i](&subject, &text, &key);
        if (text.length > 0)
            array_push(&assumptions->at,
                       ((struct assumption){arena_strdup(&assumptions->arena, text.text),
                                            arena_strdup(&assumptions->arena, key.text)}));
        str_finish(&text);
        str_finish(&key);
    }
}

void assumptions_finish(struct assumptions *assumptions) {
    free(assumptions->at.at);
    arena_finish(&assumptions->arena);
}

void assumptions_print(const struct assumptions *assumptions, struct str *out) {
    if (assumptions->at.count > 0)
        str_add(out, "  assumed, with the key that changes it:\n");
    for (size_t i = 0; i < assumptions->at.count; i++)
        str_addf(out, "    %s [%s]\n", assumptions->at.at[i].text, assumptions->at.at[i].key);
}

void assumptions_add_json(const struct assumptions *assumptions, cJSON *root) {
    cJSON *list = cJSON_AddArrayToObject(root, "assumptions");
    for (size_t i = 0; i < assumptions->at.count; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "text", assumptions->at.at[i].text);
        cJSON_AddStringToObject(object, "key", assumptions->at.at[i].key);
        cJSON_AddItemToArray(list, object);
    }
}
