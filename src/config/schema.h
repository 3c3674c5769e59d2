/* Binds a YAML mapping to a C struct by a table of fields: one entry parses, checks, converts,
   defaults and documents one key. All problems of a mapping are reported together. */
#ifndef EASIM_CONFIG_SCHEMA_H
#define EASIM_CONFIG_SCHEMA_H

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/units.h"
#include "io/files.h"
#include "io/yaml_doc.h"

enum field_type {
    FIELD_REAL,     /* double */
    FIELD_DURATION, /* double, seconds: 10h, 90s */
    FIELD_GIB,      /* double, GiB: 80, 512MiB */
    FIELD_INT,      /* int64_t */
    FIELD_BOOL,     /* bool */
    FIELD_STRING,   /* const char * in the arena */
    FIELD_PATH,     /* const char *: ${VAR} expanded, relative to the folder of the file it is in */
    FIELD_CHOICE,   /* int32_t: index in `choices` */
    FIELD_NODE,     /* const struct yaml_node *: left to somebody else */
    FIELD_OBJECT,   /* struct described by `fields`; absent = all its defaults */
    FIELD_OBJECTS,  /* struct schema_list of such structs */
    FIELD_REALS,    /* struct schema_list of double */
    FIELD_INTS,     /* struct schema_list of int64_t */
    FIELD_STRINGS,  /* struct schema_list of const char * */
    FIELD_LIST,     /* only as a form of a node: a list of values of `forms` */
    FIELD_MAPPING,  /* likewise: a mapping from any names to values of `forms` */
    FIELD_SETTING,  /* likewise: from keys of the tables in `forms` to a value or {times: X} */
    FIELD_COUNT,    /* uint32_t: only of a column (config/csv_reader.h) */
    FIELD_LOCATION, /* struct location of the mapping itself; has no key */
};

struct schema_list {
    void *at;
    size_t count;
};

struct field {
    const char *key;
    enum field_type type;
    size_t offset;
    bool required;
    const char *unless; /* required only where the mapping has not this key */
    bool above_min;     /* the minimum itself is not allowed */
    bool below_max;     /* nor the maximum */
    bool may_be_empty;  /* OBJECTS: a list of none is one */
    const char *word;   /* REAL, DURATION: this word is allowed, too, and means INFINITY */
    bool record; /* of a model file: says what it is or how it was found, and decides nothing */
    double min,
        max; /* of numbers; of list lengths for lists of objects; max 0 with min 0 = no limit */
    double default_value;       /* numbers, bool, choice; NAN = absent */
    const char *default_text;   /* strings; NULL = absent */
    const char *const *choices; /* NULL-terminated */
    const struct field *fields; /* of an object; ends with a NULL key of type FIELD_NODE */
    const struct field *forms; /* NODE: what may stand there, rows with "" as key; NULL: anything */
    size_t item_size;          /* of one struct of FIELD_OBJECTS */
    enum dimension dimension;  /* REAL: a unit of it may follow the number */
    const char *help;
};

/* How a row of a table is written: key, type with the place of the value, facts, help.

       {"weight", REAL(scenario_user, weight), DEFAULT(1), ABOVE(0, 1e9), HELP("share of ...")},

   The value goes to the member `weight` of struct scenario_user. Without REQUIRED and DEFAULT the
   default is 0, false, the first choice or NULL; DEFAULT(NAN) is an absent number. RANGE includes
   both bounds, ABOVE the upper one only, BELOW the lower one; without them any number will do.
   Rarer facts are written as members of struct field. Rows of one key, which bind its value more
   than once, follow each other. A table ends with FIELDS_END. */
#define REAL(of, member)     .type = FIELD_REAL, .offset = offsetof(struct of, member)
#define DURATION(of, member) .type = FIELD_DURATION, .offset = offsetof(struct of, member)
#define GIB(of, member)      .type = FIELD_GIB, .offset = offsetof(struct of, member)
#define INT(of, member)      .type = FIELD_INT, .offset = offsetof(struct of, member)
#define BOOL(of, member)     .type = FIELD_BOOL, .offset = offsetof(struct of, member)
#define STRING(of, member)   .type = FIELD_STRING, .offset = offsetof(struct of, member)
#define TEXT(of, member)     STRING(of, member), .min = 1 /* that is not empty */
#define PATH(of, member)     .type = FIELD_PATH, .offset = offsetof(struct of, member)
#define NODE(of, member)     .type = FIELD_NODE, .offset = offsetof(struct of, member)
#define REALS(of, member)    .type = FIELD_REALS, .offset = offsetof(struct of, member)
#define INTS(of, member)     .type = FIELD_INTS, .offset = offsetof(struct of, member)
#define TEXTS(of, member)    .type = FIELD_STRINGS, .offset = offsetof(struct of, member), .min = 1
#define LOCATION(of, member) .type = FIELD_LOCATION, .offset = offsetof(struct of, member)
#define CHOICE(of, member, names) \
    .type = FIELD_CHOICE, .offset = offsetof(struct of, member), .choices = names
#define OBJECT(of, member, table) \
    .type = FIELD_OBJECT, .offset = offsetof(struct of, member), .fields = table
#define OBJECTS(of, member, table, item) \
    .type = FIELD_OBJECTS, .offset = offsetof(struct of, member), .fields = table, \
    .item_size = sizeof(struct item)

#define REQUIRED            .required = true
#define DEFAULT(number)     .default_value = number
#define DEFAULT_TEXT(text)  .default_text = text
#define WORD(text)          .word = text
#define RANGE(least, most)  .min = least, .max = most
#define ABOVE(bound, most)  .min = bound, .above_min = true, .max = most
#define BELOW(least, bound) .min = least, .max = bound, .below_max = true
#define UNIT(of)            .dimension = DIMENSION_##of
#define FOR_RECORD          .record = true
#define HELP(text)          .help = text
#define ONE_OF(...) \
    .forms = (const struct field[]) { \
        __VA_ARGS__, FIELDS_END \
    }
#define OBJECT_FORM(table) .type = FIELD_OBJECT, .fields = table
#define LIST_OF(...)       .type = FIELD_LIST, ONE_OF(__VA_ARGS__)
#define MAPPING_TO(...)    .type = FIELD_MAPPING, ONE_OF(__VA_ARGS__)
/* Nodes of one form: an object of a table, any mapping, one to texts, a text. */
#define KEYS(of, member, table) NODE(of, member), .fields = table
#define OPEN(of, member)        NODE(of, member), ONE_OF({"", .type = FIELD_MAPPING})
#define SOME_TEXT(of, member)   NODE(of, member), ONE_OF({"", .type = FIELD_STRING})
#define NAMED_TEXTS(of, member) \
    NODE(of, member), ONE_OF({"", MAPPING_TO({"", .type = FIELD_STRING})})

#define FIELDS_END \
    { .key = NULL, .type = FIELD_NODE }

/* A value that named a file. */
struct file_use {
    const struct yaml_node *node; /* that holds the name */
    const char *key, *path;  /* the dotted path of the value; the file, from the working folder */
    struct file_stamp stamp; /* of the file before it was read */
    const struct yaml_node
        *content; /* of a configuration file that could stand there itself; else NULL */
};

/* What values were bound as, where their nodes do not say it. Zero-initialise; schema_uses_finish.
   Texts belong to the binding's arena. */
struct schema_uses {
    ARRAY_OF(struct file_use) files;
    ARRAY_OF(const struct yaml_node *)
    texts; /* without quotes, though they may look like something else: 5e1, true */
    const struct schema_uses *read; /* of a load before that lives on: files of which the content is
                                       there are not read again; NULL: none */
};

/* Where bound values go and where problems are collected. Zero-initialise and fill in. */
struct binding {
    struct arena *arena;
    struct problems *problems;
    struct schema_uses
        *uses; /* gets every file that schema_path names, and texts; NULL: nobody asks */
};

/* Binds node (a mapping, or NULL for an absent one) to *out, which must be zeroed. path names it in
   messages ("" for the root). Unknown keys are problems with a suggestion. Negative if any problem
   was added; *out then holds defaults where values were bad. */
int schema_bind(const struct binding *binding, const struct field *fields,
                const struct yaml_node *node, const char *path, void *out) MUST_CHECK;

/* One scalar against one field's type and range; used for policy parameters too. */
int schema_bind_value(const struct binding *binding, const struct field *field,
                      const struct yaml_node *node, const char *path, void *out) MUST_CHECK;

/* What a unit behind a number of the field is of. */
enum dimension schema_dimension(const struct field *field);
/* Whether a number is in the range of a field. */
bool schema_takes(const struct field *field, double value);

/* The default of a value or text; of other types it leaves *out alone. */
void schema_set_default(const struct field *field, void *out);

/* Adds "expected EXPECTED, got what node is"; returns ERROR_INPUT. */
int schema_wrong(const struct binding *binding, const struct yaml_node *node, const char *path,
                 const char *expected);

/* Notes that the node was read as text: schema_bind_value does it itself. */
void schema_note_text(const struct binding *binding, const struct yaml_node *node);
void schema_uses_finish(struct schema_uses *uses);
/* What a configuration file of that path holds, if it has been read before; else NULL. */
const struct yaml_node *schema_known_content(const struct binding *binding, const char *path);

/* Makes a list of numbers ascending and without repeats. */
void schema_sort_ints(struct schema_list *list);
void schema_sort_reals(struct schema_list *list);

/* text with ${VAR} replaced by the environment; relative results are joined to the folder of
   `file`. Unset variables are problems. NULL after a problem. */
const char *schema_path(const struct binding *binding, const struct yaml_node *node,
                        const char *path);
/* Whether a file that schema_path has named can be read; false after a problem, which has the place
   and the key of the name. */
bool schema_can_read(const struct binding *binding, const char *file);

#endif
