package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.collection.CollectionPolicy;
import io.hypersync.leader.collection.CollectionTask;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.leader.port.PinNotes;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWalk;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.snapshot.CollectionMark;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotReader;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Collections on a thread of their own: each call is answered, and no heap is exhausted. */
class CollectionThreadTest {
  private static final long ANSWER_S = 30;

  private final AtomicLong room = new AtomicLong();
  private final InMemoryChunkStore store = new InMemoryChunkStore();
  private final BlockingQueue<Consumer<CollectionManager>> answers = new LinkedBlockingQueue<>();
  private final LeaderChunks chunks =
      new LeaderChunks(store, new IdleTransport(), 1, _ -> {}, FaultPoints.configured());
  private final CollectionThread thread =
      new CollectionThread(
          chunks,
          limit ->
              new CollectionTask.Environment(
                  new MemoryOpLog(),
                  store,
                  new NoSnapshots(),
                  Set::of,
                  new NoMark(),
                  new WorkspaceId(1, 1),
                  SnapshotReader.cache(store, Long.MAX_VALUE, true),
                  100,
                  limit),
          CollectionOptions.DEFAULT,
          BackgroundTurns.ALONE,
          room::get,
          answers::add);
  private final CollectionManager manager =
      new CollectionManager(thread, CollectionPolicy.of(1, 0, 0), 0, 0, 0);

  @AfterEach
  void stop() {
    thread.close();
    chunks.close();
  }

  @Test
  void marksThatDoNotFitTheHeapAreRefusedUntilTheyDo() throws InterruptedException {
    Chunk dead = Chunk.of(new byte[] {1});
    store.put(dead.hash(), dead.bytes());
    thread.begin();
    answer().accept(manager);
    String why = String.valueOf(manager.lastFailure());
    assertTrue(why.startsWith("it may take 1 MiB of heap to mark what is alive, and 0 MiB"), why);
    assertTrue(why.contains("HYPERSYNC_JAVA_OPTS=-Xmx"), why);
    assertEquals(1, manager.failedSoFar());
    assertFalse(manager.isRunning());
    room.set(1 << 20);
    thread.begin();
    answer().accept(manager);
    thread.collect(
        new CollectionRoots(
            new StateWalk(FsState.genesis()),
            0,
            List.of(),
            List.of(),
            List.of(),
            0,
            Set.of(),
            false,
            PinNotes.NONE));
    answer().accept(manager);
    assertNull(manager.lastFailure());
    assertFalse(store.contains(dead.hash()));
  }

  private Consumer<CollectionManager> answer() throws InterruptedException {
    Consumer<CollectionManager> answer = answers.poll(ANSWER_S, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("no answer");
    }
    return answer;
  }

  private static final class NoMark implements CollectionMark {
    @Override
    public long through() {
      return 0;
    }

    @Override
    public void raise(long index) {}
  }

  private static final class NoSnapshots implements SnapshotCatalog {
    @Override
    public List<Snapshot> list() {
      return List.of();
    }

    @Override
    public List<Long> indexes() {
      return List.of();
    }

    @Override
    public void put(Snapshot snapshot) {}

    @Override
    public void setAside() {}

    @Override
    public void remove(long index) {}
  }
}
