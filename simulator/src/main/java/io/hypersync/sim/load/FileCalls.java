package io.hypersync.sim.load;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.sim.check.NaiveFiles;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.load.SimProcess.Handle;
import io.hypersync.sim.node.SimWorker;
import io.hypersync.sim.world.Prng;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Random calls on open files. What a process reads is compared with the expected content. */
final class FileCalls {
  private static final int LONGEST_FILE = 400_000;
  private static final int LONGEST_WRITE = 150_000;
  private static final int INLINE = 8 * 1024;
  private static final int POPULAR_CONTENTS = 4;

  /** All supported modes, and one that is not supported. */
  private static final List<Integer> FALLOCATE_MODES = List.of(0, 1, 3, 16, 17, 8);

  private final SimProcess process;
  private final SimKernel kernel;
  private final Prng prng;
  private final WriteLengths lengths;

  FileCalls(SimProcess process, SimKernel kernel, Prng prng, WriteLengths lengths) {
    this.process = process;
    this.kernel = kernel;
    this.prng = prng;
    this.lengths = lengths;
  }

  void next() {
    if (process.handles().isEmpty()) {
      open();
      return;
    }
    Handle handle = prng.pick(process.handles());
    switch (prng.below(11)) {
      case 0 -> open();
      case 1 -> process.close(handle);
      case 2 ->
          process.call(
              handle.inode(), FuseOpcode.FSYNC, new FuseOperation.Fsync(handle.fh(), 0), _ -> {});
      case 3 -> read(handle);
      case 4 -> truncate(handle);
      case 5 -> allocate(handle);
      case 6 -> copy(handle);
      case 7 -> seek(handle);
      default -> write(handle);
    }
  }

  /**
   * Random data. Writes above the inline limit take another path (chunks instead of log payload),
   * with failures of its own, so both sides of the limit are frequent.
   */
  private byte[] toWrite() {
    return switch (prng.below(8)) {
      case 0 -> content(LONGEST_WRITE);
      case 1, 2 -> prng.bytes((int) prng.between(INLINE + 1, 2 * INLINE));
      default -> content(INLINE);
    };
  }

  /**
   * Random bytes, 1 to {@code longest}; one time in three one of few contents, so that chunks
   * repeat.
   */
  byte[] content(int longest) {
    int length = (int) prng.scale(1, longest);
    if (prng.oneIn(3)) {
      byte[] popular = new byte[length];
      Arrays.fill(popular, (byte) prng.below(POPULAR_CONTENTS));
      return popular;
    }
    return prng.bytes(length);
  }

  private void open() {
    List<InodeNo> files = kernel.known(false);
    if (files.isEmpty() || !process.mayOpen()) {
      return;
    }
    InodeNo inode = prng.pick(files);
    int writing = inode.value() % 3 == 1 ? SimProcess.O_WRONLY : SimProcess.O_RDWR;
    int flags = prng.oneIn(3) ? 0 : writing;
    flags |= flags != 0 && prng.oneIn(5) ? SimProcess.O_TRUNC : 0;
    flags |= flags != 0 && prng.oneIn(3) ? SimProcess.O_APPEND : 0;
    int wanted = flags;
    process.call(
        inode,
        FuseOpcode.OPEN,
        new FuseOperation.Open(wanted, 0),
        answer -> process.opened(inode, answer, wanted));
  }

  private void write(Handle handle) {
    if (!SyscallChoice.writes(handle)) {
      return;
    }
    int atOnce = prng.oneIn(6) ? 3 : 1;
    for (int i = 0; i < atOnce; i++) {
      byte[] data = process.writing(lengths.of(toWrite()));
      long offset = prng.oneIn(2) ? 0 : prng.below(100_000);
      process.call(
          handle.inode(),
          FuseOpcode.WRITE,
          new FuseOperation.Write(
              handle.fh(),
              offset,
              data,
              FuseFlags.Write.LOCKOWNER,
              new FuseLockOwner(process.pid()),
              handle.flags()),
          answer -> {
            if (answer.errno() == null && answer.size() != data.length) {
              throw new Violation("a write of " + data.length + " wrote " + answer.size());
            }
          });
    }
  }

  private void truncate(Handle handle) {
    if (!SyscallChoice.writes(handle)) {
      return;
    }
    long size = prng.oneIn(3) ? 0 : prng.below(LONGEST_FILE / 4);
    process.call(
        handle.inode(),
        FuseOpcode.SETATTR,
        new FuseOperation.SetAttr(
            SetAttrValid.SIZE, FileHandle.NONE, size, FuseLockOwner.NONE, 0, 0, 0, 0, 0, 0),
        _ -> {});
  }

  private void allocate(Handle handle) {
    if (!SyscallChoice.writes(handle)) {
      return;
    }
    long offset = prng.oneIn(3) ? 0 : prng.below(LONGEST_FILE / 4);
    int mode = prng.pick(FALLOCATE_MODES);
    process.call(
        handle.inode(),
        FuseOpcode.FALLOCATE,
        new FuseOperation.Fallocate(handle.fh(), offset, prng.scale(1, 50_000), mode),
        _ -> {});
  }

  private void copy(Handle source) {
    Handle target = prng.pick(process.handles());
    if (!SyscallChoice.writes(target) || !SyscallChoice.reads(source.flags())) {
      return;
    }
    long from = prng.oneIn(2) ? 0 : prng.below(LONGEST_FILE / 8);
    long to = prng.oneIn(2) ? 0 : prng.below(LONGEST_FILE / 8);
    long length = prng.scale(1, LONGEST_FILE / 4);
    process.call(
        source.inode(),
        FuseOpcode.COPY_FILE_RANGE_64,
        new FuseOperation.CopyFileRange(
            source.fh(), from, target.inode(), target.fh(), to, length, 0),
        answer -> {
          if (answer.errno() == null && answer.size() > length) {
            throw new Violation("a copy of " + length + " copied " + answer.size());
          }
        });
  }

  private void seek(Handle handle) {
    process.call(
        handle.inode(),
        FuseOpcode.LSEEK,
        new FuseOperation.Lseek(handle.fh(), prng.below(LONGEST_FILE / 4), prng.oneIn(2) ? 3 : 4),
        _ -> {});
  }

  void read(Handle handle) {
    if (!SyscallChoice.reads(handle.flags())) {
      return;
    }
    int offset = prng.oneIn(2) ? 0 : prng.below(LONGEST_FILE / 4);
    int length = (int) prng.scale(1, LONGEST_FILE);
    SimWorker worker = kernel.worker();
    NodeId node = worker.inodes().node(handle.inode());
    NaiveFiles.@Nullable Pending read =
        node == null ? null : worker.files().reading(node, offset, length);
    boolean wasDamaged = worker.chunks().isDamaged();
    long rottedBefore = worker.chunks().rotted();
    boolean lackedLeader = !worker.isLive();
    boolean lackedRoom = worker.chunks().isFull();
    boolean lackedChunks = node != null && worker.lacksChunks(node, offset, length);
    boolean wasBehind = worker.isBehindCollection();
    process.call(
        handle.inode(),
        FuseOpcode.READ,
        new FuseOperation.Read(handle.fh(), offset, length, 0, FuseLockOwner.NONE, handle.flags()),
        answer -> {
          byte[] data = answer.data();
          List<byte[]> right = read == null ? List.of() : read.answered();
          if (answer.errno() == Errno.ESTALE && node != null && kernel.isReaped(node)) {
            return; // the worker was partitioned for so long that its open-lease expired
          }
          if (answer.errno() == Errno.EIO
              && (wasDamaged || worker.chunks().rotted() > rottedBefore)) {
            return; // what it found damaged may have been restored since
          }
          if (answer.errno() == Errno.EIO
              && (lackedChunks || worker.lacksChunks(node, offset, length))
              && (wasBehind || lackedRoom || lackedLeader || !worker.isLive())) {
            return; // it is not here yet, and nobody can be asked for it, nobody has it, or it has
            // no room
          }
          if (answer.errno() == Errno.EIO
              && node != null
              && worker.hasLostChunks(node, offset, length)) {
            return; // nobody has it
          }
          if (data == null || node == null) {
            throw new Violation("read of an open file failed with " + answer.errno());
          }
          if (right.stream().noneMatch(expected -> Arrays.equals(data, expected))) {
            byte[] newest = right.getLast();
            throw new Violation(
                "read of "
                    + node
                    + " differs from what was written at "
                    + (offset + Arrays.mismatch(data, newest))
                    + "; got "
                    + data.length
                    + " bytes, expected "
                    + newest.length
                    + ", or one of "
                    + (right.size() - 1)
                    + " earlier contents");
          }
        });
  }
}
