package io.hypersync.cli.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How a line of a daemon's log begins, where people read it, and where the journal does. */
final class LineStartTest {
  private static String start(boolean isForJournal, Level level) {
    LoggingEvent event = new LoggingEvent();
    event.setLevel(level);
    event.setTimeStamp(1_767_225_600_123L);
    return new LineStart(isForJournal).convert(event);
  }

  @Test
  void peopleSeeTimeAndLevelInColumns() {
    for (Level level : new Level[] {Level.ERROR, Level.WARN, Level.INFO, Level.DEBUG}) {
      String start = start(false, level);
      assertTrue(
          start.matches("202[56]-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.123\\S+ [A-Z]+ +"), start);
      assertEquals(start(false, Level.ERROR).length(), start.length());
    }
  }

  @Test
  void theJournalGetsThePriorityOfSyslog() {
    Map.of(Level.ERROR, "<3>", Level.WARN, "<4>", Level.INFO, "<6>", Level.DEBUG, "<7>")
        .forEach((level, priority) -> assertEquals(priority, start(true, level)));
  }
}
