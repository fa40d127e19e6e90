#!/bin/sh
# Tokens, keys, namespaces and series ids from the command line.
. "$(dirname "$0")/lib.sh"

key=$SCRATCH/site.key
ok "a key pair is made" baro token key new "$key"
is "only its owner reads the private key" "$(stat -c %a "$key" "$key.pub" | tr '\n' ' ')" \
    "600 644 "
ok "an existing key is not overwritten" not baro token key new "$key"

baro token new --role agent --host oss01 --targets 'scratch-OST*' --targets 'home-*' \
    --expires 30d --key "$key" >"$SCRATCH/token"
ok "a token says who it is for" sh -c "baro token show - <$SCRATCH/token |
    jq -e '.role == \"agent\" and .host == \"oss01\" and .targets[1] == \"home-*\"'"
ok "the public key confirms it" sh -c "baro token show --key $key.pub - <$SCRATCH/token"
baro token key new "$SCRATCH/other.key" >"$SCRATCH/out"
ok "another site's key does not" \
    not sh -c "baro token show --key $SCRATCH/other.key.pub - <$SCRATCH/token"
is "a token is read out of its file" "$(baro token show --key "$key.pub" "$SCRATCH/token" | jq -r .host)" \
    oss01
is "so is one beside the caller" "$(cd "$SCRATCH" && baro token show token | jq -r .host)" oss01
is "or given itself" "$(baro token show "$(cat "$SCRATCH/token")" | jq -r .host)" oss01
baro token show "$SCRATCH/gone" 2>"$SCRATCH/err"
is "a file that is not there is named" "$? $(cat "$SCRATCH/err")" \
    "1 baro token show: open '$SCRATCH/gone': No such file or directory"
chmod 640 "$key"
ok "a private key that others read is refused" \
    not baro token new --role reader --key "$key"
chmod 600 "$key"
baro token new --role agent --key "$key" >"$SCRATCH/out" 2>&1
is "an agent's token without a host is misuse" $? 2

ns=2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe
is "the proposal's series id" \
    "$(baro jobstats series-id --namespace $ns scratch-OST0001:11317854:17627127:r01c01)" \
    "af854063-c381-585f-b551-ce0b6c4440a3"
if command -v uuidgen >/dev/null; then
    same=yes
    for name in a 'with blank' 'ünïcode' "$(head -c 300 /dev/zero | tr '\0' x)"; do
        [ "$(baro jobstats series-id --namespace $ns "$name")" = \
            "$(uuidgen --sha1 --namespace $ns --name "$name")" ] || same="no: $name"
    done
    is "other names as uuidgen has them" "$same" yes
else
    skip "other names as uuidgen has them" "uuidgen is not there"
fi
is "a namespace is a random UUID" \
    "$(baro jobstats namespace new | grep -Ec '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]')" 1
baro jobstats series-id --namespace nonsense x >"$SCRATCH/out" 2>&1
is "a bad namespace is misuse" $? 2

finish
