package io.hypersync.cli.workspace;

import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import org.tomlj.Toml;
import org.tomlj.TomlInvalidTypeException;
import org.tomlj.TomlParseResult;

/**
 * Reads and writes {@code workspace.toml}:
 *
 * <pre>
 * id = "00112233445566778899aabbccddeeff"
 * name = "team"
 * created = 2026-03-01T12:00:00Z
 * </pre>
 */
final class IdentityFile {
  private IdentityFile() {}

  static String render(WorkspaceId id, WorkspaceName name, Instant created) {
    return """
    # The identity of a HyperSync workspace. Do not edit: workers and the op log know it by this id.
    id = "%s"
    name = "%s"
    created = %s
    """
        .formatted(id, name, created.truncatedTo(ChronoUnit.SECONDS));
  }

  static WorkspaceDirectory read(Path root, Path file) {
    try {
      TomlParseResult toml = Toml.parse(file);
      String id = toml.getString("id");
      String name = toml.getString("name");
      OffsetDateTime created = toml.getOffsetDateTime("created");
      if (toml.hasErrors() || id == null || name == null || created == null) {
        throw new UserError(
            file + ": expected id, name and created, as ./hypersync init writes them",
            "Restore it from a backup.");
      }
      return new WorkspaceDirectory(
          root, WorkspaceId.parse(id), new WorkspaceName(name), created.toInstant());
    } catch (IOException failure) {
      throw new UserError(
          "cannot read " + file + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    } catch (IllegalArgumentException | TomlInvalidTypeException malformed) {
      throw new UserError(file + ": " + malformed.getMessage(), "Restore it from a backup.");
    }
  }
}
