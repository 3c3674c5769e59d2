/* A policy with parameters as one text: zeus:edp_slack=2:tau=1h, "./a:b.so":tau=1h. A path or value
   that holds a colon or a comma is quoted, as in YAML. Before it may stand what results call it:
   old=./a/x.so. */
#ifndef EASIM_CONFIG_POLICY_TEXT_H
#define EASIM_CONFIG_POLICY_TEXT_H

#include "base/arena.h"
#include "base/error.h"
#include "io/yaml_doc.h"

#include <stddef.h>

#define POLICY_FOLDER_MOST_BYTES 240 /* of the name of a folder, which may have 255: */
#define POLICY_NAME_MOST_BYTES   64  /* of it, for the policy's own name or its label */
#define POLICY_LABEL_HELP        "a label of a-z, 0-9, _ . and -, at most 64 of them"

struct policy_setting {
    const char *name, *value; /* the value is YAML, with its quotes */
};

struct policy_text {
    const char *label; /* NULL: none */
    const char *name;  /* of the policy, or a path, without quotes */
    const char
        *variant; /* what stands behind the name and its colon, as it was written; NULL: nothing */
    const struct policy_setting *settings;
    size_t count; /* 0 only without a variant */
};

/* Names of parameters are any, but each stands there once. In the arena. */
int policy_text_parse(const char *text, struct arena *arena, struct policy_text *ret_text,
                      struct error *reterr) MUST_CHECK;
bool policy_label_is_valid(const char *label);
/* A text without its label. */
const char *policy_text_behind_label(const char *text);
/* The next text of a list with commas, in the arena; *list moves behind it. */
const char *policy_text_next(const char **list, struct arena *arena);
/* A path as it stands in such a text: in quotes if it has to. In the arena. */
const char *policy_text_quote(const char *path, struct arena *arena);
/* The name of the folder of a policy's results, in the arena: letters, digits and _ - = + stand for
   themselves, and . but at the beginning, or where a label would end like a file; all else is %XX,
   byte by byte, as in the address of a page. No two texts have the same. */
const char *policy_text_folder(const char *text, struct arena *arena);

/* --- policy_doc --- */
/* Sets the policy of a scenario's tree, and moves parameters of its name to `params`. */

/* The path of a parameter, in the arena. */
const char *policy_doc_param(const char *name, struct arena *arena);
/* Where a text stands that an option of the command line says (NULL: policy). */
struct location policy_doc_place(struct yaml_doc *doc, const char *option, const char *text,
                                 const struct problems *problems);

/* policy.name: zeus:tau=1h becomes {name: zeus, params: {tau: 1h}, variant: tau=1h}, beside the
   other parameters that are there. A name without parameters stays. */
int policy_doc_expand(struct yaml_doc *doc, struct problems *problems) MUST_CHECK;
/* The label, the parameters and the variant of a text, over those that are there. */
int policy_doc_apply(struct yaml_doc *doc, const struct policy_text *text, struct location where,
                     struct problems *problems) MUST_CHECK;
/* policy.KEY is as if it were not there. */
void policy_doc_drop(struct yaml_doc *doc, const char *key);

/* --policy TEXT. */
struct policy_change {
    const char *text;
    bool same_policy; /* it is another name of the one in the tree, whose parameters stay */
    struct policy_text *ret_text;
    const char **ret_replaced; /* the name that went with its parameters; else left alone */
};

/* Another name; the parameters that stand behind it are the caller's to apply. */
int policy_doc_replace(struct yaml_doc *doc, const struct policy_change *change,
                       struct problems *problems) MUST_CHECK;

#endif
