package io.hypersync.cli.metrics;

import io.hypersync.runtime.agent.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Figures as text, which is kept for as long as they are fresh, and made by one thread at a time.
 * So scrapes cost a bounded part of a processor, however many come. Thread-safe: a page does not
 * change once it is kept.
 *
 * @param <F> of what there are few: formats of a page
 */
final class RecentPages<F> {
  /** The longest that a scrape waits for its turn; whoever has it may wait for figures. */
  static final Duration PATIENCE = RecentFigures.PATIENCE.multipliedBy(2);

  private final Function<F, Page> renderer;
  private final Clock clock;
  private final Map<F, Page> kept = new ConcurrentHashMap<>();
  private final Semaphore turn = new Semaphore(1, true);

  /**
   * A page.
   *
   * @param bytes not to be changed
   * @param untilNs when it is no longer fresh, by the monotonic clock
   */
  record Page(byte[] bytes, long untilNs) {}

  /**
   * Makes one without pages.
   *
   * @param renderer makes a page; may block for figures, and throw
   */
  RecentPages(Function<F, Page> renderer, Clock clock) {
    this.renderer = renderer;
    this.clock = clock;
  }

  /** A fresh page; empty if too many want one at the moment. Blocks for {@link #PATIENCE}. */
  Optional<byte[]> get(F format) {
    Optional<byte[]> fresh = fresh(format);
    if (fresh.isPresent()) {
      return fresh;
    }
    try {
      if (!turn.tryAcquire(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
        return Optional.empty();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
    try {
      Optional<byte[]> meanwhile = fresh(format);
      if (meanwhile.isPresent()) {
        return meanwhile;
      }
      Page made = renderer.apply(format);
      kept.put(format, made);
      return Optional.of(made.bytes());
    } finally {
      turn.release();
    }
  }

  private Optional<byte[]> fresh(F format) {
    Page page = kept.get(format);
    return page == null || clock.monotonicNs() - page.untilNs() >= 0
        ? Optional.empty()
        : Optional.of(page.bytes());
  }
}
