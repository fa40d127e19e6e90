/* SPDX-License-Identifier: Apache-2.0 */
/* allocation - on which hosts a session's nodes run, and how they are started. */
#include "jobsession/allocation.h"

#include "base/span.h"
#include "jobsession/own_session.h"

#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

#define SIZE_MAX_LOCAL 1024
#define LAUNCH_DEFAULT "ssh -o BatchMode=yes"

static bool is_resolved(const char *host)
{
    struct addrinfo *list = NULL;
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    if (getaddrinfo(host, NULL, &hints, &list) != 0)
        return false;
    freeaddrinfo(list);
    return true;
}

/* The first address that is not of the loopback, as numbers. */
static bool find_address(char *host, size_t size)
{
    struct ifaddrs *list = NULL;
    bool is_found = false;
    if (getifaddrs(&list) < 0)
        return false;
    for (const struct ifaddrs *at = list; at && !is_found; at = at->ifa_next)
        is_found = at->ifa_addr && at->ifa_addr->sa_family == AF_INET &&
                   !(at->ifa_flags & IFF_LOOPBACK) && at->ifa_flags & IFF_UP &&
                   getnameinfo(at->ifa_addr, sizeof(struct sockaddr_in), host,
                               (socklen_t)size, NULL, 0, NI_NUMERICHOST) == 0;
    freeifaddrs(list);
    return is_found;
}

static int find_host(const struct own_session_opts *opts, struct allocation *ret,
                     struct err *err)
{
    ret->listen = "0.0.0.0";
    if (opts->address) {
        (void)snprintf(ret->host, sizeof ret->host, "%s", opts->address);
        return 0;
    }
    if (gethostname(ret->host, sizeof ret->host - 1) == 0 && is_resolved(ret->host))
        return 0;
    return find_address(ret->host, sizeof ret->host)
               ? 0
               : err_set(err, EINVAL,
                         "this machine's name cannot be resolved: give the nodes its "
                         "address by --address");
}

static int find_local(const struct own_session_opts *opts, struct allocation *ret,
                      struct err *err)
{
    char text[48];
    if (opts->size > SIZE_MAX_LOCAL)
        return err_set(err, EINVAL, "--size: at most %d", SIZE_MAX_LOCAL);
    (void)snprintf(text, sizeof text, "rank[1-%llu]", (unsigned long long)opts->size);
    (void)snprintf(ret->host, sizeof ret->host, "127.0.0.1");
    ret->listen = "127.0.0.1";
    ret->launch.kind = LAUNCH_LOCAL;
    return hostset_parse(span_of(text), &ret->hosts, err);
}

int allocation_find(const struct own_session_opts *opts, struct allocation *ret,
                    struct err *err)
{
    AUTO(allocation_done) struct allocation found = { .hosts = NULL };
    const char *nodes = getenv("SLURM_JOB_NODELIST");
    bool is_allocated = nodes && *nodes;
    const char *hosts = opts->hosts ? opts->hosts : is_allocated ? nodes : NULL;
    int rc;
    if (opts->size > 0) {
        rc = find_local(opts, &found, err);
    } else if (!hosts) {
        return err_set(
            err, EINVAL,
            "this is in no allocation of Slurm: give --hosts SET or --size N");
    } else {
        rc = hostset_parse(span_of(hosts), &found.hosts, err);
        rc = rc < 0 ? err_prefix(err, rc, "--hosts") : find_host(opts, &found, err);
        found.launch.kind = is_allocated && !opts->launch ? LAUNCH_SRUN : LAUNCH_REMOTE;
        found.launch.command = opts->launch ? opts->launch : LAUNCH_DEFAULT;
    }
    if (rc < 0)
        return rc;
    found.launch.hosts = found.hosts;
    *ret = found;
    found.hosts = NULL;
    return 0;
}

void allocation_done(struct allocation *allocation)
{
    hostset_free(allocation->hosts);
    allocation->hosts = NULL;
}
