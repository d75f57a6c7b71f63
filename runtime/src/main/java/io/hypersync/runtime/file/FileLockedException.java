package io.hypersync.runtime.file;

import java.io.Serial;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** Another process, or another thread of this one, does not let go of a file. */
public final class FileLockedException extends FileSystemException {
  @Serial private static final long serialVersionUID = 1L;

  FileLockedException(Path file) {
    super(file.toString(), null, "it is locked by another process");
  }
}
