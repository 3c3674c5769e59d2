/* The policy of a scenario's tree: another in its place, and parameters that stand behind its name
   put where parameters are. */
#ifndef EASIM_CONFIG_POLICY_DOC_H
#define EASIM_CONFIG_POLICY_DOC_H

#include "config/policy_text.h"
#include "io/yaml_doc.h"

/* The path of a parameter, in the arena. */
const char *policy_doc_param(const char *name, struct arena *arena);
/* Where a text stands that an option of the command line says (NULL: policy). */
struct location policy_doc_place(struct yaml_doc *doc, const char *option, const char *text,
                                 const struct problems *problems);

/* policy.name: zeus:tau=1h becomes {name: zeus, params: {tau: 1h}, variant: tau=1h}, beside the
   other parameters that are there. A name without parameters stays. */
int policy_doc_expand(struct yaml_doc *doc, struct problems *problems) MUST_CHECK;
/* The parameters and the variant of a text, over those that are there. */
int policy_doc_apply(struct yaml_doc *doc, const struct policy_text *text, struct location where,
                     struct problems *problems) MUST_CHECK;
void policy_doc_drop_variant(struct yaml_doc *doc);

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
