/* One simulation of a built-in scenario under observation, or two in turns. */
#ifndef EASIM_CONFORMANCE_PROBE_H
#define EASIM_CONFORMANCE_PROBE_H

#include "base/str.h"
#include "study/study.h"

/* --- built-in scenarios, and their loading from memory: scenarios.c --- */

struct builtin {
    const char *name;
    const char *text; /* the scenario, without policy; without models, unless it has its own */
    const char *jobs; /* a workload CSV, or NULL */
};

/* All of them; the first BUILTIN_COMPARED are those that comparisons of two runs use. */
extern const struct builtin builtins[];
extern const uint32_t builtin_count;
#define BUILTIN_COMPARED 3

/* Two more, for policies that declare POWER_CAP and KEEPS_CAP. No job alone reaches the first cap;
   the second falls, once below the power of idle nodes. */
extern const struct builtin builtin_capped, builtin_falling_cap;

/* Loads a scenario with a policy (a path) and `--set` values as the command line would, through the
   ordinary loader. Negative after adding problems; study_finish in any case. */
int builtin_load(const struct builtin *builtin, const char *policy, const char *const *sets,
                 size_t set_count, struct study *study, struct problems *problems) MUST_CHECK;

/* --- probe --- */

#define PROBE_ROWS      8192
#define CAP_TOLERANCE_W 1e-6

/* An action of the policy and its answer; wake-ups of a list policy, whose callbacks may ask for
   the same one more or less often, are left out. */
struct probe_row {
    int64_t time_ns;
    uint32_t kind, refusal, job, config;
    double limit_w;
};

/* What is known of a run, up to the moment: plain data, so that it can lie in shared memory. */
struct probe_record {
    char failure[1024]; /* "": none so far */
    bool drew;          /* callbacks of a list policy about jobs have drawn random numbers */
    unsigned changes;   /* of its process: bits of enum own_state_change */
    int64_t now_ns;
    uint64_t decisions;
    uint64_t refused[REFUSAL_COUNT];
    double over_cap_w; /* the most by which the committed power exceeded the cap */
    /* The first instant that ended above the cap although a preemptible job ran; 0: none. */
    int64_t kept_over_ns;
    uint32_t kept_job;
    uint64_t
        row_count; /* of all actions; the first PROBE_ROWS are in rows, all of them in row_hash */
    uint64_t row_hash;
    uint64_t decisions_at_progress; /* when a job arrived or was over last */
    uint64_t done[ACTION_KINDS];    /* accepted actions since then */
    struct probe_row rows[PROBE_ROWS];
};

struct probe_how {
    bool check;              /* as `--check` */
    bool plain;              /* all callbacks of a list policy are asked anew at each decision */
    uint32_t grown;          /* as sim_options.grown */
    struct calling *calling; /* as sim_options.calling */
};

/* Runs replication 1 of a study to its end. A failed run, one without progress, and a drained one
   in which not all jobs finished leave their reason in record->failure. */
void probe_run(const struct study *study, struct probe_how how, struct probe_record *record);
/* Runs two at once, in two threads that hand over after every instant. */
void probe_pair(const struct study *const studies[2], struct probe_record *const records[2]);

/* Adds where two records differ first; nothing if nowhere. */
void probe_add_difference(const struct probe_record *before, const struct probe_record *after,
                          struct str *out);

/* --- run_effects --- */
/* What runs change in their process (working folder, umask, locale, signals), and what they write
   to standard output and standard error. Another rounding ends a run. */

struct run_effects {
    int streams[2];     /* files that take standard output and error of runs; -1: none */
    struct str changes; /* in words, the first scenario of each; "" if nothing */
};

void run_effects_open(struct run_effects *effects);
void run_effects_close(struct run_effects *effects);
/* In a child: its standard streams are these files, empty. */
void run_effects_take_streams(const struct run_effects *effects);
/* After a run: adds what it has changed (bits of enum own_state_change) and written. */
void run_effects_note(struct run_effects *effects, unsigned changes, const char *scenario);
/* Shows the beginning of what it has written to standard error there: it has failed. */
void run_effects_show_errors(const struct run_effects *effects);

#endif
