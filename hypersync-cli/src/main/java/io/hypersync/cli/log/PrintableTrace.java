package io.hypersync.cli.log;

import ch.qos.logback.classic.pattern.ExtendedThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import org.jspecify.annotations.Nullable;

/**
 * Prints the stack trace of a log event with every line indented. Messages of exceptions may
 * contain line feeds, and none of their lines can be taken for a log event. Of a failure that the
 * user can do something about, what it says is printed in place of a trace.
 */
public final class PrintableTrace extends ExtendedThrowableProxyConverter {
  private static final int INDENT = 2;

  /** Called by logback. */
  public PrintableTrace() {}

  @Override
  protected String throwableProxyToString(IThrowableProxy thrown) {
    String mistake = mistake(thrown);
    String text = mistake != null ? mistake : super.throwableProxyToString(thrown);
    return EventName.withoutEvents(Printable.lines(text)).indent(INDENT);
  }

  /** What a failure says that the user can do something about; null for any other. */
  static @Nullable String mistake(IThrowableProxy thrown) {
    return thrown instanceof ThrowableProxy proxy && proxy.getThrowable() instanceof UserError e
        ? (e.message() + "\n" + e.hint()).strip()
        : null;
  }
}
