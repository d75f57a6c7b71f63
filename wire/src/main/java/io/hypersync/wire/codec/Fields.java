package io.hypersync.wire.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.lock.LockRange;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SessionGrant;
import io.hypersync.wire.proto.Committed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes field types that several messages share. Decoding is total: invalid input
 * causes a {@link ProtocolException}, never another exception.
 */
final class Fields {
  private static final int ID_BYTES = 16;
  private static final int MAX_ERRNO = 4095;
  private static final int LARGE_BODY_BYTES = 1024;
  private static final char DEL = 0x7f;

  private Fields() {}

  /**
   * Parses a body. Byte fields of a large one alias the body, or one copy of it, so the result must
   * be converted before the body's memory is reused. In a small one they are copied, which is
   * cheaper there.
   */
  static <T extends Message> T parse(Parser<T> parser, FrameKind kind, ByteBuffer body)
      throws ProtocolException {
    try {
      if (body.remaining() < LARGE_BODY_BYTES) {
        return parser.parseFrom(body);
      }
      CodedInputStream in = UnsafeByteOperations.unsafeWrap(body).newCodedInput();
      in.enableAliasing(true);
      T message = parser.parseFrom(in);
      in.checkLastTagWas(0);
      return message;
    } catch (InvalidProtocolBufferException e) {
      throw new ProtocolException("a " + kind + " that cannot be parsed: " + e.getMessage(), e);
    }
  }

  /** A byte field; fails if it is longer than allowed. */
  static byte[] atMost(ByteString field, int maxBytes, String name) throws ProtocolException {
    if (field.size() > maxBytes) {
      throw new ProtocolException(name + " has " + field.size() + " bytes");
    }
    return field.toByteArray();
  }

  /** Fails unless a required field is present. */
  static void require(boolean present, String field) throws ProtocolException {
    if (!present) {
      throw new ProtocolException(field + " is missing");
    }
  }

  /** The protocol revision of a side; one that sends none has revision 1. */
  static int revision(boolean present, int value) throws ProtocolException {
    return present ? number(value, 1, Integer.MAX_VALUE, "protocol_revision") : 1;
  }

  /** Checks a u64 that must be from {@code min} to 2^63-1. */
  static long number(long value, long min, String field) throws ProtocolException {
    if (value < min) {
      throw new ProtocolException(
          field + " is " + Long.toUnsignedString(value) + ", " + min + " to 2^63-1 allowed");
    }
    return value;
  }

  /** Checks a u32 that must be from {@code min} to {@code max}. */
  static int number(int value, int min, int max, String field) throws ProtocolException {
    if (value < min || value > max) {
      throw new ProtocolException(
          field
              + " is "
              + Integer.toUnsignedString(value)
              + ", "
              + min
              + " to "
              + max
              + " allowed");
    }
    return value;
  }

  /**
   * A resume token of at least {@code min} characters, which is ASCII without control characters.
   */
  static String resumeToken(String token, int min) throws ProtocolException {
    if (token.length() < min
        || token.length() > SessionGrant.MAX_TOKEN
        || !token.chars().allMatch(c -> c > ' ' && c < DEL)) {
      throw new ProtocolException(
          "resume_token: expected " + min + " to " + SessionGrant.MAX_TOKEN + " ASCII characters");
    }
    return token;
  }

  static Errno errno(boolean present, int code, String field) throws ProtocolException {
    require(present, field);
    return Errno.of(number(code, 1, MAX_ERRNO, field));
  }

  static IntentId intentId(ClientId client, long seqNo) throws ProtocolException {
    return new IntentId(client, number(seqNo, 1, "seq_no"));
  }

  static IntentId intentId(boolean present, io.hypersync.wire.proto.IntentId id)
      throws ProtocolException {
    require(present && id.hasSeqNo(), "intent id");
    return intentId(clientId(id.hasClientId(), id.getClientId()), id.getSeqNo());
  }

  static io.hypersync.wire.proto.IntentId toProto(IntentId id) {
    return io.hypersync.wire.proto.IntentId.newBuilder()
        .setClientId(toProto(id.client()))
        .setSeqNo(id.seqNo())
        .build();
  }

  static ClientId clientId(boolean present, ByteString value) throws ProtocolException {
    ByteBuffer bytes = fixed(present, value, ID_BYTES, "client_id");
    return new ClientId(bytes.getLong(), bytes.getLong());
  }

  static ByteString toProto(ClientId id) {
    return id128(id.high(), id.low());
  }

  static NodeId nodeId(boolean present, ByteString value) throws ProtocolException {
    ByteBuffer bytes = fixed(present, value, ID_BYTES, "node_id");
    return new NodeId(bytes.getLong(), bytes.getLong());
  }

  static ByteString toProto(NodeId id) {
    return id128(id.high(), id.low());
  }

  static WorkerId workerId(boolean present, String name) throws ProtocolException {
    require(present, "worker_id");
    try {
      return new WorkerId(name);
    } catch (IllegalArgumentException e) {
      throw new ProtocolException("worker_id: " + e.getMessage(), e);
    }
  }

  static LockRange range(boolean present, long first, long last) throws ProtocolException {
    require(present, "first or last");
    return new LockRange(number(first, 0, "first"), number(last, first, "last"));
  }

  static WorkspaceId workspaceId(boolean present, ByteString value) throws ProtocolException {
    ByteBuffer bytes = fixed(present, value, ID_BYTES, "workspace_id");
    return new WorkspaceId(bytes.getLong(), bytes.getLong());
  }

  static ByteString toProto(WorkspaceId id) {
    return id128(id.high(), id.low());
  }

  static Hash hash(boolean present, ByteString value, String field) throws ProtocolException {
    return readHash(fixed(present, value, Hash.BYTES, field));
  }

  static ByteString toProto(Hash hash) {
    return UnsafeByteOperations.unsafeWrap(hash.toBytes());
  }

  /** Concatenated hashes, 1 to {@link Protocol#MAX_HASHES_PER_MESSAGE} of them. */
  static List<Hash> hashes(ByteString value, String field) throws ProtocolException {
    int count = value.size() / Hash.BYTES;
    if (value.size() % Hash.BYTES != 0 || count < 1 || count > Protocol.MAX_HASHES_PER_MESSAGE) {
      throw new ProtocolException(
          field
              + " has "
              + value.size()
              + " bytes, 1 to "
              + Protocol.MAX_HASHES_PER_MESSAGE
              + " hashes of "
              + Hash.BYTES
              + " allowed");
    }
    ByteBuffer bytes = value.asReadOnlyByteBuffer();
    List<Hash> hashes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      hashes.add(readHash(bytes));
    }
    return hashes;
  }

  static ByteString toProto(List<Hash> hashes) {
    byte[] bytes = new byte[hashes.size() * Hash.BYTES];
    for (int i = 0; i < hashes.size(); i++) {
      hashes.get(i).write(bytes, i * Hash.BYTES);
    }
    return UnsafeByteOperations.unsafeWrap(bytes);
  }

  /** Concatenated node ids, {@code min} to {@link Protocol#MAX_NODES_PER_MESSAGE} of them. */
  static List<NodeId> nodeIds(ByteString value, int min, String field) throws ProtocolException {
    int count = value.size() / NodeId.BYTES;
    if (value.size() % NodeId.BYTES != 0 || count < min || count > Protocol.MAX_NODES_PER_MESSAGE) {
      throw new ProtocolException(
          field
              + " has "
              + value.size()
              + " bytes, "
              + min
              + " to "
              + Protocol.MAX_NODES_PER_MESSAGE
              + " ids of "
              + NodeId.BYTES
              + " allowed");
    }
    ByteBuffer bytes = value.asReadOnlyByteBuffer();
    List<NodeId> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      nodes.add(new NodeId(bytes.getLong(), bytes.getLong()));
    }
    return nodes;
  }

  static ByteString nodeIds(List<NodeId> nodes) {
    ByteBuffer bytes = ByteBuffer.allocate(nodes.size() * NodeId.BYTES);
    for (NodeId node : nodes) {
      bytes.putLong(node.high()).putLong(node.low());
    }
    return UnsafeByteOperations.unsafeWrap(bytes.flip());
  }

  static LeaderMessage.Committed committed(Committed place) throws ProtocolException {
    require(place.hasLogIndex() && place.hasCommittedAtNs(), "log_index or committed_at_ns");
    ByteBuffer opId = fixed(place.hasOpId(), place.getOpId(), ID_BYTES, "op_id");
    return new LeaderMessage.Committed(
        number(place.getLogIndex(), 1, "log_index"),
        new OpId(opId.getLong(), opId.getLong()),
        number(place.getCommittedAtNs(), 0, "committed_at_ns"),
        hash(place.hasFsMerkleRoot(), place.getFsMerkleRoot(), "fs_merkle_root"),
        place.hasAppliedOffset() ? number(place.getAppliedOffset(), 0, "applied_offset") : -1);
  }

  static Committed toProto(LeaderMessage.Committed place) {
    Committed.Builder proto =
        Committed.newBuilder()
            .setLogIndex(place.logIndex())
            .setOpId(id128(place.opId().high(), place.opId().low()))
            .setCommittedAtNs(place.committedAtNs())
            .setFsMerkleRoot(toProto(place.root()));
    if (place.appliedOffset() >= 0) {
      proto.setAppliedOffset(place.appliedOffset());
    }
    return proto.build();
  }

  private static Hash readHash(ByteBuffer bytes) {
    return new Hash(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  private static ByteBuffer fixed(boolean present, ByteString value, int length, String field)
      throws ProtocolException {
    require(present, field);
    if (value.size() != length) {
      throw new ProtocolException(field + " has " + value.size() + " bytes instead of " + length);
    }
    return value.asReadOnlyByteBuffer();
  }

  private static ByteString id128(long high, long low) {
    byte[] bytes = new byte[ID_BYTES];
    ByteBuffer.wrap(bytes).putLong(high).putLong(low);
    return UnsafeByteOperations.unsafeWrap(bytes);
  }
}
