/* What the dynamic section of an ELF file says: see module_inert.h. Offsets in it are not believed.
 */
#include "policy/module_inert.h"

#include "base/str.h"
#include "io/files.h"

#include <link.h>
#include <string.h>

#define MOST_BYTES ((size_t)64 << 20) /* of a module */

struct elf {
    struct slice file;
    const ElfW(Phdr) * segments;
    size_t segment_count;
};

/* NULL: not all of it is in the file. */
static const void *part_of(const struct elf *elf, uint64_t offset, uint64_t bytes) {
    bool inside = offset <= elf->file.length && bytes <= elf->file.length - offset;
    return inside ? elf->file.at + offset : NULL;
}

static bool read_elf_header(struct elf *elf) {
    const ElfW(Ehdr) *header = part_of(elf, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        header->e_phentsize != sizeof *elf->segments || header->e_phoff % _Alignof(ElfW(Phdr)) != 0)
        return false;
    elf->segment_count = header->e_phnum;
    elf->segments = part_of(elf, header->e_phoff, elf->segment_count * sizeof *elf->segments);
    return elf->segments != NULL;
}

/* What is loaded at an address, up to the end of its segment in the file. */
static struct slice bytes_at(const struct elf *elf, uint64_t address) {
    for (size_t i = 0; i < elf->segment_count; i++) {
        const ElfW(Phdr) *s = &elf->segments[i];
        const char *at = part_of(elf, s->p_offset, s->p_filesz);
        if (s->p_type == PT_LOAD && at && address >= s->p_vaddr &&
            address - s->p_vaddr < s->p_filesz)
            return (struct slice){at + (address - s->p_vaddr),
                                  s->p_filesz - (address - s->p_vaddr)};
    }
    return (struct slice){NULL, 0};
}

/* Libraries that are there before any module. */
static bool is_of_c(struct slice names, uint64_t offset) {
    static const char *const known[] = {"libc.so.6", "libm.so.6"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t bytes = strlen(known[i]) + 1;
        if (offset < names.length && bytes <= names.length - offset &&
            memcmp(names.at + offset, known[i], bytes) == 0)
            return true;
    }
    return false;
}

static bool is_inert(const struct elf *elf, const ElfW(Dyn) * entries, size_t count) {
    struct slice names = {NULL, 0};
    bool inert = true;
    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
        if (entries[i].d_tag == DT_STRTAB)
            names = bytes_at(elf, entries[i].d_un.d_ptr);
    for (size_t i = 0; i < count && inert && entries[i].d_tag != DT_NULL; i++) {
        const ElfW(Dyn) *entry = &entries[i];
        if (entry->d_tag == DT_INIT_ARRAYSZ || entry->d_tag == DT_FINI_ARRAYSZ)
            inert = entry->d_un.d_val <= sizeof(void *); /* the compiler's own */
        else if (entry->d_tag == DT_NEEDED)
            inert = is_of_c(names, entry->d_un.d_val);
        else
            inert = entry->d_tag != DT_AUXILIARY && entry->d_tag != DT_FILTER;
    }
    return inert;
}

bool module_is_inert(const char *path) {
    struct str text = {0};
    struct error ignored = {0};
    bool inert = false;
    if (files_read(path, MOST_BYTES, &text, &ignored) == 0) {
        struct elf elf = {.file = {text.text, text.length}};
        bool good = read_elf_header(&elf);
        for (size_t i = 0; good && i < elf.segment_count; i++) {
            const ElfW(Phdr) *s = &elf.segments[i];
            const ElfW(Dyn) *entries =
                s->p_type == PT_DYNAMIC && s->p_offset % _Alignof(ElfW(Dyn)) == 0
                    ? part_of(&elf, s->p_offset, s->p_filesz)
                    : NULL;
            inert = inert || (entries && is_inert(&elf, entries, s->p_filesz / sizeof *entries));
        }
    }
    str_finish(&text);
    return inert;
}
