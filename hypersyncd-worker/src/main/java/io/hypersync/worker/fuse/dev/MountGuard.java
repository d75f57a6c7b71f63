package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
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

  /** In seconds, too. */
  private static final int PATIENT_LOOKS = 10;

  /** What the guard runs; its arguments are described there. */
  private static final String SCRIPT = "mount-guard.sh";

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
    return start(pid, connection, point, CONNECTIONS, 1);
  }

  /**
   * Starts a guard of a mount that another process is to serve, should this daemon be killed. So it
   * looks several times: when a daemon ends, its first thread is dead for a moment before the
   * others are.
   */
  public static MountGuard startPatient(long pid, long connection, Path point) throws IOException {
    return start(pid, connection, point, CONNECTIONS, PATIENT_LOOKS);
  }

  /**
   * As above; {@code connections} is the directory of the kernel's FUSE connections, if mounted.
   */
  public static MountGuard start(long pid, long connection, Path point, Path connections)
      throws IOException {
    return start(pid, connection, point, connections, 1);
  }

  private static MountGuard start(
      long pid, long connection, Path point, Path connections, int looks) throws IOException {
    Path abort = connections.resolve(Long.toString(connection)).resolve("abort");
    if (!Files.isWritable(abort) && !mayUnmountCopies()) {
      throw new IOException(
          connections + " is not mounted, and no mount namespace can be made (unshare -m)");
    }
    return new MountGuard(
        run(
            "sh",
            "-c",
            script(),
            "hypersync-mount-guard",
            Long.toString(pid),
            Long.toString(connection),
            point.toString(),
            MountTable.escape(point.toString()),
            abort.toString(),
            Integer.toString(looks)));
  }

  private static String script() throws IOException {
    try (InputStream resource = MountGuard.class.getResourceAsStream(SCRIPT)) {
      if (resource == null) {
        throw new IOException(SCRIPT + " is missing in the program");
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    }
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
