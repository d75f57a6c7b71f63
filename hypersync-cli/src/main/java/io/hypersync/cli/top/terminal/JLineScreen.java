package io.hypersync.cli.top.terminal;

import io.hypersync.cli.top.Line;
import io.hypersync.cli.top.TopScreen;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.NonBlockingReader;

/**
 * The terminal of this process, with its other screen, raw. It is given back as it was however the
 * process ends: by {@link #close}, and by a hook of the JVM at signals and at failures elsewhere.
 * Only a kill -9 leaves it as it is, as with any program; {@code reset} helps.
 *
 * <p>Drawing, leaving and entering take turns by the lock of this object, and what is closed draws
 * nothing more, so nothing is written on a terminal that was given back.
 */
public final class JLineScreen implements TopScreen {
  private static final String ENTER = "\u001b[?1049h\u001b[?25l\u001b[2J";
  private static final String LEAVE = "\u001b[0m\u001b[?25h\u001b[?1049l";
  private static final String CLEAR_TO_END = "\u001b[K";
  private static final String PLAIN = "\u001b[0m";

  /** Keys that are longer than a character come at once; over ssh nearly so. */
  private static final long SEQUENCE_MS = 30;

  private static final int MOST_AT_ONCE = 4_096;

  /** For giving the terminal back at the end of the process. */
  private static final Duration RESTORE_LIMIT = Duration.ofSeconds(2);

  private static final int ENDED_BY_SIGTERM = 128 + 15;

  private final Terminal terminal;
  private final Attributes before;
  private final Attributes raw;
  private final Thread hook = new Thread(this::end, "top-restores-the-terminal");
  private final boolean hasColours;
  private List<Line> shown = new ArrayList<>();
  private boolean isEntered;
  private boolean isClosed;

  private JLineScreen(Terminal terminal, boolean hasColours) {
    this.terminal = terminal;
    this.hasColours = hasColours;
    this.before = terminal.getAttributes();
    Runtime.getRuntime().addShutdownHook(hook);
    this.raw = new Attributes(before);
    raw.setLocalFlag(Attributes.LocalFlag.ICANON, false);
    raw.setLocalFlag(Attributes.LocalFlag.ECHO, false);
    raw.setLocalFlag(Attributes.LocalFlag.IEXTEN, false);
    raw.setInputFlag(Attributes.InputFlag.IXON, false);
    raw.setInputFlag(Attributes.InputFlag.ICRNL, false);
    raw.setControlChar(Attributes.ControlChar.VMIN, 1);
    raw.setControlChar(Attributes.ControlChar.VTIME, 0);
    enter();
  }

  /**
   * Takes the terminal.
   *
   * @param type of the terminal, as {@code TERM} says
   * @param hasColours whether colours are wanted
   * @throws UserError if there is none, or none that can move its cursor
   */
  @SuppressWarnings("SystemConsoleNull") // it is null where neither is a terminal, also in JDK 25
  public static JLineScreen open(Optional<String> type, boolean hasColours) {
    String hint =
        "--once writes what it shows once, as text, and --json for programs; both need no"
            + " terminal.";
    if (System.console() == null || !System.console().isTerminal()) {
      throw new UserError("standard input and output are no terminal", hint, UserError.USAGE);
    }
    if (type.isEmpty() || type.get().isEmpty() || type.get().equals("dumb")) {
      throw new UserError(
          "this terminal cannot move its cursor: TERM is "
              + type.filter(name -> !name.isEmpty()).orElse("not set"),
          hint,
          UserError.USAGE);
    }
    try {
      Terminal terminal =
          TerminalBuilder.builder()
              .system(true)
              .provider(TerminalBuilder.PROP_PROVIDER_FFM)
              .dumb(false)
              .nativeSignals(true)
              .build();
      return new JLineScreen(terminal, hasColours);
    } catch (IOException | IllegalStateException e) {
      throw new UserError("this terminal cannot be used: " + e.getMessage(), hint);
    }
  }

  @Override
  public void listen(Consumer<Input> consumer) {
    handle(Signal.WINCH, () -> consumer.accept(redrawn()));
    handle(Signal.INT, () -> consumer.accept(new Input.Ended()));
    handle(Signal.QUIT, () -> consumer.accept(new Input.Ended()));
    handle(Signal.TSTP, this::stop);
    handle(
        Signal.CONT,
        () -> {
          enter();
          consumer.accept(redrawn());
        });
    Thread _ = Thread.ofPlatform().daemon().name("top-keys").start(() -> read(consumer));
  }

  private void handle(Signal signal, Runnable what) {
    var _ = terminal.handle(signal, _ -> what.run());
  }

  private synchronized Input redrawn() {
    shown = new ArrayList<>();
    return new Input.Changed();
  }

  private void read(Consumer<Input> consumer) {
    NonBlockingReader keys = terminal.reader();
    try {
      for (int c = keys.read(); c >= 0; c = keys.read()) {
        StringBuilder typed = new StringBuilder().append((char) c);
        while (typed.length() < MOST_AT_ONCE) {
          int next = keys.read(SEQUENCE_MS);
          if (next < 0) {
            break;
          }
          typed.append((char) next);
        }
        consumer.accept(new Input.Typed(typed.toString()));
      }
    } catch (IOException gone) {
      // Then nobody types any more.
    }
    consumer.accept(new Input.Ended());
  }

  /** Stops this process, as the shell expects it, with its terminal given back before. */
  private void stop() {
    leave();
    try {
      String pid = Long.toString(ProcessHandle.current().pid());
      var _ = new ProcessBuilder("kill", "-STOP", pid).start().waitFor();
    } catch (IOException e) {
      enter(); // it cannot be stopped, so it goes on
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void enter() {
    if (isClosed) {
      return;
    }
    isEntered = true;
    shown = new ArrayList<>();
    terminal.setAttributes(raw);
    write(ENTER);
  }

  private synchronized void leave() {
    if (isEntered) {
      isEntered = false;
      write(LEAVE);
      terminal.setAttributes(before);
    }
  }

  private void write(String text) {
    PrintWriter out = terminal.writer();
    out.write(text);
    out.flush();
  }

  @Override
  public int width() {
    Size size = terminal.getSize();
    return size.getColumns() > 0 ? size.getColumns() : 80;
  }

  @Override
  public int height() {
    Size size = terminal.getSize();
    return size.getRows() > 0 ? size.getRows() : 24;
  }

  @Override
  public synchronized void show(List<Line> lines) {
    if (!isEntered || isClosed) {
      return;
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < lines.size(); i++) {
      if (i >= shown.size() || !shown.get(i).equals(lines.get(i))) {
        out.append("\u001b[").append(i + 1).append(";1H");
        out.append(style(lines.get(i).style())).append(lines.get(i).text());
        out.append(PLAIN).append(CLEAR_TO_END);
      }
    }
    shown = List.copyOf(lines);
    if (!out.isEmpty()) {
      write(out.toString());
    }
  }

  private String style(Line.Style style) {
    return switch (style) {
      case PLAIN -> "";
      case TITLE -> "\u001b[1m";
      case HEADING -> hasColours ? "\u001b[36m" : "\u001b[1m";
      case ALERT -> hasColours ? "\u001b[1;31m" : "\u001b[1m";
      case SELECTED -> "\u001b[7m";
    };
  }

  private synchronized void restore() {
    if (!isClosed) {
      leave();
      isClosed = true;
    }
  }

  /**
   * What the hook does. A terminal that takes nothing, as over a connection that stands still, has
   * a thread that draws wait with the lock, and would have this one and that of JLine wait, too:
   * then its mode is given back, which needs no room there, and the process ends all the same.
   */
  private void end() {
    Thread restoring =
        Thread.ofPlatform().daemon().name("top-leaves-the-terminal").start(this::restore);
    try {
      if (restoring.join(RESTORE_LIMIT)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      terminal.setAttributes(before);
    } finally {
      Runtime.getRuntime().halt(ENDED_BY_SIGTERM);
    }
  }

  @Override
  public void close() {
    restore();
    try {
      var _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyEnding) {
      return;
    }
    try {
      terminal.close();
    } catch (IOException alreadyGone) {
      return;
    }
  }
}
