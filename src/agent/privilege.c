/* SPDX-License-Identifier: Apache-2.0 */
/* privilege - capabilities that are for the reading children only.
 *
 * The unit gives CAP_DAC_READ_SEARCH as an ambient capability, so that a child gets it
 * at exec.  The agent itself takes it out of its effective set: it can be handed on,
 * and is not used.
 */
#include "agent/agent.h"
#include "base/log.h"

#include <linux/capability.h>
#include <sys/syscall.h>

void agent_drop_privilege(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
    if (geteuid() == 0)
        return; /* root by the administrator's own choice */
    if (syscall(SYS_capget, &header, data) < 0)
        return;
    if (!data[0].effective && !data[1].effective)
        return;
    data[0].effective = data[1].effective = 0;
    if (syscall(SYS_capset, &header, data) < 0)
        log_warn("capabilities cannot be put aside: %s", strerror(errno));
}
