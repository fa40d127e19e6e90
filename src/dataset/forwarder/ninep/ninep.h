/* SPDX-License-Identifier: Apache-2.0 */
/* ninep - 9P2000.L, as far as this door has it (doc/formats/9p.md).
 *
 *     message   size u32 (of all of it), type u8, tag u16, body
 *     string    size u16, bytes            qid   type u8, version u32, path u64
 *
 * Little endian.  A response has the type of its request and one.
 */
#ifndef DATASET_FORWARDER_NINEP_H
#define DATASET_FORWARDER_NINEP_H

#include <stdint.h>

#define NINEP_HEAD_SIZE 7U
#define NINEP_READ_HEAD_SIZE 11U
#define NINEP_IO_SIZE 24U /* what messages with data have beside it, at most */
#define NINEP_MSIZE_MIN 4096U
#define NINEP_MSIZE_MAX ((UINT32_C(256) << 10) + NINEP_IO_SIZE)
/* Of a request; what is longer can only be one to write, and is not read. */
#define NINEP_REQUEST_MAX 8192U
#define NINEP_NAMES_MAX 16U
#define NINEP_QID_SIZE 13U
#define NINEP_NO_TAG UINT16_MAX
#define NINEP_NO_FID UINT32_MAX
#define NINEP_NO_USER UINT32_MAX
#define NINEP_VERSION "9P2000.L"

enum ninep_type {
    NINEP_RLERROR = 7,
    NINEP_TSTATFS = 8,
    NINEP_TLOPEN = 12,
    NINEP_TLCREATE = 14,
    NINEP_TSYMLINK = 16,
    NINEP_TMKNOD = 18,
    NINEP_TRENAME = 20,
    NINEP_TREADLINK = 22,
    NINEP_TGETATTR = 24,
    NINEP_TSETATTR = 26,
    NINEP_TXATTRWALK = 30,
    NINEP_TXATTRCREATE = 32,
    NINEP_TREADDIR = 40,
    NINEP_TFSYNC = 50,
    NINEP_TLOCK = 52,
    NINEP_TGETLOCK = 54,
    NINEP_TLINK = 70,
    NINEP_TMKDIR = 72,
    NINEP_TRENAMEAT = 74,
    NINEP_TUNLINKAT = 76,
    NINEP_TVERSION = 100,
    NINEP_TAUTH = 102,
    NINEP_TATTACH = 104,
    NINEP_TFLUSH = 108,
    NINEP_TWALK = 110,
    NINEP_TREAD = 116,
    NINEP_TWRITE = 118,
    NINEP_TCLUNK = 120,
    NINEP_TREMOVE = 122,
};

/* Kinds of a qid. */
#define NINEP_QID_DIRECTORY 0x80U
#define NINEP_QID_AUTH 0x08U
#define NINEP_QID_FILE 0x00U

/* Numbers of errors are those of Linux, on every host. */
enum ninep_error {
    NINEP_EPERM = 1,
    NINEP_ENOENT = 2,
    NINEP_EIO = 5,
    NINEP_EBADF = 9,
    NINEP_EAGAIN = 11,
    NINEP_ENOMEM = 12,
    NINEP_EACCES = 13,
    NINEP_ENOTDIR = 20,
    NINEP_EISDIR = 21,
    NINEP_EINVAL = 22,
    NINEP_EMFILE = 24,
    NINEP_EFBIG = 27,
    NINEP_EROFS = 30,
    NINEP_EPROTO = 71,
    NINEP_ENOTSUP = 95,
    NINEP_ETIMEDOUT = 110,
};

/* Flags of Tlopen that are for who writes: access mode, create, truncate, append. */
#define NINEP_OPEN_WRITES (03U | 0100U | 01000U | 02000U)

#endif
