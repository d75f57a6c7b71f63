package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.Chunker;
import io.hypersync.model.hash.Hash;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A record in a segment file: one chunk. Records follow each other, optionally with padding in
 * between: zeros up to the next multiple of {@link #BLOCK_BYTES}. Numbers are big-endian.
 *
 * <pre>
 *  0       4        8                                40      44
 *  +-------+--------+--------------------------------+-------+------- - -
 *  | magic | length | hash, BLAKE3 of the bytes      | check | bytes
 *  +-------+--------+--------------------------------+-------+------- - -
 *    u32     u32      32 bytes                         u32
 * </pre>
 *
 * <p>The magic is "HSC1", which includes the version. The check is CRC-32C of everything before it,
 * followed by the segment's number and the record's offset (u32 each). So it is valid only for a
 * complete header that was written at this place, not for a header that is part of a chunk's bytes.
 *
 * @param hash of the chunk
 * @param length of the chunk, in bytes
 */
record SegmentRecord(Hash hash, int length) {
  static final int HEADER_BYTES = 44;

  /** Padding ends at a multiple of this offset and is shorter than this. */
  static final int BLOCK_BYTES = 4096;

  private static final int MAGIC = 0x48534331;
  private static final int CHECKED_BYTES = HEADER_BYTES - Integer.BYTES;

  /** The size of a chunk's record, in bytes. */
  static int bytesOf(Chunk chunk) {
    return HEADER_BYTES + chunk.bytes().length;
  }

  /**
   * The offset at which padding that starts at {@code offset} ends; {@code offset} itself if that
   * is a multiple of {@link #BLOCK_BYTES}.
   */
  static int afterPadding(int offset) {
    return Math.ceilDiv(offset, BLOCK_BYTES) * BLOCK_BYTES;
  }

  /**
   * Appends a chunk's record to the buffer.
   *
   * @param segment number of the segment that it will be written to
   * @param offset at which the record will start in that segment
   */
  static void write(Chunk chunk, int segment, int offset, ByteBuffer out) {
    int start = out.position();
    out.putInt(MAGIC).putInt(chunk.bytes().length).put(chunk.hash().toBytes());
    out.putInt(check(out, start, segment, offset)).put(chunk.bytes());
  }

  /**
   * Whether a header may start at the buffer's position: a fast test before {@link #readHeader}
   * when searching.
   */
  static boolean mayBegin(ByteBuffer in) {
    return in.getInt(in.position()) == MAGIC;
  }

  /**
   * Reads a header and advances the buffer past it.
   *
   * @param in has at least {@link #HEADER_BYTES} remaining
   * @return null if no complete header was written at this place
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
