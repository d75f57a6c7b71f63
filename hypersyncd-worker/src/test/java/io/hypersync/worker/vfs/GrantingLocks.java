package io.hypersync.worker.vfs;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.LockCancel;
import io.hypersync.wire.message.WorkerMessage.LockRelease;
import io.hypersync.wire.message.WorkerMessage.LockRequest;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.LockClient;
import io.hypersync.worker.lock.OwnerLockKey;
import io.hypersync.worker.port.LeaderLink;
import io.hypersync.worker.replica.IndexCallbacks;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** The locks of a worker whose leader grants every request, a moment later. Thread-safe. */
final class GrantingLocks implements Locks, LeaderLink {
  private static final long DEADLINE_NS = 30_000_000_000L;
  private static final int TTL_MS = 60_000;

  private final Executor agent;
  private final HeldLocks heldLocks = new HeldLocks();
  private final LockClient client =
      new LockClient(new ClientId(1, 2), this, new IndexCallbacks(), heldLocks, DEADLINE_NS);
  private long answers;

  /**
   * Creates locks with a connection to the leader.
   *
   * @param agent runs everything on one thread
   */
  GrantingLocks(Executor agent) {
    this.agent = agent;
    client.welcomed(
        new Welcome(new WorkspaceId(1, 1), 1, 0, 100, NegotiatedParams.DEFAULT, 1, 15_000), 0);
  }

  @Override
  public HeldLocks heldLocks() {
    return heldLocks;
  }

  @Override
  public void submit(LockCall call) {
    agent.execute(() -> client.submit(call, 0));
  }

  @Override
  public void release(OwnerLockKey key, Runnable done) {
    agent.execute(() -> client.release(key, done));
  }

  @Override
  public void interrupted(RequestId unique) {
    agent.execute(() -> client.interrupt(unique));
  }

  @Override
  public void send(WorkerMessage message) {
    switch (message) {
      case LockRequest request -> grant(request.intent(), request.kind().mode() != null);
      case LockRelease release -> grant(release.intent(), false);
      case LockCancel cancel -> grant(cancel.intent(), false);
      default -> {}
    }
  }

  @Override
  public void connect() {}

  @Override
  public void flush() {}

  @Override
  public void measure(Consumer<PathFigures> then) {}

  @Override
  public void disconnect() {}

  private void grant(IntentId intent, boolean held) {
    answers++;
    LockResponse response =
        new LockResponse(intent, answers, LockResponse.Verdict.GRANTED, held, 0, TTL_MS, null);
    agent.execute(() -> client.answered(response));
  }
}
