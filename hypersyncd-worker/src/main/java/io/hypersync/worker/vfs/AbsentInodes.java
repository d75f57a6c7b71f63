package io.hypersync.worker.vfs;

import io.hypersync.model.id.InodeNo;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Inodes that count as held by the kernel, and that it has said it does not have. Normally such an
 * inode turns up, or its FORGET comes, so it is waited for. But the count of one that an earlier
 * process has left may be too high, for ever (decision 066). It is waited for once: what has not
 * turned up then is absent until an answer names it again. Thread-safe.
 *
 * <p>An answer that lets the kernel keep something is announced by {@link #answered} before its
 * view is read. So whoever changes the view first, and asks here afterwards, does not take an inode
 * for absent that an answer of an older view is about to make known.
 */
public final class AbsentInodes {
  private static final Object ABSENT = new Object();

  private final ConcurrentHashMap<InodeNo, Object> waits = new ConcurrentHashMap<>();

  AbsentInodes() {}

  /**
   * Begins to wait for an inode; {@link #inVain} or {@link #end} has to follow.
   *
   * @return this wait; null if the inode is absent, and nothing is on its way
   */
  public @Nullable Object begin(InodeNo inode) {
    Object wait = new Object();
    @Nullable Object now = waits.compute(inode, (_, old) -> ABSENT.equals(old) ? ABSENT : wait);
    return ABSENT.equals(now) ? null : wait;
  }

  /**
   * It has not turned up, so it is absent, unless an answer has named it since the wait began, or
   * another wait has begun.
   */
  public void inVain(InodeNo inode, Object wait) {
    waits.replace(inode, wait, ABSENT);
  }

  /** The wait is over. */
  public void end(InodeNo inode, Object wait) {
    waits.remove(inode, wait);
  }

  /** An answer is about to name it, or the kernel has forgotten it. */
  void answered(InodeNo inode) {
    if (!waits.isEmpty()) { // almost always: nobody waits, and none is absent
      waits.remove(inode);
    }
  }
}
