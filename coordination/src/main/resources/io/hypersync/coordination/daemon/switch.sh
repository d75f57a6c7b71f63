# Starts and stops one service, one order after the other. It stops it by itself when the time is over until which the
# service may run, and when whoever gives the orders is gone. Orders come by standard input, a line each:
#
#   start ID UNTIL LIMIT FENCE REVISION   UNTIL by /proc/uptime, both in hundredths of a second; FENCE is 1 to fence
#                                         before; scripts get the lock's REVISION as PUTEX_REVISION
#   stop ID LIMIT
#
# Answers: "done ID CODE", "late ID", "fenced ID CODE" if fencing failed, "expired CODE" without an order.
# The environment has PUTEX_START, PUTEX_STOP, PUTEX_FENCE (bash; the last may be empty), and PUTEX_STOP_LIMIT.
set -uf
export LC_ALL=C
exec 3>&2 2>/dev/null # 3 is for what scripts print; what this bash says of those it has killed is not that
trap : TERM INT HUP # a signal to all processes of a group is for the one that gives the orders
readonly LAST_TRIES=20
readonly CHATTER=2000 # bytes of output that are passed on
until=
pending=
part=

now() {
  local uptime rest
  read -r uptime rest </proc/uptime
  NOW=$((10#${uptime/./}))
}

# Passes on what a script prints, at once, and reads it to its end. Holds nothing that whoever gives the orders waits for.
drain() {
  exec >&3 3>&-
  dd bs=1 count="$CHATTER" status=none
  exec cat >/dev/null
}

# run NAME LIMIT COMMAND: whatever the command has started in its process group is killed with it at the limit. Its
# output goes to one that is not waited for: a script may leave a daemon behind that holds it.
run() {
  local limit
  printf -v limit '%d.%02d' $(($2 / 100)) $(($2 % 100))
  timeout -s KILL "$limit" bash -c "$3" "putex-$1" </dev/null > >(drain) 2>&1 3>&-
}

# In a subshell: if nobody reads it any more, that one is killed.
say() { (printf '%s\n' "$*") 2>/dev/null; }

start() { # ID UNTIL LIMIT FENCE REVISION
  local limit code
  now
  if ((NOW >= $2)); then
    say late "$1"
    return
  fi
  until=$2
  export PUTEX_REVISION=$5
  limit=$(($3 < until - NOW ? $3 : until - NOW))
  if [[ $4 == 1 && -n $PUTEX_FENCE ]]; then
    if ! run fence "$limit" "$PUTEX_FENCE"; then
      say fenced "$1" 1
      return
    fi
    limit=$((limit + NOW))
    now
    limit=$((limit - NOW))
    if ((limit <= 0)); then
      say late "$1"
      return
    fi
  fi
  run start "$limit" "$PUTEX_START"
  code=$?
  say "done" "$1" "$code"
}

stop() { # LIMIT
  run stop "$1" "$PUTEX_STOP" || return
  until=
}

while :; do
  if [[ -n $until ]]; then
    now
    left=$((until - NOW))
    if ((left <= 0)); then
      stop "$PUTEX_STOP_LIMIT"
      code=$?
      say expired "$code"
      ((code == 0)) || sleep 0.2
      continue
    fi
    printf -v left '%d.%02d' $((left / 100)) $((left % 100))
    IFS= read -r -t "$left" part
  else
    IFS= read -r part
  fi
  got=$?
  pending+=$part # the time may be over in the middle of a line: its beginning must not be lost
  if ((got > 128)); then
    continue
  fi
  if ((got != 0)); then
    for ((tries = 0; tries < LAST_TRIES; tries++)); do
      [[ -n $until ]] || exit 0
      stop "$PUTEX_STOP_LIMIT" || sleep 0.2
    done
    exit 1
  fi
  read -r order a b c d e <<<"$pending"
  pending=
  case $order in
    start) start "$a" "$b" "$c" "$d" "$e" ;;
    stop)
      stop "$b"
      say "done" "$a" $?
      ;;
  esac
done
