package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.WaitingCall;
import java.util.List;
import java.util.function.Consumer;

/**
 * Hands mutations, and requests that have to wait, from the vfs to the agent. Callable from any
 * thread; nothing here blocks.
 */
public interface Mutations {
  /** Whether mutations are accepted now; if not, they fail with EROFS (hypersync.md 6.4). */
  boolean isWritable();

  /**
   * Whether mutations that are not accepted now wait for the leader, if they are submitted, before
   * they fail ({@code partition_grace}).
   */
  boolean isAwaitingLeader();

  /**
   * Runs the call once mutations are accepted, or the leader is not waited for any more; or {@code
   * refused} if it cannot wait.
   */
  void whenWritable(WaitingCall call, Runnable refused);

  /**
   * The size in bytes of the chunks into which written data is split, as set by the leader (9.1).
   */
  int chunkMax();

  /** Whether everything that is known to be committed is visible on this mount (6.2). */
  boolean isFresh();

  /**
   * Whether packets have arrived from the leader that the agent has not read yet; the visible state
   * may be older than they are. Costs about a microsecond.
   */
  boolean hasUnread();

  /**
   * Runs {@code ready} once those packets have been read. That is soon, since it waits neither for
   * the leader nor for the kernel; so the entries in them need not be visible yet.
   */
  void whenRead(Runnable ready);

  /**
   * Runs the call once everything that is known to be committed now is visible, or once the leader
   * is unreachable; perhaps before this returns.
   */
  void whenFresh(WaitingCall call);

  /**
   * Like {@link #whenFresh}, for everything that is committed by now: the leader is asked (5.3).
   */
  void whenCurrent(WaitingCall call);

  /**
   * Whether another host may have removed this node from a path that had led to it. To be called
   * when a call of {@link #whenCurrent} is ready, on the same thread.
   */
  boolean hasLostName(NodeId node);

  /**
   * Runs {@code ready} once the kernel has completed the invalidations of the entry with this
   * index.
   */
  void whenSettled(long index, Runnable ready);

  /**
   * Submits a mutation; its completion is called later on the agent's thread, or before this
   * returns.
   */
  void submit(Mutation mutation);

  /**
   * Runs the call once the mutations of this node that are in flight from this mount have ended
   * (6.5).
   */
  void fsync(NodeId node, WaitingCall call);

  /**
   * Fetches chunks from the leader that are not in the local store, or cannot be read there any
   * more. Exactly one of the two callbacks is run, once, on any thread, or before this returns.
   *
   * @param chunks different ones
   * @param ready run when all of them are in the local store
   * @param failed given the errno if one of them cannot be fetched
   */
  void fetchAgain(List<ChunkRef> chunks, Runnable ready, Consumer<Errno> failed);

  /**
   * The caller of a request has received a signal, whether or not the request was handed over here.
   *
   * @param pid the thread that made the request
   */
  void interrupted(RequestId unique, int pid);
}
