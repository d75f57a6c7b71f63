package io.hypersync.model.log;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import java.nio.charset.StandardCharsets;

/**
 * One committed mutation (hypersync.md 8.1).
 *
 * @param index 1, 2, 3, ... without a gap; never past 2^63
 * @param opId identity of the committed op
 * @param committedAtNs leader time in nanoseconds since 1970, strictly increasing (9.4)
 * @param intent the idempotency key of the request that asked for it
 * @param origin the worker where the call was made
 * @param agent the name of the agent, for people and hazards; may be empty, at most {@link
 *     #MAX_AGENT_BYTES} in UTF-8
 * @param op the mutation, with everything that the leader decides filled in
 * @param createdNode the id given to the node which the op creates; {@link #NO_NODE} otherwise
 * @param root Merkle root of the filesystem after the op
 * @param hazard encoded hazard report, empty when there is none (11); at most {@link
 *     #MAX_HAZARD_BYTES}; not to be changed
 * @param inlinePayload the bytes of the op's chunks one after another when they are small, else
 *     empty (9.2); at most {@link #MAX_INLINE_BYTES}; not to be changed
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

  /** "No node": an op that creates none. */
  public static final NodeId NO_NODE = new NodeId(0, 0);

  /** The longest agent name in bytes of UTF-8. */
  public static final int MAX_AGENT_BYTES = 255;

  /** The longest hazard report in bytes. */
  public static final int MAX_HAZARD_BYTES = 64 * 1024;

  /** The longest inline payload in bytes. */
  public static final int MAX_INLINE_BYTES = 64 * 1024;

  /**
   * Rejects what could be logged but not be read again.
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

  private static void requireAtMost(String what, int bytes, int max) {
    if (bytes > max) {
      throw new IllegalArgumentException(
          "a " + what + " of " + bytes + " bytes, at most " + max + " allowed");
    }
  }
}
