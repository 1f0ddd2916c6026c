#!/bin/sh
# /usr/local/bin/rostra: runs a command with the settings of the service and as its user, such as: rostra doctor
# systemd replaces $NAME in arguments, unless the dollar is doubled.
for arg; do
  shift
  set -- "$@" "$(printf '%s' "$arg" | sed 's/\$/$$/g')"
done
exec systemd-run --quiet --pipe --wait --collect \
  --property=User=rostra --property=WorkingDirectory=/opt/rostra --property=UMask=0077 \
  --property=EnvironmentFile=/etc/rostra.env --setenv=DATA_DIR=/var/lib/rostra \
  /usr/bin/node src/launch.mjs "$@"
