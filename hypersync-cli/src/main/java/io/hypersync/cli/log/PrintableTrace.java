package io.hypersync.cli.log;

import ch.qos.logback.classic.pattern.ExtendedThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import io.hypersync.model.text.Printable;

/**
 * Prints the stack trace of a log event with every line indented. Messages of exceptions may
 * contain line feeds, and none of their lines can be taken for a log event.
 */
public final class PrintableTrace extends ExtendedThrowableProxyConverter {
  private static final int INDENT = 2;

  /** Called by logback. */
  public PrintableTrace() {}

  @Override
  protected String throwableProxyToString(IThrowableProxy thrown) {
    return Printable.lines(super.throwableProxyToString(thrown)).indent(INDENT);
  }
}
