package io.hypersync.cli.doctor;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.text.Printable;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Something that is wrong.
 *
 * @param detail what was found; may have names as they are, so escape it before it is shown
 * @param repair what {@code --fix} does about it; empty if that is for a person to decide
 */
public record Finding(Trouble trouble, String detail, Optional<Repair> repair) {
  static Finding of(Trouble trouble, String detail) {
    return new Finding(trouble, detail, Optional.empty());
  }

  static Finding repairable(Trouble trouble, String detail, Repair repair) {
    return new Finding(trouble, detail, Optional.of(repair));
  }

  /** As {@code docs/json.md} says, without {@code fixed}; all texts are printable. */
  public ObjectNode json() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("code", trouble.code())
        .put("severity", trouble.severity().name().toLowerCase(Locale.ROOT))
        .put("detail", Printable.line(detail))
        .put("why", trouble.why())
        .put("remedy", trouble.remedy())
        .put("fix", repair.map(each -> Printable.line(each.text())).orElse(null));
  }

  /** What is safe to do without asking. */
  public sealed interface Repair {
    /** Takes all permissions of others away from a file or directory. */
    record CloseToOthers(Path path) implements Repair {}

    /** Removes the socket of a daemon that has died. */
    record RemoveSocket(Path socket) implements Repair {}

    /** What is done, for people. */
    default String text() {
      return switch (this) {
        case CloseToOthers(Path path) -> "chmod go= " + path;
        case RemoveSocket(Path socket) -> "rm " + socket;
      };
    }
  }
}
