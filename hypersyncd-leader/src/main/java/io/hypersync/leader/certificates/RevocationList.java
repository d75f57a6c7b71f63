package io.hypersync.leader.certificates;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.pki.CertificateFacts;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of a workspace that are not accepted any more. It only grows: nothing makes a
 * certificate good again. So two lists of one workspace, such as that of a leader and what its
 * standby has, are joined by taking the rows of both.
 *
 * @param all oldest first, at most {@link Revocation#MAX}, each once
 */
public record RevocationList(List<Revocation> all) {
  /** Of a workspace where nothing was revoked. */
  public static final RevocationList NONE = new RevocationList(List.of());

  private static final String HEADING = "hypersync-revoked: 1";
  private static final String NO_SERIAL = "*";
  private static final int FIELDS = 4;
  private static final long SECOND_MS = 1_000;

  /**
   * A copy that nobody changes.
   *
   * @throws IllegalArgumentException if there are too many rows
   */
  public RevocationList {
    all = List.copyOf(all);
    if (all.size() > Revocation.MAX) {
      throw new IllegalArgumentException(all.size() + " revocations");
    }
  }

  /**
   * What a certificate is refused for; null if it is not.
   *
   * <p>All certificates of a worker are meant by the time of their issue, since not all of them are
   * known: a token may lie anywhere that was never used. That time is in whole seconds, so one of
   * the same second is refused, too.
   */
  public @Nullable Revocation refusing(WorkerId worker, CertificateFacts cert) {
    for (Revocation each : all) {
      if (each.worker().equals(worker) && refuses(each, cert)) {
        return each;
      }
    }
    return null;
  }

  private static boolean refuses(Revocation revocation, CertificateFacts cert) {
    return revocation.isOfAll()
        ? cert.issuedMs() / SECOND_MS <= revocation.atMs() / SECOND_MS
        : revocation.serial().equals(cert.serial());
  }

  /** The list with one more row; null if there is no room for it. */
  public @Nullable RevocationList with(Revocation more) {
    return joined(List.of(more));
  }

  /**
   * The list with one more row. If that means all certificates of a worker, those that are known
   * and were issued later get a row each: the clock of whoever has issued them was ahead, or this
   * one was set back, and they would be good for as long as they are valid.
   *
   * @param known the certificates of that worker
   * @return null if there is no room for all of that
   */
  public @Nullable RevocationList revoking(Revocation more, List<CertificateFacts> known) {
    List<Revocation> rows = new ArrayList<>();
    rows.add(more);
    if (more.isOfAll()) {
      for (CertificateFacts cert : known) {
        if (!refuses(more, cert)
            && refusing(more.worker(), cert) == null
            && Revocation.isSerial(cert.serial())) { // a damaged record of people has others
          rows.add(new Revocation(more.worker(), cert.serial(), more.atMs(), more.reason()));
        }
      }
    }
    return joined(rows);
  }

  /** The list with the rows of another one; null if there is no room for them. */
  public @Nullable RevocationList joined(List<Revocation> others) {
    Set<Revocation> rows = new LinkedHashSet<>(all);
    rows.addAll(others);
    return rows.size() > Revocation.MAX ? null : new RevocationList(new ArrayList<>(rows));
  }

  /** As it is stored: a line for each row, the reason percent-encoded. */
  public String toText() {
    StringBuilder text = new StringBuilder(HEADING).append('\n');
    for (Revocation each : all) {
      text.append(each.worker().name())
          .append(' ')
          .append(each.isOfAll() ? NO_SERIAL : each.serial())
          .append(' ')
          .append(each.atMs())
          .append(' ')
          .append(URLEncoder.encode(each.reason(), StandardCharsets.UTF_8))
          .append('\n');
    }
    return text.toString();
  }

  /** Reads what {@link #toText} has written; null if it is anything else. */
  public static @Nullable RevocationList parse(String text) {
    List<String> lines = text.lines().toList();
    if (!text.endsWith("\n")
        || lines.size() > 1 + Revocation.MAX
        || !lines.getFirst().equals(HEADING)) {
      return null;
    }
    List<Revocation> rows = new ArrayList<>();
    try {
      for (String line : lines.subList(1, lines.size())) {
        String[] parts = line.split(" ", FIELDS);
        if (parts.length != FIELDS) {
          return null;
        }
        rows.add(
            new Revocation(
                new WorkerId(parts[0]),
                parts[1].equals(NO_SERIAL) ? "" : parts[1],
                Long.parseLong(parts[2]),
                URLDecoder.decode(parts[3], StandardCharsets.UTF_8)));
      }
      return new RevocationList(rows);
    } catch (IllegalArgumentException damaged) {
      return null;
    }
  }
}
