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
    EASIM_PARAM_DURATION, /* double, in seconds; a user may write 10min */
    EASIM_PARAM_INT,      /* int64_t */
    EASIM_PARAM_BOOL,     /* bool */
    EASIM_PARAM_CHOICE,   /* int32_t, index in `choices` */
    EASIM_PARAM_TEXT,     /* const char *, lives as long as the run; default "" */
    /* A const struct easim_table *, read from the CSV file that the configuration names. It lives
       as long as the run. Default NULL. */
    EASIM_PARAM_TABLE,
};
#define EASIM_OFF INFINITY /* value of a REAL or DURATION parameter set to `off` */
/* `max` of a TEXT parameter: what the policy does with the program or file that the text names.
   easim then repeats results of another author only if the user trusts the author. 0: it starts and
   opens nothing. */
#define EASIM_TEXT_PROGRAM 1 /* starts a program */
#define EASIM_TEXT_SOCKET  2 /* opens a socket or a file */

/* The meaning of a parameter for the host, which does not look at its name. LIMITS, SERVICES, CAP
   and SHARES are BOOL: the policy has the declared capability only while the parameter is true. Or
   they are CHOICE, and the policy does not have it with the first choice. */
enum easim_param_role {
    EASIM_ROLE_NONE = 0,
    EASIM_ROLE_LIMITS,   /* switches FREQUENCY; without it the host adds `power_limits` */
    EASIM_ROLE_SERVICES, /* switches SERVICES */
    EASIM_ROLE_ROUND,    /* DURATION, of a free policy: the time between its rounds */
    /* CHOICE: with the second choice only power above idle_w counts, so the host refuses models
       that draw less. */
    EASIM_ROLE_MARGINAL,
    EASIM_ROLE_CAP,    /* switches POWER_CAP */
    EASIM_ROLE_SHARES, /* switches FRACTIONAL_GPU */
    /* Insights propose to change the parameters below. */
    EASIM_ROLE_AGEING,   /* DURATION: the smaller, the sooner a job's age counts */
    EASIM_ROLE_DISPLACE, /* DURATION: jobs with less slack may displace others; 0: none may */
    EASIM_ROLE_CALM,     /* INT: a job that was preempted this often is not displaced again */
    EASIM_ROLE_URGENT,   /* CHOICE: with the second choice urgent jobs take the least time */
};

/* One parameter: the host parses, checks, converts and documents it from this entry. */
struct easim_param {
    const char *name; /* [a-z][a-z0-9_]* */
    const char *unit; /* "" if none */
    const char *help; /* one line */
    uint32_t type;    /* enum easim_param_type */
    size_t offset;    /* in the parameter struct, aligned; values do not overlap */
    /* Range, inclusive, and default: 0 or 1 of a BOOL, an index of a CHOICE. */
    double min, max, default_value;
    bool may_be_off;
    const char *const *choices; /* CHOICE: NULL-terminated names */
    uint32_t role;              /* enum easim_param_role; each except NONE at most once */
};

/* A column of a TABLE parameter, which has at least one. The host reads and checks the file. It
   finds columns by their names and ignores others. It reports errors by file, line and column. */
struct easim_column {
    const char *param; /* name of the parameter */
    const char *name;  /* in the header of the file */
    uint32_t type;     /* enum easim_param_type: REAL or DURATION, INT, TEXT (not empty) */
    double min, max;   /* of numbers; inclusive */
    bool key;          /* whether no two rows may be equal in all such columns */
};
/* The content of a TABLE parameter: at least one row, in the order of the file. */
struct easim_table {
    size_t struct_size;
    const char *path; /* for messages */
    uint32_t row_count, column_count;
    const uint32_t *lines; /* line of each row in the file */
    /* One array for each column, in the policy's order: row_count values, which are double, int64_t
       or text (const char *). */
    const void *const *columns;
};

#ifdef __cplusplus
}
#endif

#endif
