package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.leader.oplog.chronicle.LogRewrite;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A leader with a long log that is killed again and again when nine tenths of its start are done
 * (hypersync.md 13.1). Each start goes on from a snapshot that the one before has taken, until less
 * than one such step is left.
 */
@RealMounts
class KilledStartTest {
  private static final long SEED = Long.getLong("hypersync.seed", 1);
  private static final int ENTRIES = 900_000;
  private static final int FILES = 16;

  /** A start takes a snapshot behind the first full segment after so many entries. */
  private static final int STEP = 250_000;

  /** No segment of this log has more. */
  private static final int SEGMENT = 215_000;

  private static final double KILLED_AT = 0.9;
  private static final int PROGRESS_EVERY = 10_000;
  private static final Pattern REPLAYED = Pattern.compile("replayed (\\d+) entries");
  private static final Pattern BEGUN =
      Pattern.compile("starting from the snapshot of entry (\\d+)");

  private final Random random = new Random(SEED);
  private FsState state = FsState.genesis();

  @Test
  void eachStartMakesProgress() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      writeLog(cluster.workspace().stateDir().resolve("oplog"));
      List<Long> begins = new ArrayList<>(List.of(0L));
      long killedAt = 0;
      while (ENTRIES - begins.getLast() >= STEP + SEGMENT) {
        killedAt = startAndKill(cluster, begins.getLast());
        begins.add(nextBegin(cluster));
        long begin = begins.getLast();
        assertTrue(begin > begins.get(begins.size() - 2), "no progress: " + begins);
        assertTrue(
            begin > killedAt - STEP - SEGMENT, "replayed again: " + begins + ", " + killedAt);
      }
      System.out.println("starts from " + begins + ", the last one killed at " + killedAt);
      assertTrue(begins.size() > 2, "killed once only: " + begins);
      cluster.startLeader();
      var status = cluster.leader().status();
      assertEquals(ENTRIES, status.path("commit_index").asLong());
      assertEquals(state.root().toString(), status.path("root").asText());
    }
  }

  /** Starts the leader, and kills it; returns up to where it says that it has replayed. */
  private static long startAndKill(TestCluster cluster, long begin) throws Exception {
    int before = log(cluster).length();
    DaemonJvm leader = cluster.launchLeader();
    double goal = begin + KILLED_AT * (ENTRIES - begin) - PROGRESS_EVERY;
    Await.until(
        "nine tenths are replayed",
        () -> !leader.isAlive() || last(REPLAYED, leader.log().substring(before)) >= goal);
    leader.kill();
    String said = leader.log().substring(before);
    assertEquals(begin, last(BEGUN, said), said);
    assertFalse(said.contains("leading workspace"), said);
    return last(REPLAYED, said);
  }

  /** The newest snapshot, from which the next start goes on. */
  private static long nextBegin(TestCluster cluster) {
    return last(
        Pattern.compile("snapshot of entry (\\d+), from which another start"), log(cluster));
  }

  private static String log(TestCluster cluster) {
    try {
      return cluster.leader().log();
    } catch (AssertionError notStartedYet) {
      return "";
    }
  }

  /** The number in the last line of this kind; 0 if there is none. */
  private static long last(Pattern line, String log) {
    List<MatchResult> all = line.matcher(log).results().toList();
    return all.isEmpty() ? 0 : Long.parseLong(all.getLast().group(1));
  }

  /** A log of a few files whose attributes change all the time. */
  private void writeLog(Path directory) throws IOException {
    LogRewrite log = new LogRewrite(directory, RootVersion.LATEST);
    long beganNs = System.currentTimeMillis() * 1_000_000 - 1_000L * ENTRIES;
    for (int index = 1; index <= ENTRIES; index++) {
      NodeId made = new NodeId(1, index);
      boolean makes = index <= FILES;
      FsOp op =
          makes
              ? new FsOp.CreateFile(FsState.ROOT, Name.of("f" + index), 0644, 0, 0)
              : new FsOp.SetAttributes(
                  new NodeId(1, 1 + random.nextInt(FILES)),
                  FsOp.SetAttributes.MODE,
                  random.nextInt(0777),
                  0,
                  0,
                  0);
      long timeNs = beganNs + 1_000L * index;
      state = States.after(state, op, timeNs, made);
      Entries entry = Entries.of(index, op).at(timeNs).root(state.root());
      log.append((makes ? entry.creating(made) : entry).encoded());
    }
    log.finish();
  }
}
