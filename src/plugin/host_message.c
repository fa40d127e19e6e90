/* SPDX-License-Identifier: Apache-2.0 */
/* host_message - messages to the process of a host, and reports of the host itself. */
#include "plugin/host_private.h"

#include "base/clock.h"
#include "base/span.h"
#include "plugin/reads.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>

void host_report(const struct plugin_host *h, const char *plugin, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    if (!h->opts.report)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    h->opts.report(h->opts.report_arg, plugin, text);
}

void host_await(struct plugin_host *h)
{
    h->deadline_ns = clock_monotonic_ns() + h->opts.deadline_ns;
}

int host_send(struct plugin_host *h)
{
    ssize_t n;
    if (h->fd < 0)
        return -EPIPE;
    do
        n = send(h->fd, h->out.data, h->out.size, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    h->out.size = 0;
    return n < 0 ? -errno : 0;
}

static int send_with_files(struct plugin_host *h, const int *fds, size_t count)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(FRAME_FILES_MAX * sizeof(int))];
    } control = { 0 };
    struct iovec part = { h->out.data, h->out.size };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(c), fds, count * sizeof(int));
    }
    ssize_t n = sendmsg(h->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    h->out.size = 0;
    return n < 0 ? -errno : 0;
}

int host_send_files(struct plugin_host *h, uint16_t index)
{
    struct host_slot *slot = h->slots[index];
    AUTO(reads_close) struct reads reads;
    reads_open(h->opts.root, &slot->manifest, h->opts.reads, h->opts.read_count,
               &reads);
    slot->file_count = reads.count;
    slot->refused_count = reads.refused;
    if (reads.refused)
        host_report(h, slot->manifest.name, "does not get %zu files: %s", reads.refused,
                    reads.why);
    size_t begin = frame_begin(&h->out, FRAME_FILES, index);
    frame_put_u16(&h->out, (uint16_t)reads.count);
    for (size_t i = 0; i < reads.count; i++)
        frame_put_text(&h->out, span_of(reads.paths[i]));
    if (!frame_end(&h->out, begin))
        return -EMSGSIZE;
    return send_with_files(h, reads.fds, reads.count);
}

void host_load_next(struct plugin_host *h)
{
    uint16_t next = HOST_PLUGINS_MAX;
    for (uint16_t i = HOST_PLUGINS_MAX; i-- > 0;) {
        if (h->slots[i] && h->slots[i]->is_load_sent)
            return;
        if (h->slots[i] && h->slots[i]->is_load_wanted)
            next = i;
    }
    if (next == HOST_PLUGINS_MAX || h->fd < 0 || !h->has_hello)
        return;
    struct host_slot *slot = h->slots[next];
    size_t begin = frame_begin(&h->out, FRAME_LOAD, next);
    frame_put_u64(&h->out, (uint64_t)h->opts.instructions);
    frame_put_u32(&h->out, h->opts.memory_bytes);
    frame_put_bytes(&h->out, slot->text, slot->text_size);
    (void)frame_end(&h->out, begin); /* FRAME_SOURCE_MAX fits */
    int rc = host_send(h);
    if (rc == -EAGAIN)
        return; /* at the next trigger */
    slot->is_load_wanted = false;
    slot->is_load_sent = true;
    slot->has_manifest = false;
    host_await(h);
}
