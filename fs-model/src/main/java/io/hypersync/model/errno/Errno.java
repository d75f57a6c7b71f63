package io.hypersync.model.errno;

/** Every Linux error number that HyperSync answers with; the codes are the kernel's on x86-64. */
public enum Errno {
  /** Operation not permitted. */
  EPERM(1, "operation not permitted"),
  /** No such file or directory. */
  ENOENT(2, "no such file or directory"),
  /** Interrupted system call. */
  EINTR(4, "interrupted system call"),
  /** Input/output error. */
  EIO(5, "input/output error"),
  /** Argument list too long. */
  E2BIG(7, "argument list too long"),
  /** Bad file descriptor. */
  EBADF(9, "bad file descriptor"),
  /** Try again. */
  EAGAIN(11, "try again"),
  /** Out of memory. */
  ENOMEM(12, "out of memory"),
  /** Permission denied. */
  EACCES(13, "permission denied"),
  /** Bad address. */
  EFAULT(14, "bad address"),
  /** Device or resource busy. */
  EBUSY(16, "device or resource busy"),
  /** File exists. */
  EEXIST(17, "file exists"),
  /** Cross-device link. */
  EXDEV(18, "cross-device link"),
  /** No such device or address. */
  ENXIO(6, "no such device or address"),
  /** No such device. */
  ENODEV(19, "no such device"),
  /** Not a directory. */
  ENOTDIR(20, "not a directory"),
  /** Is a directory. */
  EISDIR(21, "is a directory"),
  /** Invalid argument. */
  EINVAL(22, "invalid argument"),
  /** Too many open files in system. */
  ENFILE(23, "too many open files in system"),
  /** Too many open files. */
  EMFILE(24, "too many open files"),
  /** Inappropriate ioctl. */
  ENOTTY(25, "inappropriate ioctl"),
  /** Text file busy. */
  ETXTBSY(26, "text file busy"),
  /** File too large. */
  EFBIG(27, "file too large"),
  /** No space left on device. */
  ENOSPC(28, "no space left on device"),
  /** Illegal seek. */
  ESPIPE(29, "illegal seek"),
  /** Read-only file system. */
  EROFS(30, "read-only file system"),
  /** Too many links. */
  EMLINK(31, "too many links"),
  /** Broken pipe. */
  EPIPE(32, "broken pipe"),
  /** Result out of range. */
  ERANGE(34, "result out of range"),
  /** Deadlock avoided. */
  EDEADLK(35, "deadlock avoided"),
  /** File name too long. */
  ENAMETOOLONG(36, "file name too long"),
  /** No locks available. */
  ENOLCK(37, "no locks available"),
  /** Function not implemented. */
  ENOSYS(38, "function not implemented"),
  /** Directory not empty. */
  ENOTEMPTY(39, "directory not empty"),
  /** Too many levels of symbolic links. */
  ELOOP(40, "too many levels of symbolic links"),
  /** No such attribute. */
  ENODATA(61, "no such attribute"),
  /** Protocol error. */
  EPROTO(71, "protocol error"),
  /** Value too large. */
  EOVERFLOW(75, "value too large"),
  /** Operation not supported. */
  ENOTSUP(95, "operation not supported"),
  /** Not connected. */
  ENOTCONN(107, "not connected"),
  /** Timed out. */
  ETIMEDOUT(110, "timed out"),
  /** Stale file handle. */
  ESTALE(116, "stale file handle"),
  /** Quota exceeded. */
  EDQUOT(122, "quota exceeded");

  private static final Errno[] BY_CODE = new Errno[128];

  static {
    for (Errno errno : values()) {
      BY_CODE[errno.code] = errno;
    }
  }

  private final int code;
  private final String message;

  Errno(int code, String message) {
    this.code = code;
    this.message = message;
  }

  /**
   * The constant for a kernel code.
   *
   * @param code positive; a code that is not listed here becomes {@link #EIO}
   */
  public static Errno of(int code) {
    Errno errno = code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    return errno != null ? errno : EIO;
  }

  /** The kernel's positive number. */
  public int code() {
    return code;
  }

  /** What it means, in words. */
  public String message() {
    return message;
  }
}
