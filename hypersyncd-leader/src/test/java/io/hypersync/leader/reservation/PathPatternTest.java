package io.hypersync.leader.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.eclipse.jgit.ignore.FastIgnoreRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which paths a pattern of a reservation covers: what gitignore's rules say, as JGit has them. */
class PathPatternTest {
  @ParameterizedTest(name = "{0} and {1}: {2}")
  @CsvSource(
      textBlock =
          """
          *.go,       main.go,            true
          *.go,       src/main.go,        true
          *.go,       main.goo,           false
          *.go,       a.go/b,             true
          main.go,    src/deep/main.go,   true
          main.go,    src/main.go.bak,    false
          src/api,    src/api,            true
          src/api,    src/api/users.py,   true
          src/api,    src/apis,           false
          src/api,    lib/src/api,        false
          src/*.py,   src/a.py,           true
          src/*.py,   src/deep/a.py,      false
          **/x,       x,                  true
          **/x,       a/b/x,              true
          **/x,       a/bx,               false
          a/**/b,     a/b,                true
          a/**/b,     a/1/2/b,            true
          a/**/b,     a/1/2/bb,           false
          a/**/b,     a/1/b/below,        true
          a/**,       a/b,                true
          a/**,       a/b/c,              true
          a/**,       a,                  false
          **,         any/thing,          true
          *,          any/thing,          true
          a?c,        abc,                true
          a?c,        a/c,                false
          [a-c].txt,  b.txt,              true
          [a-c].txt,  d.txt,              false
          [!a-c].txt, d.txt,              true
          [!a-c].txt, b.txt,              false
          a*b*c,      axxbxxc,            true
          a*b*c,      axxbxx,             false
          *a,         ba/x,               true
          README,     readme,             false
          src/,       src/x,              true
          """)
  void coversWhatGitWouldIgnore(String pattern, String path, boolean expected) {
    assertEquals(expected, covers(pattern, path, false), pattern + " and " + path);
    assertEquals(expected, new FastIgnoreRule(pattern).isMatch(path, false), "as JGit has it");
  }

  @Test
  void aSlashAtTheEndMeansADirectory() {
    assertEquals(true, covers("src/", "src", true));
    assertEquals(false, covers("src/", "src", false), "a file of that name");
    assertEquals(true, covers("src/", "lib/src/x", false), "at any depth");
  }

  /** Unlike with git: Agent Mail takes it away, and a pattern of one name is found anywhere. */
  @Test
  void aSlashAtTheStartMeansNothing() {
    assertEquals(true, covers("/src", "lib/src", false));
    assertEquals(true, covers("/src/api", "src/api/x", false));
    assertEquals(true, covers("./src/api", "src/api/x", false));
  }

  @Test
  void aBracketWithoutEndIsABracket() {
    assertEquals(true, covers("a[b", "a[b", false));
    assertEquals(true, covers("a\\*", "a*", false));
    assertEquals(false, covers("a\\*", "ab", false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "/", "./", "# comment", "!src", "../other", "src/../../x"})
  void whatIsNoPatternOfPathsBelowTheProject(String text) {
    assertNull(PathPattern.of(text));
  }

  /** Thousands of random patterns and paths, and no difference to JGit. */
  @Test
  void agreesWithJGit() {
    Random random = new Random(4711);
    for (int i = 0; i < 20_000; i++) {
      String pattern = text(random, List.of("a", "b", "*", "?", "**", "ab", "a*", "*b"));
      String path = text(random, List.of("a", "b", "ab", "ba", "c"));
      boolean isDirectory = random.nextBoolean();
      assertEquals(
          new FastIgnoreRule("/" + pattern).isMatch(path, isDirectory),
          covers("./" + pattern, path, isDirectory),
          () -> pattern + " and " + path + (isDirectory ? "/" : ""));
    }
  }

  private static String text(Random random, List<String> names) {
    StringBuilder text = new StringBuilder(names.get(random.nextInt(names.size())));
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      text.append('/').append(names.get(random.nextInt(names.size())));
    }
    return text.toString();
  }

  /** A pattern is somebody's text, and is compared where entries are logged. */
  @Test
  void noPatternTakesLong() {
    String stars = "*a".repeat(500) + "b";
    String name = "a".repeat(255);
    String deep = "**/a/".repeat(200) + "b";
    assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () -> {
          for (int i = 0; i < 100; i++) {
            assertEquals(false, covers(stars, name, false));
            assertEquals(false, covers(deep, "a/".repeat(127) + "c", false));
          }
        });
  }

  private static boolean covers(String pattern, String path, boolean isDirectory) {
    PathPattern read = PathPattern.of(pattern);
    assertNotNull(read, pattern);
    return read.matches(
        Arrays.asList(path.split("/")), 0, isDirectory, new MatchBudget(MatchBudget.STEPS));
  }
}
