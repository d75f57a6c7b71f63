package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Masked;
import io.hypersync.cli.config.Origin;
import io.hypersync.cli.config.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settings, what is wrong with them, and what has become of a change. */
public final class ConfigReport {
  private ConfigReport() {}

  /**
   * Settings as {@code docs/json.md} describes them.
   *
   * @param file where they are from, if there is a file
   */
  public static ObjectNode json(
      Configuration configuration, Optional<Path> file, List<Setting<?>> settings) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("file", file.map(Path::toString).orElse(null));
    ArrayNode all = json.putArray("settings");
    settings.forEach(setting -> add(all.addObject(), configuration, setting));
    ArrayNode ignored = json.putArray("ignored");
    configuration.ignored().forEach(ignored::add);
    return json;
  }

  private static <T> void add(ObjectNode json, Configuration configuration, Setting<T> setting) {
    json.put("key", setting.key());
    json.put("value", text(setting, configuration.find(setting).orElse(null)));
    json.put("default", text(setting, setting.defaultValue()));
    Origin origin = configuration.origin(setting);
    json.put(
        "from",
        switch (origin) {
          case Origin.Default _ -> "default";
          case Origin.File _ -> "file";
          case Origin.Environment _ -> "environment";
          case Origin.Flag _ -> "flag";
        });
    json.put("where", origin instanceof Origin.Default ? null : origin.toString());
    json.put("expected", setting.type().expected());
    json.put("units", setting.type().units());
    json.put("changes_while_running", setting.changesWhileRunning());
    json.put("doc", setting.doc());
  }

  private static <T> @Nullable String text(Setting<T> setting, @Nullable T value) {
    return value == null ? null : Masked.text(setting.type().toToml().apply(value));
  }

  /**
   * A table of settings.
   *
   * @param isFull whether to say all of each
   */
  public static String text(JsonNode json, boolean isFull) {
    StringBuilder text = new StringBuilder();
    if (isFull) {
      json.path("settings").forEach(each -> full(text, each));
    } else {
      Table table = Table.of("SETTING", "VALUE", "FROM", "WHILE RUNNING");
      json.path("settings")
          .forEach(
              each -> {
                var _ =
                    table.row(
                        each.path("key").asText(),
                        orNone(each.path("value")),
                        each.path("where").isNull() ? "default" : each.path("where").asText(),
                        each.path("changes_while_running").asBoolean()
                            ? "changes"
                            : "needs a restart");
              });
      text.append(table.render(""));
    }
    json.path("ignored").forEach(line -> text.append(line.asText()).append('\n'));
    return text.toString();
  }

  private static void full(StringBuilder text, JsonNode setting) {
    text.append(setting.path("key").asText())
        .append(" = ")
        .append(orNone(setting.path("value")))
        .append('\n');
    line(text, setting.path("doc").asText());
    line(
        text,
        "from: "
            + (setting.path("where").isNull() ? "the default" : setting.path("where").asText()));
    line(text, "default: " + orNone(setting.path("default")));
    line(text, "may be: " + setting.path("expected").asText());
    line(
        text,
        setting.path("changes_while_running").asBoolean()
            ? "changes while a daemon runs: ./hypersync config reload"
            : "needs a restart of the daemon");
  }

  private static String orNone(JsonNode value) {
    return value.isNull() ? "(none)" : value.asText();
  }

  private static void line(StringBuilder text, String line) {
    text.append("    ").append(line).append('\n');
  }

  /** What is wrong with a file. */
  public static String problems(JsonNode json) {
    StringBuilder text = new StringBuilder();
    String file = json.path("file").asText();
    for (JsonNode each : json.path("problems")) {
      text.append(file);
      if (!each.path("line").isNull()) {
        text.append(':').append(each.path("line").asInt());
      }
      text.append(": ").append(each.path("message").asText()).append('\n');
      each.path("hint").asText().lines().forEach(hint -> line(text, hint));
    }
    json.path("ignored").forEach(line -> text.append(line.asText()).append('\n'));
    int count = json.path("problems").size();
    text.append(file).append(count == 0 ? ": nothing is wrong\n" : ": " + count + " to mend\n");
    return text.toString();
  }

  /** What has become of reading settings again. */
  public static String reloaded(JsonNode json) {
    StringBuilder text = new StringBuilder();
    for (JsonNode daemon : json.path("daemons")) {
      text.append(daemon.path("role").asText());
      String name = daemon.path("name").asText();
      text.append(name.isEmpty() ? "" : " " + name).append(": ");
      if (!daemon.path("error").isNull()) {
        text.append(daemon.path("error").asText()).append('\n');
        daemon.path("hint").asText().lines().forEach(hint -> line(text, hint));
        continue;
      }
      int now = daemon.path("changed").size();
      int later = daemon.path("needs_restart").size();
      text.append(now + later == 0 ? "nothing has changed\n" : now + " changed\n");
      daemon.path("changed").forEach(each -> line(text, change(each)));
      daemon.path("needs_restart").forEach(each -> line(text, change(each) + "   needs a restart"));
      daemon.path("ignored").forEach(each -> line(text, each.asText()));
    }
    return text.toString();
  }

  private static String change(JsonNode each) {
    return each.path("key").asText()
        + ": "
        + shown(each.path("before").asText())
        + " -> "
        + shown(each.path("after").asText());
  }

  private static String shown(String value) {
    return value.isEmpty() ? "(none)" : value;
  }
}
