/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_target - targets made of a section: a URL each, or files. */
#include "ingest/scrape_target.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"
#include "model/model.h"
#include "net/net.h"

#include <limits.h>
#include <stdlib.h>
#include <xxhash.h>

/* A moment of its own within the interval, the same after each start, so that many
 * targets are not scraped at once and their samples stay in step. */
int64_t scrape_target_next_due(const struct scrape_target *target, int64_t now_ns)
{
    int64_t interval_ns = target->section->opts.interval_ns;
    uint64_t hash = XXH3_64bits(target->url, strlen(target->url));
    int64_t offset_ns =
        (int64_t)(hash % (uint64_t)(interval_ns / NS_PER_MS)) * NS_PER_MS;
    int64_t due_ns = now_ns - now_ns % interval_ns + offset_ns;
    return due_ns > now_ns ? due_ns : due_ns + interval_ns;
}

void scrape_target_free(struct scrape_target *target)
{
    if (!target)
        return;
    net_client_free(target->client);
    free(target->base);
    free(target->host);
    free(target->url);
    free(target);
}
void scrape_section_free(struct scrape_section *section)
{
    if (!section)
        return;
    if (section->token.data)
        explicit_bzero(section->token.data, section->token.size);
    strbuf_done(&section->token);
    free(section);
}
/* scheme://HOST:PORT/path taken apart. */
static int split_url(struct scrape_target *target, struct span *ret_host,
                     struct err *err)
{
    const char *begin = strstr(target->url, "://");
    if (!begin)
        return err_set(err, EINVAL, "scrape %s: url: '%s' is none",
                       target->section->name, target->url);
    begin += 3;
    const char *path = strchr(begin, '/');
    struct span host = { begin, path ? (size_t)(path - begin) : strlen(begin) };
    target->path = path ? path : "/";
    target->base = span_dup(
        (struct span){ target->url, (size_t)(begin - target->url) + host.size });
    if (host.size > 0 && *host.data == '[') {
        host = span_skip(host, 1);
        (void)span_cut(&host, ']', ret_host);
    } else {
        (void)span_cut(&host, ':', ret_host);
    }
    return target->base ? 0 : err_set(err, ENOMEM, "out of memory");
}

int scrape_target_open(const struct scrape_source *source, struct scrape_target *target,
                       struct err *err)
{
    const struct scrape_section *section = target->section;
    const struct net_client_opts opts = {
        .url = target->base,
        .token = section->token.size ? strbuf_text(&section->token) : NULL,
        .ca_file = section->opts.ca_file,
        .connect_timeout_ns = section->opts.timeout_ns,
        .timeout_ns = section->opts.timeout_ns,
        .reply_bytes_max = section->opts.body_max,
        .is_closing = source->target_count > CONNECTIONS_MAX,
    };
    int rc = net_client_new(&opts, &target->client, err);
    return rc < 0 ? err_prefix(err, rc, "scrape %s", section->name) : 0;
}

/* scrape_up tells targets apart by their hosts. */
static int add_target(struct scrape_source *source, struct scrape_target *target,
                      struct err *err)
{
    for (size_t i = 0; i < source->target_count; i++) {
        const struct scrape_target *other = source->targets[i];
        if (other->section == target->section && strcmp(other->host, target->host) == 0)
            return err_set(
                err, EINVAL,
                "scrape %s: '%s' and '%s' are of one host: make two sections",
                target->section->name, other->url, target->url);
    }
    if (source->target_count == TARGETS_MAX)
        return err_set(err, E2BIG, "scrape %s: more than %d targets",
                       target->section->name, TARGETS_MAX);
    struct scrape_target **list =
        realloc(source->targets, (source->target_count + 1) * sizeof *list);
    if (!list)
        return err_set(err, ENOMEM, "out of memory");
    source->targets = list;
    list[source->target_count++] = target;
    target->section->stats.targets++;
    return 0;
}

enum place_kind { PLACE_URL, PLACE_FILE };

static struct sender_account *open_account(struct scrape_source *source,
                                           const struct scrape_target *target)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    struct sender_quota *quota = source->opts.sink->quota;
    if (!quota)
        return NULL;
    struct span place = span_of(target->url);
    if (place.size > SENDER_PLACE_MAX)
        place.size = SENDER_PLACE_MAX;
    strbuf_addf(&name, "scrape %s ", target->section->name);
    secret_print(&name, place);
    return sender_quota_account(quota, strbuf_span(&name), SENDER_SINGLE);
}

static int make_target(struct scrape_source *source, struct scrape_section *section,
                       enum place_kind kind, struct span place, struct err *err)
{
    char own[HOST_NAME_MAX + 1] = "";
    AUTO(scrape_target_free) struct scrape_target *target = calloc(1, sizeof *target);
    if (!target)
        return err_set(err, ENOMEM, "out of memory");
    target->section = section;
    target->url = span_dup(place);
    if (!target->url)
        return err_set(err, ENOMEM, "out of memory");
    (void)gethostname(own, sizeof own - 1);
    struct span host = span_of(own);
    int rc = 0;
    if (kind == PLACE_URL)
        rc = split_url(target, &host, err);
    if (rc == 0 && *section->opts.host)
        host = span_of(section->opts.host);
    if (rc == 0 && host.size == 0)
        rc = err_set(err, EINVAL, "scrape %s: '%s' names no host", section->name,
                     target->url);
    if (rc < 0)
        return rc;
    target->host = span_dup(host);
    if (!target->host)
        return err_set(err, ENOMEM, "out of memory");
    target->account = open_account(source, target);
    target->due_ns = scrape_target_next_due(target, clock_now_ns());
    rc = add_target(source, target, err);
    if (rc == 0)
        (void)TAKE(target);
    return rc;
}

int scrape_section_fill(struct scrape_source *source, struct scrape_section *section,
                        struct err *err)
{
    const struct scrape_opts *opts = &section->opts;
    const char *cluster = *opts->cluster ? opts->cluster : source->opts.cluster;
    section->receiver = (struct scrape_receiver_opts){
        .sink = source->opts.sink,
        .cache = source->opts.cache,
        .names = { .cluster = span_of(cluster),
                   .host_label = opts->host_label,
                   .map = opts->map,
                   .drop = opts->drop },
        .keep = opts->keep,
        .leave = opts->leave,
        .step_ns = opts->interval_ns,
        .section = section->name,
    };
    if (!*cluster)
        return err_set(
            err, EINVAL,
            "scrape %s: nothing names the cluster: set 'cluster' here or in [write]",
            section->name);
    if (opts->url.count + opts->file.count == 0)
        return err_set(err, EINVAL, "scrape %s: there is neither a url nor a file",
                       section->name);
    if (opts->timeout_ns > opts->interval_ns)
        return err_set(err, EINVAL, "scrape %s: timeout is longer than interval",
                       section->name);
    int rc = scrape_names_check(&section->receiver.names, err);
    if (rc == 0 && *opts->token_file)
        rc = secret_read(opts->token_file, TOKEN_BYTES_MAX, &section->token, err);
    return rc < 0 ? err_prefix(err, rc, "scrape %s", section->name) : 0;
}

/* The hosts of "http://node[001-100]:9100/metrics": where they begin, and how many
 * bytes they are.  Brackets right behind the slashes with a colon in them are an
 * address. */
static struct span hosts_of(const char *url)
{
    const char *begin = strstr(url, "://");
    if (!begin || !strchr(begin, '['))
        return (struct span){ 0 };
    begin += 3;
    struct span hosts = { begin, strcspn(begin, ":/") };
    return *begin == '[' && begin[hosts.size] == ':' ? (struct span){ 0 } : hosts;
}

/* A url of many hosts is a target each. */
static int make_urls(struct scrape_source *source, struct scrape_section *section,
                     const char *url, struct err *err)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    struct span names = hosts_of(url);
    if (names.size == 0)
        return make_target(source, section, PLACE_URL, span_of(url), err);
    int rc = hostset_parse(names, &hosts, err);
    if (rc < 0)
        return err_prefix(err, rc, "scrape %s: url: '%s'", section->name, url);
    for (size_t i = 0; rc == 0 && i < hostset_count(hosts); i++) {
        AUTO(strbuf_done) struct strbuf one = STRBUF_INIT;
        strbuf_add(&one, url, (size_t)(names.data - url));
        strbuf_adds(&one, hostset_at(hosts, i));
        strbuf_adds(&one, names.data + names.size);
        rc = strbuf_error(&one);
        if (rc == 0)
            rc = make_target(source, section, PLACE_URL, strbuf_span(&one), err);
    }
    return rc;
}

int scrape_section_add_targets(struct scrape_source *source,
                               struct scrape_section *section, struct err *err)
{
    const struct config_list *urls = &section->opts.url, *files = &section->opts.file;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < urls->count; i++)
        rc = make_urls(source, section, urls->items[i], err);
    for (size_t i = 0; rc == 0 && i < files->count; i++)
        rc = make_target(source, section, PLACE_FILE, span_of(files->items[i]), err);
    return rc;
}
