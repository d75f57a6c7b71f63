package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What has come and was not looked at yet. Of each kind the newest one waits, of answers that of
 * each question to each daemon: a terminal that takes nothing, as over a connection that stands
 * still, holds up who looks, and what comes meanwhile must not add up. Thread-safe.
 */
final class Arrivals {
  /** Longer texts than that nobody types while nothing is drawn. */
  private static final int MOST_TYPED = 10_000;

  private final Map<Kind, Event> waiting = new LinkedHashMap<>();

  /** What came. */
  sealed interface Event {
    record Seen(Observation observation) implements Event {}

    record Examined(JsonNode findings) implements Event {}

    record NotExamined(String why) implements Event {}

    record FromTerminal(TopScreen.Input input) implements Event {}
  }

  /** Of what one waits at most. */
  private sealed interface Kind {
    record Answer(String socket, Question question) implements Kind {}

    record Findings() implements Kind {}

    record Typed() implements Kind {}

    record Changed() implements Kind {}

    record Ended() implements Kind {}
  }

  private static Kind kind(Event event) {
    return switch (event) {
      case Event.Seen(Observation seen) -> new Kind.Answer(seen.socket(), seen.question());
      case Event.Examined _, Event.NotExamined _ -> new Kind.Findings();
      case Event.FromTerminal(TopScreen.Input.Typed _) -> new Kind.Typed();
      case Event.FromTerminal(TopScreen.Input.Changed _) -> new Kind.Changed();
      case Event.FromTerminal(TopScreen.Input.Ended _) -> new Kind.Ended();
    };
  }

  /** Adds one: what is typed behind what was, anything else in place of what waits of its kind. */
  synchronized void add(Event event) {
    waiting.merge(kind(event), event, Arrivals::both);
    notifyAll();
  }

  private static Event both(Event before, Event now) {
    if (before instanceof Event.FromTerminal(TopScreen.Input.Typed(String first))
        && now instanceof Event.FromTerminal(TopScreen.Input.Typed(String then))) {
      return first.length() >= MOST_TYPED
          ? before
          : new Event.FromTerminal(new TopScreen.Input.Typed(first + then));
    }
    return now;
  }

  /** Whether what came of this question to a daemon waits still. */
  synchronized boolean has(String socket, Question question) {
    return waiting.containsKey(new Kind.Answer(socket, question));
  }

  /** How many wait. */
  synchronized int count() {
    return waiting.size();
  }

  /** Takes the one that has waited longest; null if none comes within so many milliseconds. */
  synchronized @Nullable Event poll(long ms) throws InterruptedException {
    long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    while (waiting.isEmpty()) {
      long leftNs = untilNs - System.nanoTime();
      if (leftNs <= 0) {
        return null;
      }
      TimeUnit.NANOSECONDS.timedWait(this, leftNs);
    }
    Map.Entry<Kind, Event> first = waiting.entrySet().iterator().next();
    waiting.remove(first.getKey());
    return first.getValue();
  }
}
