package io.hypersync.wire.codec;

import io.hypersync.model.hash.Hash;
import io.hypersync.wire.message.ChunkSymbol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Encodes and decodes datagrams with a symbol of a chunk (hypersync.md 9.5, ChunkSymbolFrame).
 *
 * <pre>
 *  0      1           5           37              39             41          44
 * +------+-----------+-----------+---------------+--------------+-----------+-----------------+
 * | 0x70 | push u32  | hash      | length-1 u16  | symbol bytes | id u24    | the symbol      |
 * |      |           | 32 B      | of the chunk  | u16          |           |                 |
 * +------+-----------+-----------+---------------+--------------+-----------+-----------------+
 *                                 \______ block id, u32 ________/
 * </pre>
 *
 * <p>Numbers are big-endian. The block id names the encoding: two symbols belong together if hash
 * and block id are the same. The number of bytes of the symbol follows from the length of the
 * datagram; whether it fits the block is not checked here but by who assembles it.
 */
public final class SymbolFrames {
  /** What a frame takes beside its symbol, in bytes. */
  public static final int HEADER_BYTES = 1 + 4 + Hash.BYTES + 4 + 3;

  private static final int KIND = 0x70;
  private static final int MAX_SYMBOL_BYTES = 0xffff;

  private SymbolFrames() {}

  /** Appends the frame. */
  public static void encode(ChunkSymbol symbol, ByteBuf out) {
    Hash hash = symbol.chunk();
    out.writeByte(KIND).writeInt((int) symbol.push());
    out.writeLong(hash.w0()).writeLong(hash.w1()).writeLong(hash.w2()).writeLong(hash.w3());
    out.writeShort(symbol.chunkBytes() - 1).writeShort(symbol.symbolBytes());
    out.writeMedium(symbol.id()).writeBytes(symbol.bytes());
  }

  /**
   * Writes the frame, for transports other than Netty's.
   *
   * @return the first byte behind it
   */
  public static int encode(ChunkSymbol symbol, byte[] out, int from) {
    ByteBuf buffer = Unpooled.wrappedBuffer(out).writerIndex(from);
    encode(symbol, buffer);
    return buffer.writerIndex();
  }

  /**
   * Reads a frame that is a part of an array.
   *
   * @throws ProtocolException if it is no such frame
   */
  public static ChunkSymbol decode(byte[] bytes, int from, int length) throws ProtocolException {
    return decode(Unpooled.wrappedBuffer(bytes, from, length));
  }

  /**
   * Reads a whole datagram.
   *
   * @throws ProtocolException if it is no such frame
   */
  public static ChunkSymbol decode(ByteBuf datagram) throws ProtocolException {
    int bytes = datagram.readableBytes() - HEADER_BYTES;
    if (bytes < 1 || bytes > MAX_SYMBOL_BYTES) {
      throw new ProtocolException("a datagram of " + datagram.readableBytes() + " bytes");
    }
    int kind = datagram.readUnsignedByte();
    if (kind != KIND) {
      throw new ProtocolException("a datagram of kind " + kind);
    }
    long push = datagram.readUnsignedInt();
    Hash hash =
        new Hash(
            datagram.readLong(), datagram.readLong(), datagram.readLong(), datagram.readLong());
    int chunkBytes = datagram.readUnsignedShort() + 1;
    int symbolBytes = datagram.readUnsignedShort();
    int id = datagram.readUnsignedMedium();
    byte[] symbol = new byte[bytes];
    datagram.readBytes(symbol);
    return new ChunkSymbol(push, hash, chunkBytes, symbolBytes, id, symbol);
  }
}
