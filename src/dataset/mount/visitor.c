/* SPDX-License-Identifier: Apache-2.0 */
/* visitor - a command that is connected to the agent: its datasets, as long as it is.
 */
#include "dataset/mount/visitor.h"

#include "base/number.h"
#include "base/span.h"
#include "dataset/mount/mount_use.h"
#include "dataset/mount/node_jobs.h"
#include "dataset/mount/node_record.h"
#include "dataset/mount/node_uses.h"
#include "dataset/visit/visit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define IDLE_S 10U

struct visitor {
    const struct visitor_opts *opts;
    int fd;
    struct reader reader;
    bool has_left; /* references that are to be given back */
    size_t count;
    struct node_mount mounts[VISIT_DATASETS_MAX];
    gid_t gids[VISIT_DATASETS_MAX];            /* of whom they are: the first group */
    bool is_owned[VISIT_DATASETS_MAX];         /* each costs a user namespace of root */
    struct mount_use uses[VISIT_DATASETS_MAX]; /* of these */
    int uses_fd;
};

static bool visitor_leave(struct visitor *visitor)
{
    bool is_right = true;
    while (visitor->count)
        is_right &=
            node_mounts_leave(&visitor->opts->node, &visitor->mounts[--visitor->count]);
    return is_right;
}

/* A place is for who uses a dataset. */
static int visitor_receive(const struct visitor *visitor,
                           char line[static AGENT_LINE_MAX], size_t *ret_size)
{
    (void)alarm(visitor->count ? 0 : IDLE_S);
    int rc = agent_line_receive(visitor->fd, line, ret_size, NULL);
    (void)alarm(0);
    return rc;
}

/* For whom: only root is believed what it states of a user. */
static int request_user(const struct visitor *visitor,
                        const struct agent_request *request, struct reader *ret,
                        struct err *err)
{
    *ret = visitor->reader;
    if (request->kind == AGENT_REQUEST_MOUNT)
        return 0;
    if (visitor->opts->uid != 0)
        return err_set(err, EPERM, "only root requests something for another user");
    return request->kind == AGENT_REQUEST_MOUNT_FOR
               ? reader_parse(request->uid, span_of(request->groups), ret)
               : 0;
}

static int mount_one(struct visitor *visitor, const struct agent_request *request,
                     const struct reader *reader, struct digest *ret, struct err *err)
{
    const struct node_mounts *node = &visitor->opts->node;
    if (visitor->count == VISIT_DATASETS_MAX)
        return err_set(err, E2BIG, "at most %u datasets for a command",
                       VISIT_DATASETS_MAX);
    int rc = request->job
                 ? node_jobs_hold(node, request->job, request->name, reader, ret, err)
                 : node_mounts_resolve(node, request->name, reader, ret, err);
    if (rc == 0)
        rc = node_mounts_enter(node, ret, reader->uid, &visitor->mounts[visitor->count],
                               err);
    if (rc < 0)
        return rc;
    uint64_t gid = 0;
    struct span groups = span_of(reader->groups), first;
    (void)span_cut(&groups, '.', &first);
    visitor->is_owned[visitor->count] = false;
    visitor->gids[visitor->count] =
        number_parse_u64(first, &gid) == 0 ? (gid_t)gid : (gid_t)reader->uid;
    mount_use_begin(request, ret, reader->uid, visitor->fd,
                    &visitor->uses[visitor->count++]);
    return 0;
}

static int request_do(struct visitor *visitor, const struct agent_request *request,
                      struct digest *ret, struct err *err)
{
    struct reader reader;
    int rc = request_user(visitor, request, &reader, err);
    if (rc < 0)
        return rc;
    if (request->kind != AGENT_REQUEST_END)
        return mount_one(visitor, request, &reader, ret, err);
    rc = node_jobs_end(&visitor->opts->node, request->job, err);
    visitor->has_left |= rc < 0;
    return rc;
}

static int visitor_respond(const struct visitor *visitor, int rc, int fd,
                           const struct digest *name, const struct err *err)
{
    struct agent_response response = { .error = rc < 0 ? -rc : 0, .name = *name };
    char line[AGENT_LINE_MAX];
    (void)snprintf(response.text, sizeof response.text, "%s",
                   err->text[0] ? err->text : strerror(-rc));
    size_t size = agent_response_print(&response, line);
    return agent_line_send(visitor->fd, line, size, fd);
}

static int line_send(void *arg, struct span line)
{
    const struct visitor *visitor = arg;
    (void)alarm(visitor->count ? 0 : IDLE_S);
    return agent_line_send(visitor->fd, line.data, line.size, -1);
}

/* A line after the other, each as soon as the socket's buffer has space: what is not
 * read is in that part of root's memory, and in no other. */
static int visitor_where(struct visitor *visitor)
{
    const struct digest none = { 0 };
    const struct err no_err = { 0 };
    (void)alarm(visitor->count ? 0 : IDLE_S);
    int rc = visitor_respond(visitor, 0, -1, &none, &no_err);
    if (rc == 0)
        rc = node_uses_each(&visitor->opts->node, visitor->opts->uid, line_send,
                            visitor);
    if (rc == 0)
        rc = line_send(visitor, SPAN("\n"));
    (void)alarm(0);
    return rc;
}

/* Root passes on what came, and looks into none of it. */
static int visitor_view(struct visitor *visitor, const struct agent_request *request)
{
    struct view_text view = { 0 };
    const struct digest none = { 0 };
    struct err err = { 0 };
    if (request->number >= visitor->count)
        return -EBADMSG;
    const struct digest *name = &visitor->mounts[request->number].name;
    int rc = node_mounts_view(&visitor->opts->node, name, request->name, &view, &err);
    if (rc < 0)
        return visitor_respond(visitor, rc, -1, &none, &err);
    rc = visitor_respond(visitor, 0, -1, name, &err);
    if (rc == 0)
        rc = line_send(visitor, (struct span){ view.data, view.size });
    if (rc == 0)
        rc = line_send(visitor, SPAN("\n"));
    (void)alarm(0);
    return rc;
}

static int visitor_record(struct visitor *visitor, const struct agent_request *request)
{
    struct err err = { 0 };
    if (request->number >= visitor->count)
        return -EBADMSG;
    const struct digest *name = &visitor->mounts[request->number].name;
    int rc = node_record_begin(&visitor->opts->node, name, &err);
    return visitor_respond(visitor, rc, -1, name, &err);
}

/* As a view. */
static int visitor_profile(struct visitor *visitor, const struct agent_request *request)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    if (request->number >= visitor->count)
        return -EBADMSG;
    const struct digest *name = &visitor->mounts[request->number].name;
    int rc = node_record_read(&visitor->opts->node, name, &text, &err);
    if (rc < 0)
        return visitor_respond(visitor, rc, -1, name, &err);
    rc = visitor_respond(visitor, 0, -1, name, &err);
    struct span rest = strbuf_span(&text);
    while (rc == 0 && rest.size) {
        struct span part = { rest.data, rest.size < 512 ? rest.size : 512 };
        rc = line_send(visitor, part);
        rest = span_skip(rest, part.size);
    }
    if (rc == 0)
        rc = line_send(visitor, SPAN("\n"));
    (void)alarm(0);
    return rc;
}

static int visitor_own(struct visitor *visitor, const struct agent_request *request)
{
    struct err err = { 0 };
    int fd = -1;
    if (request->number >= visitor->count)
        return -EBADMSG;
    const struct node_mount *mount = &visitor->mounts[request->number];
    int rc = visitor->is_owned[request->number]
                 ? err_set(&err, EALREADY, "it has been handed out: once a mount")
                 : node_mounts_own(&visitor->opts->node, mount,
                                   visitor->gids[request->number], &fd, &err);
    visitor->is_owned[request->number] |= rc == 0;
    rc = visitor_respond(visitor, rc, fd, &mount->name, &err);
    if (fd >= 0)
        (void)close(fd);
    return rc;
}

/* Without a response: who has mounted it goes on. */
static int visitor_used(struct visitor *visitor, const struct agent_request *request)
{
    if (request->number >= visitor->count)
        return -EBADMSG;
    mount_use_report(visitor->opts, &visitor->uses[request->number], request,
                     &visitor->uses_fd);
    return 0;
}

static int visitor_request(struct visitor *visitor, struct span line)
{
    struct agent_request request;
    struct digest digest = { 0 };
    struct err err = { 0 };
    size_t count = visitor->count;
    int rc = agent_request_parse(line, &request);
    if (rc < 0)
        return rc;
    if (request.kind == AGENT_REQUEST_USED)
        return visitor_used(visitor, &request);
    if (request.kind == AGENT_REQUEST_WHERE)
        return visitor_where(visitor);
    if (request.kind == AGENT_REQUEST_VIEW)
        return visitor_view(visitor, &request);
    if (request.kind == AGENT_REQUEST_RECORD)
        return visitor_record(visitor, &request);
    if (request.kind == AGENT_REQUEST_PROFILE)
        return visitor_profile(visitor, &request);
    if (request.kind == AGENT_REQUEST_OWN)
        return visitor_own(visitor, &request);
    rc = request_do(visitor, &request, &digest, &err);
    if (rc < 0)
        forwarder_report(
            visitor->opts->report, LOG_LEVEL_WARN, FORWARDER_CLIENT, "user %u: %s",
            request.kind == AGENT_REQUEST_MOUNT_FOR ? request.uid : visitor->opts->uid,
            err.text[0] ? err.text : strerror(-rc));
    int fd = visitor->count > count ? visitor->mounts[count].tree_fd : -1;
    return visitor_respond(visitor, rc, fd, &digest, &err);
}

bool visitor_serve(const struct visitor_opts *opts, int fd)
{
    struct visitor visitor = { .opts = opts, .fd = fd, .uses_fd = -1 };
    static const struct readers none_trusted;
    char line[AGENT_LINE_MAX];
    size_t size;
    reader_of(&none_trusted, fd, &visitor.reader);
    while (visitor_receive(&visitor, line, &size) == 0 &&
           visitor_request(&visitor, (struct span){ line, size }) == 0)
        ;
    node_uses_clear(&opts->node, &visitor.uses_fd);
    return visitor_leave(&visitor) && !visitor.has_left;
}
