package io.hypersync.leader.sequencer;

import io.hypersync.leader.hazard.Enforcement;
import io.hypersync.leader.hazard.HazardDetector;
import io.hypersync.leader.hazard.TouchWindow;
import io.hypersync.leader.hazard.WindowStore;
import io.hypersync.leader.lease.Orphans;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.AllocateMode;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.OrphanChanges;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Entropy;
import io.hypersync.runtime.stages.SampledProcessorTime;
import io.hypersync.snapshot.schedule.SnapshotSource;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The only code that changes S_head: gives an op its index, time and ids, applies it, and appends
 * the entry to the log (hypersync.md 5.2, 8.1, 9.4). S_head is not durable yet: no answer may rest
 * on an entry before {@link OpLog#durableIndex()} has reached it. Used on the agent's thread only.
 */
public final class Sequencer implements SnapshotSource {
  /** Of an op that is not possible. */
  private static final StateWeight.Step NONE = new StateWeight.Step(0, 0, 0);

  private final OpLog log;
  private final Clock clock;
  private final Entropy entropy;
  private final IntentIndex intents;
  private final Orphans orphans;
  private final RootLatencies rootTimes = new RootLatencies();
  private final DirtyMemory memory;
  private final RestoredStates restored;
  private final Enforcement enforcement = new Enforcement(IntentHandler.LEADER);
  private final HazardDetector hazards;
  private final SampledProcessorTime hazardTime;
  private final long maxStateBytes;
  private FsState head;
  private final RootHistory roots;
  private long weight;
  private long headIndex;
  private long lastTimeNs;
  private long full;

  /**
   * What agents had done when a snapshot was decided last. Read by the thread that takes it: the
   * next one is decided after that one has ended.
   */
  private volatile TouchWindow.@Nullable Image windowOfSnapshot;

  /**
   * Continues from a recovered state, which must be the state after the log's last entry.
   *
   * @param maxStateBytes an op that makes the state heavier is refused with ENOSPC, before it is
   *     logged, if more than this of the state could not be dropped from memory ({@link
   *     DirtyMemory})
   */
  public Sequencer(
      LeaderState recovered, OpLog log, Clock clock, Entropy entropy, long maxStateBytes) {
    this.maxStateBytes = maxStateBytes;
    this.weight = recovered.weight();
    this.memory = recovered.memory();
    this.restored = recovered.restored();
    this.hazards = new HazardDetector(IntentHandler.LEADER, recovered.window());
    this.hazardTime = new SampledProcessorTime(clock);
    this.log = log;
    this.clock = clock;
    this.entropy = entropy;
    this.intents = recovered.intents();
    this.orphans = new Orphans(recovered.state(), recovered.index());
    this.head = recovered.state();
    this.roots = new RootHistory(recovered.index(), recovered.root());
    this.headIndex = recovered.index();
    this.lastTimeNs = recovered.lastTimeNs();
  }

  /** Outcome of {@link #sequence}. */
  public sealed interface Result {
    /** The op is entry {@code entry.index()} of the log, not durable yet. */
    record Sequenced(LogEntry entry, byte[] encoded) implements Result {}

    /** The op was refused; nothing was logged. */
    record Refused(Errno errno) implements Result {}
  }

  /**
   * Sequences one op: chooses its index, time and ids, applies it to S_head and appends it to the
   * log. All its chunks must be in the store, or in {@code inlinePayload}.
   *
   * @param author who made the call
   * @param context of the call, for hazards
   * @return {@code Refused} with ENOSPC if the log has no room or the state may not grow, with the
   *     state machine's errno if the op is not possible, with EACCES if another agent holds the
   *     path and that is enforced, with EIO if a page of the state cannot be read; then nothing has
   *     changed. An op that does not enlarge the state is not subject to its limit
   */
  public Result sequence(
      IntentId intent, Author author, CallContext context, FsOp op, byte[] inlinePayload) {
    long timeNs = Math.max(clock.epochNs(), lastTimeNs + 1);
    FsOp resolved;
    NodeId newNode;
    Outcome outcome;
    StateWeight.Step step;
    try {
      resolved = FsStateMachine.resolve(head, op);
      Errno refusal = FsStateMachine.refusal(head, resolved);
      if (refusal != null) {
        return new Result.Refused(refusal);
      }
      newNode = createsNode(resolved) ? newNodeId(timeNs) : LogEntry.NO_NODE;
      outcome = applied(resolved, new Stamp(timeNs, newNode));
      step =
          outcome instanceof Outcome.Applied(FsState next) ? step(resolved, newNode, next) : NONE;
    } catch (PageUnreadableException e) { // nothing is logged yet
      return new Result.Refused(Errno.EIO);
    }
    switch (outcome) {
      case Outcome.Failed(Errno errno) -> {
        return new Result.Refused(errno);
      }
      case Outcome.Applied(FsState next) -> {
        if (enforcement.isOn()
            && enforcement.refuses(
                resolved, author, context.paths(), head, next, timeNs, clock.monotonicNs())) {
          return new Result.Refused(Errno.EACCES);
        }
        long growth = memory.growth(step.change(), step.fresh());
        if (growth > 0 && !memory.isWithin(maxStateBytes, growth)) {
          full++;
          return new Result.Refused(Errno.ENOSPC);
        }
        if (log.isNearlyFull() && !frees(resolved)) {
          return new Result.Refused(Errno.ENOSPC);
        }
        long index = headIndex + 1;
        long beganNs = clock.monotonicNs();
        Hash root = next.root();
        rootTimes.add(clock.monotonicNs() - beganNs);
        hazardTime.begin();
        HazardReport found = hazards.report(resolved, index, timeNs, author, context, head, next);
        hazardTime.end();
        LogEntry entry =
            new LogEntry(
                index,
                TimeOrderedIds.op(timeNs, entropy),
                timeNs,
                intent,
                author.worker(),
                author.agent(),
                resolved,
                newNode,
                root,
                found.encode(),
                inlinePayload);
        byte[] encoded = LogEntryCodec.encode(entry);
        boolean chunksInStore = inlinePayload.length == 0 && hasPayload(resolved);
        try {
          log.append(index, encoded, chunksInStore);
        } catch (OpLogFullException e) {
          return new Result.Refused(Errno.ENOSPC);
        }
        roots.add(index, root, log.durableIndex()); // before anything else that could fail
        checkAppend(op, resolved, next);
        orphans.applied(entry, head, next);
        hazards.logged(resolved, found);
        head = next;
        weight = step.weight();
        memory.adopted(growth);
        headIndex = index;
        lastTimeNs = timeNs;
        intents.add(entry);
        return new Result.Sequenced(entry, encoded);
      }
    }
  }

  /** Whether an op gives room back, now or with the next collection. */
  private boolean frees(FsOp op) {
    return switch (op) {
      case FsOp.Unlink _, FsOp.RemoveDir _, FsOp.ReapOrphans _, FsOp.RemoveXattr _ -> true;
      case FsOp.Truncate truncate -> {
        Node node = head.node(truncate.node());
        yield node != null && truncate.size() < node.attributes().size();
      }
      case FsOp.Allocate allocate -> allocate.mode() == AllocateMode.PUNCH_HOLE;
      default -> false;
    };
  }

  /**
   * Those of these nodes that the newest state has, and that have no name in an earlier one.
   *
   * @param manifest of the earlier state
   * @throws DecodeException if it is no manifest of this log
   * @throws PageUnreadableException if a page of a state cannot be read
   */
  public List<NodeId> lostBy(byte[] manifest, Set<NodeId> nodes) throws DecodeException {
    FsState earlier = restored.read(manifest);
    return nodes.stream()
        .filter(node -> head.node(node) != null && !earlier.hasNamed(node))
        .toList();
  }

  private Outcome applied(FsOp op, Stamp stamp) {
    return memory.counting(() -> FsStateMachine.apply(head, op, stamp, restored));
  }

  /**
   * What the op does to the weight. Has everything in memory that is looked at once the op is
   * logged.
   */
  private StateWeight.Step step(FsOp op, NodeId created, FsState next) {
    OrphanChanges.look(op, created, head, next);
    return StateWeight.step(weight, op, created, head, next);
  }

  /** Checks the offset chosen for an append against the states before and after (22.1(7)). */
  private void checkAppend(FsOp op, FsOp resolved, FsState next) {
    if (op instanceof FsOp.Write write
        && write.mode() == WriteMode.APPEND
        && resolved instanceof FsOp.Write at) {
      Node before = head.node(at.node());
      Node after = next.node(at.node());
      long bytes = IntentValidator.payloadBytes(at);
      Invariant.APPENDS_DO_NOT_OVERLAP.check(
          before != null
              && after != null
              && at.offset() == before.attributes().size()
              && after.attributes().size() == at.offset() + bytes);
    }
  }

  /** The index of the newest entry, durable or not. */
  public long headIndex() {
    return headIndex;
  }

  @Override
  public long index() {
    return headIndex;
  }

  @Override
  public void decided() {
    windowOfSnapshot = hazards.window().image(headIndex, head.root());
  }

  /**
   * Stores what agents had done when the snapshot was decided that is about to be taken. Any
   * thread.
   *
   * @param index of the snapshot
   * @throws IOException if it cannot be stored
   */
  public void storeWindow(long index, WindowStore store) throws IOException {
    TouchWindow.Image image = windowOfSnapshot;
    if (image != null && image.index() == index) {
      store.write(image);
    }
  }

  @Override
  public Manifest manifest(WorkspaceId workspace) {
    return new Manifest(workspace, headIndex, lastTimeNs, weight, head);
  }

  /** The time of the newest entry, in nanoseconds since 1970; 0 if there is none. */
  public long lastTimeNs() {
    return lastTimeNs;
  }

  /** S_head: the state after the newest entry, durable or not. */
  public FsState head() {
    return head;
  }

  /**
   * The newest durable entry and the Merkle root after it, which are older than {@link #head} while
   * entries are being written.
   */
  public IndexedRoot durable() {
    return roots.at(log.durableIndex());
  }

  /** About how many bytes of heap {@link #head} takes if all of it is in memory. */
  public long weight() {
    return weight;
  }

  @Override
  public boolean takesTooMuch() {
    return memory.isMuch(maxStateBytes);
  }

  /** About how many bytes of heap {@link #head} takes that cannot be dropped. */
  public long undroppable() {
    return memory.bytes();
  }

  /** How large {@link #undroppable} may become, in bytes; growing beyond it gives ENOSPC. */
  public long maxStateBytes() {
    return maxStateBytes;
  }

  /** How many ops were refused because of {@link #maxStateBytes}. */
  public long refusedFull() {
    return full;
  }

  /** How long updating the Merkle root took after each op. */
  public RootLatencies rootTimes() {
    return rootTimes;
  }

  /** The nodes of {@link #head} that have no name. */
  public Orphans orphans() {
    return orphans;
  }

  /** The processor time that deciding which hazards entries have took, in nanoseconds. */
  public long hazardNs() {
    return hazardTime.totalNs();
  }

  /** The overlaps of the work of different agents. */
  public HazardDetector hazards() {
    return hazards;
  }

  /** What is refused because another agent holds it. */
  public Enforcement enforcement() {
    return enforcement;
  }

  /** The log indexes of committed intents. */
  public IntentIndex intents() {
    return intents;
  }

  private static boolean hasPayload(FsOp op) {
    for (ChunkRef chunk : op.chunks()) {
      if (chunk.length() > 0) {
        return true;
      }
    }
    return false;
  }

  private static boolean createsNode(FsOp op) {
    return switch (op) {
      case FsOp.CreateFile _,
          FsOp.MakeDir _,
          FsOp.MakeSymlink _,
          FsOp.MakeNode _,
          FsOp.MakeTemporary _ ->
          true;
      case FsOp.Link _,
          FsOp.Unlink _,
          FsOp.RemoveDir _,
          FsOp.Rename _,
          FsOp.Write _,
          FsOp.Truncate _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.ReapOrphans _,
          FsOp.Allocate _,
          FsOp.CopyRange _,
          FsOp.LinkTemporary _,
          FsOp.RestoreState _ ->
          false;
    };
  }

  private NodeId newNodeId(long timeNs) {
    NodeId id = TimeOrderedIds.node(timeNs, entropy);
    return head.node(id) == null ? id : newNodeId(timeNs);
  }
}
