package io.hypersync.worker.port;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.Growth;
import io.hypersync.worker.coherence.MovedDirectory;
import io.hypersync.worker.coherence.PageRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends cache notifications to the kernel, and makes it follow moves and growth. Called on the
 * agent's thread; nothing here blocks. The completion of a notification with a ticket is reported
 * later through {@code WorkerAgent.dropped}.
 */
public interface CacheNotifier {
  /**
   * Drops attributes, before this returns.
   *
   * @return false if the kernel does not hold the inode; it may not yet have processed a reply that
   *     introduces the inode, so {@link #dropContents} must make sure
   */
  boolean dropAttributes(InodeNo inode);

  /**
   * Drops names. The kernel processes each only while no call is changing its directory.
   *
   * @param dropped names to be taken out of the cache, which detaches what is mounted on or below
   *     them
   * @param expired names that stay cached but are looked up again before they are used: names that
   *     lead where the kernel itself has just put them, and names of directories that will be found
   *     at another place
   */
  void dropNames(long ticket, List<CachedName> dropped, List<CachedName> expired);

  /**
   * Invalidates, by means that need no directory lock, names that the kernel does not get to drop
   * because their directory is locked. Waits for nobody.
   *
   * @param inodes nodes to which such names lead
   * @param missing whether the kernel has cached some of them as missing: it then forgets every
   *     name and inode of the mount that is not in use
   */
  void loosenNames(long ticket, List<InodeNo> inodes, boolean missing);

  /**
   * Drops attributes of inodes that the kernel may be about to learn of, and pages of others; then
   * gives the kernel the new size of a file. Waits for no call that itself waits for a commit.
   *
   * @param growth the file that has become longer, or null; the visible state is the one in which
   *     it has
   */
  void dropContents(
      long ticket, List<InodeNo> attributes, List<PageRange> pages, @Nullable Growth growth);

  /**
   * Drops the cached listing of a directory. A process that is reading it can delay that for as
   * long as its own memory takes to be paged in. After a long delay the ticket is also reported
   * through {@code WorkerAgent.heldUp}, before it completes.
   */
  void dropListing(long ticket, InodeNo inode);

  /**
   * Makes the kernel find directories at their new places, with everything in and below them. Waits
   * for calls that change the directories on the way there, and retries until it succeeds.
   */
  void followMoves(long ticket, List<MovedDirectory> moved);

  /**
   * Makes the kernel fetch the current owner of a node. Waits for no call that itself waits for a
   * commit.
   */
  void refreshOwner(long ticket, InodeNo inode);

  /**
   * Another state is about to take the place of the visible one, and nothing may be cached any
   * more: expires all names, and drops all attributes and listings that the kernel has. Waits for
   * calls that have directories locked only as long as anything moves on; what is left then is
   * looked up anew all the same.
   */
  void expireAll(long ticket);

  /**
   * Another state has taken the place of the visible one. Drops the pages of files that are not the
   * same and names that lead elsewhere, tells the kernel sizes and owners that it would not ask
   * for, and makes it find directories at their new places. Waits as {@link #expireAll} does, and
   * for parts of the states that are not here no longer than a few seconds: what is not known
   * counts as different.
   */
  void followAll(long ticket, FsState before, FsState after);

  /**
   * Makes the kernel forget those of these inodes that are not in use, if it supports that;
   * otherwise it keeps them until memory is short. Nobody waits for it.
   */
  void prune(List<InodeNo> inodes);
}
