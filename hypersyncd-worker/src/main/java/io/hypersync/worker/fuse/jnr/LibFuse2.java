package io.hypersync.worker.fuse.jnr;

import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.byref.IntByReference;
import jnr.ffi.byref.PointerByReference;
import jnr.ffi.types.size_t;
import org.jspecify.annotations.Nullable;

/**
 * The functions of libfuse 2.9 that are called here, as in its {@code fuse.h}. jnr-fuse itself
 * calls only {@code fuse_main}, whose threads are as many as there are calls.
 */
@SuppressWarnings("MemberName") // the names that the library exports
public interface LibFuse2 {
  /** The library's name; Debian's package libfuse2 has it. */
  String NAME = "libfuse.so.2";

  /**
   * Loads the library.
   *
   * @throws UnsatisfiedLinkError if this machine does not have it
   */
  static LibFuse2 load() {
    return LibraryLoader.create(LibFuse2.class).failImmediately().load(NAME);
  }

  /**
   * Mounts, and returns the session; null if that fails, after a line on standard error.
   *
   * @param operations {@code struct fuse_operations}
   * @param operationsBytes its size
   * @param mountPoint is set to what {@link #fuse_teardown} needs
   */
  @Nullable Pointer fuse_setup(
      int count,
      String[] arguments,
      Pointer operations,
      @size_t long operationsBytes,
      PointerByReference mountPoint,
      IntByReference multithreaded,
      @Nullable Pointer userData);

  /**
   * Reads calls and answers them, one after the other, until the mount is gone. Any number of
   * threads may do that at once.
   */
  int fuse_loop(Pointer fuse);

  /**
   * Takes a mount away: through {@code fusermount}, if the user is not root.
   *
   * @param channel null for a mount that others may use still
   */
  void fuse_unmount(String mountPoint, @Nullable Pointer channel);

  /** Frees the session, once no thread is in {@link #fuse_loop} any more. */
  void fuse_teardown(Pointer fuse, @Nullable Pointer mountPoint);

  /** Who makes the call that the current thread answers: {@code struct fuse_context}. */
  Pointer fuse_get_context();

  /** Whether the caller of that call has received a signal; not 0 if so. */
  int fuse_interrupted();
}
