/* SPDX-License-Identifier: Apache-2.0 */
/* measure - what the servers of a file system measure, and what each format calls it.
 */
#include "source/lmt/measure.h"

#include <stddef.h>

#define OLD_OPS "MDSOpsGroup/MDSOpsDataSet"
#define OP(op, rates)                                                        \
    {                                                                        \
        LMT_COUNT, "mdtargets", op "s", rates, "ops", op, OLD_OPS, "OpNames" \
    }

/* What other formats do not have. */
#define OF(kind, group, name, rates, unit)               \
    {                                                    \
        kind, group, name, rates, unit, NULL, NULL, NULL \
    }

static const struct lmt_measure_info infos[LMT_MEASURES] = {
    [LMT_READ_BYTES] = { LMT_COUNT, "datatargets", "readbytes", "readrates", "bytes",
                         NULL, "OSTReadGroup/OSTBulkReadDataSet", "OSTNames" },
    [LMT_WRITE_BYTES] = { LMT_COUNT, "datatargets", "writebytes", "writerates", "bytes",
                          NULL, "OSTWriteGroup/OSTBulkWriteDataSet", "OSTNames" },
    [LMT_READ_OPS] = { LMT_COUNT, "datatargets", "readops", "readoprates", "ops", NULL,
                       NULL, NULL },
    [LMT_WRITE_OPS] = { LMT_COUNT, "datatargets", "writeops", "writeoprates", "ops",
                        NULL, NULL, NULL },
    [LMT_OPENS] = OP("open", "openrates"),
    [LMT_CLOSES] = OP("close", "closerates"),
    [LMT_MKNODS] = OP("mknod", "mknodrates"),
    [LMT_LINKS] = OP("link", "linkrates"),
    [LMT_UNLINKS] = OP("unlink", "unlinkrates"),
    [LMT_MKDIRS] = OP("mkdir", "mkdirrates"),
    [LMT_RMDIRS] = OP("rmdir", "rmdirrates"),
    [LMT_RENAMES] = OP("rename", "renamerates"),
    [LMT_GETXATTRS] = OP("getxattr", "getxattrrates"),
    [LMT_STATFSS] = OP("statfs", "statfsrates"),
    [LMT_SETATTRS] = OP("setattr", "setattrrates"),
    [LMT_GETATTRS] = OP("getattr", "getattrrates"),
    [LMT_OSS_CPU] = { LMT_GAUGE, "dataservers", "cpuload", NULL, "%", NULL,
                      "OSSCPUGroup/OSSCPUDataSet", "OSSNames" },
    [LMT_OSS_MEMORY] = { LMT_GAUGE, "dataservers", "memused", NULL, "%", NULL, NULL,
                         NULL },
    [LMT_MDS_CPU] = { LMT_GAUGE, "mdservers", "cpuload", NULL, "%", NULL,
                      "MDSCPUGroup/MDSCPUDataSet", NULL },
    [LMT_USED_BYTES] = { LMT_GAUGE, "fullness", "bytes", NULL, "bytes", NULL, NULL,
                         NULL },
    [LMT_TOTAL_BYTES] = { LMT_GAUGE, "fullness", "bytestotal", NULL, "bytes", NULL,
                          NULL, NULL },
    [LMT_USED_INODES] = { LMT_GAUGE, "fullness", "inodes", NULL, "inodes", NULL, NULL,
                          NULL },
    [LMT_TOTAL_INODES] = { LMT_GAUGE, "fullness", "inodestotal", NULL, "inodes", NULL,
                           NULL, NULL },
    [LMT_OSS_CPU_USER] = OF(LMT_GAUGE, "dataservers", "cpuuser", NULL, "%"),
    [LMT_OSS_CPU_SYSTEM] = OF(LMT_GAUGE, "dataservers", "cpusys", NULL, "%"),
    [LMT_OSS_MEMORY_TOTAL] = OF(LMT_GAUGE, "dataservers", "memtotal", NULL, "bytes"),
    [LMT_OSS_MEMORY_FREE] = OF(LMT_GAUGE, "dataservers", "memfree", NULL, "bytes"),
    [LMT_OSS_NET_IN] = OF(LMT_COUNT, "dataservers", "netinbytes", NULL, "bytes"),
    [LMT_OSS_NET_OUT] = OF(LMT_COUNT, "dataservers", "netoutbytes", NULL, "bytes"),
    [LMT_ROUTER_BYTES] = OF(LMT_COUNT, "routers", "bytes", NULL, "bytes"),
    [LMT_CLIENT_READ_BYTES] =
        OF(LMT_COUNT, "clients", "readbytes", "readrates", "bytes"),
    [LMT_CLIENT_WRITE_BYTES] =
        OF(LMT_COUNT, "clients", "writebytes", "writerates", "bytes"),
    [LMT_CLIENT_READ_OPS] = OF(LMT_COUNT, "clients", "readops", "readoprates", "ops"),
    [LMT_CLIENT_WRITE_OPS] =
        OF(LMT_COUNT, "clients", "writeops", "writeoprates", "ops"),
    [LMT_CLIENT_OPENS] = OF(LMT_COUNT, "clients", "opens", "openrates", "ops"),
    [LMT_CLIENT_CLOSES] = OF(LMT_COUNT, "clients", "closes", "closerates", "ops"),
    [LMT_CLIENT_READDIRS] = OF(LMT_COUNT, "clients", "readdirs", "readdirrates", "ops"),
    [LMT_CLIENT_INODE_UPDATES] =
        OF(LMT_COUNT, "clients", "inodeupdates", "inodeupdaterates", "ops"),
};

const struct lmt_measure_info *lmt_measure_info(enum lmt_measure measure)
{
    return &infos[measure];
}
