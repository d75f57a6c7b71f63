package io.hypersync.wire.pki;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.text.Printable;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Verifies a peer's certificate. It must be signed directly by the workspace's authority, be valid
 * now, be meant for the peer's role, and have the right name. The peer's IP address does not
 * matter.
 */
public final class PeerCertificates {
  private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
  private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
  private static final int DNS_NAME = 2;
  private static final int URI = 6;

  private static final String OTHER_WORKSPACE =
      ", whose authority is not the authority of this workspace (";

  /** Limit of a quoted name from a peer's certificate in a message, in characters. */
  private static final int MAX_SHOWN_CHARS = 300;

  private PeerCertificates() {}

  /** Whether this message of a refused certificate says that it belongs to another workspace. */
  public static boolean isOfAnotherWorkspace(String message) {
    return message.contains(OTHER_WORKSPACE);
  }

  /**
   * Verifies the certificate of the leader of a workspace.
   *
   * @param chain the peer's certificate first
   * @throws CertificateException if it is refused; the message says why
   */
  public static void verifyLeader(
      X509Certificate[] chain, X509Certificate authority, WorkspaceId workspace)
      throws CertificateException {
    X509Certificate cert = verify(chain, authority, SERVER_AUTH, "leader");
    String name = CertificateNames.leaderDnsName(workspace);
    if (!alternativeNames(cert, DNS_NAME).contains(name)) {
      throw new CertificateException(
          "the certificate is for "
              + shown(alternativeNames(cert, DNS_NAME).toString())
              + " instead of "
              + name
              + ": another workspace");
    }
  }

  /**
   * Verifies the certificate of a worker of a workspace.
   *
   * @param chain the peer's certificate first
   * @return the worker id in it
   * @throws CertificateException if it is refused; the message says why
   */
  public static WorkerId verifyWorker(
      X509Certificate[] chain, X509Certificate authority, WorkspaceId workspace)
      throws CertificateException {
    X509Certificate cert = verify(chain, authority, CLIENT_AUTH, "worker");
    WorkerId worker = workerOf(cert);
    String uri = CertificateNames.workerUri(workspace, worker);
    if (!alternativeNames(cert, URI).contains(uri)) {
      throw new CertificateException(
          "the certificate is for "
              + shown(alternativeNames(cert, URI).toString())
              + " instead of "
              + uri);
    }
    return worker;
  }

  /**
   * The worker id in a certificate, without any verification.
   *
   * @throws CertificateException if the common name is no worker id
   */
  public static WorkerId workerOf(X509Certificate cert) throws CertificateException {
    String name = commonName(cert);
    if (name == null) {
      throw new CertificateException("the certificate names no worker");
    }
    try {
      return new WorkerId(name);
    } catch (IllegalArgumentException e) {
      throw new CertificateException(
          "the certificate names no worker: " + shown(String.valueOf(e.getMessage())), e);
    }
  }

  static boolean isSignedBy(X509Certificate cert, X509Certificate authority) {
    try {
      cert.verify(authority.getPublicKey());
      return cert.getIssuerX500Principal().equals(authority.getSubjectX500Principal());
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  static @Nullable String commonName(X509Certificate cert) {
    return commonName(cert.getSubjectX500Principal());
  }

  /**
   * The workspace in an authority's name, or null if it contains no valid id: a peer can write any
   * name.
   */
  private static @Nullable String workspaceOf(X500Principal authority) {
    String name = commonName(authority);
    String before = CertificateNames.AUTHORITY_PREFIX;
    if (name == null || !name.startsWith(before)) {
      return null;
    }
    try {
      return WorkspaceId.parse(name.substring(before.length())).toString();
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static @Nullable String commonName(X500Principal principal) {
    try {
      for (Rdn part : new LdapName(principal.getName()).getRdns()) {
        if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String name) {
          return name;
        }
      }
    } catch (InvalidNameException e) {
      return null;
    }
    return null;
  }

  private static X509Certificate verify(
      X509Certificate[] chain, X509Certificate authority, String purpose, String role)
      throws CertificateException {
    if (chain.length == 0) {
      throw new CertificateException("no certificate was presented");
    }
    X509Certificate cert = chain[0];
    if (!isSignedBy(cert, authority)) {
      String other = workspaceOf(cert.getIssuerX500Principal());
      String ours = workspaceOf(authority.getSubjectX500Principal());
      if (other != null && ours != null && !other.equals(ours)) {
        throw new CertificateException(
            "the "
                + role
                + "'s certificate is of workspace "
                + other
                + OTHER_WORKSPACE
                + ours
                + ")");
      }
      throw new CertificateException(
          "the certificate was issued by \""
              + shown(cert.getIssuerX500Principal().getName())
              + "\", which is not the authority of this workspace (\""
              + shown(authority.getSubjectX500Principal().getName())
              + "\")");
    }
    Instant now = Instant.now();
    CertificateDates.check(cert, now);
    try {
      PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(authority, null)));
      parameters.setRevocationEnabled(false);
      parameters.setDate(Date.from(now));
      CertPathValidator.getInstance("PKIX")
          .validate(
              CertificateFactory.getInstance("X.509").generateCertPath(List.of(cert)), parameters);
    } catch (CertPathValidatorException e) {
      throw new CertificateException("the certificate is not valid: " + e.getMessage(), e);
    } catch (InvalidAlgorithmParameterException | java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK cannot validate certificates", e);
    }
    List<String> purposes = cert.getExtendedKeyUsage();
    if (purposes == null || !purposes.contains(purpose)) {
      throw new CertificateException("the certificate is not one of a " + role);
    }
    return cert;
  }

  /** Text from a peer's certificate, made safe for one line of a log. */
  private static String shown(String text) {
    return Printable.line(text, MAX_SHOWN_CHARS);
  }

  private static List<String> alternativeNames(X509Certificate cert, int type)
      throws CertificateParsingException {
    Collection<List<?>> names = cert.getSubjectAlternativeNames();
    if (names == null) {
      return List.of();
    }
    return names.stream()
        .filter(name -> Objects.equals(name.get(0), type))
        .map(name -> String.valueOf(name.get(1)))
        .toList();
  }
}
