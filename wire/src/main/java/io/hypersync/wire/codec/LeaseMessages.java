package io.hypersync.wire.codec;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.proto.OpenLeaseAcquire;
import io.hypersync.wire.proto.OpenLeaseRelease;
import io.hypersync.wire.proto.OpenLeaseRenew;
import java.nio.ByteBuffer;

/** Converts the messages about open-leases to and from protobuf (hypersync.md 6.8). */
final class LeaseMessages {
  private static final Parser<OpenLeaseAcquire> ACQUIRE =
      DiscardUnknownFieldsParser.wrap(OpenLeaseAcquire.parser());
  private static final Parser<OpenLeaseRelease> RELEASE =
      DiscardUnknownFieldsParser.wrap(OpenLeaseRelease.parser());
  private static final Parser<OpenLeaseRenew> RENEW =
      DiscardUnknownFieldsParser.wrap(OpenLeaseRenew.parser());

  private LeaseMessages() {}

  static MessageLite toProto(WorkerMessage.OpenLeaseAcquire acquire) {
    return OpenLeaseAcquire.newBuilder()
        .setLeaderEpoch(acquire.leaderEpoch())
        .setNodeIds(Fields.nodeIds(acquire.nodes()))
        .build();
  }

  static MessageLite toProto(WorkerMessage.OpenLeaseRelease release) {
    return OpenLeaseRelease.newBuilder()
        .setLeaderEpoch(release.leaderEpoch())
        .setNodeIds(Fields.nodeIds(release.nodes()))
        .build();
  }

  static MessageLite toProto(WorkerMessage.OpenLeaseRenew renew) {
    OpenLeaseRenew.Builder proto = OpenLeaseRenew.newBuilder().setLeaderEpoch(renew.leaderEpoch());
    if (!renew.nodes().isEmpty()) {
      proto.setNodeIds(Fields.nodeIds(renew.nodes()));
    }
    return proto.build();
  }

  static WorkerMessage acquire(ByteBuffer body) throws ProtocolException {
    OpenLeaseAcquire proto = Fields.parse(ACQUIRE, FrameKind.OPEN_LEASE_ACQUIRE, body);
    Fields.require(proto.hasLeaderEpoch(), "leader_epoch");
    return new WorkerMessage.OpenLeaseAcquire(
        proto.getLeaderEpoch(), Fields.nodeIds(proto.getNodeIds(), 1, "node_ids"));
  }

  static WorkerMessage release(ByteBuffer body) throws ProtocolException {
    OpenLeaseRelease proto = Fields.parse(RELEASE, FrameKind.OPEN_LEASE_RELEASE, body);
    Fields.require(proto.hasLeaderEpoch(), "leader_epoch");
    return new WorkerMessage.OpenLeaseRelease(
        proto.getLeaderEpoch(), Fields.nodeIds(proto.getNodeIds(), 1, "node_ids"));
  }

  static WorkerMessage renew(ByteBuffer body) throws ProtocolException {
    OpenLeaseRenew proto = Fields.parse(RENEW, FrameKind.OPEN_LEASE_RENEW, body);
    Fields.require(proto.hasLeaderEpoch(), "leader_epoch");
    return new WorkerMessage.OpenLeaseRenew(
        proto.getLeaderEpoch(), Fields.nodeIds(proto.getNodeIds(), 0, "node_ids"));
  }
}
