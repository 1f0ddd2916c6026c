#!/bin/sh
# Checks one webhook with nothing but a shell and openssl:
#   SECRET=<64 hex> verify.sh <X-Service-Timestamp> <X-Service-Signature-V2> < raw-body
# Ends with 0 when the request is genuine and fresh, with 1 when it is not, and with 2 when it was asked wrongly.
set -eu
[ "$#" -eq 2 ] && [ -n "${SECRET:-}" ] || { echo "usage: SECRET=<64 hex> verify.sh <timestamp> <signature> < body" >&2; exit 2; }
timestamp=$1
given=$2
tolerance=300

case $timestamp in '' | *[!0-9]*) exit 1 ;; esac
[ "${#timestamp}" -eq 10 ] || exit 1
age=$(($(date +%s) - timestamp))
[ "$age" -le "$tolerance" ] && [ "$age" -ge "-$tolerance" ] || exit 1

# openssl takes its key as an argument: where others have a shell on the machine, use receiver.mjs instead.
hmac() {
  openssl dgst -sha256 -mac HMAC -macopt "key:$1" -r | cut -d' ' -f1
}
expected=sha256=$({ printf '%s.' "$timestamp"; cat; } | hmac "$SECRET")

# A shell compares character by character. Of two digests under a key nobody knows, the time that takes tells nothing.
once=$(openssl rand -hex 32)
[ "$(printf '%s' "$expected" | hmac "$once")" = "$(printf '%s' "$given" | hmac "$once")" ]
