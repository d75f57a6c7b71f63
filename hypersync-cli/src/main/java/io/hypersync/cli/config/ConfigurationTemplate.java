package io.hypersync.cli.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The configuration file that {@code init} writes: every setting, commented out at its default. */
public final class ConfigurationTemplate {
  private ConfigurationTemplate() {}

  /**
   * Returns the text of the file.
   *
   * @param said settings that differ from their defaults, with their values as TOML
   */
  public static String render(Map<Setting<?>, String> said) {
    StringBuilder text = new StringBuilder();
    text.append("# HyperSync. A line that begins with '#' shows what holds without it.\n");
    for (String section : Settings.sections()) {
      text.append("\n[").append(section).append("]\n");
      for (Setting<?> setting : Settings.all()) {
        if (setting.section().equals(section)) {
          append(text, setting, said.get(setting));
        }
      }
    }
    return text.toString();
  }

  private static <T> void append(StringBuilder text, Setting<T> setting, @Nullable String value) {
    text.append("# ").append(setting.doc()).append('\n');
    T standard = setting.defaultValue();
    if (value != null) {
      text.append(setting.name()).append(" = ").append(value);
    } else if (standard != null) {
      text.append('#').append(setting.name()).append(" = ");
      text.append(setting.type().toToml().apply(standard));
    } else {
      text.append('#').append(setting.name()).append(" =");
    }
    text.append('\n');
  }
}
