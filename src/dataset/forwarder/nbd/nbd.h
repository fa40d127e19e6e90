/* SPDX-License-Identifier: Apache-2.0 */
/* nbd - numbers of the NBD protocol, as its proto.md has them; big endian. */
#ifndef DATASET_FORWARDER_NBD_H
#define DATASET_FORWARDER_NBD_H

#include <stdint.h>

#define NBD_MAGIC UINT64_C(0x4e42444d41474943)
#define NBD_OPTION_MAGIC UINT64_C(0x49484156454F5054)
#define NBD_OPTION_REPLY_MAGIC UINT64_C(0x0003e889045565a9)
#define NBD_REQUEST_MAGIC UINT32_C(0x25609513)
#define NBD_SIMPLE_REPLY_MAGIC UINT32_C(0x67446698)
#define NBD_STRUCTURED_REPLY_MAGIC UINT32_C(0x668e33ef)

#define NBD_FLAG_FIXED_NEWSTYLE 1U /* of the handshake, of server and client */
#define NBD_FLAG_NO_ZEROES 2U

enum nbd_option_code {
    NBD_OPT_EXPORT_NAME = 1,
    NBD_OPT_ABORT = 2,
    NBD_OPT_LIST = 3,
    NBD_OPT_INFO = 6,
    NBD_OPT_GO = 7,
    NBD_OPT_STRUCTURED_REPLY = 8,
};

#define NBD_REP_ACK UINT32_C(1)
#define NBD_REP_SERVER UINT32_C(2)
#define NBD_REP_INFO UINT32_C(3)
#define NBD_REP_ERR_UNSUP UINT32_C(0x80000001)
#define NBD_REP_ERR_POLICY UINT32_C(0x80000002)
#define NBD_REP_ERR_INVALID UINT32_C(0x80000003)
#define NBD_REP_ERR_UNKNOWN UINT32_C(0x80000006)
#define NBD_REP_ERR_SHUTDOWN UINT32_C(0x80000007)
#define NBD_REP_ERR_TOO_BIG UINT32_C(0x80000009)

#define NBD_INFO_EXPORT 0U
#define NBD_INFO_NAME 1U
#define NBD_INFO_BLOCK_SIZE 3U

/* Of an export: flags, read-only, flush, FUA, DF, several connections, cache. */
#define NBD_EXPORT_FLAGS \
    (1U << 0 | 1U << 1 | 1U << 2 | 1U << 3 | 1U << 7 | 1U << 8 | 1U << 10)

enum nbd_command {
    NBD_CMD_READ = 0,
    NBD_CMD_WRITE = 1,
    NBD_CMD_DISC = 2,
    NBD_CMD_FLUSH = 3,
    NBD_CMD_TRIM = 4,
    NBD_CMD_CACHE = 5,
    NBD_CMD_WRITE_ZEROES = 6,
};

#define NBD_CMD_FLAG_FUA 1U
#define NBD_CMD_FLAG_DF 4U

#define NBD_REPLY_FLAG_DONE 1U
#define NBD_REPLY_NONE 0U
#define NBD_REPLY_OFFSET_DATA 1U
#define NBD_REPLY_ERROR 0x8001U

enum nbd_error {
    NBD_EPERM = 1,
    NBD_EIO = 5,
    NBD_ENOMEM = 12,
    NBD_EINVAL = 22,
    NBD_EOVERFLOW = 75,
};

#define NBD_BLOCK_MIN 1U
#define NBD_BLOCK_PREFERRED (UINT32_C(64) << 10)
#define NBD_BLOCK_MAX (UINT32_C(32) << 20)

static inline uint16_t nbd_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t nbd_u32(const uint8_t *p)
{
    return (uint32_t)nbd_u16(p) << 16 | nbd_u16(p + 2);
}

static inline uint64_t nbd_u64(const uint8_t *p)
{
    return (uint64_t)nbd_u32(p) << 32 | nbd_u32(p + 4);
}

static inline void nbd_put_u16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

static inline void nbd_put_u32(uint8_t *p, uint32_t value)
{
    nbd_put_u16(p, (uint16_t)(value >> 16));
    nbd_put_u16(p + 2, (uint16_t)value);
}

static inline void nbd_put_u64(uint8_t *p, uint64_t value)
{
    nbd_put_u32(p, (uint32_t)(value >> 32));
    nbd_put_u32(p + 4, (uint32_t)value);
}

#endif
