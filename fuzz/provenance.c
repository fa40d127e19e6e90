/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_provenance - what a user's files and processes hold: the head of an ELF file,
 * lines of maps, a cgroup, a list of files.
 */
#include "jobsession/provenance/provenance.h"
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "jobsession/provenance/maps_line.h"

#include <errno.h>

static void check_elf(struct span text)
{
    char id[ELF_NAME_BYTES];
    elf_build_id(text, id);
    fuzz_check(strlen(id) < sizeof id);
    fuzz_check(strspn(id, "0123456789abcdef") == strlen(id));
}

static void check_lines(struct span text)
{
    struct span line;
    while (text.size > 0) {
        struct maps_line got;
        (void)span_cut(&text, '\n', &line);
        if (!maps_line_parse(line, &got))
            continue;
        fuzz_check(got.path.size > 0 && got.path.data[0] == '/');
        fuzz_check(got.path.data >= line.data &&
                   got.path.data + got.path.size <= line.data + line.size);
    }
}

static void check_file(struct span text)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_file file, again;
    if (job_file_parse(text, &file) < 0)
        return;
    job_file_print(&file, &out);
    fuzz_check(job_file_parse(strbuf_span(&out), &again) == 0);
    fuzz_check(span_eq(file.name, again.name) && file.kind == again.kind);
}

static void check_list(struct span text)
{
    AUTO(arena_done) struct arena arena;
    struct job_file_list list;
    struct err err = { 0 };
    arena_init(&arena, 0);
    int rc = job_file_list_read(text, &arena, &list, &err);
    fuzz_check(rc == 0 || rc == -EBADMSG || rc == -ENOMEM);
    for (size_t i = 0; rc == 0 && i < list.count; i++)
        fuzz_check(!job_file_check(&list.files[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span text = { (const char *)data, size };
    struct span job = run_job_of_cgroup(text);
    fuzz_check(job.size <= size);
    check_elf(text);
    check_lines(text);
    check_file(text);
    check_list(text);
    return 0;
}
