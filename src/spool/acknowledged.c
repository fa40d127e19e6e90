/* SPDX-License-Identifier: Apache-2.0 */
/* acknowledged - the file of how far the reader has come, and of what was lost. */
#include "spool/acknowledged.h"

#include "base/file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#define ACK_VERSION 1
/* generation, acked, lost records, lost entries, damaged and above it the mark behind
 * what is acknowledged, hash */
#define ACK_SLOT_WORDS 6
#define ACK_SLOTS 2

int acknowledged_store(struct spool *s, struct err *err)
{
    uint64_t words[ACK_SLOT_WORDS] = {
        htole64(++s->ack_generation),
        htole64(s->acked),
        htole64(s->counts.lost_records),
        htole64(s->counts.lost_entries),
        htole64((s->counts.damaged_records & UINT32_MAX) | (uint64_t)s->acked_mark
                                                               << 32),
    };
    words[ACK_SLOT_WORDS - 1] =
        htole64(XXH3_64bits(words, sizeof words - sizeof words[0]));
    /* Two slots in turn: one of them is whole whatever happens. */
    off_t offset = FRAME_HEADER_BYTES +
                   (off_t)(s->ack_generation % ACK_SLOTS) * (off_t)sizeof words;
    ssize_t n = pwrite(s->ack_fd, words, sizeof words, offset);
    if (n != (ssize_t)sizeof words)
        return err_set(err, n < 0 ? errno : EIO, "write '%s/acknowledged'", s->dir);
    return 0;
}

static void acknowledged_parse(struct spool *s,
                               const uint64_t words[static ACK_SLOT_WORDS])
{
    size_t size = (ACK_SLOT_WORDS - 1) * sizeof words[0];
    if (le64toh(words[ACK_SLOT_WORDS - 1]) != XXH3_64bits(words, size) ||
        le64toh(words[0]) <= s->ack_generation ||
        le64toh(words[1]) > FRAME_SEQUENCE_MAX)
        return;
    s->ack_generation = le64toh(words[0]);
    s->acked = le64toh(words[1]);
    s->counts.lost_records = le64toh(words[2]);
    s->counts.lost_entries = le64toh(words[3]);
    s->counts.damaged_records = le64toh(words[4]) & UINT32_MAX;
    s->acked_mark = (uint32_t)(le64toh(words[4]) >> 32);
}

int acknowledged_open(struct spool *s, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/acknowledged", s->dir);
    if (strbuf_error(&path))
        return -ENOMEM;
    s->ack_fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->ack_fd < 0)
        return err_set(err, errno, "open '%s': %s", path.data, strerror(errno));
    int locked = file_lock(s->ack_fd);
    if (locked == -EBUSY)
        return err_set(err, EBUSY, "'%s' is in use by another process", s->dir);
    if (locked < 0)
        return err_set(err, -locked, "lock '%s': %s", path.data, strerror(-locked));
    uint8_t bytes[FRAME_HEADER_BYTES +
                  ACK_SLOTS * ACK_SLOT_WORDS * sizeof(uint64_t)] = { 0 };
    ssize_t n = pread(s->ack_fd, bytes, sizeof bytes, 0);
    if (n < 0)
        return err_set(err, errno, "read '%s': %s", path.data, strerror(errno));
    struct frame_header header = { .kind = "spak", .version = ACK_VERSION };
    if (n < FRAME_HEADER_BYTES) { /* new, or its making was cut short */
        frame_write_header(&header, bytes);
        if (pwrite(s->ack_fd, bytes, FRAME_HEADER_BYTES, 0) != FRAME_HEADER_BYTES)
            return err_set(err, EIO, "write '%s'", path.data);
        return 0;
    }
    struct span text = { (const char *)bytes, FRAME_HEADER_BYTES };
    int rc = frame_read_header(text, "spak", ACK_VERSION, path.data, &header, err);
    if (rc == -EBADMSG) { /* all is sent again, which changes nothing */
        frame_write_header(&header, bytes);
        memset(bytes + FRAME_HEADER_BYTES, 0, sizeof bytes - FRAME_HEADER_BYTES);
        rc = pwrite(s->ack_fd, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes ? 0
                                                                                : -EIO;
    }
    for (size_t i = 0; rc == 0 && i < ACK_SLOTS; i++) {
        uint64_t words[ACK_SLOT_WORDS];
        memcpy(words, bytes + FRAME_HEADER_BYTES + i * sizeof words, sizeof words);
        acknowledged_parse(s, words);
    }
    return rc;
}
