package io.hypersync.worker.fuse.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.InitFlag;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class FuseReplyEncoderTest {
  private static final InodeNo INODE = new InodeNo(11);

  private static final FuseAttr ATTR =
      new FuseAttr(
          INODE,
          4097,
          16,
          1_000_000_002L,
          -1,
          3_000_000_004L,
          0100644,
          2,
          1000,
          100,
          0x10305,
          4096);

  private static final String ATTR_HEX =
      """
      0b00000000000000 # ino
      0110000000000000 # size
      1000000000000000 # blocks
      0100000000000000 # atime
      ffffffffffffffff # mtime: a nanosecond before 1970
      0300000000000000 # ctime
      02000000 # atimensec
      ffc99a3b # mtimensec: 999,999,999
      04000000 # ctimensec
      a4810000 # mode
      02000000 # nlink
      e8030000 # uid
      64000000 # gid
      05030100 # rdev
      00100000 # blksize
      00000000 # flags
      """;

  private static final String ENTRY_HEX =
      """
      0b00000000000000 # nodeid
      0900000000000000 # generation
      0100000000000000 # entry_valid
      0000000000000000 # attr_valid
      0065cd1d # entry_valid_nsec: half a second
      07000000 # attr_valid_nsec
      """
          + ATTR_HEX;

  private static final FuseEntry ENTRY = new FuseEntry(INODE, 9, ATTR, 1_500_000_000L, 7);

  @Test
  void header() {
    assertHex(
        """
        90000000 # len: 16 + 128
        00000000 # error
        2200000000000000 # unique
        """,
        FuseReplyEncoder.header(new RequestId(0x22), 128));
  }

  @Test
  void errorsAreNegative() {
    assertHex(
        """
        10000000 # len
        feffffff # error: -ENOENT
        2200000000000000 # unique
        """,
        FuseReplyEncoder.error(new RequestId(0x22), Errno.ENOENT));
  }

  @Test
  void entry() {
    assertHex(ENTRY_HEX, FuseReplyEncoder.entry(ENTRY));
  }

  @Test
  void anAbsentNameIsNodeZeroWithALifetime() {
    assertHex(
        """
        0000000000000000 # nodeid: none
        0000000000000000 # generation
        0200000000000000 # entry_valid
        0000000000000000 # attr_valid
        01000000 # entry_valid_nsec
        00000000 # attr_valid_nsec
        """
            + "00".repeat(88),
        FuseReplyEncoder.negativeEntry(2_000_000_001L));
  }

  @Test
  void attr() {
    assertHex(
        """
        0500000000000000 # attr_valid
        06000000 # attr_valid_nsec
        00000000 # dummy
        """
            + ATTR_HEX,
        FuseReplyEncoder.attr(ATTR, 5_000_000_006L));
  }

  private static final String OPEN_HEX =
      """
      4d00000000000000 # fh
      01000000 # open_flags: DIRECT_IO
      00000000 # backing_id
      """;

  @Test
  void open() {
    assertHex(OPEN_HEX, FuseReplyEncoder.open(new FileHandle(77), 1));
  }

  @Test
  void createIsAnEntryAndAHandle() {
    assertHex(ENTRY_HEX + OPEN_HEX, FuseReplyEncoder.create(ENTRY, new FileHandle(77), 1));
  }

  @Test
  void countsAndPlaces() {
    assertHex("00001000 # size\n00000000 # padding", FuseReplyEncoder.write(1 << 20));
    assertHex("40000000 # size\n00000000 # padding", FuseReplyEncoder.xattrSize(64));
    assertHex("0010000000000000 # offset", FuseReplyEncoder.lseek(4096));
    assertHex("0000000002000000 # bytes_copied: 8 GiB", FuseReplyEncoder.copied64(1L << 33));
  }

  @Test
  void lock() {
    assertHex(
        """
        0100000000000000 # start
        0200000000000000 # end
        01000000 # type
        e1100000 # pid
        """,
        FuseReplyEncoder.lock(new FuseLock(1, 2, 1, 4321)));
  }

  @Test
  void statFs() {
    assertHex(
        """
        0100000000000000 # blocks
        0200000000000000 # bfree
        0300000000000000 # bavail
        0400000000000000 # files
        0500000000000000 # ffree
        00100000 # bsize
        ff000000 # namelen
        00020000 # frsize
        00000000 # padding
        """
            + "00".repeat(24),
        FuseReplyEncoder.statFs(new FuseStatFs(1, 2, 3, 4, 5, 4096, 255, 512)));
  }

  @Test
  void statx() {
    assertHex(
        """
        0000000000000000 # attr_valid
        08000000 # attr_valid_nsec
        00000000 # flags
        00000000000000000000000000000000 # spare
        ff0f0000 # mask
        00100000 # blksize
        1000000000000000 # attributes
        02000000 # nlink
        e8030000 # uid
        64000000 # gid
        a481 0000 # mode, spare
        0b00000000000000 # ino
        0110000000000000 # size
        1000000000000000 # blocks
        3000000000000000 # attributes_mask
        0100000000000000 02000000 00000000 # atime
        0400000000000000 05000000 00000000 # btime
        0300000000000000 04000000 00000000 # ctime
        ffffffffffffffff ffc99a3b 00000000 # mtime
        03000000 # rdev_major
        05010000 # rdev_minor: bits 8 to 19 from bits 20 to 31, 0 to 7 from 0 to 7
        00000000 # dev_major
        00000000 # dev_minor
        """
            + "00".repeat(112),
        FuseReplyEncoder.statx(
            new FuseStatx(
                new FuseAttr(
                    INODE,
                    4097,
                    16,
                    1_000_000_002L,
                    -1,
                    3_000_000_004L,
                    0100644,
                    2,
                    1000,
                    100,
                    0x100305,
                    4096),
                0xfff,
                0x10,
                0x30,
                4_000_000_005L),
            8));
  }

  @Test
  void init() {
    assertHex(
        """
        07000000 # major
        2d000000 # minor: 45
        00000200 # max_readahead
        01004040 # flags: ASYNC_READ MAX_PAGES INIT_EXT
        4000 # max_background
        3000 # congestion_threshold
        00001000 # max_write: 1 MiB
        01000000 # time_gran: 1 ns
        0001 # max_pages: 256
        0000 # map_alignment
        08000000 # flags2: HAS_EXPIRE_ONLY
        00000000 # max_stack_depth
        0000 # request_timeout
        """
            + "00".repeat(22),
        new FuseInitReply(
                131072,
                EnumSet.of(
                    InitFlag.ASYNC_READ,
                    InitFlag.MAX_PAGES,
                    InitFlag.INIT_EXT,
                    InitFlag.HAS_EXPIRE_ONLY),
                64,
                48,
                1 << 20,
                256,
                1)
            .encode());
  }

  @Test
  void initOfAnotherMajorVersionIsAnsweredWithOurs() {
    assertHex("07000000 # major\n" + "00".repeat(60), FuseInitReply.encodeMajorOnly());
  }

  @Test
  void notifications() {
    assertHex(
        """
        28000000 # len: 40
        02000000 # INVAL_INODE
        0000000000000000 # unique: none
        0b00000000000000 # ino
        0010000000000000 # off
        0020000000000000 # len
        """,
        FuseNotification.invalidateInode(INODE, 4096, 8192));
    assertHex(
        """
        28000000 # len: 40
        02000000 # INVAL_INODE
        0000000000000000 # unique: none
        0b00000000000000 # ino
        ffffffffffffffff # off: no pages
        0000000000000000 # len
        """,
        FuseNotification.invalidateAttributes(INODE));
    assertHex(
        """
        24000000 # len: 36
        03000000 # INVAL_ENTRY
        0000000000000000 # unique: none
        0100000000000000 # parent
        03000000 # namelen
        00000000 # flags
        61626300 # name
        """,
        FuseNotification.invalidateEntry(InodeNo.ROOT, "abc".getBytes(StandardCharsets.UTF_8)));
    assertHex(
        """
        29000000 # len: 41
        04000000 # STORE
        0000000000000000 # unique: none
        0b00000000000000 # nodeid
        0010000000000000 # offset
        01000000 # size
        00000000 # padding
        7f # the byte
        """,
        FuseNotification.store(INODE, 4096, (byte) 0x7f));
    assertHex(
        """
        30000000 # len: 48
        09000000 # PRUNE
        0000000000000000 # unique: none
        02000000 # count
        00000000 # padding
        0000000000000000 # spare
        0b00000000000000 # the first node
        0c00000000000000 # the second node
        """,
        FuseNotification.prune(List.of(INODE, new InodeNo(12))));
  }

  private static void assertHex(String annotated, ByteBuffer actual) {
    assertEquals(HexFormat.of().formatHex(AnnotatedHex.bytes(annotated)), AnnotatedHex.of(actual));
  }
}
