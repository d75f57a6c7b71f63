package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class BatchHandlerTest {
  private static final InetSocketAddress PEER =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  private static final int ACK = 46;
  private static final int DATA = 200;

  private int flushPoints;
  private int ends;
  private Runnable atFlushPoint = () -> {};
  private final BatchHandler batch =
      new BatchHandler(
          () -> {
            flushPoints++;
            atFlushPoint.run();
          });

  /** Takes the place of QUIC: consumes what arrives and acknowledges at the end of a batch. */
  private final ChannelInboundHandlerAdapter quic =
      new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
          if (((DatagramPacket) message).content().readableBytes() != ACK) {
            batch.delivered();
          }
          ReferenceCountUtil.release(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
          ends++;
          var _ = ctx.writeAndFlush(packet(ACK));
        }
      };

  private final EmbeddedChannel channel = new EmbeddedChannel(batch, quic);

  BatchHandlerTest() {
    channel.freezeTime();
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void whatIsBeingDeliveredCountsAsUnreadUntilItIsAnswered() {
    boolean[] atAnswer = new boolean[1];
    atFlushPoint = () -> atAnswer[0] = batch.isDelivering();
    assertFalse(batch.isDelivering());
    var _ = channel.pipeline().fireChannelRead(packet(DATA));
    assertTrue(batch.isDelivering());
    var _ = channel.pipeline().fireChannelReadComplete();
    assertTrue(atAnswer[0]);
    assertFalse(batch.isDelivering());
  }

  @Test
  void dataLeavesAtOnceAndOvertakesAcknowledgements() {
    var _ = write(ACK);
    channel.flush();
    var _ = write(DATA);
    channel.flush();
    assertEquals(List.of(DATA), sent());
  }

  @Test
  void acknowledgementsLeaveInOrderWhenTheirTimeHasComeAndNoneIsDropped() {
    List<ChannelFuture> written = List.of(write(ACK), write(ACK + 1), write(ACK + 2));
    channel.flush();
    assertEquals(List.of(), sent());
    passTime(BatchHandler.MAX_DELAY_MS);
    assertEquals(List.of(ACK, ACK + 1, ACK + 2), sent());
    written.forEach(one -> assertTrue(one.isSuccess()));
  }

  @Test
  void theDelayBeginsWithTheFirst() {
    var _ = write(ACK);
    channel.flush();
    passTime(BatchHandler.MAX_DELAY_MS - 1);
    var _ = write(ACK + 1);
    channel.flush();
    passTime(1);
    assertEquals(List.of(ACK, ACK + 1), sent());
    passTime(10);
    assertEquals(List.of(), sent());
  }

  @Test
  void nothingLeavesWhileABatchIsHeld() {
    batch.hold();
    var _ = write(DATA);
    channel.flush();
    assertEquals(List.of(), sent());
    batch.release();
    assertEquals(List.of(DATA), sent());
  }

  @Test
  void whatArrivedTogetherIsAnsweredOnce() {
    arrives(DATA, DATA, DATA);
    assertEquals(1, flushPoints);
  }

  @Test
  void theEndOfABatchIsPutOffUntilTheDelayIsOverAndThenAcknowledgedAtOnce() {
    arrives(DATA);
    passTime(BatchHandler.MAX_DELAY_MS - 1);
    assertEquals(0, ends);
    arrives(DATA);
    passTime(1);
    assertEquals(1, ends);
    assertEquals(List.of(ACK), sent());
    passTime(10);
    assertEquals(1, ends);
    assertEquals(List.of(), sent());
  }

  @Test
  void aBatchThatIsAnsweredEndsAtOnce() {
    atFlushPoint = batch::answered;
    arrives(DATA);
    assertEquals(1, ends);
  }

  @Test
  void aMessageWhileABatchArrivesAnswersIt() {
    channel.pipeline().fireChannelRead(packet(DATA));
    batch.answered();
    assertEquals(0, ends);
    channel.pipeline().fireChannelReadComplete();
    assertEquals(1, ends);
  }

  @Test
  void aLaterAnswerEndsTheBatchWhenTheLastHoldIsReleased() {
    arrives(DATA);
    batch.hold();
    batch.answered();
    assertEquals(0, ends);
    batch.release();
    assertEquals(1, ends);
    passTime(BatchHandler.MAX_DELAY_MS);
    assertEquals(1, ends);
  }

  @Test
  void aLaterAnswerWithoutAHoldEndsTheBatchWhenItsCallerIsDone() {
    arrives(DATA);
    batch.answered();
    assertEquals(0, ends);
    channel.runPendingTasks();
    assertEquals(1, ends);
  }

  @Test
  void whatIsSentUnaskedDoesNotEndALaterBatch() {
    batch.hold();
    batch.answered();
    batch.release();
    arrives(DATA);
    assertEquals(0, ends);
  }

  @Test
  void noEndIsPutOffWhileSomethingHurries() {
    batch.hurry();
    batch.hurry();
    arrives(DATA);
    batch.calm();
    arrives(DATA);
    assertEquals(2, ends);
    batch.calm();
    arrives(DATA);
    assertEquals(2, ends);
  }

  @Test
  void theEndIsNotPutOffWhenMuchArrived() {
    arrives(BatchHandler.BULK_BYTES - 1);
    assertEquals(0, ends);
    arrives(1);
    assertEquals(1, ends);
    arrives(BatchHandler.BULK_BYTES - 1);
    assertEquals(1, ends);
  }

  @Test
  void aBatchWithoutMessagesEndsAtOnce() {
    arrives(ACK, ACK);
    assertEquals(1, ends);
    arrives(ACK, DATA);
    assertEquals(1, ends);
    arrives(ACK);
    assertEquals(1, ends, "the message has not been answered");
  }

  @Test
  void anEarlierBatchDoesNotEndWhileAnotherArrives() {
    arrives(DATA);
    channel.pipeline().fireChannelRead(packet(DATA));
    batch.hold();
    batch.answered();
    batch.release();
    channel.runPendingTasks();
    assertEquals(0, ends);
    channel.pipeline().fireChannelReadComplete();
    assertEquals(1, ends);
  }

  @Test
  void whatQuicSendsByItselfLeavesWithoutAFlushOfItsOwn() {
    arrives(DATA);
    var _ = write(DATA);
    channel.runPendingTasks();
    assertEquals(List.of(DATA), sent());
    assertEquals(1, ends);
  }

  @Test
  void anAcknowledgementNeverWaitsLongerThanTheDelayFromTheFirst() {
    arrives(DATA);
    passTime(BatchHandler.MAX_DELAY_MS - 1);
    batch.answered();
    channel.runPendingTasks();
    assertEquals(List.of(), sent());
    passTime(1);
    assertEquals(List.of(ACK), sent());
  }

  @Test
  void nothingEndsAfterTheHandlerHasGone() {
    arrives(DATA);
    channel.pipeline().remove(batch);
    assertEquals(-1, channel.runScheduledPendingTasks(), "nothing is scheduled");
    assertEquals(0, ends);
  }

  @Test
  void noTimerRunsWhenNothingIsOwed() {
    atFlushPoint =
        () -> {
          batch.answered();
          var _ = write(DATA);
        };
    channel.pipeline().remove(quic);
    arrives(DATA);
    assertEquals(List.of(DATA), sent());
    assertEquals(-1, channel.runScheduledPendingTasks(), "nothing is scheduled");
  }

  @Test
  void closingSendsWhatWaits() {
    var _ = write(ACK);
    channel.flush();
    var _ = channel.close();
    assertEquals(List.of(ACK), sent());
  }

  @Test
  void whatCannotBeSentAnyMoreFails() {
    ChannelFuture waiting = write(ACK);
    channel.flush();
    channel.pipeline().remove(batch);
    assertTrue(waiting.isDone());
    assertFalse(waiting.isSuccess());
  }

  private void passTime(long ms) {
    channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  private ChannelFuture write(int bytes) {
    return channel.write(packet(bytes));
  }

  /** Datagrams of these sizes arrive as one batch. */
  private void arrives(int... bytes) {
    for (int one : bytes) {
      channel.pipeline().fireChannelRead(packet(one));
    }
    channel.pipeline().fireChannelReadComplete();
  }

  private static DatagramPacket packet(int bytes) {
    return new DatagramPacket(Unpooled.buffer(bytes).writeZero(bytes), PEER);
  }

  private List<Integer> sent() {
    List<Integer> sizes = new ArrayList<>();
    for (DatagramPacket one = channel.readOutbound(); one != null; one = channel.readOutbound()) {
      sizes.add(one.content().readableBytes());
      one.release();
    }
    return sizes;
  }
}
