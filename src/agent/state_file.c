/* SPDX-License-Identifier: Apache-2.0 */
/* state_file - one file of what was observed. */
#include "agent/state_file.h"

#include "base/file.h"
#include "base/span.h"
#include "spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATE_VERSION 1
#define STATE_BYTES_MAX (UINT64_C(4) << 30)

/* The directory of a file, made again. */
static int make_dir_of(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    AUTO_FREE char *dir = slash ? strndup(path, (size_t)(slash - path)) : NULL;
    return dir ? file_make_dirs(dir, 0700, err) : -ENOMEM;
}

/* Beside it and over it.  Not synced: after a loss of power the server's counters begin
 * anew as well, and a state that is damaged is found out by its hash. */
static int write_over(const char *path, const struct strbuf *bytes, bool *ret_made_dir,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf beside = STRBUF_INIT;
    strbuf_addf(&beside, "%s.new", path);
    if (strbuf_error(&beside))
        return -ENOMEM;
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    AUTO_CLOSE int fd = open(beside.data, flags, 0600);
    if (fd < 0 && errno == ENOENT) { /* the directory was removed */
        int made = make_dir_of(path, err);
        if (made < 0)
            return made;
        if (ret_made_dir)
            *ret_made_dir = true;
        fd = open(beside.data, flags, 0600);
    }
    int rc = fd < 0 ? -errno : file_write_all(fd, bytes->data, bytes->size);
    if (rc == 0 && rename(beside.data, path) < 0)
        rc = -errno;
    return rc < 0 ? err_set(err, -rc, "write '%s': %s", path, strerror(-rc)) : 0;
}

int state_file_write(const char *path, const char *kind,
                     const struct state_marks *marks, struct span payload,
                     bool *ret_made_dir, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct frame_header header = { .version = STATE_VERSION, .first = marks->sequence };
    memcpy(header.kind, kind, 4);
    struct frame_record record = { .sequence = marks->number,
                                   .mark = marks->spool_mark };
    uint8_t head[FRAME_HEADER_BYTES + FRAME_RECORD_BYTES];
    if (payload.size > UINT32_MAX)
        return err_set(err, EFBIG, "'%s' would be too large", path);
    frame_write_header(&header, head);
    frame_write_record(&record, payload, head + FRAME_HEADER_BYTES);
    strbuf_add(&bytes, head, sizeof head);
    strbuf_add_span(&bytes, payload);
    return strbuf_error(&bytes) ? -ENOMEM : write_over(path, &bytes, ret_made_dir, err);
}

int state_file_read(const char *path, const char *kind, struct strbuf *bytes,
                    struct state_marks *ret_marks, struct span *ret_payload,
                    struct err *err)
{
    struct frame_header header;
    struct frame_record record;
    int rc = file_read(path, STATE_BYTES_MAX, bytes, err);
    if (rc < 0)
        return rc;
    struct span text = strbuf_span(bytes);
    rc = frame_read_header(text, kind, STATE_VERSION, path, &header, err);
    if (rc < 0)
        return rc;
    text = span_skip(text, FRAME_HEADER_BYTES);
    if (text.size < FRAME_RECORD_BYTES ||
        frame_read_record((const uint8_t *)text.data, &record) < 0 ||
        frame_check_payload(&record, span_skip(text, FRAME_RECORD_BYTES)) < 0)
        return err_set(err, EBADMSG, "'%s' is damaged", path);
    *ret_payload = span_skip(text, FRAME_RECORD_BYTES);
    *ret_marks = (struct state_marks){ header.first, record.mark, record.sequence };
    return 0;
}
