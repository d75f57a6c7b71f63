package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which datagrams are dropped as stray. */
class StrayFilterTest {
  @ParameterizedTest(name = "{3}")
  @CsvSource({
    "40,           20,   false, a packet of a connection that is made",
    "7f,           1,    false, the smallest of them",
    "c000000001,   1200, false, a first packet",
    "cf00000001,   1252, false, a first packet of other flags",
    "c000000001,   1199, true,  a first packet that is too short",
    "c000000001,   7,    true,  a first packet of a header",
    "d000000001,   50,   false, early data",
    "e000000001,   50,   false, a packet of a handshake",
    "e000000001,   6,    true,  less than a header",
    "c000000002,   1200, true,  another version",
    "c06b3343cf,   1200, true,  version 2",
    "c000000000,   1200, true,  what a server says about versions",
    "c01a2a3a4a,   1200, true,  a version that is there to be refused",
    "80,           1,    true,  no version at all",
  })
  void whatIsStray(String head, int bytes, boolean stray, String name) {
    byte[] datagram = new byte[bytes];
    byte[] begin = HexFormat.of().parseHex(head);
    System.arraycopy(begin, 0, datagram, 0, Math.min(begin.length, bytes));
    ByteBuf content = Unpooled.wrappedBuffer(new byte[] {1}, datagram).skipBytes(1);
    assertEquals(stray, StrayFilter.isStray(content), name);
    assertEquals(bytes, content.readableBytes(), "nothing was taken");
  }

  @Test
  void anEmptyDatagramIsStray() {
    assertEquals(true, StrayFilter.isStray(Unpooled.EMPTY_BUFFER));
  }
}
