package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import java.nio.ByteBuffer;

/**
 * What a request was answered with; one record for each method of {@link
 * io.hypersync.worker.fuse.session.FuseReply} that calls by path can meet.
 */
sealed interface Answer {
  record Failed(Errno errno) implements Answer {}

  record Done() implements Answer {}

  record Entry(FuseEntry entry) implements Answer {}

  record Attributes(FuseAttr attr) implements Answer {}

  record Opened(FileHandle fh) implements Answer {}

  record Created(FuseEntry entry, FileHandle fh) implements Answer {}

  /** How many bytes were written, or the size of an attribute's value or of a list of names. */
  record Size(int bytes) implements Answer {}

  record Data(byte[] bytes) implements Answer {}

  record Totals(FuseStatFs totals) implements Answer {}

  record Rows(ByteBuffer bytes) implements Answer {}

  record Lock(FuseLock lock) implements Answer {}
}
