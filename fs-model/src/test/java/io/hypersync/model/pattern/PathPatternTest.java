package io.hypersync.model.pattern;

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

/** Which paths a pattern covers: what gitignore's rules say, as JGit has them. */
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

  /** A line of an ignore file, and what it matches itself, not by what is above it. */
  @ParameterizedTest(name = "{0} and {1}: {2}")
  @CsvSource(
      textBlock =
          """
          node_modules/,  node_modules/,      true
          node_modules/,  node_modules,       false
          node_modules/,  a/b/node_modules/,  true
          node_modules/,  node_modules/x,     false
          /target,        target,             true
          /target,        a/target,           false
          /target/,       target/,            true
          a/b,            a/b,                true
          a/b,            x/a/b,              false
          a/b,            a/b/c,              false
          **/b,           a/b,                true
          a/**/b,         a/b,                true
          a/**/b,         a/x/y/b,            true
          a/**,           a/x,                true
          a/**,           a/x/y,              true
          a/**,           a/,                 false
          *.o,            x/y.o,              true
          *.o,            y.o/z,              false
          \\!x,         !x,                 true
          """)
  void leadsToWhatGitWouldIgnore(String line, String path, boolean expected) {
    assertEquals(expected, leadsTo(line, path), line + " and " + path);
    assertEquals(expected, jgit(line, path), "as JGit has it");
  }

  private static boolean leadsTo(String line, String path) {
    PathPattern read = PathPattern.ofIgnoreLine(line);
    assertNotNull(read, line);
    List<String> names = Arrays.asList(path.split("/"));
    return read.leadsTo(
        names, names.size(), path.endsWith("/"), new MatchBudget(MatchBudget.STEPS));
  }

  private static boolean jgit(String line, String path) {
    boolean isDirectory = path.endsWith("/");
    String plain = isDirectory ? path.substring(0, path.length() - 1) : path;
    return new FastIgnoreRule(line).isMatch(plain, isDirectory, true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "//", "a//b", "./a", "a/../b", ".."})
  void whatIsNoLineOfAnIgnoreFile(String line) {
    assertNull(PathPattern.ofIgnoreLine(line));
  }

  @Test
  void linesOfIgnoreFilesAgreeWithJGit() {
    Random random = new Random(815);
    List<String> names = List.of("a", "b", "*", "?", "**", "ab", "a*", "*b");
    for (int i = 0; i < 20_000; i++) {
      String pattern =
          (random.nextBoolean() ? "/" : "")
              + text(random, names)
              + (random.nextBoolean() ? "/" : "");
      String path =
          text(random, List.of("a", "b", "ab", "ba", "c")) + (random.nextBoolean() ? "/" : "");
      assertEquals(jgit(pattern, path), leadsTo(pattern, path), () -> pattern + " and " + path);
    }
  }

  private static boolean covers(String pattern, String path, boolean isDirectory) {
    PathPattern read = PathPattern.of(pattern);
    assertNotNull(read, pattern);
    return read.matches(
        Arrays.asList(path.split("/")), 0, isDirectory, new MatchBudget(MatchBudget.STEPS));
  }
}
