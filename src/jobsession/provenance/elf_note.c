/* SPDX-License-Identifier: Apache-2.0 */
/* elf_note - the build-id of an executable or a library. */
#include "jobsession/provenance/elf_note.h"

#include "base/span.h"

#include <elf.h>

#define HEADERS_MAX 128
#define BUILD_ID_BYTES_MAX (JOB_FILE_BUILD_ID_BYTES_MAX / 2)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_ORDER ELFDATA2LSB
#else
#define OWN_ORDER ELFDATA2MSB
#endif

/* The bytes [at, at + size) of head; false: it has not all of them. */
static bool bytes_at(struct span head, uint64_t at, uint64_t size, struct span *ret)
{
    if (at > head.size || size > head.size - at)
        return false;
    *ret = (struct span){ head.data + at, (size_t)size };
    return true;
}

static uint64_t aligned(uint64_t size)
{
    return (size + 3) & ~UINT64_C(3);
}

static void print_hex(struct span bytes, char ret[ELF_NAME_BYTES])
{
    for (size_t i = 0; i < bytes.size; i++)
        (void)snprintf(ret + 2 * i, 3, "%02x", (unsigned char)bytes.data[i]);
}

/* The first note of GNU's build-id among notes. */
static bool find_note(struct span notes, char ret[ELF_NAME_BYTES])
{
    struct span header, name, value;
    uint64_t at = 0;
    Elf64_Nhdr note; /* the same of both classes */
    while (bytes_at(notes, at, sizeof note, &header)) {
        memcpy(&note, header.data, sizeof note);
        at += sizeof note;
        if (!bytes_at(notes, at, note.n_namesz, &name))
            return false;
        at += aligned(note.n_namesz);
        if (!bytes_at(notes, at, note.n_descsz, &value))
            return false;
        at += aligned(note.n_descsz);
        if (note.n_type == NT_GNU_BUILD_ID && span_eq(name, SPAN("GNU\0")) &&
            value.size > 0 && value.size <= BUILD_ID_BYTES_MAX) {
            print_hex(value, ret);
            return true;
        }
    }
    return false;
}

/* What both classes have, in 64 bits. */
struct program_headers {
    uint64_t at, size, count;
};

static bool read_header(struct span head, bool *ret_is_64, struct program_headers *ret)
{
    struct span bytes;
    if (!bytes_at(head, 0, EI_NIDENT, &bytes) ||
        memcmp(bytes.data, ELFMAG, SELFMAG) != 0 || bytes.data[EI_DATA] != OWN_ORDER)
        return false;
    *ret_is_64 = bytes.data[EI_CLASS] == ELFCLASS64;
    if (*ret_is_64 && bytes_at(head, 0, sizeof(Elf64_Ehdr), &bytes)) {
        Elf64_Ehdr e;
        memcpy(&e, bytes.data, sizeof e);
        *ret = (struct program_headers){ e.e_phoff, e.e_phentsize, e.e_phnum };
        return e.e_phentsize == sizeof(Elf64_Phdr);
    }
    if (bytes.data[EI_CLASS] == ELFCLASS32 &&
        bytes_at(head, 0, sizeof(Elf32_Ehdr), &bytes)) {
        Elf32_Ehdr e;
        memcpy(&e, bytes.data, sizeof e);
        *ret = (struct program_headers){ e.e_phoff, e.e_phentsize, e.e_phnum };
        return e.e_phentsize == sizeof(Elf32_Phdr);
    }
    return false;
}

static bool notes_of(struct span head, struct span bytes, bool is_64, struct span *ret)
{
    if (is_64) {
        Elf64_Phdr p;
        memcpy(&p, bytes.data, sizeof p);
        return p.p_type == PT_NOTE && bytes_at(head, p.p_offset, p.p_filesz, ret);
    }
    Elf32_Phdr p;
    memcpy(&p, bytes.data, sizeof p);
    return p.p_type == PT_NOTE && bytes_at(head, p.p_offset, p.p_filesz, ret);
}

void elf_build_id(struct span head, char ret[ELF_NAME_BYTES])
{
    struct program_headers headers = { 0 };
    struct span bytes, notes;
    bool is_64 = false;
    ret[0] = '\0';
    if (!read_header(head, &is_64, &headers))
        return;
    for (uint64_t i = 0; i < headers.count && i < HEADERS_MAX; i++) {
        if (headers.at > head.size ||
            !bytes_at(head, headers.at + i * headers.size, headers.size, &bytes))
            return;
        if (notes_of(head, bytes, is_64, &notes) && find_note(notes, ret))
            return;
    }
}
