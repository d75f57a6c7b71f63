package io.hypersync.leader.standby;

import io.hypersync.model.id.WorkspaceId;
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
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The file {@code standby} in the state directory of a standby. No leader starts while it is there.
 *
 * <pre>
 * hypersync-standby: 2
 * workspace: the WorkspaceID
 * lineage: 16 hexadecimal digits
 * term: 3
 * followed: true
 * waited: no, incomplete or synchronous
 * alone-after-ms: 10000
 * </pre>
 *
 * <p>Version 1 ended behind {@code followed}: nobody waited then.
 *
 * @param workspace that it follows
 * @param lineage of the leader that it has followed last; 0 if there was none yet
 * @param term of that leader
 * @param hasFollowed whether a leader has ever accepted it
 * @param waited whether that leader waits for it
 */
public record StandbyFile(
    WorkspaceId workspace, long lineage, long term, boolean hasFollowed, Waited waited) {
  private static final String NAME = "standby";
  private static final int MAX_BYTES = 1_024;
  private static final int HEX = 16;
  private static final List<String> KEYS =
      List.of(
          "hypersync-standby: ",
          "workspace: ",
          "lineage: ",
          "term: ",
          "followed: ",
          "waited: ",
          "alone-after-ms: ");
  private static final int TERM = 3;
  private static final int FOLLOWED = 4;
  private static final int WAITED = 5;
  private static final int ALONE_AFTER = 6;

  /**
   * What the file in a state directory says; empty if there is none.
   *
   * @throws UserError if it is damaged or cannot be read
   */
  public static Optional<StandbyFile> read(Path stateDir) {
    Path file = stateDir.resolve(NAME);
    try (InputStream in = Files.newInputStream(file)) {
      Optional<StandbyFile> read =
          parse(new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII));
      if (read.isEmpty()) {
        throw new UserError(
            file + " is damaged",
            "Nobody can tell how far this standby is: begin another one in an empty folder.");
      }
      return read;
    } catch (NoSuchFileException none) {
      return Optional.empty();
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  /**
   * Refuses the state directory of a standby.
   *
   * @throws UserError if it is one
   */
  public static void refuse(Path stateDir) {
    if (read(stateDir).isPresent()) {
      throw new UserError(
          stateDir + " is the state of a standby",
          "Make it that of a leader, once the old one is gone: ./hypersync promote --dir"
              + " <workspace folder>");
    }
  }

  /** The first one of a folder: of a standby that no leader has accepted yet. */
  public static StandbyFile before(WorkspaceId workspace) {
    return new StandbyFile(workspace, 0, 0, false, Waited.NOT);
  }

  /** Writes it, durably. */
  public void write(Path stateDir) {
    Path file = stateDir.resolve(NAME);
    try {
      DurableFiles.replace(file, toText(), PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  /** Removes it, durably: from then on the directory is a leader's. */
  static void remove(Path stateDir) throws IOException {
    Files.delete(stateDir.resolve(NAME));
    DurableFiles.syncDirectory(stateDir);
  }

  /** As it is stored. */
  String toText() {
    return toText(2);
  }

  private String toText(int version) {
    List<String> values =
        List.of(
            Integer.toString(version),
            workspace.toString(),
            HexFormat.of().toHexDigits(lineage),
            Long.toString(term),
            Boolean.toString(hasFollowed),
            waited.state().text(),
            Integer.toString(waited.aloneAfterMs()));
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < (version == 1 ? WAITED : KEYS.size()); i++) {
      text.append(KEYS.get(i)).append(values.get(i)).append('\n');
    }
    return text.toString();
  }

  /** Reads what {@link #toText} has written; empty if it is anything else. */
  static Optional<StandbyFile> parse(String text) {
    List<String> lines = text.lines().toList();
    int version = lines.size() == WAITED ? 1 : 2;
    if (version == 2 && lines.size() != KEYS.size()) {
      return Optional.empty();
    }
    try {
      Waited waited =
          version == 1
              ? Waited.NOT
              : new Waited(
                  Waited.State.valueOf(value(lines, WAITED).toUpperCase(Locale.ROOT)),
                  Integer.parseInt(value(lines, ALONE_AFTER)));
      StandbyFile read =
          new StandbyFile(
              WorkspaceId.parse(value(lines, 1)),
              Long.parseUnsignedLong(value(lines, 2), HEX),
              Long.parseLong(value(lines, TERM)),
              Boolean.parseBoolean(value(lines, FOLLOWED)),
              waited);
      return read.term >= 0 && waited.aloneAfterMs() >= 0 && read.toText(version).equals(text)
          ? Optional.of(read)
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String value(List<String> lines, int key) {
    return lines.get(key).substring(Math.min(lines.get(key).length(), KEYS.get(key).length()));
  }

  private static UserError unusable(Path file, IOException e) {
    return new UserError(
        "cannot use " + file + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
  }
}
