package io.hypersync.cli.demo;

import io.hypersync.model.text.Printable;
import java.io.PrintWriter;
import java.util.Locale;

/** Prints what the demo does, each line with the seconds since the start. Thread-safe. */
public final class Narrator {
  private static final double NS_PER_S = 1e9;
  private static final String INDENT = "           ";

  private final PrintWriter out;
  private final long startedAtNs = System.nanoTime();

  public Narrator(PrintWriter out) {
    this.out = out;
  }

  /** Prints one line; the format is that of {@link String#format}. */
  public synchronized void say(String format, Object... args) {
    double seconds = (System.nanoTime() - startedAtNs) / NS_PER_S;
    out.printf(Locale.ROOT, "[%6.1f s] ", seconds);
    out.println(Printable.line(String.format(Locale.ROOT, format + "%n", args).stripTrailing()));
    out.flush();
  }

  /** Prints the output of a tool, indented, at most {@code limit} lines of it. */
  synchronized void quote(String text, int limit) {
    long lines = text.lines().count();
    text.lines().limit(limit).forEach(line -> out.println(INDENT + Printable.line(line)));
    if (lines > limit) {
      out.println(INDENT + "... " + (lines - limit) + " lines more");
    }
    out.flush();
  }
}
