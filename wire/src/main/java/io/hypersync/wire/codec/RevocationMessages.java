package io.hypersync.wire.codec;

import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.proto.Revocation;
import io.hypersync.wire.proto.Revocations;
import io.hypersync.wire.proto.RevocationsKept;
import java.util.ArrayList;
import java.util.List;

/** Messages about certificates that are revoked. */
final class RevocationMessages {
  private RevocationMessages() {}

  static Revocations toProto(LeaderMessage.Revocations revoked) {
    Revocations.Builder proto = Revocations.newBuilder();
    for (io.hypersync.wire.message.Revocation each : revoked.all()) {
      Revocation.Builder one =
          Revocation.newBuilder().setWorker(each.worker().name()).setAtMs(each.atMs());
      if (!each.isOfAll()) {
        one.setSerial(each.serial());
      }
      if (!each.reason().isEmpty()) {
        one.setReason(each.reason());
      }
      proto.addAll(one);
    }
    return proto.build();
  }

  static LeaderMessage revoked(Revocations proto) throws ProtocolException {
    if (proto.getAllCount() > io.hypersync.wire.message.Revocation.MAX) {
      throw new ProtocolException(proto.getAllCount() + " revocations");
    }
    List<io.hypersync.wire.message.Revocation> all = new ArrayList<>();
    for (Revocation each : proto.getAllList()) {
      try {
        all.add(
            new io.hypersync.wire.message.Revocation(
                Fields.workerId(each.hasWorker(), each.getWorker()),
                each.getSerial(),
                Fields.number(each.getAtMs(), 0, "at_ms"),
                each.getReason()));
      } catch (IllegalArgumentException e) {
        throw new ProtocolException("all: " + e.getMessage(), e);
      }
    }
    return new LeaderMessage.Revocations(all);
  }

  static WorkerMessage kept(RevocationsKept proto) throws ProtocolException {
    Fields.require(proto.hasCount(), "count");
    return new WorkerMessage.RevocationsKept(
        Fields.number(proto.getCount(), 0, io.hypersync.wire.message.Revocation.MAX, "count"));
  }
}
