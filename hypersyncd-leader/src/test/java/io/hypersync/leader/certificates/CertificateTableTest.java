package io.hypersync.leader.certificates;

import static io.hypersync.leader.certificates.RevocationListTest.cert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.pki.IssuedCertificates.Issued;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CertificateTableTest {
  private static final WorkerId FMD = new WorkerId("fmd");
  private static final WorkerId BOB = new WorkerId("bob");
  private static final WorkerId SPARE = new WorkerId("spare");
  private static final long DAY_MS = 86_400_000;

  private static CertificateFacts ending(String serial, long notAfterMs) {
    return new CertificateFacts(serial, 0, notAfterMs);
  }

  private static Issued issued(String serial, long issuedMs, WorkerId worker) {
    return new Issued(cert(serial, issuedMs), Optional.of(worker));
  }

  private static KnownCertificate known(CertificateFacts facts, WorkerId worker) {
    return new KnownCertificate(facts, worker, worker.equals(SPARE), 77);
  }

  private static List<String> text(CertificateTable table) {
    return table.rows().stream()
        .map(
            row ->
                row.facts().serial()
                    + " "
                    + row.kind().text()
                    + " "
                    + row.holder()
                    + (row.seenMs() == 0 ? "" : " seen")
                    + (row.isConnected() ? " connected" : "")
                    + (row.revoked() == null ? "" : " revoked"))
        .toList();
  }

  @Test
  void whatWasIssuedAndWhatHasComeAreOneTable() {
    CertificateTable table =
        CertificateTable.of(
            cert("1", 1_000),
            List.of(
                new Issued(cert("1", 1_000), Optional.empty()),
                issued("5", 5_000, FMD),
                issued("3", 3_000, FMD),
                issued("4", 4_000, BOB)),
            List.of(known(cert("4", 4_000), BOB), known(cert("9", 2_000), SPARE)),
            Set.of("9"),
            new RevocationList(
                List.of(new Revocation(FMD, "", 3_500, ""), new Revocation(BOB, "4", 9, ""))));
    assertEquals(
        List.of(
            "1 leader the leader connected",
            "4 worker bob seen revoked",
            "3 worker fmd revoked",
            "5 worker fmd",
            "9 standby spare seen connected"),
        text(table));
    assertTrue(table.knows(FMD));
    assertEquals(List.of(cert("3", 3_000), cert("5", 5_000)), table.of(FMD));
    assertFalse(table.knows(new WorkerId("nobody")));
    assertEquals("bob", table.withSerial("4").orElseThrow().holder());
    assertTrue(table.withSerial("44").isEmpty());
  }

  @Test
  void onlyTheNewestOfWhatIsUsedIsWarnedOf() {
    long nowMs = 100 * DAY_MS;
    long withinMs = 30 * DAY_MS;
    CertificateTable table =
        CertificateTable.of(
            ending("1", nowMs + withinMs),
            List.of(new Issued(ending("a", nowMs + DAY_MS), Optional.of(new WorkerId("unused")))),
            List.of(
                known(ending("2", nowMs + DAY_MS), FMD), // it has a newer one
                known(ending("3", nowMs + 50 * DAY_MS), FMD),
                known(ending("4", nowMs + withinMs - 1), BOB),
                known(ending("5", nowMs - DAY_MS), SPARE),
                known(ending("6", nowMs + DAY_MS), new WorkerId("revoked"))),
            Set.of(),
            new RevocationList(List.of(new Revocation(new WorkerId("revoked"), "6", 1, ""))));
    assertEquals(
        List.of("spare", "bob"),
        table.ending(nowMs, withinMs).stream().map(CertificateTable.Row::holder).toList());
    assertEquals(
        List.of("spare", "bob", "the leader"),
        table.ending(nowMs + 1, withinMs).stream().map(CertificateTable.Row::holder).toList());
  }
}
