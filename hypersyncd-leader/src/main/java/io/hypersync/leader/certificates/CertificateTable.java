package io.hypersync.leader.certificates;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.pki.IssuedCertificates.Issued;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All certificates of a workspace as people see them: those that were issued, and those that have
 * come.
 *
 * @param rows the leader's first, then by worker and time
 */
public record CertificateTable(List<Row> rows) {
  /** Whose a certificate is. */
  public enum Kind {
    LEADER,
    WORKER,
    STANDBY;

    /** In lower case. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A certificate.
   *
   * @param worker empty for the leader's
   * @param seenMs when a worker has come with it last, in ms since 1970; 0 if never
   * @param isConnected whether a worker is connected with it
   * @param revoked what it is refused for; null if it is not
   */
  public record Row(
      CertificateFacts facts,
      Optional<WorkerId> worker,
      Kind kind,
      long seenMs,
      boolean isConnected,
      @Nullable Revocation revoked) {
    /** The worker's name, or that of the leader. */
    public String holder() {
      return worker.map(WorkerId::name).orElse("the leader");
    }
  }

  /**
   * Joins what is known.
   *
   * @param leader the certificate that the leader shows
   * @param connected the serial numbers of certificates with which workers are connected
   */
  public static CertificateTable of(
      CertificateFacts leader,
      List<Issued> issued,
      List<KnownCertificate> known,
      Set<String> connected,
      RevocationList revoked) {
    Map<String, Row> rows = new LinkedHashMap<>();
    rows.put(leader.serial(), new Row(leader, Optional.empty(), Kind.LEADER, 0, true, null));
    for (Issued each : issued) {
      Kind kind = each.worker().isPresent() ? Kind.WORKER : Kind.LEADER;
      rows.putIfAbsent(
          each.facts().serial(),
          new Row(each.facts(), each.worker(), kind, 0, false, why(revoked, each)));
    }
    for (KnownCertificate each : known) {
      String serial = each.facts().serial();
      rows.put(
          serial,
          new Row(
              each.facts(),
              Optional.of(each.worker()),
              each.isStandby() ? Kind.STANDBY : Kind.WORKER,
              each.seenMs(),
              connected.contains(serial),
              revoked.refusing(each.worker(), each.facts())));
    }
    List<Row> sorted = new ArrayList<>(rows.values());
    sorted.sort(
        Comparator.comparing((Row row) -> row.worker().map(WorkerId::name).orElse(""))
            .thenComparingLong(row -> row.facts().issuedMs()));
    return new CertificateTable(List.copyOf(sorted));
  }

  private static @Nullable Revocation why(RevocationList revoked, Issued issued) {
    return issued.worker().map(worker -> revoked.refusing(worker, issued.facts())).orElse(null);
  }

  /** The certificate with this serial number. */
  public Optional<Row> withSerial(String serial) {
    return rows.stream().filter(row -> row.facts().serial().equals(serial)).findFirst();
  }

  /** All certificates of a worker. */
  public List<CertificateFacts> of(WorkerId worker) {
    return rows.stream()
        .filter(row -> row.worker().equals(Optional.of(worker)))
        .map(Row::facts)
        .toList();
  }

  /** Whether a worker of this name has a certificate here. */
  public boolean knows(WorkerId worker) {
    return rows.stream().anyMatch(row -> row.worker().equals(Optional.of(worker)));
  }

  /**
   * The certificates that are in use and end soon: of the leader and of each worker the newest one
   * that is not revoked and, of workers, has come.
   *
   * @param nowMs ms since 1970
   * @param withinMs how soon
   */
  public List<Row> ending(long nowMs, long withinMs) {
    Map<String, Row> newest = new HashMap<>();
    for (Row row : rows) {
      boolean isUsed = row.worker().isEmpty() ? row.isConnected() : row.seenMs() > 0;
      if (isUsed && row.revoked() == null) {
        newest.merge(
            row.holder(), row, (a, b) -> a.facts().notAfterMs() >= b.facts().notAfterMs() ? a : b);
      }
    }
    return newest.values().stream()
        .filter(row -> row.facts().notAfterMs() - nowMs < withinMs)
        .sorted(Comparator.comparingLong(row -> row.facts().notAfterMs()))
        .toList();
  }
}
