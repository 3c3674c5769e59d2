/* Sweep files, and the points of a sweep with their ids. */
#include "experiment/sweep/sweep.h"

#include "base/hash.h"
#include "base/machine.h"
#include "config/scenario.h"
#include "easim_version.h"
#include "study/study_load.h"

#include <stdlib.h>
#include <string.h>

struct sweep_file {
    const char *name, *base;
    const struct yaml_node *set, *axes, *others;
};

const struct field sweep_fields[] = {
    {"name", TEXT(sweep_file, name), REQUIRED, HELP("results go to results/NAME/sweep")},
    {"base", PATH(sweep_file, base), REQUIRED,
     HELP("the scenario, relative to the folder of the sweep")},
    {"set", OPEN(sweep_file, set), HELP("PATH: VALUE, the same at every point")},
    {"axes", NODE(sweep_file, axes), REQUIRED, .forms = axes_forms,
     HELP("values that change; points are their product")},
    {"claims", NODE(sweep_file, others),
     HELP("signs of differences between values of axes (default: none)")},
    {"targets", NODE(sweep_file, others),
     HELP("values that some readings must reach (default: none)")},
    FIELDS_END};

/* ---- What the axes set ---- */

static int check_path(const struct sweep *sweep, const struct sweep_axis *axis, const char *path,
                      const struct binding *binding) {
    size_t before = binding->problems->count;
    for (const struct sweep_axis *other = sweep->axes.at; other < axis; other++)
        for (size_t i = 0; i < other->paths.count; i++)
            if (yaml_paths_overlap(path, other->paths.at[i].text))
                problems_add(binding->problems, axis->where, NULL,
                             "%s is set twice: here, and as %s by an earlier axis", path,
                             other->paths.at[i].text);
    for (size_t i = 0; i < sweep->fixed.count; i++)
        if (yaml_paths_overlap(path, sweep->fixed.at[i].path.text))
            problems_add(binding->problems, axis->where, NULL,
                         "%s is set twice: here, and as %s under set", path,
                         sweep->fixed.at[i].path.text);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

static int check_axes(const struct sweep *sweep, const struct binding *binding) {
    int result = 0;
    for (size_t a = 0; a < sweep->axes.count; a++) {
        const struct sweep_axis *axis = &sweep->axes.at[a];
        for (size_t i = 0; i < axis->paths.count; i++)
            if (check_path(sweep, axis, axis->paths.at[i].text, binding) < 0)
                result = ERROR_INPUT;
        for (const struct sweep_axis *other = sweep->axes.at; other < axis && result == 0; other++)
            if (strcmp(axis->column, other->column) == 0)
                result = problems_add(binding->problems, axis->where, NULL,
                                      "another axis is named \"%s\" too", axis->name);
    }
    return result;
}

static int count_sweep_points(struct sweep *sweep, const struct binding *binding) {
    sweep->count = 1;
    for (size_t g = 0; g < sweep->axes.groups.count; g++) {
        sweep->count *= sweep->axes.groups.at[g];
        if (sweep->count > SWEEP_MOST_POINTS)
            return problems_add(binding->problems, (struct location){.file = sweep->doc.file},
                                "axes", "expected at most %d points", SWEEP_MOST_POINTS);
    }
    return 0;
}

bool sweep_changes(const struct sweep *sweep, const char *path) {
    for (size_t a = 0; a < sweep->axes.count; a++)
        for (size_t i = 0; i < sweep->axes.at[a].paths.count; i++)
            if (yaml_paths_overlap(path, sweep->axes.at[a].paths.at[i].text))
                return true;
    return false;
}

/* ---- Points ---- */

size_t sweep_place(const struct sweep *sweep, size_t point, size_t axis) {
    size_t group = sweep->axes.at[axis].group;
    for (size_t g = sweep->axes.groups.count - 1; g > group; g--)
        point /= sweep->axes.groups.at[g];
    return point % sweep->axes.groups.at[group];
}

const struct sweep_value *sweep_value(const struct sweep *sweep, size_t point, size_t axis) {
    return &sweep->axes.at[axis].values.at[sweep_place(sweep, point, axis)];
}

static const char *set_text(const struct sweep_set *set, struct arena *arena) {
    return arena_printf(arena, "%s=%s", set->path.text, set->yaml);
}

const char **sweep_fixed_texts(const struct sweep *sweep, struct arena *arena, size_t *ret_count) {
    const char **texts = arena_alloc(arena, sweep->fixed.count * sizeof *texts);
    for (size_t i = 0; i < sweep->fixed.count; i++)
        texts[i] = set_text(&sweep->fixed.at[i], arena);
    *ret_count = sweep->fixed.count;
    return texts;
}

/* The values that a point sets in place a: first those of all points, then those of each axis. */
static const struct sweep_sets *sets_of(const struct sweep *sweep, size_t point, size_t a) {
    return a == 0 ? &sweep->fixed : &sweep_value(sweep, point, a - 1)->sets;
}

const char **sweep_set_texts(const struct sweep *sweep, size_t point, struct arena *arena,
                             size_t *ret_count) {
    size_t count = 0, filled = 0;
    for (size_t a = 0; a <= sweep->axes.count; a++)
        count += sets_of(sweep, point, a)->count;
    const char **texts = arena_alloc(arena, count * sizeof *texts);
    for (size_t a = 0; a <= sweep->axes.count; a++) {
        const struct sweep_sets *sets = sets_of(sweep, point, a);
        for (size_t i = 0; i < sets->count; i++)
            texts[filled++] = set_text(&sets->at[i], arena);
    }
    *ret_count = count;
    return texts;
}

/* The policy of a point, once for all points that have it. */
static void remember_policy(struct sweep *sweep, const struct yaml_node *root) {
    const struct yaml_node *policy = yaml_find(root, "policy");
    const struct yaml_node *name =
        policy && policy->kind == YAML_NODE_MAPPING ? yaml_find(policy, "name") : NULL;
    size_t at = 0;
    if (!name || name->kind != YAML_NODE_SCALAR)
        return;
    while (at < sweep->policies.count && strcmp(sweep->policies.at[at], name->text) != 0)
        at++;
    if (at == sweep->policies.count)
        array_push(&sweep->policies, arena_strdup(&sweep->doc.arena, name->text));
}

static int put_sets(struct yaml_doc *doc, const struct sweep_sets *sets,
                    struct problems *problems) {
    int r = 0;
    for (size_t i = 0; i < sets->count && r == 0; i++)
        r = yaml_doc_set(doc, &sets->at[i].path.steps, sets->at[i].yaml, problems);
    return r;
}

/* Puts the values of a point into the tree that all have and takes its hashes. Nothing is bound, so
   nothing else is checked. */
static int identify_point(struct sweep *sweep, size_t point, struct problems *problems) {
    struct scenario scenario = {.doc = {.file = sweep->common.file, .root = sweep->common.root}};
    int r = 0;
    for (size_t a = 0; a < sweep->axes.count && r == 0; a++)
        r = put_sets(&scenario.doc, &sweep_value(sweep, point, a)->sets, problems);
    if (r == 0) {
        static const char version[] = EASIM_VERSION " " EASIM_COMMIT;
        uint64_t start = hash_bytes(HASH_START, version, sizeof version);
        remember_policy(sweep, scenario.doc.root);
        sweep->points[point].id = scenario_hash(&scenario);
        sweep->points[point].inputs = inputs_add_tree(&sweep->inputs, scenario.doc.root, start);
    }
    scenario_finish(&scenario);
    return r;
}

/* The base with the values of all points: what points share of it is walked once. */
static int identify_common(struct sweep *sweep, struct problems *problems) {
    sweep->common = (struct yaml_doc){.file = sweep->base_doc.file, .root = sweep->base_doc.root};
    if (put_sets(&sweep->common, &sweep->fixed, problems) < 0)
        return ERROR_INPUT;
    inputs_stay(&sweep->inputs, sweep->common.root);
    return 0;
}

/* An axis may set what the base does not have, so its problems are none. */
static void load_shared(struct sweep *sweep) {
    struct problems ignored = {0};
    struct arena arena = {0};
    size_t count;
    const char **sets = sweep_fixed_texts(sweep, &arena, &count);
    const struct scenario_overrides overrides = {
        .sets = sets, .set_count = count, .doc = &sweep->base_doc};
    struct inputs now = {.against = &sweep->inputs};
    study_load_files(&sweep->shared, sweep->base, &overrides, &ignored);
    inputs_add_files(&now, &sweep->shared);
    if (now.failure.code < 0 && sweep->inputs.failure.code == 0)
        sweep->inputs.failure = now.failure;
    inputs_finish(&now);
    problems_finish(&ignored);
    arena_finish(&arena);
}

static int identify_points(struct sweep *sweep, struct problems *problems) {
    struct yaml_doc *base = &sweep->base_doc;
    struct file_stamp stamp;
    file_stamp_take(sweep->base, &stamp);
    int r = yaml_doc_load(base, sweep->base, problems);
    if (r == 0 && (!base->root || base->root->kind != YAML_NODE_MAPPING))
        r = problems_add(problems, (struct location){.file = sweep->base}, NULL,
                         "the file holds no scenario");
    sweep->points = mem_zalloc(sweep->count, sizeof *sweep->points);
    const struct input files[] = {{.key = "sweep", .path = sweep->doc.file, .read = &sweep->stamp},
                                  {.key = "base", .path = sweep->base, .read = &stamp}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        (void)inputs_add(&sweep->inputs, &files[i]);
    if (r == 0)
        r = identify_common(sweep, problems);
    for (size_t p = 0; p < sweep->count && r == 0; p++)
        r = identify_point(sweep, p, problems);
    if (r == 0)
        load_shared(sweep);
    if (r == 0 && sweep->inputs.failure.code < 0)
        machine_end("%s", sweep->inputs.failure.text);
    return r;
}

int sweep_load(struct sweep *sweep, const char *path, struct problems *problems) {
    *sweep = (struct sweep){0};
    file_stamp_take(path, &sweep->stamp);
    if (yaml_doc_load(&sweep->doc, path, problems) < 0)
        return ERROR_INPUT;
    if (!sweep->doc.root)
        return problems_add(problems, (struct location){.file = sweep->doc.file}, NULL,
                            "the file holds no sweep");
    struct sweep_file file = {0};
    const struct binding binding = {.arena = &sweep->doc.arena, .problems = problems};
    int result = schema_bind(&binding, sweep_fields, sweep->doc.root, "", &file);
    sweep->name = file.name;
    sweep->base = file.base;
    if (file.name && strchr(file.name, '/'))
        result = schema_wrong(&binding, yaml_find(sweep->doc.root, "name"), "name",
                              "text that can name a folder (no /)");
    if (file.set && sweep_sets_bind(&sweep->fixed, file.set, "set", &binding) < 0)
        result = ERROR_INPUT;
    if (file.axes && sweep_axes_bind(&sweep->axes, file.axes, &binding) < 0)
        result = ERROR_INPUT;
    if (check_axes(sweep, &binding) < 0 || result < 0 || count_sweep_points(sweep, &binding) < 0)
        return ERROR_INPUT;
    return identify_points(sweep, problems) < 0 ? ERROR_INPUT : 0;
}

void sweep_finish(struct sweep *sweep) {
    sweep_axes_finish(&sweep->axes);
    free(sweep->points);
    free(sweep->policies.at);
    inputs_finish(&sweep->inputs);
    study_finish(&sweep->shared);
    yaml_doc_finish(&sweep->common);
    yaml_doc_finish(&sweep->base_doc);
    yaml_doc_finish(&sweep->doc);
}

/* --- sweep_resume --- */
/* Results are kept point by point, so a sweep that is started again, on another machine or in
   another shard, runs what has no result yet. */

bool sweep_shard_has(const struct sweep_shard *shard, size_t point) {
    return shard->of == 0 || point % shard->of == shard->number - 1;
}

size_t sweep_shard_points(const struct sweep_shard *shard, size_t count, size_t *points) {
    size_t filled = 0;
    for (size_t p = 0; p < count; p++)
        if (sweep_shard_has(shard, p))
            points[filled++] = p;
    return filled;
}

static bool is_to_be_run(const struct sweep_resume *resume, size_t point) {
    enum sweep_state state = resume->state_of(resume->context, point);
    return state == SWEEP_MISSING || (state == SWEEP_FAILED && resume->retry_failed);
}

size_t sweep_resume_points(const struct sweep_resume *resume, size_t *points) {
    size_t count = sweep_shard_points(&resume->shard, resume->count, points), kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_to_be_run(resume, points[i]))
            points[kept++] = points[i];
    return kept;
}

bool sweep_resume_shards(const struct sweep_resume *resume, size_t shards, bool *ret_wanted) {
    bool any = false;
    for (size_t s = 0; s < shards; s++)
        ret_wanted[s] = false;
    for (size_t p = 0; p < resume->count; p++)
        if (!ret_wanted[p % shards] && is_to_be_run(resume, p))
            any = ret_wanted[p % shards] = true;
    return any;
}
