package io.hypersync.coordination.putex;

import java.util.ArrayList;
import java.util.List;

/**
 * Leads a mutex through answers that are written as words: {@code found:TOKEN:REVISION}, {@code
 * free:REVISION}, {@code absent}, {@code written:REVISION}, {@code refused}, {@code unknown},
 * {@code pass}, {@code fail}. With {@code +MS} an answer takes so long. Waits pass by themselves
 * when an answer for something else comes.
 */
final class Driver implements MutexWatcher {
  static final String ME = "me";
  private static final long MS = 1_000_000L;
  private static final long MAX_NS = 3_600_000 * MS;

  final ProcessMutex mutex;
  final List<Step> steps = new ArrayList<>();
  final List<String> arrows = new ArrayList<>();
  final List<Long> slowChecksMs = new ArrayList<>();
  int tokenInUse;
  long nowNs = 5_000 * MS;
  private Step step = new Step.End();

  Driver(PutexTiming timing) {
    mutex = new ProcessMutex(ME, timing, this);
    ask();
  }

  /** The step that is to be done. */
  Step step() {
    return step;
  }

  State state() {
    return mutex.state();
  }

  /** Gives these answers, one after the other. */
  Driver give(String answers) {
    for (String answer : answers.trim().split(" +", -1)) {
      if (!answer.isEmpty()) {
        one(answer);
      }
    }
    return this;
  }

  /** Lets time pass in which this process does not run. */
  Driver stopped(long ms) {
    nowNs += ms * MS;
    return this;
  }

  private void one(String answer) {
    if (nowNs > MAX_NS) {
      throw new AssertionError("it goes on without end: " + arrows.reversed().subList(0, 20));
    }
    int plus = answer.indexOf('+');
    long tookMs = plus < 0 ? 1 : Long.parseLong(answer.substring(plus + 1));
    String word = plus < 0 ? answer : answer.substring(0, plus);
    while (step instanceof Step.Wait && !word.equals("wait")) {
      one("wait");
    }
    if (step instanceof Step.Wait wait) {
      nowNs = Math.max(nowNs, wait.untilNs());
    } else {
      nowNs += tookMs * MS;
    }
    mutex.done(outcome(word), nowNs);
    ask();
  }

  private void ask() {
    step = mutex.next(nowNs);
    steps.add(step);
  }

  private static Outcome outcome(String word) {
    String[] parts = word.split(":", -1);
    return switch (parts[0]) {
      case "found" -> new Outcome.Found(parts[1], Long.parseLong(parts[2]));
      case "free" -> new Outcome.Found("", Long.parseLong(parts[1]));
      case "absent" -> new Outcome.Absent();
      case "written" -> new Outcome.Written(Long.parseLong(parts[1]));
      case "refused" -> new Outcome.Refused();
      case "unknown" -> new Outcome.Unknown("no answer");
      case "pass", "wait" -> new Outcome.Passed();
      case "fail" -> new Outcome.Failed("unwell");
      default -> throw new IllegalArgumentException(word);
    };
  }

  @Override
  public void moved(State from, State to, String why) {
    arrows.add(from + " " + to);
  }

  @Override
  public void slowCheck(long tookNs) {
    slowChecksMs.add(tookNs / MS);
  }

  @Override
  public void tokenInUse() {
    tokenInUse++;
  }
}
