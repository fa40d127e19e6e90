/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_probe - the process that reads this node's parts, and ends. */
#include "agent/sampling/inventory_probe.h"

#include "base/file.h"
#include "base/options.h"
#include "base/span.h"
#include "source/inventory/inventory.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARENA_BYTES_MAX ((size_t)16 << 20)

/* Root, by an administrator's choice, stays that, and without them. */
static int capabilities_end(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &header, none) < 0)
        return errno == ENOSYS ? 0 : -errno; /* a kernel without them */
    return 0;
}

static int parts_print(const char *root, const struct inventory_dmi *dmi,
                       const char *cluster, const char *host, size_t *ret_dropped)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct node_inventory inventory = { .cluster = span_of(cluster),
                                        .host = span_of(host),
                                        .t_ns = 1 }; /* the agent sets it */
    arena_init(&arena, ARENA_BYTES_MAX);
    int rc = inventory_read(root, dmi, &arena, &inventory, ret_dropped);
    if (rc < 0)
        return rc;
    node_inventory_print(&inventory, &text);
    return strbuf_error(&text) < 0
               ? strbuf_error(&text)
               : file_write_all(STDOUT_FILENO, text.data, text.size);
}

int inventory_probe_main(int argc, char **argv)
{
    AUTO(inventory_dmi_done) struct inventory_dmi dmi = { 0 };
    size_t dropped = 0;
    if (argc != 5)
        return EXIT_USAGE;
    inventory_dmi_read(argv[2], &dmi);
    int rc = capabilities_end();
    if (rc == 0)
        rc = parts_print(argv[2], &dmi, argv[3], argv[4], &dropped);
    if (rc < 0)
        fprintf(stderr, "parts of this node: %s\n", strerror(-rc));
    else if (dropped > 0)
        fprintf(stderr, "%zu parts are left out: a node has 1,024 at most\n", dropped);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
