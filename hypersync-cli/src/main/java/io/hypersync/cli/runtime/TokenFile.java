package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Setting;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Reads a bearer token from the first line of a file. */
final class TokenFile {
  private static final int MOST_BYTES = 4096;

  /** What a header of HTTP can carry. */
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

  private TokenFile() {}

  /**
   * Returns the token.
   *
   * @param setting the one that names the file, for messages
   * @param whatItIs a sentence that says which token is meant
   * @throws UserError if the file cannot be read or has no token
   */
  static String read(Setting<String> setting, String file, String whatItIs) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      String text = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
      String token = text.lines().findFirst().orElse("").strip();
      if (!TOKEN.matcher(token).matches()) {
        throw new UserError(
            setting.key() + ": the first line of " + file + " is no token",
            whatItIs,
            UserError.USAGE);
      }
      return token;
    } catch (IOException e) {
      throw new UserError(
          setting.key() + ": cannot read " + file + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    }
  }
}
