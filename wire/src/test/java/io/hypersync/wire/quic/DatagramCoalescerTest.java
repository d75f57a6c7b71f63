package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DatagramCoalescerTest {
  private static final InetSocketAddress A =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  private static final InetSocketAddress B =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);

  private final NoSegments device = new NoSegments();
  private final EmbeddedChannel channel = new EmbeddedChannel(device, new DatagramCoalescer());
  private final List<ByteBuf> contents = new ArrayList<>();

  @AfterEach
  void nothingLeaks() {
    channel.finishAndReleaseAll();
    contents.forEach(content -> assertEquals(0, content.refCnt(), "leaked or released twice"));
  }

  /** Packet sizes in the order of writing; the expected datagrams, with joined packets as a sum. */
  @ParameterizedTest
  @CsvSource({
    "300, 300",
    "300 80, 300+80",
    "300 300 80, 300+300+80",
    "80 300, 80|300",
    "300 80 80, 300+80|80",
    "300 80 300 80, 300+80|300+80",
    "9 9 9 9 9 9 9 9 9, 9+9+9+9+9+9+9+9|9",
    "16383 16383 16383 16383, 16383+16383+16383|16383",
  })
  void aPacketJoinsOnesThatAreNotSmaller(String sizes, String expected) {
    for (String size : sizes.split(" ", -1)) {
      assertFalse(write(A, Integer.parseInt(size)).isDone(), "before the flush");
    }
    channel.flush();
    assertEquals(List.of(expected.split("\\|", -1)), sent());
  }

  @Test
  void packetsToDifferentRecipientsAreNotJoinedAndKeepTheirOrder() {
    var _ = write(A, 300);
    var _ = write(B, 100);
    var _ = write(B, 50);
    channel.flush();
    assertEquals(List.of("300", "100+50"), sent());
  }

  @Test
  void everyPromiseIsKept() {
    List<ChannelFuture> written = List.of(write(A, 300), write(A, 80), write(B, 80));
    channel.flush();
    written.forEach(one -> assertTrue(one.isSuccess()));
    sent();
  }

  @Test
  void wherePacketsCannotBeJoinedTheyGoAlone() {
    device.refuses = true;
    ChannelFuture lost = write(A, 300);
    var _ = write(A, 80);
    channel.flush();
    assertTrue(lost.cause() instanceof IOException);
    assertEquals(List.of(), sent());
    var _ = write(A, 300);
    var _ = write(A, 80);
    var _ = channel.write(new SegmentedDatagramPacket(content(250), 100, A));
    channel.flush();
    assertEquals(List.of("300", "80", "100", "100", "50"), sent());
  }

  @Test
  void whatWasNotFlushedFailsWithTheChannel() {
    ChannelFuture first = write(A, 300);
    channel.pipeline().remove(DatagramCoalescer.class);
    assertFalse(first.isSuccess());
    assertTrue(first.isDone());
  }

  private ChannelFuture write(InetSocketAddress to, int bytes) {
    return channel.write(new DatagramPacket(content(bytes), to));
  }

  private ByteBuf content(int bytes) {
    ByteBuf content = Unpooled.buffer(bytes).writeZero(bytes);
    contents.add(content);
    return content;
  }

  private List<String> sent() {
    List<String> all = new ArrayList<>();
    for (DatagramPacket one = channel.readOutbound(); one != null; one = channel.readOutbound()) {
      StringBuilder parts = new StringBuilder();
      int left = one.content().readableBytes();
      int segment = one instanceof SegmentedDatagramPacket joined ? joined.segmentSize() : left;
      while (left > 0) {
        parts.append(parts.isEmpty() ? "" : "+").append(Math.min(segment, left));
        left -= segment;
      }
      all.add(parts.toString());
      one.release();
    }
    return all;
  }

  /** A network device that may be unable to cut datagrams up. */
  private static final class NoSegments extends ChannelOutboundHandlerAdapter {
    private boolean refuses;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      if (refuses && message instanceof SegmentedDatagramPacket) {
        ReferenceCountUtil.release(message);
        promise.setFailure(new IOException("sendmmsg: input/output error"));
      } else {
        var _ = ctx.write(message, promise);
      }
    }
  }
}
