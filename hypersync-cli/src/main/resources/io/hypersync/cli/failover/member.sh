# One host of a workspace that is led on another host when this one fails. Made by ./hypersync failover, which writes the
# lines before this one; docs/failover.md. The process mutex calls it with check, start, stop and fence.
set -u
readonly HERE=$(dirname -- "$(readlink -f -- "$0")")

# A process holds the lock file of its role for as long as it lives, however it ends.
runs() { # ROLE
  ! flock --nonblock --shared "$HERE/$1.lock" true
}

# The process group of a role. Only of one that runs: a number in a file may be another process's by now.
group() { # ROLE
  local pid
  read -r pid <"$HERE/$1.pid" && [[ $(readlink "/proc/$pid/fd/8") == "$HERE/$1.lock" ]] && echo "$pid"
}

# In a session of its own: it goes on when the script that has launched it ends.
launch() { # ROLE
  setsid "$0" "$1" </dev/null >>"$HERE/$1.log" 2>&1 8>&- &
}

take() { # ROLE
  exec 8>>"$HERE/$1.lock"
  flock --timeout 5 8 || exit 0
  echo "$$" >"$HERE/$1.pid"
}

# Succeeds only if it does not run any more. By the clock: on a busy host each turn takes long.
end() { # ROLE SECONDS
  local pid told='' began=$SECONDS
  while runs "$1" && ((SECONDS - began < $2 + 2)); do
    if pid=$(group "$1"); then
      if [[ -z $told ]]; then
        kill -TERM -- "-$pid" 2>/dev/null
        told=yes
      elif ((SECONDS - began >= $2)); then
        kill -KILL -- "-$pid" 2>/dev/null
      fi
    fi
    sleep 0.1
  done
  ! runs "$1"
}

age() { # FILE
  echo $(($(date +%s) - $(stat -c %Y -- "$1" 2>/dev/null || echo 0)))
}

case ${1-} in
  check)
    if [[ ${2-} == active ]]; then
      if ! runs leader; then
        # It was not started yet. One that was, and has ended, is not started again here.
        [[ ! -e $HERE/started ]] || { echo "the leader has ended: $HERE/leader.log"; exit 1; }
        exit 0
      fi
      if "$HYPERSYNC" failover check active --dir "$DIR" --state-dir "$STATE" --token "$TOKEN"; then
        : >"$HERE/answered"
        exit 0
      fi
      [[ ! -e $HERE/answered ]] && (($(age "$HERE/started") < START_SECONDS))
    elif [[ -e $STATE/standby ]]; then
      rm -f -- "$HERE/led"
      exec "$HYPERSYNC" failover check standby --dir "$DIR" --state-dir "$STATE" --token "$TOKEN" \
        "${LOSS[@]}"
    elif [[ ! -e $STATE/oplog && ! -e $HERE/first ]]; then
      echo "there is nothing to lead here yet; $0 again, if this is the first host of a new workspace"
      exit 1
    else
      [[ ! -e $STATE/deposed && ! -e $HERE/led ]] && exit 0
      echo "this host has led before, and does not know whether another one has led since: $0 again, if none has"
      exit 1
    fi
    ;;
  start)
    runs leader && exit 0
    [[ ! -e $HERE/started ]] || { echo "the leader has ended: $HERE/leader.log"; exit 1; }
    : >"$HERE/started"
    : >"$HERE/led"
    rm -f -- "$HERE/first"
    launch leader
    ;;
  stop)
    end leader "$STOP_SECONDS" || exit 1
    rm -f -- "$HERE/started" "$HERE/answered"
    runs standby || launch standby
    ;;
  fence)
    [[ ! -x $HERE/fence-others ]] || exec "$HERE/fence-others"
    ;;
  leader)
    take leader
    end standby "$STOP_SECONDS" || exit 1
    if [[ -e $STATE/standby ]]; then
      "$HYPERSYNC" promote --dir "$DIR" --state-dir "$STATE" --term "${PUTEX_REVISION-0}" "${LOSS[@]}" || exit 1
    fi
    exec "$HYPERSYNC" leader --dir "$DIR" --state-dir "$STATE" "${LEADER[@]}"
    ;;
  standby)
    take standby
    until "$HYPERSYNC" standby --dir "$DIR" --state-dir "$STATE" --token "$TOKEN"; do
      sleep 1
    done
    ;;
  again)
    rm -f -- "$HERE/led"
    [[ -e $STATE/standby ]] || : >"$HERE/first"
    ;;
  run)
    rm -f -- "$HERE/started" "$HERE/answered"
    exec "$HYPERSYNC" putex "$NAME" "${PUTEX[@]}" --check "'$0' check \$1" --start "'$0' start" \
      --stop "'$0' stop" --fence "'$0' fence"
    ;;
  end)
    end leader "$STOP_SECONDS" && end standby "$STOP_SECONDS"
    ;;
  *)
    echo "usage: $0 run | again | end | check active|standby | start | stop | fence | leader | standby" >&2
    exit 2
    ;;
esac
