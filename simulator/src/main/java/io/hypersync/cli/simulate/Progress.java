package io.hypersync.cli.simulate;

import io.hypersync.cli.render.PrintableWriter;
import io.hypersync.sim.SeedSweepLimits;
import io.hypersync.sim.SeedSweepReport;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * Shows the progress of a seed sweep on standard error: on a terminal as one line that is
 * rewritten, otherwise as a new line at each call.
 */
final class Progress {
  private static final int WIDTH = 24;
  private static final long NS_PER_S = 1_000_000_000;
  private static final int S_PER_MINUTE = 60;

  private final PrintWriter err;
  private final boolean bar;

  Progress(PrintWriter err, boolean bar) {
    this.err = err;
    this.bar = bar;
  }

  boolean isBar() {
    return bar;
  }

  void show(SeedSweepReport report) {
    if (bar) {
      clearLine();
      err.print(line(report));
    } else {
      err.println(line(report));
    }
    err.flush();
  }

  private void clearLine() {
    if (err instanceof PrintableWriter terminal) {
      terminal.clearLine();
    }
  }

  /** Clears the progress line, so that something else can be printed. */
  void clear() {
    if (bar) {
      clearLine();
      err.flush();
    }
  }

  /**
   * A progress bar and figures. The share done is that of time or of seeds, whichever is larger.
   */
  static String line(SeedSweepReport report) {
    SeedSweepLimits limits = report.limits();
    double ofSeeds = (double) report.histories() / limits.seeds();
    double ofTime = (double) report.elapsedNs() / limits.longestNs();
    double done = Math.min(1, Math.max(ofSeeds, ofTime));
    int filled = (int) (done * WIDTH);
    long seconds = report.elapsedNs() / NS_PER_S;
    return String.format(
        Locale.ROOT,
        "[%s%s] %3.0f %%  %d:%02d  %,d histories, %,.0f a minute, %d bad",
        "#".repeat(filled),
        ".".repeat(WIDTH - filled),
        done * 100,
        seconds / S_PER_MINUTE,
        seconds % S_PER_MINUTE,
        report.histories(),
        report.perMinute(),
        report.failures().size());
  }
}
