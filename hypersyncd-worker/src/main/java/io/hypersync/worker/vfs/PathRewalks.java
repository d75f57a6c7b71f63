package io.hypersync.worker.vfs;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The threads that were answered with ESTALE, which makes the kernel walk their path again. It does
 * that once per call: a second ESTALE would be returned to the caller, so there should be none.
 *
 * <p>The kernel does not say which requests belong to one call. A second walk looks up every name
 * of its path and then opens the node that it finds; a walk that finds nothing ends, or creates the
 * name. So an open after a lookup that found nothing belongs to another call, unless the same name
 * was looked up once more and found: the kernel does that when a dentry that it had cached turns
 * out to be gone.
 *
 * <p>Thread-safe.
 */
final class PathRewalks {
  /**
   * How long a thread is remembered, and so how long the second walk may take. A longer one can end
   * with another ESTALE if names change again meanwhile.
   */
  static final long RETRY_NS = 5_000_000_000L;

  /**
   * The most threads that are remembered; beyond it those that were sent back first are forgotten.
   */
  static final int MAX_THREADS = 16_384;

  private final Map<Integer, Noted> threads = new LinkedHashMap<>();

  /**
   * Whether {@link #threads} may have elements. Written with the lock held, read without: lookups
   * are many, and threads sent back are few.
   */
  private volatile boolean any;

  private record Noted(long untilNs, @Nullable Looked missing) {}

  private record Looked(InodeNo directory, Name name) {}

  /** Which path walk a thread's call is in, as far as can be inferred. */
  enum Walk {
    /** The thread was not answered with ESTALE. */
    FIRST,
    /** The thread was answered with ESTALE, so the kernel is walking its path again. */
    SECOND,
    /** The same, and the thread's latest lookup found nothing. */
    SECOND_FOUND_NOTHING
  }

  /**
   * A thread is about to be answered with ESTALE.
   *
   * @param thread the kernel's thread id; 0 for a thread in a pid namespace that is not visible
   *     here: such threads cannot be told apart and are not remembered
   */
  synchronized void note(int thread, long nowNs) {
    if (thread != 0) {
      threads.remove(thread); // to the end of the order
      threads.put(thread, new Noted(nowNs + RETRY_NS, null));
      if (threads.size() > MAX_THREADS) {
        threads.remove(threads.keySet().iterator().next());
      }
      any = true;
    }
  }

  /** A thread is about to be answered that a name does not exist. */
  void foundNothing(int thread, InodeNo directory, Name name) {
    if (any) {
      synchronized (this) {
        threads.computeIfPresent(
            thread, (_, noted) -> new Noted(noted.untilNs, new Looked(directory, name)));
      }
    }
  }

  /** A thread is about to be answered with the node that a name leads to. */
  void found(int thread, InodeNo directory, Name name) {
    if (any) {
      synchronized (this) {
        threads.computeIfPresent(
            thread,
            (_, noted) ->
                new Looked(directory, name).equals(noted.missing)
                    ? new Noted(noted.untilNs, null)
                    : noted);
      }
    }
  }

  /**
   * Called when a thread's call is about to succeed or to be refused; its entry is removed.
   *
   * @return which path walk the call was in
   */
  Walk take(int thread, long nowNs) {
    if (!any) {
      return Walk.FIRST;
    }
    synchronized (this) {
      Noted noted = threads.remove(thread);
      any = !threads.isEmpty();
      if (noted == null || nowNs - noted.untilNs >= 0) {
        return Walk.FIRST;
      }
      return noted.missing != null ? Walk.SECOND_FOUND_NOTHING : Walk.SECOND;
    }
  }
}
