package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
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
  private final BatchHandler batch = new BatchHandler(() -> flushPoints++);
  private final EmbeddedChannel channel = new EmbeddedChannel(batch);

  BatchHandlerTest() {
    channel.freezeTime();
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
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
    channel.pipeline().fireChannelReadComplete();
    assertEquals(1, flushPoints);
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
    return channel.write(new DatagramPacket(Unpooled.buffer(bytes).writeZero(bytes), PEER));
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
