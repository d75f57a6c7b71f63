package io.hypersync.cli.workspace;

import io.hypersync.cli.config.ConfigurationTemplate;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Setting;
import io.hypersync.cli.config.Settings;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.file.OwnerOnlyPermissions;
import io.hypersync.runtime.text.ShellWords;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.Identity;
import io.hypersync.wire.pki.IssuedCertificates;
import io.hypersync.wire.pki.PkiException;
import io.hypersync.wire.pki.WorkspaceAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leader's workspace directory:
 *
 * <pre>
 * workspace.toml   identity: id, name, created; written last and durably, so that a workspace
 *                  which has it is complete
 * init.unfinished  only while init runs
 * hypersync.toml   configuration, to be edited
 * ca/              the authority that certifies workers; its key never leaves this directory; and
 *                  which certificates it has issued
 * leader/          the leader's certificate and key
 * tokens/          enrolment tokens, each as secret as a key
 * state/           op log and chunks
 * mount/           what the mount in the leader's process keeps, if there is one
 * </pre>
 *
 * @param root the directory, absolute
 * @param id identity of the workspace
 * @param name for people
 * @param created time of its init
 */
public record WorkspaceDirectory(Path root, WorkspaceId id, WorkspaceName name, Instant created) {
  private static final Logger LOG = LoggerFactory.getLogger(WorkspaceDirectory.class);
  static final String IDENTITY_FILE = "workspace.toml";
  static final String CONFIG_FILE = "hypersync.toml";
  static final String AUTHORITY_DIR = "ca";
  static final String LEADER_DIR = "leader";
  static final String TOKENS_DIR = "tokens";
  static final String STATE_DIR = "state";
  static final String MOUNT_STATE_DIR = "mount";

  /**
   * Creates a workspace without tokens; see {@link #create(Path, WorkspaceId, WorkspaceName,
   * Instant, Map, List, List, StateFiller)}.
   */
  public static WorkspaceDirectory create(
      Path root,
      WorkspaceId id,
      WorkspaceName name,
      Instant created,
      Map<Setting<?>, String> said) {
    return new WorkspaceDirectory(root, id, name, created)
        .create(said, List.of(), _ -> List.of(), StateFiller.NONE, () -> {});
  }

  /**
   * Creates a workspace. If this is interrupted, it can be repeated: what it had created is then
   * removed first (see {@link InitMark}).
   *
   * @param root the directory, which is created if it does not exist
   * @param said settings to write into its configuration, with their values as TOML
   * @param workers whose enrolment tokens are written at once
   * @param leaders the addresses under which these workers look for the leader
   * @param filler makes what the leader begins with
   * @throws UserError if something exists that this would overwrite, or {@code filler} throws it
   */
  public static WorkspaceDirectory create(
      Path root,
      WorkspaceId id,
      WorkspaceName name,
      Instant created,
      Map<Setting<?>, String> said,
      List<WorkerId> workers,
      List<HostPort> leaders,
      StateFiller filler) {
    return new WorkspaceDirectory(root, id, name, created)
        .create(said, workers, _ -> leaders, filler, () -> {});
  }

  /** Makes the state of a leader that does not begin with the empty filesystem. */
  @FunctionalInterface
  public interface StateFiller {
    /** The state directory stays empty. */
    StateFiller NONE =
        new StateFiller() {
          @Override
          public void fill(Path stateDir) {}

          @Override
          public boolean fills() {
            return false;
          }
        };

    /**
     * Fills the state directory, which is empty; all is durable on return.
     *
     * @throws UserError if that is not possible
     */
    void fill(Path stateDir) throws IOException;

    /** Whether it makes anything. */
    default boolean fills() {
      return true;
    }
  }

  /**
   * The same; {@code step} runs between any two files or directories that are created, for tests.
   */
  WorkspaceDirectory create(
      Map<Setting<?>, String> said,
      List<WorkerId> workers,
      Function<WorkerId, List<HostPort>> leaders,
      StateFiller filler,
      Runnable step) {
    try {
      if (InitMark.isIn(root)) {
        InitMark.clearAway(root);
      }
      refuseIfThere(workers);
      Files.createDirectories(root); // not owner-only: the secrets have directories of their own
      try (InitMark mark = InitMark.write(root, id, workers, filler.fills())) {
        step.run();
        make(said, workers, leaders, filler, step);
        step.run();
        mark.done();
      }
    } catch (IOException | PkiException failure) {
      throw new UserError(
          "cannot make a workspace in " + root + ": " + describe(failure),
          FileProblems.hint(failure, ""));
    }
    return this;
  }

  private void refuseIfThere(List<WorkerId> workers) {
    for (String ours : List.of(IDENTITY_FILE, CONFIG_FILE, AUTHORITY_DIR, LEADER_DIR, STATE_DIR)) {
      if (Files.exists(root.resolve(ours))) {
        throw new UserError(
            root + " already has " + ours + "; nothing was changed",
            "Use this workspace: ./hypersync leader --dir "
                + ShellWords.quoted(root)
                + "\nor make one in another folder.");
      }
    }
    workers.forEach(worker -> refuseIfThere(worker, tokenFile(worker)));
  }

  private void make(
      Map<Setting<?>, String> said,
      List<WorkerId> workers,
      Function<WorkerId, List<HostPort>> leaders,
      StateFiller filler,
      Runnable step)
      throws IOException, PkiException {
    for (Path secret : List.of(stateDir(), authorityDir(), leaderDir())) {
      DurableFiles.createDirectories(secret, DurableFiles.OWNER_ONLY_DIRECTORY);
      step.run();
    }
    filler.fill(stateDir());
    step.run();
    WorkspaceAuthority authority = WorkspaceAuthority.create(authorityDir(), id);
    step.run();
    Identity leader = authority.issueLeader();
    IssuedCertificates.addLeader(authorityDir(), leader.cert());
    leader.write(leaderDir());
    step.run();
    DurableFiles.replace(configFile(), ConfigurationTemplate.render(said));
    for (WorkerId worker : workers) {
      step.run();
      writeToken(worker, leaders.apply(worker), tokenFile(worker));
    }
    step.run();
    DurableFiles.replace(root.resolve(IDENTITY_FILE), IdentityFile.render(id, name, created));
  }

  /** Whether a workspace that is complete is in this directory. */
  public static boolean isIn(Path root) {
    return Files.exists(root.resolve(IDENTITY_FILE));
  }

  /**
   * Opens what {@link #create} made, and removes a leftover {@link InitMark}.
   *
   * @throws UserError if there is no workspace, or its identity cannot be read
   */
  public static WorkspaceDirectory open(Path root) {
    Path file = root.resolve(IDENTITY_FILE);
    if (Files.notExists(file)) {
      throw new UserError(
          root + " is not the folder of a workspace: it has no " + IDENTITY_FILE,
          InitMark.isIn(root)
              ? "./hypersync init was interrupted there: run it again."
              : "Name the folder: --dir <dir>\nor make a workspace: ./hypersync init <dir>",
          UserError.USAGE);
    }
    WorkspaceDirectory workspace = IdentityFile.read(root, file);
    InitMark.forget(root);
    return workspace;
  }

  /**
   * Removes other users' permissions on the secrets in here (see {@link OwnerOnlyPermissions}).
   * Failure is only logged.
   */
  public void closeToOthers() {
    try {
      var _ = OwnerOnlyPermissions.repair(root, Set.of(AUTHORITY_DIR, LEADER_DIR, TOKENS_DIR));
    } catch (IOException failure) {
      LOG.warn(
          "other users may perhaps read the keys in {}: {}", root, FileProblems.describe(failure));
    }
  }

  /** Returns the path of the configuration file. */
  public Path configFile() {
    return root.resolve(CONFIG_FILE);
  }

  /** Returns the directory of op log and chunks, unless the configuration names another. */
  public Path stateDir() {
    return root.resolve(STATE_DIR);
  }

  /** Returns the state directory of the mount in the leader's process. */
  public Path mountStateDir() {
    return root.resolve(MOUNT_STATE_DIR);
  }

  /** Returns the path that a worker's token is written to, unless the user names another. */
  public Path tokenFile(WorkerId worker) {
    return root.resolve(TOKENS_DIR).resolve(worker + ".token");
  }

  /**
   * Reads the leader's certificate and key, and the authority that it trusts.
   *
   * @throws UserError if they cannot be read
   */
  public Identity leaderIdentity() {
    try {
      return Identity.read(leaderDir());
    } catch (PkiException failure) {
      throw new UserError(
          describe(failure),
          FileProblems.hint(failure, "Restore it from a backup of " + root + "."));
    }
  }

  /**
   * Certifies a worker and writes its enrolment token.
   *
   * @param leader the address under which the worker looks for the leader
   * @param file must not exist
   * @throws UserError if the file exists, or the authority's key cannot be read
   */
  public void writeToken(WorkerId worker, HostPort leader, Path file) {
    writeToken(worker, List.of(leader), file);
  }

  /** The same, for a leader that may be at one of several addresses. */
  public void writeToken(WorkerId worker, List<HostPort> leaders, Path file) {
    refuseIfThere(worker, file);
    try {
      if (root.resolve(TOKENS_DIR).equals(file.getParent())) {
        DurableFiles.createDirectories(root.resolve(TOKENS_DIR), DurableFiles.OWNER_ONLY_DIRECTORY);
      }
      EnrolmentToken token =
          EnrolmentToken.issue(
              WorkspaceAuthority.open(authorityDir(), id),
              leaders.stream().map(HostPort::unresolved).toList(),
              worker);
      IssuedCertificates.addWorker(authorityDir(), token.identity().cert());
      token.write(file);
    } catch (PkiException | IOException failure) {
      throw new UserError(describe(failure), FileProblems.hint(failure, ""));
    }
  }

  private static void refuseIfThere(WorkerId worker, Path file) {
    if (Files.exists(file)) {
      throw new UserError(
          file + " exists; nothing was changed",
          "It is worker " + worker + "'s identity if it was written for it. Use it, or --out.");
    }
  }

  /**
   * Returns the settings of a new leader as TOML: its role and {@link
   * Settings#LEADER_BIND_ADDRESS}.
   */
  public static Map<Setting<?>, String> saying(HostPort bindAddress) {
    return Map.of(
        Settings.ROLE, "\"leader\"", Settings.LEADER_BIND_ADDRESS, "\"" + bindAddress + "\"");
  }

  /** Returns the directory of the authority's certificate and key. */
  public Path authorityDir() {
    return root.resolve(AUTHORITY_DIR);
  }

  private Path leaderDir() {
    return root.resolve(LEADER_DIR);
  }

  private static String describe(Exception failure) {
    return FileProblems.describe(failure);
  }
}
