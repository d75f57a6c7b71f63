package io.hypersync.worker.identity;

import org.jspecify.annotations.Nullable;

/**
 * The processes of this machine, and the files that say who they are.
 *
 * <p>Paths are strings of bytes: each character is a byte, from 0 to 255, since names of files are
 * bytes in any encoding.
 */
public interface ProcessTable {
  /** At most so many bytes of a file are read. */
  int MAX_FILE_BYTES = 4 << 10;

  /**
   * What the kernel says of a thread.
   *
   * @param process the id of its process (the leader of its thread group)
   * @param parent the id of the parent of that; 0 if it is not visible here
   * @param uid its effective user id
   */
  record Status(int process, int parent, int uid) {}

  /**
   * A plain file.
   *
   * @param owner its user id
   * @param mtimeS when it was written, in seconds since 1970
   * @param content its first {@link #MAX_FILE_BYTES} bytes; must not be changed
   */
  record PlainFile(int owner, long mtimeS, byte[] content) {}

  /** What becomes of a thread, from the moment at which it was looked at. */
  interface Watch {
    /**
     * Whether it is the same thread still, and its process has not called exec since, as far as
     * {@link #seesExec} goes. False after {@link #close}. Takes well below a microsecond; any
     * thread.
     */
    boolean isUnchanged();

    /** Whether {@link #isUnchanged} notices a call of exec. */
    boolean seesExec();

    /** Frees its descriptors. */
    void close();
  }

  /** What the kernel says of a thread or process; null if there is none, or it is not visible. */
  @Nullable Status status(int tid);

  /**
   * The environment that a process was started with, {@code NAME=value} each followed by a NUL.
   * Empty if it cannot be read; a very long one may be cut.
   */
  byte[] environment(int process);

  /** The working directory of a process; empty if it cannot be read. */
  String workingDirectory(int process);

  /** The plain file at a path; null if there is none. A symbolic link at its end is none. */
  @Nullable PlainFile file(String path);

  /** Begins to watch a thread; null if that is not possible. To be closed. */
  @Nullable Watch watch(int tid);
}
