package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.load.MixedActor;
import io.hypersync.e2e.load.MixedCall;
import io.hypersync.e2e.load.MixedChain;
import io.hypersync.e2e.load.MixedChain.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Chains of calls move between two mounts and use the same directories; every answer must be the
 * one that a single machine would give (hypersync.md 5.2(2), 6.2). Meanwhile other processes make
 * random calls in the same directories.
 *
 * <p>{@code -Dhypersync.mixed.operations=1000000} makes a million calls, {@code -Dhypersync.seed}
 * repeats the calls of a run.
 */
@RealMounts
class MixedOperationsTest {
  /** Number of calls for each kind of hand-over. */
  private static final long OPERATIONS =
      Long.getLong("hypersync.mixed.operations", 9_000) / Handover.values().length;

  private static final List<Kind> KINDS = List.of(Kind.BUSY, Kind.ONE_SIDED, Kind.QUIET);
  private static final int CHAINS = 36;
  private static final int ACTORS_PER_MOUNT = 3;
  private static final List<String> MOUNTS = List.of("a", "b");

  /** Errors that processes may get which change the same names without coordination. */
  private static final Set<String> ERRORS =
      Set.of("ENOENT", "EEXIST", "ENOTEMPTY", "ENOTDIR", "EISDIR", "ELOOP", "EINVAL", "EPERM");

  /** How an actor learns that the turn of a chain has come to its mount. */
  enum Handover {
    /**
     * It sees the last change through the mount; then everything before it must be visible, too.
     */
    SEEN_ON_THE_MOUNT,
    /** The same, with delayed invalidations. */
    SEEN_WITH_SLOW_KERNELS,
    /**
     * It is notified at once by other means; with strict_reads, the leader is asked before each
     * answer (5.3).
     */
    TOLD_AT_ONCE;

    private TestCluster workspace() throws Exception {
      List<String> settings = new ArrayList<>(TestCluster.PATIENT);
      Map<String, String> faults = Map.of();
      switch (this) {
        case SEEN_ON_THE_MOUNT -> {}
        case SEEN_WITH_SLOW_KERNELS -> faults = Map.of("HYPERSYNC_FAULT_NOTIFIER_DELAY_US", "2000");
        case TOLD_AT_ONCE -> settings.add("hypersync.worker.strict_reads=true");
      }
      return TestCluster.start(settings, faults, "a", "b");
    }
  }

  /**
   * A chain that waits for an actor of a mount.
   *
   * @param first calls that the actor makes before the turn
   * @param fromNs when its rest is over, by {@link System#nanoTime}
   */
  private record Baton(MixedChain chain, List<MixedCall> first, long fromNs) implements Delayed {
    private Baton(MixedChain chain, List<MixedCall> first) {
      this(chain, first, System.nanoTime() + chain.rest().toNanos());
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(fromNs - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }

  private final long seed = Long.getLong("hypersync.seed", System.nanoTime());
  private final Map<String, DelayQueue<Baton>> waiting =
      Map.of("a", new DelayQueue<>(), "b", new DelayQueue<>());
  private final AtomicLong judged = new AtomicLong();
  private final AtomicBoolean over = new AtomicBoolean();

  @ParameterizedTest
  @EnumSource
  @LongVersion
  void everyAnswerIsThatOfASingleMachine(Handover handover) throws Exception {
    List<MixedChain> chains = new ArrayList<>();
    try (TestCluster cluster = handover.workspace()) {
      Path folder =
          Files.createDirectories(cluster.mount("a").resolve("shared/batons")).getParent();
      for (int c = 0; c < CHAINS; c++) {
        Kind kind = KINDS.get(c % KINDS.size());
        MixedChain chain = new MixedChain(kind, "c" + c + "-", seed + c);
        chains.add(chain);
        for (String directory : chain.directories()) {
          Files.createDirectories(folder.resolve(directory));
        }
        Files.createFile(folder.resolve(chain.baton()));
        waiting.get("a").add(new Baton(chain, List.of()));
      }
      cluster.settle("b");
      run(cluster, handover);
      cluster.settle("a", "b");
      for (String mount : MOUNTS) {
        try (MixedActor actor = MixedActor.start(shared(cluster, mount))) {
          for (MixedChain chain : chains) {
            judge(chain, mount, chain.everything(), actor);
          }
        }
      }
      cluster.assertSameRoots("a", "b");
    } catch (Exception | AssertionError failure) {
      throw new AssertionError(
          "-Dhypersync.seed=%d, after %,d operations".formatted(seed, judged.get()), failure);
    }
  }

  private void run(TestCluster cluster, Handover handover) throws Exception {
    List<Future<Void>> running = new ArrayList<>();
    long startNs = System.nanoTime();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (String mount : MOUNTS) {
        Path folder = shared(cluster, mount);
        for (int i = 0; i < ACTORS_PER_MOUNT; i++) {
          running.add(threads.submit(() -> untilOver(() -> takeTurns(mount, folder, handover))));
        }
        long noiseSeed = seed + running.size();
        running.add(threads.submit(() -> untilOver(() -> makeNoise(mount, folder, noiseSeed))));
      }
    }
    for (Future<Void> each : running) {
      each.get();
    }
    System.err.printf(
        "%s: %,d operations in %,d s, seed %d%n",
        handover, judged.get(), (System.nanoTime() - startNs) / 1_000_000_000, seed);
  }

  /** Runs until the end; the first thread that ends makes all others end. */
  private Void untilOver(Act act) throws Exception {
    try {
      act.run();
    } finally {
      over.set(true);
    }
    return null;
  }

  @FunctionalInterface
  private interface Act {
    void run() throws Exception;
  }

  private static Path shared(TestCluster cluster, String mount) {
    return cluster.mount(mount).resolve("shared");
  }

  private void takeTurns(String mount, Path folder, Handover handover) throws Exception {
    try (MixedActor actor = MixedActor.start(folder)) {
      while (!over.get() && judged.get() < OPERATIONS) {
        Baton baton = waiting.get(mount).poll(100, TimeUnit.MILLISECONDS);
        if (baton != null) {
          must(actor, baton.first);
          judge(baton.chain, mount, baton.chain.nextTurn(MOUNTS.indexOf(mount)), actor);
          handOver(baton.chain, mount, handover, actor);
        }
      }
    }
  }

  private void handOver(MixedChain chain, String mount, Handover handover, MixedActor actor)
      throws IOException {
    if (!chain.moves()) {
      waiting.get(mount).add(new Baton(chain, List.of()));
      return;
    }
    List<MixedCall> first = List.of();
    if (handover != Handover.TOLD_AT_ONCE) {
      must(actor, List.of(MixedCall.of("append", chain.baton(), "x")));
      first = List.of(MixedCall.of("wait", chain.baton(), Integer.toString(chain.hops())));
    }
    waiting.get(mount.equals("a") ? "b" : "a").add(new Baton(chain, first));
  }

  private static void must(MixedActor actor, List<MixedCall> calls) throws IOException {
    for (MixedCall call : calls) {
      assertEquals(List.of(Errnos.NONE), actor.turn(List.of(call)), call::toString);
    }
  }

  private void judge(MixedChain chain, String mount, List<MixedCall> turn, MixedActor actor)
      throws IOException {
    List<String> answers = actor.turn(turn);
    for (int i = 0; i < turn.size(); i++) {
      chain.judge(mount, turn.get(i), answers.get(i));
      judged.incrementAndGet();
    }
  }

  /** Makes calls without a known answer; only the kind of the answer is checked. */
  private void makeNoise(String mount, Path folder, long noiseSeed) throws Exception {
    MixedChain noise = new MixedChain(Kind.BUSY, "noise-", noiseSeed);
    try (MixedActor actor = MixedActor.start(folder)) {
      while (!over.get()) {
        List<MixedCall> turn = new ArrayList<>(noise.nextTurn(0));
        turn.removeIf(MixedOperationsTest::movesElsewhere);
        List<String> answers = actor.turn(turn);
        for (int i = 0; i < turn.size(); i++) {
          String answer = answers.get(i);
          assertTrue(
              !answer.startsWith("E") || ERRORS.contains(answer),
              mount + ": " + turn.get(i) + " -> " + answer);
        }
      }
    }
  }

  /** Directories that another host moves to another directory are excluded; see docs/open.md. */
  private static boolean movesElsewhere(MixedCall call) {
    return call.name().equals("rename")
        && !Objects.equals(
            Path.of(call.argument(0)).getParent(), Path.of(call.argument(1)).getParent());
  }
}
