/* SPDX-License-Identifier: Apache-2.0 */
/* migrate_peer - a connection of client for the room migrate, and its warnings. */
#include "cmd/migrate_peer.h"

#include <stdio.h>
#include <string.h>

static int peer_get(void *arg, const char *path, struct span body, struct span *ret,
                    struct err *err)
{
    return body.size > 0 ? client_http_get_with(arg, path, body, ret, err)
                         : client_http_get_paced(arg, path, ret, err);
}

static int peer_post(void *arg, const char *path, struct span body, struct span *ret,
                     struct err *err)
{
    return client_http_post(arg, path, "text/plain", body, ret, err);
}

struct http_peer migrate_peer(struct client_http *http)
{
    return (struct http_peer){ peer_get, peer_post, http };
}

void migrate_warn(void *arg, const char *text)
{
    const char *command = arg;
    fprintf(stderr, "baro %s: %s\n", command, text);
}

int migrate_failed(const char *command, int rc, const struct err *err)
{
    fprintf(stderr, "baro %s: %s\n", command, err->text[0] ? err->text : strerror(-rc));
    return err_exit_status(rc);
}

int migrate_write_stdout(void *arg, struct span lines, struct err *err)
{
    (void)arg;
    errno = EIO;
    if (fwrite(lines.data, 1, lines.size, stdout) != lines.size || fflush(stdout) != 0)
        return err_set(err, errno, "standard output: %s", strerror(errno));
    return 0;
}
