/* SPDX-License-Identifier: Apache-2.0 */
/* capture_file - raw dumps of one or more servers in a directory, to be observed again.
 */
#include "agent/capture/capture_file.h"

#include "agent/packed.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>

#define TEXT_BYTES_MAX (UINT64_C(2) << 30)

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
    AUTO(strbuf_done) struct strbuf packed = STRBUF_INIT;
    strbuf_addf(&path, "%s/%s", dir, host);
    int rc = strbuf_error(&path);
    if (rc == 0)
        rc = file_make_dirs(path.data, 0700, err);
    if (rc == 0)
        rc = packed_write(text, &packed);
    if (rc < 0)
        return rc;
    strbuf_addf(&path, "/%" PRId64 "-" SPAN_FMT ".zst", t_ms, SPAN_ARG(param));
    return strbuf_error(&path)
               ? -ENOMEM
               : file_replace(path.data, packed.data, packed.size, 0600, err);
}

int capture_read(const char *path, struct strbuf *text, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    int rc = file_read(path, TEXT_BYTES_MAX, &bytes, err);
    if (rc < 0)
        return rc;
    rc = packed_read(strbuf_span(&bytes), TEXT_BYTES_MAX, text);
    return rc == -EBADMSG
               ? err_set(err, EBADMSG, "'%s' is not a file of a capture, or is damaged",
                         path)
               : rc;
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
