/* The files that make a result what it is, with the hashes of what was in them. */
#ifndef EASIM_STUDY_INPUTS_H
#define EASIM_STUDY_INPUTS_H

#include "io/sha256.h"
#include "study/study.h"

struct input {
    const char *key;          /* what named it first: "scenario", or the dotted path of a value */
    const char *name;         /* of a policy that was sought by it; else NULL */
    const char *path;         /* from the working folder */
    char sha256[SHA256_TEXT]; /* "": no regular file, so nobody can read it again */
    uint64_t bytes;
    bool of_system; /* no file of the user's: its path is written as it is */
    bool inlined;   /* a configuration file, whose content scenario.yaml holds */
};

/* Zero-initialise; release with inputs_finish. Every file is in it once, and read once. */
struct inputs {
    ARRAY_OF(struct input) list;
    struct error failure; /* the first file that is there and could not be read; code 0: none */
    bool from_here;       /* some were named from the working folder, in a text that only the policy
                             understands */
    struct intern known;
    ARRAY_OF(size_t) places; /* by number in known: 1 + index in the list; 0: no file */
    struct arena arena;
};

/* Adds one file. Returns its hash, or NULL if it cannot be read. */
const char *inputs_add(struct inputs *inputs, const struct input *input);
/* All that a loaded study has read: scenario, models, logs and their time zones, series, policy,
   and every word of a text parameter that names a file (a program and what it is given). */
void inputs_add_study(struct inputs *inputs, const struct study *study);
/* What a scenario would read, without loading it: which values are names of files only the layers
   know that read them, so every text that names one counts. Returns `hash` carried on over what is
   in them, in the order in which they stand. */
uint64_t inputs_add_tree(struct inputs *inputs, const struct yaml_node *root, uint64_t hash);
void inputs_finish(struct inputs *inputs);

#endif
