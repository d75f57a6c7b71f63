package io.hypersync.leader.syncstandby;

import io.hypersync.model.id.WorkerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a leader remembers of the standbys that it has waited for: a start must know whether one of
 * them was told that it has everything.
 *
 * <pre>
 * hypersync-synchronous: 1
 * spare synchronous block 48213 1764331200000
 * other alone alone 41372 1764331200000
 * </pre>
 *
 * @param standbys in the order of the file
 */
public record SyncRecord(List<Standing> standbys) {
  /** Nobody was ever waited for. */
  public static final SyncRecord NONE = new SyncRecord(List.of());

  private static final String HEADING = "hypersync-synchronous: 1\n";
  private static final int FIELDS = 5;
  private static final int MOST = 64;

  /**
   * How one of them stood when it was written.
   *
   * @param isSynchronous whether nothing is acknowledged without it
   * @param told what it believes that the leader does without it
   * @param index the newest entry that counted as durable then: with {@code isSynchronous} it has
   *     all up to this one, else what follows was acknowledged without it
   * @param epochMs when, in milliseconds since 1970
   */
  public record Standing(
      WorkerId name, boolean isSynchronous, Degrade told, long index, long epochMs) {}

  /** Copies the list. */
  public SyncRecord {
    standbys = List.copyOf(standbys);
  }

  /** What is known of one; empty if it was never synchronous. */
  public Optional<Standing> of(WorkerId name) {
    return standbys.stream().filter(each -> each.name().equals(name)).findFirst();
  }

  /** The same, with this in place of what is known of that one. */
  public SyncRecord with(Standing standing) {
    List<Standing> next = new ArrayList<>(standbys);
    next.removeIf(each -> each.name().equals(standing.name()));
    next.add(standing);
    return new SyncRecord(next);
  }

  /** As it is stored. */
  public String toText() {
    StringBuilder text = new StringBuilder(HEADING);
    for (Standing each : standbys) {
      text.append(each.name().name())
          .append(each.isSynchronous() ? " synchronous " : " alone ")
          .append(each.told().text())
          .append(' ')
          .append(each.index())
          .append(' ')
          .append(each.epochMs())
          .append('\n');
    }
    return text.toString();
  }

  /** Reads what {@link #toText} has written; null if it is anything else. */
  public static @Nullable SyncRecord parse(String text) {
    if (!text.startsWith(HEADING)) {
      return null;
    }
    Map<WorkerId, Standing> read = new HashMap<>();
    List<Standing> inOrder = new ArrayList<>();
    for (String line : text.substring(HEADING.length()).lines().limit(MOST + 1).toList()) {
      Standing standing = standing(line);
      if (standing == null || read.put(standing.name(), standing) != null) {
        return null;
      }
      inOrder.add(standing);
    }
    SyncRecord record = new SyncRecord(inOrder);
    return inOrder.size() <= MOST && record.toText().equals(text) ? record : null;
  }

  private static @Nullable Standing standing(String line) {
    String[] fields = line.split(" ", -1);
    try {
      return fields.length == FIELDS
          ? new Standing(
              new WorkerId(fields[0]),
              fields[1].equals("synchronous"),
              fields[2].equals("block") ? Degrade.BLOCK : Degrade.ALONE,
              Long.parseLong(fields[3]),
              Long.parseLong(fields[4]))
          : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
