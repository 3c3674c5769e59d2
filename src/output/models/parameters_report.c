/* Prints the parameters of models, from the tables of keys of a model file, so that no key is
   forgotten. A letter after a value is its evidence: m measured, d derived, a assumed, o
   overridden. Values at their default are left out, unless they have evidence of their own. */
#include "model/model_fields.h"
#include "output/models/survey_tables.h"

#include <math.h>
#include <string.h>

#define MOST_LINE 96 /* columns */

/* A line that is broken between its entries. */
struct line {
    struct str *out;
    size_t start; /* of the present line in out */
    size_t indent;
    bool any;
};

static void begin_line(struct line *line, size_t indent, const char *title) {
    line->start = line->out->length;
    line->indent = indent;
    line->any = false;
    str_addf(line->out, "%s:", title);
}

static void add_entry(struct line *line, const char *entry) {
    str_add(line->out, line->any ? "," : "");
    if (line->out->length - line->start + strlen(entry) + 2 > MOST_LINE) {
        str_add_char(line->out, '\n');
        line->start = line->out->length;
        str_addf(line->out, "%*s", (int)line->indent - 1, "");
    }
    str_addf(line->out, " %s", entry);
    line->any = true;
}

static bool is_number(const struct field *field) {
    return field->type == FIELD_REAL || field->type == FIELD_DURATION || field->type == FIELD_GIB;
}

/* The evidence of a GPU type, and whether it is only for the parameters that it names. */
struct words {
    const struct yaml_node *evidence;
    bool named_only;
};

/* The word of one parameter: its own, or that of all; NULL: none. */
static const char *evidence_of(const struct words *words, const char *key, bool *ret_own) {
    bool each = words->evidence && words->evidence->kind == YAML_NODE_MAPPING;
    const struct yaml_node *word = each ? yaml_find(words->evidence, key) : NULL;
    *ret_own = word != NULL;
    if (!word && !words->named_only)
        word = each ? yaml_find(words->evidence, EVIDENCE_OTHERS) : words->evidence;
    return word ? word->text : NULL;
}

static void add_letter(struct str *entry, const char *word) {
    str_addf(entry, " %.1s", strstr(word, "override") ? "override" : word);
}

/* Numbers that are stated, or only those that have no effect on figures; of numbers at their usual
   value only those with evidence of their own. */
static void add_numbers(struct line *line, const struct field *fields, const void *of,
                        const struct words *words, bool records_only) {
    struct str entry = {0};
    for (const struct field *field = fields; field->key || field->type == FIELD_LOCATION; field++) {
        const double *value = (const double *)((const char *)of + field->offset);
        bool own = false;
        const char *word = field->key ? evidence_of(words, field->key, &own) : NULL;
        if (!field->key || !is_number(field) || !isfinite(*value) ||
            (records_only && !field->record) || (*value == field->default_value && !own))
            continue;
        str_addf(&entry, "%s %.6g", field->key, *value);
        if (word && !field->record)
            add_letter(&entry, word);
        add_entry(line, entry.text);
        entry.length = 0;
    }
    str_finish(&entry);
}

static void add_list(struct line *line, const char *name, const struct schema_list *list,
                     const struct words *words) {
    const double *values = list->at;
    const size_t count = list->count;
    bool own;
    const char *word = evidence_of(words, name, &own);
    struct str entry = {0};
    str_add(&entry, name);
    for (size_t i = 0; i < count; i++)
        str_addf(&entry, " %.6g", values[i]);
    if (own)
        add_letter(&entry, word);
    if (count > 0)
        add_entry(line, entry.text);
    str_finish(&entry);
}

static void add_batch_choice(struct line *line, const struct batch_choice *choice,
                             const struct words *words) {
    add_list(line, "batches", &choice->batches, words);
    add_list(line, "global_batches", &choice->global_batches, words);
}

static void add_gpu(struct line *line, const struct gpu_model *g) {
    const struct words words = {g->evidence, false};
    struct str entry = {0};
    str_add(line->out, "  ");
    begin_line(line, 6, g->gpu);
    line->start -= 2;
    add_batch_choice(line, &g->allowed, &words);
    add_numbers(line, gpu_model_fields, g, &words, g->lookup_speed && g->lookup_power);
    if (g->lookup.count > 0) {
        str_addf(&entry, "lookup of %zu point%s, %s", g->lookup.count,
                 g->lookup.count == 1 ? "" : "s", evidence_names[g->weakest]);
        add_entry(line, entry.text);
    }
    if (g->power_limits.levels.count > 0) {
        entry.length = 0;
        str_addf(&entry, "%zu power limits", g->power_limits.levels.count);
        add_entry(line, entry.text);
    }
    if (g->power_form == POWER_TDP)
        add_entry(line, "power: tdp");
    str_add_char(line->out, '\n');
    str_finish(&entry);
}

void parameters_report(const struct survey *survey, struct str *out) {
    struct line line = {.out = out};
    str_add(out, "After a parameter m: measured, d: derived, a: assumed, o: overridden.\n");
    for (size_t i = 0; i < survey->pairs.count; i++) {
        const struct model *model = survey->pairs.at[i].model;
        if (i == 0 || survey->pairs.at[i - 1].model != model) {
            const struct words words = {survey->pairs.at[i].gpu_model->evidence, true};
            begin_line(&line, 2, model->name);
            add_batch_choice(&line, &model->allowed, &words);
            add_numbers(&line, model_fields, model, &words, false);
            str_add_char(out, '\n');
        }
        add_gpu(&line, survey->pairs.at[i].gpu_model);
    }
}
