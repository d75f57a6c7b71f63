package io.hypersync.worker.vfs;

import io.hypersync.worker.fuse.abi.FuseOpcode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * Generates requests as the kernel sends them, about nodes and handles that it has received and
 * about others; most of them are damaged. Single-threaded.
 */
final class GeneratedRequests {
  private static final int HEADER = 40;
  private static final int LARGEST_BODY = 100 << 10;
  private static final FuseOpcode[] OPCODES = FuseOpcode.values();
  private static final FuseOpcode[] COMMON = {
    FuseOpcode.LOOKUP, FuseOpcode.LOOKUP, FuseOpcode.GETATTR, FuseOpcode.CREATE, FuseOpcode.MKDIR,
    FuseOpcode.WRITE, FuseOpcode.READ, FuseOpcode.OPEN, FuseOpcode.RELEASE, FuseOpcode.FORGET,
    FuseOpcode.READDIRPLUS, FuseOpcode.OPENDIR, FuseOpcode.UNLINK, FuseOpcode.SETATTR
  };
  private static final long[] EXTREMES = {
    0,
    1,
    -1,
    2,
    4096,
    1L << 31,
    -(1L << 31),
    (1L << 32) - 1,
    1L << 62,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE - 4096,
    0x7fff_ffffL
  };
  private static final String[] ODD_NAMES = {
    "", ".", "..", "a/b", "x".repeat(255), "x".repeat(256), "x".repeat(5_000), "\u00e4\u00f6"
  };
  private static final String[] XATTRS = {
    "user.a", "user.b", "trusted.c", "security.capability", "system.posix_acl_access", "user.", "a"
  };
  private static final int[] FILE_TYPES = {
    0100000, 0100000, 0010000, 0140000, 0020000, 0060000, 0040000, 0
  };
  private static final int NAMES = 20;

  private final Random random;
  private final long firstUnique;
  private final KernelMemory nodes;
  private final KernelMemory handles;
  private final KernelMemory uniques;
  private final ByteBuffer message =
      ByteBuffer.allocate(HEADER + LARGEST_BODY).order(ByteOrder.nativeOrder());
  private long count;

  /**
   * Creates a generator.
   *
   * @param firstUnique even; the uniques of the requests follow it
   * @param uniques the uniques of recent requests, shared by all generators
   */
  GeneratedRequests(
      long seed, long firstUnique, KernelMemory nodes, KernelMemory handles, KernelMemory uniques) {
    this.random = new Random(seed);
    this.firstUnique = firstUnique;
    this.nodes = nodes;
    this.handles = handles;
    this.uniques = uniques;
  }

  /** The next message; one of three is undamaged. */
  byte[] next() {
    count++;
    byte[] bytes = wellFormed();
    if (random.nextInt(3) == 0) {
      return bytes;
    }
    byte[] damaged = damaged(bytes);
    return random.nextInt(4) == 0 ? damaged(damaged) : damaged;
  }

  private byte[] wellFormed() {
    FuseOpcode opcode =
        random.nextInt(3) > 0
            ? COMMON[random.nextInt(COMMON.length)]
            : OPCODES[random.nextInt(OPCODES.length)];
    long unique = firstUnique + 2 * count;
    uniques.seen(unique);
    message.clear().position(HEADER);
    long target = body(opcode);
    int length = message.position();
    message
        .putInt(0, length)
        .putInt(4, opcode.code())
        .putLong(8, opcode == FuseOpcode.INTERRUPT ? target | 1 : unique)
        .putLong(16, node())
        .putInt(24, random.nextInt(3) == 0 ? 1000 : 0)
        .putInt(28, random.nextInt(3) == 0 ? 1000 : 0)
        .putInt(32, random.nextInt(8))
        .putInt(36, 0);
    byte[] bytes = new byte[length];
    message.get(0, bytes);
    return bytes;
  }

  /** Appends the body. Returns, for an INTERRUPT, the unique of the request that it interrupts. */
  private long body(FuseOpcode opcode) {
    switch (opcode) {
      case LOOKUP, UNLINK, RMDIR -> name();
      case FORGET -> message.putLong(random.nextInt(4));
      case BATCH_FORGET -> {
        int rows = random.nextInt(4);
        message.putInt(rows).putInt(0);
        for (int i = 0; i < rows; i++) {
          message.putLong(node()).putLong(random.nextInt(3));
        }
      }
      case GETATTR -> message.putInt(random.nextInt(2)).putInt(0).putLong(handle());
      case SETATTR -> setAttr();
      case READLINK, STATFS, SYNCFS, DESTROY -> {}
      case SYMLINK -> {
        name();
        name();
      }
      case MKNOD -> {
        int type = FILE_TYPES[random.nextInt(FILE_TYPES.length)];
        message.putInt(type | random.nextInt(07777)).putInt(random.nextInt()).putLong(022);
        name();
      }
      case MKDIR -> {
        message.putInt(040755).putInt(022);
        name();
      }
      case RENAME -> {
        message.putLong(node());
        name();
        name();
      }
      case RENAME2 -> {
        message.putLong(node()).putInt(random.nextInt(4)).putInt(0);
        name();
        name();
      }
      case LINK -> {
        message.putLong(node());
        name();
      }
      case OPEN, OPENDIR -> message.putInt(openFlags()).putInt(random.nextInt(2));
      case READ, READDIR, READDIRPLUS ->
          message
              .putLong(handle())
              .putLong(random.nextInt(4) > 0 ? random.nextInt(100) : random.nextLong(1 << 20))
              .putInt(random.nextInt(20_000))
              .putInt(0)
              .putLong(0)
              .putLong(0);
      case WRITE -> write();
      case RELEASE, RELEASEDIR -> message.putLong(handle()).putInt(2).putInt(0).putLong(7);
      case FSYNC, FSYNCDIR -> message.putLong(handle()).putLong(random.nextInt(2));
      case SETXATTR -> {
        int length = random.nextInt(50);
        message.putInt(length).putInt(random.nextInt(3));
        text(xattr());
        data(length);
      }
      case GETXATTR -> {
        message.putLong(random.nextInt(100));
        text(xattr());
      }
      case LISTXATTR -> message.putLong(random.nextInt(100));
      case REMOVEXATTR -> text(xattr());
      case FLUSH -> message.putLong(handle()).putLong(0).putLong(7);
      case INIT -> {
        message.putInt(7).putInt(45).putInt(131_072).putInt(random.nextInt());
        data(48);
      }
      case GETLK, SETLK, SETLKW ->
          message
              .putLong(handle())
              .putLong(random.nextInt(3))
              .putLong(random.nextInt(100))
              .putLong(random.nextInt(200))
              .putInt(random.nextInt(3))
              .putInt(4)
              .putLong(random.nextInt(2));
      case ACCESS -> message.putLong(random.nextInt(8));
      case CREATE -> {
        message.putInt(openFlags()).putInt(0100644).putInt(022).putInt(0);
        name();
      }
      case TMPFILE -> message.putInt(openFlags()).putInt(0100644).putInt(022).putInt(0);
      case INTERRUPT -> {
        long target = uniques.any(random);
        message.putLong(target);
        return target;
      }
      case BMAP -> message.putLong(3).putLong(4096);
      case IOCTL -> {
        message.putLong(handle()).putInt(0).putInt(random.nextInt()).putLong(0);
        message.putInt(8).putInt(8);
        data(8);
      }
      case POLL -> message.putLong(handle()).putLong(9).putInt(0).putInt(4);
      case NOTIFY_REPLY -> data(40);
      case FALLOCATE -> {
        int[] modes = {0, 1, 3, 16, 17, 8};
        message.putLong(handle()).putLong(random.nextInt(100_000));
        message.putLong(random.nextInt(100_000)).putInt(modes[random.nextInt(6)]).putInt(0);
      }
      case LSEEK ->
          message.putLong(handle()).putLong(random.nextInt(9_999)).putLong(random.nextInt(3) + 2L);
      case COPY_FILE_RANGE, COPY_FILE_RANGE_64 ->
          message
              .putLong(handle())
              .putLong(random.nextInt(1_000))
              .putLong(node())
              .putLong(handle())
              .putLong(random.nextInt(1_000))
              .putLong(random.nextInt(100_000))
              .putLong(0);
      case SETUPMAPPING, REMOVEMAPPING -> data(32);
      case STATX -> message.putInt(0).putInt(0).putLong(handle()).putInt(0).putInt(0xfff);
    }
    return 0;
  }

  private void setAttr() {
    message.putInt(random.nextInt(1 << 12)).putInt(0).putLong(handle());
    message.putLong(random.nextInt(10) == 0 ? extreme() : random.nextInt(100_000)).putLong(7);
    message.putLong(random.nextInt()).putLong(random.nextInt()).putLong(0);
    message.putInt(random.nextInt(1_000_000_000)).putInt(0).putInt(0);
    message.putInt(0100644).putInt(0).putInt(1000).putInt(1000).putInt(0);
  }

  private void write() {
    int length = random.nextInt(100) == 0 ? random.nextInt(90_000) : random.nextInt(100);
    message.putLong(handle()).putLong(random.nextInt(100_000)).putInt(length);
    message.putInt(random.nextInt(4) == 0 ? 4 : 0).putLong(7).putInt(openFlags()).putInt(0);
    data(length);
  }

  private int openFlags() {
    int[] more = {0, 0, 0, 0200, 01000, 02000, 040000};
    return random.nextInt(3) | more[random.nextInt(more.length)];
  }

  private long node() {
    return switch (random.nextInt(8)) {
      case 0, 1 -> 1;
      case 2 -> random.nextInt(1_000);
      default -> Math.max(1, nodes.any(random));
    };
  }

  private long handle() {
    return random.nextInt(8) == 0 ? random.nextInt(1_000) : handles.any(random);
  }

  private void name() {
    text(
        random.nextInt(40) == 0
            ? ODD_NAMES[random.nextInt(ODD_NAMES.length)]
            : "n" + random.nextInt(NAMES));
  }

  private String xattr() {
    return XATTRS[random.nextInt(XATTRS.length)];
  }

  private void text(String text) {
    message.put(text.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
  }

  /** Appends one of a few byte patterns, so that the chunk store does not grow. */
  private void data(int length) {
    byte content = (byte) random.nextInt(4);
    for (int i = 0; i < length; i++) {
      message.put(content);
    }
  }

  private byte[] damaged(byte[] bytes) {
    ByteBuffer view = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    boolean hasHeader = bytes.length >= HEADER;
    switch (hasHeader ? random.nextInt(14) : 0) {
      case 0 -> {
        return resized(bytes, random.nextInt(bytes.length + 1));
      }
      case 1 -> {
        return resized(bytes, bytes.length + 1 + random.nextInt(100));
      }
      case 2 -> view.putInt(0, (int) extreme());
      case 3 -> view.putInt(4, random.nextBoolean() ? random.nextInt(64) : (int) extreme());
      case 4 -> view.putLong(8, random.nextInt(3) > 0 ? uniques.any(random) : extreme());
      case 5 -> view.putLong(16, random.nextBoolean() ? random.nextInt(100) : extreme());
      case 6 -> view.putInt(24 + 4 * random.nextInt(3), (int) extreme());
      case 7 -> view.putInt(36, random.nextBoolean() ? random.nextInt(4) : random.nextInt());
      case 8, 9 -> fields(view, Long.BYTES);
      case 10, 11 -> fields(view, Integer.BYTES);
      case 12 -> {
        for (int i = HEADER; i < bytes.length; i++) {
          if (bytes[i] == 0) {
            bytes[i] = 'x';
          }
        }
      }
      default -> {
        for (int flips = random.nextInt(8); flips >= 0; flips--) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
      }
    }
    return bytes;
  }

  /** Changes the length of a message; the header says so, or not. */
  private byte[] resized(byte[] bytes, int length) {
    byte[] other = new byte[length];
    System.arraycopy(bytes, 0, other, 0, Math.min(bytes.length, length));
    for (int i = bytes.length; i < length; i++) {
      other[i] = (byte) random.nextInt();
    }
    if (length >= HEADER && random.nextInt(4) > 0) {
      ByteBuffer.wrap(other).order(ByteOrder.nativeOrder()).putInt(0, length);
    }
    return other;
  }

  private void fields(ByteBuffer view, int size) {
    int body = Math.min(view.limit() - HEADER, 64);
    if (body >= size) {
      int at = HEADER + size * random.nextInt(body / size);
      if (size == Long.BYTES) {
        view.putLong(at, extreme());
      } else {
        view.putInt(at, (int) extreme());
      }
    }
  }

  private long extreme() {
    return random.nextInt(4) == 0 ? random.nextLong() : EXTREMES[random.nextInt(EXTREMES.length)];
  }
}
