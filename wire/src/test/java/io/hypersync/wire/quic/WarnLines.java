package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Captures log lines of the transport, which then do not appear in the usual log. */
final class WarnLines implements AutoCloseable {
  private final Logger logger;
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  WarnLines() {
    this(QuicLink.class);
  }

  /** Captures the log of the package of a class and of its subpackages. */
  WarnLines(Class<?> whose) {
    logger = (Logger) LoggerFactory.getLogger(whose.getPackageName());
    lines.start();
    logger.setAdditive(false);
    logger.addAppender(lines);
  }

  /** All lines of level WARN or higher so far. */
  List<String> all() {
    return List.copyOf(lines.list).stream()
        .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
        .toList();
  }

  void assertOne(String... parts) {
    List<String> all = all();
    assertEquals(1, all.size(), () -> "one WARN line, got " + all);
    for (String part : parts) {
      assertTrue(all.getFirst().contains(part), () -> all + " should say \"" + part + '"');
    }
  }

  @Override
  public void close() {
    logger.detachAppender(lines);
    logger.setAdditive(true);
  }
}
