package io.hypersync.cli.render;

import io.hypersync.cli.ntm.Finding;
import io.hypersync.cli.ntm.NtmPlugin;
import io.hypersync.model.text.Printable;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Text output of {@code hypersync ntm}. */
public final class NtmReport {
  private NtmReport() {}

  /** What was written, and what the user may write. */
  public static String installed(
      Path plugin, NtmPlugin.State before, Path configFile, String advice) {
    return (before == NtmPlugin.State.CURRENT ? "Nothing new: " : "Wrote ")
        + line(plugin)
        + ".\nTry: ntm hypersync status\n\nNTM's configuration is left as it is. What may help in "
        + line(configFile)
        + " (projects_base belongs before its first table):\n\n"
        + advice.indent(2)
        + "\nThen: hypersync ntm check\n";
  }

  /** What was removed. */
  public static String uninstalled(Path plugin, NtmPlugin.State before) {
    return before == NtmPlugin.State.ABSENT
        ? "There is no " + line(plugin) + ".\n"
        : "Removed " + line(plugin) + ".\n";
  }

  /** What was found, and what to do about it. */
  public static String findings(List<Finding> findings) {
    StringBuilder text = new StringBuilder();
    for (Finding each : findings) {
      text.append("%-7s  ".formatted(each.severity().name().toLowerCase(Locale.ROOT)))
          .append(Printable.line(each.detail()))
          .append('\n');
      if (!each.remedy().isEmpty()) {
        text.append("         -> ").append(Printable.line(each.remedy())).append('\n');
      }
    }
    return text.toString();
  }

  private static String line(Path path) {
    return Printable.line(path.toString());
  }
}
