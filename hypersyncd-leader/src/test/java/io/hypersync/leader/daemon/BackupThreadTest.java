package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup never keeps a leader from stopping, and never ends unsaid. */
class BackupThreadTest {
  private static final long LIMIT_S = 30;

  @TempDir private Path folder;
  private final CountDownLatch asked = new CountDownLatch(1);

  private BackupThread thread(Consumer<Consumer<LeaderAgent>> ask) {
    return new BackupThread(
        new InMemoryChunkStore(),
        new WorkspaceId(1, 2),
        "team",
        folder.resolve("state"),
        Clock.SYSTEM,
        ask,
        _ -> {},
        new CompletableFuture<>());
  }

  private static BackupThread.Order into(Path directory) {
    return new BackupThread.Order(directory, "", false, 1);
  }

  private static UserError failure(BackupThread thread, int runs) throws InterruptedException {
    long untilNs = System.nanoTime() + Duration.ofSeconds(LIMIT_S).toNanos();
    while (thread.ended().size() < runs) {
      assertTrue(System.nanoTime() < untilNs, "the backup does not end");
      TimeUnit.MILLISECONDS.sleep(5);
    }
    UserError failure = thread.ended().getLast().failure();
    assertNotNull(failure);
    return failure;
  }

  /** Its thread may have stopped with the question in its queue. */
  @Test
  void anAgentThatDoesNotAnswerIsNotWaitedForWhenTheLeaderStops() throws InterruptedException {
    BackupThread thread = thread(_ -> asked.countDown());
    assertEquals(1, thread.begin(into(folder.resolve("backup"))));
    assertTrue(asked.await(LIMIT_S, TimeUnit.SECONDS));
    UserError second =
        assertThrows(UserError.class, () -> thread.begin(into(folder.resolve("other"))));
    assertTrue(second.message().contains("a backup is under way"), second.message());
    long beganNs = System.nanoTime();
    thread.close();
    long tookNs = System.nanoTime() - beganNs;
    assertTrue(tookNs < Duration.ofSeconds(5).toNanos(), tookNs + " ns");
    assertEquals("the leader has ended", failure(thread, 1).message());
    assertThrows(UserError.class, () -> thread.begin(into(folder.resolve("backup"))));
  }

  @Test
  void anAgentThatTakesNoQuestionsEndsTheBackupAndLeavesTheDirectoryFree()
      throws InterruptedException {
    try (BackupThread thread =
        thread(
            _ -> {
              throw new RejectedExecutionException("event executor terminated");
            })) {
      for (int run = 1; run <= 3; run++) {
        assertEquals(run, thread.begin(into(folder.resolve("backup"))));
        assertEquals("the leader stops", failure(thread, run).message());
      }
    }
  }

  @Test
  void aDirectoryInTheLeadersStateIsRefusedAlsoByAnotherName()
      throws IOException, InterruptedException {
    Files.createDirectories(folder.resolve("state"));
    Files.createSymbolicLink(folder.resolve("link"), folder.resolve("state"));
    try (BackupThread thread = thread(_ -> {})) {
      int runs = 0;
      for (String inside : new String[] {"state", "state/backup", "link/backup", "x/../state/b"}) {
        thread.begin(into(folder.resolve(inside)));
        UserError refused = failure(thread, ++runs);
        assertTrue(refused.message().contains("in the leader's state directory"), inside);
      }
    }
  }
}
