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
};

const struct lmt_measure_info *lmt_measure_info(enum lmt_measure measure)
{
    return &infos[measure];
}
