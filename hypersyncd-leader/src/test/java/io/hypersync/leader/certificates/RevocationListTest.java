package io.hypersync.leader.certificates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.pki.CertificateFacts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RevocationListTest {
  private static final WorkerId FMD = new WorkerId("fmd");
  private static final long DAY_MS = 86_400_000;
  private static final long TEN_YEARS_MS = 3_653 * DAY_MS;

  /** A certificate that was issued then. */
  static CertificateFacts cert(String serial, long issuedMs) {
    return new CertificateFacts(serial, issuedMs - DAY_MS, issuedMs + TEN_YEARS_MS);
  }

  private static RevocationList of(Revocation... rows) {
    return new RevocationList(List.of(rows));
  }

  /** Times of issue are whole seconds. */
  @ParameterizedTest(name = "{0} issued at {1} ms, all revoked at {2} ms: refused is {3}")
  @CsvSource({
    "fmd,   1000, 900000, true",
    "fmd, 900000, 900000, true",
    "fmd, 900000, 900999, true",
    "fmd, 901000, 900999, false",
    "fmd, 999000, 900000, false",
    "bob,   1000, 900000, false"
  })
  void allThatAWorkerHadThenAreRefused(String worker, long issuedMs, long atMs, boolean refused) {
    RevocationList list = of(new Revocation(FMD, "", atMs, "stolen"));
    Revocation found = list.refusing(new WorkerId(worker), cert("1f", issuedMs));
    assertEquals(refused, found != null);
  }

  @ParameterizedTest(name = "{0} {1}: refused is {2}")
  @CsvSource({"fmd, 1f, true", "fmd, 1e, false", "bob, 1f, false"})
  void oneCertificateIsRefusedWheneverItWasIssued(String worker, String serial, boolean refused) {
    RevocationList list = of(new Revocation(FMD, "1f", 5, ""));
    assertEquals(refused, list.refusing(new WorkerId(worker), cert(serial, 999_000_000)) != null);
  }

  @Test
  void aSecondRevocationReachesWhatWasIssuedBetween() {
    RevocationList once = of(new Revocation(FMD, "", 1_000, ""));
    CertificateFacts between = cert("2", 5_000);
    assertNull(once.refusing(FMD, between));
    RevocationList twice = once.with(new Revocation(FMD, "", 9_000, "again"));
    assertNotNull(twice);
    assertNotNull(twice.refusing(FMD, between));
    assertNotNull(twice.refusing(FMD, cert("1", 1_000)), "the earlier one counts as before");
  }

  /** Of a clock that was ahead, or before this one was set back. */
  @Test
  void allOfAWorkerAreAlsoThoseThatAreKnownAndOfALaterTime() {
    Revocation all = new Revocation(FMD, "", 9_000, "stolen");
    CertificateFacts later = cert("2", 9_000_000);
    List<CertificateFacts> known =
        List.of(cert("1", 5_000), later, cert("3", 9_000), cert("no serial number", 99_000));
    RevocationList list = RevocationList.NONE.revoking(all, known);
    assertNotNull(list);
    assertEquals(of(all, new Revocation(FMD, "2", 9_000, "stolen")), list);
    assertNotNull(list.refusing(FMD, later));
    assertNull(list.refusing(FMD, cert("4", 10_000)), "the next token is good");
    Revocation again = new Revocation(FMD, "", 9_500, "");
    assertEquals(list.with(again), list.revoking(again, known), "it has its row");
    Revocation one = new Revocation(FMD, "1", 9_000, "");
    assertEquals(of(one), RevocationList.NONE.revoking(one, known), "only that one is meant");
  }

  @Test
  void allOfAWorkerAreRevokedOrNone() {
    List<Revocation> rows = new ArrayList<>();
    for (int i = 0; i < Revocation.MAX - 1; i++) {
      rows.add(new Revocation(new WorkerId("w" + i), "", i, ""));
    }
    RevocationList list = new RevocationList(rows);
    Revocation all = new Revocation(FMD, "", 9_000, "");
    assertNotNull(list.revoking(all, List.of(cert("1", 5_000))));
    assertNull(list.revoking(all, List.of(cert("2", 9_000_000))));
  }

  @Test
  void whatIsStoredIsReadAgain() {
    RevocationList list =
        of(
            new Revocation(FMD, "", 0, ""),
            new Revocation(
                FMD, "f".repeat(40), Long.MAX_VALUE, "gr\u00fc\u00dfe, 100 %\n\u001b[31m"),
            new Revocation(new WorkerId("b.c_d-1"), "1", 7, "x".repeat(Revocation.MAX_REASON)));
    assertEquals(list, RevocationList.parse(list.toText()));
    assertEquals(RevocationList.NONE, RevocationList.parse(RevocationList.NONE.toText()));
    assertEquals(
        """
        hypersync-revoked: 1
        fmd 1f 5 laptop+was+stolen
        fmd * 6\s
        """,
        of(new Revocation(FMD, "1f", 5, "laptop was stolen"), new Revocation(FMD, "", 6, ""))
            .toText());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\n",
        "hypersync-revoked: 2\n",
        "hypersync-revoked: 1",
        "hypersync-revoked: 1\nfmd * 5\n",
        "hypersync-revoked: 1\nfmd * x y\n",
        "hypersync-revoked: 1\nfmd 1F 5 y\n",
        "hypersync-revoked: 1\nfmd 01 5 y\n",
        "hypersync-revoked: 1\nfmd * -5 y\n",
        "hypersync-revoked: 1\n/fmd * 5 y\n",
        "hypersync-revoked: 1\nfmd * 5 %zz\n",
        "hypersync-revoked: 1\nfmd * 5 y"
      })
  void whatIsDamagedIsNotTakenForLess(String text) {
    assertNull(RevocationList.parse(text));
  }

  @Test
  void listsAreJoinedAndBounded() {
    List<Revocation> rows = new ArrayList<>();
    for (int i = 0; i < Revocation.MAX - 1; i++) {
      rows.add(new Revocation(new WorkerId("w" + i), "", i, ""));
    }
    RevocationList list = new RevocationList(rows);
    assertEquals(list, list.joined(rows.subList(3, 9)), "each row is there once");
    RevocationList full = list.with(new Revocation(FMD, "", 1, ""));
    assertNotNull(full);
    assertEquals(full, full.joined(list.all()));
    assertNull(full.with(new Revocation(FMD, "", 2, "")));
    rows.addAll(rows.subList(0, 2));
    assertThrows(IllegalArgumentException.class, () -> new RevocationList(rows));
  }
}
