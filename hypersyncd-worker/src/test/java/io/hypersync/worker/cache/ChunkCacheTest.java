package io.hypersync.worker.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.worker.port.CachePort;
import io.hypersync.worker.port.CacheReport;
import io.hypersync.worker.port.CacheRoots;
import io.hypersync.worker.replica.IndexedState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a worker removes chunks, and what its roots are (hypersync.md 14.2). */
class ChunkCacheTest {
  private static final long INTERVAL_NS = 1_200_000;
  private static final long SHORTEST_NS = INTERVAL_NS / 12;
  private static final long LIMIT = 1_000;
  private static final int HALF_FULL = 50;
  private static final Hash CHUNK = Blake3.hash(new byte[] {1});

  private final Port port = new Port();
  private final SnapshotManager snapshots = SnapshotManager.none(new WorkspaceId(1, 1));
  private long visible;

  private final ChunkCache.Source source =
      new ChunkCache.Source() {
        @Override
        public IndexedState visible() {
          FsState state = FsState.genesis();
          return new IndexedState(visible, state, state.root());
        }

        @Override
        public long stateBytes() {
          return 1_000;
        }

        @Override
        public void mentioned(Consumer<Hash> chunk) {
          chunk.accept(CHUNK);
        }
      };

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "nothing has changed,                    0, 50, 0,    1.0, ''",
    "the interval is not over,               1, 50, 0,    0.9, ''",
    "the interval is over,                   1, 50, 0,    1.0, begin",
    "the disk is full,                       1, 90, 0,    0.1, begin",
    "the disk is full since a moment ago,    1, 90, 0,    0.0, ''",
    "the disk is full and nothing to remove, 0, 90, 0,    1.0, ''",
    "how full it is is not known,            1, -1, 0,    0.9, ''",
  })
  void aRunBegins(
      String when, long index, int diskPercent, long maxBytes, double intervals, String expected) {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, maxBytes), 0);
    visible = index;
    cache.tick(source, snapshots, diskPercent, (long) (intervals * INTERVAL_NS));
    assertEquals(expected.isEmpty() ? List.of() : List.of(expected), port.calls, when);
  }

  @Test
  void theRootsAreTakenAfterTheStoreHasBegun() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, 0), 0);
    visible = 5;
    assertTrue(tick(cache, INTERVAL_NS));
    assertFalse(tick(cache, INTERVAL_NS));
    cache.begun(10, 0);
    assertTrue(tick(cache, INTERVAL_NS));
    assertEquals(List.of("begin", "collect"), port.calls);
    assertEquals(Set.of(CHUNK), port.roots.getFirst().mentioned());
    assertFalse(port.roots.getFirst().evicts());
    cache.ended(report(false, 10, 7), INTERVAL_NS);
    assertFalse(tick(cache, 3 * INTERVAL_NS), "nothing has changed since");
    visible = 6;
    assertTrue(tick(cache, 3 * INTERVAL_NS));
  }

  @Test
  void aRunThatFailsIsTriedAgain() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, 0), 0);
    visible = 5;
    assertTrue(tick(cache, INTERVAL_NS));
    cache.failed("no room", INTERVAL_NS);
    assertEquals("no room", cache.lastFailure());
    assertFalse(tick(cache, INTERVAL_NS + SHORTEST_NS));
    assertTrue(tick(cache, 2 * INTERVAL_NS), "tried again, though nothing has changed");
  }

  /** One that waits for its roots would keep everything for as long as the leader is away. */
  @Test
  void aRunThatHasOnlyBegunEndsWithTheConnection() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, 0), 0);
    visible = 5;
    assertTrue(tick(cache, INTERVAL_NS));
    cache.begun(10, INTERVAL_NS);
    cache.leaderLost(INTERVAL_NS);
    assertEquals(List.of("begin", "abandon"), port.calls);
    assertFalse(cache.isRunning());
    assertEquals(1, cache.endedSoFar(), "whoever asked for it learns that");
    assertEquals("the leader is away", cache.lastFailure());
  }

  /** The store has not answered yet. */
  @Test
  void soDoesOneThatIsBeginning() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, 0), 0);
    visible = 5;
    assertTrue(tick(cache, INTERVAL_NS));
    cache.leaderLost(INTERVAL_NS);
    assertEquals(List.of("begin"), port.calls);
    cache.begun(10, INTERVAL_NS);
    assertEquals(List.of("begin", "abandon"), port.calls);
  }

  /** What it removes could not be fetched. What nothing needs may go on going. */
  @ParameterizedTest(name = "a store of {0}")
  @CsvSource({"1001, 'begin collect give up'", "10, begin collect"})
  void oneThatRemovesWhatIsShownIsGivenUp(long bytes, String calls) {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, LIMIT), 0);
    var _ = cache.request();
    assertTrue(tick(cache, 0));
    cache.begun(bytes, 0);
    assertTrue(tick(cache, 0));
    cache.leaderLost(0);
    assertEquals(calls, String.join(" ", port.calls));
  }

  @Test
  void aStoreAboveItsLimitLosesWhatIsShownToo() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, LIMIT), 0);
    assertTrue(tick(cache, 0));
    assertEquals(List.of("measure"), port.calls);
    cache.measured(LIMIT + 1, 0);
    assertFalse(cache.hasRoom());
    assertTrue(tick(cache, SHORTEST_NS));
    cache.begun(LIMIT + 1, 0);
    assertTrue(tick(cache, SHORTEST_NS));
    assertTrue(port.roots.getFirst().evicts());
    cache.ended(report(true, 32L << 20, LIMIT / 2), SHORTEST_NS);
    assertTrue(cache.hasRoom());
    assertEquals(1, cache.evictions());
    assertEquals(32L << 20, cache.freedBytes());
  }

  /** Whatever was collected when: a reader may fetch faster than any interval is short. */
  @Test
  void aStoreThatGrowsAboveItsLimitIsCollectedAtOnce() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, 32 * LIMIT), 0);
    assertTrue(tick(cache, 0));
    cache.measured(33 * LIMIT, 0);
    run(cache, 32 * LIMIT + 1, 0);
    assertFalse(tick(cache, 1), "it has just been tried");
    cache.measured(34 * LIMIT, 1);
    run(cache, 10, 1);
  }

  /** Such as when there is more on its way than fits. */
  @Test
  void runsThatAreOfNoUseBecomeRare() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, LIMIT), 0);
    long now = 0;
    int begun = 0;
    for (int i = 0; i < 1_000; i++) {
      now += SHORTEST_NS / 4;
      if (!cache.isRunning() && tick(cache, now)) {
        if (port.calls.getLast().equals("measure")) {
          cache.measured(2 * LIMIT, now);
        } else {
          begun++;
          cache.begun(2 * LIMIT, now);
          assertTrue(tick(cache, now));
          cache.ended(report(true, 0, 2 * LIMIT), now);
        }
      }
    }
    assertTrue(begun >= 5 && begun <= 10, begun + " runs in 250 of the shortest times");
  }

  /** A run of the interval that finds nothing says nothing of one that is needed. */
  @Test
  void quietHoursDoNotMakeThemRare() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, LIMIT), 0);
    for (int hour = 1; hour <= 9; hour++) {
      visible = hour;
      run(cache, 10, hour * INTERVAL_NS);
    }
    cache.measured(LIMIT + 1, 10 * INTERVAL_NS);
    assertTrue(tick(cache, 10 * INTERVAL_NS));
    assertEquals("begin", port.calls.getLast());
  }

  private void run(ChunkCache cache, long bytesAfter, long nowNs) {
    assertTrue(tick(cache, nowNs));
    cache.begun(bytesAfter, nowNs);
    assertTrue(tick(cache, nowNs));
    cache.ended(report(false, 0, bytesAfter), nowNs);
  }

  @Test
  void whoAsksGetsTheNextRun() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, 0), 0);
    assertEquals(1, cache.request());
    assertTrue(tick(cache, 0));
    assertEquals(2, cache.request(), "one that is under way has older roots");
    cache.begun(0, 0);
    assertTrue(tick(cache, 0));
    cache.ended(report(false, 0, 0), 0);
    assertEquals(1, cache.endedSoFar());
    assertTrue(tick(cache, 0));
  }

  @Test
  void aPageThatCannotBeHadIsCountedByItself() {
    ChunkCache cache = new ChunkCache(port, new CacheLimits(INTERVAL_NS, 0), 0);
    Hash other = Blake3.hash(new byte[] {2});
    assertEquals(1, cache.pageLost(CHUNK));
    assertEquals(2, cache.pageLost(CHUNK));
    assertEquals(1, cache.pageLost(other));
    cache.ended(report(false, 0, 0), 0);
    assertEquals(1, cache.pageLost(other));
  }

  private boolean tick(ChunkCache cache, long nowNs) {
    return cache.tick(source, snapshots, HALF_FULL, nowNs);
  }

  private static CacheReport report(boolean evicted, long freed, long storeBytes) {
    return new CacheReport(evicted, 0, 0, freed, 0, 0, storeBytes, 0);
  }

  private static final class Port implements CachePort {
    private final List<String> calls = new ArrayList<>();
    private final List<CacheRoots> roots = new ArrayList<>();

    @Override
    public void measure() {
      calls.add("measure");
    }

    @Override
    public void begin(long stateBytes) {
      calls.add("begin");
    }

    @Override
    public void collect(CacheRoots what) {
      calls.add("collect");
      roots.add(what);
    }

    @Override
    public void giveUp() {
      calls.add("give up");
    }

    @Override
    public void abandon() {
      calls.add("abandon");
    }
  }
}
