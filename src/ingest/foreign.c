/* Whole numbers as other programs write them. */
#include "ingest/foreign.h"

#include "base/numfmt.h"

#include <math.h>

bool foreign_parse_whole(struct slice text, int64_t *value) {
    double real;
    if (numfmt_parse_int(text.at, text.length, value))
        return true;
    if (!numfmt_parse_real(text.at, text.length, &real) || fabs(real) > 0x1p53 ||
        trunc(real) != real)
        return false;
    *value = (int64_t)real;
    return true;
}
