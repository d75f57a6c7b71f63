package io.hypersync.worker.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which paths a file of patterns makes local, and what of a file is not used. */
class IgnoreRulesTest {
  private static IgnoreFile file(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return IgnoreFile.parse(bytes, bytes.length);
  }

  private static boolean isLocal(String text, String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    String names = new String(bytes, StandardCharsets.ISO_8859_1);
    return file(text).rules().isLocal(List.of(names.split("/")), path.endsWith("/"));
  }

  @ParameterizedTest(name = "{0} | {1} | {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          node_modules/                | web/node_modules/            | true
          node_modules/                | web/node_modules             | false
          node_modules/                | web/node_modules/a/b.js      | true
          *.o                          | src/x.o                      | true
          *.o;!keep.o                  | src/keep.o                   | false
          *.o;!keep.o                  | src/x.o                      | true
          !keep.o;*.o                  | src/keep.o                   | true
          target/;!target/keep         | target/keep                  | true
          target/*;!target/keep        | target/keep                  | false
          /build                       | build                        | true
          /build                       | a/build                      | false
          \\#x                         | #x                           | true
          a                            | .git/a                       | false
          *                            | .git/                        | false
          *                            | sub/.git/config              | false
          *                            | hypersync.ignore             | false
          *                            | a/hypersync.ignore           | true
          ü*/                          | über/x                       | true
          ü*/                          | uber/x                       | false
          """)
  void lastPatternThatMatchesDecides(String lines, String path, boolean expected) {
    assertEquals(expected, isLocal(lines.replace(';', '\n'), path));
  }

  @Test
  void commentsAndEmptyLinesSayNothing() {
    IgnoreFile read = file("# build\n\n   \n#\n");
    assertTrue(read.rules().isEmpty());
    assertEquals(0, read.refusedLines());
  }

  @Test
  void blanksAndCarriageReturnsAtTheEndDoNotCount() {
    assertTrue(isLocal("a \t\r\nb  \n\n", "a"));
    assertTrue(isLocal("a \t\r\nb  \n\n", "b"));
    assertTrue(isLocal("a\\ \n", "a "), "a backslash keeps a blank");
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a//b                | it matches no path: names between slashes are missing, or . or ..
          ../x                | it matches no path: names between slashes are missing, or . or ..
          /                   | it matches no path: names between slashes are missing, or . or ..
          !                   | it matches no path: names between slashes are missing, or . or ..
          *a*b*c*d*e*f*g*h*i  | it has more than 8 stars
          """)
  void aLineThatIsNoPatternIsNamed(String line, String why) {
    IgnoreFile read = file("ok\n" + line + "\n");
    assertEquals(1, read.rules().rules().size(), "the other line is used");
    assertEquals(List.of(new IgnoreFile.Refused(2, line, why)), read.refused());
  }

  @Test
  void whatWouldMoveTheCursorIsEscaped() {
    assertEquals("a//\\x1b[2J", file("a//\u001b[2J\n").refused().getFirst().text());
  }

  @Test
  void noMoreThanAThousandPatterns() {
    String lines = String.join("\n", IntStream.range(0, 1_500).mapToObj(i -> "n" + i).toList());
    IgnoreFile read = file(lines);
    assertEquals(IgnoreFile.MAX_PATTERNS, read.rules().rules().size());
    assertEquals(500, read.refusedLines());
    assertEquals(IgnoreFile.MAX_REFUSED, read.refused().size());
    assertEquals(1_001, read.refused().getFirst().number());
    assertTrue(isLocal(lines, "n999"));
    assertEquals(false, isLocal(lines, "n1000"), "nothing is ignored by what is refused");
  }

  @Test
  void ofALongFileTheLineThatIsCutIsNotUsed() {
    byte[] content = "first\nsecond-is-cu".getBytes(StandardCharsets.UTF_8);
    IgnoreFile read = IgnoreFile.parse(content, 100_000);
    assertEquals(1, read.rules().rules().size());
    assertEquals(2, read.refused().getFirst().number());
  }

  @Test
  void aLongLineIsNotUsed() {
    IgnoreFile read = file("x".repeat(IgnoreFile.MAX_LINE_BYTES + 1));
    assertTrue(read.rules().isEmpty());
    assertTrue(read.refused().getFirst().text().length() < 100);
  }

  /** Anybody who may write the file chooses patterns; each lookup compares with all of them. */
  @Test
  void theWorstFileTakesMillisecondsForAPath() {
    String line = "*a*a*a*a*a*a*a*b";
    IgnoreRules rules = file(String.join("\n", Collections.nCopies(1_000, line))).rules();
    List<String> path = Collections.nCopies(10, "a".repeat(255));
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          for (int i = 0; i < 10; i++) {
            assertEquals(false, rules.isLocal(path, true));
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    "true,  false, true,  SHOWN",
    "true,  true,  true,  SHADOWED",
    "true,  false, false, HIDDEN",
    "false, false, true,  ORPHANED",
  })
  void whatBecomesOfALocalName(
      boolean hasDirectory, boolean isReplicated, boolean matches, LocalStanding expected) {
    IgnoreRules rules = file(matches ? "x" : "y").rules();
    List<String> path = hasDirectory ? List.of("d", "x") : null;
    assertEquals(expected, LocalStanding.of(rules, path, false, isReplicated));
  }
}
