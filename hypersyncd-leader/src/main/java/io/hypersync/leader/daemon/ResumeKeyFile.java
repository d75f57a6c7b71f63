package io.hypersync.leader.daemon;

import io.hypersync.leader.presence.ResumeKey;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code resume.key} in the leader's state directory, mode 0600, made at the first start.
 *
 * <pre>
 * hypersync-resume-key: 1
 * private: 64 hexadecimal digits       ed25519, RFC 8032
 * public: 64 hexadecimal digits
 * </pre>
 *
 * <p>If it is lost or damaged, another one is made: workers begin new sessions then, and nothing
 * else is lost.
 */
final class ResumeKeyFile {
  private static final Logger LOG = LoggerFactory.getLogger(ResumeKeyFile.class);
  private static final String NAME = "resume.key";
  private static final String OWNER_ONLY = "rw-------";

  /** More than any key; what is longer is none. */
  private static final int MAX_BYTES = 1_024;

  private ResumeKeyFile() {}

  /**
   * Reads the key, or makes one.
   *
   * @throws UserError if the file can be neither read nor written
   */
  static ResumeKey read(Path stateDir) {
    Path file = stateDir.resolve(NAME);
    try {
      ResumeKey known = known(file);
      return known == null ? made(file) : known;
    } catch (IOException e) {
      throw new UserError(
          "cannot use " + file + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
  }

  private static @Nullable ResumeKey known(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      ResumeKey key =
          ResumeKey.parse(new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII));
      if (key == null) {
        LOG.warn("{} is damaged; a new key is made, and workers begin new sessions", file);
      }
      return key;
    } catch (NoSuchFileException first) {
      return null;
    }
  }

  private static ResumeKey made(Path file) throws IOException {
    ResumeKey key = ResumeKey.generate();
    DurableFiles.replace(file, key.toText(), PosixFilePermissions.fromString(OWNER_ONLY));
    return key;
  }
}
