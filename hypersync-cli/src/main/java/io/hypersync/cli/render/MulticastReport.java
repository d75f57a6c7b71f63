package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import java.util.Locale;

/** What leader and workers say of the chunks that are sent to all workers at once. */
final class MulticastReport {
  private static final double PERCENT = 100;

  private MulticastReport() {}

  /** Appends a line, and one for each worker that hears nothing; none if the leader sends none. */
  static void append(StringBuilder text, JsonNode leader) {
    JsonNode multicast = leader.path("multicast");
    if (!multicast.isObject()) {
      return;
    }
    text.append(
        String.format(
            Locale.ROOT,
            "  multicast: %d of %d workers hear it, %s sent in %d packets, at most %.1f %% lost%n",
            multicast.path("workers_hearing").asLong(),
            multicast.path("workers_told").asLong(),
            Quantities.bytes(multicast.path("bytes").asLong()),
            multicast.path("packets").asLong(),
            multicast.path("worst_loss").asDouble() * PERCENT));
    for (JsonNode worker : leader.path("workers")) {
      JsonNode plane = worker.path("data_plane");
      if (plane.isObject() && !"multicast".equals(plane.path("delivery").asText())) {
        text.append("    ")
            .append(Printable.line(worker.path("worker_id").asText()))
            .append(": ")
            .append(Printable.line(plane.path("reason").asText()))
            .append('\n');
      }
    }
  }

  /** Appends a line for each worker that listens, or cannot. */
  static void appendHeard(StringBuilder text, JsonNode workers) {
    for (JsonNode worker : workers) {
      JsonNode multicast = worker.path("multicast");
      boolean isJoined = multicast.path("joined").asBoolean();
      if (!isJoined && multicast.path("packets_heard").asLong() == 0 && !hasProblem(multicast)) {
        continue;
      }
      text.append("  ").append(Printable.line(worker.path("worker_id").asText()));
      text.append(
          isJoined
              ? " hears multicast on " + Printable.line(multicast.path("interface").asText())
              : " hears no multicast now");
      if (hasProblem(multicast)) {
        text.append(" (").append(Printable.line(multicast.path("problem").asText())).append(')');
      }
      text.append(": ")
          .append(Quantities.count(multicast.path("packets_heard").asLong()))
          .append(" packets, ")
          .append(Quantities.count(multicast.path("packets_rejected").asLong()))
          .append(" others rejected, ")
          .append(Quantities.count(multicast.path("packets_replayed").asLong()))
          .append(" repeated\n");
    }
  }

  private static boolean hasProblem(JsonNode multicast) {
    return multicast.path("problem").isTextual();
  }
}
