/* SPDX-License-Identifier: Apache-2.0 */
/* status - what HTTP statuses mean, in words. */
#include "net/status.h"

#include "base/cleanup.h"

static const struct {
    unsigned status;
    const char *reason; /* of RFC 9110; 413 as net/http of Go has it */
    const char *title;  /* of our problems */
} statuses[] = {
    { 400, "Bad Request", "Bad request" },
    { 401, "Unauthorized", "Not authenticated" },
    { 403, "Forbidden", "Not allowed" },
    { 404, "Not Found", "Not found" },
    { 405, "Method Not Allowed", "Not with this method" },
    { 408, "Request Timeout", "Too slow" },
    { 409, "Conflict", "Conflict" },
    { 413, "Request Entity Too Large", "Too large" },
    { 414, "Request URI Too Long", "Too long" },
    { 415, "Unsupported Media Type", "Not in this form" },
    { 422, "Unprocessable Entity", "Out of range" },
    { 429, "Too Many Requests", "Too often" },
    { 431, "Request Header Fields Too Large", "Too long" },
    { 503, "Service Unavailable", "Not now" },
    { 504, "Gateway Timeout", "Time limit exceeded" },
};

const char *status_title(unsigned status)
{
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].title;
    return status >= 500 ? "Failed" : "Refused";
}

const char *status_reason(unsigned status)
{
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].reason;
    return "Internal Server Error";
}
