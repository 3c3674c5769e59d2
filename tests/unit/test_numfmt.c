/* Numbers to text and back. Expected texts follow from the definition (fewest digits that read
   back, nearest of those); the C library's exact printf and strtod are the independent judges of
   random values. */
#include "base/numfmt.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *state) { /* SplitMix64; fixed seeds, so failures repeat */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

Test(numfmt, real_texts) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "0"},
        {400.0, "400"},
        {-2.385, "-2.385"},
        {13.588, "13.588"},
        {0.1 + 0.2, "0.30000000000000004"},
        {123456.789, "123456.789"},
        {0.00012, "0.00012"},
        {1e-5, "0.00001"},
        {9.99e-6, "9.99e-6"},
        {1e-7, "1e-7"},
        {-2.385e-7, "-2.385e-7"},
        {1.5e20, "1.5e+20"},
        {1e16, "10000000000000000"},
        {1e17, "1e+17"},
        {99999999999999984.0, "99999999999999980"}, /* doubles are 16 apart here */
        {9007199254740991.0, "9007199254740991"},
        {9007199254740992.0, "9007199254740992"},
        {9007199254740994.0, "9007199254740994"},
        {1e22, "1e+22"},
        {1e23, "1e+23"}, /* the double below 10^23, which rounds to it */
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {0x1p-1074, "5e-324"},
        {-0x1.fffffffffffffp-1, "-0.9999999999999999"},
        {9.5367431640625e-7, "9.5367431640625e-7"}, /* 2^-20, exact */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMFMT_BYTES];
        size_t length = numfmt_real(text, cases[i].value);
        cr_assert_str_eq(text, cases[i].text);
        cr_assert_eq(length, strlen(text));
    }
}

/* Significant digits of text, without zeros at either end; returns how many. */
static int significant_digits(const char *text, char digits[static 32]) {
    int count = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0'))
            digits[count++] = *text;
    while (count > 0 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    return count;
}

static bool is_power_of_two(double value) {
    return (bits_of(value) << 12) == 0;
}

/* Reads back exactly, and has the digits of the shortest "%.*e" that does. Just above a power of
   two the interval is lopsided: there a shorter decimal may exist that is not the nearest of its
   length. */
static void check_real(double value) {
    char text[NUMFMT_BYTES], exact[64], digits[32], expected[32];
    size_t length = numfmt_real(text, value);
    double parsed;
    if (length != strlen(text) || bits_of(strtod(text, NULL)) != bits_of(value) ||
        !numfmt_parse_real(text, length, &parsed) || bits_of(parsed) != bits_of(value))
        cr_assert_fail("%a -> %s", value, text);
    int precision = 1;
    do
        snprintf(exact, sizeof exact, "%.*e", precision - 1, value);
    while (strtod(exact, NULL) != value && precision++ < 17);
    int found = significant_digits(text, digits);
    int needed = significant_digits(exact, expected);
    if (found < needed ? !is_power_of_two(value) : strcmp(digits, expected) != 0)
        cr_assert_fail("%a -> %s, shortest is %s", value, text, exact);
}

Test(numfmt, random_reals_are_shortest_and_read_back) {
    uint64_t seed = 20240607;
    for (int i = 0; i < 30000; i++) {
        double any = from_bits(next_random(&seed));
        if (isfinite(any) && any != 0)
            check_real(any);
        check_real((double)(next_random(&seed) % 100000000 + 1) / 1000);    /* milliseconds */
        check_real((double)(next_random(&seed) >> 11) * 0x1p-53 + 0x1p-60); /* fractions */
        check_real((double)(next_random(&seed) >> (next_random(&seed) % 63)) +
                   1); /* integers of any size */
        check_real(from_bits(next_random(&seed) >> (12 + next_random(&seed) % 50)) +
                   0x1p-1074); /* denormals */
    }
    for (int e = -1074; e <= 1023; e++) { /* powers of two and their neighbours */
        check_real(ldexp(1, e));
        check_real(nextafter(ldexp(1, e), INFINITY));
        if (e > -1074)
            check_real(nextafter(ldexp(1, e), 0));
    }
    for (int e = -323; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        check_real(strtod(text, NULL));
        check_real(nextafter(strtod(text, NULL), INFINITY));
    }
}

Test(numfmt, integers_and_nanoseconds) {
    static const struct {
        int64_t value;
        const char *text, *as_seconds;
    } cases[] = {
        {0, "0", "0"},
        {7, "7", "0.000000007"},
        {-10, "-10", "-0.00000001"},
        {99, "99", "0.000000099"},
        {100, "100", "0.0000001"},
        {1050000000, "1050000000", "1.05"},
        {1500000000, "1500000000", "1.5"},
        {-2385000000, "-2385000000", "-2.385"},
        {400000000000, "400000000000", "400"},
        {1717777777123456789, "1717777777123456789", "1717777777.123456789"},
        {INT64_MAX, "9223372036854775807", "9223372036.854775807"},
        {INT64_MIN, "-9223372036854775808", "-9223372036.854775808"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMFMT_BYTES];
        cr_assert_eq(numfmt_int(text, cases[i].value), strlen(cases[i].text));
        cr_assert_str_eq(text, cases[i].text);
        int64_t parsed = 1;
        cr_assert(numfmt_parse_int(text, strlen(text), &parsed));
        cr_assert_eq(parsed, cases[i].value);
        cr_assert_eq(numfmt_ns(text, cases[i].value), strlen(cases[i].as_seconds));
        cr_assert_str_eq(text, cases[i].as_seconds);
    }
}

/* Halfway cases: 2^53 + 1 lies between two doubles and goes to the even one; a digit more decides
   otherwise. Half the smallest denormal is 2.4703282292062327208...e-324 (2^-1075). */
Test(numfmt, parse_real_is_correctly_rounded) {
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"2.385", 2.385},
        {"-17", -17},
        {"+3.25", 3.25},
        {".5", 0.5},
        {"5.", 5},
        {"1e3", 1000},
        {"12.5E-1", 1.25},
        {"000000000000000000000000000012.5", 12.5},
        {"0e99999999999999999999", 0},
        {"9007199254740993", 0x1p53},
        {"9007199254740993.00000000000000000000000000000000000001", 0x1.0000000000001p53},
        {"9007199254740995", 0x1.0000000000002p53},
        {"1.00000000000000011102230246251565404236316680908203125", 1},
        {"1.00000000000000011102230246251565404236316680908203126", 0x1.0000000000001p0},
        {"1.00000000000000011102230246251565404236316680908203124", 1},
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
        {"2.4703282292062327e-324", 0},
        {"2.4703282292062328e-324", 0x1p-1074},
        {"1e-400", 0},
        {"1.7976931348623158e308", DBL_MAX},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        cr_assert(numfmt_parse_real(cases[i].text, strlen(cases[i].text), &value), "%s",
                  cases[i].text);
        cr_assert_eq(bits_of(value), bits_of(cases[i].value), "%s -> %a", cases[i].text, value);
    }
    double minus_zero = 1;
    cr_assert(numfmt_parse_real("-0", 2, &minus_zero));
    cr_assert_eq(bits_of(minus_zero), 1ULL << 63);
    char endless[500]; /* longer than any local buffer: 0.000...01e450 */
    int length = snprintf(endless, sizeof endless, "0.%0450de450", 1);
    double one = 0;
    cr_assert(numfmt_parse_real(endless, (size_t)length, &one));
    cr_assert_eq(one, 1.0);
}

Test(numfmt, random_decimals_agree_with_strtod) {
    uint64_t seed = 97;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        int digits = 1 + (int)(next_random(&seed) % 22);
        int point = (int)(next_random(&seed) % (unsigned)(digits + 1));
        int length = 0;
        for (int j = 0; j < digits; j++) {
            if (j == point)
                text[length++] = '.';
            text[length++] = (char)('0' + next_random(&seed) % 10);
        }
        if (next_random(&seed) % 2)
            length += sprintf(text + length, "e%d", (int)(next_random(&seed) % 60) - 30);
        text[length] = '\0';
        double value = -1;
        if (!numfmt_parse_real(text, (size_t)length, &value) || value != strtod(text, NULL))
            cr_assert_fail("%s -> %a", text, value);
    }
}

/* Texts of 1 to 20 bytes, with a sign and points or without, and one byte that may be any. */
Test(numfmt, a_byte_that_is_none_of_a_number_is_found) {
    uint64_t seed = 41;
    for (int i = 0; i < 200000; i++) {
        char text[32];
        size_t length = 1 + next_random(&seed) % 20, digits = 0, points = 0;
        for (size_t j = 0; j < length; j++)
            text[j] = "0123456789."[next_random(&seed) % (length > 1 ? 11 : 10)];
        text[next_random(&seed) % length] = (char)next_random(&seed);
        if (next_random(&seed) % 4 == 0)
            text[0] = '-';
        text[length] = '\0';
        for (size_t j = text[0] == '-' || text[0] == '+'; j < length; j++) {
            digits += text[j] >= '0' && text[j] <= '9';
            points += text[j] == '.';
        }
        bool sign = text[0] == '-' || text[0] == '+';
        if (strpbrk(text, "eE"))
            continue; /* of exponents: above */
        bool number = digits > 0 && points <= 1 && sign + digits + points == length;
        double value = -1;
        if (numfmt_parse_real(text, length, &value) != number ||
            (number && bits_of(value) != bits_of(strtod(text, NULL))))
            cr_assert_fail("%s -> %a", text, value);
    }
}

/* What the scan reads up to the byte behind a number is what the whole-text parser reads, and it
   leaves no number of at most 15 digits to that, exponents and plus signs apart. */
Test(numfmt, scanned_reals) {
    uint64_t seed = 43;
    for (int i = 0; i < 200000; i++) {
        char text[32];
        size_t length = 1 + next_random(&seed) % 20;
        for (size_t j = 0; j < length; j++)
            text[j] = "0123456789012345678901234567890123456789.-e+"[next_random(&seed) % 44];
        if (next_random(&seed) % 4 == 0)
            text[0] = '-';
        text[length] = ",\n\r"[next_random(&seed) % 3];
        double value = -1, expected = -2;
        const char *end = numfmt_scan_real(text, &value);
        bool usual = length <= 15 && !memchr(text, 'e', length) && *text != '+';
        if (end ? !numfmt_parse_real(text, (size_t)(end - text), &expected) ||
                      bits_of(value) != bits_of(expected) ||
                      (usual && end < text + length && numfmt_parse_real(text, length, &expected))
                : usual && numfmt_parse_real(text, length, &expected))
            cr_assert_fail("%.*s -> %a, %a", (int)length, text, value, expected);
    }
}

Test(numfmt, not_numbers) {
    static const char *const reals[] = {
        "",         "+",    "-",     ".",     "-.",
        "e5",       "1e",   "1e+",   "1e-",   " 1",
        "1 ",       "0x10", "nan",   "inf",   "1,5",
        "--1",      "+-1",  "1.2.3", "1e5.",  "1e400",
        "-1.8e308", "12a3", "1e5e5", "1_000", "1.7976931348623159e308",
    };
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        double value = 2.385;
        cr_assert_not(numfmt_parse_real(reals[i], strlen(reals[i]), &value), "\"%s\"", reals[i]);
        cr_assert_eq(value, 2.385, "\"%s\" touched the value", reals[i]);
    }
    static const char *const integers[] = {
        "",
        "+",
        "-",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "0x1",
        "9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999",
        "--1",
    };
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int64_t value = 17;
        cr_assert_not(numfmt_parse_int(integers[i], strlen(integers[i]), &value), "\"%s\"",
                      integers[i]);
        cr_assert_eq(value, 17);
    }
    double real = 1;
    int64_t integer = 1;
    cr_assert_not(numfmt_parse_real("12\0", 3, &real)); /* a NUL inside the text */
    cr_assert_not(numfmt_parse_int("12\0", 3, &integer));
    cr_assert_not(numfmt_parse_real(NULL, 0, &real));
    cr_assert(numfmt_parse_real("12.5,99", 4, &real)); /* the length counts, not a terminator */
    cr_assert_eq(real, 12.5);
    cr_assert(numfmt_parse_int("+0042x", 5, &integer));
    cr_assert_eq(integer, 42);
}

/* Overflow is not infinity, and neither is a number; all of them have a name of their own. */
Test(numfmt, infinite) {
    static const char *const yes[] = {
        "inf",      "-inf",   "+Infinity", "INFINITY", "nan",
        "NaN(123)", "-nan",   ".inf",      "-.inf",    ".NaN",
        "1e999",    "-1e999", "1e400",     "2e308",    "1e99999999999999999999"};
    static const char *const no[] = {"",   "1e308", "0x1p3", "info", "nano",   "nan(",
                                     "in", "1e",    "text",  "-",    "1e-999", "inf W"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        double value = 2.385;
        cr_assert(numfmt_is_infinite(yes[i], strlen(yes[i])), "%s", yes[i]);
        cr_assert_not(numfmt_parse_real(yes[i], strlen(yes[i]), &value), "%s", yes[i]);
        cr_assert_eq(value, 2.385);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        cr_assert_not(numfmt_is_infinite(no[i], strlen(no[i])), "%s", no[i]);
    double value = 2.385;
    cr_assert_not(numfmt_parse_real("0x1p3", 5, &value));
    cr_assert_eq(value, 2.385);
}

/* Expected: the product as the compiler reads it, and of long numbers the rounded product of
 * doubles. */
Test(numfmt, scaled) {
    static const struct {
        const char *text;
        uint32_t factor;
        int exponent;
        double value;
    } cases[] = {{"1.005", 1, 3, 1005},      {"0.1", 36, 5, 3.6e5},
                 {"-2.675", 1, 2, -267.5},   {"123456789012345678", 36, 2, 4.444444404444444408e20},
                 {"1e-300", 1, -20, 1e-320}, {"0", 6048, 2, 0},
                 {"1e300", 1, 8, 1e308},     {"0.30000000000000000000000001", 1, 1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        cr_assert(numfmt_parse_scaled(cases[i].text, strlen(cases[i].text), cases[i].factor,
                                      cases[i].exponent, &value));
        cr_assert_eq(value, cases[i].value, "%s: %.17g", cases[i].text, value);
    }
    double value = 2.385;
    cr_assert_not(numfmt_parse_scaled("1e300", 5, 36, 8, &value));
    cr_assert_eq(value, 2.385);
}

/* Cuts the zeros behind the point of a decimal, and a point with nothing behind it. */
static size_t cut_zeros(char *text) {
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    length -= text[length - 1] == '.';
    text[length] = '\0';
    return length;
}

/* Of thousandths the digits are known: those of the whole number, less its zeros behind the point.
 */
Test(numfmt, thousandths) {
    uint64_t state = 17;
    for (int i = 0; i < 300000; i++) {
        char text[NUMFMT_BYTES], expected[64];
        state = state * 6364136223846793005u + 1442695040888963407u;
        int64_t whole = (int64_t)((state >> 14) % (1ull << (1 + i % 49))) + 1;
        snprintf(expected, sizeof expected, "%lld.%03lld", (long long)(whole / 1000),
                 (long long)(whole % 1000));
        size_t length = cut_zeros(expected);
        cr_assert_eq(numfmt_real(text, (double)whole / 1000), length);
        cr_assert_str_eq(text, expected);
    }
}

static void check_digits(int64_t value) {
    char text[NUMFMT_BYTES], expected[64];
    cr_assert_eq(numfmt_int(text, value),
                 (size_t)snprintf(expected, sizeof expected, "%lld", (long long)value));
    cr_assert_str_eq(text, expected);
    snprintf(expected, sizeof expected, "%lld.%09lld", (long long)(value / 1000000000),
             (long long)(value % 1000000000));
    size_t length = cut_zeros(expected);
    cr_assert_eq(numfmt_ns(text, value), length);
    cr_assert_str_eq(text, expected);
}

/* Of any length, against printf; around powers of 10, where it changes. */
Test(numfmt, digits_are_those_of_printf) {
    uint64_t seed = 2385;
    for (int64_t power = 1; power < INT64_MAX / 10; power *= 10)
        for (int64_t near = -2; near <= 2; near++)
            check_digits(power + near > 0 ? power + near : 0);
    for (int i = 0; i < 100000; i++) {
        check_digits((int64_t)(next_random(&seed) >> (1 + i % 63)));
        check_digits((int64_t)(next_random(&seed) % 10000000) * 1000000 * (i % 1000));
    }
}
