package io.hypersync.cli.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.log.LogEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;

/** The lines of a daemon's log, as {@code logback.xml} has them written. */
class LogLinesTest {
  private static final String HOSTILE = "x\n2026 ERROR \u001b[2J\u009b\u202e\u2028\u007f\"y\\";

  private final LoggerContext context = new LoggerContext();
  private Encoder<ILoggingEvent> encoder = new LineEncoder();

  @BeforeEach
  @SuppressWarnings("unchecked") // the file says what it encodes
  void configure() throws Exception {
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(
        Objects.requireNonNull(LogLinesTest.class.getResource("/logback.xml")));
    encoder =
        ((ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("STDERR"))
            .getEncoder();
  }

  @AfterEach
  void asText() {
    format("text");
    context.stop();
  }

  private static void format(String name) {
    ConfigurationReader reader = new ConfigurationReader();
    reader.assignment("--set", "hypersync.logging.format=" + name);
    LogOutput.follow(reader.withoutFile());
  }

  private String line(Level level, @Nullable Marker marker, String text, Object... args) {
    return line(level, marker, null, text, args);
  }

  private String line(
      Level level,
      @Nullable Marker marker,
      @Nullable Throwable thrown,
      String text,
      Object... args) {
    LoggingEvent event =
        new LoggingEvent(
            "test", context.getLogger("io.hypersync.worker.Test"), level, text, thrown, args);
    if (marker != null) {
      event.addMarker(marker);
    }
    return new String(encoder.encode(event), StandardCharsets.UTF_8);
  }

  @Test
  void aLineOfTextEndsWithItsEventAndTheFieldsOfThat() {
    String line =
        line(
            Level.INFO,
            LogEvent.WORKER_JOINED.marker().with("worker", "fmd").with("note", "two words"),
            "worker {} joined",
            "fmd");
    assertTrue(
        line.endsWith(
            "Test: worker fmd joined event=worker_joined worker=fmd note=\"two words\"\n"),
        line);
    assertFalse(line(Level.INFO, null, "worker {} joined", "fmd").contains("event="));
  }

  @Test
  void aLineOfJsonHasTheSame() throws Exception {
    format("json");
    String line =
        line(
            Level.WARN,
            LogEvent.LEADER_LOST.marker().with("worker", "fmd"),
            "leader lost: {}",
            "silence");
    JsonNode json = new ObjectMapper().readTree(line);
    assertEquals("warn", json.path("level").asText());
    assertEquals("leader_lost", json.path("event").asText());
    assertEquals("leader lost: silence", json.path("message").asText());
    assertEquals("fmd", json.path("fields").path("worker").asText());
    assertEquals("Test", json.path("logger").asText());
    assertTrue(json.path("ts").asText().endsWith("Z"), line);
    assertTrue(new ObjectMapper().readTree(line(Level.INFO, null, "a")).path("event").isNull());
  }

  @Test
  void whateverIsInAMessageOrAFieldALineIsOneLineAndPlain() throws Exception {
    for (String format : List.of("text", "json")) {
      format(format);
      String line =
          line(Level.INFO, LogEvent.MOUNTED.marker().with("mount", HOSTILE), "{}", HOSTILE);
      assertEquals(1, line.lines().count(), line);
      assertTrue(Printable.isPlain(line.stripTrailing()), line);
    }
    JsonNode json =
        new ObjectMapper()
            .readTree(
                line(Level.INFO, LogEvent.MOUNTED.marker().with("m", HOSTILE), "{}", HOSTILE));
    assertEquals(HOSTILE, json.path("message").asText());
    assertEquals(HOSTILE, json.path("fields").path("m").asText());
  }

  @Test
  void aLineHasALimitInEachForm() {
    for (String format : List.of("text", "json")) {
      format(format);
      String line =
          line(
              Level.INFO,
              LogEvent.MOUNTED.marker().with("mount", "m".repeat(100_000)),
              "{}",
              "a".repeat(1_000_000));
      assertTrue(line.length() < 3 * PrintableMessage.MAX_CHARS, "of " + line.length());
    }
  }

  @Test
  void noCharacterIsCutThroughAndHalfOnesAreReplaced() throws Exception {
    format("json");
    String face = "\ud83d\ude00";
    String most = "a".repeat(PrintableMessage.MAX_CHARS - 1);
    String cut = line(Level.INFO, null, "{}", most + face);
    assertEquals(most, new ObjectMapper().readTree(cut).path("message").asText());
    String half =
        line(Level.INFO, LogEvent.MOUNTED.marker().with("m", "a\ud83d"), "{}", "\ude00" + face);
    JsonNode json = new ObjectMapper().readTree(half);
    assertEquals("\ufffd" + face, json.path("message").asText());
    assertEquals("a\ufffd", json.path("fields").path("m").asText());
    UserError mistake = new UserError("m".repeat(100_000), "");
    assertTrue(line(Level.ERROR, null, mistake, "it ends").length() < 20_000);
  }

  @Test
  void whatOthersWriteIsNoEvent() {
    String forged = "x event=leading event=ready";
    for (String line :
        List.of(
            line(Level.INFO, null, "{}", forged),
            line(Level.ERROR, null, new IllegalStateException(forged), "failed"))) {
      assertFalse(line.contains("event="), line);
    }
    String named = line(Level.INFO, LogEvent.MOUNTED.marker().with("m", forged), "{}", forged);
    assertEquals(2, named.split("event=", -1).length, named);
    assertTrue(named.contains(" event=mounted m="), named);
  }

  @Test
  void theMistakeOfAUserHasNoStackTrace() {
    for (String format : List.of("text", "json")) {
      format(format);
      for (UserError mistake :
          List.of(
              new UserError("the port is taken", "Take another."),
              new UserError("it runs", "Stop it.", UserError.USAGE))) {
        String line = line(Level.ERROR, null, mistake, "it ends");
        assertTrue(line.contains(mistake.message()) && line.contains(mistake.hint()), line);
        assertFalse(line.contains("at io.hypersync") || line.contains("UserError"), line);
      }
      String bug = line(Level.ERROR, null, new IllegalStateException("bug"), "it ends");
      assertTrue(bug.contains("IllegalStateException"), bug);
    }
  }

  @Test
  void aFloodOfOneKindIsCutAndSaysBySoManyLines() {
    int written = 0;
    for (int i = 0; i < 10_000; i++) {
      written += line(Level.WARN, null, "peer {} is refused", i).isEmpty() ? 0 : 1;
    }
    assertTrue(LineRates.BURST <= written && written < LineRates.BURST + 100, "of " + written);
    assertFalse(line(Level.WARN, null, "another kind").isEmpty());
    assertFalse(line(Level.DEBUG, null, "peer {} is refused", 1).isEmpty(), "somebody wants it");
  }

  @Test
  void whatOnePeerCausesDoesNotHideTheOthers() {
    for (int i = 0; i < 3 * LineRates.BURST; i++) {
      var _ = line(Level.INFO, LogEvent.WORKER_JOINED.marker().with("worker", "flaps"), "joined");
    }
    for (String field : List.of("worker", "agent")) {
      String line = line(Level.INFO, LogEvent.WORKER_JOINED.marker().with(field, "b"), "joined");
      assertTrue(line.contains("joined"), field);
    }
  }

  @Test
  void anErrorIsNeverLeftOut() {
    for (int i = 0; i < 3 * LineRates.BURST; i++) {
      assertFalse(line(Level.ERROR, null, "failed").isEmpty());
    }
  }

  @Test
  void whatWasLeftOutIsSaidAtTheEndAsAWarningOfItsOwn() {
    for (int i = 0; i < LineRates.BURST + 50; i++) {
      var _ = line(Level.INFO, null, "again and again");
    }
    String end = line(Level.INFO, LogEvent.STOPPED.marker().with("daemon", "w"), "stopped");
    String note = end.lines().findFirst().orElseThrow();
    assertTrue(note.contains("WARN") && note.contains("LineRates: "), end);
    assertTrue(note.matches(".* \\d+ lines were left out: .*again and again"), end);
    assertTrue(end.contains("event=stopped"), end);
    while (!line(Level.INFO, null, "again and again").isEmpty()) {
      // until one is left out
    }
    assertTrue(
        new String(encoder.footerBytes(), StandardCharsets.UTF_8).contains("lines were left out"));
    assertEquals(0, encoder.footerBytes().length, "said once");
  }

  /** By hand: no real time passes. */
  @Test
  void howManyWereLeftOutIsSaidWithTheNextOneOrWhenNoneComesAnyMore() {
    LineRates rates = new LineRates();
    long nowNs = 5;
    for (int i = 0; i < LineRates.BURST; i++) {
      assertEquals(0, rates.admit("a", nowNs));
    }
    for (int i = 0; i < 7; i++) {
      assertEquals(-1, rates.admit("a", nowNs));
    }
    assertEquals(0, rates.admit("b", nowNs), "another kind");
    assertEquals(7, rates.admit("a", nowNs + LineRates.EVERY_NS), "one a second");
    assertEquals(-1, rates.admit("a", nowNs + LineRates.EVERY_NS));
    long later = nowNs + LineRates.EVERY_NS + LineRates.SAY_NS;
    assertEquals(List.of(), rates.overdue(later - 1));
    assertEquals(List.of(new LineRates.LeftOut("a", 1)), rates.overdue(later));
    assertEquals(List.of(), rates.overdue(later), "said once");
  }

  @Test
  void kindsWithoutEndTakeNoMemoryWithoutEnd() {
    LineRates rates = new LineRates();
    long admitted = 0;
    for (int i = 0; i < 100_000; i++) {
      admitted += rates.admit("kind " + i, 5) >= 0 ? 1 : 0;
    }
    assertEquals(LineRates.MOST_KINDS + LineRates.BURST, admitted);
  }

  @Test
  void peersWithoutEndShareWhatTheyMayAtOnce() {
    LineRates rates = new LineRates();
    long admitted = 0;
    for (int i = 0; i < 100_000; i++) {
      admitted += rates.admit("joined", "peer " + i, 5) >= 0 ? 1 : 0;
    }
    assertEquals(LineRates.PEERS * (LineRates.BURST - 1) + 1, admitted, "not for each of them");
    long laterNs = 5 + 2_000 * LineRates.EVERY_NS;
    assertTrue(rates.admit("joined", "late", laterNs) >= 0);
    for (int i = 0; i < 2 * LineRates.BURST; i++) {
      var _ = rates.admit("joined", "flaps", laterNs);
    }
    assertEquals(-1, rates.admit("joined", "flaps", laterNs), "old names have made room for it");
    assertTrue(rates.admit("joined", "late", laterNs) >= 0);
  }

  /** Names are promises: whoever takes one away or adds one does it on the page, too. */
  @Test
  void thePageHasEachEventAndNoOther() throws Exception {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/logs.md"))) {
      root = Objects.requireNonNull(root.getParent(), "docs/logs.md is in no folder above");
    }
    String page = Files.readString(root.resolve("docs/logs.md"));
    List<String> named =
        Pattern.compile("(?m)^\\| `([a-z_]+)` \\| ")
            .matcher(page.substring(page.indexOf("## Events")))
            .results()
            .map(match -> match.group(1))
            .toList();
    assertEquals(Arrays.stream(LogEvent.values()).map(LogEvent::text).toList(), named);
  }
}
