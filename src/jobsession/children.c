/* SPDX-License-Identifier: Apache-2.0 */
/* children - the sessions that were started in a session of a user's own. */
#include "jobsession/children.h"

#include "base/span.h"
#include "base/table/table.h"
#include "jobsession/service_state.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

int children_add(const char *parent_dir, const char *name, const char *dir,
                 struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct stat st;
    strbuf_addf(&path, "%s/children", parent_dir);
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    if (lstat(parent_dir, &st) < 0 ||
        (mkdir(strbuf_text(&path), 0700) < 0 && errno != EEXIST))
        return err_set(err, errno, "'%s': %s", strbuf_text(&path), strerror(errno));
    if (st.st_uid != geteuid())
        return err_set(err, EPERM, "'%s' is of user %u", parent_dir,
                       (unsigned)st.st_uid);
    strbuf_addf(&path, "/%s", name);
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    (void)unlink(strbuf_text(&path));
    return symlink(dir, strbuf_text(&path)) < 0
               ? err_set(err, errno, "'%s': %s", strbuf_text(&path), strerror(errno))
               : 0;
}

int children_find(const char *dir, const char *name, struct strbuf *ret)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    char to[PATH_MAX];
    if (strchr(name, '/') || name[0] == '.' || name[0] == '\0')
        return -EINVAL;
    strbuf_addf(&path, "%s/children/%s", dir, name);
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    ssize_t size = readlink(strbuf_text(&path), to, sizeof to);
    if (size < 0 || size == (ssize_t)sizeof to)
        return size < 0 ? -errno : -EINVAL;
    strbuf_add(ret, to, (size_t)size);
    return strbuf_error(ret);
}

typedef void child_fn(void *arg, const char *name, const struct service_state *state);

static void each_child(const char *dir, child_fn *fn, void *arg)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/children", dir);
    AUTO_CLOSEDIR DIR *stream = opendir(strbuf_text(&path));
    const struct dirent *entry;
    size_t count = 0;
    while (stream && count < CHILDREN_MAX && (entry = readdir(stream)) != NULL) {
        AUTO(session_dir_done) struct session_dir child = { .name = STRBUF_INIT };
        AUTO(service_state_done) struct service_state state = { .config = NULL };
        if (entry->d_name[0] == '.' ||
            children_find(dir, entry->d_name, &child.path) < 0)
            continue;
        if (service_state_read(&child, &state, NULL) < 0)
            state.phase = SERVICE_NONE;
        fn(arg, entry->d_name, &state);
        count++;
    }
}

static void on_child_text(void *arg, const char *name,
                          const struct service_state *state)
{
    struct strbuf *out = arg;
    strbuf_addf(out, "%s%s (%s)", out->size > 0 ? ", " : "", name,
                service_phase_name(state->phase));
}

void children_print(const char *dir, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    each_child(dir, on_child_text, &list);
    strbuf_adds(out, list.size > 0 ? strbuf_text(&list) : "none");
}

enum child_column {
    CHILD_NAME,
    CHILD_STATE,
    CHILD_HOST,
    CHILD_NODES,
    CHILD_ONLINE,
    CHILD_ADDRESS,
    CHILD_REASON
};

static void put_child_text(struct table *t, size_t column, const char *text)
{
    if (text && *text)
        table_set_text(t, column, span_of(text));
}

static void on_child_row(void *arg, const char *name, const struct service_state *state)
{
    struct table *t = arg;
    table_add_row(t);
    table_set_text(t, CHILD_NAME, span_of(name));
    table_set_text(t, CHILD_STATE, span_of(service_phase_name(state->phase)));
    put_child_text(t, CHILD_HOST, state->host);
    table_set_u64(t, CHILD_NODES, state->nodes);
    table_set_u64(t, CHILD_ONLINE, state->phase == SERVICE_RUNNING ? state->online : 0);
    put_child_text(t, CHILD_ADDRESS, state->address);
    put_child_text(t, CHILD_REASON, state->reason);
}

void children_table(const char *dir, struct table *ret)
{
    table_add_column(ret, "name", TABLE_TEXT, "");
    table_add_column(ret, "state", TABLE_TEXT, "");
    table_add_column(ret, "host", TABLE_TEXT, "");
    table_add_column(ret, "nodes", TABLE_U64, "");
    table_add_column(ret, "online", TABLE_U64, "");
    table_add_column(ret, "address", TABLE_TEXT, "");
    table_add_column(ret, "reason", TABLE_TEXT, "");
    each_child(dir, on_child_row, ret);
}
