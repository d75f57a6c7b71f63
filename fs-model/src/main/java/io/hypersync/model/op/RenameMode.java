package io.hypersync.model.op;

/** The flags of renameat2. */
public enum RenameMode {
  /** POSIX rename: an existing target is replaced atomically. */
  REPLACE,
  /** RENAME_NOREPLACE. */
  NO_REPLACE,
  /** RENAME_EXCHANGE. */
  EXCHANGE
}
