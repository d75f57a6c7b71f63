package io.hypersync.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.manual.ManualFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Man pages and completions have each command and each option, and their readers read them. */
final class ManualTest {
  @TempDir static Path directory;

  private static CommandLine line = new CommandLine(CommandSpec.create());

  @BeforeAll
  static void writeThem() throws IOException {
    line =
        Main.commandLine(
            "",
            _ -> {
              throw new AssertionError("no leader is wanted");
            },
            _ -> {
              throw new AssertionError("no worker is wanted");
            });
    ManualFiles.write(line, "1.2.3", directory);
  }

  /** All commands at all depths. */
  private static List<CommandLine> commands(CommandLine from) {
    List<CommandLine> found = new ArrayList<>(List.of(from));
    from.getSubcommands().values().forEach(below -> found.addAll(commands(below)));
    return found;
  }

  private static String read(String file) throws IOException {
    return Files.readString(directory.resolve(file));
  }

  private static List<OptionSpec> options(CommandLine command) {
    return command.getCommandSpec().options().stream().filter(option -> !option.hidden()).toList();
  }

  @Test
  void eachCommandHasAPageWithAllItsOptionsAndExamples() throws IOException {
    assertTrue(commands(line).size() > 40);
    for (CommandLine command : commands(line)) {
      String name = command.getCommandSpec().qualifiedName("-");
      String page = read("man1/" + name + ".1");
      for (OptionSpec option : options(command)) {
        for (String spelling : option.names()) {
          assertTrue(page.contains(spelling.replace("-", "\\-")), name + " lacks " + spelling);
        }
      }
      for (CommandLine below : command.getSubcommands().values()) {
        assertTrue(
            page.contains("\n.B \"" + below.getCommandName().replace("-", "\\-") + "\"\n"),
            () -> name + " lacks " + below.getCommandName());
      }
      if (command.getCommandSpec().usageMessage().footer().length > 0) {
        assertTrue(page.contains(".SH \"EXAMPLES\"\n"), name);
      }
      assertTrue(page.contains("\"hypersync 1.2.3\""), name);
      assertTrue(!page.contains("./hypersync "), () -> name + " is of a source tree: " + page);
    }
    try (Stream<Path> pages = Files.list(directory.resolve("man1"))) {
      assertEquals(commands(line).stream().distinct().count(), pages.count());
    }
  }

  @Test
  void eachShellCompletesEachCommandAndEachOption() throws IOException {
    String bash = read("hypersync.bash");
    String zsh = read("_hypersync");
    String fish = read("hypersync.fish");
    for (CommandLine command : commands(line)) {
      String words = command.getCommandSpec().qualifiedName(" ").replaceFirst("hypersync ?", "");
      if (!words.isEmpty()) {
        String last = command.getCommandName();
        assertTrue(zsh.contains("'" + last + ":"), last);
        assertTrue(fish.contains(" -a " + last + " -d "), last);
        assertTrue(bash.matches("(?s).*[ \"]" + last + "[ \"].*"), last);
      }
      for (OptionSpec option : options(command)) {
        for (String spelling : option.names()) {
          assertTrue(zsh.contains("'*" + spelling), spelling);
          assertTrue(bash.contains(spelling), spelling);
          assertTrue(
              fish.contains(
                  spelling.startsWith("--")
                      ? " -l " + spelling.substring(2) + " "
                      : " -s " + spelling.substring(1) + " "),
              spelling);
        }
      }
    }
  }

  @Test
  void bashCompletesWhatWasBegun() throws IOException, InterruptedException {
    String script = directory.resolve("hypersync.bash").toString();
    String begun =
        "source '%s'; COMP_WORDS=(%s); COMP_CWORD=%d; COMP_LINE='%s'; _complete_hypersync; echo"
            + " \"${COMPREPLY[@]}\"";
    assertTrue(
        said("bash", "-c", begun.formatted(script, "hypersync why", 1, "hypersync why"))
            .contains("why-slow"));
    assertTrue(
        said(
                "bash",
                "-c",
                begun.formatted(
                    script, "hypersync worker --leader", 2, "hypersync worker --leader"))
            .contains("--leader-address"));
  }

  /** Debian has these shells; a host that lacks one cannot tell. */
  @Test
  void theShellsReadTheirScripts() throws IOException, InterruptedException {
    assertEquals("", said("bash", "-n", directory.resolve("hypersync.bash").toString()));
    if (isThere("zsh")) {
      assertEquals("", said("zsh", "-n", directory.resolve("_hypersync").toString()));
    }
    if (isThere("fish")) {
      assertEquals("", said("fish", "-n", directory.resolve("hypersync.fish").toString()));
      assertTrue(
          said(
                  "fish",
                  "-c",
                  "source "
                      + directory.resolve("hypersync.fish")
                      + "; complete -C 'hypersync worker up'; complete -C 'hypersync worker --loc'")
              .contains("--local-dir"));
    }
  }

  @Test
  void manReadsThePagesWithoutAWarning() throws IOException, InterruptedException {
    if (!isThere("man") || !isThere("groff")) {
      return;
    }
    for (String page : List.of("hypersync.1", "hypersync-worker.1", "hypersync-robot.1")) {
      Process man =
          new ProcessBuilder(
                  "man", "--warnings", "-l", directory.resolve("man1").resolve(page).toString())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      String warnings = new String(man.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, man.waitFor(), page);
      assertEquals("", warnings, page);
    }
  }

  private static boolean isThere(String program) {
    return Stream.of(System.getenv("PATH").split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** Standard output and error of a command that must end with 0. */
  private static String said(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), text);
    return text;
  }
}
