package io.hypersync.wire.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Says what went wrong with a file, for people: Java's own messages are often no more than a path,
 * or the name of a class.
 */
public final class FileProblems {
  private static final String AS_ROOT = "Run this as root (sudo).";
  private static final int ROOT = 0;

  private FileProblems() {}

  /** Half a sentence that names the file and says what is wrong, without any name of a class. */
  public static String describe(Exception failure) {
    return switch (failure) {
      case NoSuchFileException e -> named(e, "does not exist");
      case AccessDeniedException e -> named(e, "permission denied");
      case NotDirectoryException e -> named(e, "is not a folder");
      case FileAlreadyExistsException e -> named(e, "exists already");
      case DirectoryNotEmptyException e -> named(e, "is not empty");
      case NotLinkException e -> named(e, "is no symbolic link");
      case FileSystemLoopException e -> named(e, "symbolic links lead in a circle");
      case FileSystemException e -> named(e, reason(e.getReason()));
      case CharacterCodingException _ -> "what is in it is no text";
      case UncheckedIOException e -> describe(e.getCause());
      case DirectoryIteratorException e -> describe(e.getCause());
      default -> {
        String message = failure.getMessage();
        Throwable cause = failure.getCause();
        yield message != null && !message.isBlank()
            ? message
            : cause instanceof Exception deeper ? describe(deeper) : "no reason is given";
      }
    };
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

  private static String named(FileSystemException failure, String what) {
    String file = failure.getFile();
    String name = file == null ? "a file" : file.isEmpty() ? "this folder" : file;
    return what.startsWith("is ") || what.startsWith("does ") || what.startsWith("exists ")
        ? name + " " + what
        : name + ": " + what;
  }

  private static String reason(@Nullable String given) {
    return given == null || given.isBlank()
        ? "no reason is given"
        : given.substring(0, 1).toLowerCase(Locale.ROOT) + given.substring(1);
  }
}
