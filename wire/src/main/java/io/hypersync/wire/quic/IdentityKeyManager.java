package io.hypersync.wire.quic;

import io.hypersync.wire.pki.Identity;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Always presents this side's one certificate, whichever authorities the peer lists: so the peer
 * can say what is wrong with it. A key store would encrypt the key in memory, which takes half a
 * second at every start.
 */
final class IdentityKeyManager extends X509ExtendedKeyManager {
  private static final String ALIAS = "identity";

  private final Identity identity;

  IdentityKeyManager(Identity identity) {
    this.identity = identity;
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return new X509Certificate[] {identity.cert()};
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return identity.key();
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, SSLEngine engine) {
    for (String type : keyTypes) {
      if (fits(type)) {
        return ALIAS;
      }
    }
    return null;
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
    return fits(keyType) ? ALIAS : null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, Socket socket) {
    return null; // QUIC has no sockets
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, Socket socket) {
    return null;
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return aliases(keyType);
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return aliases(keyType);
  }

  private String @Nullable [] aliases(String keyType) {
    return fits(keyType) ? new String[] {ALIAS} : null;
  }

  private boolean fits(String keyType) {
    return keyType.equals(identity.key().getAlgorithm());
  }
}
