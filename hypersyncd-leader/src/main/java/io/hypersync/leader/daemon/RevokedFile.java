package io.hypersync.leader.daemon;

import io.hypersync.leader.certificates.RevocationList;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.wire.message.Revocation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The file {@code revoked} in the state directory of a leader or a standby; not there before the
 * first certificate was revoked.
 *
 * <pre>
 * hypersync-revoked: 1
 * worker serial time reason     "*" in place of a serial number: all until then; ms since 1970;
 *                               the reason percent-encoded
 * </pre>
 */
public final class RevokedFile {
  private static final String NAME = "revoked";
  private static final int MAX_BYTES = 2 << 20;

  private RevokedFile() {}

  /**
   * Reads it.
   *
   * @throws UserError if it cannot be read, or is damaged: nobody could tell who is to be refused
   */
  public static RevocationList read(Path stateDir) {
    Path file = stateDir.resolve(NAME);
    try (InputStream in = Files.newInputStream(file)) {
      RevocationList read =
          RevocationList.parse(new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII));
      if (read == null) {
        throw new UserError(
            file + " is damaged, so it is not known whose certificates are revoked",
            "Restore it from a copy, such as the one of a standby. If there is none, remove it,"
                + " start the leader, and revoke them again: ./hypersync certs revoke <worker>");
      }
      return read;
    } catch (NoSuchFileException never) {
      return RevocationList.NONE;
    } catch (IOException e) {
      throw new UserError(
          "cannot use " + file + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
  }

  /**
   * Writes it durably.
   *
   * @throws UserError if it cannot be written
   */
  static void write(Path stateDir, RevocationList revoked) {
    StateText.replace(stateDir.resolve(NAME), revoked.toText());
  }

  /**
   * Adds rows, durably: those of a leader to what its standby has.
   *
   * @throws UserError if it can be neither read nor written, or has no room for them
   */
  public static void add(Path stateDir, List<Revocation> more) {
    RevocationList known = read(stateDir);
    RevocationList joined = known.joined(more);
    if (joined == null) {
      throw new UserError(
          stateDir.resolve(NAME) + " has no room for what the leader has revoked",
          "It has rows that the leader does not know: begin another standby in an empty folder.");
    }
    if (!joined.equals(known)) {
      write(stateDir, joined);
    }
  }
}
