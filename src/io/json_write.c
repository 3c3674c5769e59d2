/* Text as JSON: quotes, backslashes and control characters become escapes. */
#include "io/json_write.h"

#include "base/str.h"

void json_write_text(struct str *out, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    str_add_char(out, '"');
    while (*at) {
        const unsigned char *begin = at;
        uint32_t point = utf8_next(&at);
        if (point == '"' || point == '\\')
            str_addf(out, "\\%c", (int)point);
        else if (point < 0x20)
            str_addf(out, "\\u%04x", (unsigned)point);
        else if (point == 0xfffd)
            str_add(out, "\xef\xbf\xbd");
        else
            str_add_bytes(out, (const char *)begin, (size_t)(at - begin));
    }
    str_add_char(out, '"');
}
