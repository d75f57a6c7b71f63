package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
 * not; nothing else shows it. The connection is still the daemon's then, for its descriptors are
 * open. The mount stays where it is: without it the users of the workspace would write into the
 * folder below, unnoticed. Where {@code /sys/fs/fuse/connections} is not mounted the kernel aborts
 * a connection only as part of an unmount, so a copy of the mount is unmounted, in a mount
 * namespace that ends with the command. The guard ends within a second of the daemon, heeds no
 * signal that is meant for the whole group, and costs half a millisecond a second.
 */
public final class MountGuard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MountGuard.class);
  private static final long END_LIMIT_MS = 2_000;

  /**
   * Arguments: process, connection, mount point. Of {@code stat} it takes what follows the name:
   * the state is field 1 then, and field 20 when the process started, by which it is told from a
   * later one with its number.
   */
  private static final String SCRIPT =
      """
      trap '' HUP INT QUIT TERM
      pid=$1 connection=$2 point=$3 abort=/sys/fs/fuse/connections/$2/abort born=
      while read -r stat <"/proc/$pid/stat"; do
        set -- ${stat##*) }
        [ "${born:=${20}}" = "${20}" ] || exit 0
        if [ "$1" = Z ]; then
          set -- "/proc/$pid/task/"*
          if [ $# -gt 1 ]; then
            if [ -w "$abort" ]; then
              echo 1 >"$abort"
            elif grep -qF " 0:$connection / $point " /proc/self/mountinfo; then
              unshare -m umount -f "$point"
            fi
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
   * @throws IOException if no process can be started
   */
  public static MountGuard start(long pid, long connection, Path point) throws IOException {
    return new MountGuard(
        new ProcessBuilder(
                List.of(
                    "sh",
                    "-c",
                    SCRIPT,
                    "hypersync-mount-guard",
                    Long.toString(pid),
                    Long.toString(connection),
                    point.toString()))
            .directory(Path.of("/").toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
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
