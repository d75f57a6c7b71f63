package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.Nullable;

/** What a record is; the codes are part of the file format. */
enum RecordKind {
  /** The first record of a segment: where it begins and what it follows. */
  SEGMENT_HEADER(1, 1),
  /** One log entry. */
  ENTRY(2, 1),
  /** Everything up to an index was durable when the log came to rest there. */
  WATERMARK(3, 2);

  private final int code;
  private final int sinceVersion;

  RecordKind(int code, int sinceVersion) {
    this.code = code;
    this.sinceVersion = sinceVersion;
  }

  /** The first version of records that knows it. */
  int sinceVersion() {
    return sinceVersion;
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
      case 3 -> WATERMARK;
      default -> null;
    };
  }
}
