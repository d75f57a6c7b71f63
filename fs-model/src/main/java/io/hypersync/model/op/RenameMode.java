package io.hypersync.model.op;

/** What a rename does if the new name exists: the flags of renameat2(2). */
public enum RenameMode {
  /** POSIX rename: an existing target is replaced atomically. */
  REPLACE,
  /** RENAME_NOREPLACE: EEXIST if the target exists. */
  NO_REPLACE,
  /** RENAME_EXCHANGE: the two names are swapped; ENOENT if the target does not exist. */
  EXCHANGE
}
