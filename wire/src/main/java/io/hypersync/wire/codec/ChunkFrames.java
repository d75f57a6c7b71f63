package io.hypersync.wire.codec;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.LeaderMessage.ChunkData;
import io.hypersync.wire.message.WorkerMessage.ChunkCopy;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.netty.buffer.ByteBuf;

/**
 * Encodes and decodes the bodies of frames that carry the bytes of chunks; these do not use
 * protobuf.
 *
 * <pre>
 * ChunkPut   0            16          24          56
 *           +------------+-----------+-----------+----------------------+
 *           | client id  | seq u64   | hash      | bytes, 0 to 65536    |
 *           +------------+-----------+-----------+----------------------+
 *
 * ChunkCopy, ChunkData
 *            0           32
 *           +-----------+----------------------+
 *           | hash      | bytes, 0 to 65536    |
 *           +-----------+----------------------+
 * </pre>
 *
 * <p>Numbers are big-endian; the number of bytes follows from the length of the frame. Whether the
 * bytes match the hash is not checked here but by the receiver (hypersync.md 18).
 */
final class ChunkFrames {
  private static final int PUT_HEADER_BYTES = ClientId.BYTES + Long.BYTES + Hash.BYTES;

  private ChunkFrames() {}

  static int bodyBytes(ChunkPut put) {
    return PUT_HEADER_BYTES + put.bytes().length;
  }

  static int bodyBytes(ChunkData data) {
    return Hash.BYTES + data.bytes().length;
  }

  static void write(ChunkPut put, ByteBuf out) {
    out.writeLong(put.intent().client().high());
    out.writeLong(put.intent().client().low());
    out.writeLong(put.intent().seqNo());
    writeHash(put.hash(), out);
    out.writeBytes(put.bytes());
  }

  static int bodyBytes(ChunkCopy copy) {
    return Hash.BYTES + copy.bytes().length;
  }

  static void write(ChunkCopy copy, ByteBuf out) {
    writeHash(copy.hash(), out);
    out.writeBytes(copy.bytes());
  }

  static void write(ChunkData data, ByteBuf out) {
    writeHash(data.hash(), out);
    out.writeBytes(data.bytes());
  }

  static ChunkPut readPut(ByteBuf body) throws ProtocolException {
    if (body.readableBytes() < PUT_HEADER_BYTES) {
      throw truncated("ChunkPut", PUT_HEADER_BYTES, body);
    }
    ClientId client = new ClientId(body.readLong(), body.readLong());
    IntentId intent = Fields.intentId(client, body.readLong());
    return new ChunkPut(intent, readHash(body), rest(body));
  }

  static ChunkData readData(ByteBuf body) throws ProtocolException {
    if (body.readableBytes() < Hash.BYTES) {
      throw truncated("ChunkData", Hash.BYTES, body);
    }
    return new ChunkData(readHash(body), rest(body));
  }

  static ChunkCopy readCopy(ByteBuf body) throws ProtocolException {
    if (body.readableBytes() < Hash.BYTES) {
      throw truncated("ChunkCopy", Hash.BYTES, body);
    }
    return new ChunkCopy(readHash(body), rest(body));
  }

  private static void writeHash(Hash hash, ByteBuf out) {
    out.writeLong(hash.w0()).writeLong(hash.w1()).writeLong(hash.w2()).writeLong(hash.w3());
  }

  private static Hash readHash(ByteBuf in) {
    return new Hash(in.readLong(), in.readLong(), in.readLong(), in.readLong());
  }

  /**
   * The rest of the body: at most {@link ChunkRef#MAX_LENGTH} bytes, by the limit of the frame
   * kind.
   */
  private static byte[] rest(ByteBuf body) {
    byte[] bytes = new byte[body.readableBytes()];
    body.readBytes(bytes);
    return bytes;
  }

  private static ProtocolException truncated(String what, int header, ByteBuf body) {
    return new ProtocolException(
        "a " + what + " of " + body.readableBytes() + " bytes, its header alone is " + header);
  }
}
