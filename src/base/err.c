/* SPDX-License-Identifier: Apache-2.0 */
/* err - what went wrong, as a code for the caller and a line for a person. */
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int err_vset(struct err *err, int errnum, const char *fmt, va_list ap)
{
    int saved = errno;
    if (err)
        (void)vsnprintf(err->text, sizeof err->text, fmt, ap);
    errno = saved;
    return errnum > 0 ? -errnum : errnum;
}

int err_set(struct err *err, int errnum, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int rc = err_vset(err, errnum, fmt, ap);
    va_end(ap);
    return rc;
}

int err_prefix(struct err *err, int rc, const char *fmt, ...)
{
    if (!err || rc >= 0)
        return rc;
    char where[sizeof err->text / 2];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(where, sizeof where, fmt, ap);
    va_end(ap);
    struct err old = *err;
    int n = snprintf(err->text, sizeof err->text, "%s: ", where);
    size_t left = sizeof err->text - (size_t)n;
    size_t keep = strnlen(old.text, left - 1);
    memcpy(err->text + n, old.text, keep);
    err->text[(size_t)n + keep] = '\0';
    return rc;
}

/* Everything that is not listed is our own failure: 500, exit 1. */
static const struct {
    int errnum;
    int http_status;
    int exit_status;
} err_map[] = {
    { 0, 200, EXIT_OK },
    { EINVAL, 400, EXIT_USAGE },
    { E2BIG, 400, EXIT_FAILED },
    { EBADMSG, 400, EXIT_FAILED },
    { EACCES, 403, EXIT_FAILED },
    { EPERM, 401, EXIT_FAILED },
    { ENOENT, 404, EXIT_FAILED },
    { EMSGSIZE, 413, EXIT_FAILED },
    { EPROTONOSUPPORT, 415, EXIT_FAILED },
    { EEXIST, 409, EXIT_FAILED },
    { ERANGE, 422, EXIT_FAILED },
    { EDQUOT, 429, EXIT_FAILED },
    { EUSERS, 429, EXIT_FAILED },
    { EAGAIN, 503, EXIT_FAILED },
    { ENOMEM, 503, EXIT_FAILED },
    { ENOTCONN, 503, EXIT_FAILED },
    { ENOSPC, 503, EXIT_FAILED },
    { ESHUTDOWN, 503, EXIT_FAILED },
    { ETIMEDOUT, 504, EXIT_FAILED },
};

int err_http_status(int errnum)
{
    for (size_t i = 0; i < sizeof err_map / sizeof err_map[0]; i++)
        if (err_map[i].errnum == abs(errnum))
            return err_map[i].http_status;
    return 500;
}

int err_exit_status(int errnum)
{
    for (size_t i = 0; i < sizeof err_map / sizeof err_map[0]; i++)
        if (err_map[i].errnum == abs(errnum))
            return err_map[i].exit_status;
    return EXIT_FAILED;
}
