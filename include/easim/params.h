/* easim/params.h: the parameters of a policy, one row each, and the tables that they read. */
#ifndef EASIM_PARAMS_H
#define EASIM_PARAMS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum easim_param_type {
    EASIM_PARAM_REAL,     /* double */
    EASIM_PARAM_DURATION, /* double, in seconds; the configuration may say 10min */
    EASIM_PARAM_INT,      /* int64_t */
    EASIM_PARAM_BOOL,     /* bool */
    EASIM_PARAM_CHOICE,   /* int32_t, index in `choices` */
    EASIM_PARAM_TEXT,     /* const char *, lives as long as the run; default "" */
    EASIM_PARAM_TABLE,    /* const struct easim_table *, of a CSV file that the configuration names;
                             lives as long as the run; default NULL */
};
#define EASIM_OFF INFINITY /* value of a REAL or DURATION parameter that says `off`, if it may */
/* `max` of a TEXT parameter: what the policy does with what the text names. Somebody else's results
   with such a text are repeated only if their author is trusted. 0: it starts and opens nothing. */
#define EASIM_TEXT_PROGRAM 1 /* starts a program */
#define EASIM_TEXT_SOCKET  2 /* opens a socket or a file */

/* What a parameter means to the host, whatever its name is. LIMITS, SERVICES, CAP and SHARES are
   BOOL: the policy has a capability that it declares only where they are true. */
enum easim_param_role {
    EASIM_ROLE_NONE = 0,
    EASIM_ROLE_LIMITS,   /* FREQUENCY; without such a parameter the host adds `power_limits` */
    EASIM_ROLE_SERVICES, /* SERVICES */
    EASIM_ROLE_ROUND,    /* DURATION, of a free policy: the time between its rounds */
    /* CHOICE: where it is the second one only power above idle_w counts, so models that draw less
       are refused. */
    EASIM_ROLE_MARGINAL,
    EASIM_ROLE_CAP,    /* POWER_CAP */
    EASIM_ROLE_SHARES, /* FRACTIONAL_GPU */
    /* What insights propose to change: */
    EASIM_ROLE_AGEING,   /* DURATION: the smaller, the sooner a job's age counts */
    EASIM_ROLE_DISPLACE, /* DURATION: jobs with less slack may displace others; 0: none may */
    EASIM_ROLE_CALM,     /* INT: a job preempted so often is not displaced again */
    EASIM_ROLE_URGENT,   /* CHOICE: where it is the second one urgent jobs take the least time */
};

/* One parameter: the host parses, checks, converts and documents it from this entry. */
struct easim_param {
    const char *name; /* [a-z][a-z0-9_]* */
    const char *unit; /* "" if none */
    const char *help; /* one line */
    uint32_t type;    /* enum easim_param_type */
    size_t offset;    /* in the parameter struct; aligned, and no two values overlap */
    double min, max, default_value; /* inclusive; bool 0 or 1; choice: an index */
    bool may_be_off;
    const char *const *choices; /* CHOICE: NULL-terminated names */
    uint32_t role;              /* enum easim_param_role; each but NONE at most once in a policy */
};

/* A column of a TABLE parameter, which has at least one. The host reads and checks the file:
   columns are found by their names, others ignored, and what is wrong is told by file, line and
   column. */
struct easim_column {
    const char *param; /* name of the parameter */
    const char *name;  /* in the header of the file */
    uint32_t type;     /* enum easim_param_type: REAL or DURATION, INT, TEXT (not empty) */
    double min, max;   /* of numbers; inclusive */
    bool key;          /* no two rows are equal in all such columns of the table */
};
/* What a TABLE parameter has read; at least one row, in the order of the file. */
struct easim_table {
    size_t struct_size;
    const char *path; /* for messages */
    uint32_t row_count, column_count;
    const uint32_t *lines; /* of the rows in the file */
    /* By column, in the policy's order: row_count doubles, int64_t or const char *. */
    const void *const *columns;
};

#ifdef __cplusplus
}
#endif

#endif
