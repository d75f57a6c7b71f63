package io.hypersync.leader.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.quota.QuotaViolations;
import io.hypersync.leader.quota.WorkerQuotas;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.lock.LockKind;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.ExpiringLock;
import io.hypersync.wire.message.LeaderMessage.LockExpiryWarning;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage.LockCancel;
import io.hypersync.wire.message.WorkerMessage.LockRelease;
import io.hypersync.wire.message.WorkerMessage.LockRenew;
import io.hypersync.wire.message.WorkerMessage.LockRequest;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lock manager: grants, waits, leases, undo (hypersync.md 10.2). */
class LockManagerTest {
  private static final long MS = 1_000_000;
  private static final long TTL_MS = 5_000;
  private static final long GRACE_MS = 2_000;
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final NodeId FILE = new NodeId(1, 1);
  private static final NodeId OTHER = new NodeId(1, 2);

  private final List<String> said = new ArrayList<>();
  private final Set<WorkerId> connected = new HashSet<>(Set.of(A, B));
  private final Map<WorkerId, Long> seqNos = new HashMap<>();
  private final Map<WorkerId, ClientId> runs = new HashMap<>();
  private long entropy;
  private long durable = 77;
  private long head = 77;
  private long nowMs;
  private final LockManager lockManager =
      new LockManager(
          TTL_MS * MS,
          GRACE_MS * MS,
          () -> ++entropy,
          () -> durable,
          () -> head,
          (worker, message) -> said.add(worker + " " + text(message)),
          connected::contains,
          _ -> true,
          _ -> {},
          WorkerQuotas.ofHeap(1L << 30),
          new QuotaViolations(Clock.SYSTEM),
          0);

  LockManagerTest() {
    hello(A, 1);
    hello(B, 1);
  }

  /** Each row: calls, and the answers to them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        // flock
        "a1 S; b1 S; b2 X?; a1 U; b1 U; b2 X? => 1 ok, 1 ok, 2 no, 2 ok, 3 ok, 4 ok",
        "a1 X; a1 S; b1 S?; b1 X? => 1 ok, 2 ok, 1 ok, 2 no",
        "a1 S; b1 S; a1 X?; b1 X? => 1 ok, 1 ok, 2 no, 2 ok",
        "a1 X; b1 X; b2 X; a1 U => 1 ok, 1 ok, 2 ok",
        "a1 X; b1 S; b2 S; a1 U => 1 ok, 1 ok, 2 ok, 2 ok",
        // fcntl
        "a1 W0-9; b1 W5-5?; b1 W10-19?; b1 R0-4? => 1 ok, 1 no, 2 ok, 3 no",
        "a1 R0-9; b1 R5-5?; a1 W0-9?; a1 W0-4? => 1 ok, 1 ok, 2 no, 3 ok",
        "a1 W0-9; b1 W9-9; a1 u9-9 => 1 ok, 1 ok, 2 ok",
        "a1 W0-9; b1 R0-3; a1 R0-9? => 1 ok, 1 ok, 2 ok",
        "a1 W0-9; b1 S?; b1 X? => 1 ok, 1 ok, 2 ok",
        "a1 W0-1; b1 W1-2; a1 T1-1; a2 T1-1 => 1 ok, 2 ok, 3 no",
      })
  void callsAreAnswered(String row) {
    String[] sides = row.split(" => ", -1);
    for (String call : sides[0].split("; ", -1)) {
      call(call);
    }
    List<String> answers = new ArrayList<>();
    said.forEach(line -> answers.add(line.substring(2)));
    // Answers are numbered per worker.
    assertEquals(List.of(sides[1].split(", ", -1)), answers, () -> "said " + said);
  }

  @Test
  void whoWouldWaitForHimselfIsRefused() {
    call("a1 W0-0");
    call("b1 W1-1");
    call("b2 W2-2");
    call("a1 W1-1");
    call("b1 W2-2");
    call("b2 W0-0");
    assertEquals("b 3 deadlock", said.getLast(), said::toString);
    assertEquals(2, lockManager.counters().waiting());
    call("b2 u2-2");
    assertTrue(said.contains("b 4 ok"), "the others go on: " + said);
  }

  @Test
  void aCircleThatOnlyFlocksMakeIsNotLookedFor() {
    call("a1 X");
    call("b1 X");
    call("a1 X");
    assertEquals(
        List.of("a 1 ok", "a 2 ok"), said.stream().filter(s -> s.startsWith("a")).toList());
  }

  @Test
  void aRequestIsTakenOnceAndAnAnswerIsSaidUntilItIsConfirmed() {
    call("a1 X");
    resend(A, 1, LockKind.FLOCK_EXCLUSIVE);
    assertEquals(List.of("a 1 ok"), said);
    hello(A, 1);
    assertEquals(List.of("a 1 ok", "a 1 ok"), said);
    renew(A, 1);
    hello(A, 1);
    assertEquals(2, said.size(), "it has arrived");
  }

  @Test
  void aWaitOutlivesItsConnection() {
    call("a1 X");
    call("b1 X");
    connected.remove(B);
    call("a1 U");
    connected.add(B);
    said.clear();
    hello(B, 1);
    assertEquals(List.of("b 1 ok"), said);
  }

  @Test
  void whatIsGivenUpIsNotHeldWhetherItWasGrantedOrNot() {
    call("a1 X");
    call("b1 X");
    cancel(B, 1);
    call("a1 U");
    assertEquals(0, lockManager.counters().held());
    call("b1 X");
    cancel(B, 3);
    assertEquals(0, lockManager.counters().held(), "granted, and undone");
    call("b1 R0-9");
    call("b1 W5-9");
    cancel(B, 6);
    call("a1 R0-9?");
    assertEquals("a 3 ok", said.getLast(), "the reader's lock is a reader's again");
    call("a1 W0-0?");
    assertEquals("a 4 no", said.getLast());
  }

  @Test
  void aFlockThatIsAskedForAgainAndGivenUpIsHeldAsBefore() {
    call("a1 X");
    call("a1 X?");
    cancel(A, 2);
    call("b1 S?");
    assertEquals("b 1 no", said.getLast(), "a's flock was not converted, and so never let go");
    call("a1 S");
    cancel(A, 4);
    call("b1 S?");
    assertEquals("b 2 ok", said.getLast(), "a conversion lets go first");
  }

  /**
   * Two threads of one owner. Columns: calls, where "c" and a number cancels that request of a; and
   * which of the bytes 0 to 9 are locked for others in the end.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "what is freed meanwhile stays free          | a1 W0-9; a1 W0-9; a1 u0-9; c2           |"
            + " ..........",
        "only that                                   | a1 W0-9; a1 R0-9; a1 u3-4; c2           |"
            + " WWW..WWWWW",
        "what is locked meanwhile stays locked       | a1 W0-9; a1 W5-9; c1                    |"
            + " .....WWWWW",
        "in another mode, too                        | a1 W0-9; a1 R5-6; c1                    |"
            + " .....RR...",
        "both given up, the newer first              | a1 W0-9; a1 R0-9; c2; c1                |"
            + " ..........",
        "both given up, the older first              | a1 W0-9; a1 R0-9; c1; c2                |"
            + " ..........",
        "down to what was there before               | a1 R0-5; a1 W0-9; a1 R3-9; c2; c3       |"
            + " RRRRRR....",
        "the middle one of three                     | a1 R0-9; a1 W2-7; a1 R4-5; c2           |"
            + " RRRRRRRRRR",
        "given up twice                              | a1 W0-9; c1; a1 W0-9; c1                |"
            + " WWWWWWWWWW",
        "a flock that is asked for again, and freed  | a1 X; a1 X; a1 U; c2                    |"
            + " ..........",
        "one that is converted meanwhile             | a1 S; a1 S; a1 X; c2                    |"
            + " WWWWWWWWWW",
        "that wants to be, and has to wait           | b1 S; a1 S; a1 S; a1 X; c2; b1 U; c3    |"
            + " ..........",
        "a wait, and another granted meanwhile        | b1 S; a1 X; a1 S; b1 U; c1              |"
            + " RRRRRRRRRR",
        "closed meanwhile                            | a1 W0-9; a1 W0-9; close; c2             |"
            + " ..........",
      })
  void whatIsGivenUpGoesBackOnlyWhereNothingCameAfter(String what, String calls, String held) {
    boolean flock = calls.contains("X");
    for (String call : List.of(calls.split("; *", -1))) {
      if (call.startsWith("c") && !call.equals("close")) {
        cancel(A, Long.parseLong(call.substring(1)));
      } else if (call.equals("close")) {
        lockManager.release(A, new LockRelease(intent(A), FILE, LockSpace.POSIX, 1));
      } else {
        call(call);
      }
    }
    assertEquals(held, flock ? flocked() : lockedBytes(), what);
  }

  @Test
  void whatRestsOnALostSessionIsRefusedForGood() {
    call("a1 X");
    long lost = lockManager.session(A);
    tick(TTL_MS + GRACE_MS / 2);
    assertTrue(lockManager.admits(A, lost), "it is still held in grace");
    connected.remove(A);
    tick(GRACE_MS);
    assertFalse(lockManager.admits(A, lost));
    connected.add(A);
    hello(A, 1);
    assertFalse(lockManager.admits(A, lost), "a reconnect lifts nothing");
    assertTrue(lockManager.admits(A, lockManager.session(A)));
    assertFalse(lockManager.admits(B, lockManager.session(A)), "a session is one worker's");
    assertTrue(lockManager.admits(B, 0), "under no lock");
    assertEquals(3, lockManager.counters().fenced());
  }

  @Test
  void anotherRunEndsWhatRestsOnTheLocksOfTheOneBefore() {
    call("a1 X");
    long lost = lockManager.session(A);
    hello(A, 2);
    assertFalse(lockManager.admits(A, lost));
  }

  /** Else it would see that arrive later, under its own lock. */
  @Test
  void whoGetsALostLockIsToldWhenWhatWasWrittenUnderItIsDurable() {
    call("a1 X");
    call("b1 X");
    head = 80; // a has written, and the log is on its way to the disk
    connected.remove(A);
    tick(TTL_MS + 2 * GRACE_MS);
    call("b2 S");
    hello(B, 1);
    assertEquals(List.of(), saidTo("b"), "also not after a reconnect");
    durable = 79;
    tick(10);
    assertEquals(List.of(), saidTo("b"));
    durable = 80;
    tick(10);
    assertEquals(List.of("b 1 ok"), saidTo("b"));
  }

  @Test
  void whatIsWithheldForASessionEndsWithIt() {
    call("a1 X");
    call("b1 X");
    head = 80;
    connected.remove(A);
    tick(TTL_MS + 2 * GRACE_MS);
    hello(B, 2);
    durable = 80;
    tick(10);
    assertEquals(List.of(), saidTo("b"), "its number means something else in the next session");
  }

  private List<String> saidTo(String worker) {
    return said.stream()
        .filter(line -> line.startsWith(worker) && !line.contains("warned"))
        .toList();
  }

  private String lockedBytes() {
    StringBuilder seen = new StringBuilder();
    for (int i = 0; i <= 9; i++) {
      String one = i + "-" + i;
      seen.append(seen("b9 R" + one + "?", "b9 W" + one + "?", "b9 u" + one));
    }
    return seen.toString();
  }

  private String flocked() {
    return String.valueOf(seen("b9 S?", "b9 X?", "b9 U")).repeat(10);
  }

  private char seen(String shared, String exclusive, String free) {
    boolean read = isFree(shared);
    call(free);
    boolean write = isFree(exclusive);
    call(free);
    return write ? '.' : read ? 'R' : 'W';
  }

  /** Cancelled requests, in any order, leave the locks as if they had never been made. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void whatIsGivenUpIsAsIfItHadNeverBeenAskedFor(int seed) {
    Random random = new Random(seed);
    for (int history = 0; history < 250; history++) {
      List<String> calls = new ArrayList<>();
      List<Long> asked = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(12); i++) {
        int first = random.nextInt(10);
        int last = first + random.nextInt(10 - first);
        calls.add("a1 " + "WRu".charAt(random.nextInt(3)) + first + "-" + last);
        call(calls.getLast());
        asked.add(seqNos.getOrDefault(A, 0L));
      }
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < calls.size(); i++) {
        if (calls.get(i).charAt(3) != 'u' && random.nextBoolean()) {
          order.add(i);
        }
      }
      Collections.shuffle(order, random);
      order.forEach(i -> cancel(A, asked.get(i)));
      char[] expected = "..........".toCharArray();
      for (int i = 0; i < calls.size(); i++) {
        if (!order.contains(i)) {
          String[] ends = calls.get(i).substring(4).split("-", -1);
          char mode = calls.get(i).charAt(3) == 'u' ? '.' : calls.get(i).charAt(3);
          Arrays.fill(expected, Integer.parseInt(ends[0]), Integer.parseInt(ends[1]) + 1, mode);
        }
      }
      assertEquals(
          new String(expected), lockedBytes(), "seed " + seed + ": " + calls + " less " + order);
      call("a1 u0-9");
    }
  }

  private boolean isFree(String call) {
    call(call);
    return said.getLast().endsWith(" ok");
  }

  @Test
  void aCloseLetsGoOfEverything() {
    call("a1 W0-3");
    call("a1 R7-9");
    call("b1 X");
    lockManager.release(A, new LockRelease(intent(A), FILE, LockSpace.POSIX, 1));
    assertEquals(1, lockManager.counters().held());
  }

  @Test
  void aLeaseGoesThroughGraceToItsEnd() {
    call("a1 X");
    connected.remove(A);
    tick(TTL_MS);
    call("b1 X?");
    assertEquals("b 1 no", said.getLast());
    tick(GRACE_MS / 2);
    assertEquals("a warned of 1[FLOCK 1 of FILE]", said.getLast());
    call("b1 X?");
    assertEquals("b 2 expiring", said.getLast());
    assertEquals(1, lockManager.counters().expiring());
    call("b1 X");
    tick(GRACE_MS);
    assertEquals("b 3 ok", said.getLast());
    assertEquals(1, lockManager.counters().expired());
  }

  @Test
  void whoRenewsInGraceKeepsHisLock() {
    call("a1 X");
    tick(TTL_MS + GRACE_MS / 2);
    renew(A, 0);
    tick(TTL_MS);
    call("b1 X?");
    assertEquals("b 1 no", said.getLast());
    assertEquals(0, lockManager.counters().expiring());
  }

  @Test
  void aWorkerThatIsConnectedAndDoesNotRenewIsDropped() {
    call("a1 X");
    long session = lockManager.session(A);
    assertEquals(List.of(A), tick(TTL_MS + 2 * GRACE_MS));
    hello(A, 1);
    assertNotEquals(session, lockManager.session(A), "it learns of it by the number");
  }

  @Test
  void whatALeaderSleepsThroughIsNoTime() {
    call("a1 X");
    nowMs += 100 * TTL_MS;
    assertEquals(List.of(), lockManager.tick(nowMs * MS));
    call("b1 X?");
    assertEquals("b 1 no", said.getLast());
  }

  @Test
  void anotherRunOfAWorkerFreesTheLocksOfTheOneBefore() {
    call("a1 X");
    call("b1 X");
    long session = lockManager.session(A);
    hello(A, 2);
    assertEquals("b 1 ok", said.getLast());
    assertEquals(1, lockManager.counters().reclaimed());
    assertNotEquals(session, lockManager.session(A));
  }

  @Test
  void pidsAreForTheOwnWorkerOnly() {
    List<@Nullable Integer> pids = new ArrayList<>();
    LockManager other =
        new LockManager(
            MS,
            MS,
            () -> ++entropy,
            () -> 0,
            () -> 0,
            (_, message) -> {
              if (message instanceof LockResponse response && response.holder() != null) {
                pids.add(response.holder().pid());
              }
            },
            _ -> true,
            _ -> true,
            _ -> {},
            WorkerQuotas.ofHeap(1L << 30),
            new QuotaViolations(Clock.SYSTEM),
            0);
    for (WorkerId worker : List.of(A, B)) {
      long _ = other.established(worker, runs.get(worker));
    }
    other.request(A, request(A, FILE, LockKind.FCNTL_WRITE, 1, LockRange.WHOLE, Wish.TRY));
    other.request(A, request(A, FILE, LockKind.FCNTL_WRITE, 2, LockRange.WHOLE, Wish.TEST));
    other.request(B, request(B, FILE, LockKind.FCNTL_WRITE, 1, LockRange.WHOLE, Wish.TEST));
    assertEquals(List.of(101, 0), pids);
    // The kernel sends pid 0 with an unlock.
    other.request(
        A,
        new LockRequest(
            intent(A), FILE, LockKind.FCNTL_UNLOCK, 1, 0, new LockRange(0, 4), Wish.TRY));
    other.request(A, request(A, FILE, LockKind.FCNTL_WRITE, 2, LockRange.WHOLE, Wish.TEST));
    assertEquals(List.of(101, 0, 101), pids);
  }

  /** Compares random calls with a model: an array of bytes for each owner. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void agreesWithArraysOfBytes(long seed) {
    Random random = new Random(seed);
    int owners = 4;
    int bytes = 12;
    @Nullable LockMode[][] model = new LockMode[owners][bytes];
    for (int step = 0; step < 1_000; step++) {
      int owner = random.nextInt(owners);
      WorkerId worker = owner % 2 == 0 ? A : B;
      int from = random.nextInt(bytes);
      int to = from + random.nextInt(bytes - from);
      LockKind kind =
          List.of(LockKind.FCNTL_READ, LockKind.FCNTL_WRITE, LockKind.FCNTL_UNLOCK)
              .get(random.nextInt(3));
      LockMode mode = kind.mode();
      boolean allowed = true;
      for (int other = 0; other < owners && mode != null; other++) {
        for (int i = from; i <= to && other != owner; i++) {
          allowed &= model[other][i] == null || !model[other][i].conflictsWith(mode);
        }
      }
      said.clear();
      lockManager.request(
          worker, request(worker, OTHER, kind, owner, new LockRange(from, to), Wish.TRY));
      if (allowed) {
        for (int i = from; i <= to; i++) {
          model[owner][i] = mode;
        }
      }
      assertTrue(
          said.getFirst().endsWith(allowed ? "ok" : "no"),
          "seed " + seed + " step " + step + ": " + kind + " " + from + "-" + to + ": " + said);
    }
  }

  /** Random waits, calls and closes: no request waits for a lock that could be granted. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void nobodyWaitsForWhatIsFree(long seed) {
    Random random = new Random(seed);
    for (int step = 0; step < 500; step++) {
      WorkerId worker = random.nextBoolean() ? A : B;
      int owner = random.nextInt(4);
      NodeId node = random.nextBoolean() ? FILE : OTHER;
      int from = random.nextInt(6);
      LockRange range = new LockRange(from, from + random.nextInt(4));
      switch (random.nextInt(5)) {
        case 0, 1 ->
            lockManager.request(
                worker, request(worker, node, LockKind.FCNTL_WRITE, owner, range, Wish.WAIT));
        case 2 ->
            lockManager.request(
                worker, request(worker, node, LockKind.FCNTL_READ, owner, range, Wish.WAIT));
        case 3 ->
            lockManager.request(
                worker, request(worker, node, LockKind.FCNTL_UNLOCK, owner, range, Wish.TRY));
        default ->
            lockManager.release(
                worker, new LockRelease(intent(worker), node, LockSpace.POSIX, owner));
      }
    }
    for (int round = 0; round < 500 && lockManager.counters().waiting() > 0; round++) {
      for (WorkerId worker : List.of(A, B)) {
        for (int owner = 0; owner < 4; owner++) {
          for (NodeId node : List.of(FILE, OTHER)) {
            lockManager.release(
                worker, new LockRelease(intent(worker), node, LockSpace.POSIX, owner));
          }
        }
      }
    }
    assertEquals(0, lockManager.counters().waiting(), "seed " + seed);
  }

  private static String text(ExpiringLock lock) {
    return lock.space() + " " + lock.owner() + " of " + (lock.node().equals(FILE) ? "FILE" : "?");
  }

  /** A worker can hold more locks than a message may list. */
  @Test
  void aWarningNamesSomeLocksOfThatWorkerAndCountsAll() {
    int many = Protocol.MAX_LOCKS_PER_WARNING + 10;
    for (int i = 0; i < many; i++) {
      NodeId node = new NodeId(7, i);
      lockManager.request(A, request(A, node, LockKind.FCNTL_WRITE, i, LockRange.WHOLE, Wish.TRY));
      lockManager.request(B, request(B, node, LockKind.FLOCK_SHARED, i, LockRange.WHOLE, Wish.TRY));
    }
    connected.remove(A);
    tick(TTL_MS + GRACE_MS / 2);
    String warned =
        said.stream().filter(line -> line.startsWith("a warned of")).findFirst().orElseThrow();
    assertTrue(warned.startsWith("a warned of " + many + "["), warned);
    assertEquals(Protocol.MAX_LOCKS_PER_WARNING, warned.split("POSIX", -1).length - 1, warned);
    assertEquals(1, warned.split("FLOCK", -1).length, "those of others are not named");
  }

  /** Each row: calls; how many are listed at most; what is listed, and whether that is all. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a1 X                              | 9 | a 101 holds FLOCK EXCLUSIVE                | true",
        "a1 X; b2 S                        | 9 | b 102 waits for [a 101], a 101 holds FLOCK"
            + " EXCLUSIVE | true",
        "a1 R0-9; b1 R0-9; b2 W5-5         | 9 | b 102 waits for [a 101 b 101], a 101 holds POSIX"
            + " SHARED, b 101 holds POSIX SHARED | true",
        "a1 W0-0; a1 W5-5; b1 W7-7         | 2 | a 101 holds POSIX EXCLUSIVE, a 101 holds POSIX"
            + " EXCLUSIVE | false",
        "a1 X; b1 X; b2 X                  | 1 | b 101 waits for [a 101]                    |"
            + " false",
      })
  void locksAreListedThoseThatWaitFirst(String calls, int most, String listed, boolean isAll) {
    for (String call : calls.split("; ", -1)) {
      call(call);
    }
    ListedLock.Listing listing = lockManager.list(most);
    List<String> found = new ArrayList<>();
    for (ListedLock lock : listing.locks()) {
      String who = lock.worker() + " " + lock.pid();
      List<String> holders =
          lock.waitsFor().stream().map(each -> each.worker() + " " + each.pid()).toList();
      found.add(
          lock.isHeld()
              ? who + " holds " + lock.space() + " " + lock.mode()
              : who + " waits for [" + String.join(" ", holders) + "]");
    }
    assertEquals(listed, String.join(", ", found));
    assertEquals(isAll, listing.isComplete());
  }

  /**
   * Makes a call such as "a1 W0-9": worker and owner, kind and range, and a question mark for "do
   * not wait".
   */
  private void call(String call) {
    WorkerId worker = call.charAt(0) == 'a' ? A : B;
    long owner = call.charAt(1) - (long) '0';
    char what = call.charAt(3);
    boolean waits = !call.endsWith("?");
    String bytes = call.substring(4).replace("?", "");
    LockRange range = LockRange.WHOLE;
    if (!bytes.isEmpty()) {
      String[] ends = bytes.split("-", -1);
      range = new LockRange(Long.parseLong(ends[0]), Long.parseLong(ends[1]));
    }
    LockKind kind =
        switch (what) {
          case 'S' -> LockKind.FLOCK_SHARED;
          case 'X' -> LockKind.FLOCK_EXCLUSIVE;
          case 'U' -> LockKind.FLOCK_UNLOCK;
          case 'R' -> LockKind.FCNTL_READ;
          case 'u' -> LockKind.FCNTL_UNLOCK;
          default -> LockKind.FCNTL_WRITE;
        };
    Wish wish = what == 'T' ? Wish.TEST : waits ? Wish.WAIT : Wish.TRY;
    lockManager.request(worker, request(worker, FILE, kind, owner, range, wish));
  }

  private LockRequest request(
      WorkerId worker, NodeId node, LockKind kind, long owner, LockRange range, Wish wish) {
    return new LockRequest(intent(worker), node, kind, owner, 100 + (int) owner, range, wish);
  }

  private void resend(WorkerId worker, long seqNo, LockKind kind) {
    lockManager.request(
        worker,
        new LockRequest(
            new IntentId(runs.get(worker), seqNo), FILE, kind, 1, 0, LockRange.WHOLE, Wish.WAIT));
  }

  private void cancel(WorkerId worker, long seqNo) {
    lockManager.cancel(worker, new LockCancel(intent(worker), seqNo));
  }

  private void renew(WorkerId worker, long answeredThrough) {
    lockManager.renew(worker, new LockRenew(runs.get(worker), 1, answeredThrough));
  }

  private IntentId intent(WorkerId worker) {
    return new IntentId(runs.get(worker), seqNos.merge(worker, 1L, Long::sum));
  }

  private void hello(WorkerId worker, long run) {
    ClientId client = new ClientId(run, worker.name().hashCode());
    runs.put(worker, client);
    long _ = lockManager.established(worker, client);
    lockManager.resumed(worker);
  }

  /** Advances time in small steps, as for a running leader. */
  private List<WorkerId> tick(long ms) {
    List<WorkerId> lost = new ArrayList<>();
    for (long end = nowMs + ms; nowMs < end; ) {
      nowMs += 10;
      lost.addAll(lockManager.tick(nowMs * MS));
    }
    return lost;
  }

  private static String text(LeaderMessage message) {
    return switch (message) {
      case LockResponse response ->
          response.number()
              + switch (response.verdict()) {
                case GRANTED -> " ok";
                case DENIED -> " no";
                case HELD_EXPIRING -> " expiring";
                case DEADLOCK -> " deadlock";
                case NO_LOCKS -> " too many";
              };
      case LockExpiryWarning warning ->
          "warned of "
              + warning.locks()
              + warning.named().stream().map(LockManagerTest::text).toList();
      default -> throw new AssertionError("not of locks: " + message);
    };
  }
}
