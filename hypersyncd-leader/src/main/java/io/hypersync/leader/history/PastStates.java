package io.hypersync.leader.history;

import io.hypersync.leader.oplog.OpLog;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the states of the past again: from the newest snapshot at or before an entry, and the log
 * behind it. A snapshot is read beside the newest state, from which it takes what is equal, so the
 * heap has one whole state, and what is different in others. Every state that is returned has the
 * root that its manifest or its log entry says.
 *
 * <p>What is made here is for looking at; it never becomes the leader's state. Reads pages and log
 * on the calling thread, which must not be the agent's. Not thread-safe.
 */
public final class PastStates {
  private static final long SLICE_BYTES = 256 << 10;

  /** About what a page takes on the heap when it is read, as a multiple of its bytes. */
  private static final int HEAP_PER_PAGE_BYTE = 8;

  /** The path from the root of the nodes to a leaf, which an entry makes again. */
  private static final int HEAP_PER_ENTRY = 1024;

  private static final Observer NOBODY = (_, _, _) -> {};

  private final OpLog log;
  private final WorkspaceId workspace;
  private final PageSource pages;
  private final RestoredStates restored;
  private final Newest newest;
  private final HeapAllowance allowance;
  private final Runnable step;

  /**
   * The newest state, and the snapshots at that time.
   *
   * @param state whose root was computed
   * @param index of its last entry, which is durable
   * @param timeNs of that entry, in nanoseconds since 1970
   * @param snapshots the oldest first
   */
  public record Newest(FsState state, long index, long timeNs, List<Snapshot> snapshots) {}

  /** Two states. */
  public record Two(FsState first, FsState second) {}

  /**
   * A state that was made.
   *
   * @param timeNs of its last entry, in nanoseconds since 1970
   */
  private record Reached(FsState state, long index, long timeNs, long weight) {}

  /** Is told entries of the log, with the states around them. */
  @FunctionalInterface
  public interface Observer {
    /**
     * The next entry.
     *
     * @param before the state before it
     * @param after the state after it
     */
    void entry(LogEntry entry, FsState before, FsState after);
  }

  /**
   * States of one leader.
   *
   * @param pages of the snapshots
   * @param allowance spent for what is read and replayed
   * @param step called now and then; what it throws ends the work
   */
  public PastStates(
      OpLog log,
      WorkspaceId workspace,
      PageSource pages,
      Newest newest,
      HeapAllowance allowance,
      Runnable step) {
    this.log = log;
    this.workspace = workspace;
    this.newest = newest;
    this.allowance = allowance;
    this.step = step;
    this.pages =
        page -> {
          step.run();
          byte[] bytes = pages.get(page);
          allowance.spend((long) HEAP_PER_PAGE_BYTE * bytes.length);
          return bytes;
        };
    RestoredStates beside = ManifestStates.beside(workspace, newest.state, this.pages);
    this.restored =
        manifest -> {
          try {
            return beside.read(manifest);
          } catch (PageUnreadableException e) {
            throw new UserError(
                "a state that an entry restores cannot be read: " + e.getMessage(), "Try again.");
          }
        };
  }

  /**
   * The states after two entries, in any order. If both are between the same snapshots, the later
   * one is made from the earlier one.
   *
   * @throws UserError if one of them is not there, or there is no memory
   * @throws IOException if the log cannot be read
   */
  public Two both(long first, long second) throws IOException {
    Reached low = reach(Math.min(first, second), null);
    Reached high = reach(Math.max(first, second), low);
    return first <= second ? new Two(low.state, high.state) : new Two(high.state, low.state);
  }

  /**
   * Tells entries in the order of the log, with the states before and after each of them.
   *
   * @param first the first entry, at least 1
   * @param last the last entry; nothing is told if it is before the first
   * @throws UserError if the state before the first one is not there, or there is no memory
   * @throws IOException if the log cannot be read
   */
  public void walk(long first, long last, Observer observer) throws IOException {
    if (last > newest.index) {
      throw notYet(last);
    }
    if (first <= last) {
      var _ = replayed(reach(first - 1, null), last, observer);
    }
  }

  /**
   * The oldest state that can be made again, by the index of its last entry. The log has all
   * entries behind it.
   */
  public long oldest() {
    long before = log.firstIndex() - 1;
    if (before <= 0) {
      return 0;
    }
    for (Snapshot snapshot : newest.snapshots) {
      if (snapshot.index() >= before) {
        return snapshot.index();
      }
    }
    return newest.index;
  }

  private Reached reach(long index, @Nullable Reached earlier) throws IOException {
    if (index > newest.index) {
      throw notYet(index);
    }
    if (index == newest.index) {
      return new Reached(newest.state, index, newest.timeNs, 0);
    }
    return made(index, earlier);
  }

  /**
   * The state after an entry, with what a snapshot of it says.
   *
   * @throws UserError if it is not there, or there is no memory
   * @throws IOException if the log cannot be read
   */
  public Manifest manifest(long index) throws IOException {
    if (index > newest.index) {
      throw notYet(index);
    }
    Reached reached = made(index, null); // the newest one, too: its weight is not known here
    return new Manifest(workspace, index, reached.timeNs, reached.weight, reached.state);
  }

  private Reached made(long index, @Nullable Reached earlier) throws IOException {
    @Nullable String damage = null;
    for (Snapshot snapshot : newest.snapshots.reversed()) {
      if (snapshot.index() > index) {
        continue;
      }
      if (earlier != null && earlier.index >= snapshot.index()) {
        break;
      }
      if (!hasLog(snapshot.index(), index)) {
        break; // nor is it there for older ones
      }
      try {
        return replayed(read(snapshot), index, NOBODY);
      } catch (DecodeException | PageMissingException e) {
        damage = "the snapshot of entry " + snapshot.index() + " is damaged: " + e.getMessage();
      }
    }
    if (earlier != null && hasLog(earlier.index, index)) {
      return replayed(earlier, index, NOBODY);
    }
    if (hasLog(0, index)) {
      FsState genesis = FsState.genesis(newest.state.version());
      return replayed(new Reached(genesis, 0, 0, StateWeight.of(genesis)), index, NOBODY);
    }
    throw damage == null
        ? gone("entry " + index + " is not there any more", index)
        : new UserError(damage, "./hypersync snapshot list shows the others.");
  }

  private UserError notYet(long index) {
    return new UserError(
        "there is no entry " + index + " yet", "The newest one is entry " + newest.index + ".");
  }

  private boolean hasLog(long base, long index) {
    return base == index || log.firstIndex() <= base + 1;
  }

  /** Names what is there instead. */
  private UserError gone(String what, long index) {
    long before = -1;
    long after = -1;
    for (Snapshot snapshot : newest.snapshots) {
      if (snapshot.index() < index) {
        before = snapshot.index();
      } else if (after < 0) {
        after = snapshot.index();
      }
    }
    long oldest = newest.snapshots.isEmpty() ? newest.index : newest.snapshots.getFirst().index();
    String next = after < 0 ? "" : ", the next one that of entry " + after;
    return new UserError(
        what + ": the log begins with entry " + log.firstIndex(),
        before < 0
            ? "The oldest state that is there is that of entry " + oldest + "."
            : "The snapshot before it is that of entry " + before + next + ".");
  }

  private Reached read(Snapshot snapshot) throws DecodeException, PageMissingException {
    Manifest manifest = Manifest.readBeside(newest.state, snapshot.manifest(), workspace, pages);
    return new Reached(
        manifest.state(), manifest.index(), manifest.lastTimeNs(), manifest.weight());
  }

  private Reached replayed(Reached base, long index, Observer observer) throws IOException {
    FsState state = base.state;
    long at = base.index;
    long paths = 0;
    long timeNs = base.timeNs;
    long weight = base.weight;
    @Nullable Hash root = null;
    while (at < index) {
      step.run();
      for (byte[] payload : slice(at + 1)) {
        if (at == index) {
          break;
        }
        LogEntry entry = decoded(at + 1, payload);
        FsState next = applied(state, entry);
        StateWeight.Step step =
            StateWeight.step(weight, entry.op(), entry.createdNode(), state, next);
        weight = step.weight();
        // What a restored state has is paid for where its pages are read, or is the newest state's.
        allowance.spend(step.fresh());
        if (paths < weight) { // more than all paths of a state cannot be new
          paths += HEAP_PER_ENTRY;
          allowance.spend(HEAP_PER_ENTRY);
        }
        observer.entry(entry, state, next);
        state = next;
        root = entry.root();
        timeNs = entry.committedAtNs();
        at++;
      }
    }
    if (root != null && !root.equals(state.root())) {
      throw new UserError(
          "log entry " + index + " gives another root than it says", "See docs/diverged.md.");
    }
    return new Reached(state, index, timeNs, weight);
  }

  private List<byte[]> slice(long first) throws IOException {
    List<byte[]> slice = new ArrayList<>();
    try {
      var _ = log.read(first, SLICE_BYTES, (_, payload) -> slice.add(payload));
    } catch (IndexOutOfBoundsException e) {
      throw new UserError("log entry " + first + " was removed meanwhile", "Try again.");
    }
    if (slice.isEmpty()) {
      throw new UserError("the log ends before entry " + first, "");
    }
    return slice;
  }

  private static LogEntry decoded(long index, byte[] payload) {
    try {
      return LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      throw new UserError("log entry " + index + " cannot be read: " + e.getMessage(), "");
    }
  }

  private FsState applied(FsState state, LogEntry entry) {
    Stamp stamp = new Stamp(entry.committedAtNs(), entry.createdNode());
    return switch (FsStateMachine.apply(state, entry.op(), stamp, restored)) {
      case Outcome.Applied(FsState next) -> next;
      case Outcome.Failed(Errno errno) ->
          throw new UserError(
              "log entry " + entry.index() + " cannot be applied: " + errno,
              "See docs/diverged.md.");
    };
  }

  /**
   * The last entry that was committed at or before a time.
   *
   * @param timeNs nanoseconds since 1970, by the leader's clock
   * @throws UserError if it is not known any more which one that was
   * @throws IOException if the log cannot be read
   */
  public long indexAt(long timeNs) throws IOException {
    if (timeNs >= newest.timeNs) {
      return newest.index;
    }
    long first = log.firstIndex();
    long low = first; // entries before it are known to be of that time or before
    long high = newest.index + 1; // this one is not
    while (low < high) {
      long middle = low + (high - low) / 2;
      if (timeOf(middle) <= timeNs) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low > first || first <= 1) {
      return low - 1;
    }
    for (Snapshot snapshot : newest.snapshots) {
      if (snapshot.index() == first - 1 && snapshot.lastTimeNs() <= timeNs) {
        return snapshot.index();
      }
    }
    throw gone("what was there at that time is not known any more", first);
  }

  private long timeOf(long index) throws IOException {
    if (index > newest.index) {
      return Long.MAX_VALUE;
    }
    try {
      return decoded(index, log.read(index)).committedAtNs();
    } catch (IndexOutOfBoundsException e) {
      throw new UserError("log entry " + index + " was removed meanwhile", "Try again.");
    }
  }
}
