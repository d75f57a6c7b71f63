package io.hypersync.wire.message;

/**
 * What a leader grants a worker whose Hello it accepts: a session that outlives the connection.
 *
 * @param session names the session; random; the same after a reconnect if the session goes on
 * @param resumed whether the session was taken up by the token in the Hello
 * @param leaseMs how long the session goes on without a connection, 1 or more; 0 if there is none
 * @param token what takes the session up again; empty if nothing does; ASCII, at most {@link
 *     #MAX_TOKEN} characters. Opaque to the worker, which keeps it in memory only
 */
public record SessionGrant(long session, boolean resumed, int leaseMs, String token) {
  /** The longest token, in characters. */
  public static final int MAX_TOKEN = 512;

  /** Of a leader that knows no sessions. */
  public static final SessionGrant NONE = new SessionGrant(0, false, 0, "");

  /** Does not contain the token, which is a secret. */
  @Override
  public String toString() {
    return "SessionGrant[session=%016x, resumed=%s, leaseMs=%d, token=%d characters]"
        .formatted(session, resumed, leaseMs, token.length());
  }
}
