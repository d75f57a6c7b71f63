package io.hypersync.trace;

import io.hypersync.cli.trace.TraceReader;
import io.hypersync.cli.trace.TraceRecord;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The committed golden traces, {@code traces/v<format version>/<name>.trace}. They never change.
 */
final class GoldenTraces {
  private GoldenTraces() {}

  /** Paths of all traces, of every version. */
  static List<Path> all() {
    try {
      Path folder =
          Path.of(Objects.requireNonNull(GoldenTraces.class.getResource("/traces")).toURI());
      try (Stream<Path> files = Files.walk(folder)) {
        return files.filter(Files::isRegularFile).sorted().toList();
      }
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException("the committed traces cannot be read", e);
    }
  }

  /** All records of a trace. */
  static List<TraceRecord> records(byte[] trace) throws IOException {
    TraceReader reader = new TraceReader(new ByteArrayInputStream(trace));
    List<TraceRecord> records = new ArrayList<>();
    for (TraceRecord record = reader.next(); record != null; record = reader.next()) {
      records.add(record);
    }
    return records;
  }
}
