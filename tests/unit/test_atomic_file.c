/* Output files appear complete or not at all. Test names are relative: .init enters a fresh
 * directory. */
#include "../support/temp_dir.h"
#include "base/mem.h"
#include "io/atomic_file.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static int count_files(void) {
    DIR *dir = opendir(".");
    int count = -2; /* . and .. */
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void check_content(const char *name, const char *expected, size_t length) {
    FILE *file = fopen(name, "rb");
    cr_assert_not_null(file, "%s is missing", name);
    char *bytes = mem_alloc(length + 1);
    cr_assert_eq(fread(bytes, 1, length + 1, file), length, "%s has another length", name);
    cr_assert_arr_eq(bytes, expected, length);
    free(bytes);
    fclose(file);
}

Test(atomic_file, appears_on_commit, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct atomic_file *file = NULL;
    struct error error = {0};
    temp_file_write_text("out.csv", "old");
    cr_assert_eq(atomic_file_open("out.csv", &file, &error), 0, "%s", error.text);
    cr_assert_eq(atomic_file_write(file, "new", 3, &error), 0);
    cr_assert_eq(atomic_file_write(file, NULL, 0, &error), 0);
    check_content("out.csv", "old", 3);
    cr_assert_eq(count_files(), 2);
    cr_assert_eq(atomic_file_commit(file, &error), 0, "%s", error.text);
    check_content("out.csv", "new", 3);
    cr_assert_eq(count_files(), 1);

    cr_assert_eq(atomic_file_open("out.csv", &file, &error), 0);
    cr_assert_eq(atomic_file_write(file, "newer", 5, &error), 0);
    atomic_file_abort(file);
    atomic_file_abort(NULL);
    check_content("out.csv", "new", 3);
    cr_assert_eq(count_files(), 1);
}

/* Pieces of every size around the buffer (16 KiB); the expected content is their concatenation by
 * formula. */
Test(atomic_file, pieces_of_all_sizes, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const size_t pieces[] = {1, 16383, 1, 16384, 16385, 17, 16384, 1 << 20, 0, 5};
    size_t length = 0;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        length += pieces[i];
    char *bytes = mem_alloc(length);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)(i * 31 % 251);
    struct atomic_file *file;
    cr_assert_eq(atomic_file_open("out.bin", &file, NULL), 0);
    size_t at = 0;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; at += pieces[i++])
        cr_assert_eq(atomic_file_write(file, bytes + at, pieces[i], NULL), 0);
    cr_assert_eq(atomic_file_commit(file, NULL), 0);
    check_content("out.bin", bytes, length);
    free(bytes);
}

static struct slice next_word(void *context) {
    static const char *const words[] = {"one ", "two ", "three", ""};
    const char *word = words[(*(int *)context)++];
    return (struct slice){word, strlen(word)};
}

Test(atomic_file, source_of_pieces, .init = temp_dir_enter, .fini = temp_dir_leave) {
    int next = 0;
    const struct text_source source = {next_word, &next};
    cr_assert_eq(atomic_file_write_pieces("out.txt", &source, NULL), 0);
    check_content("out.txt", "one two three", 13);
    cr_assert_eq(count_files(), 1);
}

/* Back to sizes in the buffer and before it, and on from there. */
Test(atomic_file, shortened, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const size_t sizes[] = {3, 300000, 645000};
    char *bytes = mem_alloc(700000);
    for (size_t i = 0; i < 700000; i++)
        bytes[i] = (char)(i % 251);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct atomic_file *file = NULL;
        struct error error = {0};
        cr_assert_eq(atomic_file_open("out.csv", &file, &error), 0);
        for (size_t at = 0; at < 650000; at += 1000)
            cr_assert_eq(atomic_file_write(file, bytes + at, 1000, &error), 0);
        cr_expect_eq(atomic_file_size(file), 650000);
        cr_assert_eq(atomic_file_shorten(file, sizes[i], &error), 0, "%s", error.text);
        cr_expect_eq(atomic_file_size(file), sizes[i]);
        cr_assert_eq(atomic_file_write(file, bytes + sizes[i], 100, &error), 0);
        cr_assert_eq(atomic_file_commit(file, &error), 0, "%s", error.text);
        check_content("out.csv", bytes, sizes[i] + 100);
    }
    free(bytes);
}

Test(atomic_file, mode_follows_the_umask, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const mode_t masks[][2] = {{022, 0644}, {027, 0640}, {077, 0600}, {0, 0644}};
    for (size_t i = 0; i < 4; i++) {
        struct atomic_file *file;
        struct stat status;
        umask(masks[i][0]);
        cr_assert_eq(atomic_file_open("out.csv", &file, NULL), 0);
        cr_assert_eq(atomic_file_commit(file, NULL), 0);
        cr_assert_eq(stat("out.csv", &status), 0);
        cr_assert_eq(status.st_mode & 0777, masks[i][1]);
    }
    umask(022);
}

Test(atomic_file, cannot_create, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct {
        const char *path, *text;
    } cases[] = {
        {"nowhere/out.csv", "nowhere/out.csv: cannot create: No such file or directory"},
        {".", ".: cannot create: Is a directory"},
        {"file/out.csv", "file/out.csv: cannot create: Not a directory"},
        {"", ": cannot create: No such file or directory"},
    };
    temp_file_write_text("file", "x");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct atomic_file *file = NULL;
        struct error error = {0};
        cr_assert_eq(atomic_file_open(cases[i].path, &file, &error), ERROR_IO, "%s", cases[i].path);
        cr_assert_str_eq(error.text, cases[i].text);
        cr_assert_null(file);
    }
    cr_assert_eq(count_files(), 1);
}

/* A limit on the file size stands for a full disk. */
Test(atomic_file, full_disk, .init = temp_dir_enter, .fini = temp_dir_leave) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {10000, 10000};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    char *bytes = mem_zalloc(40000, 1);
    struct atomic_file *file;
    struct error error = {0};

    cr_assert_eq(atomic_file_open("out.csv", &file, &error), 0); /* noticed by a write */
    cr_assert_eq(atomic_file_write(file, bytes, 40000, &error), ERROR_IO);
    cr_assert_str_eq(error.text, "out.csv: cannot write: File too large");
    cr_assert_eq(atomic_file_commit(file, &error), ERROR_IO); /* never renamed after that */
    cr_assert_str_eq(error.text, "out.csv: not written completely");
    cr_assert_eq(count_files(), 0);

    cr_assert_eq(atomic_file_open("out.csv", &file, &error), 0); /* noticed by the commit */
    cr_assert_eq(atomic_file_write(file, bytes, 15000, &error), 0);
    cr_assert_eq(atomic_file_commit(file, &error), ERROR_IO);
    cr_assert_str_eq(error.text, "out.csv: cannot write: File too large");
    cr_assert_eq(count_files(), 0);
    free(bytes);
}

/* A rename would replace a device or a link by a file: devices are written directly, links
 * followed. */
Test(atomic_file, devices_and_links, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct atomic_file *file;
    struct error error = {0};
    struct stat status;
    cr_assert_eq(atomic_file_open("/dev/full", &file, &error), 0);
    cr_assert_eq(atomic_file_write(file, "x", 1, &error), 0);
    cr_assert_eq(atomic_file_commit(file, &error), ERROR_IO);
    cr_assert_str_eq(error.text, "/dev/full: cannot write: No space left on device");
    cr_assert(stat("/dev/full", &status) == 0 && S_ISCHR(status.st_mode));

    temp_file_write_text("real.csv", "old");
    cr_assert_eq(symlink("real.csv", "link.csv"), 0);
    cr_assert_eq(atomic_file_open("link.csv", &file, &error), 0);
    cr_assert_eq(atomic_file_write(file, "2.385", 5, &error), 0);
    cr_assert_eq(atomic_file_commit(file, &error), 0);
    check_content("real.csv", "2.385", 5);
    cr_assert(lstat("link.csv", &status) == 0 && S_ISLNK(status.st_mode));
}
