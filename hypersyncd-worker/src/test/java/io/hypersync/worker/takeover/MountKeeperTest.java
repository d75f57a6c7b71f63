package io.hypersync.worker.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.worker.fuse.dev.DescriptorSocket;
import io.hypersync.worker.fuse.dev.MemoryFile;
import io.hypersync.worker.fuse.dev.MountTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A keeper and those who speak with it over a real socket, in one process: a worker, the next one,
 * a second one at the same time, and callers that make no sense.
 */
class MountKeeperTest {
  private static final KeptMount MOUNT = kept(1L << 40, Duration.ofMinutes(1));

  @TempDir Path folder;
  private Path socket;
  private final CountDownLatch ended = new CountDownLatch(1);

  /** How the worker was started; null: it cannot be told. */
  private volatile @Nullable WorkerCommand sameAgain;

  private static KeptMount kept(long device, Duration timeout) {
    return new KeptMount(device, 45, 0x8000_0000_0001L, 1 << 20, timeout, 1, true, Path.of("/m"));
  }

  @BeforeEach
  void start() throws IOException {
    socket = folder.resolve("keeper.sock");
    DescriptorSocket listener = DescriptorSocket.listen(socket);
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try (listener) {
                new MountKeeper(listener, _ -> sameAgain).run();
              } catch (IOException e) {
                throw new AssertionError(e);
              } finally {
                ended.countDown();
              }
            });
  }

  @AfterEach
  void theKeeperIsNotLeftBehind() throws Exception {
    // Its mount is in no mount table, so it ends when no worker is connected.
    assertTrue(ended.await(40, TimeUnit.SECONDS), "the keeper ends");
  }

  private KeeperClient give() throws IOException {
    return give(MOUNT);
  }

  private KeeperClient give(KeptMount mount) throws IOException {
    KeeperClient client = KeeperClient.connect(socket);
    int memory = MemoryFile.create("memory", 4);
    int device = MemoryFile.create("device", 8);
    client.give(mount, memory, List.of(device));
    DescriptorSocket.closeAll(List.of(memory, device));
    return client;
  }

  private byte[] answerTo(byte[] packet) throws IOException {
    try (DescriptorSocket caller = DescriptorSocket.connect(socket)) {
      caller.limit(Duration.ofSeconds(5));
      caller.send(packet, List.of());
      return Objects.requireNonNull(caller.receive(KeeperMessage.MAX_BYTES)).bytes();
    }
  }

  @Test
  void onlyOneWorkerServesAMountAtATime() throws Exception {
    try (KeeperClient worker = give()) {
      assertTrue(worker.isAlive());
      assertFalse(KeeperClient.waitsWith(socket, MOUNT.point()));
      IOException refusal = assertThrows(IOException.class, () -> KeeperClient.take(socket));
      assertTrue(
          String.valueOf(refusal.getMessage()).contains("another worker serves /m"),
          refusal.getMessage());
      worker.end();
    }
  }

  @Test
  void garbageIsRefusedAndTheMountStays() throws Exception {
    try (KeeperClient worker = give()) {
      KeeperMessage take = KeeperMessage.of(KeeperMessage.Kind.TAKE);
      ByteBuffer newer = ByteBuffer.wrap(take.encoded().clone()).putShort(4, (short) 3);
      assertEquals(
          "a packet of version 3, and this program speaks version 2",
          KeeperMessage.decode(answerTo(newer.array())).text());
      assertEquals(
          "a packet of another protocol",
          KeeperMessage.decode(answerTo("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8)))
              .text());
      assertEquals(
          KeeperMessage.Kind.REFUSED,
          KeeperMessage.decode(answerTo(KeeperMessage.of(KeeperMessage.Kind.GIVE).encoded()))
              .kind());
      assertEquals(
          "only the worker that serves the mount ends it",
          KeeperMessage.decode(answerTo(KeeperMessage.of(KeeperMessage.Kind.END).encoded()))
              .text());
      try (DescriptorSocket _ = DescriptorSocket.connect(socket)) {
        worker.serves(); // who says nothing holds nobody up for long
      }
      worker.end();
    }
  }

  /** It would go on as a worker of its own, with the state of the next worker that is started. */
  @Test
  void aProcessThatHasNotTakenTheMountInTimeEndsBeforeTheMountDoes() throws Exception {
    sameAgain = new WorkerCommand(slowStart(), List.of(), folder);
    String proc = MountTable.read().at("/proc").orElseThrow().device(); // any that is mounted
    long mounted = Long.parseLong(proc.substring(proc.indexOf(':') + 1));
    give(kept(mounted, Duration.ofSeconds(2))).close(); // and dies
    ProcessHandle successor = started();
    assertTrue(ended.await(40, TimeUnit.SECONDS), "the keeper ends: nobody has taken the mount");
    assertFalse(successor.isAlive(), "and before it the process that it had started");
  }

  @Test
  void aSuccessorThatIsStillStartingEndsWithTheMount() throws Exception {
    sameAgain = new WorkerCommand(slowStart(), List.of(), folder);
    try (DescriptorSocket worker = DescriptorSocket.connect(socket)) {
      int memory = MemoryFile.create("memory", 4);
      int device = MemoryFile.create("device", 8);
      worker.send(
          KeeperMessage.of(KeeperMessage.Kind.GIVE, MOUNT).encoded(), List.of(memory, device));
      DescriptorSocket.closeAll(List.of(memory, device));
      var _ = worker.receive(KeeperMessage.MAX_BYTES);
      worker.send(KeeperMessage.of(KeeperMessage.Kind.RESTART).encoded(), List.of());
      ProcessHandle successor = started();
      worker.send(KeeperMessage.of(KeeperMessage.Kind.END).encoded(), List.of());
      assertTrue(ended.await(40, TimeUnit.SECONDS), "the keeper ends: the mount is gone");
      assertFalse(successor.isAlive());
    }
  }

  /** The command of a process that says its number and does not come to its turn. */
  private List<String> slowStart() {
    return List.of("/bin/sh", "-c", "echo $$ >started.part; mv started.part started; sleep 600; :");
  }

  private ProcessHandle started() throws Exception {
    Path started = folder.resolve("started");
    while (!Files.exists(started)) {
      Thread.sleep(10);
    }
    return ProcessHandle.of(Long.parseLong(Files.readString(started).strip())).orElseThrow();
  }

  @Test
  void onlyTheSuccessorThatWasStartedIsOne() throws Exception {
    try (KeeperClient worker = give()) {
      assertTrue(KeeperClient.waiting(socket).isEmpty(), "nobody has started this process");
      KeeperClient.tellFailure(socket, "this is nobody's successor");
      for (KeeperMessage.Kind kind :
          List.of(
              KeeperMessage.Kind.RESTART, KeeperMessage.Kind.LEAVES, KeeperMessage.Kind.STAYS)) {
        assertEquals(
            KeeperMessage.Kind.REFUSED,
            KeeperMessage.decode(answerTo(KeeperMessage.of(kind).encoded())).kind(),
            kind + " of a process that does not serve the mount");
      }
      assertThrows(IOException.class, worker::leaves, "there is no successor");
      IOException refusal =
          assertThrows(IOException.class, () -> worker.startSuccessor("/no/such/launcher"));
      assertTrue(
          String.valueOf(refusal.getMessage()).startsWith("cannot start a successor"),
          refusal.getMessage());
      assertTrue(worker.isAlive(), "the worker goes on");
      worker.end();
    }
  }
}
