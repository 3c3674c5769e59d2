/* Faults of the machine: see machine.h. */
#include "base/machine.h"

#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

static const int codes[] = {EIO,    ENOMEM, EAGAIN,  EMFILE,    ENFILE,
                            ENOSPC, EDQUOT, ENOBUFS, ETIMEDOUT, ESTALE};
#define CODES (sizeof codes / sizeof *codes)

bool machine_is_at_fault(int code) {
    size_t i = 0;
    while (i < CODES && codes[i] != code)
        i++;
    return i < CODES;
}

bool machine_is_named(const char *text) {
    size_t i = 0;
    while (i < CODES && !strstr(text, strerror(codes[i])))
        i++;
    return i < CODES || strstr(text, "out of memory");
}

void machine_check(int code, const char *path, const char *verb) {
    if (machine_is_at_fault(code))
        machine_end("%s: cannot %s: %s", path, verb, strerror(code));
}

void machine_end(const char *format, ...) {
    struct str text = {0}, shown = {0};
    va_list arguments;
    va_start(arguments, format);
    str_addv(&text, format, arguments);
    va_end(arguments);
    str_add_visible(&shown, text.text);
    mem_end(shown.text);
}
