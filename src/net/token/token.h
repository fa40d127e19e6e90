/* SPDX-License-Identifier: Apache-2.0 */
/* token - access tokens: signed, read, stored in files, watched; the room's door. */
#ifndef NET_TOKEN_TOKEN_H
#define NET_TOKEN_TOKEN_H

#include "net/token/access_token.h"
#include "net/token/base64.h"
#include "net/token/jwt.h"
#include "net/token/session.h"
#include "net/token/token_cookie.h"
#include "net/token/token_file.h"
#include "net/token/token_key.h"
#include "net/token/token_key_file.h"
#include "net/token/token_report.h"
#include "net/token/token_request.h"
#include "net/token/token_watch.h"

#endif
