package io.hypersync.worker.intents;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.coherence.DirectoryLocks;
import io.hypersync.worker.coherence.LocalCalls;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.link.ReadBarrier;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Passes a mutation to the leader only when everything that was known to be committed when the call
 * began is visible here (hypersync.md 6.2), because the kernel walked the path that led to it on
 * this mount. Mutations through an open descriptor pass at once: no path walk has just led to their
 * node. Single-threaded.
 */
public final class MutationGate implements LocalCalls {
  private final IntentTracker intents;
  private final ReadBarrier readBarrier;
  private final Clock clock;
  private final long deadlineNs;
  private final LeaderAbsence absence;
  private Consumer<Mutation> again = mutation -> mutation.completion().failed(Errno.EROFS);

  /** Mutations that wait for that, in order of arrival, and the deadline of each (monotonic). */
  private final Map<Mutation, Long> waiting = new LinkedHashMap<>();

  private final List<Sync> syncs = new ArrayList<>();

  /** Mutations that wait for a leader that was lost, in order of arrival. */
  private final Set<Mutation> stranded = new LinkedHashSet<>();

  /** An fsync that waits behind mutations which have not been passed on. */
  private record Sync(NodeId node, Set<Mutation> behind, WaitingCall call) {}

  /**
   * Creates a gate with nothing waiting.
   *
   * @param deadlineNs MUTATION_DEADLINE in nanoseconds (6.4)
   * @param absence has mutations wait while there is no leader
   */
  public MutationGate(
      IntentTracker intents,
      ReadBarrier readBarrier,
      Clock clock,
      long deadlineNs,
      LeaderAbsence absence) {
    this.intents = intents;
    this.readBarrier = readBarrier;
    this.clock = clock;
    this.deadlineNs = deadlineNs;
    this.absence = absence;
  }

  /** The number of mutations that wait, here and for the leader. */
  public int size() {
    return waiting.size() + stranded.size() + intents.size();
  }

  /**
   * Takes a mutation. While it waits here it has not been sent: it fails with EROFS if the leader
   * is lost, with EINTR if its caller is being ended.
   *
   * @param settled the settled index of this worker
   */
  public void submit(Mutation mutation, long settled) {
    if (isByDescriptor(mutation.op())) {
      intents.submit(mutation, clock.monotonicNs());
      return;
    }
    waiting.put(mutation, clock.monotonicNs() + deadlineNs);
    readBarrier.whenFresh(
        settled,
        clock.monotonicNs(),
        new ReadBarrier.Waiter() {
          @Override
          public RequestId unique() {
            return mutation.unique();
          }

          @Override
          public void fresh() {
            if (waiting.remove(mutation) != null) {
              intents.submit(mutation, clock.monotonicNs());
              passed(mutation);
            }
          }

          @Override
          public void leaderLost() {
            if (waiting.remove(mutation) != null) {
              strand(mutation);
            }
          }

          @Override
          public void interrupted() {
            fail(mutation, Errno.EINTR);
          }
        });
  }

  /**
   * From now on this is given each mutation that has waited for the leader, when it is back or the
   * time is over.
   */
  public void whenOver(Consumer<Mutation> submitted) {
    again = submitted;
  }

  /**
   * Takes a mutation while there is no leader. It waits for one as long as {@link LeaderAbsence}
   * lets it, and fails with EROFS otherwise, or with EINTR if its caller is being ended.
   */
  public void strand(Mutation mutation) {
    stranded.add(mutation);
    long size = mutation.chunks().stream().mapToLong(chunk -> chunk.bytes().length).sum();
    WaitingCall call =
        new WaitingCall(
            mutation.unique(),
            () -> {
              stranded.remove(mutation);
              again.accept(mutation);
              passed(mutation);
            },
            () -> endStranded(mutation, Errno.EINTR));
    if (!absence.await(call, size)) {
      endStranded(mutation, Errno.EROFS);
    }
  }

  private void endStranded(Mutation mutation, Errno errno) {
    stranded.remove(mutation);
    mutation.completion().failed(errno);
    passed(mutation);
  }

  /** Gives up, with EINTR, what can be given up of a request whose caller is about to end. */
  public void interrupt(RequestId unique) {
    for (Sync sync : syncs) {
      if (sync.call.unique().equals(unique)) {
        syncs.remove(sync);
        sync.call.interrupted().run();
        return;
      }
    }
    if (!absence.interrupt(unique) && !readBarrier.interrupt(unique)) {
      var _ = intents.interrupt(unique);
    }
  }

  /** Whether a request waits, here or for the leader. */
  public boolean isWaiting(RequestId unique) {
    for (Sync sync : syncs) {
      if (sync.call.unique().equals(unique)) {
        return true;
      }
    }
    return absence.isWaiting(unique) || readBarrier.isWaiting(unique) || intents.isWaiting(unique);
  }

  /**
   * Ends with EIO the mutations that are past their deadline here: apply or invalidation is
   * stalled.
   */
  public void expire(long nowNs) {
    while (!waiting.isEmpty()) {
      Map.Entry<Mutation, Long> eldest = waiting.entrySet().iterator().next();
      if (eldest.getValue() - nowNs > 0) {
        return;
      }
      fail(eldest.getKey(), Errno.EIO);
    }
  }

  /**
   * Ends with EIO the mutations of these nodes that wait, here or for the leader. Those that the
   * leader does not have yet are never sent; the outcome of the others is unknown.
   */
  public void giveUp(Set<NodeId> nodes) {
    for (Mutation mutation : List.copyOf(waiting.keySet())) {
      if (nodes.stream().anyMatch(node -> IntentTracker.touches(mutation.op(), node))) {
        fail(mutation, Errno.EIO);
      }
    }
    intents.giveUp(nodes);
  }

  private void fail(Mutation mutation, Errno errno) {
    if (waiting.remove(mutation) != null) {
      mutation.completion().failed(errno);
      passed(mutation);
    }
  }

  /**
   * Answers fsync (6.5): runs the call once every mutation of this node that was submitted before
   * has ended.
   *
   * @return whether there was nothing to wait for
   */
  public boolean fsync(NodeId node, WaitingCall call) {
    Set<Mutation> behind = new LinkedHashSet<>();
    for (Mutation mutation : unsent()) {
      if (IntentTracker.touches(mutation.op(), node)) {
        behind.add(mutation);
      }
    }
    if (behind.isEmpty()) {
      return intents.awaitInFlight(node, call);
    }
    syncs.add(new Sync(node, behind, call));
    return false;
  }

  @Override
  public boolean isWaiting(IntentId intent) {
    return intents.isWaiting(intent);
  }

  @Override
  public boolean isAnyWaiting() {
    return !waiting.isEmpty() || !stranded.isEmpty() || !syncs.isEmpty() || intents.isAnyWaiting();
  }

  @Override
  public boolean mayHold(NodeId directory, FsState state, IntentId except) {
    for (Mutation mutation : unsent()) {
      if (IntentTracker.mayHold(mutation.op(), directory, state)) {
        return true;
      }
    }
    for (Sync sync : syncs) {
      if (sync.node.equals(directory)) {
        return true;
      }
    }
    return intents.mayHold(directory, state, except);
  }

  @Override
  public boolean holds(NodeId directory, IntentId except) {
    for (Mutation mutation : unsent()) {
      if (DirectoryLocks.holds(mutation.op(), directory)) {
        return true;
      }
    }
    return intents.holds(directory, except);
  }

  /** Mutations that have not been passed on: their calls hold the kernel's locks all the same. */
  private List<Mutation> unsent() {
    List<Mutation> all = new ArrayList<>(waiting.keySet());
    all.addAll(stranded);
    return all;
  }

  private void passed(Mutation mutation) {
    for (Iterator<Sync> all = syncs.iterator(); all.hasNext(); ) {
      Sync sync = all.next();
      if (sync.behind.remove(mutation) && sync.behind.isEmpty()) {
        all.remove();
        var _ = intents.awaitInFlight(sync.node, sync.call);
      }
    }
  }

  /**
   * Whether the op is made through a descriptor that the caller has open, so that no path walk has
   * just led to the node.
   */
  private static boolean isByDescriptor(FsOp op) {
    return op instanceof FsOp.Write || op instanceof FsOp.Allocate || op instanceof FsOp.CopyRange;
  }
}
