package io.hypersync.model.log;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import java.nio.charset.StandardCharsets;

/**
 * One committed mutation, as it is in the log and sent to workers (hypersync.md 8.1). Immutable, as
 * long as nobody changes its arrays.
 *
 * @param index position in the log: 1, 2, 3, ... without a gap; never past 2^63-1
 * @param opId identity of the committed op, for reports
 * @param committedAtNs leader time in nanoseconds since 1970, strictly increasing (9.4)
 * @param intent the idempotency key of the intent that this entry answers
 * @param origin the worker on whose mount the call was made
 * @param agent the name of the agent that made the call, as it says itself, for reports; empty if
 *     it is not known, at most {@link #MAX_AGENT_BYTES} in UTF-8
 * @param op the mutation, with everything that the leader decides filled in
 * @param createdNode the id of the node that the op creates; {@link #NO_NODE} if it creates none
 * @param root Merkle root of the filesystem after the op
 * @param hazard encoded hazard report, empty if there is none (11); at most {@link
 *     #MAX_HAZARD_BYTES}; must not be changed
 * @param inlinePayload the bytes of the op's chunks, concatenated, if they are small, else empty
 *     (9.2); at most {@link #MAX_INLINE_BYTES}; must not be changed
 */
public record LogEntry(
    long index,
    OpId opId,
    long committedAtNs,
    IntentId intent,
    WorkerId origin,
    String agent,
    FsOp op,
    NodeId createdNode,
    Hash root,
    byte[] hazard,
    byte[] inlinePayload) {

  /** The {@code createdNode} of an entry whose op creates no node. */
  public static final NodeId NO_NODE = new NodeId(0, 0);

  /** Maximum length of an agent name, in bytes of UTF-8. */
  public static final int MAX_AGENT_BYTES = 255;

  /** Maximum length of a hazard report, in bytes. */
  public static final int MAX_HAZARD_BYTES = 64 * 1024;

  /** Maximum length of an inline payload, in bytes. */
  public static final int MAX_INLINE_BYTES = 64 * 1024;

  /**
   * Checks the ranges above, so that every entry that exists can be encoded and decoded again.
   *
   * @throws IllegalArgumentException if the index is below 1 or a part is too long
   */
  public LogEntry {
    if (index < 1) {
      throw new IllegalArgumentException("index " + index + " is below 1");
    }
    requireAtMost("agent name", agent.getBytes(StandardCharsets.UTF_8).length, MAX_AGENT_BYTES);
    requireAtMost("hazard report", hazard.length, MAX_HAZARD_BYTES);
    requireAtMost("inline payload", inlinePayload.length, MAX_INLINE_BYTES);
  }

  /**
   * The same entry with this payload.
   *
   * @param payload the bytes of the op's chunks; must not be changed
   */
  public LogEntry with(byte[] payload) {
    return new LogEntry(
        index, opId, committedAtNs, intent, origin, agent, op, createdNode, root, hazard, payload);
  }

  private static void requireAtMost(String what, int bytes, int max) {
    if (bytes > max) {
      throw new IllegalArgumentException(
          "a " + what + " of " + bytes + " bytes, at most " + max + " allowed");
    }
  }
}
