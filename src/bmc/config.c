/* SPDX-License-Identifier: Apache-2.0 */
/* config - baro-bmc.conf: the sections [poller], [bmc NAME] and [storage NAME]. */
#include "bmc/config.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "bmc/box/storage_section.h"
#include "bmc/credentials.h"

#include <stddef.h>
#include <strings.h>

#define POLLER(name) offsetof(struct bmc_poller_opts, name)
static const struct config_key poller_keys[] = {
    { "server", CONFIG_TEXT, POLLER(server), "unix:/run/barograph/barod.sock", 0, 0,
      "The barod that is sent what BMCs report." },
    { "token_file", CONFIG_TEXT, POLLER(token_file), "", 0, 0,
      "File of its token: of role agent, without a host." },
    { "ca_file", CONFIG_TEXT, POLLER(ca_file), "", 0, 0,
      "PEM file of the authority that signed barod's certificate." },
    { "state", CONFIG_TEXT, POLLER(state), "/var/lib/baro-bmc", 0, 0,
      "Directory of what was read of each log." },
    { "in_flight", CONFIG_COUNT, POLLER(in_flight), "64", 1, 1024,
      "So many BMCs are read at a time, at most; a thread each." },
    { "backoff_max", CONFIG_DURATION, POLLER(backoff_max_ns), "15m", NS_PER_S,
      86400 * NS_PER_S,
      "One that does not respond is read half as often each time, down to this." },
    { "report_interval", CONFIG_DURATION, POLLER(report_interval_ns), "10m", NS_PER_S,
      86400 * NS_PER_S, "How often a line of the log has the counters." },
    { "events", CONFIG_BOOL, POLLER(sends_events), "yes", 0, 0,
      "Whether entries of logs become events of barod's session; barod needs [session] "
      "for that." },
};

#define BMC(name) offsetof(struct bmc_section, name)
static const struct config_key bmc_keys[] = {
    { "cluster", CONFIG_TEXT, BMC(cluster), "", 0, 0,
      "The cluster of the hosts, as barod knows them." },
    { "host", CONFIG_TEXT, BMC(host), "", 0, 0,
      "The hosts that the BMCs belong to: a set, a[0001-0512]." },
    { "address", CONFIG_TEXT, BMC(address), "", 0, 0,
      "Where their BMCs are: HOST[:PORT] with %h for the host's name, or a set of as "
      "many." },
    { "protocol", CONFIG_TEXT, BMC(protocol_name), "redfish", 0, 0,
      "redfish or ipmi." },
    { "credentials", CONFIG_TEXT, BMC(credentials), "", 0, 0,
      "File of mode 0600: the user's name in its first line, the password in its "
      "second." },
    { "ca_file", CONFIG_TEXT, BMC(ca_file), "", 0, 0,
      "PEM file of the authority that signed the BMCs' certificates; empty: the "
      "system's." },
    { "verify", CONFIG_BOOL, BMC(is_verified), "yes", 0, 0,
      "no: accept any certificate; the log states so." },
    { "system", CONFIG_TEXT, BMC(system), "", 0, 0,
      "Redfish: which of a BMC's systems is the host, by its id, with %h for the "
      "host's name; empty: its only one." },
    { "cipher", CONFIG_COUNT, BMC(cipher), "17", 3, 17,
      "IPMI: the cipher suite; 17 is the strongest, 3 what old BMCs have." },
    { "interval", CONFIG_DURATION, BMC(interval_ns), "60s", NS_PER_S, 86400 * NS_PER_S,
      "How often each of them is read." },
    { "timeout", CONFIG_DURATION, BMC(timeout_ns), "20s", 100 * NS_PER_MS,
      300 * NS_PER_S, "Time limit of all requests of one reading together." },
    { "sensors", CONFIG_BOOL, BMC(reads_sensors), "yes", 0, 0,
      "Redfish: whether temperatures, fans and power are read." },
    { "log", CONFIG_BOOL, BMC(reads_log), "yes", 0, 0,
      "Whether the log of events is read." },
};

const struct config_section bmc_config_sections[] = {
    { "poller", false, poller_keys, COUNT_OF(poller_keys),
      "How BMCs are read, and where to what they report is sent." },
    { "bmc", true, bmc_keys, COUNT_OF(bmc_keys),
      "BMCs of a set of hosts that are read in one manner." },
    { "storage", true, storage_keys, COUNT_OF_STORAGE_KEYS,
      "Storage boxes, as RAID controllers, JBODs, filers and switches, that are read "
      "in "
      "one manner." },
};
const size_t bmc_config_section_count = COUNT_OF(bmc_config_sections);

/* ---- sections ---- */

static int section_check(struct bmc_section *section, struct err *err)
{
    if (strcmp(section->protocol_name, "ipmi") == 0)
        section->protocol = BMC_IPMI;
    else if (strcmp(section->protocol_name, "redfish") != 0)
        return err_set(err, EINVAL,
                       "protocol: invalid value '%s' (choose redfish, ipmi)",
                       section->protocol_name);
    if (!section->cluster[0])
        return err_set(err, EINVAL, "cluster: a name is wanted");
    if (!section->host[0])
        return err_set(err, EINVAL, "host: a set of hosts is wanted");
    if (!section->address[0])
        return err_set(err, EINVAL, "address: is wanted, such as %%h-bmc");
    if (section->cipher != 3 && section->cipher != 8 && section->cipher != 12 &&
        section->cipher != 17)
        return err_set(err, EINVAL, "cipher: one of 3, 8, 12, 17 is wanted");
    return bmc_credentials_read(section, err);
}

static int section_load(struct bmc_config *c, const char *kind, size_t index,
                        struct bmc_section *section, struct err *err)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    bool is_storage = strcmp(kind, "storage") == 0;
    section->kind = kind;
    section->name = config_name(c->file, kind, index);
    int rc = config_fill(c->file, kind, section->name, section, err);
    if (rc == 0)
        rc = is_storage ? storage_section_check(section, err)
                        : section_check(section, err);
    if (rc == 0)
        rc = bmc_targets_add(section, &c->targets, &c->target_count, err);
    if (rc == 0)
        return 0;
    config_print_key_line(c->file, kind, section->name, "host", &line);
    return err_prefix(err, rc, "%s: [%s %s]", strbuf_text(&line), kind, section->name);
}

/* A host with two BMCs would have two healths of one source; so would a box. */
static int hosts_check(const struct bmc_config *c, struct err *err)
{
    AUTO(hashmap_done) struct hashmap hosts = HASHMAP_INIT;
    for (size_t i = 0; i < c->target_count; i++) {
        bool is_new = false;
        if (!hashmap_put(&hosts, span_of(c->targets[i].component), &is_new))
            return err_set(err, ENOMEM, "out of memory");
        if (!is_new)
            return err_set(err, EINVAL, "[%s %s]: host: %s has a BMC already",
                           c->targets[i].section->kind, c->targets[i].section->name,
                           c->targets[i].component);
    }
    return c->target_count > 0
               ? 0
               : err_set(err, EINVAL, "there is no [bmc NAME], nor [storage NAME]");
}

static int sections_load(struct bmc_config *c, struct err *err)
{
    int rc = config_fill(c->file, "poller", NULL, &c->poller, err);
    size_t bmcs = config_name_count(c->file, "bmc");
    size_t boxes = config_name_count(c->file, "storage");
    c->section_count = bmcs + boxes;
    c->sections = calloc(c->section_count + 1, sizeof *c->sections);
    if (!c->sections)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < bmcs && rc == 0; i++)
        rc = section_load(c, "bmc", i, &c->sections[i], err);
    for (size_t i = 0; i < boxes && rc == 0; i++)
        rc = section_load(c, "storage", i, &c->sections[bmcs + i], err);
    return rc < 0 ? rc : hosts_check(c, err);
}

int bmc_config_load(const char *path, const struct option_list *set,
                    struct bmc_config *ret, struct err *err)
{
    AUTO(bmc_config_done) struct bmc_config c = { 0 };
    int rc =
        config_load(path, bmc_config_sections, bmc_config_section_count, &c.file, err);
    for (size_t i = 0; set && i < set->count && rc == 0; i++)
        rc = config_set(c.file, span_of(set->items[i]), err);
    if (rc == 0)
        rc = sections_load(&c, err);
    if (rc < 0)
        return rc;
    *ret = c;
    memset(&c, 0, sizeof c);
    return 0;
}

void bmc_config_done(struct bmc_config *c)
{
    bmc_targets_free(c->targets, c->target_count);
    for (size_t i = 0; i < c->section_count && c->sections; i++) {
        bmc_credentials_done(&c->sections[i]);
        storage_section_done(&c->sections[i]);
    }
    free(c->sections);
    config_free(c->file);
    memset(c, 0, sizeof *c);
}
