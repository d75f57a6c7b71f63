package io.hypersync.leader.daemon;

import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code home} in the leader's state directory: on which machine and under which path it
 * is led. A copy has it, too, and so is known as one.
 *
 * <pre>
 * hypersync-home: 1
 * machine: 32 hexadecimal digits       of /etc/machine-id; empty on a machine without
 * path: /srv/team/state
 * </pre>
 */
public final class HomeFile {
  private static final Logger LOG = LoggerFactory.getLogger(HomeFile.class);
  private static final String NAME = "home";
  private static final Path MACHINE = Path.of("/etc/machine-id");
  private static final int MAX_BYTES = 8 << 10;

  private HomeFile() {}

  /**
   * Checks that a state directory is at home; of one that was never led, this makes its home.
   *
   * @param moved whether it is to be at home here from now on. That begins another term, before:
   *     whoever leads the one that it is a copy of is deposed
   * @throws UserError if its home is elsewhere, or cannot be read or written
   */
  public static void require(Path stateDir, boolean moved) {
    require(stateDir, moved, MACHINE);
  }

  static void require(Path stateDir, boolean moved, Path machineId) {
    Path file = stateDir.resolve(NAME);
    try {
      String here = home(stateDir, machineId);
      String known = known(file);
      if (known.equals(here)) {
        return;
      }
      if (!known.isEmpty() && !moved) {
        throw new UserError(
            "the state directory "
                + stateDir
                + " is a copy, or was moved: it was last led as "
                + Printable.line(path(known))
                + (machine(known).equals(machine(here)) ? "" : " on another machine"),
            "If it was moved, say so once: ./hypersync leader --moved ...\n"
                + "If it is a copy, lead the original: two that are led have two histories"
                + " (docs/leadership.md).");
      }
      if (!known.isEmpty()) {
        TermFile.takeOver(stateDir);
        LOG.warn("{} was moved here from {}", stateDir, Printable.line(path(known)));
      }
      DurableFiles.replace(file, here, PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new UserError(
          "cannot use " + file + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
  }

  private static String home(Path stateDir, Path machineId) throws IOException {
    return "hypersync-home: 1\nmachine: "
        + read(machineId).strip()
        + "\npath: "
        + stateDir.toRealPath()
        + "\n";
  }

  /** What the file says; empty if it is not there. Damage is no home that anybody has. */
  private static String known(Path file) throws IOException {
    try {
      String text = read(file);
      return text.isEmpty() && Files.exists(file) ? "damaged\n" : text;
    } catch (NoSuchFileException never) {
      return "";
    }
  }

  private static String read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
    } catch (NoSuchFileException none) {
      return "";
    }
  }

  private static String machine(String home) {
    return value(home, "machine: ");
  }

  private static String path(String home) {
    String path = value(home, "path: ");
    return path.isEmpty() ? "something that cannot be read" : path;
  }

  private static String value(String home, String key) {
    return home.lines()
        .filter(line -> line.startsWith(key))
        .map(line -> line.substring(key.length()))
        .findFirst()
        .orElse("");
  }
}
