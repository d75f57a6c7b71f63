package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small process that aborts the kernel's connection of a daemon which was killed and cannot end.
 *
 * <p>A thread that makes the kernel forget a name waits, and cannot be killed, until no call holds
 * the name's directory. Such a call may itself wait for an answer of the daemon. If the daemon is
 * killed then, the thread stays, and with it the descriptors of the mount, so the kernel does not
 * notice that nobody answers: the call, the thread, and whoever comes to that directory next wait
 * for ever. Once the connection is aborted they all end, with ENOTCONN for the callers.
 *
 * <p>The guard looks every second whether the first thread of the daemon is dead while others are
 * not; nothing else shows it. Nobody else's connection is ever aborted, though the number of a
 * connection is given again once its mount is gone: the file that aborts it is opened at the start,
 * and means this one for ever; a write to it does nothing when the connection has gone. The mount
 * stays where it is: without it the users of the workspace would write into the folder below,
 * unnoticed. Where {@code /sys/fs/fuse/connections} is not mounted the kernel aborts a connection
 * only as part of an unmount, so a copy of the mount is unmounted, in a mount namespace that ends
 * with the command, and only while it is the mount that the guard was started for which is in its
 * place. The guard ends within a second of the daemon, heeds no signal that is meant for the whole
 * group, and costs half a millisecond a second.
 */
public final class MountGuard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MountGuard.class);
  private static final Path CONNECTIONS = Path.of("/sys/fs/fuse/connections");
  private static final long END_LIMIT_MS = 2_000;

  /**
   * Arguments: process, connection, mount point, the same as mountinfo has it, the file that aborts
   * the connection. Of {@code stat} it takes what follows the name: the state is field 1 then, and
   * field 20 when the process started, by which it is told from a later one with its number. If the
   * first thread is the only one that is left, the descriptors are closed.
   */
  private static final String SCRIPT =
      """
      trap '' HUP INT QUIT TERM
      pid=$1 connection=$2 point=$3 listed=$4 abort=$5 born= ours=
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
          if [ -z "$ours" ]; then
            echo 1 >&9 && exit 0
          else
            look
            [ "$top $found" != "$ours $ours" ] || ! unshare -m umount -f "$point" || exit 0
          fi
        fi
        sleep 1 || exit 1
      done
      """;

  private final Process process;

  private MountGuard(Process process) {
    this.process = process;
  }

  /**
   * Starts one.
   *
   * @param pid the daemon that serves the mount
   * @param connection number of the connection: the minor device number of the mount
   * @param point where it is mounted, and stays mounted
   * @throws IOException if no process can be started, or this machine lets nobody abort a
   *     connection without taking its mount away
   */
  public static MountGuard start(long pid, long connection, Path point) throws IOException {
    return start(pid, connection, point, CONNECTIONS);
  }

  /** The same with the kernel's connections in this folder, if they are mounted at all. */
  public static MountGuard start(long pid, long connection, Path point, Path connections)
      throws IOException {
    Path abort = connections.resolve(Long.toString(connection)).resolve("abort");
    if (!Files.isWritable(abort) && !mayUnmountCopies()) {
      throw new IOException(
          connections + " is not mounted, and no mount namespace can be made (unshare -m)");
    }
    return new MountGuard(
        run(
            "sh",
            "-c",
            SCRIPT,
            "hypersync-mount-guard",
            Long.toString(pid),
            Long.toString(connection),
            point.toString(),
            MountTable.escape(point.toString()),
            abort.toString()));
  }

  private static boolean mayUnmountCopies() throws IOException {
    Process trial = run("unshare", "-m", "true");
    try {
      return trial.waitFor(END_LIMIT_MS, TimeUnit.MILLISECONDS) && trial.exitValue() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static Process run(String... command) throws IOException {
    return new ProcessBuilder(command)
        .directory(Path.of("/").toFile())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** Ends it; the mount is gone. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(END_LIMIT_MS, TimeUnit.MILLISECONDS)) {
        LOG.debug("the mount's guard does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
