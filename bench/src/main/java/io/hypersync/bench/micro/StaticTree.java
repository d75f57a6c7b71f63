package io.hypersync.bench.micro;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import java.nio.charset.StandardCharsets;

/**
 * A directory with files {@code 0} to {@code n-1} of 4 KiB which never change; the kernel may cache
 * everything for an hour. Measures the cost of requests and notifications alone.
 */
final class StaticTree implements FuseHandler {
  /** Node id of the directory. */
  static final InodeNo ROOT = InodeNo.ROOT;

  private static final int FILE_BYTES = 4096;
  private static final int FILE_MODE = 0100644;
  private static final int DIRECTORY_MODE = 040755;
  private static final long KEEP_NS = 3_600_000_000_000L;

  private final int files;

  StaticTree(int files) {
    this.files = files;
  }

  /** Returns the node id of a file. */
  static InodeNo node(int file) {
    return new InodeNo(ROOT.value() + 1 + file);
  }

  /** Returns the name of a file. */
  static byte[] name(int file) {
    return Integer.toString(file).getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void handle(FuseRequest request, FuseReply reply) {
    InodeNo node = request.header().nodeId();
    switch (request.operation()) {
      case FuseOperation.Lookup(byte[] name) -> lookup(name, reply);
      case FuseOperation.GetAttr _ -> reply.attr(attributes(node), KEEP_NS);
      case FuseOperation.Open _ -> reply.open(FileHandle.NONE, FuseFlags.OpenReply.KEEP_CACHE);
      case FuseOperation.Read read ->
          reply.data(new byte[Math.clamp(FILE_BYTES - read.offset(), 0, read.size())]);
      case FuseOperation.StatFs _ -> reply.statfs(new FuseStatFs(1, 1, 1, 1, 1, 4096, 255, 4096));
      case FuseOperation.Flush _, FuseOperation.Release _ -> reply.ok();
      case FuseOperation.Forget _, FuseOperation.BatchForget _ -> reply.noReply();
      default -> reply.error(Errno.ENOSYS);
    }
  }

  @Override
  public void interrupted(RequestId unique, int pid) {
    // Requests are answered before they can be interrupted.
  }

  private void lookup(byte[] name, FuseReply reply) {
    try {
      int file = Integer.parseInt(new String(name, StandardCharsets.US_ASCII));
      if (file >= 0 && file < files) {
        FuseAttr attr = attributes(node(file));
        reply.entry(new FuseEntry(node(file), 0, attr, KEEP_NS, KEEP_NS));
        return;
      }
    } catch (NumberFormatException none) {
      // Not a number, so not one of the files.
    }
    reply.error(Errno.ENOENT);
  }

  private static FuseAttr attributes(InodeNo node) {
    boolean root = node.equals(ROOT);
    int bytes = root ? 0 : FILE_BYTES;
    int mode = root ? DIRECTORY_MODE : FILE_MODE;
    return new FuseAttr(node, bytes, bytes / 512, 0, 0, 0, mode, root ? 2 : 1, 0, 0, 0, 4096);
  }
}
