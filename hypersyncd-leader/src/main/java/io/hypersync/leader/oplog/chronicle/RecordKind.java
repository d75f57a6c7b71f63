package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.Nullable;

/** Kinds of log records; the codes are part of the file format. */
enum RecordKind {
  /** The first record of a segment: where it begins and what it follows. */
  SEGMENT_HEADER(1, 1, 3),
  /** One log entry; its payload is the canonical encoding. */
  ENTRY(2, 1, 2),
  /** Everything up to its index was durable when the log was idle or closed. */
  WATERMARK(3, 2, 2);

  private final int code;
  private final int firstVersion;
  private final int version;

  RecordKind(int code, int firstVersion, int version) {
    this.code = code;
    this.firstVersion = firstVersion;
    this.version = version;
  }

  /** Whether records of this kind may have this version. */
  boolean isKnown(int ofRecord) {
    return ofRecord >= firstVersion && ofRecord <= version;
  }

  /** The version with which records of this kind are written. */
  int version() {
    return version;
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
