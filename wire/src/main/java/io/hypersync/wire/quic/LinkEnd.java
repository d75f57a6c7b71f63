package io.hypersync.wire.quic;

import io.hypersync.model.text.Printable;
import io.netty.incubator.codec.quic.QuicConnectionCloseEvent;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a connection ended.
 *
 * @param cause which side ended it, or what
 * @param tlsAlert the number of the TLS alert that the peer sent, or -1
 * @param reason a text for the log and the user
 */
record LinkEnd(Cause cause, int tlsAlert, String reason) {
  /** Which side ended the connection, or what. */
  enum Cause {
    /** This side closed it: it was done, or one of the sides made an error. */
    HERE,
    /** The peer closed it and said so. */
    PEER,
    /** This side did not accept the peer's certificate. */
    CERTIFICATE,
    /** Nothing arrived for the idle timeout. */
    SILENCE,
    /** QUIC or TLS failed on this side. */
    TRANSPORT
  }

  /** RFC 8446 6.2. BoringSSL also sends it for a certificate that is not valid yet. */
  static final int CERTIFICATE_EXPIRED = 45;

  /** RFC 8446 6.2. */
  static final int NO_APPLICATION_PROTOCOL = 120;

  private static final int NONE = -1;
  private static final int MAX_REASON_CHARACTERS = 300;

  static LinkEnd here(String reason) {
    return new LinkEnd(Cause.HERE, NONE, reason);
  }

  static LinkEnd certificate(String refusal) {
    return new LinkEnd(Cause.CERTIFICATE, NONE, "its certificate is not accepted: " + refusal);
  }

  static LinkEnd silence(long idleMs) {
    return new LinkEnd(Cause.SILENCE, NONE, "nothing was heard from it for " + idleMs + " ms");
  }

  static LinkEnd transport(@Nullable Throwable cause) {
    String detail =
        cause == null
            ? ""
            : ": " + (cause.getMessage() == null ? cause.toString() : cause.getMessage());
    return new LinkEnd(Cause.TRANSPORT, NONE, "the connection broke" + detail);
  }

  static LinkEnd peer(QuicConnectionCloseEvent event) {
    if (event.isTlsError()) {
      int alert = QuicConnectionCloseEvent.extractTlsError(event.error());
      return new LinkEnd(
          Cause.PEER, alert, "the other side refused the handshake: " + alertName(alert));
    }
    String text = printable(event);
    String code =
        event.isApplicationClose()
            ? ""
            : String.format(Locale.ROOT, " (QUIC error 0x%x)", event.error());
    return new LinkEnd(
        Cause.PEER, NONE, "closed by the other side" + (text.isEmpty() ? "" : ": " + text) + code);
  }

  private static String alertName(int alert) {
    return switch (alert) {
      case 40 -> "handshake failure";
      case 42 -> "it does not accept our certificate";
      case 43 -> "it does not support our kind of certificate";
      case 44 -> "our certificate is revoked";
      case CERTIFICATE_EXPIRED -> "by its clock our certificate has expired, or is not valid yet";
      case 46 -> "it does not accept our certificate, for a reason of its own";
      case 48 -> "it does not know the authority of our certificate";
      // BoringSSL sends this for every refused certificate that is not one of the above.
      case 80 ->
          "it does not accept our certificate: another authority or workspace, or not meant for"
              + " this";
      case 116 -> "it requires a certificate";
      case NO_APPLICATION_PROTOCOL -> "it speaks another protocol";
      default -> "TLS alert " + alert;
    };
  }

  /** The peer's text, made safe for a log line: it can be any bytes. */
  private static String printable(QuicConnectionCloseEvent event) {
    byte[] reason;
    try {
      reason = event.reason();
    } catch (NullPointerException e) {
      // In Netty QUIC 0.0.75 a close without a reason has null inside, and reason() clones it.
      return "";
    }
    return Printable.line(new String(reason, StandardCharsets.UTF_8), MAX_REASON_CHARACTERS);
  }
}
