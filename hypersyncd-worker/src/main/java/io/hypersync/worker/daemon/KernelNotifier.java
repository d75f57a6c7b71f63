package io.hypersync.worker.daemon;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.fuse.session.FuseNotifier;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.vfs.KernelInodes;
import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the kernel forget cached pages that an entry has changed (hypersync.md 6.3.2(3)), on a thread
 * of its own: such a notification can block while the kernel reads the same page, and the thread
 * that applies must not (design 7).
 *
 * <p>Why a late notification shows nothing wrong: attributes have TTL 0, so the kernel asks for
 * them at every read and drops the pages itself when mtime or size have changed. The notification
 * is for the one case in which they have not: a write whose mtime was set back.
 */
final class KernelNotifier implements ApplyListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KernelNotifier.class);
  private static final long TO_THE_END = 0;

  /** No inode has number 0. */
  private static final Range STOP = new Range(0, 0, 0);

  private final KernelInodes inodes;
  private final LinkedBlockingQueue<Range> ranges = new LinkedBlockingQueue<>();
  private final Thread thread =
      Thread.ofPlatform().name("kernel-notifier").daemon().unstarted(this::run);
  private volatile @Nullable FuseNotifier kernel;
  private volatile boolean collecting;

  private record Range(long inode, long offset, long length) {}

  KernelNotifier(KernelInodes inodes) {
    this.inodes = inodes;
  }

  /** The mount is about to be made; before it there is nothing to forget. */
  void collect() {
    collecting = true;
  }

  /** The mount is there. */
  void start(FuseNotifier notifier) {
    kernel = notifier;
    thread.start();
  }

  @Override
  public void applied(LogEntry entry, FsState before, FsState after) {
    if (!collecting) {
      return;
    }
    switch (entry.op()) {
      case FsOp.Write write -> add(after, write.node(), write.offset(), write.length());
      case FsOp.Truncate truncate -> add(after, truncate.node(), 0, TO_THE_END);
      case FsOp.CreateFile _,
          FsOp.MakeDir _,
          FsOp.MakeSymlink _,
          FsOp.MakeNode _,
          FsOp.Link _,
          FsOp.Unlink _,
          FsOp.RemoveDir _,
          FsOp.Rename _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.ReapOrphans _ -> {}
    }
  }

  @Override
  public void close() {
    ranges.add(STOP);
  }

  private void add(FsState state, NodeId id, long offset, long length) {
    Node node = state.node(id);
    if (node != null && inodes.mayHavePages(node.inode().value())) {
      ranges.add(new Range(node.inode().value(), offset, length));
    }
  }

  private void run() {
    try {
      for (Range range = ranges.take(); range.inode != 0; range = ranges.take()) {
        FuseNotifier notifier = kernel;
        if (notifier != null) {
          notifier.invalidateInode(range.inode, range.offset, range.length);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      collecting = false;
      ranges.clear();
      LOG.warn("the kernel takes no more notifications: {}", e.getMessage());
    }
  }
}
