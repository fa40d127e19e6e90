/* SPDX-License-Identifier: Apache-2.0 */
/* bench_write_load - sends metrics as collectors do, over two connections that stay.
 *
 *     bench_write_load PORT LINES-A-REQUEST STEPS AGO [PATH [WORKLOAD]]
 *
 * PATH is /api/write where it is not said; a peer may have another.  WORKLOAD is
 *     a      1000 hosts, 20 metrics each, every 10 seconds of told time: four that
 *            rarely change, six walks with two decimals, five noisy with one, three
 *            noisy integers, two that are mostly 0
 *     b      1000 hosts, 10 metrics of each of 72 hwthreads, likewise
 *     FILE   the lines of a file in their order, each for STEPS clusters of hosts
 * The first step is AGO seconds back, so that a second run can go on where one ended.
 * Prints what was sent and how long it took; the server's own CPU time is for the
 * caller to look up.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

enum { HOSTS = 1000, METRICS = 20, THREAD_METRICS = 10, THREADS = 72, CONNECTIONS = 2 };
#define DIALS_MAX 3
#define FILE_BYTES_MAX ((size_t)1 << 30)

struct load {
    uint64_t port, lines, steps, ago_s;
    uint64_t begin_s;
    const char *path;
    const char *workload;
    struct strbuf text; /* of a file */
};

struct sender {
    const struct load *load;
    unsigned number;
    uint64_t requests, samples, bytes, failures, hangups;
    double walk[HOSTS][METRICS];
};

static uint64_t roll(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *seed >> 33;
}

static void add_value(struct sender *s, struct strbuf *out, unsigned host,
                      unsigned metric)
{
    static _Thread_local uint64_t seed = 1;
    double *walk = &s->walk[host][metric];
    if (metric < 4) {
        *walk += roll(&seed) % 200 == 0;
        strbuf_addf(out, "%.0f", *walk);
    } else if (metric < 10) {
        *walk += ((double)(roll(&seed) % 2001) - 1000) / 100;
        strbuf_addf(out, "%.2f", *walk);
    } else if (metric < 15) {
        strbuf_addf(out, "%.1f", (double)(roll(&seed) % 5000) / 10);
    } else {
        uint64_t value = roll(&seed) % 3000;
        strbuf_add_u64(out, metric < 18 || value < 60 ? value : 0);
    }
}

static void end_line(struct strbuf *out, uint64_t t_s)
{
    strbuf_addc(out, ' ');
    strbuf_add_u64(out, t_s);
    strbuf_addc(out, '\n');
}

/* What a host's collector sends at once; returns how many lines. */
static uint64_t add_host(struct sender *s, struct strbuf *out, unsigned host,
                         uint64_t t_s)
{
    bool is_node = s->load->workload[0] == 'a';
    unsigned metrics = is_node ? METRICS : THREAD_METRICS;
    unsigned parts = is_node ? 1 : THREADS;
    for (unsigned i = 0; i < metrics * parts; i++) {
        strbuf_addf(out, "metric_%02u,cluster=alex,hostname=a%04u,type=%s", i / parts,
                    host, is_node ? "node" : "hwthread,type-id=");
        if (!is_node)
            strbuf_add_u64(out, i % parts);
        strbuf_adds(out, " value=");
        add_value(s, out, host, i / parts);
        end_line(out, t_s);
    }
    return metrics * parts;
}

static int dial(uint64_t port)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) < 0)
        return -1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static int send_all(int fd, struct span text)
{
    while (text.size > 0) {
        ssize_t n = send(fd, text.data, text.size, MSG_NOSIGNAL);
        if (n <= 0)
            return -1;
        text = span_skip(text, (size_t)n);
    }
    return 0;
}

static int post(struct sender *s, int fd, struct strbuf *body, uint64_t lines)
{
    AUTO(strbuf_done) struct strbuf head = STRBUF_INIT;
    char answer[4096];
    strbuf_addf(&head,
                "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                "%zu\r\n\r\n",
                s->load->path, body->size);
    strbuf_add(&head, body->data, body->size);
    if (send_all(fd, strbuf_span(&head)) < 0)
        return -1;
    ssize_t n = recv(fd, answer, sizeof answer, 0);
    if (n < 12)
        return -1;
    s->requests++;
    s->samples += lines;
    s->bytes += body->size;
    s->failures += memcmp(answer + 9, "20", 2) != 0;
    strbuf_clear(body);
    return 0;
}

/* A server that hangs up is asked again, as collectors do. */
static int deliver(struct sender *s, int *fd, struct strbuf *body, uint64_t lines)
{
    int rc = post(s, *fd, body, lines);
    for (int i = 0; rc < 0 && i < DIALS_MAX; i++) {
        s->hangups++;
        auto_close(fd);
        *fd = dial(s->load->port);
        rc = *fd < 0 ? -1 : post(s, *fd, body, lines);
    }
    s->failures += rc < 0;
    return rc;
}

static void send_steps(struct sender *s, int *fd, struct strbuf *body)
{
    uint64_t lines = 0;
    for (uint64_t step = 0; step < s->load->steps; step++) {
        for (unsigned host = s->number; host < HOSTS; host += CONNECTIONS) {
            lines += add_host(s, body, host, s->load->begin_s + step * 10);
            if (lines < s->load->lines)
                continue;
            if (deliver(s, fd, body, lines) < 0)
                return;
            lines = 0;
        }
    }
}

static void send_file(struct sender *s, int *fd, struct strbuf *body)
{
    static const char tag[] = "hostname=";
    struct span text = strbuf_span(&s->load->text), line;
    uint64_t lines = 0;
    while (span_cut(&text, '\n', &line)) {
        const char *host = memmem(line.data, line.size, tag, sizeof tag - 1);
        size_t before = host ? (size_t)(host - line.data) + sizeof tag - 1 : 0;
        for (uint64_t n = s->number; host && n < s->load->steps; n += CONNECTIONS) {
            strbuf_add(body, line.data, before);
            strbuf_addf(body, "r%u-", (unsigned)n);
            strbuf_add_span(body, span_skip(line, before));
            strbuf_addc(body, '\n');
            if (++lines < s->load->lines)
                continue;
            if (deliver(s, fd, body, lines) < 0)
                return;
            lines = 0;
        }
    }
    if (lines > 0)
        (void)deliver(s, fd, body, lines);
}

static void *run(void *arg)
{
    struct sender *s = arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    AUTO_CLOSE int fd = dial(s->load->port);
    if (fd >= 0 && s->load->text.size > 0)
        send_file(s, &fd, &body);
    else if (fd >= 0)
        send_steps(s, &fd, &body);
    return NULL;
}

int main(int argc, char **argv)
{
    static struct sender senders[CONNECTIONS];
    struct load load = { 0 };
    pthread_t threads[CONNECTIONS];
    if (argc < 5 || argc > 7 || number_parse_u64(span_of(argv[1]), &load.port) < 0 ||
        number_parse_u64(span_of(argv[2]), &load.lines) < 0 ||
        number_parse_u64(span_of(argv[3]), &load.steps) < 0 ||
        number_parse_u64(span_of(argv[4]), &load.ago_s) < 0) {
        fprintf(stderr,
                "bench_write_load PORT LINES-A-REQUEST STEPS AGO [PATH [WORKLOAD]]\n");
        return EXIT_USAGE;
    }
    load.path = argc > 5 ? argv[5] : "/api/write";
    load.workload = argc > 6 ? argv[6] : "a";
    struct err err = { 0 };
    if (strlen(load.workload) > 1 &&
        file_read(load.workload, FILE_BYTES_MAX, &load.text, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILED;
    }
    load.begin_s = (uint64_t)clock_now_ns() / NS_PER_S - load.ago_s;
    int64_t begin_ns = clock_monotonic_ns();
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        senders[i].load = &load;
        senders[i].number = i;
        if (pthread_create(&threads[i], NULL, run, &senders[i]) != 0)
            return EXIT_FAILED;
    }
    struct sender all = { 0 };
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        (void)pthread_join(threads[i], NULL);
        all.requests += senders[i].requests;
        all.samples += senders[i].samples;
        all.bytes += senders[i].bytes;
        all.failures += senders[i].failures;
        all.hangups += senders[i].hangups;
    }
    double seconds = (double)(clock_monotonic_ns() - begin_ns) / 1e9;
    printf("requests %" PRIu64 " samples %" PRIu64 " bytes %" PRIu64
           " failures %" PRIu64 " seconds %.3f hangups %" PRIu64 "\n",
           all.requests, all.samples, all.bytes, all.failures, seconds, all.hangups);
    strbuf_done(&load.text);
    return all.failures == 0 && all.samples > 0 ? EXIT_OK : EXIT_FAILED;
}
