package io.hypersync.wire.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SessionGrant;
import io.hypersync.wire.proto.BarrierResponse;
import io.hypersync.wire.proto.ChunkNeed;
import io.hypersync.wire.proto.ChunkUnavailable;
import io.hypersync.wire.proto.ChunkWanted;
import io.hypersync.wire.proto.CommitAck;
import io.hypersync.wire.proto.Heartbeat;
import io.hypersync.wire.proto.IntentStatusResponse;
import io.hypersync.wire.proto.LogEntries;
import io.hypersync.wire.proto.MulticastGroup;
import io.hypersync.wire.proto.Notice;
import io.hypersync.wire.proto.PastState;
import io.hypersync.wire.proto.PastStateRefused;
import io.hypersync.wire.proto.RateLimited;
import io.hypersync.wire.proto.Refused;
import io.hypersync.wire.proto.Revocations;
import io.hypersync.wire.proto.SessionRenewed;
import io.hypersync.wire.proto.SnapshotOffer;
import io.hypersync.wire.proto.StandbyStanding;
import io.hypersync.wire.proto.VisibilityLease;
import io.hypersync.wire.proto.Welcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts the leader's messages to and from protobuf. Unknown fields are dropped while parsing.
 */
final class LeaderMessages {
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;
  private static final int MAX_PORT = 65_535;

  private static final Parser<Welcome> WELCOME = DiscardUnknownFieldsParser.wrap(Welcome.parser());
  private static final Parser<Refused> REFUSED = DiscardUnknownFieldsParser.wrap(Refused.parser());
  private static final Parser<SnapshotOffer> OFFER =
      DiscardUnknownFieldsParser.wrap(SnapshotOffer.parser());
  private static final Parser<PastState> PAST = DiscardUnknownFieldsParser.wrap(PastState.parser());
  private static final Parser<PastStateRefused> PAST_REFUSED =
      DiscardUnknownFieldsParser.wrap(PastStateRefused.parser());
  private static final Parser<Heartbeat> HEARTBEAT =
      DiscardUnknownFieldsParser.wrap(Heartbeat.parser());
  private static final Parser<BarrierResponse> BARRIER =
      DiscardUnknownFieldsParser.wrap(BarrierResponse.parser());
  private static final Parser<CommitAck> ACK = DiscardUnknownFieldsParser.wrap(CommitAck.parser());
  private static final Parser<ChunkWanted> WANTED =
      DiscardUnknownFieldsParser.wrap(ChunkWanted.parser());
  private static final Parser<ChunkNeed> NEED = DiscardUnknownFieldsParser.wrap(ChunkNeed.parser());
  private static final Parser<IntentStatusResponse> STATUS =
      DiscardUnknownFieldsParser.wrap(IntentStatusResponse.parser());
  private static final Parser<RateLimited> LIMITED =
      DiscardUnknownFieldsParser.wrap(RateLimited.parser());
  private static final Parser<LogEntries> LOG =
      DiscardUnknownFieldsParser.wrap(LogEntries.parser());
  private static final Parser<MulticastGroup> GROUP =
      DiscardUnknownFieldsParser.wrap(MulticastGroup.parser());
  private static final Parser<Revocations> REVOKED =
      DiscardUnknownFieldsParser.wrap(Revocations.parser());
  private static final Parser<SessionRenewed> RENEWED =
      DiscardUnknownFieldsParser.wrap(SessionRenewed.parser());
  private static final Parser<Notice> NOTICES = DiscardUnknownFieldsParser.wrap(Notice.parser());
  private static final Parser<VisibilityLease> LEASE =
      DiscardUnknownFieldsParser.wrap(VisibilityLease.parser());
  private static final Parser<ChunkUnavailable> UNAVAILABLE =
      DiscardUnknownFieldsParser.wrap(ChunkUnavailable.parser());

  private LeaderMessages() {}

  static MessageLite toProto(LeaderMessage message) {
    return switch (message) {
      case LeaderMessage.Welcome welcome -> welcome(welcome);
      case LeaderMessage.Refused refused ->
          Refused.newBuilder()
              .setReason(reason(refused.reason()))
              .setMessage(refused.message())
              .build();
      case LeaderMessage.SnapshotOffer offer ->
          SnapshotOffer.newBuilder()
              .setIndex(offer.index())
              .setRoot(Fields.toProto(offer.root()))
              .setManifest(UnsafeByteOperations.unsafeWrap(offer.manifest()))
              .build();
      case LeaderMessage.PastState state ->
          PastState.newBuilder()
              .setRequestId(state.requestId())
              .setIndex(state.index())
              .setRoot(Fields.toProto(state.root()))
              .setManifest(UnsafeByteOperations.unsafeWrap(state.manifest()))
              .build();
      case LeaderMessage.PastStateRefused refused ->
          PastStateRefused.newBuilder()
              .setRequestId(refused.requestId())
              .setMessage(refused.message())
              .setHint(refused.hint())
              .build();
      case LeaderMessage.Heartbeat heartbeat -> heartbeat(heartbeat);
      case LeaderMessage.BarrierResponse barrier ->
          BarrierResponse.newBuilder()
              .setRequestId(barrier.requestId())
              .setCommitIndex(barrier.commitIndex())
              .build();
      case LeaderMessage.CommitAck ack -> ack(ack);
      case LeaderMessage.ChunkWanted wanted ->
          ChunkWanted.newBuilder().setHashes(Fields.toProto(wanted.hashes())).build();
      case LeaderMessage.ChunkNeed need ->
          ChunkNeed.newBuilder()
              .setIntent(Fields.toProto(need.intent()))
              .setMissingHashes(Fields.toProto(need.missing()))
              .build();
      case LeaderMessage.IntentStatusResponse status -> status(status);
      case LeaderMessage.RateLimited limited ->
          RateLimited.newBuilder()
              .setIntent(Fields.toProto(limited.intent()))
              .setRetryAfterMs(limited.retryAfterMs())
              .build();
      case LeaderMessage.LogEntries log -> log(log);
      case LeaderMessage.ChunkUnavailable unavailable ->
          ChunkUnavailable.newBuilder()
              .setHash(Fields.toProto(unavailable.hash()))
              .setErrno(unavailable.errno().code())
              .setMessage(unavailable.message())
              .build();
      case LeaderMessage.MulticastGroup group ->
          MulticastGroup.newBuilder()
              .setGroup(UnsafeByteOperations.unsafeWrap(group.group()))
              .setPort(group.port())
              .setSource(UnsafeByteOperations.unsafeWrap(group.source()))
              .setEpoch(group.epoch())
              .setKey(UnsafeByteOperations.unsafeWrap(group.key()))
              .build();
      case LeaderMessage.Revocations revoked -> RevocationMessages.toProto(revoked);
      case LeaderMessage.SessionRenewed renewed ->
          SessionRenewed.newBuilder().setResumeToken(renewed.token()).build();
      case LeaderMessage.Notice notice ->
          Notice.newBuilder()
              .setNumber(notice.number())
              .setAtNs(notice.atNs())
              .setKind(kind(notice.kind()))
              .setAbout(notice.about().name())
              .setText(notice.text())
              .build();
      case LeaderMessage.VisibilityLease lease -> lease(lease);
      case LeaderMessage.LockResponse response -> LockMessages.toProto(response);
      case LeaderMessage.LockExpiryWarning warning -> LockMessages.toProto(warning);
      case LeaderMessage.ChunkData _ ->
          throw new IllegalArgumentException("chunks do not pass through protobuf");
    };
  }

  static LeaderMessage fromProto(FrameKind kind, ByteBuffer body) throws ProtocolException {
    return switch (kind) {
      case WELCOME -> welcome(Fields.parse(WELCOME, kind, body));
      case REFUSED -> refused(Fields.parse(REFUSED, kind, body));
      case SNAPSHOT_OFFER -> offer(Fields.parse(OFFER, kind, body));
      case PAST_STATE -> pastState(Fields.parse(PAST, kind, body));
      case PAST_STATE_REFUSED -> pastRefused(Fields.parse(PAST_REFUSED, kind, body));
      case HEARTBEAT -> heartbeat(Fields.parse(HEARTBEAT, kind, body));
      case BARRIER_RESPONSE -> barrier(Fields.parse(BARRIER, kind, body));
      case COMMIT_ACK -> ack(Fields.parse(ACK, kind, body));
      case CHUNK_WANTED ->
          new LeaderMessage.ChunkWanted(
              Fields.hashes(Fields.parse(WANTED, kind, body).getHashes(), "hashes"));
      case CHUNK_NEED -> need(Fields.parse(NEED, kind, body));
      case INTENT_STATUS_RESPONSE -> status(Fields.parse(STATUS, kind, body));
      case RATE_LIMITED -> limited(Fields.parse(LIMITED, kind, body));
      case LOG_ENTRIES -> log(Fields.parse(LOG, kind, body));
      case CHUNK_UNAVAILABLE -> unavailable(Fields.parse(UNAVAILABLE, kind, body));
      case MULTICAST_GROUP -> group(Fields.parse(GROUP, kind, body));
      case REVOCATIONS -> RevocationMessages.revoked(Fields.parse(REVOKED, kind, body));
      case SESSION_RENEWED ->
          new LeaderMessage.SessionRenewed(
              Fields.resumeToken(Fields.parse(RENEWED, kind, body).getResumeToken(), 1));
      case NOTICE -> notice(Fields.parse(NOTICES, kind, body));
      case VISIBILITY_LEASE -> lease(Fields.parse(LEASE, kind, body));
      case LOCK_RESPONSE -> LockMessages.response(body);
      case LOCK_EXPIRY_WARNING -> LockMessages.warning(body);
      case CHUNK_DATA,
          HELLO,
          BARRIER_REQUEST,
          WORKER_APPLIED,
          CHUNK_FETCH,
          LOCK_REQUEST,
          LOCK_RELEASE,
          LOCK_CANCEL,
          LOCK_RENEW,
          OPEN_LEASE_ACQUIRE,
          OPEN_LEASE_RELEASE,
          OPEN_LEASE_RENEW,
          SUBMIT_INTENT,
          INTENT_STATUS_REQUEST,
          CHUNK_ABSENT,
          PAST_STATE_REQUEST,
          PAST_STATE_RELEASE,
          DECODE_PROGRESS,
          MULTICAST_HEARD,
          WORKER_VISIBLE,
          REVOCATIONS_KEPT,
          CHUNK_COPY,
          CHUNK_PUT ->
          throw new ProtocolException("a " + kind + " is no control message of the leader");
    };
  }

  private static VisibilityLease lease(LeaderMessage.VisibilityLease lease) {
    VisibilityLease.Builder proto = VisibilityLease.newBuilder();
    if (lease.leaseMs() != 0) {
      proto.setLeaseMs(lease.leaseMs());
    }
    if (lease.sentNs() != 0) {
      proto.setSentNs(lease.sentNs());
    }
    return proto.build();
  }

  private static LeaderMessage lease(VisibilityLease proto) throws ProtocolException {
    return new LeaderMessage.VisibilityLease(
        Fields.number(
            proto.getLeaseMs(), 0, LeaderMessage.VisibilityLease.MAX_LEASE_MS, "lease_ms"),
        Fields.number(proto.getSentNs(), 0, "sent_ns"));
  }

  private static Welcome welcome(LeaderMessage.Welcome welcome) {
    SessionGrant grant = welcome.grant();
    Welcome.Builder proto =
        Welcome.newBuilder()
            .setWorkspaceId(Fields.toProto(welcome.workspace()))
            .setLeaderEpoch(welcome.leaderEpoch())
            .setCommitIndex(welcome.commitIndex())
            .setHeartbeatMs(welcome.heartbeatMs())
            .setInlineThreshold(welcome.params().inlineThreshold())
            .setLockSession(welcome.lockSession())
            .setOpenLeaseTtlMs(welcome.openLeaseTtlMs())
            .setProtocolRevision(welcome.revision())
            .setFeatures(welcome.params().features().bits())
            .setChunkMax(welcome.params().chunkMax())
            .setBatchWindowMs(welcome.params().batchWindowMs())
            .setCollectedThrough(welcome.collectedThrough())
            .setSession(grant.session())
            .setResumed(grant.resumed())
            .setLeaseMs(grant.leaseMs())
            .setResumeToken(grant.token());
    if (welcome.lineage() != 0) {
      proto.setLineage(welcome.lineage());
    }
    if (welcome.term() != 0) {
      proto.setTerm(welcome.term());
    }
    return proto.build();
  }

  private static LeaderMessage welcome(Welcome proto) throws ProtocolException {
    Fields.require(proto.hasLeaderEpoch(), "leader_epoch");
    Fields.require(proto.hasCommitIndex(), "commit_index");
    Fields.require(proto.hasHeartbeatMs(), "heartbeat_ms");
    Fields.require(proto.hasInlineThreshold(), "inline_threshold");
    Fields.require(proto.hasLockSession(), "lock_session");
    Fields.require(proto.hasOpenLeaseTtlMs(), "open_lease_ttl_ms");
    return new LeaderMessage.Welcome(
        Fields.workspaceId(proto.hasWorkspaceId(), proto.getWorkspaceId()),
        proto.getLeaderEpoch(),
        Fields.number(proto.getCommitIndex(), 0, "commit_index"),
        Fields.number(proto.getHeartbeatMs(), 1, Integer.MAX_VALUE, "heartbeat_ms"),
        params(proto),
        proto.getLockSession(),
        Fields.number(proto.getOpenLeaseTtlMs(), 1, Integer.MAX_VALUE, "open_lease_ttl_ms"),
        Fields.revision(proto.hasProtocolRevision(), proto.getProtocolRevision()),
        Fields.number(proto.getCollectedThrough(), 0, "collected_through"),
        new SessionGrant(
            proto.getSession(),
            proto.getResumed(),
            Fields.number(proto.getLeaseMs(), 0, Integer.MAX_VALUE, "lease_ms"),
            Fields.resumeToken(proto.getResumeToken(), 0)),
        proto.getLineage(),
        Fields.number(proto.getTerm(), 0, "term"));
  }

  /** Bounds are not checked here but by the worker, which can then report what is wrong. */
  private static NegotiatedParams params(Welcome proto) throws ProtocolException {
    int inlineThreshold =
        Fields.number(proto.getInlineThreshold(), 0, Integer.MAX_VALUE, "inline_threshold");
    if (!proto.hasProtocolRevision()) { // revision 1, where the others were constants
      return new NegotiatedParams(
          Features.NONE, NegotiatedParams.MAX_CHUNK_MAX, inlineThreshold, 0);
    }
    Fields.require(proto.hasFeatures(), "features");
    Fields.require(proto.hasChunkMax(), "chunk_max");
    Fields.require(proto.hasBatchWindowMs(), "batch_window_ms");
    return new NegotiatedParams(
        new Features(proto.getFeatures()),
        Fields.number(proto.getChunkMax(), 0, Integer.MAX_VALUE, "chunk_max"),
        inlineThreshold,
        Fields.number(proto.getBatchWindowMs(), 0, Integer.MAX_VALUE, "batch_window_ms"));
  }

  private static Notice.Kind kind(LeaderMessage.Notice.Kind kind) {
    return switch (kind) {
      case MESSAGE -> Notice.Kind.MESSAGE;
      case LOCKS_LOST -> Notice.Kind.LOCKS_LOST;
      case WORKER_JOINED -> Notice.Kind.WORKER_JOINED;
      case WORKER_LEFT -> Notice.Kind.WORKER_LEFT;
    };
  }

  private static LeaderMessage notice(Notice proto) throws ProtocolException {
    LeaderMessage.Notice.Kind kind =
        switch (proto.getKind()) {
          case MESSAGE -> LeaderMessage.Notice.Kind.MESSAGE;
          case LOCKS_LOST -> LeaderMessage.Notice.Kind.LOCKS_LOST;
          case WORKER_JOINED -> LeaderMessage.Notice.Kind.WORKER_JOINED;
          case WORKER_LEFT -> LeaderMessage.Notice.Kind.WORKER_LEFT;
          case KIND_UNSPECIFIED, UNRECOGNIZED ->
              throw new ProtocolException("kind is missing or unknown");
        };
    if (proto.getText().length() > LeaderMessage.Notice.MAX_TEXT) {
      throw new ProtocolException(
          "text: at most " + LeaderMessage.Notice.MAX_TEXT + " characters allowed");
    }
    return new LeaderMessage.Notice(
        Fields.number(proto.getNumber(), 1, "number"),
        Fields.number(proto.getAtNs(), 0, "at_ns"),
        kind,
        Fields.workerId(proto.hasAbout(), proto.getAbout()),
        proto.getText());
  }

  private static Refused.Reason reason(LeaderMessage.Refused.Reason reason) {
    return switch (reason) {
      case PROTOCOL_VERSION -> Refused.Reason.PROTOCOL_VERSION;
      case WORKSPACE -> Refused.Reason.WORKSPACE;
      case IDENTITY -> Refused.Reason.IDENTITY;
      case DIVERGED -> Refused.Reason.DIVERGED;
      case DUPLICATE -> Refused.Reason.DUPLICATE;
      case PROTOCOL_ERROR -> Refused.Reason.PROTOCOL_ERROR;
      case SESSION_REPLACED -> Refused.Reason.SESSION_REPLACED;
      case REVOKED -> Refused.Reason.REVOKED;
    };
  }

  private static LeaderMessage refused(Refused proto) throws ProtocolException {
    Fields.require(proto.hasMessage(), "message");
    LeaderMessage.Refused.Reason reason =
        switch (proto.getReason()) {
          case PROTOCOL_VERSION -> LeaderMessage.Refused.Reason.PROTOCOL_VERSION;
          case WORKSPACE -> LeaderMessage.Refused.Reason.WORKSPACE;
          case IDENTITY -> LeaderMessage.Refused.Reason.IDENTITY;
          case DIVERGED -> LeaderMessage.Refused.Reason.DIVERGED;
          case DUPLICATE -> LeaderMessage.Refused.Reason.DUPLICATE;
          case PROTOCOL_ERROR -> LeaderMessage.Refused.Reason.PROTOCOL_ERROR;
          case SESSION_REPLACED -> LeaderMessage.Refused.Reason.SESSION_REPLACED;
          case REVOKED -> LeaderMessage.Refused.Reason.REVOKED;
          case REASON_UNSPECIFIED, UNRECOGNIZED ->
              throw new ProtocolException("reason is missing or unknown");
        };
    return new LeaderMessage.Refused(reason, proto.getMessage());
  }

  private static LeaderMessage offer(SnapshotOffer proto) throws ProtocolException {
    Fields.require(proto.hasIndex(), "index");
    return new LeaderMessage.SnapshotOffer(
        Fields.number(proto.getIndex(), 1, "index"),
        Fields.hash(proto.hasRoot(), proto.getRoot(), "root"),
        manifest(proto.getManifest()));
  }

  private static byte[] manifest(ByteString manifest) throws ProtocolException {
    int length = manifest.size();
    if (length < 1 || length > Protocol.MAX_MANIFEST_BYTES) {
      throw new ProtocolException(
          "manifest has " + length + " bytes, 1 to " + Protocol.MAX_MANIFEST_BYTES + " allowed");
    }
    return manifest.toByteArray();
  }

  private static LeaderMessage pastState(PastState proto) throws ProtocolException {
    Fields.require(proto.hasRequestId(), "request_id");
    Fields.require(proto.hasIndex(), "index");
    return new LeaderMessage.PastState(
        proto.getRequestId(),
        Fields.number(proto.getIndex(), 1, "index"),
        Fields.hash(proto.hasRoot(), proto.getRoot(), "root"),
        manifest(proto.getManifest()));
  }

  private static LeaderMessage pastRefused(PastStateRefused proto) throws ProtocolException {
    Fields.require(proto.hasRequestId(), "request_id");
    Fields.require(proto.hasMessage(), "message");
    return new LeaderMessage.PastStateRefused(
        proto.getRequestId(), proto.getMessage(), proto.getHint());
  }

  private static Heartbeat heartbeat(LeaderMessage.Heartbeat heartbeat) {
    Heartbeat.Builder proto =
        Heartbeat.newBuilder()
            .setLeaderEpoch(heartbeat.leaderEpoch())
            .setCommitIndex(heartbeat.commitIndex());
    if (heartbeat.freeBytes() != LeaderMessage.Heartbeat.UNKNOWN) {
      proto.setFreeBytes(heartbeat.freeBytes());
    }
    io.hypersync.wire.message.StandbyStanding standing = heartbeat.standing();
    if (standing != null) {
      proto.setStanding(standing(standing));
    }
    return proto.build();
  }

  private static StandbyStanding standing(io.hypersync.wire.message.StandbyStanding standing) {
    StandbyStanding.Builder proto =
        StandbyStanding.newBuilder()
            .setMark(
                switch (standing.mark()) {
                  case INCOMPLETE -> StandbyStanding.Mark.INCOMPLETE;
                  case AS_BEFORE -> StandbyStanding.Mark.AS_BEFORE;
                  case SYNCHRONOUS -> StandbyStanding.Mark.SYNCHRONOUS;
                });
    if (standing.aloneAfterMs() != io.hypersync.wire.message.StandbyStanding.NEVER) {
      proto.setAloneAfterMs(standing.aloneAfterMs());
    }
    return proto.build();
  }

  private static io.hypersync.wire.message.StandbyStanding standing(StandbyStanding proto)
      throws ProtocolException {
    return new io.hypersync.wire.message.StandbyStanding(
        switch (proto.getMark()) {
          case INCOMPLETE -> io.hypersync.wire.message.StandbyStanding.Mark.INCOMPLETE;
          case AS_BEFORE -> io.hypersync.wire.message.StandbyStanding.Mark.AS_BEFORE;
          case SYNCHRONOUS -> io.hypersync.wire.message.StandbyStanding.Mark.SYNCHRONOUS;
          default -> throw new ProtocolException("an unknown mark of a standby");
        },
        Fields.number(proto.getAloneAfterMs(), 0, Integer.MAX_VALUE, "alone_after_ms"));
  }

  private static LeaderMessage heartbeat(Heartbeat proto) throws ProtocolException {
    Fields.require(proto.hasLeaderEpoch(), "leader_epoch");
    Fields.require(proto.hasCommitIndex(), "commit_index");
    return new LeaderMessage.Heartbeat(
        proto.getLeaderEpoch(),
        Fields.number(proto.getCommitIndex(), 0, "commit_index"),
        proto.hasFreeBytes()
            ? Fields.number(proto.getFreeBytes(), 0, "free_bytes")
            : LeaderMessage.Heartbeat.UNKNOWN,
        proto.hasStanding() ? standing(proto.getStanding()) : null);
  }

  private static LeaderMessage barrier(BarrierResponse proto) throws ProtocolException {
    Fields.require(proto.hasRequestId(), "request_id");
    Fields.require(proto.hasCommitIndex(), "commit_index");
    return new LeaderMessage.BarrierResponse(
        proto.getRequestId(), Fields.number(proto.getCommitIndex(), 0, "commit_index"));
  }

  private static CommitAck ack(LeaderMessage.CommitAck ack) {
    CommitAck.Builder proto =
        CommitAck.newBuilder()
            .setIntent(Fields.toProto(ack.intent()))
            .setAsOfIndex(ack.asOfIndex());
    if (ack.errno() != null) {
      proto.setErrno(ack.errno().code());
    }
    if (ack.committed() != null) {
      proto.setCommitted(Fields.toProto(ack.committed()));
    }
    return proto.build();
  }

  private static LeaderMessage ack(CommitAck proto) throws ProtocolException {
    Fields.require(proto.hasAsOfIndex(), "as_of_index");
    if (proto.hasErrno() == proto.hasCommitted()) {
      throw new ProtocolException("an ack has either an errno or a place in the log");
    }
    return new LeaderMessage.CommitAck(
        Fields.intentId(proto.hasIntent(), proto.getIntent()),
        proto.hasErrno() ? Fields.errno(true, proto.getErrno(), "errno") : null,
        proto.hasCommitted() ? Fields.committed(proto.getCommitted()) : null,
        Fields.number(proto.getAsOfIndex(), 0, "as_of_index"));
  }

  private static LeaderMessage need(ChunkNeed proto) throws ProtocolException {
    return new LeaderMessage.ChunkNeed(
        Fields.intentId(proto.hasIntent(), proto.getIntent()),
        Fields.hashes(proto.getMissingHashes(), "missing_hashes"));
  }

  private static IntentStatusResponse status(LeaderMessage.IntentStatusResponse status) {
    IntentStatusResponse.Builder proto =
        IntentStatusResponse.newBuilder()
            .setIntent(Fields.toProto(status.intent()))
            .setStatus(
                switch (status.status()) {
                  case COMMITTED -> IntentStatusResponse.Status.COMMITTED;
                  case NOT_FOUND -> IntentStatusResponse.Status.NOT_FOUND;
                  case IN_FLIGHT -> IntentStatusResponse.Status.IN_FLIGHT;
                });
    if (status.committed() != null) {
      proto.setCommitted(Fields.toProto(status.committed()));
    }
    return proto.build();
  }

  private static LeaderMessage status(IntentStatusResponse proto) throws ProtocolException {
    LeaderMessage.IntentStatusResponse.Status status =
        switch (proto.getStatus()) {
          case COMMITTED -> LeaderMessage.IntentStatusResponse.Status.COMMITTED;
          case NOT_FOUND -> LeaderMessage.IntentStatusResponse.Status.NOT_FOUND;
          case IN_FLIGHT -> LeaderMessage.IntentStatusResponse.Status.IN_FLIGHT;
          case STATUS_UNSPECIFIED, UNRECOGNIZED ->
              throw new ProtocolException("status is missing or unknown");
        };
    boolean committed = status == LeaderMessage.IntentStatusResponse.Status.COMMITTED;
    if (proto.hasCommitted() != committed) {
      throw new ProtocolException("a place in the log belongs to COMMITTED, and only to it");
    }
    return new LeaderMessage.IntentStatusResponse(
        Fields.intentId(proto.hasIntent(), proto.getIntent()),
        status,
        committed ? Fields.committed(proto.getCommitted()) : null);
  }

  private static LeaderMessage limited(RateLimited proto) throws ProtocolException {
    Fields.require(proto.hasRetryAfterMs(), "retry_after_ms");
    return new LeaderMessage.RateLimited(
        Fields.intentId(proto.hasIntent(), proto.getIntent()),
        Fields.number(proto.getRetryAfterMs(), 1, Integer.MAX_VALUE, "retry_after_ms"));
  }

  private static LogEntries log(LeaderMessage.LogEntries log) {
    LogEntries.Builder proto = LogEntries.newBuilder().setCommitIndex(log.commitIndex());
    for (byte[] entry : log.entries()) {
      proto.addEntries(UnsafeByteOperations.unsafeWrap(entry));
    }
    if (log.delivery() != ChunkDelivery.ON_REQUEST) {
      proto.setDelivery(log.delivery().code());
    }
    return proto.build();
  }

  private static LeaderMessage log(LogEntries proto) throws ProtocolException {
    Fields.require(proto.hasCommitIndex(), "commit_index");
    Fields.require(proto.getEntriesCount() > 0, "entries");
    List<byte[]> entries = new ArrayList<>(proto.getEntriesCount());
    for (ByteString entry : proto.getEntriesList()) {
      Fields.require(!entry.isEmpty(), "an entry");
      entries.add(entry.toByteArray());
    }
    return new LeaderMessage.LogEntries(
        Fields.number(proto.getCommitIndex(), 0, "commit_index"),
        entries,
        delivery(proto.getDelivery()));
  }

  private static ChunkDelivery delivery(int code) throws ProtocolException {
    for (ChunkDelivery delivery : ChunkDelivery.values()) {
      if (delivery.code() == code) {
        return delivery;
      }
    }
    throw new ProtocolException("delivery is " + Integer.toUnsignedString(code));
  }

  private static LeaderMessage group(MulticastGroup proto) throws ProtocolException {
    Fields.require(proto.hasEpoch(), "epoch");
    byte[] group = address(proto.getGroup(), "group");
    byte[] source = address(proto.getSource(), "source");
    if (source.length != group.length) {
      throw new ProtocolException("group and source are of different families");
    }
    boolean isMulticast =
        group.length == IPV4_BYTES ? (group[0] & 0xf0) == 0xe0 : (group[0] & 0xff) == 0xff;
    if (!isMulticast) {
      throw new ProtocolException("group is no multicast address");
    }
    if (proto.getKey().size() != LeaderMessage.MulticastGroup.KEY_BYTES) {
      throw new ProtocolException("key has " + proto.getKey().size() + " bytes");
    }
    return new LeaderMessage.MulticastGroup(
        group,
        Fields.number(proto.getPort(), 1, MAX_PORT, "port"),
        source,
        proto.getEpoch(),
        proto.getKey().toByteArray());
  }

  private static byte[] address(ByteString address, String field) throws ProtocolException {
    if (address.size() != IPV4_BYTES && address.size() != IPV6_BYTES) {
      throw new ProtocolException(field + " has " + address.size() + " bytes");
    }
    return address.toByteArray();
  }

  private static LeaderMessage unavailable(ChunkUnavailable proto) throws ProtocolException {
    Fields.require(proto.hasMessage(), "message");
    return new LeaderMessage.ChunkUnavailable(
        Fields.hash(proto.hasHash(), proto.getHash(), "hash"),
        Fields.errno(proto.hasErrno(), proto.getErrno(), "errno"),
        proto.getMessage());
  }
}
