package io.hypersync.leader.daemon.leadership;

import io.hypersync.leader.leadership.HostProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The processes of this host, as {@code /proc} shows them. */
public final class ProcProcesses implements HostProcesses {
  private final Path proc;

  /** Those of this machine. */
  public ProcProcesses() {
    this(Path.of("/proc"));
  }

  ProcProcesses(Path proc) {
    this.proc = proc;
  }

  /**
   * A process that has ended and waits for its parent is dead. If {@code /proc} hides the processes
   * of others (mount option {@code hidepid}), every process counts as alive.
   */
  @Override
  public boolean isAlive(long pid) {
    try {
      return !hasEnded(Files.readString(stat(pid), StandardCharsets.ISO_8859_1));
    } catch (NoSuchFileException gone) {
      return !Files.exists(stat(1));
    } catch (IOException e) {
      // It may have ended while it was read (ESRCH), or is not to be looked at (EPERM, EACCES).
      return !Files.notExists(proc.resolve(Long.toString(pid)));
    }
  }

  private Path stat(long pid) {
    return proc.resolve(Long.toString(pid)).resolve("stat");
  }

  /** The state follows the name, which is in brackets and may contain anything. */
  private static boolean hasEnded(String stat) {
    int nameEnd = stat.lastIndexOf(')');
    char state = nameEnd >= 0 && nameEnd + 2 < stat.length() ? stat.charAt(nameEnd + 2) : '?';
    return state == 'Z' || state == 'X';
  }
}
