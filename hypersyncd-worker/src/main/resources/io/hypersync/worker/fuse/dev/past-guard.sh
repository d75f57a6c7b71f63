# Takes a mount of the past away when its daemon is gone; see PastGuard.
#
# Arguments: process id, connection, mount point, mount point as mountinfo escapes it, "made" if the folder is to be
# removed. From stat it takes the fields after the name: the state is then field 1, and the start time, which
# distinguishes the process from a later one with the same id, is field 20.
trap '' HUP INT QUIT TERM
pid=$1 connection=$2 point=$3 listed=$4 folder=$5 born= top=
while read -r stat <"/proc/$pid/stat"; do
  set -- ${stat##*) }
  [ "${born:=${20}}" = "${20}" ] && [ "$1" != Z ] || break
  sleep 1 || exit 1
done
while read -r _ _ device root at _; do
  [ "$at" != "$listed" ] || top="$device $root"
done </proc/self/mountinfo
[ "$top" = "0:$connection /" ] || exit 0
umount -f -l "$point" || exit 1
[ "$folder" != made ] || rmdir "$point"
