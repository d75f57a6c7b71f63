package io.hypersync.worker.fuse.abi;

/** Notifications that this daemon sends; the code is in the field where a reply has its errno. */
public enum NotifyCode {
  /** Drop the attributes of a node, and a range of its pages. */
  INVAL_INODE(2),
  /** Drop a name of a directory. */
  INVAL_ENTRY(3),
  /** Store bytes in the pages of a node, which becomes long enough to contain them. */
  STORE(4),
  /** Send again what was read and is not answered; since FUSE 7.40. */
  RESEND(7),
  /** Look up every name again before it is used; since FUSE 7.44. */
  INC_EPOCH(8),
  /** Drop nodes that are not in use; since FUSE 7.45. */
  PRUNE(9);

  private final int code;

  NotifyCode(int code) {
    this.code = code;
  }

  /** The number in {@code fuse_out_header.error}; positive, unlike an error. */
  public int code() {
    return code;
  }
}
