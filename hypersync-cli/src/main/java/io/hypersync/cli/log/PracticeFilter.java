package io.hypersync.cli.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.hypersync.cli.practice.Practice;

/**
 * Keeps out what the agents of a daemon's practice say: they join and are in touch, as those of the
 * daemon do, and a reader could not tell whose line it is. What {@link Practice} says itself stays.
 */
public final class PracticeFilter extends Filter<ILoggingEvent> {
  /** Called by logback. */
  public PracticeFilter() {}

  @Override
  public FilterReply decide(ILoggingEvent event) {
    return Practice.THREAD.equals(event.getThreadName())
            && !Practice.class.getName().equals(event.getLoggerName())
        ? FilterReply.DENY
        : FilterReply.NEUTRAL;
  }
}
