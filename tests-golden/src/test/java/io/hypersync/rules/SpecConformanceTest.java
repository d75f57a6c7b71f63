package io.hypersync.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/spec-conformance.md} must name existing classes and cover all required sections. */
class SpecConformanceTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PAGE = ROOT.resolve("docs/spec-conformance.md");
  private static final Pattern NAMED = Pattern.compile("`((?:[a-z0-9]+\\.)*)([A-Z][A-Za-z0-9]+)`");
  private static final Pattern TEST = Pattern.compile("`[A-Z][A-Za-z0-9]+Test`");
  private static final Set<String> STATES = Set.of("met", "deviates", "not yet");
  private static final List<String> SECTIONS =
      List.of("5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "18", "22.1");

  private record Rule(String section, String rule, String state, String where, String why) {}

  @Test
  void everyClassAndEveryTestThatIsNamedExists() throws IOException {
    List<String> sources = sources();
    List<String> missing = new ArrayList<>();
    for (Rule rule : rules()) {
      Matcher named = NAMED.matcher(rule.where + " " + rule.why);
      while (named.find()) {
        String file = "/" + named.group(1).replace('.', '/') + named.group(2) + ".java";
        if (sources.stream().noneMatch(source -> source.endsWith(file))) {
          missing.add(rule.section + ": " + named.group());
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void everyRuleHasAStateAPlaceAndATestOrAReason() throws IOException {
    for (Rule rule : rules()) {
      assertTrue(STATES.contains(rule.state), rule::toString);
      assertTrue(NAMED.matcher(rule.where).find(), rule::toString);
      if (rule.state.equals("met")) {
        assertTrue(TEST.matcher(rule.why).find(), rule::toString);
      } else {
        assertFalse(rule.why.isBlank(), rule::toString);
      }
    }
  }

  @Test
  void everySectionThatTheCoreHasToKeepIsThere() throws IOException {
    Set<String> missing = new TreeSet<>(SECTIONS);
    for (Rule rule : rules()) {
      for (String named : rule.section.replaceAll(" \\([^)]*\\)", "").split(", ", -1)) {
        missing.removeIf(section -> named.equals(section) || named.startsWith(section + "."));
      }
    }
    assertEquals(Set.of(), missing);
  }

  private static List<Rule> rules() throws IOException {
    List<Rule> rules = new ArrayList<>();
    for (String line : Files.readAllLines(PAGE)) {
      String[] cells = line.split("\\|", -1);
      if (cells.length == 7
          && !cells[1].isBlank()
          && Character.isDigit(cells[1].strip().charAt(0))) {
        rules.add(
            new Rule(
                cells[1].strip(),
                cells[2].strip(),
                cells[3].strip(),
                cells[4].strip(),
                cells[5].strip()));
      } else {
        assertFalse(line.startsWith("|") && cells.length != 7, () -> "not five cells: " + line);
      }
    }
    assertTrue(rules.size() > 50, "rows that were read: " + rules.size());
    return rules;
  }

  private static List<String> sources() throws IOException {
    List<String> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.filter(each -> Files.isDirectory(each.resolve("src"))).toList()) {
        try (Stream<Path> files = Files.walk(module.resolve("src"))) {
          files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(sources::add);
        }
      }
    }
    return sources;
  }
}
