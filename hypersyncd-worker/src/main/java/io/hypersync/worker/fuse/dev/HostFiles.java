package io.hypersync.worker.fuse.dev;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.hypersync.model.errno.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * System calls on files of this host, relative to descriptors. No call follows a symbolic link, and
 * none leaves the filesystem that it begins in: what a user has put into a directory cannot lead
 * out of it. Names are single names without a slash. Thread-safe: each thread has its own memory
 * for arguments, which it keeps.
 */
public final class HostFiles {
  /** Only a reference: it can be neither read nor written through. */
  public static final int O_PATH = Syscalls.O_PATH;

  /** Only a directory. */
  public static final int O_DIRECTORY = Syscalls.O_DIRECTORY;

  /** Read only. */
  public static final int O_RDONLY = 0;

  /** Write only. */
  public static final int O_WRONLY = 1;

  /** Make the file, which must not exist. */
  public static final int O_CREAT_EXCL = 0100 | 0200;

  /** A file without a name. */
  public static final int O_TMPFILE = 020000000 | O_DIRECTORY;

  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int AT_REMOVEDIR = 0x200;
  private static final int AT_SYMLINK_FOLLOW = 0x400;
  private static final long SYS_OPENAT2 = 437;
  private static final int RESOLVE_NO_XDEV = 1;
  private static final int RESOLVE_NO_SYMLINKS = 4;
  private static final int RESOLVE_BENEATH = 8;
  private static final int HOW_BYTES = 24;
  private static final int STATX_BYTES = 256;
  private static final int STATX_BASIC_AND_BTIME = 0xfff;
  private static final int STATX_BTIME = 0x800;
  private static final int STATFS_BYTES = 120;
  private static final int TIMES_BYTES = 32;
  private static final int DIRENT_NAME = 19;

  /** PATH_MAX of Linux, in bytes, with the NUL. */
  public static final int MAX_PATH_BYTES = 4_096;

  /** The value of a time that is to be the present. */
  public static final long NOW = Long.MAX_VALUE;

  /** The value of a time that is to stay. */
  public static final long KEEP = Long.MIN_VALUE;

  private static final long UTIME_NOW = 0x3fffffffL;
  private static final long UTIME_OMIT = 0x3ffffffeL;
  private static final long NS_PER_S = 1_000_000_000;

  private static final MethodHandle OPENAT =
      Downcalls.handle(
          "openat",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(3));
  private static final MethodHandle OPENAT2 =
      Downcalls.handle(
          "syscall",
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG),
          Linker.Option.firstVariadicArg(1));
  private static final MethodHandle STATX =
      Downcalls.handle(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle MKDIRAT =
      Downcalls.handle("mkdirat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle MKNODAT =
      Downcalls.handle(
          "mknodat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG));
  private static final MethodHandle SYMLINKAT =
      Downcalls.handle("symlinkat", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS));
  private static final MethodHandle LINKAT =
      Downcalls.handle(
          "linkat",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle UNLINKAT =
      Downcalls.handle("unlinkat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle RENAMEAT2 =
      Downcalls.handle(
          "renameat2",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle READLINKAT =
      Downcalls.handle(
          "readlinkat", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));
  private static final MethodHandle FCHOWNAT =
      Downcalls.handle(
          "fchownat",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle CHMOD =
      Downcalls.handle("chmod", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle UTIMENSAT =
      Downcalls.handle(
          "utimensat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle FTRUNCATE =
      Downcalls.handle("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle PREAD =
      Downcalls.handle(
          "pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle PWRITE =
      Downcalls.handle(
          "pwrite", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle FSYNC =
      Downcalls.handle("fsync", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle FDATASYNC =
      Downcalls.handle("fdatasync", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle FALLOCATE =
      Downcalls.handle(
          "fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle LSEEK =
      Downcalls.handle("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle COPY_FILE_RANGE =
      Downcalls.handle(
          "copy_file_range",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle FSTATFS =
      Downcalls.handle("fstatfs", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle GETDENTS =
      Downcalls.handle(
          "getdents64", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle GETXATTR =
      Downcalls.handle(
          "getxattr", FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));
  private static final MethodHandle SETXATTR =
      Downcalls.handle(
          "setxattr",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle LISTXATTR =
      Downcalls.handle("listxattr", FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG));
  private static final MethodHandle REMOVEXATTR =
      Downcalls.handle("removexattr", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));

  private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

  private HostFiles() {}

  /** Memory for the arguments of one call. */
  private static final class Scratch {
    private static final int FIRST_BYTES = 1 << 16;

    private final MemorySegment errno;
    private final MemorySegment first;
    private final MemorySegment second;
    private final MemorySegment struct;
    private MemorySegment bytes;

    Scratch() {
      Arena arena = Arena.ofAuto();
      errno = arena.allocate(Downcalls.ERRNO_STATE);
      first = arena.allocate(MAX_PATH_BYTES);
      second = arena.allocate(MAX_PATH_BYTES);
      struct = arena.allocate(STATX_BYTES, Long.BYTES);
      bytes = arena.allocate(FIRST_BYTES, Long.BYTES);
    }

    MemorySegment bytes(long length) {
      if (bytes.byteSize() < length) {
        bytes = Arena.ofAuto().allocate(length, Long.BYTES);
      }
      return bytes;
    }

    MemorySegment first(byte[] text) throws HostCallFailed {
      return text(first, text);
    }

    MemorySegment second(byte[] text) throws HostCallFailed {
      return text(second, text);
    }

    /** The path by which a descriptor's file is reached, a link or a special file, too. */
    MemorySegment self(int fd) throws HostCallFailed {
      return first(("/proc/self/fd/" + fd).getBytes(StandardCharsets.US_ASCII));
    }

    private static MemorySegment text(MemorySegment buffer, byte[] text) throws HostCallFailed {
      if (text.length >= MAX_PATH_BYTES) {
        throw new HostCallFailed(Errno.ENAMETOOLONG);
      }
      MemorySegment.copy(text, 0, buffer, JAVA_BYTE, 0, text.length);
      buffer.set(JAVA_BYTE, text.length, (byte) 0);
      return buffer;
    }

    long checked(long result) throws HostCallFailed {
      if (result < 0) {
        throw new HostCallFailed(Errno.of(Downcalls.errno(errno)));
      }
      return result;
    }
  }

  /** A call that may fail in any way. */
  @FunctionalInterface
  private interface Call {
    long make(Scratch scratch) throws Throwable;
  }

  private static long call(Call call) throws HostCallFailed {
    Scratch scratch = SCRATCH.get();
    try {
      return scratch.checked(call.make(scratch));
    } catch (HostCallFailed e) {
      throw e;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }

  /** Opens a directory by its path as a reference; links on the way to it are followed. */
  public static int openDirectory(Path directory) throws HostCallFailed {
    byte[] path = directory.toString().getBytes(StandardCharsets.UTF_8);
    int flags = O_PATH | O_DIRECTORY | Syscalls.O_CLOEXEC;
    return (int)
        call(s -> (int) OPENAT.invokeExact(s.errno, Syscalls.AT_FDCWD, s.first(path), flags, 0));
  }

  /**
   * Opens a name in a directory, or makes it there.
   *
   * @param mode of what is made
   */
  public static int open(int directory, byte[] name, int flags, int mode) throws HostCallFailed {
    int all = flags | Syscalls.O_NOFOLLOW | Syscalls.O_CLOEXEC;
    return (int) call(s -> (int) OPENAT.invokeExact(s.errno, directory, s.first(name), all, mode));
  }

  /**
   * Opens what a path leads to as a reference: ELOOP if that takes a link, EXDEV if another
   * filesystem is on the way, ENOSYS before Linux 5.6.
   *
   * @param path relative to {@code directory}; its last name may be that of a link
   */
  public static int openBelow(int directory, byte[] path) throws HostCallFailed {
    return (int)
        call(
            s -> {
              s.struct.set(JAVA_LONG, 0, O_PATH | Syscalls.O_NOFOLLOW | Syscalls.O_CLOEXEC);
              s.struct.set(JAVA_LONG, Long.BYTES, 0);
              s.struct.set(
                  JAVA_LONG,
                  2 * Long.BYTES,
                  RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
              return (long)
                  OPENAT2.invokeExact(
                      s.errno, SYS_OPENAT2, directory, s.first(path), s.struct, (long) HOW_BYTES);
            });
  }

  /** Opens the regular file or directory of a descriptor once more, in another way. */
  public static int reopen(int fd, int flags) throws HostCallFailed {
    int all = flags | Syscalls.O_CLOEXEC;
    return (int)
        call(s -> (int) OPENAT.invokeExact(s.errno, Syscalls.AT_FDCWD, s.self(fd), all, 0));
  }

  /** Makes a file without a name in a directory. */
  public static int makeUnnamed(int directory, int flags, int mode) throws HostCallFailed {
    int all = flags | O_TMPFILE | Syscalls.O_CLOEXEC;
    return (int)
        call(
            s ->
                (int) OPENAT.invokeExact(s.errno, Syscalls.AT_FDCWD, s.self(directory), all, mode));
  }

  /** close(2); what it says is of no use. */
  public static void close(int fd) {
    var _ = Syscalls.close(fd);
  }

  /** The user that files are made by. */
  public static int effectiveUid() {
    return Syscalls.effectiveUid();
  }

  /** The attributes of a descriptor's file. */
  public static HostStat stat(int fd) throws HostCallFailed {
    return stat(fd, new byte[0], Syscalls.AT_EMPTY_PATH);
  }

  /** The attributes of a name in a directory. */
  public static HostStat stat(int directory, byte[] name) throws HostCallFailed {
    return stat(directory, name, AT_SYMLINK_NOFOLLOW);
  }

  private static HostStat stat(int directory, byte[] name, int flags) throws HostCallFailed {
    Scratch scratch = SCRATCH.get();
    var _ =
        call(
            s ->
                (int)
                    STATX.invokeExact(
                        s.errno, directory, s.first(name), flags, STATX_BASIC_AND_BTIME, s.struct));
    MemorySegment st = scratch.struct;
    boolean born = (st.get(JAVA_INT, 0) & STATX_BTIME) != 0;
    int major = st.get(JAVA_INT, 128);
    int minor = st.get(JAVA_INT, 132);
    return new HostStat(
        (long) st.get(JAVA_INT, 136) << Integer.SIZE
            | Integer.toUnsignedLong(st.get(JAVA_INT, 140)),
        st.get(JAVA_LONG, 32),
        born ? time(st, 80) : 0,
        Short.toUnsignedInt(st.get(JAVA_SHORT, 28)),
        st.get(JAVA_INT, 16),
        st.get(JAVA_INT, 20),
        st.get(JAVA_INT, 24),
        st.get(JAVA_LONG, 40),
        st.get(JAVA_LONG, 48),
        time(st, 64),
        time(st, 112),
        time(st, 96),
        (minor & 0xff) | major << 8 | (minor & ~0xff) << 12,
        st.get(JAVA_INT, 4));
  }

  private static long time(MemorySegment st, int at) {
    return st.get(JAVA_LONG, at) * NS_PER_S
        + Integer.toUnsignedLong(st.get(JAVA_INT, at + Long.BYTES));
  }

  /** mkdirat(2). */
  public static void makeDirectory(int directory, byte[] name, int mode) throws HostCallFailed {
    var _ = call(s -> (int) MKDIRAT.invokeExact(s.errno, directory, s.first(name), mode));
  }

  /**
   * mknodat(2).
   *
   * @param mode with the type
   * @param rdev in the kernel's 32-bit form
   */
  public static void makeNode(int directory, byte[] name, int mode, int rdev)
      throws HostCallFailed {
    long device = Integer.toUnsignedLong(rdev);
    var _ = call(s -> (int) MKNODAT.invokeExact(s.errno, directory, s.first(name), mode, device));
  }

  /** symlinkat(2). */
  public static void makeLink(int directory, byte[] name, byte[] target) throws HostCallFailed {
    var _ =
        call(s -> (int) SYMLINKAT.invokeExact(s.errno, s.second(target), directory, s.first(name)));
  }

  /** Gives a descriptor's file another name. */
  public static void link(int fd, int directory, byte[] name) throws HostCallFailed {
    var _ =
        call(
            s ->
                (int)
                    LINKAT.invokeExact(
                        s.errno,
                        Syscalls.AT_FDCWD,
                        s.self(fd),
                        directory,
                        s.second(name),
                        AT_SYMLINK_FOLLOW));
  }

  /** unlink or rmdir. */
  public static void remove(int directory, byte[] name, boolean ofDirectory) throws HostCallFailed {
    int flags = ofDirectory ? AT_REMOVEDIR : 0;
    var _ = call(s -> (int) UNLINKAT.invokeExact(s.errno, directory, s.first(name), flags));
  }

  /**
   * renameat2(2).
   *
   * @param flags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.Rename}
   */
  public static void rename(int directory, byte[] name, int newDirectory, byte[] newName, int flags)
      throws HostCallFailed {
    var _ =
        call(
            s ->
                (int)
                    RENAMEAT2.invokeExact(
                        s.errno, directory, s.first(name), newDirectory, s.second(newName), flags));
  }

  /** Where a link points. */
  public static byte[] readLink(int fd) throws HostCallFailed {
    Scratch scratch = SCRATCH.get();
    long length =
        call(
            s ->
                (long)
                    READLINKAT.invokeExact(
                        s.errno, fd, s.first(new byte[0]), s.second, (long) MAX_PATH_BYTES));
    return bytes(scratch.second, length);
  }

  /**
   * Sets owner and group.
   *
   * @param uid -1 to leave it
   * @param gid -1 to leave it
   */
  public static void setOwner(int fd, int uid, int gid) throws HostCallFailed {
    var _ =
        call(
            s ->
                (int)
                    FCHOWNAT.invokeExact(
                        s.errno, fd, s.first(new byte[0]), uid, gid, Syscalls.AT_EMPTY_PATH));
  }

  /** Sets the permission bits. */
  public static void setMode(int fd, int mode) throws HostCallFailed {
    var _ = call(s -> (int) CHMOD.invokeExact(s.errno, s.self(fd), mode));
  }

  /**
   * Sets times.
   *
   * @param atimeNs nanoseconds since the epoch, {@link #NOW} or {@link #KEEP}
   * @param mtimeNs likewise
   */
  public static void setTimes(int fd, long atimeNs, long mtimeNs) throws HostCallFailed {
    var _ =
        call(
            s -> {
              putTime(s.struct, 0, atimeNs);
              putTime(s.struct, TIMES_BYTES / 2, mtimeNs);
              return (int)
                  UTIMENSAT.invokeExact(s.errno, Syscalls.AT_FDCWD, s.self(fd), s.struct, 0);
            });
  }

  private static void putTime(MemorySegment times, int at, long ns) {
    long special = ns == NOW ? UTIME_NOW : UTIME_OMIT;
    boolean isTime = ns != NOW && ns != KEEP;
    times.set(JAVA_LONG, at, isTime ? Math.floorDiv(ns, NS_PER_S) : 0);
    times.set(JAVA_LONG, at + Long.BYTES, isTime ? Math.floorMod(ns, NS_PER_S) : special);
  }

  /** ftruncate(2). */
  public static void truncate(int fd, long size) throws HostCallFailed {
    var _ = call(s -> (int) FTRUNCATE.invokeExact(s.errno, fd, size));
  }

  /** Reads at most so many bytes, fewer only at the end of the file. */
  public static byte[] read(int fd, long offset, int length) throws HostCallFailed {
    Scratch scratch = SCRATCH.get();
    MemorySegment buffer = scratch.bytes(length);
    long done = 0;
    while (done < length) {
      MemorySegment rest = buffer.asSlice(done);
      long left = length - done;
      long at = offset + done;
      long read = call(s -> (long) PREAD.invokeExact(s.errno, fd, rest, left, at));
      if (read == 0) {
        break;
      }
      done += read;
    }
    return bytes(buffer, done);
  }

  /** Writes; fewer bytes than all of them only if no more could be written after some. */
  public static int write(int fd, long offset, byte[] data) throws HostCallFailed {
    MemorySegment buffer = SCRATCH.get().bytes(data.length);
    MemorySegment.copy(data, 0, buffer, JAVA_BYTE, 0, data.length);
    int done = 0;
    while (done < data.length) {
      MemorySegment rest = buffer.asSlice(done);
      long left = (long) data.length - done;
      long at = offset + done;
      try {
        done += (int) call(s -> (long) PWRITE.invokeExact(s.errno, fd, rest, left, at));
      } catch (HostCallFailed e) {
        if (done == 0) {
          throw e;
        }
        break;
      }
    }
    return done;
  }

  /** fsync(2), or fdatasync(2). */
  public static void sync(int fd, boolean dataOnly) throws HostCallFailed {
    var _ =
        call(
            s ->
                dataOnly
                    ? (int) FDATASYNC.invokeExact(s.errno, fd)
                    : (int) FSYNC.invokeExact(s.errno, fd));
  }

  /** fallocate(2). */
  public static void allocate(int fd, int mode, long offset, long length) throws HostCallFailed {
    var _ = call(s -> (int) FALLOCATE.invokeExact(s.errno, fd, mode, offset, length));
  }

  /** lseek(2). */
  public static long seek(int fd, long offset, int whence) throws HostCallFailed {
    return call(s -> (long) LSEEK.invokeExact(s.errno, fd, offset, whence));
  }

  /** copy_file_range(2); returns how many bytes were copied. */
  public static long copy(int from, long fromOffset, int to, long toOffset, long length)
      throws HostCallFailed {
    return call(
        s -> {
          s.struct.set(JAVA_LONG, 0, fromOffset);
          s.struct.set(JAVA_LONG, Long.BYTES, toOffset);
          return (long)
              COPY_FILE_RANGE.invokeExact(
                  s.errno, from, s.struct, to, s.struct.asSlice(Long.BYTES), length, 0);
        });
  }

  /**
   * The totals of a filesystem, in the order of {@code struct statfs}: blocks, free, available,
   * files, free files, bytes of a block, longest name, bytes of a fragment.
   */
  public static long[] totals(int fd) throws HostCallFailed {
    Scratch scratch = SCRATCH.get();
    var _ = call(s -> (int) FSTATFS.invokeExact(s.errno, fd, s.struct.asSlice(0, STATFS_BYTES)));
    MemorySegment st = scratch.struct;
    return new long[] {
      st.get(JAVA_LONG, 16),
      st.get(JAVA_LONG, 24),
      st.get(JAVA_LONG, 32),
      st.get(JAVA_LONG, 40),
      st.get(JAVA_LONG, 48),
      st.get(JAVA_LONG, 8),
      st.get(JAVA_LONG, 64),
      st.get(JAVA_LONG, 72)
    };
  }

  /**
   * A row of a directory.
   *
   * @param inode of this host's filesystem
   * @param next where the row behind it is found
   * @param type as {@code d_type}
   */
  public record Row(long inode, long next, int type, byte[] name) {}

  /**
   * Some rows of an open directory from an offset on; none at its end. The position of the
   * descriptor is moved, so no two threads may do this with one descriptor at the same time.
   *
   * @param offset 0, or the {@link Row#next} of a row
   */
  public static List<Row> list(int fd, long offset) throws HostCallFailed {
    var _ = seek(fd, offset, 0);
    Scratch scratch = SCRATCH.get();
    MemorySegment buffer = scratch.bytes(Scratch.FIRST_BYTES);
    long length =
        call(s -> (long) GETDENTS.invokeExact(s.errno, fd, buffer, (long) Scratch.FIRST_BYTES));
    List<Row> rows = new ArrayList<>();
    for (long at = 0; at < length; ) {
      int bytes = Short.toUnsignedInt(buffer.get(JAVA_SHORT, at + 16));
      byte[] name = text(buffer, at + DIRENT_NAME);
      rows.add(
          new Row(
              buffer.get(JAVA_LONG, at),
              buffer.get(JAVA_LONG, at + Long.BYTES),
              Byte.toUnsignedInt(buffer.get(JAVA_BYTE, at + 18)),
              name));
      at += bytes;
    }
    return rows;
  }

  private static byte[] text(MemorySegment buffer, long from) {
    long end = from;
    while (buffer.get(JAVA_BYTE, end) != 0) {
      end++;
    }
    return bytes(buffer.asSlice(from), end - from);
  }

  /** An extended attribute's value; ERANGE if it has more bytes than that. */
  public static byte[] attribute(int fd, byte[] name, int most) throws HostCallFailed {
    Scratch scratch = SCRATCH.get();
    MemorySegment buffer = scratch.bytes(most);
    long length =
        call(
            s ->
                (long)
                    GETXATTR.invokeExact(s.errno, s.self(fd), s.second(name), buffer, (long) most));
    return bytes(buffer, length);
  }

  /** Sets an extended attribute; {@code flags} as setxattr(2). */
  public static void setAttribute(int fd, byte[] name, byte[] value, int flags)
      throws HostCallFailed {
    MemorySegment buffer = SCRATCH.get().bytes(value.length);
    MemorySegment.copy(value, 0, buffer, JAVA_BYTE, 0, value.length);
    long length = value.length;
    var _ =
        call(
            s ->
                (int)
                    SETXATTR.invokeExact(
                        s.errno, s.self(fd), s.second(name), buffer, length, flags));
  }

  /** The names of extended attributes, each followed by a NUL; ERANGE if they take more bytes. */
  public static byte[] attributes(int fd, int most) throws HostCallFailed {
    Scratch scratch = SCRATCH.get();
    MemorySegment buffer = scratch.bytes(most);
    long length = call(s -> (long) LISTXATTR.invokeExact(s.errno, s.self(fd), buffer, (long) most));
    return bytes(buffer, length);
  }

  /** Removes an extended attribute. */
  public static void removeAttribute(int fd, byte[] name) throws HostCallFailed {
    var _ = call(s -> (int) REMOVEXATTR.invokeExact(s.errno, s.self(fd), s.second(name)));
  }

  private static byte[] bytes(MemorySegment buffer, long length) {
    return buffer.asSlice(0, length).toArray(JAVA_BYTE);
  }
}
