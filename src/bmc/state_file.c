/* SPDX-License-Identifier: Apache-2.0 */
/* state_file - files of baro-bmc's state: one of a component and a kind. */
#include "bmc/state_file.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <string.h>
#include <unistd.h>

int bmc_state_path(const char *directory, const char *component, const char *kind,
                   struct strbuf *out)
{
    strbuf_addf(out, "%s/", directory);
    for (; *component; component++) {
        unsigned char byte = (unsigned char)*component;
        bool is_safe = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                       (byte >= 'A' && byte <= 'Z') || strchr("._-", byte);
        if (is_safe)
            strbuf_addc(out, (char)byte);
        else
            strbuf_addf(out, "%%%02x", byte);
    }
    strbuf_addf(out, ".%s", kind);
    return strbuf_error(out);
}

bool bmc_state_has_mark(const char *directory, const char *component, const char *kind)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    return bmc_state_path(directory, component, kind, &path) == 0 &&
           access(strbuf_text(&path), F_OK) == 0;
}

int bmc_state_mark(const char *directory, const char *component, const char *kind,
                   struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    if (bmc_state_path(directory, component, kind, &path) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return file_replace(strbuf_text(&path), "", 0, 0600, err);
}
