/* SPDX-License-Identifier: Apache-2.0 */
/* visitor - a command that is connected to the agent: its datasets, as long as it is.
 */
#include "dataset/mount/visitor.h"

#include "dataset/mount/agent_line.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define IDLE_S 10U

struct visitor {
    const struct visitor_opts *opts;
    int fd;
    struct reader reader;
    size_t count;
    struct node_mount mounts[VISITOR_DATASETS_MAX];
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

static int mount_one(struct visitor *visitor, const char *name, struct digest *ret,
                     struct err *err)
{
    const struct node_mounts *node = &visitor->opts->node;
    if (visitor->count == VISITOR_DATASETS_MAX)
        return err_set(err, E2BIG, "at most %u datasets for a command",
                       VISITOR_DATASETS_MAX);
    int rc = node_mounts_resolve(node, name, &visitor->reader, ret, err);
    if (rc == 0)
        rc = node_mounts_enter(node, ret, visitor->opts->uid,
                               &visitor->mounts[visitor->count], err);
    if (rc < 0)
        return rc;
    visitor->count++;
    return 0;
}

static int visitor_respond(struct visitor *visitor, int rc, const struct digest *name,
                           const struct err *err)
{
    struct agent_response response = { .error = rc < 0 ? -rc : 0, .name = *name };
    char line[AGENT_LINE_MAX];
    (void)snprintf(response.text, sizeof response.text, "%s",
                   err->text[0] ? err->text : strerror(-rc));
    size_t size = agent_response_print(&response, line);
    return agent_line_send(visitor->fd, line, size,
                           rc < 0 ? -1 : visitor->mounts[visitor->count - 1].tree_fd);
}

static int visitor_request(struct visitor *visitor, struct span line)
{
    char name[NODE_MOUNTS_NAME_SIZE];
    enum agent_request request;
    struct digest digest = { 0 };
    struct err err = { 0 };
    int rc = agent_request_parse(line, &request, name);
    if (rc < 0)
        return rc;
    rc = mount_one(visitor, name, &digest, &err);
    if (rc < 0)
        forwarder_report(visitor->opts->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                         "user %u: %s", visitor->opts->uid,
                         err.text[0] ? err.text : strerror(-rc));
    return visitor_respond(visitor, rc, &digest, &err);
}

bool visitor_serve(const struct visitor_opts *opts, int fd)
{
    struct visitor visitor = { .opts = opts, .fd = fd };
    static const struct readers none_trusted;
    char line[AGENT_LINE_MAX];
    size_t size;
    reader_of(&none_trusted, fd, &visitor.reader);
    while (visitor_receive(&visitor, line, &size) == 0 &&
           visitor_request(&visitor, (struct span){ line, size }) == 0)
        ;
    return visitor_leave(&visitor);
}
