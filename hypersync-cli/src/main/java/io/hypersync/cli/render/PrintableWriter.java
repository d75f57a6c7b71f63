package io.hypersync.cli.render;

import io.hypersync.model.text.Printable;
import java.io.BufferedWriter;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.util.function.UnaryOperator;

/**
 * Writer to standard output or error that lets no control sequence through to the terminal,
 * whatever is written: names, messages of other hosts, JSON. Line feeds pass, so text that must
 * stay on one line has to be made so with {@link Printable#line}.
 */
public final class PrintableWriter extends PrintWriter {
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final Writer raw;

  private PrintableWriter(Writer raw, UnaryOperator<String> wording) {
    super(new Filter(raw, wording), true);
    this.raw = raw;
  }

  /** Writes to a stream in the JVM's default charset, whatever the terminal's is. */
  public static PrintableWriter to(OutputStream stream) {
    return to(stream, UnaryOperator.identity());
  }

  /**
   * The same, for texts that are worded otherwise before.
   *
   * @param wording what becomes of each piece that is written
   */
  public static PrintableWriter to(OutputStream stream, UnaryOperator<String> wording) {
    return new PrintableWriter(
        new BufferedWriter(new OutputStreamWriter(stream, Charset.defaultCharset())), wording);
  }

  /** Clears the current line of the terminal, for progress that is shown in its place. */
  public void clearLine() {
    flush();
    try {
      raw.write(CLEAR_LINE);
    } catch (IOException e) {
      setError();
    }
  }

  private static final class Filter extends FilterWriter {
    private final UnaryOperator<String> wording;

    Filter(Writer raw, UnaryOperator<String> wording) {
      super(raw);
      this.wording = wording;
    }

    @Override
    public void write(int c) throws IOException {
      write(Character.toString((char) c));
    }

    @Override
    public void write(char[] chars, int offset, int length) throws IOException {
      write(new String(chars, offset, length));
    }

    @Override
    public void write(String text, int offset, int length) throws IOException {
      write(text.substring(offset, offset + length));
    }

    @Override
    public void write(String text) throws IOException {
      out.write(Printable.lines(wording.apply(text)));
    }
  }
}
