package io.hypersync.worker.fuse.dev;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * System calls that HyperSync needs and the JDK does not offer. Each returns what the C function
 * returns, or the negated errno if it fails.
 */
final class Syscalls {
  /** Layout of the segment in which a call leaves its errno. */
  static final StructLayout ERRNO_STATE = Downcalls.ERRNO_STATE;

  static final int O_RDWR = 2;
  static final int O_DIRECTORY = 0x10000;
  static final int O_CLOEXEC = 0x80000;
  static final int O_NOFOLLOW = 0x20000;
  static final int O_PATH = 010000000;
  static final int O_NONBLOCK = 04000;
  static final int O_NOCTTY = 0400;
  static final int AT_FDCWD = -100;
  static final int AT_EMPTY_PATH = 0x1000;
  static final int AT_STATX_FORCE_SYNC = 0x2000;
  static final int AT_STATX_DONT_SYNC = 0x4000;

  /** The flag that {@code chattr +i} sets. */
  static final int FS_IMMUTABLE_FL = 0x10;

  static final long MS_RDONLY = 1;
  static final long MS_NOSUID = 2;
  static final long MS_NODEV = 4;
  static final int MNT_FORCE = 1;
  static final int MNT_DETACH = 2;
  static final int UMOUNT_NOFOLLOW = 8;

  /** {@code _IOR(229, 0, uint32_t)}: binds a new descriptor to the mount of another one. */
  static final long FUSE_DEV_IOC_CLONE = 0x8004e500L;

  private static final long FS_IOC_GETFLAGS = 0x80086601L;
  private static final long FS_IOC_SETFLAGS = 0x40086602L;

  private static final int S_IFMT = 0170000;
  private static final int S_IFREG = 0100000;

  private static final int STATX_BYTES = 256;
  private static final int STATX_BASIC = 0x7ff;
  private static final int STATX_UID = 20;
  private static final int STATX_MODE = 28;
  private static final int STATX_MTIME = 112;
  private static final int STATX_DEV_MAJOR = 136;
  private static final int STATX_DEV_MINOR = 140;
  private static final int STATFS_BYTES = 120;

  private static final MethodHandle READ =
      Downcalls.handle("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle WRITE =
      Downcalls.handle("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle OPEN =
      Downcalls.handle(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle CLOSE =
      Downcalls.handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle IOCTL =
      Downcalls.handle(
          "ioctl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle MOUNT =
      Downcalls.handle(
          "mount", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
  private static final MethodHandle UMOUNT2 =
      Downcalls.handle("umount2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle STATX =
      Downcalls.handle(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle READLINK =
      Downcalls.handle("readlink", FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG));
  private static final MethodHandle GETEUID =
      Downcalls.handle("geteuid", FunctionDescriptor.of(JAVA_INT));
  private static final MethodHandle GETEGID =
      Downcalls.handle("getegid", FunctionDescriptor.of(JAVA_INT));

  private static final MethodHandle STATFS =
      Downcalls.handle("statfs", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle UMASK =
      Downcalls.handle("umask", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private static final MethodHandle SIGNAL =
      Downcalls.handle("signal", FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS));

  /** SIG_IGN. */
  private static final MemorySegment IGNORE = MemorySegment.ofAddress(1);

  private Syscalls() {}

  /** read(2) into {@code buffer}; {@code errno} is scratch space of {@link #ERRNO_STATE}. */
  static long read(MemorySegment errno, int fd, MemorySegment buffer, long bytes) {
    try {
      long result = (long) READ.invokeExact(errno, fd, buffer, bytes);
      return result < 0 ? -Downcalls.errno(errno) : result;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** write(2) from {@code buffer}; {@code errno} is scratch space of {@link #ERRNO_STATE}. */
  static long write(MemorySegment errno, int fd, MemorySegment buffer, long bytes) {
    try {
      long result = (long) WRITE.invokeExact(errno, fd, buffer, bytes);
      return result < 0 ? -Downcalls.errno(errno) : result;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** open(2) without O_CREAT. */
  static int open(String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return open(arena.allocateFrom(path), flags);
    }
  }

  /** The same; the path is a C string. */
  static int open(MemorySegment path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      return Downcalls.result(errno, (int) OPEN.invokeExact(errno, path, flags));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** close(2). */
  static int close(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      return Downcalls.result(errno, (int) CLOSE.invokeExact(errno, fd));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** ioctl(2) with a pointer to a 32-bit integer. */
  static int ioctl(int fd, long request, int argument) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      MemorySegment pointer = arena.allocateFrom(JAVA_INT, argument);
      return Downcalls.result(errno, (int) IOCTL.invokeExact(errno, fd, request, pointer));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** mount(2). */
  static int mount(String source, String target, String type, long flags, String options) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      return Downcalls.result(
          errno,
          (int)
              MOUNT.invokeExact(
                  errno,
                  arena.allocateFrom(source),
                  arena.allocateFrom(target),
                  arena.allocateFrom(type),
                  flags,
                  arena.allocateFrom(options)));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** umount2(2). */
  static int umount2(String target, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      return Downcalls.result(
          errno, (int) UMOUNT2.invokeExact(errno, arena.allocateFrom(target), flags));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /**
   * statx(2) of a path without cached attributes, so the filesystem is asked: 0, or the negated
   * errno.
   */
  static int statNow(String path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      MemorySegment attributes = arena.allocate(STATX_BYTES, Long.BYTES);
      return Downcalls.result(
          errno,
          (int)
              STATX.invokeExact(
                  errno,
                  AT_FDCWD,
                  arena.allocateFrom(path),
                  AT_STATX_FORCE_SYNC,
                  STATX_BASIC,
                  attributes));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /**
   * The device number of the file at a path, major in the upper 32 bits, or the negated errno.
   * Makes no request to the filesystem: cached attributes suffice.
   */
  static long deviceOf(String path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      MemorySegment attributes = arena.allocate(STATX_BYTES, Long.BYTES);
      int result =
          (int)
              STATX.invokeExact(
                  errno, AT_FDCWD, arena.allocateFrom(path), AT_STATX_DONT_SYNC, 0, attributes);
      return result < 0
          ? -Downcalls.errno(errno)
          : Integer.toUnsignedLong(attributes.get(JAVA_INT, STATX_DEV_MAJOR)) << Integer.SIZE
              | Integer.toUnsignedLong(attributes.get(JAVA_INT, STATX_DEV_MINOR));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /**
   * A plain file.
   *
   * @param owner its user id
   * @param mtimeS when it was written, in seconds since 1970
   */
  record PlainFile(int owner, long mtimeS) {}

  /** What an open file is; null if it is no plain one. */
  static @Nullable PlainFile plainFile(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      MemorySegment attributes = arena.allocate(STATX_BYTES, Long.BYTES);
      int result =
          (int)
              STATX.invokeExact(
                  errno, fd, arena.allocateFrom(""), AT_EMPTY_PATH, STATX_BASIC, attributes);
      boolean isPlain = (attributes.get(JAVA_SHORT, STATX_MODE) & S_IFMT) == S_IFREG;
      return result < 0 || !isPlain
          ? null
          : new PlainFile(
              attributes.get(JAVA_INT, STATX_UID), attributes.get(JAVA_LONG, STATX_MTIME));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** readlink(2) of a C string into {@code target}: the length, or the negated errno. */
  static long readLink(MemorySegment path, MemorySegment target) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      long length = (long) READLINK.invokeExact(errno, path, target, target.byteSize());
      return length < 0 ? -Downcalls.errno(errno) : length;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** The {@code f_type} of the filesystem that a path is on, or the negated errno. */
  static long filesystemMagic(String path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      MemorySegment statistics = arena.allocate(STATFS_BYTES, Long.BYTES);
      int result = (int) STATFS.invokeExact(errno, arena.allocateFrom(path), statistics);
      return result < 0
          ? -Downcalls.errno(errno)
          : Integer.toUnsignedLong((int) statistics.get(JAVA_LONG, 0));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** The inode flags of an open file, as {@code lsattr} shows them, or the negated errno. */
  static int inodeFlags(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      MemorySegment flags = arena.allocate(Long.BYTES, Long.BYTES);
      int result = (int) IOCTL.invokeExact(errno, fd, FS_IOC_GETFLAGS, flags);
      return result < 0 ? -Downcalls.errno(errno) : flags.get(JAVA_INT, 0) & Integer.MAX_VALUE;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** Sets inode flags, as {@code chattr} does; 0, or the negated errno. */
  static int setInodeFlags(int fd, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_STATE);
      MemorySegment pointer = arena.allocate(Long.BYTES, Long.BYTES);
      pointer.set(JAVA_INT, 0, flags);
      return Downcalls.result(errno, (int) IOCTL.invokeExact(errno, fd, FS_IOC_SETFLAGS, pointer));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** umask(2); returns the previous mask. */
  static int umask(int mask) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) UMASK.invokeExact(arena.allocate(ERRNO_STATE), mask);
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** signal(2): has the process ignore a signal from now on. */
  static void ignore(int signal) {
    try (Arena arena = Arena.ofConfined()) {
      var _ = (MemorySegment) SIGNAL.invokeExact(arena.allocate(ERRNO_STATE), signal, IGNORE);
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** geteuid(2). */
  static int effectiveUid() {
    return identity(GETEUID);
  }

  /** getegid(2). */
  static int effectiveGid() {
    return identity(GETEGID);
  }

  private static int identity(MethodHandle call) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) call.invokeExact(arena.allocate(ERRNO_STATE));
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }
}
