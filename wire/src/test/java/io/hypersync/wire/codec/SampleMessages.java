package io.hypersync.wire.codec;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockKind;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.SessionGrant;
import io.hypersync.wire.message.StandbyStanding;
import io.hypersync.wire.message.StandbyStanding.Mark;
import io.hypersync.wire.message.WorkerMessage;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;

/** At least one message of every kind, with and without the optional parts. */
public final class SampleMessages {
  public static final WorkspaceId WORKSPACE = WorkspaceId.parse("00112233445566778899aabbccddeeff");
  public static final WorkerId WORKER = new WorkerId("w1");
  public static final IntentId INTENT =
      new IntentId(ClientId.parse("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"), 7);
  public static final Hash HASH =
      Hash.parse("101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f");
  public static final NodeId NODE = NodeId.parse("e0e1e2e3e4e5e6e7e8e9eaebecedeeef");
  public static final LeaderMessage.Committed COMMITTED =
      new LeaderMessage.Committed(
          9, OpId.parse("d0d1d2d3d4d5d6d7d8d9dadbdcdddedf"), 1_000_000_007L, HASH, -1);

  private SampleMessages() {}

  public static List<WorkerMessage> worker() {
    return List.of(
        new WorkerMessage.Hello(WORKSPACE, WORKER, OptionalLong.of(-2), 5, HASH, INTENT.client()),
        new WorkerMessage.Hello(
            "",
            WORKSPACE,
            WORKER,
            OptionalLong.empty(),
            0,
            Hash.ZERO,
            INTENT.client(),
            Integer.MAX_VALUE,
            Features.of(Feature.RAPTORQ, Feature.COMPRESSION),
            "mesh-resume.v1.x.y",
            new SeenState(-9, Long.MAX_VALUE, 41_372, HASH),
            Long.MAX_VALUE),
        new WorkerMessage.SubmitIntent(INTENT, "agent", bytes("op"), bytes("inline"), List.of()),
        new WorkerMessage.SubmitIntent(INTENT, "", bytes("op"), bytes(""), List.of(HASH)),
        new WorkerMessage.SubmitIntent(
            INTENT,
            "",
            bytes("op"),
            bytes(""),
            List.of(),
            new CallContext(new CallPaths(bytes("a/b"), bytes("c")), true, 0),
            0x8000_0000_0000_0001L),
        new WorkerMessage.IntentStatusRequest(INTENT),
        new WorkerMessage.BarrierRequest(-1),
        new WorkerMessage.WorkerApplied(5, HASH, false, 3, null),
        new WorkerMessage.WorkerApplied(5, HASH, true, 3, null, LocalPressure.NOT_KNOWN, 0),
        new WorkerMessage.WorkerApplied(
            5, HASH, true, 3, null, new LocalPressure(0, 100, 99), Long.MAX_VALUE),
        new WorkerMessage.WorkerApplied(5, HASH, false, 3, null, new LocalPressure(0, 100, 99)),
        new WorkerMessage.WorkerApplied(
            5, HASH, false, 3, null, new LocalPressure(LocalPressure.UNKNOWN, 7, 8)),
        new WorkerMessage.WorkerApplied(
            5,
            HASH,
            false,
            3,
            null,
            new LocalPressure(1, 2, 3, 0, Integer.MAX_VALUE, LocalPressure.MAX_AGENTS)),
        new WorkerMessage.WorkerApplied(
            5,
            HASH,
            false,
            3,
            null,
            new LocalPressure(1, 2, 3, LocalPressure.UNKNOWN, 4, LocalPressure.UNKNOWN)),
        new WorkerMessage.WorkerApplied(
            5, HASH, true, 0, new WorkerMessage.ApplyError(6, Errno.ENOSPC, "disk full")),
        new WorkerMessage.WorkerApplied(
            5, HASH, true, 0, new WorkerMessage.ApplyError(6, Errno.EIO, "other root", HASH)),
        new WorkerMessage.ChunkAbsent(List.of(HASH)),
        new WorkerMessage.PastStateRequest(-7, "before-the-rewrite"),
        new WorkerMessage.PastStateRelease(1),
        new WorkerMessage.RevocationsKept(0),
        new WorkerMessage.RevocationsKept(Revocation.MAX),
        new WorkerMessage.DecodeProgress(1, Integer.MAX_VALUE),
        new WorkerMessage.MulticastHeard(-5, Long.MAX_VALUE, 1, 0),
        new WorkerMessage.MulticastHeard(5, 9, 7, Long.MAX_VALUE),
        new WorkerMessage.WorkerVisible(0, 1),
        new WorkerMessage.WorkerVisible(Long.MAX_VALUE, Long.MAX_VALUE),
        new WorkerMessage.ChunkCopy(HASH, bytes("chunk")),
        new WorkerMessage.ChunkCopy(HASH, new byte[0]),
        new WorkerMessage.ChunkPut(INTENT, HASH, bytes("chunk")),
        new WorkerMessage.ChunkPut(INTENT, HASH, new byte[ChunkRef.MAX_LENGTH]),
        new WorkerMessage.ChunkFetch(
            List.of(new ChunkRef(HASH, ChunkRef.MAX_LENGTH), new ChunkRef(Hash.ZERO, 0))),
        new WorkerMessage.LockRequest(
            INTENT,
            NODE,
            LockKind.FLOCK_EXCLUSIVE,
            -1,
            0,
            LockRange.WHOLE,
            WorkerMessage.LockRequest.Wish.WAIT),
        new WorkerMessage.LockRequest(
            INTENT,
            NODE,
            LockKind.FCNTL_UNLOCK,
            1,
            Integer.MAX_VALUE,
            new LockRange(3, 3),
            WorkerMessage.LockRequest.Wish.TRY),
        new WorkerMessage.LockRequest(
            INTENT,
            NODE,
            LockKind.FCNTL_READ,
            0,
            9,
            new LockRange(7, LockRange.TO_THE_END),
            WorkerMessage.LockRequest.Wish.TEST),
        new WorkerMessage.LockRelease(INTENT, NODE, LockSpace.FLOCK, -2),
        new WorkerMessage.LockRelease(INTENT, NODE, LockSpace.POSIX, 0),
        new WorkerMessage.LockCancel(INTENT, 6),
        new WorkerMessage.LockRenew(INTENT.client(), -3, 0),
        new WorkerMessage.OpenLeaseAcquire(-3, List.of(NODE, new NodeId(0, 1))),
        new WorkerMessage.OpenLeaseRelease(3, List.of(NODE)),
        new WorkerMessage.OpenLeaseRenew(3, List.of(NODE)),
        new WorkerMessage.OpenLeaseRenew(3, List.of()));
  }

  public static List<LeaderMessage> leader() {
    return List.of(
        new LeaderMessage.Welcome(WORKSPACE, -3, 5, 500, NegotiatedParams.DEFAULT, -4, 15_000),
        new LeaderMessage.Welcome(
            WORKSPACE,
            -3,
            5,
            500,
            new NegotiatedParams(new Features(-1), 4_096, 0, 1_000),
            -4,
            15_000,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            new SessionGrant(-9, true, Integer.MAX_VALUE, "~".repeat(SessionGrant.MAX_TOKEN)),
            -5,
            Long.MAX_VALUE),
        new LeaderMessage.SessionRenewed("!"),
        new LeaderMessage.Revocations(List.of()),
        new LeaderMessage.Revocations(
            List.of(
                new Revocation(new WorkerId("w-2"), "", 0, ""),
                new Revocation(
                    new WorkerId("w"),
                    "f".repeat(40),
                    Long.MAX_VALUE,
                    "\u20ac".repeat(Revocation.MAX_REASON)))),
        new LeaderMessage.Revocations(
            Collections.nCopies(
                Revocation.MAX,
                new Revocation(
                    new WorkerId("w".repeat(63)),
                    "f".repeat(40),
                    Long.MAX_VALUE,
                    "\u20ac".repeat(Revocation.MAX_REASON)))),
        new LeaderMessage.Refused(LeaderMessage.Refused.Reason.REVOKED, "by the leader"),
        new LeaderMessage.VisibilityLease(0, 0),
        new LeaderMessage.VisibilityLease(1_000, 0),
        new LeaderMessage.VisibilityLease(
            LeaderMessage.VisibilityLease.MAX_LEASE_MS, Long.MAX_VALUE),
        new LeaderMessage.Notice(
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            LeaderMessage.Notice.Kind.WORKER_LEFT,
            new WorkerId("w-2"),
            "x".repeat(LeaderMessage.Notice.MAX_TEXT)),
        new LeaderMessage.Notice(1, 0, LeaderMessage.Notice.Kind.MESSAGE, new WorkerId("w"), ""),
        new LeaderMessage.Notice(
            2, 1, LeaderMessage.Notice.Kind.WORKER_JOINED, new WorkerId("w"), "from x"),
        new LeaderMessage.Refused(LeaderMessage.Refused.Reason.SESSION_REPLACED, "from 10.0.0.1:9"),
        new LeaderMessage.Refused(LeaderMessage.Refused.Reason.DIVERGED, "other root at 5"),
        new LeaderMessage.PastState(-7, 1, HASH, bytes("manifest")),
        new LeaderMessage.PastStateRefused(-7, "there is no entry 9 yet", ""),
        new LeaderMessage.PastStateRefused(
            -7, "there is no entry 9 yet", "The newest one is entry 8."),
        new LeaderMessage.MulticastGroup(
            new byte[] {(byte) 239, 1, 2, 3}, 1, new byte[] {10, 0, 0, 1}, -5, new byte[32]),
        new LeaderMessage.MulticastGroup(
            new byte[] {-1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
            65_535,
            new byte[16],
            5,
            HASH.toBytes()),
        new LeaderMessage.ChunkWanted(List.of(HASH, Hash.ZERO)),
        new LeaderMessage.SnapshotOffer(5, HASH, bytes("manifest")),
        new LeaderMessage.SnapshotOffer(
            Long.MAX_VALUE, Hash.ZERO, new byte[Protocol.MAX_MANIFEST_BYTES]),
        new LeaderMessage.Heartbeat(-3, 5),
        new LeaderMessage.Heartbeat(7, 5, 0),
        new LeaderMessage.Heartbeat(7, 5, Long.MAX_VALUE),
        new LeaderMessage.Heartbeat(7, 5, 9, new StandbyStanding(Mark.INCOMPLETE, 10_000)),
        new LeaderMessage.Heartbeat(
            7, 5, 9, new StandbyStanding(Mark.AS_BEFORE, Integer.MAX_VALUE)),
        new LeaderMessage.Heartbeat(
            7, 5, 9, new StandbyStanding(Mark.SYNCHRONOUS, StandbyStanding.NEVER)),
        new LeaderMessage.BarrierResponse(-1, 5),
        new LeaderMessage.IntentStatusResponse(
            INTENT, LeaderMessage.IntentStatusResponse.Status.COMMITTED, COMMITTED),
        new LeaderMessage.IntentStatusResponse(
            INTENT, LeaderMessage.IntentStatusResponse.Status.NOT_FOUND, null),
        new LeaderMessage.IntentStatusResponse(
            INTENT, LeaderMessage.IntentStatusResponse.Status.IN_FLIGHT, null),
        new LeaderMessage.ChunkNeed(INTENT, List.of(HASH, Hash.ZERO)),
        new LeaderMessage.CommitAck(INTENT, null, COMMITTED, 9),
        new LeaderMessage.CommitAck(
            INTENT,
            null,
            new LeaderMessage.Committed(10, COMMITTED.opId(), 2_000_000_000L, HASH, 4096),
            10),
        new LeaderMessage.CommitAck(INTENT, Errno.EEXIST, null, 8),
        new LeaderMessage.RateLimited(INTENT, 250),
        new LeaderMessage.LogEntries(12, List.of(bytes("entry 11"), bytes("entry 12"))),
        new LeaderMessage.LogEntries(12, List.of(bytes("entry 11")), ChunkDelivery.DATAGRAMS),
        new LeaderMessage.ChunkData(HASH, bytes("chunk")),
        new LeaderMessage.ChunkUnavailable(HASH, Errno.EIO, "bad sector"),
        new LeaderMessage.LockResponse(
            INTENT, 1, LeaderMessage.LockResponse.Verdict.GRANTED, true, 5, 5_000, null),
        new LeaderMessage.LockResponse(
            INTENT,
            2,
            LeaderMessage.LockResponse.Verdict.HELD_EXPIRING,
            false,
            0,
            1,
            new LeaderMessage.Holder(
                new HeldLock(new LockRange(1, 2), LockMode.EXCLUSIVE), WORKER, 77)),
        new LeaderMessage.LockResponse(
            INTENT, 3, LeaderMessage.LockResponse.Verdict.DEADLOCK, false, 5, 5_000, null),
        new LeaderMessage.LockExpiryWarning(INTENT.client(), 0, 0, List.of()),
        new LeaderMessage.LockExpiryWarning(
            INTENT.client(),
            3,
            1_999,
            List.of(
                new LeaderMessage.ExpiringLock(NODE, LockSpace.FLOCK, -2),
                new LeaderMessage.ExpiringLock(NODE, LockSpace.POSIX, 0))));
  }

  /**
   * All parts of a message as text, arrays by content: two messages are equal if their texts are.
   */
  public static String content(Object message) {
    return switch (message) {
      case WorkerMessage.SubmitIntent m ->
          "SubmitIntent "
              + List.of(m.intent(), m.agent(), hex(m.op()), hex(m.inlinePayload()), m.uploading())
              + hex(m.context().paths().first())
              + " "
              + hex(m.context().paths().second())
              + (" late " + m.context().isNameLate() + " seen " + m.context().seen())
              + (" lock session " + m.lockSession());
      case WorkerMessage.ChunkPut m -> "ChunkPut " + List.of(m.intent(), m.hash(), hex(m.bytes()));
      case WorkerMessage.ChunkCopy m -> "ChunkCopy " + List.of(m.hash(), hex(m.bytes()));
      case LeaderMessage.ChunkData m -> "ChunkData " + List.of(m.hash(), hex(m.bytes()));
      case LeaderMessage.PastState m ->
          "PastState " + List.of(m.requestId(), m.index(), m.root(), hex(m.manifest()));
      case LeaderMessage.SnapshotOffer m ->
          "SnapshotOffer " + List.of(m.index(), m.root(), hex(m.manifest()));
      case LeaderMessage.MulticastGroup m ->
          "MulticastGroup "
              + List.of(hex(m.group()), m.port(), hex(m.source()), m.epoch(), hex(m.key()));
      case LeaderMessage.LogEntries m ->
          "LogEntries "
              + m.commitIndex()
              + m.delivery()
              + m.entries().stream().map(SampleMessages::hex).toList();
      default -> message.toString();
    };
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
