package io.hypersync.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;

/** Each command line of the documents is one that this program takes. */
final class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..");

  /** What the launcher runs itself, or in a module that is not on this class path. */
  private static final Set<String> OF_THE_LAUNCHER =
      Set.of("build", "test", "jdk", "dist", "bench", "simulate", "cleanup", "flood");

  private static final String PROGRAM =
      "(?:sudo (?:-\\S+ )*)?(?:[A-Z_]+=\\S+ )*(?:exec )?(?:\\./|/usr/bin/)?hypersync ";

  /** A command in a line of a code block, or in a span of code; and one behind another one. */
  private static final Pattern BLOCK = Pattern.compile("^\\s*(?:\\$ |# )?" + PROGRAM + "(.+)$");

  private static final Pattern SPAN = Pattern.compile("`" + PROGRAM + "([^`]+)`");
  private static final Pattern NEXT = Pattern.compile("(?:&&|\\|\\||;) " + PROGRAM + "([^`]+)");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

  /** A place in a document, and the words behind {@code hypersync}. */
  private record Documented(String place, List<String> words) {}

  private static List<Path> documents() throws IOException {
    List<Path> found =
        new ArrayList<>(
            List.of(
                ROOT.resolve("README.md"),
                ROOT.resolve("CONTRIBUTING.md"),
                ROOT.resolve("llms.txt")));
    try (Stream<Path> pages = Files.walk(ROOT.resolve("docs"))) {
      pages
          .filter(page -> page.toString().endsWith(".md") || page.toString().endsWith(".txt"))
          .sorted()
          .forEach(found::add);
    }
    return found;
  }

  private static List<Documented> commands() throws IOException {
    List<Documented> found = new ArrayList<>();
    for (Path document : documents()) {
      boolean isBlock = false;
      int number = 0;
      for (String line : Files.readAllLines(document)) {
        number++;
        String place = ROOT.relativize(document) + ":" + number;
        if (line.strip().startsWith("```")) {
          isBlock = !isBlock;
          continue;
        }
        of(line, isBlock).forEach(words -> found.add(new Documented(place, words)));
      }
    }
    return found;
  }

  private static List<List<String>> of(String line, boolean isBlock) {
    List<List<String>> found = new ArrayList<>();
    Matcher first = (isBlock ? BLOCK : SPAN).matcher(line);
    while (first.find()) {
      found.add(words(first.group(1)));
    }
    Matcher next = NEXT.matcher(line);
    for (int at = 0; isBlock && next.find(at); at = next.start(1)) {
      found.add(words(next.group(1)));
    }
    return found;
  }

  /**
   * The words of a command, up to a comment or the next command. What stands for something is a 1:
   * {@code <last good entry>}, or {@code N}.
   */
  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(text.replaceAll("<[^<>]+>", "1").replaceAll("\\bN\\b", "1"));
    while (matcher.find()) {
      String word = matcher.group();
      if (word.equals("#")
          || word.equals(";")
          || word.equals("|")
          || word.equals(">")
          || word.equals("&&")
          || word.equals("&")) {
        break;
      }
      boolean ends = word.endsWith(";");
      words.add(
          (ends ? word.substring(0, word.length() - 1) : word).replaceAll("^[\"']|[\"']$", ""));
      if (ends) {
        break;
      }
    }
    return words;
  }

  /** A line that stands for several: it has an ellipsis, an alternative or an optional word. */
  private static boolean isPattern(List<String> words) {
    return words.stream()
        .anyMatch(word -> word.contains("...") || word.contains("|") || word.startsWith("["));
  }

  private static CommandLine line(String command) {
    return Main.commandLine(
        command,
        _ -> {
          throw new AssertionError("no leader is wanted");
        },
        _ -> {
          throw new AssertionError("no worker is wanted");
        });
  }

  @TestFactory
  Stream<DynamicTest> eachIsTaken() throws IOException {
    return commands().stream()
        .filter(each -> !isPattern(each.words()))
        .filter(each -> !OF_THE_LAUNCHER.contains(each.words().getFirst()))
        .map(
            each ->
                DynamicTest.dynamicTest(
                    each.place() + " hypersync " + String.join(" ", each.words()),
                    () -> assertEquals("", problem(each.words()))));
  }

  /** Why the program does not take these words; empty if it does. What is missing is not asked. */
  private static String problem(List<String> words) {
    try {
      line(words.getFirst()).parseArgs(words.toArray(String[]::new));
      return "";
    } catch (CommandLine.MissingParameterException e) {
      return unknownOption(words); // a document may name a command alone
    } catch (CommandLine.ParameterException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** The first option that no command of these words has; what is missing is told before it. */
  private static String unknownOption(List<String> words) {
    CommandLine command = line(words.getFirst());
    Set<String> known = new HashSet<>(options(command));
    for (String word : words) {
      CommandLine sub = command.getSubcommands().get(word);
      if (sub != null) {
        command = sub;
        known.addAll(options(sub));
      }
    }
    for (String word : words) {
      if (word.equals("--")) {
        break; // the rest is another program's
      }
      if (word.startsWith("--") && !known.contains(word.replaceFirst("=.*", ""))) {
        return "Unknown option: " + word;
      }
    }
    return "";
  }

  private static Set<String> options(CommandLine command) {
    Set<String> names = new HashSet<>(command.getCommandSpec().optionsMap().keySet());
    names.addAll(command.getCommandSpec().negatedOptionsMap().keySet());
    return names;
  }

  @Test
  void theyAreFound() throws IOException {
    assertTrue(commands().size() > 200, () -> "only some are found");
    assertEquals(List.of("log", "--tail", "5"), words("log --tail 5   # what was committed"));
    assertEquals(List.of("message", "w1", "a b"), words("message w1 \"a b\"; ls"));
  }

  @Test
  void oneThatIsWrongIsNotTaken() {
    assertTrue(problem(List.of("log", "--tial", "5")).contains("--tial"));
    assertTrue(problem(List.of("lgo")).contains("lgo"));
    assertTrue(problem(List.of("message", "--wrokspace", "team")).contains("--wrokspace"));
    assertEquals("", problem(List.of("message", "--workspace", "team")));
  }

  @Test
  void secondCommandsOfALineAreReadAndThoseOfRoot() {
    assertEquals(
        List.of(List.of("status"), List.of("log", "--tail", "5"), List.of("gc")),
        of(
            "sudo ./hypersync status && ./hypersync log --tail 5; sudo -E hypersync gc # now",
            true));
    assertEquals(List.of(List.of("top")), of("cd /srv && hypersync top", true));
    assertEquals(List.of(List.of("doctor")), of("Run `sudo hypersync doctor` as root", false));
  }
}
