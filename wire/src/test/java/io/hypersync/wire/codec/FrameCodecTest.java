package io.hypersync.wire.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.lock.LockKind;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.SessionGrant;
import io.hypersync.wire.message.StandbyStanding;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Encoding and decoding of frames. */
class FrameCodecTest {
  private static final String INTENT_HEX =
      """
      0a 10 c0c1c2c3c4c5c6c7c8c9cacbcccdcecf  client_id
      10 07                                   seq_no
      """;
  private static final String LOCK = "12 10 e0e1e2e3e4e5e6e7e8e9eaebecedeeef 18 04 ";
  private static final String LOCKER = "21 0000000000000000 28 01 ";
  private static final Pattern WORDS = Pattern.compile("\\s+");
  private static final String HASH_HEX =
      "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f";

  /** The exact bytes of frames, which other implementations of the protocol rely on. */
  static Stream<Arguments> frames() {
    return Stream.of(
        Arguments.of(
            new WorkerMessage.Hello(
                SampleMessages.WORKSPACE,
                SampleMessages.WORKER,
                OptionalLong.of(-2),
                5,
                SampleMessages.HASH,
                SampleMessages.INTENT.client()),
            """
            00 00 00 6e                              length
            01                                       Hello
            0a 0b 6879706572 73796e63 2f31           protocol_version "hypersync/1"
            12 10 00112233445566778899aabbccddeeff   workspace_id
            1a 02 7731                               worker_id "w1"
            21 fe ff ff ff ff ff ff ff               leader_epoch_seen, little-endian
            28 05                                    applied_index
            32 20 \
            """
                + HASH_HEX
                + """
                    applied_root
                3a 10 c0c1c2c3c4c5c6c7c8c9cacbcccdcecf   client_id
                40 0e                                    protocol_revision
                49 3b 00 00 00 00 00 00 00               features
                """),
        Arguments.of(
            new WorkerMessage.Hello(
                Protocol.VERSION,
                SampleMessages.WORKSPACE,
                SampleMessages.WORKER,
                OptionalLong.empty(),
                5,
                SampleMessages.HASH,
                SampleMessages.INTENT.client(),
                Protocol.REVISION,
                Features.NONE,
                "",
                new SeenState(-9, 3, 41_372, SampleMessages.HASH),
                0),
            """
            00 00 00 97                              length
            01                                       Hello
            0a 0b 6879706572 73796e63 2f31           protocol_version "hypersync/1"
            12 10 00112233445566778899aabbccddeeff   workspace_id
            1a 02 7731                               worker_id "w1"
            28 05                                    applied_index
            32 20\s"""
                + HASH_HEX
                + """
                    applied_root
                3a 10 c0c1c2c3c4c5c6c7c8c9cacbcccdcecf   client_id
                40 0e                                    protocol_revision
                49 00 00 00 00 00 00 00 00               features
                59 f7 ff ff ff ff ff ff ff               seen_lineage
                60 9c c3 02                              seen_index
                6a 20\s"""
                + HASH_HEX
                + """
                    seen_root
                e8 02 03                                 seen_term
                """),
        Arguments.of(
            new LeaderMessage.Welcome(
                SampleMessages.WORKSPACE,
                -2,
                5,
                500,
                NegotiatedParams.DEFAULT,
                -3,
                15_000,
                Protocol.REVISION,
                0,
                SessionGrant.NONE,
                -5,
                3),
            """
            00 00 00 60                              length
            41                                       Welcome
            0a 10 00112233445566778899aabbccddeeff   workspace_id
            11 fe ff ff ff ff ff ff ff               leader_epoch, little-endian
            18 05                                    commit_index
            20 f4 03                                 heartbeat_ms
            28 80 40                                 inline_threshold
            31 fd ff ff ff ff ff ff ff               lock_session
            38 98 75                                 open_lease_ttl_ms
            40 0e                                    protocol_revision
            49 00 00 00 00 00 00 00 00               features
            50 80 80 04                              chunk_max
            58 00                                    batch_window_ms
            60 00                                    collected_through
            69 00 00 00 00 00 00 00 00               session
            70 00                                    resumed
            78 00                                    lease_ms
            82 01 00                                 resume_token
            89 01 fb ff ff ff ff ff ff ff            lineage
            80 03 03                                 term
            """),
        Arguments.of(
            new LeaderMessage.Welcome(
                SampleMessages.WORKSPACE, -2, 5, 500, NegotiatedParams.DEFAULT, -3, 15_000),
            """
            00 00 00 53                              length
            41                                       Welcome
            0a 10 00112233445566778899aabbccddeeff   workspace_id
            11 fe ff ff ff ff ff ff ff               leader_epoch, little-endian
            18 05                                    commit_index
            20 f4 03                                 heartbeat_ms
            28 80 40                                 inline_threshold
            31 fd ff ff ff ff ff ff ff               lock_session
            38 98 75                                 open_lease_ttl_ms
            40 0e                                    protocol_revision
            49 00 00 00 00 00 00 00 00               features
            50 80 80 04                              chunk_max
            58 00                                    batch_window_ms
            60 00                                    collected_through
            69 00 00 00 00 00 00 00 00               session
            70 00                                    resumed
            78 00                                    lease_ms
            82 01 00                                 resume_token
            """),
        Arguments.of(
            new LeaderMessage.VisibilityLease(1_000, 300),
            """
            00 00 00 07    length
            4f             VisibilityLease
            08 e8 07       lease_ms
            10 ac 02       sent_ns
            """),
        Arguments.of(
            new LeaderMessage.VisibilityLease(0, 0),
            """
            00 00 00 01    length
            4f             VisibilityLease: none is needed
            """),
        Arguments.of(
            new LeaderMessage.Revocations(
                List.of(
                    new Revocation(new WorkerId("w1"), "1f", 5, "hi"),
                    new Revocation(new WorkerId("w2"), "", 300, ""))),
            """
            00 00 00 1a           length
            4c                    Revocations
            0a 0e                 all
            0a 02 7731            worker
            12 02 3166            serial
            18 05                 at_ms
            22 02 6869            reason
            0a 07                 all
            0a 02 7732            worker
            18 ac02               at_ms
            """),
        Arguments.of(
            new LeaderMessage.Refused(LeaderMessage.Refused.Reason.REVOKED, "x"),
            """
            00 00 00 06           length
            42                    Refused
            08 08                 reason
            12 01 78              message
            """),
        Arguments.of(
            new WorkerMessage.RevocationsKept(300),
            """
            00 00 00 04           length
            14                    RevocationsKept
            08 ac02               count
            """),
        Arguments.of(
            new LeaderMessage.SessionRenewed("token"),
            """
            00 00 00 08           length
            4d                    SessionRenewed
            0a 05 746f6b 656e     resume_token
            """),
        Arguments.of(
            new LeaderMessage.Notice(
                3, 5, LeaderMessage.Notice.Kind.LOCKS_LOST, new WorkerId("w1"), "hi"),
            """
            00 00 00 0f           length
            4e                    Notice
            08 03                 number
            10 05                 at_ns
            18 02                 kind
            22 02 7731            about
            2a 02 6869            text
            """),
        Arguments.of(
            new WorkerMessage.WorkerApplied(
                5, SampleMessages.HASH, false, 3, null, new LocalPressure(12, 40, 100)),
            """
            00 00 00 31    length
            03             WorkerApplied
            08 05          applied_index
            12 20          applied_root
            """
                + HASH_HEX
                + """

                18 00          read_only
                20 03          missing_chunks_count
                32 06          local_pressure
                08 0c          cpu_percent
                10 28          memory_percent
                18 64          disk_percent
                """),
        Arguments.of(
            new WorkerMessage.WorkerApplied(
                5, SampleMessages.HASH, true, 3, null, LocalPressure.NOT_KNOWN, 4),
            """
            00 00 00 2c    length
            03             WorkerApplied
            08 05          applied_index
            12 20          applied_root
            """
                + HASH_HEX
                + """

                18 01          read_only
                20 03          missing_chunks_count
                a8 02 04       synced_index, of a standby
                """),
        Arguments.of(
            new WorkerMessage.WorkerApplied(
                5, SampleMessages.HASH, false, 3, null, new LocalPressure(12, 40, 100, 900, 4, 7)),
            """
            00 00 00 38    length
            03             WorkerApplied
            08 05          applied_index
            12 20          applied_root
            """
                + HASH_HEX
                + """

                18 00          read_only
                20 03          missing_chunks_count
                32 0d          local_pressure
                08 0c          cpu_percent
                10 28          memory_percent
                18 64          disk_percent
                20 84 07       sync_lag_us
                28 04          commit_rtt_us
                30 07          agents
                """),
        Arguments.of(
            new LeaderMessage.LockExpiryWarning(
                SampleMessages.INTENT.client(),
                2,
                1_999,
                List.of(new LeaderMessage.ExpiringLock(SampleMessages.NODE, LockSpace.FLOCK, -2))),
            """
            00 00 00 37                               length
            46                                        LockExpiryWarning
            0a 10 c0c1c2c3c4c5c6c7c8c9cacbcccdcecf    client_id
            10 02                                     locks
            18 cf 0f                                  grace_remaining_ms
            22 1d                                     named
            0a 10 e0e1e2e3e4e5e6e7e8e9eaebecedeeef    node_id
            10 01                                     flock
            19 fe ff ff ff ff ff ff ff                owner
            """),
        Arguments.of(
            new WorkerMessage.LockRequest(
                SampleMessages.INTENT,
                SampleMessages.NODE,
                LockKind.FCNTL_WRITE,
                -2,
                9,
                new LockRange(3, 5),
                WorkerMessage.LockRequest.Wish.WAIT),
            """
            00 00 00 3c                               length
            05                                        LockRequest
            0a 14                                     intent
            """
                + INTENT_HEX
                + """
                12 10 e0e1e2e3e4e5e6e7e8e9eaebecedeeef    node_id
                18 05                                     kind FCNTL_WRITE
                21 fe ff ff ff ff ff ff ff                owner
                28 09                                     pid
                30 03                                     first
                38 05                                     last
                40 02                                     wish WAIT
                """),
        Arguments.of(
            new WorkerMessage.SubmitIntent(
                SampleMessages.INTENT,
                "a",
                new byte[] {1, 2},
                new byte[] {3},
                List.of(SampleMessages.HASH),
                new CallContext(new CallPaths(new byte[] {'p'}, new byte[] {'q', '/'}), true, 300),
                0x0807060504030201L),
            """
            00 00 00 58    length
            10             SubmitIntent
            0a 14          intent
            """
                + INTENT_HEX
                + """
                12 01 61       agent
                1a 02 01 02    op
                22 01 03       inline_payload
                2a 20          uploading
                """
                + HASH_HEX
                + """

                32 01 70       path
                3a 02 71 2f    second_path
                40 01          agent_late
                48 ac 02       seen_index
                51 01 02 03 04 05 06 07 08   lock_session
                """),
        Arguments.of(
            new WorkerMessage.OpenLeaseAcquire(1, List.of(SampleMessages.NODE, new NodeId(0, 1))),
            """
            00 00 00 2c                         length
            09                                  OpenLeaseAcquire
            09 01 00 00 00 00 00 00 00          leader_epoch, little-endian
            12 20                               node_ids
            e0e1e2e3e4e5e6e7e8e9eaebecedeeef
            00000000000000000000000000000001
            """),
        Arguments.of(
            new WorkerMessage.OpenLeaseRenew(1, List.of()),
            """
            00 00 00 0a                         length
            0b                                  OpenLeaseRenew
            09 01 00 00 00 00 00 00 00          leader_epoch
            """),
        Arguments.of(
            new WorkerMessage.ChunkPut(
                SampleMessages.INTENT, SampleMessages.HASH, new byte[] {1, 2, 3}),
            """
            00 00 00 3c                         length
            20                                  ChunkPut
            c0c1c2c3c4c5c6c7c8c9cacbcccdcecf    client id
            00 00 00 00 00 00 00 07             seq_no
            """
                + HASH_HEX
                + " hash\n01 02 03 bytes\n"),
        Arguments.of(
            new LeaderMessage.ChunkData(SampleMessages.HASH, new byte[] {1, 2, 3}),
            """
            00 00 00 24    length
            60             ChunkData
            """
                + HASH_HEX
                + " hash\n01 02 03 bytes\n"),
        Arguments.of(
            new LeaderMessage.CommitAck(SampleMessages.INTENT, Errno.EEXIST, null, 8),
            """
            00 00 00 1b    length
            50             CommitAck
            0a 14          intent
            """
                + INTENT_HEX
                + """
                10 11          errno EEXIST
                20 08          as_of_index
                """),
        Arguments.of(
            new LeaderMessage.CommitAck(SampleMessages.INTENT, null, SampleMessages.COMMITTED, 9),
            """
            00 00 00 57                               length
            50                                        CommitAck
            0a 14                                     intent
            """
                + INTENT_HEX
                + """
                1a 3c                                     committed
                08 09                                     log_index
                12 10 d0d1d2d3d4d5d6d7d8d9dadbdcdddedf    op_id
                18 87 94 eb dc 03                         committed_at_ns
                22 20 \
                """
                + HASH_HEX
                + """
                 fs_merkle_root
                20 09                                     as_of_index
                """),
        Arguments.of(
            new LeaderMessage.RateLimited(SampleMessages.INTENT, 250),
            """
            00 00 00 1a    length
            53             RateLimited
            0a 14          intent
            """
                + INTENT_HEX
                + """
                10 fa 01       retry_after_ms
                """),
        Arguments.of(
            new LeaderMessage.LogEntries(3, List.of(new byte[] {1}, new byte[] {2, 3})),
            """
            00 00 00 0a    length
            58             LogEntries
            08 03          commit_index
            12 01 01       an entry
            12 02 02 03    another
            """),
        Arguments.of(
            new LeaderMessage.Heartbeat(1, 5),
            """
            00 00 00 0c                   length
            43                            Heartbeat
            09 01 00 00 00 00 00 00 00    leader_epoch
            10 05                         commit_index
            """),
        Arguments.of(
            new LeaderMessage.Heartbeat(
                1, 5, 9, new StandbyStanding(StandbyStanding.Mark.SYNCHRONOUS, 500)),
            """
            00 00 00 15                   length
            43                            Heartbeat
            09 01 00 00 00 00 00 00 00    leader_epoch
            10 05                         commit_index
            18 09                         free_bytes
            22 05                         standing
              08 03                       mark
              10 f4 03                    alone_after_ms
            """),
        Arguments.of(
            new LeaderMessage.SnapshotOffer(300, SampleMessages.HASH, new byte[] {7, 8}),
            """
            00 00 00 2a    length
            47             SnapshotOffer
            08 ac 02       index
            12 20          root
            101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f
            1a 02 07 08    manifest
            """),
        Arguments.of(
            new LeaderMessage.ChunkWanted(List.of(SampleMessages.HASH)),
            """
            00 00 00 23    length
            48             ChunkWanted
            0a 20          hashes
            101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f
            """),
        Arguments.of(
            new WorkerMessage.PastStateRequest(7, "2h"),
            """
            00 00 00 0e                   length
            0d                            PastStateRequest
            09 07 00 00 00 00 00 00 00    request_id
            12 02 32 68                   moment
            """),
        Arguments.of(
            new WorkerMessage.PastStateRelease(300),
            """
            00 00 00 04    length
            0e             PastStateRelease
            08 ac 02       index
            """),
        Arguments.of(
            new WorkerMessage.DecodeProgress(300, 5),
            """
            00 00 00 06    length
            0f             DecodeProgress
            08 ac 02       push
            10 05          backlog_bytes
            """),
        Arguments.of(
            new WorkerMessage.WorkerVisible(300, 5),
            """
            00 00 00 06    length
            13             WorkerVisible
            08 ac 02       settled_index
            10 05          sent_ns
            """),
        Arguments.of(
            new WorkerMessage.MulticastHeard(-2, 300, 5, 6),
            """
            00 00 00 11                  length
            12                           MulticastHeard
            09 fe ff ff ff ff ff ff ff   epoch, little-endian
            10 ac 02                     newest_packet
            18 05                        received
            20 06                        rejected
            """),
        Arguments.of(
            new LeaderMessage.MulticastGroup(
                new byte[] {(byte) 239, -1, 72, 83},
                7_471,
                new byte[] {10, 0, 0, 1},
                -2,
                SampleMessages.HASH.toBytes()),
            """
            00 00 00 3b                  length
            4b                           MulticastGroup
            0a 04 ef ff 48 53            group
            10 af 3a                     port
            1a 04 0a 00 00 01            source
            21 fe ff ff ff ff ff ff ff   epoch, little-endian
            2a 20 101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f   key
            """),
        Arguments.of(
            new LeaderMessage.LogEntries(3, List.of(new byte[] {1}), ChunkDelivery.DATAGRAMS),
            """
            00 00 00 08    length
            58             LogEntries
            08 03          commit_index
            12 01 01       an entry
            18 02          delivery
            """),
        Arguments.of(
            new LeaderMessage.PastState(7, 300, SampleMessages.HASH, new byte[] {7, 8}),
            """
            00 00 00 33                   length
            49                            PastState
            09 07 00 00 00 00 00 00 00    request_id
            10 ac 02                      index
            1a 20                         root
            101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f
            22 02 07 08                   manifest
            """),
        Arguments.of(
            new LeaderMessage.PastStateRefused(7, "no", ""),
            """
            00 00 00 10                   length
            4a                            PastStateRefused
            09 07 00 00 00 00 00 00 00    request_id
            12 02 6e 6f                   message
            1a 00                         hint
            """),
        Arguments.of(
            new WorkerMessage.ChunkAbsent(List.of(SampleMessages.HASH)),
            """
            00 00 00 23    length
            0c             ChunkAbsent
            0a 20          hashes
            101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f
            """),
        Arguments.of(
            new WorkerMessage.ChunkCopy(SampleMessages.HASH, new byte[] {7, 8}),
            """
            00 00 00 23    length
            21             ChunkCopy
            101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f
            07 08          bytes
            """));
  }

  @ParameterizedTest
  @MethodSource("frames")
  void bytesAreAsWrittenDown(Object message, String annotated) throws ProtocolException {
    ByteBuf frame = frame(message);
    assertEquals(
        ByteBufUtil.hexDump(Unpooled.wrappedBuffer(parse(annotated))), ByteBufUtil.hexDump(frame));
    assertEquals(SampleMessages.content(message), SampleMessages.content(decode(message, frame)));
  }

  static List<Object> everyMessage() {
    List<Object> all = new ArrayList<>(SampleMessages.worker());
    all.addAll(SampleMessages.leader());
    return all;
  }

  @ParameterizedTest
  @MethodSource("everyMessage")
  void everyMessageComesBackAsItWas(Object message) throws ProtocolException {
    ByteBuf frame = frame(message);
    assertEquals(SampleMessages.content(message), SampleMessages.content(decode(message, frame)));
    assertEquals(0, frame.readableBytes(), "the whole frame was taken");
  }

  @ParameterizedTest
  @MethodSource("everyMessage")
  void aFrameThatIsNotCompleteIsLeftAlone(Object message) throws ProtocolException {
    ByteBuf frame = frame(message);
    for (int length = 0; length < Math.min(frame.readableBytes(), 200); length++) {
      ByteBuf part = frame.slice(0, length);
      assertNull(decode(message, part), "with " + length + " bytes");
      assertEquals(length, part.readableBytes(), "nothing was taken");
    }
  }

  /**
   * Fields of large messages are read from the buffer itself, whose memory is reused afterwards.
   */
  @ParameterizedTest(name = "direct buffer: {0}")
  @ValueSource(booleans = {false, true})
  void whatWasDecodedKeepsNothingOfTheBuffer(boolean direct) throws ProtocolException {
    byte[] payload = new byte[5_000];
    new Random(1).nextBytes(payload);
    List<Hash> hashes = List.of(SampleMessages.HASH, Blake3.hash(payload));
    ByteBuf buffer = direct ? Unpooled.directBuffer() : Unpooled.buffer();
    FrameCodec.encode(
        new WorkerMessage.SubmitIntent(
            SampleMessages.INTENT, "an agent", new byte[] {1, 2, 3}, payload, hashes),
        buffer);
    WorkerMessage.SubmitIntent submit =
        (WorkerMessage.SubmitIntent) FrameCodec.decodeWorkerMessage(StreamKind.INTENTS, buffer);
    buffer.clear();
    FrameCodec.encode(new LeaderMessage.LogEntries(7, List.of(payload, new byte[] {4, 5})), buffer);
    LeaderMessage.LogEntries entries =
        (LeaderMessage.LogEntries) FrameCodec.decodeLeaderMessage(StreamKind.LOG, buffer);
    buffer.setZero(0, buffer.capacity());
    buffer.release();
    assertNotNull(submit);
    assertNotNull(entries);
    assertEquals(SampleMessages.INTENT, submit.intent());
    assertEquals("an agent", submit.agent());
    assertArrayEquals(new byte[] {1, 2, 3}, submit.op());
    assertArrayEquals(payload, submit.inlinePayload());
    assertEquals(hashes, submit.uploading());
    assertEquals(7, entries.commitIndex());
    assertArrayEquals(payload, entries.entries().getFirst());
    assertArrayEquals(new byte[] {4, 5}, entries.entries().getLast());
  }

  @Test
  void everyKindHasASample() {
    List<FrameKind> missing = new ArrayList<>(List.of(FrameKind.values()));
    SampleMessages.worker().forEach(message -> missing.remove(FrameKind.of(message)));
    SampleMessages.leader().forEach(message -> missing.remove(FrameKind.of(message)));
    assertEquals(List.of(), missing);
  }

  @Test
  void aKindTravelsOnTheStreamOfItsMessages() {
    for (WorkerMessage message : SampleMessages.worker()) {
      assertEquals(StreamKind.of(message), FrameKind.of(message).stream());
      assertTrue(!FrameKind.of(message).fromLeader());
    }
    for (LeaderMessage message : SampleMessages.leader()) {
      assertEquals(StreamKind.of(message), FrameKind.of(message).stream());
      assertTrue(FrameKind.of(message).fromLeader());
    }
  }

  /** A Welcome of revision 1, as the version before sent it. */
  @Test
  void aWelcomeOfTheFirstRevisionIsUnderstoodAsThat() throws ProtocolException {
    assertEquals(
        new LeaderMessage.Welcome(
            SampleMessages.WORKSPACE,
            1,
            5,
            500,
            NegotiatedParams.DEFAULT,
            2,
            15_000,
            1,
            0,
            SessionGrant.NONE),
        FrameCodec.decodeLeaderMessage(
            StreamKind.CONTROL,
            buffer(
                """
                00 00 00 30                              length
                41                                       Welcome
                0a 10 00112233445566778899aabbccddeeff   workspace_id
                11 01 00 00 00 00 00 00 00               leader_epoch
                18 05                                    commit_index
                20 f4 03                                 heartbeat_ms
                28 80 40                                 inline_threshold
                31 02 00 00 00 00 00 00 00               lock_session
                38 98 75                                 open_lease_ttl_ms
                """)));
  }

  @Test
  void unknownFieldsAreSkipped() throws ProtocolException {
    assertEquals(
        new WorkerMessage.BarrierRequest(1),
        FrameCodec.decodeWorkerMessage(
            StreamKind.CONTROL,
            buffer(
                """
                00 00 00 09     length
                02              BarrierRequest
                08 01           request_id
                f2 01 03 616263 field 30, bytes
                """)));
  }

  /** A frame kind, a body with one fault, and the words that the error message must contain. */
  static Stream<Arguments> faults() {
    String intent = "0a 14 0a10 c0c1c2c3c4c5c6c7c8c9cacbcccdcecf 1007 ";
    String epoch = "21 0100000000000000";
    String hash = "20 " + HASH_HEX + " ";
    return Stream.of(
        fault("01", "0a 00 12 10 00112233445566778899aabbccddeeff 28 00 32" + hash, "worker_id"),
        fault(
            "01",
            "0a 00 12 10 00112233445566778899aabbccddeeff 1a 01 2f 28 00 32" + hash,
            "a worker name is"),
        fault(
            "01",
            "0a 00 12 0f 00112233445566778899aabbccddee 1a 01 61 28 00 32" + hash,
            "workspace_id has 15 bytes instead of 16"),
        fault(
            "01",
            "0a 00 12 10 00112233445566778899aabbccddeeff 1a 01 61 28 00 32 02 0000",
            "applied_root has 2 bytes instead of 32"),
        fault(
            "01",
            "0a 00 12 10 00112233445566778899aabbccddeeff 1a 01 61 28 ffffffffffffffffff01 32"
                + hash,
            "applied_index is 18446744073709551615"),
        fault("01", "0a 01 ff", "cannot be parsed"),
        fault("4d", "", "resume_token: expected 1 to 512"),
        fault("4e", "10 05 18 01 22 02 7731", "number is 0"),
        fault("4e", "08 01 10 05 22 02 7731", "kind is missing or unknown"),
        fault("4e", "08 01 10 05 18 09 22 02 7731", "kind is missing or unknown"),
        fault("4e", "08 01 10 05 18 01", "worker_id"),
        fault("4e", "08 01 18 01 22 02 7731 2a e9 07" + " 78".repeat(1_001), "at most 1000"),
        fault("4d", "0a 01 0a", "resume_token: expected 1 to 512"),
        fault("4d", "0a 02 c3 a9", "resume_token: expected 1 to 512"),
        fault("4d", "0a 81 04" + " 78".repeat(513), "resume_token: expected 1 to 512"),
        fault(
            "01",
            "0a 00 12 10 00112233445566778899aabbccddeeff 1a 01 61 28 00 32"
                + hash
                + "3a 10 c0c1c2c3c4c5c6c7c8c9cacbcccdcecf 40 00",
            "protocol_revision is 0"),
        fault("03", "08 01 12" + hash + "18 00 20 00 32 02 08 65", "cpu_percent is 101"),
        fault("03", "08 01 12" + hash + "18 00 20 00 32 02 18 65", "disk_percent is 101"),
        fault("03", "08 01 12" + hash + "18 00 20 00 32 04 30 c1 84 3d", "agents is 1000001"),
        fault(
            "03",
            "08 01 12" + hash + "18 00 20 00 32 06 20 ff ff ff ff 0f",
            "sync_lag_us is 4294967295"),
        fault("02", "", "request_id is missing"),
        fault("03", "08 01 12" + hash + "20 00", "read_only is missing"),
        fault(
            "03", "08 01 12" + hash + "18 00 20 ffffffff0f", "missing_chunks_count is 4294967295"),
        fault("03", "08 01 12" + hash + "18 00 20 00 2a 06 08 00 10 05 1a 00", "log_index is 0"),
        fault("03", "08 01 12" + hash + "18 00 20 00 2a 06 08 01 10 00 1a 00", "errno is 0"),
        fault("04", "", "hashes has 0 bytes"),
        fault("12", "10 01 18 01", "epoch is missing"),
        fault("12", "09 0100000000000000 18 01", "newest_packet is 0"),
        fault("12", "09 0100000000000000 10 01", "received is 0"),
        fault("0d", "12 02 3268", "request_id is missing"),
        fault("0d", "09 0100000000000000", "moment has 0 bytes"),
        fault("0d", "09 0100000000000000 12 80 02" + "61".repeat(256), "moment has 256 bytes"),
        fault("0e", "", "index is missing"),
        fault("0e", "08 00", "index is 0"),
        fault("49", "09 0100000000000000 10 01 1a" + hash, "manifest has 0 bytes"),
        fault("49", "10 01 1a" + hash + "22 01 00", "request_id is missing"),
        fault("49", "09 0100000000000000 10 00 1a" + hash + "22 01 00", "index is 0"),
        fault("4a", "09 0100000000000000", "message is missing"),
        fault("04", "0a 03 010203", "hashes has 3 bytes"),
        fault("04", "0a" + hash, "lengths has 0 numbers for 1 hashes"),
        fault("04", "0a" + hash + "12 03 818004", "length is 65537"),
        fault("05", intent + LOCK + LOCKER + "40 01", "first or last is missing"),
        fault("05", intent + LOCK + "28 01 30 00 38 00 40 01", "owner is missing"),
        fault("05", intent + LOCK + LOCKER + "30 05 38 04 40 01", "last is 4, 5 to 2^63-1"),
        fault("05", intent + LOCK + LOCKER + "30 00 38 00 40 09", "wish is missing or unknown"),
        fault("05", intent + "18 63 " + LOCKER + "30 00 38 00 40 01", "kind is missing or unknown"),
        fault("05", intent + "18 01 " + LOCKER + "30 00 38 00 40 01", "always of the whole file"),
        fault("05", intent + "18 05 " + LOCKER + "30 00 38 00 40 01", "node_id is missing"),
        fault("06", intent + "21 0000000000000000", "flock is missing"),
        fault("07", intent + "10 00", "request_seq_no is 0"),
        fault("08", "11 0000000000000000", "answered_through is missing"),
        fault("09", "", "leader_epoch is missing"),
        fault("09", "09 0100000000000000", "node_ids has 0 bytes"),
        fault("09", "09 0100000000000000 12 03 010203", "node_ids has 3 bytes"),
        fault("0a", "12 10 e0e1e2e3e4e5e6e7e8e9eaebecedeeef", "leader_epoch is missing"),
        fault("0a", "09 0100000000000000 12 00", "1 to 4096 ids of 16 allowed"),
        fault("0b", "09 0100000000000000 12 01 01", "0 to 4096 ids of 16 allowed"),
        fault("10", "1a 01 00", "intent id is missing"),
        fault("10", intent, "op is missing"),
        fault("10", "0a 14 0a10 c0c1c2c3c4c5c6c7c8c9cacbcccdcecf 1000 1a 01 00", "seq_no is 0"),
        fault(
            "10",
            "0a 1d 0a10 c0c1c2c3c4c5c6c7c8c9cacbcccdcecf 10 80808080808080808001 1a 01 00",
            "seq_no is 9223372036854775808"),
        fault("10", "0a 06 0a02 c0c1 1007 1a 01 00", "client_id has 2 bytes instead of 16"),
        fault("10", intent + "1a 01 00 2a 03 010203", "uploading has 3 bytes"),
        fault("11", "", "intent id is missing"),
        fault("20", "00", "its header alone is 56"),
        fault("20", "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf 0000000000000000" + HASH_HEX, "seq_no is 0"),
        fault("41", "12 00", "leader_epoch is missing"),
        fault(
            "41",
            "0a 10 00112233445566778899aabbccddeeff 11 0000000000000000 18 01 20 01 28 00 31"
                + " 0000000000000000 38 01 40 02",
            "features is missing"),
        fault("42", "12 00", "reason is missing or unknown"),
        fault("42", "08 63 12 00", "reason is missing or unknown"),
        fault("43", "10 01", "leader_epoch is missing"),
        fault("44", "08 01", "commit_index is missing"),
        fault("45", intent + "10 01 18 02 20 00 28 00 30 01", "a holder belongs to a denial"),
        fault("45", intent + "10 01 18 01 20 00 28 00 30 00", "lease_ttl_ms is 0"),
        fault("45", intent + "10 00 18 01 20 00 28 00 30 01", "number is 0"),
        fault("45", intent + "10 01 18 09 20 00 28 00 30 01", "status is missing or unknown"),
        fault("46", "10 01", "grace_remaining_ms is missing"),
        fault("46", "10 01 18 00 22 00", "flock is missing"),
        fault("46", "10 01 18 00" + " 22 00".repeat(65), "65 locks are named, 64 allowed"),
        fault("4b", "0a 04 ef000001 10 01 1a 04 0a000001", "epoch is missing"),
        fault("4b", epoch + "0a 03 ef0000 10 01", "group has 3 bytes"),
        fault("4b", epoch + "0a 04 0a000001 10 01 1a 04 0a000001", "group is no multicast address"),
        fault("4b", epoch + "0a 04 ef000001 10 01 1a 10" + "00".repeat(16), "different families"),
        fault("4b", epoch + "0a 04 ef000001 10 01 1a 04 0a000001 2a 01 00", "key has 1 bytes"),
        fault("4b", epoch + "0a 04 ef000001 1a 04 0a000001 2a" + hash, "port is 0"),
        fault("50", intent + "20 01", "either an errno or a place in the log"),
        fault("50", intent + "10 11 1a 00 20 01", "either an errno or a place in the log"),
        fault("50", intent + "10 11", "as_of_index is missing"),
        fault("50", intent + "1a 00 20 01", "log_index or committed_at_ns is missing"),
        fault("51", intent, "missing_hashes has 0 bytes"),
        fault("52", intent + "10 09", "status is missing or unknown"),
        fault("52", intent + "10 01", "a place in the log belongs to COMMITTED"),
        fault("52", intent + "10 02 1a 00", "a place in the log belongs to COMMITTED"),
        fault("53", "10 05", "intent id is missing"),
        fault("53", intent, "retry_after_ms is missing"),
        fault("53", intent + "10 00", "retry_after_ms is 0"),
        fault("53", intent + "10 ffffffff0f", "retry_after_ms is 4294967295"),
        fault("58", "08 01", "entries is missing"),
        fault("58", "08 01 12 00", "an entry is missing"),
        fault("60", "00", "its header alone is 32"),
        fault("61", "0a" + hash + "10 05", "message is missing"),
        fault("61", "0a" + hash + "10 8020 1a 00", "errno is 4096"));
  }

  private static Arguments fault(String kind, String body, String expected) {
    return Arguments.of(kind, body, expected);
  }

  @ParameterizedTest(name = "{0} {2}")
  @MethodSource("faults")
  void aBodyThatIsWrongIsRefusedInWords(String kindHex, String bodyHex, String expected) {
    byte[] body = parse(bodyHex);
    ByteBuf frame =
        Unpooled.buffer().writeInt(body.length + 1).writeBytes(parse(kindHex)).writeBytes(body);
    FrameKind kind = Objects.requireNonNull(FrameKind.ofCode(parse(kindHex)[0]));
    ProtocolException refused =
        assertThrows(
            ProtocolException.class,
            () -> {
              if (kind.fromLeader()) {
                var _ = FrameCodec.decodeLeaderMessage(kind.stream(), frame);
              } else {
                var _ = FrameCodec.decodeWorkerMessage(kind.stream(), frame);
              }
            });
    assertTrue(
        String.valueOf(refused.getMessage()).contains(expected),
        () -> '"' + refused.getMessage() + "\" should say \"" + expected + '"');
  }

  @Test
  void aLengthOutOfRangeIsRefusedBeforeAnythingIsCollected() {
    for (int length : new int[] {0, -1, Integer.MIN_VALUE, Protocol.MAX_FRAME_BYTES - 3}) {
      ByteBuf start = Unpooled.buffer().writeInt(length);
      assertThrows(
          ProtocolException.class,
          () -> FrameCodec.decodeWorkerMessage(StreamKind.CONTROL, start),
          () -> "length " + length);
    }
  }

  @Test
  void aKindsOwnLimitIsCheckedAsSoonAsTheKindIsThere() {
    for (FrameKind kind : FrameKind.values()) {
      if (kind == FrameKind.LOG_ENTRIES) {
        continue; // Its limit is that of all frames.
      }
      ByteBuf start = Unpooled.buffer().writeInt(kind.maxBodyBytes() + 2).writeByte(kind.code());
      assertThrows(
          ProtocolException.class,
          () -> {
            if (kind.fromLeader()) {
              var _ = FrameCodec.decodeLeaderMessage(kind.stream(), start);
            } else {
              var _ = FrameCodec.decodeWorkerMessage(kind.stream(), start);
            }
          },
          kind::name);
    }
  }

  @Test
  void theMostHashesThatAMessageMayHaveFit() throws ProtocolException {
    List<Hash> most = Collections.nCopies(Protocol.MAX_HASHES_PER_MESSAGE, SampleMessages.HASH);
    LeaderMessage need = new LeaderMessage.ChunkNeed(SampleMessages.INTENT, most);
    assertEquals(need, decode(need, frame(need)));
    WorkerMessage fetch =
        new WorkerMessage.ChunkFetch(
            most.stream().map(hash -> new ChunkRef(hash, ChunkRef.MAX_LENGTH)).toList());
    assertEquals(fetch, decode(fetch, frame(fetch)));
  }

  @Test
  void theMostNodesThatAMessageMayHaveFitAndNotOneMore() throws ProtocolException {
    List<NodeId> most = Collections.nCopies(Protocol.MAX_NODES_PER_MESSAGE, SampleMessages.NODE);
    List<NodeId> more =
        Collections.nCopies(Protocol.MAX_NODES_PER_MESSAGE + 1, SampleMessages.NODE);
    WorkerMessage renew = new WorkerMessage.OpenLeaseRenew(-1, most);
    assertEquals(renew, decode(renew, frame(renew)));
    ByteBuf tooMany = frame(new WorkerMessage.OpenLeaseAcquire(-1, more));
    assertThrows(
        ProtocolException.class, () -> FrameCodec.decodeWorkerMessage(StreamKind.CONTROL, tooMany));
  }

  @Test
  void aMessageThatIsTooLongIsNotEncodedAtAll() {
    ByteBuf out = Unpooled.buffer().writeByte(1);
    LeaderMessage tooLong =
        new LeaderMessage.LogEntries(1, List.of(new byte[Protocol.MAX_FRAME_BYTES]));
    assertThrows(IllegalArgumentException.class, () -> FrameCodec.encode(tooLong, out));
    assertEquals(1, out.readableBytes(), "nothing was appended");
  }

  @Test
  @Tag("slow")
  void randomBytesGiveAMessageOrAProtocolException() {
    long seed = 9_005;
    Random random = new Random(seed);
    List<FrameKind> kinds = List.of(FrameKind.values());
    for (int i = 0; i < 200_000; i++) {
      byte[] body = new byte[random.nextInt(64)];
      random.nextBytes(body);
      FrameKind kind = kinds.get(random.nextInt(kinds.size()));
      ByteBuf frame = Unpooled.buffer();
      if (random.nextInt(10) == 0) {
        frame.writeBytes(body);
      } else {
        frame.writeInt(body.length + 1).writeByte(kind.code()).writeBytes(body);
      }
      survive(kind.fromLeader(), kind.stream(), frame, "seed " + seed + ", round " + i);
    }
  }

  @Test
  @Tag("slow")
  void mutatedFramesGiveAMessageOrAProtocolException() {
    long seed = 9_006;
    Random random = new Random(seed);
    List<Object> messages =
        everyMessage().stream().filter(message -> frame(message).readableBytes() < 1000).toList();
    int decoded = 0;
    for (int i = 0; i < 200_000; i++) {
      Object message = messages.get(random.nextInt(messages.size()));
      ByteBuf frame = frame(message);
      for (int n = random.nextInt(1, 4); n > 0; n--) {
        int at = random.nextInt(frame.readableBytes());
        switch (random.nextInt(3)) {
          case 0 -> frame.setByte(at, random.nextInt(256));
          case 1 -> frame.setByte(at, frame.getByte(at) ^ (1 << random.nextInt(8)));
          default -> frame.setByte(at, random.nextBoolean() ? 0xff : 0);
        }
      }
      boolean leader = message instanceof LeaderMessage;
      StreamKind stream =
          message instanceof LeaderMessage m
              ? StreamKind.of(m)
              : StreamKind.of((WorkerMessage) message);
      if (survive(leader, stream, frame, "seed " + seed + ", round " + i)) {
        decoded++;
      }
    }
    assertTrue(decoded > 10_000, "mutants that still are messages get through: " + decoded);
  }

  /** Decodes all frames; true if there was at least one message. */
  private static boolean survive(boolean leader, StreamKind stream, ByteBuf frame, String where) {
    String hex = ByteBufUtil.hexDump(frame);
    boolean any = false;
    try {
      while (true) {
        Object message =
            leader
                ? FrameCodec.decodeLeaderMessage(stream, frame)
                : FrameCodec.decodeWorkerMessage(stream, frame);
        if (message == null) {
          return any;
        }
        any = true;
      }
    } catch (ProtocolException e) {
      assertTrue(!String.valueOf(e.getMessage()).isEmpty(), where);
      return any;
    } catch (RuntimeException | Error e) {
      throw new AssertionError(where + ", " + stream + ": " + hex, e);
    }
  }

  private static ByteBuf frame(Object message) {
    ByteBuf out = Unpooled.buffer();
    switch (message) {
      case WorkerMessage m -> FrameCodec.encode(m, out);
      case LeaderMessage m -> FrameCodec.encode(m, out);
      default -> throw new IllegalArgumentException("no message: " + message);
    }
    return out;
  }

  private static @Nullable Object decode(Object like, ByteBuf frame) throws ProtocolException {
    return switch (like) {
      case WorkerMessage m -> FrameCodec.decodeWorkerMessage(StreamKind.of(m), frame);
      case LeaderMessage m -> FrameCodec.decodeLeaderMessage(StreamKind.of(m), frame);
      default -> throw new IllegalArgumentException("no message: " + like);
    };
  }

  private static ByteBuf buffer(String annotated) {
    return Unpooled.wrappedBuffer(parse(annotated));
  }

  /** Hexadecimal pairs; from the first word that is not one, the rest of the line is a comment. */
  private static byte[] parse(String annotated) {
    StringBuilder hex = new StringBuilder();
    for (String line : annotated.lines().toList()) {
      for (String word : WORDS.splitAsStream(line.strip()).toList()) {
        if (!word.matches("([0-9a-f]{2})+")) {
          break;
        }
        hex.append(word);
      }
    }
    return HexFormat.of().parseHex(hex);
  }
}
