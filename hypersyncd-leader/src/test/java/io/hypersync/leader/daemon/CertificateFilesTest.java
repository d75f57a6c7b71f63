package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.certificates.KnownCertificate;
import io.hypersync.leader.certificates.RevocationList;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.pki.CertificateFacts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What leaders and standbys keep of certificates. */
class CertificateFilesTest {
  private static final WorkerId FMD = new WorkerId("fmd");
  private static final Revocation FIRST = new Revocation(FMD, "", 5, "stolen");
  private static final Revocation SECOND = new Revocation(FMD, "1f", 6, "");

  @TempDir private Path dir;

  @Test
  void nothingIsRevokedBeforeThereIsAFile() {
    assertEquals(RevocationList.NONE, RevokedFile.read(dir));
    RevokedFile.add(dir, List.of());
    assertFalse(Files.exists(dir.resolve("revoked")));
  }

  @Test
  void aStandbyAddsWhatItIsToldToWhatItHas() throws Exception {
    RevokedFile.write(dir, new RevocationList(List.of(FIRST)));
    RevokedFile.add(dir, List.of(SECOND));
    RevokedFile.add(dir, List.of(FIRST));
    assertEquals(new RevocationList(List.of(FIRST, SECOND)), RevokedFile.read(dir));
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("revoked"))));
  }

  @Test
  void whatHasNoRoomIsNotDroppedInSilence() {
    List<Revocation> full = new ArrayList<>();
    for (int i = 0; i < Revocation.MAX; i++) {
      full.add(new Revocation(FMD, "", i, "x".repeat(Revocation.MAX_REASON)));
    }
    RevokedFile.write(dir, new RevocationList(full));
    assertEquals(full, RevokedFile.read(dir).all());
    assertThrows(UserError.class, () -> RevokedFile.add(dir, List.of(SECOND)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hypersync-revoked: 1\nfmd *", "something else\n"})
  void aDamagedListLetsNobodyLead(String text) throws Exception {
    Files.writeString(dir.resolve("revoked"), text);
    UserError refused = assertThrows(UserError.class, () -> RevokedFile.read(dir));
    assertTrue(refused.getMessage().contains("is damaged"), refused::getMessage);
    assertThrows(UserError.class, () -> RevokedFile.add(dir, List.of(FIRST)));
    assertEquals(text, Files.readString(dir.resolve("revoked")));
  }

  @Test
  void aReasonIsAsLongAsItIsShown() {
    assertEquals("stolen \\x1b[31m", CertificateRequests.reason("stolen \u001b[31m"));
    String longest = "x".repeat(Revocation.MAX_REASON);
    assertEquals(longest, CertificateRequests.reason(longest));
    assertThrows(UserError.class, () -> CertificateRequests.reason(longest + "x"));
    String escaped = "x".repeat(Revocation.MAX_REASON - 1) + "\u0007";
    UserError refused = assertThrows(UserError.class, () -> CertificateRequests.reason(escaped));
    assertEquals(UserError.USAGE, refused.exitCode());
  }

  @Test
  void whatWorkersHaveShownIsReadAgain() {
    List<KnownCertificate> known =
        List.of(
            new KnownCertificate(new CertificateFacts("1f", 1, 2), FMD, false, 3),
            new KnownCertificate(
                new CertificateFacts("f".repeat(40), 0, Long.MAX_VALUE),
                new WorkerId("spare"),
                true,
                4));
    assertEquals(List.of(), CertificateFile.read(dir));
    CertificateFile.write(dir, known);
    assertEquals(known, CertificateFile.read(dir));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hypersync-certificates: 2\n",
        "hypersync-certificates: 1\n1f 1 2 3 worker\n",
        "hypersync-certificates: 1\n1f 1 2 3 leader fmd\n",
        "hypersync-certificates: 1\n1f x 2 3 worker fmd\n",
        "hypersync-certificates: 1\n1f 1 2 3 worker /\n",
        "hypersync-certificates: 1\n1f 1 2 3 worker fmd"
      })
  void whatIsDamagedIsLearnedAgain(String text) throws Exception {
    assertNull(text.isEmpty() ? null : CertificateFile.parse(text));
    Files.writeString(dir.resolve("certificates"), text);
    assertEquals(List.of(), CertificateFile.read(dir));
  }
}
