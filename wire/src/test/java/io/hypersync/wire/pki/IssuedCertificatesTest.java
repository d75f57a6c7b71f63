package io.hypersync.wire.pki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is remembered of certificates, and when people are warned of their end. */
class IssuedCertificatesTest {
  private static final Instant NOW = Instant.parse("2030-01-02T03:04:05.678Z");
  private static final WorkerId FMD = new WorkerId("fmd");

  @TempDir private Path dir;

  private WorkspaceAuthority authority() throws PkiException {
    return WorkspaceAuthority.create(
        dir.resolve("ca"), new WorkspaceId(1, 2), InstantSource.fixed(NOW));
  }

  @Test
  void whatWasIssuedIsReadAgainInOrder() throws Exception {
    assertEquals(List.of(), IssuedCertificates.read(dir));
    WorkspaceAuthority authority = authority();
    Identity leader = authority.issueLeader();
    Identity worker = authority.issueWorker(FMD);
    IssuedCertificates.addLeader(dir, leader.cert());
    IssuedCertificates.addWorker(dir, worker.cert());
    assertEquals(
        List.of(
            new IssuedCertificates.Issued(CertificateFacts.of(leader.cert()), Optional.empty()),
            new IssuedCertificates.Issued(CertificateFacts.of(worker.cert()), Optional.of(FMD))),
        IssuedCertificates.read(dir));
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("issued"))));
  }

  @Test
  void aLineThatWasCutOffHidesNoOther() throws Exception {
    WorkspaceAuthority authority = authority();
    Identity first = authority.issueWorker(FMD);
    Identity second = authority.issueWorker(FMD);
    IssuedCertificates.addWorker(dir, first.cert());
    Files.writeString(
        dir.resolve("issued"), "5f 12 34 b", StandardOpenOption.APPEND); // no line break
    Files.writeString(dir.resolve("issued"), "\nx y z fmd\n1 2\n", StandardOpenOption.APPEND);
    IssuedCertificates.addWorker(dir, second.cert());
    List<String> serials =
        IssuedCertificates.read(dir).stream().map(each -> each.facts().serial()).toList();
    assertTrue(serials.contains(CertificateFacts.of(first.cert()).serial()), serials::toString);
    assertTrue(serials.contains(CertificateFacts.of(second.cert()).serial()), serials::toString);
    assertEquals(3, serials.size(), serials::toString);
  }

  @Test
  void ofALongRecordTheEndIsRead() throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 40_000; i++) {
      text.append("\n").append(Integer.toHexString(1 + i)).append(" 1577934245000 2 worker\n");
    }
    Files.writeString(dir.resolve("issued"), text);
    Identity newest = authority().issueWorker(FMD);
    IssuedCertificates.addWorker(dir, newest.cert());
    List<IssuedCertificates.Issued> read = IssuedCertificates.read(dir);
    assertEquals(CertificateFacts.of(newest.cert()), read.getLast().facts());
    for (int back = 2; back <= read.size(); back++) {
      assertEquals(
          new CertificateFacts(Integer.toHexString(40_002 - back), 1_577_934_245_000L, 2),
          read.get(read.size() - back).facts(),
          "a line that is cut off is none");
    }
    assertTrue(read.size() > 20_000 && read.size() < 40_000, () -> read.size() + " lines");
  }

  @Test
  void whatCannotBeRecordedIsNotIssued() throws Exception {
    Identity worker = authority().issueWorker(FMD);
    assertThrows(
        PkiException.class,
        () -> IssuedCertificates.addWorker(dir.resolve("missing"), worker.cert()));
  }

  @Test
  void theFactsAreThoseOfTheCertificate() throws Exception {
    Identity worker = authority().issueWorker(FMD);
    CertificateFacts facts = CertificateFacts.of(worker.cert());
    assertEquals(worker.cert().getSerialNumber().toString(16), facts.serial());
    assertEquals(Instant.parse("2030-01-02T03:04:05Z"), Instant.ofEpochMilli(facts.issuedMs()));
    assertEquals(worker.cert().getNotAfter().toInstant().toEpochMilli(), facts.notAfterMs());
  }

  @Test
  void aWarningComesThirtyDaysAheadAndOnceADay() {
    long end = NOW.toEpochMilli();
    CertificateFacts facts = new CertificateFacts("1", 0, end);
    assertFalse(Expiry.isNear(facts, end - Duration.ofDays(30).toMillis()));
    assertTrue(Expiry.isNear(facts, end - Duration.ofDays(30).toMillis() + 1));
    Expiry expiry = new Expiry();
    long day = Duration.ofDays(1).toMillis();
    assertFalse(expiry.isDue(false, 5));
    assertTrue(expiry.isDue(true, 6));
    assertFalse(expiry.isDue(true, 5 + day));
    assertTrue(expiry.isDue(true, 6 + day));
    assertEquals("ends at 2030-01-02T03:04:05Z, in 1 day", Expiry.text(facts, end - day));
    assertEquals("ends at 2030-01-02T03:04:05Z, in 0 days", Expiry.text(facts, end - 1));
    assertEquals("has ended at 2030-01-02T03:04:05Z", Expiry.text(facts, end));
  }
}
