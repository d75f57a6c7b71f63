package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * {@code visibility = "everywhere"} on real mounts, with all kernel caches on: what a call has done
 * is seen by every call on any mount that begins after it has returned.
 */
@RealMounts
class EverywhereTest {
  private static final int TRIES = Integer.getInteger("hypersync.everywhere.tries", 10);
  private static final int SECONDS = Integer.getInteger("hypersync.everywhere.seconds", 1);

  /** So many changes are made at least, however busy the machine is. */
  private static final long FEWEST = 20;

  /** Long, because a busy machine may keep a daemon from its processor for seconds. */
  private static final String[] PATIENT = {
    "--set", "hypersync.leader.visibility=everywhere",
    "--set", "hypersync.leader.visibility_timeout=10s",
    "--set", "hypersync.leader.visibility_lease=15s"
  };

  /** One process uses both mounts, so nothing but the return of the call is known to the look. */
  private static final String LOOK =
      """
      import os, sys, time
      top_a, top_b, tries = sys.argv[1], sys.argv[2], int(sys.argv[3])
      def there(path):
          try:
              os.stat(path)
              return True
          except FileNotFoundError:
              return False
      def get(path):
          with open(path, "rb") as file:
              return file.read()
      def name(i):
          os.mkdir(f"{a}/new{i}")
          return there(f"{b}/new{i}")
      def data(i):
          os.pwrite(writers[i], b"%08d" % i, 0)
          return get(f"{b}/f{i}") == b"%08d" % i
      def opened(i):
          os.pwrite(writers[i], b"%08d" % i, 0)
          return os.pread(readers[i], 99, 0) == b"%08d" % i
      def size(i):
          os.truncate(f"{a}/f{i}", 100 + i)
          return os.stat(f"{b}/f{i}").st_size == 100 + i
      def append(i):
          os.lseek(writers[i], 0, os.SEEK_END)
          os.write(writers[i], b"more")
          return os.pread(readers[i], 99, 0) == b"old datamore"
      def mode(i):
          os.chmod(f"{a}/f{i}", 0o600)
          return os.stat(f"{b}/f{i}").st_mode & 0o777 == 0o600
      def rename(i):
          os.rename(f"{a}/f{i}", f"{a}/g{i}")
          return not there(f"{b}/f{i}") and there(f"{b}/g{i}")
      def unlink(i):
          os.unlink(f"{a}/f{i}")
          return not there(f"{b}/f{i}")
      def listing(i):
          os.mkdir(f"{a}/new{i}")
          return f"new{i}" in os.listdir(b)
      kinds = [name, data, opened, size, append, mode, rename, unlink, listing]
      opens = {}
      for kind in kinds:
          a, b = f"{top_a}/{kind.__name__}", f"{top_b}/{kind.__name__}"
          os.mkdir(a)
          for i in range(tries):
              with open(f"{a}/f{i}", "wb") as file:
                  file.write(b"old data")
          opens[kind] = ([os.open(f"{a}/f{i}", os.O_WRONLY) for i in range(tries)],
                         [os.open(f"{b}/f{i}", os.O_RDONLY) for i in range(tries)])
      time.sleep(1.1)  # b's kernel keeps names of a directory that is quiet
      for kind in kinds:
          a, b = f"{top_a}/{kind.__name__}", f"{top_b}/{kind.__name__}"
          writers, readers = opens[kind]
          for i in range(tries):
              there(f"{b}/new{i}")
              get(f"{b}/f{i}")
              os.pread(readers[i], 99, 0)
              os.listdir(b)
          old = sum(not kind(i) for i in range(tries))
          for handle in writers + readers:
              os.close(handle)
          print(f"{kind.__name__} {old}")
      """;

  private static final String WRITE =
      """
      import os, sys
      os.mkdir(sys.argv[1])
      i = 0
      while True:
          i += 1
          path = f"{sys.argv[1]}/{i % 50}"
          fd = os.open(path, os.O_WRONLY | os.O_CREAT)
          os.write(fd, bytes(4096))
          os.close(fd)
          if i % 3 == 0:
              os.unlink(path)
      """;

  private final List<Process> writers = new ArrayList<>();
  private final List<FileChannel> open = new ArrayList<>();
  private TestCluster cluster;

  @AfterEach
  void takeItAway() throws Exception {
    for (Process writer : writers) {
      var _ = writer.destroyForcibly();
      var _ = writer.waitFor(60, TimeUnit.SECONDS);
    }
    for (FileChannel channel : open) {
      channel.close();
    }
    cluster.close();
  }

  private void start(String... more) throws Exception {
    cluster = TestCluster.create(TestCluster.PATIENT);
    cluster.startLeader(more);
    for (String worker : List.of("a", "b")) {
      cluster.launchWorker(worker);
    }
    for (String worker : List.of("a", "b")) {
      cluster.awaitWritable(worker);
    }
  }

  @Test
  void theFirstLookElsewhereShowsWhatACallHasDone() throws Exception {
    start(PATIENT);
    looks("a", "b");
    looks("b", "a");
  }

  @Test
  void soItDoesBesideWritersOnBothMounts() throws Exception {
    start(PATIENT);
    write("a");
    write("b");
    looks("a", "b");
    assertAllWrite();
  }

  @Test
  void soItDoesWhereOneMountIsInTheLeadersProcess() throws Exception {
    cluster = TestCluster.create(TestCluster.PATIENT);
    cluster.putMainHost("a");
    cluster.startLeader(PATIENT);
    cluster.startWorker("b");
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    looks("a", "b");
    looks("b", "a");
  }

  /**
   * A writer on each mount counts upwards, by data, by size and by names; readers on the other one
   * look all the time. What a read shows must be between what was written when it began and what
   * was begun to be written when it ended: then there is an order of all calls that explains it.
   */
  @Test
  void everyReadIsExplainedByAnOrderOfAllCalls() throws Exception {
    start(PATIENT);
    List<Future<Long>> looks = new ArrayList<>();
    try (ExecutorService pool = Executors.newCachedThreadPool()) {
      for (Counter counter :
          List.of(data("a", "b"), data("b", "a"), size("a", "b"), names("b", "a"))) {
        looks.add(pool.submit(counter::write));
        looks.add(pool.submit(counter::read));
      }
      for (Future<Long> each : looks) {
        assertTrue(each.get() >= FEWEST, "too few calls to say anything");
      }
    }
    JsonNode status = cluster.leader().status().path("visibility");
    assertTrue(status.path("in_force").asBoolean(), status::toString);
    assertEquals(0, status.path("cut_offs").asLong(), status::toString);
  }

  @Test
  void aWorkerThatHangsIsWaitedForAndThenNotAnyMore() throws Exception {
    start(
        "--set", "hypersync.leader.visibility=everywhere",
        "--set", "hypersync.leader.visibility_lease=2s");
    Path a = Files.createDirectory(cluster.mount("a").resolve("a"));
    Path b = cluster.mount("b").resolve("a");
    assertTrue(Files.exists(b), "what is acknowledged is there");
    cluster.worker("b").freeze();
    long begunNs = System.nanoTime();
    Files.createFile(a.resolve("waits"));
    long waitedMs = (System.nanoTime() - begunNs) / 1_000_000;
    assertTrue(waitedMs > 500 && waitedMs < 20_000, "waited " + waitedMs + " ms");
    begunNs = System.nanoTime();
    Files.createFile(a.resolve("does not wait"));
    long nextMs = (System.nanoTime() - begunNs) / 1_000_000;
    assertTrue(nextMs < waitedMs, "waited " + nextMs + " ms again");
    cluster.worker("b").thaw();
    cluster.awaitWritable("b");
    assertTrue(Files.exists(b.resolve("does not wait")), "who can write shows everything");
  }

  @Test
  void itIsTurnedOnAndOffWhileProgramsWork() throws Exception {
    start(
        "--set", "hypersync.leader.visibility_timeout=10s",
        "--set", "hypersync.leader.visibility_lease=15s");
    write("a");
    write("b");
    String on = cluster.hypersync("visibility", "everywhere").orFail("visibility");
    assertTrue(on.contains("every mount that can write"), on);
    assertTrue(on.contains("next start of the leader forgets it"), on);
    assertTrue(ask("").path("in_force").asBoolean());
    looks("a", "b");
    String off = cluster.hypersync("visibility", "own").orFail("visibility");
    assertTrue(off.contains("on the mount that it was made on"), off);
    assertAllWrite();
    Shell wrong = cluster.hypersync("visibility", "sometimes");
    assertEquals(2, wrong.exit(), wrong::toString);
    assertTrue(wrong.output().contains("\"own\" or \"everywhere\""), wrong::toString);
  }

  private JsonNode ask(String mode) {
    return cluster
        .leader()
        .ask("visibility", JsonNodeFactory.instance.objectNode().put("mode", mode));
  }

  /** Makes calls on one mount and looks on the other right after each. */
  private void looks(String from, String to) throws Exception {
    Path there = Files.createTempDirectory(cluster.mount(from), "look-");
    Path here = cluster.mount(to).resolve(there.getFileName());
    List<String> command =
        List.of("python3", "-c", LOOK, there.toString(), here.toString(), Integer.toString(TRIES));
    String old = Shell.run(Path.of("/"), Map.of(), command).orFail("the looks");
    assertEquals(9, old.lines().count(), old);
    assertTrue(old.lines().allMatch(line -> line.endsWith(" 0")), () -> "old looks:\n" + old);
  }

  private void write(String worker) throws IOException {
    writers.add(
        new ProcessBuilder(
                "python3", "-c", WRITE, cluster.mount(worker).resolve("load-" + worker).toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  private void assertAllWrite() {
    for (Process writer : writers) {
      assertTrue(writer.isAlive(), "a writer has failed");
    }
  }

  /** A number that one thread counts upwards on one mount, and another one reads on another. */
  private abstract static class Counter {
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    private volatile boolean isOver;

    abstract void set(long number) throws IOException;

    /** The number; at least {@code least}, for what has to begin somewhere. */
    abstract long get(long least) throws IOException;

    long write() throws IOException {
      try {
        while (System.nanoTime() < untilNs || done.get() < FEWEST) {
          set(begun.incrementAndGet());
          done.set(begun.get());
        }
      } finally {
        isOver = true;
      }
      return done.get();
    }

    long read() throws IOException {
      long looks = 0;
      long before = 0;
      while (!isOver) {
        long least = done.get();
        long seen = get(least);
        long most = begun.get();
        assertTrue(
            seen >= least && seen <= most && seen >= before,
            seen + " was read after " + before + ", written were " + least + " to " + most);
        before = seen;
        looks++;
      }
      return looks;
    }
  }

  private Counter data(String from, String to) throws IOException {
    String name = "data-" + from;
    Path file = cluster.mount(from).resolve(name);
    Files.write(file, new byte[8]);
    FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE);
    FileChannel in = FileChannel.open(cluster.mount(to).resolve(name));
    open.addAll(List.of(out, in));
    return new Counter() {
      @Override
      void set(long number) throws IOException {
        out.write(ByteBuffer.allocate(8).putLong(number).flip(), 0);
      }

      @Override
      long get(long least) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(8);
        in.read(bytes, 0);
        return bytes.flip().getLong();
      }
    };
  }

  private Counter size(String from, String to) throws IOException {
    Path file = Files.createFile(cluster.mount(from).resolve("size"));
    Path seen = cluster.mount(to).resolve("size");
    return new Counter() {
      @Override
      void set(long number) throws IOException {
        Files.write(file, new byte[1], StandardOpenOption.APPEND);
      }

      @Override
      long get(long least) throws IOException {
        return Files.size(seen);
      }
    };
  }

  private Counter names(String from, String to) throws IOException {
    Path folder = Files.createDirectory(cluster.mount(from).resolve("names"));
    Path seen = cluster.mount(to).resolve("names");
    return new Counter() {
      @Override
      void set(long number) throws IOException {
        Files.createFile(folder.resolve(Long.toString(number)));
      }

      @Override
      long get(long least) {
        long number = least == 0 || Files.exists(seen.resolve(Long.toString(least))) ? least : -1;
        while (number >= 0 && Files.exists(seen.resolve(Long.toString(number + 1)))) {
          number++;
        }
        return number;
      }
    };
  }
}
