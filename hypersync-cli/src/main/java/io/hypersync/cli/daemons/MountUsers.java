package io.hypersync.cli.daemons;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.worker.daemon.inotify.ShadowMain;
import io.hypersync.worker.fuse.dev.FileDevices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the processes that use a mount and so keep it from being unmounted. */
public final class MountUsers {
  private static final Path PROC = Path.of("/proc");
  private static final int SHOWN = 5;

  private MountUsers() {}

  /**
   * A process that uses a mount.
   *
   * @param pid in this process's pid namespace
   * @param command its name, from {@code comm}
   * @param how its use of the mount, such as {@code works in /ntmfs/ws/team/src}
   */
  public record User(long pid, String command, String how) {
    @Override
    public String toString() {
      return "process " + pid + " (" + command + ") " + how;
    }
  }

  /**
   * Returns the processes whose working directory, root, open files or memory maps are on a
   * filesystem, in any mount namespace. Devices are compared and not paths, because the same path
   * can be on another filesystem in another namespace. Nothing here asks the filesystem itself, so
   * it does not block on a dead mount.
   *
   * @param device of the filesystem, as in {@code mountinfo}: {@code 0:53}
   * @param own ids of processes that are left out, such as the mount's own worker
   */
  public static List<User> of(String device, Set<Long> own) {
    List<User> users = new ArrayList<>();
    for (Path process : list(PROC, "[0-9]*")) {
      long pid = Long.parseLong(process.getFileName().toString());
      if (!own.contains(pid)) {
        use(process, device)
            .filter(_ -> !isShadow(process)) // a helper process of the worker, which ends with it
            .ifPresent(how -> users.add(new User(pid, command(process), how)));
      }
    }
    return users;
  }

  /**
   * Refuses to take away a mount that processes use.
   *
   * @param own as in {@link #of}
   * @throws UserError if there are any; it names the first ones
   */
  public static void refuse(Path mount, Set<Long> own) {
    List<User> users = Mounts.device(mount).map(device -> of(device, own)).orElse(List.of());
    if (!users.isEmpty()) {
      throw new UserError(
          mount + " is in use by " + users.size() + (users.size() == 1 ? " process" : " processes"),
          users.stream().limit(SHOWN).map(User::toString).collect(Collectors.joining("\n"))
              + "\nEnd them, or use --force.");
    }
  }

  private static Optional<String> use(Path process, String device) {
    return target(process.resolve("cwd"), device)
        .map(path -> "works in " + path)
        .or(() -> target(process.resolve("root"), device).map(path -> "has its root in " + path))
        .or(
            () ->
                list(process.resolve("fd"), "*").stream()
                    .flatMap(fd -> target(fd, device).stream())
                    .findFirst()
                    .map(path -> "has open " + path))
        .or(() -> mapped(process, device).map(path -> "has mapped " + path));
  }

  private static Optional<Path> target(Path link, String device) {
    try {
      Path target = Files.readSymbolicLink(link);
      boolean isFile = target.isAbsolute() || target.startsWith("(unreachable)");
      return Optional.of(target)
          .filter(_ -> isFile && FileDevices.of(link).filter(device::equals).isPresent());
    } catch (IOException endedOrNotOurs) {
      return Optional.empty();
    }
  }

  /**
   * Returns a mapped file of the device. {@code maps} prints devices as two hexadecimal numbers.
   */
  private static Optional<String> mapped(Path process, String device) {
    int colon = device.indexOf(':');
    String listed =
        " %02x:%02x "
            .formatted(
                Integer.parseInt(device.substring(0, colon)),
                Integer.parseInt(device.substring(colon + 1)));
    try (Stream<String> maps = Files.lines(process.resolve("maps"), StandardCharsets.ISO_8859_1)) {
      return maps.filter(line -> line.contains(listed))
          .findFirst()
          .map(
              line -> {
                byte[] path =
                    line.substring(Math.max(line.indexOf('/'), 0))
                        .getBytes(StandardCharsets.ISO_8859_1);
                return new String(path, StandardCharsets.UTF_8);
              });
    } catch (IOException | UncheckedIOException endedOrNotOurs) {
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
