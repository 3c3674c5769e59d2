/* YAML text to nodes, from libyaml's events. Every way to go wrong adds a problem; a NULL node ends
 * the reading. */
#include "base/array.h"
#include "base/hash.h"
#include "base/mem.h"
#include "io/internal.h"
#include "io/yaml_path.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define NODES_MAX 1000000

struct anchor {
    const char *name;
    struct yaml_node *node; /* NULL while it is being read: an alias to it would be a circle */
    size_t nodes;           /* in it, itself included */
    unsigned height;        /* levels below it */
};

/* One key of one mapping, to find it again. */
struct known_key {
    const struct yaml_node *mapping; /* NULL: free slot */
    const struct yaml_node *key;
};

struct node_list {
    struct yaml_node **at;
    size_t count;
    size_t capacity;
};

/* What one text is read with. */
struct reader {
    const struct yaml_source *source;
    struct arena *arena;
    struct problems *problems;
    yaml_parser_t parser;
    struct str path; /* of the value being read */
    size_t nodes;
    unsigned deepest; /* level reached since it was last lowered */
    ARRAY_OF(struct anchor) anchors;
    struct known_key *keys; /* open addressing */
    size_t key_count, key_capacity;
};

static struct yaml_node *read_yaml_node(struct reader *reader, yaml_event_t *event, unsigned depth);

/* ---- Problems ---- */

static struct location mark_place(const struct reader *reader, yaml_mark_t mark) {
    if (reader->source->no_lines)
        return (struct location){reader->source->file, 0, 0};
    return (struct location){reader->source->file, (uint32_t)mark.line + 1,
                             (uint32_t)mark.column + 1};
}

static const char *current_path(const struct reader *reader) {
    return reader->path.length > 0 ? reader->path.text : NULL;
}

/* libyaml gives only a byte offset for bytes that are no text. */
static void add_encoding_problem(struct reader *reader) {
    const yaml_parser_t *parser = &reader->parser;
    struct location where = {reader->source->file, 1, 1};
    for (size_t i = 0; i < parser->problem_offset && i < reader->source->text.length; i++) {
        where.column++;
        if (reader->source->text.at[i] == '\n') {
            where.line++;
            where.column = 1;
        }
    }
    if (reader->source->no_lines)
        where.line = 0;
    problems_add(reader->problems, where, NULL, "%s", parser->problem);
}

static void add_syntax_problem(struct reader *reader) {
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "no YAML";
    struct location where = mark_place(reader, parser->problem_mark);
    if (parser->error == YAML_MEMORY_ERROR)
        mem_exhausted(0);
    else if (parser->error == YAML_READER_ERROR)
        add_encoding_problem(reader);
    else if (strcmp(problem, "found character that cannot start any token") == 0)
        problems_add(reader->problems, where, current_path(reader),
                     "found a character that cannot start a value (a tab? indent with blanks)");
    else if (parser->context && !reader->source->no_lines)
        problems_add(reader->problems, where, current_path(reader), "%s %s that starts at line %zu",
                     problem, parser->context, parser->context_mark.line + 1);
    else
        problems_add(reader->problems, where, current_path(reader), "%s", problem);
}

/* ---- Events to nodes ---- */

static bool next_event(struct reader *reader, yaml_event_t *event) {
    if (yaml_parser_parse(&reader->parser, event))
        return true;
    add_syntax_problem(reader);
    return false;
}

/* Counts nodes (of an alias: all it stands for) and levels against the limits. */
static bool within_limits(struct reader *reader, yaml_mark_t mark, size_t nodes, unsigned depth) {
    reader->nodes += nodes;
    if (depth > reader->deepest)
        reader->deepest = depth;
    if (depth > YAML_DEPTH_MAX) {
        problems_add(reader->problems, mark_place(reader, mark), NULL, "nested over %d levels deep",
                     YAML_DEPTH_MAX);
        return false;
    }
    if (reader->nodes > NODES_MAX) {
        problems_add(reader->problems, mark_place(reader, mark), current_path(reader),
                     "over %d values, those that aliases repeat included", NODES_MAX);
        return false;
    }
    return true;
}

static struct yaml_node *new_node(struct arena *arena, enum yaml_kind kind, struct location where) {
    struct yaml_node *node = arena_alloc(arena, sizeof *node);
    node->kind = kind;
    node->where = where;
    return node;
}

static struct yaml_node **keep_list(struct arena *arena, const struct node_list *list) {
    struct yaml_node **kept = arena_alloc(arena, list->count * sizeof *list->at);
    if (list->count > 0)
        memcpy(kept, list->at, list->count * sizeof *list->at);
    return kept;
}

static struct yaml_node *read_scalar(struct reader *reader, const yaml_event_t *event) {
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    struct yaml_node *node =
        new_node(reader->arena, YAML_NODE_SCALAR, mark_place(reader, event->start_mark));
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = arena_strndup(reader->arena, text, length);
    node->length = strlen(node->text);
    if (node->length != length)
        problems_add(reader->problems, node->where, current_path(reader),
                     "a NUL character in the text");
    return node;
}

static struct yaml_node *read_sequence(struct reader *reader, const yaml_event_t *start,
                                       unsigned depth) {
    struct yaml_node *node =
        new_node(reader->arena, YAML_NODE_SEQUENCE, mark_place(reader, start->start_mark));
    struct node_list items = {0};
    size_t path_length = reader->path.length;
    bool ended = false;
    yaml_event_t event;
    while (!ended && next_event(reader, &event)) {
        struct yaml_node *item = NULL;
        ended = event.type == YAML_SEQUENCE_END_EVENT;
        if (!ended) {
            yaml_path_add_index(&reader->path, items.count);
            item = read_yaml_node(reader, &event, depth + 1);
            if (item)
                array_push(&items, item);
            reader->path.length = path_length;
            reader->path.text[path_length] = '\0';
        }
        yaml_event_delete(&event);
        if (!ended && !item)
            break;
    }
    node->items = keep_list(reader->arena, &items);
    node->count = items.count;
    free(items.at);
    return ended ? node : NULL;
}

static size_t key_slot(const struct reader *reader, const struct yaml_node *mapping,
                       const struct yaml_node *key) {
    uint64_t hash = hash_bytes(HASH_START ^ (uintptr_t)mapping, key->text, key->length);
    size_t slot = hash_mix(hash) & (reader->key_capacity - 1);
    while (reader->keys[slot].mapping && (reader->keys[slot].mapping != mapping ||
                                          strcmp(reader->keys[slot].key->text, key->text) != 0))
        slot = (slot + 1) & (reader->key_capacity - 1);
    return slot;
}

static void grow_keys(struct reader *reader) {
    struct known_key *old = reader->keys;
    size_t old_capacity = reader->key_capacity;
    reader->key_capacity = old_capacity == 0 ? 64 : 2 * old_capacity;
    reader->keys = mem_zalloc(reader->key_capacity, sizeof *reader->keys);
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].mapping)
            reader->keys[key_slot(reader, old[i].mapping, old[i].key)] = old[i];
    free(old);
}

/* The same key seen before in this mapping, or NULL after noting the new one. */
static const struct yaml_node *note_key(struct reader *reader, const struct yaml_node *mapping,
                                        const struct yaml_node *key) {
    if (2 * reader->key_count >= reader->key_capacity)
        grow_keys(reader);
    struct known_key *slot = &reader->keys[key_slot(reader, mapping, key)];
    if (slot->mapping)
        return slot->key;
    *slot = (struct known_key){mapping, key};
    reader->key_count++;
    return NULL;
}

/* Puts the key on the path and checks it; false: its value must be read but not kept. */
static bool accept_key(struct reader *reader, const struct yaml_node *mapping,
                       const struct yaml_node *key) {
    if (key->kind != YAML_NODE_SCALAR) {
        problems_add(reader->problems, key->where, current_path(reader),
                     "expected a word as key, found a %s",
                     key->kind == YAML_NODE_MAPPING ? "mapping" : "list");
        return false;
    }
    yaml_path_add_name(&reader->path, key->text);
    const struct yaml_node *first = note_key(reader, mapping, key);
    if (!first)
        return true;
    if (first->where.line > 0)
        problems_add(reader->problems, key->where, current_path(reader),
                     "duplicate key \"%s\" (first at line %u)", key->text,
                     (unsigned)first->where.line);
    else
        problems_add(reader->problems, key->where, current_path(reader), "duplicate key \"%s\"",
                     key->text);
    return false;
}

/* One key and its value; false ends the reading. */
static bool read_key_and_value(struct reader *reader, yaml_event_t *key_event,
                               struct yaml_node *mapping, struct node_list lists[2],
                               unsigned depth) {
    struct yaml_node *key = read_yaml_node(reader, key_event, depth + 1);
    if (!key)
        return false;
    size_t path_length = reader->path.length;
    bool accepted = accept_key(reader, mapping, key);
    yaml_event_t event;
    struct yaml_node *value = NULL;
    if (next_event(reader, &event)) {
        value = read_yaml_node(reader, &event, depth + 1);
        yaml_event_delete(&event);
    }
    if (value && accepted) {
        array_push(&lists[0], key);
        array_push(&lists[1], value);
    }
    if (reader->path.text)
        reader->path.text[path_length] = '\0';
    reader->path.length = path_length;
    return value != NULL;
}

static struct yaml_node *read_mapping(struct reader *reader, const yaml_event_t *start,
                                      unsigned depth) {
    struct yaml_node *node =
        new_node(reader->arena, YAML_NODE_MAPPING, mark_place(reader, start->start_mark));
    struct node_list lists[2] = {0}; /* keys, values */
    bool ended = false;
    bool going_on = true;
    yaml_event_t event;
    while (!ended && going_on && next_event(reader, &event)) {
        ended = event.type == YAML_MAPPING_END_EVENT;
        if (!ended)
            going_on = read_key_and_value(reader, &event, node, lists, depth);
        yaml_event_delete(&event);
    }
    node->keys = keep_list(reader->arena, &lists[0]);
    node->items = keep_list(reader->arena, &lists[1]);
    node->count = lists[0].count;
    free(lists[0].at);
    free(lists[1].at);
    return ended ? node : NULL;
}

static struct yaml_node *read_alias(struct reader *reader, const yaml_event_t *event,
                                    unsigned depth) {
    const char *name = (const char *)event->data.alias.anchor;
    struct location where = mark_place(reader, event->start_mark);
    for (size_t i = reader->anchors.count; i-- > 0;) { /* the last one of that name counts */
        const struct anchor *anchor = &reader->anchors.at[i];
        if (strcmp(anchor->name, name) != 0)
            continue;
        if (!anchor->node) {
            problems_add(reader->problems, where, current_path(reader),
                         "alias \"*%s\" is inside the node that it repeats", name);
            return NULL;
        }
        bool within =
            within_limits(reader, event->start_mark, anchor->nodes, depth + anchor->height);
        return within ? anchor->node : NULL;
    }
    problems_add(reader->problems, where, current_path(reader), "alias \"*%s\" has no anchor",
                 name);
    return NULL;
}

static struct yaml_node *read_unnamed(struct reader *reader, yaml_event_t *event, unsigned depth) {
    if (!within_limits(reader, event->start_mark, 1, depth))
        return NULL;
    if (event->type == YAML_SCALAR_EVENT)
        return read_scalar(reader, event);
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return read_sequence(reader, event, depth);
    return read_mapping(reader, event, depth);
}

static const yaml_char_t *anchor_name(const yaml_event_t *event) {
    if (event->type == YAML_SCALAR_EVENT)
        return event->data.scalar.anchor;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return event->data.sequence_start.anchor;
    return event->data.mapping_start.anchor;
}

/* The value that begins with event, at `depth` levels below the root. */
static struct yaml_node *read_yaml_node(struct reader *reader, yaml_event_t *event,
                                        unsigned depth) {
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, event, depth);
    const yaml_char_t *name = anchor_name(event);
    if (!name)
        return read_unnamed(reader, event, depth);

    size_t index = reader->anchors.count;
    size_t nodes_before = reader->nodes;
    unsigned deepest_before = reader->deepest;
    reader->deepest = depth;
    array_add(&reader->anchors)->name = arena_strdup(reader->arena, (const char *)name);
    struct yaml_node *node = read_unnamed(reader, event, depth);
    struct anchor *anchor = &reader->anchors.at[index];
    anchor->node = node;
    anchor->nodes = reader->nodes - nodes_before;
    anchor->height = reader->deepest - depth;
    if (deepest_before > reader->deepest)
        reader->deepest = deepest_before;
    return node;
}

/* The first document; *root stays NULL if there is none. An early end is among the problems. */
static void read_stream(struct reader *reader, struct yaml_node **root) {
    bool going_on = true;
    yaml_event_t event;
    while (going_on && next_event(reader, &event)) {
        switch (event.type) {
        case YAML_STREAM_END_EVENT:
            going_on = false;
            break;
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        case YAML_DOCUMENT_START_EVENT:
            going_on = !*root;
            if (!going_on)
                problems_add(reader->problems, mark_place(reader, event.start_mark), NULL,
                             "a second document: expected one");
            break;
        default:
            *root = read_yaml_node(reader, &event, 0);
            going_on = *root != NULL;
        }
        yaml_event_delete(&event);
    }
}

int yaml_read(const struct yaml_source *source, struct arena *arena, struct problems *problems,
              struct yaml_tree *ret_tree) {
    size_t problems_before = problems->count;
    struct reader reader = {.source = source, .arena = arena, .problems = problems};
    struct yaml_node *root = NULL;
    if (yaml_parser_initialize(&reader.parser)) {
        const char *text = source->text.length > 0 ? source->text.at : "";
        yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text,
                                     source->text.length);
        read_stream(&reader, &root);
    } else {
        add_syntax_problem(&reader);
    }
    yaml_parser_delete(&reader.parser);
    str_finish(&reader.path);
    free(reader.anchors.at);
    free(reader.keys);
    if (problems->count > problems_before)
        return ERROR_INPUT;
    *ret_tree = (struct yaml_tree){root, reader.deepest};
    return 0;
}
