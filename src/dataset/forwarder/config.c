/* SPDX-License-Identifier: Apache-2.0 */
/* config - baro-datasetd.conf: [dataset], and [jobs] of the agent of a node. */
#include "dataset/forwarder/config.h"

#include "base/number.h"
#include "base/span.h"
#include "dataset/forwarder/identities.h"
#include "dataset/forwarder/upstreams.h"

#include <unistd.h>

#define KEY(field) offsetof(struct forwarder_opts, field)
#define MIB (INT64_C(1) << 20)

static const struct config_key keys[] = {
    { "repository", CONFIG_TEXT, KEY(repository), NULL, 0, 0,
      "The repository of datasets that is served; all that is written there is leases "
      "of mounts, and what users push." },
    { "upstream", CONFIG_LIST, KEY(upstream), NULL, 0, 0,
      "Instead of a repository: where chunks come from, HOST:PORT or unix:PATH; "
      "repeated, "
      "in the order of preference." },
    { "listen", CONFIG_LIST, KEY(listen), NULL, 0, 0,
      "Where other forwarders connect (chunk protocol): HOST:PORT or unix:PATH; may be "
      "repeated." },
    { "nbd", CONFIG_LIST, KEY(nbd), NULL, 0, 0,
      "Where NBD clients connect: HOST:PORT or unix:PATH; may be repeated." },
    { "9p", CONFIG_LIST, KEY(ninep), NULL, 0, 0,
      "Where clients of 9P2000.L connect, to which each dataset is a file: HOST:PORT "
      "or "
      "unix:PATH; may be repeated." },
    { "insecure", CONFIG_BOOL, KEY(insecure), "no", 0, 0,
      "Whether listen, nbd and 9p may be other addresses than those of the loopback: "
      "there "
      "is no encryption." },
    { "trusted", CONFIG_LIST, KEY(trusted), NULL, 0, 0,
      "A user whose processes are other servers, as an agent on this host: they may "
      "have "
      "every dataset, and state for whom; repeated." },
    { "key", CONFIG_TEXT, KEY(key), NULL, 0, 0,
      "A file with the site's key, at least 32 bytes: servers prove with it to each "
      "other "
      "what they are, over TCP, too." },
    { "munge", CONFIG_TEXT, KEY(munge), "no", 0, 0,
      "Whether a client's MUNGE credential states which user it is: yes, no, or the "
      "path of munged's socket." },
    { "push", CONFIG_BOOL, KEY(push), "no", 0, 0,
      "Whether users who are known may send datasets into the repository (baro dataset "
      "push)." },
    { "push_bytes", CONFIG_SIZE, KEY(push_bytes), "256GiB", MIB, INT64_MAX,
      "Images that a user may be sending at a time, beside the quota of what is "
      "there." },
    { "socket_mode", CONFIG_TEXT, KEY(socket_mode), "0660", 0, 0,
      "The mode of unix sockets: who may read each dataset." },
    { "memory", CONFIG_SIZE, KEY(memory), "256MiB", MIB, INT64_MAX,
      "Chunks that are stored in memory." },
    { "clients_memory", CONFIG_SIZE, KEY(clients_memory), "512MiB", 16 * MIB, INT64_MAX,
      "Chunks that are under way to clients, beside it; where all have so much, each "
      "may have one more at a time." },
    { "cache", CONFIG_TEXT, KEY(cache), NULL, 0, 0,
      "A directory for chunks on a disk, where there are upstreams; it is of use after "
      "a restart, too." },
    { "cache_bytes", CONFIG_SIZE, KEY(cache_bytes), "10GiB", 16 * MIB, INT64_MAX,
      "Chunks that are stored there; indexes of datasets may have a sixteenth more." },
    { "workers", CONFIG_COUNT, KEY(workers), "0", 0, 64,
      "Threads that decompress and verify; 0: one a processor, at most 4." },
    { "patience", CONFIG_TEXT, KEY(patience), "10m", 0, 0,
      "How long a client waits while no upstream responds, before its read ends with "
      "an "
      "I/O error; never: for ever." },
    { "timeout", CONFIG_DURATION, KEY(timeout_ns), "10s", 100 * NS_PER_MS,
      3600 * NS_PER_S,
      "How long an upstream that owes a response may send nothing, before it is "
      "requested "
      "of another one." },
    { "client_timeout", CONFIG_DURATION, KEY(client_timeout_ns), "1m", 100 * NS_PER_MS,
      86400 * NS_PER_S,
      "How long a client may read nothing of what it requested; a handshake may last a "
      "sixth of it." },
    { "clients_max", CONFIG_COUNT, KEY(clients_max), "1024", 1, 65536,
      "Connections of clients; a quarter of them, and one, before their handshake, and "
      "as "
      "many of one user or address." },
    { "prefetch", CONFIG_TEXT, KEY(prefetch), "yes", 0, 0,
      "What is fetched before it is read, for NBD clients and mounts: yes (what is "
      "read "
      "in order, and of a mount its inodes and its profile), sequential (the first "
      "alone), or no." },
    { "log_level", CONFIG_TEXT, KEY(log_level), "info", 0, 0,
      "error, warn, notice, info or debug." },
};

static const struct config_key job_keys[] = {
    { "server", CONFIG_TEXT, KEY(jobs.server), NULL, 0, 0,
      "The barod that records which datasets jobs had mounted: http://HOST:PORT, "
      "https://HOST:PORT or unix:PATH; without one nothing is recorded." },
    { "token_file", CONFIG_TEXT, KEY(jobs.token_file), NULL, 0, 0,
      "File with this host's token of an agent (baro token new); baro-dataset has to "
      "be "
      "able to read it." },
    { "ca_file", CONFIG_TEXT, KEY(jobs.ca_file), NULL, 0, 0,
      "PEM file of the authority that signed barod's certificate." },
    { "host", CONFIG_TEXT, KEY(jobs.host), NULL, 0, 0,
      "The name of this host, as its token has it; default: the host's name." },
    { "cluster", CONFIG_TEXT, KEY(jobs.cluster), NULL, 0, 0,
      "The cluster of its jobs; default: that of the token." },
    { "spool", CONFIG_TEXT, KEY(jobs.spool), "/var/lib/baro-dataset/jobs", 0, 0,
      "A directory for what barod has not acknowledged yet; it is made where it is "
      "missing." },
    { "spool_max", CONFIG_COUNT, KEY(jobs.spool_max), "4096", 16, 65536,
      "So many mounts at most, a quarter of them of one user, or job; more are lost, "
      "and counted." },
};

static const struct config_section sections[] = {
    { "dataset", false, keys, COUNT_OF(keys),
      "Serves datasets of a repository, or forwards them from upstreams." },
    { "jobs", false, job_keys, COUNT_OF(job_keys),
      "Of baro-dataset-agent: what jobs had mounted is reported to a barod." },
};

const struct config_section *forwarder_config_sections(size_t *ret_count)
{
    *ret_count = COUNT_OF(sections);
    return sections;
}

static int patience_parse(struct forwarder_opts *opts, struct err *err)
{
    opts->patience_ns = INT64_MAX;
    if (strcmp(opts->patience, "never") == 0)
        return 0;
    if (number_parse_duration(span_of(opts->patience), &opts->patience_ns) < 0)
        return err_set(err, EINVAL,
                       "dataset.patience: '%s' is not a duration like 10m, or never",
                       opts->patience);
    return 0;
}

static int mode_parse(struct forwarder_opts *opts, struct err *err)
{
    const char *text = opts->socket_mode;
    unsigned mode = 0;
    size_t digits = strspn(text, "01234567");
    for (size_t i = 0; i < digits && i < 4; i++)
        mode = mode * 8 + (unsigned)(text[i] - '0');
    if (digits == 0 || digits > 4 || text[digits] || mode > 0777)
        return err_set(err, EINVAL, "dataset.socket_mode: '%s' is not a mode like 0660",
                       text);
    opts->mode = (mode_t)mode;
    return 0;
}

static bool is_given(const char *text)
{
    return text && *text;
}

static int addresses_check(const char *key, const struct config_list *list,
                           struct err *err)
{
    struct address address;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        rc = err_prefix(err, address_parse(list->items[i], &address, err), "dataset.%s",
                        key);
    return rc;
}

static int munge_check(const struct forwarder_opts *opts, struct err *err)
{
    const char *munge = opts->munge;
    if (strcmp(munge, "no") == 0)
        return 0;
    if (strcmp(munge, "yes") != 0 && munge[0] != '/')
        return err_set(err, EINVAL,
                       "dataset.munge: '%s' is not yes, no, or the path of a socket",
                       munge);
    if (!identities_know_munge())
        return err_set(err, EINVAL,
                       "dataset.munge: this program was built without libmunge: set "
                       "munge = no, or build it with libmunge-dev");
    return 0;
}

static int opts_check(struct forwarder_opts *opts, struct err *err)
{
    if (is_given(opts->repository) == (opts->upstream.count > 0))
        return err_set(err, EINVAL,
                       "dataset: set either repository, or upstream, in "
                       "baro-datasetd.conf (or --set dataset.repository=DIRECTORY)");
    if (opts->upstream.count > UPSTREAMS_MAX)
        return err_set(err, EINVAL, "dataset.upstream: %zu, at most %u",
                       opts->upstream.count, UPSTREAMS_MAX);
    if (is_given(opts->cache) && !opts->upstream.count)
        return err_set(err, EINVAL, "dataset.cache: a repository is on a disk already");
    if (opts->push && !is_given(opts->repository))
        return err_set(
            err, EINVAL,
            "dataset.push: a forwarder has no repository: push to the server "
            "that has it");
    if (!is_given(opts->cache))
        opts->cache = NULL;
    if (!opts->workers) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        opts->workers = processors > 4 ? 4 : processors < 1 ? 1 : (uint64_t)processors;
    }
    return 0;
}

int forwarder_config_load(const char *path, const char *const *set, size_t set_count,
                          struct config **ret_config, struct forwarder_opts *ret,
                          struct err *err)
{
    AUTO(config_free) struct config *config = NULL;
    struct forwarder_opts opts = { 0 };
    if (!path && access(FORWARDER_CONFIG_DEFAULT, F_OK) == 0)
        path = FORWARDER_CONFIG_DEFAULT;
    int rc = path ? config_load(path, sections, COUNT_OF(sections), &config, err)
                  : config_parse("defaults", SPAN(""), sections, COUNT_OF(sections),
                                 &config, err);
    for (size_t i = 0; rc == 0 && i < set_count; i++)
        rc = config_set(config, span_of(set[i]), err);
    if (rc == 0)
        rc = config_fill(config, "dataset", NULL, &opts, err);
    if (rc == 0)
        rc = config_fill(config, "jobs", NULL, &opts, err);
    if (rc == 0)
        rc = opts_check(&opts, err);
    if (rc == 0)
        rc = patience_parse(&opts, err);
    if (rc == 0)
        rc = mode_parse(&opts, err);
    if (rc == 0 && prefetch_mode_parse(opts.prefetch, &opts.prefetch_mode) < 0)
        rc =
            err_set(err, EINVAL, "dataset.prefetch: '%s' is not yes, sequential, or no",
                    opts.prefetch);
    if (rc == 0)
        rc = addresses_check("upstream", &opts.upstream, err);
    if (rc == 0)
        rc = addresses_check("listen", &opts.listen, err);
    if (rc == 0)
        rc = addresses_check("nbd", &opts.nbd, err);
    if (rc == 0)
        rc = addresses_check("9p", &opts.ninep, err);
    if (rc == 0)
        rc = munge_check(&opts, err);
    if (rc < 0)
        return rc;
    *ret = opts;
    *ret_config = TAKE(config);
    return 0;
}
