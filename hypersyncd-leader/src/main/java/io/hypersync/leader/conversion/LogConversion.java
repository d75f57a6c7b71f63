package io.hypersync.leader.conversion;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.oplog.chronicle.LogRewrite;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
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
 *   2  oplog is renamed to oplog.v1                             oplog.v2; there is no oplog, and no
 *                                                               leader starts
 *   3  oplog.v2 is renamed to oplog                             oplog (new)
 * </pre>
 *
 * <p>The state directory is synced after each rename, so the first one is durable before the second
 * one. Repeated after an interruption, the conversion begins anew as long as there is an {@code
 * oplog}: a leader of an earlier release may have added entries to it meanwhile. If there is none,
 * only step 3 is left.
 *
 * <p>A leader of an earlier release knows nothing of this and would begin an empty {@code oplog}
 * after step 2. Then there are {@code oplog}, {@code oplog.v1} and {@code oplog.v2}, and the
 * conversion refuses to choose.
 *
 * <p>Workers keep no roots: they replay the new log from its beginning.
 */
public final class LogConversion {
  /** A step that has just been completed; tests interrupt the conversion there. */
  public enum Step {
    /** The new log is complete and durable, under a name that no leader uses. */
    WRITTEN,
    /** The old log has its new name. */
    OLD_KEPT,
    /** The new log is the log. */
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
   * Whether a conversion was interrupted after it had put the old log aside. No leader may start
   * then: it would find no log and begin an empty one.
   */
  public static boolean isUnfinished(Path stateDir) {
    return !exists(stateDir.resolve(LOG)) && exists(stateDir.resolve(NEW));
  }

  /**
   * Converts the log, or finishes a conversion that was interrupted.
   *
   * @param stateDir of the leader
   * @param chunks its chunk store; receives chunks of inline payloads that are missing there
   * @param progress receives the index now and then
   * @param reached called after each step
   * @throws IllegalStateException if the log needs no conversion, or it cannot be told which
   *     directory is the log; nothing was changed
   * @throws io.hypersync.leader.recovery.ReplayException if the replay does not reproduce the log's
   *     roots; nothing was changed
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if the log is damaged
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
      requirePossible(log, kept, fresh);
      DurableFiles.deleteTree(fresh);
      try {
        now = rewrite(log, fresh, chunks, progress);
      } catch (IOException | RuntimeException e) {
        deleteAfter(e, fresh);
        throw e;
      }
      reached.accept(Step.WRITTEN);
      rename(log, kept);
      reached.accept(Step.OLD_KEPT);
    } else {
      DurableFiles.syncDirectory(stateDir); // the first rename may not be durable yet
      now = replay(fresh, RootVersion.LATEST, chunks, progress, _ -> {});
    }
    rename(fresh, log);
    reached.accept(Step.DONE);
    return new Converted(now.index(), now.root(), kept);
  }

  private static void requirePossible(Path log, Path kept, Path fresh) throws IOException {
    if (ChronicleOpLog.rootVersion(log) == RootVersion.LATEST) {
      throw new IllegalStateException(
          "the roots of " + log + " have version " + RootVersion.LATEST.code() + " already");
    }
    if (exists(kept) && exists(fresh)) {
      throw new IllegalStateException(
          "a leader was started in the middle of a conversion and began a new log in "
              + log
              + "; the log before is in "
              + kept
              + ", and converted in "
              + fresh);
    }
    if (exists(kept)) {
      throw new IllegalStateException(kept + " is in the way: an earlier conversion has kept it");
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
            new IntentIndex(REMEMBERED_INTENTS, 0),
            LogReplay.EVERY_ENTRY,
            RootHashing.AT_ONCE,
            Long.MAX_VALUE,
            progress);
    Hash[] entries = {Hash.ZERO};
    try {
      ChronicleOpLog.read(
          log,
          (index, payload) -> {
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
