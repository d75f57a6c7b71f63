package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.protocol.FileHandle;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The nodes of open files and directories, by the number that libfuse carries for each. A request
 * of an open file finds its node by it, whatever has become of the file's name. Thread-safe.
 */
final class OpenFiles {
  private final ConcurrentHashMap<FileHandle, InodeNo> nodes = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final int most;

  /**
   * An empty table.
   *
   * @param most files and directories that can be open at once
   */
  OpenFiles(int most) {
    this.most = most;
  }

  /**
   * Notes an open file.
   *
   * @throws CallFailed ENFILE if there are too many
   */
  void add(FileHandle fh, InodeNo node) throws CallFailed {
    if (count.incrementAndGet() > most) {
      count.decrementAndGet();
      throw new CallFailed(Errno.ENFILE);
    }
    nodes.put(fh, node);
  }

  /**
   * The node of an open file.
   *
   * @throws CallFailed EBADF if it is not open
   */
  InodeNo node(FileHandle fh) throws CallFailed {
    InodeNo node = nodes.get(fh);
    if (node == null) {
      throw new CallFailed(Errno.EBADF);
    }
    return node;
  }

  /**
   * Takes a file that is closed out of the table.
   *
   * @throws CallFailed EBADF if it is not open
   */
  InodeNo remove(FileHandle fh) throws CallFailed {
    InodeNo node = nodes.remove(fh);
    if (node == null) {
      throw new CallFailed(Errno.EBADF);
    }
    count.decrementAndGet();
    return node;
  }
}
