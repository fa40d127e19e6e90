/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_ninep - what clients of 9P send: messages read one by one; and a session against
 * a dataset whose chunks are in memory, but for one that never comes.  Each response
 * has its form, and nothing is held once the client is gone. */
#include "base/clock.h"
#include "dataset/forwarder/ninep/ninep_client.h"
#include "fuzz/fuzz.h"

#include <sys/socket.h>
#include <unistd.h>

#define CHUNK 16384U
#define CHUNKS 5U
#define ABSENT 3U /* the chunk that never comes */
#define MSIZE 65536U

static struct session {
    uv_loop_t loop;
    struct channel_loop channels;
    struct clients clients;
    struct work_pool *pool;
    struct cache_memory *memory;
    struct flights *flights;
    struct datasets *datasets;
    struct leases leases;
    struct identities identities;
    struct ninep_server server;
    struct dataset dataset;
    char directory[64];
    bool is_open;
} session;

static void messages_read(struct span in)
{
    struct ninep_message message;
    size_t used = 0;
    while (ninep_message_read(in, MSIZE, &message, &used) == 0) {
        fuzz_check(used >= NINEP_HEAD_SIZE && used <= in.size &&
                   used <= NINEP_REQUEST_MAX && message.skip < MSIZE);
        fuzz_check(message.name_count <= NINEP_NAMES_MAX);
        for (uint16_t i = 0; i < message.name_count; i++)
            fuzz_check(message.names[i].data >= in.data &&
                       message.names[i].data + message.names[i].size <= in.data + used);
        fuzz_check(!message.data.size ||
                   message.data.data + message.data.size == in.data + used);
        in.data += used;
        in.size -= used;
    }
}

/* ---- a session ---- */

static void directory_remove(void)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", session.directory);
    if (system(command) != 0)
        abort();
}

static void chunks_make(void)
{
    for (uint32_t i = 0; i < CHUNKS; i++) {
        AUTO(payload_unref) struct payload *chunk = payload_new(CHUNK);
        fuzz_check(chunk != NULL);
        memset(chunk->data, (int)i, CHUNK);
        memset(chunk->digest.bytes, 0, DIGEST_SIZE);
        memcpy(chunk->digest.bytes, &i, sizeof i);
        chunk->is_verified = true;
        if (i != ABSENT)
            cache_memory_put(session.memory, chunk);
        fuzz_check(dataset_index_add(&session.dataset.index, CHUNK, &chunk->digest) ==
                   0);
    }
    session.dataset.refs = 1; /* ours: it is never given back */
    memset(session.dataset.text, 'a', DIGEST_TEXT_SIZE - 1);
}

/* Of an empty repository: no name is there. */
static void session_open(void)
{
    static const struct forwarder_report silent = { 0 };
    AUTO(repository_free) struct repository *repository = NULL;
    (void)snprintf(session.directory, sizeof session.directory,
                   "/tmp/baro-ninep-XXXXXX");
    fuzz_check(mkdtemp(session.directory) != NULL);
    (void)atexit(directory_remove);
    fuzz_check(repository_open(session.directory, true, &repository, NULL) == 0);
    fuzz_check(uv_loop_init(&session.loop) == 0);
    fuzz_check(channel_loop_init(&session.channels, &session.loop) == 0);
    fuzz_check(
        work_pool_new(&session.loop, 1, session.directory, &session.pool, NULL) == 0);
    fuzz_check(cache_memory_new(UINT64_C(16) << 20, &session.memory) == 0);
    const struct flights_opts flights = { .memory = session.memory,
                                          .pool = session.pool,
                                          .patience_ns = INT64_MAX,
                                          .report = &silent };
    const struct datasets_opts datasets = { .pool = session.pool,
                                            .patience_ns = INT64_MAX,
                                            .report = &silent };
    fuzz_check(flights_new(&flights, &session.flights) == 0);
    fuzz_check(datasets_new(&datasets, &session.datasets) == 0);
    session.leases = (struct leases){ .pool = session.pool,
                                      .patience_ns = INT64_MAX,
                                      .report = &silent };
    session.identities = (struct identities){ .pool = session.pool,
                                              .report = &silent,
                                              .has_munge = true,
                                              .socket = "/nonexistent" };
    session.clients = (struct clients){
        .max = 16, .handshake_ns = INT64_MAX, .unread_ns = INT64_MAX, .report = &silent
    };
    session.server = (struct ninep_server){ .channels = &session.channels,
                                            .clients = &session.clients,
                                            .flights = session.flights,
                                            .datasets = session.datasets,
                                            .leases = &session.leases,
                                            .identities = &session.identities,
                                            .report = &silent };
    chunks_make();
    session.is_open = true;
}

static void turn(void)
{
    (void)uv_run(&session.loop, UV_RUN_NOWAIT);
    for (unsigned i = 0; i < 200 && !work_pool_is_idle(session.pool); i++) {
        (void)uv_run(&session.loop, UV_RUN_NOWAIT);
        (void)usleep(20);
    }
    (void)uv_run(&session.loop, UV_RUN_NOWAIT);
}

/* Responses, one behind the other; *size is what is left of the last one. */
static void responses_check(int fd, uint8_t *data, size_t *size)
{
    ssize_t received;
    while ((received = recv(fd, data + *size, MSIZE * 2 - *size, MSG_DONTWAIT)) > 0) {
        size_t at = 0;
        *size += (size_t)received;
        while (*size - at >= NINEP_HEAD_SIZE) {
            uint32_t length = bytes_u32(data + at);
            uint8_t type = data[at + 4];
            fuzz_check(length >= NINEP_HEAD_SIZE && length <= NINEP_MSIZE_MAX);
            fuzz_check(type % 2 == 1 && (type != NINEP_RLERROR || length == 11));
            if (*size - at < length)
                break;
            at += length;
        }
        *size -= at;
        memmove(data, data + at, *size);
    }
}

static void greet(int fd)
{
    static const uint8_t hello[] = { 21, 0, 0, 0, 100, 255, 255, 0, 0, 1, 0, 8, 0, '9',
                                     'P', '2', '0', '0', '0', '.', 'L',
                                     /* Tattach 0 */
                                     24, 0, 0, 0, 104, 1, 0, 0, 0, 0, 0, 255, 255, 255,
                                     255, 0, 0, 1, 0, '/', 0, 0, 0, 0,
                                     /* Twalk 0 1, 0 2; Tlopen 1, 2 */
                                     17, 0, 0, 0, 110, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
                                     0, 17, 0, 0, 0, 110, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0,
                                     0, 0, 15, 0, 0, 0, 12, 1, 0, 2, 0, 0, 0, 0, 0, 0,
                                     0 };
    fuzz_check(send(fd, hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello);
    turn();
}

/* fid 1 is the file, open; fid 2 the directory, open; fid 0 the directory. */
static void file_set(void)
{
    struct ninep_client *client = (struct ninep_client *)session.clients.oldest;
    fuzz_check(client != NULL);
    struct ninep_fid *root = ninep_fid_find(client, 0);
    struct ninep_fid *file = ninep_fid_find(client, 1);
    fuzz_check(root != NULL && file != NULL);
    fuzz_check(ninep_fid_set(client, 1, file->serial, root->user, &session.dataset) ==
               0);
    ninep_fid_find(client, 1)->is_open = true;
}

static void session_run(struct span in)
{
    static uint8_t received[MSIZE * 2];
    size_t size = 0;
    int fds[2];
    if (!session.is_open)
        session_open();
    fuzz_check(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    ninep_server_accept(&session.server, fds[0]);
    greet(fds[1]);
    file_set();
    while (in.size) {
        ssize_t sent = send(fds[1], in.data, in.size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN)
            break;
        in.data += sent > 0 ? sent : 0;
        in.size -= sent > 0 ? (size_t)sent : 0;
        turn();
        responses_check(fds[1], received, &size);
        if (!session.clients.oldest)
            break;
        if (sent < 0 && size == 0)
            break; /* it waits, and reads nothing meanwhile */
    }
    turn();
    responses_check(fds[1], received, &size);
    (void)close(fds[1]);
    for (unsigned i = 0; i < 50 && session.clients.oldest; i++)
        turn();
    turn();
    flights_check(session.flights, clock_steady_ns());
    datasets_check(session.datasets, clock_steady_ns());
    turn();
    fuzz_check(session.clients.count == 0 && session.channels.held_bytes == 0 &&
               session.dataset.refs == 1);
}

/* The first byte: which of both. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct span in = { (const char *)data + 1, size - 1 };
    if (data[0] & 1)
        session_run(in);
    else
        messages_read(in);
    return 0;
}
