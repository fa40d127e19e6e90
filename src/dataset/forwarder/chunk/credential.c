/* SPDX-License-Identifier: Apache-2.0 */
/* credential - a MUNGE credential of this process's user, for one connection. */
#include "dataset/forwarder/chunk/credential.h"

#include "base/cleanup.h"

#include <string.h>
#ifdef BARO_WITH_MUNGE
#include <munge.h>
#endif

int credential_opts_parse(const char *text, struct credential_opts *ret,
                          struct err *err)
{
    struct credential_opts opts = { .use = CREDENTIAL_YES };
    if (!text || strcmp(text, "auto") == 0)
        opts.use = CREDENTIAL_AUTO;
    else if (strcmp(text, "no") == 0)
        opts.use = CREDENTIAL_NO;
    else if (text[0] == '/')
        opts.socket = text;
    else if (strcmp(text, "yes") != 0)
        return err_set(err, EINVAL,
                       "--munge: invalid value '%s' (choose auto, yes, no, or the path "
                       "of munged's socket)",
                       text);
    *ret = opts;
    return 0;
}

#ifdef BARO_WITH_MUNGE
int credential_make(const struct credential_opts *opts, struct span payload,
                    char out[static CREDENTIAL_MAX + 1], struct err *err)
{
    char *made = NULL;
    int rc = 0;
    munge_ctx_t context = munge_ctx_create();
    munge_err_t code = context ? EMUNGE_SUCCESS : EMUNGE_NO_MEMORY;
    if (code == EMUNGE_SUCCESS && opts->socket)
        code = munge_ctx_set(context, MUNGE_OPT_SOCKET, opts->socket);
    if (code == EMUNGE_SUCCESS)
        code = munge_encode(&made, context, payload.data, (int)payload.size);
    const char *reason = context ? munge_ctx_strerror(context) : NULL;
    if (code != EMUNGE_SUCCESS)
        rc = err_set(
            err, code == EMUNGE_SOCKET || code == EMUNGE_TIMEOUT ? EHOSTUNREACH : EPERM,
            "MUNGE: %s", reason ? reason : munge_strerror(code));
    else if (strlen(made) > CREDENTIAL_MAX)
        rc = err_set(err, EPERM, "MUNGE: a credential of %zu bytes", strlen(made));
    else
        memcpy(out, made, strlen(made) + 1);
    free(made);
    munge_ctx_destroy(context);
    return rc;
}
#else
int credential_make(const struct credential_opts *opts, struct span payload,
                    char out[static CREDENTIAL_MAX + 1], struct err *err)
{
    (void)opts;
    (void)payload;
    (void)out;
    return err_set(err, ENOTSUP,
                   "this program was built without MUNGE: build it with libmunge-dev");
}
#endif
