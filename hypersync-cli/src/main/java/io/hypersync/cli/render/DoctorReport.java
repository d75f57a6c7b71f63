package io.hypersync.cli.render;

import io.hypersync.cli.doctor.Finding;
import io.hypersync.model.text.Printable;
import java.util.List;
import java.util.Locale;

/** Text output of {@code hypersync doctor}. */
public final class DoctorReport {
  private static final String INDENT = "               ";

  private DoctorReport() {}

  /** What is wrong, why it matters and what to do; one paragraph each. */
  public static String of(List<Finding> findings) {
    if (findings.isEmpty()) {
      return "Nothing is wrong, as far as this host shows.\n";
    }
    StringBuilder text = new StringBuilder();
    for (Finding each : findings) {
      text.append("%-5s  %-7s ".formatted(each.trouble().code(), severity(each)))
          .append(Printable.line(each.detail()))
          .append('\n')
          .append(INDENT)
          .append(each.trouble().why())
          .append('\n')
          .append(INDENT)
          .append("-> ")
          .append(each.trouble().remedy())
          .append('\n');
      each.repair()
          .ifPresent(
              repair ->
                  text.append(INDENT)
                      .append("   --fix does: ")
                      .append(Printable.line(repair.text()))
                      .append('\n'));
    }
    return text.toString();
  }

  private static String severity(Finding finding) {
    return finding.trouble().severity().name().toLowerCase(Locale.ROOT);
  }
}
