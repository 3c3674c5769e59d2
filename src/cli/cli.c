/* What all commands share. */
#include "cli/cli.h"

#include "io/atomic_file.h"

#include <stdio.h>

int cli_report_problems(const struct problems *problems) {
    for (size_t i = 0; i < problems->count; i++)
        fprintf(stderr, "%s\n", problems->texts[i]);
    return EXIT_BAD_INPUT;
}

int cli_report_error(const struct error *error) {
    fprintf(stderr, "easim: %s\n", error->text);
    if (error->code == ERROR_CANCELLED)
        return EXIT_INTERRUPTED;
    return error->code == ERROR_INPUT ? EXIT_BAD_INPUT : EXIT_RUN_FAILED;
}

int cli_print(const struct str *text, struct error *reterr) {
    if (fwrite(text->text, 1, text->length, stdout) != text->length || fflush(stdout) != 0)
        return error_set(reterr, ERROR_IO, "standard output: cannot write");
    return 0;
}

int cli_write(const char *path, const struct str *text, struct error *reterr) {
    return path ? atomic_file_write_whole(path, text->text, text->length, reterr)
                : cli_print(text, reterr);
}
