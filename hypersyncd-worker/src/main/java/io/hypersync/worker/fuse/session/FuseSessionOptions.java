package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.abi.InitFlag;
import java.util.EnumSet;
import java.util.Set;

/**
 * Settings of a session with the kernel.
 *
 * @param readers threads that read requests, each through its own descriptor, 1 to 64
 * @param maxWriteBytes largest WRITE, a multiple of 4,096 up to 1 MiB; READ has the same limit, or
 *     one page more where the kernel allows that
 * @param maxBackground most requests in flight that no caller waits for (readahead, asynchronous
 *     direct I/O), 1 to 65,535
 * @param congestionThreshold number of these requests at which the kernel throttles, 1 to {@code
 *     maxBackground}
 * @param flags the flags to accept if the kernel offers them, from {@link #SUPPORTED}
 */
public record FuseSessionOptions(
    int readers,
    int maxWriteBytes,
    int maxBackground,
    int congestionThreshold,
    Set<InitFlag> flags) {
  /** The kernel's page size in bytes. */
  static final int PAGE_BYTES = 4096;

  /**
   * The flags that may be accepted. Missing on purpose: WRITEBACK_CACHE and DIRECT_IO_ALLOW_MMAP,
   * which would acknowledge writes that the leader has not ordered (hypersync.md 6.3.2);
   * NO_OPEN_SUPPORT, which would hide who has a file open; and flags that add parts to requests
   * which are not decoded.
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
              InitFlag.SETXATTR_EXT,
              InitFlag.HAS_RESEND));

  private static final int MAX_READERS = 64;
  private static final int MAX_WRITE_BYTES = 1 << 20;
  private static final int MAX_BACKGROUND = 0xffff;

  /** Checks the ranges. */
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
   * The defaults. With AUTO_INVAL_DATA the kernel drops a file's pages when its size or mtime has
   * changed, which the coherence of attributes relies on. Without DONT_MASK the kernel applies the
   * umask. Without ATOMIC_O_TRUNC, O_TRUNC arrives as a SETATTR after the OPEN: with it, the kernel
   * would set its cached size to 0 when the caller of open runs again, whatever the file has become
   * in the meantime.
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
            InitFlag.HANDLE_KILLPRIV_V2,
            InitFlag.HAS_RESEND));
  }

  /** A copy with another number of readers. */
  public FuseSessionOptions withReaders(int count) {
    return new FuseSessionOptions(count, maxWriteBytes, maxBackground, congestionThreshold, flags);
  }

  /** A copy with other flags. */
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
