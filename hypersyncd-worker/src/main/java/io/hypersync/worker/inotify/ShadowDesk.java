package io.hypersync.worker.inotify;

import io.hypersync.model.id.Name;
import org.jspecify.annotations.Nullable;

/**
 * Where the one who has shadow calls made and those who answer the kernel's requests meet. Threads:
 * any, and one that begins and ends attempts.
 */
public final class ShadowDesk {
  /** By this name of the root the caller, and nobody else, finds {@link Place#NOWHERE}. */
  public static final Name NOWHERE_NAME = Name.of(".hypersync \u2205 nowhere");

  private volatile @Nullable ShadowCaller caller;
  private volatile @Nullable ShadowAttempt attempt;

  /** From now on requests of this thread are answered as shadow calls, or refused. */
  public void trust(ShadowCaller trusted) {
    caller = trusted;
  }

  /**
   * The caller is gone. Not before: a request of it that is still under way must not be taken for
   * somebody's, and be logged.
   */
  public void gone() {
    caller = null;
  }

  /** Whether a request with this thread id is one of the caller's. */
  public boolean isCaller(int tid) {
    ShadowCaller trusted = caller;
    return trusted != null && trusted.tid() == tid && trusted.isCalling();
  }

  /** The caller is about to try this. */
  public void begin(ShadowJob job) {
    attempt = new ShadowAttempt(job);
  }

  /**
   * The call has returned.
   *
   * @return whether the kernel has asked for what the call was made for
   */
  public boolean end() {
    ShadowAttempt ended = attempt;
    attempt = null;
    return ended != null && ended.isDone();
  }

  /** What the caller is trying, or null. */
  public @Nullable ShadowAttempt attempt() {
    return attempt;
  }
}
