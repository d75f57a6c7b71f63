package io.hypersync.worker.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InodeTableTest {
  private static final int MANY = 200_000;

  private final InodeTable table = new InodeTable();

  @Test
  void manyComeAndGoAndThoseThatStayAreStillThere() {
    for (long inode = 1; inode <= MANY; inode++) {
      table.lookedUp(new InodeNo(inode), node(inode), false);
    }
    assertEquals(MANY, table.size());
    for (long inode = 1; inode <= MANY; inode++) {
      if (inode % 1_000 != 0) {
        table.forget(new InodeNo(inode), 1);
      }
    }
    assertEquals(MANY / 1_000, table.size());
    assertTrue(table.capacity() < MANY / 2, () -> "room for " + table.capacity());
    for (long inode = 1; inode <= MANY; inode++) {
      KernelInode known = table.get(new InodeNo(inode));
      if (inode % 1_000 == 0) {
        assertNotNull(known);
        assertEquals(node(inode), known.node());
      } else {
        assertNull(known);
      }
    }
  }

  /** Several FUSE reader threads look up at once; every lookup must be counted exactly once. */
  @Test
  void countsAreExactWhateverThreadsDoAtOnce() throws Exception {
    int threads = 4;
    int inodes = 1_000;
    int rounds = 50;
    CyclicBarrier together = new CyclicBarrier(threads);
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(
            pool.submit(
                () -> {
                  together.await();
                  for (int round = 0; round < rounds; round++) {
                    for (long inode = 1; inode <= inodes; inode++) {
                      table.lookedUp(new InodeNo(inode), node(inode), false);
                      table.lookedUp(new InodeNo(inode), node(inode), false);
                      table.forget(new InodeNo(inode), 1);
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> thread : running) {
        thread.get();
      }
    }
    assertEquals(inodes, table.size());
    for (long inode = 1; inode <= inodes; inode++) {
      table.forget(new InodeNo(inode), (long) threads * rounds - 1);
      assertNotNull(table.get(new InodeNo(inode)), "one lookup is left");
      table.forget(new InodeNo(inode), 1);
      assertNull(table.get(new InodeNo(inode)), "all are taken back");
    }
    assertEquals(0, table.size());
  }

  private static NodeId node(long inode) {
    return new NodeId(inode, 7);
  }
}
