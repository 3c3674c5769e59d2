/* Results where an input is expected: see results.h. */
#include "cli/results.h"

#include "study/recorded.h"

#include <string.h>
#include <sys/stat.h>

int results_refuse(const struct options *options, struct problems *problems) {
    const char *path = options->operands[0], *slash = strrchr(path, '/');
    const char *operands = commands[options->command].operands;
    struct arena arena = {0};
    struct stat status;
    size_t length = strlen(path), before = problems->count;
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *within = arena_printf(&arena, "%.*s/" MANIFEST_NAME, (int)length, path);
    if (recorded_is_manifest(path))
        problems_add(problems, (struct location){0}, NULL,
                     "%s: %s is the manifest of results, the scenario is %.*s" SCENARIO_NAME,
                     options->who, path, slash ? (int)(slash + 1 - path) : 0, path);
    else if (recorded_is_manifest(within))
        problems_add(problems, (struct location){0}, NULL,
                     "%s: %s is a folder of results: %s repeats it, %.*s/" SCENARIO_NAME
                     " is the scenario",
                     options->who, path, within, (int)length, path);
    else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        problems_add(problems, (struct location){0}, NULL, "%s: expected %.*s, got a folder: %s",
                     options->who, (int)strcspn(operands, " "), operands, path);
    arena_finish(&arena);
    return problems->count > before ? ERROR_INPUT : 0;
}
