package io.hypersync.cli.metrics;

import io.hypersync.runtime.agent.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Figures that are asked for at most every half a second, however many ask, and one question at a
 * time. So scrapes cost the agent's thread a bounded part of its time, and an agent that is busy
 * keeps one thread waiting and no scrape: those get the last figures, with their age. Thread-safe.
 *
 * @param <T> the figures, immutable
 */
final class RecentFigures<T> {
  /** Figures that are younger are given again. */
  static final Duration FRESH = Duration.ofMillis(500);

  /** The longest that a scrape waits for new ones. */
  static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Supplier<T> source;
  private final Executor executor;
  private final Clock clock;
  private final T none;
  private @Nullable CompletableFuture<T> asking;
  private T last;
  private long lastNs;
  private boolean hasAny;

  /**
   * What a scrape gets.
   *
   * @param value the newest figures there are; what stands for none before the first ones
   * @param ageNs how old they are, in nanoseconds; -1 before the first ones
   */
  record Aged<T>(T value, long ageNs) {}

  /**
   * Makes one without figures.
   *
   * @param source asks for figures; blocks, and may throw if there are none now
   * @param executor runs it
   * @param none stands for figures before the first ones
   */
  RecentFigures(Supplier<T> source, Executor executor, Clock clock, T none) {
    this.source = source;
    this.executor = executor;
    this.clock = clock;
    this.none = none;
    this.last = none;
  }

  /** The newest figures; blocks for {@link #PATIENCE} at most. */
  Aged<T> get() {
    CompletableFuture<T> answer = begin();
    if (answer != null) {
      try {
        var _ = answer.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | TimeoutException busy) {
        // What was known before is shown, with its age.
      }
    }
    synchronized (this) {
      return hasAny ? new Aged<>(last, clock.monotonicNs() - lastNs) : new Aged<>(none, -1);
    }
  }

  /** Begins to ask, or joins whoever asks already; null if what is known is fresh. */
  private @Nullable CompletableFuture<T> begin() {
    CompletableFuture<T> mine;
    synchronized (this) {
      if (hasAny && clock.monotonicNs() - lastNs < FRESH.toNanos()) {
        return null;
      }
      if (asking != null) {
        return asking;
      }
      mine = new CompletableFuture<>();
      asking = mine;
    }
    executor.execute(() -> ask(mine));
    return mine;
  }

  private void ask(CompletableFuture<T> answer) {
    try {
      T found = source.get();
      synchronized (this) {
        last = found;
        lastNs = clock.monotonicNs();
        hasAny = true;
        asking = null;
      }
      answer.complete(found);
    } catch (RuntimeException | Error failure) { // or nobody would ever ask again
      synchronized (this) {
        asking = null;
      }
      answer.completeExceptionally(failure);
    }
  }
}
