/* The files that make a result what it is, with the hashes of what was in them. */
#ifndef EASIM_STUDY_INPUTS_H
#define EASIM_STUDY_INPUTS_H

#include "io/sha256.h"
#include "study/study.h"

struct input {
    const struct file_stamp *read; /* when it is added: the stamp before it was read; NULL: none */
    struct file_stamp stamp;       /* when it was hashed */
    const char *key;          /* what named it first: "scenario", or the dotted path of a value */
    const char *name;         /* of a policy that was sought by it; else NULL */
    const char *path;         /* from the working folder */
    char sha256[SHA256_TEXT]; /* "": no regular file, so nobody can read it again */
    uint64_t bytes;
    bool of_system; /* no file of the user's: its path is written as it is */
    bool argument;  /* of a program: it may read it or write to it, so it may change */
    bool inlined;   /* a configuration file, whose content scenario.yaml holds */
};

/* Zero-initialise, or but for `against`; release with inputs_finish. Every file is in it once, and
 * read once. */
struct inputs {
    ARRAY_OF(struct input) list;
    const struct inputs *against; /* of the process that was first: what is in these has to be the
                                     same; NULL: this is that process */
    struct error failure; /* the first file that could not be read, or that has changed between
                             reading and hashing, or from one look to the next; code 0: none */
    bool from_here;       /* some were named from the working folder, in a text that only the policy
                             understands */
    struct intern known;  /* files by path */
    struct intern staying, walked; /* values of trees that stay; of those, at their paths, which
                                      name one file or, with all that is in them, none */
    ARRAY_OF(const char *) found;  /* by number in walked: the hash of the file; NULL: none */
    ARRAY_OF(size_t) places;       /* by number in known: 1 + index in the list; 0: no file */
    struct arena arena;
};

/* Adds one file. Returns its hash, or NULL if it cannot be read. */
const char *inputs_add(struct inputs *inputs, const struct input *input);
/* All that a loaded study has read: scenario, models, logs and their time zones, series, policy,
   and every word of a text parameter that names a file (a program and what it is given). */
void inputs_add_study(struct inputs *inputs, const struct study *study);
/* The files of its scenario alone, of a study that has no policy. */
void inputs_add_files(struct inputs *inputs, const struct study *study);
enum inputs_scope {
    INPUTS_LATE, /* at inputs_are_of_policy */
    INPUTS_ALL,
    INPUTS_READ /* at all, into each, untouched or not */
};
/* Whether it is read while policies run: a module, a program, or a file of theirs. */
bool inputs_are_of_policy(const char *key);
/* Whether the files are still those that were hashed. ERROR_MACHINE names the first that is not, or
   cannot be read. */
int inputs_verify(const struct inputs *inputs, enum inputs_scope scope,
                  struct error *reterr) MUST_CHECK;
/* Likewise for what a study has read in a process that came later. */
int inputs_verify_study(const struct inputs *inputs, const struct study *study,
                        struct error *reterr) MUST_CHECK;
/* What a scenario would read, without loading it: which values are names of files only the layers
   know that read them, so every text that names one counts. Returns `hash` carried on over what is
   in them, in the order in which they stand. */
uint64_t inputs_add_tree(struct inputs *inputs, const struct yaml_node *root, uint64_t hash);
/* The tree is neither changed nor freed before the last call of inputs_add_tree: what trees share
   with it is walked once, but for the way to files. */
void inputs_stay(struct inputs *inputs, const struct yaml_node *root);
void inputs_finish(struct inputs *inputs);

#endif
