package io.hypersync.worker.fuse.dev;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * Walks through a mount of this process, so that the kernel looks up names and requests attributes.
 * It uses a copy of the mount that is attached nowhere in the tree: nothing is mounted inside the
 * copy, so a walk stays in this filesystem whatever is mounted over parts of it, and the mount
 * itself can be unmounted. The filesystem lives as long as the copy is open.
 *
 * <p>Calls may block inside the kernel for requests to this same filesystem. Thread-safe.
 */
public final class MountWalk implements AutoCloseable {
  /** The syscall numbers are the same on every architecture. */
  private static final long SYS_OPEN_TREE = 428;

  private static final long SYS_FSCONFIG = 431;
  private static final long SYS_FSPICK = 433;
  private static final int FSPICK_CLOEXEC = 1;
  private static final int FSPICK_EMPTY_PATH = 8;
  private static final int FSCONFIG_CMD_RECONFIGURE = 7;

  private static final int OPEN_TREE_CLONE = 1;
  private static final int O_DIRECTORY = 0x10000;
  private static final int O_NOFOLLOW = 0x20000;
  private static final int O_PATH = 0x200000;
  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int AT_NO_AUTOMOUNT = 0x800;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int AT_STATX_DONT_SYNC = 0x4000;
  private static final int STATX_BASIC = 0x7ff;
  private static final int STATX_BYTES = 256;
  private static final int STATX_INO = 32;
  private static final int STATX_DEV_MAJOR = 136;
  private static final int STATX_DEV_MINOR = 140;

  /** FILEID_INO64_GEN: node id, high half first, and generation, 32 bits each. */
  private static final int HANDLE_TYPE = 0x81;

  private static final int HANDLE_BYTES = 12;
  private static final int HANDLE_STRUCT_BYTES = 8 + HANDLE_BYTES;

  /** A path is walked in pieces of about this many bytes; the kernel takes at most 4,096. */
  private static final int MAX_PIECE_BYTES = 3_000;

  private static final int CLOSED = -1;

  private static final MethodHandle SYSCALL =
      Downcalls.handle(
          "syscall",
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.firstVariadicArg(1));
  private static final MethodHandle SYSCALL_OF_SIX =
      Downcalls.handle(
          "syscall",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT),
          Linker.Option.firstVariadicArg(1));
  private static final MethodHandle OPENAT =
      Downcalls.handle(
          "openat",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.firstVariadicArg(3));
  private static final MethodHandle OPEN_BY_HANDLE =
      Downcalls.handle(
          "open_by_handle_at", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle STATX =
      Downcalls.handle(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));

  private static final MethodHandle GETTID =
      Downcalls.handle("gettid", FunctionDescriptor.of(JAVA_INT));

  private final int tree;

  /**
   * The opened root, from which nodes are opened by number; {@link #CLOSED} if that is not
   * possible.
   */
  private int root = CLOSED;

  private int users;
  private boolean closing;

  private MountWalk(int tree) {
    this.tree = tree;
  }

  /**
   * Opens the mount at this path, which answers requests or will soon.
   *
   * @param device minor device number of the filesystem, if known; its major number is 0
   * @throws IOException if that is not possible: the kernel is older than Linux 5.2, or does not
   *     permit it
   */
  public static MountWalk of(Path mountPoint, OptionalLong device) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      MemorySegment path = arena.allocateFrom(mountPoint.toString());
      int flags = OPEN_TREE_CLONE | Syscalls.O_CLOEXEC;
      long tree = (long) SYSCALL.invokeExact(errno, SYS_OPEN_TREE, Syscalls.AT_FDCWD, path, flags);
      if (tree < 0) {
        throw new IOException("open_tree: " + Errno.of(Downcalls.errno(errno)).message());
      }
      MountWalk walk = new MountWalk((int) tree);
      if (device.isPresent() && !walk.isOn(device.getAsLong())) {
        walk.close();
        throw new IOException("another filesystem is mounted at " + mountPoint);
      }
      return walk;
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /**
   * Determines whether nodes can be opened by their numbers, which takes CAP_DAC_READ_SEARCH.
   * Blocks for a reply of the filesystem.
   *
   * @return whether they can
   */
  public boolean openRoot() {
    if (!enter()) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment here = arena.allocateFrom(".");
      int opened = open(arena, tree, here, O_DIRECTORY | Syscalls.O_CLOEXEC);
      if (opened < 0) {
        return false;
      }
      int probe = openNode(arena, opened, InodeNo.ROOT);
      if (probe < 0 || !setRoot(opened)) {
        var _ = Syscalls.close(opened);
      }
      if (probe >= 0) {
        var _ = Syscalls.close(probe);
      }
      return probe >= 0;
    } finally {
      leave();
    }
  }

  /**
   * Makes the kernel look up a name of a node before it uses that name again: the only name, if the
   * node is a directory. Does not wait for directory locks.
   *
   * @return 0, or the negated errno: ESTALE if the kernel does not know the node, EPERM if nodes
   *     cannot be opened by number
   */
  public int expire(InodeNo node) {
    return withNode(node, (_, _) -> 0);
  }

  /**
   * Makes the kernel request the attributes of a node, even if it has them cached.
   *
   * @return 0, or the negated errno: ESTALE if the kernel does not know the node, EPERM if nodes
   *     cannot be opened by number
   */
  public int refresh(InodeNo node) {
    return withNode(
        node,
        (arena, fd) ->
            statx(
                arena,
                fd,
                arena.allocateFrom(""),
                AT_EMPTY_PATH | Syscalls.AT_STATX_FORCE_SYNC,
                arena.allocate(STATX_BYTES, Long.BYTES)));
  }

  /**
   * Makes the kernel drop every name and node of the filesystem that is not in use, negative names
   * included, so that it looks each up again. What is in use (open, a working directory, or mounted
   * on) stays. Waits for no directory lock: this reconfigures the filesystem with unchanged
   * options, on which the kernel drops unused names and nodes.
   *
   * @return 0, or the negated errno
   */
  public int dropUnused() {
    if (!enter()) {
      return -Errno.ENODEV.code();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
      int flags = FSPICK_EMPTY_PATH | FSPICK_CLOEXEC;
      MemorySegment here = arena.allocateFrom("");
      long picked = (long) SYSCALL.invokeExact(errno, SYS_FSPICK, tree, here, flags);
      int filesystem = Downcalls.result(errno, (int) picked);
      if (filesystem < 0) {
        return filesystem;
      }
      long done =
          (long)
              SYSCALL_OF_SIX.invokeExact(
                  errno,
                  SYS_FSCONFIG,
                  filesystem,
                  FSCONFIG_CMD_RECONFIGURE,
                  MemorySegment.NULL,
                  MemorySegment.NULL,
                  0);
      int result = Downcalls.result(errno, (int) done);
      var _ = Syscalls.close(filesystem);
      return result;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    } finally {
      leave();
    }
  }

  /**
   * Looks up a name in a directory that the kernel knows.
   *
   * @return the inode number found, or the negated errno: ESTALE if the kernel does not know the
   *     directory or cannot move what it has found, EPERM if nodes cannot be opened by number
   */
  public long look(InodeNo directory, byte[] name) {
    long[] found = new long[1];
    int result = withNode(directory, (arena, fd) -> find(arena, fd, name, found));
    return result < 0 ? result : found[0];
  }

  /**
   * Walks a path from the root.
   *
   * @param names the names of the path, at least one
   * @return the inode number found, or the negated errno
   */
  public long look(List<byte[]> names) {
    if (!enter()) {
      return -Errno.ENODEV.code();
    }
    int at = tree;
    try (Arena arena = Arena.ofConfined()) {
      ByteArrayOutputStream piece = new ByteArrayOutputStream();
      for (int i = 0; i < names.size() - 1; i++) {
        piece.writeBytes(names.get(i));
        piece.write('/');
        if (piece.size() > MAX_PIECE_BYTES || i == names.size() - 2) {
          int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | Syscalls.O_CLOEXEC;
          piece.write('.');
          int next = open(arena, at, text(arena, piece.toByteArray()), flags);
          piece.reset();
          close(at);
          at = next;
          if (at < 0) {
            return at;
          }
        }
      }
      long[] found = new long[1];
      int result = find(arena, at, names.getLast(), found);
      return result < 0 ? result : found[0];
    } finally {
      close(at);
      leave();
    }
  }

  /** The thread id of the calling thread, as the kernel has it. */
  public static int tid() {
    try (Arena arena = Arena.ofConfined()) {
      return (int) GETTID.invokeExact(arena.allocate(Downcalls.ERRNO_STATE));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** Closes the copy of the mount once the last call has returned. Does nothing the second time. */
  @Override
  public synchronized void close() {
    if (!closing) {
      closing = true;
      closeUnused();
    }
  }

  private void close(int fd) {
    if (fd >= 0 && fd != tree) {
      var _ = Syscalls.close(fd);
    }
  }

  @FunctionalInterface
  private interface NodeCall {
    int call(Arena arena, int fd);
  }

  private int withNode(InodeNo node, NodeCall call) {
    if (!enter()) {
      return -Errno.ENODEV.code();
    }
    try (Arena arena = Arena.ofConfined()) {
      int from = root();
      int fd = from == CLOSED ? -Errno.EPERM.code() : openNode(arena, from, node);
      if (fd < 0) {
        return fd;
      }
      try {
        return call.call(arena, fd);
      } finally {
        var _ = Syscalls.close(fd);
      }
    } finally {
      leave();
    }
  }

  private static int find(Arena arena, int directory, byte[] name, long[] found) {
    MemorySegment attributes = arena.allocate(STATX_BYTES, Long.BYTES);
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | Syscalls.AT_STATX_FORCE_SYNC;
    int result = statx(arena, directory, text(arena, name), flags, attributes);
    found[0] = attributes.get(JAVA_LONG, STATX_INO);
    return result;
  }

  private boolean isOn(long minor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(STATX_BYTES, Long.BYTES);
      int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
      return statx(arena, tree, arena.allocateFrom(""), flags, attributes) == 0
          && attributes.get(JAVA_INT, STATX_DEV_MAJOR) == 0
          && attributes.get(JAVA_INT, STATX_DEV_MINOR) == minor;
    }
  }

  private synchronized boolean enter() {
    if (closing) {
      return false;
    }
    users++;
    return true;
  }

  private synchronized void leave() {
    users--;
    if (closing) {
      closeUnused();
    }
  }

  private synchronized void closeUnused() {
    if (users == 0) {
      var _ = Syscalls.close(tree);
      if (root != CLOSED) {
        var _ = Syscalls.close(root);
      }
    }
  }

  private synchronized boolean setRoot(int fd) {
    if (root != CLOSED) {
      return false;
    }
    root = fd;
    return true;
  }

  private synchronized int root() {
    return root;
  }

  private static int openNode(Arena arena, int root, InodeNo node) {
    MemorySegment handle = arena.allocate(HANDLE_STRUCT_BYTES, Integer.BYTES);
    handle.set(JAVA_INT, 0, HANDLE_BYTES);
    handle.set(JAVA_INT, 4, HANDLE_TYPE);
    handle.set(JAVA_INT, 8, (int) (node.value() >>> Integer.SIZE));
    handle.set(JAVA_INT, 12, (int) node.value());
    handle.set(JAVA_INT, 16, 0);
    MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
    try {
      int flags = O_PATH | Syscalls.O_CLOEXEC;
      return Downcalls.result(errno, (int) OPEN_BY_HANDLE.invokeExact(errno, root, handle, flags));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  private static int open(Arena arena, int directory, MemorySegment path, int flags) {
    MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
    try {
      return Downcalls.result(errno, (int) OPENAT.invokeExact(errno, directory, path, flags));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  private static int statx(
      Arena arena, int directory, MemorySegment path, int flags, MemorySegment attributes) {
    MemorySegment errno = arena.allocate(Downcalls.ERRNO_STATE);
    try {
      return Downcalls.result(
          errno, (int) STATX.invokeExact(errno, directory, path, flags, STATX_BASIC, attributes));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  private static MemorySegment text(Arena arena, byte[] bytes) {
    MemorySegment text = arena.allocate(bytes.length + 1L);
    MemorySegment.copy(bytes, 0, text, JAVA_BYTE, 0, bytes.length);
    return text;
  }
}
