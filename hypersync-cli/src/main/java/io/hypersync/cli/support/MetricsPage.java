package io.hypersync.cli.support;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Reads the page of a daemon's metrics. */
final class MetricsPage {
  private static final int MOST_BYTES = 4 << 20;

  private MetricsPage() {}

  /**
   * The page, or its beginning.
   *
   * @throws IOException if there is none, or it is for those with a token only
   */
  static String get(String address, Duration limit) throws IOException {
    if (!(URI.create(address).toURL().openConnection() instanceof HttpURLConnection page)) {
      throw new IOException("not an address of metrics: " + address);
    }
    page.setConnectTimeout((int) limit.toMillis());
    page.setReadTimeout((int) limit.toMillis());
    if (page.getResponseCode() != HttpURLConnection.HTTP_OK) {
      throw new IOException("its metrics answer with " + page.getResponseCode());
    }
    try (InputStream in = page.getInputStream()) {
      return new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
    }
  }
}
