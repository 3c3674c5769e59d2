/* A fuzz target without a fuzzer: runs it on every file of the folders named on the command line,
   and on each with its last third cut off and with one byte in seven changed, so that the ordinary
   suite sees more than good files.
 */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>

static size_t read_file(const char *path, uint8_t *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    if (!file)
        fuzz_fail(path);
    size_t length = fread(bytes, 1, room, file);
    fclose(file);
    return length;
}

/* A copy of its own length: a byte read behind it is seen by AddressSanitizer. */
static void run_once(const uint8_t *bytes, size_t length) {
    uint8_t *copy = malloc(length + (length == 0));
    if (!copy)
        fuzz_fail("out of memory");
    memcpy(copy, bytes, length);
    (void)LLVMFuzzerTestOneInput(copy, length);
    free(copy);
}

static void run(const char *path) {
    static uint8_t bytes[1 << 20];
    size_t length = read_file(path, bytes, sizeof bytes);
    run_once(bytes, length);
    run_once(bytes, length - length / 3);
    for (size_t start = 0; start < 7; start++) {
        for (size_t i = start; i < length; i += 7)
            bytes[i] ^= (uint8_t)(1 + start);
        run_once(bytes, length);
    }
}

const char *fuzz_reader;

int main(int argc, char **argv) {
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        fuzz_reader = basename(argv[i]);
        if (!folder)
            fuzz_fail(argv[i]);
        for (struct dirent *entry; (entry = readdir(folder));) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (entry->d_name[0] == '.')
                continue;
            run(path);
            count++;
        }
        closedir(folder);
    }
    printf("%zu files\n", count);
    return count > 0 ? 0 : 1;
}
