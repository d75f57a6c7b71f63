package io.hypersync.worker.daemon.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.dev.HostFiles;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.local.LocalNode;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Open local files and directories, each with a descriptor. Thread-safe. */
final class OpenLocalFiles implements AutoCloseable {
  private final ConcurrentHashMap<FileHandle, Open> handles = new ConcurrentHashMap<>();
  private final AtomicLong next = new AtomicLong(1);
  private final long most;

  /**
   * None are open.
   *
   * @param most how many there may be: the daemon needs descriptors for itself
   */
  OpenLocalFiles(long most) {
    this.most = most;
  }

  /** An open file. Its descriptor is closed when nobody uses it any more. */
  static final class Open implements AutoCloseable {
    private final LocalNode node;
    private final int fd;
    private int users = 1;

    private Open(LocalNode node, int fd) {
      this.node = node;
      this.fd = fd;
    }

    int fd() {
      return fd;
    }

    private synchronized boolean use() {
      if (users == 0) {
        return false;
      }
      users++;
      return true;
    }

    /** The user, or the table, is done with it. */
    @Override
    public synchronized void close() {
      users--;
      if (users == 0) {
        HostFiles.close(fd);
      }
    }
  }

  /** Fails with ENFILE if so many are open that one more would harm the daemon. */
  void requireRoom() throws HostCallFailed {
    if (handles.size() >= most) {
      throw new HostCallFailed(Errno.ENFILE);
    }
  }

  /** Takes over a descriptor. */
  FileHandle add(LocalNode node, int fd) {
    FileHandle handle = new FileHandle(next.getAndIncrement());
    handles.put(handle, new Open(node, fd));
    return handle;
  }

  /** The open file of a handle; the caller closes it. EBADF if there is none. */
  Open use(FileHandle handle) throws HostCallFailed {
    Open open = handles.get(handle);
    if (open == null || !open.use()) {
      throw new HostCallFailed(Errno.EBADF);
    }
    return open;
  }

  /** Some open file of a node, whose name may be gone; the caller closes it. Null if none is. */
  @Nullable Open anyOf(LocalNode node) {
    for (Open open : handles.values()) { // rare: only nodes without a name are looked for
      if (open.node == node && open.use()) {
        return open;
      }
    }
    return null;
  }

  void release(FileHandle handle) {
    Open open = handles.remove(handle);
    if (open != null) {
      open.close();
    }
  }

  int size() {
    return handles.size();
  }

  @Override
  public void close() {
    handles.keySet().forEach(this::release);
  }
}
