/* UTF-8, as RFC 3629 has it: no surrogates, nothing longer than needed. */
#include "base/utf8.h"

#include <stddef.h>

uint32_t utf8_next(const unsigned char **text) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = *text;
    size_t length = *at < 0x80                  ? 1
                    : *at >= 0xc2 && *at < 0xe0 ? 2
                    : *at >= 0xe0 && *at < 0xf0 ? 3
                    : *at >= 0xf0 && *at < 0xf5 ? 4
                                                : 0;
    uint32_t point = length == 1 ? *at : *at & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            length = 0;
        else
            point = point << 6 | (at[i] & 0x3f);
    }
    bool good = length > 0 && point >= least[length] && point <= 0x10ffff &&
                (point < 0xd800 || point > 0xdfff);
    *text = at + (good ? length : 1);
    return good ? point : 0xfffd;
}

/* Turns the direction of what stands around it, begins a line, or takes no room. */
static bool is_unseen(uint32_t point) {
    return (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

bool utf8_is_printable(const char *text, bool newlines) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        const unsigned char *from = at;
        uint32_t point = utf8_next(&at);
        bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
        bool stray = point == 0xfffd && at == from + 1; /* a byte that begins no character */
        if (stray || is_unseen(point) || (control && !(newlines && point == '\n')))
            return false;
    }
    return true;
}
