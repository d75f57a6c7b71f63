package io.hypersync.leader.oplog.chronicle;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The published segments of a log, as recovery and readers see them. Any thread may ask. */
interface LogFiles {
  /** The directories that are named like published segments, in any order. */
  List<Path> segments() throws IOException;

  /** Whether a segment's file is there. */
  boolean exists(Path file);

  /** Opens a segment's file. */
  Bytes open(Path file) throws IOException;

  /** The log in a directory on disk. */
  static LogFiles in(Path logDirectory) {
    return new DiskFiles(logDirectory);
  }

  /** The bytes of an open file. */
  interface Bytes extends Closeable {
    /** How many there are. */
    long size() throws IOException;

    /** Reads some at a position, as {@code pread} does; returns how many, -1 behind the end. */
    int read(ByteBuffer target, long position) throws IOException;
  }
}
