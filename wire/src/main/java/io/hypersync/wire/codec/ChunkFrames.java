package io.hypersync.wire.codec;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.LeaderMessage.ChunkData;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.netty.buffer.ByteBuf;

/**
 * Bodies of the frames that carry bytes of chunks; these never pass through protobuf.
 *
 * <pre>
 * ChunkPut   0            16          24          56
 *           +------------+-----------+-----------+----------------------+
 *           | client id  | seq u64   | hash      | bytes, 0 to 65536    |
 *           +------------+-----------+-----------+----------------------+
 *
 * ChunkData  0           32
 *           +-----------+----------------------+
 *           | hash      | bytes, 0 to 65536    |
 *           +-----------+----------------------+
 * </pre>
 *
 * Numbers are big-endian; the length of the frame says how many bytes there are. Whether they have
 * that hash is for the receiver to verify (hypersync.md 18).
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

  private static void writeHash(Hash hash, ByteBuf out) {
    out.writeLong(hash.w0()).writeLong(hash.w1()).writeLong(hash.w2()).writeLong(hash.w3());
  }

  private static Hash readHash(ByteBuf in) {
    return new Hash(in.readLong(), in.readLong(), in.readLong(), in.readLong());
  }

  /** At most {@link ChunkRef#MAX_LENGTH}, since the frame's kind has a limit. */
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
