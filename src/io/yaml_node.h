/* A tree of YAML values that know where they stand in their file. */
#ifndef EASIM_IO_YAML_NODE_H
#define EASIM_IO_YAML_NODE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

enum yaml_kind { YAML_NODE_SCALAR, YAML_NODE_SEQUENCE, YAML_NODE_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    struct location where;
    const char *text;         /* scalar: NUL-terminated, never NULL */
    size_t length;            /* scalar: bytes of text */
    bool quoted;              /* scalar written with quotes or as a block: never a null */
    struct yaml_node **keys;  /* mapping: scalars, count of them; else NULL */
    struct yaml_node **items; /* mapping: values; sequence: items */
    size_t count;
};

struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key); /* value or NULL */
bool yaml_is_null(const struct yaml_node *node); /* unquoted "", "~", "null" */

/* --- yaml_text: values as YAML that readers of YAML 1.1 and of 1.2 take for the same --- */

/* A number that reads back exactly: 1e-9 is written 1.0e-9, since YAML 1.1 takes the former for
 * text. Finite. */
void yaml_add_real(struct str *out, double value);
/* A string in quotes. What is no UTF-8 becomes U+FFFD. */
void yaml_add_quoted(struct str *out, const char *text);
/* Whether a string may stand without quotes. Readers may take others for something else: yes, off,
   null, 1:30, 0x10, 2022-01-01, 1e5. */
bool yaml_is_plain(const char *text);
/* With \" \\ \n \t for what these stand for; other bytes as they are. */
void yaml_add_escaped(struct str *out, const char *text);
/* The text of a scalar so that others take it as easim does: null, true, false and numbers plain
   (1e-9 as 1.0e-9), everything else a string, 0010 too (8 in YAML 1.1). False: it needs quotes. */
bool yaml_scalar_text(const struct yaml_node *node, struct str *text);

/* --- yaml_flow: a value as YAML on one line, as --set and the axes of sweeps have it --- */

/* In the arena; an empty value as ~, for nothing at all is no value. */
const char *yaml_flow_text(const struct yaml_node *node, struct arena *arena);

#endif
