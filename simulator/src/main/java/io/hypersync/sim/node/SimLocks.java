package io.hypersync.sim.node;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.lock.LockRange;
import io.hypersync.sim.check.LinkRecord;
import io.hypersync.sim.check.LockChecker;
import io.hypersync.sim.world.Host;
import io.hypersync.wire.message.LeaderMessage.Holder;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.LockCompletion;
import io.hypersync.worker.lock.OwnerLockKey;
import io.hypersync.worker.vfs.Locks;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * Passes lock calls from the vfs to the agent's thread, and records what is granted and released.
 */
final class SimLocks implements Locks {
  private final String worker;
  private final Host host;
  private final BroughtCalls calls;
  private final WorkerAgent agent;
  private final LockChecker checker;
  private final LinkRecord record;

  /** Number of calls that the agent has not received yet. */
  private int entering;

  SimLocks(
      String worker,
      Host host,
      BroughtCalls calls,
      WorkerAgent agent,
      LockChecker checker,
      LinkRecord record) {
    this.worker = worker;
    this.host = host;
    this.calls = calls;
    this.agent = agent;
    this.checker = checker;
    this.record = record;
  }

  @Override
  public HeldLocks heldLocks() {
    return agent.heldLocks();
  }

  @Override
  public void submit(LockCall call) {
    long session = checker.sessionOf(worker, call.key());
    if (call.wish() != Wish.TEST) {
      checker.asked(worker, call.key(), call.range(), call.mode());
    }
    LockCall heard =
        new LockCall(
            call.unique(),
            call.key(),
            call.pid(),
            call.range(),
            call.mode(),
            call.wish(),
            new LockCompletion() {
              @Override
              public void granted() {
                if (call.mode() != null && call.wish() != Wish.TEST) {
                  long session = Objects.requireNonNull(agent.locks().session(), "granted by one");
                  long visible = agent.visible().index();
                  checker.granted(worker, session, call.key(), call.range(), call.mode(), visible);
                }
                call.ending().granted();
              }

              @Override
              public void denied(Holder holder) {
                call.ending().denied(holder);
              }

              @Override
              public void failed(Errno errno) {
                if (errno == Errno.EIO && !checker.isLost(worker, session)) {
                  record.unknown(call);
                } else if (errno == Errno.EDEADLK) {
                  checker.deadlocked(worker, call.key());
                }
                call.ending().failed(errno);
              }
            });
    enter(calls::bring, () -> agent.lock(heard));
  }

  @Override
  public void release(OwnerLockKey key, Runnable done) {
    checker.asked(worker, key, LockRange.WHOLE, null);
    enter(calls::bring, () -> agent.locks().release(key, done));
  }

  @Override
  public void interrupted(RequestId unique) {
    enter(host::execute, () -> agent.locks().interrupt(unique));
  }

  /**
   * Whether no lock call is in transit, and the worker is in the given lock session of the leader.
   */
  boolean isAtRest(long sessionAtLeader) {
    Long session = agent.locks().session();
    return entering == 0
        && agent.locks().unanswered() == 0
        && session != null
        && session == sessionAtLeader;
  }

  private void enter(Executor way, Runnable call) {
    entering++;
    way.execute(
        () -> {
          entering--;
          call.run();
        });
  }
}
