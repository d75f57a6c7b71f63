package io.hypersync.worker.port;

import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.PageRange;
import java.util.List;

/**
 * Makes the kernel forget. Called on the agent's thread; nothing here blocks. What has a ticket and
 * cannot be done at once is reported later through {@code WorkerAgent.dropped}.
 */
public interface CacheNotifier {
  /**
   * Drops attributes, at once.
   *
   * @return false if the kernel does not know the inode; perhaps it has not yet taken up the answer
   *     in which it hears of it, so {@link #dropContents} must make sure
   */
  boolean dropAttributes(long inode);

  /**
   * Drops names. The kernel does each only when no call there is changing the directory.
   *
   * @param expire only makes the kernel look the names up again, instead of unlinking them from its
   *     cache: for names that lead where the kernel itself has just put them
   */
  void dropNames(long ticket, List<CachedName> names, boolean expire);

  /**
   * Drops attributes of inodes that the kernel may be about to hear of, and pages of others. It
   * waits for no call that waits for a commit.
   */
  void dropContents(long ticket, List<Long> attributes, List<PageRange> pages);

  /**
   * Drops the listing of a directory. A process that is just reading it can hold that up for as
   * long as its own memory takes to be there: if it does so for long, the ticket is also reported
   * through {@code WorkerAgent.heldUp}, before it is done.
   */
  void dropListing(long ticket, long inode);

  /** Makes the kernel look every name of the mount up again, at once. */
  void distrustNames();

  /**
   * Has the kernel let go of those of these inodes that nobody uses, if it can: it keeps what it
   * knows until memory is short. Nobody waits for it.
   */
  void prune(List<Long> inodes);
}
