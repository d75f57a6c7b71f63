package io.hypersync.coordination.cas.file;

import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.coordination.cas.CasStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A record as a file, version 1: a head in ASCII, then the value as it is.
 *
 * <pre>
 * hypersync-record: 1
 * revision: 1795843200000000123
 * bytes: 57
 *
 * (57 bytes)
 * </pre>
 */
final class RecordBytes {
  private static final Pattern HEAD =
      Pattern.compile("hypersync-record: 1\nrevision: ([1-9][0-9]{0,18})\nbytes: ([0-9]{1,4})\n\n");

  private static final int MAX_HEAD_BYTES = 80;

  /** No record is longer. */
  static final int MAX_BYTES = MAX_HEAD_BYTES + CasStore.MAX_VALUE_BYTES;

  private RecordBytes() {}

  static byte[] of(CasRecord record) {
    byte[] head =
        ("hypersync-record: 1\nrevision: "
                + record.revision()
                + "\nbytes: "
                + record.value().length
                + "\n\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] file = Arrays.copyOf(head, head.length + record.value().length);
    System.arraycopy(record.value(), 0, file, head.length, record.value().length);
    return file;
  }

  /** Reads a file, which may be anything; empty if it is no record. */
  static Optional<CasRecord> parse(byte[] file) {
    String text =
        new String(file, 0, Math.min(file.length, MAX_HEAD_BYTES), StandardCharsets.ISO_8859_1);
    Matcher head = HEAD.matcher(text);
    if (!head.lookingAt()) {
      return Optional.empty();
    }
    long revision;
    try {
      revision = Long.parseLong(head.group(1));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
    int bytes = Integer.parseInt(head.group(2));
    boolean isWhole = bytes <= CasStore.MAX_VALUE_BYTES && file.length == head.end() + bytes;
    // The last revision would have no next one.
    return isWhole && revision < Long.MAX_VALUE
        ? Optional.of(new CasRecord(Arrays.copyOfRange(file, head.end(), file.length), revision))
        : Optional.empty();
  }
}
