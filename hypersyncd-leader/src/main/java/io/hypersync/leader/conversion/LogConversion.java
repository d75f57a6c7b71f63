package io.hypersync.leader.conversion;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.oplog.chronicle.ConversionMark;
import io.hypersync.leader.oplog.chronicle.LogRewrite;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayException;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Converts the log of a stopped leader to the latest version of Merkle roots ({@link RootVersion}).
 * The entries stay as they are, except for their roots: index, op id, time, intent, origin, op,
 * hazard and inline payload. The old log is kept. The caller holds the lock on the state directory.
 *
 * <p>Which directories are there says which one is the log, so an interruption between any two
 * steps leaves exactly one usable log:
 *
 * <pre>
 *   step                                                        the log is
 *   1  oplog is replayed, and its roots are compared; the same
 *      entries are written to oplog.v2, made durable and read
 *      back                                                     oplog (old); oplog.v2 is worthless
 *   2  a mark is written: no leader starts                      the same
 *   3  oplog is renamed to oplog.v1                             oplog.v2; there is no oplog
 *   4  oplog.v2 is renamed to oplog                             oplog (new)
 *   5  the mark is removed                                      oplog (new); a leader may start
 * </pre>
 *
 * <p>The state directory is synced after each step, so each is durable before the next one.
 * Repeated after an interruption, the conversion begins anew if there is an {@code oplog} and no
 * {@code oplog.v1}: without the mark a leader of an earlier release may have added entries. Else it
 * does the steps that are left.
 *
 * <p>A leader of an earlier release would take a missing {@code oplog} for an empty log. The mark
 * is one that it refuses, too ({@link ConversionMark}). Should there be all three directories all
 * the same, no leader of this release starts, and the conversion refuses to choose.
 *
 * <p>Workers keep no roots: they replay the new log from its beginning.
 */
public final class LogConversion {
  /** A step that has just been completed; tests interrupt the conversion there. */
  public enum Step {
    /** The new log is complete and durable, under a name that no leader uses. */
    WRITTEN,
    /** The mark is durable: no leader starts. */
    MARKED,
    /** The old log has its new name. */
    OLD_KEPT,
    /** The new log is the log. */
    REPLACED,
    /** The mark is removed: a leader may start. */
    DONE
  }

  /**
   * What was done.
   *
   * @param entries in the log
   * @param root the Merkle root after the last entry, in the latest version
   * @param kept the directory of the old log
   */
  public record Converted(long entries, Hash root, Path kept) {}

  private static final String LOG = "oplog";
  private static final String OLD = "oplog.v" + RootVersion.V1.code();
  private static final String NEW = "oplog.v" + RootVersion.LATEST.code();

  /** The smallest possible number: intents are never looked up here. */
  private static final long REMEMBERED_INTENTS = 1;

  private LogConversion() {}

  /**
   * Whether a conversion was interrupted after it had begun to put the old log aside, or the
   * directories look like that. No leader may start then: it would find no log and begin an empty
   * one, or lead one that was begun like that.
   */
  public static boolean isUnfinished(Path stateDir) throws IOException {
    boolean isKept = exists(stateDir.resolve(OLD));
    boolean isNew = exists(stateDir.resolve(NEW));
    return ConversionMark.isThere(stateDir)
        || (exists(stateDir.resolve(LOG)) ? isKept && isNew : isKept || isNew);
  }

  /**
   * Converts the log, or finishes a conversion that was interrupted.
   *
   * @param stateDir of the leader; no cut of its log is unfinished
   * @param chunks its chunk store; receives chunks of inline payloads that are missing there
   * @param progress receives the index now and then
   * @param reached called after each step
   * @throws IllegalStateException if the log needs no conversion, or does not begin at entry 1, or
   *     it cannot be told which directory is the log; nothing was changed
   * @throws ReplayException if the replay does not reproduce the log's roots; nothing was changed
   * @throws OpLogCorruptException if the log is damaged
   * @throws IOException if the disk fails or is full. The log is the old one, or {@link
   *     #isUnfinished}
   */
  public static Converted convert(
      Path stateDir, ChunkStore chunks, LongConsumer progress, Consumer<Step> reached)
      throws IOException {
    Path log = stateDir.resolve(LOG);
    Path kept = stateDir.resolve(OLD);
    Path fresh = stateDir.resolve(NEW);
    Replayed now;
    if (exists(log)) {
      requireOne(log, kept, fresh);
      if (ConversionMark.isThere(stateDir) && (exists(kept) || isLatest(log))) { // step 5 is left
        now = replayConverted(log, kept, chunks, progress);
      } else {
        now = begin(stateDir, chunks, progress, reached);
      }
    } else {
      requireBoth(log, kept, fresh);
      now = replayConverted(fresh, kept, chunks, progress);
      DurableFiles.syncDirectory(stateDir); // the first rename may not be durable yet
    }
    if (exists(fresh)) {
      rename(fresh, log);
      reached.accept(Step.REPLACED);
    }
    DurableFiles.syncDirectory(stateDir); // the same of the second one
    ConversionMark.remove(stateDir);
    reached.accept(Step.DONE);
    return new Converted(now.index(), now.root(), kept);
  }

  /** Steps 1 to 3. */
  private static Replayed begin(
      Path stateDir, ChunkStore chunks, LongConsumer progress, Consumer<Step> reached)
      throws IOException {
    Path log = stateDir.resolve(LOG);
    Path kept = stateDir.resolve(OLD);
    Path fresh = stateDir.resolve(NEW);
    requirePossible(log, kept);
    ConversionMark.remove(stateDir); // of an earlier attempt: from here on nothing is changed
    DurableFiles.deleteTree(fresh);
    Replayed written;
    try {
      written = rewrite(log, fresh, chunks, progress);
    } catch (IOException | RuntimeException e) {
      deleteAfter(e, fresh);
      throw e;
    }
    reached.accept(Step.WRITTEN);
    ConversionMark.write(stateDir);
    reached.accept(Step.MARKED);
    rename(log, kept);
    reached.accept(Step.OLD_KEPT);
    return written;
  }

  private static void requireOne(Path log, Path kept, Path fresh) {
    if (exists(kept) && exists(fresh)) {
      throw new IllegalStateException(
          "a leader was started in the middle of a conversion and began a new log in "
              + log
              + "; the log before is in "
              + kept
              + ", and converted in "
              + fresh
              + ". Move "
              + log
              + " elsewhere to finish the conversion");
    }
  }

  private static void requireBoth(Path log, Path kept, Path fresh) {
    if (!exists(fresh)) {
      throw new IllegalStateException(
          "there is no " + log + ", only " + kept + ": rename that to " + log + " to convert it");
    }
    if (!exists(kept)) {
      throw new IllegalStateException(
          "there is neither " + log + " nor " + kept + ", and " + fresh + " may not be complete");
    }
  }

  private static void requirePossible(Path log, Path kept) throws IOException {
    if (isLatest(log)) {
      throw new IllegalStateException(
          "the roots of " + log + " have version " + RootVersion.LATEST.code() + " already");
    }
    long first = ChronicleOpLog.firstIndex(log);
    if (first > 1) {
      throw new IllegalStateException(
          log
              + " begins at entry "
              + first
              + ", because older ones were removed; a conversion needs all of them");
    }
    if (exists(kept)) {
      throw new IllegalStateException(kept + " is in the way: an earlier conversion has kept it");
    }
  }

  private static boolean isLatest(Path log) throws IOException {
    return ChronicleOpLog.rootVersion(log) == RootVersion.LATEST;
  }

  /** Looks at a log again that an earlier attempt has written and read back. */
  private static Replayed replayConverted(
      Path converted, Path kept, ChunkStore chunks, LongConsumer progress) throws IOException {
    try {
      return replay(converted, RootVersion.LATEST, chunks, progress, _ -> {});
    } catch (OpLogCorruptException | ReplayException e) {
      throw new IllegalStateException(
          "the converted log in "
              + converted
              + " is damaged: "
              + e.getMessage()
              + ". Move it elsewhere, and rename "
              + kept
              + " to "
              + converted.resolveSibling(LOG)
              + " to convert it again",
          e);
    }
  }

  /** Step 1: writes the new log, makes it durable and reads it back. */
  private static Replayed rewrite(Path log, Path fresh, ChunkStore chunks, LongConsumer progress)
      throws IOException {
    LogRewrite rewrite = new LogRewrite(fresh, RootVersion.LATEST);
    Latest latest = new Latest();
    Replayed old =
        replay(
            log,
            ChronicleOpLog.rootVersion(log),
            chunks,
            progress,
            entry -> rewrite.append(LogEntryCodec.encode(latest.after(entry))));
    rewrite.finish();
    chunks.sync(); // the new log says of all its entries that they are durable
    Replayed written = replay(fresh, RootVersion.LATEST, chunks, progress, _ -> {});
    if (written.index() != old.index()
        || !written.entries().equals(old.entries())
        || !written.root().equals(latest.state.root())) {
      throw new IOException("the log that was written to " + fresh + " reads differently");
    }
    DurableFiles.syncDirectory(fresh);
    return written;
  }

  /** Receives each entry that was replayed. */
  @FunctionalInterface
  private interface EntryConsumer {
    void accept(LogEntry entry) throws IOException;
  }

  /**
   * The result of a replay.
   *
   * @param index of the last entry
   * @param root after it
   * @param entries a hash of all entries, without their roots
   */
  private record Replayed(long index, Hash root, Hash entries) {}

  /** Replays a log as a starting leader does, but compares every root. */
  private static Replayed replay(
      Path log,
      RootVersion version,
      ChunkStore chunks,
      LongConsumer progress,
      EntryConsumer consumer)
      throws IOException {
    LogReplay replay =
        new LogReplay(
            ReplayStart.genesis(version),
            chunks,
            IntentIndex.inMemory(new IntentRetention(REMEMBERED_INTENTS, 0)),
            LogReplay.EVERY_ENTRY,
            RootHashing.AT_ONCE,
            Long.MAX_VALUE,
            progress);
    Hash[] entries = {Hash.ZERO};
    try {
      ChronicleOpLog.read(
          log,
          (index, payload) -> {
            requireConvertible(index, payload);
            RecoveryListener.Verdict verdict = replay.onRecord(index, payload);
            if (verdict == RecoveryListener.Verdict.KEEP) {
              LogEntry entry = decoded(index, payload);
              entries[0] = chained(entries[0], entry);
              try {
                consumer.accept(entry);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
            return verdict;
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    replay.ended();
    return new Replayed(replay.result().index(), replay.result().root(), entries[0]);
  }

  /** The manifest in such an entry is of roots and pages of the version before. */
  private static void requireConvertible(long index, byte[] payload) {
    try {
      if (LogEntryCodec.decode(payload).op() instanceof FsOp.RestoreState) {
        throw new IllegalStateException(
            "entry "
                + index
                + " restores an earlier state: a log with such an entry is not converted");
      }
    } catch (DecodeException e) {
      // The replay says what is wrong with it.
    }
  }

  private static LogEntry decoded(long index, byte[] payload) {
    try {
      return LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      throw new IllegalStateException("entry " + index + " was replayed and is none", e);
    }
  }

  private static Hash chained(Hash before, LogEntry entry) {
    byte[] bytes = LogEntryCodec.encode(withRoot(entry, Hash.ZERO));
    byte[] both = Arrays.copyOf(before.toBytes(), Hash.BYTES + bytes.length);
    System.arraycopy(bytes, 0, both, Hash.BYTES, bytes.length);
    return Blake3.hash(both);
  }

  private static LogEntry withRoot(LogEntry entry, Hash root) {
    return new LogEntry(
        entry.index(),
        entry.opId(),
        entry.committedAtNs(),
        entry.intent(),
        entry.origin(),
        entry.agent(),
        entry.op(),
        entry.createdNode(),
        root,
        entry.hazard(),
        entry.inlinePayload());
  }

  /** The state beside the replay, hashed in the latest version. */
  private static final class Latest {
    private FsState state = FsState.genesis();

    /** Applies the entry and returns it with the root after it. */
    LogEntry after(LogEntry entry) {
      Stamp stamp = new Stamp(entry.committedAtNs(), entry.createdNode());
      state =
          switch (FsStateMachine.apply(state, entry.op(), stamp)) {
            case Outcome.Applied(FsState next) -> next;
            case Outcome.Failed(var errno) ->
                throw new IllegalStateException(
                    "entry " + entry.index() + " was replayed, and fails with " + errno);
          };
      return withRoot(entry, state.root());
    }
  }

  private static void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(to.toAbsolutePath().getParent());
  }

  private static boolean exists(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static void deleteAfter(Exception failure, Path directory) {
    try {
      DurableFiles.deleteTree(directory);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }
}
