package io.hypersync.model.op;

/** What setxattr(2) does if the attribute exists or does not: its flags. */
public enum XattrMode {
  /** Create or replace. */
  SET,
  /** XATTR_CREATE: EEXIST if the attribute exists. */
  CREATE,
  /** XATTR_REPLACE: ENODATA if the attribute does not exist. */
  REPLACE
}
