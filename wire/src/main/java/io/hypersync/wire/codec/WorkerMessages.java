package io.hypersync.wire.codec;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.proto.ApplyError;
import io.hypersync.wire.proto.BarrierRequest;
import io.hypersync.wire.proto.ChunkAbsent;
import io.hypersync.wire.proto.ChunkFetch;
import io.hypersync.wire.proto.DecodeProgress;
import io.hypersync.wire.proto.Hello;
import io.hypersync.wire.proto.IntentStatusRequest;
import io.hypersync.wire.proto.MulticastHeard;
import io.hypersync.wire.proto.PastStateRelease;
import io.hypersync.wire.proto.PastStateRequest;
import io.hypersync.wire.proto.RevocationsKept;
import io.hypersync.wire.proto.SubmitIntent;
import io.hypersync.wire.proto.WorkerApplied;
import io.hypersync.wire.proto.WorkerVisible;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Converts the worker's messages to and from protobuf. Unknown fields are dropped while parsing.
 */
final class WorkerMessages {
  private static final Parser<Hello> HELLO = DiscardUnknownFieldsParser.wrap(Hello.parser());
  private static final Parser<BarrierRequest> BARRIER =
      DiscardUnknownFieldsParser.wrap(BarrierRequest.parser());
  private static final Parser<WorkerApplied> APPLIED =
      DiscardUnknownFieldsParser.wrap(WorkerApplied.parser());
  private static final Parser<ChunkFetch> FETCH =
      DiscardUnknownFieldsParser.wrap(ChunkFetch.parser());
  private static final Parser<ChunkAbsent> ABSENT =
      DiscardUnknownFieldsParser.wrap(ChunkAbsent.parser());
  private static final Parser<PastStateRequest> PAST =
      DiscardUnknownFieldsParser.wrap(PastStateRequest.parser());
  private static final Parser<PastStateRelease> RELEASE =
      DiscardUnknownFieldsParser.wrap(PastStateRelease.parser());
  private static final Parser<DecodeProgress> PROGRESS =
      DiscardUnknownFieldsParser.wrap(DecodeProgress.parser());
  private static final Parser<MulticastHeard> HEARD =
      DiscardUnknownFieldsParser.wrap(MulticastHeard.parser());
  private static final Parser<RevocationsKept> KEPT =
      DiscardUnknownFieldsParser.wrap(RevocationsKept.parser());
  private static final Parser<WorkerVisible> VISIBLE =
      DiscardUnknownFieldsParser.wrap(WorkerVisible.parser());
  private static final Parser<SubmitIntent> SUBMIT =
      DiscardUnknownFieldsParser.wrap(SubmitIntent.parser());
  private static final Parser<IntentStatusRequest> STATUS =
      DiscardUnknownFieldsParser.wrap(IntentStatusRequest.parser());

  private WorkerMessages() {}

  static MessageLite toProto(WorkerMessage message) {
    return switch (message) {
      case WorkerMessage.Hello hello -> hello(hello);
      case WorkerMessage.BarrierRequest barrier ->
          BarrierRequest.newBuilder().setRequestId(barrier.requestId()).build();
      case WorkerMessage.WorkerApplied applied -> applied(applied);
      case WorkerMessage.ChunkFetch fetch -> fetch(fetch);
      case WorkerMessage.SubmitIntent submit -> submit(submit);
      case WorkerMessage.IntentStatusRequest status ->
          IntentStatusRequest.newBuilder().setIntent(Fields.toProto(status.intent())).build();
      case WorkerMessage.LockRequest lock -> LockMessages.toProto(lock);
      case WorkerMessage.LockRelease release -> LockMessages.toProto(release);
      case WorkerMessage.LockCancel cancel -> LockMessages.toProto(cancel);
      case WorkerMessage.LockRenew renew -> LockMessages.toProto(renew);
      case WorkerMessage.OpenLeaseAcquire acquire -> LeaseMessages.toProto(acquire);
      case WorkerMessage.OpenLeaseRelease release -> LeaseMessages.toProto(release);
      case WorkerMessage.OpenLeaseRenew renew -> LeaseMessages.toProto(renew);
      case WorkerMessage.ChunkAbsent absent ->
          ChunkAbsent.newBuilder().setHashes(Fields.toProto(absent.hashes())).build();
      case WorkerMessage.PastStateRequest request ->
          PastStateRequest.newBuilder()
              .setRequestId(request.requestId())
              .setMoment(request.moment())
              .build();
      case WorkerMessage.PastStateRelease release ->
          PastStateRelease.newBuilder().setIndex(release.index()).build();
      case WorkerMessage.RevocationsKept(int count) ->
          RevocationsKept.newBuilder().setCount(count).build();
      case WorkerMessage.DecodeProgress progress ->
          DecodeProgress.newBuilder()
              .setPush(progress.push())
              .setBacklogBytes(progress.backlogBytes())
              .build();
      case WorkerMessage.MulticastHeard heard ->
          MulticastHeard.newBuilder()
              .setEpoch(heard.epoch())
              .setNewestPacket(heard.newestPacket())
              .setReceived(heard.received())
              .setRejected(heard.rejected())
              .build();
      case WorkerMessage.WorkerVisible visible ->
          WorkerVisible.newBuilder()
              .setSettledIndex(visible.settledIndex())
              .setSentNs(visible.sentNs())
              .build();
      case WorkerMessage.ChunkPut _, WorkerMessage.ChunkCopy _ ->
          throw new IllegalArgumentException("chunks do not pass through protobuf");
    };
  }

  static WorkerMessage fromProto(FrameKind kind, ByteBuffer body) throws ProtocolException {
    return switch (kind) {
      case HELLO -> hello(Fields.parse(HELLO, kind, body));
      case BARRIER_REQUEST -> barrier(Fields.parse(BARRIER, kind, body));
      case WORKER_APPLIED -> applied(Fields.parse(APPLIED, kind, body));
      case CHUNK_FETCH -> fetch(Fields.parse(FETCH, kind, body));
      case SUBMIT_INTENT -> submit(Fields.parse(SUBMIT, kind, body));
      case INTENT_STATUS_REQUEST -> status(Fields.parse(STATUS, kind, body));
      case LOCK_REQUEST -> LockMessages.request(body);
      case LOCK_RELEASE -> LockMessages.release(body);
      case LOCK_CANCEL -> LockMessages.cancel(body);
      case LOCK_RENEW -> LockMessages.renew(body);
      case OPEN_LEASE_ACQUIRE -> LeaseMessages.acquire(body);
      case OPEN_LEASE_RELEASE -> LeaseMessages.release(body);
      case OPEN_LEASE_RENEW -> LeaseMessages.renew(body);
      case CHUNK_ABSENT ->
          new WorkerMessage.ChunkAbsent(
              Fields.hashes(Fields.parse(ABSENT, kind, body).getHashes(), "hashes"));
      case PAST_STATE_REQUEST -> pastState(Fields.parse(PAST, kind, body));
      case PAST_STATE_RELEASE -> release(Fields.parse(RELEASE, kind, body));
      case DECODE_PROGRESS -> progress(Fields.parse(PROGRESS, kind, body));
      case MULTICAST_HEARD -> heard(Fields.parse(HEARD, kind, body));
      case WORKER_VISIBLE -> visible(Fields.parse(VISIBLE, kind, body));
      case REVOCATIONS_KEPT -> RevocationMessages.kept(Fields.parse(KEPT, kind, body));
      case CHUNK_PUT,
          CHUNK_COPY,
          CHUNK_WANTED,
          PAST_STATE,
          PAST_STATE_REFUSED,
          WELCOME,
          REFUSED,
          SNAPSHOT_OFFER,
          MULTICAST_GROUP,
          REVOCATIONS,
          SESSION_RENEWED,
          VISIBILITY_LEASE,
          HEARTBEAT,
          BARRIER_RESPONSE,
          LOCK_RESPONSE,
          LOCK_EXPIRY_WARNING,
          NOTICE,
          COMMIT_ACK,
          CHUNK_NEED,
          INTENT_STATUS_RESPONSE,
          RATE_LIMITED,
          LOG_ENTRIES,
          CHUNK_DATA,
          CHUNK_UNAVAILABLE ->
          throw new ProtocolException("a " + kind + " is no control message of a worker");
    };
  }

  private static Hello hello(WorkerMessage.Hello hello) {
    Hello.Builder proto =
        Hello.newBuilder()
            .setProtocolVersion(hello.protocolVersion())
            .setWorkspaceId(Fields.toProto(hello.workspace()))
            .setWorkerId(hello.worker().name())
            .setAppliedIndex(hello.appliedIndex())
            .setAppliedRoot(Fields.toProto(hello.appliedRoot()))
            .setClientId(Fields.toProto(hello.run()))
            .setProtocolRevision(hello.revision())
            .setFeatures(hello.features().bits());
    if (!hello.resumeToken().isEmpty()) {
      proto.setResumeToken(hello.resumeToken());
    }
    if (hello.seen().index() > 0) {
      proto
          .setSeenLineage(hello.seen().lineage())
          .setSeenIndex(hello.seen().index())
          .setSeenRoot(Fields.toProto(hello.seen().root()));
      if (hello.seen().term() > 0) {
        proto.setSeenTerm(hello.seen().term());
      }
    }
    if (hello.noticesSeen() > 0) {
      proto.setNoticesSeen(hello.noticesSeen());
    }
    hello.leaderEpochSeen().ifPresent(proto::setLeaderEpochSeen);
    return proto.build();
  }

  private static WorkerMessage hello(Hello proto) throws ProtocolException {
    Fields.require(proto.hasProtocolVersion(), "protocol_version");
    Fields.require(proto.hasAppliedIndex(), "applied_index");
    return new WorkerMessage.Hello(
        proto.getProtocolVersion(),
        Fields.workspaceId(proto.hasWorkspaceId(), proto.getWorkspaceId()),
        Fields.workerId(proto.hasWorkerId(), proto.getWorkerId()),
        proto.hasLeaderEpochSeen()
            ? OptionalLong.of(proto.getLeaderEpochSeen())
            : OptionalLong.empty(),
        Fields.number(proto.getAppliedIndex(), 0, "applied_index"),
        Fields.hash(proto.hasAppliedRoot(), proto.getAppliedRoot(), "applied_root"),
        Fields.clientId(proto.hasClientId(), proto.getClientId()),
        Fields.revision(proto.hasProtocolRevision(), proto.getProtocolRevision()),
        new Features(proto.getFeatures()),
        Fields.resumeToken(proto.getResumeToken(), 0),
        proto.hasSeenIndex()
            ? new SeenState(
                proto.getSeenLineage(),
                Fields.number(proto.getSeenTerm(), 0, "seen_term"),
                Fields.number(proto.getSeenIndex(), 1, "seen_index"),
                Fields.hash(proto.hasSeenRoot(), proto.getSeenRoot(), "seen_root"))
            : SeenState.NONE,
        Fields.number(proto.getNoticesSeen(), 0, "notices_seen"));
  }

  private static WorkerMessage barrier(BarrierRequest proto) throws ProtocolException {
    Fields.require(proto.hasRequestId(), "request_id");
    return new WorkerMessage.BarrierRequest(proto.getRequestId());
  }

  private static WorkerApplied applied(WorkerMessage.WorkerApplied applied) {
    WorkerApplied.Builder proto =
        WorkerApplied.newBuilder()
            .setAppliedIndex(applied.visibleIndex())
            .setAppliedRoot(Fields.toProto(applied.visibleRoot()))
            .setReadOnly(applied.readOnly())
            .setMissingChunksCount(applied.missingChunks());
    WorkerMessage.ApplyError error = applied.applyError();
    if (error != null) {
      ApplyError.Builder failed =
          ApplyError.newBuilder()
              .setLogIndex(error.logIndex())
              .setErrno(error.errno().code())
              .setMessage(error.message());
      Hash root = error.root();
      if (root != null) {
        failed.setRoot(Fields.toProto(root));
      }
      proto.setLastApplyError(failed);
    }
    LocalPressure pressure = applied.pressure();
    if (!pressure.equals(LocalPressure.NOT_KNOWN)) {
      proto.setLocalPressure(pressure(pressure));
    }
    if (applied.isStandby()) {
      proto.setSyncedIndex(applied.syncedIndex());
    }
    return proto.build();
  }

  private static WorkerMessage applied(WorkerApplied proto) throws ProtocolException {
    Fields.require(proto.hasAppliedIndex(), "applied_index");
    Fields.require(proto.hasReadOnly(), "read_only");
    Fields.require(proto.hasMissingChunksCount(), "missing_chunks_count");
    return new WorkerMessage.WorkerApplied(
        Fields.number(proto.getAppliedIndex(), 0, "applied_index"),
        Fields.hash(proto.hasAppliedRoot(), proto.getAppliedRoot(), "applied_root"),
        proto.getReadOnly(),
        Fields.number(proto.getMissingChunksCount(), 0, Integer.MAX_VALUE, "missing_chunks_count"),
        proto.hasLastApplyError() ? applyError(proto.getLastApplyError()) : null,
        proto.hasLocalPressure() ? pressure(proto.getLocalPressure()) : LocalPressure.NOT_KNOWN,
        proto.hasSyncedIndex()
            ? Fields.number(proto.getSyncedIndex(), 0, "synced_index")
            : WorkerMessage.WorkerApplied.NO_STANDBY);
  }

  private static io.hypersync.wire.proto.LocalPressure pressure(LocalPressure pressure) {
    io.hypersync.wire.proto.LocalPressure.Builder proto =
        io.hypersync.wire.proto.LocalPressure.newBuilder();
    if (pressure.cpuPercent() != LocalPressure.UNKNOWN) {
      proto.setCpuPercent(pressure.cpuPercent());
    }
    if (pressure.memoryPercent() != LocalPressure.UNKNOWN) {
      proto.setMemoryPercent(pressure.memoryPercent());
    }
    if (pressure.diskPercent() != LocalPressure.UNKNOWN) {
      proto.setDiskPercent(pressure.diskPercent());
    }
    if (pressure.syncLagUs() != LocalPressure.UNKNOWN) {
      proto.setSyncLagUs(pressure.syncLagUs());
    }
    if (pressure.commitRttUs() != LocalPressure.UNKNOWN) {
      proto.setCommitRttUs(pressure.commitRttUs());
    }
    if (pressure.agents() != LocalPressure.UNKNOWN) {
      proto.setAgents(pressure.agents());
    }
    return proto.build();
  }

  private static LocalPressure pressure(io.hypersync.wire.proto.LocalPressure proto)
      throws ProtocolException {
    return new LocalPressure(
        percent(proto.hasCpuPercent(), proto.getCpuPercent(), "cpu_percent"),
        percent(proto.hasMemoryPercent(), proto.getMemoryPercent(), "memory_percent"),
        percent(proto.hasDiskPercent(), proto.getDiskPercent(), "disk_percent"),
        known(proto.hasSyncLagUs(), proto.getSyncLagUs(), Integer.MAX_VALUE, "sync_lag_us"),
        known(proto.hasCommitRttUs(), proto.getCommitRttUs(), Integer.MAX_VALUE, "commit_rtt_us"),
        known(proto.hasAgents(), proto.getAgents(), LocalPressure.MAX_AGENTS, "agents"));
  }

  private static int percent(boolean present, int value, String field) throws ProtocolException {
    return known(present, value, LocalPressure.MAX_PERCENT, field);
  }

  private static int known(boolean present, int value, int max, String field)
      throws ProtocolException {
    return present ? Fields.number(value, 0, max, field) : LocalPressure.UNKNOWN;
  }

  private static WorkerMessage.ApplyError applyError(ApplyError proto) throws ProtocolException {
    Fields.require(proto.hasLogIndex() && proto.hasMessage(), "log_index or message");
    return new WorkerMessage.ApplyError(
        Fields.number(proto.getLogIndex(), 1, "log_index"),
        Fields.errno(proto.hasErrno(), proto.getErrno(), "errno"),
        proto.getMessage(),
        proto.hasRoot() ? Fields.hash(true, proto.getRoot(), "root") : null);
  }

  private static ChunkFetch fetch(WorkerMessage.ChunkFetch fetch) {
    List<Hash> hashes = new ArrayList<>(fetch.chunks().size());
    ChunkFetch.Builder proto = ChunkFetch.newBuilder();
    for (ChunkRef chunk : fetch.chunks()) {
      hashes.add(chunk.hash());
      proto.addLengths(chunk.length());
    }
    return proto.setHashes(Fields.toProto(hashes)).build();
  }

  private static WorkerMessage fetch(ChunkFetch proto) throws ProtocolException {
    List<Hash> hashes = Fields.hashes(proto.getHashes(), "hashes");
    if (proto.getLengthsCount() != hashes.size()) {
      throw new ProtocolException(
          "lengths has " + proto.getLengthsCount() + " numbers for " + hashes.size() + " hashes");
    }
    List<ChunkRef> chunks = new ArrayList<>(hashes.size());
    for (int i = 0; i < hashes.size(); i++) {
      int length = Fields.number(proto.getLengths(i), 0, ChunkRef.MAX_LENGTH, "length");
      chunks.add(new ChunkRef(hashes.get(i), length));
    }
    return new WorkerMessage.ChunkFetch(chunks);
  }

  private static WorkerMessage pastState(PastStateRequest proto) throws ProtocolException {
    Fields.require(proto.hasRequestId(), "request_id");
    int length = proto.getMoment().getBytes(StandardCharsets.UTF_8).length;
    if (length < 1 || length > Protocol.MAX_MOMENT_BYTES) {
      throw new ProtocolException(
          "moment has " + length + " bytes, 1 to " + Protocol.MAX_MOMENT_BYTES + " allowed");
    }
    return new WorkerMessage.PastStateRequest(proto.getRequestId(), proto.getMoment());
  }

  private static WorkerMessage progress(DecodeProgress proto) throws ProtocolException {
    Fields.require(proto.hasPush(), "push");
    return new WorkerMessage.DecodeProgress(
        Fields.number(proto.getPush(), 1, "push"),
        Fields.number(proto.getBacklogBytes(), 0, Integer.MAX_VALUE, "backlog_bytes"));
  }

  private static WorkerMessage heard(MulticastHeard proto) throws ProtocolException {
    Fields.require(proto.hasEpoch(), "epoch");
    return new WorkerMessage.MulticastHeard(
        proto.getEpoch(),
        Fields.number(proto.getNewestPacket(), 1, "newest_packet"),
        Fields.number(proto.getReceived(), 1, "received"),
        Fields.number(proto.getRejected(), 0, "rejected"));
  }

  private static WorkerMessage visible(WorkerVisible proto) throws ProtocolException {
    Fields.require(proto.hasSettledIndex(), "settled_index");
    return new WorkerMessage.WorkerVisible(
        Fields.number(proto.getSettledIndex(), 0, "settled_index"),
        Fields.number(proto.getSentNs(), 1, "sent_ns"));
  }

  private static WorkerMessage release(PastStateRelease proto) throws ProtocolException {
    Fields.require(proto.hasIndex(), "index");
    return new WorkerMessage.PastStateRelease(Fields.number(proto.getIndex(), 1, "index"));
  }

  private static SubmitIntent submit(WorkerMessage.SubmitIntent submit) {
    SubmitIntent.Builder proto =
        SubmitIntent.newBuilder()
            .setIntent(Fields.toProto(submit.intent()))
            .setOp(UnsafeByteOperations.unsafeWrap(submit.op()));
    if (!submit.agent().isEmpty()) {
      proto.setAgent(submit.agent());
    }
    if (submit.inlinePayload().length > 0) {
      proto.setInlinePayload(UnsafeByteOperations.unsafeWrap(submit.inlinePayload()));
    }
    if (!submit.uploading().isEmpty()) {
      proto.setUploading(Fields.toProto(submit.uploading()));
    }
    context(submit.context(), proto);
    if (submit.lockSession() != 0) {
      proto.setLockSession(submit.lockSession());
    }
    return proto.build();
  }

  private static void context(CallContext context, SubmitIntent.Builder proto) {
    CallPaths paths = context.paths();
    if (paths.first().length > 0) {
      proto.setPath(UnsafeByteOperations.unsafeWrap(paths.first()));
    }
    if (paths.second().length > 0) {
      proto.setSecondPath(UnsafeByteOperations.unsafeWrap(paths.second()));
    }
    if (context.isNameLate()) {
      proto.setAgentLate(true);
    }
    if (context.seen() != CallContext.NOT_KNOWN) {
      proto.setSeenIndex(context.seen());
    }
  }

  private static CallContext context(SubmitIntent proto) throws ProtocolException {
    CallPaths paths =
        new CallPaths(
            Fields.atMost(proto.getPath(), Hazard.MAX_PATH_BYTES, "path"),
            Fields.atMost(proto.getSecondPath(), Hazard.MAX_PATH_BYTES, "second_path"));
    long seen =
        proto.hasSeenIndex()
            ? Fields.number(proto.getSeenIndex(), 0, "seen_index")
            : CallContext.NOT_KNOWN;
    return new CallContext(paths, proto.getAgentLate(), seen);
  }

  private static WorkerMessage submit(SubmitIntent proto) throws ProtocolException {
    Fields.require(!proto.getOp().isEmpty(), "op");
    return new WorkerMessage.SubmitIntent(
        Fields.intentId(proto.hasIntent(), proto.getIntent()),
        proto.getAgent(),
        proto.getOp().toByteArray(),
        proto.getInlinePayload().toByteArray(),
        proto.getUploading().isEmpty()
            ? List.of()
            : Fields.hashes(proto.getUploading(), "uploading"),
        context(proto),
        proto.getLockSession());
  }

  private static WorkerMessage status(IntentStatusRequest proto) throws ProtocolException {
    return new WorkerMessage.IntentStatusRequest(
        Fields.intentId(proto.hasIntent(), proto.getIntent()));
  }
}
