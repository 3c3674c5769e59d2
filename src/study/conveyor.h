/* Pieces of text from a child to its parent, in memory that they share: the child waits while the
   parent has not taken those before. */
#ifndef EASIM_STUDY_CONVEYOR_H
#define EASIM_STUDY_CONVEYOR_H

#include "base/error.h"
#include "study/flow.h"

#include <semaphore.h>
#include <stdatomic.h>

#define CONVEYOR_PIECES 8 /* at a time */
#define CONVEYOR_RING   4 /* with so many full the bell is rung */

struct conveyor_piece {
    uint32_t part, length;
    char bytes[FLOW_PIECE];
};

/* In memory from mem_shared. */
struct conveyor {
    atomic_uint put, taken; /* pieces, ever; put is the child's, taken the parent's */
    sem_t room;
    int bell; /* a descriptor that is readable since CONVEYOR_RING pieces were full */
    struct conveyor_piece pieces[CONVEYOR_PIECES];
};

/* In the parent, before the child begins; negative: there is no bell, errno tells why. */
int conveyor_open(struct conveyor *conveyor) MUST_CHECK;
void conveyor_close(struct conveyor *conveyor); /* the child has ended */
/* In the child. */
void conveyor_put(struct conveyor *conveyor, unsigned part, struct slice piece);
/* In the parent: 1, and the next piece, which stays until conveyor_done; 0: there is none;
   negative: the child has spoilt what they share. */
int conveyor_take(struct conveyor *conveyor, unsigned *ret_part, struct slice *ret_piece);
void conveyor_done(struct conveyor *conveyor);
void conveyor_hush(struct conveyor *conveyor); /* the bell was heard */

#endif
