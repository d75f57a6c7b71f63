package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.Nullable;

/** What a record is; the codes are part of the file format. */
enum RecordKind {
  /** The first record of a segment: where it begins and what it follows. */
  SEGMENT_HEADER(1),
  /** One log entry. */
  ENTRY(2);

  private final int code;

  RecordKind(int code) {
    this.code = code;
  }

  /** The byte in the record. */
  int code() {
    return code;
  }

  /** The kind of a code, or null if there is none. */
  static @Nullable RecordKind ofCode(int code) {
    return switch (code) {
      case 1 -> SEGMENT_HEADER;
      case 2 -> ENTRY;
      default -> null;
    };
  }
}
