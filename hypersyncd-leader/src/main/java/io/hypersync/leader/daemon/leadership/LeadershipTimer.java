package io.hypersync.leader.daemon.leadership;

import io.hypersync.leader.leadership.Leadership;
import io.hypersync.leader.leadership.Leadership.Phase;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Refreshes a claim, or waits for it, on a thread of its own: disks may take long to answer. */
public final class LeadershipTimer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeadershipTimer.class);

  private final Leadership leadership;
  private final CompletableFuture<Phase> decided = new CompletableFuture<>();
  private final Thread thread;
  private volatile boolean closed;
  private String told = "";

  private LeadershipTimer(Leadership leadership) {
    this.leadership = leadership;
    this.thread = Thread.ofPlatform().name("leadership").daemon().unstarted(this::run);
  }

  /** Starts; the first turn follows at once. */
  public static LeadershipTimer start(Leadership leadership) {
    LeadershipTimer timer = new LeadershipTimer(leadership);
    timer.thread.start();
    return timer;
  }

  /** Completes when this process leads, or is not to lead any more. */
  public CompletableFuture<Phase> decided() {
    return decided;
  }

  /** Has a turn follow at once. Any thread. */
  public void soon() {
    LockSupport.unpark(thread);
  }

  /** Stops it; waits for a turn that is under way, but not for a disk that does not answer. */
  @Override
  public void close() {
    closed = true;
    soon();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    decided.complete(Phase.OVER);
  }

  private void run() {
    while (!closed) {
      Phase phase = leadership.refresh();
      tell(leadership.view().problem());
      if (phase != Phase.OBSERVING) {
        decided.complete(phase);
      }
      if (phase == Phase.OVER) {
        return;
      }
      LockSupport.parkNanos(Leadership.REFRESH_NS);
    }
  }

  private void tell(String problem) {
    if (!problem.equals(told)) {
      told = problem;
      if (!problem.isEmpty()) {
        LOG.warn("{}", problem);
      }
    }
  }
}
