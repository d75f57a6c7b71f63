package io.hypersync.cli.practice;

import io.hypersync.leader.port.SessionPort;
import io.hypersync.wire.codec.FrameLoop;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import io.hypersync.worker.port.LeaderLink;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way between the two agents. Messages become frames, as on a network, and are handed over in a
 * later turn: no agent is called from within the other one.
 */
final class PracticeLink {
  private static final SessionId SESSION = new SessionId(1);
  private static final PathFigures NO_PATH = new PathFigures(1, 1 << 20, 0, 0);

  private final Turns turns;
  private final FrameLoop wire = new FrameLoop();
  private final Ends ends;

  /** What happens at the two ends. */
  interface Ends {
    /** The worker has connected. */
    void connected(SessionId session);

    /** A message of the worker arrives at the leader. */
    void atLeader(SessionId session, WorkerMessage message);

    /** A message of the leader arrives at the worker. */
    void atWorker(LeaderMessage message);
  }

  PracticeLink(Turns turns, Ends ends) {
    this.turns = turns;
    this.ends = ends;
  }

  /** The worker's end. */
  LeaderLink toLeader() {
    return new LeaderLink() {
      @Override
      public void connect() {
        turns.later(() -> ends.connected(SESSION));
      }

      @Override
      public void send(WorkerMessage message) {
        WorkerMessage sent = wire.sent(message);
        turns.later(() -> ends.atLeader(SESSION, sent));
      }

      @Override
      public void flush() {}

      @Override
      public void measure(Consumer<PathFigures> then) {
        turns.later(() -> then.accept(NO_PATH));
      }

      @Override
      public void disconnect() {
        throw new IllegalStateException("nothing is lost between the two");
      }
    };
  }

  /** The leader's end. */
  SessionPort toWorker() {
    return new SessionPort() {
      @Override
      public void send(SessionId session, LeaderMessage message) {
        LeaderMessage sent = wire.sent(message);
        turns.later(() -> ends.atWorker(sent));
      }

      @Override
      public void flush() {}

      @Override
      public boolean logWritable(SessionId session) {
        return true;
      }

      @Override
      public boolean bulkWritable(SessionId session) {
        return true;
      }

      @Override
      public int maxSymbolBytes(SessionId session) {
        return 0;
      }

      @Override
      public void measure(SessionId session, Consumer<PathFigures> then) {
        turns.later(() -> then.accept(NO_PATH));
      }

      @Override
      public void close(SessionId session, LeaderMessage.@Nullable Refused lastWord) {
        throw new IllegalStateException("the leader refuses: " + lastWord);
      }
    };
  }
}
