package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.ntm.Finding;
import io.hypersync.cli.ntm.NtmAdvice;
import io.hypersync.cli.ntm.NtmChecks;
import io.hypersync.cli.ntm.NtmConfigDirectory;
import io.hypersync.cli.ntm.NtmPlugin;
import io.hypersync.cli.render.NtmReport;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync ntm}: makes {@code ntm hypersync} work, and looks at a host (16.1). */
@Command(
    name = "ntm",
    description = {
      "Make ntm hypersync init|status|log|snapshot|... work, and see what keeps NTM's agents from"
          + " working on a workspace.",
      "",
      "  install    write the command into NTM's folder, and show what belongs into its"
          + " configuration, which is left as it is",
      "  check      look at mounts, databases, Agent Mail and the command; exits with 1 if agents"
          + " cannot work",
      "  uninstall  remove what install has written"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync ntm install",
      "  ./hypersync ntm check",
      "  ./hypersync ntm check --quick --project /ntmfs/ws/team/payments",
      "  ./hypersync ntm uninstall"
    })
final class NtmCommand implements Callable<Integer> {
  private static final Path PROC = Path.of("/proc");
  private static final Path EXAMPLE_MOUNT = Path.of("/ntmfs/ws/team");

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Parameters(paramLabel = "install|check|uninstall", description = "What to do.")
  private String action = "";

  @Option(
      names = "--config-dir",
      paramLabel = "<dir>",
      description =
          "NTM's folder (default: the one of $NTM_CONFIG, else ntm in $XDG_CONFIG_HOME or"
              + " ~/.config).")
  private @Nullable Path configDirectory;

  @Option(
      names = "--force",
      description = "With install: replace a command that hypersync has not written.")
  private boolean force;

  @Option(
      names = "--quick",
      description = "With check: do not look for databases, which takes a while.")
  private boolean quick;

  @Option(
      names = "--project",
      paramLabel = "<dir>",
      description = "With check: where agents are to work (default: all mounts).")
  private @Nullable Path project;

  @Override
  public Integer call() {
    Map<String, String> environment = System.getenv();
    NtmConfigDirectory directory =
        configDirectory == null
            ? NtmConfigDirectory.of(environment)
            : new NtmConfigDirectory(configDirectory.toAbsolutePath().normalize());
    Path launcher = launcher(environment);
    NtmPlugin plugin = new NtmPlugin(directory.plugin(), launcher);
    return switch (action) {
      case "install" -> install(directory, plugin, launcher);
      case "uninstall" -> uninstall(plugin);
      case "check" -> check(plugin, environment);
      default ->
          throw new UserError(
              "ntm: expected install, check or uninstall, got \"" + action + '"',
              "",
              UserError.USAGE);
    };
  }

  /** The launcher says where it is; without it, as in tests, it is the one that is found. */
  private static Path launcher(Map<String, String> environment) {
    return Path.of(environment.getOrDefault("HYPERSYNC_LAUNCHER", "/usr/local/bin/hypersync"))
        .toAbsolutePath();
  }

  private int install(NtmConfigDirectory directory, NtmPlugin plugin, Path launcher) {
    NtmPlugin.State before = plugin.install(force);
    Path mount =
        selection.daemons().workers().stream()
            .findFirst()
            .map(worker -> Path.of(worker.status().path("mount").asText()))
            .orElse(EXAMPLE_MOUNT);
    String advice = NtmAdvice.toml(launcher, mount);
    ObjectNode json = json(plugin, before);
    json.put("config_file", directory.configFile().toString());
    json.put("config_lines", advice);
    screen.show(
        json, () -> NtmReport.installed(plugin.file(), before, directory.configFile(), advice));
    return 0;
  }

  private int uninstall(NtmPlugin plugin) {
    NtmPlugin.State before = plugin.uninstall();
    screen.show(json(plugin, before), () -> NtmReport.uninstalled(plugin.file(), before));
    return 0;
  }

  private static ObjectNode json(NtmPlugin plugin, NtmPlugin.State before) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("plugin", plugin.file().toString())
        .put("before", before.name().toLowerCase(Locale.ROOT));
  }

  private int check(NtmPlugin plugin, Map<String, String> environment) {
    List<Finding> findings =
        new NtmChecks(selection.daemons().status(), environment, PROC)
            .all(plugin, Optional.ofNullable(project), quick);
    boolean isFine = findings.stream().noneMatch(each -> each.severity() == Finding.Severity.ERROR);
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("ok", isFine);
    ArrayNode list = json.putArray("findings");
    for (Finding each : findings) {
      list.addObject()
          .put("name", each.name())
          .put("severity", each.severity().name().toLowerCase(Locale.ROOT))
          .put("detail", each.detail())
          .put("remedy", each.remedy());
    }
    screen.show(json, () -> NtmReport.findings(findings));
    return isFine ? 0 : UserError.FAILED;
  }
}
