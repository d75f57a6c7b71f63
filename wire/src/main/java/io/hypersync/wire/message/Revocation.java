package io.hypersync.wire.message;

import io.hypersync.model.id.WorkerId;
import java.util.regex.Pattern;

/**
 * That certificates of a worker are not accepted any more. There is no way back: the worker gets a
 * new certificate instead.
 *
 * @param worker whose certificates
 * @param serial the serial number of the one that is meant, in lower-case hexadecimal digits; empty
 *     for all that were issued until then
 * @param atMs when, in ms since 1970, by the clock of the leader
 * @param reason for people, at most {@link #MAX_REASON} characters; may be empty
 */
public record Revocation(WorkerId worker, String serial, long atMs, String reason) {
  /** The most revocations of a workspace. */
  public static final int MAX = 1_024;

  /** The longest reason, in characters. */
  public static final int MAX_REASON = 100;

  /** Also that of none. */
  private static final Pattern SERIAL = Pattern.compile("(?:[1-9a-f][0-9a-f]{0,39})?");

  /**
   * Checks the fields.
   *
   * @throws IllegalArgumentException if one is out of its bounds
   */
  public Revocation {
    if (!SERIAL.matcher(serial).matches()) {
      throw new IllegalArgumentException("a serial number has 1 to 40 hexadecimal digits");
    }
    if (atMs < 0) {
      throw new IllegalArgumentException("revoked before 1970");
    }
    if (reason.length() > MAX_REASON) {
      throw new IllegalArgumentException("a reason has at most " + MAX_REASON + " characters");
    }
  }

  /** Whether a text is the serial number of a certificate. */
  public static boolean isSerial(String text) {
    return !text.isEmpty() && SERIAL.matcher(text).matches();
  }

  /** Whether all certificates are meant that the worker had then. */
  public boolean isOfAll() {
    return serial.isEmpty();
  }
}
