package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationSource;
import io.hypersync.cli.config.Setting;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.config.Spelling;
import io.hypersync.cli.render.ConfigReport;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync config show}: each setting, its value and where that comes from. */
@Command(
    name = "show",
    description = {
      "Show each setting: its value, where that comes from, and whether a daemon that runs takes"
          + " another one up.",
      "With keys or beginnings of keys: also what they do, and what values they may have.",
      "These are the settings that a daemon would start with. One that runs has what it read last:"
          + " ./hypersync config reload."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync config show                       # of this workspace's folder, or this machine",
      "  ./hypersync config show --dir /srv/team snapshots",
      "  ./hypersync config show hypersync.worker.cache_max --json"
    })
final class ConfigShowCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();
  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();

  @Option(
      names = "--dir",
      paramLabel = "<dir>",
      description =
          "The workspace's folder (default: this one if it is one, else the settings of the"
              + " machine).")
  private @Nullable Path directory;

  @Parameters(
      paramLabel = "<key>",
      arity = "0..*",
      description = "Only these settings: keys, sections, or beginnings of them.")
  private List<String> keys = new ArrayList<>();

  @Override
  public Integer call() {
    ConfigurationSource source = source();
    Configuration configuration = source.read();
    List<Setting<?>> wanted =
        Settings.all().stream().filter(setting -> isWanted(setting.key())).toList();
    if (wanted.isEmpty()) {
      throw unknown(keys.getFirst());
    }
    ObjectNode json = ConfigReport.json(configuration, source.existing(), wanted);
    screen.show(json, () -> ConfigReport.text(json, !keys.isEmpty()));
    return 0;
  }

  private ConfigurationSource source() {
    Path folder = directory == null ? Path.of("").toAbsolutePath() : directory.toAbsolutePath();
    boolean isNamed = directory != null && !configurationOptions.namesFile();
    return isNamed || (directory == null && WorkspaceDirectory.isIn(folder.normalize()))
        ? configurationOptions.source(WorkspaceDirectory.open(folder.normalize()).configFile())
        : configurationOptions.sourceOfMachine();
  }

  private boolean isWanted(String key) {
    return keys.isEmpty()
        || keys.stream()
            .anyMatch(each -> key.startsWith(each) || key.startsWith("hypersync." + each));
  }

  private static UserError unknown(String key) {
    List<String> known = Settings.all().stream().map(Setting::key).toList();
    String full = key.startsWith("hypersync.") ? key : "hypersync." + key;
    return new UserError(
        "there is no setting \"" + key + '"',
        Spelling.nearest(full, known)
            .map(near -> "Did you mean " + near + "?")
            .orElse("All of them: ./hypersync config show"),
        UserError.USAGE);
  }
}
