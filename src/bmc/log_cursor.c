/* SPDX-License-Identifier: Apache-2.0 */
/* log_cursor - which entries of a BMC's log were seen. */
#include "bmc/log_cursor.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "bmc/state_file.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define HEAD "baro-bmc-log 1"
#define FILE_BYTES_MAX ((size_t)64 << 10)

void log_cursor_done(struct log_cursor *cursor)
{
    free(cursor->seen);
    memset(cursor, 0, sizeof *cursor);
}

uint64_t log_entry_hash(const struct bmc_entry *entry)
{
    uint64_t hash = XXH3_64bits(entry->id, strlen(entry->id));
    hash = XXH3_64bits_withSeed(&entry->t_ns, sizeof entry->t_ns, hash);
    return XXH3_64bits_withSeed(entry->text, strlen(entry->text), hash);
}

static int hash_order(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

bool log_cursor_has(const struct log_cursor *cursor, uint64_t hash)
{
    return cursor->count > 0 && bsearch(&hash, cursor->seen, cursor->count,
                                        sizeof(uint64_t), hash_order) != NULL;
}

void log_seen_add(struct log_seen *seen, uint64_t hash)
{
    seen->hash[seen->count % LOG_CURSOR_MAX] = hash;
    seen->count++;
}

static size_t hashes_unique(uint64_t *hash, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (left == 0 || hash[i] != hash[left - 1])
            hash[left++] = hash[i];
    return left;
}

int log_cursor_set(struct log_cursor *cursor, struct log_seen *seen, bool *ret_changed)
{
    size_t count = seen->count < LOG_CURSOR_MAX ? seen->count : LOG_CURSOR_MAX;
    qsort(seen->hash, count, sizeof(uint64_t), hash_order);
    count = hashes_unique(seen->hash, count);
    bool is_same =
        cursor->is_set && cursor->count == count &&
        cursor->sel_next == seen->sel_next && cursor->sel_hash == seen->sel_hash &&
        (count == 0 || memcmp(cursor->seen, seen->hash, count * sizeof(uint64_t)) == 0);
    *ret_changed = !is_same;
    if (is_same)
        return 0;
    uint64_t *copy = malloc((count + 1) * sizeof *copy);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, seen->hash, count * sizeof *copy);
    free(cursor->seen);
    *cursor = (struct log_cursor){ copy, count, true, seen->sel_next, seen->sel_hash };
    return 0;
}

/* ---- on disk ---- */

static int hash_parse(struct span text, uint64_t *ret)
{
    uint64_t value = 0;
    if (text.size != 16)
        return -EBADMSG;
    for (size_t i = 0; i < text.size; i++) {
        const char *digit = memchr("0123456789abcdef", text.data[i], 16);
        if (!digit)
            return -EBADMSG;
        const char *digits = "0123456789abcdef";
        value = value << 4 | (uint64_t)(strchr(digits, text.data[i]) - digits);
    }
    *ret = value;
    return 0;
}

/* "sel 17 HASH", then a hash a line. */
static int lines_parse(struct span text, struct log_cursor *cursor)
{
    struct span line, word;
    uint64_t record;
    (void)span_cut(&text, '\n', &line);
    if (!span_is(line, HEAD))
        return -EBADMSG;
    (void)span_cut(&text, '\n', &line);
    (void)span_cut(&line, ' ', &word);
    if (!span_is(word, "sel"))
        return -EBADMSG;
    (void)span_cut(&line, ' ', &word);
    if (number_parse_u64(word, &record) < 0 || record > UINT16_MAX ||
        hash_parse(line, &cursor->sel_hash) < 0)
        return -EBADMSG;
    cursor->sel_next = (uint16_t)record;
    while (text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        if (cursor->count == LOG_CURSOR_MAX ||
            hash_parse(line, &cursor->seen[cursor->count]) < 0)
            return -EBADMSG;
        cursor->count++;
    }
    return 0;
}

int log_cursor_load(struct log_cursor *cursor, const char *directory, const char *name,
                    struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    memset(cursor, 0, sizeof *cursor);
    if (bmc_state_path(directory, name, "log", &path) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = file_read(strbuf_text(&path), FILE_BYTES_MAX, &text, err);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return rc;
    cursor->seen = calloc(LOG_CURSOR_MAX, sizeof *cursor->seen);
    if (!cursor->seen)
        return err_set(err, ENOMEM, "out of memory");
    if (lines_parse(strbuf_span(&text), cursor) < 0) {
        log_cursor_done(cursor);
        return err_set(err, EBADMSG, "'%s' is not a file of baro-bmc's state",
                       strbuf_text(&path));
    }
    uint64_t *fitting =
        realloc(cursor->seen, (cursor->count + 1) * sizeof *cursor->seen);
    cursor->seen = fitting ? fitting : cursor->seen;
    qsort(cursor->seen, cursor->count, sizeof(uint64_t), hash_order);
    cursor->is_set = true;
    return 0;
}

int log_cursor_save(const struct log_cursor *cursor, const char *directory,
                    const char *name, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, HEAD "\nsel %u %016llx\n", cursor->sel_next,
                (unsigned long long)cursor->sel_hash);
    for (size_t i = 0; i < cursor->count; i++)
        strbuf_addf(&text, "%016llx\n", (unsigned long long)cursor->seen[i]);
    if (bmc_state_path(directory, name, "log", &path) < 0 || strbuf_error(&text) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return file_replace(strbuf_text(&path), text.data, text.size, 0600, err);
}
