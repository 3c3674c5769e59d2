/* Paths of values: cluster.nodes[0].gpus. A name that holds one of . [ ] = " \, a line end or a
   tab stands in quotes, where \" \\ \n \t stand for themselves: params_by_policy."./my.so".tau.
   --set, the axes of sweeps, perturbations and messages all have them from here. */
#ifndef EASIM_IO_YAML_PATH_H
#define EASIM_IO_YAML_PATH_H

#include "base/arena.h"
#include "base/str.h"
#include "io/yaml_node.h"

/* From a value to one inside of it. */
struct yaml_step {
    const char *name; /* of a key; NULL: an item of a list */
    size_t index;     /* of an item */
};

struct yaml_path {
    const struct yaml_step *steps;
    size_t count; /* at least 1 */
};

/* All of `text` as a path, in the arena. ERROR_INPUT with what was expected at which character. */
int yaml_path_parse(const char *text, struct arena *arena, struct yaml_path *ret_path,
                    struct error *reterr) MUST_CHECK;
/* "path=value"; *ret_value is what stands behind the first = outside of quotes. */
int yaml_path_parse_set(const char *text, struct arena *arena, struct yaml_path *ret_path,
                        const char **ret_value, struct error *reterr) MUST_CHECK;

/* The one way to write the path, in the arena; parsing it gives the path again. */
const char *yaml_path_text(const struct yaml_path *path, struct arena *arena);
/* One step more behind a text that holds nothing but a path, or nothing. */
void yaml_path_add_name(struct str *path, const char *name);
void yaml_path_add_index(struct str *path, size_t index);
/* Of two texts that yaml_path_text wrote: one is the other, or leads to a value that holds it. */
bool yaml_paths_overlap(const char *path, const char *other);

/* The value at the path, or NULL. */
struct yaml_node *yaml_path_find(struct yaml_node *root, const struct yaml_path *path);

/* How a value is put into a tree. */
struct yaml_setting {
    const struct yaml_path *path;
    struct yaml_node *value;
    struct location where; /* of all that has to be made on the way */
    struct arena *arena;
};

/* The tree of root (NULL: an empty one) with the value at the path. What stands on the way is
   copied, never changed; missing mappings and lists are made, an index may be one past the end.
   NULL: the path leads through a value that is none of these. */
struct yaml_node *yaml_path_set(struct yaml_node *root, const struct yaml_setting *setting,
                                struct error *reterr);

#endif
