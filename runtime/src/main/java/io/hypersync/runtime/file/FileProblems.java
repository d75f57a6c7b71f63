package io.hypersync.runtime.file;

import io.hypersync.model.text.FileFailures;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Describes file errors for users, with a hint what to do. */
public final class FileProblems {
  private static final String AS_ROOT = "Run this as root (sudo).";
  private static final int ROOT = 0;

  private FileProblems() {}

  /** Half a sentence with the file's name and the problem, without Java class names. */
  public static String describe(Exception failure) {
    return FileFailures.describe(failure);
  }

  /**
   * What the user can do about it.
   *
   * @param otherwise the hint if permissions are not the cause, or the process is root already; may
   *     be empty
   */
  public static String hint(Exception failure, String otherwise) {
    return isDenied(failure) && !isRoot() ? AS_ROOT : otherwise;
  }

  /**
   * Whether it failed for lack of permission (EACCES, EPERM); looks at all causes. False for null.
   */
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

  /** Whether this process has user id 0; falls back to the user's name without /proc. */
  public static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid") instanceof Integer user
          && user == ROOT;
    } catch (IOException | UnsupportedOperationException unknown) {
      return "root".equals(System.getProperty("user.name"));
    }
  }
}
