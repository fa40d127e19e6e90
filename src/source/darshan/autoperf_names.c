/* SPDX-License-Identifier: Apache-2.0 */
/* autoperf_names - the names of the counters of AutoPerf's modules, APMPI and APXC.
 *
 * They are AutoPerf's own, in the order in which a record has them.
 */
#include "source/darshan/autoperf_names.h"

/* ---- calls of MPI: those that move bytes (S), and the others (C) ---- */

#define SIZED(call)                                                      \
    call "_CALL_COUNT", call "_TOTAL_BYTES", call "_MSG_SIZE_AGG_0_256", \
        call "_MSG_SIZE_AGG_256_1K", call "_MSG_SIZE_AGG_1K_8K",         \
        call "_MSG_SIZE_AGG_8K_256K", call "_MSG_SIZE_AGG_256K_1M",      \
        call "_MSG_SIZE_AGG_1M_PLUS"
#define COUNTED(call) call "_CALL_COUNT"
#define TIMED(call) call "_TOTAL_TIME", call "_MIN_TIME", call "_MAX_TIME"
#define SYNCED(call) call "_TOTAL_SYNC_TIME"

#define POINT_TO_POINT(S)                                                              \
    S("MPI_SEND"), S("MPI_SSEND"), S("MPI_RSEND"), S("MPI_BSEND"), S("MPI_RECV"),      \
        S("MPI_SENDRECV"), S("MPI_SENDRECV_REPLACE"), S("MPI_ISEND"), S("MPI_ISSEND"), \
        S("MPI_IRSEND"), S("MPI_IBSEND"), S("MPI_IRECV")
#define COMPLETIONS(C)                                                        \
    C("MPI_PROBE"), C("MPI_IPROBE"), C("MPI_TEST"), C("MPI_TESTANY"),         \
        C("MPI_TESTALL"), C("MPI_TESTSOME"), C("MPI_WAIT"), C("MPI_WAITANY"), \
        C("MPI_WAITALL"), C("MPI_WAITSOME")
#define COLLECTIVE(S, i)                                                             \
    S("MPI_" i "BCAST"), S("MPI_" i "GATHER"), S("MPI_" i "GATHERV"),                \
        S("MPI_" i "SCATTER"), S("MPI_" i "SCATTERV"), S("MPI_" i "SCAN"),           \
        S("MPI_" i "EXSCAN"), S("MPI_" i "ALLGATHER"), S("MPI_" i "ALLGATHERV"),     \
        S("MPI_" i "REDUCE"), S("MPI_" i "ALLREDUCE"), S("MPI_" i "REDUCE_SCATTER"), \
        S("MPI_" i "ALLTOALL"), S("MPI_" i "ALLTOALLV"), S("MPI_" i "ALLTOALLW")
#define ONE_SIDED(S) \
    S("MPI_PUT"), S("MPI_GET"), S("MPI_ACCUMULATE"), S("MPI_GET_ACCUMULATE")
#define WINDOWS(C)                                                                    \
    C("MPI_FETCH_AND_OP"), C("MPI_COMPARE_AND_SWAP"), C("MPI_WIN_FENCE"),             \
        C("MPI_WIN_START"), C("MPI_WIN_COMPLETE"), C("MPI_WIN_POST"),                 \
        C("MPI_WIN_WAIT"), C("MPI_WIN_TEST"), C("MPI_WIN_LOCK"), C("MPI_WIN_UNLOCK"), \
        C("MPI_WIN_UNLOCK_ALL"), C("MPI_WIN_FLUSH"), C("MPI_WIN_FLUSH_ALL"),          \
        C("MPI_WIN_FLUSH_LOCAL"), C("MPI_WIN_FLUSH_LOCAL_ALL"), C("MPI_WIN_SYNC")
#define CALLS(S, C)                                                         \
    POINT_TO_POINT(S), COMPLETIONS(C), C("MPI_BARRIER"), C("MPI_IBARRIER"), \
        COLLECTIVE(S, ""), COLLECTIVE(S, "I"), ONE_SIDED(S), WINDOWS(C)

const char *const darshan_apmpi_names[APMPI_COUNTERS] = { CALLS(SIZED, COUNTED) };

const char *const darshan_apmpi_f_names[APMPI_F_COUNTERS] = {
    CALLS(TIMED, TIMED),   SYNCED("MPI_BARRIER"),      COLLECTIVE(SYNCED, ""),
    "MPI_TOTAL_COMM_TIME", "MPI_TOTAL_COMM_SYNC_TIME",
};

/* ---- tiles of an Aries router: five rows to other routers, one to nodes ---- */

#define FLITS(tile, channel) "APXC_AR_RTR_" tile "_INQ_PRF_INCOMING_FLIT_VC" channel
#define TILE(tile)                                                              \
    FLITS(tile, "0"), FLITS(tile, "1"), FLITS(tile, "2"), FLITS(tile, "3"),     \
        FLITS(tile, "4"), FLITS(tile, "5"), FLITS(tile, "6"), FLITS(tile, "7"), \
        "APXC_AR_RTR_" tile "_INQ_PRF_ROWBUS_STALL_CNT"
#define NODE_TILE(tile)                                      \
    FLITS(tile, "0"), FLITS(tile, "4"),                      \
        "APXC_AR_RTR_" tile "_INQ_PRF_REQ_ROWBUS_STALL_CNT", \
        "APXC_AR_RTR_" tile "_INQ_PRF_RSP_ROWBUS_STALL_CNT"
#define ROW(T, row)                                                               \
    T(row "_0"), T(row "_1"), T(row "_2"), T(row "_3"), T(row "_4"), T(row "_5"), \
        T(row "_6"), T(row "_7")

const char *const darshan_apxc_names[APXC_COUNTERS] = {
    "APXC_GROUP",   "APXC_CHASSIS",         "APXC_BLADE",   "APXC_NODE",
    ROW(TILE, "0"), ROW(TILE, "1"),         ROW(TILE, "2"), ROW(TILE, "3"),
    ROW(TILE, "4"), ROW(NODE_TILE, "PT_5"),
};
