package io.hypersync.leader.standby;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.snapshot.CollectedFile;
import io.hypersync.snapshot.SnapshotDirectory;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.StandbyStanding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a standby: the leader's entries as they are, from the first one that it had or from
 * the one behind the snapshot that it has begun with. Beside its chunks and snapshots it makes the
 * state directory one that a leader can lead.
 *
 * <p>An entry is written when it is durable at the leader, has been applied here with the leader's
 * root, and its chunks are in the store. It counts as synced when the log's sync has returned, and
 * that of the chunks: the same writer as a leader's does that. So what is synced here is a prefix
 * of what the leader has acknowledged, or may have.
 *
 * <p>Used by one thread at a time, which may wait for the disk, except for {@link #syncedIndex},
 * {@link #couldLead} and {@link #collecting}.
 */
public final class StandbyLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StandbyLog.class);

  /** More entries than this do not wait for the disk: each is on the heap until then. */
  private static final int MOST_UNSYNCED = 8_192;

  /** A collection waits so long for what is on its way to the disk. */
  private static final int MOST_PAUSES = 100_000;

  private final StandbyDisk disk;
  private final Consumer<UserError> failed;
  private final Object raising = new Object();
  private volatile StandbyFile mark;
  private volatile @Nullable OpLog log;
  private volatile boolean hasFailed;

  /** What the leader had that has accepted this standby; 0 if none has since the start. */
  private volatile long needed;

  private volatile Runnable synced = () -> {};

  /** What is left to be done with the log of a deposed leader; null if nothing is. */
  private volatile @Nullable Rejoin rejoin;

  /** Whether the log begins behind a snapshot of that leader, which its successor has accepted. */
  private boolean isOwnBeginning;

  private @Nullable Thread comparing;
  private volatile boolean isToStop;

  private StandbyLog(StandbyDisk disk, Consumer<UserError> failed, StandbyFile mark) {
    this.disk = disk;
    this.failed = failed;
    this.mark = mark;
  }

  /**
   * Prepares the log of a disk; {@link #begins} opens it.
   *
   * @param mark what the disk is marked with already
   * @param failed told once, by any thread, if the disk has failed: the standby is to end then
   */
  public static StandbyLog on(StandbyDisk disk, StandbyFile mark, Consumer<UserError> failed) {
    return new StandbyLog(disk, failed, mark);
  }

  /**
   * Prepares the log of a state directory, whose lock the caller holds; {@link #begins} opens it.
   *
   * @param failed told once, by any thread, if the disk has failed: the standby is to end then
   * @throws UserError if the directory is a leader's, or of another workspace, or cannot be used
   */
  public static StandbyLog open(
      Path stateDir, WorkspaceId workspace, ChunkStore chunks, Consumer<UserError> failed) {
    Optional<Rejoin> rejoin;
    try {
      rejoin = Rejoin.begin(stateDir, workspace, chunks);
    } catch (IOException e) {
      throw unusable(stateDir.toString(), e);
    }
    Optional<StandbyFile> known = StandbyFile.read(stateDir);
    if (known.isEmpty() && Files.exists(stateDir.resolve(StandbyDirectory.OPLOG))) {
      throw new UserError(
          stateDir + " has the log of a leader",
          "A standby begins in a folder of its own: --state-dir <dir>. That of a leader becomes one"
              + " when the leader has learnt that another one has followed it"
              + " (docs/leadership.md).");
    }
    if (known.isPresent() && !known.get().workspace().equals(workspace)) {
      throw new UserError(
          stateDir + " is a standby of another workspace, " + known.get().workspace(),
          "Use another folder: --state-dir <dir>");
    }
    StandbyFile mark = known.orElseGet(() -> StandbyFile.before(workspace));
    mark.write(stateDir);
    try {
      CollectedFile collected =
          CollectedFile.open(stateDir, SnapshotDirectory.of(stateDir).indexes());
      StandbyLog opened = on(new StandbyDirectory(stateDir, chunks, collected), mark, failed);
      opened.rejoin = rejoin.orElse(null);
      opened.isOwnBeginning = rejoin.map(Rejoin::isNew).orElse(false);
      return opened;
    } catch (IOException e) {
      throw unusable(stateDir.toString(), e);
    }
  }

  /**
   * Opens the log for a replica that begins with the state after an entry. If the log does not have
   * that entry, or begins behind it, it is put aside and another one begins there: the state has
   * all that came before. Then the intents of those entries are not known here, and a promoted
   * leader says so to none that may ask ({@code ForgottenIntents}).
   *
   * @throws UserError if the log is damaged, or the disk fails or is full
   */
  public void begins(long index) {
    try {
      isOwnBeginning = isOwnBeginning && log == null;
      close();
      OpLog opened = opened(index);
      if (opened.appendedIndex() < index || opened.firstIndex() > index + 1) {
        long first = opened.firstIndex();
        long last = opened.appendedIndex();
        opened.close();
        if (last >= first) {
          LOG.warn(
              "the log with entries {} to {} is put aside: the state begins with entry {}",
              first,
              last,
              index);
          disk.putAside();
        }
        // What was put aside before stays: a crash may have come between that and the new log.
        disk.begin(index + 1);
        opened = opened(index);
      }
      log = opened;
    } catch (OpLogCorruptException corrupt) {
      throw new UserError(
          "the log of this standby cannot be used: " + corrupt.getMessage(),
          "Begin another one in an empty folder. Keep this one until that has caught up.");
    } catch (IOException e) {
      throw unusable(disk.name(), e);
    }
  }

  private OpLog opened(long begin) throws IOException {
    return disk.open(
        (index, payload) -> verdict(index > begin, payload),
        new OpLogListener() {
          @Override
          public void onDurable(CommittedBatch batch) {
            synced.run(); // a leader may wait for it
          }

          @Override
          public void onFailure(OpLogFailedException failure) {
            hasFailed = true;
            failed.accept(
                new UserError(
                    "the log has failed: " + failure.getMessage(),
                    "Look at the disk, then start the standby again."));
          }
        });
  }

  /**
   * As for a leader that starts: the end of a log that a crash has torn has entries without their
   * chunks, and is cut off. Nobody was told that those are synced.
   */
  private Verdict verdict(boolean isBehind, byte[] payload) {
    try {
      LogEntry entry = LogEntryCodec.decode(payload);
      if (!isBehind
          || entry.index() <= disk.collectedThrough()
          || entry.inlinePayload().length > 0) {
        return Verdict.KEEP;
      }
      for (ChunkRef chunk : entry.op().chunks()) {
        if (chunk.length() > 0 && !disk.hasChunk(chunk.hash())) {
          return Verdict.CUT;
        }
      }
      return Verdict.KEEP;
    } catch (DecodeException e) {
      throw new UserError(
          "the log of this standby has something that is no entry: " + e.getMessage(),
          "Begin another one in an empty folder.");
    }
  }

  /**
   * Remembers the lineage and the term of the leader that is followed, durably.
   *
   * @param commitIndex the last entry that is durable there: this log has nothing that was not
   * @throws UserError if the log ends behind that: its end is of another history
   */
  public void welcomed(long lineage, long term, long commitIndex) {
    OpLog open = log;
    if (open != null
        && open.appendedIndex() >= open.firstIndex()
        && open.appendedIndex() > commitIndex) {
      throw otherHistory(
          "the leader's log ends at entry "
              + commitIndex
              + ", and that of this standby at entry "
              + open.appendedIndex());
    }
    needed = commitIndex;
    remember(new StandbyFile(mark.workspace(), lineage, term, true, mark.waited()));
    if (rejoin != null && comparing == null) {
      isToStop = false;
      boolean own = isOwnBeginning;
      comparing =
          Thread.ofPlatform().name("standby-left-behind").start(() -> compare(own, commitIndex));
    }
  }

  /**
   * The leader says how this standby stands; durable on return.
   *
   * @param standing null if the leader does not wait for it
   */
  public void standing(@Nullable StandbyStanding standing) {
    remember(
        new StandbyFile(
            mark.workspace(),
            mark.lineage(),
            mark.term(),
            mark.hasFollowed(),
            mark.waited().after(standing)));
  }

  /** The leader says which certificates are revoked; durable on return. */
  public void revoked(List<Revocation> all) {
    disk.keepRevoked(all);
  }

  private void remember(StandbyFile next) {
    if (!next.equals(mark)) {
      disk.mark(next);
      mark = next;
    }
  }

  /**
   * Compares with the log of the deposed leader when this one has all that the leader had when it
   * has accepted this standby. On a thread of its own: that is a read of many entries. It uses the
   * log as any reader may, and ends before the log is closed. What fails is done again at the next
   * start, and nothing is lost before: the old log stays, and no chunk is collected.
   */
  private void compare(boolean own, long commitIndex) {
    while (syncedIndex() < commitIndex) {
      if (isToStop || hasFailed) {
        return;
      }
      disk.pause();
    }
    Rejoin left = rejoin;
    OpLog open = log;
    if (left == null || open == null) {
      return;
    }
    try {
      left.finish(open, commitIndex, own);
      rejoin = null;
    } catch (IOException | RuntimeException e) {
      LOG.error(
          "what the deposed leader had is not looked through before the next start: {}",
          e instanceof IOException io ? FileProblems.describe(io) : e.getMessage());
    }
  }

  /**
   * The highest term of a lineage that this standby knows, over all its starts; 0 if it knows none.
   */
  public long knownTerm(long lineage) {
    StandbyFile known = mark;
    return known.lineage() == lineage ? known.term() : 0;
  }

  /**
   * Whether what a deposed leader had beyond its successor is still being looked for; any thread.
   */
  public boolean isRejoining() {
    return rejoin != null;
  }

  /** Who waits for this standby, as the leader has said last; any thread. */
  public Waited waited() {
    return mark.waited();
  }

  /**
   * Has this run each time that more is synced.
   *
   * @param told on the thread that writes the log; must not block
   */
  public void whenSynced(Runnable told) {
    synced = told;
  }

  /**
   * From now on entries up to this one may come without their chunks; durable on return. Until the
   * log has that entry, nobody can lead this state.
   */
  public void withoutChunksThrough(long index) {
    try {
      raise(index);
    } catch (IOException e) {
      throw unusable(disk.name(), e);
    }
  }

  /** Two threads raise it, and it takes one at a time. */
  private void raise(long index) throws IOException {
    synchronized (raising) {
      disk.raiseCollected(index);
    }
  }

  /**
   * Takes the next entry, or one that it has already: then the two must be the same.
   *
   * @throws UserError if the leader's log is another one than this, or the disk is full
   */
  public void append(LogEntry entry) {
    OpLog open = require();
    byte[] payload = LogEntryCodec.encode(entry);
    try {
      if (entry.index() <= open.appendedIndex()) {
        requireSame(open, entry.index(), payload);
        return;
      }
      boolean hasChunks = !entry.op().chunks().isEmpty() && entry.inlinePayload().length == 0;
      open.append(entry.index(), payload, hasChunks);
      while (entry.index() - open.durableIndex() > MOST_UNSYNCED) {
        requireWorking();
        disk.pause();
      }
    } catch (OpLogFullException e) {
      throw new UserError(
          "no room for the log: " + e.getMessage(), "Free space on the disk of " + disk.name());
    } catch (IOException e) {
      throw unusable(disk.name(), e);
    }
  }

  private void requireSame(OpLog open, long index, byte[] payload) throws IOException {
    if (index >= open.firstIndex() && !Arrays.equals(open.read(index), payload)) {
      throw otherHistory(
          "entry " + index + " of the leader is another one than that of this standby");
    }
  }

  private static UserError otherHistory(String what) {
    return new UserError(
        what,
        "Their histories differ (docs/leadership.md). If the leader's is the right one, begin"
            + " another standby in an empty folder; keep this one until you have looked.");
  }

  /** The state of a snapshot has taken the place of an older one; see {@link #begins}. */
  public void replaced(long index) {
    OpLog open = require();
    if (open.appendedIndex() < index) {
      begins(index);
    }
  }

  /**
   * Chunks of entries up to this one are about to be removed; any thread.
   *
   * @throws ChunkStoreException {@link Errno#EAGAIN} if the log does not have that entry on the
   *     disk yet, EIO if the mark cannot be written; then nothing may be removed
   */
  public void collecting(long index) {
    if (rejoin != null) {
      throw new ChunkStoreException(
          Errno.EAGAIN, "what the deposed leader had is not looked through yet");
    }
    for (int pause = 0; syncedIndex() < index; pause++) {
      if (pause == MOST_PAUSES || hasFailed) {
        throw new ChunkStoreException(Errno.EAGAIN, "the log is behind");
      }
      disk.pause();
    }
    try {
      raise(index);
    } catch (IOException e) {
      throw new ChunkStoreException(
          Errno.EIO, "cannot write which chunks are removed: " + FileProblems.describe(e));
    }
  }

  /**
   * Makes all chunks durable that are in the store, also those that no entry has brought.
   *
   * @throws UserError if the disk fails
   */
  public void syncChunks() {
    try {
      disk.syncChunks();
    } catch (IOException e) {
      throw unusable(disk.name(), e);
    }
  }

  /** The last entry that is on the disk, with its chunks; any thread. */
  public long syncedIndex() {
    OpLog open = log;
    return open == null ? 0 : open.durableIndex();
  }

  /**
   * Whether a leader was ever followed, and what it had when it has accepted this standby last is
   * on the disk; any thread.
   */
  public boolean couldLead() {
    long synced = syncedIndex();
    return mark.hasFollowed() && synced > 0 && synced >= needed;
  }

  /** The first entry that it has or will have; 1 if none is open. Any thread. */
  public long firstIndex() {
    OpLog open = log;
    return open == null ? 1 : open.firstIndex();
  }

  private OpLog require() {
    OpLog open = log;
    if (open == null) {
      throw new IllegalStateException("the log is not open");
    }
    return open;
  }

  private void requireWorking() {
    if (hasFailed) {
      throw new UserError("the log has failed", "Look at the disk.");
    }
  }

  /** Makes everything durable that was taken. Another {@link #begins} may follow. */
  @Override
  public void close() {
    endComparing();
    OpLog open = log;
    log = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw unusable(disk.name(), e);
      }
    }
  }

  private void endComparing() {
    Thread thread = comparing;
    comparing = null;
    if (thread != null) {
      isToStop = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the log is not used by anybody then, but closed
      }
    }
  }

  private static UserError unusable(String name, IOException e) {
    return new UserError(
        "cannot use " + name + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
  }
}
