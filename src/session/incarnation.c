/* SPDX-License-Identifier: Apache-2.0 */
/* incarnation - how often the control node of a session began. */
#include "session/incarnation.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

int incarnation_next(const char *dir, const char *name, uint64_t *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    uint64_t last = 0;
    int rc = file_make_dirs(dir, 0750, err);
    strbuf_addf(&path, "%s/%s.incarnation", dir, name);
    if (rc == 0)
        rc = strbuf_error(&path);
    if (rc < 0)
        return rc;
    rc = file_read(strbuf_text(&path), 64, &text, err);
    if (rc == 0 && number_parse_u64(span_trim(strbuf_span(&text)), &last) < 0)
        return err_set(err, EBADMSG, "'%s' is not a number", strbuf_text(&path));
    if (rc < 0 && rc != -ENOENT)
        return rc;
    strbuf_clear(&text);
    strbuf_add_u64(&text, last + 1);
    strbuf_addc(&text, '\n');
    rc = file_replace(strbuf_text(&path), text.data, text.size, 0640, err);
    if (rc == 0)
        *ret = last + 1;
    return rc;
}
