package io.hypersync.worker.fuse.jnr;

import jnr.ffi.Pointer;
import jnr.ffi.annotations.Delegate;
import org.jspecify.annotations.Nullable;

/**
 * The signatures in {@code struct fuse_operations}. Those of jnr-fuse take paths as text, which
 * loses names that are not UTF-8, and lack an argument of {@code fsyncdir}; these take pointers.
 *
 * <p>The first argument is the path, null where the operation has an open file. A result below 0 is
 * a negated errno. They are public because jnr-ffi implements them in a package of its own.
 */
public final class Callbacks {
  private Callbacks() {}

  /** {@code (path)}. */
  @FunctionalInterface
  public interface OfPath {
    @Delegate
    int call(Pointer path);
  }

  /** {@code (path, mode)}. */
  @FunctionalInterface
  public interface OfMode {
    @Delegate
    int call(Pointer path, int mode);
  }

  /** {@code (path, mode, device)}. */
  @FunctionalInterface
  public interface OfDevice {
    @Delegate
    int call(Pointer path, int mode, long device);
  }

  /** {@code (path, struct or second path)}. */
  @FunctionalInterface
  public interface OfTwo {
    @Delegate
    int call(@Nullable Pointer path, Pointer other);
  }

  /** {@code (path, buffer, size)}. */
  @FunctionalInterface
  public interface OfBuffer {
    @Delegate
    int call(Pointer path, @Nullable Pointer buffer, long size);
  }

  /** {@code (path, size)}. */
  @FunctionalInterface
  public interface OfSize {
    @Delegate
    int call(Pointer path, long size);
  }

  /** {@code (path, uid, gid)}. */
  @FunctionalInterface
  public interface OfOwner {
    @Delegate
    int call(Pointer path, int uid, int gid);
  }

  /** {@code (path, buffer, size, offset, file)}. */
  @FunctionalInterface
  public interface OfTransfer {
    @Delegate
    int call(@Nullable Pointer path, Pointer buffer, long size, long offset, Pointer file);
  }

  /** {@code (path, mode or flag, file)}. */
  @FunctionalInterface
  public interface OfFlagAndFile {
    @Delegate
    int call(@Nullable Pointer path, int flag, Pointer file);
  }

  /** {@code (path, name, value, size, flags)}. */
  @FunctionalInterface
  public interface OfNewValue {
    @Delegate
    int call(Pointer path, Pointer name, @Nullable Pointer value, long size, int flags);
  }

  /** {@code (path, name, buffer, size)}. */
  @FunctionalInterface
  public interface OfValue {
    @Delegate
    int call(Pointer path, Pointer name, @Nullable Pointer buffer, long size);
  }

  /** {@code (path, rows, filler, offset, file)}. */
  @FunctionalInterface
  public interface OfListing {
    @Delegate
    int call(@Nullable Pointer path, Pointer rows, Pointer filler, long offset, Pointer file);
  }

  /** {@code (path, size, file)}. */
  @FunctionalInterface
  public interface OfSizeAndFile {
    @Delegate
    int call(@Nullable Pointer path, long size, Pointer file);
  }

  /** {@code (path, struct stat, file)}. */
  @FunctionalInterface
  public interface OfStatAndFile {
    @Delegate
    int call(@Nullable Pointer path, Pointer stat, Pointer file);
  }

  /** {@code (path, file, command, struct flock)}. */
  @FunctionalInterface
  public interface OfLock {
    @Delegate
    int call(@Nullable Pointer path, Pointer file, int command, Pointer lock);
  }

  /** {@code (path, file, operation)}. */
  @FunctionalInterface
  public interface OfFlock {
    @Delegate
    int call(@Nullable Pointer path, Pointer file, int operation);
  }

  /** {@code (path, mode, offset, length, file)}. */
  @FunctionalInterface
  public interface OfRange {
    @Delegate
    int call(@Nullable Pointer path, int mode, long offset, long length, Pointer file);
  }

  /** libfuse's own {@code fuse_fill_dir_t (rows, name, struct stat, offset)}; 1 when full. */
  @FunctionalInterface
  public interface Filler {
    @Delegate
    int add(Pointer rows, Pointer name, Pointer stat, long offset);
  }
}
