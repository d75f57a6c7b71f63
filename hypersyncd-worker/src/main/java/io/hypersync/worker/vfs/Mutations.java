package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.WaitingCall;
import java.util.function.Consumer;

/** The way of mutations, and of wishes, out of the vfs, from any thread; nothing here blocks. */
public interface Mutations {
  /** Whether mutations are accepted now; if not they end with EROFS (hypersync.md 6.4). */
  boolean isWritable();

  /** What is written is cut into chunks of so many bytes, as the leader wants it (9.1). */
  int chunkMax();

  /** Whether what is visible here is all that is known to be committed (6.2). */
  boolean isFresh();

  /**
   * Whether something from the leader has come to this machine that nobody has looked at yet; what
   * is visible here may be older than that. Costs next to nothing.
   */
  boolean hasUnread();

  /**
   * Calls back when that has been looked at. That is soon, for it waits neither for the leader nor
   * for the kernel; so what it has changed need not be visible yet.
   */
  void whenRead(Runnable ready);

  /** The call is ready when it is, or when the leader is out of touch; perhaps at once. */
  void whenFresh(WaitingCall call);

  /** The same for all that is committed by now, which the leader is asked about (5.3). */
  void whenCurrent(WaitingCall call);

  /**
   * Whether a path may have led to this node from which another machine has taken it since; to be
   * asked when a call of {@link #whenCurrent} is ready, on the same thread.
   */
  boolean hasLostName(NodeId node);

  /** Runs this when the kernel, too, knows all that it has to of the entry with this index. */
  void whenSettled(long index, Runnable ready);

  /** Hands a mutation over; its completion is called later, or at once. */
  void submit(Mutation mutation);

  /** The call is ready when what is in flight on this node from here has ended (6.5). */
  void fsync(NodeId node, WaitingCall call);

  /**
   * Gets a chunk from the leader that the local store has had and cannot read any more. One of the
   * two is run, once, on the agent's thread or at once.
   *
   * @param ready it is here again
   * @param failed told why it cannot be had
   */
  void fetchAgain(ChunkRef chunk, Runnable ready, Consumer<Errno> failed);

  /**
   * The caller of a request that was handed over here, or to nobody, has got a signal.
   *
   * @param pid the thread that made the request
   */
  void interrupted(long unique, int pid);
}
