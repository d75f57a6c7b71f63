package io.hypersync.cli.manual;

import io.hypersync.cli.render.ProgramName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The man page of one command, in section 1. It says what {@code --help} says.
 *
 * @param name of the page, such as {@code hypersync-worker-restart}
 * @param roff what {@code man(7)} reads
 */
record ManualPage(String name, String roff) {
  /**
   * The pages of a command and of all its subcommands.
   *
   * @param version what the foot of each page says
   */
  static List<ManualPage> of(CommandLine command, String version) {
    List<ManualPage> pages = new ArrayList<>();
    pages.add(page(command, version));
    for (CommandLine below : subcommands(command)) {
      pages.addAll(of(below, version));
    }
    return pages;
  }

  /** Subcommands, each once, whatever aliases it has. */
  static Set<CommandLine> subcommands(CommandLine command) {
    return new LinkedHashSet<>(command.getSubcommands().values());
  }

  private static ManualPage page(CommandLine command, String version) {
    CommandSpec spec = command.getCommandSpec();
    String name = nameOf(command);
    StringBuilder page = new StringBuilder();
    request(page, ".TH", name.toUpperCase(Locale.ROOT), "1", "", "hypersync " + version);
    section(page, "NAME");
    line(page, name + " - " + summary(command));
    section(page, "SYNOPSIS");
    String synopsis = command.getHelp().synopsis(0).strip().replaceAll("\\s+", " ");
    line(page, synopsis);
    section(page, "DESCRIPTION");
    String[] description = lines(command, spec.usageMessage().description());
    page.append(".nf\n");
    for (String paragraph : description) {
      if (paragraph.startsWith(" ")) {
        line(page, paragraph); // a table
      } else {
        page.append(".fi\n.PP\n");
        line(page, paragraph);
        page.append(".nf\n");
      }
    }
    page.append(".fi\n");
    arguments(page, command);
    options(page, command);
    commands(page, command);
    examples(page, command);
    section(page, "SEE ALSO");
    line(page, seeAlso(command));
    return new ManualPage(name, page.toString());
  }

  /** The name of a command's page: its words with hyphens between them. */
  static String nameOf(CommandLine command) {
    return command.getCommandSpec().qualifiedName("-");
  }

  private static void arguments(StringBuilder page, CommandLine command) {
    List<PositionalParamSpec> parameters =
        command.getCommandSpec().positionalParameters().stream()
            .filter(parameter -> !parameter.hidden())
            .toList();
    if (!parameters.isEmpty()) {
      section(page, "ARGUMENTS");
      parameters.forEach(parameter -> item(page, command, parameter.paramLabel(), parameter));
    }
  }

  private static void options(StringBuilder page, CommandLine command) {
    section(page, "OPTIONS");
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (!option.hidden()) {
        item(page, command, withValue(option), option);
      }
    }
  }

  private static String withValue(OptionSpec option) {
    String names = String.join(", ", option.names());
    return option.arity().max() == 0 ? names : names + "=" + option.paramLabel();
  }

  private static void item(StringBuilder page, CommandLine command, String what, ArgSpec spec) {
    page.append(".TP\n.B ").append(Roff.quoted(what)).append('\n');
    String text = String.join(" ", lines(command, spec.description()));
    line(page, text.isEmpty() ? "-" : text);
  }

  private static void commands(StringBuilder page, CommandLine command) {
    Set<CommandLine> below = subcommands(command);
    if (below.isEmpty()) {
      return;
    }
    section(page, "COMMANDS");
    for (CommandLine one : below) {
      page.append(".TP\n.B ").append(Roff.quoted(one.getCommandName())).append('\n');
      line(page, summary(one) + " See " + nameOf(one) + "(1).");
    }
  }

  private static void examples(StringBuilder page, CommandLine command) {
    String[] footer = lines(command, command.getCommandSpec().usageMessage().footer());
    if (footer.length > 0) {
      section(page, "EXAMPLES");
      page.append(".nf\n");
      for (String example : footer) {
        line(page, example);
      }
      page.append(".fi\n");
    }
  }

  private static String seeAlso(CommandLine command) {
    List<String> others = new ArrayList<>();
    CommandLine above = command.getParent();
    if (above != null) {
      others.add(nameOf(above) + "(1)");
    }
    subcommands(command).forEach(below -> others.add(nameOf(below) + "(1)"));
    others.add("mount.fuse.hypersync(8)");
    return String.join(", ", others);
  }

  /** The first sentence of a command's description. */
  static String summary(CommandLine command) {
    String[] description = lines(command, command.getCommandSpec().usageMessage().description());
    String first = description.length == 0 ? "" : description[0];
    int end = first.indexOf(". ");
    return end < 0 ? first : first.substring(0, end + 1);
  }

  /** As {@code --help} prints them, and as an installed program is called. */
  static String[] lines(CommandLine command, String[] texts) {
    return Arrays.stream(texts)
        .map(text -> text.replace("%n", "\n").replace("%%", "%"))
        .map(text -> command.getColorScheme().text(text).plainString())
        .flatMap(String::lines)
        .map(ProgramName::installed)
        .toArray(String[]::new);
  }

  private static void section(StringBuilder page, String title) {
    page.append(".SH ").append(Roff.quoted(title)).append('\n');
  }

  private static void line(StringBuilder page, String text) {
    page.append(Roff.text(text)).append('\n');
  }

  private static void request(StringBuilder page, String request, String... arguments) {
    page.append(request)
        .append(' ')
        .append(Arrays.stream(arguments).map(Roff::quoted).collect(Collectors.joining(" ")))
        .append('\n');
  }
}
