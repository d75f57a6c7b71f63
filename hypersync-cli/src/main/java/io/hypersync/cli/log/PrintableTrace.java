package io.hypersync.cli.log;

import ch.qos.logback.classic.pattern.ExtendedThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import io.hypersync.model.text.Printable;

/**
 * The stack trace of an event, each line of it set in: messages of exceptions may have line feeds,
 * and none of them can be taken for an event of its own.
 */
public final class PrintableTrace extends ExtendedThrowableProxyConverter {
  private static final int INDENT = 2;

  /** Made by logback. */
  public PrintableTrace() {}

  @Override
  protected String throwableProxyToString(IThrowableProxy thrown) {
    return Printable.lines(super.throwableProxyToString(thrown)).indent(INDENT);
  }
}
