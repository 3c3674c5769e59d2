/* A row of the table of options: one entry parses, checks, documents and completes one option. */
#ifndef EASIM_CLI_OPTION_ROW_H
#define EASIM_CLI_OPTION_ROW_H

#include "base/arena.h"
#include "base/error.h"
#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
    OPTION_FLAG,      /* bool; takes no value */
    OPTION_TEXT,      /* const char *, borrowed from the command line */
    OPTION_FOLDER,    /* the same, but not empty */
    OPTION_TEXTS,     /* struct texts; may be given again */
    OPTION_COUNT,     /* whole number least..most: (u)int32_t or (u)int64_t */
    OPTION_SETTING,   /* a whole number, as value of the scenario of that name: struct texts */
    OPTION_REAL,      /* double least..most */
    OPTION_DIMENSION, /* double least..most with a unit of the dimension behind it, or none */
    OPTION_DURATION,  /* double, seconds > 0, or >= 0 if may_be_zero, and at least `least` */
    OPTION_CHOICE,    /* enum: place among the choices */
    OPTION_WORD,      /* const char *: one of the choices */
    OPTION_METRIC,    /* unsigned: column of the summary */
    OPTION_METRICS,   /* struct option_metrics: least..most columns, with commas */
    OPTION_OTHER      /* whatever `read` reads */
};

struct option_row {
    const char *name;  /* without dashes */
    char letter;       /* 0: none */
    const char *value; /* as help names it; NULL: none, a flag */
    enum option_kind kind;
    size_t offset, size;        /* of its member of struct options */
    unsigned commands;          /* that have it: bits 1 << enum command */
    const char *help;           /* in --help and in the man pages */
    const char *usual;          /* default, as it would be given; NULL: none, or told in the help */
    double least, most;         /* of numbers; of metrics how many */
    const char *const *choices; /* NULL-terminated */
    enum dimension dimension;
    /* Options of which one must be given too, or none: "until-ci", "engine=slurm", with blanks. A
       choice that has its default counts as not given. */
    const char *needs, *excludes;
    /* Fills in the member. ERROR_INPUT with the cause, which does not name the option. */
    int (*read)(const char *text, void *target, struct arena *arena, struct error *reterr);
    unsigned use;     /* bit of the readers of formats that have a use for it; 0: all have */
    bool required;    /* the command makes no sense without it */
    bool recorded;    /* in manifests: files depend on it, and scenario.yaml does not hold it */
    bool may_be_zero; /* of a duration */
    bool has_better;  /* of metrics: less or more of each must be better */
};

#endif
