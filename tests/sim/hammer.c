/* SPDX-License-Identifier: Apache-2.0 */
/* hammer - everything a sender can do wrong, many at a time, against one server.
 *
 *     hammer SOCKET ROUNDS [TOKEN]
 *
 * Each of SENDERS threads plays one kind of sender after the other, ROUNDS times over;
 * meanwhile one thread asks /healthz without a pause, and one works as a watch: how
 * much longer its work takes than the CPU time it gets is how busy the machine is with
 * others. Prints one line of counts as key=value; exit 1 when /healthz was not answered
 * every time and, the busy machine allowed for, in time, or a good batch never was.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/timetext.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <zlib.h>
#include <zstd.h>

enum {
    SENDERS = 100,
    ANSWER_MS = 20000,
    HEALTH_MS = 10000, /* on a machine that has nothing else to do */
    WATCH_PAUSE_US = 200000,
    WATCH_STEPS = 25000000, /* longer than the kernel favours who has slept */
    BOMB_BYTES = 1 << 30,
    BOMB_PIECE = 1 << 20,
    GOOD_ENTRIES = 1000,
    SLOW_BYTES = 12,
};

struct sample {
    const char *name;
    const char *encoding; /* NULL: none */
    struct strbuf body;
    unsigned wanted; /* a status; 0: any answer or none */
};

static struct sample samples[16];
static size_t sample_count;
static const char *socket_path, *token;
static uint64_t rounds;

static _Atomic uint64_t answered, refused, cut, wrong, good, health_count, health_bad,
    health_late;
static _Atomic int64_t health_ns_max;
static _Atomic int64_t watch_ns, watch_cpu_ns; /* of its work */
static _Atomic bool is_over;

/* ---- talking ---- */

static int dial(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t size = strlen(socket_path);
    if (size >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, socket_path, size + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static int send_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
        if (n <= 0)
            return -1;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

/* How often a second of work goes into the time that it takes; 1: nobody else works. */
static double stretch(void)
{
    double cpu_ns = (double)watch_cpu_ns;
    double times = cpu_ns > 0 ? (double)watch_ns / cpu_ns : 1;
    return times > 1 ? times : 1;
}

/* The status of the answer; 0: the connection was closed, or nothing came. */
static unsigned read_status(int fd)
{
    char head[4096];
    size_t size = 0;
    while (size < sizeof head - 1) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, (int)(ANSWER_MS * stretch())) <= 0)
            break;
        ssize_t n = recv(fd, head + size, sizeof head - 1 - size, 0);
        if (n <= 0)
            break;
        size += (size_t)n;
        head[size] = '\0';
        if (strstr(head, "\r\n\r\n"))
            break;
    }
    uint64_t status = 0;
    if (size < 12 || number_parse_u64((struct span){ head + 9, 3 }, &status) < 0)
        return 0;
    return (unsigned)status;
}

static void add_head(struct strbuf *out, const char *encoding, size_t length)
{
    strbuf_adds(out, "POST /v1/jobstats HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Type: application/json\r\nConnection: close\r\n");
    if (token)
        strbuf_addf(out, "Authorization: Bearer %s\r\n", token);
    if (encoding)
        strbuf_addf(out, "Content-Encoding: %s\r\n", encoding);
    strbuf_addf(out, "Content-Length: %zu\r\n\r\n", length);
}

static void count(unsigned status, unsigned wanted)
{
    if (status == 0)
        cut++;
    else if (status == 200)
        answered++;
    else
        refused++;
    /* Too many at once is a right answer to everything. */
    if (wanted && status && status != 503 && status != wanted)
        wrong++;
}

/* ---- the senders ---- */

static void send_sample(const struct sample *s)
{
    AUTO_CLOSE int fd = dial();
    AUTO(strbuf_done) struct strbuf head = STRBUF_INIT;
    if (fd < 0) {
        cut++;
        return;
    }
    add_head(&head, s->encoding, s->body.size);
    /* A server that has seen enough answers before it was sent all. */
    if (send_all(fd, head.data, head.size) == 0)
        (void)send_all(fd, strbuf_text(&s->body), s->body.size);
    unsigned status = read_status(fd);
    count(status, s->wanted);
    good += status == 200 && s->wanted == 200;
    if (s->wanted && status && status != 503 && status != s->wanted)
        fprintf(stderr, "hammer: %s: %u\n", s->name, status);
}

/* A byte now and then, in the head or in the body, until the server has enough. */
static void send_slowly(bool in_body)
{
    AUTO_CLOSE int fd = dial();
    AUTO(strbuf_done) struct strbuf head = STRBUF_INIT;
    add_head(&head, NULL, 1000000);
    if (fd < 0 || (in_body && send_all(fd, head.data, head.size) < 0)) {
        cut++;
        return;
    }
    const char *text = in_body ? "[           " : strbuf_text(&head);
    for (int i = 0; i < SLOW_BYTES && send_all(fd, text + i, 1) == 0; i++)
        (void)usleep(400000);
    count(read_status(fd), 0);
}

static void send_noise(unsigned seed)
{
    AUTO_CLOSE int fd = dial();
    char noise[20000];
    uint64_t x = seed * 2654435761U + 1;
    for (size_t i = 0; i < sizeof noise; i++) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        noise[i] = (char)(x >> 56);
    }
    if (fd >= 0)
        (void)send_all(fd, noise, sizeof noise);
    count(fd < 0 ? 0 : read_status(fd), 0);
}

/* Half of a good batch, then gone without a word. */
static void hang_up(const struct sample *s)
{
    AUTO_CLOSE int fd = dial();
    AUTO(strbuf_done) struct strbuf head = STRBUF_INIT;
    add_head(&head, s->encoding, s->body.size);
    if (fd >= 0 && send_all(fd, head.data, head.size) == 0)
        (void)send_all(fd, s->body.data, s->body.size / 2);
    cut++;
}

static void *play(void *arg)
{
    unsigned number = (unsigned)(uintptr_t)arg;
    for (uint64_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < sample_count; i++)
            send_sample(&samples[(i + number) % sample_count]);
        hang_up(&samples[0]);
        send_noise(number);
        if (number % 5 == 0)
            send_slowly(number % 2);
    }
    return NULL;
}

static void *watch(void *arg)
{
    (void)arg;
    while (!is_over) {
        int64_t before_ns = clock_monotonic_ns(), cpu_ns = clock_cpu_ns();
        for (volatile int i = 0; i < WATCH_STEPS; i++)
            continue;
        watch_ns += clock_monotonic_ns() - before_ns;
        watch_cpu_ns += clock_cpu_ns() - cpu_ns;
        (void)usleep(WATCH_PAUSE_US);
    }
    return NULL;
}

static unsigned ask_once(void)
{
    static const char request[] =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    AUTO_CLOSE int fd = dial();
    bool is_asked = fd >= 0 && send_all(fd, request, sizeof request - 1) == 0;
    return is_asked ? read_status(fd) : 0;
}

static void *ask_health(void *arg)
{
    (void)arg;
    while (!is_over) {
        int64_t before_ns = clock_monotonic_ns();
        unsigned status = ask_once();
        int64_t ns = clock_monotonic_ns() - before_ns;
        bool is_late = (double)ns > HEALTH_MS * (double)NS_PER_MS * stretch();
        if (status != 200 || is_late)
            fprintf(stderr, "hammer: /healthz: %u after %lld ms\n", status,
                    (long long)(ns / NS_PER_MS));
        if (ns > health_ns_max)
            health_ns_max = ns;
        health_count++;
        health_bad += status != 200;
        health_late += is_late;
        (void)usleep(10000);
    }
    return NULL;
}

/* ---- what they send ---- */

static struct strbuf *sample(const char *name, const char *encoding, unsigned wanted)
{
    struct sample *s = &samples[sample_count++];
    s->name = name;
    s->encoding = encoding;
    s->wanted = wanted;
    return &s->body;
}

static void make_good(struct strbuf *out)
{
    char now[TIMETEXT_SIZE];
    (void)timetext_print_ms(now, clock_now_ms());
    strbuf_addf(out,
                "{\"format\":\"baro-jobstats-1\",\"server\":\"oss01\","
                "\"targets\":[{\"target\":\"s-OST0001\",\"timestamp\":\"%s\","
                "\"entries\":[",
                now);
    for (int i = 0; i < GOOD_ENTRIES; i++)
        strbuf_addf(out,
                    "%s{\"entry_id\":\"%d:1000:n%d\",\"since\":null,\"reset\":false,"
                    "\"ops\":{\"write_bytes\":{\"samples\":%d,\"unit\":\"bytes\","
                    "\"min\":1,\"max\":4,\"sum\":%d}}}",
                    i ? "," : "", i, i % 50, i, i * 4);
    strbuf_adds(out, "]}]}");
}

static void zip_zstd(struct span text, struct strbuf *out)
{
    size_t room = ZSTD_compressBound(text.size);
    if (strbuf_reserve(out, room) == 0)
        out->size += ZSTD_compress(out->data, room, text.data, text.size, 3);
}

/* A gigabyte of blanks or zeros: valid JSON so far, or nothing at all. */
static void make_zstd_bomb(struct strbuf *out, char fill)
{
    AUTO_FREE char *piece = malloc(BOMB_PIECE);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (!piece || !zstd || strbuf_reserve(out, 4 << 20) < 0)
        return;
    memset(piece, fill, BOMB_PIECE);
    ZSTD_outBuffer to = { out->data, 4 << 20, 0 };
    for (int64_t left = BOMB_BYTES; left > 0; left -= BOMB_PIECE) {
        ZSTD_inBuffer from = { piece, BOMB_PIECE, 0 };
        bool is_last = left <= BOMB_PIECE;
        (void)ZSTD_compressStream2(zstd, &to, &from,
                                   is_last ? ZSTD_e_end : ZSTD_e_continue);
    }
    out->size = to.pos;
    (void)ZSTD_freeCCtx(zstd);
}

static void make_gzip_bomb(struct strbuf *out)
{
    AUTO_FREE char *piece = calloc(1, BOMB_PIECE);
    z_stream z = { 0 };
    if (!piece || strbuf_reserve(out, 4 << 20) < 0 ||
        deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return;
    z.next_out = (Bytef *)out->data;
    z.avail_out = 4 << 20;
    for (int64_t left = BOMB_BYTES; left > 0; left -= BOMB_PIECE) {
        z.next_in = (Bytef *)piece;
        z.avail_in = BOMB_PIECE;
        (void)deflate(&z, left <= BOMB_PIECE ? Z_FINISH : Z_NO_FLUSH);
    }
    out->size = z.total_out;
    (void)deflateEnd(&z);
}

static void repeat(struct strbuf *out, const char *text, size_t times)
{
    while (times--)
        strbuf_adds(out, text);
}

static void make_samples(void)
{
    make_good(sample("a good batch", NULL, 200));
    struct span text = strbuf_span(&samples[0].body);
    zip_zstd(text, sample("a good batch, compressed", "zstd", 200));
    struct strbuf *half = sample("a cut zstd body", "zstd", 400);
    strbuf_add(half, samples[1].body.data, samples[1].body.size / 2);
    make_zstd_bomb(sample("a zstd bomb of zeros", "zstd", 400), '\0');
    make_zstd_bomb(sample("a zstd bomb of blanks", "zstd", 413), ' ');
    make_gzip_bomb(sample("a gzip bomb", "gzip", 400));
    strbuf_adds(sample("garbage for zstd", "zstd", 400), "this is no zstd");
    strbuf_adds(sample("an unknown coding", "br", 415), "x");
    repeat(sample("deep JSON", NULL, 400), "[", 1000000);
    struct strbuf *long_token = sample("a string of 8 MiB", NULL, 413);
    strbuf_adds(long_token, "[\"");
    repeat(long_token, "aaaaaaaaaaaaaaaa", 8 << 16);
    struct strbuf *many = sample("a million entries", NULL, 413);
    strbuf_adds(many, "[7");
    repeat(many, ",7", 1000000);
    struct strbuf *digits = sample("a number of a million digits", NULL, 413);
    strbuf_adds(digits, "[{\"read\":");
    repeat(digits, "9999999999", 100000);
}

int main(int argc, char **argv)
{
    pthread_t threads[SENDERS], health, watcher;
    if (argc < 3 || number_parse_u64(span_of(argv[2]), &rounds) < 0) {
        fprintf(stderr, "usage: hammer SOCKET ROUNDS [TOKEN]\n");
        return EXIT_USAGE;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    socket_path = argv[1];
    token = argc > 3 ? argv[3] : NULL;
    make_samples();
    if (pthread_create(&watcher, NULL, watch, NULL) != 0 ||
        pthread_create(&health, NULL, ask_health, NULL) != 0)
        return EXIT_FAILED;
    for (uintptr_t i = 0; i < SENDERS; i++)
        if (pthread_create(&threads[i], NULL, play, (void *)i) != 0)
            return EXIT_FAILED;
    for (size_t i = 0; i < SENDERS; i++)
        (void)pthread_join(threads[i], NULL);
    is_over = true;
    (void)pthread_join(health, NULL);
    (void)pthread_join(watcher, NULL);
    printf("taken=%llu refused=%llu cut=%llu wrong=%llu good=%llu health=%llu "
           "health_bad=%llu health_late=%llu health_ms_max=%lld stretch=%.1f\n",
           (unsigned long long)answered, (unsigned long long)refused,
           (unsigned long long)cut, (unsigned long long)wrong, (unsigned long long)good,
           (unsigned long long)health_count, (unsigned long long)health_bad,
           (unsigned long long)health_late, (long long)(health_ns_max / NS_PER_MS),
           stretch());
    for (size_t i = 0; i < sample_count; i++)
        strbuf_done(&samples[i].body);
    return wrong == 0 && health_bad == 0 && health_late == 0 && good > 0 ? EXIT_OK
                                                                         : EXIT_FAILED;
}
