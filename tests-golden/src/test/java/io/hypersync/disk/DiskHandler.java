package io.hypersync.disk;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Handles the kernel's requests to the disk, one at a time, so that a sync covers exactly what was
 * written before it. Only the kernel changes files, so it may cache everything.
 */
final class DiskHandler implements FuseHandler {
  private static final long TTL_NS = TimeUnit.HOURS.toNanos(1);
  private static final int BLOCK_BYTES = 4096;
  private static final long BLOCKS = 4L << 18;
  private static final int MAX_NAME_BYTES = 255;

  /** O_DSYNC; O_SYNC includes this bit. */
  private static final int O_DSYNC = 010000;

  private static final int FALLOC_KEEP_SIZE = 1;
  private static final int FALLOC_PUNCH_HOLE = 2;
  private static final int FALLOC_ZERO_RANGE = 0x10;

  private final DiskImage image;
  private boolean failing;

  DiskHandler(DiskImage image) {
    this.image = image;
  }

  /** Sets how names become durable from now on. */
  synchronized void setNaming(Naming naming) {
    image.setNaming(naming);
  }

  /** Sets which syncs are ignored from now on. */
  synchronized void setLies(Set<Lie> lies) {
    image.setLies(lies);
  }

  /**
   * From now on every request fails with EIO and changes nothing. The exception is statfs, which a
   * filesystem answers without its disk.
   */
  synchronized void fail() {
    failing = true;
  }

  /** Loses what was not synced; the disk works again afterwards. */
  synchronized void losePower(RandomGenerator random, double survival) {
    image.losePower(random, survival);
    failing = false;
  }

  @Override
  public void interrupted(RequestId unique, int pid) {}

  @Override
  public synchronized void handle(FuseRequest request, FuseReply reply) {
    if (request.operation() instanceof FuseOperation.Forget
        || request.operation() instanceof FuseOperation.BatchForget) {
      reply.noReply();
      return;
    }
    DiskNode node = image.node(request.header().nodeId().value());
    boolean fails = failing && !(request.operation() instanceof FuseOperation.StatFs);
    if (fails || node == null) {
      reply.error(Errno.EIO);
      return;
    }
    if (node.isDirectory()) {
      inDirectory(request, node, reply);
    } else {
      ofFile(request, node, reply);
    }
  }

  private void inDirectory(FuseRequest request, DiskNode directory, FuseReply reply) {
    switch (request.operation()) {
      case FuseOperation.Lookup(byte[] name) -> {
        DiskNode child = directory.names.get(text(name));
        if (child == null) {
          reply.negativeEntry(TTL_NS);
        } else {
          reply.entry(entry(child));
        }
      }
      case FuseOperation.MkDir make ->
          reply.entry(entry(make(request, directory, make.name(), 040000 | make.mode())));
      case FuseOperation.MkNod make ->
          reply.entry(entry(make(request, directory, make.name(), make.mode())));
      case FuseOperation.Create create -> {
        DiskNode child = make(request, directory, create.name(), create.mode());
        reply.create(entry(child), FileHandle.NONE, FuseFlags.OpenReply.KEEP_CACHE);
      }
      case FuseOperation.Link link -> {
        DiskNode target = image.node(link.target().value());
        if (target == null) {
          reply.error(Errno.EIO);
          return;
        }
        image.link(target, directory, text(link.newName()));
        reply.entry(entry(target));
      }
      case FuseOperation.Unlink(byte[] name) -> {
        image.unlink(directory, text(name));
        reply.ok();
      }
      case FuseOperation.RmDir(byte[] name) -> {
        DiskNode child = directory.names.get(text(name));
        if (child != null && !child.names.isEmpty()) {
          reply.error(Errno.ENOTEMPTY);
          return;
        }
        image.unlink(directory, text(name));
        reply.ok();
      }
      case FuseOperation.Rename rename -> rename(directory, rename, reply);
      case FuseOperation.OpenDir _ -> reply.open(FileHandle.NONE, 0);
      case FuseOperation.ReadDir list -> list(directory, list, reply);
      case FuseOperation.FsyncDir _ -> {
        image.syncDirectory(directory);
        reply.ok();
      }
      default -> ofAnything(request, directory, reply);
    }
  }

  private void rename(DiskNode directory, FuseOperation.Rename rename, FuseReply reply) {
    DiskNode target = image.node(rename.newParent().value());
    if (target == null) {
      reply.error(Errno.EIO);
      return;
    }
    DiskNode replaced = target.names.get(text(rename.newName()));
    boolean noReplace = (rename.flags() & FuseFlags.Rename.NOREPLACE) != 0;
    if ((rename.flags() & ~FuseFlags.Rename.NOREPLACE) != 0) {
      reply.error(Errno.EINVAL);
    } else if (replaced != null && noReplace) {
      reply.error(Errno.EEXIST);
    } else if (replaced != null && !replaced.names.isEmpty()) {
      reply.error(Errno.ENOTEMPTY);
    } else {
      image.rename(directory, text(rename.name()), target, text(rename.newName()));
      reply.ok();
    }
  }

  private static void list(DiskNode directory, FuseOperation.ReadDir list, FuseReply reply) {
    DirectoryBuffer.Plain rows = new DirectoryBuffer.Plain(list.size());
    List<Map.Entry<String, DiskNode>> all = new ArrayList<>(directory.names.entrySet());
    for (int i = (int) list.offset(); i < all.size(); i++) {
      DiskNode child = all.get(i).getValue();
      byte[] name = all.get(i).getKey().getBytes(StandardCharsets.ISO_8859_1);
      if (!rows.add(new InodeNo(child.id), i + 1, child.attributes().direntType(), name)) {
        break;
      }
    }
    reply.directory(rows);
  }

  private void ofFile(FuseRequest request, DiskNode file, FuseReply reply) {
    switch (request.operation()) {
      case FuseOperation.Open _ -> reply.open(FileHandle.NONE, FuseFlags.OpenReply.KEEP_CACHE);
      case FuseOperation.Read read -> reply.data(file.content().read(read.offset(), read.size()));
      case FuseOperation.Write write -> {
        file.change(new FileChange.Write(write.offset(), write.data()), now());
        if ((write.openFlags() & O_DSYNC) != 0) {
          image.syncFile(file);
        }
        reply.write(write.data().length);
      }
      case FuseOperation.Fsync _ -> {
        image.syncFile(file);
        reply.ok();
      }
      case FuseOperation.Fallocate allocate -> allocate(file, allocate, reply);
      default -> ofAnything(request, file, reply);
    }
  }

  /** Fallocate; reserving needs no action, as there is always room. */
  private static void allocate(DiskNode file, FuseOperation.Fallocate allocate, FuseReply reply) {
    int known = FALLOC_KEEP_SIZE | FALLOC_PUNCH_HOLE | FALLOC_ZERO_RANGE;
    if ((allocate.mode() & ~known) != 0) {
      reply.error(Errno.ENOTSUP);
      return;
    }
    if ((allocate.mode() & (FALLOC_PUNCH_HOLE | FALLOC_ZERO_RANGE)) != 0) {
      file.change(new FileChange.Zero(allocate.offset(), allocate.length()), now());
    }
    long end = allocate.offset() + allocate.length();
    if ((allocate.mode() & FALLOC_KEEP_SIZE) == 0 && end > file.content().size()) {
      file.change(new FileChange.Resize(end), now());
    }
    reply.ok();
  }

  private static void ofAnything(FuseRequest request, DiskNode node, FuseReply reply) {
    switch (request.operation()) {
      case FuseOperation.GetAttr _ -> reply.attr(node.attributes(), TTL_NS);
      case FuseOperation.SetAttr set -> {
        set.size().ifPresent(size -> node.change(new FileChange.Resize(size), now()));
        set.mode().ifPresent(mode -> node.mode = mode);
        set.uid().ifPresent(uid -> node.uid = uid);
        set.gid().ifPresent(gid -> node.gid = gid);
        reply.attr(node.attributes(), TTL_NS);
      }
      case FuseOperation.Release _, FuseOperation.ReleaseDir _ -> reply.ok();
      case FuseOperation.StatFs _ ->
          reply.statfs(
              new FuseStatFs(
                  BLOCKS,
                  BLOCKS,
                  BLOCKS,
                  BLOCKS,
                  BLOCKS,
                  BLOCK_BYTES,
                  MAX_NAME_BYTES,
                  BLOCK_BYTES));
      default -> reply.error(Errno.ENOSYS);
    }
  }

  private DiskNode make(FuseRequest request, DiskNode directory, byte[] name, int mode) {
    return image.make(
        directory, text(name), mode, request.header().uid(), request.header().gid(), now());
  }

  private static FuseEntry entry(DiskNode node) {
    return new FuseEntry(new InodeNo(node.id), 0, node.attributes(), TTL_NS, TTL_NS);
  }

  private static String text(byte[] name) {
    return new String(name, StandardCharsets.ISO_8859_1);
  }

  private static long now() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }
}
