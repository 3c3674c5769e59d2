/* The program behind the policy exec: its parameters, what it has been told, and how a run ends
   that it spoils. */
#ifndef EASIM_EXEC_PROGRAM_H
#define EASIM_EXEC_PROGRAM_H

#include "message.h"
#include "process.h"
#include "steps.h"

#include <cjson/cJSON.h>
#include <easim/policy.h>

/* What a program of protocol 3 may ask for. */
#define EXEC_ASKS_UNIFORM        (1u << 0)
#define EXEC_ASKS_SERVICES       (1u << 1)
#define EXEC_ASKS_FORECAST       (1u << 2)
#define EXEC_ASKS_POWER_CAP      (1u << 3)
#define EXEC_ASKS_FRACTIONAL_GPU (1u << 4)
#define EXEC_ASKS_POWER_LIMITS   (1u << 5)
#define EXEC_ASKS_POWER          (1u << 6)

struct program_params {
    const char *command, *socket; /* one of them; the other is empty */
    double timeout, startup_timeout;
    bool progress;
    bool services, power_cap, fractional_gpu, power_limits; /* what the scenario grants */
};

/* What the program has been told of a job. Index 0 of enum easim_job_state, PENDING: nothing yet.
 */
struct told_job {
    uint32_t state;
    uint32_t message; /* number of the last message that names it */
    uint32_t user, phase;
    double rate_s;
    bool rejected; /* by itself */
};

/* Of one run: what it has been told, and what is to be told next. Zero-initialised by the host. */
struct program {
    uint32_t protocol; /* that it speaks: 2 or 3 */
    uint32_t asked;    /* bits EXEC_ASKS_*, in protocol 3 */
    struct process process;
    struct steps steps;
    struct text text;
    struct text answers;      /* of the host, to the actions of the last line, as JSON */
    struct told_job *jobs;    /* by index */
    struct easim_node *nodes; /* as told */
    uint32_t *user_messages;  /* by user: number of the last message that names it */
    uint32_t *changed;        /* jobs to be named in this message */
    uint32_t *acted;          /* jobs of the accepted actions of the last line */
    uint32_t changed_count, acted_count, acted_capacity;
    uint32_t running;       /* jobs told as running */
    uint32_t known_count;   /* one above the highest index told */
    uint32_t message;       /* number of the present message; of hello 0 */
    uint64_t phase_changes; /* of the view, as of the last message */
    double forecast_s;      /* beginning of the hours of which a forecast was told; NAN: none yet */
    bool failed;
};

/* Ends the run: names the program. Always -1. */
int program_fail(const struct easim_pass *pass, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* told.c: the next decide message, in program->text. */
void program_tell(const struct easim_pass *pass);
/* actions.c: does the number-th action of an answer, and keeps what the host answers for the next
   message. Negative after program_fail. */
int program_act(const struct easim_pass *pass, const cJSON *action, int number);
/* actions.c: tries what a list says, without effect; the next message, with the answers, is in
   program->text. Negative after program_fail. */
int program_try(const struct easim_pass *pass, const cJSON *list);

#endif
