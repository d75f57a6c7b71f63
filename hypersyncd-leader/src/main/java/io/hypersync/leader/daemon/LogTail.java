package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.wire.admin.UserError;
import io.hypersync.wire.file.FileProblems;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The newest entries for people and tools, with the keys of {@code docs/json.md}. */
final class LogTail {
  private static final int MAX_TAIL = 100_000;
  private static final int SLICE_BYTES = 1 << 20;
  private static final long NS_PER_SECOND = 1_000_000_000L;

  /** RFC 3339 with nanoseconds (hypersync.md 9.4). */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private LogTail() {}

  static ObjectNode read(OpLog log, int count) {
    long last = log.durableIndex();
    long next = Math.max(log.firstIndex(), last - Math.min(count, MAX_TAIL) + 1);
    ObjectNode tail = JsonNodeFactory.instance.objectNode();
    tail.put("commit_index", last);
    ArrayNode entries = tail.putArray("entries");
    try {
      while (next <= last) {
        next += log.read(next, SLICE_BYTES, (index, payload) -> add(entries, index, payload, last));
      }
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    }
    return tail;
  }

  private static void add(ArrayNode entries, long index, byte[] payload, long last) {
    if (index > last) {
      return; // committed after the question
    }
    try {
      entries.add(entry(LogEntryCodec.decode(payload)));
    } catch (DecodeException e) {
      throw new UserError("log entry " + index + " makes no sense: " + e.getMessage(), "");
    }
  }

  private static ObjectNode entry(LogEntry entry) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("log_index", entry.index());
    node.put("op_id", entry.opId().toString());
    node.put(
        "committed_at",
        TIME.format(
            Instant.ofEpochSecond(
                Math.floorDiv(entry.committedAtNs(), NS_PER_SECOND),
                Math.floorMod(entry.committedAtNs(), NS_PER_SECOND))));
    node.put("client_id", entry.intent().client().toString());
    node.put("seq_no", entry.intent().seqNo());
    node.put("worker_id", entry.origin().name());
    node.put("agent", entry.agent());
    node.put("op", entry.op().getClass().getSimpleName());
    node.put("detail", detail(entry.op()));
    node.put("root", entry.root().toString());
    return node;
  }

  private static String detail(FsOp op) {
    return switch (op) {
      case FsOp.CreateFile create -> create.name() + mode(create.mode());
      case FsOp.MakeDir make -> make.name() + mode(make.mode());
      case FsOp.MakeSymlink make ->
          make.name() + " -> " + new String(make.target(), StandardCharsets.UTF_8);
      case FsOp.MakeNode make -> make.name() + " " + make.type() + mode(make.mode());
      case FsOp.Link link -> link.newName() + " = " + link.node();
      case FsOp.Unlink unlink -> unlink.name().toString();
      case FsOp.RemoveDir remove -> remove.name().toString();
      case FsOp.Rename rename ->
          rename.name() + " -> " + rename.newName() + " (" + rename.mode() + ")";
      case FsOp.Write write ->
          write.node() + " " + write.mode() + " " + write.length() + " bytes at " + write.offset();
      case FsOp.Truncate truncate -> truncate.node() + " to " + truncate.size() + " bytes";
      case FsOp.SetAttributes set -> set.node() + " mask " + set.mask();
      case FsOp.SetXattr set -> set.node() + " " + new String(set.name(), StandardCharsets.UTF_8);
      case FsOp.RemoveXattr remove ->
          remove.node() + " " + new String(remove.name(), StandardCharsets.UTF_8);
      case FsOp.ReapOrphans reap -> reap.nodes().size() + " nodes";
      case FsOp.Allocate a ->
          a.node() + " " + a.mode() + " " + a.length() + " bytes at " + a.offset();
      case FsOp.CopyRange c ->
          c.length()
              + (" bytes of " + c.source() + " at " + c.sourceOffset())
              + (" to " + c.target() + " at " + c.targetOffset());
      case FsOp.MakeTemporary make -> "in " + make.parent() + mode(make.mode());
      case FsOp.LinkTemporary link -> link.newName() + " = " + link.node();
    };
  }

  private static String mode(int mode) {
    return " mode " + Integer.toOctalString(mode);
  }
}
