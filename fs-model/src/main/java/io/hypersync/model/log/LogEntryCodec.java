package io.hypersync.model.log;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import java.util.Arrays;

/**
 * Encodes and decodes log entries: the canonical bytes, both in the log and on the wire. Integers
 * are big-endian. Golden files pin this layout; a different layout needs a new version byte.
 *
 * <pre>
 *   0        1          9            25              33                49           57
 *   +--------+----------+------------+---------------+-----------------+------------+
 *   | ver u8 | index u64| op_id 16 B | committed i64 | client_id 16 B  | seq_no u64 |
 *   |   = 1  |          |            | ns since 1970 |                 |            |
 *   +--------+----------+------------+---------------+-----------------+------------+
 *   | created node 16 B | root 32 B | origin: u32 + bytes | agent: u32 + bytes       |
 *   +-------------------+-----------+---------------------+--------------------------+
 *   | op (OpCodec)      | hazard: u32 + bytes   | inline payload: u32 + bytes         |
 *   +-------------------+-----------------------+------------------------------------+
 * </pre>
 *
 * <p>On the wire an entry may come without its payload, to the worker that has it ({@link
 * #withoutPayload}). Then the highest bit of the version is set, and the last field is missing.
 */
public final class LogEntryCodec {
  private static final int VERSION = 1;

  /** Set in the version of an entry that is sent without its payload; never in the log. */
  private static final int WITHOUT_PAYLOAD = 0x80;

  private static final int MAX_WORKER_BYTES = 63;
  private static final byte[] NOTHING = {};

  private LogEntryCodec() {}

  /** Encodes an entry; the result is a new array. */
  public static byte[] encode(LogEntry entry) {
    CanonicalWriter out = new CanonicalWriter(256 + entry.inlinePayload().length);
    out.u8(VERSION)
        .u64(entry.index())
        .id(entry.opId().high(), entry.opId().low())
        .u64(entry.committedAtNs())
        .id(entry.intent().client().high(), entry.intent().client().low())
        .u64(entry.intent().seqNo())
        .node(entry.createdNode())
        .hash(entry.root())
        .text(entry.origin().name())
        .text(entry.agent());
    OpCodec.encode(entry.op(), out);
    return out.bytes(entry.hazard()).bytes(entry.inlinePayload()).toBytes();
  }

  /**
   * Decodes an array that holds exactly one entry.
   *
   * @throws DecodeException if the bytes are anything else, an unknown version included
   */
  public static LogEntry decode(byte[] bytes) throws DecodeException {
    return decode(bytes, VERSION);
  }

  /**
   * Shortens an entry for the worker that has its payload.
   *
   * @param encoded the entry's bytes in the log, which are not changed
   * @param payloadBytes the length of its inline payload
   * @return a new array, which {@link #decodeSent} understands
   */
  public static byte[] withoutPayload(byte[] encoded, int payloadBytes) {
    byte[] sent = Arrays.copyOf(encoded, encoded.length - Integer.BYTES - payloadBytes);
    sent[0] |= (byte) WITHOUT_PAYLOAD;
    return sent;
  }

  /** Whether an entry was sent without its payload. */
  public static boolean isWithoutPayload(byte[] sent) {
    return sent.length > 0 && (sent[0] & WITHOUT_PAYLOAD) != 0;
  }

  /**
   * Decodes an array that holds exactly one entry, as it is sent: with its payload, or without it
   * ({@link #isWithoutPayload}); then the payload is empty.
   *
   * @throws DecodeException if the bytes are anything else, an unknown version included
   */
  public static LogEntry decodeSent(byte[] sent) throws DecodeException {
    return decode(sent, isWithoutPayload(sent) ? VERSION | WITHOUT_PAYLOAD : VERSION);
  }

  private static LogEntry decode(byte[] bytes, int known) throws DecodeException {
    CanonicalReader in = new CanonicalReader(bytes);
    int version = in.u8();
    if (version != known) {
      throw new DecodeException("log entry of version " + version + ", known is " + VERSION);
    }
    try {
      LogEntry entry = fields(in, version == VERSION);
      in.finish();
      return entry;
    } catch (IllegalArgumentException e) {
      throw new DecodeException("an impossible log entry: " + e.getMessage());
    }
  }

  private static LogEntry fields(CanonicalReader in, boolean hasPayload) throws DecodeException {
    long index = in.size();
    OpId opId = new OpId(in.u64(), in.u64());
    long committedAtNs = in.u64();
    IntentId intent = new IntentId(new ClientId(in.u64(), in.u64()), in.size());
    NodeId createdNode = in.node();
    Hash root = in.hash();
    WorkerId origin = new WorkerId(in.text(MAX_WORKER_BYTES));
    String agent = in.text(LogEntry.MAX_AGENT_BYTES);
    FsOp op = OpCodec.decode(in);
    byte[] hazard = in.bytes(LogEntry.MAX_HAZARD_BYTES);
    byte[] inline = hasPayload ? in.bytes(LogEntry.MAX_INLINE_BYTES) : NOTHING;
    return new LogEntry(
        index, opId, committedAtNs, intent, origin, agent, op, createdNode, root, hazard, inline);
  }
}
