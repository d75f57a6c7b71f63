package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.Nullable;

/** Kinds of log records; the codes are part of the file format. */
enum RecordKind {
  /** The first record of a segment: where it begins and what it follows. */
  SEGMENT_HEADER(1, 1),
  /** One log entry; its payload is the canonical encoding. */
  ENTRY(2, 1),
  /** Everything up to its index was durable when the log was idle or closed. */
  WATERMARK(3, 2);

  private final int code;
  private final int sinceVersion;

  RecordKind(int code, int sinceVersion) {
    this.code = code;
    this.sinceVersion = sinceVersion;
  }

  /** The first record version that has this kind. */
  int sinceVersion() {
    return sinceVersion;
  }

  /** The byte that encodes this kind in a record. */
  int code() {
    return code;
  }

  /** The kind with this code, or null. */
  static @Nullable RecordKind ofCode(int code) {
    return switch (code) {
      case 1 -> SEGMENT_HEADER;
      case 2 -> ENTRY;
      case 3 -> WATERMARK;
      default -> null;
    };
  }
}
