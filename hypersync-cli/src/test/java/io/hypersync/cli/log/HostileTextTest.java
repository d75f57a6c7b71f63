package io.hypersync.cli.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.render.LogReport;
import io.hypersync.cli.render.PrintableWriter;
import io.hypersync.cli.render.StatusReport;
import io.hypersync.cli.render.WhySlowReport;
import io.hypersync.model.text.Printable;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Text that unauthenticated peers, workers and callers choose, at each place where people read it.
 */
class HostileTextTest {
  private static final String FORGED =
      "x\n2026-01-01T00:00:00.000Z ERROR main Forged: \u001b[2J\u009b31m\u202egnp.exe\u2028y\u007f";

  /** Returns what a daemon's configured log prints for one event. */
  private static String logged(String message, @Nullable Throwable thrown) throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(
        Objects.requireNonNull(HostileTextTest.class.getResource("/logback.xml")));
    ConsoleAppender<?> console =
        (ConsoleAppender<?>) context.getLogger("ROOT").getAppender("STDERR");
    PatternLayoutEncoder encoder = (PatternLayoutEncoder) console.getEncoder();
    LoggingEvent event =
        new LoggingEvent(
            "test",
            context.getLogger("io.hypersync.Test"),
            ch.qos.logback.classic.Level.WARN,
            message,
            thrown,
            null);
    return new String(encoder.encode(event), StandardCharsets.UTF_8);
  }

  @Test
  void anEventIsOneLineOfTheLogWhoeverChoseItsMessage() throws Exception {
    String line = logged(FORGED, null);
    assertEquals(1, line.lines().count(), line);
    assertTrue(line.endsWith("\n"), line);
    assertTrue(Printable.isPlain(line.stripTrailing()), line);
    assertTrue(line.contains("x\\x0a2026-01-01"), line);
    assertTrue(line.contains("\\u009b31m\\u202egnp.exe"), line);
  }

  @Test
  void aLineOfTheLogHasALimit() throws Exception {
    String line = logged("a".repeat(1_000_000), null);
    assertTrue(line.length() < 2 * PrintableMessage.MAX_CHARS, "of " + line.length());
  }

  @Test
  void noLineOfAStackTraceLooksLikeAnEvent() throws Exception {
    String text = logged("failed", new IllegalStateException(FORGED));
    List<String> lines = text.lines().toList();
    assertTrue(lines.size() > 3, text);
    for (String line : lines.subList(1, lines.size())) {
      assertTrue(line.isEmpty() || line.startsWith("  "), text);
      assertTrue(Printable.isPlain(line.replace("\t", "")), text);
    }
  }

  @Test
  void whatThisCommandWritesHasNoControlSequences() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintableWriter out = PrintableWriter.to(bytes)) {
      out.println(FORGED);
      out.print('\u001b');
      out.write(FORGED.toCharArray(), 0, FORGED.length());
      out.printf("%s%n", FORGED);
    }
    String text = bytes.toString(Charset.defaultCharset());
    assertTrue(Printable.isPlain(text.replace("\n", "")), text);
  }

  /** JSON output contains the same characters, escaped by JSON's rules. */
  @Test
  void jsonStaysJson() throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode tree = mapper.createObjectNode().put("name", FORGED);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintableWriter out = PrintableWriter.to(bytes)) {
      out.println(tree.toPrettyString());
    }
    String text = bytes.toString(Charset.defaultCharset());
    assertTrue(Printable.isPlain(text.replace("\n", "")), text);
    assertEquals(FORGED, mapper.readTree(text).path("name").asText());
  }

  @Test
  void noReportGetsALineMoreByWhatIsInIt() throws Exception {
    String forged = new ObjectMapper().writeValueAsString(FORGED);
    JsonNode status =
        new ObjectMapper()
            .readTree(
                """
                {"leaders":[{"workspace_name":%1$s,"workspace":%1$s,"address":%1$s,"root":%1$s,
                   "workers":[{"worker_id":%1$s,"address":%1$s,"root":%1$s}]}],
                 "workers":[{"worker_id":%1$s,"mount":%1$s,"root":%1$s,"pid":1,
                   "apply_error":{"log_index":1,"errno":%1$s}}],
                 "unresponsive":[{"socket":%1$s,"reason":%1$s}],
                 "dead":[{"role":%1$s,"socket":%1$s}],
                 "dead_mounts":[%1$s]}
                """
                    .formatted(forged));
    JsonNode log =
        new ObjectMapper()
            .readTree(
                """
                {"entries":[{"log_index":1,"committed_at":%1$s,"worker_id":%1$s,"agent":%1$s,"op":%1$s,
                  "detail":%1$s,"root":%1$s}]}
                """
                    .formatted(forged));
    JsonNode slow =
        new ObjectMapper()
            .readTree(
                """
                {"workers":[{"worker_id":%1$s,"mount":%1$s,"slowest":[{"op":%1$s,"path":%1$s,
                  "stage":%1$s}],"limit":{"sentence":%1$s,"advice":%1$s}}]}
                """
                    .formatted(forged));
    for (String text :
        List.of(
            StatusReport.render(status),
            LogReport.render(log, false),
            WhySlowReport.render(slow))) {
      assertFalse(text.contains("\n2026-01-01T00:00:00.000Z ERROR"), text);
      assertTrue(Printable.isPlain(text.replace("\n", "")), text);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"status", "log", "umount", "replay", "leader"})
  void noErrorOfACommandGetsALineMoreByAWord(String command) {
    Invocation said = Invocation.of(command, "--run-dir", FORGED, FORGED);
    assertFalse(said.err().contains("\n2026-01-01T00:00:00.000Z ERROR"), said.err());
    assertTrue(Printable.isPlain(said.err().replace("\n", "")), said.err());
  }
}
