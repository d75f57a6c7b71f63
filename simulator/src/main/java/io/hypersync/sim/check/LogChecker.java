package io.hypersync.sim.check;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.state.StateChunks;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.worker.replica.IndexedState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the durable log as it grows and replays it independently of the product's replicas. Checks
 * that indexes have no gap, time strictly increases, roots are right, appends go to the end of the
 * file, no id and no inode number is given twice, and intents of one client keep their order
 * (hypersync.md 22.1(1), (7), 6.3.1, 9.4). What was durable once must stay in the log.
 */
public final class LogChecker {
  private static final Stamp ANY_STAMP = new Stamp(1, new NodeId(1, 1));

  private final List<byte[]> durable = new ArrayList<>();
  private final List<Hash> roots = new ArrayList<>();
  private final List<FsState> states = new ArrayList<>();
  private final List<Long> durableSinceNs = new ArrayList<>();
  private final Map<ClientId, Long> lastSeqNo = new HashMap<>();

  /** The last entry that mentions each chunk, or restores a state that has it. */
  private final Map<ChunkRef, Long> chunks = new LinkedHashMap<>();

  private final Set<NodeId> created = new HashSet<>();
  private final Set<InodeNo> inodes = new HashSet<>(Set.of(InodeNo.ROOT));

  /** The entries that restore a state. */
  private final List<Long> restores = new ArrayList<>();

  private final HazardChecker hazards;
  private final MutationChecker mutations;
  private final Clock clock;

  /** Whether entries were judged before, in the log of another leader. */
  private boolean isKnown;

  private long lastTimeNs;

  /**
   * Creates a checker of an empty log.
   *
   * @param mutations is informed of every durable entry
   */
  public LogChecker(MutationChecker mutations, Clock clock) {
    this(mutations, clock, new HazardChecker());
    mutations.judgeBy(this);
  }

  private LogChecker(MutationChecker mutations, Clock clock, HazardChecker hazards) {
    this.mutations = mutations;
    this.clock = clock;
    this.hazards = hazards;
    durableSinceNs.add(clock.monotonicNs());
    states.add(FsState.genesis());
    roots.add(states.getFirst().root());
  }

  /**
   * The log of another leader, which goes on with a copy of this one, or of its beginning: all
   * answers are judged by it from now on. What is behind it is lost.
   *
   * @param log its entries, the first one of all first
   */
  public LogChecker takenOver(List<byte[]> log) {
    Violation.unless(
        log.size() <= durable.size(),
        "who takes over has entry ",
        log.size(),
        ", the leader before has ",
        durable.size());
    for (int i = 0; i < log.size(); i++) {
      Violation.unless(
          Arrays.equals(log.get(i), durable.get(i)),
          "entry ",
          i + 1,
          " of who takes over is another one than the leader's");
    }
    LogChecker next = apart(log);
    next.isKnown = false;
    mutations.takenOver(next, durable.size());
    return next;
  }

  /**
   * The log of a leader that was deposed and does not know it: nobody is to have an answer from it.
   *
   * @param log its entries, the first one of all first
   */
  public LogChecker apart(List<byte[]> log) {
    LogChecker other = new LogChecker(mutations, clock, hazards.successor());
    other.isKnown = true;
    other.grew(log);
    return other;
  }

  /** Whether a state that somebody shows is one of this log. */
  public boolean has(IndexedState shown) {
    return has(shown.index(), shown.root());
  }

  /** Whether this is the root after an entry of this log; none is known of the empty filesystem. */
  public boolean has(long index, Hash root) {
    return index == 0 || (index <= index() && root.equals(root(index)));
  }

  /** Whether an entry has made this node, or it is the root. */
  boolean hasMade(NodeId node) {
    return node.equals(FsState.ROOT) || created.contains(node);
  }

  /** The bytes of the first entries. */
  public List<byte[]> first(long count) {
    return List.copyOf(durable.subList(0, (int) count));
  }

  /** The leader refuses an intent with EIO, and has not been able to read a page of its state. */
  public void refusedForPage(IntentId intent) {
    mutations.refusedForPage(intent);
  }

  /** A worker sends an intent, and says this of the call. */
  public void sent(IntentId intent, CallContext context) {
    hazards.sent(intent, context);
  }

  /** A leader begins that does not know what agents did up to an entry; 0 if it knows all. */
  public void begun(long forgottenThrough) {
    hazards.begun(forgottenThrough);
  }

  /**
   * The leader sends this message. Any index in it must be durable, so that no crash can take it
   * back (6.3).
   */
  public void sent(LeaderMessage message) {
    long index =
        switch (message) {
          case LeaderMessage.CommitAck ack -> ack.asOfIndex();
          case LeaderMessage.IntentStatusResponse(_, _, LeaderMessage.Committed committed) ->
              committed == null ? 0 : committed.logIndex();
          case LeaderMessage.Welcome welcome -> welcome.commitIndex();
          case LeaderMessage.Heartbeat(_, long commitIndex, _, _) -> commitIndex;
          case LeaderMessage.BarrierResponse(_, long commitIndex) -> commitIndex;
          case LeaderMessage.LogEntries(long commitIndex, _, _) -> commitIndex;
          case LeaderMessage.LockResponse lock -> lock.commitIndex();
          case LeaderMessage.SnapshotOffer offer -> offer.index();
          case LeaderMessage.PastState state -> state.index();
          case LeaderMessage.Refused _,
              LeaderMessage.ChunkNeed _,
              LeaderMessage.ChunkWanted _,
              LeaderMessage.PastStateRefused _,
              LeaderMessage.MulticastGroup _,
              LeaderMessage.SessionRenewed _,
              LeaderMessage.Revocations _,
              LeaderMessage.VisibilityLease _,
              LeaderMessage.Notice _,
              LeaderMessage.RateLimited _,
              LeaderMessage.ChunkData _,
              LeaderMessage.ChunkUnavailable _,
              LeaderMessage.LockExpiryWarning _ ->
              0;
        };
    if (index > index()) {
      throw new Violation(
          "the leader goes by entry " + index + ", the log is durable through " + index());
    }
  }

  /** The newest index known to be durable. */
  public long index() {
    return durable.size();
  }

  /** The root after entry {@code index}, which must not be past {@link #index}. */
  public Hash root(long index) {
    return roots.get((int) index);
  }

  /** The state after entry {@code index}, which must not be past {@link #index}. */
  FsState state(long index) {
    return states.get((int) index);
  }

  /** Entry {@code index}, which must not be past {@link #index}. */
  public LogEntry entry(long index) {
    return decode(durable.get((int) index - 1));
  }

  /** The time of entry {@code index}; 0 for index 0. */
  long timeNs(long index) {
    return index == 0 ? 0 : entry(index).committedAtNs();
  }

  /** Index of the durable entry that removed the last name of this orphan. */
  long orphanedBy(NodeId orphan) {
    int k = states.size() - 1;
    while (k > 0 && isOrphan(states.get(k - 1), orphan)) {
      k--;
    }
    Violation.unless(isOrphan(states.get(k), orphan), orphan, " is no durable orphan");
    return k;
  }

  /** The durable entries that restore a state, the oldest first. */
  public List<Long> restores() {
    return restores;
  }

  /** Whether an entry that restores a state has taken this node away, at any time. */
  boolean isTakenByRestore(NodeId node) {
    return restores.stream()
        .anyMatch(k -> state(k - 1).node(node) != null && state(k).node(node) == null);
  }

  private static boolean isOrphan(FsState state, NodeId id) {
    Node node = state.node(id);
    return node != null && node.isOrphan();
  }

  /** When the entry was first known to be durable, in nanoseconds of the clock. */
  long durableSinceNs(long index) {
    return durableSinceNs.get((int) index);
  }

  /**
   * Whether the op fails with {@code errno} on one of the states after entry {@code from} to {@code
   * to}: an error must have been true at some moment between the call and its answer (6.2).
   */
  boolean explains(FsOp op, Errno errno, long from, long to) {
    for (long k = Math.min(to, index()); k >= from; k--) {
      FsState state = states.get((int) k);
      Outcome outcome = FsStateMachine.apply(state, FsStateMachine.resolve(state, op), ANY_STAMP);
      if (outcome instanceof Outcome.Failed(Errno found) && found == errno) {
        return true;
      }
    }
    return false;
  }

  /**
   * More entries are durable now.
   *
   * @param log all durable entries from the first one on
   */
  public void grew(List<byte[]> log) {
    for (int i = durable.size(); i < log.size(); i++) {
      accept(log.get(i));
    }
  }

  /**
   * The leader has recovered this log. Everything that was durable before must be in it, and the
   * chunk store must hold all chunks, including those whose only durable copy was in the log.
   *
   * @param store the leader's chunks; null if its disk is full
   * @param collectedThrough chunks that only entries up to this one mention may be gone, unless the
   *     state after it has them
   */
  public void recovered(List<byte[]> log, @Nullable ChunkStore store, long collectedThrough) {
    Violation.unless(
        log.size() >= durable.size(),
        "the recovered log ends at ",
        log.size(),
        ", entry ",
        durable.size(),
        " had been durable");
    for (int i = 0; i < durable.size(); i++) {
      Violation.unless(
          Arrays.equals(log.get(i), durable.get(i)),
          "entry ",
          i + 1,
          " is another one after the recovery");
    }
    grew(log);
    if (store != null) {
      for (ChunkRef chunk : needed(collectedThrough)) {
        Violation.unless(
            store.length(chunk.hash()) == chunk.length(),
            "the leader has recovered without chunk ",
            chunk);
      }
    }
  }

  /**
   * Whether the leader must have this chunk for whoever begins with the state after an entry: that
   * state has it, or an entry behind it mentions it, or restores a state that has it. All later
   * states have no others.
   */
  public boolean isNeeded(Hash chunk, long after) {
    return needed(after).stream().anyMatch(ref -> ref.hash().equals(chunk));
  }

  private Set<ChunkRef> needed(long after) {
    Set<Hash> inState = chunksOf(states.get((int) after));
    Set<ChunkRef> needed = new LinkedHashSet<>();
    chunks.forEach(
        (chunk, last) -> {
          if (last > after || inState.contains(chunk.hash())) {
            needed.add(chunk);
          }
        });
    return needed;
  }

  private static Set<Hash> chunksOf(FsState state) {
    Set<Hash> chunks = new HashSet<>();
    for (Node node : state.nodes()) {
      StateChunks.forEach(node, chunks::add);
    }
    return chunks;
  }

  private void accept(byte[] bytes) {
    LogEntry entry = decode(bytes);
    long index = durable.size() + 1L;
    FsState state = states.getLast();
    Violation.unless(entry.index() == index, "entry ", index, " calls itself ", entry.index());
    Violation.unless(
        entry.committedAtNs() > lastTimeNs, "committed_at of entry ", index, " does not move on");
    Long before = lastSeqNo.put(entry.intent().client(), entry.intent().seqNo());
    Violation.unless(
        before == null || before < entry.intent().seqNo(),
        "entry ",
        index,
        ": intent ",
        entry.intent(),
        " was committed after seq_no ",
        before,
        " of the same client");
    if (entry.op() instanceof FsOp.Write write && write.mode() == WriteMode.APPEND) {
      Node file = state.node(write.node());
      Violation.unless(
          file != null && write.offset() == file.attributes().size(),
          "entry ",
          index,
          " appends at ",
          write.offset(),
          ", not at the end of the file");
    }
    if (entry.op() instanceof FsOp.CopyRange copy) {
      Violation.unless(
          copy.equals(FsStateMachine.resolve(state, copy)),
          "entry ",
          index,
          " copies more than one op may: ",
          copy.length());
    }
    Stamp stamp = new Stamp(entry.committedAtNs(), entry.createdNode());
    switch (FsStateMachine.apply(state, entry.op(), stamp, this::restored)) {
      case Outcome.Failed(var errno) ->
          throw new Violation("entry " + index + " cannot be replayed: " + errno);
      case Outcome.Applied(FsState next) -> {
        Hash root = next.root();
        Violation.unless(
            root.equals(entry.root()), "entry ", index, " has another root than its replay");
        if (isKnown) {
          hazards.replayed(entry, state, next);
        } else {
          hazards.accept(entry, state, next);
        }
        states.add(next);
        roots.add(root);
      }
    }
    for (ChunkRef chunk : entry.op().chunks()) {
      if (chunk.length() > 0) {
        chunks.put(chunk, index);
      }
    }
    Violation.unless(
        entry.createdNode().equals(LogEntry.NO_NODE) || created.add(entry.createdNode()),
        "entry ",
        index,
        " makes a node with the id of an earlier one: ",
        entry.createdNode());
    acceptInode(entry);
    if (entry.op() instanceof FsOp.RestoreState) {
      restores.add(index);
      Set<Hash> back = chunksOf(states.getLast());
      chunks.replaceAll((chunk, last) -> back.contains(chunk.hash()) ? Long.valueOf(index) : last);
    }
    lastTimeNs = entry.committedAtNs();
    durable.add(bytes);
    durableSinceNs.add(clock.monotonicNs());
    if (!isKnown) {
      mutations.logged(entry);
    }
  }

  /** No root shows that a number is given again: all replicas would give it again. */
  private void acceptInode(LogEntry entry) {
    Node made = states.getLast().node(entry.createdNode());
    Violation.unless(
        made == null || inodes.add(made.inode()),
        "entry ",
        entry.index(),
        " makes a node with the inode number of an earlier one: ",
        made == null ? "" : made.inode());
  }

  /** The state after an earlier entry, as it was computed from the entries before it. */
  private FsState restored(byte[] manifest) throws DecodeException {
    long index = Manifest.index(manifest);
    Violation.unless(
        index < states.size() && roots.get((int) index).equals(Manifest.root(manifest)),
        "an entry restores a state that was none after entry ",
        index);
    return states.get((int) index);
  }

  private static LogEntry decode(byte[] bytes) {
    try {
      return LogEntryCodec.decode(bytes);
    } catch (DecodeException e) {
      throw new IllegalStateException("the log holds what is no entry", e);
    }
  }
}
