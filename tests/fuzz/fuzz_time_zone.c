/* Time zones on any bytes, as a TZif file and as a name. Where a local time is unique, the way back
   must lead to it: an instant one second later is one second later on the clock. */
#include "fuzz/fuzz.h"
#include "io/time_zone.h"

#include <string.h>

static void check(struct time_zone *zone) {
    int64_t last_s = INT64_MIN;
    for (int64_t local_s = 0; local_s < INT64_C(4000000000); local_s += 12345678) {
        int64_t utc_s;
        (void)time_zone_utc(zone, local_s, &utc_s);
        fuzz_assert(utc_s - local_s <= 27 * 3600 && local_s - utc_s <= 27 * 3600);
        fuzz_assert(utc_s > last_s); /* steps of 142 days: no zone turns time back that far */
        last_s = utc_s;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct time_zone *zone = NULL;
    struct error error = {0};
    char name[64] = {0};
    memcpy(name, bytes, length < sizeof name - 1 ? length : sizeof name - 1);
    if (time_zone_from_tzif(bytes, length, &zone, &error) == 0) {
        check(zone);
        time_zone_close(zone);
    }
    if (time_zone_open(name, &zone, &error) == 0) {
        check(zone);
        time_zone_close(zone);
    }
    return 0;
}
