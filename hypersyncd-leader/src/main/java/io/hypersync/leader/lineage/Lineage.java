package io.hypersync.leader.lineage;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lineage of a leader's state. Each rewind, to an older state and on purpose, begins a new one;
 * what was seen of an earlier one is of no account then.
 *
 * @param id names it; 0 for a state that was never rewound
 * @param rewinds oldest first; at most {@link #MAX_REWINDS}, older ones are forgotten
 */
public record Lineage(long id, List<Rewind> rewinds) {
  /** How many rewinds are remembered. */
  public static final int MAX_REWINDS = 64;

  /** The longest name of a rewind. */
  public static final int MAX_NAME = 64;

  /** Of a state that was never rewound. */
  public static final Lineage FIRST = new Lineage(0, List.of());

  private static final String HEADING = "hypersync-lineage: 1";
  private static final String ID = "id: ";
  private static final String REWIND = "rewind: ";
  private static final int HEX = 16;

  /** A copy that nobody changes. */
  public Lineage {
    rewinds = List.copyOf(rewinds);
  }

  /**
   * The beginning of a lineage.
   *
   * @param parent the lineage before
   * @param index the last entry that both have
   * @param atMs when, in ms since 1970; for people
   * @param name what it was called; 1 to {@link #MAX_NAME} printable ASCII characters
   */
  public record Rewind(long parent, long index, long atMs, String name) {}

  /** Whether a name can be that of a rewind. */
  public static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME
        && name.equals(name.strip())
        && name.chars().allMatch(c -> c >= ' ' && c < 0x7f);
  }

  /**
   * The lineage that begins with this state.
   *
   * @param newId random, not 0
   */
  public Lineage rewound(long newId, long index, long atMs, String name) {
    List<Rewind> all = new ArrayList<>(rewinds);
    all.add(new Rewind(id, index, atMs, name));
    return new Lineage(newId, all.subList(Math.max(0, all.size() - MAX_REWINDS), all.size()));
  }

  /** Whether this state was rewound from a state of that lineage. */
  public boolean descendsFrom(long lineage) {
    return rewinds.stream().anyMatch(rewind -> rewind.parent() == lineage);
  }

  /** As it is stored. */
  public String toText() {
    StringBuilder text = new StringBuilder(HEADING + "\n" + ID + hex(id) + "\n");
    for (Rewind rewind : rewinds) {
      text.append(REWIND)
          .append(hex(rewind.parent()))
          .append(' ')
          .append(rewind.index())
          .append(' ')
          .append(rewind.atMs())
          .append(' ')
          .append(rewind.name())
          .append('\n');
    }
    return text.toString();
  }

  /** Reads what {@link #toText} has written; null if it is anything else. */
  public static @Nullable Lineage parse(String text) {
    List<String> lines = text.lines().toList();
    if (!text.endsWith("\n")
        || lines.size() < 2
        || lines.size() > 2 + MAX_REWINDS
        || !lines.get(0).equals(HEADING)
        || !lines.get(1).startsWith(ID)) {
      return null;
    }
    try {
      List<Rewind> rewinds = new ArrayList<>();
      for (String line : lines.subList(2, lines.size())) {
        if (!line.startsWith(REWIND)) {
          return null;
        }
        String[] parts = line.substring(REWIND.length()).split(" ", 4);
        if (parts.length != 4 || !isName(parts[3])) {
          return null;
        }
        rewinds.add(
            new Rewind(
                number(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]), parts[3]));
      }
      return new Lineage(number(lines.get(1).substring(ID.length())), rewinds);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static long number(String hex) {
    if (hex.length() != HEX) {
      throw new NumberFormatException(hex);
    }
    return Long.parseUnsignedLong(hex, HEX);
  }

  private static String hex(long id) {
    String digits = Long.toHexString(id);
    return "0".repeat(HEX - digits.length()) + digits;
  }
}
