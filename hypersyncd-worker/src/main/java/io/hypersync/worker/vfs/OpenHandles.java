package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import io.hypersync.worker.fuse.protocol.CallerAgent;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.incarnation.HandleTable;
import io.hypersync.worker.lease.OpenNodes;
import io.hypersync.worker.sighting.Sightings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  private final @Nullable HandleTable kept;

  /** What requests have opened that an earlier process may not have answered. */
  private final Map<Long, FileHandle> unanswered = new ConcurrentHashMap<>();

  /**
   * Creates an empty table.
   *
   * @param opened counts its handles by node
   * @param sightings is told of files that agents can read
   * @param kept where the next process finds the handles; null if there is none
   */
  OpenHandles(OpenNodes opened, Sightings sightings, @Nullable HandleTable kept) {
    this.opened = opened;
    this.sightings = sightings;
    this.kept = kept;
  }

  /** Takes over a handle that an earlier process has left open; it is counted already. */
  void inherit(HandleTable.Row row, OpenHandle handle) {
    handles.put(row.handle(), handle);
    unanswered.put(row.opener(), row.handle());
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

  /**
   * Opens a handle.
   *
   * @param request that asks for it. If an earlier process has opened one for the same request, and
   *     was ended before it could answer, it is that one
   * @param unnamed whether it is of a file that was made without a name and may still get one
   */
  FileHandle open(RequestId request, OpenHandle handle, boolean unnamed) {
    FileHandle before = request.isSentAgain() ? unanswered.remove(request.identity()) : null;
    if (before != null) {
      OpenHandle known = handles.get(before);
      if (known != null && known.node().equals(handle.node())) {
        handle.closed(); // the one of before goes on
        return before;
      }
    }
    HandleTable table = kept;
    FileHandle fh =
        table == null
            ? new FileHandle(next.getAndIncrement())
            : table.open(handle.node(), flags(handle, unnamed), request);
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

  private static HandleTable.Flags flags(OpenHandle handle, boolean unnamed) {
    return switch (handle) {
      case OpenFile file -> new HandleTable.Flags(false, file.direct(), unnamed);
      case OpenDirectory directory -> new HandleTable.Flags(true, directory.used() != null, false);
    };
  }

  void release(FileHandle fh) {
    OpenHandle handle = handles.remove(fh);
    if (handle != null) {
      if (kept != null) {
        kept.close(fh);
      }
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
