/* A fresh working directory for tests that write files: relative names, so that messages can be
   compared whole. Criterion runs every test in a process of its own; use as .init and .fini. */
#ifndef EASIM_TESTS_TEMP_DIR_H
#define EASIM_TESTS_TEMP_DIR_H

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void temp_dir_enter(void) {
    char path[] = "/tmp/easim-test-XXXXXX";
    if (!mkdtemp(path) || chdir(path) != 0)
        abort();
}

/* The working directory, which must be one of temp_dir_enter: a test writes and cleans no other. */
static inline const char *temp_dir_get(char path[static PATH_MAX]) {
    if (!getcwd(path, PATH_MAX) || strncmp(path, "/tmp/easim-test-", 16) != 0)
        abort();
    return path;
}

/* Removes the files in it (tests make no folders) and the directory. */
static inline void temp_dir_leave(void) {
    char path[PATH_MAX];
    temp_dir_get(path);
    DIR *dir = opendir(".");
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(entry->d_name);
    closedir(dir);
    if (chdir("/") != 0 || rmdir(path) != 0)
        abort();
}

static inline void temp_file_write(const char *name, const void *bytes, size_t length) {
    char path[PATH_MAX];
    temp_dir_get(path);
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        abort();
}

static inline void temp_file_write_text(const char *name, const char *text) {
    temp_file_write(name, text, strlen(text));
}

#endif
