package io.hypersync.worker.fuse.dev;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * System calls on nodes of a FUSE mount by inode number: the kernel opens nodes that it knows by a
 * file handle made of node id and generation. Each method returns 0, or the negated errno; ESTALE
 * for a node that the kernel does not know. Single-threaded.
 */
public final class NodeCalls {
  private static final int O_DIRECTORY = 0x10000;
  private static final int O_NOFOLLOW = 0x20000;
  private static final int O_PATH = 0x200000;
  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int AT_REMOVEDIR = 0x200;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int AT_STATX_DONT_SYNC = 0x4000;
  private static final int RENAME_EXCHANGE = 2;
  private static final int S_IFREG = 0100000;
  private static final int MODE = 0600;
  private static final long UTIME_OMIT = 0x3ffffffeL;
  private static final int STATX_TYPE = 1;
  private static final int STATX_BYTES = 256;
  private static final int STATX_DEVICE = 136;

  /** FILEID_INO64_GEN: node id, high half first, and generation, 32 bits each. */
  private static final int HANDLE_TYPE = 0x81;

  private static final int HANDLE_BYTES = 12;
  private static final int HANDLE_STRUCT_BYTES = 8 + HANDLE_BYTES;
  private static final int TIMES_BYTES = 32;
  private static final long SYS_OPENAT2 = 437;
  private static final int OPEN_HOW_BYTES = 24;
  private static final int HOW_RESOLVE = 16;
  private static final long RESOLVE_NO_XDEV = 1;
  private static final int MAX_NAME_BYTES = 256;

  /** Most directories kept open; the least recently used is closed first. */
  private static final int MAX_OPEN = 1_024;

  private static final MethodHandle OPENAT =
      Downcalls.handle(
          "openat",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.firstVariadicArg(3));
  private static final MethodHandle OPENAT2 =
      Downcalls.handle(
          "syscall",
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG),
          Linker.Option.firstVariadicArg(1));
  private static final MethodHandle CLOSE =
      Downcalls.handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle OPEN_BY_HANDLE =
      Downcalls.handle(
          "open_by_handle_at", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle MKNODAT =
      Downcalls.handle(
          "mknodat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG));
  private static final MethodHandle MKDIRAT =
      Downcalls.handle("mkdirat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle UNLINKAT =
      Downcalls.handle("unlinkat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle RENAMEAT2 =
      Downcalls.handle(
          "renameat2",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle UTIMENSAT =
      Downcalls.handle(
          "utimensat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle STATX =
      Downcalls.handle(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle GETTID =
      Downcalls.handle("gettid", FunctionDescriptor.of(JAVA_INT));

  private final MemorySegment errno;
  private final MemorySegment name;
  private final MemorySegment otherName;
  private final MemorySegment handle;
  private final MemorySegment times;
  private final MemorySegment attributes;
  private final MemorySegment how;
  private final int root;
  private final boolean hasOpenat2;

  /** Descriptors of directories by inode number; the most recently used last. */
  private final LinkedHashMap<InodeNo, Integer> directories = new LinkedHashMap<>(16, 0.75f, true);

  private @Nullable InodeNo adopted;
  private int adoptedFd;

  private NodeCalls(Path mountPoint, boolean mayUseOpenat2) throws IOException {
    Arena arena = Arena.ofAuto();
    errno = arena.allocate(Downcalls.ERRNO_STATE);
    name = arena.allocate(MAX_NAME_BYTES);
    otherName = arena.allocate(MAX_NAME_BYTES);
    handle = arena.allocate(HANDLE_STRUCT_BYTES, Integer.BYTES);
    times = arena.allocate(TIMES_BYTES, Long.BYTES);
    attributes = arena.allocate(STATX_BYTES, Long.BYTES);
    how = arena.allocate(OPEN_HOW_BYTES, Long.BYTES);
    root =
        open(
            Syscalls.AT_FDCWD,
            arena.allocateFrom(mountPoint.toString()),
            O_DIRECTORY | Syscalls.O_CLOEXEC);
    if (root < 0) {
      throw new IOException(mountPoint + ": " + Errno.of(-root).message());
    }
    hasOpenat2 = mayUseOpenat2 && knowsOpenat2();
  }

  /**
   * Opens the root of the mount at this path.
   *
   * @throws IOException if it cannot be opened
   */
  public static NodeCalls of(Path mountPoint) throws IOException {
    return of(mountPoint, true);
  }

  /** The same; without openat2, if that is not to be used. */
  static NodeCalls of(Path mountPoint, boolean mayUseOpenat2) throws IOException {
    return new NodeCalls(mountPoint, mayUseOpenat2);
  }

  /** The thread id of the calling thread. */
  public int tid() {
    try {
      return (int) GETTID.invokeExact(errno);
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** Opens a directory by its name in the root; later calls use it under this number. */
  public int adopt(InodeNo node, byte[] rootName) {
    int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | Syscalls.O_CLOEXEC;
    int fd = open(root, text(name, rootName), flags);
    if (fd >= 0) {
      adopted = node;
      adoptedFd = fd;
    }
    return Math.min(fd, 0);
  }

  /** Closes the descriptor of a directory, if there is one. */
  public void drop(InodeNo node) {
    Integer fd = directories.remove(node);
    if (fd != null) {
      close(fd);
    }
  }

  /** mknod of a regular file, or mkdir. */
  public int make(InodeNo parent, byte[] newName, boolean directory) {
    int fd = directory(parent);
    if (fd < 0) {
      return fd;
    }
    MemorySegment text = text(name, newName);
    try {
      int result =
          directory
              ? (int) MKDIRAT.invokeExact(errno, fd, text, MODE)
              : (int) MKNODAT.invokeExact(errno, fd, text, S_IFREG | MODE, 0L);
      return Downcalls.result(errno, result);
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** unlink, or rmdir. */
  public int remove(InodeNo parent, byte[] oldName, boolean directory) {
    int fd = directory(parent);
    if (fd < 0) {
      return fd;
    }
    int flags = directory ? AT_REMOVEDIR : 0;
    try {
      return Downcalls.result(
          errno, (int) UNLINKAT.invokeExact(errno, fd, text(name, oldName), flags));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** renameat2. */
  public int move(
      InodeNo parent, byte[] oldName, InodeNo newParent, byte[] newName, boolean exchange) {
    int from = directory(parent);
    int to = directory(newParent);
    if (from < 0 || to < 0) {
      return Math.min(from, to);
    }
    int flags = exchange ? RENAME_EXCHANGE : 0;
    MemorySegment oldText = text(name, oldName);
    MemorySegment newText = text(otherName, newName);
    try {
      return Downcalls.result(
          errno, (int) RENAMEAT2.invokeExact(errno, from, oldText, to, newText, flags));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /**
   * utimensat of a name; sets mtime alone, or both times. EXDEV if something is mounted on the
   * name: times of another filesystem's file are nobody's business here.
   */
  public int touch(InodeNo parent, byte[] oldName, boolean mtimeOnly) {
    int directory = directory(parent);
    return directory < 0 ? directory : touch(openHere(directory, oldName), mtimeOnly);
  }

  /** utimensat of a node by its number, whatever names it has. */
  public int touch(InodeNo node, boolean mtimeOnly) {
    return touch(openNode(node), mtimeOnly);
  }

  private int touch(int fd, boolean mtimeOnly) {
    if (fd < 0) {
      return fd;
    }
    int result = setTimes(fd, mtimeOnly);
    close(fd);
    return result;
  }

  /** Opens what a name leads to in this filesystem, without access to its content. */
  private int openHere(int directory, byte[] oldName) {
    return hasOpenat2 ? openWithin(directory, oldName) : openAndLook(directory, oldName);
  }

  /**
   * Whether the kernel has openat2, and who confines this process lets it through: older profiles
   * answer EPERM to calls that they do not know. Asked of the working directory, so that no answer
   * of a mount is mistaken for that.
   */
  private boolean knowsOpenat2() {
    int fd = openWithin(Syscalls.AT_FDCWD, new byte[] {'.'});
    if (fd >= 0) {
      close(fd);
    }
    return fd != -Errno.ENOSYS.code() && fd != -Errno.EPERM.code();
  }

  /** Opens first, and looks then which filesystem that is; asks neither of them for it. */
  private int openAndLook(int directory, byte[] oldName) {
    int flags = O_PATH | O_NOFOLLOW | Syscalls.O_CLOEXEC;
    int fd = open(directory, text(name, oldName), flags);
    if (fd < 0) {
      return fd;
    }
    long here = device(directory);
    if (here < 0 || here != device(fd)) {
      close(fd);
      return -Errno.EXDEV.code();
    }
    return fd;
  }

  /** The device number of a descriptor's filesystem; negative if it is not known. */
  private long device(int fd) {
    MemorySegment itself = text(name, new byte[0]);
    int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
    try {
      int result = (int) STATX.invokeExact(errno, fd, itself, flags, 0, attributes);
      return result < 0 ? result : attributes.get(JAVA_LONG, STATX_DEVICE);
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  private int openWithin(int directory, byte[] oldName) {
    how.set(JAVA_LONG, 0, O_PATH | O_NOFOLLOW | Syscalls.O_CLOEXEC);
    how.set(JAVA_LONG, HOW_RESOLVE, RESOLVE_NO_XDEV);
    try {
      long fd =
          (long)
              OPENAT2.invokeExact(
                  errno, SYS_OPENAT2, directory, text(name, oldName), how, (long) OPEN_HOW_BYTES);
      return Downcalls.result(errno, (int) fd);
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** stat of a name, which makes the kernel look it up. */
  public int look(InodeNo parent, byte[] oldName) {
    int fd = directory(parent);
    if (fd < 0) {
      return fd;
    }
    MemorySegment text = text(name, oldName);
    try {
      return Downcalls.result(
          errno,
          (int) STATX.invokeExact(errno, fd, text, AT_SYMLINK_NOFOLLOW, STATX_TYPE, attributes));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  private int setTimes(int fd, boolean mtimeOnly) {
    MemorySegment itself = text(name, new byte[0]);
    times.set(JAVA_LONG, 0, 0);
    times.set(JAVA_LONG, Long.BYTES, mtimeOnly ? UTIME_OMIT : 0);
    times.set(JAVA_LONG, 2 * Long.BYTES, 0);
    times.set(JAVA_LONG, 3 * Long.BYTES, 0);
    try {
      return Downcalls.result(
          errno, (int) UTIMENSAT.invokeExact(errno, fd, itself, times, AT_EMPTY_PATH));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  private int directory(InodeNo node) {
    if (node.equals(adopted)) {
      return adoptedFd;
    }
    Integer known = directories.get(node);
    if (known != null) {
      return known;
    }
    int fd = openNode(node);
    if (fd >= 0) {
      directories.put(node, fd);
      if (directories.size() > MAX_OPEN) {
        Map.Entry<InodeNo, Integer> oldest = directories.entrySet().iterator().next();
        directories.remove(oldest.getKey());
        close(oldest.getValue());
      }
    }
    return fd;
  }

  /** Opens a node by its file handle; the kernel must know the node. */
  private int openNode(InodeNo node) {
    handle.set(JAVA_INT, 0, HANDLE_BYTES);
    handle.set(JAVA_INT, 4, HANDLE_TYPE);
    handle.set(JAVA_INT, 8, (int) (node.value() >>> Integer.SIZE));
    handle.set(JAVA_INT, 12, (int) node.value());
    handle.set(JAVA_INT, 16, 0);
    try {
      int flags = O_PATH | Syscalls.O_CLOEXEC;
      return Downcalls.result(errno, (int) OPEN_BY_HANDLE.invokeExact(errno, root, handle, flags));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  private int open(int directory, MemorySegment path, int flags) {
    try {
      return Downcalls.result(errno, (int) OPENAT.invokeExact(errno, directory, path, flags));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  private void close(int fd) {
    try {
      var _ = (int) CLOSE.invokeExact(errno, fd);
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** Copies the bytes, followed by a NUL, to the buffer; names have at most 255 bytes. */
  private static MemorySegment text(MemorySegment buffer, byte[] bytes) {
    MemorySegment.copy(bytes, 0, buffer, JAVA_BYTE, 0, bytes.length);
    buffer.set(JAVA_BYTE, bytes.length, (byte) 0);
    return buffer;
  }
}
