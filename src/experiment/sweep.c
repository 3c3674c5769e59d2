/* Sweep files, and the points of a sweep with their ids. */
#include "experiment/sweep.h"

#include "base/hash.h"
#include "config/scenario.h"
#include "easim_version.h"
#include "experiment/sweep_axes.h"
#include "io/files.h"

#include <stdlib.h>
#include <string.h>

struct sweep_file {
    const char *name, *base;
    const struct yaml_node *set, *axes;
};

static const struct field sweep_fields[] = {{.key = "name",
                                             .type = FIELD_STRING,
                                             .offset = offsetof(struct sweep_file, name),
                                             .required = true,
                                             .min = 1,
                                             .help = "results go to results/NAME/sweep"},
                                            {.key = "base",
                                             .type = FIELD_PATH,
                                             .offset = offsetof(struct sweep_file, base),
                                             .required = true,
                                             .help = "the scenario"},
                                            {.key = "set",
                                             .type = FIELD_NODE,
                                             .offset = offsetof(struct sweep_file, set),
                                             .help = "values of all points: PATH: VALUE"},
                                            {.key = "axes",
                                             .type = FIELD_NODE,
                                             .offset = offsetof(struct sweep_file, axes),
                                             .required = true,
                                             .help = "the values that change"},
                                            FIELDS_END};

/* ---- What is set at every point ---- */

static int bind_fixed(struct sweep *s, const struct yaml_node *set, const struct binding *b) {
    if (set->kind != YAML_NODE_MAPPING)
        return schema_wrong(b, set, "set", "a mapping from paths to values");
    for (size_t i = 0; i < set->count; i++)
        array_push(&s->fixed,
                   arena_printf(b->arena, "%s=%s", set->keys[i]->text, sweep_flow_text(set->items[i], b->arena)));
    return 0;
}

/* The one path is the other, or what it sets holds it. */
static bool paths_overlap(const char *a, const char *b, size_t b_length) {
    size_t a_length = strlen(a), shorter = a_length < b_length ? a_length : b_length;
    if (memcmp(a, b, shorter) != 0)
        return false;
    const char *rest = a_length > b_length ? a + shorter : b + shorter;
    return a_length == b_length || *rest == '.' || *rest == '[';
}

static int check_paths(const struct sweep *s, const struct binding *b) {
    int result = 0;
    for (size_t i = 0; i < s->axes.count; i++) {
        const struct sweep_axis *axis = &s->axes.at[i];
        for (size_t j = 0; j < i + s->fixed.count; j++) {
            bool fixed = j >= i;
            const char *other = fixed ? s->fixed.at[j - i] : s->axes.at[j].path;
            size_t length = fixed ? strcspn(other, "=") : strlen(other);
            if (!paths_overlap(axis->path, other, length))
                continue;
            problems_add(b->problems, axis->where, NULL, "%s is set twice: here, and as %.*s %s", axis->path,
                         (int)length, other, fixed ? "under set" : "by an axis before");
            result = ERROR_INPUT;
        }
        if (strchr(axis->path, '=')) {
            problems_add(b->problems, axis->where, NULL, "expected a path such as cluster.power_cap_w, got \"%s\"",
                         axis->path);
            result = ERROR_INPUT;
        }
    }
    return result;
}

static int count_points(struct sweep *s, const struct binding *b) {
    s->count = 1;
    for (size_t g = 0; g < s->groups.count; g++) {
        s->count *= s->groups.at[g];
        if (s->count > SWEEP_MOST_POINTS) {
            problems_add(b->problems, (struct location){.file = s->doc.file}, "axes", "over %d points",
                         SWEEP_MOST_POINTS);
            return ERROR_INPUT;
        }
    }
    return 0;
}

/* ---- Points ---- */

const struct sweep_value *sweep_value(const struct sweep *s, size_t point, size_t axis) {
    size_t group = s->axes.at[axis].group;
    for (size_t g = s->groups.count - 1; g > group; g--)
        point /= s->groups.at[g];
    return &s->axes.at[axis].values.at[point % s->groups.at[group]];
}

size_t sweep_set_count(const struct sweep *s) {
    return s->fixed.count + s->axes.count;
}

void sweep_sets(const struct sweep *s, size_t point, struct arena *arena, const char **sets) {
    for (size_t i = 0; i < s->fixed.count; i++)
        *sets++ = s->fixed.at[i];
    for (size_t a = 0; a < s->axes.count; a++)
        *sets++ = arena_printf(arena, "%s=%s", s->axes.at[a].path, sweep_value(s, point, a)->yaml);
}

/* Hashes of files that have been read already. */
struct input_cache {
    ARRAY_OF(struct known_input {
        const char *path;
        uint64_t hash;
    })
    files;
    struct arena arena;
};

static uint64_t file_hash(struct input_cache *cache, const char *path) {
    for (size_t i = 0; i < cache->files.count; i++)
        if (strcmp(cache->files.at[i].path, path) == 0)
            return cache->files.at[i].hash;
    uint64_t hash = files_hash(path);
    array_push(&cache->files, ((struct known_input){arena_strdup(&cache->arena, path), hash}));
    return hash;
}

/* Which values are names of files only the layers know that read them, so every text that names one counts. */
static uint64_t hash_inputs(const struct yaml_node *node, uint64_t hash, struct input_cache *cache) {
    for (size_t i = 0; i < node->count; i++)
        hash = hash_inputs(node->items[i], hash, cache);
    if (node->kind != YAML_NODE_SCALAR || node->length == 0)
        return hash;
    struct problems ignored = {0};
    struct arena arena = {0};
    const struct binding binding = {&arena, &ignored};
    const char *path = schema_path(&binding, node, "");
    uint64_t contents = path ? file_hash(cache, path) : 0;
    problems_finish(&ignored);
    arena_finish(&arena);
    return contents == 0 ? hash : hash_bytes(hash, &contents, sizeof contents);
}

/* The scenario of one point as far as ids need it: values in place, nothing bound. */
static int identify(struct sweep *s, size_t point, const struct yaml_doc *base, struct input_cache *cache,
                    struct problems *problems) {
    struct scenario scenario = {.doc = {.file = base->file, .root = base->root}};
    struct arena *arena = &scenario.doc.arena;
    size_t count = sweep_set_count(s);
    const char **sets = arena_alloc(arena, count * sizeof *sets);
    int r = 0;
    sweep_sets(s, point, arena, sets);
    for (size_t i = 0; i < count && r == 0; i++) {
        size_t length = strcspn(sets[i], "=");
        r = yaml_doc_set(&scenario.doc, arena_strndup(arena, sets[i], length), sets[i] + length + 1, problems);
    }
    if (r == 0) {
        static const char version[] = EASIM_VERSION " " EASIM_COMMIT;
        uint64_t start = hash_bytes(HASH_START, version, sizeof version);
        s->points[point].id = scenario_hash(&scenario);
        s->points[point].inputs = hash_inputs(scenario.doc.root, start, cache);
    }
    scenario_finish(&scenario);
    return r;
}

static int identify_all(struct sweep *s, struct problems *problems) {
    struct yaml_doc base = {0};
    struct input_cache cache = {.arena = {0}};
    int r = yaml_doc_load(&base, s->base, problems);
    if (r == 0 && (!base.root || base.root->kind != YAML_NODE_MAPPING)) {
        problems_add(problems, (struct location){.file = s->base}, NULL, "the file holds no scenario");
        r = ERROR_INPUT;
    }
    s->points = mem_zalloc(s->count, sizeof *s->points);
    for (size_t p = 0; p < s->count && r == 0; p++)
        r = identify(s, p, &base, &cache, problems);
    free(cache.files.at);
    arena_finish(&cache.arena);
    yaml_doc_finish(&base);
    return r;
}

int sweep_load(struct sweep *s, const char *path, struct problems *problems) {
    *s = (struct sweep){0};
    if (yaml_doc_load(&s->doc, path, problems) < 0)
        return ERROR_INPUT;
    if (!s->doc.root) {
        problems_add(problems, (struct location){.file = s->doc.file}, NULL, "the file holds no sweep");
        return ERROR_INPUT;
    }
    struct sweep_file file = {0};
    const struct binding binding = {&s->doc.arena, problems};
    int result = schema_bind(&binding, sweep_fields, s->doc.root, "", &file);
    s->name = file.name;
    s->base = file.base;
    if (file.name && strchr(file.name, '/'))
        result =
            schema_wrong(&binding, yaml_find(s->doc.root, "name"), "name", "text that can name a folder (no /)");
    if (file.set && bind_fixed(s, file.set, &binding) < 0)
        result = ERROR_INPUT;
    if (file.axes && sweep_axes_bind(s, file.axes, &binding) < 0)
        result = ERROR_INPUT;
    if (check_paths(s, &binding) < 0 || result < 0 || count_points(s, &binding) < 0)
        return ERROR_INPUT;
    return identify_all(s, problems) < 0 ? ERROR_INPUT : 0;
}

void sweep_finish(struct sweep *s) {
    for (size_t a = 0; a < s->axes.count; a++)
        free(s->axes.at[a].values.at);
    free(s->axes.at);
    free(s->groups.at);
    free(s->fixed.at);
    free(s->points);
    yaml_doc_finish(&s->doc);
}
