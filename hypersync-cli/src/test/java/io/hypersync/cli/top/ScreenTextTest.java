package io.hypersync.cli.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lines of the screen, without a terminal; and what keys do with it. */
final class ScreenTextTest {
  private final Answers host = new Answers();
  private Shown shown = Shown.of(View.OVERVIEW, "");

  @BeforeEach
  void twoAnswers() {
    host.second(100, 40);
    host.second(350, 52);
    host.model().examined(Answers.json("[]"));
    host.answer(
        Answers.LEADER,
        Question.HAZARDS,
        Answers.json("{\"entries\":[" + Answers.hazard(90, "BlueLake", "src/a.go") + "]}"));
  }

  private List<Line> lines(int width, int height) {
    return ScreenText.lines(host.model(), shown, "14:03:22", width, height);
  }

  private String text(int width, int height) {
    return lines(width, height).stream().map(Line::text).collect(Collectors.joining("\n"));
  }

  private void press(String... keys) {
    for (String key : keys) {
      Sheet sheet = Sheets.of(shown.view(), host.model()).shown(shown);
      shown =
          shown.press(key, sheet.columns().size(), sheet.rows().size(), host.model().workspaces());
    }
  }

  @ParameterizedTest
  @CsvSource({"80,24", "200,60", "40,10", "20,5", "10,2", "1,1", "300,4"})
  void noLineIsWiderThanTheScreenAndNoScreenHigher(int width, int height) {
    for (View view : View.values()) {
      for (String then : List.of("", Keys.ENTER, "?", "/")) {
        shown = Shown.of(view, "");
        press(then);
        List<Line> lines = lines(width, height);
        assertEquals(height, lines.size(), view + then);
        for (Line line : lines) {
          assertTrue(TextWidth.of(line.text()) <= width, view + then + ": " + line);
        }
      }
    }
  }

  /** As many as there are: none is lost, none comes twice, and it ends. */
  @Test
  void tooWideLinesAreWrappedAtEachWidth() {
    List<String> texts =
        List.of(
            "",
            "  why:    How old what its agents see is: each change is there after that",
            "x".repeat(95),
            "          " + "y".repeat(40),
            "日本語のファイル名".repeat(9),
            "a日 b本 c語 ".repeat(9) + "e\u0301\u0301",
            " ".repeat(50) + "z");
    for (int width = 0; width <= 40; width++) {
      for (String text : texts) {
        int columns = width;
        List<Line> lines =
            assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> ScreenText.wrapped(List.of(Line.plain(text)), columns),
                () -> "width " + columns + " of " + text);
        for (Line line : lines) {
          assertTrue(TextWidth.of(line.text()) <= Math.max(2, width), width + ": " + line);
        }
        String all = lines.stream().map(Line::text).collect(Collectors.joining());
        assertEquals(text.replace(" ", ""), all.replace(" ", ""), "width " + width);
      }
    }
  }

  @Test
  void aLongLineIsWrappedInTheTimeOfItsLength() {
    List<Line> lines =
        assertTimeoutPreemptively(
            Duration.ofSeconds(20),
            () -> ScreenText.wrapped(List.of(Line.plain("0123456789".repeat(100_000))), 20));
    assertEquals(99_999, lines.size(), "twenty columns, and then ten behind ten blanks");
  }

  @Test
  void anOverviewOfEightyColumns() {
    String screen = text(80, 24);
    assertEquals(
        """
        HyperSync  14:03:22  workspace team (00112233)  leader and worker  term 3
        findings 0  commits 250/s  p50 850 us  p99 4.20 ms  workers 2  hazards 3  entry~
        1OVERVIEW 2agents 3conflicts 4hot 5hosts 6locks 7latency 8storage 9log 0findings
        DAEMON       STATE    INDEX   LAG   CHANGES/S      P50      P99     UP
        leader team  ok         350     -         250   850 us  4.20 ms  1h 2m
        worker fmd   ok         350     0          12  1.20 ms  9.00 ms  1m 0s
        """
            .strip(),
        screen.strip().lines().limit(6).collect(Collectors.joining("\n")));
    assertTrue(
        screen.endsWith("q quit  ? help  tab view  s sort  / filter  enter details  1 of 2"));
  }

  @Test
  void aWideScreenShowsAll() {
    assertTrue(text(200, 60).contains("hazards 3  entry 350"), text(200, 60));
  }

  @Test
  void digitsAndTabsChooseAView() {
    press("3");
    assertEquals(View.CONFLICTS, shown.view());
    assertTrue(text(80, 24).contains("3CONFLICTS"), text(80, 24));
    press(Keys.TAB, Keys.TAB);
    assertEquals(View.HOSTS, shown.view());
    press("0", Keys.TAB);
    assertEquals(View.OVERVIEW, shown.view());
    press(Keys.BACK_TAB);
    assertEquals(View.FINDINGS, shown.view());
  }

  @Test
  void theMarkedRowIsOpened() {
    press("5", "j", "j", "j", "j", "k");
    Line marked =
        lines(80, 24).stream()
            .filter(line -> line.style() == Line.Style.SELECTED)
            .findFirst()
            .orElseThrow();
    assertTrue(marked.text().startsWith("yto"), marked::text);
    press(Keys.ENTER);
    assertTrue(text(80, 24).contains("WORKER        yto"), text(80, 24));
    assertTrue(text(80, 24).contains("./hypersync message yto"), text(80, 24));
    press("q");
    assertEquals(Shown.Mode.TABLE, shown.mode(), "back, not out");
    assertTrue(shown.isEndedBy("q"));
  }

  @Test
  void rowsAreSortedByTheColumnThatIsMarked() {
    press("2", "s");
    assertTrue(text(80, 24).contains("AGENT*"), text(80, 24));
    assertTrue(text(80, 24).indexOf("BlueLake") < text(80, 24).indexOf("RedFox"));
    press("r");
    assertTrue(text(80, 24).indexOf("BlueLake") > text(80, 24).indexOf("RedFox"));
    press("s", "s", "s");
    assertTrue(text(80, 24).contains("CALLS*"), text(80, 24));
    assertTrue(
        text(80, 24).indexOf("BlueLake") < text(80, 24).indexOf("RedFox"),
        "numbers: largest first");
  }

  @Test
  void aFilterKeepsRowsWithATextAndItsLettersAreNoKeys() {
    press("2", "/", "r", "e", "d", "q");
    assertEquals(Shown.Mode.FILTERING, shown.mode());
    assertTrue(!shown.isEndedBy("q"));
    press(Keys.BACKSPACE);
    assertTrue(text(80, 24).contains("RedFox") && !text(80, 24).contains("BlueLake"), text(80, 24));
    press(Keys.ENTER);
    assertTrue(text(80, 24).contains("1 of 2  has \"red\""), text(80, 24));
    press(Keys.ESCAPE);
    assertTrue(text(80, 24).contains("BlueLake"), text(80, 24));
  }

  @Test
  void helpSaysWhatWhyAndWhenToWorry() {
    press("5", "?");
    String help = text(80, 60);
    assertTrue(help.contains("VISIBLE"), help);
    assertTrue(help.contains("  why:    How old what its agents see is"), help);
    assertTrue(help.contains("  worry:  More than 100 ms."), help);
    press("j", "j", "j");
    assertEquals(3, shown.scroll());
    press(Keys.ESCAPE);
    assertEquals(Shown.Mode.TABLE, shown.mode());
  }

  @Test
  void anotherWorkspaceIsHiddenWhenOneIsChosen() {
    host.socket("/run/hypersync/worker-99887766-a.sock", "worker");
    host.answer(
        "/run/hypersync/worker-99887766-a.sock",
        Question.STATUS,
        Answers.json(
            "{\"role\":\"worker\",\"worker_id\":\"a\",\"workspace\":\"99887766\",\"pid\":4}"));
    assertTrue(text(160, 24).contains("1 of 2 workspaces"), text(160, 24));
    press("w");
    assertTrue(!text(160, 24).contains("worker a"), text(160, 24));
    press("w");
    assertTrue(text(160, 24).contains("worker a"), text(160, 24));
    assertTrue(!text(160, 24).contains("leader team"), text(160, 24));
    press("w");
    assertEquals("", shown.workspace());
  }

  @ParameterizedTest
  @CsvSource({
    "abc, 3",
    "日本, 4",
    "e\u0301, 1",
    "😀, 2",
  })
  void charactersTakeTheirColumns(String text, int columns) {
    assertEquals(columns, TextWidth.of(text));
    assertEquals(columns + 1, TextWidth.of(TextWidth.fit(text, columns + 1)));
    assertEquals(Math.max(0, columns - 1), TextWidth.of(TextWidth.fit(text, columns - 1)));
  }

  @Test
  void keysAreWhatTerminalsSend() {
    assertEquals(
        List.of("a", Keys.UP, Keys.PAGE_DOWN, Keys.BACK_TAB, Keys.ENTER, "é", Keys.HOME),
        Keys.of("a\u001b[A\u001b[6~\u001b[Z\ré\u001bOH"));
    assertEquals(List.of(Keys.ESCAPE), Keys.of("\u001b"));
    assertEquals(List.of("q"), Keys.of("\u001b[200~q"), "what is not known is nothing");
    assertEquals(List.of(), Keys.of("\u001b["));
  }
}
