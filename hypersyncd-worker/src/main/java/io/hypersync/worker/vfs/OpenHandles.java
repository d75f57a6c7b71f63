package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import io.hypersync.worker.lease.OpenNodes;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Open files and directories by handle. Threads: any. */
final class OpenHandles {
  /** The handle of what this worker itself has open: nothing is kept of it. */
  static final long OF_THE_WORKER = 0;

  private final ConcurrentHashMap<Long, OpenHandle> handles = new ConcurrentHashMap<>();
  private final AtomicLong next = new AtomicLong(1);
  private final OpenNodes opened;

  /** No handle; tells {@code opened} of each. */
  OpenHandles(OpenNodes opened) {
    this.opened = opened;
  }

  /** What a handle is. */
  sealed interface OpenHandle permits OpenFile, OpenDirectory {
    /** What is open. */
    NodeId node();

    /** The kernel has closed it. */
    default void closed() {}
  }

  /**
   * An open file; it keeps meaning the same node, whatever happens to its names.
   *
   * @param direct whether it is read past the kernel's pages
   */
  record OpenFile(NodeId node, boolean direct) implements OpenHandle {}

  long open(OpenHandle handle) {
    long fh = next.getAndIncrement();
    handles.put(fh, handle);
    opened.opened(handle.node());
    return fh;
  }

  @Nullable OpenHandle get(long fh) {
    return handles.get(fh);
  }

  void release(long fh) {
    OpenHandle handle = handles.remove(fh);
    if (handle != null) {
      handle.closed();
      opened.closed(handle.node());
    }
  }

  int size() {
    return handles.size();
  }
}
