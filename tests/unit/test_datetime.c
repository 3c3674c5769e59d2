/* Date-times. Expected seconds are from `date -u -d TEXT +%s` of GNU coreutils. */
#include "base/datetime.h"

#include <criterion/criterion.h>
#include <string.h>

#define S 1000000000LL

Test(datetime, accepted) {
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        {"1970-01-01", 0},
        {"2022-01-01 00:00:00+00:00", 1640995200 * S},
        {"2022-01-01T00:00Z", 1640995200 * S},
        {"2022-01-01T00:00", 1640995200 * S},
        {"2022-01-01 01:00+01", 1640995200 * S},
        {"2021-12-31 16:00:00-08:00", 1640995200 * S},
        {"2022-01-01T05:30+0530", 1640995200 * S},
        {"2000-02-29T23:59:59Z", 951868799 * S},
        {"2000-03-01", 951868800 * S},
        {"2024-12-31T12:34:56.25", 1735648496 * S + S / 4},
        {"2024-12-31T12:34:56.123456789Z", 1735648496 * S + 123456789},
        {"2100-02-28", 4107456000 * S},
        {"2100-03-01", 4107542400 * S}, /* 2100 is no leap year */
        {"2199-12-31T23:59:59Z", 7258118399 * S},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns = -1;
        cr_expect(datetime_parse(cases[i].text, strlen(cases[i].text), &ns), "%s", cases[i].text);
        cr_expect_eq(ns, cases[i].ns, "%s: %lld", cases[i].text, (long long)ns);
    }
}

Test(datetime, refused) {
    static const char *const cases[] = {"",
                                        "2022",
                                        "2022-01",
                                        "2022-1-1",
                                        "2022-13-01",
                                        "2022-00-01",
                                        "2022-01-32",
                                        "2022-02-29",
                                        "2100-02-29",
                                        "1969-12-31",
                                        "2200-01-01",
                                        "2022-01-01T",
                                        "2022-01-01T24:00",
                                        "2022-01-01T12:60",
                                        "2022-01-01T12:00:60",
                                        "2022-01-01T12:00:00.",
                                        "2022-01-01T12:00:00.1234567891",
                                        "2022-01-01T12:00+",
                                        "2022-01-01T12:00+1",
                                        "2022-01-01T12:00+01:",
                                        "2022-01-01T12:00+01:0",
                                        "2022-01-01T12:00+24:00",
                                        "2022-01-01T12:00Zulu",
                                        "2022-01-01Z",
                                        "01/02/2022",
                                        "2022-01-01T12",
                                        " 2022-01-01"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns = 2385;
        cr_expect_not(datetime_parse(cases[i], strlen(cases[i]), &ns), "%s", cases[i]);
        cr_expect_eq(ns, 2385, "%s", cases[i]);
    }
}

/* Only `length` bytes count: the text need not end there. */
Test(datetime, length) {
    int64_t ns;
    cr_expect(datetime_parse("2022-01-01T00:00Z", 10, &ns) && ns == 1640995200 * S);
    cr_expect_not(datetime_parse("2022-01-01T00:00Z", 11, &ns));
}
