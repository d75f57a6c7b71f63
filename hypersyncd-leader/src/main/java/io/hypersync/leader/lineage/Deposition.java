package io.hypersync.leader.lineage;

import io.hypersync.model.id.WorkerId;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * That another leader has taken a state's lineage over, as the one before has learnt it.
 *
 * <pre>
 * hypersync-deposed: 1
 * lineage: 16 hexadecimal digits
 * term: 3
 * worker: fmd
 * </pre>
 *
 * @param lineage in which both lead
 * @param term of the other leader; at most {@link Term#MAX}
 * @param worker that has seen it
 */
public record Deposition(long lineage, long term, WorkerId worker) {
  private static final int HEX = 16;
  private static final List<String> KEYS =
      List.of("hypersync-deposed: ", "lineage: ", "term: ", "worker: ");
  private static final int TERM = 2;

  /** Whether a state of this lineage and term is not to be led any more. */
  public boolean concerns(Lineage led, Term ledIn) {
    return led.id() == lineage && ledIn.number() < term;
  }

  /** As it is stored. */
  public String toText() {
    List<String> values =
        List.of("1", HexFormat.of().toHexDigits(lineage), Long.toString(term), worker.name());
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < KEYS.size(); i++) {
      text.append(KEYS.get(i)).append(values.get(i)).append('\n');
    }
    return text.toString();
  }

  /** Reads what {@link #toText} has written; null if it is anything else. */
  public static @Nullable Deposition parse(String text) {
    List<String> lines = text.lines().toList();
    if (lines.size() != KEYS.size()) {
      return null;
    }
    try {
      Deposition read =
          new Deposition(
              Long.parseUnsignedLong(value(lines, 1), HEX),
              Long.parseLong(value(lines, TERM)),
              new WorkerId(value(lines, KEYS.size() - 1)));
      return read.term >= 0 && read.term <= Term.MAX && read.toText().equals(text) ? read : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static String value(List<String> lines, int key) {
    return lines.get(key).substring(Math.min(lines.get(key).length(), KEYS.get(key).length()));
  }
}
