package io.hypersync.leader.presence;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.SessionGrant;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes and judges resume tokens:
 *
 * <pre>
 * mesh-resume.v1.&lt;payload&gt;.&lt;signature&gt;       both in base64url without padding
 * payload    {"sub":"&lt;worker&gt;","mid":"&lt;workspace&gt;","sid":"&lt;session, 16 hex digits&gt;",
 *            "lid":"&lt;run of the leader, 16 hex digits&gt;","iat":&lt;ms since 1970&gt;,
 *            "exp":&lt;ms since 1970&gt;}, without spaces
 * signature  ed25519 of the payload, 64 bytes
 * </pre>
 *
 * <p>A token is no proof of identity: the worker's certificate is checked before, as always.
 *
 * <p>Immutable; any thread.
 */
final class ResumeTokens {
  private static final String HEAD = "mesh-resume.v1.";
  private static final int SIGNATURE_BYTES = 64;

  /** What is signed was written here, so it has exactly this form. */
  private static final Pattern PAYLOAD =
      Pattern.compile(
          "\\{\"sub\":\"([A-Za-z0-9._-]{1,63})\",\"mid\":\"([0-9a-f]{32})\","
              + "\"sid\":\"([0-9a-f]{16})\",\"lid\":\"([0-9a-f]{16})\","
              + "\"iat\":(\\d{1,18}),\"exp\":(\\d{1,18})\\}");

  private final WorkspaceId workspace;
  private final ResumeKey key;
  private final long leaderRun;
  private final long lifetimeMs;

  /**
   * Tokens of one workspace.
   *
   * @param leaderRun names this run of the leader
   * @param lifetimeMs how long a token can be used, in milliseconds
   */
  ResumeTokens(WorkspaceId workspace, ResumeKey key, long leaderRun, long lifetimeMs) {
    this.workspace = workspace;
    this.key = key;
    this.leaderRun = leaderRun;
    this.lifetimeMs = lifetimeMs;
  }

  /**
   * What a token says.
   *
   * @param verdict {@link ResumeVerdict#VALID} if all that can be told from it alone is right
   * @param session the session that it names; 0 if it is not valid
   * @param leaderRun the run of the leader that gave it; 0 if it is not valid
   */
  record Claim(ResumeVerdict verdict, long session, long leaderRun) {
    private static Claim not(ResumeVerdict why) {
      return new Claim(why, 0, 0);
    }
  }

  /** A token for a session, valid from now on. */
  String issue(WorkerId worker, long session, long nowMs) {
    byte[] payload =
        ("{\"sub\":\""
                + worker.name()
                + "\",\"mid\":\""
                + workspace
                + "\",\"sid\":\""
                + HexFormat.of().toHexDigits(session)
                + "\",\"lid\":\""
                + HexFormat.of().toHexDigits(leaderRun)
                + "\",\"iat\":"
                + nowMs
                + ",\"exp\":"
                + (nowMs + lifetimeMs)
                + "}")
            .getBytes(StandardCharsets.US_ASCII);
    Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    return HEAD + base64.encodeToString(payload) + "." + base64.encodeToString(key.sign(payload));
  }

  /**
   * Judges a token that was made here and has not changed since: it is not looked at whether it is
   * signed.
   */
  Claim judgeOwn(WorkerId worker, String token, long nowMs) {
    byte[] payload =
        Base64.getUrlDecoder().decode(token.substring(HEAD.length(), token.lastIndexOf('.')));
    return said(worker, new String(payload, StandardCharsets.US_ASCII), nowMs);
  }

  /** Judges what a worker, whose certificate is in order, has sent as its token. */
  Claim judge(WorkerId worker, String token, long nowMs) {
    if (token.isEmpty()) {
      return Claim.not(ResumeVerdict.NONE);
    }
    int dot = token.lastIndexOf('.');
    if (token.length() > SessionGrant.MAX_TOKEN || !token.startsWith(HEAD) || dot < HEAD.length()) {
      return Claim.not(ResumeVerdict.MALFORMED);
    }
    byte[] payload;
    byte[] signature;
    try {
      payload = Base64.getUrlDecoder().decode(token.substring(HEAD.length(), dot));
      signature = Base64.getUrlDecoder().decode(token.substring(dot + 1));
    } catch (IllegalArgumentException e) {
      return Claim.not(ResumeVerdict.MALFORMED);
    }
    if (signature.length != SIGNATURE_BYTES) {
      return Claim.not(ResumeVerdict.MALFORMED);
    }
    if (!key.verify(payload, signature)) {
      return Claim.not(ResumeVerdict.FORGED);
    }
    return said(worker, new String(payload, StandardCharsets.US_ASCII), nowMs);
  }

  private Claim said(WorkerId worker, String payload, long nowMs) {
    Matcher said = PAYLOAD.matcher(payload);
    if (!said.matches()) {
      return Claim.not(ResumeVerdict.MALFORMED);
    }
    if (!said.group(1).equals(worker.name())) {
      return Claim.not(ResumeVerdict.OTHER_WORKER);
    }
    if (!said.group(2).equals(workspace.toString())) {
      return Claim.not(ResumeVerdict.OTHER_WORKSPACE);
    }
    if (Long.parseLong(said.group(5)) > nowMs) {
      return Claim.not(ResumeVerdict.FROM_THE_FUTURE);
    }
    if (nowMs > Long.parseLong(said.group(6))) {
      return Claim.not(ResumeVerdict.STALE);
    }
    return new Claim(
        ResumeVerdict.VALID,
        HexFormat.fromHexDigitsToLong(said.group(3)),
        HexFormat.fromHexDigitsToLong(said.group(4)));
  }
}
