package io.hypersync.worker.lock;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.wire.message.LeaderMessage.Holder;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import io.hypersync.wire.message.LeaderMessage.LockResponse.Verdict;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.LockCancel;
import io.hypersync.wire.message.WorkerMessage.LockRelease;
import io.hypersync.wire.message.WorkerMessage.LockRequest;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.incarnation.Memories;
import io.hypersync.worker.incarnation.MountMemory;
import io.hypersync.worker.replica.IndexCallbacks;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of processes that serve one mount one after the other, each killed at any moment
 * while programs lock, unlock and close files, beside a rival on another host (hypersync.md 10.2,
 * decisions 048 and 053). Each request is answered once; who was told that it holds a lock holds
 * it; and in the end the leader has exactly those locks. A seed decides all of a history.
 */
class LockIncarnationHistoriesTest {
  private static final int SEEDS = 150;
  private static final int STEPS = 300;
  private static final int FILES = 2;
  private static final int OWNERS = 3;
  private static final long RIVAL = 99;
  private static final long AGAIN = Long.MIN_VALUE;
  private static final ClientId RUN = new ClientId(1, 2);

  /** A program with one fault, which the histories have to find. */
  enum Fault {
    NONE,
    /** A successor begins without what the process before has noted. */
    NOTHING_INHERITED,
    /** Its messages have numbers that were used before. */
    NUMBERS_BEGIN_ANEW,
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

  /** Who wants what of which file; null: to unlock. */
  private record Asked(long owner, int file, @Nullable LockMode mode) {}

  /** A program's open file. */
  private record Opened(long owner, int file) {}

  private static OwnerLockKey key(long owner, int file) {
    return new OwnerLockKey(new NodeId(1, file), LockSpace.FLOCK, new FuseLockOwner(owner));
  }

  /** The leader, the kernel with its programs, and the process that serves at the moment. */
  private static final class History {
    private final Fault fault;
    private final Random random;
    private final Map<String, Integer> happened;
    private final MountMemory memory;

    /** The leader: who holds which file, what it has decided, and which grants can be undone. */
    private final Map<Integer, Long> holders = new HashMap<>();

    private final Set<Long> decided = new HashSet<>();
    private final Map<Long, Asked> granted = new HashMap<>();
    private long answers;

    /** The kernel: what waits, what is open, and what programs were told that they hold. */
    private final Map<Long, Asked> waiting = new LinkedHashMap<>();

    private final Map<Opened, FileHandle> open = new LinkedHashMap<>();
    private final Map<Integer, Long> believed = new HashMap<>();
    private long lastRequest;
    private long lastHandle;

    private Run serving;
    private @Nullable Run before;

    History(long seed, Fault fault, Map<String, Integer> happened) throws IOException {
      this.memory = Memories.ofANewMount();
      this.random = new Random(seed);
      this.fault = fault;
      this.happened = happened;
      this.serving = new Run(false);
    }

    private void count(String what) {
      happened.merge(what, 1, Integer::sum);
    }

    /** One process, from its start to its death. */
    private final class Run {
      private final RecordingLeaderLink link = new RecordingLeaderLink();
      private final HeldLocks heldLocks = new HeldLocks();
      private final LockClient client =
          new LockClient(RUN, link, new IndexCallbacks(), heldLocks, Long.MAX_VALUE / 4);
      private final ArrayDeque<LockResponse> arriving = new ArrayDeque<>();
      private int taken;

      Run(boolean isSuccessor) {
        if (isSuccessor && fault == Fault.NUMBERS_BEGIN_ANEW) {
          memory.lockNumber(0);
        }
        client.keep(memory, isSuccessor && fault != Fault.NOTHING_INHERITED);
        client.welcomed(
            new Welcome(new WorkspaceId(1, 1), 1, 0, 100, NegotiatedParams.DEFAULT, 1, 15_000), 0);
      }

      void submit(long unique, Asked asked) {
        long number = unique & ~AGAIN;
        OwnerLockKey key = key(asked.owner(), asked.file());
        FileHandle handle = open.get(new Opened(asked.owner(), asked.file()));
        if (asked.mode() != null && handle != null) {
          heldLocks.asked(key, handle);
        }
        client.submit(
            new LockCall(
                new RequestId(unique),
                key,
                1,
                LockRange.WHOLE,
                asked.mode(),
                Wish.TRY,
                new LockCompletion() {
                  @Override
                  public void granted() {
                    answer(number);
                    if (asked.mode() != null) {
                      believed.put(asked.file(), asked.owner());
                    }
                  }

                  @Override
                  public void denied(Holder holder) {
                    answer(number);
                    count("denied");
                  }

                  @Override
                  public void failed(Errno errno) {
                    throw new Violation(asked + " got " + errno);
                  }
                }),
            0);
      }

      boolean send() {
        if (taken == link.sent.size()) {
          return false;
        }
        LockResponse response = decide(link.sent.get(taken));
        taken++;
        if (response != null) {
          arriving.add(response);
        }
        return true;
      }

      boolean hear() {
        LockResponse response = arriving.poll();
        if (response != null) {
          client.answered(response);
        }
        return response != null;
      }
    }

    private void answer(long number) {
      if (waiting.remove(number) == null) {
        throw new Violation("request " + number + " was answered twice");
      }
    }

    /** As a leader decides; null for what has no answer. A number is taken once. */
    private @Nullable LockResponse decide(WorkerMessage message) {
      return switch (message) {
        case LockRequest request -> {
          long number = request.intent().seqNo();
          int file = (int) request.node().low();
          if (!decided.add(number)) {
            yield null;
          }
          LockMode mode = request.kind().mode();
          Long holder = holders.get(file);
          if (mode == null) {
            free(request.owner(), file);
            yield response(number, Verdict.GRANTED, false);
          }
          if (holder == null) {
            holders.put(file, request.owner());
            granted.put(number, new Asked(request.owner(), file, mode));
          }
          boolean may = holder == null || holder == request.owner();
          yield response(number, may ? Verdict.GRANTED : Verdict.DENIED, may);
        }
        case LockRelease release -> {
          long number = release.intent().seqNo();
          if (!decided.add(number)) {
            yield null;
          }
          free(release.owner(), (int) release.node().low());
          yield response(number, Verdict.GRANTED, false);
        }
        case LockCancel cancel -> {
          long number = cancel.intent().seqNo();
          if (!decided.add(number)) {
            yield null;
          }
          Asked undone = granted.remove(cancel.requestSeqNo());
          if (undone != null) {
            count("a grant that nobody heard of is undone");
            free(undone.owner(), undone.file());
          }
          // Of a request that it does not know a leader says that the lock is held.
          yield response(number, Verdict.GRANTED, undone == null);
        }
        default -> null; // a renewal
      };
    }

    private void free(long owner, int file) {
      if (holders.getOrDefault(file, 0L) == owner) {
        holders.remove(file);
      }
    }

    private LockResponse response(long number, Verdict verdict, boolean held) {
      answers++;
      Holder holder =
          verdict.isDenied()
              ? new Holder(new HeldLock(LockRange.WHOLE, LockMode.EXCLUSIVE), new WorkerId("x"), 0)
              : null;
      return new LockResponse(new IntentId(RUN, number), answers, verdict, held, 0, 5_000, holder);
    }

    private void program() {
      long owner = 1L + random.nextInt(OWNERS);
      int file = 1 + random.nextInt(FILES);
      boolean isAsking =
          waiting.values().stream().anyMatch(each -> each.owner() == owner && each.file() == file);
      if (isAsking) {
        return; // it is in that call
      }
      boolean holds = believed.getOrDefault(file, 0L) == owner;
      Opened at = new Opened(owner, file);
      switch (random.nextInt(3)) {
        case 0 -> {
          FileHandle handle = open.remove(at);
          if (handle != null) {
            if (holds) {
              believed.remove(file);
            }
            for (OwnerLockKey each : serving.heldLocks.closed(handle)) {
              serving.client.release(each, () -> {});
            }
          }
        }
        case 1 -> {
          if (holds) {
            believed.remove(file);
            ask(new Asked(owner, file, null));
          }
        }
        default -> {
          if (!open.containsKey(at)) {
            lastHandle++;
            open.put(at, new FileHandle(lastHandle));
          }
          ask(new Asked(owner, file, LockMode.EXCLUSIVE));
        }
      }
    }

    private void ask(Asked asked) {
      lastRequest += 2;
      waiting.put(lastRequest, asked);
      serving.submit(lastRequest, asked);
    }

    private void rival() {
      int file = 1 + random.nextInt(FILES);
      Long holder = holders.get(file);
      if (holder == null) {
        holders.put(file, RIVAL);
      } else if (holder == RIVAL) {
        holders.remove(file);
      }
    }

    private void killAndSucceed() {
      if (!waiting.isEmpty()) {
        count("taken over with requests in flight");
      }
      int arrives = random.nextInt(serving.link.sent.size() - serving.taken + 1);
      for (int i = 0; i < arrives; i++) {
        var _ = serving.send(); // its answer is lost
      }
      before = fault == Fault.TWO_AT_ONCE ? serving : null;
      serving = new Run(true);
      if (fault != Fault.ANSWERED_BY_NOBODY) {
        Map.copyOf(waiting).forEach((number, asked) -> serving.submit(number | AGAIN, asked));
      }
    }

    /** Whoever was told that it holds a lock, and has not begun to give it back, holds it. */
    private void check() {
      believed.forEach(
          (file, owner) -> {
            if (!owner.equals(holders.get(file))) {
              throw new Violation(
                  owner + " believes to hold " + file + ", held by " + holders.get(file));
            }
          });
    }

    /**
     * Runs to the end.
     *
     * @throws Violation if a promise is broken
     */
    void run() {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(12)) {
          case 0, 1, 2 -> program();
          case 3, 4, 5 -> {
            var _ = serving.send();
          }
          case 6, 7, 8 -> {
            var _ = serving.hear();
          }
          case 9 -> rival();
          case 10 -> {
            Run older = before;
            if (older != null) {
              var _ = older.send();
              var _ = older.hear();
            }
          }
          default -> {
            if (random.nextInt(3) == 0) {
              killAndSucceed();
            }
          }
        }
        check();
      }
      boolean goesOn = true;
      while (goesOn) {
        goesOn = serving.send();
        goesOn |= serving.hear();
        check();
      }
      if (!waiting.isEmpty()) {
        throw new Violation("answered by nobody: " + waiting.values());
      }
      holders.forEach(
          (file, owner) -> {
            if (owner != RIVAL && !owner.equals(believed.get(file))) {
              throw new Violation(owner + " holds " + file + " and does not know");
            }
          });
    }
  }

  @Test
  void whoIsToldThatItHoldsALockHoldsItWhoeverIsKilledWhen() throws IOException {
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
            "taken over with requests in flight",
            "a grant that nobody heard of is undone",
            "denied")) {
      assertTrue(happened.getOrDefault(what, 0) > 0, "never happened: " + what + "; " + happened);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aProgramWithAFaultIsFound(Fault fault) throws IOException {
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
