package io.hypersync.sim.load;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import org.jspecify.annotations.Nullable;

/**
 * The reply of the vfs to a kernel request.
 *
 * @param errno null on success
 * @param entry the node, of a lookup or a creation
 * @param fh the handle, of an open; else NONE
 * @param data the bytes, of a read
 * @param size the number of bytes, of a write or read
 */
public record Answer(
    @Nullable Errno errno,
    @Nullable FuseEntry entry,
    FileHandle fh,
    byte @Nullable [] data,
    int size) {
  static final Answer OK = new Answer(null, null, FileHandle.NONE, null, 0);

  static Answer error(Errno errno) {
    return new Answer(errno, null, FileHandle.NONE, null, 0);
  }

  static Answer entry(FuseEntry entry, FileHandle fh) {
    return new Answer(null, entry, fh, null, 0);
  }

  static Answer handle(FileHandle fh) {
    return new Answer(null, null, fh, null, 0);
  }

  static Answer data(byte[] data) {
    return new Answer(null, null, FileHandle.NONE, data, data.length);
  }

  static Answer size(int size) {
    return new Answer(null, null, FileHandle.NONE, null, size);
  }

  @Override
  public String toString() {
    return errno != null ? errno.name() : entry != null ? "#" + entry.nodeId() : "ok " + size;
  }
}
