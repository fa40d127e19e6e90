/* SPDX-License-Identifier: Apache-2.0 */
/* config - the file that configures baro-agent. */
#include "agent/config.h"

#include "base/number.h"
#include "base/span.h"

#include <limits.h>

#define KEY(field) offsetof(struct agent_opts, field)

static const struct config_key agent_keys[] = {
    { .name = "server",
      .type = CONFIG_TEXT,
      .offset = KEY(server),
      .value = "unix:/run/barograph/barod.sock",
      .help =
          "Where barod listens: http://HOST:PORT, https://HOST:PORT or unix:PATH." },
    { .name = "token_file",
      .type = CONFIG_TEXT,
      .offset = KEY(token_file),
      .help = "File with this host's token; barod gives it out (baro token new)." },
    { .name = "ca_file",
      .type = CONFIG_TEXT,
      .offset = KEY(ca_file),
      .help = "PEM file of the authority that signed barod's certificate." },
    { .name = "host",
      .type = CONFIG_TEXT,
      .offset = KEY(host),
      .help = "Name under which this server reports; default: its host name." },
    { .name = "interval",
      .type = CONFIG_DURATION,
      .offset = KEY(interval_ns),
      .value = "2m",
      .min = NS_PER_S,
      .max = 3600 * NS_PER_S,
      .help = "How often each target is read; less than half of Lustre's "
              "job_cleanup_interval." },
    { .name = "source",
      .type = CONFIG_TEXT,
      .offset = KEY(source),
      .value = "lctl",
      .help =
          "lctl: run Lustre's lctl; files: read proc and sys with baro-lustre-read; "
          "none: no Lustre is observed here." },
    { .name = "lctl",
      .type = CONFIG_TEXT,
      .offset = KEY(lctl),
      .value = "lctl",
      .help = "The lctl program, by path or by name." },
    { .name = "reader",
      .type = CONFIG_TEXT,
      .offset = KEY(reader),
      .value = BARO_LIBEXECDIR "/baro-lustre-read",
      .help = "The reader program of source = files." },
    { .name = "root",
      .type = CONFIG_TEXT,
      .offset = KEY(root),
      .value = "/",
      .help = "Where source = files, the session and [node] find proc and sys." },
    { .name = "deadline",
      .type = CONFIG_DURATION,
      .offset = KEY(deadline_ns),
      .value = "60s",
      .min = NS_PER_S,
      .max = 3600 * NS_PER_S,
      .help =
          "A read that takes longer is given up; its target waits until it returns." },
    { .name = "filesystem",
      .type = CONFIG_LIST,
      .offset = KEY(filesystems),
      .help = "Only targets of these file systems; patterns; may be repeated." },
    { .name = "state",
      .type = CONFIG_TEXT,
      .offset = KEY(state),
      .value = BARO_STATEDIR "/agent",
      .help = "Directory where the last counters are remembered." },
    { .name = "spool",
      .type = CONFIG_TEXT,
      .offset = KEY(spool),
      .value = BARO_STATEDIR "/spool",
      .help = "Directory where batches wait for the server." },
    { .name = "spool_bytes_max",
      .type = CONFIG_SIZE,
      .offset = KEY(spool_bytes_max),
      .value = "1GiB",
      .min = 65536,
      .max = INT64_C(1) << 44,
      .help = "When more waits than this, the oldest is lost, and counted." },
    { .name = "spool_sync",
      .type = CONFIG_BOOL,
      .offset = KEY(spool_sync),
      .value = "no",
      .help =
          "Wait for the disk with every batch, so that it survives loss of power." },
    { .name = "entries_max",
      .type = CONFIG_COUNT,
      .offset = KEY(entries_max),
      .value = "1000000",
      .min = 1,
      .max = 100000000,
      .help = "How many entries are remembered; each takes about 120 bytes." },
    { .name = "backoff_max",
      .type = CONFIG_DURATION,
      .offset = KEY(backoff_max_ns),
      .value = "1m",
      .min = NS_PER_S,
      .max = 3600 * NS_PER_S,
      .help =
          "The longest pause between two attempts to reach a server that is away." },
    { .name = "timeout",
      .type = CONFIG_DURATION,
      .offset = KEY(timeout_ns),
      .value = "60s",
      .min = NS_PER_S,
      .max = 3600 * NS_PER_S,
      .help = "Time limit of the response to one batch." },
    { .name = "metrics",
      .type = CONFIG_TEXT,
      .offset = KEY(metrics),
      .help = "File that gets this agent's own counters after each round." },
    { .name = "metrics_listen",
      .type = CONFIG_TEXT,
      .offset = KEY(metrics_listen),
      .help = "Where GET /metrics returns them: a loopback address such as "
              "127.0.0.1:9191, or unix:PATH; empty: nowhere." },
    { .name = "totals_interval",
      .type = CONFIG_DURATION,
      .offset = KEY(totals_interval_ns),
      .value = "5s",
      .min = 0,
      .max = 3600 * NS_PER_S,
      .help = "How often this server's totals are sent as metrics; 0s: never." },
    { .name = "usage_interval",
      .type = CONFIG_DURATION,
      .offset = KEY(usage_interval_ns),
      .value = "1h",
      .min = 0,
      .max = 24 * 3600 * NS_PER_S,
      .help = "How often what users hold is sent with the totals; 0s: never." },
    { .name = "usage_top",
      .type = CONFIG_COUNT,
      .offset = KEY(usage_top),
      .value = "100",
      .min = 1,
      .max = 10000,
      .help = "So many users, groups and projects of each target; the rest as one." },
    { .name = "health_interval",
      .type = CONFIG_DURATION,
      .offset = KEY(health_interval_ns),
      .value = "10m",
      .min = 0,
      .max = 24 * 3600 * NS_PER_S,
      .help = "How often barod is sent how full the targets here are; 0s: never." },
    { .name = "cluster",
      .type = CONFIG_TEXT,
      .offset = KEY(cluster),
      .value = "lustre",
      .help = "The cluster that these metrics are of." },
    { .name = "log_level",
      .type = CONFIG_TEXT,
      .offset = KEY(log_level),
      .value = "info",
      .help = "error, warn, notice, info or debug." },
};

struct fold_opts {
    const char *jobid_name;
    struct config_list executables;
    struct config_list users;
};

static const struct config_key fold_keys[] = {
    { .name = "jobid_name",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct fold_opts, jobid_name),
      .value = "%e.%u",
      .help = "The form of the identifiers that this rule matches." },
    { .name = "executable",
      .type = CONFIG_LIST,
      .offset = offsetof(struct fold_opts, executables),
      .help = "Pattern of executables of which only one total each is stored; "
              "repeatable." },
    { .name = "user",
      .type = CONFIG_LIST,
      .offset = offsetof(struct fold_opts, users),
      .help = "Number of a user of whom only one total is stored; may be repeated." },
};

const struct config_section *agent_config_sections(size_t *ret_count)
{
    static struct config_section sections[] = {
        { .kind = "agent",
          .keys = agent_keys,
          .key_count = COUNT_OF(agent_keys),
          .help = "The program that reads this server's counters and sends them." },
        { 0 }, /* [session] */
        { 0 }, /* [node] */
        { 0 }, /* [plugins] */
        { .kind = "fold",
          .is_named = true,
          .keys = fold_keys,
          .key_count = COUNT_OF(fold_keys),
          .help = "Entries of which one sum is enough: helpers and system users." },
    };
    sections[1] = session_config_section;
    sections[2] = node_config_section;
    sections[3] = plugins_config_section;
    *ret_count = COUNT_OF(sections);
    return sections;
}

void agent_folds_done(struct agent_folds *folds)
{
    for (size_t i = 0; i < folds->count; i++)
        entry_format_free(folds->formats[i]);
    free(folds->folds);
    free(folds->formats);
    *folds = (struct agent_folds){ 0 };
}

static int load_folds(const struct config *config, struct agent_folds *ret,
                      struct err *err)
{
    size_t count = config_name_count(config, "fold");
    AUTO(agent_folds_done) struct agent_folds folds = { 0 };
    folds.folds = calloc(count + 1, sizeof folds.folds[0]);
    folds.formats = calloc(count + 1, sizeof folds.formats[0]);
    if (!folds.folds || !folds.formats)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const char *name = config_name(config, "fold", i);
        struct fold_opts opts = { 0 };
        int rc = config_fill(config, "fold", name, &opts, err);
        if (rc == 0)
            rc = entry_format_new(opts.jobid_name, &folds.formats[i], err);
        if (rc < 0)
            return err_prefix(err, rc, "[fold %s]", name);
        folds.folds[folds.count++] = (struct observe_fold){
            .name = name,
            .format = folds.formats[i],
            .executables = opts.executables.items,
            .executable_count = opts.executables.count,
            .users = opts.users.items,
            .user_count = opts.users.count,
        };
    }
    *ret = folds;
    folds = (struct agent_folds){ 0 };
    return 0;
}

/* The name of this machine up to the first dot, which is how Lustre's admins name it.
 */
static const char *host_name(void)
{
    static char name[HOST_NAME_MAX + 1];
    if (gethostname(name, sizeof name - 1) < 0)
        return "localhost";
    name[strcspn(name, ".")] = '\0';
    return name;
}

static int source_check(const char *source, struct err *err)
{
    if (strcmp(source, "lctl") == 0 || strcmp(source, "files") == 0 ||
        strcmp(source, "none") == 0)
        return 0;
    return err_set(err, EINVAL,
                   "agent.source: invalid value '%s' (choose lctl, files, none)",
                   source);
}

int agent_config_load(const char *path, const char *const *set, size_t set_count,
                      struct config **ret_config, struct agent_opts *ret,
                      struct agent_folds *ret_folds, struct err *err)
{
    size_t count = 0;
    const struct config_section *sections = agent_config_sections(&count);
    AUTO(config_free) struct config *config = NULL;
    struct agent_opts opts = { 0 };
    if (!path && access(AGENT_CONFIG_DEFAULT, F_OK) == 0)
        path = AGENT_CONFIG_DEFAULT;
    int rc = path ? config_load(path, sections, count, &config, err)
                  : config_parse("defaults", SPAN(""), sections, count, &config, err);
    for (size_t i = 0; rc == 0 && i < set_count; i++)
        rc = config_set(config, span_of(set[i]), err);
    if (rc == 0)
        rc = config_fill(config, "agent", NULL, &opts, err);
    if (rc == 0)
        rc = config_fill(config, "session", NULL, &opts.session, err);
    if (rc == 0)
        rc = config_fill(config, "node", NULL, &opts.node, err);
    if (rc == 0)
        rc = config_fill(config, "plugins", NULL, &opts.plugins, err);
    if (rc < 0)
        return rc;
    unsigned sources;
    rc = source_check(opts.source ? opts.source : "", err);
    if (rc == 0)
        rc = node_opts_sources(&opts.node, &sources, err);
    if (rc < 0)
        return rc;
    if (!opts.host || !*opts.host)
        opts.host = host_name();
    rc = load_folds(config, ret_folds, err);
    if (rc < 0)
        return rc;
    *ret = opts;
    *ret_config = TAKE(config);
    return 0;
}
