/* Fills in a man page: options_section COMMAND|easim < PAGE. Its first line gets the version, and
   the line "@OPTIONS@" becomes the options that the command has in the table. */
#include "cli/internal.h"
#include "easim_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char line[4096];
    struct str text = {0};
    enum command command = argc == 2 ? command_find(argv[1]) : COMMAND_COUNT;
    if (argc != 2 || (command == COMMAND_COUNT && strcmp(argv[1], "easim") != 0))
        return EXIT_FAILURE;
    if (fgets(line, sizeof line, stdin))
        str_addf(&text, "%.*s \"easim %s\"\n", (int)strcspn(line, "\n"), line, EASIM_VERSION);
    while (fgets(line, sizeof line, stdin))
        if (strcmp(line, "@OPTIONS@\n") == 0)
            option_help_write_man(command, &text);
        else
            str_add(&text, line);
    bool written = fwrite(text.text, 1, text.length, stdout) == text.length && fflush(stdout) == 0;
    str_finish(&text);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
