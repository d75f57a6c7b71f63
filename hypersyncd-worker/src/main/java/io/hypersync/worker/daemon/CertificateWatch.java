package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.pki.Expiry;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns once a day when this worker's certificate ends soon: then no leader lets it in. */
final class CertificateWatch {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);
  private static final long NS_PER_MS = 1_000_000;

  private final CertificateFacts cert;
  private final Clock clock;
  private final Expiry expiry = new Expiry();

  CertificateWatch(CertificateFacts cert, Clock clock) {
    this.cert = cert;
    this.clock = clock;
  }

  /** To be called often, by one thread. */
  void look() {
    long nowMs = nowMs();
    if (expiry.isDue(Expiry.isNear(cert, nowMs), nowMs)) {
      LOG.warn(
          "this worker's certificate {}; what to do: docs/certificates.md",
          Expiry.text(cert, nowMs));
    }
  }

  /** With the keys of {@code docs/json.md}; any thread. */
  ObjectNode status() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("serial", cert.serial())
        .put("not_after", Instant.ofEpochMilli(cert.notAfterMs()).toString())
        .put("expires_in_ms", cert.notAfterMs() - nowMs());
  }

  private long nowMs() {
    return clock.epochNs() / NS_PER_MS;
  }
}
