/* SPDX-License-Identifier: Apache-2.0 */
/* target - one BMC or storage box: its host, where it is, how it is read. */
#include "bmc/target.h"

#include "base/span.h"
#include "base/strbuf.h"
#include "model/model.h"

const char *bmc_protocol_name(enum bmc_protocol protocol)
{
    static const char *const names[] = { "redfish", "ipmi", "snmp", "rest" };
    return names[protocol];
}

/* Letters, digits and what names, addresses and ports are made of; an option of a
 * program it must not be. */
static bool is_address(const char *address)
{
    struct span text = span_of(address);
    if (text.size == 0 || text.size > 255 || text.data[0] == '-')
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                    ".-_:[]",
                    text.data[i]))
            return false;
    return true;
}

static int address_check(const char *address, struct err *err)
{
    return is_address(address) ? 0
                               : err_set(err, EINVAL,
                                         "address: '%.100s' is not HOST[:PORT]; TLS is "
                                         "always spoken",
                                         address);
}

/* %h is the host's name. */
static void pattern_print(const char *pattern, const char *host, struct strbuf *out)
{
    for (const char *at = pattern; *at; at++) {
        if (at[0] == '%' && at[1] == 'h') {
            strbuf_adds(out, host);
            at++;
        } else {
            strbuf_addc(out, *at);
        }
    }
}

static int target_make(const struct bmc_section *section, const char *host,
                       const char *address, struct bmc_target *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    const struct component component = { .cluster = span_of(section->cluster),
                                         .host = span_of(host) };
    component_print(&path, &component);
    ret->section = section;
    ret->host = span_dup(span_of(host));
    ret->address = span_dup(span_of(address));
    ret->component = strbuf_error(&path) < 0 ? NULL : span_dup(strbuf_span(&path));
    if (!ret->host || !ret->address || !ret->component)
        return err_set(err, ENOMEM, "out of memory");
    return address_check(address, err);
}

static int addresses_parse(const struct bmc_section *section, size_t host_count,
                           struct hostset **ret, struct err *err)
{
    if (strstr(section->address, "%h"))
        return 0;
    int rc = hostset_parse(span_of(section->address), ret, err);
    if (rc < 0)
        return err_prefix(err, rc, "address");
    if (hostset_count(*ret) == host_count)
        return 0;
    return err_set(err, EINVAL, "address: is a set of %zu, and host one of %zu",
                   hostset_count(*ret), host_count);
}

static int targets_grow(struct bmc_target **targets, size_t count, size_t more,
                        struct err *err)
{
    if (count + more > BMC_TARGETS_MAX)
        return err_set(err, E2BIG, "host: more than %d BMCs and boxes",
                       BMC_TARGETS_MAX);
    struct bmc_target *grown = reallocarray(*targets, count + more + 1, sizeof *grown);
    if (!grown)
        return err_set(err, ENOMEM, "out of memory");
    memset(grown + count, 0, (more + 1) * sizeof *grown);
    *targets = grown;
    return 0;
}

int bmc_targets_add(const struct bmc_section *section, struct bmc_target **targets,
                    size_t *count, struct err *err)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    AUTO(hostset_free) struct hostset *addresses = NULL;
    int rc = hostset_parse(span_of(section->host), &hosts, err);
    if (rc < 0)
        return err_prefix(err, rc, "host");
    size_t more = hostset_count(hosts);
    rc = addresses_parse(section, more, &addresses, err);
    if (rc == 0)
        rc = targets_grow(targets, *count, more, err);
    for (size_t i = 0; i < more && rc == 0; i++) {
        AUTO(strbuf_done) struct strbuf address = STRBUF_INIT;
        const char *host = hostset_at(hosts, i);
        pattern_print(addresses ? hostset_at(addresses, i) : section->address, host,
                      &address);
        rc =
            target_make(section, host, strbuf_text(&address), &(*targets)[*count], err);
        (*count)++; /* what is half made is freed, too */
    }
    return rc;
}

void bmc_targets_free(struct bmc_target *targets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(targets[i].host);
        free(targets[i].component);
        free(targets[i].address);
    }
    free(targets);
}
