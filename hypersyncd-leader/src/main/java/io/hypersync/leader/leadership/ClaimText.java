package io.hypersync.leader.leadership;

import io.hypersync.leader.leadership.ClaimContent.Free;
import io.hypersync.leader.leadership.ClaimContent.Held;
import io.hypersync.leader.leadership.ClaimContent.Malformed;
import java.util.List;

/**
 * The text of a claim file, in ASCII; an empty file is no claim.
 *
 * <pre>
 * hypersync-claim: 1
 * instance: 4711-9f2c66d81a0b4e55
 * pid: 4711
 * claimed_at_ms: 1795843200000
 * beats: 12
 * wanted_by:
 * </pre>
 */
public final class ClaimText {
  /** No claim is longer; of a longer file only so much is read, and it is malformed. */
  public static final int MAX_BYTES = 1_024;

  private static final List<String> KEYS =
      List.of("hypersync-claim", "instance", "pid", "claimed_at_ms", "beats", "wanted_by");

  private ClaimText() {}

  /** Reads the text of a file, which may be anything. */
  public static ClaimContent parse(String text) {
    if (text.isEmpty()) {
      return new Free();
    }
    List<String> lines = text.lines().toList();
    if (text.length() > MAX_BYTES || !text.endsWith("\n") || lines.size() != KEYS.size()) {
      return new Malformed(text);
    }
    String[] values = new String[KEYS.size()];
    for (int i = 0; i < values.length; i++) {
      String key = KEYS.get(i) + ":";
      if (!lines.get(i).startsWith(key)) {
        return new Malformed(text);
      }
      values[i] = lines.get(i).substring(key.length()).strip();
    }
    try {
      Claim claim =
          new Claim(
              values[1],
              Long.parseLong(values[2]),
              Long.parseLong(values[3]),
              Long.parseLong(values[4]),
              values[5]);
      return values[0].equals("1")
              && Instance.isValid(claim.instance())
              && claim.pid() > 0
              && claim.beats() >= 0
              && (claim.wantedBy().isEmpty() || Instance.isValid(claim.wantedBy()))
          ? new Held(claim)
          : new Malformed(text);
    } catch (NumberFormatException e) {
      return new Malformed(text);
    }
  }

  /** The text that {@link #parse} reads so. */
  public static String of(ClaimContent content) {
    return switch (content) {
      case Free _ -> "";
      case Malformed(String text) -> text;
      case Held(Claim claim) ->
          "hypersync-claim: 1\ninstance: "
              + claim.instance()
              + "\npid: "
              + claim.pid()
              + "\nclaimed_at_ms: "
              + claim.claimedAtMs()
              + "\nbeats: "
              + claim.beats()
              + "\nwanted_by: "
              + claim.wantedBy()
              + "\n";
    };
  }
}
