package io.hypersync.wire.codec;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockKind;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.proto.LockCancel;
import io.hypersync.wire.proto.LockExpiryWarning;
import io.hypersync.wire.proto.LockRelease;
import io.hypersync.wire.proto.LockRenew;
import io.hypersync.wire.proto.LockRequest;
import io.hypersync.wire.proto.LockResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts the messages about locks, in both directions, to and from protobuf (hypersync.md 10.2).
 */
final class LockMessages {
  private static final Parser<LockRequest> REQUEST =
      DiscardUnknownFieldsParser.wrap(LockRequest.parser());
  private static final Parser<LockRelease> RELEASE =
      DiscardUnknownFieldsParser.wrap(LockRelease.parser());
  private static final Parser<LockCancel> CANCEL =
      DiscardUnknownFieldsParser.wrap(LockCancel.parser());
  private static final Parser<LockRenew> RENEW =
      DiscardUnknownFieldsParser.wrap(LockRenew.parser());
  private static final Parser<LockResponse> RESPONSE =
      DiscardUnknownFieldsParser.wrap(LockResponse.parser());
  private static final Parser<LockExpiryWarning> WARNING =
      DiscardUnknownFieldsParser.wrap(LockExpiryWarning.parser());

  private LockMessages() {}

  static MessageLite toProto(WorkerMessage.LockRequest request) {
    return LockRequest.newBuilder()
        .setIntent(Fields.toProto(request.intent()))
        .setNodeId(Fields.toProto(request.node()))
        .setKind(
            switch (request.kind()) {
              case FLOCK_SHARED -> LockRequest.Kind.FLOCK_SHARED;
              case FLOCK_EXCLUSIVE -> LockRequest.Kind.FLOCK_EXCLUSIVE;
              case FLOCK_UNLOCK -> LockRequest.Kind.FLOCK_UNLOCK;
              case FCNTL_READ -> LockRequest.Kind.FCNTL_READ;
              case FCNTL_WRITE -> LockRequest.Kind.FCNTL_WRITE;
              case FCNTL_UNLOCK -> LockRequest.Kind.FCNTL_UNLOCK;
            })
        .setOwner(request.owner())
        .setPid(request.pid())
        .setFirst(request.range().first())
        .setLast(request.range().last())
        .setWish(
            switch (request.wish()) {
              case TRY -> LockRequest.Wish.TRY;
              case WAIT -> LockRequest.Wish.WAIT;
              case TEST -> LockRequest.Wish.TEST;
            })
        .build();
  }

  static WorkerMessage request(ByteBuffer body) throws ProtocolException {
    LockRequest proto = Fields.parse(REQUEST, FrameKind.LOCK_REQUEST, body);
    Fields.require(proto.hasOwner(), "owner");
    Fields.require(proto.hasPid(), "pid");
    LockKind kind =
        switch (proto.getKind()) {
          case FLOCK_SHARED -> LockKind.FLOCK_SHARED;
          case FLOCK_EXCLUSIVE -> LockKind.FLOCK_EXCLUSIVE;
          case FLOCK_UNLOCK -> LockKind.FLOCK_UNLOCK;
          case FCNTL_READ -> LockKind.FCNTL_READ;
          case FCNTL_WRITE -> LockKind.FCNTL_WRITE;
          case FCNTL_UNLOCK -> LockKind.FCNTL_UNLOCK;
          case KIND_UNSPECIFIED, UNRECOGNIZED ->
              throw new ProtocolException("kind is missing or unknown");
        };
    WorkerMessage.LockRequest.Wish wish =
        switch (proto.getWish()) {
          case TRY -> WorkerMessage.LockRequest.Wish.TRY;
          case WAIT -> WorkerMessage.LockRequest.Wish.WAIT;
          case TEST -> WorkerMessage.LockRequest.Wish.TEST;
          case WISH_UNSPECIFIED, UNRECOGNIZED ->
              throw new ProtocolException("wish is missing or unknown");
        };
    LockRange range =
        Fields.range(proto.hasFirst() && proto.hasLast(), proto.getFirst(), proto.getLast());
    if (kind.space() == LockSpace.FLOCK && !range.equals(LockRange.WHOLE)) {
      throw new ProtocolException("a flock of " + range + ", it is always of the whole file");
    }
    return new WorkerMessage.LockRequest(
        Fields.intentId(proto.hasIntent(), proto.getIntent()),
        Fields.nodeId(proto.hasNodeId(), proto.getNodeId()),
        kind,
        proto.getOwner(),
        Fields.number(proto.getPid(), 0, Integer.MAX_VALUE, "pid"),
        range,
        wish);
  }

  static MessageLite toProto(WorkerMessage.LockRelease release) {
    return LockRelease.newBuilder()
        .setIntent(Fields.toProto(release.intent()))
        .setNodeId(Fields.toProto(release.node()))
        .setFlock(release.space() == LockSpace.FLOCK)
        .setOwner(release.owner())
        .build();
  }

  static WorkerMessage release(ByteBuffer body) throws ProtocolException {
    LockRelease proto = Fields.parse(RELEASE, FrameKind.LOCK_RELEASE, body);
    Fields.require(proto.hasFlock(), "flock");
    Fields.require(proto.hasOwner(), "owner");
    return new WorkerMessage.LockRelease(
        Fields.intentId(proto.hasIntent(), proto.getIntent()),
        Fields.nodeId(proto.hasNodeId(), proto.getNodeId()),
        proto.getFlock() ? LockSpace.FLOCK : LockSpace.POSIX,
        proto.getOwner());
  }

  static MessageLite toProto(WorkerMessage.LockCancel cancel) {
    return LockCancel.newBuilder()
        .setIntent(Fields.toProto(cancel.intent()))
        .setRequestSeqNo(cancel.requestSeqNo())
        .build();
  }

  static WorkerMessage cancel(ByteBuffer body) throws ProtocolException {
    LockCancel proto = Fields.parse(CANCEL, FrameKind.LOCK_CANCEL, body);
    return new WorkerMessage.LockCancel(
        Fields.intentId(proto.hasIntent(), proto.getIntent()),
        Fields.number(proto.getRequestSeqNo(), 1, "request_seq_no"));
  }

  static MessageLite toProto(WorkerMessage.LockRenew renew) {
    return LockRenew.newBuilder()
        .setClientId(Fields.toProto(renew.run()))
        .setLeaderEpoch(renew.leaderEpoch())
        .setAnsweredThrough(renew.answeredThrough())
        .build();
  }

  static WorkerMessage renew(ByteBuffer body) throws ProtocolException {
    LockRenew proto = Fields.parse(RENEW, FrameKind.LOCK_RENEW, body);
    Fields.require(proto.hasLeaderEpoch(), "leader_epoch");
    Fields.require(proto.hasAnsweredThrough(), "answered_through");
    return new WorkerMessage.LockRenew(
        Fields.clientId(proto.hasClientId(), proto.getClientId()),
        proto.getLeaderEpoch(),
        Fields.number(proto.getAnsweredThrough(), 0, "answered_through"));
  }

  static MessageLite toProto(LeaderMessage.LockResponse response) {
    LockResponse.Builder proto =
        LockResponse.newBuilder()
            .setIntent(Fields.toProto(response.intent()))
            .setNumber(response.number())
            .setStatus(
                switch (response.verdict()) {
                  case GRANTED -> LockResponse.Status.GRANTED;
                  case DENIED -> LockResponse.Status.DENIED;
                  case HELD_EXPIRING -> LockResponse.Status.LOCK_HELD_EXPIRING;
                  case DEADLOCK -> LockResponse.Status.DEADLOCK;
                  case NO_LOCKS -> LockResponse.Status.NO_LOCKS;
                })
            .setStillHeld(response.stillHeld())
            .setCommitIndex(response.commitIndex())
            .setLeaseTtlMs(response.leaseTtlMs());
    LeaderMessage.Holder holder = response.holder();
    if (holder != null) {
      proto.setHolder(
          LockResponse.Holder.newBuilder()
              .setExclusive(holder.lock().mode() == LockMode.EXCLUSIVE)
              .setFirst(holder.lock().range().first())
              .setLast(holder.lock().range().last())
              .setWorkerId(holder.worker().name())
              .setPid(holder.pid()));
    }
    return proto.build();
  }

  static LeaderMessage response(ByteBuffer body) throws ProtocolException {
    LockResponse proto = Fields.parse(RESPONSE, FrameKind.LOCK_RESPONSE, body);
    Fields.require(proto.hasStillHeld(), "still_held");
    Fields.require(proto.hasCommitIndex(), "commit_index");
    LeaderMessage.LockResponse.Verdict verdict =
        switch (proto.getStatus()) {
          case GRANTED -> LeaderMessage.LockResponse.Verdict.GRANTED;
          case DENIED -> LeaderMessage.LockResponse.Verdict.DENIED;
          case LOCK_HELD_EXPIRING -> LeaderMessage.LockResponse.Verdict.HELD_EXPIRING;
          case DEADLOCK -> LeaderMessage.LockResponse.Verdict.DEADLOCK;
          case NO_LOCKS -> LeaderMessage.LockResponse.Verdict.NO_LOCKS;
          case STATUS_UNSPECIFIED, UNRECOGNIZED ->
              throw new ProtocolException("status is missing or unknown");
        };
    if (proto.hasHolder() != verdict.isDenied()) {
      throw new ProtocolException("a holder belongs to a denial, and only to it");
    }
    return new LeaderMessage.LockResponse(
        Fields.intentId(proto.hasIntent(), proto.getIntent()),
        Fields.number(proto.getNumber(), 1, "number"),
        verdict,
        proto.getStillHeld(),
        Fields.number(proto.getCommitIndex(), 0, "commit_index"),
        Fields.number(proto.getLeaseTtlMs(), 1, Integer.MAX_VALUE, "lease_ttl_ms"),
        proto.hasHolder() ? holder(proto.getHolder()) : null);
  }

  private static LeaderMessage.Holder holder(LockResponse.Holder proto) throws ProtocolException {
    Fields.require(proto.hasExclusive() && proto.hasPid(), "exclusive or pid");
    LockRange range =
        Fields.range(proto.hasFirst() && proto.hasLast(), proto.getFirst(), proto.getLast());
    return new LeaderMessage.Holder(
        new HeldLock(range, proto.getExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED),
        Fields.workerId(proto.hasWorkerId(), proto.getWorkerId()),
        Fields.number(proto.getPid(), 0, Integer.MAX_VALUE, "pid"));
  }

  static MessageLite toProto(LeaderMessage.LockExpiryWarning warning) {
    LockExpiryWarning.Builder proto =
        LockExpiryWarning.newBuilder()
            .setClientId(Fields.toProto(warning.run()))
            .setLocks(warning.locks())
            .setGraceRemainingMs(warning.graceRemainingMs());
    for (LeaderMessage.ExpiringLock lock : warning.named()) {
      proto.addNamed(
          LockExpiryWarning.Lock.newBuilder()
              .setNodeId(Fields.toProto(lock.node()))
              .setFlock(lock.space() == LockSpace.FLOCK)
              .setOwner(lock.owner()));
    }
    return proto.build();
  }

  static LeaderMessage warning(ByteBuffer body) throws ProtocolException {
    LockExpiryWarning proto = Fields.parse(WARNING, FrameKind.LOCK_EXPIRY_WARNING, body);
    Fields.require(proto.hasLocks(), "locks");
    Fields.require(proto.hasGraceRemainingMs(), "grace_remaining_ms");
    if (proto.getNamedCount() > Protocol.MAX_LOCKS_PER_WARNING) {
      throw new ProtocolException(
          proto.getNamedCount()
              + " locks are named, "
              + Protocol.MAX_LOCKS_PER_WARNING
              + " allowed");
    }
    List<LeaderMessage.ExpiringLock> named = new ArrayList<>(proto.getNamedCount());
    for (LockExpiryWarning.Lock lock : proto.getNamedList()) {
      Fields.require(lock.hasFlock(), "flock");
      Fields.require(lock.hasOwner(), "owner");
      named.add(
          new LeaderMessage.ExpiringLock(
              Fields.nodeId(lock.hasNodeId(), lock.getNodeId()),
              lock.getFlock() ? LockSpace.FLOCK : LockSpace.POSIX,
              lock.getOwner()));
    }
    return new LeaderMessage.LockExpiryWarning(
        Fields.clientId(proto.hasClientId(), proto.getClientId()),
        Fields.number(proto.getLocks(), 0, Integer.MAX_VALUE, "locks"),
        Fields.number(proto.getGraceRemainingMs(), 0, Integer.MAX_VALUE, "grace_remaining_ms"),
        named);
  }
}
