package io.hypersync.worker.takeover;

import io.hypersync.worker.fuse.dev.DescriptorSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a keeper knows of a successor that starts beside the worker:
 *
 * <pre>
 *  started --CANDIDATE--> heard --READY--> ready --(LEAVES of the worker)--> left
 *                                            --(the worker has ended)--> goes on
 * </pre>
 *
 * <p>It has a limited time for each. Used by the keeper's thread.
 */
final class Candidate {
  private static final Logger LOG = LoggerFactory.getLogger(Candidate.class);

  /** From its start until it is ready: a JVM, its practice and its checks. */
  static final Duration READY_LIMIT = Duration.ofSeconds(90);

  /** From then until the worker says that it ends. */
  private static final Duration LEAVE_LIMIT = Duration.ofSeconds(30);

  private final Process process;
  private final long startedNs;
  private @Nullable DescriptorSocket socket;
  private boolean ready;
  private long readyNs;
  private boolean hasLeave;

  Candidate(Process process, long nowNs) {
    this.process = process;
    this.startedNs = nowNs;
  }

  /** Its process. */
  long pid() {
    return process.pid();
  }

  /** Its connection; null before it has asked. */
  @Nullable DescriptorSocket socket() {
    return socket;
  }

  /** It has asked, over this connection, which is its own from now on. */
  void heard(DescriptorSocket connection) {
    DescriptorSocket before = socket;
    if (before != null) {
      before.close();
    }
    socket = connection;
  }

  /** It can go on with the mount. */
  void ready() {
    ready = true;
    readyNs = System.nanoTime();
  }

  boolean isReady() {
    return ready;
  }

  /** The worker has said that it is about to end. */
  void left() {
    hasLeave = true;
  }

  /** Why it will not take over; empty if it still may. */
  String problem(long nowNs) {
    if (!process.isAlive()) {
      return "it has ended with exit code "
          + process.exitValue()
          + (ready ? "" : " before it was ready; its messages are in the worker's log");
    }
    if (!ready && nowNs - startedNs > READY_LIMIT.toNanos()) {
      return "it was not ready within " + READY_LIMIT.toSeconds() + " s";
    }
    return ready && !hasLeave && nowNs - readyNs > LEAVE_LIMIT.toNanos()
        ? "the worker has not ended within " + LEAVE_LIMIT.toSeconds() + " s"
        : "";
  }

  /** The worker has ended: the mount is this one's to take. */
  void goOn() {
    tell(KeeperMessage.of(KeeperMessage.Kind.DONE));
  }

  /** It is not needed, and ends. */
  void giveUp(String why) {
    tell(KeeperMessage.refused(why));
  }

  private void tell(KeeperMessage message) {
    DescriptorSocket connection = socket;
    socket = null;
    if (connection != null) {
      try (connection) {
        connection.send(message.encoded(), List.of());
      } catch (IOException e) {
        LOG.debug("the successor does not hear", e);
      }
    }
  }

  /** It has failed: closes its connection, and ends its process if that goes on. */
  void end() {
    DescriptorSocket connection = socket;
    socket = null;
    if (connection != null) {
      connection.close();
    }
    process.destroy();
  }
}
