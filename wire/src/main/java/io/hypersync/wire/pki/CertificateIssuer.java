package io.hypersync.wire.pki;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Builds and signs X.509 certificates. */
final class CertificateIssuer {
  /**
   * Certificates are valid from a day before their issue, so that a host whose clock is behind
   * accepts them.
   */
  static final Duration CLOCK_SKEW = Duration.ofDays(1);

  private static final Duration LEAF_VALIDITY = Duration.ofDays(3653);
  private static final Duration AUTHORITY_VALIDITY = LEAF_VALIDITY.multipliedBy(3);
  private static final int SERIAL_BITS = 120;

  private CertificateIssuer() {}

  static X509Certificate selfSigned(String commonName, KeyPair keys, Instant now) {
    X500Name name = name(commonName);
    X509v3CertificateBuilder builder =
        builder(name, name, keys.getPublic(), now, AUTHORITY_VALIDITY);
    try {
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      builder.addExtension(
          Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      builder.addExtension(
          Extension.subjectKeyIdentifier,
          false,
          new JcaX509ExtensionUtils().createSubjectKeyIdentifier(keys.getPublic()));
    } catch (CertIOException | GeneralSecurityException e) {
      throw new IllegalStateException("a certificate cannot be built", e);
    }
    return sign(builder, keys.getPrivate());
  }

  static X509Certificate leader(
      X509Certificate authority, PrivateKey signer, PublicKey key, String dnsName, Instant now) {
    return leaf(
        authority,
        signer,
        key,
        dnsName,
        new GeneralName(GeneralName.dNSName, dnsName),
        KeyPurposeId.id_kp_serverAuth,
        now);
  }

  static X509Certificate worker(
      X509Certificate authority,
      PrivateKey signer,
      PublicKey key,
      String workerId,
      String uri,
      Instant now) {
    return leaf(
        authority,
        signer,
        key,
        workerId,
        new GeneralName(GeneralName.uniformResourceIdentifier, uri),
        KeyPurposeId.id_kp_clientAuth,
        now);
  }

  private static X509Certificate leaf(
      X509Certificate authority,
      PrivateKey signer,
      PublicKey key,
      String commonName,
      GeneralName alternativeName,
      KeyPurposeId purpose,
      Instant now) {
    try {
      X500Name issuer = new JcaX509CertificateHolder(authority).getSubject();
      X509v3CertificateBuilder builder = builder(issuer, name(commonName), key, now, LEAF_VALIDITY);
      JcaX509ExtensionUtils utils = new JcaX509ExtensionUtils();
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
      builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
      builder.addExtension(
          Extension.subjectAlternativeName, false, new GeneralNames(alternativeName));
      builder.addExtension(
          Extension.subjectKeyIdentifier, false, utils.createSubjectKeyIdentifier(key));
      builder.addExtension(
          Extension.authorityKeyIdentifier, false, utils.createAuthorityKeyIdentifier(authority));
      return sign(builder, signer);
    } catch (CertIOException | GeneralSecurityException e) {
      throw new IllegalStateException("a certificate cannot be built", e);
    }
  }

  private static X509v3CertificateBuilder builder(
      X500Name issuer, X500Name subject, PublicKey key, Instant now, Duration validity) {
    return new JcaX509v3CertificateBuilder(
        issuer,
        new BigInteger(SERIAL_BITS, new SecureRandom()).add(BigInteger.ONE),
        Date.from(now.minus(CLOCK_SKEW)),
        Date.from(now.plus(validity)),
        subject,
        key);
  }

  private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey signer) {
    try {
      return new JcaX509CertificateConverter()
          .getCertificate(
              builder.build(
                  new JcaContentSignerBuilder(KeyPairs.SIGNATURE_ALGORITHM).build(signer)));
    } catch (OperatorCreationException | GeneralSecurityException e) {
      throw new IllegalStateException("a certificate cannot be signed", e);
    }
  }

  private static X500Name name(String commonName) {
    return new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, commonName).build();
  }
}
