/* Numbers to text and back without a locale. Invariant: what numfmt_real writes, numfmt_parse_real
   and strtod read back to the same bits. */
#include "base/numfmt.h"
#include "base/mem.h"
#include "base/word.h"
#include "pow10_table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 uint128;

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* ---- Shortest decimal: Raffaello Giulietti, "The Schubfach way to render doubles" (2020) ---- */

#define SIGNIFICAND_BITS 52
#define EXPONENT_BIAS    1075 /* of the significand taken as an integer */

static int floor_log10_pow2(int e) {
    return (e * 1262611) >> 22; /* floor(log10 2^e), paper section 5.1 */
}

static int floor_log10_three_quarters_pow2(int e) {
    return (e * 1262611 - 524031) >> 22; /* floor(log10 (3/4 2^e)) */
}

static int floor_log2_pow10(int e) {
    return (e * 1741647) >> 19; /* floor(log2 10^e) */
}

/* High 64 bits of g * c / 2^64, with the lowest bit set if anything but rounding dust lies below:
   all that comparisons with multiples of 1/4 need (paper section 9.9, "rop"). */
static uint64_t round_to_odd(const uint64_t g[2], uint64_t c) {
    uint64_t carried = (uint64_t)(((uint128)g[1] * c) >> 64);
    uint128 product = (uint128)g[0] * c + carried;
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

/* bits: a positive, finite binary64. The result may end in zeros. */
static struct decimal shortest_decimal(uint64_t bits) {
    uint64_t fraction = bits & ((1ULL << SIGNIFICAND_BITS) - 1);
    int biased = (int)(bits >> SIGNIFICAND_BITS);
    uint64_t c = biased > 0 ? fraction | 1ULL << SIGNIFICAND_BITS : fraction;
    int q = (biased > 0 ? biased : 1) - EXPONENT_BIAS;

    /* The interval that rounds to the value c 2^q is [cl, cr] 2^q / 4, its ends included if c is
       even; below a power of two it is half as wide. */
    bool narrow_below = fraction == 0 && biased > 1;
    int k = narrow_below ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    int shift = q + floor_log2_pow10(-k) + 1;
    const uint64_t *g = pow10_table[-k - POW10_TABLE_MIN];
    uint64_t open = c & 1;
    uint64_t lower = round_to_odd(g, (4 * c - 2 + narrow_below) << shift) + open;
    uint64_t value = round_to_odd(g, (4 * c) << shift);
    uint64_t upper = round_to_odd(g, (4 * c + 2) << shift) - open;

    uint64_t s = value / 4;
    if (s >= 10) { /* one digit less, if exactly one neighbour lies inside */
        uint64_t tens = s / 10;
        bool down_inside = lower <= 40 * tens;
        bool up_inside = 40 * tens + 40 <= upper;
        if (down_inside != up_inside)
            return (struct decimal){tens + up_inside, k + 1};
    }
    bool down_inside = lower <= 4 * s;
    bool up_inside = 4 * s + 4 <= upper;
    if (down_inside != up_inside)
        return (struct decimal){s + up_inside, k};
    uint64_t middle = 4 * s + 2; /* both inside: the nearer one, the even one of two */
    bool round_up = value > middle || (value == middle && (s & 1));
    return (struct decimal){s + round_up, k};
}

static struct decimal without_trailing_zeros(struct decimal d) {
    if (d.digits % 100000000 == 0) { /* at most 17 digits: once is enough */
        d.digits /= 100000000;
        d.exponent += 8;
    }
    while (d.digits % 100 == 0) {
        d.digits /= 100;
        d.exponent += 2;
    }
    if (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* ---- Digits ---- */

/* Of a value below 10^8, each in a byte of its own, the first in the lowest: the value is split in
   halves, all halves at once, and those again (Khuong, "How to print integers really fast", 2017).
   x + ((y - a * x) << b) is (y << b) - x * ((a << b) - 1). */
static uint64_t eight_digits(uint32_t value) {
    uint64_t halves = ((uint64_t)value << 32) - value / 10000 * ((10000ULL << 32) - 1);
    uint64_t hundreds = (halves * 10486 >> 20) & 0x7f0000007f;
    uint64_t pairs = (halves << 16) - hundreds * ((100 << 16) - 1);
    uint64_t tens = (pairs * 103 >> 10) & 0xf000f000f000f;
    return (pairs << 8) - tens * ((10 << 8) - 1);
}

static void write_eight(char *to, uint64_t digits) {
    word_store(to, digits | WORD_ZEROS);
}

/* How many of eight digits are 0 in front of the others; the last one counts as one of those. */
static int zeros_in_front(uint64_t digits) {
    return __builtin_ctzll(digits | 1ULL << 56) / 8;
}

/* And behind the others. */
static int zeros_at_end(uint64_t digits) {
    return digits == 0 ? 8 : __builtin_clzll(digits) / 8;
}

#define E8          100000000 /* 10^8 */
#define MOST_DIGITS 17        /* of a double */

/* Like all that put digits, it may write up to 7 bytes behind them. */
static char *put_below_e8(char *to, uint32_t value) {
    if (value < 10) {
        *to = (char)('0' + value);
        return to + 1;
    }
    uint64_t digits = eight_digits(value);
    int zeros = zeros_in_front(digits);
    write_eight(to, digits >> 8 * zeros);
    return to + 8 - zeros;
}

static char *put_digits(char *to, uint64_t value) {
    if (value < E8)
        return put_below_e8(to, (uint32_t)value);
    uint64_t high = value / E8;
    if (high >= E8) {
        to = put_below_e8(to, (uint32_t)(high / E8));
        write_eight(to, eight_digits((uint32_t)(high % E8)));
        to += 8;
    } else {
        to = put_below_e8(to, (uint32_t)high);
    }
    write_eight(to, eight_digits((uint32_t)(value % E8)));
    return to + 8;
}

static char *put_bytes(char *to, const char *from, size_t length) {
    memcpy(to, from, length);
    return to + length;
}

static char *put_zeros(char *to, int count) {
    memset(to, '0', (size_t)count);
    return to + count;
}

/* 0.d1d2... * 10^point, -4 <= point <= 17; NUMFMT_BYTES can be read of the digits. */
static char *put_plain(char *to, const char *digits, int count, int point) {
    if (0 < point && point < count && point < NUMFMT_BYTES - 1 - MOST_DIGITS) { /* mostly */
        memcpy(to, digits, MOST_DIGITS);
        to[point] = '.';
        memcpy(to + point + 1, digits + point, MOST_DIGITS);
        return to + count + 1;
    }
    if (point <= 0) {
        to = put_zeros(put_bytes(to, "0.", 2), -point);
        return put_bytes(to, digits, (size_t)count);
    }
    if (point >= count)
        return put_zeros(put_bytes(to, digits, (size_t)count), point - count);
    to = put_bytes(to, digits, (size_t)point);
    *to++ = '.';
    return put_bytes(to, digits + point, (size_t)(count - point));
}

/* d1.d2... * 10^exponent */
static char *put_scientific(char *to, const char *digits, int count, int exponent) {
    *to++ = digits[0];
    if (count > 1) {
        *to++ = '.';
        to = put_bytes(to, digits + 1, (size_t)(count - 1));
    }
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    return put_digits(to, (uint64_t)abs(exponent));
}

/* Times and shares of logs. Of two decimals of at most 15 digits no two are the same double, so
   that one which reads back is the shortest, its zeros apart. */
static bool is_thousandths(double value, uint64_t *thousandths) {
    double scaled = value * 1000;
    if (!(scaled < 1e15))
        return false;
    *thousandths = (uint64_t)(scaled + 0.5);
    return *thousandths > 0 && (double)*thousandths / 1000 == value;
}

/* Not of a whole number. */
static char *put_thousandths(char *to, uint64_t thousandths) {
    uint64_t digits = eight_digits((uint32_t)(thousandths % E8)); /* five and three */
    int zeros = zeros_in_front(digits);
    if (thousandths >= E8) {
        to = put_digits(to, thousandths / E8);
        zeros = 0;
    }
    zeros = zeros < 4 ? zeros : 4;
    write_eight(to, digits >> 8 * zeros);
    to += 5 - zeros;
    write_eight(to, digits >> 32);
    *to = '.';
    return to + 4 - zeros_at_end(digits);
}

/* The magnitude. */
static char *put_shortest(char *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct decimal d = without_trailing_zeros(shortest_decimal(bits & INT64_MAX));
    char digits[NUMFMT_BYTES];
    int count = (int)(put_digits(digits, d.digits) - digits);
    int point = count + d.exponent;
    return point >= -4 && point <= 17 ? put_plain(to, digits, count, point)
                                      : put_scientific(to, digits, count, point - 1);
}

size_t numfmt_real(char text[static NUMFMT_BYTES], double value) {
    assert(isfinite(value));
    if (fabs(value) < 0x1p53 && (double)(int64_t)value == value)
        return numfmt_int(text, (int64_t)value); /* the usual case in a trace; also -0.0 */

    char *to = text;
    uint64_t thousandths;
    if (value < 0)
        *to++ = '-';
    to = is_thousandths(fabs(value), &thousandths) ? put_thousandths(to, thousandths)
                                                   : put_shortest(to, value);
    *to = '\0';
    return (size_t)(to - text);
}

static uint64_t magnitude(int64_t value) {
    return value < 0 ? -(uint64_t)value : (uint64_t)value; /* INT64_MIN has no int64 opposite */
}

size_t numfmt_int(char text[static NUMFMT_BYTES], int64_t value) {
    char *to = text;
    if (value < 0)
        *to++ = '-';
    to = put_digits(to, magnitude(value));
    *to = '\0';
    return (size_t)(to - text);
}

size_t numfmt_ns(char text[static NUMFMT_BYTES], int64_t time_ns) {
    uint64_t nanoseconds = magnitude(time_ns);
    char *to = text;
    if (time_ns < 0)
        *to++ = '-';
    to = put_digits(to, nanoseconds / 1000000000);
    uint32_t fraction = (uint32_t)(nanoseconds % 1000000000);
    if (fraction > 0) {
        uint64_t digits = eight_digits(fraction / 10);
        *to++ = '.';
        write_eight(to, digits);
        to[8] = (char)('0' + fraction % 10);
        to += fraction % 10 > 0 ? 9 : 8 - zeros_at_end(digits);
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* ---- Text to number ---- */

static bool is_digit_byte(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* From here on the mantissa has 19 digits, as many as always fit an uint64. */
#define MANTISSA_FULL 1000000000000000000ULL
#define FEW_BYTES     16 /* of what is read in one go */

/* A number as it stands in the text: +-mantissa * 10^exponent, unless digits were left out. */
struct scanned {
    uint64_t mantissa;
    int64_t exponent;
    bool negative;
    bool complete; /* all significant digits are in the mantissa */
};

/* Adds the digits at `at`; returns the place behind them. Digits of the fraction count the exponent
 * down. */
static const char *scan_number_digits(const char *at, const char *end, struct scanned *number,
                                      bool fraction) {
    for (; at < end && is_digit_byte(*at); at++) {
        if (number->mantissa >= MANTISSA_FULL) {
            number->complete = false;
            continue;
        }
        number->mantissa = number->mantissa * 10 + (uint64_t)(*at - '0');
        number->exponent -= fraction;
    }
    return at;
}

/* The part from 'e' on; NULL unless it is well formed. */
static const char *scan_exponent(const char *at, const char *end, struct scanned *number) {
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return NULL;
    int64_t exponent = 0;
    for (; at < end && is_digit_byte(*at); at++)
        if (exponent < 1000000) /* far out of range; more digits change nothing */
            exponent = exponent * 10 + (*at - '0');
    number->exponent += negative ? -exponent : exponent;
    return at;
}

static bool scan_number(const char *text, size_t length, struct scanned *number) {
    const char *at = text;
    const char *end = text + length;
    number->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *start = at;
    at = scan_number_digits(at, end, number, false);
    ptrdiff_t digits = at - start;
    if (at < end && *at == '.') {
        start = at + 1;
        at = scan_number_digits(start, end, number, true);
        digits += at - start;
    }
    if (digits == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E'))
        at = scan_exponent(at, end, number);
    return at == end;
}

/* strtod is correctly rounded. It follows the locale, which this program never sets (no setlocale
   anywhere), so the decimal point is '.'. text is a number already checked. */
static bool parse_with_strtod(const char *text, size_t length, double *value) {
    char local[128];
    char *copy = length < sizeof local ? local : mem_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    double parsed = strtod(copy, NULL);
    if (copy != local)
        free(copy);
    if (!isfinite(parsed))
        return false;
    *value = parsed;
    return true;
}

static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* mantissa / power, correctly rounded: of over 60 bits, in the last of which is whether more
   follow, the conversion rounds. */
static double long_quotient(uint64_t mantissa, uint64_t power) {
    int shift = 62 + __builtin_clzll(mantissa);
    uint128 scaled = (uint128)mantissa << shift, whole = scaled / power;
    return ldexp((double)(whole | (whole * power != scaled)), -shift);
}

/* mantissa * 10^exponent, correctly rounded; false where that is too large. */
static bool real_of(const struct scanned *number, double *value) {
    bool is_long = number->mantissa > 1ULL << 53;
    if (number->exponent < (is_long ? -19 : -22) || number->exponent > (is_long ? -1 : 22)) {
        char text[64];
        int length = snprintf(text, sizeof text, "%s%llue%lld", number->negative ? "-" : "",
                              (unsigned long long)number->mantissa, (long long)number->exponent);
        return parse_with_strtod(text, (size_t)length, value);
    }
    /* If both operands are exact, the one operation rounds correctly (Clinger 1990). */
    double parsed = (double)number->mantissa;
    if (is_long)
        parsed = long_quotient(number->mantissa, (uint64_t)exact_powers[-number->exponent]);
    else if (number->exponent < 0)
        parsed /= exact_powers[-number->exponent];
    else
        parsed *= exact_powers[number->exponent];
    *value = number->negative ? -parsed : parsed;
    return true;
}

/* Digits and at most one point, as bytes of a text less '0' that end with the highest one, zeros in
   front of them. *decimals: so many stand behind the point; -1: no point. False: other bytes. */
static inline bool take_eight(uint64_t digits, uint64_t *value, int *decimals) {
    uint64_t point = word_find(digits, '.' ^ '0');
    *decimals = -1;
    if (point) {
        uint64_t before = ((point & -point) >> 7) - 1;
        *decimals = 7 - __builtin_ctzll(point) / 8;
        digits = (digits & before) << 8 | (digits & ~(before << 8 | 0xff));
    }
    *value = word_value(digits);
    return (((digits + 0x7676767676767676) | digits) & 0x8080808080808080) == 0;
}

/* The usual case, up to 16 bytes of digits with a point or without, in one go. Its double is exact
   as that of real_of. */
static bool parse_few_digits(const char *text, size_t length, double *value) {
    bool negative = length > 0 && *text == '-';
    uint64_t mantissa, head;
    int decimals, before;
    text += negative;
    length -= negative;
    if (length - 1 >= FEW_BYTES || (length == 1 && *text == '.'))
        return false;
    if (length <= 8) {
        uint64_t word = (word_load(text, length) ^ WORD_ZEROS) << (64 - 8 * length);
        if (!take_eight(word, &mantissa, &decimals))
            return false;
    } else {
        uint64_t first = (word_load(text, 8) ^ WORD_ZEROS) << (128 - 8 * length);
        if (!take_eight(word_load(text + length - 8, 8) ^ WORD_ZEROS, &mantissa, &decimals) ||
            !take_eight(first, &head, &before) || (before >= 0 && decimals >= 0))
            return false;
        mantissa += head * (decimals < 0 ? E8 : E8 / 10);
        decimals = before >= 0 ? before + 8 : decimals;
    }
    if (mantissa > 1ULL << 53)
        return false;
    double parsed = (double)(int64_t)mantissa;
    parsed = decimals > 0 ? parsed / exact_powers[decimals] : parsed;
    *value = negative ? -parsed : parsed;
    return true;
}

const char *numfmt_scan_real(const char *text, double *value) {
    const bool negative = *text == '-';
    const char *begin = text + negative, *point = NULL, *at = begin;
    uint64_t mantissa = 0;
    unsigned digit;
    for (; (digit = (unsigned char)*at - (unsigned)'0') < 10; at++)
        mantissa = mantissa * 10 + digit;
    if (*at == '.')
        for (point = at++; (digit = (unsigned char)*at - (unsigned)'0') < 10; at++)
            mantissa = mantissa * 10 + digit;
    size_t digits = (size_t)(at - begin) - (point != NULL);
    if (digits - 1 >= FEW_BYTES || mantissa > 1ULL << 53)
        return NULL;
    double parsed = (double)(int64_t)mantissa; /* exact, as in real_of */
    parsed = point ? parsed / exact_powers[at - point - 1] : parsed;
    *value = negative ? -parsed : parsed;
    return at;
}

static __attribute__((noinline)) bool parse_any_real(const char *text, size_t length,
                                                     double *value) {
    struct scanned number = {.complete = true};
    if (!scan_number(text, length, &number))
        return false;
    return number.complete ? real_of(&number, value) : parse_with_strtod(text, length, value);
}

bool numfmt_parse_real(const char *text, size_t length, double *value) {
    return parse_few_digits(text, length, value) || parse_any_real(text, length, value);
}

bool numfmt_parse_scaled(const char *text, size_t length, uint32_t factor, int exponent,
                         double *value) {
    struct scanned number = {.complete = true};
    if (!scan_number(text, length, &number))
        return false;
    if (number.complete &&
        !__builtin_mul_overflow(number.mantissa, (uint64_t)factor, &number.mantissa)) {
        number.exponent += exponent;
        return real_of(&number, value);
    }
    char scale[NUMFMT_BYTES]; /* over 19 digits: the last one of the double may be off */
    double product, parsed;
    snprintf(scale, sizeof scale, "%lue%d", (unsigned long)factor, exponent);
    if (!parse_with_strtod(text, length, &parsed))
        return false;
    product = parsed * strtod(scale, NULL);
    if (isfinite(product))
        *value = product;
    return isfinite(product);
}

static bool is_spelled(const char *text, size_t length, const char *word) {
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

/* Of a digit, a sign and a point this bit is not set, of a letter it is. */
static bool has_letter(const char *text, size_t length) {
    uint64_t bits = 0;
    for (; length > 8; text += 8, length -= 8)
        bits |= word_load(text, 8);
    return ((bits | word_load(text, length)) & 0x4040404040404040) != 0;
}

bool numfmt_is_infinite(const char *text, size_t length) {
    struct scanned number = {.complete = true};
    double value;
    if (length < 300 && !has_letter(text, length)) /* a number without exponent */
        return false;
    if (scan_number(text, length, &number))
        return !numfmt_parse_real(text, length, &value);
    size_t sign = *text == '+' || *text == '-';
    text += sign;
    length -= sign;
    bool has_payload = length > 4 && text[3] == '(' && text[length - 1] == ')'; /* nan(123) */
    return is_spelled(text, has_payload ? 3 : length, "nan") || is_spelled(text, length, "inf") ||
           is_spelled(text, length, "infinity") || is_spelled(text, length, ".nan") ||
           is_spelled(text, length, ".inf");
}

bool numfmt_parse_int(const char *text, size_t length, int64_t *value) {
    bool negative = length > 0 && text[0] == '-';
    size_t i = length > 0 && (text[0] == '-' || text[0] == '+');
    if (i == length)
        return false;
    int64_t sum = 0; /* kept negative: INT64_MIN has no opposite */
    for (; i < length && i < NUMFMT_SAFE_DIGITS; i++) {
        if (!is_digit_byte(text[i]))
            return false;
        sum = sum * 10 - (text[i] - '0');
    }
    for (; i < length; i++) {
        if (!is_digit_byte(text[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_sub_overflow(sum, text[i] - '0', &sum))
            return false;
    }
    if (!negative && sum == INT64_MIN)
        return false;
    *value = negative ? sum : -sum;
    return true;
}

size_t numfmt_prefix(const char *text, double *value) {
    size_t length = strspn(text, "+-.0123456789eE");
    if (length > 0 && strchr("eE", text[length - 1]))
        length--; /* of a unit */
    return length > 0 && numfmt_parse_real(text, length, value) ? length : 0;
}
