package io.hypersync.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.wire.message.Protocol;
import io.hypersync.worker.takeover.Incarnation;
import io.hypersync.worker.takeover.SuccessorBuild;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands this worker's mount over to a successor that starts beside it (decision 053). Until this
 * process has left the mount, whatever goes wrong leaves it serving; from then on the keeper sees
 * to it that some process serves.
 */
final class HandOver {
  private static final Logger LOG = LoggerFactory.getLogger(HandOver.class);

  /** So that the answer is out before this process ends; nobody waits for the mount meanwhile. */
  private static final long ANSWER_MS = 50;

  private final @Nullable Incarnation incarnation;
  private final Worker worker;
  private final FaultPoints faults = FaultPoints.configured();
  private final AtomicBoolean underWay = new AtomicBoolean();
  private volatile String lastFailure = "";

  /** The worker, as far as it concerns a hand-over. */
  interface Worker {
    /** Why the mount cannot be left to another process now; empty if it can. */
    String obstacle(boolean force);

    /** What makes the start of another process short. */
    void prepare();

    /** Leaves the mount; false if it is served on. */
    boolean leave() throws InterruptedException;

    /** Frees what the successor needs; does not unmount. */
    void release();
  }

  HandOver(@Nullable Incarnation incarnation, Worker worker) {
    this.incarnation = incarnation;
    this.worker = worker;
  }

  /** Why the last one did not come about; empty if it is under way, or there was none. */
  String lastFailure() {
    return lastFailure;
  }

  /**
   * The admin command {@code restart}: blocks until a successor is ready, and answers; then the
   * hand-over begins.
   *
   * @param args {@code launcher}, of another build, and {@code force}, as in docs/json.md
   * @throws UserError if there is none, with the reason; this worker goes on
   */
  ObjectNode begin(JsonNode args) {
    if (!underWay.compareAndSet(false, true)) {
      throw new UserError(
          "a successor of this worker is starting already", "See: ./hypersync status --json");
    }
    boolean force = args.path("force").asBoolean();
    try {
      SuccessorBuild build = ready(args.path("launcher").asText(""), force);
      Thread.ofPlatform().name("hand-over").daemon().start(() -> finish(force));
      return JsonNodeFactory.instance
          .objectNode()
          .put("pid", ProcessHandle.current().pid())
          .put("generation", incarnation == null ? 1 : incarnation.generation())
          .put("version", build.version());
    } catch (RuntimeException e) {
      underWay.set(false);
      throw e;
    }
  }

  private SuccessorBuild ready(String launcher, boolean force) {
    String obstacle = worker.obstacle(force);
    Incarnation mine = incarnation;
    if (mine == null || !obstacle.isEmpty()) {
      throw failed(obstacle);
    }
    worker.prepare();
    SuccessorBuild build;
    try {
      build = mine.startSuccessor(launcher);
    } catch (IOException e) {
      throw failed(FileProblems.describe(e));
    }
    if (build.revision() != Protocol.REVISION) {
      String why =
          "it speaks revision "
              + build.revision()
              + " with the leader, and this workspace speaks "
              + Protocol.REVISION;
      mine.stays(why);
      throw failed(why);
    }
    lastFailure = ""; // whoever waits for this one must not read of one before
    return build;
  }

  private UserError failed(String why) {
    lastFailure = why;
    return new UserError(
        "no other process takes the mount over: " + why, "This worker goes on as before.");
  }

  private void finish(boolean force) {
    Incarnation mine = incarnation;
    try {
      Thread.sleep(ANSWER_MS);
      String obstacle = worker.obstacle(force); // perhaps since
      if (mine == null || !obstacle.isEmpty()) {
        stay(obstacle);
        return;
      }
      faults.reached(FaultPoints.Moment.SUCCESSOR_READY);
      mine.leaves();
      if (!worker.leave()) {
        stay("a call of another process holds up this one in the kernel");
        return;
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      stay(String.valueOf(e.getMessage()));
      return;
    }
    try {
      faults.reached(FaultPoints.Moment.MOUNT_LEFT);
      worker.release();
      LOG.info(LogEvent.HAND_OVER.marker(), "ends for its successor");
    } catch (RuntimeException e) {
      LOG.warn("ends for its successor, not cleanly", e); // as if it had been killed
    } finally {
      faults.reached(FaultPoints.Moment.STATE_RELEASED);
      Runtime.getRuntime().halt(0); // a clean end would unmount
    }
  }

  private void stay(String why) {
    LOG.warn(LogEvent.HAND_OVER_FAILED.marker(), "no other process takes the mount over: {}", why);
    lastFailure = why;
    if (incarnation != null) {
      incarnation.stays(why);
    }
    underWay.set(false);
  }
}
