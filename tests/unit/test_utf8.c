/* UTF-8 by RFC 3629: each character there is, and byte sequences that its table does not have. */
#include "base/str.h"

#include <criterion/criterion.h>
#include <string.h>

/* As the table in section 3 of the RFC writes a code point. */
static size_t encode(uint32_t point, unsigned char *out) {
    size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; point >>= 6)
        out[i] = (unsigned char)(0x80 | (point & 0x3f));
    out[0] = (unsigned char)(leads[length] | point);
    out[length] = '\0';
    return length;
}

Test(utf8, every_character) {
    for (uint32_t point = 1; point <= 0x10ffff; point++) {
        unsigned char text[5];
        const unsigned char *end = text;
        size_t length = encode(point, text);
        bool surrogate = point >= 0xd800 && point <= 0xdfff;
        uint32_t found = utf8_next(&end);
        cr_assert_eq(found, surrogate ? 0xfffd : point, "%X is read as %X", point, found);
        cr_assert_eq((size_t)(end - text), surrogate ? 1 : length, "%X", point);
    }
}

Test(utf8, no_character) {
    static const char *const texts[] = {"\x80",
                                        "\xbf",
                                        "\xc0\x80",
                                        "\xc1\xbf",
                                        "\xc3(",
                                        "\xe0\x80\x80",
                                        "\xe2\x82",
                                        "\xf0\x80\x80\x80",
                                        "\xf0\x9f\x98",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xf8\x90\x80\x80",
                                        "\xfc\x80\x80\x80",
                                        "\xfe",
                                        "\xff\xbf\xbf\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const unsigned char *end = (const unsigned char *)texts[i];
        cr_expect_eq(utf8_next(&end), 0xfffd, "case %zu", i);
        cr_expect_eq((const char *)end, texts[i] + 1, "case %zu", i);
    }
}

/* The control characters are C0, DEL and C1 (Unicode, chapter 23.1); U+FFFD itself is a character.
 */
Test(utf8, printable) {
    for (uint32_t point = 1; point <= 0x10ffff; point++) {
        unsigned char text[6] = {0};
        bool surrogate = point >= 0xd800 && point <= 0xdfff;
        bool control = point < 32 || point == 127 || (point > 127 && point < 160);
        control |= (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
                   (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
        encode(point, text);
        cr_assert_eq(utf8_is_printable((const char *)text, false), !surrogate && !control, "%X",
                     point);
        cr_assert_eq(utf8_is_printable((const char *)text, true),
                     point == '\n' || (!surrogate && !control), "%X", point);
    }
    cr_expect(utf8_is_printable("", false));
    cr_expect(utf8_is_printable("a\nb", true));
    cr_expect_not(utf8_is_printable("a\nb\x1b", true));
    cr_expect_not(utf8_is_printable("a\xe9", true));
}
