/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_source - exporters that wait to be asked. */
#include "ingest/scrape_source.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/secret.h"
#include "model/model.h"
#include "net/net.h"

#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

#define THREADS_MAX 8
#define TARGETS_MAX 10000
/* Connections stay open between two questions where all of them are no more than these.
 */
#define CONNECTIONS_MAX 64
#define TOKEN_BYTES_MAX 65536
#define SENDER_PLACE_MAX 200

struct section {
    const char *name;
    struct scrape_opts opts;
    struct scrape_receiver_opts receiver;
    struct strbuf token;
    struct scrape_stats stats; /* under the source's lock */
};

enum target_state { TARGET_NEW, TARGET_UP, TARGET_DOWN };

struct target {
    struct section *section;
    char *place; /* the url or file */
    char *host;
    /* A url's: */
    char *base;
    const char *path; /* in place */
    struct net_client *client;
    int64_t changed_ns; /* a file's, of what was taken in */
    bool is_bad;        /* the last text had bad lines */
    bool is_refused;    /* samples of the last text were refused */
    struct sender_account *account;
    /* Under the source's lock: */
    int64_t due_ns;
    bool is_busy, is_doubtful; /* doubtful: somebody is at it, and it may hang */
    enum target_state state;
};

struct scrape_source {
    struct scrape_source_opts opts;
    struct section **sections;
    size_t section_count;
    struct target **targets;
    size_t target_count;
    pthread_t threads[THREADS_MAX];
    size_t thread_count;
    pthread_mutex_t say_lock;
    pthread_mutex_t lock; /* due_ns, is_busy, state, stats and what follows */
    pthread_cond_t wake;
    size_t doubtful_count; /* threads at such targets */
    bool is_stopping;
};

/* What one scrape brought. */
struct catch
{
    struct strbuf text;
    int64_t t_ns;
    double seconds;
    bool is_unchanged; /* a file: there is nothing new */
};

/* ---- words ---- */

static void say(struct scrape_source *source, enum scrape_notice notice,
                const struct target *target, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void say(struct scrape_source *source, enum scrape_notice notice,
                const struct target *target, const char *fmt, ...)
{
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    char words[512], text[1024];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    (void)snprintf(text, sizeof text, "%s: %s: %s", target->section->name,
                   target->place, words);
    secret_print(&clean, span_of(text));
    LOCKED(&source->say_lock);
    source->opts.say(source->opts.arg, notice, strbuf_text(&clean));
}

/* ---- one target ---- */

static int read_url(struct target *target, struct catch *catch, struct err *err)
{
    AUTO(net_answer_done) struct net_answer answer = { 0 };
    int rc = net_client_get(target->client, target->path, &answer, err);
    if (rc < 0)
        return rc;
    if (answer.status != 200)
        return err_set(err, EIO, "it responds with %u", answer.status);
    catch->text = answer.body;
    answer.body = (struct strbuf)STRBUF_INIT;
    return 0;
}

/* A pipe or device that somebody put in its place could hang, or never end. */
static int read_file(struct target *target, struct catch *catch, struct err *err)
{
    struct stat st;
    if (stat(target->place, &st) < 0)
        return err_set(err, errno, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, EINVAL, "this is no file");
    catch->t_ns = (int64_t)st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
    catch->is_unchanged = catch->t_ns == target->changed_ns;
    if (catch->is_unchanged)
        return 0;
    int rc =
        file_read(target->place, target->section->opts.body_max, &catch->text, err);
    if (rc == 0)
        target->changed_ns = catch->t_ns;
    return rc;
}

static void count(struct scrape_source *source, struct target *target,
                  const struct catch *catch, const struct scrape_result *result)
{
    LOCKED(&source->lock);
    struct scrape_stats *stats = &target->section->stats;
    stats->bytes += catch->text.size;
    stats->samples += result->samples;
    stats->left += result->left;
    stats->bad += result->bad;
    stats->refused += sink_refused(&result->refused);
}

/* Once, until all of a text is taken again. */
static void report_refusals(struct scrape_source *source, struct target *target,
                            const struct scrape_result *result)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    bool was_refused = target->is_refused;
    target->is_refused = sink_refused(&result->refused) > 0;
    if (was_refused || !target->is_refused)
        return;
    sink_refusals_print(&result->refused, &text);
    say(source, SCRAPE_REFUSED, target, "refused: %s", strbuf_text(&text));
}

/* *ret_kept: samples.  Errors: -EINVAL, the text is none of an exporter. */
static int take_in(struct scrape_source *source, struct target *target,
                   const struct catch *catch, uint64_t *ret_kept, struct err *err)
{
    struct scrape_result result = { 0 };
    const struct scrape_text text = { span_of(target->host), strbuf_span(&catch->text),
                                      catch->t_ns, target->account };
    int rc = scrape_receive(&target->section->receiver, &text, &result);
    if (rc < 0) {
        say(source, SCRAPE_UNKEPT, target,
            "samples cannot be stored: %s; they are lost", strerror(-rc));
        LOCKED(&source->lock);
        target->section->stats.unkept++;
        return 0;
    }
    count(source, target, catch, &result);
    report_refusals(source, target, &result);
    *ret_kept = result.samples;
    bool was_bad = target->is_bad;
    target->is_bad = result.bad > 0;
    if (result.bad == 0)
        return 0;
    if (result.samples + result.left + result.too_old + sink_refused(&result.refused) ==
        0)
        return err_set(err, EINVAL, "no line of it is Prometheus text; line %llu: %s",
                       (unsigned long long)result.first.line, result.first.reason);
    if (!was_bad)
        say(source, SCRAPE_BAD, target,
            "%llu bad lines; the first: line %llu, column %llu: %s",
            (unsigned long long)result.bad, (unsigned long long)result.first.line,
            (unsigned long long)result.first.column, result.first.reason);
    return 0;
}

static void settle(struct scrape_source *source, struct target *target, int rc,
                   const struct err *err)
{
    enum target_state before, now = rc < 0 ? TARGET_DOWN : TARGET_UP;
    {
        LOCKED(&source->lock);
        struct scrape_stats *stats = &target->section->stats;
        before = target->state;
        target->state = now;
        stats->scrapes++;
        stats->failed += rc < 0;
        stats->targets_up += now == TARGET_UP;
        stats->targets_up -= before == TARGET_UP;
    }
    if (now == before)
        return;
    if (now == TARGET_UP)
        say(source, SCRAPE_WORKS, target, "it responds");
    else
        say(source, SCRAPE_FAILS, target, "%s", err->text);
}

static void scrape(struct scrape_source *source, struct target *target, int64_t t_ns)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct catch catch = { .text = text, .t_ns = t_ns };
    struct err err = { 0 };
    struct scrape_verdict verdict = { 0 };
    int64_t begin_ns = clock_monotonic_ns();
    int rc = target->client ? read_url(target, &catch, &err)
                            : read_file(target, &catch, &err);
    text = catch.text;
    verdict.seconds = (double)(clock_monotonic_ns() - begin_ns) / (double)NS_PER_S;
    if (rc == 0 && !catch.is_unchanged)
        rc = take_in(source, target, &catch, &verdict.samples, &err);
    verdict.is_up = rc == 0;
    settle(source, target, rc, &err);
    /* When this cannot be kept either, that has been said. */
    (void)scrape_receive_verdict(&target->section->receiver, span_of(target->host),
                                 t_ns, &verdict);
}

/* ---- when ---- */

/* A moment of its own within the interval, the same after each start, so that many
 * targets are not asked at once and their samples stay in step. */
static int64_t next_due(const struct target *target, int64_t now_ns)
{
    int64_t interval_ns = target->section->opts.interval_ns;
    uint64_t hash = XXH3_64bits(target->place, strlen(target->place));
    int64_t offset_ns =
        (int64_t)(hash % (uint64_t)(interval_ns / NS_PER_MS)) * NS_PER_MS;
    int64_t due_ns = now_ns - now_ns % interval_ns + offset_ns;
    return due_ns > now_ns ? due_ns : due_ns + interval_ns;
}

/* One that did not answer the last time, or never was asked, may hang for its timeout.
 * Half of the threads are not for these: a rack that is off costs only itself. */
static bool may_be_asked(const struct scrape_source *source,
                         const struct target *target)
{
    return !target->is_busy &&
           (target->state == TARGET_UP || source->thread_count < 2 ||
            source->doubtful_count < source->thread_count / 2);
}

/* The one that is due first and that nobody is at. */
static struct target *first_due(struct scrape_source *source)
{
    struct target *first = NULL;
    for (size_t i = 0; i < source->target_count; i++) {
        struct target *target = source->targets[i];
        if (may_be_asked(source, target) && (!first || target->due_ns < first->due_ns))
            first = target;
    }
    return first;
}

static void wait_until(struct scrape_source *source, int64_t due_ns)
{
    int64_t end_ns = clock_monotonic_ns() + clock_wait_ms(due_ns) * NS_PER_MS;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    (void)pthread_cond_timedwait(&source->wake, &source->lock, &until);
}

/* Take a target that is due; NULL: it is time to stop.  *ret_missed: how many times it
 * should have been asked before. */
static struct target *take_due(struct scrape_source *source, int64_t *ret_t_ns,
                               uint64_t *ret_missed)
{
    LOCKED(&source->lock);
    while (!source->is_stopping) {
        struct target *target = first_due(source);
        int64_t now_ns = clock_now_ns();
        if (!target) {
            (void)pthread_cond_wait(&source->wake, &source->lock);
            continue;
        }
        int64_t interval_ns = target->section->opts.interval_ns;
        if (target->due_ns > now_ns + interval_ns) /* the clock was set back */
            target->due_ns = next_due(target, now_ns);
        if (target->due_ns > now_ns) {
            wait_until(source, target->due_ns);
            continue;
        }
        int64_t missed = (now_ns - target->due_ns) / interval_ns;
        *ret_t_ns = target->due_ns + missed * interval_ns;
        *ret_missed = (uint64_t)missed;
        target->section->stats.late += (uint64_t)missed;
        target->due_ns = *ret_t_ns + interval_ns;
        target->is_busy = true;
        target->is_doubtful = target->state != TARGET_UP;
        source->doubtful_count += target->is_doubtful;
        return target;
    }
    return NULL;
}

static void *run(void *arg)
{
    struct scrape_source *source = arg;
    struct target *target;
    int64_t t_ns = 0;
    uint64_t missed = 0;
    while ((target = take_due(source, &t_ns, &missed))) {
        if (missed > 0)
            say(source, SCRAPE_LATE, target,
                "not scraped %llu times, others were too slow",
                (unsigned long long)missed);
        scrape(source, target, t_ns);
        LOCKED(&source->lock);
        target->is_busy = false;
        source->doubtful_count -= target->is_doubtful;
        (void)pthread_cond_signal(&source->wake);
    }
    return NULL;
}

/* ---- making ---- */

static void target_free(struct target *target)
{
    if (!target)
        return;
    net_client_free(target->client);
    free(target->base);
    free(target->host);
    free(target->place);
    free(target);
}
DEFINE_AUTO(struct target, target_free);

static void section_free(struct section *section)
{
    if (!section)
        return;
    if (section->token.data)
        explicit_bzero(section->token.data, section->token.size);
    strbuf_done(&section->token);
    free(section);
}
DEFINE_AUTO(struct section, section_free);

/* scheme://HOST:PORT/path taken apart. */
static int split_url(struct target *target, struct span *ret_host, struct err *err)
{
    const char *begin = strstr(target->place, "://");
    if (!begin)
        return err_set(err, EINVAL, "scrape %s: url: '%s' is none",
                       target->section->name, target->place);
    begin += 3;
    const char *path = strchr(begin, '/');
    struct span host = { begin, path ? (size_t)(path - begin) : strlen(begin) };
    target->path = path ? path : "/";
    target->base = span_dup(
        (struct span){ target->place, (size_t)(begin - target->place) + host.size });
    if (host.size > 0 && *host.data == '[') {
        host = span_skip(host, 1);
        (void)span_cut(&host, ']', ret_host);
    } else {
        (void)span_cut(&host, ':', ret_host);
    }
    return target->base ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int open_client(const struct scrape_source *source, struct target *target,
                       struct err *err)
{
    const struct section *section = target->section;
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
static int add_target(struct scrape_source *source, struct target *target,
                      struct err *err)
{
    for (size_t i = 0; i < source->target_count; i++) {
        const struct target *other = source->targets[i];
        if (other->section == target->section && strcmp(other->host, target->host) == 0)
            return err_set(
                err, EINVAL,
                "scrape %s: '%s' and '%s' are of one host: make two sections",
                target->section->name, other->place, target->place);
    }
    if (source->target_count == TARGETS_MAX)
        return err_set(err, E2BIG, "scrape %s: more than %d targets",
                       target->section->name, TARGETS_MAX);
    struct target **list =
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
                                           const struct target *target)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    struct sender_quota *quota = source->opts.sink->quota;
    if (!quota)
        return NULL;
    struct span place = span_of(target->place);
    if (place.size > SENDER_PLACE_MAX)
        place.size = SENDER_PLACE_MAX;
    strbuf_addf(&name, "scrape %s ", target->section->name);
    secret_print(&name, place);
    return sender_quota_account(quota, strbuf_span(&name), SENDER_SINGLE);
}

static int make_target(struct scrape_source *source, struct section *section,
                       enum place_kind kind, struct span place, struct err *err)
{
    char own[HOST_NAME_MAX + 1] = "";
    AUTO(target_free) struct target *target = calloc(1, sizeof *target);
    if (!target)
        return err_set(err, ENOMEM, "out of memory");
    target->section = section;
    target->place = span_dup(place);
    if (!target->place)
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
                     target->place);
    if (rc < 0)
        return rc;
    target->host = span_dup(host);
    if (!target->host)
        return err_set(err, ENOMEM, "out of memory");
    target->account = open_account(source, target);
    target->due_ns = next_due(target, clock_now_ns());
    rc = add_target(source, target, err);
    if (rc == 0)
        (void)TAKE(target);
    return rc;
}

static int section_fill(struct scrape_source *source, struct section *section,
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
        return err_set(err, EINVAL, "scrape %s: nothing names the cluster",
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
static int make_urls(struct scrape_source *source, struct section *section,
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

static int add_targets(struct scrape_source *source, struct section *section,
                       struct err *err)
{
    const struct config_list *urls = &section->opts.url, *files = &section->opts.file;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < urls->count; i++)
        rc = make_urls(source, section, urls->items[i], err);
    for (size_t i = 0; rc == 0 && i < files->count; i++)
        rc = make_target(source, section, PLACE_FILE, span_of(files->items[i]), err);
    return rc;
}

/* ---- the door ---- */

int scrape_source_new(const struct scrape_source_opts *opts, struct scrape_source **ret,
                      struct err *err)
{
    pthread_condattr_t attr;
    struct scrape_source *source = calloc(1, sizeof *source);
    if (!source)
        return err_set(err, ENOMEM, "out of memory");
    source->opts = *opts;
    (void)pthread_mutex_init(&source->say_lock, NULL);
    (void)pthread_mutex_init(&source->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&source->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    *ret = source;
    return 0;
}

int scrape_source_add(struct scrape_source *source, const char *name,
                      const struct scrape_opts *opts, struct err *err)
{
    struct section **list =
        realloc(source->sections, (source->section_count + 1) * sizeof *list);
    if (!list)
        return err_set(err, ENOMEM, "out of memory");
    source->sections = list;
    AUTO(section_free) struct section *section = calloc(1, sizeof *section);
    if (!section)
        return err_set(err, ENOMEM, "out of memory");
    section->name = name;
    section->opts = *opts;
    int rc = section_fill(source, section, err);
    if (rc < 0)
        return rc;
    struct section *added = list[source->section_count++] = TAKE(section);
    return add_targets(source, added, err);
}

int scrape_source_prepare(struct scrape_source *source, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < source->target_count; i++)
        rc =
            source->targets[i]->base ? open_client(source, source->targets[i], err) : 0;
    return rc;
}

int scrape_source_start(struct scrape_source *source, struct err *err)
{
    size_t wanted =
        source->target_count < THREADS_MAX ? source->target_count : THREADS_MAX;
    int rc = 0;
    LOCKED(&source->lock);
    while (rc == 0 && source->thread_count < wanted) {
        rc = pthread_create(&source->threads[source->thread_count], NULL, run, source);
        source->thread_count += rc == 0;
    }
    return rc ? err_set(err, EAGAIN, "scrape: no thread: %s", strerror(rc)) : 0;
}

void scrape_source_free(struct scrape_source *source)
{
    if (!source)
        return;
    {
        LOCKED(&source->lock);
        source->is_stopping = true;
        (void)pthread_cond_broadcast(&source->wake);
    }
    for (size_t i = 0; i < source->thread_count; i++)
        (void)pthread_join(source->threads[i], NULL);
    for (size_t i = 0; i < source->target_count; i++)
        target_free(source->targets[i]);
    for (size_t i = 0; i < source->section_count; i++)
        section_free(source->sections[i]);
    (void)pthread_cond_destroy(&source->wake);
    (void)pthread_mutex_destroy(&source->lock);
    (void)pthread_mutex_destroy(&source->say_lock);
    free(source->targets);
    free(source->sections);
    free(source);
}

size_t scrape_source_count(const struct scrape_source *source)
{
    return source->section_count;
}

void scrape_source_load(struct scrape_source *source, struct scrape_load *ret)
{
    LOCKED(&source->lock);
    struct scrape_load load = { .targets = source->target_count,
                                .threads = source->thread_count };
    int64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < source->target_count; i++) {
        load.threads_busy += source->targets[i]->is_busy;
        load.waiting +=
            !source->targets[i]->is_busy && source->targets[i]->due_ns <= now_ns;
    }
    *ret = load;
}

void scrape_source_stats(struct scrape_source *source, size_t index,
                         const char **ret_name, struct scrape_stats *ret)
{
    *ret_name = source->sections[index]->name;
    LOCKED(&source->lock);
    *ret = source->sections[index]->stats;
}
