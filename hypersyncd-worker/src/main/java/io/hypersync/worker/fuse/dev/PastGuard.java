package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small process that takes a mount of the past away when the daemon that serves it was killed.
 * Unlike the workspace's own mount, nobody would write into the folder below by mistake: the mount
 * was read-only. It looks every second, and removes no other mount: the one at its place must have
 * the connection that it was started for. Like {@link MountGuard} it ends with the daemon, and
 * ignores signals that are sent to the whole process group.
 */
public final class PastGuard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PastGuard.class);
  private static final long END_LIMIT_MS = 2_000;
  private static final String SCRIPT = "past-guard.sh";

  private final Process process;

  private PastGuard(Process process) {
    this.process = process;
  }

  /**
   * Starts a guard.
   *
   * @param pid the daemon that serves the mount
   * @param connection the connection's number: the minor device number of the mount
   * @param folder where it is mounted
   * @throws IOException if no process can be started
   */
  public static PastGuard start(long pid, long connection, MountFolder folder) throws IOException {
    String point = folder.point().toString();
    return new PastGuard(
        new ProcessBuilder(
                "sh",
                "-c",
                script(),
                "hypersync-past-guard",
                Long.toString(pid),
                Long.toString(connection),
                point,
                MountTable.escape(point),
                folder.isMade() ? "made" : "found")
            .directory(Path.of("/").toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  private static String script() throws IOException {
    try (InputStream resource = PastGuard.class.getResourceAsStream(SCRIPT)) {
      if (resource == null) {
        throw new IOException(SCRIPT + " is missing in the program");
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Ends the guard; to be called when the mount is gone. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(END_LIMIT_MS, TimeUnit.MILLISECONDS)) {
        LOG.debug("the guard of a mount does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
