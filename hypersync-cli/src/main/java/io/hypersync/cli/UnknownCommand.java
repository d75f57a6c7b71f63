package io.hypersync.cli;

import io.hypersync.cli.config.Spelling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;

/**
 * A first word that is not a command, and the command that was probably meant.
 *
 * @param word as it was typed
 * @param suggestion a similar command; empty if there is none
 */
record UnknownCommand(String word, Optional<String> suggestion) {
  /** Words that other programs use, and the command which does that here. */
  private static final Map<String, String> SYNONYMS =
      Map.ofEntries(
          Map.entry("join", "worker"),
          Map.entry("attach", "worker"),
          Map.entry("unmount", "umount"),
          Map.entry("detach", "umount"),
          Map.entry("stop", "umount"),
          Map.entry("serve", "leader"),
          Map.entry("server", "leader"),
          Map.entry("start", "leader"),
          Map.entry("create", "init"),
          Map.entry("new", "init"),
          Map.entry("enrol", "token"),
          Map.entry("enroll", "token"),
          Map.entry("invite", "token"),
          Map.entry("ls", "status"),
          Map.entry("list", "status"),
          Map.entry("ps", "status"),
          Map.entry("info", "status"),
          Map.entry("history", "log"),
          Map.entry("logs", "log"),
          Map.entry("slow", "why-slow"));

  /** Commands that the launcher script handles; this program has no such subcommands. */
  private static final List<String> OF_THE_LAUNCHER =
      List.of("bench", "simulate", "build", "test", "jdk", "dist", "help");

  /** Returns the unknown command if that is what the parser complains about, else empty. */
  static Optional<UnknownCommand> of(CommandLine.ParameterException misuse) {
    CommandLine line = misuse.getCommandLine();
    if (!(misuse instanceof CommandLine.UnmatchedArgumentException unmatched)
        || line.getParent() != null
        || unmatched.getUnmatched().isEmpty()
        || unmatched.getUnmatched().getFirst().startsWith("-")) {
      return Optional.empty();
    }
    String word = unmatched.getUnmatched().getFirst();
    String meant = SYNONYMS.get(word);
    if (meant != null) {
      return Optional.of(new UnknownCommand(word, Optional.of(meant)));
    }
    List<String> known = new ArrayList<>(line.getSubcommands().keySet());
    known.addAll(OF_THE_LAUNCHER);
    return Optional.of(new UnknownCommand(word, Spelling.nearest(word, known)));
  }

  String message() {
    return "there is no command \"" + word + '"';
  }

  /** Returns a line with the suggestion, or an empty string if there is none. */
  String hint() {
    return suggestion.map(name -> "Did you mean: ./hypersync " + name + "\n").orElse("");
  }
}
