package io.hypersync.wire.pki;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Authorities, certificates, and their files. */
class PkiTest {
  private static final WorkspaceId WORKSPACE =
      WorkspaceId.parse("00112233445566778899aabbccddeeff");
  private static final WorkspaceId OTHER = WorkspaceId.parse("ff112233445566778899aabbccddeeff");
  private static final WorkerId WORKER = new WorkerId("build-3.rack_1");
  private static final InetSocketAddress LEADER =
      InetSocketAddress.createUnresolved("leader.example", 7433);

  @TempDir Path dir;

  @Test
  void theLeadersCertificateCarriesTheNameOfItsWorkspace() throws Exception {
    Identity leader = WorkspaceAuthority.create(dir, WORKSPACE).issueLeader();
    PeerCertificates.verifyLeader(chain(leader), leader.caCert(), WORKSPACE);
    assertMessage(
        CertificateException.class,
        "leader.ff112233445566778899aabbccddeeff.hypersync: another workspace",
        () -> PeerCertificates.verifyLeader(chain(leader), leader.caCert(), OTHER));
    assertMessage(
        CertificateException.class,
        "not one of a worker",
        () -> PeerCertificates.verifyWorker(chain(leader), leader.caCert(), WORKSPACE));
  }

  @Test
  void aWorkersCertificateCarriesItsName() throws Exception {
    Identity worker = WorkspaceAuthority.create(dir, WORKSPACE).issueWorker(WORKER);
    assertEquals(WORKER, PeerCertificates.verifyWorker(chain(worker), worker.caCert(), WORKSPACE));
    assertMessage(
        CertificateException.class,
        "instead of hypersync:worker:ff112233445566778899aabbccddeeff:build-3.rack_1",
        () -> PeerCertificates.verifyWorker(chain(worker), worker.caCert(), OTHER));
    assertMessage(
        CertificateException.class,
        "not one of a leader",
        () -> PeerCertificates.verifyLeader(chain(worker), worker.caCert(), WORKSPACE));
  }

  @Test
  void anotherAuthorityOfTheSameNameCountsForNothing() throws Exception {
    Identity worker = WorkspaceAuthority.create(dir.resolve("a"), WORKSPACE).issueWorker(WORKER);
    X509Certificate other = WorkspaceAuthority.create(dir.resolve("b"), WORKSPACE).certificate();
    assertMessage(
        CertificateException.class,
        "not the authority of this workspace",
        () -> PeerCertificates.verifyWorker(chain(worker), other, WORKSPACE));
  }

  @Test
  void theAuthoritysOwnCertificateIsNobodys() throws Exception {
    X509Certificate ca = WorkspaceAuthority.create(dir, WORKSPACE).certificate();
    assertThrows(
        CertificateException.class,
        () -> PeerCertificates.verifyLeader(new X509Certificate[] {ca}, ca, WORKSPACE));
  }

  @Test
  void nobodyShowingAnythingIsRefused() throws Exception {
    X509Certificate ca = WorkspaceAuthority.create(dir, WORKSPACE).certificate();
    assertMessage(
        CertificateException.class,
        "no certificate was presented",
        () -> PeerCertificates.verifyWorker(new X509Certificate[0], ca, WORKSPACE));
  }

  @Test
  void certificatesOfAClockThatIsAnHourAheadAreGood() throws Exception {
    InstantSource ahead = InstantSource.fixed(Instant.now().plus(Duration.ofHours(1)));
    Identity worker = WorkspaceAuthority.create(dir, WORKSPACE, ahead).issueWorker(WORKER);
    assertEquals(WORKER, PeerCertificates.verifyWorker(chain(worker), worker.caCert(), WORKSPACE));
  }

  @Test
  void certificatesLastTenYearsAndNoLonger() throws Exception {
    InstantSource nineYearsAgo = InstantSource.fixed(Instant.now().minus(Duration.ofDays(9 * 365)));
    Identity good =
        WorkspaceAuthority.create(dir.resolve("9"), WORKSPACE, nineYearsAgo).issueWorker(WORKER);
    assertEquals(WORKER, PeerCertificates.verifyWorker(chain(good), good.caCert(), WORKSPACE));
    InstantSource elevenYearsAgo =
        InstantSource.fixed(Instant.now().minus(Duration.ofDays(11 * 366)));
    Identity old =
        WorkspaceAuthority.create(dir.resolve("11"), WORKSPACE, elevenYearsAgo).issueWorker(WORKER);
    assertMessage(
        CertificateExpiredException.class,
        "not valid any more: it is valid from",
        () -> PeerCertificates.verifyWorker(chain(old), old.caCert(), WORKSPACE));
    assertMessage(
        CertificateExpiredException.class,
        "and by the clock of this host it is " + Instant.now().toString().substring(0, 10),
        () -> PeerCertificates.verifyWorker(chain(old), old.caCert(), WORKSPACE));
  }

  /** As if this host's clock were three days behind. */
  @Test
  void whatIsNotValidYetIsSaidToBeAMatterOfClocks() throws Exception {
    InstantSource ahead = InstantSource.fixed(Instant.now().plus(Duration.ofDays(3)));
    Identity leader = WorkspaceAuthority.create(dir, WORKSPACE, ahead).issueLeader();
    CertificateException refused =
        assertThrows(
            CertificateNotYetValidException.class,
            () -> PeerCertificates.verifyLeader(chain(leader), leader.caCert(), WORKSPACE));
    String text = String.valueOf(refused.getMessage());
    assertTrue(text.contains("it is valid from " + leader.cert().getNotBefore().toInstant()), text);
    assertTrue(text.contains("This clock is behind, or that of the host"), text);
    assertTrue(CertificateDates.isAboutClock(text), text);
  }

  @Test
  void anAuthorityCanBeOpenedAgainAndGoesOnIssuing() throws Exception {
    WorkspaceAuthority created = WorkspaceAuthority.create(dir, WORKSPACE);
    Identity worker = WorkspaceAuthority.open(dir, WORKSPACE).issueWorker(WORKER);
    assertEquals(
        WORKER, PeerCertificates.verifyWorker(chain(worker), created.certificate(), WORKSPACE));
  }

  @Test
  void anAuthorityIsNeverOverwritten() throws Exception {
    WorkspaceAuthority created = WorkspaceAuthority.create(dir, WORKSPACE);
    assertMessage(
        PkiException.class,
        "has an authority already",
        () -> WorkspaceAuthority.create(dir, WORKSPACE));
    assertEquals(
        created.certificate(), WorkspaceAuthority.open(dir, WORKSPACE).certificate(), "untouched");
  }

  @Test
  void anAuthorityOfAnotherWorkspaceIsNotOpened() throws Exception {
    var _ = WorkspaceAuthority.create(dir, WORKSPACE);
    assertMessage(
        PkiException.class,
        "expected \"HyperSync workspace ff11",
        () -> WorkspaceAuthority.open(dir, OTHER));
  }

  @Test
  void keysAreReadableByTheirOwnerOnly() throws Exception {
    WorkspaceAuthority authority = WorkspaceAuthority.create(dir.resolve("ca"), WORKSPACE);
    authority.issueLeader().write(dir.resolve("leader"));
    EnrolmentToken.issue(authority, LEADER, WORKER).write(dir.resolve("w.enrol"));
    for (String file : new String[] {"ca/ca.key", "leader/key.pem", "w.enrol"}) {
      assertEquals(
          "rw-------",
          PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve(file))),
          file);
    }
    try (Stream<Path> files = Files.walk(dir)) {
      assertTrue(files.noneMatch(file -> file.toString().endsWith(".tmp")), "nothing left behind");
    }
  }

  @Test
  void anIdentityComesBackFromItsFiles() throws Exception {
    Identity leader = WorkspaceAuthority.create(dir.resolve("ca"), WORKSPACE).issueLeader();
    leader.write(dir.resolve("id"));
    Identity read = Identity.read(dir.resolve("id"));
    assertEquals(leader.caCert(), read.caCert());
    assertEquals(leader.cert(), read.cert());
    assertArrayEquals(leader.key().getEncoded(), read.key().getEncoded());
  }

  @Test
  void filesThatDoNotBelongTogetherAreNoIdentity() throws Exception {
    WorkspaceAuthority authority = WorkspaceAuthority.create(dir.resolve("ca"), WORKSPACE);
    authority.issueLeader().write(dir.resolve("id"));
    authority.issueLeader().write(dir.resolve("other"));
    Files.copy(
        dir.resolve("other/key.pem"),
        dir.resolve("id/key.pem"),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertMessage(
        PkiException.class,
        "the private key does not belong to the certificate",
        () -> Identity.read(dir.resolve("id")));
    Files.delete(dir.resolve("id/cert.pem"));
    assertMessage(
        PkiException.class, "cert.pem does not exist", () -> Identity.read(dir.resolve("id")));
  }

  @Test
  void anEnrolmentComesBackFromItsFile() throws Exception {
    WorkspaceAuthority authority = WorkspaceAuthority.create(dir.resolve("ca"), WORKSPACE);
    InetSocketAddress number = InetSocketAddress.createUnresolved("fd00::1", 1);
    for (List<InetSocketAddress> leaders :
        List.of(List.of(LEADER), List.of(number), List.of(number, LEADER))) {
      EnrolmentToken issued = EnrolmentToken.issue(authority, leaders, WORKER);
      issued.write(dir.resolve("w.enrol"));
      EnrolmentToken read = EnrolmentToken.read(dir.resolve("w.enrol"));
      assertEquals(WORKSPACE, read.workspace());
      assertEquals(leaders, read.leaders());
      assertEquals(WORKER, read.worker());
      assertEquals(issued.identity().cert(), read.identity().cert());
    }
  }

  @Test
  void secretsAreNotPrinted() throws Exception {
    EnrolmentToken token =
        EnrolmentToken.issue(
            WorkspaceAuthority.create(dir.resolve("ca"), WORKSPACE), LEADER, WORKER);
    assertFalse(token.toString().contains("PRIVATE"), token::toString);
    assertEquals("Identity[CN=build-3.rack_1]", token.identity().toString());
  }

  /** A change to a valid enrolment file, and the error message it causes. */
  static Stream<Arguments> spoiltEnrolments() {
    return Stream.of(
        spoilt("hypersync-enrolment: 1", "", "is no HyperSync enrolment"),
        spoilt("hypersync-enrolment: 1", "hypersync-enrolment: 2", "of version 2"),
        spoilt("workspace: 00112233", "workspace: zz112233", "w.enrol"),
        spoilt("workspace: 00112233", "workspace: 0011", "expected 32 hexadecimal digits"),
        spoilt("workspace: 00112233", "workspace: ff112233", "instead of hypersync:worker:ff11"),
        spoilt("leader: leader.example:7433", "", "no line \"leader: ...\""),
        spoilt("leader.example:7433", "leader.example", "expected host:port"),
        spoilt("leader.example:7433", "leader.example:0", "expected host:port"),
        spoilt("leader.example:7433", "leader.example:65536", "expected host:port"),
        spoilt("leader.example:7433", "leader.example:x", "expected host:port"),
        spoilt("leader.example:7433", "fd00::1:7433", "expected host:port or [IPv6]:port"),
        spoilt("leader.example:7433", ":7433", "expected host:port"),
        spoilt("leader: ", "leader: other.example\nleader: ", "expected host:port"),
        spoilt("leader: ", "leader: a:1\n".repeat(8) + "leader: ", "more than 8 addresses"),
        spoilt("worker: build-3.rack_1", "worker: build-4", "is for worker build-3.rack_1"),
        spoilt("worker: build-3.rack_1", "worker: a/b", "a worker name is"),
        spoilt("-----END PRIVATE KEY-----", "", "has no end; is the file cut off?"),
        spoilt("-----END PRIVATE KEY-----", "-----END KEY-----", "block ends with"),
        spoilt("BEGIN PRIVATE KEY-----\n", "BEGIN PRIVATE KEY-----\n!", "is not base64"),
        spoilt(
            "BEGIN PRIVATE KEY-----\n", "BEGIN PRIVATE KEY-----\nAAAA", "not a valid EC private"),
        spoilt("PRIVATE KEY-----", "EC KEY-----", "expected a PRIVATE KEY block, found EC KEY"),
        spoilt(
            "BEGIN CERTIFICATE-----\n", "BEGIN CERTIFICATE-----\nAAAA", "not a valid certificate"));
  }

  private static Arguments spoilt(String from, String to, String message) {
    return Arguments.of(from, to, message);
  }

  @ParameterizedTest(name = "{1}: {2}")
  @MethodSource("spoiltEnrolments")
  void anEnrolmentThatIsSpoiltIsRefusedInWords(String from, String to, String message)
      throws Exception {
    String text =
        EnrolmentToken.issue(
                WorkspaceAuthority.create(dir.resolve("ca"), WORKSPACE), LEADER, WORKER)
            .toText();
    assertTrue(text.contains(from), () -> from + " is in " + text);
    assertMessage(
        PkiException.class, message, () -> EnrolmentToken.parse(text.replace(from, to), "w.enrol"));
  }

  private static X509Certificate[] chain(Identity identity) {
    return new X509Certificate[] {identity.cert()};
  }

  private static void assertMessage(
      Class<? extends Exception> type, String part, Executable executable) {
    String message = String.valueOf(assertThrows(type, executable).getMessage());
    assertTrue(message.contains(part), () -> '"' + message + "\" should say \"" + part + '"');
  }
}
