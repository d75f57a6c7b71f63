package io.hypersync.mutants;

import static io.hypersync.mutants.Mutant.answers;
import static io.hypersync.mutants.Mutant.callAnswers;
import static io.hypersync.mutants.Mutant.lastArgument;
import static io.hypersync.mutants.Mutant.replaces;
import static io.hypersync.mutants.Mutant.skips;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.hypersync.sim.Simulation;
import io.hypersync.sim.SimulationFailure;
import io.hypersync.sim.SimulationOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * The simulator finds bugs: each of these wrong programs breaks a promise in one of its first
 * histories. One that survives is a check that is missing.
 */
class MutantsTest {
  private static final int STEPS = 3_000;
  private static final int HISTORIES = Integer.getInteger("hypersync.mutants.histories", 200);
  private static final Logger AGENTS = (Logger) LoggerFactory.getLogger("io.hypersync");
  private static Level levelBefore = Level.OFF;

  static List<Mutant> mutants() {
    return List.of(
        // What is acknowledged is durable, and happens once.
        lastArgument(
            "acks are sent before the log is synced",
            "leader.LeaderAgent",
            "doWork",
            "IntentDesk.release",
            Long.MAX_VALUE),
        callAnswers(
            "the status of an intent that is not durable yet is COMMITTED",
            "leader.sequencer.IntentDesk",
            "status",
            "AckQueue.find",
            null),
        skips(
            "a leader that starts again does not know what it had committed",
            "leader.recovery.LogReplay",
            "onRecord",
            "IntentIndex.add"),
        skips(
            "an intent is not remembered when it is sequenced",
            "leader.sequencer.Sequencer",
            "sequence",
            "IntentIndex.add"),
        callAnswers(
            "a write is sequenced before its chunks are here",
            "leader.sequencer.IntentDesk",
            "findMissing",
            "Set.add",
            1),
        // The log.
        replaces(
            "the time of the log goes back with the wall clock",
            "leader.sequencer.Sequencer",
            "sequence",
            "Math.max",
            "first"),
        replaces(
            "appends are not given their offset",
            "leader.sequencer.Sequencer",
            "sequence",
            "FsStateMachine.resolve",
            "unresolved"),
        // The disk.
        skips(
            "a damaged log is cut, wherever it is damaged",
            "leader.oplog.chronicle.LogRecovery",
            "replay",
            "LogRecovery.requireUnacknowledged"),
        callAnswers(
            "nobody looks for what the log says was durable",
            "leader.oplog.chronicle.LogRecovery",
            "replayLast",
            "LogRecovery.highestWatermark",
            0L),
        callAnswers(
            "the checksum of a record is not compared",
            "leader.oplog.chronicle.SegmentScanner",
            "recordAt",
            "RecordCodec.crcMatches",
            1),
        skips(
            "what was written and perhaps acknowledged is not carried over",
            "leader.oplog.chronicle.LogRecovery",
            "replay",
            "List.add"),
        callAnswers(
            "a damaged chunk is served", "chunkstore.ChunkStore", "getVerified", "Hash.equals", 1),
        // Orphans.
        callAnswers(
            "orphans are reaped though they are held",
            "leader.lease.Orphans",
            "look",
            "Predicate.test",
            0),
        answers(
            "orphans are reaped at once", "leader.lease.DelayedIndex", "settled", Long.MAX_VALUE),
        skips(
            "orphans are never looked at again",
            "leader.lease.Orphans",
            "look",
            "ArrayDeque.addLast"),
        answers("open files are not renewed", "worker.lease.OpenLeases", "renew", null),
        skips("what is opened is not said", "worker.lease.OpenLeases", "tick", "OpenLeases.flush"),
        // Locks.
        callAnswers(
            "locks that conflict are granted",
            "leader.lock.LockTable",
            "lock",
            "FileLocks.conflict",
            null),
        skips("an unlock wakes nobody", "leader.lock.LockTable", "unlock", "LockTable.settle"),
        skips(
            "a lock that is given up is granted later",
            "leader.lock.LockDesk",
            "cancel",
            "LockTable.cancel"),
        // Workers.
        callAnswers(
            "an entry is applied before its chunks are here",
            "worker.replica.Replica",
            "apply",
            "Replica.hasChunks",
            1),
        lastArgument(
            "an error is told before the state that it rests on is visible",
            "worker.intents.IntentTracker",
            "completeIfDone",
            "PendingMutation.completeIfDone",
            Long.MAX_VALUE),
        callAnswers(
            "an intent is sent again behind a newer one, under its old number",
            "worker.intents.IntentTracker",
            "sendAgain",
            "ClientLanes.isNewest",
            1),
        answers("a call waits for ever", "worker.intents.IntentTracker", "expire", 0),
        answers("a busy leader is not asked again", "worker.intents.IntentTracker", "retry", null),
        answers("a silent leader is not noticed", "worker.link.LinkMonitor", "isSilent", 0),
        answers(
            "barriers that the leader has answered are not passed",
            "worker.link.Freshness",
            "answered",
            null),
        callAnswers("strict reads ask nobody", "worker.vfs.Vfs", "handle", "Vfs.isRead", 0),
        skips(
            "a worker does not tell how far it is",
            "worker.WorkerAgent",
            "doWork",
            "WorkerAgent.report"));
  }

  @BeforeAll
  static void silenceTheAgents() {
    levelBefore = AGENTS.getLevel() == null ? Level.INFO : AGENTS.getLevel();
    AGENTS.setLevel(Level.OFF); // thousands of outages, all of them wanted
  }

  @AfterAll
  static void letThemSpeak() {
    AGENTS.setLevel(levelBefore);
  }

  @ParameterizedTest(name = "{0}")
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  @MethodSource("mutants")
  void isCaught(Mutant mutant) throws Exception {
    MutantLoader loader = new MutantLoader(mutant);
    Class<?> options = loader.loadClass(SimulationOptions.class.getName());
    Method run = loader.loadClass(Simulation.class.getName()).getMethod("run", options);
    for (long seed = 0; seed < HISTORIES; seed++) {
      try {
        var _ =
            run.invoke(
                null, options.getConstructor(long.class, int.class).newInstance(seed, STEPS));
      } catch (InvocationTargetException failure) {
        Throwable caught = failure.getCause();
        assertTrue(
            caught.getClass().getName().equals(SimulationFailure.class.getName()),
            () -> "the simulator itself failed: " + caught);
        assertTrue(loader.changes() > 0, "nothing was changed");
        System.out.println(
            mutant + ": " + String.valueOf(caught.getMessage()).lines().findFirst().orElse(""));
        return;
      }
    }
    assertTrue(loader.changes() > 0, "nothing was changed: is there no such method or call?");
    fail("survives " + HISTORIES + " histories of " + STEPS + " steps");
  }
}
