/* What easy keeps from one decision to the next: the waiting jobs by what they ask for, each kind
   in the order of submission, and the running jobs of each GPU type by when they are to end. It
   follows the view by its events; where those do not tell all (a node has failed, a phase has
   begun), by a look at the running jobs, and if that is not enough, it starts again from the view.
 */
#ifndef EASIM_EASY_BOOK_H
#define EASIM_EASY_BOOK_H

#include "tree.h"

#include <easim/power.h>

/* One configuration in which a job may start: the one of least T of a GPU type, on the empty
   cluster under the present cap. */
struct candidate {
    uint32_t config;
    uint32_t lane; /* of the job's kind */
};

/* What a job asks for: its candidates, the best first. */
struct request {
    uint32_t first, count; /* in the book's candidates */
    uint32_t kind;
    uint32_t next; /* 1 + another one with the same best candidate; 0: none */
};

/* A GPU type on which the jobs of a kind may start. */
struct lane {
    uint32_t config; /* of one of them */
    uint32_t gpu_type, k;
    uint32_t next;      /* during a pass: who may start here next; EASIM_NONE */
    uint32_t enough;    /* GPUs with which it surely fits */
    uint64_t enough_at; /* node_changes when that was found */
};

/* Waiting jobs that fit or do not fit together: on the same GPU types, and on each with equal k and
   spans in which that is known. */
struct kind {
    struct forest waiting; /* columns: T by lane, then span; if power counts, then power by lane */
    uint32_t root;         /* in `waiting`; key: the job */
    uint32_t place;        /* in `busy` */
    struct lane *lanes;    /* by GPU type, ascending */
    uint32_t lane_count, least_k;
};

struct book {
    struct forest running;
    struct kind *kinds;
    uint32_t kind_count, kind_capacity;
    uint32_t *busy, busy_count; /* kinds of which jobs wait */
    struct request *requests;
    uint32_t request_count, request_capacity;
    struct candidate *candidates; /* of all requests, one after the other */
    uint32_t candidate_count, candidate_capacity;
    uint32_t *request_of;  /* by best candidate: 1 + its first request, 0: none yet */
    uint32_t config_count; /* places of request_of */
    uint32_t spans;        /* of a lane */
    int64_t *figures;      /* of the job that is filed: room for all its columns */
    uint32_t *ends;        /* by GPU type: root in `running`; key: the predicted end in ns */
    /* A cap is enforced: what running jobs of all types add at their entry draws, by end. */
    bool counts_power;
    struct forest drawing;
    uint32_t drawing_root;
    int64_t empty_nw; /* what the cap would leave without running jobs, as of the requests */
    uint32_t waiting_count, running_count;
    uint64_t phase_changes; /* as of the last look at the running jobs */
    uint64_t power_changes; /* likewise */
    uint64_t node_changes;  /* failures and repairs so far, + 1 */
    struct queue *queues;   /* by GPU type, of a pass */
    uint32_t *arrived;      /* of this decision: jobs that no tree has */
    uint32_t arrived_count, next_arrived, arrived_capacity;
};

/* Of a job. Zero: it is in no tree. */
struct place {
    uint32_t node;
    uint32_t power; /* running: its node in `drawing` */
    uint32_t asks;  /* waiting: 1 + its request; 0: not known yet */
    uint32_t gpu_type;
    bool runs;
};

/* NULL: this easim does not have the extension. */
static inline const struct easim_power *book_power(const struct easim_pass *pass) {
    return easim_power_of(pass, 0);
}

/* queue_bytes: of a struct queue. */
int book_init(struct book *book, const struct easim_pass *pass, size_t queue_bytes);
void book_finish(struct book *book);

/* Each is negative after host->fail: out of memory. */

/* Follows the view, but for the jobs that have just arrived: those are in `arrived`. */
int book_update(struct book *book, const struct easim_pass *pass);
/* Files a waiting job that has arrived. */
int book_add(struct book *book, const struct easim_pass *pass, const struct easim_job *job);
/* After an action on a waiting job: files it under what it is now. 1: what the view shows is not
   what was asked for, and everything has been filed anew. */
int book_note(struct book *book, const struct easim_pass *pass, const struct easim_job *job);

/* The first time. */
const struct request *book_find_request(struct book *book, const struct easim_pass *pass,
                                        const struct easim_job *job);
/* The request of a waiting job; NULL after host->fail. Valid until the next call of the book. */
static inline const struct request *book_request(struct book *book, const struct easim_pass *pass,
                                                 const struct easim_job *job) {
    const struct place *place = easim_job_memory(pass, job->index);
    return place->asks > 0 ? &book->requests[place->asks - 1] : book_find_request(book, pass, job);
}
/* The most that a start of a waiting job adds to the power that counts, nW; 0: power does not. */
int64_t book_start_nw(const struct book *book, const struct easim_pass *pass, uint32_t job,
                      uint32_t config);
/* How long a job asks for, from its start in the configuration and span. */
int64_t book_time_ns(const struct easim_view *view, const struct easim_job *job, uint32_t config,
                     uint32_t span);

#endif
