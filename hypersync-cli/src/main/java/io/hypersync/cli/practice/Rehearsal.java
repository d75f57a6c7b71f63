package io.hypersync.cli.practice;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.agent.Entropy;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.SessionId;

/**
 * A leader, a worker and a kernel of their own, in memory, all on the caller's thread. What is done
 * in it reaches nothing outside.
 */
final class Rehearsal {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(0, 1);
  private static final WorkerId WORKER = new WorkerId("practice");

  /** Both agents have answered by then, or never will. */
  private static final int TURNS_TO_JOIN = 10_000;

  private final Turns turns = new Turns();
  private final LeaderSide leader;
  private final WorkerSide worker;
  private final Calls calls;

  /** An empty workspace, which the worker has joined. */
  Rehearsal() {
    PracticeLink link = new PracticeLink(turns, new Ends());
    UnhurriedClock clock = new UnhurriedClock();
    Entropy entropy = new Numbers();
    this.leader = new LeaderSide(WORKSPACE, link.toWorker(), turns, clock, entropy);
    this.worker = new WorkerSide(WORKSPACE, WORKER, link.toLeader(), turns, clock, entropy);
    this.calls = new Calls(new PracticeKernel(worker.filesystem(), this::turn));
  }

  /**
   * Has the worker join.
   *
   * @throws IllegalStateException if it does not
   */
  void begin() throws InterruptedException {
    for (int i = 0; i < TURNS_TO_JOIN && !worker.agent().isWritable(); i++) {
      if (!turn()) {
        Thread.sleep(1); // the pause before it connects
      }
    }
    if (!worker.agent().isWritable()) {
      throw new IllegalStateException("the worker does not join");
    }
  }

  /** Makes the calls of one round; returns how many mutations that were. */
  int round() {
    return calls.round();
  }

  /** How many entries are visible to the worker. */
  long visible() {
    return worker.agent().visible().index();
  }

  /** How many nodes there are beside the root. */
  int files() {
    return worker.agent().namedNodes() - 1;
  }

  private boolean turn() {
    return turns.run() + worker.agent().doWork() + leader.work() > 0;
  }

  private final class Ends implements PracticeLink.Ends {
    @Override
    public void connected(SessionId session) {
      leader.agent().sessionOpened(session, WORKER, "practice");
      worker.agent().linkUp();
    }

    @Override
    public void atLeader(SessionId session, WorkerMessage message) {
      leader.agent().received(session, message);
    }

    @Override
    public void atWorker(LeaderMessage message) {
      worker.agent().received(message);
    }
  }

  /** Different from each other is all that ids need be here. */
  private static final class Numbers implements Entropy {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private long last;

    @Override
    public long nextLong() {
      last += STEP;
      return last;
    }
  }
}
