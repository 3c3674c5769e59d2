/* Files made as a whole: see text_files.h. */
#include "output/text_files.h"

#include "io/atomic_file.h"
#include "io/files.h"
#include "output/manifest.h"

#include <stdlib.h>

static void remove_leftovers(const char *folder, const struct text_file *files, size_t count) {
    const char **names = mem_zalloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = files[i].name;
    manifest_remove_leftovers(folder, names);
    free(names);
}

int text_files_write(const char *folder, struct text_file *files, size_t count,
                     struct error *reterr) {
    struct arena arena = {0};
    int r = files_make_folders(folder, reterr);
    if (r == 0)
        r = manifest_retire(folder, reterr);
    if (r == 0)
        remove_leftovers(folder, files, count);
    for (size_t i = 0; i < count; i++) {
        struct str *text = &files[i].text;
        const char *path = arena_printf(&arena, "%s/%s", folder, files[i].name);
        if (r == 0 && text->length > 0)
            r = atomic_file_write_whole(path, text->text, text->length, reterr);
        else if (r == 0)
            r = files_remove(path, reterr);
        str_finish(text);
    }
    arena_finish(&arena);
    return r;
}
