package io.hypersync.cli.render;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How this program is called in what it says. Its texts say {@code ./hypersync}, as in a source
 * tree. Where it is installed the launcher says another name, which takes that one's place in what
 * people read; never in JSON, nor in what a shell is to read.
 */
public final class ProgramName {
  /** The launcher sets it where the program is installed. */
  public static final String PROPERTY = "hypersync.program";

  private static final String INSTALLED = "hypersync";

  /** Not {@code ./hypersync.toml}, nor {@code a./hypersync}. */
  private static final Pattern IN_TREE = Pattern.compile("(?<![\\w/.])\\./hypersync(?![\\w./-])");

  private ProgramName() {}

  /** The text with the name by which this program was started. */
  public static String in(String text) {
    String name = System.getProperty(PROPERTY, "");
    return name.isEmpty() ? text : named(text, name);
  }

  /** The text with the name of an installed program. */
  public static String installed(String text) {
    return named(text, INSTALLED);
  }

  private static String named(String text, String name) {
    return text.contains("./hypersync")
        ? IN_TREE.matcher(text).replaceAll(Matcher.quoteReplacement(name))
        : text;
  }
}
