/* SPDX-License-Identifier: Apache-2.0 */
/* visit - a process that has datasets of the agent in a mount namespace. */
#include "dataset/visit/visit.h"

#include "base/number.h"
#include "base/span.h"
#include "dataset/visit/overlay.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

void visit_done(struct visit *visit)
{
    for (size_t i = 0; i < visit->count; i++)
        if (visit->datasets[i].fd >= 0)
            (void)close(visit->datasets[i].fd);
    visit->count = 0;
    if (visit->fd >= 0)
        (void)close(visit->fd);
    visit->fd = -1;
}

/* ---- what is to be mounted where ---- */

int visit_begin(struct visit *visit, const char *socket, struct err *err)
{
    const char *slash = strrchr(socket, '/');
    *visit = (struct visit){ .socket = socket, .fd = -1, .root = -1 };
    int size = snprintf(visit->here, sizeof visit->here, "%.*s/here",
                        slash ? (int)(slash - socket) : 1, slash ? socket : ".");
    return size < 0 || (size_t)size >= sizeof visit->here
               ? err_set(err, ENAMETOOLONG, "socket '%s': too long", socket)
               : 0;
}

static const char *path_find(struct span text)
{
    return memmem(text.data, text.size, ":/", 2);
}

static int dataset_parse(const struct visit *visit, struct span text,
                         struct visit_dataset *ret, struct err *err)
{
    const char *path = path_find(text);
    int size = (int)(path ? (size_t)(path - text.data) : text.size);
    int path_size = (int)text.size - size - 1;
    struct visit_dataset dataset = { .is_named = path != NULL, .fd = -1 };
    if (size == 0 || (size_t)size >= sizeof dataset.name ||
        memchr(text.data, '\0', text.size))
        return err_set(err, EINVAL, "dataset '%.*s': write NAME, or NAME:/path",
                       (int)text.size, text.data);
    (void)snprintf(dataset.name, sizeof dataset.name, "%.*s", size, text.data);
    int length =
        path ? snprintf(dataset.path, sizeof dataset.path, "%.*s", path_size, path + 1)
             : snprintf(dataset.path, sizeof dataset.path, "%s/%s", visit->here,
                        dataset.name);
    if (length < 0 || (size_t)length >= sizeof dataset.path)
        return err_set(err, ENAMETOOLONG, "dataset '%.*s': a path that is too long",
                       (int)text.size, text.data);
    *ret = dataset;
    return 0;
}

static bool visit_has(const struct visit *visit, const struct visit_dataset *dataset)
{
    for (size_t i = 0; i < visit->count; i++)
        if (!strcmp(visit->datasets[i].name, dataset->name) &&
            !strcmp(visit->datasets[i].path, dataset->path))
            return true;
    return false;
}

int visit_add(struct visit *visit, struct span text, struct err *err)
{
    struct visit_dataset dataset = { 0 };
    int rc = dataset_parse(visit, text, &dataset, err);
    if (rc < 0 || visit_has(visit, &dataset))
        return rc;
    if (visit->count == VISIT_DATASETS_MAX)
        return err_set(err, E2BIG, "more than %u datasets", VISIT_DATASETS_MAX);
    visit->has_here |= !dataset.is_named;
    visit->datasets[visit->count++] = dataset;
    return 0;
}

int visit_add_root(struct visit *visit, struct span text, struct err *err)
{
    struct visit_dataset dataset = { .path = "/", .is_named = true, .fd = -1 };
    if (visit->root >= 0)
        return err_set(err, EINVAL, "a second root");
    if (text.size == 0 || text.size >= sizeof dataset.name ||
        memchr(text.data, '\0', text.size) || path_find(text))
        return err_set(err, EINVAL, "root '%.*s': write NAME, without a path",
                       (int)(text.size < 200 ? text.size : 200), text.data);
    if (visit->count == VISIT_DATASETS_MAX)
        return err_set(err, E2BIG, "more than %u datasets", VISIT_DATASETS_MAX);
    memcpy(dataset.name, text.data, text.size);
    visit->root = (int)visit->count;
    visit->datasets[visit->count++] = dataset;
    return 0;
}

/* ---- the agent ---- */

int visit_connect(struct visit *visit, struct err *err)
{
    const struct timeval wait = { .tv_sec = (time_t)visit->wait_s };
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = visit->socket;
    if (strlen(path) >= sizeof address.sun_path)
        return err_set(err, ENAMETOOLONG, "socket '%s': too long", path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    visit->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (visit->fd < 0 ||
        connect(visit->fd, (struct sockaddr *)&address, sizeof address) < 0)
        return err_set(err, errno,
                       "%s: %s; is baro-dataset-agent running on this node?", path,
                       strerror(errno));
    if (visit->wait_s)
        (void)setsockopt(visit->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    return 0;
}

static int agent_query(const struct visit *visit, const struct agent_request *request,
                       struct digest *ret, int *ret_fd, struct err *err)
{
    char line[AGENT_LINE_MAX];
    struct agent_response response = { 0 };
    size_t length = 0, size = agent_request_print(request, line);
    int rc = agent_line_send(visit->fd, line, size, -1);
    if (rc == 0)
        rc = agent_line_receive(visit->fd, line, &length, ret_fd);
    if (rc == 0)
        rc = agent_response_parse((struct span){ line, length }, &response);
    if (rc < 0)
        return err_set(err, -rc, "the agent at %s: %s", visit->socket,
                       rc == -ECONNRESET
                           ? "it ended the connection (too many commands, or a name "
                             "that cannot be one)"
                       : rc == -EAGAIN ? "it did not respond in time"
                                       : strerror(-rc));
    *ret = response.name;
    return response.error ? err_set(err, response.error, "%s", response.text) : 0;
}

int visit_mount(struct visit *visit, const struct visit_user *user, struct err *err)
{
    struct agent_request request = { .kind = AGENT_REQUEST_MOUNT };
    int rc = 0;
    if (user) {
        request.kind = AGENT_REQUEST_MOUNT_FOR;
        request.uid = user->uid;
        request.job = user->job;
        memcpy(request.groups, user->groups, sizeof request.groups);
    }
    for (size_t i = 0; rc == 0 && i < visit->count; i++) {
        struct visit_dataset *dataset = &visit->datasets[i];
        memcpy(request.name, dataset->name, sizeof request.name);
        rc = agent_query(visit, &request, &dataset->digest, &dataset->fd, err);
        if (rc == 0 && dataset->fd < 0)
            rc = err_set(err, EBADMSG, "the agent sent no mount");
    }
    return rc;
}

int visit_own(struct visit *visit, bool is_root_alone, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < visit->count; i++) {
        const struct agent_request request = { .kind = AGENT_REQUEST_OWN, .number = i };
        struct digest none;
        int fd = -1;
        if (is_root_alone && (int)i != visit->root)
            continue;
        rc = agent_query(visit, &request, &none, &fd, err);
        if (rc == 0 && fd < 0)
            rc = err_set(err, EBADMSG, "the agent sent no mount");
        if (rc < 0)
            break;
        (void)close(visit->datasets[i].fd);
        visit->datasets[i].fd = fd;
    }
    return rc;
}

int visit_end_job(struct visit *visit, uint64_t job, struct err *err)
{
    const struct agent_request request = { .kind = AGENT_REQUEST_END, .job = job };
    struct digest none;
    int fd = -1;
    int rc = agent_query(visit, &request, &none, &fd, err);
    if (fd >= 0)
        (void)close(fd);
    return rc;
}

/* A line's end in a path would begin another request. */
void visit_report(const struct visit *visit, const char *command)
{
    struct agent_request request = { .kind = AGENT_REQUEST_USED };
    char line[AGENT_LINE_MAX];
    int rc = 0;
    (void)snprintf(request.command, sizeof request.command, "%s", command);
    for (size_t i = 0; rc == 0 && i < visit->count; i++) {
        request.number = i;
        (void)snprintf(request.path, sizeof request.path, "%s",
                       visit->datasets[i].path);
        for (char *end = request.path; (end = strchr(end, '\n'));)
            *end = '?';
        rc = agent_line_send(visit->fd, line, agent_request_print(&request, line), -1);
    }
}

int visit_query(const struct visit *visit, const struct agent_request *request,
                struct err *err)
{
    struct digest none;
    return agent_query(visit, request, &none, NULL, err);
}

int visit_where(const struct visit *visit, struct err *err)
{
    const struct agent_request request = { .kind = AGENT_REQUEST_WHERE };
    return visit_query(visit, &request, err);
}

/* ---- mounts ---- */

/* Each directory of a path below the first root bytes of it. */
static int directories_make(const char *path, size_t root)
{
    char part[VISIT_PATH_SIZE];
    for (size_t i = root + 1; path[i - 1]; i++) {
        if (path[i] != '/' && path[i])
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
            return -errno;
    }
    return 0;
}

#define OWN_GROUPS_MAX 65536U /* NGROUPS_MAX */
struct own_groups {
    size_t count;
    gid_t groups[OWN_GROUPS_MAX];
};

/* Root may be refused by the server of a home directory, and must not find what its
 * user cannot, nor miss what a group of the user's can.  The system calls themselves:
 * those of the C library are for all threads of a process, and a process that was
 * forked has one. */
static int files_be(const struct visit_user *user, struct own_groups *ret_own)
{
    gid_t groups[AGENT_GROUPS_SIZE / 2];
    size_t count = 0;
    struct span rest = span_of(user ? user->groups : ""), part;
    uint64_t number;
    if (!user)
        return 0;
    while (rest.size && count < COUNT_OF(groups)) {
        (void)span_cut(&rest, '.', &part);
        if (number_parse_u64(part, &number) == 0)
            groups[count++] = (gid_t)number;
    }
    long size = syscall(SYS_getgroups, COUNT_OF(ret_own->groups), ret_own->groups);
    if (size < 0 || syscall(SYS_setgroups, count, groups) < 0)
        return -errno;
    ret_own->count = (size_t)size;
    (void)setfsgid(user->gid);
    (void)setfsuid(user->uid);
    return 0;
}

static int files_be_own(const struct visit_user *user, const struct own_groups *own)
{
    if (!user)
        return 0;
    (void)setfsuid(geteuid());
    (void)setfsgid(getegid());
    return syscall(SYS_setgroups, own->count, own->groups) < 0 ? -errno : 0;
}

int visit_directory_open(const char *path, const struct visit_user *user)
{
    static struct own_groups own; /* of a process with one thread */
    const struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                                  .resolve = RESOLVE_NO_MAGICLINKS };
    int rc = files_be(user, &own);
    if (rc < 0)
        return rc;
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    rc = fd < 0 ? -errno : 0;
    int back = files_be_own(user, &own);
    if (back < 0 && fd >= 0)
        (void)close(fd);
    return back < 0 ? back : rc < 0 ? rc : fd;
}

static int dataset_attach(const struct visit *visit,
                          const struct visit_dataset *dataset,
                          const struct visit_user *user, struct err *err)
{
    int rc =
        dataset->is_named ? 0 : directories_make(dataset->path, strlen(visit->here));
    int at = rc < 0
                 ? rc
                 : visit_directory_open(dataset->path, dataset->is_named ? user : NULL);
    rc = at;
    if (at >= 0) {
        rc = syscall(SYS_move_mount, dataset->fd, "", at, "",
                     MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0
                 ? -errno
                 : 0;
        (void)close(at);
    }
    if (rc == 0)
        return 0;
    return err_set(
        err, -rc, "dataset '%s': mounting it at %s: %s%s", dataset->name, dataset->path,
        strerror(-rc),
        rc == -ENOENT || rc == -ENOTDIR
            ? " (the directory has to be there; without a path it is mounted "
              "below the agent's directory)"
            : "");
}

int visit_make_writable(struct visit *visit, uint64_t size_bytes, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < visit->count; i++) {
        struct visit_dataset *dataset = &visit->datasets[i];
        int made = -1;
        if ((int)i == visit->root)
            continue;
        rc = overlay_make(visit->here, dataset->fd, size_bytes, &made, err);
        rc = err_prefix(err, rc, "dataset '%s'", dataset->name);
        if (rc < 0)
            break;
        (void)close(dataset->fd);
        dataset->fd = made;
    }
    return rc;
}

int visit_attach(struct visit *visit, const struct visit_user *user, struct err *err)
{
    int rc = 0;
    if (visit->has_here &&
        mount("barograph", visit->here, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0)
        return err_set(err, errno, "%s: %s", visit->here, strerror(errno));
    for (size_t i = 0; rc == 0 && i < visit->count; i++)
        if ((int)i != visit->root)
            rc = dataset_attach(visit, &visit->datasets[i], user, err);
    return rc;
}

void visit_print(const struct visit *visit, char out[static VISIT_MOUNTS_SIZE])
{
    char digits[DIGEST_TEXT_SIZE];
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < visit->count; i++) {
        digest_print(&visit->datasets[i].digest, digits);
        int size = snprintf(out + used, VISIT_MOUNTS_SIZE - used, "%s%s:%s",
                            i ? "," : "", digits, visit->datasets[i].path);
        used += (size_t)size;
    }
}
