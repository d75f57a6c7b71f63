package io.hypersync.mutants;

import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.port.HeldState;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.agent.CallerRunsExecutor;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotSource;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.worker.port.LeaderLink;
import io.hypersync.worker.replica.IndexCallbacks;
import io.hypersync.worker.replica.IndexedState;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Replacements for calls in mutants; called by changed bytecode only. */
public final class MutantReplacements {
  /** The number of the first node that is made; the root directory has 1. */
  private static final long FIRST_INODE = 2;

  private MutantReplacements() {}

  /** Replaces {@code Math.max} by its first argument. */
  public static long first(long first, long second) {
    return first;
  }

  /** Takes a lock if it is free, and says so if it is not. */
  public static boolean asIfFree(ReentrantLock lock) {
    boolean _ = lock.tryLock();
    return true;
  }

  /** Puts off as a task of its own what is to come before all else that home does. */
  public static void atHomeLater(CallerRunsExecutor thread, Runnable task) {
    if (!thread.isCaller()) {
      task.run();
      return;
    }
    try {
      Field home = CallerRunsExecutor.class.getDeclaredField("home");
      home.setAccessible(true);
      ((Executor) home.get(thread)).execute(() -> thread.owned(task));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /** Says of one entry more that it is visible than is: the next one is being shown. */
  public static void oneAhead(LeaderLink link, WorkerMessage message) {
    link.send(
        message instanceof WorkerMessage.WorkerVisible(long settled, long sentNs)
            ? new WorkerMessage.WorkerVisible(settled + 1, sentNs)
            : message);
  }

  /** Takes what is mounted of the past for not mounted. */
  public static List<HeldState> noneHeld(PastHolds holds) {
    return List.of();
  }

  /** Forgets over a start what was mounted of the past. */
  public static List<Snapshot> noneStored(PastHolds.Start start) {
    return List.of();
  }

  /** Takes what entries restore for not held. */
  public static List<HeldRestore> noRestores(StateRestores restores) {
    return List.of();
  }

  /** Takes nothing that is open for lost by a restore. */
  public static List<NodeId> nothingLost(StateRestores.Leader leader, byte[] manifest) {
    return List.of();
  }

  /** Replaces {@code Math.max} by itself, as a control. */
  public static long larger(long first, long second) {
    return Math.max(first, second);
  }

  /** Runs the action at once instead of when the index is reached. */
  public static void atOnce(IndexCallbacks waits, long index, Runnable action) {
    action.run();
  }

  /** Takes a number for one less when it is compared. */
  public static int oneMore(long number, long limit) {
    return Long.compare(number - 1, limit);
  }

  /** Sorts in the opposite order. */
  public static <T> void sortBackwards(List<T> list, Comparator<T> order) {
    list.sort(order.reversed());
  }

  /** The name of a segment that was published. */
  public static Path publishedSegment(Path log, long sequence) {
    return log.resolve(String.format("segment-%016x", sequence));
  }

  /** A manifest that claims one entry more than its state has. */
  public static Manifest oneTooHigh(SnapshotSource source, WorkspaceId workspace) {
    Manifest right = source.manifest(workspace);
    return new Manifest(
        workspace, right.index() + 1, right.lastTimeNs(), right.weight(), right.state());
  }

  /** Has a snapshot taken of what a worker has applied ahead of the leader's disk. */
  public static boolean tickAhead(
      SnapshotManager manager, SnapshotSource replica, long durable, long nowNs) {
    IndexedState head = head(replica);
    SnapshotSource ahead =
        new SnapshotSource() {
          @Override
          public long index() {
            return head.index();
          }

          @Override
          public Manifest manifest(WorkspaceId workspace) {
            FsState state = head.state();
            return new Manifest(workspace, head.index(), 0, StateWeight.of(state), state);
          }
        };
    return manager.tick(ahead, Long.MAX_VALUE, nowNs);
  }

  /** Has snapshots taken that do not list the nodes without a name, which no root covers. */
  public static boolean tickWithoutOrphans(
      SnapshotManager manager, SnapshotSource replica, long durable, long nowNs) {
    SnapshotSource wrong =
        new SnapshotSource() {
          @Override
          public long index() {
            return replica.index();
          }

          @Override
          public Manifest manifest(WorkspaceId workspace) {
            Manifest right = replica.manifest(workspace);
            return new Manifest(
                workspace,
                right.index(),
                right.lastTimeNs(),
                right.weight(),
                withoutOrphans(right.state()));
          }
        };
    return manager.tick(wrong, durable, nowNs);
  }

  private static FsState withoutOrphans(FsState state) {
    try {
      Method nextInode = FsState.class.getDeclaredMethod("nextInode");
      nextInode.setAccessible(true);
      Constructor<FsState> of =
          FsState.class.getDeclaredConstructor(
              RootVersion.class, MerkleTrie.class, MerkleTrie.class, long.class, long.class);
      of.setAccessible(true);
      return of.newInstance(
          state.version(),
          state.nodes(),
          MerkleTrie.empty(),
          nextInode.invoke(state),
          state.allocated());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /** Begins to count inode numbers anew. */
  public static FsState countingAnew(LeaderState recovered) {
    try {
      Method with = FsState.class.getDeclaredMethod("withNextInode", long.class);
      with.setAccessible(true);
      return (FsState) with.invoke(recovered.state(), FIRST_INODE);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /** Leaves the next inode number as an earlier state has it. */
  public static FsState sameInode(FsState earlier, long nextInode) {
    return earlier;
  }

  private static IndexedState head(SnapshotSource replica) {
    try {
      Field head = replica.getClass().getDeclaredField("head");
      head.setAccessible(true);
      return (IndexedState) head.get(replica);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /** Takes the oldest row of a table for the one that is looked for. */
  public static <K, V> @Nullable Object firstOf(Map<K, V> table, Object key) {
    return table.isEmpty() ? null : table.values().iterator().next();
  }

  /** Takes a page that cannot be read for the last one. */
  public static boolean stepOrNothing(PageWalker walker) {
    try {
      return walker.step();
    } catch (DecodeException | PageMissingException e) {
      return false;
    }
  }

  /** Returns the op unresolved, without offsets and lengths filled in. */
  public static FsOp unresolved(FsState state, FsOp op) {
    return op;
  }
}
