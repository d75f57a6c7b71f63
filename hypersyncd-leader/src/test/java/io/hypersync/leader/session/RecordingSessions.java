package io.hypersync.leader.session;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import java.util.Objects;

/** Sessions whose Hello and reports a test triggers. */
public final class RecordingSessions {
  private final WorkerSessions sessions =
      new WorkerSessions(new RecordingSessionPort(), (_, _, _) -> {}, new TailCache(1, 100), 10);

  public WorkerSessions sessions() {
    return sessions;
  }

  public SessionId id(long number) {
    return new SessionId(number);
  }

  public void establish(long number, WorkerId worker, long appliedIndex) {
    sessions.opened(id(number), worker, "test", 0);
    sessions.establish(session(number), appliedIndex);
  }

  /** The worker's Hello is accepted, and it is offered a snapshot. */
  public void establishWithOffer(long number, WorkerId worker, long appliedIndex) {
    sessions.opened(id(number), worker, "test", 0);
    sessions.establishWithOffer(session(number), appliedIndex);
  }

  public void report(long number, long appliedIndex) {
    session(number).reported(new WorkerApplied(appliedIndex, Hash.ZERO, false, 0, null), 0, 0);
  }

  private WorkerSession session(long number) {
    return Objects.requireNonNull(sessions.get(id(number)));
  }
}
