/* Pieces of a text: see flow.h. */
#include "study/flow.h"

#include <string.h>

void flow_send(struct flow *flow) {
    size_t at = 0;
    for (; flow->text.length - at >= FLOW_PIECE; at += FLOW_PIECE)
        flow->outlet->send(flow->outlet->context, flow->part,
                           (struct slice){flow->text.text + at, FLOW_PIECE});
    flow->sent += at;
    flow->text.length -= at;
    memmove(flow->text.text, flow->text.text + at, flow->text.length + 1);
}

void flow_finish(struct flow *flow) {
    str_finish(&flow->text);
    *flow = (struct flow){.sent = 0};
}
