package io.hypersync.worker.port;

import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.Growth;
import io.hypersync.worker.coherence.MovedDirectory;
import io.hypersync.worker.coherence.PageRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the kernel forget, and follow. Called on the agent's thread; nothing here blocks. What has
 * a ticket and cannot be done at once is reported later through {@code WorkerAgent.dropped}.
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
   * @param dropped to be taken out of its cache: what is mounted on or below one is detached
   * @param expired to be looked up again before they are used, and to stay where they are until
   *     then: names that lead where the kernel itself has just put them, and those of directories
   *     that are to be found elsewhere
   */
  void dropNames(long ticket, List<CachedName> dropped, List<CachedName> expired);

  /**
   * Of names that the kernel does not come to drop, because it has their directory locked: has them
   * looked up again by what is possible without the lock. It waits for nobody.
   *
   * @param inodes nodes to which such names lead
   * @param missing whether there are names among them that the kernel has found missing: it then
   *     lets go of everything that nobody uses, in all of the mount
   */
  void loosenNames(long ticket, List<Long> inodes, boolean missing);

  /**
   * Drops attributes of inodes that the kernel may be about to hear of, and pages of others; then
   * has it know how long a file is. It waits for no call that waits for a commit.
   *
   * @param growth what has become longer; what is visible is just the state in which it has
   */
  void dropContents(
      long ticket, List<Long> attributes, List<PageRange> pages, @Nullable Growth growth);

  /**
   * Drops the listing of a directory. A process that is just reading it can hold that up for as
   * long as its own memory takes to be there: if it does so for long, the ticket is also reported
   * through {@code WorkerAgent.heldUp}, before it is done.
   */
  void dropListing(long ticket, long inode);

  /**
   * Has the kernel find directories at their new places, with all that is in them and below. It
   * waits for calls that change the directories on the way there, and tries until it can be done.
   */
  void followMoves(long ticket, List<MovedDirectory> moved);

  /** Has the kernel know who owns this node now. It waits for no call that waits for a commit. */
  void refreshOwner(long ticket, long inode);

  /**
   * Has the kernel let go of those of these inodes that nobody uses, if it can: it keeps what it
   * knows until memory is short. Nobody waits for it.
   */
  void prune(List<Long> inodes);
}
