/* SPDX-License-Identifier: Apache-2.0 */
/* start_file - the options that a session was started with, in its directory. */
#include "jobsession/start_file.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <limits.h>

#define NAME "control.start"
#define BYTES_MAX ((size_t)1 << 20)

/* As config has them: the lists of opts are pointers with counts. */
struct start_keys {
    struct config_list plugins, reads, site_events, provenance;
    const char *hosts, *launch, *address, *agent, *condemn;
    const char *server, *token_file, *ca_file;
    uint64_t size, spares, bytes_max;
    int64_t period_ns, heartbeat_ns, start_wait_ns;
};

struct found_keys {
    const char *agent, *parent, *parent_dir;
};

#define AT(member) offsetof(struct start_keys, member)
#define KEY(name, type, member, help)            \
    {                                            \
        name, type, AT(member), NULL, 0, 0, help \
    }

static const struct config_key start_keys[] = {
    KEY("plugins", CONFIG_LIST, plugins, "Files and directories that were copied."),
    KEY("read", CONFIG_LIST, reads, "Files that plugins may read."),
    KEY("site_event", CONFIG_LIST, site_events, "Events that the site hears of."),
    KEY("provenance", CONFIG_LIST, provenance, "Directories with paths as they are."),
    KEY("hosts", CONFIG_TEXT, hosts, "Its nodes."),
    KEY("launch", CONFIG_TEXT, launch, "What starts a program on a host."),
    KEY("address", CONFIG_TEXT, address, "This machine, as the nodes reach it."),
    KEY("agent", CONFIG_TEXT, agent, "The socket of this node's agent."),
    KEY("condemn", CONFIG_TEXT, condemn, "The health that has a node replaced."),
    KEY("server", CONFIG_TEXT, server, "The site's barod."),
    KEY("token_file", CONFIG_TEXT, token_file, "The access token file for it."),
    KEY("ca_file", CONFIG_TEXT, ca_file, "The CA bundle for it."),
    KEY("size", CONFIG_COUNT, size, "So many nodes on this machine."),
    KEY("spare", CONFIG_COUNT, spares, "So many of them replace others."),
    KEY("data_max", CONFIG_SIZE, bytes_max, "The size of its data."),
    KEY("period", CONFIG_DURATION, period_ns, "How often plugins run."),
    KEY("heartbeat", CONFIG_DURATION, heartbeat_ns, "How often nodes are heard of."),
    KEY("start_wait", CONFIG_DURATION, start_wait_ns, "How long nodes are waited for."),
};

static const struct config_key found_keys[] = {
    { "agent", CONFIG_TEXT, offsetof(struct found_keys, agent), NULL, 0, 0,
      "The socket of this node's agent, by the environment." },
    { "parent", CONFIG_TEXT, offsetof(struct found_keys, parent), NULL, 0, 0,
      "The session that it was started in." },
    { "parent_dir", CONFIG_TEXT, offsetof(struct found_keys, parent_dir), NULL, 0, 0,
      "Its directory." },
};

static const struct config_section sections[] = {
    { "start", false, start_keys, COUNT_OF(start_keys), "Options as they were given." },
    { "found", false, found_keys, COUNT_OF(found_keys), "What they came to." },
};

/* ---- writing ---- */

struct start_printer {
    struct strbuf *out;
    const char *bad; /* a key whose value no line can hold */
};

static void print_text(struct start_printer *p, const char *key, const char *value)
{
    if (!value)
        return;
    struct span text = span_of(value);
    if (text.size == 0 || memchr(value, '\n', text.size) ||
        !span_eq(text, span_trim(text)))
        p->bad = key;
    strbuf_addf(p->out, "%s = %s\n", key, value);
}

/* The process has another working directory. */
static void print_path(struct start_printer *p, const char *key, const char *path)
{
    char cwd[PATH_MAX];
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    if (path && path[0] != '/' && getcwd(cwd, sizeof cwd))
        strbuf_addf(&whole, "%s/", cwd);
    strbuf_adds(&whole, path ? path : "");
    print_text(p, key, path ? strbuf_text(&whole) : NULL);
}

/* Its first word is a program: one with a slash is a path. */
static void print_launch(struct start_printer *p, const char *launch)
{
    const char *slash = launch ? strchr(launch, '/') : NULL;
    bool is_path = slash && slash < launch + strcspn(launch, " ");
    (is_path ? print_path : print_text)(p, "launch", launch);
}

/* Plugins name whole paths: a pattern is for those, unless it begins with any. */
static void print_reads(struct start_printer *p, const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        (items[i][0] == '*' ? print_text : print_path)(p, "read", items[i]);
}

static void print_list(struct start_printer *p, const char *key,
                       const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print_text(p, key, items[i]);
}

static void print_count(struct start_printer *p, const char *key, uint64_t value,
                        const char *unit)
{
    if (value > 0)
        strbuf_addf(p->out, "%s = %llu%s\n", key, (unsigned long long)value, unit);
}

static void print_start(struct start_printer *p, const struct own_session_opts *o)
{
    strbuf_adds(p->out, "[start]\n");
    for (size_t i = 0; i < o->plugin_count; i++)
        print_path(p, "plugins", o->plugins[i]);
    print_reads(p, o->reads, o->read_count);
    print_list(p, "site_event", o->site_events, o->site_event_count);
    print_list(p, "provenance", o->provenance, o->provenance_count);
    print_text(p, "hosts", o->hosts);
    print_launch(p, o->launch);
    print_text(p, "address", o->address);
    print_path(p, "agent", o->agent);
    print_text(p, "condemn", o->condemn);
    if (o->site) {
        print_text(p, "server", o->site->server);
        print_path(p, "token_file", o->site->token_file);
        print_path(p, "ca_file", o->site->ca_file);
    }
    print_count(p, "size", o->size, "");
    print_count(p, "spare", o->spares, "");
    print_count(p, "data_max", o->bytes_max, "B");
    print_count(p, "period", (uint64_t)o->period_ns, "ns");
    print_count(p, "heartbeat", (uint64_t)o->heartbeat_ns, "ns");
    print_count(p, "start_wait", (uint64_t)o->start_wait_ns, "ns");
}

static int printed(const struct start_printer *p, struct err *err)
{
    if (p->bad)
        return err_set(err, EINVAL,
                       "'%s' is empty, has a line end, or blanks around it", p->bad);
    return strbuf_error(p->out);
}

int start_file_print(const struct own_session_opts *opts, struct strbuf *out,
                     struct err *err)
{
    struct start_printer p = { .out = out };
    print_start(&p, opts);
    return printed(&p, err);
}

static int print_whole(const struct own_session_opts *opts, struct strbuf *out,
                       struct err *err)
{
    const struct own_session_opts found = own_session_defaults(opts);
    struct start_printer p = { .out = out };
    print_start(&p, opts);
    strbuf_adds(out, "[found]\n");
    print_path(&p, "agent", found.agent);
    if (*found.parent)
        print_text(&p, "parent", found.parent);
    if (*found.parent)
        print_text(&p, "parent_dir", found.parent_dir);
    return printed(&p, err);
}

int start_file_write(const struct session_dir *dir, const struct own_session_opts *opts,
                     struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    int rc = print_whole(opts, &text, err);
    strbuf_addf(&path, "%s/" NAME, strbuf_text(&dir->path));
    if (rc == 0)
        rc = strbuf_error(&path);
    return rc < 0 ? rc
                  : file_replace(strbuf_text(&path), text.data, text.size, 0600, err);
}

/* ---- reading ---- */

static void fill_opts(const struct start_keys *k, const struct found_keys *found,
                      struct start_file *ret)
{
    ret->site = (struct client_endpoint){ .server = k->server,
                                          .token_file = k->token_file,
                                          .ca_file = k->ca_file };
    ret->opts = (struct own_session_opts){
        .hosts = k->hosts,
        .size = k->size,
        .launch = k->launch,
        .address = k->address,
        .plugins = k->plugins.items,
        .plugin_count = k->plugins.count,
        .reads = k->reads.items,
        .read_count = k->reads.count,
        .agent = found->agent ? found->agent : "",
        .parent = found->parent ? found->parent : "",
        .parent_dir = found->parent_dir ? found->parent_dir : "",
        .site_events = k->site_events.items,
        .site_event_count = k->site_events.count,
        .provenance = k->provenance.items,
        .provenance_count = k->provenance.count,
        .spares = k->spares,
        .condemn = k->condemn,
        .period_ns = k->period_ns,
        .heartbeat_ns = k->heartbeat_ns,
        .start_wait_ns = k->start_wait_ns,
        .bytes_max = k->bytes_max,
    };
}

static int read_start_text(const struct session_dir *dir, struct strbuf *ret,
                           struct strbuf *path, struct err *err)
{
    strbuf_addf(path, "%s/" NAME, strbuf_text(&dir->path));
    if (strbuf_error(path) < 0)
        return -ENOMEM;
    int rc = file_read(strbuf_text(path), BYTES_MAX, ret, err);
    return rc == -ENOENT ? err_set(err, ENOENT,
                                   "'%s' is of no session that was started by baro "
                                   "session start",
                                   strbuf_text(&dir->path))
                         : rc;
}

static int start_parse(const char *path, struct span text, struct start_file *ret,
                       struct err *err)
{
    struct config *config = NULL;
    struct start_keys keys = { .hosts = NULL };
    struct found_keys found = { .agent = NULL };
    int rc = config_parse(path, text, sections, COUNT_OF(sections), &config, err);
    if (rc == 0)
        rc = config_fill(config, "start", NULL, &keys, err);
    if (rc == 0)
        rc = config_fill(config, "found", NULL, &found, err);
    if (rc < 0) {
        config_free(config);
        return rc == -ENOMEM ? rc : -EBADMSG;
    }
    fill_opts(&keys, &found, ret);
    ret->config = config;
    return 0;
}

int start_file_read(const struct session_dir *dir, struct start_file *ret,
                    struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    int rc = read_start_text(dir, &text, &path, err);
    return rc < 0 ? rc : start_parse(strbuf_text(&path), strbuf_span(&text), ret, err);
}

int start_file_resolve(const struct own_session_opts *opts, struct start_file *ret,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = print_whole(opts, &text, err);
    if (rc == 0)
        rc = start_parse(NAME, strbuf_span(&text), ret, err);
    if (rc < 0)
        return rc;
    ret->opts.name = opts->name;
    ret->opts.directory = opts->directory;
    ret->opts.is_quiet = opts->is_quiet;
    return 0;
}

int start_file_compare(const struct session_dir *dir,
                       const struct own_session_opts *opts, struct err *err)
{
    AUTO(strbuf_done) struct strbuf stored = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf given = STRBUF_INIT;
    int rc = read_start_text(dir, &stored, &path, err);
    if (rc == 0)
        rc = start_file_print(opts, &given, err);
    if (rc < 0)
        return rc;
    strbuf_adds(&given, "[found]\n");
    return span_starts(strbuf_span(&stored), strbuf_text(&given))
               ? 0
               : err_set(err, EINVAL,
                         "session %s was started with other options (%s): --again goes "
                         "on with those, another name begins another session",
                         strbuf_text(&dir->name), strbuf_text(&path));
}

bool start_file_is_default(const struct own_session_opts *opts)
{
    static const struct own_session_opts none = { .name = NULL };
    AUTO(strbuf_done) struct strbuf given = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf empty = STRBUF_INIT;
    return start_file_print(opts, &given, NULL) == 0 &&
           start_file_print(&none, &empty, NULL) == 0 &&
           span_eq(strbuf_span(&given), strbuf_span(&empty));
}

void start_file_done(struct start_file *file)
{
    config_free(file->config);
    file->config = NULL;
}
