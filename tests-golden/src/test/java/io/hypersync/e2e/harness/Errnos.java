package io.hypersync.e2e.harness;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.util.Map;

/**
 * The errno of a failed call, which the JDK reports by exception class or by the text of
 * strerror(3).
 */
public final class Errnos {
  /** The outcome of a call that succeeds. */
  public static final String NONE = "OK";

  private static final Map<String, String> TEXTS =
      Map.ofEntries(
          Map.entry("Operation not permitted", "EPERM"),
          Map.entry("Input/output error", "EIO"),
          Map.entry("Resource temporarily unavailable", "EAGAIN"),
          Map.entry("Not a directory", "ENOTDIR"),
          Map.entry("Is a directory", "EISDIR"),
          Map.entry("Invalid argument", "EINVAL"),
          Map.entry("File too large", "EFBIG"),
          Map.entry("No space left on device", "ENOSPC"),
          Map.entry("Read-only file system", "EROFS"),
          Map.entry("No such device", "ENODEV"),
          Map.entry("File name too long", "ENAMETOOLONG"),
          Map.entry("Directory not empty", "ENOTEMPTY"),
          Map.entry("File exists", "EEXIST"),
          Map.entry("No such file or directory", "ENOENT"),
          Map.entry("Too many levels of symbolic links", "ELOOP"),
          Map.entry("No data available", "ENODATA"),
          Map.entry("Argument list too long", "E2BIG"),
          Map.entry("Operation not supported", "ENOTSUP"),
          Map.entry("Transport endpoint is not connected", "ENOTCONN"),
          Map.entry("Software caused connection abort", "ECONNABORTED"),
          Map.entry("Stale file handle", "ESTALE"));

  private Errnos() {}

  /** A call to the filesystem. */
  @FunctionalInterface
  public interface Call {
    void run() throws IOException, InterruptedException;
  }

  /** The outcome of a call: the name of an errno, or {@link #NONE}. */
  public static String of(Call call) throws InterruptedException {
    try {
      call.run();
      return NONE;
    } catch (IOException failure) {
      return of(failure);
    }
  }

  /** The name of the errno behind an exception. */
  public static String of(IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ -> "ENOENT";
      case FileAlreadyExistsException _ -> "EEXIST";
      case DirectoryNotEmptyException _ -> "ENOTEMPTY";
      case AccessDeniedException _ -> "EACCES";
      case FileSystemLoopException _ -> "ELOOP";
      case FileSystemException known ->
          known.getReason() == null ? "unknown: " + known : inText(known.getReason());
      default -> inText(String.valueOf(failure.getMessage()));
    };
  }

  /** The errno in the error message of a program, such as coreutils' {@code ln: x: File exists}. */
  public static String inText(String text) {
    return TEXTS.entrySet().stream()
        .filter(entry -> text.contains(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("unknown: " + text.strip());
  }
}
