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
 * Looks for an order of calls, each at some moment between its beginning and its end, in which a
 * model gives the answers that were given: the search of Wing and Gong, with Lowe's memory of what
 * has been tried, as Knossos and Porcupine have it. Calls whose end is not known may be left out.
 *
 * @param <S> states of the model
 * @param <I> what is asked
 * @param <O> what is answered
 */
public final class Linearizability<S, I, O> {
  /** So many states are remembered at most. */
  private static final int LIMIT = 200_000;

  private final Model<S, I, O> model;
  private final List<Call<I, O>> calls;
  private final Point head = new Point(-1, null);
  private final BitSet explained = new BitSet();
  private final Set<Tried<S>> tried = new HashSet<>();
  private final ArrayDeque<Choice<S>> choices = new ArrayDeque<>();
  private S state;
  private int unexplained;

  /** A beginning or an end of a call, in the list of those that nothing has explained yet. */
  private static final class Point {
    final int call;

    /** The end of the call that begins here; null for an end, and where none is known. */
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

    /** Undoes the last {@link #unlink}; in the reverse order of several. */
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

  /** Says whether the calls on one object can be explained. */
  public static <S, I, O> Verdict check(Model<S, I, O> model, List<Call<I, O>> calls) {
    return new Linearizability<>(model, calls).search();
  }

  private Verdict search() {
    Point at = head.after;
    while (unexplained > 0 && at != null) {
      if (isEnd(at)) {
        // It has to be explained before this moment, and nothing that was chosen allows for it.
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

  /** The call that begins here comes next, if that explains its answer and was not tried before. */
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
