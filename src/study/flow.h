/* A text that leaves its process in pieces while it is made, so that it never stands in memory as a
   whole. */
#ifndef EASIM_STUDY_FLOW_H
#define EASIM_STUDY_FLOW_H

#include "base/str.h"

#define FLOW_PIECE ((size_t)128 << 10) /* bytes that leave at once, at most */

/* Where pieces go. part: a number of the maker's, of one of several texts. */
struct outlet {
    void (*send)(void *context, unsigned part, struct slice piece);
    void *context;
};

/* Zero-initialised it keeps all that is added; release with flow_finish. */
struct flow {
    struct str text; /* what has not left yet */
    uint64_t sent;   /* bytes that have */
    const struct outlet *outlet;
    unsigned part;
};

/* Lets go of all but the last part of a piece. */
void flow_send(struct flow *flow);

/* Where the next row is to be added. */
static inline struct str *flow_row(struct flow *flow) {
    if (flow->text.length >= FLOW_PIECE && flow->outlet)
        flow_send(flow);
    return &flow->text;
}

static inline uint64_t flow_bytes(const struct flow *flow) {
    return flow->sent + flow->text.length;
}

void flow_finish(struct flow *flow);

#endif
