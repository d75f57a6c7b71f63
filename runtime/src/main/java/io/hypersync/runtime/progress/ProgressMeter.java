package io.hypersync.runtime.progress;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Measures how fast something gets done, and how fast its goal moves away meanwhile, over the last
 * ten seconds. From that follows how long the rest takes: a worker that applies 3,000 entries a
 * second while 1,000 are committed comes nearer by 2,000.
 *
 * <p>Nothing is assumed: before two samples, and without any progress, the time left is not known.
 * Pure; the caller passes in the time. Takes room for {@value #MOST_SAMPLES} samples. Not
 * thread-safe.
 */
public final class ProgressMeter {
  private static final double NS_PER_S = 1e9;
  private static final double MS_PER_S = 1e3;

  /** Rates are of this time. */
  private static final long WINDOW_NS = 10_000_000_000L;

  private static final int MOST_SAMPLES = 20;

  /** Samples that follow each other faster replace each other. */
  private static final long STEP_NS = WINDOW_NS / MOST_SAMPLES;

  /** The oldest first. */
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  private record Sample(long ns, long done, long goal) {}

  /**
   * Takes a sample. One in which less is done than before, or with an earlier time, begins anew.
   *
   * @param nowNs monotonic
   * @param done how much is done, in units of work
   * @param goal how much there is to do; the same each time if the goal does not move
   */
  public void sample(long nowNs, long done, long goal) {
    Sample last = samples.peekLast();
    if (last != null && (done < last.done || nowNs - last.ns < 0)) {
      samples.clear();
    }
    if (samples.size() > 1 && nowNs - beforeLast().ns < STEP_NS) {
      samples.removeLast();
    }
    samples.addLast(new Sample(nowNs, done, goal));
    // Of what is too old one is kept as long as it is needed to look back over the whole window.
    while (samples.size() > 2 && nowNs - second().ns >= WINDOW_NS) {
      samples.removeFirst();
    }
  }

  /** Forgets all samples: something else begins. */
  public void clear() {
    samples.clear();
  }

  /**
   * How far it is, as of the last sample.
   *
   * @param goal how much there is to do now
   */
  public Progress towards(long goal) {
    Sample last = samples.peekLast();
    long left = Math.max(0, goal - (last == null ? 0 : last.done));
    Double perSecond = rate(false);
    Double away = rate(true);
    Long msLeft = null;
    if (left == 0) {
      msLeft = 0L;
    } else if (perSecond != null && away != null && perSecond > away) {
      msLeft = Math.round(left / (perSecond - away) * MS_PER_S);
    }
    return new Progress(left, perSecond, msLeft);
  }

  /** Units in a second, of the goal or of what is done; null with fewer than two samples. */
  private @Nullable Double rate(boolean ofGoal) {
    Sample first = samples.peekFirst();
    Sample last = samples.peekLast();
    if (first == null || last == null || last.ns == first.ns) {
      return null;
    }
    long units = ofGoal ? last.goal - first.goal : last.done - first.done;
    return units * NS_PER_S / (last.ns - first.ns);
  }

  private Sample beforeLast() {
    Iterator<Sample> newestFirst = samples.descendingIterator();
    newestFirst.next();
    return newestFirst.next();
  }

  private Sample second() {
    Iterator<Sample> oldestFirst = samples.iterator();
    oldestFirst.next();
    return oldestFirst.next();
  }
}
