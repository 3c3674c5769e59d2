/* A YAML file as a tree, and the setting of values in it. */
#ifndef EASIM_IO_YAML_DOC_H
#define EASIM_IO_YAML_DOC_H

#include "base/arena.h"
#include "io/yaml_node.h"
#include "io/yaml_path.h"

/* Zero-initialise; release with yaml_doc_finish. All memory is in the arena. */
struct yaml_doc {
    struct arena arena;
    const char *file;
    struct yaml_node *root; /* NULL for an empty document */
};

/* Reads path ("-" = standard input). Syntax errors, duplicate keys, non-scalar keys, several
   documents, nesting over 64 and more than 1,000,000 nodes (alias bombs) are added to problems;
   negative if there were any. */
int yaml_doc_load(struct yaml_doc *doc, const char *path, struct problems *problems) MUST_CHECK;
/* The text of standard input, and its name in messages; read once, it may be parsed often. */
#define YAML_STDIN_NAME "standard input"
int yaml_read_stdin(struct str *text, struct problems *problems) MUST_CHECK;
/* The same from memory; name stands for the file in messages. */
int yaml_doc_parse(struct yaml_doc *doc, struct slice text, const char *name,
                   struct problems *problems) MUST_CHECK;

void yaml_doc_finish(struct yaml_doc *doc);

/* Puts a YAML value given as text at a path, as yaml_path_set does. Problems are located at
   "set PATH", behind the dashes of the problems. */
int yaml_doc_set(struct yaml_doc *doc, const struct yaml_path *path, const char *value,
                 struct problems *problems) MUST_CHECK;
/* The same of a value that stands at `where`, where its problems are located. */
int yaml_doc_put(struct yaml_doc *doc, const struct yaml_path *path, const char *value,
                 struct location where, struct problems *problems) MUST_CHECK;

/* --- yaml_canonical: a tree as text of which hashes are made --- */

/* Appends a line for each value: path, tab, text; keys sorted. Equal trees give equal text. */
void yaml_canonical_write(const struct yaml_node *root, struct str *out);

/* --- yaml_write: a tree as YAML text that reads back as the same tree --- */

/* What is written in place of a node; NULL: the node itself. It is not asked for what it gives. */
struct yaml_replace {
    void *context;
    const struct yaml_node *(*with)(void *context, const struct yaml_node *node);
};

/* Appends the text of root. Negative: out of libyaml's memory, or text that is no UTF-8. */
int yaml_write(const struct yaml_node *root, const struct yaml_replace *replace, struct str *out,
               struct error *reterr) MUST_CHECK;

#endif
