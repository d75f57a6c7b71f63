package io.hypersync.worker.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.worker.fuse.dev.DescriptorSocket;
import io.hypersync.worker.fuse.dev.MemoryFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A keeper and those who speak with it over a real socket, in one process: a worker, the next one,
 * a second one at the same time, and callers that make no sense.
 */
class MountKeeperTest {
  private static final KeptMount MOUNT =
      new KeptMount(
          1L << 40, 45, 0x8000_0000_0001L, 1 << 20, Duration.ofMinutes(1), 1, true, Path.of("/m"));

  @TempDir Path folder;
  private Path socket;
  private final CountDownLatch ended = new CountDownLatch(1);

  @BeforeEach
  void start() throws IOException {
    socket = folder.resolve("keeper.sock");
    DescriptorSocket listener = DescriptorSocket.listen(socket);
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try (listener) {
                new MountKeeper(listener).run();
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
    KeeperClient client = KeeperClient.connect(socket);
    int memory = MemoryFile.create("memory", 4);
    int device = MemoryFile.create("device", 8);
    client.give(MOUNT, memory, List.of(device));
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
