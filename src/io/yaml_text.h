/* Values as YAML that readers of YAML 1.1 and of 1.2 take for the same. */
#ifndef EASIM_IO_YAML_TEXT_H
#define EASIM_IO_YAML_TEXT_H

#include "io/yaml_node.h"

/* A number that reads back exactly: 1e-9 is written 1.0e-9, since YAML 1.1 takes the former for
 * text. Finite. */
void yaml_add_real(struct str *out, double value);
/* A string, in quotes wherever a reader may take it for something else: yes, off, null, 1:30, 0x10,
   2022-01-01, 1e5. What is no UTF-8 becomes U+FFFD. */
void yaml_add_text(struct str *out, const char *text);
void yaml_add_quoted(struct str *out, const char *text); /* in quotes always */
bool yaml_is_plain(const char *text); /* whether a string may stand without quotes */
/* With \" \\ \n \t for what these stand for; other bytes as they are. */
void yaml_add_escaped(struct str *out, const char *text);
/* The text of a scalar so that others take it as easim does: null, true, false and numbers plain
   (1e-9 as 1.0e-9), everything else a string, 0010 too (8 in YAML 1.1). False: it needs quotes. */
bool yaml_scalar_text(const struct yaml_node *node, struct str *text);

#endif
