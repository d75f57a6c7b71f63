package io.hypersync.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.PeerCertificates;
import io.hypersync.wire.pki.PkiException;
import io.hypersync.wire.pki.WorkspaceAuthority;
import java.io.ByteArrayInputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

/** Enrolment tokens, and certificates that peers present. Keys are generated anew in each run. */
final class PkiTargets {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final WorkerId WORKER = new WorkerId("w1");

  private PkiTargets() {}

  static List<FuzzTarget> all(Path authorityDir) throws Exception {
    WorkspaceAuthority authority = WorkspaceAuthority.create(authorityDir, WORKSPACE);
    EnrolmentToken token =
        EnrolmentToken.issue(
            authority, InetSocketAddress.createUnresolved("leader.example", 7433), WORKER);
    X509Certificate issuer = token.identity().caCert();
    return List.of(
        FuzzTarget.of("token", PkiException.class, List.of(bytes(token)), PkiTargets::token),
        FuzzTarget.of(
            "worker-certificate",
            CertificateException.class,
            List.of(token.identity().cert().getEncoded()),
            input -> worker(input, issuer)),
        FuzzTarget.of(
            "leader-certificate",
            CertificateException.class,
            List.of(authority.issueLeader().cert().getEncoded()),
            input -> leader(input, issuer)));
  }

  private static boolean token(byte[] input) throws PkiException {
    EnrolmentToken token =
        EnrolmentToken.parse(new String(input, StandardCharsets.ISO_8859_1), "the token");
    EnrolmentToken again = EnrolmentToken.parse(token.toText(), "its text");
    assertEquals(token.toText(), again.toText());
    return true;
  }

  private static boolean worker(byte[] input, X509Certificate issuer) throws CertificateException {
    assertEquals(WORKER, PeerCertificates.verifyWorker(chain(input), issuer, WORKSPACE));
    return true;
  }

  private static boolean leader(byte[] input, X509Certificate issuer) throws CertificateException {
    PeerCertificates.verifyLeader(chain(input), issuer, WORKSPACE);
    return true;
  }

  private static X509Certificate[] chain(byte[] input) throws CertificateException {
    return new X509Certificate[] {
      (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(input))
    };
  }

  private static byte[] bytes(EnrolmentToken token) {
    return token.toText().getBytes(StandardCharsets.ISO_8859_1);
  }
}
