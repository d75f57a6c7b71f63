package io.hypersync.worker.fuse.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A session with a fake kernel made of queues. */
@Timeout(30)
class FuseSessionTest {
  private static final int GETATTR = FuseOpcode.GETATTR.code();
  private static final int FORGET = FuseOpcode.FORGET.code();
  private static final byte[] GETATTR_BODY = new byte[16];

  private final FakeKernel kernel = FakeKernel.ready();
  private final BlockingQueue<FuseReply> held = new LinkedBlockingQueue<>();
  private final BlockingQueue<RequestId> interrupted = new LinkedBlockingQueue<>();

  /** A session whose handler leaves every request unanswered. */
  private FuseSession holding(int readers) throws Exception {
    return session(readers, (request, reply) -> held.add(reply));
  }

  private FuseSession session(int readers, BiConsumer<FuseRequest, FuseReply> handle)
      throws Exception {
    FuseSession session =
        FuseSession.start(
            kernel,
            FuseSessionOptions.defaults().withReaders(readers),
            new FuseHandler() {
              @Override
              public void handle(FuseRequest request, FuseReply reply) {
                handle.accept(request, reply);
              }

              @Override
              public void interrupted(RequestId unique, int pid) {
                interrupted.add(unique);
              }
            });
    assertEquals(0, kernel.reply().error(), "INIT");
    return session;
  }

  @Test
  void initIsAnsweredBeforeTheSessionIsThere() throws Exception {
    try (FuseSession session = holding(1)) {
      assertEquals(45, session.connection().minor());
      assertEquals(1 << 20, session.connection().maxWriteBytes());
    }
  }

  @Test
  void aKernelOfAnotherMajorVersionAsksAgain() throws Exception {
    FakeKernel newer = new FakeKernel();
    newer.init(1, 8, 0, Set.of());
    newer.init(3, 7, 45, EnumSet.of(InitFlag.ASYNC_READ));
    try (FuseSession session =
        FuseSession.start(
            newer, FuseSessionOptions.defaults().withReaders(1), new RefusingHandler())) {
      assertEquals(7, newer.reply().buffer().getInt(0));
      assertEquals(3, newer.reply().unique());
      assertEquals(Set.of(InitFlag.ASYNC_READ), session.connection().flags());
    }
  }

  @Test
  void aKernelThatIsTooOldIsRefused() throws Exception {
    FakeKernel old = new FakeKernel();
    old.init(1, 7, 30, Set.of());
    IOException refused =
        assertThrows(
            IOException.class,
            () ->
                FuseSession.start(
                    old, FuseSessionOptions.defaults().withReaders(2), new RefusingHandler()));
    assertTrue(refused.getMessage().contains("7.30"), refused::getMessage);
    assertEquals(-Errno.EPROTO.code(), old.reply().error());
    assertTrue(old.allClosed(), "channels are closed");
  }

  @Test
  void anAnswerMayComeLaterFromAnyThread() throws Exception {
    try (FuseSession session = holding(1)) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      kernel.request(6, GETATTR, 1, GETATTR_BODY);
      FuseReply first = held.take();
      FuseReply second = held.take();
      assertEquals(2, session.inFlight());
      Thread.ofVirtual().start(() -> second.data("second".getBytes(StandardCharsets.UTF_8))).join();
      assertEquals(6, kernel.reply().unique());
      first.error(Errno.ENOENT);
      FakeKernel.Reply reply = kernel.reply();
      assertEquals(4, reply.unique());
      assertEquals(-2, reply.error());
      assertEquals(0, session.inFlight());
    }
  }

  @Test
  void dataAreJoined() throws Exception {
    try (FuseSession session =
        session(1, (_, reply) -> reply.data(new byte[] {1, 2}, new byte[0], new byte[] {3}))) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      assertArrayEquals(new byte[] {1, 2, 3}, kernel.reply().body());
      kernel.request(6, GETATTR, 2, GETATTR_BODY);
      assertArrayEquals(new byte[] {1, 2, 3}, kernel.reply().body());
      assertEquals(0, session.inFlight());
    }
  }

  @Test
  void theSecondAnswerIsDroppedAndCounted() throws Exception {
    try (FuseSession session = holding(1)) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      FuseReply reply = held.take();
      reply.ok();
      reply.error(Errno.EIO);
      reply.ok();
      assertEquals(0, kernel.reply().error());
      assertTrue(kernel.isQuiet(), "one request, one reply");
      assertEquals(2, session.counters().doubleReplies());
    }
  }

  @Test
  void whenThreadsRaceToAnswerOneWins() throws Exception {
    int threads = 4;
    try (FuseSession session = holding(1)) {
      CyclicBarrier barrier = new CyclicBarrier(threads);
      for (int round = 0; round < 50; round++) {
        kernel.request(4 + 2 * round, GETATTR, 1, GETATTR_BODY);
        FuseReply reply = held.take();
        Thread[] racers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
          racers[i] =
              Thread.ofPlatform()
                  .start(
                      () -> {
                        try {
                          barrier.await();
                        } catch (Exception e) {
                          throw new IllegalStateException(e);
                        }
                        reply.ok();
                      });
        }
        for (Thread racer : racers) {
          racer.join();
        }
        assertEquals(4 + 2 * round, kernel.reply().unique());
        assertTrue(kernel.isQuiet(), "round " + round);
      }
      assertEquals(50L * (threads - 1), session.counters().doubleReplies());
    }
  }

  @Test
  void aReplyGoesOutWhereItsRequestCameIn() throws Exception {
    CyclicBarrier bothReadersBusy = new CyclicBarrier(2);
    try (FuseSession session =
        session(
            2,
            (request, reply) -> {
              try {
                bothReadersBusy.await(10, TimeUnit.SECONDS);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
              String reader = Thread.currentThread().getName();
              reply.data(reader.getBytes(StandardCharsets.UTF_8));
            })) {
      Set<Integer> channels = new HashSet<>();
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      kernel.request(6, GETATTR, 1, GETATTR_BODY);
      for (int i = 0; i < 2; i++) {
        FakeKernel.Reply reply = kernel.reply();
        assertEquals(
            "fuse-reader-" + reply.channel(), new String(reply.body(), StandardCharsets.UTF_8));
        channels.add(reply.channel());
      }
      assertEquals(Set.of(0, 1), channels);
      assertEquals(0, session.inFlight());
    }
  }

  @Test
  void aHandlerThatThrowsAnswersEio() throws Exception {
    try (FuseSession session =
        session(
            1,
            (request, reply) -> {
              if (request.header().nodeId().value() == 2) {
                reply.ok();
              }
              throw new IllegalStateException("on purpose");
            })) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      assertEquals(-Errno.EIO.code(), kernel.reply().error());
      kernel.request(6, GETATTR, 2, GETATTR_BODY);
      assertEquals(0, kernel.reply().error(), "it had answered before it threw");
      kernel.request(8, GETATTR, 1, GETATTR_BODY);
      assertEquals(8, kernel.reply().unique(), "and reads on");
      assertEquals(3, session.counters().handlerFailures());
      assertEquals(0, session.counters().doubleReplies());
    }
  }

  @Test
  void forgettingIsNeverAnswered() throws Exception {
    try (FuseSession session =
        session(
            1,
            (request, reply) -> {
              if (request.operation() instanceof FuseOperation.Forget) {
                reply.noReply();
                reply.error(Errno.EIO);
                throw new IllegalStateException("on purpose");
              }
              reply.ok();
            })) {
      kernel.request(4, FORGET, 1, new byte[8]);
      kernel.request(6, FORGET, 1, new byte[2]);
      kernel.request(8, GETATTR, 1, GETATTR_BODY);
      assertEquals(8, kernel.reply().unique());
      assertEquals(1, session.counters().malformedRequests());
    }
  }

  @Test
  void noReplyToWhatIsWaitedForIsEio() throws Exception {
    FuseSession session = session(1, (request, reply) -> reply.noReply());
    kernel.request(4, GETATTR, 1, GETATTR_BODY);
    assertEquals(-Errno.EIO.code(), kernel.reply().error());
    session.close();
    assertEquals(1, session.counters().errorReplies());
    assertEquals(1, session.counters().replies());
  }

  @Test
  void malformedAndUnknownRequestsAreAnsweredWithoutTheHandler() throws Exception {
    try (FuseSession session = holding(1)) {
      kernel.request(4, GETATTR, 1, new byte[3]);
      assertEquals(-Errno.EIO.code(), kernel.reply().error());
      kernel.request(6, 999, 1, new byte[3]);
      assertEquals(-Errno.ENOSYS.code(), kernel.reply().error());
      kernel.raw(new byte[] {1, 2, 3});
      kernel.request(8, FuseOpcode.DESTROY.code(), 1, new byte[0]);
      assertEquals(0, kernel.reply().error());
      assertEquals(3, session.counters().malformedRequests());
      assertTrue(held.isEmpty(), "the handler saw none");
    }
  }

  @Test
  void anInterruptOfARequestInFlightReachesTheHandler() throws Exception {
    try (FuseSession session = holding(1)) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      FuseReply reply = held.take();
      kernel.request(5, FuseOpcode.INTERRUPT.code(), 0, unique(4));
      assertEquals(new RequestId(4), interrupted.take());
      assertTrue(kernel.isQuiet(), "an interrupt has no answer of its own");
      reply.error(Errno.EINTR);
      assertEquals(-Errno.EINTR.code(), kernel.reply().error());
      assertEquals(1, session.counters().interrupts());
    }
  }

  @Test
  void anInterruptThatOvertakesItsRequestReachesTheHandlerAfterIt() throws Exception {
    try (FuseSession session = holding(1)) {
      kernel.request(5, FuseOpcode.INTERRUPT.code(), 0, unique(4));
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      FuseReply reply = held.take();
      assertEquals(new RequestId(4), interrupted.take());
      reply.error(Errno.EINTR);
      assertEquals(4, kernel.reply().unique());
      assertEquals(1, session.counters().interrupts());
    }
  }

  @Test
  void anInterruptDoesNotOvertakeItsRequestOnTheWayToTheHandler() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (FuseSession session =
        session(
            2,
            (request, reply) -> {
              begun.countDown();
              try {
                goOn.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              held.add(reply);
            })) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      begun.await();
      kernel.request(5, FuseOpcode.INTERRUPT.code(), 0, unique(4));
      kernel.request(8, FuseOpcode.DESTROY.code(), 1, new byte[0]);
      assertEquals(8, kernel.reply().unique(), "the interrupt before it was read");
      assertTrue(interrupted.isEmpty(), "it has not got there yet");
      goOn.countDown();
      FuseReply reply = held.take();
      assertEquals(new RequestId(4), interrupted.take());
      reply.error(Errno.EINTR);
      assertEquals(4, kernel.reply().unique());
      assertEquals(1, session.counters().interrupts());
    }
  }

  @Test
  void anAnswerThatComesTooLateIsHarmless() throws Exception {
    try (FuseSession session = holding(1)) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      kernel.refuseNext(Errno.ENOENT);
      held.take().ok();
      assertEquals(1, session.counters().lateReplies());
      assertTrue(kernel.isQuiet(), "nothing else is sent");
    }
  }

  @Test
  void anAnswerOfTheWrongFormBecomesEio() throws Exception {
    try (FuseSession session = holding(1)) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      kernel.refuseNext(Errno.EINVAL);
      held.take().data(new byte[3]);
      FakeKernel.Reply reply = kernel.reply();
      assertEquals(4, reply.unique());
      assertEquals(-Errno.EIO.code(), reply.error());
      assertEquals(1, session.counters().refusedReplies());
    }
  }

  @Test
  void theSessionSaysThatTheDeviceHasFailed() throws Exception {
    FuseSession session = holding(2);
    kernel.fail();
    SessionEnd end = session.awaitEnd(Duration.ofSeconds(10)).orElseThrow();
    assertInstanceOf(SessionEnd.DeviceFailed.class, end);
    session.close();
    assertEquals(Optional.of(end), session.awaitEnd(Duration.ZERO), "the first cause counts");
  }

  @Test
  void closingAnswersWhatIsOutstandingAndEndsTheReaders() throws Exception {
    FuseSession session = holding(3);
    kernel.request(4, GETATTR, 1, GETATTR_BODY);
    FuseReply reply = held.take();
    assertFalse(session.hasEnded());
    session.close();
    session.close();
    assertEquals(-Errno.EIO.code(), kernel.reply().error());
    assertTrue(session.hasEnded());
    assertEquals(Optional.of(new SessionEnd.Closed()), session.awaitEnd(Duration.ofSeconds(10)));
    assertTrue(kernel.allClosed(), "channels are closed");
    reply.ok();
    assertTrue(kernel.isQuiet(), "too late to answer");
    assertEquals(1, session.counters().lateReplies());
    assertEquals(0, session.counters().doubleReplies(), "the handler did nothing wrong");
  }

  @Test
  void aHandlerMayCloseTheSession() throws Exception {
    BlockingQueue<FuseSession> self = new LinkedBlockingQueue<>();
    FuseSession session =
        session(
            2,
            (request, reply) -> {
              try {
                self.take().close();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    kernel.request(4, GETATTR, 1, GETATTR_BODY);
    self.add(session);
    assertEquals(-Errno.EIO.code(), kernel.reply().error());
    assertTrue(session.awaitEnd(Duration.ofSeconds(10)).isPresent(), "all readers end");
  }

  @Test
  void theSessionEndsWhenTheKernelSideIsGone() throws Exception {
    FuseSession session = holding(2);
    assertEquals(Optional.empty(), session.awaitEnd(Duration.ofMillis(20)), "still mounted");
    kernel.disconnect();
    assertEquals(Optional.of(new SessionEnd.Unmounted()), session.awaitEnd(Duration.ofSeconds(10)));
    session.close();
    assertTrue(kernel.allClosed(), "channels are closed");
  }

  @Test
  void notificationsAreSentUnasked() throws Exception {
    try (FuseSession session = holding(1)) {
      session.notifier().invalidateInode(new InodeNo(7), 4096, 0);
      session.notifier().attributesOnly(new InodeNo(7));
      session.notifier().invalidateEntry(InodeNo.ROOT, "a".getBytes(StandardCharsets.UTF_8));
      assertEquals(2, kernel.reply().error());
      assertEquals(-1, kernel.reply().buffer().getLong(8));
      FakeKernel.Reply entry = kernel.reply();
      assertEquals(3, entry.error());
      assertEquals(0, entry.unique());
      kernel.refuseNext(Errno.ENOENT);
      session.notifier().attributesOnly(new InodeNo(8));
      assertEquals(3, session.counters().notifications(), "not cached is not an error");
      kernel.refuseNext(Errno.EINVAL);
      assertThrows(IOException.class, () -> session.notifier().attributesOnly(new InodeNo(8)));
      assertThrows(
          IllegalArgumentException.class,
          () -> session.notifier().invalidateInode(new InodeNo(7), -1, 0));
    }
  }

  @Test
  void requestsAreCountedByOpcode() throws Exception {
    try (FuseSession session = session(1, (request, reply) -> reply.ok())) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      kernel.request(6, FuseOpcode.STATFS.code(), 1, new byte[0]);
      kernel.request(8, GETATTR, 1, GETATTR_BODY);
      for (int i = 0; i < 3; i++) {
        assertEquals(0, kernel.reply().error());
      }
      assertEquals(
          Map.of(FuseOpcode.GETATTR, 2L, FuseOpcode.STATFS, 1L), session.counters().requests());
    }
  }

  private static byte[] unique(long unique) {
    return ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(unique).array();
  }

  private static final class RefusingHandler implements FuseHandler {
    @Override
    public void handle(FuseRequest request, FuseReply reply) {
      reply.error(Errno.ENOSYS);
    }

    @Override
    public void interrupted(RequestId unique, int pid) {}
  }

  /** What is not answered then is for the process that goes on with the mount. */
  @Test
  void aMountThatIsLeftIsAnsweredNoMore() throws Exception {
    try (FuseSession session = holding(1)) {
      kernel.request(4, GETATTR, 1, GETATTR_BODY);
      FuseReply before = held.take();
      session.leave();
      before.error(Errno.ENOENT);
      kernel.request(6, GETATTR, 1, GETATTR_BODY);
      assertNull(held.poll(200, TimeUnit.MILLISECONDS), "nobody is handed what comes later");
      assertTrue(kernel.isQuiet(), "and nothing is answered");
    }
  }
}
