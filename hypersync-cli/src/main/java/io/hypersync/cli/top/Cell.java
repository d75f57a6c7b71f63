package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.NumericNode;
import io.hypersync.cli.render.Quantities;
import io.hypersync.model.text.Printable;
import java.util.Locale;

/**
 * A figure or a name: as programs and sorting want it, and as people do.
 *
 * @param value a number, a text or null
 * @param text printable, on one line
 */
record Cell(JsonNode value, String text) {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Longer texts are cut, so that no name takes memory that others need. */
  private static final int MOST_CHARS = 4_096;

  /** What is not known. */
  static final Cell NONE = new Cell(NullNode.getInstance(), "-");

  static Cell text(String text) {
    String line = Printable.line(text, MOST_CHARS);
    return new Cell(JSON.textNode(line), line);
  }

  /** The text of a node; {@link #NONE} if there is none. */
  static Cell text(JsonNode node) {
    return node.isMissingNode() || node.isNull() ? NONE : text(node.asText());
  }

  static Cell count(JsonNode number) {
    return number.isNumber() ? count(number.asLong()) : NONE;
  }

  static Cell count(long number) {
    return new Cell(JSON.numberNode(number), Quantities.count(number));
  }

  static Cell bytes(JsonNode number) {
    return number.isNumber() ? bytes(number.asLong()) : NONE;
  }

  static Cell bytes(long number) {
    return new Cell(JSON.numberNode(number), Quantities.bytes(Math.max(0, number)));
  }

  static Cell micros(JsonNode number) {
    return number.isNumber()
        ? new Cell(number, Quantities.micros(Math.round(number.asDouble())))
        : NONE;
  }

  static Cell percent(JsonNode number) {
    return number.isNumber() ? new Cell(number, Math.round(number.asDouble()) + "%") : NONE;
  }

  /** A part of a whole, 0 to 1, as percent. */
  static Cell share(JsonNode part) {
    return part.isNumber() ? new Cell(part, Math.round(100 * part.asDouble()) + "%") : NONE;
  }

  /** Milliseconds, as the two largest units. */
  static Cell duration(JsonNode ms) {
    return ms.isNumber() ? new Cell(ms, Quantities.uptime(Math.max(0, ms.asLong()))) : NONE;
  }

  /** So many a second; {@link #NONE} if it is negative, which stands for not known. */
  static Cell rate(double perSecond) {
    if (perSecond < 0) {
      return NONE;
    }
    double rounded = Math.round(10 * perSecond) / 10.0;
    String text =
        rounded == 0 || rounded >= 10
            ? Quantities.count(Math.round(rounded))
            : String.format(Locale.ROOT, "%.1f", rounded);
    return new Cell(JSON.numberNode(rounded), text);
  }

  /** Numbers by their size, texts by their letters, what is not known last of all. */
  static int compare(Cell a, Cell b) {
    if (a.value instanceof NumericNode && b.value instanceof NumericNode) {
      return Double.compare(a.value.asDouble(), b.value.asDouble());
    }
    if (a.value.isNull() != b.value.isNull()) {
      return a.value.isNull() ? -1 : 1;
    }
    return a.text.compareToIgnoreCase(b.text);
  }
}
