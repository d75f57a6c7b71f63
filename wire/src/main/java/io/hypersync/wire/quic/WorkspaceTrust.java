package io.hypersync.wire.quic;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.WeakHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A trust manager that runs a check on each certificate and remembers per handshake why one was
 * refused: TLS itself reports only an alert number. Used by one event loop only.
 */
final class WorkspaceTrust extends X509ExtendedTrustManager {
  /** Verifies a chain; throws if it is not to be trusted. */
  @FunctionalInterface
  interface Check {
    void verify(X509Certificate[] chain) throws CertificateException;
  }

  private final Check check;
  private final Map<SSLEngine, String> refusals = new WeakHashMap<>();

  WorkspaceTrust(Check check) {
    this.check = check;
  }

  /** Why the peer's certificate was refused in this handshake, or null if it was not. */
  @Nullable String refusal(@Nullable SSLEngine engine) {
    return engine == null ? null : refusals.get(engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    verify(chain, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    verify(chain, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check.verify(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check.verify(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check.verify(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check.verify(chain);
  }

  /**
   * No authorities are listed, so that a worker from another workspace presents its certificate all
   * the same, and the leader can say what is wrong with it.
   */
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }

  private void verify(X509Certificate[] chain, SSLEngine engine) throws CertificateException {
    try {
      check.verify(chain);
    } catch (CertificateException e) {
      refusals.put(engine, String.valueOf(e.getMessage()));
      throw e;
    }
  }
}
