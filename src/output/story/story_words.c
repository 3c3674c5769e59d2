/* Words of stories: see story_words.h. */
#include "output/story/story_words.h"

#include <inttypes.h>
#include <math.h>

void story_add_name(struct str *out, const char *name) {
    str_add_visible(out, name);
}

/* "1 job", "2 jobs" */
void story_add_count(struct str *out, uint64_t count, const char *noun) {
    str_addf(out, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

/* 5 digits, or all of those before the point. */
void story_add_number(struct str *out, double value) {
    str_addf(out, fabs(value) >= 99999.5 ? "%.0f" : "%.5g", value);
}

/* A point in time or a length: seconds to the millisecond. */
void story_add_seconds(struct str *out, int64_t time_ns) {
    int64_t ms = time_ns / 1000000 + (time_ns % 1000000 >= 500000) - (time_ns % 1000000 < -500000);
    str_add_ns(out, ms * 1000000);
    str_add(out, " s");
}
