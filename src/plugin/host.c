/* SPDX-License-Identifier: Apache-2.0 */
/* host - the process that runs the Lua plugins of one owner, seen from the agent. */
#include "plugin/host_private.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "plugin/builtin.h"
#include "plugin/reads.h"

#include <openssl/evp.h>
#include <poll.h>
#include <sys/socket.h>

#define MESSAGES_MAX 256 /* of one host_receive() */

const struct host_opts host_opts_default = {
    .root = "",
    .role = "",
    .instructions = 1000000,
    .memory_bytes = (uint32_t)1 << 20,
    .cpu_ms = 50,
    .deadline_ns = 2 * NS_PER_S,
    .strikes_max = 3,
};

int host_new(const struct host_opts *opts, struct plugin_host **ret)
{
    struct plugin_host *h = calloc(1, sizeof *h);
    if (!h)
        return -ENOMEM;
    h->opts = *opts;
    if (!h->opts.reads) {
        h->opts.reads = reads_default;
        h->opts.read_count = reads_default_count;
    }
    h->fd = -1;
    *ret = h;
    return 0;
}

static void slot_free(struct host_slot *slot)
{
    free(slot->file);
    free(slot->text);
    free(slot);
}

void host_free(struct plugin_host *h)
{
    if (!h)
        return;
    host_process_stop(h);
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++)
        if (h->slots[i])
            slot_free(h->slots[i]);
    free(h);
}

/* ---- the stack ---- */

static int slot_find(const struct plugin_host *h, const char *file)
{
    for (int i = 0; i < HOST_PLUGINS_MAX; i++)
        if (h->slots[i] && !h->slots[i]->is_gone &&
            strcmp(h->slots[i]->file, file) == 0)
            return i;
    return -ENOENT;
}

static int slot_add(struct plugin_host *h, const char *file)
{
    for (int i = 0; i < HOST_PLUGINS_MAX; i++) {
        if (h->slots[i])
            continue;
        struct host_slot *slot = calloc(1, sizeof *slot);
        if (!slot)
            return -ENOMEM;
        slot->file = strdup(file);
        if (!slot->file) {
            free(slot);
            return -ENOMEM;
        }
        h->slots[i] = slot;
        return i;
    }
    return -ENOSPC;
}

/* One that cannot be started now may be later: its program is being installed. */
static int start_first(struct plugin_host *h, struct err *err)
{
    struct err why = { 0 };
    if (h->restart_ns)
        return 0; /* loaded when it starts again */
    int rc = host_process_start(h, &why);
    if (rc == 0)
        return 0;
    host_process_fail(h, why.text);
    return err_set(err, -rc, "%s", why.text);
}

int host_load(struct plugin_host *h, const char *file, struct span text,
              struct err *err)
{
    if (text.size == 0 || text.size > FRAME_SOURCE_MAX)
        return err_set(err, EINVAL, "%s: %zu bytes; a plugin has 1 to %d", file,
                       text.size, FRAME_SOURCE_MAX);
    char *copy = malloc(text.size);
    if (!copy)
        return -ENOMEM;
    int index = slot_find(h, file);
    if (index < 0)
        index = slot_add(h, file);
    if (index < 0) {
        free(copy);
        return err_set(err, -index, "%s: %s", file,
                       index == -ENOSPC ? "an owner has at most 64 plugins"
                                        : strerror(-index));
    }
    struct host_slot *slot = h->slots[index];
    memcpy(copy, text.data, text.size);
    free(slot->text);
    slot->text = copy;
    slot->text_size = text.size;
    slot->state = HOST_LOADING;
    slot->is_load_wanted = true;
    slot->is_withdrawn = slot->is_end_due = false;
    slot->strikes = 0;
    slot->why[0] = '\0';
    (void)EVP_Digest(text.data, text.size, slot->manifest.digest, NULL, EVP_sha256(),
                     NULL);
    if (h->fd < 0)
        return start_first(h, err);
    host_load_next(h);
    return 0;
}

static bool slot_is_idle(const struct host_slot *slot)
{
    return slot->pending_count == 0 && !slot->is_load_sent;
}

/* Behind the last that its calls gave. */
static void ended_report(struct plugin_host *h)
{
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++) {
        struct host_slot *slot = h->slots[i];
        if (!slot || !slot_is_idle(slot) || !(slot->is_gone || slot->is_end_due))
            continue;
        slot->is_end_due = false;
        if (slot->manifest.name[0])
            host_own_event(h, slot,
                           slot->is_gone ? "plugin_removed" : "plugin_withdrawn",
                           slot->is_gone ? PLUGIN_INFO : PLUGIN_WARNING,
                           slot->is_gone ? "it is not run any more"
                                         : "its file is not safe any more");
        if (!slot->is_gone)
            continue;
        slot_free(slot);
        h->slots[i] = NULL;
    }
}

static void slot_end(struct plugin_host *h, uint16_t index)
{
    h->slots[index]->is_load_wanted = false;
    h->slots[index]->state = HOST_SUSPENDED;
    if (h->fd >= 0) {
        size_t begin = frame_begin(&h->out, FRAME_UNLOAD, index);
        (void)frame_end(&h->out, begin);
        (void)host_send(h);
    }
    ended_report(h);
}

int host_unload(struct plugin_host *h, const char *file)
{
    int index = slot_find(h, file);
    if (index < 0)
        return index;
    h->slots[index]->is_gone = true;
    slot_end(h, (uint16_t)index);
    return 0;
}

int host_withdraw(struct plugin_host *h, const char *file)
{
    int index = slot_find(h, file);
    if (index < 0)
        return index;
    if (h->slots[index]->is_withdrawn)
        return 0;
    h->slots[index]->is_withdrawn = h->slots[index]->is_end_due = true;
    slot_end(h, (uint16_t)index);
    return 0;
}

int host_resume(struct plugin_host *h, const char *file)
{
    int index = slot_find(h, file);
    if (index < 0)
        return index;
    h->slots[index]->strikes = 0;
    if (h->slots[index]->state == HOST_SUSPENDED && !h->slots[index]->is_withdrawn) {
        h->slots[index]->state = HOST_LOADING;
        h->slots[index]->is_load_wanted = true;
        host_load_next(h);
    }
    return 0;
}

void host_set_root(struct plugin_host *h, const char *root)
{
    h->opts.root = root;
    for (uint16_t i = 0; i < HOST_PLUGINS_MAX && h->fd >= 0; i++)
        if (h->slots[i] && h->slots[i]->state == HOST_READY)
            (void)host_send_files(h, i);
}

/* ---- calls ---- */

static void put_call(struct plugin_host *h, const struct host_pending *call,
                     const struct plugin_input *inputs, size_t count)
{
    frame_put_u8(&h->out, (uint8_t)call->function);
    frame_put_u8(&h->out, h->careful > 0);
    frame_put_u64(&h->out, call->epoch);
    frame_put_u64(&h->out, (uint64_t)call->t_ns);
    frame_put_u16(&h->out, (uint16_t)count);
    for (size_t i = 0; i < count; i++) {
        frame_put_text(&h->out, inputs[i].name);
        frame_put_text(&h->out, inputs[i].from);
        frame_put_u8(&h->out, inputs[i].is_text);
        frame_put_f64(&h->out, inputs[i].value);
        frame_put_text(&h->out, inputs[i].text);
    }
}

static bool put_finish(struct plugin_host *h, uint64_t epoch)
{
    size_t begin = frame_begin(&h->out, FRAME_FINISH, 0);
    frame_put_u64(&h->out, epoch);
    return frame_end(&h->out, begin);
}

static void pending_add(struct plugin_host *h, uint16_t index,
                        const struct host_pending *call)
{
    struct host_slot *slot = h->slots[index];
    slot->pending[slot->pending_count++] = *call;
}

size_t host_trigger(struct plugin_host *h, uint64_t epoch, int64_t t_ns)
{
    int64_t next_ns;
    size_t count = 0;
    host_check(h, &next_ns);
    h->counts.triggers++;
    if (h->fd < 0)
        return 0;
    if (host_is_busy(h)) {
        h->counts.late++;
        return 0;
    }
    const struct host_pending call = { PLUGIN_SOURCE, epoch, t_ns, 0 };
    for (uint16_t i = 0; i < HOST_PLUGINS_MAX; i++) {
        const struct host_slot *slot = h->slots[i];
        if (!slot || slot->state != HOST_READY || slot->is_gone ||
            slot->pending_count == HOST_PENDING_MAX ||
            !plugin_is_due(&slot->manifest, epoch, h->opts.role))
            continue;
        size_t begin = frame_begin(&h->out, FRAME_CALL, i);
        put_call(h, &call, NULL, 0);
        if (!frame_end(&h->out, begin))
            break;
        pending_add(h, i, &call);
        count++;
    }
    if (count == 0)
        return 0;
    (void)put_finish(h, epoch); /* 64 calls without inputs leave room */
    h->ends_awaited++;
    host_await(h);
    int rc = host_send(h);
    if (rc < 0)
        host_process_fail(h, rc == -EAGAIN ? "it does not read" : strerror(-rc));
    return rc < 0 ? 0 : count;
}

static int slot_call(struct plugin_host *h, uint16_t index,
                     const struct plugin_call *call)
{
    const struct host_pending pending = { call->function, call->epoch, call->t_ns, 0 };
    size_t begin = frame_begin(&h->out, FRAME_CALL, index);
    put_call(h, &pending, call->inputs, call->input_count);
    if (!frame_end(&h->out, begin) || !put_finish(h, call->epoch)) {
        h->out.size = 0;
        return -EMSGSIZE;
    }
    int rc = host_send(h);
    if (rc < 0)
        return rc;
    pending_add(h, index, &pending);
    h->ends_awaited++;
    host_await(h);
    return 0;
}

int host_call(struct plugin_host *h, const char *file, const struct plugin_call *call)
{
    int index = slot_find(h, file);
    if (index < 0)
        return index;
    const struct host_slot *slot = h->slots[index];
    if (h->fd < 0 || slot->state != HOST_READY ||
        slot->pending_count == HOST_PENDING_MAX)
        return -EAGAIN;
    if (!(slot->manifest.functions & 1U << call->function))
        return -EINVAL;
    return slot_call(h, (uint16_t)index, call);
}

/* ---- what comes back ---- */

void host_adopt(struct plugin_host *h, int fd)
{
    host_process_stop(h);
    h->fd = fd;
    h->has_hello = false;
}

int host_fd(const struct plugin_host *h)
{
    return h->fd;
}

bool host_is_busy(const struct plugin_host *h)
{
    if (h->fd >= 0 && (!h->has_hello || h->ends_awaited > 0))
        return true;
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++) {
        const struct host_slot *slot = h->slots[i];
        if (slot && h->fd >= 0 && (slot->is_load_sent || slot->is_load_wanted))
            return true;
    }
    return false;
}

void host_receive(struct plugin_host *h)
{
    for (size_t i = 0; i < MESSAGES_MAX && h->fd >= 0; i++) {
        ssize_t n = recv(h->fd, h->in, sizeof h->in, MSG_DONTWAIT | MSG_TRUNC);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (n <= 0) {
            host_process_fail(h, n == 0 ? "it has ended" : strerror(errno));
            return;
        }
        int rc = (size_t)n > sizeof h->in ? -EBADMSG : host_handle(h, h->in, (size_t)n);
        if (rc < 0) {
            h->counts.protocol_errors += rc == -EBADMSG;
            host_process_fail(h, rc == -ETIME ? "a call in C does not end"
                                              : "it sends what is not the protocol");
            return;
        }
        host_load_next(h);
        if (h->ends_awaited == 0 && !host_is_busy(h))
            h->deadline_ns = 0;
    }
    ended_report(h);
}

void host_check(struct plugin_host *h, int64_t *ret_ns)
{
    int64_t now_ns = clock_monotonic_ns();
    *ret_ns = 0;
    if (h->fd >= 0 && h->deadline_ns && now_ns >= h->deadline_ns) {
        host_receive(h); /* it may be there, and not yet read */
        if (h->fd >= 0 && h->deadline_ns && now_ns >= h->deadline_ns)
            host_process_fail(h, "it has not ended its calls in time");
    }
    if (h->fd < 0 && h->restart_ns && now_ns >= h->restart_ns) {
        struct err err = { 0 };
        h->restart_ns = 0;
        if (host_process_start(h, &err) < 0)
            host_process_fail(h, err.text);
    }
    if (h->fd < 0)
        *ret_ns = h->restart_ns;
    else
        *ret_ns = h->deadline_ns;
}

void host_settle(struct plugin_host *h, int64_t timeout_ns)
{
    int64_t end_ns = clock_monotonic_ns() + timeout_ns, next_ns;
    while (clock_monotonic_ns() < end_ns) {
        host_check(h, &next_ns);
        if (h->fd < 0 || !host_is_busy(h))
            return;
        struct pollfd fd = { .fd = h->fd, .events = POLLIN };
        (void)poll(&fd, 1, 20);
        host_receive(h);
    }
}

/* ---- what is known of it ---- */

static bool slot_is_listed(const struct host_slot *slot)
{
    return !slot->is_gone && !slot->is_withdrawn;
}

size_t host_plugin_count(const struct plugin_host *h)
{
    size_t count = 0;
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++)
        count += h->slots[i] && slot_is_listed(h->slots[i]);
    return count;
}

void host_plugin_at(const struct plugin_host *h, size_t index, struct host_plugin *ret)
{
    *ret = (struct host_plugin){ 0 };
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++) {
        const struct host_slot *slot = h->slots[i];
        if (!slot || !slot_is_listed(slot) || index-- > 0)
            continue;
        *ret = (struct host_plugin){
            .file = slot->file,
            .state = slot->state,
            .manifest = &slot->manifest,
            .why = slot->why,
            .strikes = slot->strikes,
            .calls = slot->calls,
            .failures = slot->failures,
            .cpu_ns = slot->cpu_ns,
            .instructions = slot->instructions,
            .memory_peak = slot->memory_peak,
            .file_count = slot->file_count,
            .refused_count = slot->refused_count,
        };
        return;
    }
}

void host_count(const struct plugin_host *h, struct host_counts *ret)
{
    *ret = h->counts;
}

uint32_t host_walls(const struct plugin_host *h)
{
    return h->walls;
}

pid_t host_pid(const struct plugin_host *h)
{
    return h->pid;
}
