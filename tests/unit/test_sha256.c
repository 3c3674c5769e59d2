/* SHA-256 against FIPS 180-4's own examples, and relative paths. */
#include "io/files.h"
#include "io/sha256.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_text(const char *text, const char *expected) {
    char digest[SHA256_TEXT];
    sha256_text((struct slice){text, strlen(text)}, digest);
    cr_expect_str_eq(digest, expected);
}

/* The examples of FIPS 180-4 (csrc.nist.gov, SHA256.pdf), and the empty text. */
Test(sha256, published_examples) {
    expect_text("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_text("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* A million times "a": more than one buffer. */
Test(sha256, files) {
    char path[] = "/tmp/easim-sha256.XXXXXX", digest[SHA256_TEXT];
    uint64_t bytes = 0;
    struct error error = {0};
    FILE *file = fdopen(mkstemp(path), "w");
    for (int i = 0; i < 1000000; i++)
        fputc('a', file);
    fclose(file);
    cr_assert_eq(sha256_file(path, digest, &bytes, &error), 0);
    cr_expect_str_eq(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    cr_expect_eq(bytes, 1000000);
    unlink(path);
    cr_expect_eq(sha256_file(path, digest, &bytes, &error), SHA256_NO_FILE);
    cr_expect_eq(sha256_file("/tmp", digest, &bytes, &error), SHA256_NO_FILE);
    cr_expect_eq(sha256_file("/dev/null", digest, &bytes, &error), SHA256_NO_FILE);
    cr_expect_eq(sha256_file("/proc/self/mem", digest, &bytes, &error), ERROR_IO); /* address 0 */
    cr_expect_str_eq(error.text, "/proc/self/mem: cannot read: Input/output error");
}

Test(sha256, files_relative) {
    char base[] = "/tmp/easim-files.XXXXXX";
    struct arena arena = {0};
    struct error error = {0};
    cr_assert(mkdtemp(base));
    const char *results = arena_printf(&arena, "%s/tree/results/run", base);
    const char *configs = arena_printf(&arena, "%s/tree/configs", base);
    cr_assert_eq(files_make_folders(results, &error), 0);
    cr_assert_eq(files_make_folders(configs, &error), 0);
    cr_assert_eq(symlink(results, arena_printf(&arena, "%s/link", base)), 0);
    const struct {
        const char *path, *folder, *expected;
    } cases[] = {
        {"tree/configs/a.yaml", "tree/results/run", "../../configs/a.yaml"},
        {"tree/results/../configs/a.yaml", "tree/results/run", "../../configs/a.yaml"},
        {"tree/results/run/a.csv", "tree/results/run", "a.csv"},
        {"tree/results/runner.csv", "tree/results/run", "../runner.csv"},
        {"tree/configs/a.yaml", "link", "../../configs/a.yaml"}, /* where the link leads to */
        {"link/a.csv", "tree", "results/run/a.csv"},
        {"nowhere/a.csv", "tree", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = arena_printf(&arena, "%s/%s", base, cases[i].path);
        const char *found =
            files_relative(path, arena_printf(&arena, "%s/%s", base, cases[i].folder), &arena);
        cr_expect_str_eq(found, cases[i].expected ? cases[i].expected : path);
    }
    cr_expect_str_eq(files_relative("/tmp", "/", &arena), "tmp");
    cr_expect_str_eq(files_relative("/x", "/tmp", &arena), "../x");
    cr_assert_eq(chdir(results), 0);
    cr_expect_str_eq(files_relative("a.csv", "..", &arena), "run/a.csv");
    cr_assert_eq(system(arena_printf(&arena, "rm -r %s", base)), 0);
    arena_finish(&arena);
}
