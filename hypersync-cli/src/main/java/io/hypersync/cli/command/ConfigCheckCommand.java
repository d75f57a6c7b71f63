package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.Problem;
import io.hypersync.cli.render.ConfigReport;
import io.hypersync.cli.runtime.PlanChecks;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hypersync config check}: all that is wrong with a file of settings. */
@Command(
    name = "check",
    description = {
      "Check a file of settings, or that of a workspace's folder: all that is wrong, with lines.",
      "Changes nothing. Exits with 0 if nothing is wrong, else with 1."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync config check /srv/team",
      "  ./hypersync config check new.toml && mv new.toml /srv/team/hypersync.toml",
      "  ./hypersync config check --json /etc/hypersync/hypersync.toml"
    })
final class ConfigCheckCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();

  @Parameters(
      paramLabel = "<file or dir>",
      arity = "0..1",
      description =
          "What to check (default: this folder if it is a workspace's, else"
              + " /etc/hypersync/hypersync.toml).")
  private @Nullable Path given;

  @Override
  public Integer call() {
    Path file = file();
    ConfigurationReader reader = new ConfigurationReader();
    List<Problem> problems = reader.problems(file);
    List<UserError> errors = List.of();
    List<String> ignored = List.of();
    if (problems.isEmpty()) {
      Configuration configuration = reader.withFile(file);
      errors = PlanChecks.errors(configuration);
      ignored = configuration.ignored();
    }
    ObjectNode json = json(file, problems, errors, ignored);
    screen.show(json, () -> ConfigReport.problems(json));
    return problems.isEmpty() && errors.isEmpty() ? 0 : UserError.FAILED;
  }

  private Path file() {
    Path path = given;
    if (path == null) {
      Path here = Path.of("").toAbsolutePath();
      return WorkspaceDirectory.isIn(here)
          ? WorkspaceDirectory.open(here).configFile()
          : ConfigurationOptions.OF_MACHINE;
    }
    Path folder = path.toAbsolutePath().normalize();
    return Files.isDirectory(folder) ? WorkspaceDirectory.open(folder).configFile() : path;
  }

  private static ObjectNode json(
      Path file, List<Problem> problems, List<UserError> errors, List<String> ignored) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("file", file.toString());
    ArrayNode all = json.putArray("problems");
    problems.forEach(each -> add(all, each.line(), each.message(), each.hint()));
    errors.forEach(each -> add(all, 0, each.message(), each.hint()));
    ArrayNode unused = json.putArray("ignored");
    ignored.forEach(unused::add);
    return json;
  }

  private static void add(ArrayNode all, int line, String message, String hint) {
    all.addObject()
        .put("line", line == 0 ? null : (Integer) line)
        .put("message", message)
        .put("hint", hint);
  }
}
