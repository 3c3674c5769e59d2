/* Formats by name: see formats.h. */
#include "cli/formats.h"

#include "cli/option_table.h"

#include <string.h>

static const char *list_names(const struct format_use *formats, size_t count, unsigned use,
                              struct str *out) {
    for (size_t i = 0; i < count; i++)
        if (use == 0 || formats[i].uses & use)
            str_addf(out, "%s%s", out->length > 0 ? ", " : "", formats[i].name);
    return out->text;
}

static size_t find_format(const struct options *options, const struct format_use *formats,
                          size_t count, struct problems *problems) {
    struct str names = {0};
    size_t i = 0;
    while (i < count && strcmp(formats[i].name, options->operands[0]) != 0)
        i++;
    if (i == count)
        problems_add(problems, (struct location){0}, NULL, "%s: no format is named \"%s\" (%s)",
                     options->who, options->operands[0], list_names(formats, count, 0, &names));
    str_finish(&names);
    return i;
}

size_t formats_choose(const struct options *options, const struct format_use *formats, size_t count,
                      struct problems *problems) {
    size_t before = problems->count, chosen = find_format(options, formats, count, problems);
    for (const struct option_row *row = option_rows; chosen < count && row->name; row++) {
        struct str names = {0};
        if (!option_belongs(row, options->command) || row->use == 0 ||
            row->use & formats[chosen].uses || !option_given(options, row->name))
            continue;
        problems_add(problems, (struct location){0}, NULL,
                     "--%s: no option of format %s: expected it with %s only", row->name,
                     formats[chosen].name, list_names(formats, count, row->use, &names));
        str_finish(&names);
    }
    return problems->count > before ? count : chosen;
}
