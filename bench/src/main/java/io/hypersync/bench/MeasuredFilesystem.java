package io.hypersync.bench;

import java.nio.file.Path;
import java.util.Map;

/**
 * A directory in which operations are measured.
 *
 * @param kind the kind of filesystem
 * @param root a directory there, for this purpose only
 * @param daemons the processes that serve it, their ids by name; empty if they are not known, or
 *     the kernel does it alone
 */
record MeasuredFilesystem(Kind kind, Path root, Map<String, Long> daemons) {
  /** One whose daemons are not known. */
  MeasuredFilesystem(Kind kind, Path root) {
    this(kind, root, Map.of());
  }

  /** The same, served by these processes. */
  MeasuredFilesystem servedBy(Map<String, Long> processes) {
    return new MeasuredFilesystem(kind, root, processes);
  }

  /** Kinds of filesystems, by what makes an operation durable there. */
  enum Kind {
    /** A HyperSync mount: a mutating call returns when it is durable (hypersync.md 6.3). */
    HYPERSYNC("hypersync", false),
    /** A mount of the same workspace in the leader's process. */
    MAIN_HOST("main-host", false),
    /** The leader's disk itself: fsync of the file, and of the directory if a name has changed. */
    PLAIN("plain", true),
    /** The leader's disk without any fsync: nothing is durable. */
    UNSYNCED("unsynced", false),
    /** An ext4 in a file of the leader's disk, mounted {@code sync,dirsync}: no fsync is needed. */
    DIRSYNC("dirsync", false),
    /**
     * The leader's disk through bindfs, a libfuse passthrough, with fsync, which it forwards for
     * files and not for directories.
     */
    BINDFS("bindfs", true),
    /** A mount of the same workspace through libfuse 2 ({@code fuse_backend = "jnr"}). */
    JNR("jnr", false),
    /** A networked filesystem that a script has set up on this machine, with fsync. */
    PEER("peer", true);

    private final String label;

    private final boolean needsSync;

    Kind(String label, boolean needsSync) {
      this.label = label;
      this.needsSync = needsSync;
    }

    /**
     * Whether an operation is measured there. Operations of the machine only are measured on the
     * disk. Reading is not measured on the unsynced and dirsync places, because it is the same on
     * every ext4.
     */
    boolean has(Operation operation) {
      if (operation.isOfMachineOnly()) {
        return this == PLAIN;
      }
      return operation.changesSomething() || (this != UNSYNCED && this != DIRSYNC);
    }

    /** Whether it is a mount of the workspace that is measured, with a daemon of its own. */
    boolean isOurs() {
      return this == HYPERSYNC || this == MAIN_HOST || this == JNR;
    }

    /** Returns the name in options and texts. */
    String label() {
      return label;
    }

    /** Returns the name in JSON. */
    String key() {
      return label.replace('-', '_');
    }
  }

  /** Whether an operation is durable only after fsync. */
  boolean needsSync() {
    return kind.needsSync;
  }
}
