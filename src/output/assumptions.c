/* Assumptions: see assumptions.h. Invariant: each is one row of a table, which says its text where
   it applies and nothing where it does not. */
#include "output/assumptions.h"

#include "io/yaml_path.h"
#include "output/notes.h"

#include <math.h>
#include <stdlib.h>

struct subject {
    const struct study *study; /* the first: of the scenario, which all share */
    const struct assumed_run *runs;
    size_t count;
    unsigned models, with_m0, unfitted;       /* that jobs may use */
    unsigned evidence[EVIDENCE_OVERRIDE + 1]; /* of them on GPU types, and of serving tables */
    bool carbon, price;
    struct str path; /* of the first stream that the line is about, or empty */
};

/* ---- What is looked at ---- */

static bool is_served(const struct study *study, uint32_t model) {
    const struct service *services = study->source.services.at;
    size_t i = 0;
    while (i < study->source.services.count && services[i].model != model)
        i++;
    return i < study->source.services.count;
}

static void look_at_model(struct subject *s, uint32_t m) {
    const struct model *model = &s->study->models.models[m];
    const struct serving *tables = model->serving.tables.at;
    const struct job_usage *used = &s->study->used_models[m];
    s->models += used->any;
    s->with_m0 += used->any && !isnan(model->m0);
    s->unfitted += used->any && !isnan(model->m0) && !model->fit;
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        int type = cluster_find_type(&s->study->cluster, model->gpus[g].gpu);
        s->evidence[model->gpus[g].weakest] += type >= 0 && (used->types >> type & 1);
    }
    for (size_t i = 0; i < model->serving.tables.count && is_served(s->study, m); i++)
        s->evidence[tables[i].evidence] +=
            cluster_find_type(&s->study->cluster, tables[i].gpu) >= 0;
}

static void look(struct subject *s) {
    s->carbon = series_is_given(&s->study->scenario.signals[SIGNAL_CARBON]);
    s->price = series_is_given(&s->study->scenario.signals[SIGNAL_PRICE]);
    for (uint32_t m = 0; m < s->study->models.count; m++)
        look_at_model(s, m);
}

/* ---- The lines ---- */

static bool is_given(const struct study *study, const char *stream, const char *key) {
    struct arena arena = {0};
    struct yaml_path path;
    bool given =
        yaml_path_parse(arena_printf(&arena, "%s.%s", stream, key), &arena, &path, NULL) == 0 &&
        yaml_path_find(study->scenario.doc.root, &path);
    arena_finish(&arena);
    return given;
}

static void say_utilization(struct subject *s, struct str *text) {
    const struct stream *streams = s->study->source.streams.at;
    size_t all = 0, unknown = 0;
    bool generated = false; /* some are, so that their number is not known */
    for (size_t i = 0; i < s->study->source.streams.count; i++) {
        const struct trace *trace = &streams[i].trace;
        size_t found = 0;
        for (size_t r = 0; r < trace->rows.count && streams[i].assign.models.count == 0; r++) {
            const struct trace_row *row = &trace->rows.at[r];
            all += !row->model;
            found += !row->model && isnan(row->utilization) && !row->steps;
        }
        if ((found == 0 && !streams[i].rigid.node) ||
            is_given(s->study, streams[i].path, "utilization"))
            continue;
        unknown += found;
        generated = generated || streams[i].rigid.node;
        if (s->path.length == 0)
            str_add(&s->path, streams[i].path);
    }
    if (!generated && unknown > 0 && unknown < all)
        str_addf(text, "%zu of %zu ", unknown, all);
    if (generated || unknown > 0)
        str_add(text, "rigid jobs draw tdp_w, because their utilization is not known");
}

/* Speeds of types that the cluster does not have are of no effect. */
static void say_rigid_speed(struct subject *s, struct str *text) {
    const struct yaml_node *speeds = s->study->models.rigid_speed;
    uint64_t types = s->study->rigid.types;
    bool equal = (types & (types - 1)) != 0;
    for (size_t i = 0; speeds && i < speeds->count; i++)
        equal = equal && cluster_find_type(&s->study->cluster, speeds->keys[i]->text) < 0;
    if (equal)
        str_add(text, "rigid jobs are equally fast on all GPU types");
}

/* The policies that read them: by the inputs that each declares, and its parameters. */
static void say_run_times(struct subject *s, struct str *text) {
    static const char *const words[] = {"read by", "not read by", "not declared whether read by"};
    const struct stream *streams = s->study->source.streams.at;
    struct str names[3] = {{0}};
    for (size_t i = 0; i < s->study->source.streams.count && s->path.length == 0; i++) {
        struct estimate_facts facts = stream_estimate_facts(&streams[i]);
        if (facts.rigid && !facts.differ)
            str_add(&s->path, streams[i].path);
    }
    for (size_t i = 0; i < s->count; i++) {
        uint32_t reads = params_reads(&s->runs[i].study->params);
        struct str *group = &names[reads == 0 ? 2 : !(reads & EASIM_READS_RUN_TIMES)];
        str_addf(group, "%s%s", group->length > 0 ? ", " : " ", s->runs[i].study->policy);
    }
    if (s->path.length > 0)
        str_add(text, "policies know run times of rigid jobs exactly");
    for (int i = 0; i < 3; i++) {
        if (s->path.length > 0 && names[i].length > 0)
            str_addf(text, "; %s%s", words[i], names[i].text);
        str_finish(&names[i]);
    }
}

static void say_noise(struct subject *s, struct str *text) {
    if (s->models > 0 && !(s->study->scenario.noise.speed_sigma > 0))
        str_add(text, "jobs with a model run exactly as it predicts");
}

static void say_m0(struct subject *s, struct str *text) {
    if (s->unfitted > 0)
        str_addf(text, "m0 of %u of %u models is not fitted to training runs", s->unfitted,
                 s->with_m0);
}

static void say_outside(struct subject *s, struct str *text) {
    struct notes notes = {.sources = 0};
    for (size_t i = 0; i < s->count; i++)
        notes_add_result(&notes, s->runs[i].study, s->runs[i].result);
    (void)notes_write_outside(&notes, text);
    notes_finish(&notes);
}

static bool is_by_law(const struct subject *s, uint32_t h) {
    for (size_t i = 0; i < s->count; i++)
        if (s->runs[i].study->law_types >> h & 1)
            return true;
    return false;
}

static void say_limit_law(struct subject *s, struct str *text) {
    for (uint32_t h = 0; h < s->study->cluster.gpu_type_count; h++) {
        const struct gpu_type *type = &s->study->cluster.gpu_types[h];
        if (type->limit_law.evidence == 0 && is_by_law(s, h))
            str_addf(text, "%s %s (s %.9g, m %.9g)",
                     text->length == 0 ? "a law not measured gives speeds under power limits on"
                                       : ",",
                     type->name, type->limit_law.s, type->limit_law.m);
    }
}

static void say_evidence(struct subject *s, struct str *text) {
    const char *separator = "evidence of models on GPU types, by the weakest parameter: ";
    for (size_t e = 0; e < sizeof s->evidence / sizeof *s->evidence; e++) {
        if (s->evidence[e] == 0)
            continue;
        str_addf(text, "%s%u %s", separator, s->evidence[e], evidence_names[e]);
        separator = ", ";
    }
}

static void say_pue(struct subject *s, struct str *text) {
    if (s->carbon || s->price)
        str_addf(text, "PUE %.9g multiplies %s%s%s; energies are without it", s->study->cluster.pue,
                 s->carbon ? "CO2" : "", s->carbon && s->price ? " and " : "",
                 s->price ? "cost" : "");
}

static void say_no_carbon(struct subject *s, struct str *text) {
    if (!s->carbon)
        str_add(text, "no carbon intensity, so no CO2");
}

static void say_no_price(struct subject *s, struct str *text) {
    if (!s->price)
        str_add(text, "no price, so no cost");
}

/* The key follows the path of the stream, if the line names one. */
static const struct {
    void (*say)(struct subject *s, struct str *text);
    const char *key;
} rows[] = {{say_utilization, "utilization"},   {say_rigid_speed, "models: rigid_speed"},
            {say_run_times, "estimate"},        {say_noise, "noise.speed_sigma"},
            {say_m0, "models: m0, phi"},        {say_outside, "models: range_k, range_batch"},
            {say_evidence, "models: evidence"}, {say_limit_law, "cluster.gpu_types: limit_law"},
            {say_pue, "cluster.pue"},           {say_no_carbon, "carbon_g_per_kwh"},
            {say_no_price, "price_per_mwh"}};

void assumptions_find(struct assumptions *assumptions, const struct assumed_run *runs,
                      size_t count) {
    struct subject s = {.study = runs[0].study, .runs = runs, .count = count};
    look(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str text = {0};
        s.path.length = 0;
        rows[i].say(&s, &text);
        struct assumption found = {
            arena_strdup(&assumptions->arena, text.length > 0 ? text.text : ""),
            arena_printf(&assumptions->arena, "%s%s%s", s.path.length > 0 ? s.path.text : "",
                         s.path.length > 0 ? "." : "", rows[i].key)};
        if (text.length > 0)
            array_push(&assumptions->at, found);
        str_finish(&text);
    }
    str_finish(&s.path);
}

void assumptions_finish(struct assumptions *assumptions) {
    free(assumptions->at.at);
    arena_finish(&assumptions->arena);
}

void assumptions_print(const struct assumptions *assumptions, bool as_notes, struct str *out) {
    if (assumptions->at.count > 0 && !as_notes)
        str_add(out, "  assumed, with the key that changes it:\n");
    for (size_t i = 0; i < assumptions->at.count; i++)
        str_addf(out, "%s%s [%s]\n", as_notes ? "  note: assumed: " : "    ",
                 assumptions->at.at[i].text, assumptions->at.at[i].key);
}

void assumptions_add_json(const struct assumptions *assumptions, cJSON *root) {
    cJSON *list = cJSON_AddArrayToObject(root, "assumptions");
    for (size_t i = 0; i < assumptions->at.count; i++) {
        cJSON *object = json_append_object(list);
        cJSON_AddStringToObject(object, "text", assumptions->at.at[i].text);
        cJSON_AddStringToObject(object, "key", assumptions->at.at[i].key);
    }
}
