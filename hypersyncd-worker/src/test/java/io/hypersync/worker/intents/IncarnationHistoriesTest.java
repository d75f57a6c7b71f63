package io.hypersync.worker.intents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.Committed;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of processes that serve one mount one after the other, each killed at any moment
 * while the kernel waits, before a leader that knows intents by their ids (hypersync.md 8.2,
 * decisions 048 and 053). Each request is done once, and answered once. A seed decides all of a
 * history.
 */
class IncarnationHistoriesTest {
  private static final int SEEDS = 300;
  private static final int REQUESTS = 25;
  private static final long AGAIN = Long.MIN_VALUE;
  private static final long DEADLINE_NS = Long.MAX_VALUE / 4;
  private static final ClientId MOUNT = new ClientId(11, 12);
  private static final WorkerId WORKER = new WorkerId("w1");

  /** A program with one fault, which the histories have to find. */
  enum Fault {
    NONE,
    /** Each process gives a request another intent. */
    IDENTITY_NOT_STABLE,
    /** A successor does not look for what the one before has had committed. */
    EARLIER_COMMITS_FORGOTTEN,
    /** What was under way is not sent again. */
    ANSWERED_BY_NOBODY,
    /** The process of before goes on beside its successor. */
    TWO_AT_ONCE
  }

  private static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Violation(String what) {
      super(what);
    }
  }

  /** The kernel, the leader, and the process that serves at the moment. */
  private static final class History {
    private final Fault fault;
    private final Random random;
    private final Map<Long, String> waiting = new LinkedHashMap<>();
    private final Set<Long> answered = new HashSet<>();
    private final List<LogEntry> log = new ArrayList<>();
    private final Map<IntentId, Committed> known = new HashMap<>();
    private final ArrayDeque<SubmitIntent> undecided = new ArrayDeque<>();
    private final Map<String, Integer> happened;
    private final List<Run> alive = new ArrayList<>();
    private Run serving;
    private long lastRequest;
    private int processes;

    History(long seed, Fault fault, Map<String, Integer> happened) {
      this.random = new Random(seed);
      this.fault = fault;
      this.happened = happened;
      this.serving = new Run(0, false);
      alive.add(serving);
    }

    private void count(String what) {
      happened.merge(what, 1, Integer::sum);
    }

    /** One process, from its start to its death. */
    private final class Run {
      private final RecordingLeaderLink link = new RecordingLeaderLink();
      private final IntentTracker tracker;
      private final ArrayDeque<CommitAck> acks = new ArrayDeque<>();
      private int taken;
      private long applied;

      Run(long start, boolean isSuccessor) {
        processes++;
        int number = processes;
        long[] entropy = {1_000L * number};
        tracker = new IntentTracker(link, () -> ++entropy[0], DEADLINE_NS, _ -> {});
        tracker.identifyBy(fault == Fault.IDENTITY_NOT_STABLE ? new ClientId(11, number) : MOUNT);
        applied = start;
        if (isSuccessor && fault != Fault.EARLIER_COMMITS_FORGOTTEN) {
          tracker.goOn(WORKER, start, FsState::genesis);
        }
      }

      void submit(long unique, String name) {
        long number = unique & ~AGAIN;
        tracker.submit(
            Mutations.of(
                new RequestId(unique),
                new FsOp.MakeDir(FsState.ROOT, Name.of(name), 0755, 0, 0),
                new Completion() {
                  @Override
                  public void committed(LogEntry entry, FsState state) {
                    answer(number);
                  }

                  @Override
                  public void failed(Errno errno) {
                    throw new Violation(name + " got " + errno);
                  }
                }),
            0);
      }

      /** The leader takes the next message. */
      boolean send() {
        if (taken == link.sent.size()) {
          return false;
        }
        SubmitIntent intent = (SubmitIntent) link.sent.get(taken);
        taken++;
        Committed place = known.get(intent.intent());
        if (place != null) {
          count(place.logIndex() > applied ? "acked again, entry to come" : "acked again");
          tracker.acknowledged(
              new CommitAck(intent.intent(), null, place, place.logIndex()), applied, 0);
        } else if (undecided.stream().anyMatch(each -> each.intent().equals(intent.intent()))) {
          count("undecided as it came again");
        } else {
          undecided.add(intent);
        }
        return true;
      }

      /** An ack arrives, before or after its entry. */
      boolean hear() {
        CommitAck ack = acks.poll();
        if (ack != null) {
          tracker.acknowledged(ack, applied, 0);
        }
        return ack != null;
      }

      boolean apply() {
        if (applied == log.size()) {
          return false;
        }
        LogEntry entry = log.get((int) applied);
        applied++;
        tracker.applied(entry, FsState.genesis());
        tracker.completeDone(applied);
        return true;
      }
    }

    private void answer(long number) {
      if (waiting.remove(number) == null) {
        throw new Violation("request " + number + " was answered twice");
      }
      answered.add(number);
    }

    private boolean commit() {
      SubmitIntent intent = undecided.poll();
      if (intent == null) {
        return false;
      }
      long index = log.size() + 1L;
      LogEntry entry =
          Entries.of(index, op(intent)).at(1).intent(intent.intent()).origin(WORKER).entry();
      for (LogEntry before : log) {
        if (before.op().equals(entry.op())) {
          throw new Violation(entry.op() + " was done twice");
        }
      }
      log.add(entry);
      Committed place = new Committed(index, new OpId(1, index), 1, Hash.ZERO, -1);
      known.put(intent.intent(), place);
      CommitAck ack = new CommitAck(intent.intent(), null, place, index);
      alive.forEach(each -> each.acks.add(ack)); // lost with the process
      return true;
    }

    private static FsOp op(SubmitIntent intent) {
      try {
        return OpCodec.decode(intent.op());
      } catch (DecodeException e) {
        throw new AssertionError(e);
      }
    }

    private void killAndSucceed() {
      if (!waiting.isEmpty()) {
        count("taken over with requests in flight");
      }
      Run before = serving;
      long start = before.applied == 0 ? 0 : random.nextLong(before.applied + 1);
      serving = new Run(start, true);
      if (fault != Fault.TWO_AT_ONCE) {
        alive.clear();
      }
      alive.add(serving);
      // It catches up before it has requests sent again.
      while (serving.apply()) {}
      if (fault != Fault.ANSWERED_BY_NOBODY) {
        Map.copyOf(waiting).forEach((number, name) -> serving.submit(number | AGAIN, name));
      }
    }

    /**
     * Runs to the end.
     *
     * @throws Violation if a promise is broken
     */
    void run() {
      while (lastRequest / 2 < REQUESTS) {
        switch (random.nextInt(10)) {
          case 0, 1 -> {
            lastRequest += 2;
            String name = "n" + lastRequest;
            waiting.put(lastRequest, name);
            serving.submit(lastRequest, name);
          }
          case 2, 3 -> List.copyOf(alive).forEach(Run::send);
          case 4, 5 -> commit();
          case 6 -> List.copyOf(alive).forEach(Run::apply);
          case 7, 8 -> List.copyOf(alive).forEach(Run::hear);
          default -> {
            if (random.nextInt(3) == 0) {
              killAndSucceed();
            }
          }
        }
      }
      boolean goesOn = true;
      while (goesOn) {
        goesOn = commit();
        for (Run each : List.copyOf(alive)) {
          goesOn |= each.send();
          goesOn |= each.hear();
          goesOn |= each.apply();
        }
      }
      if (!waiting.isEmpty()) {
        throw new Violation("answered by nobody: " + waiting.values());
      }
      assertEquals(REQUESTS, answered.size());
      assertEquals(REQUESTS, log.size(), "each is done once");
    }
  }

  @Test
  void eachRequestIsDoneOnceAndAnsweredOnceWhoeverIsKilledWhen() {
    Map<String, Integer> happened = new HashMap<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        new History(seed, Fault.NONE, happened).run();
      } catch (Violation e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    for (String what :
        List.of(
            "taken over with requests in flight", "acked again", "undecided as it came again")) {
      assertTrue(happened.getOrDefault(what, 0) > 0, "never happened: " + what + "; " + happened);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aProgramWithAFaultIsFound(Fault fault) {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        new History(seed, fault, new HashMap<>()).run();
      } catch (Violation found) {
        return;
      }
    }
    throw new AssertionError("not found: " + fault);
  }
}
