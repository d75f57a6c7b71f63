package io.hypersync.worker.daemon;

import io.hypersync.worker.port.Signals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Pending signals of a thread, from {@code /proc/PID/status}. */
final class ProcSignals implements Signals {
  /** Signals that end no process by default: CHLD, CONT, STOP, TSTP, TTIN, TTOU, URG, WINCH. */
  private static final long HARMLESS = bits(17, 18, 19, 20, 21, 22, 23, 28);

  @Override
  public boolean endCaller(int pid) {
    if (pid == 0) {
      return true; // a caller of another pid namespace, which cannot be inspected
    }
    Path status = Path.of("/proc/" + pid + "/status");
    try {
      // Any bytes: the thread's name in it may be cut in the middle of a character.
      return isEnding(Files.readAllLines(status, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return !Files.exists(status); // it exists but is unreadable: perhaps readable next time
    }
  }

  /**
   * Whether a thread with this status is about to end. For a signal that ends the process without a
   * core dump, the kernel makes SIGKILL pending for each thread; any other stays pending itself.
   */
  static boolean isEnding(List<String> status) {
    long pending = 0;
    long survived = HARMLESS;
    for (String line : status) {
      int colon = line.indexOf(':');
      switch (colon < 0 ? "" : line.substring(0, colon)) {
        case "SigPnd", "ShdPnd" -> pending |= mask(line, colon);
        case "SigBlk", "SigIgn", "SigCgt" -> survived |= mask(line, colon);
        default -> {
          // A line that is not about signals.
        }
      }
    }
    return (pending & ~survived) != 0;
  }

  private static long mask(String line, int colon) {
    return Long.parseUnsignedLong(line.substring(colon + 1).strip(), 16);
  }

  private static long bits(int... signals) {
    long bits = 0;
    for (int signal : signals) {
      bits |= 1L << (signal - 1);
    }
    return bits;
  }
}
