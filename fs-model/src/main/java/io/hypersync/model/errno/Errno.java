package io.hypersync.model.errno;

/** The Linux error numbers that HyperSync uses, with the kernel's codes on x86-64. */
public enum Errno {
  EPERM(1, "operation not permitted"),
  ENOENT(2, "no such file or directory"),
  EINTR(4, "interrupted system call"),
  EIO(5, "input/output error"),
  E2BIG(7, "argument list too long"),
  EBADF(9, "bad file descriptor"),
  EAGAIN(11, "try again"),
  ENOMEM(12, "out of memory"),
  EACCES(13, "permission denied"),
  EFAULT(14, "bad address"),
  EBUSY(16, "device or resource busy"),
  EEXIST(17, "file exists"),
  EXDEV(18, "cross-device link"),
  ENXIO(6, "no such device or address"),
  ENODEV(19, "no such device"),
  ENOTDIR(20, "not a directory"),
  EISDIR(21, "is a directory"),
  EINVAL(22, "invalid argument"),
  ENFILE(23, "too many open files in system"),
  EMFILE(24, "too many open files"),
  ENOTTY(25, "inappropriate ioctl"),
  ETXTBSY(26, "text file busy"),
  EFBIG(27, "file too large"),
  ENOSPC(28, "no space left on device"),
  ESPIPE(29, "illegal seek"),
  EROFS(30, "read-only file system"),
  EMLINK(31, "too many links"),
  EPIPE(32, "broken pipe"),
  ERANGE(34, "result out of range"),
  EDEADLK(35, "deadlock avoided"),
  ENAMETOOLONG(36, "file name too long"),
  ENOLCK(37, "no locks available"),
  ENOSYS(38, "function not implemented"),
  ENOTEMPTY(39, "directory not empty"),
  ELOOP(40, "too many levels of symbolic links"),
  ENODATA(61, "no such attribute"),
  EPROTO(71, "protocol error"),
  EOVERFLOW(75, "value too large"),
  ENOTSUP(95, "operation not supported"),
  ENOTCONN(107, "not connected"),
  ETIMEDOUT(110, "timed out"),
  ESTALE(116, "stale file handle"),
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
   * The constant with this kernel code.
   *
   * @param code the positive error number; one that has no constant here becomes {@link #EIO}
   */
  public static Errno of(int code) {
    Errno errno = code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    return errno != null ? errno : EIO;
  }

  /** The kernel's error number, positive. */
  public int code() {
    return code;
  }

  /** The meaning in English, in lower case. */
  public String message() {
    return message;
  }
}
