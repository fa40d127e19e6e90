/* SPDX-License-Identifier: Apache-2.0 */
/* session_tree - a session by its name: where its control process serves its owner. */
#include "jobsession/session_tree.h"

#include "base/span.h"
#include "jobsession/children.h"
#include "jobsession/service_state.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

void tree_session_done(struct tree_session *session)
{
    strbuf_done(&session->dir);
    auto_close(&session->fd);
    session->fd = -1;
}

/* ---- as the site lists it ---- */

static struct span listed_text(const struct table *t, size_t row, const char *name)
{
    int column = table_find_column(t, name);
    const struct table_cell *cell =
        column < 0 ? NULL : table_at(t, row, (size_t)column);
    return cell && !cell->is_null && cell->text ? span_of(cell->text) : SPAN("");
}

/* Rows of the children of the session in row 0. */
static void print_listed(const struct table *t, struct strbuf *out)
{
    struct span name = listed_text(t, 0, "name");
    size_t before = out->size;
    for (size_t i = 1; i < t->row_count; i++)
        if (span_eq(listed_text(t, i, "parent"), name))
            strbuf_addf(out, "%s" SPAN_FMT " (" SPAN_FMT ")",
                        out->size > before ? ", " : "",
                        SPAN_ARG(listed_text(t, i, "name")),
                        SPAN_ARG(listed_text(t, i, "state")));
    if (out->size == before)
        strbuf_adds(out, "none");
}

static int fetch_listed(const struct client_endpoint *site, struct span path,
                        struct table *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, "/v1/sessions");
    net_url_add_segment(&url, path);
    int rc = client_http_fetch_table(site, &url, ret, err);
    return rc == 0 && ret->row_count == 0 ? -ENOENT : rc;
}

/* Which part of path is not there: the first that the site does not know. */
static int part_is_missing(const struct client_endpoint *site, struct span path,
                           struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct span rest = path, part;
    struct err ignored = { 0 };
    for (size_t end = 0; span_cut(&rest, ':', &part); end += part.size + 1) {
        AUTO(table_done) struct table above;
        table_init(&above);
        if (fetch_listed(site, (struct span){ path.data, end + part.size }, &above,
                         &ignored) < 0)
            break; /* the first is missing, and err states that */
        struct span next = rest;
        (void)span_cut(&next, ':', &part);
        AUTO(table_done) struct table below;
        table_init(&below);
        size_t next_size = (size_t)(part.data - path.data) + part.size;
        if (fetch_listed(site, (struct span){ path.data, next_size }, &below,
                         &ignored) == 0) {
            part.size = (size_t)(rest.data - path.data) - end - 1;
            continue;
        }
        print_listed(&above, &text);
        return err_set(err, ENOENT,
                       "session " SPAN_FMT " has no child '" SPAN_FMT
                       "'; its children: %s",
                       SPAN_ARG(listed_text(&above, 0, "name")), SPAN_ARG(part),
                       strbuf_text(&text));
    }
    return -ENOENT;
}

/* Several users, or jobs, may have sessions of one name. */
static int check_one(const struct client_endpoint *site, struct span name,
                     struct err *err)
{
    AUTO(table_done) struct table list;
    AUTO(net_url_done) struct net_url url;
    AUTO(strbuf_done) struct strbuf which = STRBUF_INIT;
    size_t count = 0;
    table_init(&list);
    net_url_init(&url, "/v1/sessions");
    net_url_add(&url, "state", "running");
    int rc = client_http_fetch_table(site, &url, &list, err);
    for (size_t i = 0; rc == 0 && i < list.row_count; i++)
        if (span_eq(listed_text(&list, i, "name"), name)) {
            strbuf_addf(&which, "%s" SPAN_FMT " of user " SPAN_FMT,
                        count++ > 0 ? ", " : "",
                        SPAN_ARG(listed_text(&list, i, "address")),
                        SPAN_ARG(listed_text(&list, i, "user")));
        }
    return rc < 0 || count < 2
               ? rc
               : err_set(err, EINVAL, "'" SPAN_FMT "' names %zu sessions: %s",
                         SPAN_ARG(name), count, strbuf_text(&which));
}

static int find_at_site(const struct client_endpoint *site, struct span path,
                        struct tree_session *ret, struct err *err)
{
    AUTO(table_done) struct table listed;
    char here[65];
    table_init(&listed);
    int rc = fetch_listed(site, path, &listed, err);
    if (rc == -ENOENT)
        return part_is_missing(site, path, err);
    if (rc == 0 && (!path.data || !memchr(path.data, ':', path.size)))
        rc = check_one(site, path, err);
    if (rc < 0)
        return rc;
    struct span state = listed_text(&listed, 0, "state"), host;
    struct span address = listed_text(&listed, 0, "address");
    if (!span_is(state, "running"))
        return err_set(err, ESRCH, "session " SPAN_FMT " is " SPAN_FMT ": " SPAN_FMT,
                       SPAN_ARG(path), SPAN_ARG(state),
                       SPAN_ARG(listed_text(&listed, 0, "reason")));
    (void)span_cut(&address, ':', &host);
    if (!span_ends(address, "/" CONTROL_SOCKET))
        return err_set(err, EREMOTE,
                       "session " SPAN_FMT " has no socket: the site has what 'baro "
                       "session show " SPAN_FMT "' prints",
                       SPAN_ARG(path), SPAN_ARG(path));
    if (!span_is(host, service_host(here)))
        return err_set(err, EREMOTE,
                       "session " SPAN_FMT " runs on " SPAN_FMT
                       ": go there; the site has what 'baro session show " SPAN_FMT
                       "' prints",
                       SPAN_ARG(path), SPAN_ARG(host), SPAN_ARG(path));
    strbuf_add(&ret->dir, address.data, address.size - sizeof CONTROL_SOCKET);
    return strbuf_error(&ret->dir);
}

/* ---- in directories here ---- */

static int step_down(struct strbuf *dir, struct span name, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf part = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf child = STRBUF_INIT;
    strbuf_add_span(&part, name);
    int rc = children_find(strbuf_text(dir), strbuf_text(&part), &child);
    if (rc < 0) {
        const char *above = strrchr(strbuf_text(dir), '/');
        children_print(strbuf_text(dir), &text);
        return err_set(err, ENOENT, "session %s has no child '%s'; its children: %s",
                       above ? above + 1 : "", strbuf_text(&part), strbuf_text(&text));
    }
    strbuf_clear(dir);
    strbuf_add_span(dir, strbuf_span(&child));
    return strbuf_error(dir);
}

/* 1: the first name is in no directory here. */
static int find_here(struct span path, struct tree_session *ret, struct err *err)
{
    AUTO(session_dir_done) struct session_dir dir = { .name = STRBUF_INIT };
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT;
    struct span rest = path, part;
    (void)span_cut(&rest, ':', &part);
    strbuf_add_span(&first, part);
    if (strbuf_text(&first)[0] == '/') {
        strbuf_add_span(&ret->dir, part); /* whose it is, its socket states */
    } else {
        int rc = session_dir_open(strbuf_text(&first), NULL, &dir, err);
        if (rc < 0)
            return rc == -ENOENT ? 1 : rc;
        strbuf_add_span(&ret->dir, strbuf_span(&dir.path));
    }
    for (size_t depth = 0; rest.size > 0; depth++) {
        if (depth == SESSION_TREE_DEPTH_MAX)
            return err_set(err, EINVAL, "the name has too many parts");
        (void)span_cut(&rest, ':', &part);
        int rc = step_down(&ret->dir, part, err);
        if (rc < 0)
            return rc;
    }
    return strbuf_error(&ret->dir);
}

/* ---- its control process ---- */

static int check_state(const char *name, const struct tree_session *session,
                       struct err *err)
{
    AUTO(service_state_done) struct service_state state = { .config = NULL };
    const struct session_dir dir = { .path = session->dir };
    char here[65];
    int rc = service_state_read(&dir, &state, err);
    if (rc < 0)
        return rc;
    switch (state.phase) {
    case SERVICE_NONE:
        return err_set(err, ESRCH, "'%s' has no session", strbuf_text(&dir.path));
    case SERVICE_DEAD:
        return err_set(err, ESRCH,
                       "session %s is dead: its control process %llu on %s was killed; "
                       "if it was started, baro session start --again goes on with it",
                       name, (unsigned long long)state.pid, state.host);
    case SERVICE_ENDED:
    case SERVICE_FAILED:
        return err_set(err, ESRCH, "session %s has %s: %s", name,
                       service_phase_name(state.phase), state.reason);
    default:
        return strcmp(state.host, service_host(here)) == 0
                   ? 0
                   : err_set(err, EREMOTE, "session %s runs on %s: go there", name,
                             state.host);
    }
}

/* 0, or who is at the other end is not the owner of the directory. */
static int check_peer(const char *path, uid_t owner, struct err *err)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    struct ucred cred;
    socklen_t size = sizeof cred;
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)snprintf(un.sun_path, sizeof un.sun_path, "%s", path);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&un, sizeof un) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0)
        return err_set(err, errno, "its socket: %s", strerror(errno));
    return cred.uid == owner || cred.uid == 0
               ? 0
               : err_set(err, EPERM, "user %u serves its socket", (unsigned)cred.uid);
}

/* Root queries the sessions of others, who write their directories: the socket is that
 * of the owner, and stays the one that was looked at. */
static int hold_socket(struct tree_session *found, struct err *err)
{
    struct stat dir, st;
    char path[64];
    if (fstat(found->fd, &dir) < 0 || dir.st_uid == geteuid())
        return 0;
    AUTO_CLOSE int fd =
        openat(found->fd, CONTROL_SOCKET, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "'%s/" CONTROL_SOCKET "': %s",
                       strbuf_text(&found->dir), strerror(errno));
    if (!S_ISSOCK(st.st_mode) || st.st_uid != dir.st_uid)
        return err_set(err, EPERM,
                       "'%s/" CONTROL_SOCKET "' is not a socket of user %u, whose "
                       "directory it is in",
                       strbuf_text(&found->dir), (unsigned)dir.st_uid);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int rc = check_peer(path, dir.st_uid, err);
    if (rc < 0)
        return rc;
    (void)snprintf(found->url, sizeof found->url, "unix:%s", path);
    auto_close(&found->fd);
    found->fd = TAKE_FD(fd);
    return 0;
}

int session_tree_find(const char *name, const struct client_endpoint *site,
                      struct tree_session *ret, struct err *err)
{
    AUTO(tree_session_done) struct tree_session found = { .fd = -1 };
    int rc = find_here(span_of(name), &found, err);
    if (rc > 0)
        rc = find_at_site(site, span_of(name), &found, err);
    if (rc == 0)
        rc = check_state(name, &found, err);
    if (rc == 0)
        rc = control_socket_url(strbuf_text(&found.dir), &found.fd, found.url, err);
    if (rc == 0)
        rc = hold_socket(&found, err);
    if (rc == -EACCES)
        return err_set(err, EACCES,
                       "session %s is another user's: only its owner, and root, may "
                       "query it",
                       name);
    if (rc < 0)
        return rc;
    *ret = found;
    found = (struct tree_session){ .fd = -1 };
    return 0;
}
