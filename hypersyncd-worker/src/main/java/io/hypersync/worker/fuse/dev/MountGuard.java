package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small process that aborts the kernel's connection of a daemon that was killed and cannot end.
 *
 * <p>A thread that invalidates a name in the kernel blocks, and cannot be killed, until no call
 * holds the lock of that directory. Such a call may itself wait for a reply of the daemon. If the
 * daemon is killed then, the thread stays, and with it the descriptors of the mount, so the kernel
 * does not notice that no reply will come: the call, the thread, and every later caller that needs
 * that directory wait for ever. Once the connection is aborted they all end; the callers get
 * ENOTCONN.
 *
 * <p>The guard checks every second whether the daemon's first thread is dead while others are not;
 * nothing else shows this condition. It never aborts another connection, although a connection's
 * number is reused once its mount is gone: the file that aborts it is opened at the start, and
 * refers to this connection for ever; a write to it does nothing once the connection is gone. The
 * mount stays in place: without it, users of the workspace would write into the directory below,
 * unnoticed. Where {@code /sys/fs/fuse/connections} is not mounted, the kernel aborts a connection
 * only as part of an unmount; so a copy of the mount is unmounted, in a mount namespace that ends
 * with the command, and only while the mount that the guard was started for is the one at its
 * place. The guard ends within a second of the daemon, ignores signals that are sent to the whole
 * process group, and uses half a millisecond of CPU time per second.
 */
public final class MountGuard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MountGuard.class);
  private static final Path CONNECTIONS = Path.of("/sys/fs/fuse/connections");
  private static final long END_LIMIT_MS = 2_000;

  /**
   * Arguments: process id, connection, mount point, mount point as mountinfo escapes it, the file
   * that aborts the connection. From {@code stat} it takes the fields after the name: the state is
   * then field 1, and the start time, which distinguishes the process from a later one with the
   * same id, is field 20. If only the first thread is left, the descriptors are closed, and the
   * guard ends.
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
   * Starts a guard.
   *
   * @param pid the daemon that serves the mount
   * @param connection the connection's number: the minor device number of the mount
   * @param point where it is mounted, and stays mounted
   * @throws IOException if no process can be started, or this host allows no way to abort a
   *     connection without removing its mount
   */
  public static MountGuard start(long pid, long connection, Path point) throws IOException {
    return start(pid, connection, point, CONNECTIONS);
  }

  /**
   * As above; {@code connections} is the directory of the kernel's FUSE connections, if mounted.
   */
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

  /** Ends the guard; to be called when the mount is gone. */
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
