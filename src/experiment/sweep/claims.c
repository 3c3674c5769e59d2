/* The sections claims and targets of a sweep file. */
#include "experiment/sweep/claims.h"

#include "io/csv.h"

#include <math.h>
#include <stdlib.h>

struct claim_item {
    struct location where;
    const char *name;
    const struct yaml_node *metric, *of, *against, *only;
    int32_t sign;
};

struct target_item {
    struct location where;
    const char *name;
    const struct yaml_node *metric, *of, *only;
    double value, within;
    struct schema_list all; /* const char * */
};

struct sections {
    struct schema_list claims, targets;
    const struct yaml_node *others; /* which sweep.c has read */
};

static const char *const sign_names[] = {"less", "more", "no less", "no more", NULL};

static const struct field metric_forms[] = {
    {"", .type = FIELD_STRING}, {"", MAPPING_TO({"", .type = FIELD_STRING})}, FIELDS_END};

static const struct field claim_fields[] = {
    {LOCATION(claim_item, where)},
    {"name", TEXT(claim_item, name), REQUIRED, HELP("name of the claim in tables")},
    {"metric", NODE(claim_item, metric), .forms = metric_forms, REQUIRED,
     HELP("column of summary.csv, or of sweep.csv for a service, or A / B: their ratio by "
          "replication")},
    {"of", OPEN(claim_item, of), REQUIRED, HELP("values of axes, none of a zip or sample")},
    {"against", OPEN(claim_item, against), REQUIRED, HELP("other values of the same axes")},
    {"sign", CHOICE(claim_item, sign, sign_names), REQUIRED,
     HELP("how the metric at of compares with that at against")},
    {"only", OPEN(claim_item, only),
     HELP("values of other axes: readings that count (default: all)")},
    FIELDS_END};

static const struct field target_fields[] = {
    {LOCATION(target_item, where)},
    {"name", TEXT(target_item, name), REQUIRED, HELP("name of the target in tables")},
    {"metric", NODE(target_item, metric), .forms = metric_forms, HELP("as in a claim")},
    {"of", OPEN(target_item, of), HELP("values of axes (default: none)")},
    {"only", OPEN(target_item, only), HELP("as in a claim (default: all)")},
    {"value", REAL(target_item, value), DEFAULT(NAN),
     HELP("value that the mean over replications must be near")},
    {"within", REAL(target_item, within), DEFAULT(NAN), ABOVE(0, 1),
     HELP("largest difference, as a share of the value")},
    {"all", TEXTS(target_item, all),
     HELP("instead of the keys above: earlier targets that the same reading must meet")},
    FIELDS_END};

const struct field claims_fields[] = {
    {"claims", OBJECTS(sections, claims, claim_fields, claim_item)},
    {"targets", OBJECTS(sections, targets, target_fields, target_item)},
    {"name", NODE(sections, others)},
    {"base", NODE(sections, others)},
    {"set", NODE(sections, others)},
    {"axes", NODE(sections, others)},
    FIELDS_END};

static void report_claim(const struct binding *binding, struct location where, const char *path,
                         const char *text) {
    problems_add(binding->problems, where, path, "%s", text);
}

/* ---- Metrics ---- */

static const char *find_metric(const struct study *base, struct slice name,
                               const struct yaml_node *node, const char *path,
                               const struct binding *binding) {
    const struct metric_set *metrics = &base->metrics;
    const char *word = arena_strndup(binding->arena, name.at, name.length);
    if (metric_set_find(metrics, word) < 0)
        problems_add(binding->problems, node->where, path,
                     "no column of summary.csv is named \"%.80s\"%s%s", word,
                     str_suggestion(binding->arena, word, metrics->names, metrics->count),
                     slice_begins((struct slice){word, name.length}, "services.")
                         ? study_services_text(base, binding->arena)
                         : csv_list_text(summary_names, SUMMARY_COUNT, binding->arena));
    return word;
}

/* "column" or "column / column"; its place among the metrics. */
static size_t bind_metric(struct claims *claims, const struct yaml_node *node, const char *path,
                          const struct binding *binding) {
    if (node->kind != YAML_NODE_SCALAR) {
        (void)schema_wrong(binding, node, path, "a column of summary.csv, or two with a / between");
        return 0;
    }
    const char *text = node->text, *slash = strchr(text, '/'),
               *end = slash ? slash : text + node->length;
    while (end > text && end[-1] == ' ')
        end--;
    const struct study *base = &claims->sweep->shared;
    struct claims_metric metric = {.divisor = NULL};
    metric.name =
        find_metric(base, (struct slice){text, (size_t)(end - text)}, node, path, binding);
    if (slash) {
        slash += 1 + strspn(slash + 1, " ");
        metric.divisor =
            find_metric(base, (struct slice){slash, strlen(slash)}, node, path, binding);
    }
    array_push(&claims->metrics, metric);
    return claims->metrics.count - 1;
}

static void bind_scopes(struct claims *claims, struct claims_subject *subject,
                        const struct yaml_node *node, const char *path,
                        const struct binding *binding) {
    bool labelled = node->kind == YAML_NODE_MAPPING && node->count > 0;
    size_t count = labelled ? node->count : 1;
    struct claims_scope *scopes = arena_alloc(binding->arena, count * sizeof *scopes);
    for (size_t i = 0; i < count; i++) {
        const char *label = labelled ? node->keys[i]->text : NULL;
        const char *here = labelled ? arena_printf(binding->arena, "%s.%s", path, label) : path;
        scopes[i] = (struct claims_scope){
            label, bind_metric(claims, labelled ? node->items[i] : node, here, binding)};
    }
    subject->scopes = scopes;
    subject->scope_count = count;
}

/* ---- Values of axes ---- */

static bool find_axis(const struct sweep *sweep, const struct yaml_node *key, const char *path,
                      const struct binding *binding, size_t *ret_axis) {
    const char **names = arena_alloc(binding->arena, sweep->axes.count * sizeof *names);
    for (size_t a = 0; a < sweep->axes.count; a++) {
        names[a] = sweep->axes.at[a].name;
        if (strcmp(names[a], key->text) == 0) {
            *ret_axis = a;
            return true;
        }
    }
    problems_add(binding->problems, key->where, path, "no axis is named \"%.80s\"%s", key->text,
                 str_suggestion(binding->arena, key->text, names, sweep->axes.count));
    return false;
}

static bool picks_place(const struct claims_picks *picks, size_t axis, size_t place) {
    for (size_t i = 0; i < picks->count; i++)
        if (picks->at[i].axis == axis && picks->at[i].place == place)
            return true;
    return false;
}

/* Adds the places of the values with that label: several if some values of the axis are equal.
   picks->at has room. */
static void add_picks(struct claims_picks *picks, const struct sweep *sweep, size_t axis,
                      const struct yaml_node *label, const char *path,
                      const struct binding *binding) {
    const struct sweep_axis *a = &sweep->axes.at[axis];
    const char **names = arena_alloc(binding->arena, a->values.count * sizeof *names);
    bool found = false;
    for (size_t v = 0; v < a->values.count; v++) {
        names[v] = a->values.at[v].shown;
        if (label->kind == YAML_NODE_SCALAR && strcmp(names[v], label->text) == 0) {
            if (!picks_place(picks, axis, v))
                picks->at[picks->count++] = (struct claims_pick){axis, v};
            found = true;
        }
    }
    if (label->kind != YAML_NODE_SCALAR)
        (void)schema_wrong(binding, label, path, "a value of the axis");
    else if (!found)
        problems_add(binding->problems, label->where, path, "the axis %s has no value \"%.80s\"%s",
                     a->name, label->text,
                     str_suggestion(binding->arena, label->text, names, a->values.count));
}

/* Axes with one value each or, if `lists`, some. */
static void bind_picks(struct claims_picks *picks, const struct sweep *sweep,
                       const struct yaml_node *node, const char *path, bool lists,
                       const struct binding *binding) {
    size_t most = 0;
    if (node->kind != YAML_NODE_MAPPING || node->count == 0) {
        (void)schema_wrong(binding, node, path, "a mapping from axes to values");
        return;
    }
    for (size_t a = 0; a < sweep->axes.count; a++)
        most += sweep->axes.at[a].values.count;
    picks->at = arena_alloc(binding->arena, most * sizeof *picks->at);
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = node->items[i];
        const char *here = arena_printf(binding->arena, "%s.%s", path, node->keys[i]->text);
        bool list = lists && item->kind == YAML_NODE_SEQUENCE;
        size_t axis, before = picks->count;
        if (!find_axis(sweep, node->keys[i], path, binding, &axis))
            continue;
        for (size_t v = 0; v < (list ? item->count : 1); v++)
            add_picks(picks, sweep, axis, list ? item->items[v] : item, here, binding);
        if (!lists && picks->count > before)
            picks->count = before + 1;
    }
}

bool claims_picks_axis(const struct claims_picks *picks, size_t axis) {
    for (size_t i = 0; i < picks->count; i++)
        if (picks->at[i].axis == axis)
            return true;
    return false;
}

static bool picks_select(const struct sweep *sweep, const struct claims_picks *picks,
                         size_t point) {
    for (size_t i = 0; i < picks->count; i++)
        if (!picks_place(picks, picks->at[i].axis, sweep_place(sweep, point, picks->at[i].axis)))
            return false;
    return true;
}

size_t claims_next_point(const struct claims *claims, const struct claims_subject *subject,
                         size_t point) {
    const struct sweep *s = claims->sweep;
    while (point < s->count &&
           !(picks_select(s, &subject->of, point) && picks_select(s, &subject->only, point)))
        point++;
    return point;
}

size_t claims_counterpart(const struct claims *claims, size_t point,
                          const struct claims_picks *picks) {
    const struct sweep *s = claims->sweep;
    for (size_t i = 0; i < picks->count; i++) {
        size_t axis = picks->at[i].axis, stride = 1;
        for (size_t g = s->axes.groups.count - 1; g > s->axes.at[axis].group; g--)
            stride *= s->axes.groups.at[g];
        point += picks->at[i].place * stride -
                 sweep_place(s, point, axis) *
                     stride; /* unsigned: the difference may wrap, the sum does not */
    }
    return point;
}

/* ---- Claims and targets ---- */

/* `of` must not name an axis of a zip or sample: its values cannot change alone. */
static void check_of(const struct claims *claims, const struct claims_subject *subject,
                     const char *path, const struct binding *binding) {
    const struct sweep *s = claims->sweep;
    for (size_t i = 0; i < subject->of.count; i++) {
        const struct sweep_axis *axis = &s->axes.at[subject->of.at[i].axis];
        size_t together = 0;
        for (size_t a = 0; a < s->axes.count; a++)
            together += s->axes.at[a].group == axis->group;
        if (together > 1)
            problems_add(binding->problems, subject->where, path,
                         "the axis %s is part of a zip or sample: expected an axis of its own",
                         axis->name);
        if (claims_picks_axis(&subject->only, subject->of.at[i].axis))
            problems_add(binding->problems, subject->where, path, "the axis %s is under `only` too",
                         axis->name);
    }
}

static void bind_subject(struct claims *claims, struct claims_subject *subject,
                         const struct claim_item *item, const char *path,
                         const struct binding *binding) {
    size_t before = binding->problems->count;
    subject->where = item->where;
    subject->name = item->name;
    if (item->metric)
        bind_scopes(claims, subject, item->metric, arena_printf(binding->arena, "%s.metric", path),
                    binding);
    if (item->of)
        bind_picks(&subject->of, claims->sweep, item->of,
                   arena_printf(binding->arena, "%s.of", path), false, binding);
    if (item->only)
        bind_picks(&subject->only, claims->sweep, item->only,
                   arena_printf(binding->arena, "%s.only", path), true, binding);
    check_of(claims, subject, path, binding);
    if (binding->problems->count == before &&
        claims_next_point(claims, subject, 0) == claims->sweep->count)
        report_claim(binding, item->where, path, "no point of the sweep is left");
}

/* Replications are compared one by one, on the same random numbers. */
static void check_claim_pairs(const struct claims *claims, const struct claims_subject *subject,
                              const char *path, const struct binding *binding) {
    for (size_t i = 0; i < subject->of.count; i++) {
        const struct sweep_axis *axis = &claims->sweep->axes.at[subject->of.at[i].axis];
        for (size_t p = 0; p < axis->paths.count; p++)
            if (strcmp(axis->paths.at[p].text, "seed") == 0 ||
                strcmp(axis->paths.at[p].text, "replications") == 0)
                problems_add(binding->problems, subject->where, path,
                             "the axis %s sets %s: its values have no replications in common",
                             axis->name, axis->paths.at[p].text);
    }
}

static void bind_claim(struct claims *claims, struct claim *claim, const struct claim_item *item,
                       const char *path, const struct binding *binding) {
    const char *against_path = arena_printf(binding->arena, "%s.against", path);
    size_t before = binding->problems->count;
    bool same = true;
    claim->sign = item->sign;
    bind_subject(claims, &claim->subject, item, path, binding);
    check_claim_pairs(claims, &claim->subject, path, binding);
    bind_picks(&claim->against, claims->sweep, item->against, against_path, false, binding);
    if (binding->problems->count > before)
        return;
    const struct claims_picks *of = &claim->subject.of, *against = &claim->against;
    for (size_t i = 0; i < of->count; i++) {
        if (of->count != against->count || !claims_picks_axis(against, of->at[i].axis)) {
            report_claim(binding, item->against->where, against_path,
                         "expected a value of each axis under `of` and of no other");
            return;
        }
        same = same && picks_place(against, of->at[i].axis, of->at[i].place);
    }
    if (same)
        report_claim(binding, item->against->where, against_path,
                     "expected other values than under `of`");
}

static int find_target_named(const struct claims *claims, const char *name, size_t count) {
    for (size_t t = 0; t < count; t++)
        if (strcmp(claims->targets[t].subject.name, name) == 0)
            return (int)t;
    return -1;
}

static bool axes_equal(const struct claims_picks *a, const struct claims_picks *b) {
    bool equal = a->count == b->count;
    for (size_t i = 0; equal && i < a->count; i++)
        equal = claims_picks_axis(b, a->at[i].axis);
    return equal;
}

static bool scopes_equal(const struct claims_subject *a, const struct claims_subject *b) {
    bool equal = a->scope_count == b->scope_count;
    for (size_t i = 0; equal && i < a->scope_count; i++)
        equal = strcmp(a->scopes[i].label, b->scopes[i].label) == 0;
    return equal;
}

/* A joint target, which is met where all targets under `all` are. These must be about values of the
   same axes; those whose metric can be read in several ways must have the same labels for them. */
static void bind_joint(struct claims *claims, struct target *target, const struct target_item *item,
                       const char *path, const struct binding *binding) {
    const char *const *names = item->all.at,
                      *all_path = arena_printf(binding->arena, "%s.all", path);
    size_t *all = arena_alloc(binding->arena, item->all.count * sizeof *all),
           number = (size_t)(target - claims->targets);
    struct claims_subject *joint = &target->subject;
    joint->where = item->where;
    joint->name = item->name;
    if (item->metric || item->of || item->only || !isnan(item->value) || !isnan(item->within))
        report_claim(binding, item->where, path,
                     "`all`: expected no metric, of, only, value or within next to it");
    for (size_t i = 0; i < item->all.count; i++) {
        int found = find_target_named(claims, names[i], number);
        if (found < 0 || claims->targets[found].all_count > 0) {
            problems_add(binding->problems, item->where, all_path,
                         "no target before this one is named \"%.80s\"", names[i]);
            return;
        }
        const struct claims_subject *one = &claims->targets[found].subject;
        if (i == 0 || (joint->scope_count == 1 && one->scope_count > 1)) {
            joint->scopes = one->scopes;
            joint->scope_count = one->scope_count;
        }
        joint->of = i == 0 ? one->of : joint->of;
        joint->only = i == 0 ? one->only : joint->only;
        if (!axes_equal(&joint->of, &one->of) ||
            (one->scope_count > 1 && !scopes_equal(joint, one)))
            problems_add(binding->problems, item->where, all_path,
                         "\"%.80s\" and those before it have no readings in common", names[i]);
        all[i] = (size_t)found;
    }
    target->all = all;
    target->all_count = item->all.count;
}

static void bind_target(struct claims *claims, struct target *target,
                        const struct target_item *item, const char *path,
                        const struct binding *binding) {
    const struct claim_item subject = {.where = item->where,
                                       .name = item->name,
                                       .metric = item->metric,
                                       .of = item->of,
                                       .only = item->only};
    target->value = item->value;
    target->within = item->within;
    if (item->all.count > 0) {
        bind_joint(claims, target, item, path, binding);
        return;
    }
    bind_subject(claims, &target->subject, &subject, path, binding);
    if (!item->metric || isnan(item->value) || isnan(item->within))
        report_claim(binding, item->where, path, "expected metric, value and within, or all");
    else if (item->value == 0)
        report_claim(binding, item->where, path, "expected a value other than 0");
}

/* Tables find statements by name. */
static void check_names(const struct claims *claims, const struct binding *binding) {
    for (size_t i = 0; i < claims->claim_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(claims->claims[i].subject.name, claims->claims[j].subject.name) == 0)
                report_claim(binding, claims->claims[i].subject.where, "claims",
                             "another claim has this name");
    for (size_t t = 0; t < claims->target_count; t++)
        if (find_target_named(claims, claims->targets[t].subject.name, t) >= 0)
            report_claim(binding, claims->targets[t].subject.where, "targets",
                         "another target has this name");
}

int claims_load(struct claims *claims, struct sweep *sweep, struct problems *problems) {
    const struct binding b = {.arena = &sweep->doc.arena, .problems = problems};
    struct sections sections = {0};
    size_t before = problems->count;
    *claims = (struct claims){.sweep = sweep};
    if (schema_bind(&b, claims_fields, sweep->doc.root, "", &sections) < 0)
        return ERROR_INPUT;
    const struct claim_item *claim_items = sections.claims.at;
    const struct target_item *target_items = sections.targets.at;
    claims->claims = arena_alloc(b.arena, sections.claims.count * sizeof *claims->claims);
    claims->targets = arena_alloc(b.arena, sections.targets.count * sizeof *claims->targets);
    for (; claims->claim_count < sections.claims.count; claims->claim_count++)
        bind_claim(claims, &claims->claims[claims->claim_count], &claim_items[claims->claim_count],
                   arena_printf(b.arena, "claims[%zu]", claims->claim_count), &b);
    for (; claims->target_count < sections.targets.count; claims->target_count++)
        bind_target(claims, &claims->targets[claims->target_count],
                    &target_items[claims->target_count],
                    arena_printf(b.arena, "targets[%zu]", claims->target_count), &b);
    check_names(claims, &b);
    return problems->count > before ? ERROR_INPUT : 0;
}

void claims_finish(struct claims *claims) {
    free(claims->metrics.at);
    *claims = (struct claims){0};
}
