package io.hypersync.leader.archive;

import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Says what a backup directory is, and of which workspace:
 *
 * <pre>
 * hypersync backup 1
 * workspace 00112233445566778899aabbccddeeff
 * name team
 * begun 2026-03-01T12:00:00Z
 * </pre>
 *
 * <p>The number is the version of the directory's layout.
 *
 * @param workspace whose states it has
 * @param name of that workspace when the directory was made, for people
 * @param begun when it was made
 */
public record BackupLabel(WorkspaceId workspace, String name, Instant begun) {
  private static final String WORD = "hypersync backup ";
  private static final String VERSION = "1";
  private static final String WORKSPACE = "workspace ";
  private static final String NAME = "name ";
  private static final String BEGUN = "begun ";

  String render() {
    return WORD
        + VERSION
        + '\n'
        + WORKSPACE
        + workspace
        + '\n'
        + NAME
        + Printable.line(name)
        + '\n'
        + BEGUN
        + begun.truncatedTo(ChronoUnit.SECONDS)
        + '\n';
  }

  /**
   * Reads what {@link #render} has written.
   *
   * @param file its path, for messages
   * @throws UserError if it is damaged, or of another version
   */
  static BackupLabel parse(String text, String file) {
    List<String> lines = text.lines().toList();
    String first = lines.isEmpty() ? "" : lines.getFirst();
    if (first.startsWith(WORD) && !first.equals(WORD + VERSION)) {
      throw new UserError(
          file + " says \"" + Printable.line(first) + "\", and this version of hypersync knows 1",
          "A later version has written the backup: use that one.");
    }
    try {
      if (lines.size() == 4 && first.startsWith(WORD)) {
        return new BackupLabel(
            WorkspaceId.parse(value(lines.get(1), WORKSPACE)),
            value(lines.get(2), NAME),
            Instant.parse(value(lines.get(3), BEGUN)));
      }
    } catch (IllegalArgumentException | DateTimeException e) {
      throw damaged(file);
    }
    throw damaged(file);
  }

  private static String value(String line, String key) {
    if (!line.startsWith(key)) {
      throw new IllegalArgumentException(line);
    }
    return line.substring(key.length());
  }

  private static UserError damaged(String file) {
    return new UserError(
        file + " is damaged: it does not say of which workspace the backup is",
        "It has four lines: hypersync backup 1, workspace <id>, name <name>, begun <time>.");
  }
}
