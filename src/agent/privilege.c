/* SPDX-License-Identifier: Apache-2.0 */
/* privilege - capabilities that are for the reading children only.
 *
 * The unit gives CAP_DAC_READ_SEARCH as an ambient capability, so that a child gets it
 * at exec.  The agent itself takes it out of its effective set: it can be handed on,
 * and is not used.
 */
#include "agent/privilege.h"

#include "agent/sampling/kernel_part.h"
#include "source/node/node.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int privilege_drop(struct err *err)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
    if (geteuid() == 0)
        return 0; /* root by the administrator's own choice */
    if (syscall(SYS_capget, &header, data) < 0)
        return 0; /* a kernel without them */
    if (!data[0].effective && !data[1].effective)
        return 0;
    data[0].effective = data[1].effective = 0;
    /* For opening the kernel's messages alone, and that is done: for no child. */
    data[CAP_TO_INDEX(CAP_SYSLOG)].permitted &= ~CAP_TO_MASK(CAP_SYSLOG);
    data[CAP_TO_INDEX(CAP_SYSLOG)].inheritable &= ~CAP_TO_MASK(CAP_SYSLOG);
    if (syscall(SYS_capset, &header, data) < 0)
        return err_set(err, errno, "capabilities cannot be set aside: %s",
                       strerror(errno));
    return 0;
}

/* Without it the sampler opens what it can. */
static void energy_open(struct agent_opts *opts)
{
    unsigned sources = 0;
    if (node_opts_sources(&opts->node, &sources, NULL) == 0 && (sources & NODE_RAPL))
        (void)node_energy_open(opts->root ? opts->root : "", &opts->node.energy);
}

void agent_drop_privilege(struct agent_opts *opts, const struct agent_report *report)
{
    struct err err = { 0 };
    kernel_messages_open(opts);
    energy_open(opts);
    if (privilege_drop(&err) < 0)
        agent_report(report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE, "%s", err.text);
}
