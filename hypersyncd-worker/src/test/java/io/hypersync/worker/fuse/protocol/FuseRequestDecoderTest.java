package io.hypersync.worker.fuse.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.InitFlag;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class FuseRequestDecoderTest {
  private static final List<RequestFixtures.Fixture> FIXTURES = RequestFixtures.ALL;

  private final FuseRequestDecoder decoder = new FuseRequestDecoder(Set.of());

  @Test
  void aHeaderSaysWhoAsksAboutWhat() {
    byte[] message =
        AnnotatedHex.bytes(
            """
            2c000000 # len: 44
            01000000 # opcode: LOOKUP
            2200000000000000 # unique
            0700000000000000 # nodeid
            e8030000 # uid
            64000000 # gid
            e1100000 # pid
            0000 0000 # total_extlen, padding
            61626300 # name
            """);
    Decoded.Request decoded =
        assertInstanceOf(Decoded.Request.class, decoder.decode(ByteBuffer.wrap(message)));
    assertEquals(
        new RequestHeader(new RequestId(0x22), new InodeNo(7), 1000, 100, 4321, FuseOpcode.LOOKUP),
        decoded.request().header());
    assertEquals("Lookup[name=abc]", Rendered.of(decoded.request().operation()));
  }

  @ParameterizedTest
  @FieldSource("FIXTURES")
  void aRequestBecomesItsRecord(RequestFixtures.Fixture fixture) {
    Decoded decoded = decoder.decode(AnnotatedHex.request(fixture.opcode(), fixture.body()));
    Decoded.Request request =
        assertInstanceOf(Decoded.Request.class, decoded, () -> "not understood: " + decoded);
    assertEquals(fixture.expected(), Rendered.of(request.request().operation()));
  }

  @Test
  void thereIsAFixtureForEveryOperation() {
    EnumSet<FuseOpcode> missing = EnumSet.allOf(FuseOpcode.class);
    FIXTURES.forEach(fixture -> missing.remove(FuseOpcode.of(fixture.opcode())));
    assertEquals(
        EnumSet.of(
            FuseOpcode.INIT,
            FuseOpcode.INTERRUPT,
            FuseOpcode.DESTROY,
            FuseOpcode.NOTIFY_REPLY,
            FuseOpcode.SETUPMAPPING,
            FuseOpcode.REMOVEMAPPING),
        missing);
  }

  @ParameterizedTest
  @FieldSource("FIXTURES")
  void aRequestCutShortAnywhereIsMalformed(RequestFixtures.Fixture fixture) {
    byte[] body = fixture.body();
    for (int length = 0; length < fixture.minimum(); length++) {
      Decoded decoded =
          decoder.decode(AnnotatedHex.request(fixture.opcode(), Arrays.copyOf(body, length)));
      Decoded.Malformed malformed =
          assertInstanceOf(Decoded.Malformed.class, decoded, "cut to " + length + " bytes");
      assertEquals(new RequestId(0x22), malformed.unique());
      assertEquals(Errno.EIO, malformed.errno());
    }
  }

  @ParameterizedTest
  @FieldSource("FIXTURES")
  void aHeaderThatLiesAboutTheLengthIsMalformed(RequestFixtures.Fixture fixture) {
    for (int lie : new int[] {-1, 0, 39, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      ByteBuffer message = AnnotatedHex.request(fixture.opcode(), fixture.body());
      message.putInt(0, lie);
      assertInstanceOf(Decoded.Malformed.class, decoder.decode(message), "length " + lie);
    }
  }

  @Test
  void sizesInsideARequestThatLieAreMalformed() {
    record Lie(int opcode, int offset, int value) {}
    for (Lie lie :
        List.of(
            new Lie(16, 16, 4), // WRITE with a size below that of its data
            new Lie(16, 16, 6), // above
            new Lie(16, 16, -1),
            new Lie(15, 16, -1), // READ of 4 GiB
            new Lie(15, 16, Integer.MAX_VALUE), // more than a reply can hold
            new Lie(28, 16, (1 << 24) + 1),
            new Lie(21, 0, 4), // SETXATTR
            new Lie(39, 24, 3), // IOCTL
            new Lie(42, 0, 3), // BATCH_FORGET
            new Lie(42, 0, -1),
            new Lie(42, 0, 0x10000002))) { // whose rows would overflow an int
      byte[] body = fixture(lie.opcode()).body();
      ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).putInt(lie.offset(), lie.value());
      assertInstanceOf(
          Decoded.Malformed.class,
          decoder.decode(AnnotatedHex.request(lie.opcode(), body)),
          lie.toString());
    }
  }

  @Test
  void namesNeedANulAndACharacter() {
    for (String hex : List.of("", "00", "616263")) {
      assertInstanceOf(
          Decoded.Malformed.class,
          decoder.decode(AnnotatedHex.request(1, AnnotatedHex.bytes(hex))),
          "name " + hex);
    }
  }

  @Test
  void anUnknownOpcodeIsNotServed() {
    for (int opcode : new int[] {0, 7, 19, 48, 49, 54, 4096, -1, Integer.MIN_VALUE}) {
      Decoded.Malformed malformed =
          assertInstanceOf(
              Decoded.Malformed.class, decoder.decode(AnnotatedHex.request(opcode, new byte[8])));
      assertEquals(Errno.ENOSYS, malformed.errno(), "opcode " + opcode);
      assertEquals(new RequestId(0x22), malformed.unique());
    }
  }

  @Test
  void whatTheKernelDoesNotWaitForIsNotAnswered() {
    for (int opcode : new int[] {2, 41, 42}) {
      Decoded.Malformed malformed =
          assertInstanceOf(
              Decoded.Malformed.class, decoder.decode(AnnotatedHex.request(opcode, new byte[0])));
      assertEquals(false, malformed.answered(), "opcode " + opcode);
    }
  }

  @Test
  void lessThanAHeaderHasNoNumber() {
    for (int length = 0; length < 40; length++) {
      assertEquals(RequestId.NONE, decoder.decode(ByteBuffer.allocate(length)).unique());
    }
  }

  @Test
  void extensionsAtTheEndAreNotPartOfTheBody() {
    ByteBuffer message =
        AnnotatedHex.request(
            16, AnnotatedHex.bytes(fixture(16).hex() + "\n0000000000000000 # extension"));
    assertInstanceOf(Decoded.Malformed.class, decoder.decode(message));
    message.putShort(36, (short) 1);
    assertInstanceOf(Decoded.Request.class, decoder.decode(message));
    message.putShort(36, (short) -1);
    assertInstanceOf(Decoded.Malformed.class, decoder.decode(message));
  }

  @Test
  void initOffersFlagsInTwoWords() {
    byte[] body =
        AnnotatedHex.bytes(
            """
            07000000 # major
            2d000000 # minor: 45
            00000200 # max_readahead
            01000040 # flags: ASYNC_READ INIT_EXT
            10000000 # flags2: DIRECT_IO_ALLOW_MMAP
            0000000000000000000000000000000000000000000000000000000000000000
            000000000000000000000000 # unused
            """);
    assertEquals(
        new Decoded.Init(
            new RequestId(0x22),
            7,
            45,
            131072,
            InitFlag.maskOf(
                EnumSet.of(InitFlag.ASYNC_READ, InitFlag.INIT_EXT, InitFlag.DIRECT_IO_ALLOW_MMAP))),
        decoder.decode(AnnotatedHex.request(26, body)));
  }

  @Test
  void theSecondWordOfInitCountsOnlyWithInitExt() {
    byte[] body = AnnotatedHex.bytes("07000000 1f000000 00000200 01000000 ffffffff");
    assertEquals(
        new Decoded.Init(new RequestId(0x22), 7, 31, 131072, 1),
        decoder.decode(AnnotatedHex.request(26, body)));
    assertEquals(
        new Decoded.Init(new RequestId(0x22), 7, 31, 131072, 1),
        decoder.decode(AnnotatedHex.request(26, Arrays.copyOf(body, 16))));
  }

  @Test
  void anInterruptNamesItsTarget() {
    assertEquals(
        new Decoded.Interrupt(new RequestId(0x22), new RequestId(0x66)),
        decoder.decode(AnnotatedHex.request(36, AnnotatedHex.bytes("6600000000000000"))));
  }

  @Test
  void theLongFormOfSetxattrCountsOnceAgreedOn() {
    byte[] body =
        AnnotatedHex.bytes(
            """
            01000000 # size
            02000000 # flags: XATTR_REPLACE
            01000000 # setxattr_flags: ACL_KILL_SGID
            00000000 # padding
            6100 # name
            76 # value
            """);
    Decoded decoded =
        new FuseRequestDecoder(EnumSet.of(InitFlag.SETXATTR_EXT))
            .decode(AnnotatedHex.request(21, body));
    assertEquals(
        "SetXattr[name=a, value=v, flags=2, extendedFlags=1]",
        Rendered.of(assertInstanceOf(Decoded.Request.class, decoded).request().operation()));
  }

  private static RequestFixtures.Fixture fixture(int opcode) {
    return FIXTURES.stream().filter(row -> row.opcode() == opcode).findFirst().orElseThrow();
  }
}
