package io.hypersync.sim.load;

import io.hypersync.model.id.InodeNo;
import io.hypersync.sim.load.SimProcess.Handle;
import io.hypersync.sim.world.Prng;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Chooses the next call of a process. */
final class SyscallChoice {
  private static final int BUFFER = 4096;
  private static final int WANE_ONE_IN = 60;

  /** One in this many processes makes mostly lock calls, as a database does. */
  private static final int LOCKERS = 3;

  private static final List<byte[]> NAMES = List.of(ascii("a"), ascii("b"), ascii("c"), ascii("d"));
  private static final List<byte[]> XATTRS = List.of(ascii("user.x"), ascii("user.y"));

  private final SimProcess process;
  private final SimKernel kernel;
  private final Prng prng;
  private final FileCalls files;
  private final LockCalls locks;
  private final boolean locker;

  SyscallChoice(SimProcess process, SimKernel kernel, Prng prng, WriteLengths lengths) {
    this.process = process;
    this.kernel = kernel;
    this.prng = prng;
    this.files = new FileCalls(process, kernel, prng, lengths);
    this.locks = new LockCalls(process, kernel, prng);
    this.locker = prng.oneIn(LOCKERS);
  }

  LockCalls locks() {
    return locks;
  }

  void next() {
    if (locker && !process.handles().isEmpty() && !prng.oneIn(4)) {
      locks.next();
      return;
    }
    switch (prng.below(29)) {
      case 0, 1 -> lookup();
      case 2 -> makeDir();
      case 3, 4, 5 -> create();
      case 6 -> makeOther();
      case 7 -> link();
      case 8, 9 -> unlink();
      case 10 -> removeDir();
      case 11, 12 -> rename();
      case 13 -> setAttributes();
      case 14 -> xattr();
      case 15 -> readDirectory();
      case 16 -> kernel.forget(process.pid(), anything());
      case 17 -> createUnnamed();
      case 18, 19, 20, 21 -> locks.next();
      default -> files.next();
    }
  }

  /**
   * Winds the process down: it begins nothing new, but reads and closes what is open, one file
   * after another, with pauses.
   */
  void wane() {
    if (!prng.oneIn(WANE_ONE_IN)) {
      return;
    }
    if (process.handles().isEmpty()) {
      kernel.forgetUnused(process.pid());
    } else if (prng.oneIn(2)) {
      files.read(process.handles().getFirst());
    } else {
      process.close(process.handles().getFirst());
    }
  }

  private void lookup() {
    process.call(directory(), FuseOpcode.LOOKUP, new FuseOperation.Lookup(name()), _ -> {});
  }

  private void makeDir() {
    process.call(
        directory(), FuseOpcode.MKDIR, new FuseOperation.MkDir(name(), 0755, 022), _ -> {});
  }

  private void create() {
    if (!process.mayOpen()) {
      process.close(process.handles().getFirst());
      return;
    }
    int flags = SimProcess.O_RDWR;
    flags |= prng.oneIn(2) ? SimProcess.O_EXCL : 0;
    flags |= prng.oneIn(4) ? SimProcess.O_TRUNC : 0;
    flags |= prng.oneIn(3) ? SimProcess.O_APPEND : 0;
    int wanted = flags;
    process.call(
        directory(),
        FuseOpcode.CREATE,
        new FuseOperation.Create(name(), wanted, 0644, 022, 0),
        answer -> {
          if (answer.entry() != null) {
            process.opened(answer.entry().nodeId(), answer, wanted);
          }
        });
  }

  /** Opens a file with O_TMPFILE; {@link #link} may give it a name later. */
  private void createUnnamed() {
    if (!process.mayOpen()) {
      process.close(process.handles().getFirst());
      return;
    }
    int flags = SimProcess.O_RDWR | (prng.oneIn(4) ? SimProcess.O_EXCL : 0);
    process.call(
        directory(),
        FuseOpcode.TMPFILE,
        new FuseOperation.Tmpfile(flags, 0600, 022, 0),
        answer -> {
          if (answer.entry() != null) {
            process.opened(answer.entry().nodeId(), answer, flags);
          }
        });
  }

  private void makeOther() {
    if (prng.oneIn(2)) {
      process.call(
          directory(),
          FuseOpcode.SYMLINK,
          new FuseOperation.Symlink(name(), ascii("to/" + prng.below(3))),
          _ -> {});
    } else {
      int mode = prng.oneIn(2) ? 0100644 : 0010644;
      process.call(
          directory(), FuseOpcode.MKNOD, new FuseOperation.MkNod(name(), mode, 0, 022), _ -> {});
    }
  }

  private void link() {
    InodeNo target = anything();
    process.call(directory(), FuseOpcode.LINK, new FuseOperation.Link(target, name()), _ -> {});
  }

  private void unlink() {
    process.call(directory(), FuseOpcode.UNLINK, new FuseOperation.Unlink(name()), _ -> {});
  }

  private void removeDir() {
    process.call(directory(), FuseOpcode.RMDIR, new FuseOperation.RmDir(name()), _ -> {});
  }

  private void rename() {
    int flags = prng.pick(List.of(0, 0, FuseFlags.Rename.NOREPLACE, FuseFlags.Rename.EXCHANGE));
    process.call(
        directory(),
        FuseOpcode.RENAME2,
        new FuseOperation.Rename(name(), directory(), name(), flags),
        _ -> {});
  }

  private void setAttributes() {
    int valid =
        prng.pick(
            List.of(
                SetAttrValid.MODE,
                SetAttrValid.UID | SetAttrValid.GID,
                SetAttrValid.MTIME,
                SetAttrValid.MTIME | SetAttrValid.MTIME_NOW,
                SetAttrValid.SIZE,
                SetAttrValid.SIZE | SetAttrValid.MODE));
    long size = prng.below(100_000);
    process.call(
        anything(),
        FuseOpcode.SETATTR,
        new FuseOperation.SetAttr(
            valid,
            FileHandle.NONE,
            size,
            FuseLockOwner.NONE,
            0,
            prng.below(1_000),
            0,
            prng.below(01000),
            7,
            8),
        _ -> {});
  }

  private void xattr() {
    InodeNo node = anything();
    byte[] name = prng.pick(XATTRS);
    switch (prng.below(4)) {
      case 0, 1 ->
          process.call(
              node,
              FuseOpcode.SETXATTR,
              new FuseOperation.SetXattr(
                  name, process.writing(files.content(12_000)), prng.below(3), 0),
              _ -> {});
      case 2 ->
          process.call(node, FuseOpcode.REMOVEXATTR, new FuseOperation.RemoveXattr(name), _ -> {});
      default ->
          process.call(
              node, FuseOpcode.GETXATTR, new FuseOperation.GetXattr(name, 1 << 16), _ -> {});
    }
  }

  private void readDirectory() {
    InodeNo node = directory();
    process.call(
        node,
        FuseOpcode.OPENDIR,
        new FuseOperation.OpenDir(0, 0),
        opened -> {
          if (opened.errno() == null) {
            FileHandle fh = opened.fh();
            process.call(
                node,
                FuseOpcode.READDIR,
                new FuseOperation.ReadDir(fh, 0, BUFFER),
                _ ->
                    process.call(
                        node,
                        FuseOpcode.RELEASEDIR,
                        new FuseOperation.ReleaseDir(fh, 0, 0, FuseLockOwner.NONE),
                        _ -> {}));
          }
        });
  }

  private byte[] name() {
    return prng.pick(NAMES);
  }

  /** The root with probability one half, so that processes of all workers conflict there. */
  private InodeNo directory() {
    return prng.oneIn(2) ? InodeNo.ROOT : prng.pick(kernel.known(true));
  }

  private InodeNo anything() {
    List<InodeNo> others = kernel.known(false);
    return others.isEmpty() || prng.oneIn(5) ? prng.pick(kernel.known(true)) : prng.pick(others);
  }

  /** Whether a file that is opened so can be read. */
  static boolean reads(int openFlags) {
    return (openFlags & SimProcess.O_WRONLY) == 0;
  }

  /** Whether the handle is open for writing. */
  static boolean writes(Handle handle) {
    return (handle.flags() & (SimProcess.O_WRONLY | SimProcess.O_RDWR)) != 0;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
