package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import io.hypersync.worker.fuse.protocol.CallerAgent;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.lease.OpenNodes;
import io.hypersync.worker.sighting.Sightings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Open files and directories by file handle. Thread-safe. */
final class OpenHandles {
  /** The file handle of directories that this worker itself opens; it has no entry in the table. */
  static final FileHandle OF_THE_WORKER = FileHandle.NONE;

  private final ConcurrentHashMap<FileHandle, OpenHandle> handles = new ConcurrentHashMap<>();
  private final AtomicLong next = new AtomicLong(1);
  private final OpenNodes opened;
  private final Sightings sightings;

  /**
   * Creates an empty table.
   *
   * @param opened counts its handles by node
   * @param sightings is told of files that agents can read
   */
  OpenHandles(OpenNodes opened, Sightings sightings) {
    this.opened = opened;
    this.sightings = sightings;
  }

  /** An open file or directory. */
  sealed interface OpenHandle permits OpenFile, OpenDirectory {
    /** The node that is open. */
    NodeId node();

    /** Called when the kernel releases the handle. */
    default void closed() {}
  }

  /**
   * An open file; it stays bound to its node, whatever happens to the node's names.
   *
   * @param direct whether reads bypass the kernel's page cache
   * @param reader the agent that has opened it, if it can be read
   */
  record OpenFile(NodeId node, boolean direct, @Nullable CallerAgent reader)
      implements OpenHandle {}

  FileHandle open(OpenHandle handle) {
    FileHandle fh = new FileHandle(next.getAndIncrement());
    handles.put(fh, handle);
    opened.opened(handle.node());
    if (handle instanceof OpenFile file && file.reader() != null) {
      sightings.opened(file.node(), file.reader());
    }
    return fh;
  }

  @Nullable OpenHandle get(FileHandle fh) {
    return handles.get(fh);
  }

  void release(FileHandle fh) {
    OpenHandle handle = handles.remove(fh);
    if (handle != null) {
      handle.closed();
      opened.closed(handle.node());
      if (handle instanceof OpenFile file && file.reader() != null) {
        sightings.closed(file.node(), file.reader());
      }
    }
  }

  /** The handles of a node that are open now. */
  List<FileHandle> of(NodeId node) {
    List<FileHandle> found = new ArrayList<>();
    handles.forEach(
        (fh, handle) -> {
          if (handle.node().equals(node)) {
            found.add(fh);
          }
        });
    return found;
  }

  int size() {
    return handles.size();
  }
}
