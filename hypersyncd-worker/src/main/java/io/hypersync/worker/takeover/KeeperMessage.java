package io.hypersync.worker.takeover;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A packet between a worker and the process that keeps its mount. Big-endian:
 *
 * <pre>
 *  0          4         6        8
 *  +----------+---------+--------+----------------
 *  | "HSKP"   | version | kind   | body
 *  |          |   = 1   |        |
 *  +----------+---------+--------+----------------
 *
 *  kind         from     body       descriptors
 *  1 GIVE       worker   a mount    its memory, then all of /dev/fuse
 *  2 TAKE       worker   -          -
 *  3 ASK        worker   -          -
 *  4 END        worker   -          -
 *  5 KEPT       keeper   a mount    those of GIVE; none in the answer to ASK
 *  6 REFUSED    keeper   why, UTF-8 -
 *  7 DONE       keeper   -          -
 *  8 SERVES     worker   -          -
 *
 *  a mount:
 *  0        8       12      20         24        32           36     37       39
 *  +--------+-------+-------+----------+---------+------------+------+--------+------
 *  | device | minor | flags | max      | timeout | generation | made | length | path
 *  | u64    | u32   | u64   | write    | ms u64  | u32        | u8   | u16    | UTF-8
 *  +--------+-------+-------+----------+---------+------------+------+--------+------
 * </pre>
 */
record KeeperMessage(Kind kind, byte[] body) {
  /** Longest packet; a longer one is no packet of this protocol. */
  static final int MAX_BYTES = 8_192;

  private static final int MAGIC = 0x48534b50; // "HSKP"
  private static final short VERSION = 1;
  private static final int HEADER_BYTES = 8;
  private static final byte[] NOTHING = {};

  /** What a packet says. */
  enum Kind {
    /** Keep this mount. */
    GIVE(1),
    /** The mount that is kept is to be served by this worker from now on. */
    TAKE(2),
    /** Which mount waits for a worker? */
    ASK(3),
    /** The mount is gone, and with it the keeper's task. */
    END(4),
    /** This is the mount. */
    KEPT(5),
    /** That cannot be. */
    REFUSED(6),
    /** So be it. */
    DONE(7),
    /** The worker that has taken the mount answers its requests from now on. */
    SERVES(8);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new IllegalArgumentException("a packet of the unknown kind " + code);
    }
  }

  static KeeperMessage of(Kind kind) {
    return new KeeperMessage(kind, NOTHING);
  }

  static KeeperMessage of(Kind kind, KeptMount mount) {
    return new KeeperMessage(kind, mount.encoded());
  }

  static KeeperMessage refused(String why) {
    return new KeeperMessage(Kind.REFUSED, why.getBytes(StandardCharsets.UTF_8));
  }

  byte[] encoded() {
    return ByteBuffer.allocate(HEADER_BYTES + body.length)
        .putInt(MAGIC)
        .putShort(VERSION)
        .putShort((short) kind.code)
        .put(body)
        .array();
  }

  /**
   * Reads a packet.
   *
   * @throws IllegalArgumentException if it is of another protocol or version, saying so
   */
  static KeeperMessage decode(byte[] bytes) {
    if (bytes.length < HEADER_BYTES || bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException("a packet of " + bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (in.getInt() != MAGIC) {
      throw new IllegalArgumentException("a packet of another protocol");
    }
    short version = in.getShort();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "a packet of version " + version + ", and this program speaks version " + VERSION);
    }
    return new KeeperMessage(
        Kind.of(in.getShort()), Arrays.copyOfRange(bytes, HEADER_BYTES, bytes.length));
  }

  /** What a REFUSED says. */
  String reason() {
    return new String(body, StandardCharsets.UTF_8);
  }
}
