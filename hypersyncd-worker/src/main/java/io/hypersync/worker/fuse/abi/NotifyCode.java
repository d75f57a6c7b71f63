package io.hypersync.worker.fuse.abi;

/** The notifications that this daemon sends; the code travels where a reply has its errno. */
public enum NotifyCode {
  /** Drop the attributes of a node, and a range of its pages. */
  INVAL_INODE(2),
  /** Drop a name of a directory. */
  INVAL_ENTRY(3),
  /** Put bytes into the pages of a node, which becomes as long as that needs. */
  STORE(4),
  /** Let go of nodes that nobody uses; since FUSE 7.45. */
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
