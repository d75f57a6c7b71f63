#!/bin/sh
# Description: HyperSync: the workspace that the hosts of a session share
# Usage: ntm hypersync <init --workers fmd,yto,css | status | log --tail 50 | snapshot | hazards | ...> [options]
# hypersync-ntm-plugin: written by "hypersync ntm install"; "hypersync ntm uninstall" removes it
hypersync=@LAUNCHER@

if [ ! -x "$hypersync" ]; then
  printf 'ntm hypersync: %s is not there any more; run "hypersync ntm install" again\n' "$hypersync" >&2
  exit 2
fi
command=${1:-status}
[ $# -eq 0 ] || shift

# "ntm --json hypersync ...": where the command has that option, and nobody has given it.
json=
if [ "${NTM_JSON:-}" = 1 ]; then
  json=--json
  case $command in
    env | exec | leader | worker | demo | bench | simulate | build | test | jdk | help | -*) json= ;;
  esac
  for word; do
    case $word in
      --json) json= ;;
      --) break ;;
    esac
  done
fi

# "ntm hypersync init --workers ...": without a folder it is the one that NTM's documents name.
folder=
if [ "$command" = init ]; then
  folder=${HYPERSYNC_WORKSPACE_DIR:-/var/lib/ntm/hypersync}
  is_value=
  for word; do
    if [ -n "$is_value" ]; then
      is_value=
      continue
    fi
    case $word in
      -h | --help) folder= ;;
      --workers | --name | --bind | --from | --at | --leader-address) is_value=1 ;;
      -*) ;;
      *) folder= ;;
    esac
  done
fi

"$hypersync" "$command" ${json:+"$json"} "$@" ${folder:+"$folder"}
code=$?

# NTM knows three codes: done, failed, not available. Of hypersync 2 is a command line that makes no sense.
case $command:$code in
  *:0) exit 0 ;;
  robot:*) exit "$code" ;;
  status:1 | *:126 | *:127) exit 2 ;;
  *) exit 1 ;;
esac
