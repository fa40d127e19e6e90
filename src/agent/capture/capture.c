/* SPDX-License-Identifier: Apache-2.0 */
/* capture - raw dumps of one or more servers in a directory, to be observed again. */
#include "agent/capture/capture.h"

#include "base/file.h"
#include "base/number.h"

#include <fcntl.h>
#include <inttypes.h>
#include <xxhash.h>
#include <zstd.h>

#define TEXT_BYTES_MAX (UINT64_C(2) << 30)
#define ZSTD_LEVEL 3

int capture_parse_name(struct span name, struct capture_file *ret)
{
    struct span t;
    int64_t t_ms = 0;
    if (!span_ends(name, ".zst"))
        return -EINVAL;
    name.size -= strlen(".zst");
    if (!span_cut(&name, '-', &t) || number_parse_i64(t, &t_ms) < 0 || name.size == 0)
        return -EINVAL;
    *ret = (struct capture_file){ t_ms, name };
    return 0;
}

int capture_write(const char *dir, const char *host, int64_t t_ms, struct span param,
                  struct span text, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    size_t room = ZSTD_compressBound(text.size);
    AUTO_FREE char *bytes = malloc(room);
    strbuf_addf(&path, "%s/%s", dir, host);
    if (!bytes || strbuf_error(&path))
        return -ENOMEM;
    int rc = file_make_dirs(path.data, 0700, err);
    if (rc < 0)
        return rc;
    size_t size = ZSTD_compress(bytes, room, text.data, text.size, ZSTD_LEVEL);
    if (ZSTD_isError(size))
        return err_set(err, EIO, "zstd: %s", ZSTD_getErrorName(size));
    strbuf_addf(&path, "/%" PRId64 "-" SPAN_FMT ".zst", t_ms, SPAN_ARG(param));
    return strbuf_error(&path) ? -ENOMEM
                               : file_replace(path.data, bytes, size, 0600, err);
}

int capture_read(const char *path, struct strbuf *text, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    int rc = file_read(path, TEXT_BYTES_MAX, &bytes, err);
    if (rc < 0)
        return rc;
    unsigned long long size = ZSTD_getFrameContentSize(strbuf_text(&bytes), bytes.size);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
        size > TEXT_BYTES_MAX)
        return err_set(err, EBADMSG, "'%s' is not a file of a capture", path);
    strbuf_clear(text);
    rc = strbuf_reserve(text, (size_t)size + 1);
    if (rc < 0)
        return rc;
    size_t got = ZSTD_decompress(text->data, (size_t)size, bytes.data, bytes.size);
    if (ZSTD_isError(got))
        return err_set(err, EBADMSG, "'%s': %s", path, ZSTD_getErrorName(got));
    text->size = got;
    text->data[got] = '\0';
    return 0;
}

int capture_uuid(const char *dir, struct uuid *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_addf(&path, "%s/uuid", dir);
    if (strbuf_error(&path))
        return -ENOMEM;
    struct err ignored;
    int rc = file_read(path.data, 4096, &text, &ignored);
    if (rc == 0)
        return uuid_parse(span_trim(strbuf_span(&text)), ret) < 0
                   ? err_set(err, EBADMSG, "'%s' holds no UUID", path.data)
                   : 0;
    if (rc != -ENOENT)
        return err_set(err, -rc, "%s", ignored.text);
    rc = file_make_dirs(dir, 0700, err);
    if (rc == 0)
        rc = uuid_new(ret);
    if (rc < 0)
        return rc;
    char line[UUID_TEXT_SIZE + 1];
    uuid_print(line, ret);
    line[UUID_TEXT_SIZE - 1] = '\n';
    return file_replace(path.data, line, UUID_TEXT_SIZE, 0600, err);
}

/* ---- names for people ---- */

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

static char other_of_kind(char c, uint64_t draw)
{
    if (c >= '1' && c <= '9')
        return (char)('1' + (int)(draw % 9));
    if (c >= 'a' && c <= 'z')
        return (char)('a' + (int)(draw % 26));
    if (c >= 'A' && c <= 'Z')
        return (char)('A' + (int)(draw % 26));
    return c == '0' ? '0' : 'u'; /* a zero leads or pads: it tells the form */
}

static void add_other_word(struct span word, uint64_t key, struct strbuf *out)
{
    uint64_t draw = XXH3_64bits_withSeed(word.data, word.size, key);
    for (size_t i = 0; i < word.size; i++) {
        strbuf_addc(out, other_of_kind(word.data[i], draw >> 17));
        draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    }
}

/* Signs between words stay, and so does \xHH, which stands for a sign. */
static void add_other_id(struct span id, uint64_t key, struct strbuf *out)
{
    while (id.size) {
        size_t size = 0;
        if (span_starts(id, "\\x") && id.size >= 4) {
            strbuf_add(out, id.data, 4);
            id = span_skip(id, 4);
            continue;
        }
        while (size < id.size && is_word(id.data[size]))
            size++;
        if (size)
            add_other_word((struct span){ id.data, size }, key, out);
        else
            strbuf_addc(out, id.data[size++]);
        id = span_skip(id, size);
    }
}

void capture_anonymize(struct span text, uint64_t key, struct strbuf *out)
{
    struct span line;
    while (text.size) {
        bool has_end = span_cut(&text, '\n', &line);
        const char *at = memmem(line.data, line.size, "job_id:", 7);
        size_t head = at ? (size_t)(at - line.data) + 7 : line.size;
        /* A line that is none of the known forms may be a piece of an identifier that
         * holds a line's end. */
        bool is_known = at || memchr(line.data, ':', line.size) || line.size == 0;
        if (!is_known)
            head = 0;
        strbuf_add(out, line.data, head);
        add_other_id(span_skip(line, head), key, out);
        if (has_end)
            strbuf_addc(out, '\n');
    }
}
