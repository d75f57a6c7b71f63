package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.node.TextNode;
import io.hypersync.runtime.text.ShellWords;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Environment variables in the syntax of somebody who sets them. */
public final class EnvReport {
  private EnvReport() {}

  /** Commands for a shell: {@code export NAME=value}, a line each. */
  public static String shell(Map<String, String> variables) {
    return variables.entrySet().stream()
        .map(each -> "export " + assignment(each) + "\n")
        .collect(Collectors.joining());
  }

  /** Key and value of a TOML table, a line each. */
  public static String toml(Map<String, String> variables) {
    return variables.entrySet().stream()
        .map(each -> each.getKey() + " = " + TextNode.valueOf(each.getValue()) + "\n")
        .collect(Collectors.joining());
  }

  /** Options of {@code ntm spawn}, in one line. */
  public static String paneEnv(Map<String, String> variables) {
    List<String> words =
        variables.entrySet().stream().map(each -> "--pane-env " + assignment(each)).toList();
    return String.join(" ", words) + "\n";
  }

  private static String assignment(Map.Entry<String, String> variable) {
    return variable.getKey() + "=" + ShellWords.quoted(variable.getValue());
  }
}
