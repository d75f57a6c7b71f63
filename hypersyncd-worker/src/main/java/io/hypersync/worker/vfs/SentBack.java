package io.hypersync.worker.vfs;

import io.hypersync.model.id.Name;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The threads that have been answered with ESTALE, so that the kernel walks their path again. It
 * does that once in a call: a second ESTALE would be told to the caller, so there should be none.
 *
 * <p>The kernel does not say which requests belong to one call. A second walk looks up every name
 * of its path, and what it finds it opens; one that finds nothing ends, or makes the name. So an
 * open behind a lookup that has found nothing is another call's, unless the same name was looked up
 * once more and found: the kernel does that when what it had cached turns out to be gone.
 *
 * <p>Threads: any.
 */
final class SentBack {
  /**
   * How long the second walk may take. One that takes longer can end with another ESTALE, if names
   * change again meanwhile.
   */
  static final long RETRY_NS = 5_000_000_000L;

  /** So many threads are remembered; beyond it those that were sent back first are forgotten. */
  static final int MAX_THREADS = 16_384;

  private final Map<Integer, Noted> threads = new LinkedHashMap<>();

  /** Written with the lock held, read without: lookups are many, and threads sent back few. */
  private volatile boolean any;

  private record Noted(long untilNs, @Nullable Looked missing) {}

  private record Looked(long directory, Name name) {}

  /** Where the call of a thread stands, as far as can be told. */
  enum Walk {
    /** It was not sent back. */
    FIRST,
    /** It was. */
    SECOND,
    /** It was, and has found nothing since. */
    SECOND_FOUND_NOTHING
  }

  /**
   * A thread is about to be told ESTALE.
   *
   * @param thread the kernel's number; 0 for one in a namespace that is not seen from here, which
   *     cannot be told from others and is not remembered
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

  /** A thread is about to be told that a name is not there. */
  void foundNothing(int thread, long directory, Name name) {
    if (any) {
      synchronized (this) {
        threads.computeIfPresent(
            thread, (_, noted) -> new Noted(noted.untilNs, new Looked(directory, name)));
      }
    }
  }

  /** A thread is about to be told where a name leads. */
  void found(int thread, long directory, Name name) {
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
   * A thread is about to get, or to be refused, what its call has come to.
   *
   * @return which walk that was; it counts as over
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
