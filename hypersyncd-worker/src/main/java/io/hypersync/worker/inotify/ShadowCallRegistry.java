package io.hypersync.worker.inotify;

import io.hypersync.model.id.Name;
import org.jspecify.annotations.Nullable;

/**
 * Shared by the thread that has shadow calls made and the threads that answer their requests. One
 * thread begins and ends attempts; all other methods are for any thread.
 */
public final class ShadowCallRegistry {
  /** The name in the root under which the caller alone finds {@link NameInDirectory#NOWHERE}. */
  public static final Name NOWHERE_NAME = Name.of(".hypersync \u2205 nowhere");

  private volatile @Nullable ShadowCaller caller;
  private volatile @Nullable ShadowAttempt attempt;

  /** From now on requests of this thread are answered as shadow calls, or refused. */
  public void trust(ShadowCaller trusted) {
    caller = trusted;
  }

  /**
   * The caller has ended. To be called only then: a request of the caller that is still under way
   * must not be taken for a request of another process, and committed as its mutation.
   */
  public void gone() {
    caller = null;
  }

  /** Whether a request with this thread id comes from the caller. */
  public boolean isCaller(int tid) {
    ShadowCaller trusted = caller;
    return trusted != null && trusted.tid() == tid && trusted.isCalling();
  }

  /** The caller is about to make this call. */
  public void begin(ShadowJob job) {
    attempt = new ShadowAttempt(job);
  }

  /**
   * The call has returned.
   *
   * @return whether the kernel has sent the request that the call was made for
   */
  public boolean end() {
    ShadowAttempt ended = attempt;
    attempt = null;
    return ended != null && ended.isDone();
  }

  /** The attempt under way, or null. */
  public @Nullable ShadowAttempt attempt() {
    return attempt;
  }
}
