package io.hypersync.worker.daemon.inotify;

import io.hypersync.worker.inotify.Place;
import io.hypersync.worker.inotify.ShadowCall;
import io.hypersync.worker.inotify.ShadowCaller;
import io.hypersync.worker.inotify.ShadowDesk;
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
 * The shadow process as the worker sees it. One thread makes calls; {@link #end} and what the desk
 * asks come from any.
 */
final class ShadowProcess implements ShadowCaller {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowProcess.class);
  private static final long END_LIMIT_MS = 1_000;

  /** Small: it holds a few descriptors and makes one call after another. */
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

  private final ShadowDesk desk;
  private final Process process;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final int tid;

  /** The row of {@code /proc} that is there as long as the thread is one of that process. */
  private final Path task;

  private ShadowProcess(ShadowDesk desk, Process process) throws IOException {
    this.desk = desk;
    this.process = process;
    this.in = new DataInputStream(new BufferedInputStream(process.getInputStream()));
    this.out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
    this.tid = in.readInt();
    this.task = Path.of("/proc", Long.toString(process.pid()), "task", Integer.toString(tid));
  }

  /**
   * Starts it; returns when it is ready.
   *
   * @throws IOException if it does not start
   */
  static ShadowProcess start(Path mountPoint, ShadowDesk desk) throws IOException {
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
      started = new ShadowProcess(desk, process);
      desk.trust(started);
      started.out.writeByte(ShadowWire.ADOPT);
      started.out.writeLong(Place.NOWHERE);
      ShadowWire.name(started.out, ShadowDesk.NOWHERE_NAME.bytes());
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
   * Makes a call, and waits for its end.
   *
   * @return 0 or the errno negated
   * @throws IOException if the process has ended
   */
  int call(ShadowCall call) throws IOException {
    ShadowWire.write(out, call);
    return answer();
  }

  /** Has it close what it has open of a directory. */
  void drop(long node) throws IOException {
    out.writeByte(ShadowWire.DROP);
    out.writeLong(node);
    var _ = answer();
  }

  /**
   * Ends it, by force if need be; waits for that for a while. One that waits in the kernel for the
   * mount ends only when the mount does. Until it is gone its requests are refused.
   *
   * @return whether it is gone
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
      desk.gone();
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
