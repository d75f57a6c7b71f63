package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Litmus tests of the coherence of the kernel caches (hypersync.md 5.3, 6.3.2(3),
 * docs/kernel-caching.md). Small programs run concurrently on several mounts, many times; outcomes
 * that no single order of all calls can explain must not occur. Each program first fills its
 * kernel's caches with what is about to change. In a quarter of the runs invalidations are delayed,
 * in another one two of the mounts go through libfuse 2, where the kernel caches nothing, and in a
 * third one calls return when all mounts show what they did.
 */
@RealMounts
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LitmusTest {
  private static final int ITERATIONS = Integer.getInteger("hypersync.litmus.iterations", 50);
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
  private static final Map<String, String> SLOW =
      Map.of("HYPERSYNC_FAULT_NOTIFIER_DELAY_US", "2000");

  private static final List<String> JNR = List.of(TestCluster.JNR);

  private final Map<Kernels, TestCluster> clusters = new EnumMap<>(Kernels.class);

  /** How the kernels of a workspace learn of changes. */
  enum Kernels {
    TOLD_AT_ONCE("kernels told at once"),
    TOLD_LATE("kernels told late"),
    CACHING_NOTHING("kernels of b and c caching nothing"),
    TOLD_BEFORE_ACKS("kernels told before a call returns");

    private final String text;

    Kernels(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** One thread of a litmus test; returns what it observed, as a short word. */
  @FunctionalInterface
  interface Program {
    String run(Path directory, int iteration) throws IOException;
  }

  /** A change, made before the programs run or in one of them. */
  @FunctionalInterface
  interface Change {
    void make(Path directory, int iteration) throws IOException;
  }

  /**
   * A litmus test: thread i runs on mount i modulo the number of mounts.
   *
   * @param forbidden outcomes that must not occur, one word per thread
   */
  record Litmus(String name, Change setup, List<Program> threads, List<List<String>> forbidden) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<Litmus> TESTS =
      List.of(
          new Litmus(
              "message passing: data, then a flag",
              (dir, i) -> Files.writeString(dir.resolve("data" + i), "old"),
              List.of(
                  (dir, i) -> {
                    overwrite(dir.resolve("data" + i), "new");
                    Files.createFile(dir.resolve("flag" + i));
                    return "done";
                  },
                  (dir, i) -> {
                    Path data = dir.resolve("data" + i);
                    warm(() -> Files.readString(data));
                    try (FileChannel held = FileChannel.open(data)) {
                      var _ = read(held); // fills the page cache
                      awaitThere(dir.resolve("flag" + i));
                      return read(held);
                    }
                  }),
              List.of(List.of("done", "old"))),
          new Litmus(
              "message passing: size after append",
              (dir, i) -> Files.writeString(dir.resolve("log" + i), "1"),
              List.of(
                  (dir, i) -> {
                    Files.writeString(dir.resolve("log" + i), "2", StandardOpenOption.APPEND);
                    Files.createDirectory(dir.resolve("flag" + i));
                    return "done";
                  },
                  (dir, i) -> {
                    warm(() -> Files.size(dir.resolve("log" + i)));
                    awaitThere(dir.resolve("flag" + i));
                    return Files.size(dir.resolve("log" + i))
                        + Files.readString(dir.resolve("log" + i));
                  }),
              List.of(List.of("done", "11"), List.of("done", "112"), List.of("done", "21"))),
          messagePassing(
              "message passing: mode, then a flag",
              (dir, i) -> Files.createFile(dir.resolve("mode" + i)),
              (dir, i) ->
                  Files.setPosixFilePermissions(
                      dir.resolve("mode" + i), PosixFilePermissions.fromString("r--------")),
              (dir, i) -> mode(dir.resolve("mode" + i)).equals("r--------") ? "new" : "old",
              "old"),
          messagePassing(
              "message passing: a name that was missing, then a flag",
              (dir, i) -> {},
              (dir, i) -> Files.createFile(dir.resolve("x" + i)),
              (dir, i) -> is(dir.resolve("x" + i)),
              "0"),
          messagePassing(
              "message passing: unlink, then a flag",
              (dir, i) -> Files.createFile(dir.resolve("x" + i)),
              (dir, i) -> Files.delete(dir.resolve("x" + i)),
              (dir, i) -> is(dir.resolve("x" + i)),
              "1"),
          messagePassing(
              "message passing: create, then a flag, seen by readdir",
              (dir, i) -> Files.createDirectory(dir.resolve("list" + i)),
              (dir, i) -> Files.createFile(dir.resolve("list" + i).resolve("x")),
              (dir, i) -> list(dir.resolve("list" + i)),
              "[]"),
          new Litmus(
              "rename, then a new file under the old name",
              (dir, i) -> Files.writeString(dir.resolve("a" + i), "old"),
              List.of(
                  (dir, i) -> {
                    Files.move(dir.resolve("a" + i), dir.resolve("b" + i));
                    Files.writeString(dir.resolve("a" + i), "new");
                    return "done";
                  },
                  (dir, i) -> {
                    warm(() -> textOr(dir.resolve("a" + i), ""));
                    awaitThere(dir.resolve("b" + i));
                    // Missing, empty and new are allowed, but not the file that was renamed.
                    return textOr(dir.resolve("a" + i), "").equals("old") ? "old" : "fine";
                  }),
              List.of(List.of("done", "old"))),
          new Litmus(
              "atomic replacement: never missing, never older",
              (dir, i) -> Files.writeString(dir.resolve("a" + i), "0"),
              List.of(
                  (dir, i) -> {
                    for (int version = 1; version <= 3; version++) {
                      Path fresh = dir.resolve("fresh" + i);
                      Files.writeString(fresh, String.valueOf(version));
                      Files.move(
                          fresh,
                          dir.resolve("a" + i),
                          StandardCopyOption.ATOMIC_MOVE,
                          StandardCopyOption.REPLACE_EXISTING);
                    }
                    return "done";
                  },
                  (dir, i) -> {
                    String before = "0";
                    for (int look = 0; look < 20; look++) {
                      String now = textOr(dir.resolve("a" + i), "missing");
                      if (now.compareTo(before) < 0 || now.equals("missing")) {
                        return "bad";
                      }
                      before = now;
                    }
                    return "fine";
                  }),
              List.of(List.of("done", "bad"))),
          new Litmus(
              "store buffering: each creates one and looks for the other",
              (dir, i) -> {},
              List.of(
                  (dir, i) -> {
                    warm(() -> Files.size(dir.resolve("y" + i)));
                    Files.createFile(dir.resolve("x" + i));
                    return is(dir.resolve("y" + i));
                  },
                  (dir, i) -> {
                    warm(() -> Files.size(dir.resolve("x" + i)));
                    Files.createFile(dir.resolve("y" + i));
                    return is(dir.resolve("x" + i));
                  }),
              List.of(List.of("0", "0"))),
          new Litmus(
              "load buffering: each looks for one and creates the other",
              (dir, i) -> {},
              List.of(
                  (dir, i) -> {
                    String seen = is(dir.resolve("y" + i));
                    Files.createFile(dir.resolve("x" + i));
                    return seen;
                  },
                  (dir, i) -> {
                    String seen = is(dir.resolve("x" + i));
                    Files.createFile(dir.resolve("y" + i));
                    return seen;
                  }),
              List.of(List.of("1", "1"))),
          new Litmus(
              "causality over a third mount",
              (dir, i) -> {},
              List.of(
                  (dir, i) -> {
                    Files.createFile(dir.resolve("x" + i));
                    return "done";
                  },
                  (dir, i) -> {
                    awaitThere(dir.resolve("x" + i));
                    Files.createFile(dir.resolve("y" + i));
                    return "done";
                  },
                  (dir, i) -> {
                    warm(() -> Files.size(dir.resolve("x" + i)));
                    awaitThere(dir.resolve("y" + i));
                    return is(dir.resolve("x" + i));
                  }),
              List.of(List.of("done", "done", "0"))),
          new Litmus(
              "two observers agree on the order of two writers",
              (dir, i) -> {},
              List.of(
                  (dir, i) -> {
                    Files.createFile(dir.resolve("x" + i));
                    return "done";
                  },
                  (dir, i) -> {
                    Files.createFile(dir.resolve("y" + i));
                    return "done";
                  },
                  (dir, i) -> {
                    warm(() -> Files.size(dir.resolve("y" + i)));
                    awaitThere(dir.resolve("x" + i));
                    return is(dir.resolve("y" + i));
                  },
                  (dir, i) -> {
                    warm(() -> Files.size(dir.resolve("x" + i)));
                    awaitThere(dir.resolve("y" + i));
                    return is(dir.resolve("x" + i));
                  }),
              List.of(List.of("done", "done", "0", "0"))));

  /**
   * One thread makes a change and then a flag. Another one has looked before, sees the flag, and
   * looks again.
   *
   * @param old what it must not see then
   */
  private static Litmus messagePassing(
      String name, Change setup, Change change, Program look, String old) {
    return new Litmus(
        name,
        setup,
        List.of(
            (dir, i) -> {
              change.make(dir, i);
              Files.createFile(dir.resolve("flag" + i));
              return "done";
            },
            (dir, i) -> {
              warm(() -> look.run(dir, i));
              warm(() -> look.run(dir, i));
              awaitThere(dir.resolve("flag" + i));
              return look.run(dir, i);
            }),
        List.of(List.of("done", old)));
  }

  static Stream<Arguments> runs() {
    List<Arguments> runs = new ArrayList<>();
    for (Kernels kernels : Kernels.values()) {
      for (Litmus test : TESTS) {
        runs.add(arguments(test, kernels));
      }
    }
    return runs.stream();
  }

  @ParameterizedTest(name = "{0}; {1}")
  @MethodSource("runs")
  @LongVersion
  void noForbiddenOutcome(Litmus test, Kernels kernels) throws Exception {
    TestCluster cluster = cluster(kernels);
    List<Path> mounts = List.of(cluster.mount("a"), cluster.mount("b"), cluster.mount("c"));
    String folder = "litmus" + TESTS.indexOf(test);
    Files.createDirectory(mounts.getFirst().resolve(folder));
    int threads = test.threads.size();
    String[] seen = new String[threads];
    List<String> bad = new ArrayList<>();
    CyclicBarrier start = new CyclicBarrier(threads);
    CyclicBarrier end =
        new CyclicBarrier(
            threads,
            () -> {
              if (test.forbidden.contains(List.of(seen))) {
                bad.add(String.join(", ", seen));
              }
            });
    List<Future<?>> running = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (int t = 0; t < threads; t++) {
        int thread = t;
        Path directory = mounts.get(thread % mounts.size()).resolve(folder);
        running.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < ITERATIONS; i++) {
                    if (thread == 0) {
                      test.setup.make(directory, i);
                      Files.createFile(directory.resolve("ready" + i));
                    } else {
                      awaitThere(directory.resolve("ready" + i));
                    }
                    await(start);
                    stagger();
                    seen[thread] = test.threads.get(thread).run(directory, i);
                    await(end);
                  }
                  return null;
                }));
      }
      for (Future<?> future : running) {
        future.get();
      }
    } finally {
      running.forEach(future -> future.cancel(true));
    }
    assertEquals(List.of(), bad, ITERATIONS + " iterations of \"" + test + "\", " + kernels);
  }

  @AfterAll
  void end() throws IOException {
    for (TestCluster cluster : clusters.values()) {
      cluster.close();
    }
  }

  private TestCluster cluster(Kernels kernels) throws Exception {
    TestCluster known = clusters.get(kernels);
    if (known != null) {
      return known;
    }
    TestCluster cluster =
        TestCluster.start(
            TestCluster.PATIENT,
            kernels == Kernels.CACHING_NOTHING ? Map.of("b", JNR, "c", JNR) : Map.of(),
            kernels == Kernels.TOLD_LATE ? SLOW : Map.of(),
            "a",
            "b",
            "c");
    if (kernels == Kernels.TOLD_BEFORE_ACKS) {
      var _ =
          cluster
              .leader()
              .ask("visibility", JsonNodeFactory.instance.objectNode().put("mode", "everywhere"));
      var _ =
          cluster
              .leader()
              .await(
                  "be waited for",
                  status -> status.path("visibility").path("in_force").asBoolean());
    }
    clusters.put(kernels, cluster);
    return cluster;
  }

  private static void await(CyclicBarrier barrier) throws Exception {
    barrier.await(LIMIT_NS, TimeUnit.NANOSECONDS);
  }

  /** Waits for a short random time, so that the calls of the threads interleave in many ways. */
  private static void stagger() {
    long untilNs = System.nanoTime() + ThreadLocalRandom.current().nextLong(600_000);
    while (System.nanoTime() < untilNs) {
      Thread.onSpinWait();
    }
  }

  private static void warm(Errnos.Call call) throws IOException {
    try {
      call.run();
    } catch (NoSuchFileException missing) {
      // Its absence is cached, too.
    } catch (InterruptedException interrupted) {
      throw new IOException(interrupted);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // the yield saves time; nothing relies on it
  private static void awaitThere(Path path) throws IOException {
    long limitNs = System.nanoTime() + LIMIT_NS;
    while (!Files.exists(path)) {
      if (System.nanoTime() - limitNs > 0) {
        throw new IOException(path + " does not turn up");
      }
      Thread.yield(); // to the daemons, which have to bring it
    }
  }

  private static String is(Path path) {
    return Files.exists(path) ? "1" : "0";
  }

  private static void overwrite(Path file, String text) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), 0);
    }
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(16);
    channel.read(bytes, 0);
    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
  }

  private static String textOr(Path file, String missing) throws IOException {
    // Without a look at the size: a backend without notifications finds that by the file's path.
    try (FileChannel channel = FileChannel.open(file)) {
      return read(channel);
    } catch (NoSuchFileException e) {
      return missing;
    }
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  private static String list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(Path::getFileName).toList().toString();
    }
  }
}
