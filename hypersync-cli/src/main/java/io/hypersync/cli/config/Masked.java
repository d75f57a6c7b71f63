package io.hypersync.cli.config;

import java.util.regex.Pattern;

/**
 * Text that people are shown, without what may be a secret. Settings name files with secrets, and
 * have none themselves; but an address may have a password or a token in it, although that is not
 * where they belong.
 */
public final class Masked {
  private static final Pattern USER = Pattern.compile("(?<=://)[^/\\s\"@]*(?=@)");
  private static final Pattern QUERY = Pattern.compile("(?<=://)([^\\s\"?#]*)[?#][^\\s\"]*");

  private Masked() {}

  /** Returns the text with stars in place of user, password and query of each address in it. */
  public static String text(String shown) {
    return QUERY.matcher(USER.matcher(shown).replaceAll("***")).replaceAll("$1?***");
  }
}
