package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.abi.InitFlag;
import java.util.EnumSet;
import java.util.Set;

/**
 * How to talk with the kernel.
 *
 * @param readers threads that read requests, each through its own descriptor, 1 to 64
 * @param maxWriteBytes largest WRITE, a multiple of 4,096 up to 1 MiB; READ is limited likewise, or
 *     has a page more where the kernel allows that
 * @param maxBackground requests without a waiting caller (readahead, asynchronous direct I/O) that
 *     may be in flight, 1 to 65,535
 * @param congestionThreshold from how many of them on the kernel holds back, 1 to {@code
 *     maxBackground}
 * @param flags what to agree on where the kernel offers it, of {@link #SUPPORTED}
 */
public record FuseSessionOptions(
    int readers,
    int maxWriteBytes,
    int maxBackground,
    int congestionThreshold,
    Set<InitFlag> flags) {
  /** Bytes of a page of the kernel. */
  static final int PAGE_BYTES = 4096;

  /**
   * The flags that may be asked for. Missing on purpose: WRITEBACK_CACHE and DIRECT_IO_ALLOW_MMAP,
   * which would acknowledge writes that nobody ordered (hypersync.md 6.3.2); NO_OPEN_SUPPORT, which
   * would hide who has a file open; those that add parts to requests which are not decoded.
   */
  public static final Set<InitFlag> SUPPORTED =
      Set.copyOf(
          EnumSet.of(
              InitFlag.ASYNC_READ,
              InitFlag.POSIX_LOCKS,
              InitFlag.ATOMIC_O_TRUNC,
              InitFlag.BIG_WRITES,
              InitFlag.DONT_MASK,
              InitFlag.FLOCK_LOCKS,
              InitFlag.AUTO_INVAL_DATA,
              InitFlag.DO_READDIRPLUS,
              InitFlag.READDIRPLUS_AUTO,
              InitFlag.ASYNC_DIO,
              InitFlag.PARALLEL_DIROPS,
              InitFlag.MAX_PAGES,
              InitFlag.CACHE_SYMLINKS,
              InitFlag.EXPLICIT_INVAL_DATA,
              InitFlag.HANDLE_KILLPRIV_V2,
              InitFlag.SETXATTR_EXT));

  private static final int MAX_READERS = 64;
  private static final int MAX_WRITE_BYTES = 1 << 20;
  private static final int MAX_BACKGROUND = 0xffff;

  /** Checks the ranges and keeps a copy of the flags. */
  public FuseSessionOptions {
    flags = Set.copyOf(flags);
    check(readers >= 1 && readers <= MAX_READERS, "readers " + readers);
    check(
        maxWriteBytes >= PAGE_BYTES
            && maxWriteBytes <= MAX_WRITE_BYTES
            && maxWriteBytes % PAGE_BYTES == 0,
        "maxWriteBytes " + maxWriteBytes);
    check(maxBackground >= 1 && maxBackground <= MAX_BACKGROUND, "maxBackground " + maxBackground);
    check(
        congestionThreshold >= 1 && congestionThreshold <= maxBackground,
        "congestionThreshold " + congestionThreshold);
    EnumSet<InitFlag> unsupported = EnumSet.noneOf(InitFlag.class);
    unsupported.addAll(flags);
    unsupported.removeAll(SUPPORTED);
    check(unsupported.isEmpty(), "flags that must not be agreed on: " + unsupported);
  }

  /**
   * Pages are dropped by the kernel when size or mtime have changed (AUTO_INVAL_DATA), which the
   * coherence of attributes rests on; the umask is the kernel's business. Without ATOMIC_O_TRUNC:
   * it would have the kernel set the size to 0 when the caller of open runs again, whatever the
   * file has become meanwhile; so O_TRUNC comes as a SETATTR after the OPEN.
   */
  public static FuseSessionOptions defaults() {
    return new FuseSessionOptions(
        4,
        MAX_WRITE_BYTES,
        64,
        48,
        EnumSet.of(
            InitFlag.ASYNC_READ,
            InitFlag.POSIX_LOCKS,
            InitFlag.FLOCK_LOCKS,
            InitFlag.BIG_WRITES,
            InitFlag.AUTO_INVAL_DATA,
            InitFlag.DO_READDIRPLUS,
            InitFlag.READDIRPLUS_AUTO,
            InitFlag.ASYNC_DIO,
            InitFlag.PARALLEL_DIROPS,
            InitFlag.MAX_PAGES,
            InitFlag.CACHE_SYMLINKS,
            InitFlag.HANDLE_KILLPRIV_V2));
  }

  /** The same with another count of readers. */
  public FuseSessionOptions withReaders(int count) {
    return new FuseSessionOptions(count, maxWriteBytes, maxBackground, congestionThreshold, flags);
  }

  /** The same with other flags. */
  public FuseSessionOptions withFlags(Set<InitFlag> wanted) {
    return new FuseSessionOptions(
        readers, maxWriteBytes, maxBackground, congestionThreshold, wanted);
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what);
    }
  }
}
