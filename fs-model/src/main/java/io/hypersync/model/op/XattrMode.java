package io.hypersync.model.op;

/** The flags of setxattr. */
public enum XattrMode {
  /** Create or replace. */
  SET,
  /** XATTR_CREATE: EEXIST if it is there. */
  CREATE,
  /** XATTR_REPLACE: ENODATA if it is not. */
  REPLACE
}
