package io.hypersync.cli.ntm;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.text.ShellWords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The program that NTM runs for {@code ntm hypersync}: written and removed, never a foreign one.
 */
public final class NtmPlugin {
  /** By this line a plugin is known as ours, whichever version has written it. */
  static final String MARKER = "# hypersync-ntm-plugin: written by \"hypersync ntm install\"";

  private static final String LAUNCHER = "@LAUNCHER@";
  private static final String RESOURCE = "ntm-plugin.sh";

  /** A plugin is far smaller: what is larger is none of ours. */
  private static final long LARGEST = 64 << 10;

  private final Path file;
  private final Path launcher;

  /**
   * The plugin at a place.
   *
   * @param file where NTM looks for it
   * @param launcher the hypersync command that it is to run, absolute
   */
  public NtmPlugin(Path file, Path launcher) {
    this.file = file;
    this.launcher = launcher;
  }

  /** What is at its place. */
  public enum State {
    ABSENT,
    /** It runs this hypersync. */
    CURRENT,
    /** It is ours, of another version or of another hypersync. */
    OUTDATED,
    /** Somebody else's, or not a plain file. */
    FOREIGN
  }

  /** Where it is. */
  public Path file() {
    return file;
  }

  /**
   * Looks at what is there.
   *
   * @throws UserError if it cannot be read
   */
  public State state() {
    try {
      if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        return State.ABSENT;
      }
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > LARGEST) {
        return State.FOREIGN;
      }
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      if (text.lines().limit(10).noneMatch(line -> line.startsWith(MARKER))) {
        return State.FOREIGN;
      }
      return text.equals(text()) && Files.isExecutable(file) ? State.CURRENT : State.OUTDATED;
    } catch (IOException failure) {
      throw new UserError(
          "cannot read " + file + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    }
  }

  /**
   * Writes it, whole or not at all.
   *
   * @param force whether somebody else's file may be replaced
   * @return what was there before
   * @throws UserError if it may not, or the file cannot be written
   */
  public State install(boolean force) {
    State before = state();
    if (before == State.FOREIGN && !force) {
      throw new UserError(
          file + " was not written by hypersync: it is left as it is",
          "Move it away, or replace it: --force");
    }
    try {
      Path folder = file.getParent();
      if (folder == null) {
        throw new UserError(file + " is no place for a file", "");
      }
      Files.createDirectories(folder);
      Path fresh = Files.createTempFile(folder, ".hypersync-", ".new");
      try {
        Files.writeString(fresh, text());
        Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(fresh);
      }
      return before;
    } catch (IOException failure) {
      throw new UserError(
          "cannot write " + file + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    }
  }

  /**
   * Removes it.
   *
   * @return what was there
   * @throws UserError if it is somebody else's, or cannot be removed
   */
  public State uninstall() {
    State before = state();
    if (before == State.FOREIGN) {
      throw new UserError(
          file + " was not written by hypersync: it is left as it is",
          "If it is to go: rm " + ShellWords.quoted(file));
    }
    try {
      Files.deleteIfExists(file);
      return before;
    } catch (IOException failure) {
      throw new UserError(
          "cannot remove " + file + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    }
  }

  private String text() throws IOException {
    try (var script = NtmPlugin.class.getResourceAsStream(RESOURCE)) {
      if (script == null) {
        throw new IllegalStateException(RESOURCE + " is not in the jar");
      }
      // In quotes: a path may have blanks, and quotes as well.
      String quoted = "'" + launcher.toString().replace("'", "'\\''") + "'";
      return new String(script.readAllBytes(), StandardCharsets.UTF_8).replace(LAUNCHER, quoted);
    }
  }
}
