/* SPDX-License-Identifier: Apache-2.0 */
/* store_config_import - baro store config-import: cc-metric-store's config.json as
 * sections of barod.conf.
 *
 *     {"metrics": {"cpu_load": {"frequency": 60}}}  ─▶  metrics/cpu_load/frequency 60
 *
 * The file is made flat, what is known is said in barod's words, and what is left over
 * is named.
 */
#include "base/file.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "net/net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_BYTES_MAX ((size_t)16 << 20)
#define DEPTH_MAX 16
#define PATH_MAX_BYTES 1024

struct item {
    char *path; /* names parted by slashes */
    char *value;
    enum json_event type;
    bool is_said;
};

struct settings {
    struct item *items;
    size_t count, capacity;
    /* While it is read. */
    struct strbuf path;
    size_t sizes[DEPTH_MAX + 2]; /* of the path at each depth */
    size_t indexes[DEPTH_MAX + 2];
    bool is_array[DEPTH_MAX + 2];
};

static void settings_done(struct settings *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].path);
        free(s->items[i].value);
    }
    free(s->items);
    strbuf_done(&s->path);
}
DEFINE_AUTO_DONE(struct settings, settings_done);

static void cut_path(struct settings *s, size_t size)
{
    if (s->path.size > size) {
        s->path.size = size;
        s->path.data[size] = '\0';
    }
}

static int add_item(struct settings *s, enum json_event type, struct span value)
{
    if (s->count == s->capacity) {
        size_t capacity = 2 * s->capacity + 64;
        struct item *items = realloc(s->items, capacity * sizeof *items);
        if (!items)
            return -ENOMEM;
        s->items = items;
        s->capacity = capacity;
    }
    struct item item = { .path = span_dup(strbuf_span(&s->path)),
                         .value = span_dup(value),
                         .type = type };
    if (!item.path || !item.value) {
        free(item.path);
        free(item.value);
        return -ENOMEM;
    }
    s->items[s->count++] = item;
    return 0;
}

static void add_name(struct settings *s, struct span name, unsigned depth)
{
    cut_path(s, s->sizes[depth]);
    if (s->path.size > 0)
        strbuf_addc(&s->path, '/');
    strbuf_add_span(&s->path, name);
}

/* A value within an array has its place for a name. */
static void name_value(struct settings *s, unsigned depth)
{
    char digits[NUMBER_DIGITS_MAX];
    if (depth == 0 || !s->is_array[depth - 1])
        return;
    size_t size = number_print_u64(digits, s->indexes[depth - 1]++);
    add_name(s, (struct span){ digits, size }, depth - 1);
}

static int take_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct settings *s = arg;
    switch (event) {
    case JSON_KEY:
        add_name(s, text, depth);
        return s->path.size > PATH_MAX_BYTES ? -EMSGSIZE : strbuf_error(&s->path);
    case JSON_OBJECT:
    case JSON_ARRAY:
        name_value(s, depth);
        s->sizes[depth] = s->path.size;
        s->is_array[depth] = event == JSON_ARRAY;
        s->indexes[depth] = 0;
        return 0;
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        cut_path(s, s->sizes[depth]);
        return 0;
    default:
        name_value(s, depth);
        return add_item(s, event,
                        event == JSON_TRUE    ? SPAN("true")
                        : event == JSON_FALSE ? SPAN("false")
                        : event == JSON_NULL  ? SPAN("null")
                                              : text);
    }
}

/* ---- values ---- */

/* NULL: it is not there, is null or empty; asked for, it counts as said. */
static const char *find(struct settings *s, const char *path)
{
    for (size_t i = 0; i < s->count; i++) {
        struct item *item = &s->items[i];
        if (strcmp(item->path, path) != 0)
            continue;
        item->is_said = true;
        return item->type != JSON_NULL && item->value[0] ? item->value : NULL;
    }
    return NULL;
}

static const char *find_either(struct settings *s, const char *path, const char *older)
{
    const char *new = find(s, path);
    const char *old = find(s, older);
    return new ? new : old;
}

/* Go's durations: "48h", "1h30m0s"; a number alone counts seconds. */
static int parse_go_duration(struct span text, int64_t *ret_ns)
{
    int64_t sum_ns = 0, one_ns;
    uint64_t seconds;
    if (number_parse_u64(text, &seconds) == 0 && seconds < INT32_MAX) {
        *ret_ns = (int64_t)seconds * NS_PER_S;
        return 0;
    }
    while (text.size > 0) {
        size_t size = 0;
        while (size < text.size && text.data[size] >= '0' && text.data[size] <= '9')
            size++;
        while (size < text.size && (text.data[size] < '0' || text.data[size] > '9'))
            size++;
        if (number_parse_duration((struct span){ text.data, size }, &one_ns) < 0 ||
            one_ns > INT64_MAX / 4 - sum_ns)
            return -EINVAL;
        sum_ns += one_ns;
        text = span_skip(text, size);
    }
    *ret_ns = sum_ns;
    return sum_ns > 0 ? 0 : -EINVAL;
}

static void print_line(const char *key, const char *value)
{
    if (value && !strpbrk(value, "\r\n"))
        printf("%s = %s\n", key, value);
}

/* ---- sections ---- */

/* cc-metric-store has none, so that who moves here does not look for them. */
static void print_limits(void)
{
    struct net_opts net;
    net_opts_default(&net);
    printf("# One sender (a host's token, an address) may make %" PRIu64
           " requests a second and send\n"
           "# %" PRIu64
           " MiB; one that carries many hosts, as a gateway with a token of "
           "its cluster\n"
           "# does, %" PRIu64 " times that.  Beyond it the response is 429:\n"
           "# rate_requests = %" PRIu64 "\n# rate_bytes = %" PRIu64
           "MiB\n# rate_gateway = %" PRIu64 "\n"
           "# What a sender may create is limited, too: series_share in [write].\n",
           net.rate_requests, net.rate_bytes >> 20, net.rate_gateway, net.rate_requests,
           net.rate_bytes >> 20, net.rate_gateway);
}

static void print_net(struct settings *s)
{
    const char *address = find_either(s, "main/addr", "http-api/address");
    const char *certificate =
        find_either(s, "main/https-cert-file", "http-api/https-cert-file");
    const char *key = find_either(s, "main/https-key-file", "http-api/https-key-file");
    const char *jwt = find_either(s, "main/jwt-public-key", "jwt-public-key");
    if (!address && !jwt)
        return;
    printf("[net]\n");
    bool is_local = address && (strncmp(address, "127.", 4) == 0 ||
                                strncmp(address, "localhost:", 10) == 0);
    if (address && address[0] == ':')
        printf("listen = 0.0.0.0%s\n", address);
    else if (address && strncmp(address, "localhost:", 10) == 0)
        printf("listen = 127.0.0.1%s\n", address + 9);
    else
        print_line("listen", address);
    print_limits();
    print_line("tls_certificate", certificate);
    print_line("tls_key", key);
    print_line("jwt_public_key", jwt);
    if (address && !certificate && !is_local)
        printf(
            "# Tokens can be read on the wire, as before; better give a certificate.\n"
            "plaintext = yes\n");
    if (!jwt)
        printf("# There were no tokens: without them barod serves loopback only.\n");
    printf("\n");
}

static void print_duration(const char *key, int64_t ns)
{
    char text[64];
    number_print_duration(text, sizeof text, ns);
    printf("%s = %s\n", key, text);
}

static void print_archive(struct settings *s, int64_t retention_ns)
{
    int64_t interval_ns = retention_ns;
    const char *mode = find(s, "metric-store/cleanup/mode");
    const char *older = find(s, "archive/interval");
    const char *deletes = find(s, "archive/delete-instead");
    bool is_deleted = (mode && strcmp(mode, "delete") == 0) ||
                      (deletes && strcmp(deletes, "true") == 0);
    if (older)
        (void)parse_go_duration(span_of(older), &interval_ns);
    if ((mode || older) && interval_ns > 0) {
        print_duration("archive_after", interval_ns);
        printf("archive = %s\n", is_deleted ? "delete" : "keep");
    }
}

static void print_store(struct settings *s)
{
    const char *retention =
        find_either(s, "metric-store/retention-in-memory", "retention-in-memory");
    const char *cap = find(s, "metric-store/memory-cap");
    const char *checkpoints =
        find_either(s, "metric-store/checkpoints/directory", "checkpoints/directory");
    int64_t retention_ns = 0;
    uint64_t cap_gb;
    if (checkpoints && !strpbrk(checkpoints, "\r\n'"))
        printf("# History comes along by\n"
               "#   baro store import '%s' --into /var/lib/barograph/store\n",
               checkpoints);
    printf("[store]\n");
    if (retention && parse_go_duration(span_of(retention), &retention_ns) == 0)
        print_duration("retention", retention_ns);
    else if (retention)
        printf("# retention: '%s' is no duration\n", retention);
    if (cap && number_parse_u64(span_of(cap), &cap_gb) == 0 && cap_gb > 0)
        printf("memory_max = %" PRIu64 "GB\n", cap_gb);
    print_archive(s, retention_ns);
    printf("\n");
}

/* "metrics/NAME/frequency": NAME, which may have slashes itself. */
static bool is_metric(const char *path, struct span *ret_name)
{
    struct span text = span_of(path);
    if (!span_starts(text, "metrics/") || !span_ends(text, "/frequency"))
        return false;
    size_t begin = strlen("metrics/"), end = strlen("/frequency");
    if (text.size <= begin + end)
        return false;
    *ret_name = (struct span){ text.data + begin, text.size - begin - end };
    return true;
}

static void print_metrics(struct settings *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct item *item = &s->items[i];
        char path[PATH_MAX_BYTES + 64];
        struct span name;
        uint64_t step_s;
        if (!is_metric(item->path, &name) || memchr(name.data, ']', name.size) ||
            memchr(name.data, '\n', name.size) ||
            number_parse_u64(span_of(item->value), &step_s) < 0 || step_s == 0)
            continue;
        item->is_said = true;
        (void)snprintf(path, sizeof path, "metrics/" SPAN_FMT "/aggregation",
                       SPAN_ARG(name));
        const char *aggregation = find(s, path);
        (void)snprintf(path, sizeof path, "metrics/" SPAN_FMT "/unit/base",
                       SPAN_ARG(name));
        printf("[metric " SPAN_FMT "]\nstep = %" PRIu64 "s\n", SPAN_ARG(name), step_s);
        if (aggregation &&
            (strcmp(aggregation, "sum") == 0 || strcmp(aggregation, "avg") == 0))
            printf("aggregation = %s\n", aggregation);
        print_line("unit", find(s, path));
        printf("\n");
    }
}

/* "nats": {..., "metric-store": {"nats-subscriptions": [...]}}, or as it was:
 * "nats": [{..., "subscriptions": [...]}], of which barod has one. */
static const char *find_nats(struct settings *s, const char *key)
{
    char new[64], old[64];
    (void)snprintf(new, sizeof new, "nats/%s", key);
    (void)snprintf(old, sizeof old, "nats/0/%s", key);
    return find_either(s, new, old);
}

/* False: there is none of this number. */
static bool print_subscription(struct settings *s, unsigned number)
{
    char new[96], old[96];
    static const char *const begins[] = { "metric-store/nats-subscriptions",
                                          "nats/0/subscriptions" };
    const char *subject = NULL, *cluster = NULL;
    for (size_t i = 0; i < COUNT_OF(begins) && !subject; i++) {
        (void)snprintf(new, sizeof new, "%s/%u/subscribe-to", begins[i], number);
        (void)snprintf(old, sizeof old, "%s/%u/cluster-tag", begins[i], number);
        subject = find(s, new);
        cluster = subject ? find(s, old) : NULL;
    }
    if (!subject)
        return false;
    printf("[nats_subscription %u]\n", number + 1);
    print_line("subscribe_to", subject);
    print_line("cluster_tag", cluster);
    printf("\n");
    return true;
}

static void print_nats(struct settings *s)
{
    const char *address = find_nats(s, "address");
    if (!address)
        return;
    printf("[nats]\n");
    printf(strstr(address, "://") ? "address = " : "address = nats://");
    printf("%.*s\n", (int)strcspn(address, "\r\n"), address);
    print_line("username", find_nats(s, "username"));
    print_line("credentials_file", find_nats(s, "creds-file-path"));
    printf("\n");
    for (unsigned i = 0; print_subscription(s, i); i++)
        continue;
}

/* What barod has no key for. */
static const char *reason(const char *path)
{
    static const struct {
        const char *begin, *why;
    } reasons[] = {
        { "metric-store/checkpoint-interval",
          "none is needed: every sample is in the log at once" },
        { "checkpoints/interval",
          "none is needed: every sample is in the log at once" },
        { "metric-store/checkpoints/file-format",
          "barod's files have their own format" },
        { "checkpoints/file-format", "barod's files have their own format" },
        { "metric-store/checkpoints/max-wal-size",
          "none is needed: the log is cut when a checkpoint has it" },
        { "checkpoints/restore", "none is needed: all files are mapped at once" },
        { "metric-store/cleanup/directory", "archives lie in store.directory" },
        { "archive/directory", "archives lie in store.directory" },
        { "metric-store/num-workers", "none is needed: see store.shards" },
        { "main/backend-url",
          "whoever knows the jobs says whose history is spared: POST /v1/store/spare" },
        { "main/user", "the service file's User= says it" },
        { "main/group", "the service file's Group= says it" },
        { "main/debug", "see baro store status and /metrics" },
        { "debug", "see baro store status and /metrics" },
        { "nats/password", "write it into [nats] yourself" },
        { "nats/0/password", "write it into [nats] yourself" },
        { "nats", "barod is a client of one NATS cluster" },
    };
    struct span text = span_of(path);
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        if (span_starts(text, reasons[i].begin))
            return reasons[i].why;
    }
    return "barod has nothing like it";
}

static void print_word(const char *text)
{
    for (; *text; text++)
        (void)putchar((unsigned char)*text < ' ' ? '?' : *text);
}

static size_t print_rest(const struct settings *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct item *item = &s->items[i];
        if (item->is_said || item->type == JSON_NULL)
            continue;
        if (count++ == 0)
            printf("# Not said above:\n");
        printf("# ");
        print_word(item->path);
        /* A secret belongs into no other file by accident. */
        if (!strstr(item->path, "password")) {
            printf(" = ");
            print_word(item->value);
        }
        printf(": %s\n", reason(item->path));
    }
    return count;
}

static int load(const char *path, struct settings *s, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(json_reader_done) struct json_reader reader;
    const struct json_reader_opts opts = { .depth_max = DEPTH_MAX };
    json_reader_init(&reader, &opts, take_event, s);
    int rc = file_read(path, FILE_BYTES_MAX, &text, err);
    if (rc == 0)
        rc = json_reader_feed(&reader, strbuf_text(&text), text.size, err);
    if (rc == 0)
        rc = json_reader_finish(&reader, err);
    if (rc < 0 && rc != -ENOMEM && err->text[0])
        return err_prefix(err, rc, "%s", path);
    return rc;
}

static int run(void *arg, int operand_count, char **operands)
{
    AUTO(settings_done) struct settings settings = { 0 };
    struct err err = { 0 };
    (void)arg;
    if (operand_count != 1) {
        fprintf(stderr, "baro store config-import: which config.json? see --help\n");
        return EXIT_USAGE;
    }
    int rc = load(operands[0], &settings, &err);
    if (rc < 0) {
        fprintf(stderr, "baro store config-import: %s\n",
                err.text[0] ? err.text : strerror(-rc));
        return err_exit_status(rc);
    }
    print_net(&settings);
    print_store(&settings);
    print_nats(&settings);
    print_metrics(&settings);
    size_t rest = print_rest(&settings);
    if (rest > 0)
        fprintf(stderr,
                "baro store config-import: %zu keys could not be said; they stand as "
                "comments at the end\n",
                rest);
    return fflush(stdout) ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_store_config_import = {
    .name = "store config-import",
    .operands = "CONFIG.JSON",
    .help = "cc-metric-store's configuration as sections of barod.conf.",
    .run = run,
    .prints_data = true,
    .details = "Of versions 1.0 to 1.5.  What cannot be said stands as comments at the "
               "end, each with\nits reason.\n",
};
