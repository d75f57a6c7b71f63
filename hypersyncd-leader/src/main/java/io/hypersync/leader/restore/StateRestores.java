package io.hypersync.leader.restore;

import io.hypersync.leader.port.RestoreHoldPort;
import io.hypersync.leader.sequencer.Sequencer;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.RestoresFile;
import io.hypersync.snapshot.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Restores whole states, one at a time, each by one entry ({@code FsOp.RestoreState}), and holds
 * what such entries of the log lead to. On the agent's thread.
 *
 * <p><b>Order.</b> The earlier state is stored, then it is durably said that it is held for an
 * entry which is to come, and only then is the entry logged. In the turn in which it is logged it
 * is asked which nodes are open, so nothing comes between.
 *
 * <p><b>No replay misses a page.</b> An entry that restores a state is replayed by a start of the
 * leader from any snapshot before it, by whoever looks at a state of the past behind it, and by a
 * root audit. Each of them reads the entry from the log. So the state is a root of every collection
 * until the log begins behind the entry, and no longer: nobody can replay it then. The leader's own
 * newest state, too, rests on the pages of the state until there is a snapshot behind the entry
 * ({@code PageWriter}). The log is trimmed only up to a snapshot that the leader could start from,
 * so there is one behind the entry by then, which has all pages that are still needed.
 *
 * <p>While a state is being stored no collection takes its roots ({@link #isMaking}), as for states
 * that are mounted ({@code PastHolds}); from then on it is one of them. What was once said durably
 * counts as held until it is durably taken back. So no start finds a record whose pages were taken.
 *
 * <p><b>A crash</b> before the entry is durable leaves a record of an entry that may not be there.
 * It says the least index that the entry can have. The next start looks for the entry from there
 * on, and gives the record up if there is none. Once the entry is durable the record says its
 * index, so that a start need not look.
 */
public final class StateRestores {
  /** How long an entry waits for the disk, or until it is known what is open, without need. */
  private static final long PATIENCE_NS = 10_000_000_000L;

  /** After a failure it is tried again so much later to say what is held. */
  private static final long RETRY_NS = 5_000_000_000L;

  private enum Step {
    IDLE,
    STORING,
    RECORDING,
    READY
  }

  /** What a restore asks of the leader, within one turn. */
  public interface Leader {
    /** The newest entry, durable or not. */
    long headIndex();

    /** The newest durable entry. */
    long durableIndex();

    /** The oldest entry of the log. */
    long firstIndex();

    /** Whether an entry can be logged now. */
    boolean takesEntry();

    /** Whether everything that is open on a worker that is connected is known. */
    boolean knowsWhatIsOpen();

    /** How long after its start a leader may not know that, in nanoseconds. */
    long unknownNs();

    /**
     * The nodes that are open on any worker, and that have no name in an earlier state.
     *
     * @param manifest of that state
     * @throws DecodeException if it is no manifest of this log
     * @throws PageUnreadableException if a page of a state cannot be read
     */
    List<NodeId> lost(byte[] manifest) throws DecodeException;

    /** Logs an op of the leader's own. */
    Sequencer.Result sequence(FsOp op);

    /** A snapshot is due. */
    void snapshotSoon();

    /** The newest entry that is in a snapshot. */
    long snapshotIndex();
  }

  /** What becomes of a restore. */
  public sealed interface Answer {
    /** It is logged, not durable yet. */
    record Logged(long index) implements Answer {}

    /** It is not done. */
    record Refused(String why, String hint) implements Answer {}
  }

  /**
   * What a leader begins with.
   *
   * @param held what the entries of its log need
   * @param stored what is durably said
   */
  public record Start(RestoreHoldPort port, List<HeldRestore> held, List<HeldRestore> stored) {
    /** For leaders that restore no states. */
    public static final Start NONE = new Start(RestoreHoldPort.NONE, List.of(), List.of());

    /** Copies the lists. */
    public Start {
      held = List.copyOf(held);
      stored = List.copyOf(stored);
    }
  }

  private static final class Hold {
    private final Snapshot state;
    private final long least;

    /** What the entry has got, durable or not; 0 before that. */
    private long entry;

    private boolean isDurable;

    Hold(Snapshot state, long entry, boolean isDurable) {
      this.state = state;
      this.least = entry;
      this.entry = isDurable ? entry : 0;
      this.isDurable = isDurable;
    }

    HeldRestore record() {
      return new HeldRestore(isDurable ? entry : least, isDurable, state);
    }
  }

  private record Asked(Hold hold, Consumer<Answer> asker) {}

  private final RestoreHoldPort port;
  private final List<Hold> holds = new ArrayList<>();
  private List<HeldRestore> stored;

  /** What the port is writing; null if nothing. */
  private @Nullable List<HeldRestore> writing;

  private Step step = Step.IDLE;
  private @Nullable Asked asked;
  private long askedNs;
  private long nextWriteNs;
  private long restored;

  /** The restores of one run of the leader. */
  public StateRestores(Start start, long nowNs) {
    this.port = start.port();
    this.stored = start.stored();
    this.nextWriteNs = nowNs;
    for (HeldRestore each : start.held()) {
      holds.add(new Hold(each.state(), each.entry(), each.isExact()));
    }
  }

  /**
   * A state is going to be stored; from now on no collection takes its roots. Followed by {@link
   * #stored} or {@link #givenUp}.
   *
   * @return false if another restore is under way
   */
  public boolean begin() {
    if (step != Step.IDLE) {
      return false;
    }
    step = Step.STORING;
    return true;
  }

  /** The state is not stored. */
  public void givenUp() {
    if (step == Step.STORING) {
      step = Step.IDLE;
    }
  }

  /**
   * The state is stored: it is to be restored.
   *
   * @param asker gets the answer, on the agent's thread
   */
  public void stored(Snapshot state, Leader leader, Consumer<Answer> asker, long nowNs) {
    if (step != Step.STORING) {
      throw new IllegalStateException("no state is being stored");
    }
    if (holds.size() >= RestoresFile.MOST || stored.size() >= RestoresFile.MOST) {
      step = Step.IDLE;
      asker.accept(
          new Answer.Refused(
              "the log has "
                  + Math.max(holds.size(), stored.size())
                  + " restores of everything already",
              "One more is possible when the oldest of them has left the log, or restore a path."));
      return;
    }
    Hold hold = new Hold(state, leader.headIndex() + 1, false);
    holds.add(hold);
    asked = new Asked(hold, asker);
    askedNs = nowNs;
    nextWriteNs = nowNs;
    step = Step.RECORDING;
    leader.snapshotSoon(); // the way back is to be as safe as what is here now
    tick(leader, nowNs);
  }

  /**
   * Does what can be done next.
   *
   * @param nowNs monotonic
   * @return whether an entry was logged
   */
  public boolean tick(Leader leader, long nowNs) {
    boolean isLogged = step == Step.READY && submit(leader, nowNs);
    if (holds.isEmpty() && stored.isEmpty()) {
      return isLogged;
    }
    long durable = leader.durableIndex();
    long first = leader.firstIndex();
    for (Hold hold : holds) {
      hold.isDurable |= hold.entry > 0 && hold.entry <= durable;
    }
    holds.removeIf(hold -> hold.isDurable && hold.entry < first);
    if (writing == null && nowNs >= nextWriteNs) {
      List<HeldRestore> wanted = holds.stream().map(Hold::record).toList();
      if (!wanted.equals(stored)) {
        writing = wanted;
        port.write(wanted);
      }
    }
    return isLogged;
  }

  private boolean submit(Leader leader, long nowNs) {
    Asked now = asked;
    if (now == null) {
      return false;
    }
    if (!leader.takesEntry() || !leader.knowsWhatIsOpen()) {
      if (nowNs - askedNs > PATIENCE_NS + leader.unknownNs()) {
        refuse(
            leader.takesEntry()
                ? "a worker does not say which files it has open"
                : "the log takes no entries",
            leader.takesEntry() ? "Try again." : "Look at the disk.");
      }
      return false;
    }
    if (leader.snapshotIndex() < now.hold.least - 1 && nowNs - askedNs <= PATIENCE_NS) {
      return false;
    }
    List<NodeId> open;
    try {
      open = leader.lost(now.hold.state.manifest());
    } catch (DecodeException | PageUnreadableException e) {
      refuse("the state cannot be read: " + e.getMessage(), "Look at the disk.");
      return false;
    }
    if (open.size() > FsOp.RestoreState.MAX_OPEN) {
      refuse(
          open.size()
              + " files and directories are open on workers and would be gone, and one entry has"
              + " room for "
              + FsOp.RestoreState.MAX_OPEN,
          "Try again when fewer are open, or restore a path.");
      return false;
    }
    FsOp op = new FsOp.RestoreState(now.hold.state.manifest(), open);
    switch (leader.sequence(op)) {
      case Sequencer.Result.Refused(Errno errno) -> {
        refuse(describe(errno), "");
        return false;
      }
      case Sequencer.Result.Sequenced(var entry, _) -> {
        now.hold.entry = entry.index();
        restored++;
        leader.snapshotSoon();
        end(new Answer.Logged(entry.index()));
        return true;
      }
    }
  }

  private static String describe(Errno errno) {
    return switch (errno) {
      case ENOSPC -> "the disk is full, or the state takes too much memory";
      case EIO -> "a page of the state cannot be read";
      default -> "the state cannot be restored: " + errno;
    };
  }

  private void refuse(String why, String hint) {
    Asked now = asked;
    if (now != null) {
      holds.remove(now.hold);
    }
    end(new Answer.Refused(why, hint));
  }

  private void end(Answer answer) {
    Asked now = asked;
    asked = null;
    step = Step.IDLE;
    if (now != null) {
      now.asker.accept(answer);
    }
  }

  /** The port has said durably what it was told. */
  public void written() {
    List<HeldRestore> now = writing;
    if (now == null) {
      return;
    }
    stored = now;
    writing = null;
    Asked waiting = asked;
    if (step == Step.RECORDING && waiting != null && has(stored, waiting.hold.state)) {
      step = Step.READY;
    }
  }

  /**
   * The port could not do so: what is durably said is what was said before, or this.
   *
   * @param nowNs monotonic
   */
  public void notWritten(String why, long nowNs) {
    List<HeldRestore> now = writing;
    if (now == null) {
      return;
    }
    List<HeldRestore> either = new ArrayList<>(stored);
    now.stream().filter(each -> !has(stored, each.state())).forEach(either::add);
    stored = either;
    writing = null;
    nextWriteNs = Clock.later(nowNs, RETRY_NS);
    if (step == Step.RECORDING) {
      refuse("it cannot be written down which state is held: " + why, "Look at the disk.");
    }
  }

  @SuppressWarnings("ReferenceEquality") // two restores may be of equal states
  private static boolean has(List<HeldRestore> held, Snapshot state) {
    return held.stream().anyMatch(each -> each.state() == state);
  }

  /** Whether a state is being stored, or restored, which need not be a root yet. */
  public boolean isMaking() {
    return step == Step.STORING;
  }

  /** Whether a restore is under way. */
  public boolean isBusy() {
    return step != Step.IDLE;
  }

  /** What is held, and what is durably said to be, though it may be given up. */
  public List<HeldRestore> held() {
    List<HeldRestore> held = new ArrayList<>(holds.stream().map(Hold::record).toList());
    stored.stream().filter(each -> !has(held, each.state())).forEach(held::add);
    List<HeldRestore> now = writing;
    if (now != null) {
      now.stream().filter(each -> !has(held, each.state())).forEach(held::add);
    }
    return held;
  }

  /** How many states this run of the leader has restored. */
  public long restoredSoFar() {
    return restored;
  }
}
