package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls that fail with an errno, and leave no trace in the log (hypersync.md 6.1.1, 6.8). */
@RealMounts
class RefusedMutationsTest {
  private static final int RACES = 60;
  private static final int RACERS_PER_MOUNT = 3;
  private static final int LOG_TAIL = 20;

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  @BeforeAll
  static void prepare() throws Exception {
    Path a = CLUSTER.mount("a");
    Shell.must(
        a,
        "sh",
        "-ec",
        "mkdir refusals; cd refusals; mkdir -p full/sub empty other/full/x; echo text > file; echo text > full/f; ln -s loop"
            + " loop");
    CLUSTER.get().settle("a", "b");
  }

  @ParameterizedTest(name = "{1}: {0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ENOTEMPTY    | rmdir full
          ENOTDIR      | rmdir file
          ENOENT       | rmdir nothing
          EISDIR       | unlink empty
          ENOENT       | unlink nothing
          EEXIST       | mkdir empty
          EEXIST       | mkdir file
          ENOENT       | mkdir nothing/d
          ENOTDIR      | mkdir file/d
          EEXIST       | ln -s x file
          EEXIST       | link file full/f
          EPERM        | link empty hard
          ENOENT       | link nothing hard
          EINVAL       | perl -e 'rename("full", "full/sub/x") or die $!'
          ENOTEMPTY    | perl -e 'rename("empty", "full") or die $!'
          ENOTEMPTY    | perl -e 'rename("full", "other/full") or die $!'
          EISDIR       | perl -e 'rename("file", "empty") or die $!'
          ENOTDIR      | perl -e 'rename("empty", "file") or die $!'
          ENOENT       | perl -e 'rename("nothing", "x") or die $!'
          ENOTEMPTY    | perl -e 'rename("full/f", "full") or die $!'
          EISDIR       | sh -c 'echo > empty'
          ENOENT       | touch nothing/f
          ELOOP        | cat loop
          EISDIR       | perl -e 'truncate("empty", 0) or die $!'
          ENOENT       | chmod 600 nothing
          ENOENT       | chown 1 nothing
          ENOTSUP      | fallocate --collapse-range -o 0 -l 4096 file
          ENAMETOOLONG | mkdir $(printf %0256d 0)
          """)
  void endsWithAnErrnoAndLeavesNoTrace(String errno, String command) throws Exception {
    TestCluster cluster = CLUSTER.get();
    for (String worker : List.of("a", "b")) {
      long before = cluster.leader().status().path("commit_index").asLong();
      Shell shell =
          Shell.run(
              cluster.mount(worker).resolve("refusals"), Map.of(), List.of("sh", "-c", command));
      assertTrue(shell.exit() != 0, () -> command + " succeeded on " + worker);
      assertEquals(errno, Errnos.inText(shell.output()), () -> worker + ": " + shell.output());
      assertEquals(List.of(), loggedSince(cluster, before), "what was logged");
    }
  }

  /** The ops of users after this index. The leader's own ops may occur at any time. */
  private static List<String> loggedSince(TestCluster cluster, long index) {
    return cluster
        .log(LOG_TAIL)
        .valueStream()
        .filter(entry -> entry.path("log_index").asLong() > index)
        .map(entry -> entry.path("op").asText())
        .filter(op -> !op.equals("ReapOrphans"))
        .toList();
  }

  @Test
  void exactlyOneOfManyCreatesAFileExclusively() throws Exception {
    Path a = Files.createDirectory(CLUSTER.mount("a").resolve("race"));
    Path b = CLUSTER.mount("b").resolve("race");
    Await.until("the folder on B", () -> Files.isDirectory(b));
    int racers = 2 * RACERS_PER_MOUNT;
    CyclicBarrier start = new CyclicBarrier(racers);
    List<Future<List<Integer>>> wins = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(racers)) {
      for (int racer = 0; racer < racers; racer++) {
        Path folder = racer % 2 == 0 ? a : b;
        String name = "racer " + racer;
        wins.add(threads.submit(() -> race(folder, name, start)));
      }
    }
    List<String> winners = new ArrayList<>(java.util.Collections.nCopies(RACES, ""));
    for (int racer = 0; racer < racers; racer++) {
      for (int lock : wins.get(racer).get()) {
        assertEquals("", winners.get(lock), "lock " + lock + " was won by two, also by " + racer);
        winners.set(lock, "racer " + racer);
      }
    }
    CLUSTER.get().settle("a", "b");
    for (int lock = 0; lock < RACES; lock++) {
      String holder = Files.readString(a.resolve("lock" + lock));
      assertEquals(winners.get(lock), holder, "who holds lock " + lock);
      assertEquals(holder, Files.readString(b.resolve("lock" + lock)), "the same on B");
    }
    CLUSTER.get().assertSameRoots("a", "b");
  }

  /** The numbers of the locks that this racer got. */
  private static List<Integer> race(Path folder, String name, CyclicBarrier start)
      throws Exception {
    List<Integer> won = new ArrayList<>();
    for (int i = 0; i < RACES; i++) {
      start.await(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
      try (FileChannel lock =
          FileChannel.open(
              folder.resolve("lock" + i),
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.WRITE)) {
        lock.write(ByteBuffer.wrap(name.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        won.add(i);
      } catch (IOException lost) {
        assertEquals("EEXIST", Errnos.of(lost), name + " at lock " + i);
      }
    }
    return won;
  }
}
