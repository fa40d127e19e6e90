/* SPDX-License-Identifier: Apache-2.0 */
/* ccms_config - cc-metric-store's config.json as sections of barod.conf. */
#include "migrate/ccms_config.h"

#include "base/number.h"
#include "base/span.h"
#include "migrate/flat_json.h"
#include "net/net.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REFUSED_BYTES 80 /* of names in a message */

struct conversion {
    struct flat_json flat;
    struct strbuf *out;
};

static const char *find_either(struct conversion *c, const char *path,
                               const char *older)
{
    const char *new = flat_json_use(&c->flat, path);
    const char *old = flat_json_use(&c->flat, older);
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

static void add_line(struct conversion *c, const char *key, const char *value)
{
    if (value && !strpbrk(value, "\r\n"))
        strbuf_addf(c->out, "%s = %s\n", key, value);
}

static void add_printable(struct conversion *c, const char *text)
{
    for (; *text; text++)
        strbuf_addc(c->out, (unsigned char)*text < ' ' ? '?' : *text);
}

/* A value of NULL is left out. */
static void add_comment(struct conversion *c, const char *key, const char *value,
                        const char *why)
{
    strbuf_adds(c->out, "# ");
    add_printable(c, key);
    strbuf_adds(c->out, value ? " = " : "");
    add_printable(c, value ? value : "");
    strbuf_addf(c->out, ": %s\n", why);
}

/* ---- sections ---- */

/* cc-metric-store has no limits: whoever migrates does not look for them. */
static void add_limits(struct conversion *c)
{
    struct net_opts net;
    net_opts_default(&net);
    strbuf_addf(
        c->out,
        "# One sender (a host's token, an address) may make %" PRIu64
        " requests a second and send\n"
        "# %" PRIu64
        " MiB; a gateway with a token of its cluster, which sends for many "
        "hosts,\n"
        "# %" PRIu64 " times that.  Beyond it the response is 429:\n"
        "# rate_requests = %" PRIu64 "\n# rate_bytes = %" PRIu64
        "MiB\n# rate_gateway = %" PRIu64 "\n"
        "# What a sender may create is limited, too: series_share in [write].\n",
        net.rate_requests, net.rate_bytes >> 20, net.rate_gateway, net.rate_requests,
        net.rate_bytes >> 20, net.rate_gateway);
}

static void add_net(struct conversion *c)
{
    const char *address = find_either(c, "main/addr", "http-api/address");
    const char *certificate =
        find_either(c, "main/https-cert-file", "http-api/https-cert-file");
    const char *key = find_either(c, "main/https-key-file", "http-api/https-key-file");
    const char *jwt = find_either(c, "main/jwt-public-key", "jwt-public-key");
    if (!address && !jwt)
        return;
    strbuf_adds(c->out, "[net]\n");
    bool is_local = address && (strncmp(address, "127.", 4) == 0 ||
                                strncmp(address, "localhost:", 10) == 0);
    if (address && address[0] == ':')
        strbuf_addf(c->out, "listen = 0.0.0.0%s\n", address);
    else if (address && strncmp(address, "localhost:", 10) == 0)
        strbuf_addf(c->out, "listen = 127.0.0.1%s\n", address + 9);
    else
        add_line(c, "listen", address);
    add_limits(c);
    add_line(c, "tls_certificate", certificate);
    add_line(c, "tls_key", key);
    add_line(c, "jwt_public_key", jwt);
    if (address && !certificate && !is_local)
        strbuf_adds(c->out, "# Tokens can be read on the wire, as before: configure a "
                            "certificate.\nplaintext = yes\n");
    if (!jwt)
        strbuf_adds(
            c->out,
            "# There were no tokens: without them barod serves loopback only.\n");
    strbuf_adds(c->out, "\n");
}

static void add_duration(struct conversion *c, const char *key, int64_t ns)
{
    char text[64];
    number_print_duration(text, sizeof text, ns);
    strbuf_addf(c->out, "%s = %s\n", key, text);
}

static void add_archive(struct conversion *c, int64_t retention_ns)
{
    int64_t interval_ns = retention_ns;
    const char *mode = flat_json_use(&c->flat, "metric-store/cleanup/mode");
    const char *older = flat_json_use(&c->flat, "archive/interval");
    const char *deletes = flat_json_use(&c->flat, "archive/delete-instead");
    bool is_deleted = (mode && strcmp(mode, "delete") == 0) ||
                      (deletes && strcmp(deletes, "true") == 0);
    if (older)
        (void)parse_go_duration(span_of(older), &interval_ns);
    if ((mode || older) && interval_ns > 0) {
        add_duration(c, "archive_after", interval_ns);
        strbuf_addf(c->out, "archive = %s\n", is_deleted ? "delete" : "compress");
    }
}

static void add_store(struct conversion *c)
{
    const char *retention =
        find_either(c, "metric-store/retention-in-memory", "retention-in-memory");
    const char *cap = flat_json_use(&c->flat, "metric-store/memory-cap");
    const char *checkpoints =
        find_either(c, "metric-store/checkpoints/directory", "checkpoints/directory");
    int64_t retention_ns = 0;
    uint64_t cap_gb;
    if (checkpoints && !strpbrk(checkpoints, "\r\n'"))
        strbuf_addf(c->out,
                    "# Import the history with\n"
                    "#   baro store import '%s' --into /var/lib/barograph/store\n",
                    checkpoints);
    strbuf_adds(c->out, "[store]\n");
    if (retention && parse_go_duration(span_of(retention), &retention_ns) == 0)
        add_duration(c, "retention", retention_ns);
    else if (retention)
        add_comment(c, "retention", retention, "not a duration");
    if (cap && number_parse_u64(span_of(cap), &cap_gb) == 0 && cap_gb > 0)
        strbuf_addf(c->out, "memory_max = %" PRIu64 "GB\n", cap_gb);
    add_archive(c, retention_ns);
    strbuf_adds(c->out, "\n");
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

static void add_metrics(struct conversion *c)
{
    for (size_t i = 0; i < c->flat.count; i++) {
        struct flat_json_item *item = &c->flat.items[i];
        char path[FLAT_JSON_PATH_MAX + 64];
        struct span name;
        uint64_t step_s;
        if (!is_metric(item->path, &name) || memchr(name.data, ']', name.size) ||
            memchr(name.data, '\n', name.size) ||
            number_parse_u64(span_of(item->value), &step_s) < 0 || step_s == 0)
            continue;
        item->is_used = true;
        (void)snprintf(path, sizeof path, "metrics/" SPAN_FMT "/aggregation",
                       SPAN_ARG(name));
        const char *aggregation = flat_json_use(&c->flat, path);
        (void)snprintf(path, sizeof path, "metrics/" SPAN_FMT "/unit/base",
                       SPAN_ARG(name));
        strbuf_addf(c->out, "[metric " SPAN_FMT "]\nstep = %" PRIu64 "s\n",
                    SPAN_ARG(name), step_s);
        if (aggregation &&
            (strcmp(aggregation, "sum") == 0 || strcmp(aggregation, "avg") == 0))
            strbuf_addf(c->out, "aggregation = %s\n", aggregation);
        add_line(c, "unit", flat_json_use(&c->flat, path));
        strbuf_adds(c->out, "\n");
    }
}

/* "nats": {..., "metric-store": {"nats-subscriptions": [...]}}, or as it was:
 * "nats": [{..., "subscriptions": [...]}], of which barod has one. */
static const char *find_nats(struct conversion *c, const char *key)
{
    char new[64], old[64];
    (void)snprintf(new, sizeof new, "nats/%s", key);
    (void)snprintf(old, sizeof old, "nats/0/%s", key);
    return find_either(c, new, old);
}

/* Whether there is a subscription of this number. */
static bool add_subscription(struct conversion *c, unsigned number)
{
    char new[96], old[96];
    static const char *const begins[] = { "metric-store/nats-subscriptions",
                                          "nats/0/subscriptions" };
    const char *subject = NULL, *cluster = NULL;
    for (size_t i = 0; i < COUNT_OF(begins) && !subject; i++) {
        (void)snprintf(new, sizeof new, "%s/%u/subscribe-to", begins[i], number);
        (void)snprintf(old, sizeof old, "%s/%u/cluster-tag", begins[i], number);
        subject = flat_json_use(&c->flat, new);
        cluster = subject ? flat_json_use(&c->flat, old) : NULL;
    }
    if (!subject)
        return false;
    strbuf_addf(c->out, "[nats_subscription %u]\n", number + 1);
    add_line(c, "subscribe_to", subject);
    add_line(c, "cluster_tag", cluster);
    strbuf_adds(c->out, "\n");
    return true;
}

static void add_nats(struct conversion *c)
{
    const char *address = find_nats(c, "address");
    if (!address)
        return;
    strbuf_adds(c->out, "[nats]\n");
    strbuf_adds(c->out, strstr(address, "://") ? "address = " : "address = nats://");
    strbuf_addf(c->out, "%.*s\n", (int)strcspn(address, "\r\n"), address);
    add_line(c, "username", find_nats(c, "username"));
    add_line(c, "credentials_file", find_nats(c, "creds-file-path"));
    strbuf_adds(c->out, "\n");
    for (unsigned i = 0; add_subscription(c, i); i++)
        continue;
}

/* What barod has no key for. */
static const char *reason_for(const char *path)
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
          "hosts of running jobs are exempt from retention by POST /v1/store/exempt" },
        { "main/user", "set User= in the service file" },
        { "main/group", "set Group= in the service file" },
        { "main/debug", "see baro store status and /metrics" },
        { "debug", "see baro store status and /metrics" },
        { "nats/password", "set password in [nats]" },
        { "nats/0/password", "set password in [nats]" },
        { "nats", "barod is a client of one NATS cluster" },
    };
    struct span text = span_of(path);
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        if (span_starts(text, reasons[i].begin))
            return reasons[i].why;
    }
    return "barod has no counterpart";
}

static size_t add_rest(struct conversion *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->flat.count; i++) {
        const struct flat_json_item *item = &c->flat.items[i];
        if (item->is_used || item->is_null)
            continue;
        if (count++ == 0)
            strbuf_adds(c->out, "# Not converted:\n");
        /* A secret belongs into no other file by accident. */
        bool is_secret = strstr(item->path, "password") != NULL;
        add_comment(c, item->path, is_secret ? NULL : item->value,
                    reason_for(item->path));
    }
    return count;
}

/* It has some key that its configurations have. */
static bool is_ccms(const struct flat_json *flat)
{
    static const char *const begins[] = {
        "metrics/", "metric-store/",       "checkpoints/",
        "archive/", "retention-in-memory", "jwt-public-key",
        "main/",    "http-api/",           "nats",
        "debug/"
    };
    for (size_t i = 0; i < flat->count; i++)
        for (size_t j = 0; j < COUNT_OF(begins); j++)
            if (span_starts(span_of(flat->items[i].path), begins[j]))
                return true;
    return false;
}

/* The names of the outermost object, the first few. */
static int foreign_refuse(const struct flat_json *flat, struct err *err)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    struct span last = SPAN("");
    for (size_t i = 0; i < flat->count && names.size < REFUSED_BYTES; i++) {
        struct span rest = span_of(flat->items[i].path), name;
        (void)span_cut(&rest, '/', &name);
        if (i > 0 && span_eq(name, last))
            continue;
        strbuf_adds(&names, names.size ? ", " : "");
        strbuf_add_span(&names, name);
        last = name;
    }
    return err_set(err, EBADMSG,
                   "is no configuration of cc-metric-store: it has no metrics, "
                   "metric-store, checkpoints, retention-in-memory%s%.200s",
                   names.size ? ", but " : "", strbuf_text(&names));
}

int ccms_config_convert(struct span json, struct strbuf *out, size_t *ret_comments,
                        struct err *err)
{
    struct conversion c = { .out = out };
    int rc = flat_json_parse(json, &c.flat, err);
    if (rc == 0 && !is_ccms(&c.flat))
        rc = foreign_refuse(&c.flat, err);
    if (rc < 0) {
        flat_json_done(&c.flat);
        return rc;
    }
    add_net(&c);
    add_store(&c);
    add_nats(&c);
    add_metrics(&c);
    size_t comments = add_rest(&c);
    flat_json_done(&c.flat);
    if (strbuf_error(out) < 0)
        return err_set(err, ENOMEM, "out of memory");
    *ret_comments = comments;
    return 0;
}
