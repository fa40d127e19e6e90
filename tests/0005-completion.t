#!/bin/sh
# The shell's completion of baro: words, then options, as the program tells them.
# shellcheck disable=SC3030,SC3054,SC2034 # the rest is bash's
[ -n "$BASH_VERSION" ] || exec bash "$0"
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$TOP/etc/baro.bash-completion"

complete_line() { # WORD... - the last one is what is being typed
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _baro
    printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' '
}
is "a noun" "$(complete_line baro jobs)" "jobstats "
is "a verb" "$(complete_line baro jobstats to)" "top "
is "two verbs" "$(complete_line baro jobstats ser)" "series series-id "
is "a name of three words" "$(complete_line baro token key '')" "new "
is "a command that is one word, and begins no other" "$(complete_line baro top --ss)" "--ssh "
is "an option" "$(complete_line baro jobstats top --fol)" "--follow "
is "an option behind another and its operand" \
    "$(complete_line baro jobstats top --op open --targ)" "--target "
is "a command whose name begins another's" \
    "$(complete_line baro jobstats series --limi)" "--limit "
is "what there is not" "$(complete_line baro nothing '')" " "
finish
