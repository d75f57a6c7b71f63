package io.hypersync.fuzz;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.trace.TraceHistory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Ops and log entries, and the application of any decodable op to a state. */
final class ModelTargets {
  private static final long SEED = 7;
  private static final int ENTRIES = 300;

  /** Source of the valid ops and entries. */
  static final TraceHistory HISTORY = TraceHistory.of(SEED, ENTRIES);

  /** What any manifest stands for. */
  private static final FsState EARLIER = TraceHistory.of(SEED, ENTRIES / 2).state();

  private static final NodeId FRESH = new NodeId(3, 3);

  private ModelTargets() {}

  static List<FuzzTarget> all() {
    List<byte[]> ops = ops().stream().map(OpCodec::encode).toList();
    List<byte[]> entries = HISTORY.entries().stream().map(LogEntryCodec::encode).toList();
    FsState state = HISTORY.state();
    return List.of(
        FuzzTarget.of("op", DecodeException.class, ops, ModelTargets::op),
        FuzzTarget.of("log-entry", DecodeException.class, entries, ModelTargets::entry),
        FuzzTarget.of("sent-entry", DecodeException.class, sent(), ModelTargets::sent),
        FuzzTarget.of("op-applied", DecodeException.class, ops, input -> applied(state, input)));
  }

  /** The ops that fuzzing starts from. */
  static List<FsOp> ops() {
    return Stream.concat(HISTORY.entries().stream().map(LogEntry::op), Stream.of(restore()))
        .toList();
  }

  /** A restore of {@link #EARLIER} while everything is open. */
  private static FsOp restore() {
    List<NodeId> open = new ArrayList<>();
    HISTORY.state().nodes().forEach(node -> open.add(node.id()));
    return new FsOp.RestoreState(new byte[] {1, 2, 3, 4}, open);
  }

  private static boolean op(byte[] input) throws DecodeException {
    assertArrayEquals(input, OpCodec.encode(OpCodec.decode(input)));
    return true;
  }

  private static boolean entry(byte[] input) throws DecodeException {
    assertArrayEquals(input, LogEntryCodec.encode(LogEntryCodec.decode(input)));
    return true;
  }

  /** Entries as they go to the worker that has their payloads. */
  private static List<byte[]> sent() {
    return HISTORY.entries().stream()
        .map(
            entry ->
                LogEntryCodec.withoutPayload(
                    LogEntryCodec.encode(entry), entry.inlinePayload().length))
        .toList();
  }

  private static boolean sent(byte[] input) throws DecodeException {
    byte[] whole = LogEntryCodec.encode(LogEntryCodec.decodeSent(input));
    assertArrayEquals(
        input,
        LogEntryCodec.isWithoutPayload(input) ? LogEntryCodec.withoutPayload(whole, 0) : whole);
    return true;
  }

  /**
   * A worker can submit any op that decodes, or a log have it: applying it must succeed or give an
   * errno.
   */
  private static boolean applied(FsState state, byte[] input) throws DecodeException {
    FsOp op = FsStateMachine.resolve(state, OpCodec.decode(input));
    OpCodec.decode(OpCodec.encode(op));
    Outcome outcome =
        FsStateMachine.apply(state, op, new Stamp(Long.MAX_VALUE, FRESH), _ -> EARLIER);
    if (outcome instanceof Outcome.Applied(FsState after)) {
      var _ = after.root();
    }
    return true;
  }
}
