/* SPDX-License-Identifier: Apache-2.0 */
/* manifest - which files of a directory make up the store at one checkpoint. */
#include "blocks/manifest.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

#define MANIFEST_BYTES_MAX ((size_t)16 << 20)
#define MANIFEST_FIRST_LINE "baro-store-manifest 1"
#define MANIFEST_PATH_MAX 4096
#define WORDS_MAX 4

void manifest_done(struct manifest *manifest)
{
    free(manifest->blocks);
    free(manifest->archives);
    *manifest = (struct manifest){ 0 };
}

int manifest_add(struct manifest *manifest, enum manifest_list list,
                 struct manifest_file file)
{
    bool is_block = list == MANIFEST_BLOCKS;
    struct manifest_file **files = is_block ? &manifest->blocks : &manifest->archives;
    size_t *count = is_block ? &manifest->block_count : &manifest->archive_count;
    if (*count >= MANIFEST_FILES_MAX)
        return -E2BIG;
    if ((*count & (*count - 1)) == 0) {
        size_t capacity = *count ? 2 * *count : 1;
        struct manifest_file *grown = realloc(*files, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        *files = grown;
    }
    (*files)[(*count)++] = file;
    return 0;
}

static void print_path(char out[static MANIFEST_PATH_MAX], const char *dir,
                       uint64_t checkpoint)
{
    (void)snprintf(out, MANIFEST_PATH_MAX, "%s/manifest-%08" PRIu64, dir, checkpoint);
}

int manifest_write(const struct manifest *m, const char *dir, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char path[MANIFEST_PATH_MAX];
    strbuf_addf(&text,
                "%s\ncheckpoint %" PRIu64 "\ntime %" PRId64 "\nseed %" PRIu64
                "\nnext_number %" PRIu32 "\n",
                MANIFEST_FIRST_LINE, m->checkpoint, m->t_ns, m->seed, m->next_number);
    for (unsigned i = 0; i < m->shard_count; i++)
        strbuf_addf(&text, "log %u %" PRIu64 "\n", i, m->segments[i]);
    for (size_t i = 0; i < m->block_count; i++)
        strbuf_addf(&text, "blocks %" PRIu64 " %u\n", m->blocks[i].checkpoint,
                    m->blocks[i].shard);
    for (size_t i = 0; i < m->archive_count; i++)
        strbuf_addf(&text, "archive %" PRIu64 "\n", m->archives[i].checkpoint);
    uint64_t sum = strbuf_error(&text) ? 0 : XXH3_64bits(text.data, text.size);
    strbuf_addf(&text, "end %016" PRIx64 "\n", sum);
    if (strbuf_error(&text) < 0)
        return err_set(err, ENOMEM, "out of memory");
    print_path(path, dir, m->checkpoint);
    return file_replace(path, text.data, text.size, 0640, err);
}

/* The numbers behind the word of a line; -1: they are none, or too many. */
static int read_numbers(struct span rest, uint64_t numbers[static WORDS_MAX])
{
    int count = 0;
    while (rest.size > 0) {
        struct span word;
        (void)span_cut(&rest, ' ', &word);
        if (count == WORDS_MAX || number_parse_u64(word, &numbers[count++]) < 0)
            return -1;
    }
    return count;
}

static int read_line(struct manifest *m, struct span word, int count,
                     const uint64_t *numbers)
{
    if (span_is(word, "checkpoint") && count == 1)
        m->checkpoint = numbers[0];
    else if (span_is(word, "time") && count == 1 && numbers[0] <= INT64_MAX)
        m->t_ns = (int64_t)numbers[0];
    else if (span_is(word, "seed") && count == 1)
        m->seed = numbers[0];
    else if (span_is(word, "next_number") && count == 1 && numbers[0] <= UINT32_MAX)
        m->next_number = (uint32_t)numbers[0];
    else if (span_is(word, "log") && count == 2 && numbers[0] == m->shard_count &&
             m->shard_count < MANIFEST_SHARDS_MAX)
        m->segments[m->shard_count++] = numbers[1];
    else if (span_is(word, "blocks") && count == 2 && numbers[1] < MANIFEST_SHARDS_MAX)
        return manifest_add(m, MANIFEST_BLOCKS,
                            (struct manifest_file){ numbers[0], (unsigned)numbers[1] });
    else if (span_is(word, "archive") && count == 1)
        return manifest_add(m, MANIFEST_ARCHIVES,
                            (struct manifest_file){ numbers[0], 0 });
    else
        return -EBADMSG;
    return 0;
}

static int read_lines(struct span text, struct manifest *m, const char *path,
                      struct err *err)
{
    struct span rest = text, line;
    unsigned number = 1;
    if (!span_cut(&rest, '\n', &line) || !span_is(line, MANIFEST_FIRST_LINE))
        return err_set(err, EBADMSG, "%s:1: this is not '%s'", path,
                       MANIFEST_FIRST_LINE);
    while (rest.size > 0) {
        uint64_t numbers[WORDS_MAX];
        struct span word;
        number++;
        (void)span_cut(&rest, '\n', &line);
        (void)span_cut(&line, ' ', &word);
        int rc = read_line(m, word, read_numbers(line, numbers), numbers);
        if (rc < 0)
            return err_set(err, -rc, "%s:%u: '" SPAN_FMT "' is not understood", path,
                           number, SPAN_ARG(word));
    }
    return 0;
}

/* The text before the last line, whose checksum that line has. */
static int check_end(struct span *text, const char *path, struct err *err)
{
    static const char word[] = "end ";
    char want[32];
    const size_t size = sizeof word - 1 + 16 + 1;
    if (text->size <= size)
        return err_set(err, EBADMSG, "'%s' is not whole", path);
    struct span end = span_skip(*text, text->size - size);
    text->size -= size;
    (void)snprintf(want, sizeof want, "%s%016" PRIx64 "\n", word,
                   XXH3_64bits(text->data, text->size));
    if (!span_is(end, want))
        return err_set(err, EBADMSG, "'%s' is damaged: its checksum is another", path);
    return 0;
}

int manifest_read(const char *dir, uint64_t checkpoint, struct manifest *ret,
                  struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(manifest_done) struct manifest m = { 0 };
    char path[MANIFEST_PATH_MAX];
    print_path(path, dir, checkpoint);
    int rc = file_read(path, MANIFEST_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    struct span all = strbuf_span(&text);
    rc = check_end(&all, path, err);
    if (rc == 0)
        rc = read_lines(all, &m, path, err);
    if (rc == 0 && (m.checkpoint != checkpoint || m.shard_count == 0))
        rc = err_set(err, EBADMSG, "'%s' is the manifest of another checkpoint", path);
    if (rc < 0)
        return rc;
    *ret = m;
    m = (struct manifest){ 0 };
    return 0;
}
