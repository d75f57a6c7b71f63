package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.Chunker;
import io.hypersync.model.hash.Hash;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One chunk in a segment file. Records follow each other, with or without padding in between: zeros
 * up to the next multiple of {@link #BLOCK_BYTES}. Numbers are big-endian.
 *
 * <pre>
 *  0       4        8                                40      44
 *  +-------+--------+--------------------------------+-------+------- - -
 *  | magic | length | hash, BLAKE3 of the bytes      | check | bytes
 *  +-------+--------+--------------------------------+-------+------- - -
 *    u32     u32      32 bytes                         u32
 * </pre>
 *
 * <p>The magic is "HSC1" and says the version. The check is CRC-32C of what is before it, followed
 * by the segment's number and the record's offset (u32 each): it holds for a header that was
 * written here, whole, and not for one that a chunk contains.
 *
 * @param hash of the chunk
 * @param length of its bytes
 */
record SegmentRecord(Hash hash, int length) {
  static final int HEADER_BYTES = 44;

  /** Padding ends at a multiple of this, and is shorter. */
  static final int BLOCK_BYTES = 4096;

  private static final int MAGIC = 0x48534331;
  private static final int CHECKED_BYTES = HEADER_BYTES - Integer.BYTES;

  /** What a chunk takes in a segment. */
  static int bytesOf(Chunk chunk) {
    return HEADER_BYTES + chunk.bytes().length;
  }

  /** Where padding that begins at this offset of a segment ends. */
  static int afterPadding(int offset) {
    return Math.ceilDiv(offset, BLOCK_BYTES) * BLOCK_BYTES;
  }

  /** Appends a chunk's record, which will be at this place of this segment. */
  static void write(Chunk chunk, int segment, int offset, ByteBuffer out) {
    int start = out.position();
    out.putInt(MAGIC).putInt(chunk.bytes().length).put(chunk.hash().toBytes());
    out.putInt(check(out, start, segment, offset)).put(chunk.bytes());
  }

  /** Whether there can be a header; to be asked before {@link #readHeader} where many are none. */
  static boolean mayBegin(ByteBuffer in) {
    return in.getInt(in.position()) == MAGIC;
  }

  /**
   * Reads a header and moves behind it.
   *
   * @param in at least {@link #HEADER_BYTES} from its position on
   * @return null if none was written whole at this place
   */
  static @Nullable SegmentRecord readHeader(ByteBuffer in, int segment, int offset) {
    int start = in.position();
    int magic = in.getInt();
    int length = in.getInt();
    byte[] hash = new byte[Hash.BYTES];
    in.get(hash);
    int check = in.getInt();
    return magic == MAGIC
            && length >= 0
            && length <= Chunker.MAX_CHUNK_BYTES
            && check == check(in, start, segment, offset)
        ? new SegmentRecord(Hash.read(hash, 0), length)
        : null;
  }

  private static int check(ByteBuffer header, int start, int segment, int offset) {
    CRC32C crc = new CRC32C();
    crc.update(header.duplicate().position(start).limit(start + CHECKED_BYTES));
    crc.update(ByteBuffer.allocate(2 * Integer.BYTES).putInt(segment).putInt(offset).flip());
    return (int) crc.getValue();
  }
}
