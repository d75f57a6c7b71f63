package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.DirLayouts.Dirent;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLock;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import jnr.ffi.provider.jffi.ClosureHelper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What libfuse calls: takes arguments out of native memory and puts results there. The methods are
 * named as the operations in {@code fuse.h}, which says what their arguments are.
 *
 * <p>Nothing is thrown into native code: a call that fails in any way gives a negated errno.
 */
final class NativeCalls {
  private static final Logger LOG = LoggerFactory.getLogger(NativeCalls.class);

  private static final int F_GETLK = 5;
  private static final int F_SETLKW = 7;
  private static final int LOCK_SH = 1;
  private static final int LOCK_EX = 2;
  private static final int LOCK_NB = 4;
  private static final int F_RDLCK = 0;
  private static final int F_WRLCK = 1;
  private static final int F_UNLCK = 2;
  private static final int DATASYNC = 1;
  private static final int LONGEST_NAME = 255;

  /** How much of a listing is made at a time; libfuse's own buffer is about as large. */
  private static final int LISTING_BYTES = 4_096;

  private static final long NS_PER_MS = 1_000_000L;

  private final PathCalls calls;
  private final Supplier<Pointer> context;

  /**
   * Calls of one mount.
   *
   * @param context returns {@code struct fuse_context} of the current thread
   */
  NativeCalls(PathCalls calls, Supplier<Pointer> context) {
    this.calls = calls;
    this.context = context;
  }

  @FunctionalInterface
  private interface Call {
    /** Makes the call; returns what libfuse expects, 0 or a count. */
    int make(Caller caller) throws CallFailed;
  }

  private int run(String operation, Call call) {
    try {
      return call.make(NativeStructs.caller(context.get()));
    } catch (CallFailed failed) {
      return -failed.errno().code();
    } catch (Throwable e) {
      LOG.error("{} failed", operation, e);
      return -Errno.EIO.code();
    }
  }

  // Names.

  int getattr(@Nullable Pointer path, Pointer stat) {
    return run(
        "getattr",
        caller -> {
          NativeStructs.putAttr(stat, calls.getAttr(caller, bytes(path)));
          return 0;
        });
  }

  int readlink(Pointer path, @Nullable Pointer buffer, long size) {
    return run(
        "readlink",
        caller -> {
          byte[] target = calls.readLink(caller, bytes(path));
          Pointer into = required(buffer);
          int length = (int) Math.min(target.length, size - 1);
          into.put(0, target, 0, length);
          into.putByte(length, (byte) 0);
          return 0;
        });
  }

  int mknod(Pointer path, int mode, long device) {
    return run(
        "mknod",
        caller -> {
          calls.mkNod(caller, bytes(path), mode, (int) device);
          return 0;
        });
  }

  int mkdir(Pointer path, int mode) {
    return run(
        "mkdir",
        caller -> {
          calls.mkDir(caller, bytes(path), mode);
          return 0;
        });
  }

  int unlink(Pointer path) {
    return run(
        "unlink",
        caller -> {
          calls.unlink(caller, bytes(path));
          return 0;
        });
  }

  int rmdir(Pointer path) {
    return run(
        "rmdir",
        caller -> {
          calls.rmDir(caller, bytes(path));
          return 0;
        });
  }

  int symlink(@Nullable Pointer target, Pointer path) {
    return run(
        "symlink",
        caller -> {
          calls.symlink(caller, bytes(target), bytes(path));
          return 0;
        });
  }

  int rename(@Nullable Pointer from, Pointer to) {
    return run(
        "rename",
        caller -> {
          calls.rename(caller, bytes(from), bytes(to));
          return 0;
        });
  }

  int link(@Nullable Pointer from, Pointer to) {
    return run(
        "link",
        caller -> {
          calls.link(caller, bytes(from), bytes(to));
          return 0;
        });
  }

  // Attributes.

  int chmod(Pointer path, int mode) {
    return run(
        "chmod",
        caller -> {
          calls.chmod(caller, bytes(path), mode);
          return 0;
        });
  }

  int chown(Pointer path, int uid, int gid) {
    return run(
        "chown",
        caller -> {
          calls.chown(caller, bytes(path), uid, gid);
          return 0;
        });
  }

  int truncate(Pointer path, long size) {
    return run(
        "truncate",
        caller -> {
          calls.truncate(caller, bytes(path), size);
          return 0;
        });
  }

  int utimens(@Nullable Pointer path, Pointer both) {
    return run(
        "utimens",
        caller -> {
          long nowNs = System.currentTimeMillis() * NS_PER_MS;
          NativeStructs.Times times = NativeStructs.times(both, nowNs);
          calls.setTimes(caller, bytes(path), times.valid(), times.atimeNs(), times.mtimeNs());
          return 0;
        });
  }

  int setxattr(Pointer path, Pointer name, @Nullable Pointer value, long size, int flags) {
    return run(
        "setxattr",
        caller -> {
          byte[] bytes = size == 0 ? new byte[0] : copy(required(value), size);
          calls.setXattr(caller, bytes(path), bytes(name), bytes, flags);
          return 0;
        });
  }

  int getxattr(Pointer path, Pointer name, @Nullable Pointer buffer, long size) {
    return run(
        "getxattr",
        caller -> sizeOrData(calls.getXattr(caller, bytes(path), bytes(name), (int) size), buffer));
  }

  int listxattr(Pointer path, @Nullable Pointer buffer, long size) {
    return run(
        "listxattr",
        caller -> sizeOrData(calls.listXattr(caller, bytes(path), (int) size), buffer));
  }

  int removexattr(@Nullable Pointer path, Pointer name) {
    return run(
        "removexattr",
        caller -> {
          calls.removeXattr(caller, bytes(path), bytes(name));
          return 0;
        });
  }

  int statfs(@Nullable Pointer path, Pointer statvfs) {
    return run(
        "statfs",
        caller -> {
          NativeStructs.putTotals(statvfs, calls.statFs(caller));
          return 0;
        });
  }

  // Open files.

  int open(@Nullable Pointer path, Pointer file) {
    return run(
        "open",
        caller -> {
          FileHandle fh = calls.open(caller, bytes(path), NativeStructs.flags(file));
          NativeStructs.setHandle(file, fh);
          return 0;
        });
  }

  int create(@Nullable Pointer path, int mode, Pointer file) {
    return run(
        "create",
        caller -> {
          FileHandle fh = calls.create(caller, bytes(path), mode, NativeStructs.flags(file));
          NativeStructs.setHandle(file, fh);
          return 0;
        });
  }

  int opendir(@Nullable Pointer path, Pointer file) {
    return run(
        "opendir",
        caller -> {
          NativeStructs.setHandle(file, calls.openDirectory(caller, bytes(path)));
          return 0;
        });
  }

  int fgetattr(@Nullable Pointer path, Pointer stat, Pointer file) {
    return run(
        "fgetattr",
        caller -> {
          NativeStructs.putAttr(stat, calls.getAttr(caller, NativeStructs.handle(file)));
          return 0;
        });
  }

  int ftruncate(@Nullable Pointer path, long size, Pointer file) {
    return run(
        "ftruncate",
        caller -> {
          calls.truncate(caller, NativeStructs.handle(file), size);
          return 0;
        });
  }

  int read(@Nullable Pointer path, Pointer buffer, long size, long offset, Pointer file) {
    return run(
        "read",
        caller -> {
          FileHandle fh = NativeStructs.handle(file);
          byte[] data = calls.read(caller, fh, offset, size, NativeStructs.flags(file));
          buffer.put(0, data, 0, data.length);
          return data.length;
        });
  }

  int write(@Nullable Pointer path, Pointer buffer, long size, long offset, Pointer file) {
    return run(
        "write",
        caller ->
            calls.write(
                caller,
                NativeStructs.handle(file),
                offset,
                copy(buffer, size),
                NativeStructs.flags(file)));
  }

  int fsync(@Nullable Pointer path, int datasync, Pointer file) {
    return run(
        "fsync",
        caller -> {
          calls.fsync(caller, NativeStructs.handle(file), datasync == 0 ? 0 : DATASYNC);
          return 0;
        });
  }

  int fsyncdir(@Nullable Pointer path, int datasync, Pointer file) {
    return run(
        "fsyncdir",
        caller -> {
          calls.fsyncDirectory(caller, NativeStructs.handle(file), datasync == 0 ? 0 : DATASYNC);
          return 0;
        });
  }

  int fallocate(@Nullable Pointer path, int mode, long offset, long length, Pointer file) {
    return run(
        "fallocate",
        caller -> {
          calls.allocate(caller, NativeStructs.handle(file), mode, offset, length);
          return 0;
        });
  }

  int flush(@Nullable Pointer path, Pointer file) {
    return run(
        "flush",
        caller -> {
          calls.flush(caller, NativeStructs.handle(file), NativeStructs.lockOwner(file));
          return 0;
        });
  }

  int release(@Nullable Pointer path, Pointer file) {
    return run(
        "release",
        caller -> {
          calls.close(caller, NativeStructs.handle(file), NativeStructs.flags(file));
          return 0;
        });
  }

  int releasedir(@Nullable Pointer path, Pointer file) {
    return run(
        "releasedir",
        caller -> {
          calls.closeDirectory(caller, NativeStructs.handle(file));
          return 0;
        });
  }

  /**
   * Hands rows to libfuse until it has no room, or the directory ends. A row that it does not take
   * is asked for again, by its offset.
   */
  int readdir(@Nullable Pointer path, Pointer rows, Pointer filler, long offset, Pointer file) {
    return run(
        "readdir",
        caller -> {
          FileHandle fh = NativeStructs.handle(file);
          Listing listing = new Listing(rows, filler);
          long next = offset;
          boolean hasRoom = true;
          while (hasRoom) {
            ByteBuffer more = calls.readDirectory(caller, fh, next, LISTING_BYTES);
            if (!more.hasRemaining()) {
              return 0;
            }
            while (hasRoom && more.hasRemaining()) {
              next = more.getLong(more.position() + Dirent.OFF);
              hasRoom = listing.add(more);
            }
          }
          return 0;
        });
  }

  /** libfuse's buffer for rows of a directory. */
  private static final class Listing {
    private final Pointer rows;
    private final Callbacks.Filler filler;
    private final Pointer name =
        Runtime.getSystemRuntime().getMemoryManager().allocateDirect(LONGEST_NAME + 1);
    private final Pointer stat =
        Runtime.getSystemRuntime().getMemoryManager().allocateDirect(NativeStructs.statBytes());

    Listing(Pointer rows, Pointer filler) {
      this.rows = rows;
      ClosureHelper helper = ClosureHelper.getInstance();
      this.filler =
          helper
              .getNativeConveter(Callbacks.Filler.class)
              .fromNative(filler, helper.getFromNativeContext());
    }

    /** Passes on the row at the buffer's position, and moves behind it; false if it is full. */
    boolean add(ByteBuffer from) {
      int at = from.position();
      byte[] text = new byte[from.getInt(at + Dirent.NAMELEN)];
      from.get(at + Dirent.NAME, text);
      name.put(0, text, 0, text.length);
      name.putByte(text.length, (byte) 0);
      NativeStructs.putRow(
          stat, new InodeNo(from.getLong(at + Dirent.INO)), from.getInt(at + Dirent.TYPE));
      boolean taken = filler.add(rows, name, stat, from.getLong(at + Dirent.OFF)) == 0;
      int length = Dirent.SIZE + text.length;
      from.position(Math.min(from.limit(), at + ((length + Long.BYTES - 1) & -Long.BYTES)));
      return taken;
    }
  }

  // Locks.

  int lock(@Nullable Pointer path, Pointer file, int command, Pointer flock) {
    return run(
        "lock",
        caller -> {
          FileHandle fh = NativeStructs.handle(file);
          FuseLock lock = NativeStructs.lock(flock);
          if (command == F_GETLK) {
            NativeStructs.putLock(
                flock, calls.getLock(caller, fh, NativeStructs.lockOwner(file), lock));
          } else {
            calls.setLock(caller, fh, NativeStructs.lockOwner(file), lock, command == F_SETLKW);
          }
          return 0;
        });
  }

  int flock(@Nullable Pointer path, Pointer file, int operation) {
    return run(
        "flock",
        caller -> {
          int type =
              switch (operation & ~LOCK_NB) {
                case LOCK_SH -> F_RDLCK;
                case LOCK_EX -> F_WRLCK;
                default -> F_UNLCK;
              };
          calls.setFlock(
              caller,
              NativeStructs.handle(file),
              NativeStructs.lockOwner(file),
              type,
              (operation & LOCK_NB) == 0 && type != F_UNLCK);
          return 0;
        });
  }

  private static byte[] bytes(@Nullable Pointer text) throws CallFailed {
    return NativeStructs.bytes(required(text));
  }

  private static Pointer required(@Nullable Pointer pointer) throws CallFailed {
    if (pointer == null) {
      throw new CallFailed(Errno.EFAULT);
    }
    return pointer;
  }

  private static byte[] copy(Pointer from, long size) throws CallFailed {
    if (size < 0 || size > PathCalls.MOST_BYTES) {
      throw new CallFailed(Errno.EINVAL);
    }
    byte[] bytes = new byte[(int) size];
    from.get(0, bytes, 0, bytes.length);
    return bytes;
  }

  private static int sizeOrData(Answer answer, @Nullable Pointer buffer) throws CallFailed {
    return switch (answer) {
      case Answer.Size(int bytes) -> bytes;
      case Answer.Data(byte[] bytes) -> {
        if (bytes.length > 0) {
          required(buffer).put(0, bytes, 0, bytes.length);
        }
        yield bytes.length;
      }
      case Answer.Failed _,
          Answer.Done _,
          Answer.Entry _,
          Answer.Attributes _,
          Answer.Opened _,
          Answer.Created _,
          Answer.Totals _,
          Answer.Rows _,
          Answer.Lock _ ->
          throw new CallFailed(Errno.EIO);
    };
  }
}
