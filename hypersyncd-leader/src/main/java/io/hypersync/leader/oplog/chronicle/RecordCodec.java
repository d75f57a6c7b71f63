package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes log records, versions 1 to 3. The format is frozen. All numbers are
 * big-endian.
 *
 * <pre>
 *  0               4       5       6               8
 * +---------------+-------+-------+---------------+
 * | magic "HSOR"  |version| kind  | zero          |
 * +---------------+-------+-------+---------------+
 * | payload length (u32)  | CRC32C (u32)          |   8
 * +-----------------------+-----------------------+
 * | index (u64)                                   |  16
 * +-----------------------------------------------+
 * | commit watermark (u64)                        |  24
 * +-----------------------------------------------+
 * | segment id (64 random bits)                   |  32
 * +-----------------------------------------------+
 * | BLAKE3 of the previous entry record, 32 bytes |  40
 * |                                               |
 * |                                               |
 * |                                               |
 * +-----------------------------------------------+
 * | payload ...                                   |  72
 * +-----------------------------------------------+
 * </pre>
 *
 * <ul>
 *   <li>The CRC32C covers every byte of the record except its own four.
 *   <li>The commit watermark is the durable index that was known when the record was written. For a
 *       {@link RecordKind#SEGMENT_HEADER} it is the highest index known to be durable once the
 *       segment exists, and its index is the first index of the segment. Its payload is the
 *       segment's sequence number (u64) and, since version 3, {@link RootVersion#code} of all roots
 *       in the log (u8); before, that was 1.
 *   <li>The segment id is drawn at random for every segment and never leaves the leader. Recovery
 *       searches raw bytes for records, and payloads hold bytes that users chose: without the id, a
 *       file that contains a copied record could pass for one.
 *   <li>The previous hash of entry 1 is {@link Hash#ZERO}; that of a segment header is the hash of
 *       the entry before its first.
 *   <li>A {@link RecordKind#WATERMARK} says that a log that was idle, or was closed, was durable up
 *       to its index, which is its commit watermark as well. Its previous hash is that of the entry
 *       with that index, and it has no payload.
 * </ul>
 *
 * <p>Version 2 has the same fields. It adds that a batch begins at a multiple of {@link
 * SegmentLayout#PAGE_BYTES} in the file, after a filler, and that there may be watermarks. Version
 * 3 is a segment header with a longer payload; other records are still written with version 2. What
 * is no longer written must remain readable.
 */
final class RecordCodec {
  static final int HEADER_BYTES = 72;

  /** The first version in which a segment header has the version of the roots. */
  private static final int ROOTS_SINCE = 3;

  static final int MAGIC = 0x48534f52;

  private static final byte[] NO_PAYLOAD = {};

  private static final int VERSION_AT = 4;
  private static final int KIND_AT = 5;
  private static final int ZERO_AT = 6;
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 12;
  private static final int INDEX_AT = 16;
  private static final int WATERMARK_AT = 24;
  private static final int SEGMENT_ID_AT = 32;
  private static final int PREVIOUS_AT = 40;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private RecordCodec() {}

  /** Length of the record with a payload of that length. */
  static int recordBytes(int payloadBytes) {
    return HEADER_BYTES + payloadBytes;
  }

  /** Writes a record into {@code target} at {@code at} and returns its length. */
  static int encode(
      byte[] target,
      int at,
      RecordKind kind,
      long index,
      long commitWatermark,
      long segmentId,
      Hash previous,
      byte[] payload) {
    int length = recordBytes(payload.length);
    INT.set(target, at, MAGIC);
    target[at + VERSION_AT] = (byte) kind.version();
    target[at + KIND_AT] = (byte) kind.code();
    target[at + ZERO_AT] = 0;
    target[at + ZERO_AT + 1] = 0;
    INT.set(target, at + LENGTH_AT, payload.length);
    LONG.set(target, at + INDEX_AT, index);
    LONG.set(target, at + WATERMARK_AT, commitWatermark);
    LONG.set(target, at + SEGMENT_ID_AT, segmentId);
    previous.write(target, at + PREVIOUS_AT);
    System.arraycopy(payload, 0, target, at + HEADER_BYTES, payload.length);
    INT.set(target, at + CRC_AT, crc(target, at, length));
    return length;
  }

  /** Writes a watermark record into {@code target} at {@code at} and returns its length. */
  static int encodeWatermark(
      byte[] target, int at, long durableIndex, long segmentId, Hash durableHash) {
    return encode(
        target,
        at,
        RecordKind.WATERMARK,
        durableIndex,
        durableIndex,
        segmentId,
        durableHash,
        NO_PAYLOAD);
  }

  /** Encodes the payload of a segment's header. */
  static byte[] segmentHeaderPayload(long sequence, RootVersion roots) {
    byte[] payload = new byte[Long.BYTES + 1];
    LONG.set(payload, 0, sequence);
    payload[Long.BYTES] = (byte) roots.code();
    return payload;
  }

  /** Whether a segment header's payload has the length that belongs to its version. */
  static boolean hasHeaderLength(byte[] header) {
    int payload = header.length - HEADER_BYTES;
    return payload == (header[VERSION_AT] < ROOTS_SINCE ? Long.BYTES : Long.BYTES + 1);
  }

  /** The sequence number in a segment header of the right length. */
  static long segmentSequence(byte[] header) {
    return (long) LONG.get(header, HEADER_BYTES);
  }

  /** {@link RootVersion#code} in a segment header of the right length; it may be unknown. */
  static int rootVersionCode(byte[] header) {
    return header[VERSION_AT] < ROOTS_SINCE
        ? RootVersion.V1.code()
        : header[HEADER_BYTES + Long.BYTES] & 0xff;
  }

  /** The four bytes at {@code at}, to compare with {@link #MAGIC}. */
  static int magic(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  /** Whether magic, version, kind and reserved bytes are those of a record. */
  static boolean looksLikeRecord(byte[] bytes, int at) {
    return magic(bytes, at) == MAGIC
        && isKnown(bytes[at + VERSION_AT], RecordKind.ofCode(bytes[at + KIND_AT]))
        && bytes[at + ZERO_AT] == 0
        && bytes[at + ZERO_AT + 1] == 0;
  }

  private static boolean isKnown(int version, @Nullable RecordKind kind) {
    return kind != null && kind.isKnown(version);
  }

  /** Whether the CRC32C is right; {@code length} bytes must be there. */
  static boolean crcMatches(byte[] bytes, int at, int length) {
    return (int) INT.get(bytes, at + CRC_AT) == crc(bytes, at, length);
  }

  /** The kind of a record that {@linkplain #looksLikeRecord looks like one}. */
  static RecordKind kind(byte[] bytes, int at) {
    RecordKind kind = RecordKind.ofCode(bytes[at + KIND_AT]);
    if (kind == null) {
      throw new IllegalArgumentException("record kind " + bytes[at + KIND_AT]);
    }
    return kind;
  }

  /** The stored payload length; negative or huge if the bytes are garbage. */
  static int payloadLength(byte[] bytes, int at) {
    return (int) INT.get(bytes, at + LENGTH_AT);
  }

  static long index(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at + INDEX_AT);
  }

  static long commitWatermark(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at + WATERMARK_AT);
  }

  static long segmentId(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at + SEGMENT_ID_AT);
  }

  static Hash previousHash(byte[] bytes, int at) {
    return Hash.read(bytes, at + PREVIOUS_AT);
  }

  private static int crc(byte[] bytes, int at, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, at, CRC_AT);
    crc.update(bytes, at + INDEX_AT, length - INDEX_AT);
    return (int) crc.getValue();
  }
}
