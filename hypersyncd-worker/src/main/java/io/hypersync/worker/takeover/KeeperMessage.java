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
 *  |          | 1 or 2  |        |
 *  +----------+---------+--------+----------------
 *
 *  kind         from     body       descriptors
 *  1 GIVE       worker   a mount    its memory, then all of /dev/fuse
 *  2 TAKE       worker   -          -
 *  3 ASK        worker   -          -
 *  4 END        worker   -          -
 *  5 KEPT       keeper   a mount    those of GIVE; none in the answer to ASK
 *  6 REFUSED    keeper   why, UTF-8 -
 *  7 DONE       keeper   -, or how  -
 *                        it went
 *  8 SERVES     worker   -          -
 *
 *  since version 2, for a successor that starts beside the worker:
 *  9 RESTART    worker   launcher   -
 * 10 CANDIDATE  succ.    -          -
 * 11 READY      succ.    its build  -
 * 11 READY      keeper   the same   -
 * 12 FAILED     succ.    why, UTF-8 -
 * 13 LEAVES     worker   -          -
 * 14 STAYS      worker   why, UTF-8 -
 *
 *  a mount:
 *  0        8       12      20         24        32           36     37       39
 *  +--------+-------+-------+----------+---------+------------+------+--------+------
 *  | device | minor | flags | max      | timeout | generation | made | length | path
 *  | u64    | u32   | u64   | write    | ms u64  | u32        | u8   | u16    | UTF-8
 *  +--------+-------+-------+----------+---------+------------+------+--------+------
 *
 *  its build: the version, a line feed, and the revision of the wire's messages in decimal
 *
 *  how it went, in the answer to SERVES:
 *  0        8     9        13
 *  +--------+-----+--------+
 *  | pause  | how | starts |
 *  | ns u64 | u8  | u32    |
 *  +--------+-----+--------+
 * </pre>
 *
 * <p>A packet has the version in which its kind is new, so a keeper goes on with workers of earlier
 * and later builds. What an earlier program does not read, such as the body of DONE, is behind what
 * it does.
 */
record KeeperMessage(Kind kind, byte[] body) {
  /** Longest packet; a longer one is no packet of this protocol. */
  static final int MAX_BYTES = 8_192;

  private static final int MAGIC = 0x48534b50; // "HSKP"
  private static final short VERSION = 2;
  private static final short FIRST_VERSION = 1;
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
    SERVES(8),
    /** Start a successor beside this worker, and say when it is ready. */
    RESTART(9),
    /** Is this process that successor? */
    CANDIDATE(10),
    /** The successor can go on with the mount as soon as the worker has ended. */
    READY(11),
    /** The successor cannot go on with the mount. */
    FAILED(12),
    /** The worker is about to end, for the successor. */
    LEAVES(13),
    /** The worker goes on; the successor is not needed. */
    STAYS(14);

    private final int code;

    private short since() {
      return code < RESTART.code ? FIRST_VERSION : VERSION;
    }

    Kind(int code) {
      this.code = code;
    }

    private static Kind of(int code, short version) {
      for (Kind kind : values()) {
        if (kind.code == code && kind.since() <= version) {
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
    return of(Kind.REFUSED, why);
  }

  /** A message whose body is text; too long a text is cut. */
  static KeeperMessage of(Kind kind, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new KeeperMessage(
        kind, Arrays.copyOf(bytes, Math.min(bytes.length, MAX_BYTES - HEADER_BYTES)));
  }

  byte[] encoded() {
    return ByteBuffer.allocate(HEADER_BYTES + body.length)
        .putInt(MAGIC)
        .putShort(kind.since())
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
    if (version < FIRST_VERSION || version > VERSION) {
      throw new IllegalArgumentException(
          "a packet of version " + version + ", and this program speaks version " + VERSION);
    }
    return new KeeperMessage(
        Kind.of(in.getShort(), version), Arrays.copyOfRange(bytes, HEADER_BYTES, bytes.length));
  }

  /** The body as text: what a REFUSED, FAILED, STAYS or READY says, or the launcher. */
  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }
}
