package io.hypersync.cli.workspace;

import io.hypersync.cli.config.ConfigurationTemplate;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Setting;
import io.hypersync.cli.config.Settings;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.admin.UserError;
import io.hypersync.wire.file.DurableFiles;
import io.hypersync.wire.file.FileProblems;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.Identity;
import io.hypersync.wire.pki.PkiException;
import io.hypersync.wire.pki.WorkspaceAuthority;
import io.hypersync.wire.text.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The folder from which a workspace is led:
 *
 * <pre>
 * workspace.toml   identity: id, name, created; written last, and all of it durably, so that it is
 *                  there or nothing is
 * hypersync.toml   configuration, to be edited
 * ca/              the authority that says who may join; its key leaves this folder never
 * leader/          the leader's certificate and key
 * tokens/          enrolment tokens that were written, each as secret as a key
 * state/           op log and chunks
 * </pre>
 *
 * @param root the folder, absolute
 * @param id identity of the workspace
 * @param name what people call it
 * @param created when
 */
public record WorkspaceDirectory(Path root, WorkspaceId id, WorkspaceName name, Instant created) {
  private static final String IDENTITY_FILE = "workspace.toml";
  private static final String CONFIG_FILE = "hypersync.toml";
  private static final String AUTHORITY_DIR = "ca";
  private static final String LEADER_DIR = "leader";
  private static final String TOKENS_DIR = "tokens";
  private static final String STATE_DIR = "state";

  /**
   * Makes a workspace.
   *
   * @param root the folder, which is made if it is not there
   * @param said settings to write into its configuration, with their values as TOML
   * @throws UserError if there is something already that this would overwrite
   */
  public static WorkspaceDirectory create(
      Path root,
      WorkspaceId id,
      WorkspaceName name,
      Instant created,
      Map<Setting<?>, String> said) {
    for (String ours : List.of(IDENTITY_FILE, CONFIG_FILE, AUTHORITY_DIR, LEADER_DIR, STATE_DIR)) {
      if (Files.exists(root.resolve(ours))) {
        throw new UserError(
            root + " already has " + ours + "; nothing was changed",
            "Use this workspace: ./hypersync leader --dir "
                + ShellWords.quoted(root)
                + "\nor make one in another folder.");
      }
    }
    WorkspaceDirectory directory = new WorkspaceDirectory(root, id, name, created);
    try {
      Files.createDirectories(root); // with ordinary permissions
      DurableFiles.createDirectories(
          root.resolve(STATE_DIR),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      WorkspaceAuthority authority = WorkspaceAuthority.create(directory.authorityDir(), id);
      authority.issueLeader().write(directory.leaderDir());
      DurableFiles.replace(directory.configFile(), ConfigurationTemplate.render(said));
      DurableFiles.replace(root.resolve(IDENTITY_FILE), IdentityFile.render(id, name, created));
    } catch (IOException | PkiException failure) {
      throw new UserError(
          "cannot make a workspace in " + root + ": " + describe(failure),
          FileProblems.hint(failure, ""));
    }
    return directory;
  }

  /**
   * Opens what {@link #create} made.
   *
   * @throws UserError if there is none, or its identity cannot be read
   */
  public static WorkspaceDirectory open(Path root) {
    Path file = root.resolve(IDENTITY_FILE);
    if (Files.notExists(file)) {
      throw new UserError(
          root + " is not the folder of a workspace: it has no " + IDENTITY_FILE,
          "Name the folder: --dir <dir>\nor make a workspace: ./hypersync init <dir>",
          UserError.USAGE);
    }
    return IdentityFile.read(root, file);
  }

  /** The configuration. */
  public Path configFile() {
    return root.resolve(CONFIG_FILE);
  }

  /** Where the op log and the chunks are, unless the configuration says another place. */
  public Path stateDir() {
    return root.resolve(STATE_DIR);
  }

  /** Where a worker's token is written, unless the user says another place. */
  public Path tokenFile(WorkerId worker) {
    return root.resolve(TOKENS_DIR).resolve(worker + ".token");
  }

  /**
   * What the leader shows and trusts.
   *
   * @throws UserError if it cannot be read
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
   * @param leader where the worker will look for the leader
   * @throws UserError if the file exists, or the authority's key cannot be read
   */
  public void writeToken(WorkerId worker, HostPort leader, Path file) {
    if (Files.exists(file)) {
      throw new UserError(
          file + " exists; nothing was changed",
          "It is worker " + worker + "'s identity if it was written for it. Use it, or --out.");
    }
    try {
      EnrolmentToken.issue(WorkspaceAuthority.open(authorityDir(), id), leader.unresolved(), worker)
          .write(file);
    } catch (PkiException failure) {
      throw new UserError(describe(failure), FileProblems.hint(failure, ""));
    }
  }

  /** The value of {@link Settings#LEADER_BIND_ADDRESS} as TOML. */
  public static Map<Setting<?>, String> saying(HostPort bindAddress) {
    return Map.of(
        Settings.ROLE, "\"leader\"", Settings.LEADER_BIND_ADDRESS, "\"" + bindAddress + "\"");
  }

  private Path authorityDir() {
    return root.resolve(AUTHORITY_DIR);
  }

  private Path leaderDir() {
    return root.resolve(LEADER_DIR);
  }

  private static String describe(Exception failure) {
    return FileProblems.describe(failure);
  }
}
