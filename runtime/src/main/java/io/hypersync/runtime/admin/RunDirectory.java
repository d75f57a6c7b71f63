package io.hypersync.runtime.admin;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The directory of the admin sockets of all daemons on this host:
 *
 * <pre>
 * /run/hypersync/leader-&lt;first 8 digits of the WorkspaceID&gt;.sock
 * /run/hypersync/worker-&lt;first 8 digits of the WorkspaceID&gt;-&lt;worker_id&gt;.sock
 * /run/hypersync/standby-&lt;first 8 digits of the WorkspaceID&gt;-&lt;worker_id&gt;.sock
 * /run/hypersync/observer-&lt;first 8 digits of the WorkspaceID&gt;-&lt;pid&gt;.sock
 * /run/hypersync/leader-&lt;WorkspaceID&gt;.claim
 * </pre>
 *
 * <p>An observer is a process that would lead if no other one did; a claim says which one leads.
 *
 * <p>Processes that keep the mounts of workers have these:
 *
 * <pre>
 * /run/hypersync/keeper-&lt;first 8 digits of the WorkspaceID&gt;-&lt;worker_id&gt;.sock
 * /run/hypersync/putex-&lt;service&gt;.sock
 * </pre>
 *
 * <p>The last one is that of an agent of a process mutex.
 *
 * @param path the directory
 */
public record RunDirectory(Path path) {
  /** The environment variable that overrides the directory. */
  public static final String VARIABLE = "HYPERSYNC_RUN_DIR";

  private static final Path DEFAULT = Path.of("/run/hypersync");
  private static final int WORKSPACE_DIGITS = 8;
  private static final String CLAIM = ".claim";

  /** The directory that {@link #VARIABLE} names in an environment, else {@code /run/hypersync}. */
  public static RunDirectory of(Map<String, String> environment) {
    String named = environment.getOrDefault(VARIABLE, "");
    return new RunDirectory(named.isEmpty() ? DEFAULT : Path.of(named).toAbsolutePath());
  }

  /** The socket path of a workspace's leader. */
  public Path leaderSocket(WorkspaceId workspace) {
    return path.resolve("leader-" + prefix(workspace) + ".sock");
  }

  /** The socket path of one worker of a workspace. */
  public Path workerSocket(WorkspaceId workspace, WorkerId worker) {
    return path.resolve("worker-" + prefix(workspace) + "-" + worker + ".sock");
  }

  /** The socket path of one standby of a workspace. */
  public Path standbySocket(WorkspaceId workspace, WorkerId standby) {
    return path.resolve("standby-" + prefix(workspace) + "-" + standby + ".sock");
  }

  /** The socket path of a process that waits to lead a workspace. */
  public Path observerSocket(WorkspaceId workspace, long pid) {
    return path.resolve("observer-" + prefix(workspace) + "-" + pid + ".sock");
  }

  /** The file in which the process that leads a workspace on this host claims it. */
  public Path claim(WorkspaceId workspace) {
    return path.resolve("leader-" + workspace + CLAIM);
  }

  /** The workspace of a claim file, in the digits of its id. */
  public static String workspaceOf(Path claim) {
    String name = String.valueOf(claim.getFileName());
    return name.substring("leader-".length(), name.length() - CLAIM.length());
  }

  /**
   * All claim files in the directory, also empty ones, sorted by name.
   *
   * @throws UserError if the directory cannot be read
   */
  public List<Path> claims() {
    return files("leader-*" + CLAIM);
  }

  /**
   * All sockets of observers in the directory, of running and dead ones, sorted by name.
   *
   * @throws UserError if the directory cannot be read
   */
  public List<Path> observerSockets() {
    return files("observer-*.sock");
  }

  /** The socket path of the process that keeps the mount of one worker of a workspace. */
  public Path keeperSocket(WorkspaceId workspace, WorkerId worker) {
    return path.resolve("keeper-" + prefix(workspace) + "-" + worker + ".sock");
  }

  /**
   * The sockets of processes that keep mounts, sorted by name, as {@link #sockets} finds those of
   * daemons.
   */
  public List<Path> keeperSockets() {
    return files("keeper-*.sock");
  }

  /** The socket path of this host's agent of a process mutex. */
  public Path putexSocket(String service) {
    return path.resolve("putex-" + service + ".sock");
  }

  /**
   * The sockets of agents of process mutexes, of running and dead ones, sorted by name.
   *
   * @throws UserError if the directory cannot be read
   */
  public List<Path> putexSockets() {
    return files("putex-*.sock");
  }

  /**
   * All sockets of daemons in the directory, of running and dead ones: leaders, standbys, workers,
   * each sorted by name. Empty if the directory does not exist.
   *
   * @throws UserError if the directory cannot be read
   */
  public List<Path> sockets() {
    return files("{leader,standby,worker}-*.sock");
  }

  private List<Path> files(String pattern) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path, pattern)) {
      files.forEach(found::add);
    } catch (NoSuchFileException neverUsed) {
      return List.of();
    } catch (IOException failure) {
      throw new UserError(
          "cannot list the sockets in " + path + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    } catch (DirectoryIteratorException failure) {
      throw new UserError(
          "cannot list the sockets in " + path + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    }
    Collections.sort(found);
    return found;
  }

  /** Whether this is the socket of a leader, by its name. */
  public static boolean isLeader(Path socket) {
    return socket.getFileName().toString().startsWith("leader-");
  }

  /**
   * What the daemon of a socket is by its name: {@code leader}, {@code standby}, {@code worker}.
   */
  public static String role(Path socket) {
    String name = socket.getFileName().toString();
    return name.substring(0, Math.max(0, name.indexOf('-')));
  }

  private static String prefix(WorkspaceId workspace) {
    return workspace.toString().substring(0, WORKSPACE_DIGITS);
  }
}
