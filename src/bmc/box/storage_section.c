/* SPDX-License-Identifier: Apache-2.0 */
/* storage_section - [storage NAME]: its keys, and whether they are right. */
#include "bmc/box/storage_section.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "bmc/box/snmp.h"
#include "bmc/credentials.h"

#include <stddef.h>

#define STORAGE(name) offsetof(struct bmc_section, name)
const struct config_key storage_keys[COUNT_OF_STORAGE_KEYS] = {
    { "cluster", CONFIG_TEXT, STORAGE(cluster), "", 0, 0,
      "The cluster that they are components of." },
    { "host", CONFIG_TEXT, STORAGE(host), "", 0, 0,
      "The boxes' names as components: a set, jbod[1-8]." },
    { "address", CONFIG_TEXT, STORAGE(address), "", 0, 0,
      "Where they are: HOST[:PORT] with %h for the box's name, or a set of as many." },
    { "protocol", CONFIG_TEXT, STORAGE(protocol_name), "snmp", 0, 0, "snmp or rest." },
    { "mapping", CONFIG_LIST, STORAGE(mapping_paths), NULL, 0, 0,
      "File of what they have and what it means, see baro-bmc.conf(5); may be "
      "repeated." },
    { "credentials", CONFIG_TEXT, STORAGE(credentials), "", 0, 0,
      "File of mode 0600, a line each: name and password; of SNMP 3 those of "
      "authentication and of privacy; of SNMP 2c the community alone." },
    { "version", CONFIG_TEXT, STORAGE(version_name), "3", 0, 0,
      "SNMP: 3, always authenticated and encrypted, or 2c, which is neither." },
    { "auth", CONFIG_TEXT, STORAGE(auth_name), "sha256", 0, 0,
      "SNMP 3: sha512, sha256, or sha1 of old boxes." },
    { "privacy", CONFIG_TEXT, STORAGE(privacy_name), "aes128", 0, 0,
      "SNMP 3: aes128, or aes256 where a box has it." },
    { "ca_file", CONFIG_TEXT, STORAGE(ca_file), "", 0, 0,
      "REST: PEM file of the authority that signed the boxes' certificates; empty: the "
      "system's." },
    { "verify", CONFIG_BOOL, STORAGE(is_verified), "yes", 0, 0,
      "REST: no: accept any certificate; the log states so." },
    { "interval", CONFIG_DURATION, STORAGE(interval_ns), "60s", NS_PER_S,
      86400 * NS_PER_S, "How often each of them is read." },
    { "timeout", CONFIG_DURATION, STORAGE(timeout_ns), "20s", 100 * NS_PER_MS,
      300 * NS_PER_S, "Time limit of all requests of one reading together." },
};

static int choice_check(const char *key, const char *value, const char *const *choices,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf all = STRBUF_INIT;
    for (size_t i = 0; choices[i]; i++) {
        if (strcmp(value, choices[i]) == 0)
            return 0;
        strbuf_addf(&all, "%s%s", i > 0 ? ", " : "", choices[i]);
    }
    return err_set(err, EINVAL, "%s: invalid value '%.60s' (choose %s)", key, value,
                   strbuf_text(&all));
}

static int choices_check(const struct bmc_section *section, struct err *err)
{
    static const char *const protocols[] = { "snmp", "rest", NULL };
    static const char *const versions[] = { "3", "2c", NULL };
    static const char *const auths[] = { "sha512", "sha256", "sha1", NULL };
    static const char *const privacies[] = { "aes128", "aes256", NULL };
    int rc = choice_check("protocol", section->protocol_name, protocols, err);
    if (rc == 0)
        rc = choice_check("version", section->version_name, versions, err);
    if (rc == 0)
        rc = choice_check("auth", section->auth_name, auths, err);
    if (rc == 0)
        rc = choice_check("privacy", section->privacy_name, privacies, err);
    return rc;
}

static int mappings_load(struct bmc_section *section, enum box_mapping_kind kind,
                         struct err *err)
{
    size_t count = section->mapping_paths.count;
    if (count == 0 || count > STORAGE_MAPPINGS_MAX)
        return err_set(err, EINVAL, "from 1 to %d files are wanted",
                       STORAGE_MAPPINGS_MAX);
    section->mappings = calloc(count, sizeof *section->mappings);
    if (!section->mappings)
        return err_set(err, ENOMEM, "out of memory");
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = box_mapping_load(section->mapping_paths.items[i], kind,
                              &section->mappings[i], err);
    return rc;
}

int storage_section_check(struct bmc_section *section, struct err *err)
{
    int rc = choices_check(section, err);
    if (rc < 0)
        return rc;
    bool is_rest = strcmp(section->protocol_name, "rest") == 0;
    section->protocol = is_rest ? BMC_REST : BMC_SNMP;
    if (!section->cluster[0])
        return err_set(err, EINVAL, "cluster: a name is wanted");
    if (!section->host[0])
        return err_set(err, EINVAL, "host: a set of names is wanted");
    if (!section->address[0])
        return err_set(err, EINVAL, "address: is wanted, such as %%h-mgmt");
    if (!is_rest)
        rc = box_snmp_check(err);
    if (rc < 0)
        return rc;
    rc = mappings_load(section, is_rest ? MAPPING_REST : MAPPING_SNMP, err);
    return rc < 0 ? err_prefix(err, rc, "mapping") : bmc_credentials_read(section, err);
}

void storage_section_done(struct bmc_section *section)
{
    for (size_t i = 0; section->mappings && i < section->mapping_paths.count; i++)
        box_mapping_done(&section->mappings[i]);
    free(section->mappings);
    section->mappings = NULL;
}
