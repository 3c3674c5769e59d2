/* Without libFuzzer: runs the target once on every file named, and on every file of every folder named. */
#include "base/mem.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    size_t size = 0, capacity = 1 << 16, got;
    uint8_t *data = mem_alloc(capacity);
    if (!file) {
        perror(path);
        free(data);
        return 0;
    }
    while ((got = fread(data + size, 1, capacity - size, file)) > 0)
        if ((size += got) == capacity)
            data = mem_realloc(data, capacity *= 2, 1);
    fclose(file);
    uint8_t *exact = mem_alloc(size); /* so that a read behind the end is seen */
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
    return 1;
}

static int run_path(const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    if (!folder)
        return run_file(path);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            count += run_file(name);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++)
        count += run_path(argv[i]);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
