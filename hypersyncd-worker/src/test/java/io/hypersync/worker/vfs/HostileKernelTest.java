package io.hypersync.worker.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.Node;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseCounters;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.fuse.session.FuseSession;
import io.hypersync.worker.fuse.session.FuseSessionOptions;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.WaitingCall;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sends a million messages, most of them damaged: nothing breaks, each request gets its answer, and
 * nothing is kept for longer than the kernel holds it. {@code hypersync.seed} and {@code
 * hypersync.messages} change the seed and the number.
 */
@Timeout(300)
@Tag("slow")
class HostileKernelTest {
  private static final int READERS = 4;
  private static final int MESSAGES = Integer.getInteger("hypersync.messages", 500_000);
  private static final int ROWS = 1_000;
  private static final long FIXED = 20_261_121;

  private final TestTree tree = new TestTree();
  private final KernelInodes inodes = new KernelInodes();
  private final ExecutorService agent =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("agent").factory());

  @AfterEach
  void end() throws InterruptedException {
    agent.shutdownNow();
    assertTrue(agent.awaitTermination(10, TimeUnit.SECONDS));
  }

  @Test
  void theSameEveryTime() throws Exception {
    run(FIXED);
  }

  @Test
  void andOthers() throws Exception {
    run(Long.getLong("hypersync.seed", System.nanoTime()));
  }

  private void run(long seed) throws Exception {
    System.out.println("seed " + seed);
    Node anchor = tree.file("anchor");
    HostileKernel kernel = new HostileKernel(seed, MESSAGES / READERS);
    Vfs vfs =
        new Vfs(
            tree::view,
            inodes,
            new Posted(kernel),
            new GrantingLocks(task -> post(kernel, task, "a lock")),
            new InMemoryChunkStore(),
            UsedChunks.none(),
            _ -> new int[] {50},
            () -> 1_000_000,
            _ -> {},
            new CachePolicy(true, true, true, false),
            Clock.SYSTEM);
    try (FuseSession session =
        FuseSession.start(
            kernel, FuseSessionOptions.defaults().withReaders(READERS), new Watched(vfs, kernel))) {
      await(kernel);
      assertNull(kernel.wrong());
      assertFalse(session.hasEnded());
      FuseCounters.Snapshot counters = session.counters();
      System.out.println(counters);
      assertEquals(0, counters.handlerFailures());
      assertEquals(0, counters.doubleReplies());
      assertEquals(0, counters.refusedReplies());
      assertEquals(0, session.inFlight());
      byte[] name = "anchor\0".getBytes(StandardCharsets.US_ASCII);
      kernel.put(FuseOpcode.LOOKUP, 4, 1, name);
      ByteBuffer entry = kernel.answer();
      assertEquals(anchor.inode().value(), entry.getLong(0));
      forgetAll(kernel, vfs);
      assertEquals(1, inodes.size(), "inodes, the root alone");
      assertEquals(0, vfs.openHandles());
      assertNull(kernel.wrong());
    }
  }

  private static void await(HostileKernel kernel) throws InterruptedException {
    long last = Long.MAX_VALUE;
    int idle = 0;
    while (kernel.wrong() == null && (!kernel.hasNoMore() || kernel.unanswered() > 0)) {
      Thread.sleep(50);
      long now = kernel.unanswered();
      idle = kernel.hasNoMore() && now == last ? idle + 1 : 0;
      last = now;
      assertTrue(idle < 200, () -> "never answered: " + kernel.oneUnanswered());
    }
  }

  /** Forgets and releases everything, as the kernel does at an unmount. */
  private void forgetAll(HostileKernel kernel, Vfs vfs) throws InterruptedException {
    long lastInode = tree.file("newest").inode().value();
    for (long first = 2; first <= lastInode; first += ROWS) {
      ByteBuffer body = ByteBuffer.allocate(8 + 16 * ROWS).order(ByteOrder.nativeOrder());
      body.putInt(ROWS).putInt(0);
      for (int row = 0; row < ROWS; row++) {
        body.putLong(first + row).putLong(Long.MAX_VALUE);
      }
      kernel.put(FuseOpcode.BATCH_FORGET, 6, 0, body.array());
    }
    for (long fh = 1; vfs.openHandles() > 0; fh++) {
      kernel.put(
          FuseOpcode.RELEASE,
          8,
          1,
          ByteBuffer.allocate(24).order(ByteOrder.nativeOrder()).putLong(fh).array());
      var _ = kernel.answer();
    }
    kernel.put(FuseOpcode.STATFS, 10, 1, new byte[0]);
    var _ = kernel.answer();
  }

  /**
   * Runs mutations on one thread, as the agent does: one after another, and later than they were
   * submitted.
   */
  private final class Posted implements Mutations {
    private static final int NOT_FRESH = 4;

    private final HostileKernel kernel;
    private final AtomicInteger opens = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();

    Posted(HostileKernel kernel) {
      this.kernel = kernel;
    }

    @Override
    public boolean isAwaitingLeader() {
      return false;
    }

    @Override
    public void whenWritable(WaitingCall call, Runnable refused) {
      refused.run();
    }

    @Override
    public int chunkMax() {
      return ChunkRef.MAX_LENGTH;
    }

    @Override
    public boolean isWritable() {
      return tree.isWritable();
    }

    @Override
    public boolean isFresh() {
      return opens.incrementAndGet() % NOT_FRESH != 0;
    }

    @Override
    public boolean hasUnread() {
      return looks.incrementAndGet() % NOT_FRESH == 0;
    }

    @Override
    public void whenRead(Runnable ready) {
      post(ready, "a look");
    }

    @Override
    public void whenFresh(WaitingCall call) {
      post(call.ready(), "an open");
    }

    @Override
    public void whenCurrent(WaitingCall call) {
      post(call.ready(), "a read");
    }

    /** True for every second node, so that many opens are answered with ESTALE. */
    @Override
    public boolean hasLostName(NodeId node) {
      return node.low() % 2 == 0;
    }

    @Override
    public void whenSettled(long index, Runnable ready) {
      post(ready, "a read of what has grown");
    }

    @Override
    public void submit(Mutation mutation) {
      post(() -> tree.submit(mutation), mutation.op());
    }

    @Override
    public void fsync(NodeId node, WaitingCall call) {
      post(call.ready(), "fsync");
    }

    @Override
    public void fetchAgain(List<ChunkRef> chunk, Runnable ready, Consumer<Errno> failed) {
      post(() -> tree.fetchAgain(chunk, ready, failed), "a chunk");
    }

    @Override
    public void interrupted(RequestId unique, int pid) {
      post(() -> tree.interrupted(unique, pid), "an interrupt");
    }

    private void post(Runnable task, Object what) {
      HostileKernelTest.this.post(kernel, task, what);
    }
  }

  private void post(HostileKernel kernel, Runnable task, Object what) {
    agent.execute(
        () -> {
          try {
            task.run();
          } catch (RuntimeException | Error e) {
            kernel.fail(what + ": " + trace(e), 0);
          }
        });
  }

  private record Watched(Vfs vfs, HostileKernel kernel) implements FuseHandler {
    @Override
    public void handle(FuseRequest request, FuseReply reply) {
      try {
        vfs.handle(request, reply);
      } catch (RuntimeException | Error e) {
        kernel.fail(request + ": " + trace(e), reply.unique().value());
        throw e;
      }
    }

    @Override
    public void interrupted(RequestId unique, int pid) {
      vfs.interrupted(unique, pid);
    }
  }

  private static String trace(Throwable e) {
    java.io.StringWriter text = new java.io.StringWriter();
    e.printStackTrace(new java.io.PrintWriter(text));
    return text.toString();
  }
}
