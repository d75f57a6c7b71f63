package io.hypersync.leader.oplog.chronicle;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The published segments of a log, as recovery and readers see them. Thread-safe. */
interface LogFiles {
  /** The log's directory. */
  Path logDirectory();

  /** The directories that have the name of a published segment, in any order. */
  List<Path> segments() throws IOException;

  /** Whether a segment's file exists. */
  boolean exists(Path file);

  /**
   * Opens a segment's file for reading; the caller closes it.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such file
   */
  Bytes open(Path file) throws IOException;

  /** The length of a segment's file in bytes. */
  default long size(Path file) throws IOException {
    try (Bytes bytes = open(file)) {
      return bytes.size();
    }
  }

  /** The files of a log directory on disk. */
  static LogFiles in(Path logDirectory) {
    return new DiskFiles(logDirectory);
  }

  /** The bytes of an open file. */
  interface Bytes extends Closeable {
    /** The file's size in bytes. */
    long size() throws IOException;

    /** Reads bytes at a position, as {@code pread} does; returns how many, -1 beyond the end. */
    int read(ByteBuffer target, long position) throws IOException;
  }
}
