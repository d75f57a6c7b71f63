package io.hypersync.cli.manual;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What shells complete of a command line. */
final class Completion {
  private static final String NAME = "hypersync";

  private Completion() {}

  /** A script for bash, which its completion package reads when it is needed. */
  static String bash(CommandLine line) {
    return AutoComplete.bash(NAME, line);
  }

  /** A function for zsh's {@code compinit}, with a description of each word. */
  static String zsh(CommandLine line) {
    StringBuilder script = new StringBuilder("#compdef hypersync\n\n");
    function(script, "_hypersync", line);
    return script.append("_hypersync \"$@\"\n").toString();
  }

  /** One function for a command; before it those of its subcommands. */
  private static void function(StringBuilder script, String name, CommandLine command) {
    for (CommandLine below : ManualPage.subcommands(command)) {
      function(script, name + "_" + below.getCommandName(), below);
    }
    script.append(name).append("() {\n  local context state state_descr line\n");
    script.append("  typeset -A opt_args\n  _arguments -C");
    for (OptionSpec option : options(command)) {
      for (String spelling : option.names()) {
        script.append(" \\\n    ").append(shellQuoted(zshOption(command, option, spelling)));
      }
    }
    if (ManualPage.subcommands(command).isEmpty()) {
      script.append(" \\\n    '*: :_files'\n}\n\n");
      return;
    }
    script.append(" \\\n    '1: :->command' \\\n    '*:: :->words'\n");
    script.append("  case $state in\n    command)\n      local -a commands=(\n");
    for (CommandLine below : ManualPage.subcommands(command)) {
      String entry = below.getCommandName() + ":" + ManualPage.summary(below).replace(":", "\\:");
      script.append("        ").append(shellQuoted(entry)).append('\n');
    }
    script.append("      )\n      _describe command commands\n      ;;\n    words)\n");
    script.append("      (( $+functions[").append(name).append("_$words[1]] )) && ");
    script.append(name).append("_$words[1]\n      ;;\n  esac\n}\n\n");
  }

  private static String zshOption(CommandLine command, OptionSpec option, String spelling) {
    String text =
        description(command, option).replaceAll("([\\[\\]:])", "\\\\$1"); // ends it otherwise
    boolean isLong = spelling.startsWith("--");
    String value = option.arity().max() == 0 ? "" : ":" + plain(option.paramLabel()) + ":_files";
    return "*" + spelling + (value.isEmpty() || !isLong ? "" : "=") + "[" + text + "]" + value;
  }

  /** Commands for fish, with a description of each word. */
  static String fish(CommandLine line) {
    StringBuilder script =
        new StringBuilder(
            """
            # Whether the words that are no options begin with these, and have no more than them with "only".
            function __hypersync_after
                set -l words
                for word in (commandline -opc)[2..]
                    string match -q -- '-*' $word; or set -a words $word
                end
                set -l wanted $argv[2..]
                if test $argv[1] = only
                    test "$words" = "$wanted"
                else if test -n "$wanted"
                    test "$words[1..$(count $wanted)]" = "$wanted"
                end
            end

            """);
    fish(script, "", line);
    return script.toString();
  }

  private static void fish(StringBuilder script, String words, CommandLine command) {
    for (OptionSpec option : options(command)) {
      script.append("complete -c hypersync -n '__hypersync_after begin").append(words).append("'");
      for (String spelling : option.names()) {
        boolean isLong = spelling.startsWith("--");
        script.append(isLong ? " -l " : " -s ").append(spelling.substring(isLong ? 2 : 1));
      }
      script.append(option.arity().max() == 0 ? "" : " -r");
      script.append(" -d ").append(fishQuoted(description(command, option))).append('\n');
    }
    for (CommandLine below : ManualPage.subcommands(command)) {
      script.append("complete -c hypersync -f -n '__hypersync_after only").append(words);
      script.append("' -a ").append(below.getCommandName()).append(" -d ");
      script.append(fishQuoted(ManualPage.summary(below))).append('\n');
      fish(script, words + " " + below.getCommandName(), below);
    }
  }

  private static List<OptionSpec> options(CommandLine command) {
    return command.getCommandSpec().options().stream().filter(option -> !option.hidden()).toList();
  }

  private static String description(CommandLine command, OptionSpec option) {
    return Stream.of(ManualPage.lines(command, option.description()))
        .collect(Collectors.joining(" "));
  }

  private static String plain(String label) {
    return label.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", " ").strip();
  }

  private static String shellQuoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  private static String fishQuoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
