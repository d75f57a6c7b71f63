package io.hypersync.leader.presence;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The key by which a leader knows the resume tokens that it has given: ed25519 (RFC 8032). One
 * signature or check takes 0.2 to 4 ms. Immutable; any thread.
 */
public final class ResumeKey {
  private static final String ALGORITHM = "Ed25519";
  private static final int KEY_BYTES = 32;

  /** What comes before the 32 bytes of a key in PKCS #8 and X.509 (RFC 8410). */
  private static final byte[] PRIVATE_HEAD =
      HexFormat.of().parseHex("302e020100300506032b657004220420");

  private static final byte[] PUBLIC_HEAD = HexFormat.of().parseHex("302a300506032b6570032100");
  private static final byte[] PROBE = "hypersync".getBytes(StandardCharsets.US_ASCII);

  private static final String HEAD = "hypersync-resume-key: 1\n";
  private static final String PRIVATE = "private: ";
  private static final String PUBLIC = "public: ";

  private final PrivateKey privateKey;
  private final PublicKey publicKey;

  private ResumeKey(PrivateKey privateKey, PublicKey publicKey) {
    this.privateKey = privateKey;
    this.publicKey = publicKey;
  }

  /** A new key. */
  public static ResumeKey generate() {
    try {
      KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
      return new ResumeKey(pair.getPrivate(), pair.getPublic());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no " + ALGORITHM, e);
    }
  }

  /**
   * Parses what {@link #toText} has written; null if it is something else, or damaged. Both keys
   * must belong together: a leader that could not know its own tokens had better make a new one.
   */
  public static @Nullable ResumeKey parse(String text) {
    String[] lines = text.split("\n", -1);
    if (!text.startsWith(HEAD)
        || lines.length < 3
        || !lines[1].startsWith(PRIVATE)
        || !lines[2].startsWith(PUBLIC)) {
      return null;
    }
    try {
      KeyFactory keys = KeyFactory.getInstance(ALGORITHM);
      byte[] secret = key(lines[1].substring(PRIVATE.length()));
      byte[] known = key(lines[2].substring(PUBLIC.length()));
      ResumeKey parsed =
          new ResumeKey(
              keys.generatePrivate(new PKCS8EncodedKeySpec(joined(PRIVATE_HEAD, secret))),
              keys.generatePublic(new X509EncodedKeySpec(joined(PUBLIC_HEAD, known))));
      return parsed.verify(PROBE, parsed.sign(PROBE)) ? parsed : null;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return null;
    }
  }

  /** The key as a text, which is a secret. */
  public String toText() {
    byte[] secret = ((EdECPrivateKey) privateKey).getBytes().orElseThrow();
    byte[] encoded = publicKey.getEncoded();
    HexFormat hex = HexFormat.of();
    return HEAD
        + PRIVATE
        + hex.formatHex(secret)
        + "\n"
        + PUBLIC
        + hex.formatHex(encoded, encoded.length - KEY_BYTES, encoded.length)
        + "\n";
  }

  /** The signature of some bytes, 64 bytes. */
  byte[] sign(byte[] bytes) {
    try {
      Signature signer = Signature.getInstance(ALGORITHM);
      signer.initSign(privateKey);
      signer.update(bytes);
      return signer.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot sign", e);
    }
  }

  /** Whether this key has signed these bytes. */
  boolean verify(byte[] bytes, byte[] signature) {
    try {
      Signature verifier = Signature.getInstance(ALGORITHM);
      verifier.initVerify(publicKey);
      verifier.update(bytes);
      return verifier.verify(signature);
    } catch (SignatureException e) {
      return false; // not even a signature
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot check a signature", e);
    }
  }

  private static byte[] key(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.strip());
    if (bytes.length != KEY_BYTES) {
      throw new IllegalArgumentException("a key has 32 bytes");
    }
    return bytes;
  }

  private static byte[] joined(byte[] head, byte[] tail) {
    byte[] all = new byte[head.length + tail.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(tail, 0, all, head.length, tail.length);
    return all;
  }
}
