/* What easy keeps from one decision to the next: the waiting jobs by what they ask for, each kind
   in the order of submission, and the running jobs of each GPU type by when they are to end. It
   follows the view by its events; where those do not tell all (a node has failed, a phase has
   begun), by a look at the running jobs, and if that is not enough, it starts again from the view.
 */
#ifndef EASIM_EASY_BOOK_H
#define EASIM_EASY_BOOK_H

#include "tree.h"

#include <easim/policy.h>

/* Waiting jobs that fit or do not fit together: equal GPU type, k and spans in which that is known.
 */
struct kind {
    uint32_t config;    /* of one of them */
    uint32_t root;      /* in `waiting`; key: the job */
    uint32_t place;     /* in `busy` */
    uint32_t next;      /* during a pass: who may start next; EASIM_NONE */
    uint32_t enough;    /* GPUs with which it surely fits */
    uint64_t enough_at; /* cluster_events when that was found */
};

struct book {
    struct forest waiting, running;
    struct kind *kinds;
    uint32_t kind_count, kind_capacity;
    uint32_t *busy, busy_count; /* kinds of which jobs wait */
    uint32_t *kind_of;          /* by configuration: 1 + its kind, 0: not known yet */
    uint32_t config_count;      /* places of kind_of */
    uint32_t *ends;             /* by GPU type: root in `running`; key: the predicted end in ns */
    uint32_t waiting_count, running_count;
    uint64_t phase_changes;  /* as of the last look at the running jobs */
    uint64_t cluster_events; /* + 1: nodes may have failed or been repaired since */
    uint32_t *arrived;       /* of this decision: jobs that no tree has; scratch */
    uint32_t arrived_count, next_arrived;
};

/* Of a job. Zero: it is in no tree. */
struct place {
    uint32_t node, tree; /* tree: its kind, or GPU type */
    bool runs;
};

int book_init(struct book *book, const struct easim_pass *pass);
void book_finish(struct book *book);

/* Each is negative after host->fail: out of memory. */

/* Follows the view, but for the jobs that have just arrived: those are in `arrived`. */
int book_update(struct book *book, const struct easim_pass *pass);
/* Files a waiting job that has arrived. */
int book_add(struct book *book, const struct easim_pass *pass, const struct easim_job *job);
/* After an action on a waiting job: files it under what it is now. 1: what the view shows is not
   what was asked for, and everything has been filed anew. */
int book_note(struct book *book, const struct easim_pass *pass, const struct easim_job *job);

/* The kind of a waiting job; EASIM_NONE after host->fail. */
uint32_t book_kind(struct book *book, const struct easim_pass *pass, const struct easim_job *job);
/* How long a job asks for, from its start in the span. */
int64_t book_time_ns(const struct easim_view *view, const struct easim_job *job, uint32_t span);

#endif
