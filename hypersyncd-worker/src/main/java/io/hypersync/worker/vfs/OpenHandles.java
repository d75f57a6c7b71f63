package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Open files and directories by handle. Threads: any. */
final class OpenHandles {
  private final ConcurrentHashMap<Long, OpenHandle> handles = new ConcurrentHashMap<>();
  private final AtomicLong next = new AtomicLong(1);

  /** What a handle is. */
  sealed interface OpenHandle permits OpenFile, OpenDirectory {}

  /** An open file; it keeps meaning the same node, whatever happens to its names. */
  record OpenFile(NodeId node) implements OpenHandle {}

  long open(OpenHandle handle) {
    long fh = next.getAndIncrement();
    handles.put(fh, handle);
    return fh;
  }

  @Nullable OpenHandle get(long fh) {
    return handles.get(fh);
  }

  void release(long fh) {
    handles.remove(fh);
  }

  int size() {
    return handles.size();
  }
}
