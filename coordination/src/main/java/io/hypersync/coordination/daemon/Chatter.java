package io.hypersync.coordination.daemon;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads what a script prints to its end, and keeps the beginning: a script that prints gigabytes
 * takes no memory, and one whose output nobody reads would hang.
 */
final class Chatter {
  private static final int KEPT_BYTES = 2_000;
  private static final int PIECE_BYTES = 8_192;

  private final ByteArrayOutputStream kept = new ByteArrayOutputStream(); // guarded by itself

  Chatter(InputStream output, String thread) {
    Thread.ofVirtual().name(thread).start(() -> read(output));
  }

  private void read(InputStream output) {
    byte[] piece = new byte[PIECE_BYTES];
    try (output) {
      for (int count = output.read(piece); count >= 0; count = output.read(piece)) {
        synchronized (kept) {
          kept.write(piece, 0, Math.min(count, KEPT_BYTES - kept.size()));
        }
      }
    } catch (IOException _) {
      // The process is gone; what it has said is there.
    }
  }

  /** What was printed first since the last call, without white space around it. */
  String take() {
    synchronized (kept) {
      String text = kept.toString(StandardCharsets.UTF_8).strip();
      kept.reset();
      return text;
    }
  }
}
