package io.hypersync.worker.daemon.inotify;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.inotify.NameInDirectory;
import io.hypersync.worker.inotify.ShadowCall;
import io.hypersync.worker.inotify.ShadowCallRegistry;
import io.hypersync.worker.inotify.ShadowCaller;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's handle of the shadow process. Calls come from one thread; {@link #end} and {@link
 * #isCalling} from any.
 */
final class ShadowProcess implements ShadowCaller {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowProcess.class);
  private static final long END_LIMIT_MS = 1_000;

  /** A small JVM: it holds a few descriptors and makes one call after another. */
  private static final List<String> FLAGS =
      List.of(
          "-Xms4m",
          "-Xmx16m",
          "-Xss512k",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:ReservedCodeCacheSize=16m",
          "-Xshare:auto",
          "--enable-native-access=ALL-UNNAMED");

  private final ShadowCallRegistry registry;
  private final Process process;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final int tid;

  /** The entry in {@code /proc} that exists as long as the thread id belongs to that process. */
  private final Path task;

  private ShadowProcess(ShadowCallRegistry registry, Process process) throws IOException {
    this.registry = registry;
    this.process = process;
    this.in = new DataInputStream(new BufferedInputStream(process.getInputStream()));
    this.out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
    this.tid = in.readInt();
    this.task = Path.of("/proc", Long.toString(process.pid()), "task", Integer.toString(tid));
  }

  /**
   * Starts the process; blocks until it can take calls.
   *
   * @throws IOException if it does not start, or cannot open its directory
   */
  static ShadowProcess start(Path mountPoint, ShadowCallRegistry registry) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(FLAGS);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            ShadowMain.class.getName(),
            mountPoint.toString()));
    Process process =
        new ProcessBuilder(command)
            .directory(Path.of("/").toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    ShadowProcess started = null;
    try {
      started = new ShadowProcess(registry, process);
      registry.trust(started);
      started.out.writeByte(ShadowWire.ADOPT);
      started.out.writeLong(NameInDirectory.NOWHERE.value());
      ShadowWire.name(started.out, ShadowCallRegistry.NOWHERE_NAME.bytes());
      int result = started.answer();
      if (result != 0) {
        throw new IOException("it does not find its directory: errno " + -result);
      }
      LOG.info("process {} makes the calls that local watchers hear of", process.pid());
      return started;
    } catch (IOException e) {
      if (started == null) {
        process.destroyForcibly();
      } else {
        var _ = started.end();
      }
      throw e;
    }
  }

  long pid() {
    return process.pid();
  }

  @Override
  public int tid() {
    return tid;
  }

  @Override
  public boolean isCalling() {
    return process.isAlive() && Files.exists(task);
  }

  /**
   * Makes a call; blocks until it has returned, and so as long as the call waits in the kernel.
   *
   * @return 0 or the negated errno
   * @throws IOException if the process has ended
   */
  int call(ShadowCall call) throws IOException {
    ShadowWire.write(out, call);
    return answer();
  }

  /** Makes the process close the descriptor that it may have of a directory. */
  void drop(InodeNo node) throws IOException {
    out.writeByte(ShadowWire.DROP);
    out.writeLong(node.value());
    var _ = answer();
  }

  /**
   * Ends the process, by SIGKILL if necessary; waits up to 2 s. A process that waits for the mount
   * inside the kernel ends only with the mount. Until it has ended its requests are refused.
   *
   * @return whether it has ended
   */
  boolean end() {
    try {
      process.getOutputStream().close();
    } catch (IOException ended) {
      LOG.trace("it had ended by itself", ended);
    }
    boolean gone = awaitEnd();
    if (!gone) {
      process.destroyForcibly();
      gone = awaitEnd();
    }
    if (gone) {
      registry.gone();
    }
    return gone;
  }

  private boolean awaitEnd() {
    try {
      return process.waitFor(END_LIMIT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return !process.isAlive();
    }
  }

  private int answer() throws IOException {
    out.flush();
    return in.readInt();
  }
}
