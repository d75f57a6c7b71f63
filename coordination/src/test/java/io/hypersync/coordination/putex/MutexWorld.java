package io.hypersync.coordination.putex;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Some agents, their hosts and one store, all of it simulated from one seed: clocks of different
 * speed and origin, calls that are late, lost, or done without an answer, partitions, restarts of
 * the store, records and buckets that are removed, agents that are stopped between any two steps,
 * killed, or asked to leave, checks that are slow or fail.
 *
 * <p>It throws {@link Overlap} as soon as two services run at the same time.
 */
final class MutexWorld {
  static final long MS = 1_000_000L;
  static final long R = 1_000 * MS;

  /** Two services have run at the same time. */
  static final class Overlap extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Overlap(String message) {
      super(message);
    }
  }

  /** Rare events, counted. */
  enum Event {
    TAKEN_OVER,
    FREE_TAKEN,
    FREED,
    REGAINED,
    NOT_CURRENT,
    ANSWER_LOST,
    LATE_WRITE_DONE,
    STOPPED_BY_SWITCH,
    START_TOO_LATE,
    KILLED_ACTIVE,
    PAUSED_ACTIVE,
    SLOW_CHECK,
    CHECK_TOO_LONG,
    RECORD_REMOVED
  }

  private record Later(long at, long order, Runnable what) {}

  private final SplittableRandom random;
  private final Mutant mutant;
  private final PutexTiming timing;
  private final PriorityQueue<Later> queue =
      new PriorityQueue<>(
          (a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
  private final List<Host> hosts = new ArrayList<>();
  private final Map<Event, Integer> counts = new EnumMap<>(Event.class);
  private final Deque<String> trace = new ArrayDeque<>();
  private long now;
  private long order;

  // The store.
  private @Nullable String record;
  private long revision;
  private long lastRevision;
  private boolean storeIsDown;

  /** How often the bucket was made anew, so that its revisions begin again. */
  private int buckets;

  /** How often faults happen, 0 for never. */
  private double trouble = 1;

  MutexWorld(long seed, Mutant mutant) {
    this.random = new SplittableRandom(seed);
    this.mutant = mutant;
    this.timing = new PutexTiming(R, 1 + random.nextInt(3), 1 + random.nextInt(3));
    int size = 2 + random.nextInt(3);
    for (int i = 0; i < size; i++) {
      hosts.add(new Host("host" + i));
    }
  }

  /** Some minutes with faults, then a time without, at whose end one service has to run. */
  void run() {
    hosts.forEach(host -> after(upTo(3 * R), host::boot));
    after(upTo(10 * R), this::storeTrouble);
    hosts.forEach(host -> after(upTo(10 * R), host::trouble));
    runUntil(150 * R);
    trouble = 0;
    storeIsDown = false;
    hosts.forEach(Host::heal);
    runUntil(now + 60 * R + 4 * (timing.patienceNs() + timing.stopLimitNs()));
    if (hosts.stream().filter(host -> host.serviceRuns).count() != 1) {
      throw new IllegalStateException("nobody runs the service in the end\n" + history());
    }
  }

  Map<Event, Integer> counts() {
    return counts;
  }

  private String history() {
    return String.join("\n", trace);
  }

  private void runUntil(long end) {
    while (!queue.isEmpty() && queue.peek().at <= end) {
      Later next = queue.remove();
      now = next.at;
      next.what.run();
    }
    now = end;
  }

  private void after(long delay, Runnable what) {
    queue.add(new Later(now + delay, order++, what));
  }

  private long upTo(long limit) {
    return random.nextLong(limit + 1);
  }

  private boolean chance(double probability) {
    return random.nextDouble() < probability * trouble;
  }

  private void count(Event event) {
    counts.merge(event, 1, Integer::sum);
  }

  private void note(String what) {
    trace.add("%,.1f ms: %s".formatted(now / 1e6, what));
    if (trace.size() > 200) {
      trace.removeFirst();
    }
  }

  // --- The store -------------------------------------------------------------------------------

  private void storeTrouble() {
    if (chance(0.5)) {
      storeIsDown = true;
      note("the store is down");
      after(
          upTo(8 * R),
          () -> {
            storeIsDown = false;
            note("the store is back");
          });
    } else if (chance(0.3) && record != null) {
      record = null;
      if (random.nextBoolean()) {
        lastRevision = 0;
        buckets++;
      }
      count(Event.RECORD_REMOVED);
      note("the record is removed");
    }
    after(5 * R + upTo(30 * R), this::storeTrouble);
  }

  private Outcome write(Step.Write write) {
    boolean isCreation =
        write.revision().isEmpty()
            || (mutant == Mutant.ABSENT_IS_FREE && write.revision().getAsLong() == 0);
    boolean fits =
        isCreation ? record == null : record != null && revision == write.revision().getAsLong();
    if (!fits && mutant != Mutant.BLIND_WRITES) {
      return new Outcome.Refused();
    }
    record = write.token();
    revision = ++lastRevision;
    return new Outcome.Written(revision);
  }

  private Outcome read(Agent reader) {
    if (mutant == Mutant.TRUSTS_ITS_TOKEN && reader.host.name.equals(record) && !reader.hasRead) {
      return new Outcome.Found("", revision);
    }
    reader.hasRead = true;
    if (record == null) {
      return mutant == Mutant.ABSENT_IS_FREE ? new Outcome.Found("", 0) : new Outcome.Absent();
    }
    return new Outcome.Found(record, revision);
  }

  // --- Hosts -----------------------------------------------------------------------------------

  /** One machine: a clock, an agent, its switch, the service. */
  private final class Host implements MutexWatcher {
    private final String name;
    private final double rate = 1 + (random.nextDouble() - 0.5) / 1_000; // 500 ppm each way
    private final long origin = upTo(1_000_000 * R);
    private boolean serviceRuns;
    private boolean isCutOff;
    private @Nullable Agent agent;

    Host(String name) {
      this.name = name;
    }

    long local() {
      return origin + Math.round(now * rate);
    }

    /** How long something is that takes so long by this host's clock. */
    long real(long localNs) {
      return Math.max(0, (long) Math.ceil(localNs / rate));
    }

    void boot() {
      if (agent == null) {
        agent = new Agent(this);
        note(name + " boots");
        agent.step();
      }
    }

    void heal() {
      isCutOff = false;
      if (agent == null) {
        boot();
      } else {
        agent.resume();
      }
    }

    void trouble() {
      Agent victim = agent;
      if (victim != null && chance(0.7)) {
        switch (random.nextInt(4)) {
          case 0 -> {
            isCutOff = true;
            note(name + " is cut off");
            after(
                upTo(10 * R),
                () -> {
                  isCutOff = false;
                  note(name + " is connected");
                });
          }
          case 1 -> {
            victim.pause();
            after(upTo(12 * R), victim::resume);
          }
          case 2 -> victim.kill();
          default -> {
            victim.machine.leave();
            note(name + " is asked to leave");
          }
        }
      }
      after(3 * R + upTo(40 * R), this::trouble);
    }

    void serviceStarts() {
      if (!serviceRuns) {
        serviceRuns = true;
        note(name + " runs the service");
        hosts.stream()
            .filter(other -> other != this && other.serviceRuns)
            .forEach(
                other -> {
                  throw new Overlap(name + " and " + other.name + " run\n" + history());
                });
      }
    }

    void serviceStops() {
      if (serviceRuns) {
        serviceRuns = false;
        note(name + " has stopped the service");
      }
    }

    @Override
    public void moved(State from, State to, String why) {
      note(name + " " + from + " -> " + to + (why.isEmpty() ? "" : ": " + why));
      if (from == State.WRITE && to == State.CONFIRM_WAIT) {
        count(Event.TAKEN_OVER);
      }
      if (why.equals(ProcessMutex.TOO_LATE)) {
        count(Event.NOT_CURRENT);
      }
      if (from == State.WAIT_KILL && to == State.WRITE_CHECK) {
        count(Event.REGAINED);
      }
    }

    @Override
    public void slowCheck(long tookNs) {
      count(Event.SLOW_CHECK);
    }

    @Override
    public void tokenInUse() {
      note(name + " finds its token in use");
    }
  }

  /** A process, with the process that switches its service off. */
  private final class Agent {
    private final Host host;
    private final ProcessMutex machine;
    private final Switch lever;
    private final Deque<Runnable> held = new ArrayDeque<>();
    private boolean isPaused;
    private boolean isDead;
    private boolean hasRead;
    private long stepAt;
    private int stepBucket;

    Agent(Host host) {
      this.host = host;
      boolean isHasty =
          mutant == Mutant.IMPATIENT && timing.failures() > 1 && host == hosts.getFirst();
      this.machine =
          new ProcessMutex(
              host.name, isHasty ? new PutexTiming(R, 1, timing.confirmations()) : timing, host);
      this.lever = new Switch(host);
    }

    /** Runs something in this process, when it runs. */
    private void run(Runnable what) {
      if (isDead) {
        return;
      }
      if (isPaused) {
        held.add(what);
      } else {
        what.run();
      }
    }

    void pause() {
      if (!isPaused && !isDead) {
        isPaused = true;
        note(host.name + " is paused");
        if (host.serviceRuns) {
          count(Event.PAUSED_ACTIVE);
        }
      }
    }

    void resume() {
      if (isPaused && !isDead) {
        isPaused = false;
        note(host.name + " goes on");
        while (!held.isEmpty() && !isPaused) {
          run(held.remove());
        }
      }
    }

    void kill() {
      if (host.serviceRuns) {
        count(Event.KILLED_ACTIVE);
      }
      note(host.name + " is killed");
      isDead = true;
      host.agent = null;
      lever.agentIsGone();
      after(upTo(6 * R), host::boot);
    }

    void step() {
      Step step = machine.next(host.local());
      stepAt = now;
      stepBucket = buckets;
      if (chance(0.002)) {
        pause();
        after(upTo(8 * R), this::resume);
      }
      // A process may be stopped between the decision and the deed.
      after(upTo(MS), () -> run(() -> perform(step)));
    }

    private void done(Outcome outcome) {
      machine.done(outcome, host.local());
      step();
    }

    private void perform(Step step) {
      switch (step) {
        case Step.Read read -> call(read.limitNs(), OptionalLong.empty(), () -> read(this));
        case Step.Write write ->
            call(
                write.limitNs(),
                write.revision(),
                () -> {
                  boolean wasFree = "".equals(record);
                  Outcome outcome = write(write);
                  if (outcome instanceof Outcome.Written) {
                    note(host.name + " has written \"" + write.token() + "\" " + revision);
                    if (write.token().isEmpty()) {
                      count(Event.FREED);
                    } else if (wasFree) {
                      count(Event.FREE_TAKEN);
                    }
                  }
                  return outcome;
                });
        case Step.Check check -> check(check.limitNs());
        case Step.Start start -> lever.start(start, outcome -> run(() -> done(outcome)));
        case Step.Stop _ -> {
          if (mutant == Mutant.FREES_FIRST) {
            lever.stop(outcome -> {});
            done(new Outcome.Passed());
          } else {
            lever.stop(outcome -> run(() -> done(outcome)));
          }
        }
        case Step.Wait wait -> {
          boolean isSkipped =
              mutant == Mutant.NO_CONFIRMATION && machine.state() == State.CONFIRM_WAIT;
          long delay = isSkipped ? 0 : host.real(wait.untilNs() - host.local());
          after(delay + upTo(MS), () -> run(() -> done(new Outcome.Passed())));
        }
        case Step.End _ -> {
          isDead = true;
          host.agent = null;
          after(upTo(6 * R), host::boot);
        }
      }
    }

    private void check(long limitNs) {
      long took = chance(0.02) ? upTo(5 * R) : 1 + upTo(50 * MS);
      boolean fails = chance(0.01);
      boolean isTooLong = took >= host.real(limitNs);
      if (isTooLong) {
        count(Event.CHECK_TOO_LONG);
      }
      after(
          Math.min(took, host.real(limitNs)),
          () ->
              run(
                  () ->
                      done(
                          fails || isTooLong
                              ? new Outcome.Failed("unwell")
                              : new Outcome.Passed())));
    }

    private void call(long limitNs, OptionalLong revision, Supplier<Outcome> operation) {
      boolean[] isOver = new boolean[1];
      long begun = stepAt;
      int bucket = stepBucket;
      boolean isLate = chance(0.02);
      boolean isLost = chance(0.02);
      after(
          isLate ? upTo(10 * R) : upTo(20 * MS),
          () -> {
            if (storeIsDown || host.isCutOff) {
              return;
            }
            // The one thing that is excluded: a write on its way for longer than the trust, that
            // meets a bucket made anew whose revision happens to be the same.
            if (bucket != buckets && now - begun >= timing.trustNs()) {
              return;
            }
            Outcome outcome = operation.get();
            if (isOver[0] && outcome instanceof Outcome.Written) {
              count(Event.LATE_WRITE_DONE);
            }
            if (isLost || host.isCutOff) {
              count(Event.ANSWER_LOST);
              return;
            }
            after(upTo(20 * MS), () -> run(() -> answer(isOver, outcome)));
          });
      Outcome none =
          mutant == Mutant.BELIEVES_LOST_ANSWERS && revision.isPresent()
              ? new Outcome.Written(revision.getAsLong() + 1)
              : new Outcome.Unknown("no answer");
      after(host.real(limitNs), () -> run(() -> answer(isOver, none)));
    }

    private void answer(boolean[] isOver, Outcome outcome) {
      if (!isOver[0]) {
        isOver[0] = true;
        done(outcome);
      }
    }
  }

  /** What becomes of an order. */
  private interface Answer {
    void is(Outcome outcome);
  }

  /** The process that starts and stops a service, one order after the other. */
  private final class Switch {
    private final Host host;
    private final Deque<Runnable> orders = new ArrayDeque<>();
    private boolean isBusy;
    private boolean isArmed;
    private long untilNs;

    Switch(Host host) {
      this.host = host;
    }

    void start(Step.Start start, Answer answer) {
      order(
          () -> {
            if (host.local() >= start.untilNs() && mutant != Mutant.LATE_START) {
              count(Event.START_TOO_LATE);
              free();
              answer.is(new Outcome.Failed("too late"));
              return;
            }
            isArmed = mutant != Mutant.NO_SWITCH;
            untilNs =
                mutant == Mutant.LATE_START ? host.local() + timing.trustNs() : start.untilNs();
            host.serviceStarts();
            long took = chance(0.02) ? upTo(4 * R) : upTo(30 * MS);
            long limit = host.real(Math.min(start.limitNs(), untilNs - host.local()));
            boolean isTooLong = took >= limit;
            after(
                Math.min(took, limit),
                () -> {
                  free();
                  answer.is(isTooLong ? new Outcome.Failed("hangs") : new Outcome.Passed());
                });
            watch(untilNs);
          });
    }

    private void watch(long untilThenNs) {
      after(
          host.real(untilThenNs - host.local()),
          () -> {
            if (isArmed && untilNs == untilThenNs) {
              order(
                  () -> {
                    if (isArmed && host.local() >= untilNs) {
                      count(Event.STOPPED_BY_SWITCH);
                      stopNow(outcome -> {});
                    } else {
                      free();
                    }
                  });
            }
          });
    }

    void stop(Answer answer) {
      order(() -> stopNow(answer));
    }

    void agentIsGone() {
      if (isArmed) {
        stop(outcome -> {});
      }
    }

    private void stopNow(Answer answer) {
      // The service may take all of the time that it has.
      long took = chance(0.3) ? timing.stopLimitNs() : upTo(timing.stopLimitNs());
      after(
          host.real(took),
          () -> {
            isArmed = false;
            host.serviceStops();
            free();
            answer.is(new Outcome.Passed());
          });
    }

    private void order(Runnable what) {
      orders.add(what);
      if (!isBusy) {
        free();
      }
    }

    private void free() {
      isBusy = false;
      Runnable next = orders.poll();
      if (next != null) {
        isBusy = true;
        after(upTo(MS / 10), next);
      }
    }
  }
}
