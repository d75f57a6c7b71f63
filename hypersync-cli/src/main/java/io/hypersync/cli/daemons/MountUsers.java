package io.hypersync.cli.daemons;

import io.hypersync.worker.daemon.inotify.ShadowMain;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Who works in a mount: the processes that keep it from being unmounted. */
public final class MountUsers {
  private static final Path PROC = Path.of("/proc");

  private MountUsers() {}

  /**
   * A process that uses a mount.
   *
   * @param how what it has there, such as {@code works in /ntmfs/ws/team/src}
   */
  public record User(long pid, String command, String how) {
    @Override
    public String toString() {
      return "process " + pid + " (" + command + ") " + how;
    }
  }

  /**
   * The processes whose working folder, root or open files are in a mount. Reads links in /proc
   * only, which does not touch the mount: it is safe for a dead one.
   */
  public static List<User> of(Path mount) {
    List<User> users = new ArrayList<>();
    for (Path process : list(PROC, "[0-9]*")) {
      use(process, mount)
          .filter(_ -> !isShadow(process)) // it is the worker's own, and ends with it
          .ifPresent(
              how ->
                  users.add(
                      new User(
                          Long.parseLong(process.getFileName().toString()),
                          command(process),
                          how)));
    }
    return users;
  }

  private static Optional<String> use(Path process, Path mount) {
    return target(process.resolve("cwd"), mount)
        .map(path -> "works in " + path)
        .or(() -> target(process.resolve("root"), mount).map(path -> "has its root in " + path))
        .or(
            () ->
                list(process.resolve("fd"), "*").stream()
                    .flatMap(fd -> target(fd, mount).stream())
                    .findFirst()
                    .map(path -> "has open " + path));
  }

  private static Optional<Path> target(Path link, Path mount) {
    try {
      return Optional.of(Files.readSymbolicLink(link)).filter(path -> path.startsWith(mount));
    } catch (IOException endedOrNotOurs) {
      return Optional.empty();
    }
  }

  private static boolean isShadow(Path process) {
    try {
      return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
          .contains(ShadowMain.class.getName());
    } catch (IOException ended) {
      return false;
    }
  }

  private static String command(Path process) {
    try {
      return Files.readString(process.resolve("comm")).strip();
    } catch (IOException ended) {
      return "?";
    }
  }

  private static List<Path> list(Path folder, String glob) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, glob)) {
      stream.forEach(found::add);
    } catch (IOException | DirectoryIteratorException endedOrNotOurs) {
      return found;
    }
    return found;
  }
}
