package io.hypersync.wire.file;

import io.hypersync.model.text.FileFailures;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Says what went wrong with a file, for people, and what they can do about it. */
public final class FileProblems {
  private static final String AS_ROOT = "Run this as root (sudo).";
  private static final int ROOT = 0;

  private FileProblems() {}

  /** Half a sentence that names the file and says what is wrong, without any name of a class. */
  public static String describe(Exception failure) {
    return FileFailures.describe(failure);
  }

  /**
   * What to do about it.
   *
   * @param otherwise what to do if permissions are not the reason, or are not root's; may be empty
   */
  public static String hint(Exception failure, String otherwise) {
    return isDenied(failure) && !isRoot() ? AS_ROOT : otherwise;
  }

  /** Whether it failed because this user may not. */
  public static boolean isDenied(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof AccessDeniedException) {
        return true;
      }
      String said =
          cause instanceof FileSystemException e
              ? String.valueOf(e.getReason())
              : cause instanceof IOException ? String.valueOf(cause.getMessage()) : "";
      if (said.contains("Permission denied") || said.contains("Operation not permitted")) {
        return true;
      }
    }
    return false;
  }

  /** Whether this process is root's; if that cannot be found out, by the user's name. */
  public static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid") instanceof Integer user
          && user == ROOT;
    } catch (IOException | UnsupportedOperationException unknown) {
      return "root".equals(System.getProperty("user.name"));
    }
  }
}
