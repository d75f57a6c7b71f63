package io.hypersync.cli.metrics;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Lets those in who send the token (RFC 6750 2.1); compared in constant time. */
final class BearerToken extends Authenticator {
  private static final String SCHEME = "Bearer ";
  private static final int UNAUTHORIZED = 401;

  private final byte[] token;

  BearerToken(String token) {
    this.token = token.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Result authenticate(HttpExchange exchange) {
    String sent = exchange.getRequestHeaders().getFirst("Authorization");
    if (sent != null
        && sent.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            token, sent.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8))) {
      return new Success(new HttpPrincipal("scraper", "metrics"));
    }
    exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer realm=\"metrics\"");
    return new Failure(UNAUTHORIZED);
  }
}
