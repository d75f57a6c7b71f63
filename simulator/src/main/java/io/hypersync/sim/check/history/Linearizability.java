package io.hypersync.sim.check.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Linearizability checker: searches for an order of the calls, each taking effect at one moment
 * between its call and its answer, in which a model gives the recorded answers. It is the algorithm
 * of Wing and Gong with Lowe's cache of visited configurations, as in Knossos and Porcupine. Calls
 * with unknown output may be left out of the order.
 *
 * @param <S> states of the model
 * @param <I> type of inputs
 * @param <O> type of outputs
 */
public final class Linearizability<S, I, O> {
  /** Bound of the cache of visited configurations; beyond it the result is undecided. */
  private static final int LIMIT = 200_000;

  private final Model<S, I, O> model;
  private final List<Call<I, O>> calls;
  private final Point head = new Point(-1, null);
  private final BitSet explained = new BitSet();
  private final Set<Tried<S>> tried = new HashSet<>();
  private final ArrayDeque<Choice<S>> choices = new ArrayDeque<>();
  private S state;
  private int unexplained;

  /** Call or answer event in the linked list of events whose call is not linearized yet. */
  private static final class Point {
    final int call;

    /**
     * The answer event of the call that begins here; null for an answer event, and if there is
     * none.
     */
    final @Nullable Point end;

    @Nullable Point before;
    @Nullable Point after;

    Point(int call, @Nullable Point end) {
      this.call = call;
      this.end = end;
    }

    void follow(Point other) {
      before = other;
      after = other.after;
      relink();
    }

    void unlink() {
      if (before != null) {
        before.after = after;
      }
      if (after != null) {
        after.before = before;
      }
    }

    /** Undoes {@link #unlink}. Several must be undone in the reverse order. */
    void relink() {
      if (before != null) {
        before.after = this;
      }
      if (after != null) {
        after.before = this;
      }
    }
  }

  private record Event(long number, Point point) {}

  private record Tried<S>(BitSet explained, S state) {}

  private record Choice<S>(Point begin, S before) {}

  private Linearizability(Model<S, I, O> model, List<Call<I, O>> calls) {
    this.model = model;
    this.calls = calls;
    this.state = model.initial();
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      Call<I, O> call = calls.get(i);
      Point end = call.answeredAt() == Call.NEVER ? null : new Point(i, null);
      events.add(new Event(call.calledAt(), new Point(i, end)));
      if (end != null) {
        events.add(new Event(call.answeredAt(), end));
        unexplained++;
      }
    }
    events.sort(Comparator.comparingLong(Event::number));
    Point last = head;
    for (Event event : events) {
      event.point.follow(last);
      last = event.point;
    }
  }

  /** Checks the calls on one object. */
  public static <S, I, O> Verdict check(Model<S, I, O> model, List<Call<I, O>> calls) {
    return new Linearizability<>(model, calls).search();
  }

  private Verdict search() {
    Point at = head.after;
    while (unexplained > 0 && at != null) {
      if (isEnd(at)) {
        // This call must be linearized before its answer, and no choice so far allows that:
        // backtrack.
        if (choices.isEmpty()) {
          return Verdict.WRONG;
        }
        at = takeBack(choices.pop()).after;
      } else {
        at = choose(at) ? head.after : at.after;
      }
      if (tried.size() > LIMIT) {
        return Verdict.UNDECIDED;
      }
    }
    return Verdict.LINEARIZABLE;
  }

  private boolean isEnd(Point point) {
    return point.end == null && calls.get(point.call).answeredAt() != Call.NEVER;
  }

  /** Linearizes the call next, if the model explains its answer and this configuration is new. */
  private boolean choose(Point begin) {
    Call<I, O> call = calls.get(begin.call);
    S next = model.step(state, call.input(), call.output());
    if (next == null) {
      return false;
    }
    explained.set(begin.call);
    if (!tried.add(new Tried<>((BitSet) explained.clone(), next))) {
      explained.clear(begin.call);
      return false;
    }
    choices.push(new Choice<>(begin, state));
    state = next;
    begin.unlink();
    if (begin.end != null) {
      begin.end.unlink();
      unexplained--;
    }
    return true;
  }

  private Point takeBack(Choice<S> choice) {
    Point begin = choice.begin;
    explained.clear(begin.call);
    state = choice.before;
    if (begin.end != null) {
      begin.end.relink();
      unexplained++;
    }
    begin.relink();
    return begin;
  }
}
