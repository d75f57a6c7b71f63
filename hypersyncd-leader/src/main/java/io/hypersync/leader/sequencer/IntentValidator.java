package io.hypersync.leader.sequencer;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Checks that an intent is valid by itself, whatever the state of the filesystem is. */
final class IntentValidator {
  private IntentValidator() {}

  /** How many payload bytes the op carries, inline or in chunks. */
  static long payloadBytes(FsOp op) {
    long bytes = 0;
    for (ChunkRef chunk : op.chunks()) {
      bytes += chunk.length();
    }
    return bytes;
  }

  /**
   * The errno with which the intent must be refused, or null if it is valid.
   *
   * @param op the decoded op of {@code submit}
   * @param inlineThreshold the threshold that workers were given; their chunk size is not checked,
   *     because a retried intent may have been cut when another size was in force
   */
  static @Nullable Errno check(FsOp op, SubmitIntent submit, int inlineThreshold) {
    if (op instanceof FsOp.ReapOrphans || op instanceof FsOp.RestoreState) {
      return Errno.EPERM; // only the leader reaps, and restores
    }
    if (submit.agent().getBytes(StandardCharsets.UTF_8).length > LogEntry.MAX_AGENT_BYTES) {
      return Errno.EINVAL;
    }
    long length = payloadBytes(op);
    byte[] inline = submit.inlinePayload();
    if (length > Protocol.MAX_WRITE_BYTES) {
      return Errno.EFBIG;
    }
    if (length > inlineThreshold) {
      return inline.length == 0 ? null : Errno.EINVAL;
    }
    if (inline.length != length) {
      return Errno.EINVAL;
    }
    int at = 0;
    for (ChunkRef ref : op.chunks()) {
      if (ref.length() > 0 && !Blake3.hash(inline, at, ref.length()).equals(ref.hash())) {
        return Errno.EIO;
      }
      at += ref.length();
    }
    return null;
  }
}
