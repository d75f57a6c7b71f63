package io.hypersync.leader.daemon.mail;

import io.hypersync.leader.mail.MailCursor;
import io.hypersync.leader.mail.MailIdentities;
import io.hypersync.leader.mail.MailIdentity;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the mail remembers over restarts, in {@code mail/} of the leader's state directory: what
 * needs no mail any more, and who the leader is in each project. Only the leader's user may read
 * it.
 */
final class MailFiles {
  private static final Logger LOG = LoggerFactory.getLogger(MailFiles.class);
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private final Path directory;

  MailFiles(Path stateDir) {
    this.directory = stateDir.resolve("mail");
  }

  /** What needs no mail any more; null if nothing is written, or it cannot be read. */
  @Nullable MailCursor cursor() {
    String text = read(cursorFile(), MailCursor.MOST_BYTES);
    MailCursor cursor = text == null ? null : MailCursor.decode(text);
    if (text != null && cursor == null) {
      LOG.warn("{} makes no sense: hazards of before are not mailed", cursorFile());
    }
    return cursor;
  }

  /** Writes it, durably. */
  void write(MailCursor cursor) throws IOException {
    replace(cursorFile(), cursor.encode());
  }

  /** Who the leader is, by project; those of another server do not count. */
  Map<String, MailIdentity> identities(String url) {
    String text = read(identitiesFile(), MailIdentities.MOST_BYTES);
    return text == null ? Map.of() : MailIdentities.decode(url, text);
  }

  /** Writes it, durably. */
  void write(String url, Map<String, MailIdentity> identities) throws IOException {
    replace(identitiesFile(), MailIdentities.encode(url, identities));
  }

  private void replace(Path file, String text) throws IOException {
    if (!Files.isDirectory(directory)) {
      DurableFiles.createDirectories(directory, DurableFiles.OWNER_ONLY_DIRECTORY);
    }
    DurableFiles.replace(file, text, OWNER_ONLY);
  }

  private static @Nullable String read(Path file, int most) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(most + 1);
      if (bytes.length > most) {
        LOG.warn("{} is too large and is not read", file);
        return null;
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      LOG.warn("cannot read {}: {}", file, FileProblems.describe(e));
      return null;
    }
  }

  private Path cursorFile() {
    return directory.resolve("cursor.json");
  }

  private Path identitiesFile() {
    return directory.resolve("identities.json");
  }
}
