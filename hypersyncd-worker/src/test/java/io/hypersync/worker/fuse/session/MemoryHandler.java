package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseFlags.OpenReply;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A directory of files in memory. The prefix of a name selects a behaviour: {@code direct-} files
 * are opened with direct I/O; reads of {@code slow-} files are answered by another thread after 200
 * ms; reads of {@code stuck-} files, with direct I/O as well, are answered only when interrupted;
 * reads of {@code broken-} files throw.
 */
final class MemoryHandler implements FuseHandler {
  static final int SLOW_MILLIS = 200;
  private static final int O_TRUNC = 01000;

  private final TreeMap<String, Node> files = new TreeMap<>();
  private final TreeMap<Long, Node> nodes = new TreeMap<>();
  private final Map<RequestId, FuseReply> stuck = new HashMap<>();
  private final long ttlNs;
  private long lastNode = 1;

  /** The sizes of WRITE requests, in order of arrival. */
  final BlockingQueue<Integer> writeSizes = new LinkedBlockingQueue<>();

  /** Requests that are never answered unless interrupted. */
  final BlockingQueue<RequestId> stuckRequests = new LinkedBlockingQueue<>();

  final BlockingQueue<RequestId> interrupts = new LinkedBlockingQueue<>();

  private static final class Node {
    final long id;
    final String name;
    byte[] content = {};
    int mode;
    long mtimeNs = 1_700_000_000_123_456_789L;

    Node(long id, String name, int mode) {
      this.id = id;
      this.name = name;
      this.mode = mode;
    }
  }

  MemoryHandler(long ttl, TimeUnit unit) {
    this.ttlNs = unit.toNanos(ttl);
    nodes.put(1L, new Node(1, "", 040755));
  }

  /** Creates or changes a file without a notification to the kernel. */
  synchronized InodeNo put(String name, String content) {
    Node node = files.computeIfAbsent(name, key -> create(key, 0100644));
    node.content = content.getBytes(StandardCharsets.UTF_8);
    return new InodeNo(node.id);
  }

  /** Removes a file without a notification to the kernel. */
  synchronized void remove(String name) {
    files.remove(name);
  }

  synchronized @Nullable String content(String name) {
    Node node = files.get(name);
    return node == null ? null : new String(node.content, StandardCharsets.UTF_8);
  }

  @Override
  public synchronized void interrupted(RequestId unique, int pid) {
    interrupts.add(unique);
    FuseReply reply = stuck.remove(unique);
    if (reply != null) {
      reply.error(Errno.EINTR);
    }
  }

  @Override
  public synchronized void handle(FuseRequest request, FuseReply reply) {
    Node node = nodes.get(request.header().nodeId().value());
    switch (request.operation()) {
      case FuseOperation.Forget _, FuseOperation.BatchForget _ -> reply.noReply();
      case FuseOperation.Lookup(byte[] name) -> {
        Node child = files.get(text(name));
        if (child == null) {
          reply.negativeEntry(ttlNs);
        } else {
          reply.entry(entry(child));
        }
      }
      case FuseOperation.StatFs _ ->
          reply.statfs(new FuseStatFs(1000, 500, 500, 100, 50, 4096, 255, 4096));
      case FuseOperation.ReadDir list -> {
        DirectoryBuffer.Plain rows = new DirectoryBuffer.Plain(list.size());
        List<Node> all = List.copyOf(files.values());
        for (int i = (int) list.offset(); i < all.size(); i++) {
          Node row = all.get(i);
          if (!rows.add(new InodeNo(row.id), i + 1, 8, row.name.getBytes(StandardCharsets.UTF_8))) {
            break;
          }
        }
        reply.directory(rows);
      }
      case FuseOperation.ReadDirPlus list -> {
        DirectoryBuffer.Plus rows = new DirectoryBuffer.Plus(list.size());
        List<Node> all = List.copyOf(files.values());
        for (int i = (int) list.offset(); i < all.size(); i++) {
          Node row = all.get(i);
          if (!rows.add(entry(row), i + 1, row.name.getBytes(StandardCharsets.UTF_8))) {
            break;
          }
        }
        reply.directory(rows);
      }
      case FuseOperation.OpenDir _ -> reply.open(FileHandle.NONE, 0);
      case FuseOperation.Flush _, FuseOperation.Release _, FuseOperation.ReleaseDir _ -> reply.ok();
      case FuseOperation.Fsync _, FuseOperation.FsyncDir _ -> reply.ok();
      case FuseOperation.Create create -> {
        Node child = create(text(create.name()), create.mode());
        files.put(child.name, child);
        reply.create(entry(child), new FileHandle(child.id), openFlags(child));
      }
      case FuseOperation.Unlink(byte[] name) -> {
        if (files.remove(text(name)) == null) {
          reply.error(Errno.ENOENT);
        } else {
          reply.ok();
        }
      }
      case FuseOperation.GetAttr _ when node != null -> reply.attr(attr(node), ttlNs);
      case FuseOperation.SetAttr set when node != null -> {
        set.size().ifPresent(size -> node.content = Arrays.copyOf(node.content, (int) size));
        set.mode().ifPresent(mode -> node.mode = mode);
        reply.attr(attr(node), ttlNs);
      }
      case FuseOperation.Open open when node != null -> {
        if ((open.flags() & O_TRUNC) != 0) {
          node.content = new byte[0];
        }
        reply.open(new FileHandle(node.id), openFlags(node));
      }
      case FuseOperation.Read read when node != null -> read(request, read, node, reply);
      case FuseOperation.Write write when node != null -> {
        writeSizes.add(write.data().length);
        int end = (int) write.offset() + write.data().length;
        if (end > node.content.length) {
          node.content = Arrays.copyOf(node.content, end);
        }
        System.arraycopy(write.data(), 0, node.content, (int) write.offset(), write.data().length);
        reply.write(write.data().length);
      }
      default -> reply.error(Errno.ENOSYS);
    }
  }

  private void read(FuseRequest request, FuseOperation.Read read, Node node, FuseReply reply) {
    if (node.name.startsWith("broken-")) {
      throw new IllegalStateException("on purpose");
    }
    if (node.name.startsWith("stuck-")) {
      stuck.put(request.header().unique(), reply);
      stuckRequests.add(request.header().unique());
      return;
    }
    int from = (int) Math.min(read.offset(), node.content.length);
    int length = Math.min(read.size(), node.content.length - from);
    if (node.name.startsWith("slow-")) {
      byte[] content = node.content;
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  Thread.sleep(SLOW_MILLIS);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                reply.data(Arrays.copyOfRange(content, from, from + length));
              });
      return;
    }
    reply.data(Arrays.copyOfRange(node.content, from, from + length));
  }

  private static int openFlags(Node node) {
    boolean direct = node.name.startsWith("direct-") || node.name.startsWith("stuck-");
    return direct ? OpenReply.DIRECT_IO : 0;
  }

  private Node create(String name, int mode) {
    Node node = new Node(++lastNode, name, mode);
    nodes.put(node.id, node);
    return node;
  }

  private FuseEntry entry(Node node) {
    return new FuseEntry(new InodeNo(node.id), 0, attr(node), ttlNs, ttlNs);
  }

  private static FuseAttr attr(Node node) {
    return new FuseAttr(
        new InodeNo(node.id),
        node.content.length,
        (node.content.length + 511) / 512,
        node.mtimeNs,
        node.mtimeNs,
        node.mtimeNs,
        node.mode,
        1,
        0,
        0,
        0,
        4096);
  }

  private static String text(byte[] name) {
    return new String(name, StandardCharsets.UTF_8);
  }
}
