package io.hypersync.leader.daemon;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.hazard.HazardJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The newest entries as JSON, with the keys of {@code docs/json.md}. They are read from the log in
 * slices while they are written out, so memory is bounded however many are requested.
 */
public final class LogTail extends JsonSerializable.Base {
  static final int MAX_TAIL = 100_000;

  /** Size of one read of the log; a larger entry is read alone. */
  static final int SLICE_BYTES = 256 << 10;

  /** How many entries are searched at a time, from the end on. */
  private static final int BLOCK_ENTRIES = 4_096;

  private final OpLog log;
  private final long first;
  private final long last;
  private final Predicate<LogEntry> wanted;
  private final long commitIndex;

  private LogTail(OpLog log, long first, long last, Predicate<LogEntry> wanted) {
    this(log, first, last, wanted, last);
  }

  private LogTail(OpLog log, long first, long last, Predicate<LogEntry> wanted, long commitIndex) {
    this.log = log;
    this.commitIndex = commitIndex;
    this.first = first;
    this.last = last;
    this.wanted = wanted;
  }

  /** The newest {@code count} of the entries that are durable now; 100,000 at most. */
  static LogTail of(OpLog log, int count) {
    long last = log.durableIndex();
    long first = Math.max(log.firstIndex(), last - Math.clamp(count, 0, MAX_TAIL) + 1);
    return new LogTail(log, first, last, _ -> true);
  }

  /**
   * The newest {@code count} entries of an agent, of the 100,000 newest that are durable now.
   * Blocks until they are found.
   *
   * @param agent its name; empty for entries without one
   */
  static LogTail of(OpLog log, int count, String agent) {
    return newest(of(log, MAX_TAIL), count, entry -> agent.equals(entry.agent()));
  }

  /**
   * The newest {@code count} entries that have hazards (hypersync.md 11). Blocks until they are
   * found.
   *
   * @param within how many of the newest entries are looked at; 100,000 at most
   */
  static LogTail hazards(OpLog log, int count, int within) {
    return newest(of(log, within), count, LogTail::isHazard);
  }

  /** The durable entries behind this one that have hazards; of the newest 100,000 at most. */
  static LogTail hazardsAfter(OpLog log, long index) {
    LogTail all = of(log, MAX_TAIL);
    return new LogTail(log, Math.max(all.first, index + 1), all.last, LogTail::isHazard);
  }

  static boolean isHazard(LogEntry entry) {
    return HazardReport.hasHazards(entry.hazard());
  }

  private static LogTail newest(LogTail all, int count, Predicate<LogEntry> wanted) {
    return newest(all.log, count, all.first, all.last, wanted);
  }

  /**
   * The newest {@code count} of the wanted entries in a part of the log, 100,000 at most. Blocks
   * until they are found.
   *
   * @param first the first entry of the part; those that are gone are passed over
   * @param last the last entry of it; those that are not durable now are passed over
   */
  static LogTail newest(OpLog log, int count, long first, long last, Predicate<LogEntry> wanted) {
    long begin = Math.max(first, log.firstIndex());
    long durable = log.durableIndex();
    long until = Math.min(last, durable);
    long from = until + 1;
    int missing = Math.clamp(count, 0, MAX_TAIL);
    while (missing > 0 && from > begin) {
      long end = from;
      from = Math.max(begin, end - BLOCK_ENTRIES);
      List<Long> found = new LogTail(log, from, end - 1, wanted).indexes();
      if (found.size() >= missing) {
        from = found.get(found.size() - missing);
      }
      missing -= Math.min(missing, found.size());
    }
    return new LogTail(log, from, until, wanted, durable);
  }

  /** The entries that are shown. */
  private List<Long> indexes() {
    List<Long> indexes = new ArrayList<>();
    long next = first;
    while (next <= last) {
      for (byte[] payload : read(next)) {
        if (next <= last && wanted.test(decode(next, payload))) {
          indexes.add(next);
        }
        next++;
      }
    }
    return indexes;
  }

  /**
   * Reads and writes the entries.
   *
   * @throws UserError if the log cannot be read; entries before the failure have been written then
   */
  @Override
  public void serialize(JsonGenerator out, SerializerProvider serializers) throws IOException {
    out.writeStartObject();
    out.writeNumberField("commit_index", commitIndex);
    out.writeNumberField("oldest_index", log.firstIndex());
    out.writeArrayFieldStart("entries");
    long next = first;
    while (next <= last) {
      List<byte[]> slice = read(next);
      for (byte[] payload : slice) {
        if (next <= last) { // later ones were committed after the request
          LogEntry entry = decode(next, payload);
          if (wanted.test(entry)) {
            entry(entry).serialize(out, serializers);
          }
        }
        next++;
      }
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  @Override
  public void serializeWithType(
      JsonGenerator out, SerializerProvider serializers, TypeSerializer ignored)
      throws IOException {
    serialize(out, serializers);
  }

  /**
   * Reads a slice before it is written out: the recipient may be slow, and the read keeps the log
   * in use.
   */
  private List<byte[]> read(long from) {
    List<byte[]> slice = new ArrayList<>();
    try {
      var _ = log.read(from, SLICE_BYTES, (_, payload) -> slice.add(payload));
    } catch (IndexOutOfBoundsException e) {
      if (from >= log.firstIndex()) {
        throw e;
      }
      throw new UserError("log entry " + from + " was removed meanwhile", "Ask again.");
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    }
    return slice;
  }

  private static LogEntry decode(long index, byte[] payload) {
    try {
      return LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      throw new UserError("log entry " + index + " makes no sense: " + e.getMessage(), "");
    }
  }

  /** An entry, with the keys of {@code docs/json.md}. */
  public static ObjectNode entry(LogEntry entry) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("log_index", entry.index());
    node.put("op_id", entry.opId().toString());
    node.put("committed_at", HazardJson.time(entry.committedAtNs()));
    node.put("client_id", entry.intent().client().toString());
    node.put("seq_no", entry.intent().seqNo());
    node.put("worker_id", entry.origin().name());
    node.put("agent", entry.agent());
    node.put("op", entry.op().getClass().getSimpleName());
    node.put("detail", detail(entry.op()));
    node.put("root", entry.root().toString());
    HazardJson.add(decodedHazards(entry), node.putArray("hazards"));
    return node;
  }

  private static List<Hazard> decodedHazards(LogEntry entry) {
    try {
      return HazardReport.decode(entry.hazard());
    } catch (DecodeException e) { // of a later version: the entry counts all the same
      return List.of();
    }
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
      case FsOp.RestoreState restore -> restored(restore);
    };
  }

  private static String restored(FsOp.RestoreState restore) {
    try {
      return "to entry " + Manifest.index(restore.manifest());
    } catch (DecodeException e) {
      return "to a state that cannot be read: " + e.getMessage();
    }
  }

  private static String mode(int mode) {
    return " mode " + Integer.toOctalString(mode);
  }
}
