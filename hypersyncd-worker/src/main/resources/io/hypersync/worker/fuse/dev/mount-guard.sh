# Aborts the kernel's connection of a daemon that was killed and cannot end; see MountGuard.
#
# Arguments: process id, connection, mount point, mount point as mountinfo escapes it, the file that aborts the
# connection, how often the daemon must be found so. From stat it takes the fields after the name: the state is then
# field 1, and the start time, which distinguishes the process from a later one with the same id, is field 20. If only
# the first thread is left, the descriptors are closed, and the guard ends.
trap '' HUP INT QUIT TERM
pid=$1 connection=$2 point=$3 listed=$4 abort=$5 looks=$6 born= ours=
look() {
  top= found=
  while read -r id _ device root at _; do
    [ "$at" = "$listed" ] || continue
    top=$id
    [ "$device $root" != "0:$connection /" ] || found=$id
  done </proc/self/mountinfo
}
if [ -w "$abort" ]; then
  exec 9>"$abort"
else
  look
  ours=$found
  [ -n "$ours" ] || exit 1
fi
while read -r stat <"/proc/$pid/stat"; do
  set -- ${stat##*) }
  [ "${born:=${20}}" = "${20}" ] || exit 0
  if [ "$1" = Z ]; then
    set -- "/proc/$pid/task/"*
    [ $# -gt 1 ] || exit 0
    looks=$((looks - 1))
    if [ $looks -gt 0 ]; then
      :
    elif [ -z "$ours" ]; then
      echo 1 >&9 && exit 0
    else
      look
      [ "$top $found" != "$ours $ours" ] || ! unshare -m umount -f "$point" || exit 0
    fi
  fi
  sleep 1 || exit 1
done
