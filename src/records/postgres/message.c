/* SPDX-License-Identifier: Apache-2.0 */
/* message - what PostgreSQL reports of a failure, as an error number and one line. */
#include "records/postgres/message.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/system/secret.h"

/* By SQLSTATE: the class (two letters) unless the whole code tells more. */
static const struct {
    const char *state;
    int errnum;
} states[] = {
    { "08", EAGAIN },     /* connection */
    { "40", EAGAIN },     /* deadlock, serialization */
    { "53100", ENOSPC },  /* disk full */
    { "XX001", EUCLEAN }, /* data corrupted: a page's checksum */
    { "XX002", EUCLEAN }, /* an index that does not fit */
    { "53", EAGAIN },     /* too many connections, out of memory there */
    { "55P03", EAGAIN },  /* lock timeout */
    { "57", EAGAIN },     /* shutting down, crashed, statement timeout */
    { "23505", EEXIST },  /* unique violation */
    { "28", EACCES },     /* authentication */
    { "42501", EACCES },  /* no permission */
    { "25006", EAGAIN },  /* read-only: a standby until it is promoted */
};

/* The server has a code of its own for a full disk, and none for a quota. */
static bool is_quota(const char *state, const char *message)
{
    return state && strcmp(state, "XX000") == 0 && message &&
           strstr(message, "quota exceeded");
}

int pg_state_errnum(const char *state, const char *message)
{
    if (is_quota(state, message))
        return ENOSPC;
    for (size_t i = 0; state && i < COUNT_OF(states); i++)
        if (strncmp(state, states[i].state, strlen(states[i].state)) == 0)
            return states[i].errnum;
    return EIO;
}

/* libpq's messages end in a newline and may have several lines: the first has it. */
int pg_message_error(struct err *err, int errnum, const char *message)
{
    struct span line, rest = span_of(message ? message : "");
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)span_cut(&rest, '\n', &line);
    secret_print(&text, line);
    return err_set(err, errnum, "postgres: %s", strbuf_text(&text));
}
