/* Deadlines: see deadline.h. */
#include "metrics/deadline.h"

#include "base/units.h"

bool deadline_is_due(int64_t deadline_ns, int64_t horizon_ns) {
    return deadline_ns != TIME_NONE_NS && deadline_ns <= horizon_ns;
}

enum deadline deadline_judge(int64_t deadline_ns, int64_t finish_ns, int64_t horizon_ns) {
    if (deadline_ns == TIME_NONE_NS)
        return DEADLINE_NONE;
    if (finish_ns >= 0)
        return finish_ns <= deadline_ns ? DEADLINE_KEPT : DEADLINE_MISSED;
    return deadline_is_due(deadline_ns, horizon_ns) ? DEADLINE_MISSED : DEADLINE_OPEN;
}
