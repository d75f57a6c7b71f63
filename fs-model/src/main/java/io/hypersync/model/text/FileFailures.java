package io.hypersync.model.text;

import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Turns exceptions about files into messages for users: the JDK's own messages are often only a
 * path or a class name. Uses only what the exception contains and does no I/O.
 */
public final class FileFailures {
  private static final String NO_SPACE = "No space left on device";
  private static final String NO_QUOTA = "Disk quota exceeded";

  private FileFailures() {}

  /** Whether a message contains the kernel's text for ENOSPC or EDQUOT. */
  public static boolean saysOutOfSpace(String message) {
    return message.contains(NO_SPACE) || message.contains(NO_QUOTA);
  }

  /** A clause that names the file and the problem, without a Java class name. */
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
