package io.hypersync.worker.fuse.jnr;

import java.util.ArrayList;
import java.util.List;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import jnr.ffi.Struct;
import ru.serce.jnrfuse.struct.FuseOperations;

/**
 * {@code struct fuse_operations} with all that is served, and with the functions in it: native code
 * may call them as long as this object is reachable.
 *
 * <p>Not in it, so that the kernel does without: {@code access} (it checks modes itself), {@code
 * ioctl}, {@code poll}, {@code bmap}, and {@code read_buf} and {@code write_buf}.
 */
final class OperationTable {
  private static final Runtime RUNTIME = Runtime.getSystemRuntime();

  /** Operations on open files get no path, and are called for files without a name, too. */
  private static final int NULL_PATH_OK = 1;

  private static final int NO_PATH = 1 << 1;

  /** {@code utimens} knows UTIME_OMIT and UTIME_NOW. */
  private static final int UTIME_OMIT_OK = 1 << 2;

  private final FuseOperations layout = new FuseOperations(RUNTIME);
  private final Pointer table =
      RUNTIME.getMemoryManager().allocateDirect(Struct.size(layout), true);
  private final List<Object> reachable = new ArrayList<>();

  OperationTable(NativeCalls calls) {
    put(layout.getattr.offset(), Callbacks.OfTwo.class, calls::getattr);
    put(layout.readlink.offset(), Callbacks.OfBuffer.class, calls::readlink);
    put(layout.mknod.offset(), Callbacks.OfDevice.class, calls::mknod);
    put(layout.mkdir.offset(), Callbacks.OfMode.class, calls::mkdir);
    put(layout.unlink.offset(), Callbacks.OfPath.class, calls::unlink);
    put(layout.rmdir.offset(), Callbacks.OfPath.class, calls::rmdir);
    put(layout.symlink.offset(), Callbacks.OfTwo.class, calls::symlink);
    put(layout.rename.offset(), Callbacks.OfTwo.class, calls::rename);
    put(layout.link.offset(), Callbacks.OfTwo.class, calls::link);
    put(layout.chmod.offset(), Callbacks.OfMode.class, calls::chmod);
    put(layout.chown.offset(), Callbacks.OfOwner.class, calls::chown);
    put(layout.truncate.offset(), Callbacks.OfSize.class, calls::truncate);
    put(layout.open.offset(), Callbacks.OfTwo.class, calls::open);
    put(layout.read.offset(), Callbacks.OfTransfer.class, calls::read);
    put(layout.write.offset(), Callbacks.OfTransfer.class, calls::write);
    put(layout.statfs.offset(), Callbacks.OfTwo.class, calls::statfs);
    put(layout.flush.offset(), Callbacks.OfTwo.class, calls::flush);
    put(layout.release.offset(), Callbacks.OfTwo.class, calls::release);
    put(layout.fsync.offset(), Callbacks.OfFlagAndFile.class, calls::fsync);
    put(layout.setxattr.offset(), Callbacks.OfNewValue.class, calls::setxattr);
    put(layout.getxattr.offset(), Callbacks.OfValue.class, calls::getxattr);
    put(layout.listxattr.offset(), Callbacks.OfBuffer.class, calls::listxattr);
    put(layout.removexattr.offset(), Callbacks.OfTwo.class, calls::removexattr);
    put(layout.opendir.offset(), Callbacks.OfTwo.class, calls::opendir);
    put(layout.readdir.offset(), Callbacks.OfListing.class, calls::readdir);
    put(layout.releasedir.offset(), Callbacks.OfTwo.class, calls::releasedir);
    put(layout.fsyncdir.offset(), Callbacks.OfFlagAndFile.class, calls::fsyncdir);
    put(layout.create.offset(), Callbacks.OfFlagAndFile.class, calls::create);
    put(layout.ftruncate.offset(), Callbacks.OfSizeAndFile.class, calls::ftruncate);
    put(layout.fgetattr.offset(), Callbacks.OfStatAndFile.class, calls::fgetattr);
    put(layout.lock.offset(), Callbacks.OfLock.class, calls::lock);
    put(layout.utimens.offset(), Callbacks.OfTwo.class, calls::utimens);
    put(layout.flock.offset(), Callbacks.OfFlock.class, calls::flock);
    put(layout.fallocate.offset(), Callbacks.OfRange.class, calls::fallocate);
    // The flags are the word behind bmap; jnr-fuse leaves it out.
    table.putInt(layout.bmap.offset() + Long.BYTES, NULL_PATH_OK | NO_PATH | UTIME_OMIT_OK);
  }

  Pointer table() {
    return table;
  }

  int bytes() {
    return Struct.size(layout);
  }

  private <T> void put(long offset, Class<T> signature, T call) {
    Pointer function = RUNTIME.getClosureManager().getClosurePointer(signature, call);
    reachable.add(call);
    reachable.add(function);
    table.putPointer(offset, function);
  }
}
